//! JSON answers, version 1. The format is stable: fields may be added, never changed.

use super::answer::{Answer, Basis, Unanswered};
use super::bound::BoundReport;
use super::claim::{ClaimReport, Evidence, Verdict};
use super::reason::{Reason, ReasonOfSide};
use super::words;
use nimrule_claim::worked::{DigitSum, Part, Value as Worked};
use nimrule_claim::{Counterexample, PositionFact};
use nimrule_engine::{BySide, Label, Region, SideOutcome};
use nimrule_model::game::{Convention, Game, ParamValue, PositionKind, Side};
use nimrule_model::position::Position;
use nimrule_prove::numbers::{NoNumbers, SetNumbers};
use nimrule_real::{Position as RealPosition, Violation, Witness};
use num_bigint::BigUint;
use serde_json::{Map, Value, json};

/// The first fields of every answer about a game.
pub fn head(game: &Game) -> Map<String, Value> {
    let mut head = Map::new();
    head.insert("version".to_owned(), json!(1));
    head.insert("game".to_owned(), json!(game.name));
    head.insert("params".to_owned(), params(game));
    head
}

/// The values of the states that a box covers, `{"place":[1,5]}`, if the game has states.
pub fn states(head: &mut Map<String, Value>, game: &Game, region: &Region) {
    let Region::Box(shape) = region else { return };
    let named = game.heap_names.iter().zip(&shape.most);
    let states = named.skip(game.first_state()).zip(&game.states);
    let covered: Map<_, _> = states
        .filter(|(_, state)| !state.is_token)
        .map(|((name, most), state)| (name.clone(), json!([state.low, most])))
        .collect();
    if !covered.is_empty() {
        head.insert("states".into(), covered.into());
    }
}

/// The values of the parameters, by name.
pub fn params(game: &Game) -> Value {
    game.params
        .iter()
        .map(|(name, value)| {
            let value = match value {
                ParamValue::Number(number) => json!(number),
                ParamValue::Numbers(numbers) | ParamValue::List(numbers) => json!(numbers),
                ParamValue::InfiniteSet(_, words) | ParamValue::Code(words) => json!(words),
                ParamValue::Open => json!(value.written()),
            };
            (name.clone(), value)
        })
        .collect::<Map<_, _>>()
        .into()
}

/// A position: the sizes of the heaps in order, those beyond 64 bits as strings; for a
/// multiset with kinds an object for each heap, `{"ring":7}`, and for each state of a multiset
/// one, `{"last":2}`; for tokens their vertices,
/// each as a number, a word, or a list of coordinates.
pub fn position(game: &Game, position: &Position) -> Value {
    match position.small() {
        Some(small) => small_position(game, small),
        None => position.numbers().iter().map(number).collect(),
    }
}

/// [`position`] of numbers that engines read.
pub fn small_position(game: &Game, position: &[u64]) -> Value {
    match &game.position_kind {
        // The states come after the heaps.
        PositionKind::Multiset(kinds) => position
            .iter()
            .filter(|heap| kinds.state(**heap).is_none())
            .chain(position.iter().filter(|heap| kinds.state(**heap).is_some()))
            .map(|heap| {
                let (size, kind) = kinds.decode(*heap);
                match (kinds.state(*heap), kinds.names.get(kind)) {
                    (Some((state, value)), _) => json!({ kinds.states[state].0.as_str(): value }),
                    (None, Some(name)) => json!({ name.as_str(): size }),
                    (None, None) => json!(size),
                }
            })
            .collect(),
        PositionKind::Heaps
        | PositionKind::Reals
        | PositionKind::Tokens(_)
        | PositionKind::Open(_) => {
            let numbers = position.iter().enumerate();
            numbers.map(|(place, n)| vertex(game, place, *n)).collect()
        }
    }
}

/// The vertex of a token, or another number of a position.
fn vertex(game: &Game, place: usize, number: u64) -> Value {
    let digraph = game
        .digraph_of(place)
        .filter(|digraph| !digraph.has_numbers());
    match digraph.and_then(|digraph| Some((digraph, digraph.state(number)?))) {
        Some((digraph, state)) if !digraph.coordinates().is_empty() => json!(digraph.values(state)),
        Some((digraph, state)) => json!(digraph.shown(state)),
        None => json!(number),
    }
}

/// Whether an answer depends on the bound of the positions: the field `bound`.
pub fn bound(game: &Game, bound: &BoundReport) -> Value {
    let excluded = bound
        .excluded
        .as_ref()
        .map(|(from, to)| json!({"from": position(game, from), "to": position(game, to)}));
    let mut found = json!({"excluded": excluded, "matters": bound.matters});
    if let Some(ended) = &bound.ended {
        found["ended"] = json!(ended);
    }
    found
}

