//! Claims and expressions as LaTeX, in math mode; `amsmath` and `amssymb` are needed.
//!
//! Brackets follow the precedence of the typeset signs, and not that of the language.
//! Sums and nim-sums are never mixed without brackets, nor is `\bmod` with another
//! operator; a large operator extends over products only; what extends as far as it
//! can, such as a quantifier, is bracketed wherever something follows or precedes it.
//! So that no name is bound twice, no notation has a variable of its own.

mod rule;

pub use rule::{
    NameKind, expression_as_latex, expression_in_words, moves_as_latex, moves_in_words,
};

use super::ast::{
    Agreement, Binary, Claim, ClaimStatement, Class, Direction, Entry, Expr, ExprKind, Function,
    Generator, HeapRef, HeapSet, PathEnd,
};
use super::words::{Typeset, functions, quantifier_sign};
use nimrule_model::latex::{escaped, prose};

/// How strongly a form binds its parts, from the weakest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Level {
    /// It extends as far as it can.
    Open,
    Implies,
    Or,
    And,
    Not,
    Compare,
    Sign,
    /// A large operator.
    Large,
    Modulo,
    NimSum,
    Sum,
    Product,
    Power,
    Atom,
}

/// A claim as LaTeX in math mode, and the convention that it is about in words.
///
/// # Examples
///
/// ```
/// let text = "game g heaps a b A move take from one heap claim misere P iff a ^ A == b mod 2";
/// let file = nimrule_syntax::parse(text).into_result().expect("no errors");
/// let claim = file.statements.iter().find_map(|statement| match &statement.node {
///     nimrule_syntax::ast::Statement::Claim(claim) => Some(claim),
///     _ => None,
/// });
/// assert_eq!(
///     nimrule_syntax::claim_as_latex(claim.expect("one")),
///     r"\text{mis\`ere: } \mathbf{p} \in \mathcal{P} \iff a \oplus A = b \bmod 2"
/// );
/// ```
pub fn claim_as_latex(claim: &Claim) -> String {
    let mut all = String::new();
    if let Some(condition) = &claim.condition {
        all.push_str(&format!("\\text{{for }} {}\\colon ", open(condition)));
    }
    if claim.misere {
        all.push_str("\\text{mis\\`ere: } ");
    }
    all.push_str(&statement(&claim.statement));
    all
}

fn statement(statement: &ClaimStatement) -> String {
    match statement {
        ClaimStatement::Outcome {
            class,
            consistent,
            up_to_symmetry,
            direction,
            condition,
        } => {
            let consistent = match consistent {
                true => "\\text{consistent: } ",
                false => "",
            };
            let arrow = match direction {
                Direction::Iff => "\\iff",
                Direction::If => "\\impliedby",
                Direction::OnlyIf => "\\implies",
            };
            let symmetry = match up_to_symmetry {
                true => " \\text{ (up to symmetry)}",
                false => "",
            };
            let class = letter(*class);
            // Two arrows side by side would have no order.
            let condition = match form(condition) {
                (written, Level::Implies) => bracketed(&written),
                (written, _) => written,
            };
            format!(
                "{consistent}{POSITION} \\in \\mathcal{{{class}}}{symmetry} {arrow} {condition}"
            )
        }
        ClaimStatement::Grundy(value) => {
            format!("\\mathcal{{G}}({POSITION}) = {}", open(value))
        }
        ClaimStatement::Pairing(pairs) => {
            let pairs = pairs.iter().map(|(one, other)| {
                format!(
                    "{} \\leftrightarrow {}",
                    entry(&one.node),
                    entry(&other.node)
                )
            });
            let pairs: Vec<String> = pairs.collect();
            format!(
                "\\mathcal{{P}} \\text{{ by pairing }} {}",
                pairs.join(",\\ ")
            )
        }
        ClaimStatement::WinsBy {
            names,
            option,
            condition,
        } => {
            let names: Vec<String> = (names.iter())
                .map(|(set, value)| format!("{} = {}", name(&set.node), open(value)))
                .collect();
            let names = match names.is_empty() {
                true => String::new(),
                false => format!(" \\text{{ with }} {}", names.join(", ")),
            };
            let sizes: Vec<String> = option.node.iter().map(open).collect();
            let condition = condition.as_ref().map_or_else(String::new, |condition| {
                format!(" \\text{{ if }} {}", open(condition))
            });
            format!(
                "\\mathcal{{N}} \\text{{ wins by }} ({}){names}{condition}",
                sizes.join(", ")
            )
        }
        ClaimStatement::Period {
            period,
            from,
            saltus,
            kind,
        } => {
            let saltus = saltus.as_ref().map_or_else(String::new, |saltus| {
                format!(" \\text{{ with saltus }} {}", open(saltus))
            });
            let of = kind.as_ref().map_or_else(String::new, |kind| {
                format!(" \\text{{ of }} {}", name(&kind.node))
            });
            let (period, from) = (open(period), open(from));
            format!(
                "\\mathcal{{G}} \\text{{ has the period }} {period} \\text{{ from }} {from}{saltus}{of}"
            )
        }
        ClaimStatement::SameAs {
            agreement,
            game,
            settings,
            map,
            condition,
        } => {
            let agree = match agreement {
                Agreement::Options => "",
                Agreement::Outcome => "outcome ",
                Agreement::Grundy => "grundy ",
            };
            let map = map.as_ref().map_or_else(String::new, |map| {
                let written = match &map.node {
                    ExprKind::Braces(sizes) => {
                        sizes.iter().map(open).collect::<Vec<_>>().join(", ")
                    }
                    _ => open(map),
                };
                format!(" \\text{{ under }} ({written})")
            });
            let settings: Vec<String> = (settings.iter())
                .map(|(set, value)| format!("{} = {}", name(&set.node), open(value)))
                .collect();
            let settings = match settings.is_empty() {
                true => String::new(),
                false => format!("({})", settings.join(", ")),
            };
            let condition = condition.as_ref().map_or_else(String::new, |condition| {
                format!(" \\text{{ where }} {}", open(condition))
            });
            format!(
                "\\text{{same {agree}as }} {}{settings}{map}{condition}",
                name(&game.node)
            )
        }
        ClaimStatement::Cogame(labelling) => {
            let of = labelling
                .as_ref()
                .map_or_else(String::new, |(class, condition)| {
                    format!(
                        " \\text{{ in the labelling }} \\mathcal{{{}}} \\text{{ iff }} {}",
                        letter(*class),
                        open(condition)
                    )
                });
            format!("\\text{{every N-position is reached from a P-position}}{of}")
        }
        ClaimStatement::Labellings(number) => {
            format!("\\text{{consistent labellings: }} {}", open(number))
        }
        ClaimStatement::Quotient { to, elements } => {
            format!("|\\mathcal{{Q}}_{{{}}}| = {}", open(to), open(elements))
        }
    }
}

