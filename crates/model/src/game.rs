//! The checked rule of a game, and the facts about it.
//!
//! A [`Rule`] is what the text says, the output of elaboration; a [`Game`] is a rule with
//! the [`Facts`] that the analysis derives from it. All names are resolved and all
//! parameters have values; another value gives another rule from the same text. Moves and
//! claims remain expression trees over heaps and slots, so that they can be evaluated,
//! analysed and translated to formulas.

use crate::digraph::Digraph;
use crate::expr::bounds::{Interval, IntervalEnvironment, Truth};
use crate::expr::{Bool, Environment, Expr, HeapId, List, Num, OfKind, Pick, Picked, Set, Slot};
use crate::group::Group;
use crate::source::{Source, Span};
use itertools::Itertools;
use nimrule_board::shrinking::ShrinkingBoard;
use nimrule_board::symmetry::Symmetries;
use nimrule_board::{Board, CellKind};
use std::borrow::Cow;
use std::ops::Deref;
use std::sync::Arc;

pub use nimrule_relation::{Class, Side};

/// A checked rule at given values of its parameters: what the text says.
#[derive(Debug, Clone)]
pub struct Rule {
    /// The source text, to which the spans of expressions refer.
    pub text: Arc<Source>,
    /// The name of the game, as in `game nim`.
    pub name: String,
    /// What the file tells a reader.
    pub presentation: Presentation,
    /// The parameters in the order of their declaration, each with its name and value.
    pub params: Vec<(String, ParamValue)>,
    /// The board, if the file has the statement `board`.
    pub board: Option<Board>,
    /// The kind of the cells of the board that heaps are on, and the index of the
    /// heap on the first of these cells; the heaps on the others follow in order.
    pub heaps_on: Option<(CellKind, usize)>,
    /// The shrinking board, if the board is one.
    pub shrinking: Option<ShrinkingBoard>,
    /// The names of the heaps or tokens; empty if positions are multisets.
    pub heap_names: Vec<String>,
    /// The heaps with indices, and those with coordinates.
    pub groups: Vec<Group>,
    /// The largest size of a heap, if `of size` gives one.
    pub largest_size: Option<u64>,
    /// The states: the last numbers of a position, which are no heaps. Those of tokens
    /// beside heaps or states come first.
    pub states: Vec<State>,
    /// The digraph of the tokens among the states.
    pub tokens_on: Option<Arc<Digraph>>,
    /// What the numbers of a position are.
    pub position_kind: PositionKind,
    /// The condition of `positions where`, which every option must satisfy.
    pub positions: Option<Expr<Bool>>,
    /// The alternatives of the rule.
    pub moves: Vec<Move>,
    /// `positions may repeat`: the game is loopy, play need not end. In a [`Game`] false if
    /// play ends nevertheless.
    pub may_repeat: bool,
    /// The numbers of `play ends by`; empty without the statement.
    pub ends_by: Vec<Expr<Num>>,
    /// The number of options that the opponent may forbid before each move; 0 in most
    /// games.
    pub blocked_options: u32,
    /// The claims in the order of the file.
    pub claims: Vec<Claim>,
    /// The examples in the order of the file.
    pub examples: Vec<Example>,
    /// The places of statements about the end of play.
    pub places: Places,
    /// The number of slots of local variables that the expressions use.
    pub slots: usize,
    /// The number of selections that the expressions use.
    pub picks: usize,
}

/// What the file tells a reader, without a meaning for play.
#[derive(Debug, Clone, Default)]
pub struct Presentation {
    /// The title: what papers call the game.
    pub title: Option<String>,
    /// The references of `source`.
    pub sources: Vec<String>,
    /// The texts of `note`.
    pub notes: Vec<String>,
    /// A one-line description of the heaps, `a heap on each face: a b c A B C`.
    pub heaps_line: String,
    /// The largest heap that `suggest max` recommends for tables.
    pub suggest_max: Option<u64>,
    /// The position of `start`, encoded as [`PositionKind`] describes.
    pub start: Option<Vec<u64>>,
    /// How pictures show the heaps, if `shown as` says it.
    pub view: Option<View>,
}

impl Presentation {
    /// The last square of the strips of `shown as strip` where the farthest coin is on this
    /// square.
    pub fn last_square(&self, farthest: u64) -> u64 {
        const MOST: u64 = 24;
        let suggested = self.suggest_max.filter(|last| *last <= MOST);
        farthest.max(suggested.unwrap_or(8))
    }
}

/// How a picture shows the heaps: `shown as …`. Heaps are given by their indices.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum View {
    /// Each heap is a coin on the square of a strip that its size numbers, from 0; the coins
    /// of each strip.
    Strip(Vec<Vec<usize>>),
    /// Two heaps are a bar of chocolate: it has the squares (i, j) that are positions, where
    /// i is at most the first size and j at most the second.
    Bar,
    /// Each heap is a row of squares.
    Rows,
    /// Each heap is a stalk with an edge for each token; the heap on whose top it stands, or
    /// `None` for the ground.
    Tree(Vec<Option<usize>>),
    /// The Hasse diagram of an order of the heaps: the pairs of a heap and one next above it.
    Order(Vec<(usize, usize)>),
}

/// The places of statements, for errors of the analysis.
#[derive(Debug, Clone, Copy, Default)]
pub struct Places {
    /// The first line of the statement that gives the digraph of sliding tokens.
    pub digraph: Option<Span>,
    /// `positions may repeat`.
    pub may_repeat: Option<Span>,
    /// `play ends by`.
    pub ends_by: Option<Span>,
}

/// What is derived from a rule.
#[derive(Debug, Clone)]
pub struct Facts {
    /// Symmetries of the heaps that preserve board and rule.
    pub symmetries: Symmetries,
    /// Why play ends, if positions may not repeat.
    pub termination: TerminationMeasure,
}

impl Facts {
    /// No facts: no symmetry but the identity, and no termination measure. Engines answer as
    /// with all facts, more slowly; provers refuse the rule.
    pub fn none(rule: &Rule) -> Facts {
        Facts {
            symmetries: Symmetries::trivial(rule.heap_names.len()),
            termination: TerminationMeasure::default(),
        }
    }
}

