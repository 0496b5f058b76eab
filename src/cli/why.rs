//! `why`: the reason for the outcome of a position. Each winning move, or the reply to
//! each move, and the claims of the file worked out at the position.

use super::asked::{Asked, Under};
use super::load::{self, Answered};
use super::text::{self, FAINT, STRONG};
use super::{Format, Shared, Status, json, latex, progress};
use clap::Args;
use nimrule_answer::{
    Basis, Position, Reason, ReasonBounds, ReasonOfSide, Turn, WorkedClaim, words,
};
use nimrule_claim::worked::{DigitSum, Value};
use nimrule_model::game::Game;
use nimrule_model::latex::{escaped, prose};
use std::io::Write as _;

#[derive(Debug, Args)]
pub struct Arguments {
    #[command(flatten)]
    asked: Asked,
    /// A position, such as '(3,4,5)', 3,4,5 or 'a=3 c=5' [default: the file's `start`]
    position: Vec<String>,
    #[command(flatten)]
    under: Under,
    /// The number of moves of the loser that are shown in a line of play, each with
    /// its reply
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = depth)]
    depth: usize,
    /// Show every move, also those like others by a symmetry; otherwise the first 20
    #[arg(long)]
    all: bool,
}

fn depth(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(depth @ 1..=100) => Ok(depth),
        _ => Err("give a number from 1 to 100".to_owned()),
    }
}

/// The number of moves shown of one position, without `--all`.
const MOVES_SHOWN: usize = 20;

/// The number of lines of play with `--depth`, without `--all`.
const LINES_SHOWN: usize = 200;

pub fn run(arguments: &Arguments, shared: &Shared) -> Answered<Status> {
    let written = arguments.position.join(" ");
    let rule = arguments.asked.open_at(shared, &written)?;
    let (game, session) = (rule.game(), rule.session());
    let position = match (written.as_str(), &game.presentation.start) {
        ("", Some(start)) => Position::from(start.as_slice()),
        ("", None) => {
            return Err(load::wrong(
                "`why` explains a position: give one, or let the file name a `start`",
            ));
        }
        (written, _) => load::position(&session, written)?,
    };
    refuse_blocking(game, "why")?;
    let convention = arguments.under.convention;
    let bounds = ReasonBounds {
        moves: if arguments.all {
            usize::MAX
        } else {
            MOVES_SHOWN
        },
        depth: arguments.depth,
        each: arguments.all,
    };
    let reason = session
        .reason(&position, convention, bounds)
        .map_err(|unanswered| load::no_answer(&session, &unanswered))?;
    let mut out = progress::stdout();
    let written = match shared.format {
        Format::Json => {
            let mut head = json::head(game);
            head.extend(reason.as_json(game));
            writeln!(out, "{}", serde_json::Value::from(head))
        }
        Format::Latex => {
            let head = latex::comment(game, "why a position is won or lost");
            write!(out, "{head}{}", in_latex(game, &reason))
        }
        Format::Text | Format::Csv => {
            let lines = if arguments.all {
                usize::MAX
            } else {
                LINES_SHOWN
            };
            let heading = text::wrapped(&game.heading(), 78, 0);
            let shown = in_text(game, &reason, lines, "`--all`");
            write!(out, "{STRONG}{heading}{STRONG:#}\n\n{shown}")
        }
    };
    load::finish(written)
}

/// Refuses games in which the opponent may block options: a reason would name the
/// blocked options too.
pub fn refuse_blocking(game: &Game, verb: &str) -> Answered<()> {
    match game.blocked_options {
        0 => Ok(()),
        _ => Err(load::wrong(&format!(
            "`{verb}` does not handle `opponent may block`; `solve` gives the outcome and the \
             moves that win whatever is blocked"
        ))),
    }
}

/// The reason as text, at most this many lines of play; `all` is what shows all moves.
pub fn in_text(game: &Game, reason: &Reason, mut lines: usize, all: &str) -> String {
    let answer = &reason.answer;
    let play = words::play(answer.convention);
    let headline = words::headline(answer.outcome, answer.by_side.as_ref());
    let mut shown = format!(
        "  {}\n  {STRONG}{headline}{STRONG:#}{play}\n",
        words::position(game, &answer.position)
    );
    // A claim that is worked out below is named by its number.
    let listed = answer.basis.claim().and_then(|words| {
        let mut claims = reason.claims.iter();
        claims.find(|claim| claim.words == words)
    });
    let by = match listed {
        Some(claim) => format!("claim {} of the file", claim.number),
        None => words::basis(&answer.basis),
    };
    let rests = match &answer.basis {
        Basis::Engine(_) => None,
        Basis::Proof(_) if listed.is_none() => Some(format!("by {by}")),
        basis => Some(format!("this rests on {by}, {}", words::extent(basis))),
    };
    if let Some(rests) = rests {
        shown.push_str(&format!("  {}\n", text::wrapped(&rests, 76, 2)));
    }
    let mut sums = Vec::new();
    for claim in &reason.claims {
        shown.push_str(&claim_text(game, claim, &mut sums));
    }
    if let Some(sum) = &reason.heaps {
        shown.push_str(&format!("\n  {SUM_OF_HEAPS}:\n{}", columns(sum, 11)));
    }
    for side in &reason.sides {
        shown.push_str(&format!("\n  {}\n", side.summary()));
        moves(game, side, 4, (&mut lines, all), &mut shown);
        if side.moves.iter().any(|one| one.alike > 1) {
            shown.push_str(&format!(
                "    Moves that are like another by a symmetry: {all} shows them\n"
            ));
        }
    }
    shown
}

