//! Static analysis of a move-generator graph: the properties of a rule on which
//! engines rely.

mod equal_numbers;
mod heap_rule;
mod interaction;
mod set_moves;

pub use equal_numbers::EqualNumbers;
pub use heap_rule::{HeapRule, HeapRules, KindMove, Removes};
pub use interaction::InteractionGraph;
pub use set_moves::{SetMove, set_moves};

use super::{MoveGraph, Node, Numbers, Take};
use nimrule_board::Arrangement;
use nimrule_board::shrinking::ShrinkingBoard;
use nimrule_model::expr::{Bool, HeapId, List, Num, Part, Pick, Reads, Set, Slot};
use nimrule_model::game::{Members, Number, RemainingSets, SetFamily, Share, TerminationMeasure};
use petgraph::graph::NodeIndex;

/// A property with its data, or the reason why the rule lacks it.
pub type Fact<T> = Result<T, String>;

/// The properties of a rule.
#[derive(Debug, Clone)]
pub struct Profile {
    /// No move adds tokens: every option lies in the box below its position.
    pub only_takes: Fact<()>,
    /// The rule is translation invariant: conditions read only the numbers taken, so
    /// that a move is possible wherever the heaps are large enough.
    pub looks_at_amounts_only: Fact<()>,
    /// The rule is hypergraph Nim: a move lowers the heaps of one hyperedge by any
    /// amounts.
    pub hyperedges: Fact<Hyperedges>,
    /// A move lowers at least one heap of one of fixed sets, each by any number of tokens or
    /// each by at most one. Which sets a move may choose depends at most on which heaps are empty.
    pub lowered_sets: Fact<LoweredSets>,
    /// The rule is a vector subtraction game: a move subtracts one of finitely many
    /// constant vectors. The number of vectors.
    pub constant_vectors: Fact<usize>,
    /// A move takes the same number from each heap of a set, in every position.
    pub equal_numbers: Fact<Vec<EqualNumbers>>,
    /// Every move changes and reads one heap only: the Grundy value of a position is
    /// the nim-sum of the values of its heaps. The alternatives of each heap.
    pub one_heap: Fact<Vec<Vec<Alternative>>>,
    /// The same property with the moves of each kind of heap, for multisets of heaps,
    /// too.
    pub heap_rules: Fact<HeapRules>,
    /// Which heaps one move may change together: a position is the disjunctive sum
    /// of its connected components.
    pub interaction: Fact<InteractionGraph>,
    /// A move moves one token, in every position: a position is the disjunctive sum
    /// of its tokens. Which tokens may move.
    pub slides_one: Fact<Vec<bool>>,
    /// The symmetries of board and rule together.
    pub symmetries: String,
    /// The termination measure of the rule.
    pub termination: TerminationMeasure,
    /// The numbers of nodes and arcs of the graph.
    pub size: (usize, usize),
}

/// The hyperedges of hypergraph Nim: sets of heaps that a move may lower by any
/// amounts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Hyperedges {
    /// These sets, each ascending.
    Fixed(Vec<Vec<HeapId>>),
    /// The sets of consecutive heaps among the non-empty heaps of the board.
    Remaining {
        /// The smallest number of consecutive heaps.
        least: usize,
        /// The largest number of consecutive heaps.
        most: usize,
        /// Whether the last heap is followed by the first.
        around: Arrangement,
    },
}

/// The fixed sets of heaps of which a move lowers one, by what it may take from each heap. Each
/// set is ascending.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LoweredSets {
    /// Sets whose heaps may be lowered by any number of tokens.
    pub any_amount: Vec<Vec<HeapId>>,
    /// Sets whose heaps may be lowered by at most one token: slow moves.
    pub at_most_one: Vec<Vec<HeapId>>,
    /// Sets whose heaps may be lowered by any number of tokens while other heaps are empty, and
    /// these: the consecutive heaps of a board that shrinks.
    pub while_empty: Vec<(Vec<HeapId>, Vec<HeapId>)>,
}

