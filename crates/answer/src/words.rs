//! Positions, moves and numbers in words.

use super::answer::Basis;
use super::claim::{ClaimReport, Evidence, Verdict};
use super::same_games::SameGame;
use nimrule_claim::Counterexample;
use nimrule_engine::{BySide, Label, Outcome, SideOutcome};
use nimrule_limits::{Snapshot, TriedNumeration, Work};
use nimrule_model::game::{Convention, Game, PositionKind, TerminationMeasure};
use nimrule_model::position::Position;
use nimrule_prove::numbers::SetNumbers;
use nimrule_prove::{Numeration, Proof, Set};
use nimrule_real::Proof as RealProof;
use num_bigint::{BigUint, Sign};

/// A number with separators: 262144 as 262,144.
pub fn grouped(number: u128) -> String {
    let digits = number.to_string();
    let mut grouped = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// A number of things: `1 token`, `2 tokens`.
pub fn counted(number: u128, word: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{} {word}{plural}", grouped(number))
}

/// The convention, as the end of a sentence.
pub fn play(convention: Convention) -> &'static str {
    match convention {
        Convention::Normal => "",
        Convention::Misere => " under misere play",
    }
}

/// The numbers of a set of P-positions, a sentence for each kind.
pub fn set_numbers(numbers: &SetNumbers) -> Vec<String> {
    let SetNumbers {
        numeration,
        heaps,
        invariant,
        counts,
    } = numbers;
    let vectors = invariant.minimal.iter().map(|vector| {
        let entries: Vec<String> = vector.iter().map(u64::to_string).collect();
        format!("({})", entries.join(","))
    });
    let entries = invariant.entries;
    let invariant = match invariant.minimal.len() {
        0 => "none but 0".to_owned(),
        all @ ..=MOST_VECTORS => {
            let vectors: Vec<String> = vectors.collect();
            let sums = if all == 1 { "multiples" } else { "sums" };
            format!("the {sums} of {}", vectors.join(", "))
        }
        all => {
            let first: Vec<String> = vectors.take(MOST_VECTORS).collect();
            format!("the sums of {all}, which are {}, …", first.join(", "))
        }
    };
    let below = match numeration {
        Numeration::Base(base) => format!("{base}^m, m = 0, 1, 2, …"),
        Numeration::Ostrowski(_) => {
            let worths: Vec<String> = (0..8).map(|m| numeration.worth(m).to_string()).collect();
            format!("w(m) = {}, …", worths.join(", "))
        }
    };
    let first: Vec<String> = counts
        .first
        .iter()
        .take(8)
        .map(BigUint::to_string)
        .collect();
    let order = counts.recurrence.len();
    let mut recurrence = String::new();
    let terms = counts.recurrence.iter().zip(1..);
    for (by, back) in terms.filter(|(by, _)| by.sign() != Sign::NoSign) {
        let sign = match (by.sign(), recurrence.is_empty()) {
            (Sign::Minus, true) => "-",
            (Sign::Minus, false) => " - ",
            (_, true) => "",
            (_, false) => " + ",
        };
        let by = match by.magnitude() {
            one if *one == BigUint::from(1_u8) => String::new(),
            other => format!("{other} "),
        };
        recurrence.push_str(&format!("{sign}{by}a(m-{back})"));
    }
    let recurrence = match order {
        0 => "a(m) = 0".to_owned(),
        1..=MOST_ORDER => format!("a(m) = {recurrence} for every m >= {order}"),
        _ => format!("of order {order}, with its coefficients in JSON"),
    };
    let short = |number: f64| {
        let shown = format!("{number:.4}");
        shown.trim_end_matches('0').trim_end_matches('.').to_owned()
    };
    let of = format!("of the N^{heaps} positions with heaps below N");
    let growth = match numbers.exponent() {
        Some(exponent) => {
            let exponent = short(exponent);
            format!("N^{exponent}, up to factors below every power of N, {of}")
        }
        None => format!("less than every power of N {of}"),
    };
    vec![
        format!("invariant vectors with entries up to {entries}: {invariant}"),
        format!(
            "numbers a(m) of P-positions with heaps below {below}: {}, …",
            first.join(", ")
        ),
        format!("recurrence: {recurrence}"),
        format!(
            "growth: {growth}; the m-th root of a(m) tends to {}",
            short(counts.rate)
        ),
    ]
}

