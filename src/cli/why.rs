//! `why`: the reason for the outcome of a position. Each winning move, or the reply to
//! each move, and the claims of the file worked out at the position.

use super::answers::{Answers, MAX_OPTIONS, Turn};
use super::load::{self, Answered};
use super::text::{self, FAINT, STRONG};
use super::{Format, Shared, Status, json, partizan, progress, solve};
use clap::Args;
use nimrule_claim::worked::{DigitSum, Part, Value, Worked, worked};
use nimrule_claim::{ClaimEvaluator, Unanswered};
use nimrule_engine::{Outcome, Solver};
use nimrule_model::game::{Applies, Claim, Convention, Game, Side, Statement};
use serde_json::{Map, json};
use std::io::Write as _;

#[derive(Debug, Args)]
pub struct Arguments {
    /// The rule file, or - for standard input
    file: String,
    /// A position, such as '(3,4,5)', 3,4,5 or 'a=3 c=5'
    #[arg(required = true)]
    position: Vec<String>,
    /// Misere play: the player who cannot move wins
    #[arg(long)]
    misere: bool,
    /// The number of moves of the loser that are shown in a line of play, each with
    /// its reply
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = depth)]
    depth: usize,
    /// Show every move; otherwise the first 20 of each kind
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

/// The number of characters shown of a part that a move breaks.
const WORDS_SHOWN: usize = 40;

/// The number of lines of play with `--depth`, without `--all`.
const LINES_SHOWN: usize = 200;

