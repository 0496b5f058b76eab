//! Conjectures: conditions on the P-positions that hold in a box and are not proved.
//!
//! Terms such as `xor(heaps)`, `max(heaps) - min(heaps)` and `a + b` are compared with each
//! other and with small numbers. A relation that holds at all P-positions of a small box, or
//! at P-positions only, is a candidate; several of them, joined by `and` or `or`, may describe
//! the P-positions. What holds in the small box is then compared with a larger one.

mod valuation;

use super::session::Session;
use nimrule_claim::{ClaimStatus, Counterexample, check, environment};
use nimrule_elaborate::{condition_in, number_in};
use nimrule_engine::{Outcome, SolveError, Table};
use nimrule_limits::Limits;
use nimrule_model::expr::{Expr, Num};
use nimrule_model::game::{Class, Convention, Direction, Game, PositionKind, Statement};
use nimrule_syntax::parse_condition;
use std::collections::BTreeMap;
use valuation::Valuation;

/// The most positions of the box in which relations are sought, and of the larger one with
/// which they are compared, and the largest heap of either that is chosen here.
const SMALL: u128 = 20_000;
const LARGE: u128 = 1_000_000;
const LARGEST_CHOSEN: u64 = 1000;

/// The most terms that are compared.
const MOST_TERMS: usize = 90;

/// The local variables of conditions beside those of the game.
const MORE_LOCALS: usize = 64;

/// The most relations that are joined to describe the P-positions, and that are listed where
/// none describes them.
const MOST_JOINED: usize = 6;

/// The least number of P-positions at which a sufficient condition holds.
const LEAST_HITS: u32 = 8;

/// Constants with which terms are compared, and the largest modulus.
const LARGEST_CONSTANT: i64 = 2;
const LARGEST_MODULUS: i64 = 6;

/// The term by which cases are told apart, the sizes from which on it is another case, and the
/// most conditions of each case.
const LARGEST: &str = "max(heaps)";
const CASES: std::ops::RangeInclusive<i64> = 2..=4;
const MOST_OF_A_CASE: usize = 3;

/// A condition on the P-positions that holds in a box.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Conjecture {
    /// The claim, as after the word `claim`: `P iff xor(heaps) == 0`.
    pub claim: String,
    /// The largest heap of the box in which it holds; with any number of heaps, the largest
    /// total.
    pub holds_to: u64,
}

/// A condition that holds in the small box and fails in the larger one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefutedConjecture {
    /// The claim.
    pub claim: String,
    /// Its smallest counterexample in the larger box.
    pub counterexample: Counterexample,
}

/// What was found of a game.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Conjectures {
    /// The largest heap of the box in which relations were sought.
    pub sought_to: u64,
    /// The largest heap of the box with which they were compared.
    pub compared_to: u64,
    /// The number of P-positions of the small box.
    pub p_positions: usize,
    /// Those that hold: one that describes the P-positions, or necessary conditions and then
    /// sufficient ones.
    pub found: Vec<Conjecture>,
    /// Those that fail in the larger box.
    pub refuted: Vec<RefutedConjecture>,
}