/// A number of any size: as a JSON number up to 64 bits, else as a string.
pub fn number(number: &BigUint) -> Value {
    match u64::try_from(number) {
        Ok(small) => json!(small),
        Err(_) => json!(number.to_string()),
    }
}

/// The numbers of a set of P-positions: the field `numbers`, or why there are none.
pub fn set_numbers(numbers: &Result<SetNumbers, NoNumbers>) -> Value {
    let numbers = match numbers {
        Ok(numbers) => numbers,
        Err(why) => return json!({"reason": why.to_string()}),
    };
    let SetNumbers {
        numeration,
        invariant,
        counts,
        ..
    } = numbers;
    let below = (0..counts.first.len() as u32).map(|m| number(&numeration.worth(m).into()));
    let coefficients = counts.recurrence.iter().map(|by| match i64::try_from(by) {
        Ok(small) => json!(small),
        Err(_) => json!(by.to_string()),
    });
    json!({
        "invariant": {"entries": invariant.entries, "minimal": invariant.minimal},
        "below": below.collect::<Vec<_>>(),
        "p_positions": counts.first.iter().map(number).collect::<Vec<_>>(),
        "recurrence": coefficients.collect::<Vec<_>>(),
        "rate": counts.rate,
        "exponent": numbers.exponent(),
    })
}

/// The winning moves; if they are incomplete, the field is null and
/// `winning_moves_found` has those that were found.
pub fn winning_moves(fields: &mut Map<String, Value>, moves: Value, all: bool) {
    if all {
        fields.insert("winning_moves".to_owned(), moves);
    } else {
        fields.insert("winning_moves".to_owned(), Value::Null);
        fields.insert("winning_moves_found".to_owned(), moves);
    }
}

/// The claim or proof that an answer rests on; no fields for an engine.
pub fn basis(basis: &Basis) -> Map<String, Value> {
    let mut fields = Map::new();
    if !matches!(basis, Basis::Engine(_)) {
        fields.insert("basis".to_owned(), json!(basis.extent()));
        if let Some(claim) = basis.claim() {
            fields.insert("claim".to_owned(), json!(claim));
        }
    }
    fields
}

impl Answer {
    /// The fields of the answer.
    pub fn as_json(&self, game: &Game) -> Map<String, Value> {
        let mut fields = Map::new();
        let is_proof = matches!(self.basis, Basis::Proof(_));
        fields.insert("convention".into(), json!(self.convention.word()));
        fields.insert("position".into(), position(game, &self.position));
        fields.insert("outcome".into(), json!(self.outcome.to_string()));
        fields.insert("grundy".into(), json!(self.grundy));
        if let Some(of_value) = &self.grundy_basis {
            fields.insert("grundy_basis".into(), json!(of_value.extent()));
            fields.insert("grundy_claim".into(), json!(of_value.claim()));
        }
        if let Some(options) = &self.loopy {
            fields.insert("loopy".into(), json!(options));
        }
        match &self.by_side {
            None => {
                let found = &self.moves.found;
                let moves: Value = found.iter().map(|to| position(game, to)).collect();
                winning_moves(&mut fields, moves, is_proof || self.has_all_moves());
                let words = found
                    .iter()
                    .map(|to| words::change(game, &self.position, to));
                fields.insert("moves_in_words".into(), words.collect());
            }
            Some(turns) => {
                by_side(game, turns, &mut fields);
                fields.insert("remoteness".into(), remoteness(turns));
            }
        }
        if is_proof {
            fields.insert("one_a_selection".into(), json!(!self.has_all_moves()));
        }
        fields.insert("method".into(), json!(self.basis.method()));
        fields.extend(basis(&self.basis));
        fields
    }
}

impl Unanswered {
    /// The fields of an answer about a position whose outcome is unknown.
    pub fn as_json(
        &self,
        game: &Game,
        position: &Position,
        convention: Convention,
    ) -> Map<String, Value> {
        let mut fields = Map::new();
        fields.insert("convention".into(), json!(convention.word()));
        fields.insert("position".into(), self::position(game, position));
        fields.insert("outcome".into(), json!("unknown"));
        fields.insert("grundy".into(), json!(null));
        fields.insert("winning_moves".into(), json!(null));
        fields.insert("method".into(), json!(null));
        let tried = self.methods().into_iter();
        let tried: Vec<_> = tried
            .map(|(by, why)| json!({"by": by, "why": why}))
            .collect();
        fields.insert("tried".into(), json!(tried));
        fields
    }
}