pub fn run(arguments: &Arguments, shared: &Shared) -> Answered<Status> {
    let loaded = load::read(&arguments.file)?;
    let compiled = loaded.compiled(&load::settings(shared)?)?;
    let game = &compiled.game;
    let written = arguments.position.join(" ");
    let position = load::position(game, &written)?;
    let solver = Solver::new(game);
    refuse_blocking(game, "why")?;
    let convention = if arguments.misere {
        Convention::Misere
    } else {
        Convention::Normal
    };
    let mut answers = Answers::new(&solver, convention, &shared.limits());
    let reasons = Reasons {
        bound: if arguments.all {
            usize::MAX
        } else {
            MOVES_SHOWN
        },
    };
    let shown = reasons
        .of(&mut answers, &position, arguments.depth)
        .map_err(|unanswered| {
            load::dismissed(&unanswered.dismissed);
            load::failed(&unanswered.failure, &solver, None)
        })?;
    let mut out = progress::stdout();
    let written = match shared.format {
        Format::Json => {
            let mut head = json::head(game);
            head.extend(shown.in_json(game, convention));
            writeln!(out, "{}", serde_json::Value::from(head))
        }
        Format::Text | Format::Csv => {
            let bound = if arguments.all {
                usize::MAX
            } else {
                LINES_SHOWN
            };
            let heading = text::wrapped(&text::heading(game), 78, 0);
            write!(
                out,
                "{STRONG}{heading}{STRONG:#}\n\n{}",
                shown.in_text(game, convention, bound)
            )
        }
    };
    solve::finish(written)
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

/// How reasons are looked for.
pub struct Reasons {
    /// The largest number of moves of one position.
    pub bound: usize,
}

/// The reason for the outcome of a position.
pub struct Why {
    position: Vec<u64>,
    outcome: Outcome,
    /// The answer with each player to move, as `solve` shows it; empty in impartial
    /// games whose play ends.
    headline: &'static str,
    /// What the outcome rests on, if not on a search.
    basis: Option<(String, String)>,
    /// The claims that agree with the outcome, worked out.
    claims: Vec<(String, Worked)>,
    /// For each player to move; one entry in an impartial game.
    sides: Vec<OfSide>,
}

/// What one player to move achieves, with the moves that show it.
struct OfSide {
    side: Option<Side>,
    turn: Turn,
    moves: Vec<Move>,
    /// The moves that are not in `moves`.
    omitted: usize,
    /// Whether there may be more moves than that.
    more: bool,
}

/// A move, with what it leads to.
struct Move {
    to: Vec<u64>,
    words: String,
    /// The number of moves that are the same up to the symmetries of the rule, itself
    /// included.
    alike: usize,
    /// What the opponent achieves after it.
    leaves: Turn,
    /// The reply that wins, with its words and what follows it.
    reply: Option<(Vec<u64>, String, Option<Box<OfSide>>)>,
    /// The part of the first claim that changes its value.
    breaks: Option<String>,
}

impl Reasons {
    /// Finds the reason for the outcome of a position.
    pub fn of(
        &self,
        answers: &mut Answers<'_, '_>,
        position: &[u64],
        depth: usize,
    ) -> Result<Why, Unanswered> {
        let game = answers.game();
        let answered = answers.at(position)?;
        let claims = agreeing_claims(game, answers.convention, position, answered.answer.outcome);
        let sides: &[Option<Side>] = if game.has_sides() {
            &[Some(Side::Left), Some(Side::Right)]
        } else {
            &[None]
        };
        let mut found = Vec::new();
        for side in sides {
            found.push(self.of_side(answers, position, *side, depth, claims.first())?);
        }
        let basis = answered.basis.as_ref();
        Ok(Why {
            position: position.to_vec(),
            outcome: answered.answer.outcome,
            headline: partizan::headline(answered.answer.outcome, answered.answer.by_side.as_ref()),
            basis: basis.map(|basis| (basis.claim.clone(), basis.extent())),
            claims: claims
                .into_iter()
                .map(|(claim, worked)| (claim.words.clone(), worked))
                .collect(),
            sides: found,
        })
    }

    fn of_side(
        &self,
        answers: &mut Answers<'_, '_>,
        position: &[u64],
        side: Option<Side>,
        depth: usize,
        claim: Option<&(&Claim, Worked)>,
    ) -> Result<OfSide, Unanswered> {
        let turn = answers.turn(position, side)?;
        let game = answers.game();
        if turn != Turn::Loses {
            let best = answers.best(position, side)?;
            let answered = answers.at(position)?;
            let moves = best.iter().take(self.bound).map(|to| Move {
                words: answers.words(position, to),
                alike: 1,
                leaves: match turn {
                    Turn::Draws => Turn::Draws,
                    _ => Turn::Loses,
                },
                reply: None,
                breaks: None,
                to: to.clone(),
            });
            return Ok(OfSide {
                side,
                turn,
                moves: moves.collect(),
                omitted: best.len().saturating_sub(self.bound),
                more: answered.unfinished.is_some() || answered.more_may_win,
            });
        }
        let options = answers.options(position, side)?;
        let classes = answers.classes(&options.list);
        let opponent = side.map(Side::other);
        let mut moves = Vec::new();
        for (to, alike) in classes.iter().take(self.bound) {
            let reply = match answers.best(to, opponent)?.into_iter().next() {
                None => None,
                Some(reply) => {
                    let words = answers.words(to, &reply);
                    let then = if depth > 1 {
                        let then = self.of_side(answers, &reply, side, depth - 1, None)?;
                        Some(Box::new(then))
                    } else {
                        None
                    };
                    Some((reply, words, then))
                }
            };
            moves.push(Move {
                words: answers.words(position, to),
                alike: *alike,
                leaves: answers.turn(to, opponent)?,
                reply,
                breaks: claim.and_then(|(claim, before)| broken(game, claim, before, to)),
                to: to.clone(),
            });
        }
        let omitted = classes.iter().skip(self.bound).map(|(_, alike)| alike);
        Ok(OfSide {
            side,
            turn,
            moves,
            omitted: omitted.sum(),
            more: !options.all,
        })
    }
}

/// The claims about this convention that agree with an outcome, worked out at the
/// position. A claim that has no value there is omitted.
fn agreeing_claims<'g>(
    game: &'g Game,
    convention: Convention,
    position: &[u64],
    outcome: Outcome,
) -> Vec<(&'g Claim, Worked)> {
    let mut found = Vec::new();
    for claim in &game.claims {
        if claim.convention != convention
            || claim.applies == Applies::Elsewhere
            || claim.refuted.is_some()
        {
            continue;
        }
        let Some(statement) = &claim.statement else {
            continue;
        };
        let agrees = match statement {
            Statement::Outcome { .. } => ClaimEvaluator::new(game)
                .contradiction(statement, position, outcome, None)
                .is_ok_and(|found| found.is_none()),
            Statement::Grundy(_) => true,
            _ => false,
        };
        let Ok(Some(worked)) = worked(game, claim, position) else {
            continue;
        };
        let agrees = agrees
            && match worked.value {
                Value::Number(value) => (value == 0) == (outcome == Outcome::P),
                Value::Truth(_) => true,
            };
        if agrees {
            found.push((claim, worked));
        }
    }
    found
}