/// A rule with the facts about it. The fields of the rule are those of the game too.
#[derive(Debug, Clone)]
pub struct Game {
    /// What the text says.
    pub rule: Rule,
    /// What was derived from it.
    pub facts: Facts,
}

impl Game {
    /// Whether the condition of `positions where` holds of these numbers. Where it has no
    /// value there is no position.
    pub fn allows(&self, numbers: &[u64]) -> bool {
        let holds = self.positions.as_ref().map(|condition| {
            condition.eval(&mut Environment {
                position: numbers,
                kinds: &[],
                locals: &mut vec![0; self.slots],
                picks: &[],
                amounts: &[],
                symmetries: &self.facts.symmetries,
                steps: 0,
            })
        });
        holds.is_none_or(|holds| holds.unwrap_or(false))
    }
}

impl Game {
    /// The title with the values of the parameters.
    pub fn heading(&self) -> String {
        let title = self.presentation.title.as_ref().unwrap_or(&self.name);
        let params = self.params.iter();
        let params: Vec<String> = params
            .map(|(name, value)| format!("{name} = {}", value.written()))
            .collect();
        match params.is_empty() {
            true => title.clone(),
            false => format!("{title}, {}", params.join(", ")),
        }
    }

    /// The multiset of heaps in which a move takes from one heap as a move of this game, whose
    /// number of heaps is open, takes from each.
    pub fn with_moves_of_one_heap(&self) -> Game {
        let mut game = self.clone();
        game.rule.position_kind = PositionKind::Multiset(HeapKinds {
            names: Vec::new(),
            states: Vec::new(),
        });
        for step in game
            .rule
            .moves
            .iter_mut()
            .flat_map(|mover| &mut mover.steps)
        {
            if let Members::Multiset { number, .. } = &mut step.action.selection_mut().members {
                *number = Number::Some { least: 1, most: 1 };
            }
        }
        game
    }

    /// A game with an open number of heaps at one number: moves, and the claims of outcomes and
    /// values.
    pub fn at_number_of_heaps(&self, count: usize) -> Game {
        let mut game = self.clone();
        let heaps: Vec<HeapId> = (0..count).map(HeapId::new).collect();
        let rule = &mut game.rule;
        rule.position_kind = PositionKind::Heaps;
        rule.heap_names = (1..=count).map(|heap| format!("h{heap}")).collect();
        for step in rule.moves.iter_mut().flat_map(|mover| &mut mover.steps) {
            let selection = step.action.selection_mut();
            if let Members::Multiset {
                number: Number::AllBut(alone),
                ..
            } = selection.members
            {
                let most = count.saturating_sub(alone);
                let sets = (1..=most).flat_map(|size| heaps.iter().copied().combinations(size));
                selection.members = Members::Listed(sets.collect());
            }
        }
        for claim in &mut rule.claims {
            claim.at_number_of_heaps(&heaps);
        }
        game.facts = Facts {
            symmetries: Symmetries::trivial(count),
            termination: TerminationMeasure {
                levels: vec![vec![1; count]],
                ..TerminationMeasure::default()
            },
        };
        game
    }
}

impl Claim {
    /// The claim about a multiset of heaps as one about these.
    pub fn at_number_of_heaps(&mut self, heaps: &[HeapId]) {
        match &mut self.statement {
            Some(Statement::Outcome { condition, .. }) => condition.node.with_heaps(heaps),
            Some(Statement::Grundy(value)) => value.node.with_heaps(heaps),
            _ => {}
        }
    }
}

impl Deref for Game {
    type Target = Rule;

    fn deref(&self) -> &Rule {
        &self.rule
    }
}

impl Rule {
    /// The number of heaps or tokens; 0 if positions are multisets.
    pub fn heap_count(&self) -> usize {
        self.heap_names.len()
    }

    /// A position that shows what the game is: the start, or of the examples that apply here
    /// the one with the most tokens and no heap above 12, or else the first one.
    pub fn illustration(&self) -> Option<&[u64]> {
        let applies = |example: &&Example| example.applies != Applies::Elsewhere;
        let examples = || self.examples.iter().filter(applies);
        let size = |example: &&Example| {
            let (sizes, _) = self.sizes_and_kinds(&example.position);
            let is_small = sizes.iter().all(|size| *size <= 12);
            is_small.then(|| sizes.iter().sum::<u64>())
        };
        let with_size = examples().filter_map(|example| Some((size(&example)?, example)));
        // Of several with the most tokens the first.
        let largest = with_size.rev().max_by_key(|(size, _)| *size);
        let largest = largest.map(|(_, example)| example);
        let start = self.presentation.start.as_deref();
        start.or_else(|| Some(&largest.or_else(|| examples().next())?.position))
    }

    /// The number of heaps that are no states; the states come after them.
    pub fn first_state(&self) -> usize {
        self.heap_count() - self.states.len()
    }

    /// The states, also those of a multiset.
    pub fn states_of_any_kind(&self) -> Vec<State> {
        match &self.position_kind {
            PositionKind::Multiset(kinds) => kinds.states.iter().map(|(_, state)| *state).collect(),
            _ => self.states.clone(),
        }
    }

    /// The number of heaps and tokens; the states that are no tokens come after them.
    pub fn first_named_state(&self) -> usize {
        let named = self.states.iter().filter(|state| !state.is_token);
        self.heap_count() - named.count()
    }

    /// The largest numbers of the positions of the box to `most`: `most` for a heap, and
    /// for a state as [`State::bound`] says.
    pub fn box_to(&self, most: u64) -> Vec<u64> {
        let states = self.states.iter().map(|state| state.bound(most));
        std::iter::repeat_n(most, self.first_state())
            .chain(states)
            .collect()
    }

    /// The number of the box with these largest numbers: the largest of a heap.
    pub fn box_bound(&self, largest: &[u64]) -> u64 {
        largest[..self.first_state()]
            .iter()
            .copied()
            .max()
            .unwrap_or(0)
    }