/// Seeks conditions on the P-positions of a game. `asked` is the largest heap of the larger
/// box.
///
/// # Errors
///
/// [`SolveError::Refused`] for tokens on a digraph and for kinds of heaps; otherwise a fault
/// in the rule, or a limit.
pub fn conjectures(
    game: &Game,
    convention: Convention,
    asked: Option<u64>,
    limits: &Limits,
) -> Result<Conjectures, SolveError> {
    let is_of_heaps = match &game.position_kind {
        PositionKind::Heaps => game.tokens_on.is_none(),
        PositionKind::Multiset(kinds) => kinds.names.is_empty() && kinds.states.is_empty(),
        PositionKind::Tokens(_) | PositionKind::Reals | PositionKind::Open(_) => false,
    };
    if !is_of_heaps {
        return Err(SolveError::Refused {
            reason: "conjectures are about games of heaps of one kind with whole sizes".to_owned(),
        });
    }
    let with_locals = with_locals(game);
    let session = Session::new(&with_locals, limits.clone());
    let small = asked.map(|asked| asked.min(session.fitting_size(SMALL, 100 * SMALL)));
    let (sought_to, table) = session.outcomes_in_box(convention, small, SMALL, LARGEST_CHOSEN)?;
    let sample = Sample::new(game, &session, &table)?;
    let p_positions = sample.count(&sample.p_positions);
    let mut found = Conjectures {
        sought_to,
        compared_to: sought_to,
        p_positions: p_positions as usize,
        found: Vec::new(),
        refuted: Vec::new(),
    };
    if p_positions == 0 || p_positions as usize == sample.len {
        return Ok(found);
    }
    let relations = sample.relations(&session)?;
    let (compared_to, table) = session.outcomes_in_box(convention, asked, LARGE, LARGEST_CHOSEN)?;
    found.compared_to = compared_to.max(sought_to);
    let mut is_true = |direction, words: String| -> Result<bool, SolveError> {
        let relation = match direction {
            Direction::Iff => "iff",
            Direction::If => "if",
            Direction::OnlyIf => "only if",
        };
        let misere = match convention {
            Convention::Normal => "",
            Convention::Misere => "misere ",
        };
        let claim = format!("{misere}P {relation} {words}");
        let Some(condition) = parse_condition(&words)
            .ok()
            .and_then(|tree| condition_in(game, &tree, &words).ok())
        else {
            return Ok(false);
        };
        let statement = Statement::Outcome {
            class: Class::P,
            consistent: false,
            up_to_symmetry: false,
            direction,
            condition,
        };
        match check(session.solver(), &statement, &table, limits)? {
            ClaimStatus::Refuted(counterexample) => {
                found.refuted.push(RefutedConjecture {
                    claim,
                    counterexample,
                });
                Ok(false)
            }
            ClaimStatus::Holds { .. } | ClaimStatus::Proved { .. } => {
                found.found.push(Conjecture {
                    claim,
                    holds_to: compared_to,
                });
                Ok(true)
            }
            ClaimStatus::Fails { .. } | ClaimStatus::Unknown { .. } => Ok(false),
        }
    };
    for words in relations
        .equal_to(&sample)
        .into_iter()
        .chain(sample.cases())
    {
        if is_true(Direction::Iff, words)? {
            return Ok(found);
        }
    }
    for (direction, relations) in [
        (Direction::OnlyIf, &relations.necessary),
        (Direction::If, &relations.sufficient),
    ] {
        for relation in sample.joined(relations, direction) {
            is_true(direction, unbracketed(&relation.words))?;
        }
    }
    Ok(found)
}

/// Conditions that hold at the P-positions of a small box and nowhere else in it, the plainest
/// first, and the box.
///
/// # Errors
///
/// A fault in the rule, or a limit.
pub(super) fn describing(
    game: &Game,
    convention: Convention,
    limits: &Limits,
) -> Result<(u64, Vec<String>), SolveError> {
    let with_locals = with_locals(game);
    let session = Session::new(&with_locals, limits.clone());
    let (most, table) = session.outcomes_in_box(convention, None, SMALL, LARGEST_CHOSEN)?;
    let sample = Sample::new(game, &session, &table)?;
    let relations = sample.relations(&session)?;
    let mut all = relations.exact.clone();
    let joined = relations.equal_to(&sample).into_iter();
    for words in joined.chain(sample.cases()) {
        if !all.contains(&words) {
            all.push(words);
        }
    }
    Ok((most, all))
}

/// The game with as many local variables as conditions need.
pub(super) fn with_locals(game: &Game) -> Game {
    let mut with_locals = game.clone();
    with_locals.rule.slots += MORE_LOCALS;
    with_locals
}

/// A set of positions of the sample, by their places.
type Bits = Vec<u64>;