/// What the Grundy values of the heaps say.
const SUM_OF_HEAPS: &str =
    "Each move changes one heap. The nim-sum of the Grundy values of the heaps";

/// The reason as LaTeX: the answer, the claims worked out, and the moves with their replies.
fn in_latex(game: &Game, reason: &Reason) -> String {
    let answer = &reason.answer;
    let mut shown = format!(
        "The position {} is {}{}.\n",
        latex::position(game, &answer.position),
        latex::headline(answer.outcome, answer.by_side.as_ref()),
        latex::play(answer.convention)
    );
    if !matches!(answer.basis, Basis::Engine(_)) {
        let rests = format!(
            "This rests on {}, {}.",
            words::basis(&answer.basis),
            words::extent(&answer.basis)
        );
        shown.push_str(&latex::paragraph(&rests));
    }
    for claim in &reason.claims {
        let worked = &claim.worked;
        let rows: Vec<Vec<String>> = (worked.parts.iter())
            .map(|part| {
                let sides = part.shown_sides(game);
                let sides =
                    sides.map_or_else(String::new, |(left, right)| format!("{left} and {right}"));
                vec![part.words.clone(), worked_value(&part.value), sides]
            })
            .collect();
        shown.push_str(&format!(
            "\n\\noindent Claim {}, \\texttt{{{}}}, at this position: {}.\n\n",
            claim.number,
            escaped(&claim.words),
            worked_value(&worked.value)
        ));
        if !rows.is_empty() {
            let columns = ["part", "value", "its two sides"];
            shown.push_str(&latex::table("p{0.5\\linewidth}ll", &columns, &rows));
        }
    }
    if let Some(sum) = &reason.heaps {
        let rows = (sum.terms.iter())
            .map(|(words, value)| vec![words.clone(), value.to_string()])
            .chain([vec!["nim-sum".to_owned(), sum.sum.to_string()]])
            .collect::<Vec<_>>();
        shown.push_str(&format!("\n\\noindent {}:\n\n", prose(SUM_OF_HEAPS)));
        shown.push_str(&latex::table("lr", &["heap", "Grundy value"], &rows));
    }
    for side in &reason.sides {
        shown.push_str(&format!("\n\\noindent {}:\n\n", escaped(&side.summary())));
        shown.push_str("\\begin{flushleft}\n");
        latex_moves(game, side, 1, &mut shown);
        shown.push_str("\\end{flushleft}\n");
    }
    shown
}

/// The value of a claim or of a part of it, in a word.
fn worked_value(value: &Value) -> String {
    match value {
        Value::Truth(true) => "true".to_owned(),
        Value::Truth(false) => "false".to_owned(),
        Value::Number(value) => value.to_string(),
    }
}

/// The moves as lines that are indented by their depth: lists in LaTeX may only be nested
/// four deep.
fn latex_moves(game: &Game, of: &ReasonOfSide, depth: usize, shown: &mut String) {
    let line = |words: &str| {
        let words = words.split_whitespace().collect::<Vec<_>>().join(" ");
        format!("\\hspace*{{{depth}em}}{}\\\\\n", prose(&words))
    };
    for one in &of.moves {
        let mut words = format!("{}: {}", words::position(game, &one.to), one.words);
        if one.alike > 1 {
            words.push_str(&format!("; {} like it", one.alike - 1));
        }
        if let Some(breaks) = &one.breaks {
            words.push_str(&format!("; breaks {breaks}"));
        }
        match &one.reply {
            Some((to, reply, _)) => {
                words.push_str(&format!("; reply {}: {reply}", words::position(game, to)));
            }
            None if of.turn == Turn::Loses => words.push_str("; no move is left, and that wins"),
            None => {}
        }
        shown.push_str(&line(&words));
        if let Some((_, _, Some(then))) = &one.reply {
            latex_moves(game, then, depth + 2, shown);
        }
    }
    if of.omitted > 0 {
        let omitted = text::grouped(of.omitted as u128);
        shown.push_str(&line(&format!("{omitted} more; `--all` shows them")));
    }
}