impl ClaimReport {
    /// The verdict in a word.
    pub fn standing(&self) -> &'static str {
        match &self.verdict {
            Verdict::Proved(_) => "proved",
            Verdict::Holds { .. } => "holds",
            Verdict::Fails { .. } if self.stated.is_some() => "not refuted",
            Verdict::Refuted(_) | Verdict::RefutedOfReals(_) | Verdict::Fails { .. } => "refuted",
            Verdict::Contradicted(_) => "contradicted",
            Verdict::Unsupported(_) => "outside",
            Verdict::Undecided { .. } => "undecided",
            Verdict::Unknown { .. } => "unknown",
            Verdict::Elsewhere => "elsewhere",
        }
    }

    /// The report as an object: `claim`, `standing`, and what belongs to the standing.
    pub fn as_json(&self, game: &Game) -> Map<String, Value> {
        let mut fields = Map::new();
        fields.insert("claim".into(), json!(self.claim));
        fields.insert("standing".into(), json!(self.standing()));
        let mut put = |name: &str, value: Value| fields.insert(name.to_owned(), value);
        match &self.verdict {
            Verdict::Proved(evidence) => {
                put("theorem", json!(evidence.theorem()));
                match evidence {
                    Evidence::Theorem { by, .. } => {
                        put("by", json!(by));
                    }
                    Evidence::Automaton(proof) => {
                        put("by", json!(words::automaton(proof)));
                        put("states", json!(proof.states));
                        put("checked", json!(proof.checked));
                        put("verified", json!(proof.certificate.is_some()));
                    }
                    Evidence::AnyNumber(proof) => {
                        put("by", json!(proof.words()));
                        put("states", json!(proof.states));
                        put("cutoff", json!(proof.cutoff));
                        put("checked", json!(proof.checked));
                        put("verified", json!(proof.certificate.is_some()));
                    }
                    Evidence::Stored { states } => {
                        put("by", json!(words::recognised("P-positions", *states)));
                        put("states", json!(states));
                    }
                    Evidence::Reals(proof) => {
                        let scales = proof.scales.iter();
                        let scales: Map<String, Value> = scales
                            .map(|scale| (scale.heap.clone(), json!(scale.measure)))
                            .collect();
                        put("scales", scales.into());
                        put("checked", json!(proof.checked));
                    }
                }
            }
            Verdict::Holds { to, by } => {
                put("to", json!(to));
                if let Some(by) = by {
                    put("by", json!(by));
                }
                if let Some(steps) = self.no_proof_in {
                    // About as many seconds.
                    put("no_proof_in", json!(steps.seconds()));
                    put("no_proof_in_steps", json!(steps.0));
                }
            }
            Verdict::Refuted(found) => fields.extend(counterexample(game, found)),
            Verdict::RefutedOfReals(found) => fields.extend(real_counterexample(found)),
            Verdict::Contradicted(found) => {
                put("counterexample", small_position(game, &found.position));
            }
            Verdict::Fails { why } => {
                if let Some(stated) = &self.stated {
                    put("counterexample", small_position(game, &stated.at));
                }
                put("why", json!(why));
            }
            Verdict::Unknown { why } => {
                put("why", json!(why));
            }
            Verdict::Unsupported(unsupported) => {
                let place = unsupported.place();
                put("reason", json!(unsupported.what));
                put("code", json!(unsupported.code_name()));
                let at = place.map(|at| json!({"offset": at.offset(), "length": at.len()}));
                put("at", json!(at));
            }
            Verdict::Undecided { why } => {
                put("limit", json!(why));
            }
            Verdict::Elsewhere => {}
        }
        fields
    }
}

fn counterexample(game: &Game, found: &Counterexample) -> Map<String, Value> {
    let mut fields = Map::new();
    let at = small_position(game, &found.position);
    fields.insert("counterexample".into(), at);
    fields.insert("actual".into(), fact(&found.actual));
    fields.insert("claimed".into(), fact(&found.claimed));
    fields
}

fn fact(fact: &PositionFact) -> Value {
    match fact {
        fact @ (PositionFact::Outcome(_) | PositionFact::Not(_)) => json!(fact.to_string()),
        PositionFact::Grundy(value) => json!(value),
        PositionFact::Words(words) => json!(words),
    }
}

fn real_counterexample(found: &Witness) -> Map<String, Value> {
    let mut fields = Map::new();
    fields.insert("counterexample".into(), real_position(&found.position));
    fields.insert("why".into(), json!(found.words()));
    let option = match &found.violation {
        Violation::MoveToP(option) => real_position(option),
        Violation::NoMoveToP | Violation::TerminalP | Violation::NotFromP | Violation::FromP(_) => {
            Value::Null
        }
    };
    fields.insert("option".into(), option);
    if let Violation::FromP(from) = &found.violation {
        fields.insert("from".into(), real_position(from));
    }
    fields
}

/// The sizes as fractions; if only their measures are known, an object from
/// measures to values.
fn real_position(position: &RealPosition) -> Value {
    let sizes = position.sizes.iter().map(ToString::to_string);
    match &position.measured {
        None => sizes.collect(),
        Some(words) => words.iter().cloned().zip(sizes.map(Value::from)).collect(),
    }
}

