//! Claims and expressions as LaTeX, in math mode; `amsmath` and `amssymb` are needed.

use super::ast::{
    Binary, Claim, ClaimStatement, Class, Comparison, Direction, Entry, Expr, ExprKind, Function,
    Generator, Place, Quantifier,
};
use nimrule_model::latex::escaped;

/// How strongly a form binds its parts, from the weakest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Level {
    Open,
    Implies,
    Or,
    And,
    Not,
    Compare,
    NimSum,
    Sum,
    Product,
    Sign,
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
                true => "\\text{ up to symmetry}",
                false => "",
            };
            let class = letter(*class);
            let condition = open(condition);
            format!(
                "{consistent}\\mathbf{{p}} \\in \\mathcal{{{class}}} {arrow} {condition}{symmetry}"
            )
        }
        ClaimStatement::Grundy(value) => {
            format!(
                "\\mathcal{{G}}(\\mathbf{{p}}) = {}",
                within(value, Level::NimSum)
            )
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
        ClaimStatement::Period {
            period,
            from,
            saltus,
            kind,
        } => {
            let period = within(period, Level::Product);
            let saltus = saltus.as_ref().map_or_else(String::new, |saltus| {
                format!(" + {}", within(saltus, Level::Product))
            });
            let of = kind.as_ref().map_or_else(String::new, |kind| {
                format!(" \\text{{ of }} {}", name(&kind.node))
            });
            let from = open(from);
            format!(
                "\\mathcal{{G}}(n + {period}) = \\mathcal{{G}}(n){saltus} \\text{{ for }} n \\ge {from}{of}"
            )
        }
        ClaimStatement::SameAs {
            game,
            settings,
            condition,
        } => {
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
                "\\text{{same as }} {}{settings}{condition}",
                name(&game.node)
            )
        }
        ClaimStatement::Cogame => {
            "\\text{every N-position is reached from a P-position}".to_owned()
        }
        ClaimStatement::Labellings(number) => {
            format!("\\text{{consistent labellings: }} {}", open(number))
        }
        ClaimStatement::Quotient { to, elements } => format!(
            "|\\mathcal{{Q}}_{{{}}}| = {}",
            open(to),
            within(elements, Level::Compare)
        ),
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
    let digits = name.trim_start_matches(|c: char| !c.is_ascii_digit());
    let letters = &name[..name.len() - digits.len()];
    let indexed = letters.chars().count() == 1
        && !digits.is_empty()
        && digits.chars().all(|c| c.is_ascii_digit());
    if indexed {
        return format!("{letters}_{{{digits}}}");
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
        format!("({written})")
    }
}

fn operator(operator: Binary) -> (&'static str, Level) {
    match operator {
        Binary::Add => ("+", Level::Sum),
        Binary::Subtract => ("-", Level::Sum),
        Binary::Multiply => ("\\cdot", Level::Product),
        Binary::Divide => ("/", Level::Product),
        Binary::Modulo => ("\\bmod", Level::Product),
        Binary::NimSum => ("\\oplus", Level::NimSum),
        Binary::Power => ("^", Level::Power),
        Binary::And => ("\\land", Level::And),
        Binary::Or => ("\\lor", Level::Or),
        Binary::Implies => ("\\Rightarrow", Level::Implies),
    }
}

/// What binds its right operand more strongly than a form of this level.
fn above(level: Level) -> Level {
    match level {
        Level::Implies => Level::Or,
        Level::Sum => Level::Product,
        Level::Product => Level::Sign,
        other => other,
    }
}