/// The positions of the small box.
struct Sample {
    len: usize,
    /// All positions.
    all: Bits,
    p_positions: Bits,
    /// The terms that have a value at each position, with these values.
    terms: Vec<(String, Vec<i64>)>,
    /// The valuations of other terms, which have none where the term is 0.
    valuations: Vec<Valuation>,
}

/// A relation between terms and the positions at which it holds.
#[derive(Debug, Clone)]
struct Related {
    words: String,
    holds: Bits,
}

/// The relations that hold at all P-positions, and those that hold at P-positions only; of
/// those with the same positions, the shortest.
#[derive(Debug, Default)]
struct Relations {
    /// The words of all relations that hold at the P-positions and nowhere else.
    exact: Vec<String>,
    necessary: Vec<Related>,
    sufficient: Vec<Related>,
}

impl Relations {
    /// The conditions that hold at the P-positions and nowhere else: a relation, several joined
    /// by `and`, several joined by `or`.
    fn equal_to(&self, sample: &Sample) -> Vec<String> {
        let exact = self.necessary.iter();
        let exact = exact.filter(|relation| relation.holds == sample.p_positions);
        let mut found: Vec<String> = exact.take(1).map(|one| unbracketed(&one.words)).collect();
        for (direction, relations, word) in [
            (Direction::OnlyIf, &self.necessary, " and "),
            (Direction::If, &self.sufficient, " or "),
        ] {
            let joined = sample.joined(relations, direction);
            let all = joined.iter().fold(None, |all: Option<Bits>, one| {
                let Some(all) = all else {
                    return Some(one.holds.clone());
                };
                let pairs = all.iter().zip(&one.holds);
                Some(match direction {
                    Direction::OnlyIf => pairs.map(|(a, b)| a & b).collect(),
                    _ => pairs.map(|(a, b)| a | b).collect(),
                })
            });
            if joined.len() > 1 && all.as_ref() == Some(&sample.p_positions) {
                let words: Vec<&str> = joined.iter().map(|one| one.words.as_str()).collect();
                found.push(words.join(word));
            }
        }
        found
    }
}

impl Sample {
    fn new(game: &Game, session: &Session<'_>, table: &Table) -> Result<Sample, SolveError> {
        let limits = session.limits();
        let mut positions = Vec::new();
        let mut is_p = Vec::new();
        for entry in table.entries(&[]) {
            positions.push(entry.position);
            is_p.push(entry.outcome == Outcome::P);
        }
        let mut terms = Vec::new();
        for words in terms_of(game) {
            limits.check_time()?;
            let number = parse_condition(&words)
                .ok()
                .and_then(|tree| number_in(game, &tree, &words).ok());
            if let Some(values) = number.and_then(|number| values(session, &number, &positions)) {
                terms.push((words, values));
            }
        }
        let valuations = terms.iter().filter_map(Valuation::new).collect();
        Ok(Sample {
            valuations,
            len: positions.len(),
            all: bits(positions.iter().map(|_| true)),
            p_positions: bits(is_p.into_iter()),
            terms,
        })
    }

    fn count(&self, bits: &Bits) -> u32 {
        bits.iter().map(|word| word.count_ones()).sum()
    }