/// One alternative of a rule, in a single heap.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Alternative {
    /// Any number may be taken.
    Any,
    /// A number in one of these ascending, disjoint intervals, both ends included,
    /// may be taken.
    Runs(Vec<(u64, u64)>),
    /// The numbers depend on the size of the heap.
    Other,
}

/// Computes the properties of a graph.
///
/// # Examples
///
/// ```
/// let nim = nimrule_fixtures::compiled("game nim heaps a b move take from one heap").unwrap().game;
/// let graph = nimrule_ir::lower(&nim);
/// let profile = nimrule_ir::profile(&graph, &nim.facts.termination);
/// assert!(profile.only_takes.is_ok());
/// ```
pub fn profile(graph: &MoveGraph, termination: &TerminationMeasure) -> Profile {
    let chains = chains(graph);
    // A turn of several moves may do what none of its moves does.
    let single = match graph.again() {
        None => Ok(()),
        Some(words) => Err(format!("`{words}` continues the turn")),
    };
    fn of<T>(single: &Fact<()>, fact: impl FnOnce() -> Fact<T>) -> Fact<T> {
        single.clone().and_then(|()| fact())
    }
    Profile {
        only_takes: only_takes(graph),
        looks_at_amounts_only: of(&single, || looks_at_amounts_only(graph)),
        hyperedges: of(&single, || hyperedges(graph, &chains)),
        lowered_sets: of(&single, || lowered_sets(graph, &chains)),
        constant_vectors: of(&single, || constant_vectors(graph, &chains)),
        equal_numbers: of(&single, || equal_numbers::equal_numbers(graph, &chains)),
        one_heap: of(&single, || one_heap(graph, &chains)),
        heap_rules: of(&single, || {
            heap_rule::heap_rules(graph, &chains, termination)
        }),
        interaction: of(&single, || interaction::interaction(graph, &chains)),
        slides_one: of(&single, || slides_one(graph, &chains)),
        symmetries: match graph.digraph {
            None => graph.symmetries.describe(),
            Some(_) => graph.symmetries.describe().replace("heap", "token"),
        },
        termination: termination.clone(),
        size: (graph.nodes.node_count(), graph.nodes.edge_count()),
    }
}

/// The nodes of each alternative in order; the body of a repeat once, after it.
pub(super) fn chains(graph: &MoveGraph) -> Vec<Vec<NodeIndex>> {
    graph
        .after(graph.start)
        .iter()
        .map(|first| {
            let mut chain = Vec::new();
            let mut at = *first;
            loop {
                chain.push(at);
                match graph.node(at) {
                    Node::End | Node::Again(_) => return chain,
                    Node::Repeat { .. } => {
                        let [body, exit] = graph.after(at) else {
                            return chain;
                        };
                        let mut inside = *body;
                        while inside != at {
                            chain.push(inside);
                            match graph.after(inside).first() {
                                Some(next) => inside = *next,
                                None => break,
                            }
                        }
                        at = *exit;
                    }
                    _ => match graph.after(at).first() {
                        Some(next) => at = *next,
                        None => return chain,
                    },
                }
            }
        })
        .collect()
}

fn only_takes(graph: &MoveGraph) -> Fact<()> {
    if graph.kinds.is_some() {
        return Err("the heaps are a multiset".to_owned());
    }
    for at in graph.nodes.node_indices() {
        match graph.node(at) {
            Node::Put { .. } => return Err(format!("`{}` adds tokens", graph.words(at))),
            Node::Set { size, value, .. } if !value.is_at_most(*size) => {
                return Err(sets(graph, at));
            }
            Node::Slide { .. } => return Err(slides(graph, at)),
            _ => {}
        }
    }
    Ok(())
}

fn sets(graph: &MoveGraph, at: NodeIndex) -> String {
    format!("`{}` gives a heap a new size", graph.words(at))
}