fn form(expr: &Expr) -> (String, Level) {
    let atom = |written: String| (written, Level::Atom);
    match &expr.node {
        ExprKind::Number(number) => atom(number.to_string()),
        ExprKind::Truth(true) => atom("\\top".to_owned()),
        ExprKind::Truth(false) => atom("\\bot".to_owned()),
        ExprKind::Name(word) => atom(name(word)),
        ExprKind::Heaps => atom("\\mathbf{p}".to_owned()),
        ExprKind::HeapsBeside(place) => {
            let (side, of) = match &**place {
                Place::Left(of) => ("left of", of),
                Place::Right(of) => ("right of", of),
                Place::Of(of) => ("of", of),
                Place::EndingAt(of) => ("ending at", of),
                Place::StartingAt(of) => ("starting at", of),
                Place::WithinOne(_) => return atom("\\mathbf{p}".to_owned()),
            };
            let of = name(&of.node);
            atom(format!("\\mathbf{{p}}_{{\\text{{{side} }} {of}}}"))
        }
        ExprKind::Total => atom("\\mathit{total}".to_owned()),
        ExprKind::Each => atom("\\mathit{each}".to_owned()),
        ExprKind::Squares => atom("\\{n^2 : n \\ge 0\\}".to_owned()),
        ExprKind::Powers(base) => atom(format!(
            "\\{{{}^n : n \\ge 0\\}}",
            within(base, Level::Atom)
        )),
        ExprKind::HeapAt(index) => atom(format!("\\mathbf{{p}}_{{{}}}", open(index))),
        ExprKind::Indexed { name: of, index } => {
            atom(format!("{}_{{{}}}", name(&of.node), open(index)))
        }
        ExprKind::Field { name: of, field } => {
            atom(format!("{}_{{{}}}", name(&of.node), name(&field.node)))
        }
        ExprKind::Braces(all) => atom(format!("\\{{{}\\}}", list(all))),
        ExprKind::Range { low, high } => atom(match high {
            Some(high) => format!("\\{{{}, \\ldots, {}\\}}", open(low), open(high)),
            None => format!("\\{{n : n \\ge {}\\}}", within(low, Level::NimSum)),
        }),
        ExprKind::Negate(inner) => (format!("-{}", within(inner, Level::Sign)), Level::Sign),
        ExprKind::Not(inner) => (format!("\\lnot {}", within(inner, Level::Not)), Level::Not),
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
            operator: by,
            left,
            right,
        } => {
            let (sign, level) = operator(*by);
            let left_level = match by {
                Binary::Implies => above(level),
                _ => level,
            };
            let right_level = match by {
                Binary::Implies => level,
                _ => above(level),
            };
            let (left, right) = (within(left, left_level), within(right, right_level));
            (format!("{left} {sign} {right}"), level)
        }
        ExprKind::Compare { first, rest } => {
            let mut written = within(first, Level::NimSum);
            for (comparison, right) in rest {
                let sign = match comparison {
                    Comparison::Equal => "=",
                    Comparison::NotEqual => "\\ne",
                    Comparison::Less => "<",
                    Comparison::AtMost => "\\le",
                    Comparison::Greater => ">",
                    Comparison::AtLeast => "\\ge",
                    Comparison::In => "\\in",
                };
                written.push_str(&format!(" {sign} {}", within(right, Level::NimSum)));
            }
            (written, Level::Compare)
        }
        ExprKind::Is {
            left,
            negated,
            right,
        } => {
            let not = if *negated { "not " } else { "" };
            let (left, right) = (within(left, Level::NimSum), name(&right.node));
            (
                format!("{left} \\text{{ is {not}}} {right}"),
                Level::Compare,
            )
        }
        ExprKind::Touches { left, right } => {
            let (left, right) = (within(left, Level::NimSum), name(&right.node));
            (
                format!("{left} \\text{{ touches }} {right}"),
                Level::Compare,
            )
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
        } => atom(format!(
            "\\begin{{cases}} {} & \\text{{if }} {} \\\\ {} & \\text{{otherwise}} \\end{{cases}}",
            open(then),
            open(condition),
            open(otherwise)
        )),
        ExprKind::Let {
            name: bound,
            value,
            body,
        } => (
            format!(
                "\\text{{let }} {} = {} \\text{{ in }} {}",
                name(&bound.node),
                open(value),
                open(body)
            ),
            Level::Open,
        ),
        ExprKind::Quantified {
            quantifier,
            binders,
            body,
        } => {
            let sign = match quantifier {
                Quantifier::Exists => "\\exists",
                Quantifier::Forall => "\\forall",
            };
            let bound: Vec<String> = (binders.iter())
                .map(|(bound, over)| format!("{} \\in {}", name(&bound.node), open(over)))
                .collect();
            let written = format!("{sign} {} : {}", bound.join(",\\ "), open(body));
            (written, Level::Open)
        }
        ExprKind::Like { form, condition } => {
            let like = format!("\\mathbf{{p}} \\sim ({})", list(form));
            match condition {
                None => (like, Level::Compare),
                Some(condition) => (
                    format!("{like} \\text{{ where }} {}", within(condition, Level::And)),
                    Level::And,
                ),
            }
        }
    }
}