/// The most invariant vectors that are listed.
const MOST_VECTORS: usize = 16;
/// The most coefficients of a recurrence that is shown.
const MOST_ORDER: usize = 8;

/// An activity whose pieces are counted: its name, what the pieces are, and a participle for
/// an interruption.
pub fn counted_work(work: Work) -> Option<(&'static str, &'static str, &'static str)> {
    match work {
        Work::Other | Work::Proving => None,
        Work::Solving => Some(("solving", "positions", "were solved")),
        Work::Searching => Some(("searching", "positions", "were searched")),
        Work::Checking => Some(("checking a claim", "positions", "were checked")),
        Work::Listing => Some(("listing", "positions", "were listed")),
        Work::Heaps => Some(("finding values", "heaps", "have their values")),
        Work::Elements => Some(("finding a quotient", "elements", "were found")),
    }
}

/// How far a computation is, without times: `solving: 1,200 of 4,096 positions`.
pub fn progress(seen: &Snapshot) -> String {
    let tried = tried(seen);
    let Some((doing, what, _)) = counted_work(seen.work) else {
        let doing = match (seen.work, tried.is_empty()) {
            (Work::Proving, _) | (_, false) => "looking for a proof for all sizes",
            _ => "working",
        };
        return format!("{tried}{doing}");
    };
    let done = grouped(seen.done.into());
    match seen.pieces {
        0 => format!("{tried}{doing}: {done} {what}"),
        pieces => format!(
            "{tried}{doing}: {done} of {} {what}",
            grouped(pieces.into())
        ),
    }
}

/// The numeration system of the automata that are tried, before what is done with it: `in
/// base 2, `.
pub fn tried(seen: &Snapshot) -> String {
    seen.numeration.map_or_else(String::new, |tried| {
        let numeration = match tried {
            TriedNumeration::Base(base) => Numeration::Base(base),
            TriedNumeration::Ostrowski(quotient) => Numeration::Ostrowski(quotient),
        };
        format!("in {}, ", self::numeration(numeration))
    })
}

/// The name of a numeration system.
pub fn numeration(numeration: Numeration) -> String {
    match numeration {
        Numeration::Base(base) => format!("base {base}"),
        Numeration::Ostrowski(1) => "Zeckendorf's numeration".to_owned(),
        Numeration::Ostrowski(a) => format!("the Ostrowski numeration of [{a}; {a}, {a}, …]"),
    }
}

/// A duration in seconds: 0.0213 s as 0.02 s.
pub fn in_seconds(time: std::time::Duration) -> String {
    let seconds = time.as_secs_f64();
    if seconds < 0.0095 {
        "under 0.01 s".to_owned()
    } else if seconds < 10.0 {
        format!("{seconds:.2} s")
    } else {
        format!("{seconds:.0} s")
    }
}

/// A text broken into lines of at most `width` characters, each after the first indented
/// by `indent` blanks.
pub fn wrapped(text: &str, width: usize, indent: usize) -> String {
    let mut lines: Vec<String> = vec![String::new()];
    let mut length = 0;
    for word in text.split_whitespace() {
        let line = lines.last_mut().expect("there is always a line");
        let room = if line.is_empty() { 0 } else { 1 };
        if length + room + word.chars().count() > width && !line.is_empty() {
            lines.push(word.to_owned());
            length = word.chars().count();
        } else {
            if room == 1 {
                line.push(' ');
            }
            line.push_str(word);
            length += room + word.chars().count();
        }
    }
    lines.join(&format!("\n{}", " ".repeat(indent)))
}

