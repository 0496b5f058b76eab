//! The report of `discover`, as text, as JSON and as LaTeX.

use crate::cli::text::{self, BAD, FAINT, GOOD, STRONG};
use crate::cli::{json, latex};
use nimrule_answer::proof::{
    Attempt, AttemptFailure, Goal, Numeration, Origin, ProofOrigin, Source,
};
use nimrule_answer::words::numeration;
use nimrule_answer::{Discovered, DiscoveredSet, DiscoveredTheorem, OpenConjectures, words};
use nimrule_limits::LimitExceeded;
use nimrule_model::game::{Convention, Game};
use nimrule_model::latex::prose;
use serde_json::{Map, Value, json};
use std::path::Path;

pub(super) const FOUND: &str = "found and proved";
const CACHED: &str = "cached";

/// The game and its sources.
pub(super) fn head(game: &Game) -> String {
    let mut shown = format!("{STRONG}{}{STRONG:#}\n", game.heading());
    for source in &game.presentation.sources {
        let source = text::wrapped(source, 78, 0);
        shown.push_str(&format!("{FAINT}{source}{FAINT:#}\n"));
    }
    shown
}

pub(super) fn as_text(
    game: &Game,
    convention: Convention,
    found: &Discovered<DiscoveredSet>,
    (allowed, explain): (&str, bool),
    certificate: Option<&Path>,
) -> String {
    let mut shown = head(game);
    let play = words::play(convention);
    shown.push_str(&format!("\nP-positions for all sizes{play}\n\n"));
    match found {
        Discovered::Proved(proved) => {
            let (standing, took) = match proved.stored {
                None => (FOUND, format!(" in {}", text::in_seconds(proved.took))),
                Some(_) => (CACHED, String::new()),
            };
            let words = format!(
                "{took}: a DFA with {} over the digits in {}, {}",
                counted(proved.set.states()),
                numeration(proved.set.numeration()),
                by(&proved.by),
            );
            shown.push_str(&standing_lines(standing, &words, &proved.checked));
            shown.push_str(&dropped_words(&proved.dropped));
            match proved.form.words() {
                Some(words) => {
                    let words = text::wrapped(&format!("P iff {words}"), 74, 4);
                    shown.push_str(&format!("{AS_CLAIM}    {STRONG}{words}{STRONG:#}\n"));
                }
                None => shown.push_str(&no_form()),
            }
            if let Some(path) = &proved.stored {
                let cached = format!("cached in {}; `--no-cache` computes it again", path);
                let cached = text::wrapped(&cached, 76, 2);
                shown.push_str(&format!("\n  {FAINT}{cached}{FAINT:#}\n"));
            }
            shown.push_str(&certificate_line(certificate));
        }
        Discovered::OfAnyNumber(theorem) => shown.push_str(&of_any_number(theorem, certificate)),
        Discovered::NoTheorem(open) => shown.push_str(&no_theorem(open)),
        Discovered::Unknown(attempts) => shown.push_str(&not_found(attempts, allowed, explain)),
        Discovered::Unsupported(why) => shown.push_str(&unsupported(why)),
    }
    shown
}

/// A theorem about any number of heaps.
pub(super) fn of_any_number(theorem: &DiscoveredTheorem, certificate: Option<&Path>) -> String {
    let words = format!(
        " for any number of heaps, in {}: {}",
        text::in_seconds(theorem.took),
        theorem.proof.words(),
    );
    let mut shown = standing_lines(FOUND, &words, &theorem.proof.checked);
    let claim = text::wrapped(&theorem.claim, 74, 4);
    shown.push_str(&format!(
        "\n  As a claim:\n\n    {STRONG}{claim}{STRONG:#}\n"
    ));
    shown + &certificate_line(certificate)
}

/// That no theorem about any number of heaps was proved, and the claims that hold so far.
pub(super) fn no_theorem(open: &OpenConjectures) -> String {
    let found = "not found: no claim of the forms that are tried was proved for any number of \
                 heaps";
    let found = text::wrapped(found, 76, 2);
    let rest = found.strip_prefix("not found").unwrap_or(&found);
    let mut shown = format!("  {BAD}not found{BAD:#}{rest}\n");
    if open.tried.is_empty() {
        return shown;
    }
    shown.push_str(&format!("\n  These hold to {} tokens:\n\n", open.holds_to));
    for (claim, why) in &open.tried {
        let claim = text::wrapped(claim, 74, 4);
        let why = text::wrapped(&format!("not proved: {why}"), 72, 6);
        shown.push_str(&format!(
            "    {STRONG}{claim}{STRONG:#}\n      {FAINT}{why}{FAINT:#}\n"
        ));
    }
    shown
}

