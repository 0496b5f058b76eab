//! Answers as LaTeX, to be put into a document with `amsmath`, `amssymb` and `booktabs`.

use nimrule_answer::{Answer, ClaimReport, Evidence, Extent, Position, Verdict, words};
use nimrule_engine::{BySide, Outcome};
use nimrule_model::game::{Convention, Game};
use nimrule_model::latex::{escaped, prose, tabular};
use nimrule_syntax::{ast, claim_as_latex, expression_as_latex, notation, parse_condition};

/// A comment that says what follows.
pub fn comment(game: &Game, what: &str) -> String {
    titled(&game.heading(), what)
}

/// A comment with a title of its own.
pub fn titled(title: &str, what: &str) -> String {
    format!("% {}: {what} by nimrule\n", escaped(title))
}

/// A position as text.
pub fn position(game: &Game, position: &Position) -> String {
    escaped(&words::position(game, position))
}

/// A paragraph of prose in which code is in backticks.
pub fn paragraph(text: &str) -> String {
    format!("{}\n", prose(text))
}

/// A list; empty without items. The items are LaTeX already.
pub fn items(all: &[String]) -> String {
    if all.is_empty() {
        return String::new();
    }
    let items: String = all.iter().map(|item| format!("\\item {item}\n")).collect();
    format!("\\begin{{itemize}}\n{items}\\end{{itemize}}\n")
}

/// A table of texts; `spec` has a letter or a `p{…}` for each column.
pub fn table(spec: &str, columns: &[&str], rows: &[Vec<String>]) -> String {
    let columns: Vec<String> = columns.iter().map(|column| escaped(column)).collect();
    let rows = rows.iter().map(|row| {
        let cells = row.iter().map(|cell| prose(cell));
        cells.collect()
    });
    let rows: Vec<Vec<String>> = rows.collect();
    tabular(spec, &columns, &rows)
}

/// A condition or a number in the language, typeset in math mode; as it is written if it
/// cannot be read.
pub fn formula(written: &str) -> String {
    match parse_condition(written) {
        Ok(expr) => format!("${}$", expression_as_latex(&expr)),
        Err(_) => format!("\\texttt{{{}}}", escaped(written)),
    }
}

/// A claim in the language, typeset in math mode; as it is written if it cannot be read.
pub fn claim(written: &str) -> String {
    let parsed = nimrule_syntax::parse(&format!("claim {written}"));
    match parsed.file.statements.first().map(|first| &first.node) {
        Some(ast::Statement::Claim(claim)) => format!("${}$", claim_as_latex(claim)),
        _ => format!("\\texttt{{{}}}", escaped(written)),
    }
}

/// A line that explains the signs of a text that differ from common usage.
pub fn notation_of(shown: &str) -> String {
    let meanings: Vec<String> = notation(shown)
        .into_iter()
        .map(|(sign, meaning)| format!("${sign}$: {meaning}"))
        .collect();
    match meanings.is_empty() {
        true => String::new(),
        false => format!("Notation: {}.\n", meanings.join("; ")),
    }
}

/// The convention, as the end of a sentence.
pub fn play(convention: Convention) -> &'static str {
    match convention {
        Convention::Normal => "",
        Convention::Misere => " under mis\\`ere play",
    }
}

/// The outcome in words, with its article.
pub fn headline<M>(outcome: Outcome, turns: Option<&BySide<M>>) -> String {
    let article = match outcome {
        Outcome::N | Outcome::L | Outcome::R => "an",
        Outcome::P | Outcome::D => "a",
    };
    format!("{article} {}", escaped(words::headline(outcome, turns)))
}

/// An answer about a position: who wins, the value, the moves, and what that rests on.
pub fn answer(game: &Game, answer: &Answer) -> String {
    let at = &answer.position;
    let mut shown = format!(
        "The position {} is {}{}.\n",
        position(game, at),
        headline(answer.outcome, answer.by_side.as_ref()),
        play(answer.convention)
    );
    if let Some(grundy) = answer.grundy {
        shown.push_str(&format!("Its Grundy value is ${grundy}$.\n"));
    }
    if let Some(options) = &answer.loopy {
        let options: Vec<String> = options.iter().map(u64::to_string).collect();
        let options = options.join(", ");
        shown.push_str(&format!(
            "Its Grundy value is $\\infty\\{{{options}\\}}$.\n"
        ));
    }
    if let Some(turns) = &answer.by_side {
        shown.push_str(&by_side(turns, &|to: &Vec<u64>| {
            let to = Position::from(to.as_slice());
            [words::position(game, &to), words::change(game, at, &to)]
        }));
    } else if answer.outcome == Outcome::N {
        let rows: Vec<Vec<String>> = (answer.moves.found.iter())
            .map(|to| vec![words::position(game, to), words::change(game, at, to)])
            .collect();
        shown.push_str(&winning_moves(
            &["option", "move"],
            &rows,
            &answer.moves.extent,
        ));
    }
    let basis = words::basis(&answer.basis);
    let basis = match words::extent(&answer.basis) {
        _ if answer.basis.claim().is_none() => basis,
        extent => format!("{basis}, {extent}"),
    };
    shown.push_str(&paragraph(&format!("The answer is by {basis}.")));
    shown
}

