//! The outline of a file.

use super::document::range;
use nimrule_syntax::ast::{File, HeapGroup, HeapGroups, HeapNames, Statement};
use std::ops::Range;

/// A statement, or a name that it declares.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Symbol {
    /// Its name, or the statement without its keyword.
    pub name: String,
    /// What it is.
    pub kind: SymbolKind,
    /// The place of the whole statement, in bytes.
    pub statement: Range<usize>,
    /// The place of the name, in bytes; within the statement.
    pub at: Range<usize>,
}

/// The kinds of symbols.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SymbolKind {
    /// The game itself.
    Game,
    /// A parameter.
    Parameter,
    /// A board.
    Board,
    /// Heaps, tokens, kinds of heaps or states.
    Heap,
    /// A family of sets of heaps.
    Family,
    /// A move.
    Move,
    /// A claim.
    Claim,
    /// An example.
    Example,
}

/// The longest name that is not cut.
const LONGEST: usize = 60;

/// The symbols of a file, in the order of the text.
pub fn symbols(text: &str, file: &File) -> Vec<Symbol> {
    let mut found = Vec::new();
    for statement in &file.statements {
        let whole = range(statement.span);
        let keyword = text[whole.clone()].split_whitespace().next();
        let after_keyword = whole.start + keyword.map_or(0, str::len);
        let mut add = |kind, name: Option<&nimrule_syntax::ast::Name>| {
            found.push(match name {
                Some(name) => Symbol {
                    name: name.node.clone(),
                    kind,
                    statement: whole.clone(),
                    at: range(name.span),
                },
                None => Symbol {
                    name: one_line(&text[after_keyword..whole.end]),
                    kind,
                    statement: whole.clone(),
                    at: whole.start..after_keyword,
                },
            });
        };
        match &statement.node {
            Statement::Game { name, .. } => add(SymbolKind::Game, Some(name)),
            Statement::Param(params) => {
                for param in params {
                    add(SymbolKind::Parameter, Some(&param.name));
                }
            }
            Statement::Board(_) => add(SymbolKind::Board, None),
            Statement::Heaps(heaps) | Statement::Tokens(heaps) => {
                let names = names(&heaps.groups);
                if names.is_empty() {
                    add(SymbolKind::Heap, None);
                }
                for name in names {
                    add(SymbolKind::Heap, Some(name));
                }
            }
            Statement::Kinds(names) => {
                for name in names {
                    add(SymbolKind::Heap, Some(name));
                }
            }
            Statement::State { name, .. } => add(SymbolKind::Heap, Some(name)),
            Statement::Family { name, .. } => add(SymbolKind::Family, Some(name)),
            Statement::Move(mover) => add(SymbolKind::Move, mover.name.as_ref()),
            Statement::Claim(_) => add(SymbolKind::Claim, None),
            Statement::Example(_) => add(SymbolKind::Example, None),
            Statement::Source(_)
            | Statement::Note(_)
            | Statement::Positions(_)
            | Statement::MayRepeat
            | Statement::Suggest(_)
            | Statement::Start(_)
            | Statement::Shown(_)
            | Statement::Blocking(_)
            | Statement::EndsBy(_)
            | Statement::Unparsed(_) => {}
        }
    }
    found
}

/// The names of heaps that a statement declares.
fn names(groups: &HeapGroups) -> Vec<&nimrule_syntax::ast::Name> {
    let HeapGroups::These(groups) = groups else {
        return Vec::new();
    };
    let name = |names| match names {
        &HeapNames::One(ref name) | &HeapNames::Ranged { ref name, .. } => name,
    };
    let named = groups.iter().flat_map(|group| match group {
        HeapGroup::OnCells { names, .. } => names.iter().map(name).collect(),
        HeapGroup::Ranged(names) => vec![name(names)],
        HeapGroup::Counted(_) => Vec::new(),
    });
    named.collect()
}

/// A statement on one line, cut where it is long.
fn one_line(statement: &str) -> String {
    let words: Vec<&str> = statement.split_whitespace().collect();
    let line = words.join(" ");
    match line.char_indices().nth(LONGEST) {
        Some((at, _)) => format!("{}…", line[..at].trim_end()),
        None => line,
    }
}
