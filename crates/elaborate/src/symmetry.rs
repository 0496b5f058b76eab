//! The symmetries of board and rule together.
//!
//! A permutation of the heaps is a symmetry if it preserves which cells touch and
//! everything in the rule: the sets that a step selects among, and the heaps that
//! it names. The test is conservative: a permutation must fix every heap that the
//! rule names (`a + b` fixes `a` and `b`), so a symmetry may be missed, and every
//! permutation found is a symmetry.

use super::Checker;
use nimrule_model::board::{Board, CellKind, Structure, Symmetries};
use nimrule_model::expr::{HeapId, List, Num, Part};
use nimrule_model::game::{Action, Members, Move, RemainingSets, SetFamily};
use std::collections::BTreeSet;

/// The symmetries of the checker's board together with these moves.
pub fn of_rule(checker: &Checker<'_>, moves: &[Move]) -> Symmetries {
    let heaps = checker.heap_names.len();
    let mut structure = Structure {
        points: heaps,
        relations: Vec::new(),
    };
    if let (Some(board), Some((on, first))) = (&checker.board, checker.heaps_on) {
        board_relations(board, on, first, &mut structure.relations);
    }
    if let Some(board) = checker.shrinking {
        // A symmetry preserves which heaps are on the shrinking board.
        structure
            .relations
            .push(board.places().map(|place| vec![place]).collect());
    }
    // No symmetry moves a state.
    for state in heaps - checker.states.len()..heaps {
        structure.relations.push(vec![vec![state]]);
    }
    let mut rule = Relations {
        heaps,
        found: &mut structure.relations,
    };
    for mover in moves {
        if let Some(when) = &mover.when {
            rule.expression(Part::Bool(when));
        }
        for choice in &mover.choices {
            rule.expression(Part::Set(&choice.set));
            if let Some(condition) = &choice.condition {
                rule.expression(Part::Bool(condition));
            }
        }
        for step in &mover.steps {
            rule.members(&step.action.selection().members);
            if let Some(condition) = step.action.condition() {
                rule.expression(Part::Bool(condition));
            }
            match &step.action {
                Action::Take { amount, .. } => {
                    if let Some(numbers) = &amount.numbers {
                        rule.expression(Part::Set(numbers));
                    }
                }
                Action::Put { amount, .. } => rule.expression(Part::Set(amount)),
                Action::Set { value, .. } => rule.expression(Part::Num(value)),
                Action::Split { .. } | Action::Slide { .. } => {}
            }
        }
    }
    if let Some(condition) = &checker.positions {
        rule.expression(Part::Bool(condition));
    }
    let mut seen = BTreeSet::new();
    structure
        .relations
        .retain(|relation| seen.insert(relation.clone()));
    Symmetries::of(&structure)
}

fn board_relations(
    board: &Board,
    on: CellKind,
    first: usize,
    relations: &mut Vec<Vec<Vec<usize>>>,
) {
    let shifted = |sets: Vec<Vec<usize>>| -> Vec<Vec<usize>> {
        sets.into_iter()
            .map(|set| set.into_iter().map(|cell| first + cell).collect())
            .collect()
    };
    for kind in CellKind::ALL {
        if let Some(touching) = board.touching(on, kind) {
            relations.push(shifted(touching));
        }
    }
    if on == CellKind::Vertex && !board.lines().is_empty() {
        relations.push(shifted(board.lines().to_vec()));
    }
}

struct Relations<'r> {
    heaps: usize,
    found: &'r mut Vec<Vec<Vec<usize>>>,
}

impl Relations<'_> {
    fn members(&mut self, members: &Members) {
        match members {
            Members::Listed(sets)
            | Members::Remaining(RemainingSets {
                family: SetFamily::Listed(sets),
                ..
            }) => {
                let mut sets: Vec<Vec<usize>> = sets
                    .iter()
                    .map(|set| set.iter().map(|heap| heap.index()).collect())
                    .collect();
                sets.sort_unstable();
                self.found.push(sets);
            }
            // The relations of the board already contain the adjacency.
            Members::Remaining(RemainingSets {
                family: SetFamily::Consecutive { .. },
                ..
            })
            | Members::Picked(_)
            | Members::Multiset { .. } => {}
            Members::Relative { sets, .. } => self.sets_of_heaps(sets),
            Members::At { heaps, index, .. } => {
                self.fix(heaps);
                self.expression(Part::Num(index));
            }
        }
    }

    /// Requires that the sets of the image of a heap are the images of its sets.
    fn sets_of_heaps(&mut self, sets: &[Vec<Vec<HeapId>>]) {
        let others = |of: &[Vec<HeapId>]| -> BTreeSet<usize> {
            of.iter().flatten().map(|heap| heap.index()).collect()
        };
        let others: Vec<BTreeSet<usize>> = sets.iter().map(|of| others(of)).collect();
        let symmetric = others
            .iter()
            .enumerate()
            .all(|(heap, others_of)| others_of.iter().all(|other| others[*other].contains(&heap)));
        let alike =
            sets.iter().flatten().all(|set| set.len() == 1) || sets.iter().all(|of| of.len() <= 1);
        if symmetric && alike {
            // The pairs of heaps determine the sets.
            let pairs = others.iter().enumerate().flat_map(|(heap, others)| {
                let pair = move |other: &usize| vec![heap.min(*other), heap.max(*other)];
                others.iter().map(pair)
            });
            let pairs: BTreeSet<Vec<usize>> = pairs.collect();
            self.found.push(pairs.into_iter().collect());
        } else {
            let all: Vec<HeapId> = (0..self.heaps).map(HeapId::new).collect();
            self.fix(&all);
        }
    }

    /// Requires that these heaps stay in place, because the rule names them.
    fn fix(&mut self, heaps: &[HeapId]) {
        for heap in heaps {
            self.found.push(vec![vec![heap.index()]]);
        }
    }

    fn expression(&mut self, part: Part<'_>) {
        match part {
            Part::Num(Num::Heap(heap)) => self.fix(&[*heap]),
            Part::Num(Num::HeapAt { heaps, .. }) => self.fix(heaps),
            Part::Num(Num::IndexOf(_)) => {
                let all: Vec<HeapId> = (0..self.heaps).map(HeapId::new).collect();
                self.fix(&all);
            }
            Part::List(List::At { lists, index }) => match index.node {
                // A quantifier over a family: the index is bound to each in turn.
                Num::Local(_) => {
                    let set = |list: &Vec<HeapId>| list.iter().map(|heap| heap.index()).collect();
                    let mut sets: Vec<Vec<usize>> = lists.iter().map(set).collect();
                    sets.sort_unstable();
                    self.found.push(sets);
                    return;
                }
                Num::IndexOf(_) => {
                    let sets: Vec<Vec<Vec<HeapId>>> =
                        lists.iter().map(|list| vec![list.clone()]).collect();
                    self.sets_of_heaps(&sets);
                    return;
                }
                _ => {}
            },
            // Functions of a list do not depend on its order.
            Part::List(List::Heaps(heaps)) if heaps.len() < self.heaps => {
                self.found
                    .push(heaps.iter().map(|heap| vec![heap.index()]).collect());
            }
            _ => {}
        }
        for child in part.children() {
            self.expression(child);
        }
    }
}
