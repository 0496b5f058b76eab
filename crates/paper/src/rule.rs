//! The positions and the moves of a rule in words.

use nimrule_answer::words;
use nimrule_model::game::{Game, ParamValue, PositionKind};
use nimrule_model::latex::{escaped, prose};
use nimrule_syntax::ast::{self, Statement};
use nimrule_syntax::{
    NameKind, expression_as_latex, expression_in_words, moves_as_latex, moves_in_words,
};

/// The most letters of a statement that is quoted as it is written.
const QUOTED: usize = 400;

/// The most heaps whose names are listed.
const NAMED: usize = 12;

/// The positions, the moves, who wins, and why play ends.
pub(crate) fn description(game: &Game, file: &ast::File) -> String {
    let mut text = String::new();
    if !game.presentation.sources.is_empty() {
        let all = (1..=game.presentation.sources.len()).map(|number| format!("source{number}"));
        let all: Vec<String> = all.collect();
        text.push_str(&format!("The game is from \\cite{{{}}}. ", all.join(", ")));
    }
    text.push_str(&positions(game, escaped));
    text.push('\n');
    let mut quoted = Vec::new();
    for statement in &file.statements {
        match &statement.node {
            Statement::Positions(condition) => {
                let condition = expression_as_latex(condition);
                text.push_str(&format!("In every position ${condition}$.\n"));
            }
            // The sets of a family and the edges of a board are best read as they are written.
            Statement::Family { .. } | Statement::Board(_) => {
                let span = statement.span;
                let source = &game.text.text[span.offset()..span.offset() + span.len()];
                quoted.push(source.split_whitespace().collect::<Vec<_>>().join(" "));
            }
            _ => {}
        }
    }
    for note in &game.presentation.notes {
        text.push_str(&format!("{}\n", prose(note)));
    }
    if !quoted.is_empty() {
        text.push_str("\n\\begin{flushleft}\nIn the language of the rule file:\\\\\n");
        let quoted: Vec<String> = quoted.iter().map(|words| quotation(words)).collect();
        text.push_str(&format!("{}\n\\end{{flushleft}}\n", quoted.join("\\\\\n")));
    }
    let mut moves = moves_as_latex(file, &|name| name_kind(game, name));
    if game.position_kind == PositionKind::Reals {
        for words in &mut moves {
            *words = words.replace("at least one token", "a positive amount");
        }
    }
    text.push_str(match moves.len() {
        1 => "\n\\paragraph{Move.}\n",
        _ => "\n\\paragraph{Moves.} A move is one of the following.\n",
    });
    match moves.as_slice() {
        [only] => text.push_str(&format!("{only}\n")),
        many => {
            text.push_str("\\begin{enumerate}\n");
            for words in many {
                text.push_str(&format!("\\item {words}\n"));
            }
            text.push_str("\\end{enumerate}\n");
        }
    }
    if game.blocked_options > 0 {
        text.push_str(&format!(
            "Before each move the opponent may forbid up to {} of its options.\n",
            game.blocked_options
        ));
    }
    text.push_str(&format!("\n\\paragraph{{End.}} {}\n", end(game)));
    text
}

/// The rule in sentences of plain text: what a position is, the conditions on it, the notes of the
/// file, and the moves.
pub(crate) fn in_words(game: &Game, file: &ast::File) -> Vec<String> {
    let text = &game.text.text;
    let mut words = vec![positions(game, str::to_owned)];
    for statement in &file.statements {
        match &statement.node {
            Statement::Positions(condition) => {
                let condition = expression_in_words(condition, text);
                words.push(format!("In every position {condition}."));
            }
            // What a family is stands nowhere else.
            Statement::Family { .. } => words.push(game.text.quote(statement.span)),
            _ => {}
        }
    }
    words.extend(game.presentation.notes.iter().cloned());
    words.extend(moves_in_words(file, text, &|name| name_kind(game, name)));
    words
}

fn quotation(words: &str) -> String {
    match words.char_indices().nth(QUOTED) {
        None => format!("\\texttt{{{}}}", escaped(words)),
        Some((end, _)) => format!(
            "\\texttt{{{}}} \\ldots{{}} ({} more letters in the file)",
            escaped(&words[..end]),
            words[end..].chars().count()
        ),
    }
}