/// Which of all winning moves are given, and the moves.
pub fn winning_moves(columns: &[&str], rows: &[Vec<String>], extent: &Extent) -> String {
    let which = match (extent, rows.len()) {
        (Extent::All | Extent::OneForEachSelection, 0) => {
            return "No move is left, and the player to move wins.\n".to_owned();
        }
        (_, 0) => return "No winning move was found.\n".to_owned(),
        (Extent::All, _) => "The winning moves:",
        (Extent::OneForEachSelection, _) => {
            "The winning moves, at most one for each choice of heaps:"
        }
        (Extent::Some | Extent::Unfinished(_), _) => "Some winning moves; there may be more:",
    };
    format!(
        "{which}\n\n{}\n",
        table(&"l".repeat(columns.len()), columns, rows)
    )
}

/// What each player achieves, and the moves that preserve it.
pub fn by_side<M>(turns: &BySide<M>, shown_as: &dyn Fn(&M) -> [String; 2]) -> String {
    let mut rows = Vec::new();
    for (side, turn) in turns.each() {
        let who = side
            .map_or("the player to move", |side| side.name())
            .to_owned();
        let result = words::result(turn).to_owned();
        let length = |moves: Option<u32>| moves.map_or_else(String::new, |moves| moves.to_string());
        if turn.moves.is_empty() {
            let none = String::new();
            rows.push(vec![
                who,
                result,
                length(turn.label.remoteness()),
                none.clone(),
                none,
            ]);
            continue;
        }
        for (made, moves) in &turn.moves {
            let [to, change] = shown_as(made);
            rows.push(vec![
                who.clone(),
                result.clone(),
                length(*moves),
                to,
                change,
            ]);
        }
    }
    format!(
        "The results by the player who moves, with the moves that preserve them:\n\n{}\n",
        table(
            "llrll",
            &["to move", "result", "length", "option", "move"],
            &rows
        )
    )
}

/// Claims with their verdicts as a list, and the notation.
pub fn claims<'r>(
    game: &Game,
    file: &ast::File,
    reports: impl IntoIterator<Item = &'r ClaimReport>,
) -> String {
    let claims = file.statements.iter().filter_map(|s| match &s.node {
        ast::Statement::Claim(claim) => Some(claim),
        _ => None,
    });
    let written: Vec<String> = claims.map(claim_as_latex).collect();
    let mut shown = String::new();
    for report in reports {
        let verdict = match &report.verdict {
            // Without a certificate it is proved as well.
            Verdict::Proved(Evidence::Automaton(proof)) => {
                format!("proved for all heap sizes: {}", words::automaton(proof))
            }
            Verdict::Proved(Evidence::AnyNumber(_)) => "proved for any number of heaps".to_owned(),
            Verdict::Proved(Evidence::Reals(_)) => "proved for all real heap sizes".to_owned(),
            Verdict::Unsupported(unsupported) => format!("unsupported: {}", unsupported.what),
            // A claim that fails is refuted here.
            Verdict::Refuted(_) | Verdict::RefutedOfReals(_) => {
                format!("refuted {}", report.words(game))
            }
            _ => format!("{} {}", report.sign(), report.words(game)),
        };
        // The number of the claim in the file.
        let claim = written.get(report.number - 1).cloned().unwrap_or_default();
        shown.push_str(&format!(
            "\\item[{}.] $\\displaystyle {claim}$\\\\\n  {}\n",
            report.number,
            prose(&verdict)
        ));
    }
    if shown.is_empty() {
        return shown;
    }
    let list = format!("\\begin{{enumerate}}\n{shown}\\end{{enumerate}}\n");
    let notation = notation_of(&list);
    list + &notation
}