    /// The states with the values that a box covers, as a phrase: `place in 1..5`; empty
    /// without states.
    pub fn states_of_box(&self, largest: &[u64]) -> String {
        let states = self.heap_names.iter().zip(largest).skip(self.first_state());
        let covered = states
            .zip(&self.states)
            .map(|((name, most), state)| match state.is_token {
                true if state.high == Some(*most) => format!("{name} on every vertex"),
                true => format!("{name} on vertices to {most}"),
                false => format!("{name} in {}..{most}", state.low.min(*most)),
            });
        covered.collect::<Vec<_>>().join(", ")
    }

    /// The first move that the same player may or must move again after. What is read from
    /// single moves then says nothing of the options of a position.
    pub fn moves_again(&self) -> Option<&Move> {
        self.moves.iter().find(|mover| mover.again.is_some())
    }

    /// Whether the game is partizan: some move belongs to one side only.
    pub fn has_sides(&self) -> bool {
        self.moves.iter().any(|mover| mover.side.is_some())
    }

    /// The source text of each alternative of the rule.
    pub fn move_words(&self) -> impl Iterator<Item = &str> {
        self.moves.iter().map(|mover| mover.words.as_str())
    }

    /// The outcome classes that positions of this game may have.
    pub fn outcomes(&self) -> impl Iterator<Item = Class> + use<> {
        let (sided, may_repeat) = (self.has_sides(), self.may_repeat);
        let all = [Class::P, Class::N, Class::L, Class::R, Class::D];
        all.into_iter().filter(move |class| match class {
            Class::P | Class::N => true,
            Class::L | Class::R => sided,
            Class::D => may_repeat,
        })
    }

    /// Why positions have no Grundy values; `None` if they have. Only impartial
    /// games in which play ends and every option may be chosen have Grundy values
    /// (Sprague 1935, Grundy 1939).
    pub fn no_grundy_values(&self) -> Option<&'static str> {
        if self.has_sides() {
            Some("each side has moves of its own")
        } else if self.may_repeat {
            Some("positions may repeat")
        } else if self.blocked_options > 0 {
            Some("the opponent may block options")
        } else {
            None
        }
    }

    /// A position in the syntax of the language.
    pub fn shown(&self, position: &[u64]) -> String {
        match &self.position_kind {
            PositionKind::Open(_) => {
                let numbers: Vec<String> = position.iter().map(u64::to_string).collect();
                format!("({})", numbers.join(","))
            }
            PositionKind::Heaps | PositionKind::Reals | PositionKind::Tokens(_) => {
                let numbers = position.iter().enumerate();
                let numbers = numbers.map(|(place, number)| self.shown_number(place, *number));
                self.shown_numbers(&numbers.collect::<Vec<_>>())
            }
            PositionKind::Multiset(kinds) => {
                let (mut heaps, mut states) = (Vec::new(), Vec::new());
                for heap in position {
                    let (size, kind) = kinds.decode(*heap);
                    match (kinds.state(*heap), kinds.names.get(kind)) {
                        (Some((state, value)), _) => {
                            states.push(format!("{}={value}", kinds.states[state].0));
                        }
                        (None, Some(name)) => heaps.push(format!("{name} {size}")),
                        (None, None) => heaps.push(size.to_string()),
                    }
                }
                let heaps = match kinds.names.is_empty() || heaps.is_empty() {
                    true => format!("{{{}}}", heaps.join(",")),
                    false => heaps.join(" "),
                };
                states.insert(0, heaps);
                states.join(" ")
            }
        }
    }

    /// The numbers of a position that is no multiset in the syntax of the language: those of
    /// heaps and tokens in their order, and then the states by name, `(3,4; at 2)`.
    pub fn shown_numbers(&self, numbers: &[String]) -> String {
        let (unnamed, states) = numbers.split_at(self.first_named_state().min(numbers.len()));
        let names = self.heap_names.iter().skip(unnamed.len());
        let states: Vec<String> = names
            .zip(states)
            .map(|(name, value)| format!("{name} {value}"))
            .collect();
        match states.is_empty() {
            true => format!("({})", unnamed.join(",")),
            false => format!("({}; {})", unnamed.join(","), states.join(", ")),
        }
    }

    /// A number of a position that is no multiset: the size of a heap, the value of a state,
    /// or the vertex of a token.
    pub fn shown_number(&self, place: usize, number: u64) -> String {
        let digraph = self.digraph_of(place);
        match digraph.and_then(|digraph| Some((digraph, digraph.state(number)?))) {
            Some((digraph, state)) => digraph.shown(state),
            None => number.to_string(),
        }
    }

    /// The digraph of the token that has this place in a position; `None` for the size of a
    /// heap, and for the value of a state.
    pub fn digraph_of(&self, place: usize) -> Option<&Arc<Digraph>> {
        match &self.position_kind {
            PositionKind::Tokens(digraph) => Some(digraph),
            _ => {
                let state = self.states.get(place.checked_sub(self.first_state())?)?;
                self.tokens_on.as_ref().filter(|_| state.is_token)
            }
        }
    }

    /// The digraph of a game in which a position is nothing but the vertices of its tokens.
    pub fn digraph(&self) -> Option<&Arc<Digraph>> {
        match &self.position_kind {
            PositionKind::Tokens(digraph) => Some(digraph),
            _ => None,
        }
    }

    /// The number of tokens of a position: the sum of the sizes of its heaps.
    pub fn tokens(&self, position: &[u64]) -> u128 {
        if let PositionKind::Multiset(kinds) = &self.position_kind {
            let heaps = position.iter().filter(|heap| kinds.state(**heap).is_none());
            return heaps.map(|heap| u128::from(kinds.decode(*heap).0)).sum();
        }
        position.iter().map(|size| u128::from(*size)).sum()
    }

    /// The key by which positions are compared where the *smallest* one is promised: the
    /// number of tokens, then lexicographic order. All positions of tokens on a digraph
    /// have the same number of tokens.
    pub fn size_key<'p>(&self, position: &'p [u64]) -> (u128, &'p [u64]) {
        let tokens = match self.position_kind {
            PositionKind::Tokens(_) => 0,
            _ => self.tokens(position),
        };
        (tokens, position)
    }

    /// The sizes of a position's heaps, and, for a multiset with kinds, the kind
    /// of each heap.
    pub fn sizes_and_kinds<'p>(&self, position: &'p [u64]) -> (Cow<'p, [u64]>, Vec<usize>) {
        match &self.position_kind {
            PositionKind::Multiset(kinds)
                if !kinds.names.is_empty() || !kinds.states.is_empty() =>
            {
                let (sizes, kinds): (Vec<u64>, Vec<usize>) =
                    position.iter().map(|heap| kinds.decode(*heap)).unzip();
                (Cow::Owned(sizes), kinds)
            }
            _ => (Cow::Borrowed(position), Vec::new()),
        }
    }

    /// The heaps in their order.
    pub fn heaps(&self) -> impl Iterator<Item = HeapId> + use<> {
        (0..self.heap_names.len()).map(HeapId::new)
    }
}