fn slides(graph: &MoveGraph, at: NodeIndex) -> String {
    format!("`{}` slides a token", graph.words(at))
}

fn slides_one(graph: &MoveGraph, chains: &[Vec<NodeIndex>]) -> Fact<Vec<bool>> {
    any_position(graph)?;
    let mut may = vec![false; graph.heaps];
    for chain in chains {
        let mut chosen: Option<&[Vec<HeapId>]> = None;
        let mut slid = false;
        for &at in chain {
            let words = graph.words(at);
            match graph.node(at) {
                Node::Choice {
                    members: Members::Listed(listed),
                    ..
                } if chosen.is_none() && listed.iter().all(|member| member.len() == 1) => {
                    chosen = Some(listed);
                }
                Node::Choice { .. } => return Err(format!("`{words}` is not a single token")),
                Node::Slide {
                    condition: None, ..
                } if !slid => slid = true,
                Node::Slide { .. } => {
                    return Err(format!("`{words}` has a condition, or is a second step"));
                }
                Node::Join | Node::End => {}
                _ => return Err(format!("`{words}` does not slide a token")),
            }
        }
        for token in chosen.unwrap_or_default().iter().flatten() {
            may[token.index()] |= slid;
        }
    }
    Ok(may)
}

fn looks_at_amounts_only(graph: &MoveGraph) -> Fact<()> {
    any_position(graph)?;
    reads_amounts_only(graph, |_, _| false)
}

/// Whether no step reads the position. A step that gives heaps a new size is allowed if
/// `may_set` holds for the value and the size before.
fn reads_amounts_only(graph: &MoveGraph, may_set: impl Fn(&Num, Slot) -> bool) -> Fact<()> {
    for at in graph.nodes.node_indices() {
        let mut parts: Vec<Part<'_>> = Vec::new();
        match graph.node(at) {
            Node::Guard(condition) => parts.push(Part::Bool(condition)),
            Node::Number { set, condition, .. } => {
                parts.push(Part::Set(set));
                parts.extend(condition.iter().map(|part| Part::Bool(part)));
            }
            Node::Choice { members, .. } => {
                let depends = match members {
                    Members::Listed(_) | Members::Picked(_) => false,
                    Members::Remaining(_) => members.single_heaps().is_none(),
                    Members::Relative { .. } => false,
                    Members::At { .. } | Members::Counted(_) | Members::Multiset { .. } => true,
                };
                if depends {
                    return Err(format!("`{}` depends on the position", graph.words(at)));
                }
            }
            Node::Take(take) => {
                parts.extend(take.whole.iter().map(|part| Part::Bool(part)));
                parts.extend(take.amount.iter().map(|part| Part::Set(part)));
            }
            Node::Put { .. } => return Err(format!("`{}` adds tokens", graph.words(at))),
            Node::Set {
                size,
                value,
                condition: None,
                ..
            } if may_set(value, *size) => {}
            Node::Set { .. } => return Err(sets(graph, at)),
            Node::Slide { .. } => return Err(slides(graph, at)),
            Node::Split { .. } => {
                return Err(format!("`{}` splits a heap", graph.words(at)));
            }
            Node::Replace(_) => {
                return Err(format!("`{}` replaces a heap", graph.words(at)));
            }
            // The whole profile is of moves that end the turn.
            Node::Join | Node::Repeat { .. } | Node::End | Node::Again(_) => {}
        }
        if parts.into_iter().any(Part::reads_position) {
            return Err(format!("`{}` depends on the position", graph.words(at)));
        }
    }
    Ok(())
}