/// A function with its arguments, or with the set that it runs over.
fn call(function: Function, arguments: &[Expr], generator: Option<&Generator>) -> (String, Level) {
    let large = match function {
        Function::Sum => Some("\\sum"),
        Function::Xor => Some("\\bigoplus"),
        Function::Max => Some("\\max"),
        Function::Min => Some("\\min"),
        _ => None,
    };
    let binder = generator.and_then(|generator| generator.binder.as_ref());
    let condition = generator.and_then(|generator| generator.condition.as_deref());
    // `count(x in LIST where COND)` has its binder as the argument.
    let (bound, value) = match (binder, arguments) {
        (Some((bound, over)), [value]) => (
            Some(format!("{} \\in {}", name(&bound.node), open(over))),
            Some(value),
        ),
        (None, [only]) if generator.is_some() => (Some(open(only)), element(only)),
        _ => (None, None),
    };
    let bound = bound.map(|bound| match condition {
        Some(condition) => format!("{bound} : {}", open(condition)),
        None => bound,
    });
    match (function, large, bound) {
        (Function::Count | Function::Size, _, Some(bound)) => {
            (format!("\\#\\{{{bound}\\}}"), Level::Atom)
        }
        (Function::Count | Function::Size, _, None) if arguments.len() == 1 => {
            (format!("|{}|", list(arguments)), Level::Atom)
        }
        (_, Some(large), Some(bound)) => {
            let value = value.map_or_else(String::new, |value| within(value, Level::Product));
            (format!("{large}_{{{bound}}} {value}"), Level::Product)
        }
        (Function::Sum | Function::Xor, Some(large), None)
            if matches!(
                arguments,
                [Expr {
                    node: ExprKind::Heaps,
                    ..
                }]
            ) =>
        {
            (format!("{large}_i p_i"), Level::Product)
        }
        (Function::Sum | Function::Xor, Some(_), None) => {
            let sign = if function == Function::Sum {
                " + "
            } else {
                " \\oplus "
            };
            let level = if function == Function::Sum {
                Level::Sum
            } else {
                Level::NimSum
            };
            match arguments {
                [one] => (
                    format!("\\operatorname{{{}}}({})", function.word(), open(one)),
                    Level::Atom,
                ),
                all => {
                    let all: Vec<String> = all.iter().map(|a| within(a, above(level))).collect();
                    (all.join(sign), level)
                }
            }
        }
        (Function::Isqrt, ..) => {
            let root = format!(
                "\\left\\lfloor \\sqrt{{{}}} \\right\\rfloor",
                list(arguments)
            );
            (root, Level::Atom)
        }
        (Function::Abs, ..) => (format!("|{}|", list(arguments)), Level::Atom),
        (Function::Max, ..) => (format!("\\max({})", list(arguments)), Level::Atom),
        (Function::Min, ..) => (format!("\\min({})", list(arguments)), Level::Atom),
        (Function::Gcd, ..) => (format!("\\gcd({})", list(arguments)), Level::Atom),
        (_, _, bound) => {
            let inside = match (bound, value) {
                (Some(bound), Some(value)) => format!("{} : {bound}", open(value)),
                (Some(bound), None) => bound,
                (None, _) => list(arguments),
            };
            (
                format!("\\operatorname{{{}}}({inside})", function.word()),
                Level::Atom,
            )
        }
    }
}

/// The element of `x in SET`.
fn element(membership: &Expr) -> Option<&Expr> {
    match &membership.node {
        ExprKind::Compare { first, .. } => Some(first),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::open;
    use crate::parse_condition;

    #[test]
    fn expressions_keep_their_brackets() {
        let cases = [
            ("a - (b - c) == 0", "a - (b - c) = 0"),
            ("a - b - c == 0", "a - b - c = 0"),
            ("(a ^ b) + c == 0", "(a \\oplus b) + c = 0"),
            ("a ^ b + c != 0", "a \\oplus b + c \\ne 0"),
            (
                "(a == b or a == c) and b < c",
                "(a = b \\lor a = c) \\land b < c",
            ),
            ("not (a == b and b == c)", "\\lnot (a = b \\land b = c)"),
            (
                "(a + b) * c div 2 >= 1",
                "\\left\\lfloor \\frac{(a + b) \\cdot c}{2} \\right\\rfloor \\ge 1",
            ),
            ("2 ** (a + 1) == -b", "2^{a + 1} = -b"),
            ("xor(heaps) == 0", "\\bigoplus_i p_i = 0"),
            (
                "sum(x div 2 for x in heaps) == 1",
                "\\sum_{x \\in \\mathbf{p}} \\left\\lfloor \\frac{x}{2} \\right\\rfloor = 1",
            ),
            (
                "count(x in heaps where x > 3) == 2",
                "\\#\\{x \\in \\mathbf{p} : x > 3\\} = 2",
            ),
            (
                "(exists x in 1..9: x == a) or b == 1",
                "(\\exists x \\in \\{1, \\ldots, 9\\} : x = a) \\lor b = 1",
            ),
            (
                "h1 == pile[2] + long_name",
                "h_{1} = \\mathit{pile}_{2} + \\mathit{long\\_name}",
            ),
            ("like (a, b, a)", "\\mathbf{p} \\sim (a, b, a)"),
        ];
        for (text, wanted) in cases {
            let expr = parse_condition(text).unwrap_or_else(|wrong| panic!("{text}: {wrong:?}"));
            assert_eq!(open(&expr), wanted, "{text}");
        }
    }
}