/// A state: a number of a position that is no heap. So is the vertex of a token beside heaps
/// or states.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct State {
    /// The smallest value.
    pub low: u64,
    /// The largest value; `None` if the range is infinite.
    pub high: Option<u64>,
    /// The value of a position that does not name one.
    pub initial: Option<u64>,
    /// Whether this is the vertex of a token.
    pub is_token: bool,
}

impl State {
    /// The largest value up to which a finite range is whole in every box.
    const MAX_WHOLE: u64 = 4096;

    /// The largest value in the box to `most`: that of the range if it is finite;
    /// otherwise `most`, but no less than the smallest and the initial value. A range
    /// beyond `MAX_WHOLE` counts as infinite, because no box of it fits.
    pub fn bound(&self, most: u64) -> u64 {
        match self.high {
            Some(high) if high <= State::MAX_WHOLE => high,
            high => {
                let least = self.initial.unwrap_or(0).max(self.low);
                most.max(least).min(high.unwrap_or(u64::MAX))
            }
        }
    }
}

/// What the numbers of a position are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PositionKind {
    /// The sizes of the heaps, in their order.
    Heaps,
    /// The vertices on which the tokens are, each by its number: see
    /// [`crate::digraph`].
    Tokens(Arc<Digraph>),
    /// The heaps of a multiset, encoded as [`HeapKinds`] describes.
    Multiset(HeapKinds),
    /// Real sizes. Provers accept such a game, engines refuse it.
    Reals,
    /// A parameter that is left open says how many heaps there are, at least this many. Empty
    /// heaps count, and no heap has a name. Provers accept such a game, engines refuse it.
    Open(usize),
}

/// The kinds of heaps in a multiset; a single kind without a name if the rule
/// declares none.
///
/// A position is the ascending list of the codes of its nonempty heaps. The code
/// of a heap is its size times the number of kinds, plus the index of its kind;
/// with a single kind this is the size itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeapKinds {
    /// The names of the kinds; empty if there is a single kind without a name.
    pub names: Vec<String>,
    /// The states, with their names. In a position a state is one more heap, of a kind of its
    /// own: the kinds of states come after those of heaps, and the size is the value plus 1.
    pub states: Vec<(String, State)>,
}

impl HeapKinds {
    /// The number of kinds, at least 1, with those of states.
    pub fn count(&self) -> u64 {
        (self.of_heaps() + self.states.len()) as u64
    }

    /// The number of kinds of heaps, at least 1.
    pub fn of_heaps(&self) -> usize {
        self.names.len().max(1)
    }

    /// The kinds of heaps.
    pub fn heaps(&self) -> OfKind {
        match self.states.is_empty() {
            true => OfKind::Any,
            false => OfKind::First(self.of_heaps()),
        }
    }

    /// The index and the value of the state that this code stands for; `None` for a heap.
    pub fn state(&self, heap: u64) -> Option<(usize, u64)> {
        let (size, kind) = self.decode(heap);
        Some((kind.checked_sub(self.of_heaps())?, size.saturating_sub(1)))
    }

    /// The code of a state that has a value.
    pub fn encode_state(&self, state: usize, value: u64) -> u64 {
        self.encode(value + 1, self.of_heaps() + state)
    }

    /// The positions with these heaps and each combination of the values of the states in
    /// the box to `most`.
    pub fn with_states(&self, heaps: &[u64], most: u64) -> Vec<Vec<u64>> {
        let mut positions = vec![heaps.to_vec()];
        for (index, (_, state)) in self.states.iter().enumerate() {
            let values = state.low..=state.bound(most);
            positions = itertools::iproduct!(positions, values)
                .map(|(mut position, value)| {
                    position.push(self.encode_state(index, value));
                    position
                })
                .collect();
        }
        for position in &mut positions {
            position.sort_unstable();
        }
        positions
    }

    /// The code of a heap.
    pub fn encode(&self, size: u64, kind: usize) -> u64 {
        size * self.count() + kind as u64
    }

    /// The size and the kind of the heap with this code.
    pub fn decode(&self, heap: u64) -> (u64, usize) {
        let kinds = self.count();
        (heap / kinds, (heap % kinds) as usize)
    }
}

/// The value of a parameter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ParamValue {
    /// A number.
    Number(i64),
    /// A finite set, ascending, without duplicates.
    Numbers(Vec<i64>),
    /// A list, in the order written.
    List(Vec<i64>),
    /// An octal code.
    Code(String),
    /// An infinite set, and its source text.
    InfiniteSet(Expr<Set>, String),
    /// Every number of its range, for a parameter that says how many heaps there are.
    Open,
}

/// How a parameter is set to [`ParamValue::Open`].
pub const OPEN: &str = "any";

impl ParamValue {
    /// The value in the syntax of the language.
    pub fn written(&self) -> String {
        match self {
            ParamValue::Number(value) => value.to_string(),
            ParamValue::Numbers(values) => {
                let members: Vec<_> = values.iter().map(i64::to_string).collect();
                format!("{{{}}}", members.join(","))
            }
            ParamValue::List(values) => {
                let items: Vec<_> = values.iter().map(i64::to_string).collect();
                format!("({})", items.join(","))
            }
            ParamValue::Code(code) => format!("\"{code}\""),
            ParamValue::InfiniteSet(_, words) => words.clone(),
            ParamValue::Open => OPEN.to_owned(),
        }
    }