/// The outcome with either player to move, as fields.
fn by_side(game: &Game, turns: &BySide, fields: &mut Map<String, Value>) {
    by_side_with(turns, fields, &|option: &Vec<u64>| {
        small_position(game, option)
    });
}

/// The outcome with either player to move, as fields; `shown_as` converts a move.
pub fn by_side_with<M>(
    turns: &BySide<M>,
    fields: &mut Map<String, Value>,
    shown_as: &dyn Fn(&M) -> Value,
) {
    for (side, turn) in turns.each() {
        let of_side = of_side(turn, shown_as);
        match side {
            None => fields.extend(of_side),
            Some(side) => {
                let mut named = Map::new();
                named.insert("result".into(), json!(words::result(turn)));
                named.extend(of_side);
                fields.insert(side.word().into(), named.into());
            }
        }
    }
}

fn of_side<M>(turn: &SideOutcome<M>, shown_as: &dyn Fn(&M) -> Value) -> Map<String, Value> {
    let moves = |wanted: bool| -> Value {
        let kept = turn.moves.iter().filter(|_| wanted);
        kept.map(|(option, _)| shown_as(option)).collect()
    };
    let wins = matches!(turn.label, Label::Win(_));
    let mut fields = Map::new();
    fields.insert("length".into(), json!(turn.label.remoteness()));
    fields.insert("winning_moves".into(), moves(wins));
    if wins {
        let lengths: Vec<_> = turn.moves.iter().map(|(_, moves)| moves).collect();
        fields.insert("lengths".into(), json!(lengths));
    }
    if turn.label == Label::Draw {
        fields.insert("drawing_moves".into(), moves(true));
    }
    fields
}

/// The remoteness: a number, null for a draw, or an object with that of each player to
/// move.
fn remoteness<M>(turns: &BySide<M>) -> Value {
    match turns {
        BySide::Same(turn) => json!(turn.label.remoteness()),
        BySide::Sides { left, right } => json!({
            "left": left.label.remoteness(),
            "right": right.label.remoteness(),
        }),
    }
}

impl Reason {
    /// The fields of the reason.
    pub fn as_json(&self, game: &Game) -> Map<String, Value> {
        let answer = &self.answer;
        let mut fields = Map::new();
        fields.insert("convention".into(), json!(answer.convention.word()));
        fields.insert("position".into(), position(game, &answer.position));
        fields.insert("outcome".into(), json!(answer.outcome.to_string()));
        fields.insert("method".into(), json!(answer.basis.method()));
        fields.extend(basis(&answer.basis));
        let claims = self.claims.iter().map(|claim| {
            let worked = &claim.worked;
            let parts: Vec<_> = worked.parts.iter().map(part).collect();
            let image = worked.image.as_ref();
            json!({
                "claim": claim.words,
                "value": worked_value(worked.value),
                "image": image.map(|image| small_position(game, image)),
                "parts": parts,
            })
        });
        fields.insert("claims".into(), claims.collect());
        if let Some(sum) = &self.heaps {
            fields.insert("heaps".into(), digit_sum(sum));
        }
        let sides: Vec<_> = self.sides.iter().map(|side| side.as_json(game)).collect();
        fields.insert("to_move".into(), sides.into());
        fields
    }
}

impl ReasonOfSide {
    fn as_json(&self, game: &Game) -> Value {
        let moves = self.moves.iter().map(|one| {
            let reply = one.reply.as_ref().map(|(to, words, then)| {
                json!({
                    "to": position(game, to),
                    "words": words,
                    "then": then.as_ref().map(|then| then.as_json(game)),
                })
            });
            json!({
                "to": position(game, &one.to),
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
            "summary": self.summary(),
            "moves": moves.collect::<Vec<_>>(),
            "omitted": self.omitted,
            "complete": !self.more,
        })
    }
}

fn worked_value(value: Worked) -> Value {
    match value {
        Worked::Truth(truth) => json!(truth),
        Worked::Number(number) => json!(number),
    }
}

fn digit_sum(sum: &DigitSum) -> Value {
    let terms = sum.terms.iter();
    let terms: Vec<_> = terms
        .map(|(words, value)| json!({"term": words, "value": value}))
        .collect();
    json!({"base": sum.base, "modulus": sum.modulus, "terms": terms, "sum": sum.sum})
}

fn part(part: &Part) -> Value {
    let sums = part.digit_sums.iter().map(digit_sum);
    json!({
        "depth": part.depth,
        "words": part.words,
        "value": worked_value(part.value),
        "sides": part.sides.map(|(left, right)| [left, right]),
        "sums": sums.collect::<Vec<_>>(),
    })
}