/// A theorem about any number of heaps, or that there is none, in LaTeX.
pub(super) fn of_any_number_in_latex(head: String, theorem: &DiscoveredTheorem) -> String {
    let checked: Vec<String> = theorem.proof.checked.iter().map(|w| prose(w)).collect();
    let stated = match theorem.claim.split_once(" iff ") {
        Some((subject, condition)) => {
            let play = match subject.starts_with("misere ") {
                true => Convention::Misere,
                false => Convention::Normal,
            };
            let (play, condition) = (latex::play(play), latex::formula(condition));
            format!("a position{play} is a P-position if and only if {condition}")
        }
        None => {
            let value = theorem.claim.trim_start_matches("grundy == ");
            format!("the value of a position is {}", latex::formula(value))
        }
    };
    let shown = format!(
        "{head}For any number of heaps {stated}. This is proved:\n{}",
        latex::items(&checked)
    );
    let notation = latex::notation_of(&shown);
    shown + &notation
}

/// That no theorem about any number of heaps was proved, in LaTeX.
pub(super) fn no_theorem_in_latex(head: String) -> String {
    head + &latex::paragraph("No theorem about any number of heaps was found and proved.")
}

/// The fields of a theorem about any number of heaps.
pub(super) fn of_any_number_in_json(
    head: &mut Map<String, Value>,
    theorem: &DiscoveredTheorem,
    certificate: Option<&Path>,
) {
    let proof = &theorem.proof;
    head.insert("standing".to_owned(), json!("proved"));
    head.insert("states".to_owned(), json!(proof.states));
    head.insert("base".to_owned(), json!(proof.base));
    head.insert("cutoff".to_owned(), json!(proof.cutoff));
    head.insert("checked".to_owned(), json!(proof.checked));
    head.insert("claim".to_owned(), json!(theorem.claim));
    head.insert("certificate".to_owned(), json!(certificate));
}

/// The fields of claims that were not proved for any number of heaps.
pub(super) fn no_theorem_in_json(head: &mut Map<String, Value>, open: &OpenConjectures) {
    head.insert("standing".to_owned(), json!("unknown"));
    head.insert("states".to_owned(), Value::Null);
    let tried = open.tried.iter();
    let tried: Value = tried
        .map(|(claim, why)| json!({"claim": claim, "holds_to": open.holds_to, "reason": why}))
        .collect();
    head.insert("tried".to_owned(), tried);
}

pub(super) fn as_latex(
    game: &Game,
    convention: Convention,
    found: &Discovered<DiscoveredSet>,
) -> String {
    let head = latex::comment(game, "P-positions for all sizes");
    let proved = match found {
        Discovered::Proved(proved) => proved,
        Discovered::OfAnyNumber(theorem) => return of_any_number_in_latex(head, theorem),
        Discovered::NoTheorem(_) => return no_theorem_in_latex(head),
        Discovered::Unknown(attempts) => return head + &not_found_in_latex(attempts.len()),
        Discovered::Unsupported(why) => {
            return head + &latex::paragraph(&format!("Unsupported: {why}."));
        }
    };
    let checked: Vec<String> = proved.checked.iter().map(|words| prose(words)).collect();
    let mut shown = format!(
        "{head}The P-positions of all sizes{} are recognised by a DFA with {} over the digits in \
         {}, {}. The proof:\n{}",
        latex::play(convention),
        counted(proved.set.states()),
        prose(&numeration(proved.set.numeration())),
        prose(&by(&proved.by)),
        latex::items(&checked)
    );
    shown.push_str(&match proved.form.words() {
        Some(form) => format!(
            "A position is a P-position if and only if {}.\n",
            latex::formula(form)
        ),
        None => "No closed form was found among those tried.\n".to_owned(),
    });
    let notation = latex::notation_of(&shown);
    shown + &notation
}

/// That no automaton was found.
pub(super) fn not_found_in_latex(attempts: usize) -> String {
    format!(
        "No automaton was found and proved, in {}.\n",
        text::counted(attempts as u128, "attempt")
    )
}