/// A long number, abbreviated to its first and last digits.
pub fn shortened(digits: &str) -> String {
    if digits.len() <= 30 {
        return digits.to_owned();
    }
    format!(
        "{}…{} ({} digits)",
        &digits[..10],
        &digits[digits.len() - 10..],
        grouped(digits.len() as u128)
    )
}

/// A position on one line: all sizes or, with too many heaps for a line, the
/// non-empty ones. Large numbers are abbreviated.
pub fn position(game: &Game, position: &Position) -> String {
    let all = position.shown(game);
    if all.len() <= 60 || game.position_kind != PositionKind::Heaps {
        return all;
    }
    let sizes = position.numbers();
    let first_state = game.first_state();
    let (mut words, mut from) = (Vec::new(), 0);
    if let [first, rest @ ..] = &sizes[..first_state]
        && rest.iter().all(|size| size == first)
    {
        words.push(format!("all {}", shortened(&first.to_string())));
        from = first_state;
    }
    let named = game.heap_names.iter().zip(&sizes).enumerate().skip(from);
    let named = named
        .filter(|(place, (_, size))| *place >= first_state || **size > BigUint::ZERO)
        .map(|(place, (name, size))| match u64::try_from(size) {
            Ok(size) => format!("{name}={}", game.shown_number(place, size)),
            Err(_) => format!("{name}={}", shortened(&size.to_string())),
        });
    words.extend(named);
    wrapped(&words.join(" "), 70, 4)
}

/// The move from one position to another.
pub fn change(game: &Game, from: &Position, to: &Position) -> String {
    if from == to {
        return "pass".to_owned();
    }
    if let PositionKind::Multiset(kinds) = &game.position_kind
        && let (Some(from), Some(to)) = (from.small(), to.small())
    {
        let (gone, mut new) = (without(from, to), without(to, from));
        let is_heap = |heap: &u64| kinds.state(*heap).is_none();
        let states: Vec<(usize, u64)> = new.iter().filter_map(|heap| kinds.state(*heap)).collect();
        new.retain(is_heap);
        let gone: Vec<u64> = gone.into_iter().filter(is_heap).collect();
        let mut words = Vec::new();
        if !gone.is_empty() || !new.is_empty() {
            words.push(format!(
                "{} becomes {}",
                game.shown(&gone),
                game.shown(&new)
            ));
        }
        let set =
            |(state, value): (usize, u64)| format!("set {} to {value}", kinds.states[state].0);
        words.extend(states.into_iter().map(set));
        return words.join(", ");
    }
    let (from, to) = (from.numbers(), to.numbers());
    let (mut taken, mut put, mut set) = (Vec::new(), Vec::new(), Vec::new());
    let mut slides = Vec::new();
    let states = game.first_state();
    let amount = |more: &BigUint, less: &BigUint| shortened(&(more - less).to_string());
    for (place, ((name, before), after)) in game.heap_names.iter().zip(&from).zip(&to).enumerate() {
        if game.digraph_of(place).is_some() {
            if after != before {
                let vertex = u64::try_from(after).unwrap_or(u64::MAX);
                let vertex = game.shown_number(place, vertex);
                slides.push(match game.heap_count() {
                    1 => format!("slide to {vertex}"),
                    _ => format!("slide {name} to {vertex}"),
                });
            }
        } else if place >= states {
            if after != before {
                set.push(format!("set {name} to {after}"));
            }
        } else if after < before {
            taken.push(format!("{} from {name}", amount(before, after)));
        } else if after > before {
            put.push(format!("{} on {name}", amount(after, before)));
        }
    }
    let mut words = Vec::new();
    if !taken.is_empty() {
        words.push(format!("take {}", taken.join(" and ")));
    }
    if !put.is_empty() {
        words.push(format!("put {}", put.join(" and ")));
    }
    if !slides.is_empty() {
        words.push(slides.join(" and "));
    }
    words.extend(set);
    words.join(", ")
}