fn letter(class: Class) -> &'static str {
    match class {
        Class::P => "P",
        Class::N => "N",
        Class::L => "L",
        Class::R => "R",
        Class::D => "D",
    }
}

fn entry(entry: &Entry) -> String {
    match entry {
        Entry::Number(expr) => open(expr),
        Entry::Coordinates(all) => format!("({})", list(&all.node)),
    }
}

/// A name: one letter, one with a number as its index, or a word.
fn name(name: &str) -> String {
    if !name.is_ascii() {
        return format!("\\text{{{}}}", escaped(name));
    }
    let digits = name.trim_start_matches(|c: char| !c.is_ascii_digit());
    let letters = &name[..name.len() - digits.len()];
    let indexed = letters.chars().count() == 1
        && !digits.is_empty()
        && digits.chars().all(|c| c.is_ascii_digit());
    if indexed {
        return format!("{letters}_{digits}");
    }
    match name.chars().count() {
        1 => name.to_owned(),
        _ => format!("\\mathit{{{}}}", escaped(name)),
    }
}

fn open(expr: &Expr) -> String {
    within(expr, Level::Open)
}

fn list(all: &[Expr]) -> String {
    let all: Vec<String> = all.iter().map(open).collect();
    all.join(", ")
}

/// An expression as part of a form, in brackets if it binds less than the form.
fn within(expr: &Expr, level: Level) -> String {
    let (written, own) = form(expr);
    if own >= level {
        written
    } else {
        bracketed(&written)
    }
}

fn bracketed(written: &str) -> String {
    // Tall parts need tall brackets.
    match written.contains("\\left") || written.contains("\\begin") {
        true => format!("\\left({written}\\right)"),
        false => format!("({written})"),
    }
}

/// How strongly an operator binds.
fn level(operator: Binary) -> Level {
    match operator {
        Binary::Add | Binary::Subtract => Level::Sum,
        Binary::Multiply => Level::Product,
        Binary::Divide => Level::Atom,
        Binary::Modulo => Level::Modulo,
        Binary::NimSum => Level::NimSum,
        Binary::Power => Level::Power,
        Binary::And => Level::And,
        Binary::Or => Level::Or,
        Binary::Implies => Level::Implies,
    }
}