    /// The relations between terms, and of terms with constants and their remainders, that
    /// are necessary or sufficient.
    fn relations(&self, session: &Session<'_>) -> Result<Relations, SolveError> {
        let mut best: BTreeMap<Bits, (usize, String)> = BTreeMap::new();
        let mut exact = Vec::new();
        // Of two relations of the same length, that with the plainer sign is the shorter one.
        let mut add = |signs: usize, words: String, holds: Bits| {
            let new = (words.len() + signs, words);
            if holds == self.p_positions {
                exact.push((new.0, unbracketed(&new.1)));
            }
            if best.get(&holds).is_none_or(|old| new < *old) {
                best.insert(holds, new);
            }
        };
        let constants: Vec<(String, Vec<i64>)> = (0..=LARGEST_CONSTANT)
            .map(|constant| (constant.to_string(), vec![constant; self.len]))
            .collect();
        for (place, (left, left_values)) in self.terms.iter().enumerate() {
            session.limits().check_time()?;
            let others = constants.iter().chain(&self.terms[place + 1..]);
            for (right, right_values) in others {
                let pairs = || left_values.iter().zip(right_values);
                let orders: [(&str, Bits); 6] = [
                    ("==", bits(pairs().map(|(a, b)| a == b))),
                    ("<=", bits(pairs().map(|(a, b)| a <= b))),
                    (">=", bits(pairs().map(|(a, b)| a >= b))),
                    ("<", bits(pairs().map(|(a, b)| a < b))),
                    (">", bits(pairs().map(|(a, b)| a > b))),
                    ("!=", bits(pairs().map(|(a, b)| a != b))),
                ];
                for (signs, (order, holds)) in orders.into_iter().enumerate() {
                    if self.is_related(&holds) {
                        add(signs, format!("{left} {order} {right}"), holds);
                    }
                }
            }
            let bracketed = bracketed(left);
            for modulus in 2..=LARGEST_MODULUS {
                for rest in 0..modulus {
                    let holds = bits(left_values.iter().map(|a| a.rem_euclid(modulus) == rest));
                    if self.is_related(&holds) {
                        add(0, format!("{bracketed} mod {modulus} == {rest}"), holds);
                    }
                }
                let holds = bits(left_values.iter().map(|a| a.rem_euclid(modulus) != 0));
                if self.is_related(&holds) {
                    add(0, format!("{bracketed} mod {modulus} != 0"), holds);
                }
            }
        }
        for (place, one) in self.valuations.iter().enumerate() {
            session.limits().check_time()?;
            for (words, defined, holds) in one.relations(&self.valuations[place + 1..]) {
                let guarded = holds.iter().zip(&defined).map(|(a, b)| a & b).collect();
                if self.is_related(&guarded) {
                    add(1, words.guarded(), guarded);
                }
                let everywhere = holds.iter().zip(&defined).zip(&self.all);
                let or_zero = everywhere.map(|((holds, defined), all)| holds | all & !defined);
                let or_zero = or_zero.collect();
                if self.is_related(&or_zero) {
                    add(1, words.or_zero(), or_zero);
                }
            }
        }
        exact.sort();
        let mut relations = Relations {
            exact: exact.into_iter().map(|(_, words)| words).collect(),
            ..Relations::default()
        };
        let mut sorted: Vec<Related> = best
            .into_iter()
            .map(|(holds, (_, words))| Related { words, holds })
            .collect();
        sorted.sort_by(|one, other| {
            (one.words.len(), &one.words).cmp(&(other.words.len(), &other.words))
        });
        for relation in sorted {
            if self.is_necessary(&relation.holds) {
                relations.necessary.push(relation.clone());
            }
            if self.is_sufficient(&relation.holds) {
                relations.sufficient.push(relation);
            }
        }
        Ok(relations)
    }