/// The heading of closed forms.
pub(super) const AS_CLAIM: &str = "\n  As a claim, proved equal to the automaton:\n\n";

pub(super) fn no_form() -> String {
    format!("\n  {FAINT}No closed form found among those tried.{FAINT:#}\n")
}

/// How the result stands, and what was checked.
pub(super) fn standing_lines(standing: &str, words: &str, checked: &[String]) -> String {
    let words = text::wrapped(&format!("{standing}{words}"), 76, 2);
    let rest = words.strip_prefix(standing).unwrap_or(&words);
    let mut shown = format!("  {GOOD}{standing}{GOOD:#}{rest}\n");
    for checked in checked {
        let checked = text::wrapped(checked, 74, 4);
        shown.push_str(&format!("  {FAINT}- {checked}{FAINT:#}\n"));
    }
    shown
}

pub(super) fn certificate_line(certificate: Option<&Path>) -> String {
    certificate.map_or_else(String::new, |path| {
        format!("\n  certificate {}\n", path.display())
    })
}

pub(super) fn unsupported(why: &str) -> String {
    format!("  unsupported: {}\n", text::wrapped(why, 68, 2))
}

pub fn counted(states: usize) -> String {
    match states {
        1 => "1 state".to_owned(),
        _ => format!("{} states", text::grouped(states as u128)),
    }
}

fn digits(count: usize) -> String {
    match count {
        1 => "1 digit".to_owned(),
        _ => format!("{count} digits"),
    }
}

fn by(by: &ProofOrigin) -> String {
    match by {
        ProofOrigin::Claim(words) => format!("proved by the claim `{words}`"),
        ProofOrigin::Rule(origin) => learned(*origin),
    }
}

/// The source that an automaton was learned from, as text.
pub(super) fn learned(origin: Origin) -> String {
    match origin {
        Origin::Rule { depth } => format!(
            "learned from the rule, comparing residuals up to {}",
            digits(depth)
        ),
        Origin::Box {
            digits: long,
            depth,
        } => format!(
            "learned from solved positions with numbers of {}, comparing residuals up to {}",
            digits(long),
            digits(depth)
        ),
    }
}

pub(super) fn dropped_words(dropped: &[Numeration]) -> String {
    if dropped.is_empty() {
        return String::new();
    }
    let names: Vec<String> = dropped.iter().map(|n| numeration(*n)).collect();
    let words = format!(
        "dropped before, where residuals grow faster (evidence, and no proof): {}",
        names.join("; ")
    );
    format!("  {FAINT}- {}{FAINT:#}\n", text::wrapped(&words, 74, 4))
}

pub(super) fn dropped_json(dropped: &[Numeration]) -> Value {
    dropped.iter().map(|n| base(*n)).collect()
}

fn listed(counts: &[usize]) -> String {
    let all: Vec<String> = counts.iter().map(|n| text::grouped(*n as u128)).collect();
    text::wrapped(&all.join(", "), 60, 4)
}

/// That nothing was found, and what to try; with `explain`, each attempt with its numbers of
/// new residuals.
pub(super) fn not_found(attempts: &[Attempt], allowed: &str, explain: bool) -> String {
    if !explain {
        return format!("  {}", in_short(attempts, allowed));
    }
    let mut shown = format!(
        "  {BAD}not found{BAD:#}: no automaton was proved. New residuals by prefix length\n  \
         0, 1, 2, …:\n\n"
    );
    for attempt in attempts {
        let margin = match attempt.source {
            Source::Rule => "",
            Source::Box { digits: long } => {
                let within = match long {
                    0 => "no positions could be solved".to_owned(),
                    long => format!("numbers of up to {}", digits(long)),
                };
                let goal = match attempt.goal {
                    Goal::Outcomes => "",
                    Goal::Values => ", the value as output",
                    Goal::Value => ", the value as an extra track",
                };
                let line = format!("{}{goal}, {within}", numeration(attempt.numeration));
                shown.push_str(&format!("  {}\n", text::wrapped(&line, 76, 2)));
                "  "
            }
        };
        // One depth tells enough of what was dropped.
        let most = match attempt.failure {
            AttemptFailure::Dropped => 1,
            _ => attempt.residuals.len(),
        };
        let known = attempt
            .residuals
            .iter()
            .filter(|(_, counts)| !counts.is_empty());
        for (depth, counts) in known.take(most) {
            shown.push_str(&format!("  {margin}depth {depth}: {}\n", listed(counts)));
        }
        shown.push_str(&format!(
            "    {}\n",
            text::wrapped(&why(attempt, allowed), 72, 4)
        ));
    }
    if attempts
        .iter()
        .any(|attempt| attempt.failure == AttemptFailure::Dropped)
    {
        shown.push_str(&format!(
            "\n  {FAINT}What was dropped is evidence, and no proof.{FAINT:#}\n"
        ));
    }
    shown
}

