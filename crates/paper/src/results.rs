//! Claims as theorems, conjectures and remarks, each with what it rests on.

use super::STATES_DRAWN;
use nimrule_answer::proof::{Numeration, Proof, Set, table};
use nimrule_answer::{Effort, Evidence, ExampleReport, Session, Verdict, words};
use nimrule_draw::automaton;
use nimrule_engine::SolveError;
use nimrule_model::game::{Applies, Claim, Game, Statement};
use nimrule_model::latex::{escaped, prose};
use nimrule_syntax::{ast, claim_as_latex};
use std::collections::BTreeSet;

/// The letters of a formula with cases that may not fit a line.
const WIDE: usize = 400;

/// Whether a claim is about Grundy values.
pub(crate) fn is_of_values(claim: &Claim) -> bool {
    matches!(claim.statement, Some(Statement::Grundy(_)))
}

/// The section of the claims; empty if none applies.
pub(crate) fn section(
    session: &Session<'_>,
    file: &ast::File,
    effort: &Effort,
) -> Result<String, SolveError> {
    let game = session.game();
    let written: Vec<String> = (file.statements.iter())
        .filter_map(|statement| match &statement.node {
            ast::Statement::Claim(claim) => Some(claim_as_latex(claim)),
            _ => None,
        })
        .collect();
    let (mut text, mut methods) = (String::new(), BTreeSet::new());
    for (number, _) in session.claims() {
        let verdict = match session.claim(number, effort) {
            Ok(report) => {
                if let Verdict::Proved(Evidence::Automaton(proof)) = &report.verdict {
                    methods.insert(Method::of(proof));
                }
                Verdicted::of(session, &report)
            }
            // The claim is left undecided, and the paper says so.
            Err(
                failure @ (SolveError::Time
                | SolveError::Memory { .. }
                | SolveError::Reals
                | SolveError::Open),
            ) => Verdicted::open(&failure.to_string()),
            Err(failure) => return Err(failure),
        };
        // INVARIANT: the game has one claim for each claim of the file.
        let claim = written.get(number - 1).cloned().unwrap_or_default();
        text.push_str(&verdict.latex(number, &claim));
    }
    let elsewhere = game
        .claims
        .iter()
        .filter(|claim| claim.applies == Applies::Elsewhere);
    match elsewhere.count() {
        0 => {}
        1 => text.push_str("One more claim of the file is about other parameters.\n\n"),
        more => text.push_str(&format!(
            "{more} more claims of the file are about other parameters.\n\n"
        )),
    }
    if text.is_empty() {
        return Ok(text);
    }
    let methods: String = methods.into_iter().map(Method::words).collect();
    Ok(super::section("Results", &(methods + &text)))
}

/// A claim as it is set: its environment, the words before and after the formula, and the
/// sketch of a proof.
struct Verdicted {
    environment: &'static str,
    before: &'static str,
    after: String,
    proof: String,
}

impl Verdicted {
    fn open(why: &str) -> Verdicted {
        Verdicted {
            environment: "conjecture",
            before: "",
            after: format!("This is neither proved nor refuted: {}.", prose(why)),
            proof: String::new(),
        }
    }

    fn of(session: &Session<'_>, report: &nimrule_answer::ClaimReport) -> Verdicted {
        let game = session.game();
        match &report.verdict {
            Verdict::Proved(evidence) => Verdicted {
                environment: "theorem",
                before: "",
                after: String::new(),
                proof: sketch(game, evidence),
            },
            Verdict::Holds { to, by } => {
                let by = by
                    .as_ref()
                    .map_or_else(String::new, |by| format!(" ({})", prose(by)));
                Verdicted {
                    environment: "conjecture",
                    before: "",
                    after: format!(
                        "This holds for all positions up to the bound {to}{by}; it is not proved \
                         for larger ones."
                    ),
                    proof: String::new(),
                }
            }
            Verdict::Refuted(_) | Verdict::RefutedOfReals(_) | Verdict::Fails { .. } => Verdicted {
                environment: "remark",
                before: "The following is false. ",
                after: format!("It fails {}.", prose(&report.words(game))),
                proof: String::new(),
            },
            Verdict::Contradicted(_)
            | Verdict::Unsupported(_)
            | Verdict::Undecided { .. }
            | Verdict::Unknown { .. }
            | Verdict::Elsewhere => Verdicted::open(report.words(game).trim_end_matches('.')),
        }
    }

    fn latex(&self, number: usize, claim: &str) -> String {
        let environment = self.environment;
        // Cases are set in one piece, which may be wider than a line.
        let claim = match claim.contains("\\begin{cases}") && claim.len() > WIDE {
            true => shrunk(&format!("${claim}$")),
            false => format!("${claim}$"),
        };
        let mut text = format!(
            "\\begin{{{environment}}}[claim {number}]\n\\raggedright {}{claim}.",
            self.before
        );
        if !self.after.is_empty() {
            text.push_str(&format!(" {}", self.after));
        }
        text.push_str(&format!("\n\\end{{{environment}}}\n\n"));
        if !self.proof.is_empty() {
            text.push_str(&format!(
                "\\begin{{proof}}[Sketch of the proof]\n{}\n\\end{{proof}}\n\n",
                self.proof
            ));
        }
        text
    }
}

/// What a proof consists of, and who checked it.
fn sketch(game: &Game, evidence: &Evidence) -> String {
    match evidence {
        Evidence::Theorem { theorem, by } => format!("By {}: {}.", prose(theorem), prose(by)),
        Evidence::Automaton(proof) => by_automaton(game, proof),
        Evidence::AnyNumber(proof) => format!(
            "By the partition theorem, for any number of heaps, with {}. The conditions are:\n{}",
            prose(&proof.words()),
            items(&proof.checked)
        ),
        Evidence::Stored { states } => format!(
            "By the partition theorem, with a deterministic finite automaton of {} that was \
             proved before.",
            words::counted(*states as u128, "state")
        ),
        Evidence::Reals(proof) => format!(
            "By the elimination of quantifiers over ordered fields{}. The conditions are:\n{}",
            prose(&words::scales(proof)),
            items(&proof.checked)
        ),
    }
}