/// The heaps of one multiset that are not in another.
fn without(bag: &[u64], other: &[u64]) -> Vec<u64> {
    let mut other = other.to_vec();
    bag.iter()
        .filter(|heap| match other.iter().position(|o| o == *heap) {
            Some(place) => {
                other.remove(place);
                false
            }
            None => true,
        })
        .copied()
        .collect()
}

/// The outcome in words.
pub fn headline<M>(outcome: Outcome, turns: Option<&BySide<M>>) -> &'static str {
    match (outcome, turns) {
        (Outcome::P, _) => "P-position: the player who has just moved wins",
        (Outcome::N, _) => "N-position: the player to move wins",
        (Outcome::L, _) => "L-position: Left wins, whoever moves first",
        (Outcome::R, _) => "R-position: Right wins, whoever moves first",
        (Outcome::D, Some(BySide::Sides { left, right })) if left.label != right.label => {
            if left.label == Label::Draw {
                "D-position: a draw if Left moves first"
            } else {
                "D-position: a draw if Right moves first"
            }
        }
        (Outcome::D, _) => "D-position: a draw, neither player can force a win",
    }
}

/// What a player to move achieves.
pub fn result<M>(turn: &SideOutcome<M>) -> &'static str {
    match turn.label {
        Label::Win(_) => "wins",
        Label::Lose(_) => "loses",
        Label::Draw => "draws",
    }
}

/// What an answer rests on, as the end of a sentence that begins with `by`.
pub fn basis(basis: &Basis) -> String {
    let states = |states: usize| match states {
        1 => "a DFA with 1 state".to_owned(),
        many => format!("a DFA with {} states", grouped(many as u128)),
    };
    match basis {
        Basis::Engine(name) => format!("the engine `{name}`"),
        Basis::Proof(set) => match (&set.claim, &set.stored) {
            (Some((_, words)), Some(_)) => {
                format!("a cached proof for all sizes, of the claim: {words}")
            }
            (None, Some(_)) => format!(
                "a cached proof for all sizes: {}, found from the rule",
                states(set.states)
            ),
            (Some((Some(number), words)), None) => {
                format!("claim {number} of the file, proved for all sizes: {words}")
            }
            (Some((None, words)), None) => {
                format!("the claim, proved for all sizes: {words}")
            }
            (None, None) => format!("{}, found from the rule and proved", states(set.states)),
        },
        Basis::Theorem { claim, .. } | Basis::Claim { claim, .. } => {
            format!("the claim `{claim}`")
        }
    }
}

/// How far the claim of an answer is known, as a relative clause.
pub fn extent(basis: &Basis) -> String {
    match basis {
        Basis::Claim { .. } => format!("which {} and is not proved", basis.extent()),
        _ => format!("which is {}", basis.extent()),
    }
}