    /// The value as a set: a number as the set that contains it, an octal code and what is
    /// left open as the empty set.
    pub fn as_set(&self) -> Expr<Set> {
        match self {
            ParamValue::Number(value) => Set::Items(vec![Num::Const(*value).into()]).into(),
            ParamValue::Numbers(values) | ParamValue::List(values) => {
                Set::Items(values.iter().map(|v| Num::Const(*v).into()).collect()).into()
            }
            ParamValue::Code(_) | ParamValue::Open => Set::Items(Vec::new()).into(),
            ParamValue::InfiniteSet(set, _) => set.clone(),
        }
    }
}

/// The termination measure: why play ends.
///
/// The measure of a position is the list of its weighted totals, one for each
/// level of weights. Every move lowers it lexicographically. For a multiset
/// the measure is the number of tokens, or the multiset itself. There are no levels if positions may
/// repeat, or if tokens slide along the arcs of an acyclic digraph.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TerminationMeasure {
    /// The weights of the heaps, by level. A negative weight is that of a heap whose
    /// size `positions where` bounds.
    pub levels: Vec<Vec<i64>>,
    /// The numbers that the file names instead of weights, in lexicographic order. No
    /// number is negative where a move can be made.
    pub named: Vec<Expr<Num>>,
    /// Whether a move may keep the number of tokens; it then raises the number
    /// of heaps.
    pub more_heaps: bool,
    /// The order of the heaps of a multiset, if the measure is their multiset and not the number
    /// of tokens: every move replaces some of them by smaller ones, or changes no heap and lowers
    /// the states (Dershowitz and Manna 1979).
    pub order: Option<HeapOrder>,
    /// Whether the measure of a token is not its number, but the length of the longest path
    /// from its vertex, because the digraph is acyclic. Without levels every move slides a
    /// token.
    pub acyclic: bool,
}

/// A well-founded order of the heaps of a multiset: the lexicographic order of the level of
/// the kind, the size, and the rank of the kind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeapOrder {
    /// The level and the rank of each kind.
    pub kinds: Vec<(usize, usize)>,
}

impl HeapOrder {
    /// Whether a heap is smaller in this order if and only if it has a smaller size.
    pub fn is_by_size(&self) -> bool {
        self.kinds.iter().all(|kind| *kind == (0, 0))
    }

    /// The key by which heaps are compared.
    pub fn key(&self, size: u64, kind: usize) -> (usize, u64, usize) {
        let (level, rank) = self.kinds.get(kind).copied().unwrap_or_default();
        (level, size, rank)
    }
}

/// One alternative of a move: conditions, choices of numbers, and steps.
#[derive(Debug, Clone)]
pub struct Move {
    /// The side that may make the move; `None` for both.
    pub side: Option<Side>,
    /// The name of the move, if the file gives one.
    pub name: Option<String>,
    /// The source text.
    pub words: String,
    /// The place of the alternative.
    pub span: Span,
    /// The condition of `when`, evaluated in the position before the move.
    pub when: Option<Expr<Bool>>,
    /// The numbers of `for some`, chosen before the steps.
    pub choices: Vec<ForSome>,
    /// The steps, in the order in which they are made.
    pub steps: Vec<Step>,
    /// Whether the same player must move again; the turn ends with this move if absent.
    pub again: Option<Again>,
}

/// What follows a move in the same turn. The move is then a part of a turn: the relation of
/// the rule is that of whole turns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Again {
    /// Another move.
    Must,
    /// Another move, or the turn ends.
    May,
}

/// The choice of a number: `for some x in SET where COND`.
#[derive(Debug, Clone)]
pub struct ForSome {
    /// The slot that is bound to the number.
    pub slot: Slot,
    /// The name of the number.
    pub name: String,
    /// The set that the number is chosen from.
    pub set: Expr<Set>,
    /// The condition of `where` on the number.
    pub condition: Option<Expr<Bool>>,
    /// The source text.
    pub words: String,
    /// The cutoff of an infinite set.
    pub cutoff: Option<Cutoff>,
}

/// The cutoff of an infinite set: the parts of a move that depend on a number
/// chosen from it. From some number on these parts are constant, so that larger
/// numbers give the same options and need not be enumerated.
#[derive(Debug, Clone)]
pub struct Cutoff {
    /// Conditions that read the number. They must become always or never true.
    pub conditions: Vec<Expr<Bool>>,
    /// Amounts and bounds of amounts that read the number. They must exceed every
    /// heap or fall below 1.
    pub amounts: Vec<Expr<Num>>,
    /// Numbers chosen from other sets, which may have any value.
    pub others: Vec<Slot>,
}

impl Cutoff {
    /// A number from which on the options of a position with `tokens` tokens do
    /// not change, found by doubling. `None` if there is none within 64 bits or
    /// the interval analysis does not prove one.
    pub fn number(&self, slot: Slot, slots: usize, tokens: u64) -> Option<i64> {
        let tokens = i128::from(tokens);
        let mut from = tokens + 1;
        for _ in 0..40 {
            let mut known = IntervalEnvironment::new(slots, Interval::new(0, tokens));
            known.set_all_locals(Interval::new(-tokens, tokens));
            for other in &self.others {
                known.set_local(*other, Interval::ALL);
            }
            known.total = Interval::new(1, tokens.max(1));
            known.set_local(slot, Interval::from(from));
            let conditions_settled = self
                .conditions
                .iter()
                .all(|c| known.clone().truth(c) != Truth::Sometimes);
            let amounts_settled = self.amounts.iter().all(|n| {
                let value = known.num(n);
                value.low > tokens || value.high < 1
            });
            if conditions_settled && amounts_settled {
                return i64::try_from(from).ok();
            }
            from = from.checked_mul(2)?;
        }
        None
    }
}

/// A step of a move: an action, repeated `least` to `most` times.
#[derive(Debug, Clone)]
pub struct Step {
    /// The smallest number of repetitions.
    pub least: u64,
    /// The largest number of repetitions.
    pub most: u64,
    /// What each repetition does.
    pub action: Action,
    /// The source text.
    pub words: String,
    /// The place of the step.
    pub span: Span,
}

