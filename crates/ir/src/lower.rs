//! Lowering: the moves of a game to its move-generator graph.

use super::plan::{Plan, numbers};
use super::unroll::{conjuncts, unrolled};
use super::{Arc, MoveGraph, Node, Replace, Take};
use nimrule_model::expr::Bool;
use nimrule_model::game::{Action, Again, Game, HeapKinds, Move, PositionKind, Side, Step};
use nimrule_model::source::{Span, Spanned};
use petgraph::graph::{DiGraph, NodeIndex};

/// Compiles the moves of a game, those of both sides together.
///
/// # Examples
///
/// ```
/// let nim = nimrule_fixtures::compiled("game nim heaps a b move take from one heap").unwrap().game;
/// let graph = nimrule_ir::lower(&nim);
/// assert_eq!(nimrule_ir::moves(&graph, &[1, 1]).unwrap(), [[0, 1], [1, 0]]);
/// ```
pub fn lower(game: &Game) -> MoveGraph {
    graph_of(game, "a move is one of", |_| true)
}

/// Compiles the moves that a side may make: its own, and those of both.
///
/// # Examples
///
/// ```
/// use nimrule_model::game::Side;
///
/// let rule = "game sides heaps n move left take 1 from n move right take 2 from n";
/// let game = nimrule_fixtures::compiled(rule).unwrap().game;
/// let right = nimrule_ir::lower_for(&game, Side::Right);
/// assert_eq!(nimrule_ir::moves(&right, &[3]).unwrap(), [[1]]);
/// ```
pub fn lower_for(game: &Game, side: Side) -> MoveGraph {
    let words = format!("a move of {} is one of", side.name());
    graph_of(game, &words, |mover| {
        mover.side.is_none_or(|whose| whose == side)
    })
}

fn graph_of(game: &Game, words: &str, may: impl Fn(&Move) -> bool) -> MoveGraph {
    let mut graph = MoveGraph {
        nodes: DiGraph::new(),
        start: NodeIndex::new(0),
        next: Vec::new(),
        words: Vec::new(),
        spans: Vec::new(),
        alternatives: Vec::new(),
        positions: game.positions.as_ref().map(|condition| {
            let mut all = conjuncts(game, condition);
            match all.len() {
                1 => all.remove(0),
                _ => Spanned::new(Bool::And(all), condition.span),
            }
        }),
        symmetries: game.facts.symmetries.clone(),
        heaps: game.heap_count(),
        digraph: game.digraph().or(game.tokens_on.as_ref()).cloned(),
        kinds: match &game.position_kind {
            PositionKind::Multiset(kinds) => Some(kinds.clone()),
            PositionKind::Open(_) => Some(HeapKinds {
                names: Vec::new(),
                states: Vec::new(),
            }),
            PositionKind::Heaps | PositionKind::Tokens(_) | PositionKind::Reals => None,
        },
        slots: game.slots,
        picks: game.picks,
        counters: 0,
    };
    let nowhere = (0, 0).into();
    graph.start = graph.add(Node::Join, words, nowhere);
    let end = graph.add(Node::End, "the move is made", nowhere);
    for mover in game.moves.iter().filter(|mover| may(mover)) {
        for mover in unrolled(game, mover) {
            alternative(&mut graph, &mover, end);
        }
    }
    graph
}

