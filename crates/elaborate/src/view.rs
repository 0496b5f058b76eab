//! `shown as …`: how pictures show the heaps.

use super::Checker;
use super::problem::Problem;
use nimrule_model::expr::{HeapId, Num};
use nimrule_model::game::{Action, Members, Move, View};
use nimrule_syntax::ast::{self, File, Statement};

impl Checker<'_> {
    /// The view that the file names, if it fits the heaps.
    pub fn view(&mut self, file: &File, moves: &[Move], is_real: bool) -> Option<View> {
        let shown = file.statements.iter().find_map(|one| match &one.node {
            Statement::Shown(view) => Some(view),
            _ => None,
        })?;
        if self.heaps_are_faulty {
            return None;
        }
        let takes_all = file.statements.iter().any(|one| match &one.node {
            Statement::Move(mover) => mover.steps.iter().any(|step| {
                let action = &step.node.action;
                matches!(
                    action,
                    ast::Action::Take {
                        amount: ast::Amount::All(_),
                        ..
                    }
                )
            }),
            _ => false,
        });
        match self.fitting(shown.node, moves, (is_real, takes_all)) {
            Ok(view) => Some(view),
            Err((reason, fix)) => {
                self.problem(Problem::View {
                    view: match shown.node {
                        ast::View::Strip => "a strip",
                        ast::View::Bar => "a bar",
                        ast::View::Rows => "rows",
                        ast::View::Tree => "a tree",
                        ast::View::Order => "an order",
                    },
                    reason,
                    fix,
                    at: shown.span,
                });
                None
            }
        }
    }

    /// The view, or why it does not fit and the fix.
    fn fitting(
        &self,
        view: ast::View,
        moves: &[Move],
        (is_real, takes_all): (bool, bool),
    ) -> Result<View, (String, &'static str)> {
        let drawn_otherwise = |words: &str| Err((words.to_owned(), "remove the statement"));
        if self.digraph.is_some() {
            return drawn_otherwise("the tokens stand on the board, and pictures show it");
        }
        if self.board.is_some() {
            return drawn_otherwise("the heaps are on a board, and pictures show it");
        }
        if is_real {
            return drawn_otherwise("heaps of real size have no squares");
        }
        if self.heap_kinds.is_some() && view != ast::View::Rows {
            let reason = "the number of heaps varies".to_owned();
            return Err((reason, "`shown as rows` shows any number of heaps"));
        }
        let heaps = self.heap_names.len() - self.states.len();
        match view {
            ast::View::Strip => Ok(View::Strip(self.strips(heaps))),
            ast::View::Rows => Ok(View::Rows),
            ast::View::Bar if heaps == 2 => Ok(View::Bar),
            ast::View::Bar => Err((
                format!("it needs two heaps, the columns and the rows, and here are {heaps}"),
                "`shown as rows` shows a row of squares for each heap",
            )),
            ast::View::Tree => {
                let covers = self.covers(heaps, moves)?;
                let mut below = vec![None; heaps];
                for (lower, upper) in covers {
                    if let Some(other) = below[upper].replace(lower) {
                        let [upper, lower, other] =
                            [upper, lower, other].map(|heap| &self.heap_names[heap]);
                        return Err((
                            format!("`{upper}` falls with `{other}` and with `{lower}`"),
                            "`shown as order` shows heaps that fall with several others",
                        ));
                    }
                }
                Ok(View::Tree(below))
            }
            ast::View::Order => {
                if !takes_all {
                    return Err((
                        "no move takes all from a set of heaps".to_owned(),
                        "give the moves the heaps that fall together, as in `take all from one \
                         of {a b}, {b}`, or remove the statement",
                    ));
                }
                Ok(View::Order(self.covers(heaps, moves)?))
            }
        }
    }

    /// The coins of each strip: one strip for each index if the heaps are several groups
    /// with the same indices, and one for all otherwise.
    fn strips(&self, heaps: usize) -> Vec<Vec<usize>> {
        let groups = &self.groups;
        let all: usize = groups.iter().map(|group| group.heaps.len()).sum();
        let alike = groups.windows(2).all(|pair| {
            let [one, other] = [&pair[0].axes[..], &pair[1].axes[..]];
            matches!((one, other), ([one], [other]) if (one.first, one.last) == (other.first, other.last))
                && pair[0].heaps.len() == pair[1].heaps.len()
        });
        if groups.len() < 2 || all != heaps || !alike {
            return vec![(0..heaps).collect()];
        }
        let strip = |row: usize| groups.iter().map(move |group| group.heaps[row].index());
        (0..groups[0].heaps.len())
            .map(|row| strip(row).collect())
            .collect()
    }

    /// The order in which heap `u` is above heap `v` if `u` is in all sets that a move
    /// empties together and that `v` is in: the pairs (v, u) without a heap between them.
    fn covers(
        &self,
        heaps: usize,
        moves: &[Move],
    ) -> Result<Vec<(usize, usize)>, (String, &'static str)> {
        // Row v marks the heaps that fall with v.
        let mut falls = vec![vec![true; heaps]; heaps];
        let mut is_in_a_set = vec![false; heaps];
        for set in emptied_together(moves) {
            let mut members = vec![false; heaps];
            for heap in set.iter().map(|heap| heap.index()).filter(|at| *at < heaps) {
                members[heap] = true;
            }
            for heap in (0..heaps).filter(|heap| members[*heap]) {
                is_in_a_set[heap] = true;
                for (falls, also) in falls[heap].iter_mut().zip(&members) {
                    *falls &= also;
                }
            }
        }
        let is_above = |upper: usize, lower: usize| {
            is_in_a_set[lower] && upper != lower && falls[lower][upper]
        };
        let mut covers = Vec::new();
        for lower in 0..heaps {
            for upper in (0..heaps).filter(|upper| is_above(*upper, lower)) {
                if is_above(lower, upper) {
                    let [one, other] = [lower, upper].map(|heap| &self.heap_names[heap]);
                    return Err((
                        format!("`{one}` and `{other}` only fall together, and neither is above"),
                        "give one of them a move that leaves the other, or remove the statement",
                    ));
                }
                let between = |heap| is_above(heap, lower) && is_above(upper, heap);
                if !(0..heaps).any(between) {
                    covers.push((lower, upper));
                }
            }
        }
        Ok(covers)
    }
}

/// The sets of heaps from which some step takes all tokens.
fn emptied_together(moves: &[Move]) -> impl Iterator<Item = &Vec<HeapId>> {
    let steps = moves.iter().flat_map(|one| &one.steps);
    let members = steps.filter_map(|step| match &step.action {
        Action::Set { what, value, .. } if matches!(value.node, Num::Const(0)) => {
            Some(&what.members)
        }
        _ => None,
    });
    members.flat_map(|members| match members {
        Members::Listed(sets) => sets.iter().collect::<Vec<_>>(),
        Members::Relative { sets, .. } => sets.iter().flatten().collect(),
        _ => Vec::new(),
    })
}