/// What a step does.
#[derive(Debug, Clone)]
pub enum Action {
    /// Tokens are taken from heaps; what is left of a heap may be divided.
    Take {
        /// The numbers of tokens.
        amount: Amount,
        /// The heaps.
        from: Selection,
        /// How the rest of the one heap selected is divided; not at all if absent.
        leaving: Option<Leaving>,
        /// The condition of `where`.
        condition: Option<Expr<Bool>>,
    },
    /// The same number of tokens is put on each heap selected.
    Put {
        /// The numbers of tokens that may be put on a heap.
        amount: Expr<Set>,
        /// The heaps.
        on: Selection,
        /// The condition of `where`.
        condition: Option<Expr<Bool>>,
    },
    /// Each heap selected gets a new size.
    Set {
        /// The heaps.
        what: Selection,
        /// The local variable bound to the size of the heap before the step.
        size: Slot,
        /// The local variable bound to the number of the heap, the first being 1, if the
        /// new size reads it.
        heap: Option<Slot>,
        /// The new size.
        value: Expr<Num>,
        /// The condition of `where`.
        condition: Option<Expr<Bool>>,
    },
    /// Each token selected moves along an arc.
    Slide {
        /// The tokens.
        what: Selection,
        /// The condition of `where`.
        condition: Option<Expr<Bool>>,
    },
    /// The tokens of a heap are divided into several nonempty heaps.
    Split {
        /// The heap.
        what: Selection,
        /// The heaps that it is divided into.
        parts: Parts,
        /// The condition of `where` on the sizes of the parts.
        condition: Option<Expr<Bool>>,
    },
    /// A heap is replaced by heaps of any sizes.
    Replace {
        /// The heap.
        what: Selection,
        /// The numbers chosen, one after another: each is a member of its set that is not
        /// negative.
        names: Vec<(Slot, Expr<Set>)>,
        /// The heaps in its place; the first of them has its name.
        by: Vec<NewHeaps>,
        /// The condition of `where` on the numbers chosen.
        condition: Option<Expr<Bool>>,
    },
}

/// The heaps into which a heap is split.
#[derive(Debug, Clone)]
pub enum Parts {
    /// One heap for each slot, which is bound to its size.
    Named(Vec<Slot>),
    /// Heaps without names.
    Counted(Leaving),
    /// Two or more heaps without names, whose sizes the condition reads as the list of
    /// amounts, in ascending order.
    Any,
}

/// Some of the heaps by which a step replaces a heap.
#[derive(Debug, Clone)]
pub struct NewHeaps {
    /// Their number, none if it is negative; one if absent.
    pub count: Option<Expr<Num>>,
    /// The size of each; there is no heap if it is 0.
    pub size: Expr<Num>,
    /// Their kind; `None` for the kind of the heap replaced.
    pub kind: Option<usize>,
}

/// The number and kind of the nonempty heaps into which the rest of a heap is
/// divided.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Leaving {
    /// The smallest number of heaps.
    pub least: u64,
    /// The largest number of heaps.
    pub most: u64,
    /// The kind of the new heaps; `None` for the kind of the heap itself.
    pub kind: Option<usize>,
}

impl Action {
    /// The heaps or tokens on which the action operates.
    pub fn selection(&self) -> &Selection {
        match self {
            Action::Take { from, .. } => from,
            Action::Put { on, .. } => on,
            Action::Set { what, .. }
            | Action::Split { what, .. }
            | Action::Replace { what, .. }
            | Action::Slide { what, .. } => what,
        }
    }

    /// [`Action::selection`], to be changed.
    pub fn selection_mut(&mut self) -> &mut Selection {
        match self {
            Action::Take { from, .. } => from,
            Action::Put { on, .. } => on,
            Action::Set { what, .. }
            | Action::Split { what, .. }
            | Action::Replace { what, .. }
            | Action::Slide { what, .. } => what,
        }
    }

    /// The condition of `where`.
    pub fn condition(&self) -> Option<&Expr<Bool>> {
        match self {
            Action::Take { condition, .. }
            | Action::Put { condition, .. }
            | Action::Set { condition, .. }
            | Action::Split { condition, .. }
            | Action::Replace { condition, .. }
            | Action::Slide { condition, .. } => condition.as_ref(),
        }
    }
}

/// The amounts that a step takes from the heaps it selects.
#[derive(Debug, Clone)]
pub struct Amount {
    /// How the amount is distributed over several heaps.
    pub share: Share,
    /// The numbers that may be taken from a heap; `None` for any number.
    pub numbers: Option<Expr<Set>>,
    /// The local variable bound to the total amount, or to the amount from each
    /// heap if the shares are equal.
    pub bound: Option<Slot>,
}

/// How an amount is distributed over the heaps selected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Share {
    /// An amount for each heap, which may be 0, and at least one token in total.
    HeapByHeap,
    /// The same positive amount from each heap.
    Equal,
}

/// The selection of a step: the player chooses one of the sets of heaps.
#[derive(Debug, Clone)]
pub struct Selection {
    /// The sets of heaps.
    pub members: Members,
    /// The index under which later steps refer to the heaps selected.
    pub pick: Pick,
    /// The source text.
    pub words: String,
    /// The place of the selection.
    pub span: Span,
}

/// The sets of heaps from which a selection chooses one.
#[derive(Debug, Clone)]
pub enum Members {
    /// These sets of heaps, each ascending.
    Listed(Vec<Vec<HeapId>>),
    /// Sets of heaps that remain on a shrinking board at the start of the step.
    Remaining(RemainingSets),
    /// Heaps of a multiset, of one kind if one is given.
    Multiset {
        /// The number of heaps to select.
        number: Number,
        /// Their kinds.
        kind: OfKind,
    },
    /// The set that an earlier step selected.
    Picked(Pick),
    /// The sets that belong to the single heap that an earlier step selected: its
    /// neighbours, or the heaps on one side of it.
    Relative {
        /// The earlier selection.
        to: Pick,
        /// The sets that belong to each heap, each ascending.
        sets: Arc<[Vec<Vec<HeapId>>]>,
    },
    /// The heap with this index, counted from `first`.
    At {
        /// The heaps that the index selects from.
        heaps: Vec<HeapId>,
        /// The index of the first of them.
        first: i64,
        /// The index.
        index: Expr<Num>,
    },
    /// Sets whose number of heaps, or of members of a family, depends on the position.
    Counted(CountedSets),
}