/// The theorem behind a proof by an automaton.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Method {
    Partition,
    Values,
    Labelling,
    /// What is said of some positions only, or of two games.
    Statements,
}

impl Method {
    fn of(proof: &Proof) -> Method {
        match proof.of {
            Set::PPositions | Set::PPositionsOfMoves => Method::Partition,
            Set::Values(_) => Method::Values,
            Set::Labelling => Method::Labelling,
            Set::SomePPositions | Set::BeyondPPositions | Set::SubGame => Method::Statements,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Method::Partition => "the partition theorem",
            Method::Values => "the mex rule",
            Method::Labelling => "the definition of a kernel",
            Method::Statements => "induction on the number of moves",
        }
    }

    /// The theorem, which the sketches only name.
    fn words(self) -> &'static str {
        match self {
            Method::Partition => {
                "\\paragraph{The partition theorem.} Where play ends, a set of positions is that of \
                 the P-positions if and only if no move leads from the set into the set, and from \
                 every position outside of it a move leads into it. (Under mis\\`ere play the \
                 terminal positions are outside of the set, and from every other position \
                 outside of it a move leads into it.)\n\n"
            }
            Method::Values => {
                "\\paragraph{The mex rule.} Where play ends, a function of the positions is the \
                 Grundy value if and only if no option has the value of the position, and every \
                 smaller value is that of an option (Sprague 1935, Grundy 1939).\n\n"
            }
            Method::Labelling => {
                "\\paragraph{Kernels.} A labelling is consistent if and only if no move leads from a \
                 position labelled P to another, and from every other position a move leads to \
                 one: its P-positions are a kernel of the move digraph.\n\n"
            }
            Method::Statements => {
                "\\paragraph{Induction.} Where play ends, a statement about all positions is true \
                 if each position has it whenever its options have it.\n\n"
            }
        }
    }
}

fn by_automaton(game: &Game, proof: &Proof) -> String {
    let numbers = match proof.automaton.numeration() {
        Numeration::Base(base) => format!("in base {base}, the most significant digit first"),
        Numeration::Ostrowski(_) => "in an Ostrowski numeration system".to_owned(),
    };
    let mut text = format!(
        "By {}. Positions are read as words of digits: the sizes of the heaps {numbers}. The \
         automaton: {}. The following statements about all sizes were decided by operations on \
         automata.\n{}",
        Method::of(proof).name(),
        escaped(&words::automaton(proof)),
        items(&proof.checked)
    );
    text.push_str(match proof.certificate {
        Some(_) => {
            "A certificate with the automaton was accepted by an independent checker, which shares \
             no code with the prover."
        }
        None => "There is no certificate of this proof.",
    });
    text.push_str(&drawn(game, proof));
    text
}

/// The automaton as a picture if it is small.
fn drawn(game: &Game, proof: &Proof) -> String {
    let of_heaps = matches!(
        proof.of,
        Set::PPositions | Set::PPositionsOfMoves | Set::Labelling
    );
    let is_small = proof.states <= STATES_DRAWN && game.heap_count() <= 4;
    if !of_heaps || !is_small {
        return String::new();
    }
    let Some(table) = table(game, &proof.automaton).filter(|t| t.states() <= STATES_DRAWN) else {
        return String::new();
    };
    let drawn = automaton::tikz(&game.heading(), &game.heap_names, &table);
    format!(
        " The automaton reads the digits of ({}):\n\\begin{{center}}\n{}\n\\end{{center}}",
        escaped(&game.heap_names.join(", ")),
        shrunk(&drawn)
    )
}

/// What is at most as wide as a line.
fn shrunk(written: &str) -> String {
    format!(
        "\\resizebox{{\\ifdim\\width>\\linewidth\\linewidth\\else\\width\\fi}}{{!}}{{%\n{written}}}"
    )
}

fn items(all: &[String]) -> String {
    if all.is_empty() {
        return String::new();
    }
    let items: String = all
        .iter()
        .map(|words| format!("\\item {}\n", prose(words)))
        .collect();
    format!("\\begin{{itemize}}\n{items}\\end{{itemize}}\n")
}

/// The examples of the file, each with whether it is right.
pub(crate) fn examples(session: &Session<'_>) -> Result<String, SolveError> {
    let game = session.game();
    let examples = game.examples.iter();
    let mut items = String::new();
    for example in examples.filter(|example| example.applies != Applies::Elsewhere) {
        let verdict = match session.example(example) {
            Ok(ExampleReport {
                contradiction: None,
                ..
            }) => String::new(),
            Ok(ExampleReport {
                contradiction: Some(why),
                ..
            }) => format!(" This is wrong: {}.", prose(&why)),
            Err(
                failure @ (SolveError::Time
                | SolveError::Memory { .. }
                | SolveError::Reals
                | SolveError::Open),
            ) => {
                format!(" This is not checked: {}.", prose(&failure.to_string()))
            }
            Err(failure) => return Err(failure),
        };
        items.push_str(&format!(
            "\\item \\texttt{{{}}}.{verdict}\n",
            escaped(&example.words)
        ));
    }
    if items.is_empty() {
        return Ok(items);
    }
    Ok(super::section(
        "Examples",
        &format!(
            "The examples are in the words of the rule file.\n\\begin{{itemize}}\n{items}\
             \\end{{itemize}}\n"
        ),
    ))
}