/// Whether an attempt came so far that it knows residuals.
fn has_residuals(attempt: &Attempt) -> bool {
    attempt
        .residuals
        .iter()
        .any(|(_, counts)| !counts.is_empty())
}

/// One sentence on a search that found nothing, and what to try.
fn in_short(attempts: &[Attempt], allowed: &str) -> String {
    let mut tried: Vec<String> = Vec::new();
    for attempt in attempts {
        let name = numeration(attempt.numeration);
        if !tried.contains(&name) {
            tried.push(name);
        }
    }
    let numerations = match &tried[..] {
        [] => String::new(),
        [only] => format!(" in {only}"),
        [first, rest @ ..] => {
            let others = match rest.len() {
                1 => rest[0].clone(),
                others => format!("{others} other numerations"),
            };
            format!(" in {first} and {others}")
        }
    };
    let gave_up = |attempt: &Attempt| attempt.failure == AttemptFailure::Grows;
    let closed = |attempt: &Attempt| {
        use AttemptFailure::{NotAccepted, Undecided};
        matches!(attempt.failure, Undecided(_) | NotAccepted(_))
    };
    let refuted = |attempt: &Attempt| matches!(attempt.failure, AttemptFailure::Refuted(_));
    let limited = |attempt: &Attempt| matches!(attempt.failure, AttemptFailure::Open(Some(_)));
    let untranslated =
        |attempt: &Attempt| matches!(attempt.failure, AttemptFailure::NotTranslated(_));
    let longer = "a longer `--time-limit`, or fewer heaps";
    let (reason, advice) = if attempts.iter().any(closed) {
        (
            "one was learned, and its proof did not succeed".to_owned(),
            "a longer `--time-limit`",
        )
    } else if attempts.iter().any(gave_up) {
        (
            "the number of residuals grows with each digit, which is evidence, and no proof, \
             that there is none"
                .to_owned(),
            "fewer heaps, another value of a parameter, or `--time-limit`, which searches on",
        )
    } else if attempts.iter().any(untranslated) {
        let after = allowed;
        (
            format!("the search ended after {after}, while the moves were translated to automata"),
            longer,
        )
    } else if attempts.iter().any(limited) {
        let after = allowed;
        let has_begun = attempts.iter().any(has_residuals);
        let step = match attempts.iter().map(|attempt| attempt.source).next() {
            Some(Source::Rule) if !has_begun => ", before the first residual was known",
            Some(Source::Box { .. }) if !has_begun => ", before a box was solved",
            _ => "",
        };
        (format!("the search ended after {after}{step}"), longer)
    } else {
        let reason = match attempts.iter().any(refuted) {
            true => "what was learned from the largest boxes that are solved was refuted",
            false => "new residuals appear to the end of the largest boxes that are solved",
        };
        (
            reason.to_owned(),
            "fewer heaps, or another value of a parameter",
        )
    };
    let found = format!("not found: no automaton was proved{numerations}; {reason}.");
    let found = text::wrapped(&found, 76, 2);
    let rest = found.strip_prefix("not found").unwrap_or(&found);
    let advice = format!("Try {advice}. `--explain` shows what was tried.");
    format!(
        "{BAD}not found{BAD:#}{rest}\n  {}\n",
        text::wrapped(&advice, 76, 2)
    )
}