/// A chain of one choice and one take without conditions.
fn single_take<'g>(graph: &'g MoveGraph, chain: &[NodeIndex]) -> Fact<(&'g Members, &'g Take)> {
    let mut found = None;
    for &at in chain {
        match graph.node(at) {
            Node::Guard(_)
            | Node::Number { .. }
            | Node::Repeat { .. }
            | Node::Split { .. }
            | Node::Replace(_)
            | Node::Set { .. }
            | Node::Put { .. }
            | Node::Again(_) => {
                return Err(format!("`{}` is more than one take", graph.words(at)));
            }
            Node::Slide { .. } => return Err(slides(graph, at)),
            Node::Choice { members, .. } if found.is_none() => found = Some((members, None)),
            Node::Choice { .. } => {
                return Err(format!("`{}` is a second step", graph.words(at)));
            }
            Node::Take(take) => match &mut found {
                Some((_, slot @ None)) => {
                    if !take.plan.is_unconditional() {
                        return Err(format!("`{}` has a condition", graph.words(at)));
                    }
                    *slot = Some((take, at));
                }
                _ => return Err(format!("`{}` is a second step", graph.words(at))),
            },
            Node::Join | Node::End => {}
        }
    }
    match found {
        Some((members, Some((take, _)))) => Ok((members, take)),
        _ => Err("a move takes nothing".to_owned()),
    }
}

fn any_position(graph: &MoveGraph) -> Fact<()> {
    if graph.kinds.is_some() {
        return Err("the heaps are a multiset".to_owned());
    }
    match graph.positions {
        Some(_) => Err("not every tuple of sizes is a position".to_owned()),
        None => Ok(()),
    }
}

fn hyperedges(graph: &MoveGraph, chains: &[Vec<NodeIndex>]) -> Fact<Hyperedges> {
    any_position(graph)?;
    let mut fixed: Vec<Vec<HeapId>> = Vec::new();
    let mut left = None;
    for chain in chains {
        let (members, take) = single_take(graph, chain)?;
        if !takes_any(take) {
            return Err("the amounts are restricted".to_owned());
        }
        match members {
            Members::Remaining(RemainingSets {
                board,
                family: SetFamily::Consecutive { least, most },
                number: Number::Some { least: 1, most: 1 },
            }) => {
                if board.count < graph.heaps {
                    return Err("there are heaps outside the shrinking board".to_owned());
                }
                if left.replace((*least, *most, board.arrangement)).is_some() {
                    return Err("two ways to select on a shrinking board".to_owned());
                }
            }
            members => fixed.extend(fixed_sets(members)?),
        }
    }
    fixed.sort_unstable();
    fixed.dedup();
    match left {
        None => Ok(Hyperedges::Fixed(fixed)),
        Some((least, most, around)) if fixed.is_empty() => Ok(Hyperedges::Remaining {
            least,
            most,
            around,
        }),
        Some(_) => Err("two ways to select on a shrinking board".to_owned()),
    }
}

/// Whether any numbers may be taken from the heaps, each its own.
fn takes_any(take: &Take) -> bool {
    matches!(take.plan.numbers, Numbers::Any)
        && take.share == Share::HeapByHeap
        && !take.plan.has_bounds()
}

/// The sets of which a choice selects one, in every position.
fn fixed_sets(members: &Members) -> Fact<Vec<Vec<HeapId>>> {
    match members {
        Members::Listed(listed) => Ok(listed.clone()),
        Members::Remaining(left) => match (left.number, &left.family) {
            // An empty heap changes nothing.
            (Number::All, _) => Ok(vec![left.heaps()]),
            (Number::Some { least: 1, most: 1 }, SetFamily::Listed(sets)) => Ok(sets.clone()),
            (Number::Some { .. } | Number::AllBut(_), _) => {
                Err("how many heaps are chosen depends on the position".to_owned())
            }
        },
        Members::Picked(_)
        | Members::Relative { .. }
        | Members::At { .. }
        | Members::Counted(_)
        | Members::Multiset { .. } => {
            Err("which heaps are chosen depends on the position".to_owned())
        }
    }
}