/// The level of the operands of a form, and whether the first may also have the form's
/// own level, as in a sum of more than two numbers.
fn operands(level: Level) -> (Level, bool) {
    match level {
        Level::Implies => (Level::Or, false),
        Level::Or => (Level::And, true),
        Level::And => (Level::Not, true),
        Level::NimSum | Level::Sum => (Level::Product, true),
        Level::Product => (Level::Power, true),
        Level::Open | Level::Compare => (Level::Sign, false),
        Level::Large => (Level::Product, false),
        Level::Sign | Level::Modulo => (Level::Power, false),
        Level::Not | Level::Power | Level::Atom => (Level::Atom, false),
    }
}

fn form(expr: &Expr) -> (String, Level) {
    let atom = |written: String| (written, Level::Atom);
    match &expr.node {
        ExprKind::Number(number) => atom(number.to_string()),
        ExprKind::Truth(true) => atom("\\top".to_owned()),
        ExprKind::Truth(false) => atom("\\bot".to_owned()),
        ExprKind::Name(word) => atom(name(word)),
        ExprKind::Heaps => atom(POSITION.to_owned()),
        ExprKind::Tokens => atom(TOKENS.to_owned()),
        ExprKind::HeapsBeside(place) => {
            let Some(of) = place.name() else {
                return atom(POSITION.to_owned());
            };
            let side = place.words();
            let of = name(&of.node);
            atom(format!("{POSITION}_{{\\text{{{side} }} {of}}}"))
        }
        ExprKind::Total => atom("\\mathit{total}".to_owned()),
        ExprKind::Each => atom("\\mathit{each}".to_owned()),
        ExprKind::Squares => atom("\\{0, 1, 4, 9, \\ldots\\}".to_owned()),
        ExprKind::Powers(base) => {
            let base = within(base, Level::Atom);
            atom(format!("\\{{{base}^0, {base}^1, {base}^2, \\ldots\\}}"))
        }
        ExprKind::HeapAt(index) => atom(format!("{POSITION}_{{{}}}", open(index))),
        ExprKind::Indexed { name: of, indices } => {
            atom(format!("{}_{{{}}}", name(&of.node), list(indices)))
        }
        ExprKind::Field { name: of, field } => {
            atom(format!("{}({})", name(&field.node), name(&of.node)))
        }
        ExprKind::Braces(all) => atom(format!("\\{{{}\\}}", list(all))),
        ExprKind::Tuple(all) => atom(format!("({})", list(all))),
        ExprKind::Gathered { value, generator } => {
            let written = match ranged(std::slice::from_ref(value), Some(generator)) {
                Some((value, bound)) => format!("{} \\mid {bound}", open(value)),
                None => open(value),
            };
            atom(format!("\\{{{written}\\}}"))
        }
        ExprKind::Range { low, high } => atom(match high {
            Some(high) => format!("\\{{{}, \\ldots, {}\\}}", open(low), open(high)),
            None => format!("\\mathbb{{Z}}_{{\\ge {}}}", open(low)),
        }),
        ExprKind::Negate(inner) => {
            let (inside, _) = operands(Level::Sign);
            (format!("-{}", within(inner, inside)), Level::Sign)
        }
        ExprKind::Not(inner) => {
            let (inside, _) = operands(Level::Not);
            (format!("\\lnot {}", within(inner, inside)), Level::Not)
        }
        ExprKind::Binary {
            operator: Binary::Divide,
            left,
            right,
        } => atom(format!(
            "\\left\\lfloor \\frac{{{}}}{{{}}} \\right\\rfloor",
            open(left),
            open(right)
        )),
        ExprKind::Binary {
            operator: Binary::Power,
            left,
            right,
        } => (
            format!("{}^{{{}}}", within(left, Level::Atom), open(right)),
            Level::Power,
        ),
        ExprKind::Binary {
            operator,
            left,
            right,
        } => {
            let own = level(*operator);
            let (inside, is_chain) = operands(own);
            let (first, first_level) = form(left);
            let first = match first_level >= inside || is_chain && first_level == own {
                true => first,
                false => bracketed(&first),
            };
            let sign = operator.sign();
            (format!("{first} {sign} {}", within(right, inside)), own)
        }
        ExprKind::Compare { first, rest } => {
            let (inside, _) = operands(Level::Compare);
            let mut written = within(first, inside);
            for (comparison, right) in rest {
                let sign = comparison.sign();
                written.push_str(&format!(" {sign} {}", within(right, inside)));
            }
            (written, Level::Compare)
        }
        ExprKind::Is {
            left,
            negated,
            right,
        } => {
            let not = if *negated { "not " } else { "" };
            (
                related(left, &format!("is {not}"), &right.node),
                Level::Compare,
            )
        }
        ExprKind::Touches { left, right } => {
            (related(left, "touches ", &right.node), Level::Compare)
        }
        ExprKind::Call {
            function,
            arguments,
            generator,
        } => call(*function, arguments, generator.as_ref()),
        ExprKind::If {
            condition,
            then,
            otherwise,
        } => {
            let cases = format!(
                "\\begin{{cases}} {} & \\text{{if }} {} \\\\ {} & \\text{{otherwise}} \\end{{cases}}",
                open(then),
                open(condition),
                open(otherwise)
            );
            (cases, Level::Open)
        }
        ExprKind::Let {
            name: bound,
            value,
            body,
        } => {
            let (inside, _) = operands(Level::Open);
            let value = within(value, inside);
            let bound = name(&bound.node);
            let written = format!(
                "\\text{{let }} {bound} = {value} \\text{{ in }} {}",
                open(body)
            );
            (written, Level::Open)
        }
        ExprKind::Quantified {
            quantifier,
            binders,
            body,
        } => {
            let bound: Vec<String> = (binders.iter())
                .map(|(bound, over)| membership(&bound.node, over))
                .collect();
            let sign = quantifier_sign(*quantifier);
            let written = format!("{sign} {} : {}", bound.join(",\\ "), open(body));
            (written, Level::Open)
        }
        ExprKind::Joined(joined) => {
            let (bound, over) = &joined.through;
            let mut through = membership(&bound.node, over);
            if let Some(condition) = &joined.condition {
                through.push_str(&format!(" : {}", open(condition)));
            }
            atom(format!(
                "\\operatorname{{joined}}({}, {} \\text{{ through }} {through})",
                path_end(&joined.from),
                path_end(&joined.to)
            ))
        }
        ExprKind::Like { form, condition } => {
            let like = format!("{POSITION} \\sim ({})", list(form));
            match condition {
                None => (like, Level::Compare),
                Some(condition) => (
                    format!("{like} \\text{{ where }} {}", open(condition)),
                    Level::Open,
                ),
            }
        }
    }
}