/// Why play ends, in words: the parts of the termination measure, each with whether it is
/// the first of a lexicographic order. Empty if positions may repeat.
pub fn termination(game: &Game, measure: &TerminationMeasure) -> Vec<(bool, String)> {
    let mut parts = Vec::new();
    if measure.acyclic && measure.levels.is_empty() {
        parts.push((true, "the digraph has no cycle".to_owned()));
    }
    let levels = match game.position_kind {
        PositionKind::Multiset(_) => &[][..],
        _ => &measure.levels,
    };
    for (level, weights) in levels.iter().enumerate() {
        let has_tokens = game.tokens_on.is_some() || game.digraph().is_some();
        let all_one = weights.iter().all(|w| *w == 1) && !has_tokens;
        let words = if all_one {
            "every move lowers the number of tokens".to_owned()
        } else {
            let terms: Vec<String> = weights
                .iter()
                .zip(&game.heap_names)
                .enumerate()
                .filter(|(_, (weight, _))| **weight != 0)
                .map(|(place, (weight, name))| {
                    let name = match game.digraph_of(place) {
                        Some(_) => format!("the longest path from {name}"),
                        None => name.clone(),
                    };
                    match weight.abs() {
                        1 => name,
                        weight => format!("{weight} {name}"),
                    }
                })
                .collect();
            match weights.iter().any(|weight| *weight < 0) {
                true => format!("every move raises {}, which is bounded", terms.join(" + ")),
                false => format!("every move lowers {}", terms.join(" + ")),
            }
        };
        parts.push((level == 0, words));
    }
    for (level, number) in measure.named.iter().enumerate() {
        let at = number.span;
        let written = &game.text.text[at.offset()..at.offset() + at.len()];
        parts.push((level == 0, format!("every move lowers {written}")));
    }
    if let (PositionKind::Multiset(_), false) = (&game.position_kind, game.may_repeat) {
        let mut words = match measure.order {
            Some(_) => "every move replaces heaps by smaller ones".to_owned(),
            None => "every move lowers the number of tokens".to_owned(),
        };
        if measure.more_heaps {
            words.push_str(", or keeps it and leaves more heaps");
        }
        if !measure.levels.is_empty() {
            words.push_str(", or changes no heap and lowers the states");
        }
        parts.push((true, words));
    }
    parts
}

/// The automaton of a proof.
pub fn automaton(proof: &Proof) -> String {
    let of = match proof.of {
        Set::PPositions | Set::PPositionsOfMoves => "P-positions",
        Set::Values(_) => "Grundy values",
        Set::SomePPositions => "the claimed P-positions",
        Set::BeyondPPositions => "a superset of the P-positions",
        Set::SubGame => "the positions of the smaller game",
        Set::Labelling => "the positions labelled P",
    };
    recognised(of, proof.states)
}

pub(crate) fn recognised(set: &str, states: usize) -> String {
    match states {
        1 => format!("{set} recognised by a DFA with 1 state"),
        many => format!(
            "{set} recognised by a DFA with {} states",
            grouped(many as u128)
        ),
    }
}

/// The change of scale of a proof about heaps of real size; empty if there is none.
pub fn scales(proof: &RealProof) -> String {
    if proof.scales.is_empty() {
        return String::new();
    }
    let scales = proof.scales.iter();
    let scales: Vec<String> = scales
        .map(|scale| format!("{} measured by {}", scale.heap, scale.measure))
        .collect();
    format!(
        ", through a monotone change of scale: {}",
        scales.join(", ")
    )
}

/// A counterexample: where, what is claimed, and what is true.
pub fn counterexample(game: &Game, found: &Counterexample) -> String {
    let at = Position::from(found.position.as_slice());
    format!("at {}: {}", position(game, &at), found.words())
}