/// The sets of each number of heaps, of which the position gives the number.
#[derive(Debug, Clone)]
pub struct CountedSets {
    /// The earlier selection of the single heap to which the sets belong, if they belong to
    /// a heap.
    pub to: Option<Pick>,
    /// The number.
    pub count: Expr<Num>,
    /// Whether a number beyond the last is the last.
    pub clips: bool,
    /// The sets of the numbers 0, 1, …, each ascending: for each heap if they belong to one,
    /// else once.
    pub sets: Arc<[Vec<Vec<Vec<HeapId>>>]>,
}

impl CountedSets {
    /// The sets of a number, of the heap to which they belong; none if there are no such
    /// sets, as for a number below 1.
    pub fn of(&self, heap: Option<HeapId>, count: i64) -> &[Vec<HeapId>] {
        let by_count = &self.sets[heap.map_or(0, HeapId::index)];
        let last = by_count.len().saturating_sub(1);
        match usize::try_from(count) {
            Ok(count) if self.clips => by_count.get(count.min(last)),
            Ok(count) => by_count.get(count),
            Err(_) => None,
        }
        .map_or(&[], Vec::as_slice)
    }

    /// The numbers that have the sets with an index: one, or all from the last on.
    pub fn counts(&self, index: usize, heap: Option<HeapId>) -> (i64, Option<i64>) {
        let is_last = index + 1 == self.sets[heap.map_or(0, HeapId::index)].len();
        let index = index as i64;
        (index, (!(self.clips && is_last)).then_some(index))
    }

    /// All sets, whatever the number and the heap.
    pub fn all(&self) -> impl Iterator<Item = &Vec<HeapId>> {
        self.sets.iter().flatten().flatten()
    }
}

impl Members {
    /// Whether every set is a single heap, given whether the sets that earlier
    /// steps selected are single heaps.
    pub fn is_one_heap(&self, is_one_heap: impl Fn(Pick) -> bool) -> bool {
        match self {
            Members::Listed(sets) => sets.iter().all(|set| set.len() == 1),
            Members::Remaining(left) => left.widest() == 1,
            Members::Multiset { number, .. } => matches!(number, Number::Some { most: 1, .. }),
            Members::Picked(earlier) => is_one_heap(*earlier),
            Members::At { .. } => true,
            Members::Relative { sets, .. } => sets.iter().flatten().all(|set| set.len() == 1),
            Members::Counted(counted) => counted.all().all(|set| set.len() == 1),
        }
    }

    /// The single heaps among which the step chooses at every position; `None`
    /// if they depend on the position or a set has several heaps. An empty heap
    /// of a shrinking board is included: nothing can be taken from it.
    pub fn single_heaps(&self) -> Option<&[Vec<HeapId>]> {
        let sets = match self {
            Members::Listed(sets) => sets,
            Members::Remaining(RemainingSets {
                family: SetFamily::Listed(sets),
                number: Number::Some { least: 1, most: 1 },
                ..
            }) => sets,
            Members::Remaining(_)
            | Members::Multiset { .. }
            | Members::Picked(_)
            | Members::Relative { .. }
            | Members::At { .. }
            | Members::Counted(_) => {
                return None;
            }
        };
        sets.iter().all(|set| set.len() == 1).then_some(sets)
    }
}

/// The sets of heaps that may be selected on a shrinking board: the unions of
/// `number` distinct members of a family of sets. The sets consist of remaining
/// heaps: heaps of the board that are not empty, and heaps that are not on the
/// board.
#[derive(Debug, Clone)]
pub struct RemainingSets {
    /// The board.
    pub board: ShrinkingBoard,
    /// The family whose members are united.
    pub family: SetFamily,
    /// The number of members that are united.
    pub number: Number,
}

/// A family of sets of heaps on a shrinking board.
#[derive(Debug, Clone)]
pub enum SetFamily {
    /// The sets of `least` to `most` consecutive heaps among the remaining heaps
    /// of the board; the set of all of them if there are no more.
    Consecutive {
        /// The smallest number of heaps.
        least: usize,
        /// The largest number of heaps.
        most: usize,
    },
    /// The intersections of these sets with the remaining heaps, without the
    /// empty set and without duplicates.
    Listed(Vec<Vec<HeapId>>),
}

impl RemainingSets {
    /// The sets of heaps that may be selected at a position, each ascending.
    pub fn members(&self, position: &[u64]) -> Vec<Picked> {
        let family: Vec<Picked> = match &self.family {
            SetFamily::Consecutive { least, most } => {
                let remaining = self.board.remaining(position);
                self.board.consecutive(&remaining, *least, *most)
            }
            SetFamily::Listed(sets) => {
                let remaining = |set: &Vec<HeapId>| -> Picked {
                    let heaps = set.iter().copied();
                    let remaining = heaps.filter(|heap| self.board.remains(*heap, position));
                    remaining.collect()
                };
                let mut family: Vec<Picked> = sets.iter().map(remaining).collect();
                family.retain(|set| !set.is_empty());
                if sets.iter().any(|set| set.len() > 1) {
                    let mut seen = std::collections::BTreeSet::new();
                    family.retain(|set| seen.insert(set.clone()));
                }
                family
            }
        };
        let (least, most) = match self.number {
            Number::Some { least: 1, most: 1 } => return family,
            Number::Some { least, most } => (least.max(1), most.min(family.len())),
            Number::All => (family.len().max(1), family.len()),
            Number::AllBut(alone) => (1, family.len().saturating_sub(alone)),
        };
        let mut unions = Vec::new();
        for chosen in least..=most {
            for sets in family.iter().combinations(chosen) {
                let mut union: Picked = sets.into_iter().flatten().copied().collect();
                union.sort_unstable();
                union.dedup();
                unions.push(union);
            }
        }
        if family.iter().any(|set| set.len() > 1) {
            // Unions of different members may be equal.
            unions.sort_unstable();
            unions.dedup();
        }
        unions
    }

    /// All heaps that may be selected at some position.
    pub fn heaps(&self) -> Vec<HeapId> {
        match &self.family {
            SetFamily::Consecutive { .. } => self.board.places().map(HeapId::new).collect(),
            SetFamily::Listed(sets) => {
                let mut heaps = sets.concat();
                heaps.sort_unstable();
                heaps.dedup();
                heaps
            }
        }
    }