    /// The conditions `if max(heaps) >= t then … else …` that hold at the P-positions and nowhere
    /// else: what misère play is like, where large heaps are played as in normal play and the
    /// small ones by a parity. The cases are terms with a constant value or remainder.
    fn cases(&self) -> Vec<String> {
        let Some((largest, sizes)) = self.terms.iter().find(|(words, _)| words == LARGEST) else {
            return Vec::new();
        };
        let mut plain: Vec<Related> = Vec::new();
        for (words, values) in &self.terms {
            let mut add = |words: String, holds: &dyn Fn(i64) -> bool| {
                let holds = bits(values.iter().map(|value| holds(*value)));
                plain.push(Related { words, holds });
            };
            for constant in 0..=LARGEST_CONSTANT {
                add(format!("{words} == {constant}"), &|value| value == constant);
            }
            let bracketed = bracketed(words);
            for modulus in 2..=LARGEST_MODULUS {
                for rest in 0..modulus {
                    add(format!("{bracketed} mod {modulus} == {rest}"), &|value| {
                        value.rem_euclid(modulus) == rest
                    });
                }
            }
        }
        plain.sort_by(|one, other| {
            (one.words.len(), &one.words).cmp(&(other.words.len(), &other.words))
        });
        let mut found = Vec::new();
        for threshold in CASES {
            // The plainest that hold at the P-positions of the case and nowhere else in it.
            let of_case = |is_large: bool| -> Vec<&Related> {
                let case = bits(sizes.iter().map(|size| (*size >= threshold) == is_large));
                let agrees = |relation: &&Related| {
                    let all = relation.holds.iter().zip(&self.p_positions).zip(&case);
                    all.clone()
                        .all(|((holds, p), case)| (holds ^ p) & case == 0)
                        && all.clone().any(|((_, p), case)| p & case != 0)
                };
                plain.iter().filter(agrees).take(MOST_OF_A_CASE).collect()
            };
            let (large, small) = (of_case(true), of_case(false));
            for then in &large {
                for otherwise in &small {
                    let (then, otherwise) = (&then.words, &otherwise.words);
                    if then != otherwise {
                        found.push(format!(
                            "if {largest} >= {threshold} then {then} else {otherwise}"
                        ));
                    }
                }
            }
        }
        found
    }

    fn is_necessary(&self, holds: &Bits) -> bool {
        (self.p_positions.iter().zip(holds)).all(|(p, holds)| p & !holds == 0)
    }

    fn is_sufficient(&self, holds: &Bits) -> bool {
        (self.p_positions.iter().zip(holds)).all(|(p, holds)| holds & !p == 0)
    }

    /// Whether a relation is necessary or sufficient, and neither always true nor hardly ever.
    fn is_related(&self, holds: &Bits) -> bool {
        let count = self.count(holds);
        (count as usize) < self.len
            && (self.is_necessary(holds) || count >= LEAST_HITS && self.is_sufficient(holds))
    }

    /// A few necessary relations that exclude as many positions together as all do, or
    /// sufficient ones that have as many P-positions, none of which can be left out. Each is
    /// the one that adds most for its length.
    fn joined(&self, relations: &[Related], direction: Direction) -> Vec<Related> {
        let is_necessary = direction == Direction::OnlyIf;
        // What a relation decides: the positions that it excludes, or the P-positions it has.
        let decided = |relation: &Related| -> Bits {
            match is_necessary {
                true => {
                    let pairs = self.all.iter().zip(&relation.holds);
                    pairs.map(|(all, holds)| all & !holds).collect()
                }
                false => relation.holds.clone(),
            }
        };
        let sets: Vec<Bits> = relations.iter().map(decided).collect();
        let new = |set: &Bits, done: &Bits| -> u32 {
            let pairs = set.iter().zip(done);
            pairs.map(|(set, done)| (set & !done).count_ones()).sum()
        };
        let mut chosen: Vec<usize> = Vec::new();
        let mut done = vec![0; self.p_positions.len()];
        while chosen.len() < MOST_JOINED {
            let worth = |place: &usize| {
                let added = u64::from(new(&sets[*place], &done));
                // Positions for each letter, in thousandths; the shortest of equal ones.
                let length = relations[*place].words.len() as u64;
                (added * 1000 / length, std::cmp::Reverse(*place))
            };
            let Some(best) = (0..sets.len()).max_by_key(worth) else {
                break;
            };
            if new(&sets[best], &done) == 0 {
                break;
            }
            for (done, set) in done.iter_mut().zip(&sets[best]) {
                *done |= set;
            }
            chosen.push(best);
        }
        // The longest that the others make superfluous is left out first.
        let mut by_length = chosen.clone();
        by_length.sort_by_key(|place| std::cmp::Reverse(relations[*place].words.len()));
        for place in by_length {
            let mut others = vec![0; self.p_positions.len()];
            for other in chosen.iter().filter(|other| **other != place) {
                for (all, set) in others.iter_mut().zip(&sets[*other]) {
                    *all |= set;
                }
            }
            if new(&sets[place], &others) == 0 {
                chosen.retain(|other| *other != place);
            }
        }
        chosen.sort_unstable();
        chosen
            .into_iter()
            .map(|place| relations[place].clone())
            .collect()
    }
}