fn lowered_sets(graph: &MoveGraph, chains: &[Vec<NodeIndex>]) -> Fact<LoweredSets> {
    any_position(graph)?;
    let mut found = LoweredSets::default();
    for chain in chains {
        let (members, take) = single_take(graph, chain)?;
        if let Members::Remaining(RemainingSets {
            board,
            family: SetFamily::Consecutive { most, .. },
            number: Number::Some { least: 1, most: 1 },
        }) = members
        {
            if !takes_any(take) {
                return Err("the amounts are restricted".to_owned());
            }
            if board.count > MOST_VANISHING {
                return Err(format!("more than {MOST_VANISHING} heaps may vanish"));
            }
            found.while_empty.extend(consecutive(*board, *most));
            continue;
        }
        let sets = fixed_sets(members)?;
        let one = matches!(&take.plan.numbers, Numbers::Listed(numbers) if *numbers == [1])
            && !take.plan.has_bounds();
        let one_heap = sets.iter().all(|set| set.len() == 1);
        if takes_any(take) {
            found.any_amount.extend(sets);
        } else if one && (one_heap || take.share == Share::HeapByHeap) {
            found.at_most_one.extend(sets);
        } else {
            return Err("the amounts are restricted".to_owned());
        }
    }
    for sets in [&mut found.any_amount, &mut found.at_most_one] {
        sets.sort_unstable();
        sets.dedup();
    }
    Ok(found)
}

/// The largest number of heaps of a shrinking board whose sets are listed.
const MOST_VANISHING: usize = 8;

/// Sets of so many heaps, and for each the heaps between them that must be empty, such that a move
/// lowers some of at most `most` consecutive remaining heaps exactly if it lowers heaps of one of
/// these sets while the heaps between are empty. Sets have the smallest such conditions.
fn consecutive(board: ShrinkingBoard, most: usize) -> Vec<(Vec<HeapId>, Vec<HeapId>)> {
    let size = most.min(board.count);
    let heaps = |places: &[usize]| -> Vec<HeapId> {
        places.iter().map(|place| HeapId::new(*place)).collect()
    };
    let mut found = Vec::new();
    for chosen in 0..1_usize << board.count {
        let within = |place: &usize| chosen >> (place - board.first) & 1 == 1;
        let set: Vec<usize> = board.places().filter(within).collect();
        if set.len() != size {
            continue;
        }
        let between = |first: usize| -> Vec<usize> {
            let (before, after) = set.split_at(first);
            let last = before.last().or(after.last()).copied();
            let mut inside: Vec<usize> = Vec::new();
            let mut at = set[first];
            while Some(at) != last {
                if !set.contains(&at) {
                    inside.push(at);
                }
                at = board.first + (at + 1 - board.first) % board.count;
            }
            inside.sort_unstable();
            inside
        };
        let starts = match board.arrangement {
            Arrangement::Circle => set.len(),
            Arrangement::Row => set.len().min(1),
        };
        let mut conditions: Vec<Vec<usize>> = (0..starts).map(between).collect();
        conditions.sort_unstable_by_key(|inside| inside.len());
        let mut least: Vec<Vec<usize>> = Vec::new();
        for condition in conditions {
            let weaker = |known: &Vec<usize>| known.iter().all(|heap| condition.contains(heap));
            if !least.iter().any(weaker) {
                least.push(condition);
            }
        }
        found.extend(least.iter().map(|inside| (heaps(&set), heaps(inside))));
    }
    found
}

fn constant_vectors(graph: &MoveGraph, chains: &[Vec<NodeIndex>]) -> Fact<usize> {
    any_position(graph)?;
    let mut count = 0_usize;
    for chain in chains {
        let (members, take) = single_take(graph, chain)?;
        let Numbers::Listed(numbers) = &take.plan.numbers else {
            return Err("the amounts are not a fixed finite set".to_owned());
        };
        if take.plan.has_bounds() {
            return Err("the bounds of the amounts are not constant".to_owned());
        }
        let members = match members {
            Members::Listed(members) => members,
            members => members
                .single_heaps()
                .ok_or("which heaps are chosen depends on the position")?,
        };
        for member in members {
            let ways = match take.share {
                Share::Equal => numbers.len(),
                Share::HeapByHeap => {
                    let each = numbers.len() + 1;
                    let size = u32::try_from(member.len()).unwrap_or(u32::MAX);
                    each.saturating_pow(size).saturating_sub(1)
                }
            };
            count = count.saturating_add(ways);
        }
    }
    Ok(count)
}