fn alternative(graph: &mut MoveGraph, mover: &Move, end: NodeIndex) {
    graph.alternatives.push(mover.span);
    let mut last = graph.start;
    if let Some(when) = &mover.when {
        let words = mover
            .words
            .split_once(" when ")
            .map_or("when", |(_, rest)| rest)
            .split(" take ")
            .next()
            .unwrap_or_default();
        let guard = graph.add(
            Node::Guard(when.clone()),
            &format!("when {words}"),
            mover.span,
        );
        last = graph.follow(last, guard, Arc::Next);
    }
    for choice in &mover.choices {
        let number = Node::Number {
            slot: choice.slot,
            set: choice.set.clone(),
            condition: choice.condition.clone(),
            cutoff: choice.cutoff.clone(),
        };
        let number = graph.add(number, &choice.words, mover.span);
        last = graph.follow(last, number, Arc::Next);
    }
    let mut arc = Arc::Next;
    for step in &mover.steps {
        if (step.least, step.most) == (1, 1) {
            let (first, done) = action(graph, step);
            graph.follow(last, first, arc);
            (last, arc) = (done, Arc::Next);
            continue;
        }
        let counter = graph.counters;
        graph.counters += 1;
        let repeat = Node::Repeat {
            counter,
            least: step.least,
            most: step.most,
        };
        let words = if step.least == step.most {
            format!("{} times", step.least)
        } else if step.most == 1 {
            "optionally".to_owned()
        } else {
            format!("up to {} times", step.most)
        };
        let repeat = graph.add(repeat, &words, step.span);
        graph.follow(last, repeat, arc);
        let (first, done) = action(graph, step);
        graph.follow(repeat, first, Arc::Again);
        graph.follow(done, repeat, Arc::Next);
        (last, arc) = (repeat, Arc::Enough);
    }
    if let Some(again) = mover.again {
        let node = Node::Again(graph.positions.clone());
        let node = graph.add(node, "then again", mover.span);
        match again {
            Again::Must => {
                graph.follow(last, node, arc);
                return;
            }
            Again::May => {
                let either = graph.add(Node::Join, "again, or not", mover.span);
                last = graph.follow(last, either, arc);
                graph.follow(last, node, Arc::Next);
                arc = Arc::Next;
            }
        }
    }
    graph.follow(last, end, arc);
}

/// Adds the nodes of a step, a choice and an action; returns both.
fn action(graph: &mut MoveGraph, step: &Step) -> (NodeIndex, NodeIndex) {
    let selection = step.action.selection();
    let choice = Node::Choice {
        pick: selection.pick,
        members: selection.members.clone(),
    };
    let choice = graph.add(
        choice,
        &format!("choose {}", selection.words),
        selection.span,
    );
    let node = match &step.action {
        Action::Take {
            amount,
            leaving,
            condition,
            ..
        } => {
            let numbers = numbers(amount.numbers.as_ref());
            Node::Take(Box::new(Take {
                pick: selection.pick,
                share: amount.share,
                amount: amount.numbers.clone(),
                whole: condition.clone(),
                bound: amount.bound,
                leaving: *leaving,
                plan: Plan::new(
                    &numbers,
                    amount,
                    condition.as_ref(),
                    selection.members.is_one_heap(|_| false),
                    graph.slots,
                ),
                numbers,
            }))
        }
        Action::Put {
            amount, condition, ..
        } => Node::Put {
            pick: selection.pick,
            amount: amount.clone(),
            numbers: numbers(Some(amount)),
            condition: condition.clone(),
        },
        Action::Set {
            size,
            heap,
            value,
            condition,
            ..
        } => Node::Set {
            pick: selection.pick,
            size: *size,
            heap: *heap,
            value: value.clone(),
            condition: condition.clone(),
        },
        Action::Slide { condition, .. } => Node::Slide {
            pick: selection.pick,
            condition: condition.clone(),
        },
        Action::Split {
            parts, condition, ..
        } => Node::Split {
            pick: selection.pick,
            parts: parts.clone(),
            condition: condition.clone(),
        },
        Action::Replace {
            names,
            by,
            condition,
            ..
        } => Node::Replace(Box::new(Replace {
            pick: selection.pick,
            names: names.clone(),
            by: by.clone(),
            condition: condition.clone(),
        })),
    };
    let words = strip_repeat(&step.words);
    let act = graph.add(node, words, step.span);
    graph.follow(choice, act, Arc::Next);
    (choice, act)
}

/// The source text of a step without its repetition, which the repeat node shows.
fn strip_repeat(words: &str) -> &str {
    [
        "take ", "put ", "set ", "flip ", "choose ", "split ", "replace ", "slide ",
    ]
    .into_iter()
    .filter_map(|verb| words.find(verb))
    .min()
    .map_or(words, |at| &words[at..])
}

impl MoveGraph {
    fn add(&mut self, node: Node, words: &str, span: Span) -> NodeIndex {
        self.next.push(Vec::new());
        self.words.push(words.to_owned());
        self.spans.push(span);
        self.nodes.add_node(node)
    }

    fn follow(&mut self, from: NodeIndex, to: NodeIndex, arc: Arc) -> NodeIndex {
        self.nodes.add_edge(from, to, arc);
        self.next[from.index()].push(to);
        to
    }
}