/// The heaps.
const POSITION: &str = "\\mathbf{p}";

/// The vertices of the tokens.
const TOKENS: &str = "\\mathbf{t}";

/// `x is y` and `x touches y`.
fn related(left: &Expr, words: &str, right: &str) -> String {
    let (inside, _) = operands(Level::Compare);
    let (left, right) = (within(left, inside), name(right));
    format!("{left} \\text{{ {words}}} {right}")
}

/// The heaps at an end of a path.
fn path_end(end: &PathEnd) -> String {
    let heap = |heap: &HeapRef| match heap.indices.is_empty() {
        true => name(&heap.name.node),
        false => format!("{}_{{{}}}", name(&heap.name.node), list(&heap.indices)),
    };
    let set = match end {
        PathEnd::Named(one) => return heap(one),
        PathEnd::Set(set) => match &set.node {
            HeapSet::Listed(heaps) => {
                let heaps: Vec<String> = heaps.iter().map(heap).collect();
                heaps.join(", ")
            }
            HeapSet::Those {
                name: bound,
                among,
                condition,
            } => format!("{} : {}", membership(&bound.node, among), open(condition)),
        },
    };
    format!("\\{{{set}\\}}")
}

/// `x \in S`, where a name is bound.
fn membership(bound: &str, over: &Expr) -> String {
    let (inside, _) = operands(Level::Compare);
    format!("{} \\in {}", name(bound), within(over, inside))
}

/// A function with its arguments, or with the set that it runs over.
fn call(function: Function, arguments: &[Expr], generator: Option<&Generator>) -> (String, Level) {
    let typeset = function.typeset();
    if let Some((value, bound)) = ranged(arguments, generator) {
        return match typeset {
            Typeset::Large(sign) | Typeset::Infix(sign, _) => {
                let (inside, _) = operands(Level::Large);
                let value = within(value, inside);
                (format!("{sign}_{{{bound}}} {value}"), Level::Large)
            }
            // The members of a set that meet a condition are counted as a set.
            Typeset::Count if bound.starts_with(&format!("{} \\in", open(value))) => {
                (format!("\\#\\{{{bound}\\}}"), Level::Atom)
            }
            Typeset::Count | Typeset::Around(..) | Typeset::Binomial | Typeset::Upright => {
                around(function, &format!("{} \\mid {bound}", open(value)))
            }
        };
    }
    match (typeset, arguments) {
        (Typeset::Infix(sign, _), [only])
            if matches!(only.node, ExprKind::Heaps | ExprKind::Tokens) =>
        {
            let list = form(only).0;
            (format!("{sign}_i {list}_i"), Level::Large)
        }
        (Typeset::Infix(_, operator), [_, _, ..]) => {
            let own = level(operator);
            let (inside, _) = operands(own);
            let all: Vec<String> = arguments.iter().map(|one| within(one, inside)).collect();
            (all.join(&format!(" {} ", operator.sign())), own)
        }
        (Typeset::Binomial, [n, k]) => {
            let (n, k) = (open(n), open(k));
            (format!("\\binom{{{n}}}{{{k}}}"), Level::Atom)
        }
        _ => around(function, &list(arguments)),
    }
}

