//! Heaps by their place: the neighbours of a heap, the heaps on one side of it, and
//! consecutive heaps that end at it.

use super::names::Meaning;
use super::selection::{MAX_MEMBERS, choose};
use super::{Checker, Problem};
use nimrule_board::CellKind;
use nimrule_model::expr::{Expr, HeapId, List, Num, Pick, Slot};
use nimrule_model::game::Members;
use nimrule_model::source::{Span, Spanned};
use nimrule_syntax::ast::{FamilyName, Function, Name, Place, What};
use std::sync::Arc;

/// A heap from which others are seen.
#[derive(Debug, Clone)]
pub enum Anchor {
    /// A heap of the game.
    Heap(HeapId),
    /// The single heap that a step selected.
    Picked(Pick),
    /// The member of a family of single heaps that a quantifier ranges over; its
    /// index, from 1, is the number in the slot.
    Member(Arc<[Vec<HeapId>]>, Slot),
}

impl Anchor {
    /// The list that belongs to the heap, given the list of each heap.
    fn list(&self, lists: &[Vec<HeapId>], at: Span) -> List {
        match self {
            Anchor::Heap(heap) => List::Heaps(lists[heap.index()].clone()),
            Anchor::Picked(pick) => List::At {
                lists: lists.into(),
                index: Box::new(Spanned::new(Num::IndexOf(*pick), at)),
            },
            Anchor::Member(heaps, slot) => List::At {
                lists: heaps
                    .iter()
                    .map(|heap| lists[heap[0].index()].clone())
                    .collect(),
                index: Box::new(Spanned::new(Num::Local(*slot), at)),
            },
        }
    }
}