    /// An upper bound on the size of a set.
    pub fn widest(&self) -> usize {
        let member = match &self.family {
            SetFamily::Consecutive { most, .. } => *most,
            SetFamily::Listed(sets) => sets.iter().map(Vec::len).max().unwrap_or(0),
        };
        match self.number {
            Number::Some { most, .. } => member.saturating_mul(most).min(self.heaps().len()),
            Number::All => self.heaps().len(),
            Number::AllBut(alone) => self.heaps().len().saturating_sub(alone),
        }
    }
}

/// The number of heaps, or of members of a family, that a step chooses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Number {
    /// From `least` to `most`.
    Some {
        /// The smallest number.
        least: usize,
        /// The largest number.
        most: usize,
    },
    /// All there are.
    All,
    /// At least one, and at most all but this many.
    AllBut(usize),
}

/// The convention that decides who wins at a terminal position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Convention {
    /// Normal play: a player who cannot move loses.
    Normal,
    /// Misère play: a player who cannot move wins.
    Misere,
}

impl Convention {
    /// The keyword.
    pub fn word(self) -> &'static str {
        match self {
            Convention::Normal => "normal",
            Convention::Misere => "misere",
        }
    }
}

/// A claim of the file.
#[derive(Debug, Clone)]
pub struct Claim {
    /// The source text, on one line.
    pub words: String,
    /// The place of the claim.
    pub span: Span,
    /// The convention that the claim is about.
    pub convention: Convention,
    /// Whether the claim is about the current parameters.
    pub applies: Applies,
    /// The statement, if the claim applies.
    pub statement: Option<Statement>,
    /// The counterexample that the file gives, if the claim applies.
    pub refuted: Option<Vec<u64>>,
}

/// Whether a claim or an example is about the current parameters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Applies {
    /// It has no `for` condition.
    Always,
    /// Its `for` condition holds.
    Here,
    /// Its `for` condition does not hold.
    Elsewhere,
}

/// What a claim states.
#[derive(Debug, Clone)]
pub enum Statement {
    /// The positions of an outcome class satisfy a condition.
    Outcome {
        /// The outcome class.
        class: Class,
        /// Whether the claim is only that the labelling by the condition is
        /// consistent with the move relation.
        consistent: bool,
        /// Whether the condition need only hold of some image of the position.
        up_to_symmetry: bool,
        /// Whether the condition is necessary, sufficient or both.
        direction: Direction,
        /// The condition.
        condition: Expr<Bool>,
    },
    /// The Grundy value of every position.
    Grundy(Expr<Num>),
    /// A pairing strategy: positions in which paired heaps are equal and all
    /// other heaps are empty are P-positions. Each pair is listed once.
    Pairing(Vec<(HeapId, HeapId)>),
    /// A move that wins: where the condition holds, an option is a P-position.
    WinsBy {
        /// The size of each heap after the move.
        option: Vec<Expr<Num>>,
        /// Where the claim speaks; everywhere without it.
        condition: Option<Expr<Bool>>,
    },
    /// The Grundy sequence of a kind of heap is arithmetico-periodic.
    Period {
        /// The period, at least 1.
        period: u64,
        /// The heap size from which on the sequence is periodic.
        from: u64,
        /// The amount by which values grow in one period; 0 for a periodic sequence.
        saltus: u64,
        /// The index of the kind of heap.
        kind: usize,
    },
    /// The positions that satisfy a condition agree with those of another game.
    SameAs(Box<SameAs>),
    /// Every winning position is also an option of a losing position. With a condition the
    /// claim is about the labelling whose P-positions satisfy it, in which no P-position is
    /// one either.
    Cogame(Option<Expr<Bool>>),
    /// The number of kernels of the move digraph (consistent labellings).
    KernelCount(u64),
    /// The order of the misère quotient of the heaps with at most `to` tokens.
    Quotient {
        /// The largest number of tokens in a heap.
        to: u64,
        /// The number of elements.
        elements: u64,
    },
}

/// What a position and its image in another game have in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Agreement {
    /// The images of the options are the options of the image.
    Options,
    /// The outcome.
    Outcome,
    /// The Grundy value.
    Grundy,
}

/// Another game, and the condition on the positions that agree with their images in it.
#[derive(Debug, Clone)]
pub struct SameAs {
    /// In what they agree.
    pub agreement: Agreement,
    /// The source text that names the other game and its parameters.
    pub words: String,
    /// The image of a position: the sizes of the other game's heaps in their order, or all
    /// heaps of its multiset. Without it, options agree under some matching of the heaps, and
    /// for outcomes and values the image is the same tuple.
    pub map: Option<Expr<List>>,
    /// The condition on positions of this game.
    pub condition: Expr<Bool>,
    /// The place of the name of the other game.
    pub at: Span,
    /// The other game, without its claims. The analysis adds the facts.
    pub other: Game,
}

/// An example of the file: the result of one position.
#[derive(Debug, Clone)]
pub struct Example {
    /// The source text, on one line.
    pub words: String,
    /// The place of the example.
    pub span: Span,
    /// The convention that the example is about.
    pub convention: Convention,
    /// Whether the example is about the current parameters.
    pub applies: Applies,
    /// The position, encoded as [`PositionKind`] describes.
    pub position: Vec<u64>,
    /// What the example states of it.
    pub verdict: Verdict,
}

/// What an example states of its position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// The outcome class.
    Is(Class),
    /// The Grundy value.
    HasGrundy(i64),
    /// The moves to these options win.
    WinsBy {
        /// The options.
        options: Vec<Vec<u64>>,
        /// Whether no other move wins.
        only: bool,
    },
    /// The number of options to which a move wins.
    WinningMoves(u64),
    /// A line of play: each position is an option of the one before.
    Play(Vec<Vec<u64>>),
}

/// The direction of a claim about an outcome class.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// A position is of the class if and only if the condition holds.
    Iff,
    /// A position is of the class if the condition holds.
    If,
    /// A position is of the class only if the condition holds.
    OnlyIf,
}