/// The first smallest part of a claim that held before a move and does not hold after.
fn broken(game: &Game, claim: &Claim, before: &Worked, to: &[u64]) -> Option<String> {
    if before.value == Value::Truth(false) {
        return None;
    }
    let after = worked(game, claim, to).ok()??;
    if let (Value::Number(before), Value::Number(after)) = (before.value, after.value) {
        return (before != after).then(|| format!("the value is {after}, not {before}"));
    }
    if after.value == Value::Truth(true) {
        return None;
    }
    let parts = &after.parts;
    let smallest = parts.iter().enumerate().find(|(place, part)| {
        let is_last = parts
            .get(place + 1)
            .is_none_or(|next| next.depth <= part.depth);
        is_last && part.value == Value::Truth(false)
    })?;
    let part = smallest.1;
    let mut words: String = part.words.chars().take(WORDS_SHOWN).collect();
    if words.len() < part.words.len() {
        words.push('…');
    }
    Some(match part.sides {
        Some((left, right)) => format!("`{words}`: {left} and {right}"),
        None => format!("`{words}`"),
    })
}

impl Why {
    /// The reason as text, at most `bound` lines of play.
    pub fn in_text(&self, game: &Game, convention: Convention, bound: usize) -> String {
        let play = match convention {
            Convention::Normal => "",
            Convention::Misere => " under misere play",
        };
        let mut shown = format!(
            "  {}\n  {STRONG}{}{STRONG:#}{play}\n",
            text::position(game, &self.position),
            self.headline
        );
        if let Some((claim, extent)) = &self.basis {
            let rests = format!("this rests on the claim `{claim}`, which {extent}");
            shown.push_str(&format!("  {}\n", text::wrapped(&rests, 76, 2)));
        }
        let mut sums = Vec::new();
        for (claim, worked) in &self.claims {
            shown.push_str(&claim_text(game, claim, worked, &mut sums));
        }
        let mut lines = bound;
        for side in &self.sides {
            shown.push_str(&format!("\n  {}\n", side.summary()));
            side.in_text(game, 4, &mut lines, &mut shown);
        }
        shown
    }

    /// The fields of the reason in JSON.
    pub fn in_json(&self, game: &Game, convention: Convention) -> Map<String, serde_json::Value> {
        let mut fields = Map::new();
        fields.insert("convention".into(), json!(convention.word()));
        fields.insert("position".into(), json::position(game, &self.position));
        fields.insert("outcome".into(), json!(self.outcome.to_string()));
        if let Some((claim, extent)) = &self.basis {
            fields.insert("basis".into(), json!(extent));
            fields.insert("claim".into(), json!(claim));
        }
        let claims = self.claims.iter().map(|(claim, worked)| {
            let parts: Vec<_> = worked.parts.iter().map(part_in_json).collect();
            let image = worked.image.as_ref();
            json!({
                "claim": claim,
                "value": value_in_json(worked.value),
                "image": image.map(|image| json::position(game, image)),
                "parts": parts,
            })
        });
        fields.insert("claims".into(), claims.collect());
        let sides: Vec<_> = self.sides.iter().map(|side| side.in_json(game)).collect();
        fields.insert("to_move".into(), sides.into());
        fields
    }
}

fn value_in_json(value: Value) -> serde_json::Value {
    match value {
        Value::Truth(truth) => json!(truth),
        Value::Number(number) => json!(number),
    }
}

fn part_in_json(part: &Part) -> serde_json::Value {
    let sums = part.digit_sums.iter().map(|sum| {
        let terms = sum.terms.iter();
        let terms: Vec<_> = terms
            .map(|(words, value)| json!({"term": words, "value": value}))
            .collect();
        json!({"base": sum.base, "modulus": sum.modulus, "terms": terms, "sum": sum.sum})
    });
    json!({
        "depth": part.depth,
        "words": part.words,
        "value": value_in_json(part.value),
        "sides": part.sides.map(|(left, right)| [left, right]),
        "sums": sums.collect::<Vec<_>>(),
    })
}