impl Checker<'_> {
    /// The heap that a name denotes.
    pub fn anchor(&mut self, name: &Name) -> Option<Anchor> {
        match self.names.look_up(&name.node, name.span) {
            Some(Meaning::Heap(heap)) => Some(Anchor::Heap(heap)),
            Some(Meaning::OneHeap(pick)) => Some(Anchor::Picked(pick)),
            Some(Meaning::Member(lists, slot)) if lists.iter().all(|list| list.len() == 1) => {
                Some(Anchor::Member(lists, slot))
            }
            Some(Meaning::Unknown) => None,
            Some(other) => {
                self.problem(Problem::Kind {
                    wanted: "the name of one heap",
                    found: super::expression::describe(&other).to_owned(),
                    at: name.span,
                    help: Some("give one heap a name with `as`: `from one heap as x`".to_owned()),
                });
                None
            }
            None => {
                self.unknown_name(&name.node, name.span);
                None
            }
        }
    }

    /// The neighbours of each heap, ascending: the heaps on vertices joined by an
    /// edge, on faces that share an edge, or on edges that share a vertex. Heaps
    /// that are not on the board have none.
    pub fn neighbours(&mut self, at: Span) -> Option<Vec<Vec<HeapId>>> {
        if self.shrinking.is_some() {
            self.problem(Problem::NotOnShrinking {
                what: Function::Neighbours.word(),
                at,
            });
            return None;
        }
        let Some((on, first)) = self.heaps_on else {
            if !self.heap_names.is_empty() && !self.board_is_faulty {
                self.problem(Problem::HeapsNowhere {
                    fix: "neighbours are cells of a board that touch: write a board, such as \
                          `board graph { a-b-c }`, and `heaps on vertices`",
                    at,
                });
            }
            return None;
        };
        let through = match on {
            CellKind::Vertex | CellKind::Face => CellKind::Edge,
            CellKind::Edge => CellKind::Vertex,
        };
        // On a board of one vertex no heap has a neighbour.
        let has_no_edges = through == CellKind::Edge
            && on == CellKind::Vertex
            && (self.board.as_ref()).is_some_and(|board| board.count(CellKind::Edge) == Some(0));
        if has_no_edges {
            return Some(vec![Vec::new(); self.heap_names.len()]);
        }
        self.cells(through, at)?;
        let groups = self.board.as_ref()?.touching(on, through)?;
        let mut lists = vec![Vec::new(); self.heap_names.len()];
        for group in groups {
            for one in &group {
                let others = group.iter().filter(|other| *other != one);
                lists[first + one].extend(others.map(|other| HeapId::new(first + other)));
            }
        }
        for list in &mut lists {
            list.sort_unstable();
            list.dedup();
        }
        Some(lists)
    }

    /// `neighbours(x)` as a list.
    pub fn neighbour_list(&mut self, name: &Name, at: Span) -> Option<List> {
        let anchor = self.anchor(name);
        let lists = self.neighbours(at);
        Some(anchor?.list(&lists?, at))
    }

    /// `heaps left of x` as a list.
    pub fn heaps_beside(&mut self, place: &Place, at: Span) -> Option<List> {
        let (Place::Left(name) | Place::Right(name)) = place else {
            return None;
        };
        let anchor = self.anchor(name);
        self.row(at)?;
        let lists: Vec<Vec<HeapId>> = (self.all_heaps().into_iter())
            .map(|heap| self.beside(heap, matches!(place, Place::Left(_))))
            .collect();
        Some(anchor?.list(&lists, at))
    }

    /// `index(x)`: the number of a heap, from 1.
    pub fn index_of(&mut self, name: &Name) -> Option<Num> {
        Some(match self.anchor(name)? {
            Anchor::Heap(heap) => Num::Const(heap.index() as i64 + 1),
            Anchor::Picked(pick) => Num::IndexOf(pick),
            Anchor::Member(heaps, slot) => {
                let by_index = |(place, heap): (usize, &Vec<HeapId>)| {
                    let is_here = nimrule_model::expr::Bool::Compare(
                        nimrule_model::expr::Order::Equal,
                        Num::Local(slot).into(),
                        Num::Const(place as i64 + 1).into(),
                    );
                    (is_here, heap[0].index() as i64 + 1)
                };
                let (cases, last) = match heaps.split_last() {
                    Some((last, cases)) => (cases, last[0].index() as i64 + 1),
                    None => return None,
                };
                cases.iter().enumerate().map(by_index).rev().fold(
                    Num::Const(last),
                    |rest, (is_here, index)| {
                        Num::If(
                            Box::new(is_here.into()),
                            Box::new(Num::Const(index).into()),
                            Box::new(rest.into()),
                        )
                    },
                )
            }
        })
    }

    /// Reports heaps that have no order from left to right.
    fn row(&mut self, at: Span) -> Option<()> {
        if self.shrinking.is_some() {
            self.problem(Problem::NotOnShrinking { what: "places", at });
            return None;
        }
        let in_row = self
            .board
            .as_ref()
            .is_none_or(|board| board.arrangement() == Some(nimrule_board::Arrangement::Row));
        if !in_row && !self.board_is_faulty {
            self.problem(Problem::NoOrder { at });
        }
        in_row.then_some(())
    }

    fn beside(&self, heap: HeapId, left: bool) -> Vec<HeapId> {
        let all = self.all_heaps().into_iter();
        all.filter(|other| if left { *other < heap } else { *other > heap })
            .collect()
    }

    /// The sets that a selection with a place chooses from.
    pub fn placed(&mut self, what: &What, place: &Spanned<Place>) -> Option<Members> {
        let at = place.span;
        let wanted = self.wanted(what, at)?;
        let name = match &place.node {
            Place::WithinOne(family) => return self.within_one(wanted, what, family, at),
            Place::Left(name)
            | Place::Right(name)
            | Place::Of(name)
            | Place::EndingAt(name)
            | Place::StartingAt(name) => name,
        };
        self.check_family(what, &place.node)?;
        let anchor = self.anchor(name)?;
        let lists: Vec<Vec<HeapId>> = match &place.node {
            Place::Of(_) => self.neighbours(at)?,
            _ => {
                self.row(at)?;
                let left = matches!(place.node, Place::Left(_) | Place::EndingAt(_));
                let beside = |heap| self.beside(heap, left);
                self.all_heaps().into_iter().map(beside).collect()
            }
        };
        let sets_of = |(heap, list): (usize, &Vec<HeapId>)| match &place.node {
            // Runs that begin or end with the heap itself.
            Place::EndingAt(_) | Place::StartingAt(_) => {
                let (least, most) = wanted.sizes();
                let run = |size: usize| {
                    let others = size.checked_sub(1)?;
                    let mut run: Vec<HeapId> = match place.node {
                        Place::EndingAt(_) => list[list.len().checked_sub(others)?..].to_vec(),
                        _ => list.get(..others)?.to_vec(),
                    };
                    run.push(HeapId::new(heap));
                    run.sort_unstable();
                    Some(run)
                };
                (least..=most.min(list.len() + 1)).filter_map(run).collect()
            }
            _ => wanted.sets(list),
        };
        let sets: Vec<Vec<Vec<HeapId>>> = lists.iter().enumerate().map(sets_of).collect();
        if sets.iter().map(Vec::len).sum::<usize>() > MAX_MEMBERS {
            self.problem(Problem::TooMany {
                count: format!("more than {MAX_MEMBERS}"),
                most: MAX_MEMBERS,
                at,
            });
            return None;
        }
        Some(match anchor {
            Anchor::Heap(heap) => Members::Listed(sets[heap.index()].clone()),
            Anchor::Picked(to) => Members::Relative {
                to,
                sets: sets.into(),
            },
            // Quantifiers stand in expressions only.
            Anchor::Member(..) => return None,
        })
    }

    /// Reports a family that does not fit the place: `neighbours of x`, `heaps left
    /// of x`.
    fn check_family(&mut self, what: &What, place: &Place) -> Option<()> {
        let (What::All(family)
        | What::One(family)
        | What::UpTo { family, .. }
        | What::Exactly { family, .. }
        | What::Consecutive { family, .. }) = what
        else {
            return None;
        };
        let fits = match (family, place) {
            (FamilyName::Named(name), Place::Of(_)) => {
                [Function::Neighbours.word(), "neighbour"].contains(&name.node.as_str())
            }
            (FamilyName::Heaps(_), Place::Of(_)) => false,
            (FamilyName::Heaps(_), _) => true,
            _ => false,
        };
        if fits {
            return Some(());
        }
        let (name, at) = match family {
            FamilyName::Heaps(mark) => ("heaps".to_owned(), mark.span),
            FamilyName::Named(name) => (name.node.clone(), name.span),
            FamilyName::Listed(list) => (self.quote(list.span), list.span),
        };
        self.problem(Problem::Kind {
            wanted: match place {
                Place::Of(_) => "`neighbours` of a heap",
                _ => "`heaps`",
            },
            found: format!("`{name}`"),
            at,
            help: Some("write `all neighbours of x`, `one heap left of x`, `2 consecutive heaps ending at x`".to_owned()),
        });
        None
    }

    /// The runs or sets of heaps within one member of a family.
    fn within_one(
        &mut self,
        wanted: Wanted,
        what: &What,
        family: &FamilyName,
        at: Span,
    ) -> Option<Members> {
        self.check_family(what, &Place::WithinOne(family.clone()))?;
        if self.shrinking.is_some() {
            self.problem(Problem::NotOnShrinking { what: "lines", at });
            return None;
        }
        let lists = self.family_members(family)?;
        let mut sets: Vec<Vec<HeapId>> = lists.iter().flat_map(|list| wanted.sets(list)).collect();
        sets.sort_unstable();
        sets.dedup();
        if sets.len() > MAX_MEMBERS {
            self.problem(Problem::TooMany {
                count: format!("more than {MAX_MEMBERS}"),
                most: MAX_MEMBERS,
                at,
            });
            return None;
        }
        Some(Members::Listed(sets))
    }

    /// How many of the heaps at a place a selection chooses.
    fn wanted(&mut self, what: &What, at: Span) -> Option<Wanted> {
        let (count, consecutive, least) = match what {
            What::All(_) => return Some(Wanted::All),
            What::One(_) => {
                return Some(Wanted::Some {
                    least: 1,
                    most: 1,
                    consecutive: false,
                });
            }
            What::UpTo {
                count, consecutive, ..
            } => (count, *consecutive, Some(1)),
            What::Exactly { count, .. } => (count, false, None),
            What::Consecutive { count, .. } => (count, true, None),
            What::HeapAt(_) | What::Named { .. } => return None,
        };
        let value = self.constant(count)?;
        match usize::try_from(value) {
            Ok(most) if most >= 1 => Some(Wanted::Some {
                least: least.unwrap_or(most),
                most,
                consecutive,
            }),
            _ => {
                self.problem(Problem::EmptySelection {
                    fix: "choose at least one",
                    at,
                });
                None
            }
        }
    }
}