/// A term before `mod`.
fn bracketed(words: &str) -> String {
    match words.contains(" - ") || words.contains(" + ") || words.contains('^') {
        true => format!("({words})"),
        false => words.to_owned(),
    }
}

/// A disjunction alone needs no brackets. No other relation is in brackets.
fn unbracketed(words: &str) -> String {
    let inner = words.strip_prefix('(').and_then(|w| w.strip_suffix(')'));
    let inner = inner.filter(|inner| inner.contains(" or "));
    inner.unwrap_or(words).to_owned()
}

/// The places at which a condition holds; the bits beyond the last are 0.
fn bits(holds: impl Iterator<Item = bool>) -> Bits {
    let mut bits = Vec::new();
    for (place, holds) in holds.enumerate() {
        if place % 64 == 0 {
            bits.push(0);
        }
        if let Some(last) = bits.last_mut() {
            *last |= u64::from(holds) << (place % 64);
        }
    }
    bits
}

/// The values of a term at all positions; `None` if it has none at some position.
fn values(session: &Session<'_>, number: &Expr<Num>, positions: &[Vec<u64>]) -> Option<Vec<i64>> {
    let game = session.game();
    let mut locals = vec![0; game.slots];
    let of_one = |position: &Vec<u64>| number.eval(&mut environment(position, &mut locals, game));
    let values: Result<Vec<i64>, _> = positions.iter().map(of_one).collect();
    values.ok()
}

/// The terms that are compared: those of all heaps and, unless all heaps are interchangeable,
/// single heaps, their sums and their nim-sums in pairs; and states.
fn terms_of(game: &Game) -> Vec<String> {
    let heaps = &game.heap_names[..];
    let is_named = !heaps.is_empty();
    let pile = ["h", "x", "pile", "heap_"];
    let pile = pile
        .into_iter()
        .find(|name| !heaps.iter().any(|heap| heap == name));
    let pile = pile.unwrap_or("heap_");
    let first_state = if is_named { game.first_state() } else { 0 };
    let mut terms = Vec::new();
    if first_state != 1 {
        terms.extend(["sum(heaps)", "xor(heaps)", LARGEST, "min(heaps)"].map(str::to_owned));
        terms.extend(
            [
                "sum(heaps) - max(heaps)",
                "max(heaps) - min(heaps)",
                "wythoff(max(heaps) - min(heaps))",
                "carryless(3, heaps)",
                "carryless(2, heaps, 3)",
            ]
            .map(str::to_owned),
        );
        terms.push(format!("count({pile} in heaps where {pile} > 0)"));
        terms.push(format!("count({pile} in heaps where {pile} mod 2 == 1)"));
    }
    if !is_named {
        terms.push("size(heaps)".to_owned());
        // What claims about any number of heaps count.
        terms.extend((4..=5).map(|modulus| format!("carryless(2, heaps, {modulus})")));
        terms.extend((4..=5).map(|base| format!("carryless({base}, heaps)")));
        terms.extend(
            (3..=7).map(|modulus| format!("xor({pile} mod {modulus} for {pile} in heaps)")),
        );
        return terms;
    }
    let classes = game.facts.symmetries.interchangeable();
    let are_alike = classes.iter().any(|class| class.len() >= first_state) && first_state > 1;
    if are_alike {
        terms.extend_from_slice(&heaps[first_state..]);
        return terms;
    }
    terms.extend_from_slice(heaps);
    let pairs = (0..first_state).flat_map(|one| (one + 1..first_state).map(move |two| (one, two)));
    for (one, two) in pairs {
        for sign in ["^", "+"] {
            if terms.len() < MOST_TERMS {
                terms.push(format!("{} {sign} {}", heaps[one], heaps[two]));
            }
        }
    }
    terms
}