fn moves(
    game: &Game,
    of: &ReasonOfSide,
    indent: usize,
    (lines, all): (&mut usize, &str),
    shown: &mut String,
) {
    let margin = " ".repeat(indent);
    for (place, one) in of.moves.iter().enumerate() {
        if *lines == 0 {
            let left = of.moves.len() - place + of.omitted;
            shown.push_str(&format!("{margin}{left} more; {all} shows them\n"));
            return;
        }
        *lines -= 1;
        let mut line = format!("{}: {}", words::position(game, &one.to), one.words);
        if one.alike > 1 {
            line.push_str(&format!("; {} like it", one.alike - 1));
        }
        if let Some(breaks) = &one.breaks {
            line.push_str(&format!("; breaks {breaks}"));
        }
        let width = 78_usize.saturating_sub(indent).max(30);
        let line = text::wrapped(&line, width, indent + 4);
        shown.push_str(&format!("{margin}{line}\n"));
        match &one.reply {
            Some((to, reply, then)) => {
                let line = format!("reply {}: {reply}", words::position(game, to));
                let line = text::wrapped(&line, width - 2, indent + 6);
                shown.push_str(&format!("{margin}  {FAINT}{line}{FAINT:#}\n"));
                if let Some(then) = then {
                    moves(game, then, indent + 4, (&mut *lines, all), shown);
                }
            }
            None if of.turn == Turn::Loses => {
                shown.push_str(&format!(
                    "{margin}  {FAINT}no move is left, and that wins{FAINT:#}\n"
                ));
            }
            None => {}
        }
    }
    if of.omitted > 0 {
        let omitted = text::grouped(of.omitted as u128);
        shown.push_str(&format!("{margin}{omitted} more; {all} shows them\n"));
    }
}

/// A claim worked out, as text. Sums without carry that are among `shown_sums` are not
/// shown again.
fn claim_text<'w>(
    game: &Game,
    claim: &'w WorkedClaim,
    shown_sums: &mut Vec<&'w DigitSum>,
) -> String {
    let worked = &claim.worked;
    let truth = match worked.value {
        Value::Truth(true) => "the condition holds".to_owned(),
        Value::Truth(false) => "the condition does not hold".to_owned(),
        Value::Number(value) => format!("the value is {value}"),
    };
    let head = format!("claim {}, {}: {truth}", claim.number, claim.words);
    let mut shown = format!("\n  {}\n", text::wrapped(&head, 76, 4));
    if let Some(image) = &worked.image {
        shown.push_str(&format!("    of the image {}\n", game.shown(image)));
    }
    for part in &worked.parts {
        let margin = " ".repeat(4 + 2 * part.depth.min(10));
        let mut line = match part.value {
            Value::Truth(true) => format!("true   {}", part.words),
            Value::Truth(false) => format!("false  {}", part.words),
            Value::Number(value) => format!("{value}  {}", part.words),
        };
        if let Some((left, right)) = part.shown_sides(game) {
            line.push_str(&format!(": {left} and {right}"));
        }
        let line = text::wrapped(&line, 78 - margin.len(), margin.len() + 7);
        shown.push_str(&format!("{margin}{line}\n"));
        for sum in &part.digit_sums {
            if shown_sums.contains(&sum) {
                continue;
            }
            shown_sums.push(sum);
            shown.push_str(&columns(sum, margin.len() + 7));
        }
    }
    shown
}

/// A sum without carry with its digits in columns, the sum below a line.
fn columns(sum: &DigitSum, indent: usize) -> String {
    let in_digits = |value: i64| {
        let sign = if value < 0 { "-" } else { "" };
        let mut rest = value.unsigned_abs();
        let base = sum.base.unsigned_abs().max(2);
        let mut digits = Vec::new();
        while digits.is_empty() || rest > 0 {
            digits.push(rest % base);
            rest /= base;
        }
        let separator = if base > 10 { "." } else { "" };
        let digits: Vec<String> = digits.iter().rev().map(u64::to_string).collect();
        format!("{sign}{}", digits.join(separator))
    };
    let rows: Vec<(&str, String, String)> = (sum.terms.iter())
        .map(|(words, value)| (words.as_str(), value.to_string(), in_digits(*value)))
        .chain([("", sum.sum.to_string(), in_digits(sum.sum))])
        .collect();
    let width = |of: fn(&(&str, String, String)) -> usize| rows.iter().map(of).max().unwrap_or(0);
    let names = width(|row| row.0.chars().count()).min(30);
    let numbers = width(|row| row.1.len());
    let digits = width(|row| row.2.len());
    let margin = " ".repeat(indent);
    let mut shown = String::new();
    for (place, (words, number, in_base)) in rows.iter().enumerate() {
        if place + 1 == rows.len() {
            let line = "-".repeat(digits);
            let before = " ".repeat(names + numbers + 4);
            shown.push_str(&format!("{margin}{before}{line}\n"));
        }
        let words: String = words.chars().take(names).collect();
        shown.push_str(&format!(
            "{margin}{words:names$}  {number:>numbers$}  {in_base:0>digits$}\n"
        ));
    }
    shown
}