/// The alternatives of each heap.
fn one_heap(graph: &MoveGraph, chains: &[Vec<NodeIndex>]) -> Fact<Vec<Vec<Alternative>>> {
    any_position(graph)?;
    let mut ways: Vec<Vec<Alternative>> = vec![Vec::new(); graph.heaps];
    for chain in chains {
        let only = only_heap(graph, chain);
        let mut chosen: Option<(&[Vec<HeapId>], Pick)> = None;
        let mut plain = true;
        let mut takes: Vec<&Take> = Vec::new();
        for &at in chain {
            let words = graph.words(at);
            let looks = |part: Part<'_>| -> Fact<()> {
                if looks_beyond_one_heap(part, chosen.map(|(_, pick)| pick), only) {
                    return Err(format!("`{words}` depends on other heaps"));
                }
                Ok(())
            };
            match graph.node(at) {
                Node::Guard(condition) => {
                    plain = false;
                    looks(Part::Bool(condition))?;
                }
                Node::Number { set, condition, .. } => {
                    plain = false;
                    looks(Part::Set(set))?;
                    if let Some(condition) = condition {
                        looks(Part::Bool(condition))?;
                    }
                }
                Node::Repeat { most, .. } => {
                    plain = false;
                    let body = graph.after(at).first().map(|body| graph.node(*body));
                    let anew = match body {
                        Some(Node::Choice { members, .. }) => !is_one_heap(members),
                        _ => true,
                    };
                    if *most > 1 && anew {
                        return Err(format!("`{words}` selects a new heap each time"));
                    }
                }
                Node::Choice { pick, members } => match (members, chosen) {
                    (Members::Picked(earlier), Some((_, first))) if *earlier == first => {}
                    (members, chosen_before) if let Some(heaps) = members.single_heaps() => {
                        if chosen_before.is_some() && only.is_none() {
                            return Err(format!("`{words}` may select a second heap"));
                        }
                        chosen = Some((heaps, *pick));
                    }
                    (
                        Members::Picked(_)
                        | Members::Relative { .. }
                        | Members::At { .. }
                        | Members::Counted(_),
                        _,
                    ) => {
                        return Err(format!("`{words}` depends on the position"));
                    }
                    _ => return Err(format!("`{words}` selects several heaps")),
                },
                Node::Take(take) => {
                    if let Some(condition) = &take.whole {
                        looks(Part::Bool(condition))?;
                    }
                    if let Some(set) = &take.amount {
                        looks(Part::Set(set))?;
                    }
                    takes.push(take);
                }
                Node::Set {
                    size,
                    heap: None,
                    value,
                    condition,
                    ..
                } if value.is_at_most(*size) => {
                    plain = false;
                    looks(Part::Num(value))?;
                    if let Some(condition) = condition {
                        looks(Part::Bool(condition))?;
                    }
                }
                Node::Put { .. } => return Err(format!("`{words}` adds tokens")),
                Node::Set { .. } => return Err(sets(graph, at)),
                Node::Slide { .. } => return Err(slides(graph, at)),
                Node::Split { .. } => return Err(format!("`{words}` splits a heap")),
                Node::Replace(_) => return Err(format!("`{words}` replaces a heap")),
                Node::Join | Node::End | Node::Again(_) => {}
            }
        }
        let Some((members, _)) = chosen else {
            return Err("a move selects no heap".to_owned());
        };
        let alternative = match takes.as_slice() {
            [take] if plain && take.plan.is_unconditional() => alternative_of(take),
            _ => Alternative::Other,
        };
        for heap in members.iter().flatten() {
            ways[heap.index()].push(alternative.clone());
        }
    }
    Ok(ways)
}