/// What a position is; `escaped` writes the names of the file.
fn positions(game: &Game, escaped: fn(&str) -> String) -> String {
    let names = |names: &[String]| {
        let names: Vec<String> = names.iter().map(|name| escaped(name)).collect();
        names.join(", ")
    };
    let heaps = &game.heap_names[..game.first_state().min(game.heap_names.len())];
    let counted = |what: &str| {
        let count = words::counted(heaps.len() as u128, what);
        match heaps.len() <= NAMED {
            true => format!("{count} ({})", names(heaps)),
            false => format!(
                "{count}, from {} to {}",
                escaped(&heaps[0]),
                escaped(&heaps[heaps.len() - 1])
            ),
        }
    };
    let mut text = match &game.position_kind {
        PositionKind::Reals => format!(
            "A position has {}, whose sizes are real numbers that are not negative.",
            counted("heap")
        ),
        PositionKind::Open(_) => {
            format!("A position has {}.", escaped(&game.presentation.heaps_line))
        }
        PositionKind::Tokens(digraph) => format!(
            "A position has {} on the vertices of a digraph with {} and {}.",
            counted("token"),
            words::counted(digraph.len() as u128, "vertex").replace("vertexs", "vertices"),
            words::counted(digraph.relation.arcs() as u128, "arc")
        ),
        PositionKind::Multiset(kinds) => match kinds.names.is_empty() {
            true => "A position is a multiset of heaps of tokens, of any number.".to_owned(),
            false => format!(
                "A position is a multiset of heaps of tokens, of any number, each of one of the \
                 kinds {}.",
                names(&kinds.names)
            ),
        },
        PositionKind::Heaps if heaps.is_empty() => "A position has no heaps.".to_owned(),
        PositionKind::Heaps => {
            let sizes = match game.largest_size {
                Some(most) => format!(" of at most {}", words::counted(most.into(), "token")),
                None => " of tokens".to_owned(),
            };
            let place = match (&game.board, &game.heaps_on) {
                (Some(board), Some((kind, _))) => {
                    format!(
                        ", one on each {kind} of the board {}",
                        escaped(board.name())
                    )
                }
                _ => String::new(),
            };
            let numbered = counted("heap");
            format!("A position has {numbered}{sizes}{place}.")
        }
    };
    let states = match &game.position_kind {
        PositionKind::Multiset(kinds) => kinds.states.clone(),
        _ => {
            let names = game.heap_names[heaps.len()..].iter().cloned();
            names.zip(game.states.iter().copied()).collect()
        }
    };
    for (name, state) in states {
        let name = escaped(&name);
        if state.is_token {
            text.push_str(&format!(" The token {name} is on a vertex of the board."));
            continue;
        }
        let range = match state.high {
            Some(high) => format!("from {} to {high}", state.low),
            None => format!("from {} on", state.low),
        };
        let initial = state
            .initial
            .map_or_else(String::new, |initial| format!(", at first {initial}"));
        text.push_str(&format!(" The state {name} is a number {range}{initial}."));
    }
    text
}

/// What a name is that stands for an amount.
fn name_kind(game: &Game, name: &str) -> NameKind {
    let param = game.params.iter().find(|(param, _)| param == name);
    match param {
        Some((_, ParamValue::Number(_))) => NameKind::Number,
        Some(_) => NameKind::Set,
        None if game.heap_names.iter().any(|heap| heap == name) => NameKind::Number,
        None => NameKind::New,
    }
}

/// Who wins, and why play ends.
fn end(game: &Game) -> String {
    let who = "The player who cannot move loses (normal play); under mis\\`ere play that player \
               wins.";
    if game.may_repeat {
        return format!("{who} Positions may repeat, and a play that never ends is a draw.");
    }
    if game.position_kind == PositionKind::Reals {
        return format!(
            "{who} Play need not end, so that the results are about kernels of the move digraph: \
             consistent labellings."
        );
    }
    let parts = words::termination(game, &game.facts.termination);
    if parts.is_empty() {
        return who.to_owned();
    }
    let parts: Vec<String> = (parts.iter())
        .map(|(is_first, words)| match is_first {
            true => prose(words),
            false => format!("or, if that is unchanged, {}", prose(words)),
        })
        .collect();
    format!("{who} Play ends: {}.", parts.join("; "))
}