/// A function with what stands in its brackets.
fn around(function: Function, inside: &str) -> (String, Level) {
    let written = match function.typeset() {
        Typeset::Around(before, after) => format!("{before}{inside}{after}"),
        Typeset::Large(sign) | Typeset::Infix(sign, _) => format!("{sign}({inside})"),
        Typeset::Count => format!("\\#({inside})"),
        Typeset::Binomial | Typeset::Upright => {
            format!("\\operatorname{{{}}}({inside})", function.word())
        }
    };
    (written, Level::Atom)
}

/// The value and the range of `VALUE for x in SET where COND`, of which `x in SET where
/// COND` is a short form.
fn ranged<'e>(
    arguments: &'e [Expr],
    generator: Option<&'e Generator>,
) -> Option<(&'e Expr, String)> {
    let generator = generator?;
    let [only] = arguments else {
        return None;
    };
    let (value, mut range) = match (&generator.binder, &only.node) {
        (Some((bound, over)), _) => (only, membership(&bound.node, over)),
        (None, ExprKind::Compare { first, .. }) => (&**first, open(only)),
        (None, _) => return None,
    };
    if let Some(condition) = &generator.condition {
        range.push_str(&format!(" : {}", open(condition)));
    }
    Some((value, range))
}

/// What the signs in a text of LaTeX mean, for those that differ from common usage: each
/// sign in math mode, with its meaning in text mode.
pub fn notation(latex: &str) -> Vec<(String, String)> {
    let used = NOTATION.iter().filter(|(part, ..)| latex.contains(part));
    let signs = used.map(|(_, sign, meaning)| ((*sign).to_owned(), (*meaning).to_owned()));
    let upright = functions().filter_map(|(function, word)| {
        let (sign, _) = around(function, "");
        let sign = sign.strip_suffix("()")?;
        let is_used = function.typeset() == Typeset::Upright && latex.contains(sign);
        is_used.then(|| (sign.to_owned(), prose(word.meaning)))
    });
    signs.chain(upright).collect()
}

/// The parts of LaTeX that need a word, the sign to explain, and its meaning.
const NOTATION: &[(&str, &str, &str)] = &[
    (
        "\\mathbf{p}",
        "\\mathbf{p}",
        "the position, the list of the heap sizes $\\mathbf{p}_i$",
    ),
    (
        "\\mathbf{t}",
        "\\mathbf{t}",
        "the list of the vertices of the tokens",
    ),
    (
        "\\mathcal{P}",
        "\\mathcal{P}",
        "the positions that the player who moves loses",
    ),
    (
        "\\mathcal{N}",
        "\\mathcal{N}",
        "the positions that the player who moves wins",
    ),
    (
        "\\mathcal{L}",
        "\\mathcal{L}",
        "the positions that Left wins, whoever moves first",
    ),
    (
        "\\mathcal{R}",
        "\\mathcal{R}",
        "the positions that Right wins, whoever moves first",
    ),
    (
        "\\mathcal{D}",
        "\\mathcal{D}",
        "the positions that are a draw",
    ),
    ("\\mathcal{G}", "\\mathcal{G}", "the Grundy value"),
    (
        "\\oplus",
        "\\oplus",
        "the nim-sum, binary addition without carry",
    ),
    (
        "\\bigoplus",
        "\\bigoplus",
        "the nim-sum, binary addition without carry",
    ),
    ("\\bmod", "a \\bmod b", "the remainder, from $0$ to $b - 1$"),
    ("\\#", "\\#", "the number of elements"),
    (
        "\\ldots,",
        "\\{a, \\ldots, b\\}",
        "the integers from $a$ to $b$, none if $a > b$",
    ),
    (
        "\\sim",
        "\\mathbf{p} \\sim F",
        "some image of the position under a symmetry of the game has the form $F$",
    ),
    ("\\lnot", "\\lnot", "not"),
    (
        "\\operatorname{joined}",
        "\\operatorname{joined}",
        "some path of neighbouring heaps with the property leads from the first to the second",
    ),
];