fn why(attempt: &Attempt, allowed: &str) -> String {
    match (attempt.source, &attempt.failure) {
        (_, AttemptFailure::Dropped) => {
            "dropped: in others the residuals grow more slowly, or it has too few digits to tell"
                .to_owned()
        }
        (_, AttemptFailure::Differs) => {
            "no new residuals, but the automaton contradicts the engines".to_owned()
        }
        (_, AttemptFailure::Refuted(_)) => {
            "no new residuals, but the automaton was refuted".to_owned()
        }
        (_, AttemptFailure::Undecided(_)) => {
            "no new residuals, but the proof exceeded a limit".to_owned()
        }
        (_, AttemptFailure::NotAccepted(why)) => {
            format!("a hypothesis was proved, but the independent checker rejects it: {why}")
        }
        (_, AttemptFailure::Grows) => "given up: each length has more than the one before, up \
             to heaps of 64 tokens. This is evidence that no automaton has these P-positions, \
             and no proof; `--time-limit` searches on"
            .to_owned(),
        (_, AttemptFailure::NotTranslated(_)) => {
            "a limit was reached while the moves were translated to automata".to_owned()
        }
        (_, AttemptFailure::Open(Some(LimitExceeded::Time | LimitExceeded::Work { .. }))) => {
            let after = allowed;
            match has_residuals(attempt) {
                true => format!("still growing after {after}"),
                false => format!("no residual was known after {after}"),
            }
        }
        (_, AttemptFailure::Open(Some(LimitExceeded::Memory { .. }))) => {
            "still growing at the memory limit".to_owned()
        }
        (_, AttemptFailure::Open(Some(LimitExceeded::Stopped))) => "stopped".to_owned(),
        (Source::Rule, AttemptFailure::Open(None)) => {
            "still growing at the limit of states".to_owned()
        }
        (Source::Box { .. }, AttemptFailure::Open(None)) => {
            "still growing at the largest numbers solved".to_owned()
        }
    }
}

pub(super) fn as_json(
    game: &Game,
    convention: Convention,
    found: &Discovered<DiscoveredSet>,
    certificate: Option<&Path>,
) -> Map<String, Value> {
    let mut head = json::head(game);
    head.insert("convention".to_owned(), json!(convention.word()));
    match found {
        Discovered::Proved(proved) => {
            head.insert("standing".to_owned(), json!("proved"));
            head.insert("states".to_owned(), json!(proved.set.states()));
            head.insert("base".to_owned(), base(proved.set.numeration()));
            let block = match &proved.by {
                ProofOrigin::Rule(origin) => Some(origin.depth()),
                ProofOrigin::Claim(_) => None,
            };
            head.insert("block".to_owned(), json!(block));
            head.insert("checked".to_owned(), json!(proved.checked));
            head.insert("form".to_owned(), json!(proved.form.words()));
            head.insert("dropped".to_owned(), dropped_json(&proved.dropped));
            head.insert("certificate".to_owned(), json!(certificate));
            if let Some(path) = &proved.stored {
                head.insert("kept".to_owned(), json!(path));
            }
        }
        Discovered::OfAnyNumber(theorem) => of_any_number_in_json(&mut head, theorem, certificate),
        Discovered::NoTheorem(open) => no_theorem_in_json(&mut head, open),
        Discovered::Unknown(attempts) => {
            head.insert("standing".to_owned(), json!("unknown"));
            head.insert("states".to_owned(), Value::Null);
            head.insert("form".to_owned(), Value::Null);
            let growth: Vec<Value> = attempts.iter().flat_map(growth).collect();
            head.insert("growth".to_owned(), json!(growth));
            let gave_up = |attempt: &Attempt| attempt.failure == AttemptFailure::Grows;
            head.insert("gave_up".to_owned(), json!(attempts.iter().any(gave_up)));
        }
        Discovered::Unsupported(why) => {
            head.insert("standing".to_owned(), json!("outside"));
            head.insert("states".to_owned(), Value::Null);
            head.insert("form".to_owned(), Value::Null);
            head.insert("reason".to_owned(), json!(why));
        }
    }
    head
}

pub(super) fn growth(attempt: &Attempt) -> Vec<Value> {
    let base = base(attempt.numeration);
    let goal = match attempt.goal {
        Goal::Outcomes => None,
        Goal::Values => Some("output"),
        Goal::Value => Some("track"),
    };
    let of_depth = |(depth, counts): &(usize, Vec<usize>)| {
        let mut one = json!({"base": base, "block": depth, "tails": counts});
        if let Some(goal) = goal {
            one["value"] = json!(goal);
        }
        one
    };
    attempt.residuals.iter().map(of_depth).collect()
}

/// The JSON value of a numeration: the base as a number, or a name.
pub(super) fn base(numeration: Numeration) -> Value {
    match numeration {
        Numeration::Base(base) => json!(base),
        Numeration::Ostrowski(1) => json!("zeckendorf"),
        Numeration::Ostrowski(quotient) => json!(format!("ostrowski-{quotient}")),
    }
}