/// The number of heaps that a selection chooses from a list.
#[derive(Debug, Clone, Copy)]
enum Wanted {
    /// All of them, at once.
    All,
    /// From `least` to `most` of them.
    Some {
        least: usize,
        most: usize,
        /// Whether they must follow one another in the list.
        consecutive: bool,
    },
}

impl Wanted {
    fn sizes(self) -> (usize, usize) {
        match self {
            Wanted::All => (1, usize::MAX),
            Wanted::Some { least, most, .. } => (least, most),
        }
    }

    /// The sets of heaps of a list that may be chosen.
    fn sets(self, list: &[HeapId]) -> Vec<Vec<HeapId>> {
        match self {
            Wanted::All => vec![list.to_vec()],
            Wanted::Some {
                least,
                most,
                consecutive: true,
            } => (least..=most.min(list.len()))
                .flat_map(|size| list.windows(size).map(<[HeapId]>::to_vec))
                .collect(),
            Wanted::Some { least, most, .. } => {
                let singles: Vec<Vec<HeapId>> = list.iter().map(|heap| vec![*heap]).collect();
                choose(&singles, least, most.min(list.len()))
            }
        }
    }
}

/// The sizes of a member of a family that a quantifier ranges over.
pub fn member_list(lists: &Arc<[Vec<HeapId>]>, slot: Slot, at: Span) -> Expr<List> {
    let index = Box::new(Spanned::new(Num::Local(slot), at));
    let lists = Arc::clone(lists);
    Spanned::new(List::At { lists, index }, at)
}