impl ClaimReport {
    /// The verdict in one or two words, which [`ClaimReport::words`] goes on with.
    pub fn sign(&self) -> &'static str {
        match (&self.verdict, &self.stated) {
            (Verdict::Proved(_), _) => "proved",
            (Verdict::Holds { .. }, _) => "holds",
            (Verdict::Refuted(_) | Verdict::RefutedOfReals(_), Some(stated)) if stated.fails => {
                "refuted"
            }
            (Verdict::Refuted(_) | Verdict::RefutedOfReals(_) | Verdict::Fails { .. }, _) => {
                "FAILS"
            }
            (Verdict::Contradicted(_), _) => "internal error:",
            (Verdict::Unsupported(_), _) => "unsupported",
            (Verdict::Undecided { .. }, _) => "not decided:",
            (Verdict::Unknown { .. }, _) => "unknown",
            (Verdict::Elsewhere, _) => "about other parameters",
        }
    }

    /// The verdict in words, after its sign.
    pub fn words(&self, game: &Game) -> String {
        let mut words = match &self.verdict {
            Verdict::Proved(evidence) => evidence_in_words(evidence),
            Verdict::Holds { to, by } => {
                let by = by.as_ref().map_or(String::new(), |by| format!(": {by}"));
                format!("to {to}{by}{}", self.no_proof())
            }
            Verdict::Refuted(found) => counterexample(game, found),
            Verdict::RefutedOfReals(found) => {
                format!("at {}: {}", found.position, found.words())
            }
            Verdict::Contradicted(found) => format!(
                "the prover finds it true, and the engines find it false {}. Nothing is proved; \
                 please report the file",
                counterexample(game, found)
            ),
            Verdict::Fails { why } | Verdict::Undecided { why } | Verdict::Unknown { why } => {
                why.clone()
            }
            Verdict::Unsupported(unsupported) => unsupported.what.clone(),
            Verdict::Elsewhere => String::new(),
        };
        if let Some(stated) = self.stated.as_ref().filter(|stated| stated.fails) {
            match &self.verdict {
                Verdict::Refuted(found) if found.position != stated.at => {
                    let at = position(game, &Position::from(stated.at.as_slice()));
                    words.push_str(&format!("; the file names {at}, where it also fails"));
                }
                _ => words.push_str(", as the file says"),
            }
        }
        words
    }

    /// That a search for a proof ended without one, where more time may find it.
    fn no_proof(&self) -> String {
        match self.no_proof_in {
            Some(steps) => format!("; no proof in {steps}"),
            None => String::new(),
        }
    }

    /// The verdict on one line, as an editor shows it above the claim.
    pub fn line(&self) -> &str {
        &self.line
    }

    pub(crate) fn verdict_line(&self, game: &Game) -> String {
        match &self.verdict {
            Verdict::Proved(Evidence::Theorem { theorem, .. }) => format!("proved by {theorem}"),
            Verdict::Proved(Evidence::Reals(_)) => "proved for all real heap sizes".to_owned(),
            Verdict::Proved(Evidence::AnyNumber(_)) => "proved for any number of heaps".to_owned(),
            Verdict::Proved(_) => "proved for all heap sizes".to_owned(),
            Verdict::Holds { to, .. } => format!("holds to {to}{}", self.no_proof()),
            Verdict::Refuted(_) | Verdict::RefutedOfReals(_) => {
                format!("fails {}", self.words(game))
            }
            Verdict::Fails { .. } => format!("fails: {}", self.words(game)),
            Verdict::Contradicted(_) => format!("internal error: {}", self.words(game)),
            Verdict::Unsupported(_) | Verdict::Undecided { .. } | Verdict::Unknown { .. } => {
                format!("not decided: {}", self.words(game))
            }
            Verdict::Elsewhere => "about other parameters".to_owned(),
        }
    }
}

/// Whether a game that agrees with another one is proved to: `proved for all heap sizes`, `holds
/// to 12: 169 positions`.
pub fn agreement(found: &SameGame) -> String {
    match &found.verdict {
        Verdict::Proved(Evidence::Theorem { theorem, by }) => {
            format!("proved by {theorem}: {by}")
        }
        Verdict::Holds { to, by } => {
            let by = by.as_ref().map_or(String::new(), |by| format!(": {by}"));
            format!("holds to {to}{by}")
        }
        _ => "proved for all heap sizes".to_owned(),
    }
}

/// By what a claim is proved, as the end of a line that begins with "proved".
fn evidence_in_words(evidence: &Evidence) -> String {
    match evidence {
        Evidence::Theorem { theorem, by } => format!("by {theorem}: {by}"),
        Evidence::Automaton(proof) => {
            let by = automaton(proof);
            let without = match proof.certificate {
                None => "; without a certificate",
                Some(_) => "",
            };
            format!("for all heap sizes: {by}{without}")
        }
        Evidence::AnyNumber(proof) => format!("for any number of heaps: {}", proof.words()),
        Evidence::Stored { states } => {
            format!("for all heap sizes: {}", recognised("P-positions", *states))
        }
        Evidence::Reals(proof) => format!("for all real sizes{}", scales(proof)),
    }
}