impl Turn {
    fn word(self) -> &'static str {
        match self {
            Turn::Wins => "wins",
            Turn::Loses => "loses",
            Turn::Draws => "draws",
        }
    }
}

impl OfSide {
    /// Who is to move, the outcome and the number of moves.
    fn summary(&self) -> String {
        let who = match self.side {
            Some(side) => format!("{} to move", side.name()),
            None => "The player to move".to_owned(),
        };
        let counted = self.moves.iter().map(|m| m.alike).sum::<usize>() + self.omitted;
        let least = if self.more { "at least " } else { "" };
        let count = text::grouped(counted as u128);
        match (self.turn, counted) {
            (Turn::Wins, 0) if !self.more => format!("{who} wins: no move is left"),
            (Turn::Wins, 1) => {
                format!("{who} wins by {least}one move, which leaves a lost position")
            }
            (Turn::Wins, _) => {
                format!("{who} wins by {least}{count} moves, which leave lost positions")
            }
            (Turn::Draws, 1) => format!("{who} draws by {least}one move"),
            (Turn::Draws, _) => format!("{who} draws by {least}{count} moves"),
            (Turn::Loses, 0) => format!("{who} loses: there is no move"),
            (Turn::Loses, 1) => format!("{who} loses: the opponent wins after the only move"),
            (Turn::Loses, _) if self.more => {
                format!("{who} loses; of the first {MAX_OPTIONS} moves")
            }
            (Turn::Loses, _) => {
                format!("{who} loses: the opponent wins after each of {count} moves")
            }
        }
    }

    fn in_text(&self, game: &Game, indent: usize, lines: &mut usize, shown: &mut String) {
        let margin = " ".repeat(indent);
        for (place, one) in self.moves.iter().enumerate() {
            if *lines == 0 {
                let left = self.moves.len() - place + self.omitted;
                shown.push_str(&format!("{margin}{left} more; `--all` shows them\n"));
                return;
            }
            *lines -= 1;
            let mut line = format!("{}: {}", text::position(game, &one.to), one.words);
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
                Some((to, words, then)) => {
                    let line = format!("reply {}: {words}", text::position(game, to));
                    let line = text::wrapped(&line, width - 2, indent + 6);
                    shown.push_str(&format!("{margin}  {FAINT}{line}{FAINT:#}\n"));
                    if let Some(then) = then {
                        then.in_text(game, indent + 4, lines, shown);
                    }
                }
                None if self.turn == Turn::Loses => {
                    shown.push_str(&format!(
                        "{margin}  {FAINT}no move is left, and that wins{FAINT:#}\n"
                    ));
                }
                None => {}
            }
        }
        if self.omitted > 0 {
            let omitted = text::grouped(self.omitted as u128);
            shown.push_str(&format!("{margin}{omitted} more; `--all` shows them\n"));
        }
    }

    fn in_json(&self, game: &Game) -> serde_json::Value {
        let moves = self.moves.iter().map(|one| {
            let reply = one.reply.as_ref().map(|(to, words, then)| {
                json!({
                    "to": json::position(game, to),
                    "words": words,
                    "then": then.as_ref().map(|then| then.in_json(game)),
                })
            });
            json!({
                "to": json::position(game, &one.to),
                "words": one.words,
                "alike": one.alike,
                "leaves": one.leaves.word(),
                "reply": reply,
                "breaks": one.breaks,
            })
        });
        json!({
            "side": self.side.map(Side::name),
            "result": self.turn.word(),
            "moves": moves.collect::<Vec<_>>(),
            "omitted": self.omitted,
            "complete": !self.more,
        })
    }
}

/// A claim worked out, as text. Sums without carry that are among `shown_sums` are not
/// shown again.
fn claim_text<'w>(
    game: &Game,
    claim: &str,
    worked: &'w Worked,
    shown_sums: &mut Vec<&'w DigitSum>,
) -> String {
    let truth = match worked.value {
        Value::Truth(true) => "the condition holds".to_owned(),
        Value::Truth(false) => "the condition does not hold".to_owned(),
        Value::Number(value) => format!("the value is {value}"),
    };
    let head = format!("claim {claim}: {truth}");
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
        if let Some((left, right)) = part.sides {
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