/// Whether repeated selection always gives the same heap.
fn is_one_heap(members: &Members) -> bool {
    match members {
        Members::Listed(listed) => listed.len() == 1,
        Members::Picked(_) => true,
        Members::Remaining(_)
        | Members::Relative { .. }
        | Members::At { .. }
        | Members::Counted(_)
        | Members::Multiset { .. } => false,
    }
}

fn alternative_of(take: &Take) -> Alternative {
    let constant = |num: &Num| match num {
        Num::Const(value) => Some(u64::try_from(*value).unwrap_or(0)),
        _ => None,
    };
    let least: Option<Vec<u64>> = take.plan.at_least.iter().map(|num| constant(num)).collect();
    let most: Option<Vec<u64>> = take.plan.at_most.iter().map(|num| constant(num)).collect();
    let (Some(least), Some(most)) = (least, most) else {
        return Alternative::Other;
    };
    let least = least.into_iter().max().unwrap_or(1).max(1);
    let most = most.into_iter().min().unwrap_or(u64::MAX);
    let run = |low: u64, high: u64| match (low.max(least), high.min(most)) {
        (1, u64::MAX) => Alternative::Any,
        (low, high) if low > high => Alternative::Runs(Vec::new()),
        (low, high) => Alternative::Runs(vec![(low, high)]),
    };
    match &take.plan.numbers {
        Numbers::Any => run(1, u64::MAX),
        Numbers::Set(set) if let Set::Range(low, high) = &set.node => {
            let high = high.as_ref().map_or(Some(u64::MAX), |high| constant(high));
            match (constant(low), high) {
                (Some(low), Some(high)) => run(low, high),
                _ => Alternative::Other,
            }
        }
        Numbers::Set(_) => Alternative::Other,
        Numbers::Listed(listed) => {
            let mut runs: Vec<(u64, u64)> = Vec::new();
            for number in listed.iter().filter(|n| **n >= least && **n <= most) {
                match runs.last_mut() {
                    Some((_, end)) if *end + 1 == *number => *end = *number,
                    _ => runs.push((*number, *number)),
                }
            }
            Alternative::Runs(runs)
        }
    }
}

/// The heap of an alternative each of whose selections is this heap alone, however it is
/// named.
fn only_heap(graph: &MoveGraph, chain: &[NodeIndex]) -> Option<HeapId> {
    let mut only = None;
    for &at in chain {
        let Node::Choice { members, .. } = graph.node(at) else {
            continue;
        };
        let heap = match members {
            Members::Picked(_) => continue,
            members => match members.single_heaps()? {
                [set] => set[0],
                _ => return None,
            },
        };
        if only.replace(heap).is_some_and(|other| other != heap) {
            return None;
        }
    }
    only
}

/// Whether an expression reads more than numbers and the heap picked; `only` is the heap
/// of the alternative, if all its selections are one heap.
fn looks_beyond_one_heap(part: Part<'_>, picked: Option<Pick>, only: Option<HeapId>) -> bool {
    part.any(&mut |part| match part {
        // An index differs from heap to heap, where the heaps may be alike.
        Part::Num(Num::IndexOf(_)) => only.is_none(),
        Part::Num(Num::Components(_)) | Part::Bool(Bool::Joined(_)) => true,
        Part::Num(Num::SizeOf(pick)) | Part::List(List::Picked(pick)) => {
            only.is_none() && picked.is_some_and(|p| p != *pick)
        }
        _ => match part.own_reads() {
            Reads::Heaps(heaps) => heaps.iter().any(|heap| Some(*heap) != only),
            Reads::Lists(_) | Reads::Selected | Reads::All => true,
        },
    })
}
