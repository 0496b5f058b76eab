//! Heaps by their place: the neighbours of a heap, the heaps on one side of it, and
//! consecutive heaps that end at it.

use super::names::Meaning;
use super::selection::{MAX_MEMBERS, choose};
use super::{Checker, Problem};
use itertools::Itertools;
use nimrule_board::CellKind;
use nimrule_model::expr::{Bool, Expr, Fold, HeapId, List, Num, Order, Pick, Set, Slot};
use nimrule_model::game::Members;
use nimrule_model::group::Group;
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
        let meaning = self.names.look_up(&name.node, name.span);
        let is_token = match &meaning {
            Some(Meaning::Heap(heap)) => self.is_token(*heap),
            Some(Meaning::OneHeap(pick)) => self.token_picks.contains(pick),
            _ => false,
        };
        if is_token {
            self.problem(Problem::Kind {
                wanted: "the name of one heap",
                found: "a token".to_owned(),
                at: name.span,
                help: Some(
                    "of a token one can say that a heap touches it: `x touches t`".to_owned(),
                ),
            });
            return None;
        }
        match meaning {
            Some(Meaning::Heap(heap)) => Some(Anchor::Heap(heap)),
            Some(Meaning::OneHeap(pick)) => Some(Anchor::Picked(pick)),
            Some(Meaning::SomeHeaps(pick))
                if let Some(now) = self.set_now
                    && now.pick == pick =>
            {
                Some(Anchor::Member(self.single_heaps(), now.heap))
            }
            Some(Meaning::Member(lists, slot)) if lists.iter().all(|list| list.len() == 1) => {
                Some(Anchor::Member(lists, slot))
            }
            Some(Meaning::Unknown) => None,
            Some(other) => {
                self.problem(Problem::Kind {
                    wanted: "the name of one heap",
                    found: super::expression::describe(&other).to_owned(),
                    at: name.span,
                    help: Some(match other {
                        Meaning::Number(_) => {
                            "`forall x in heaps` binds sizes; `forall v in vertices` binds the \
                             heaps on the vertices of a board"
                                .to_owned()
                        }
                        _ => "give one heap a name with `as`: `from one heap as x`".to_owned(),
                    }),
                });
                None
            }
            None => {
                self.unknown_name(&name.node, name.span);
                None
            }
        }
    }

    /// Every heap of the game, and after them the states, each by itself.
    pub fn single_heaps(&self) -> Arc<[Vec<HeapId>]> {
        let heaps = 0..self.heap_names.len();
        heaps.map(|heap| vec![HeapId::new(heap)]).collect()
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
            Anchor::Member(heaps, slot) if is_all_heaps(&heaps) => Num::Local(slot),
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

    /// `h.x`: the coordinate of a heap. Outside of the groups that have it, it has no value.
    pub fn coordinate_of_heap(&mut self, name: &Name, field: &Name) -> Option<Num> {
        let anchor = self.anchor(name)?;
        let has_axis = |group: &Arc<Group>| {
            let axes = group.axes.iter();
            let mut named = axes.enumerate().filter_map(|(at, axis)| {
                let found = axis.name.as_deref() == Some(&field.node);
                found.then_some(at)
            });
            Some((Arc::clone(group), named.next()?))
        };
        let groups: Vec<(Arc<Group>, usize)> = self.groups.iter().filter_map(has_axis).collect();
        if groups.is_empty() {
            let axes = self.groups.iter().flat_map(|group| &group.axes);
            let known = axes
                .filter_map(|axis| axis.name.as_deref())
                .sorted()
                .dedup();
            let known: Vec<String> = known
                .map(|axis| format!("`{}.{axis}`", name.node))
                .collect();
            self.problem(Problem::UnknownName {
                name: format!("{}.{}", name.node, field.node),
                at: field.span,
                help: Some(match known.is_empty() {
                    true => {
                        "name the coordinates, as in `heaps cell[x in 1..3, y in 1..4]`".to_owned()
                    }
                    false => format!("the heaps have {}", known.join(" and ")),
                }),
            });
            return None;
        }
        self.names.use_closed(field, self.text);
        if let Anchor::Heap(heap) = anchor {
            let indices = |(group, axis): &(Arc<Group>, usize)| Some(group.indices(heap)?[*axis]);
            let found = groups.iter().find_map(indices);
            if found.is_none() {
                self.problem(Problem::UnknownName {
                    name: format!("{}.{}", name.node, field.node),
                    at: field.span,
                    help: Some(format!(
                        "`{}` has no such coordinate",
                        self.heap_names[heap.index()]
                    )),
                });
            }
            return found.map(Num::Const);
        }
        let at = field.span;
        let number = |value: usize| Spanned::new(Num::Const(value as i64), at);
        let index = Spanned::new(self.index_of(name)?, at);
        let all = self.all_heaps();
        if let [(group, axis)] = &groups[..]
            && group.heaps == all
        {
            return Some(group.coordinate(*axis, index, at));
        }
        // The greatest of no numbers has no value.
        let none = Num::Fold(Fold::Max, Spanned::new(List::Items(Vec::new()), at));
        Some(groups.iter().rev().fold(none, |otherwise, (group, axis)| {
            let within = (group.heaps.iter()).map(|heap| number(heap.index() + 1));
            let within = Spanned::new(Set::Items(within.collect()), at);
            let within = Spanned::new(Bool::In(index.clone(), within), at);
            let here = group.coordinate(*axis, index.clone(), at);
            Num::If(
                Box::new(within),
                Box::new(Spanned::new(here, at)),
                Box::new(Spanned::new(otherwise, at)),
            )
        }))
    }

    /// `x is y`: whether two names are those of one heap.
    pub fn same_heap(&mut self, left: &Name, right: &Name, at: Span) -> Option<Bool> {
        use super::names::Meaning::{OneHeap, SomeHeaps};
        let selected = |checker: &Self, name: &Name| match checker.names.peek(&name.node) {
            Some(OneHeap(pick) | SomeHeaps(pick)) => Some(*pick),
            _ => None,
        };
        if let (Some(one), Some(other)) = (selected(self, left), selected(self, right)) {
            self.names.look_up(&left.node, left.span);
            self.names.look_up(&right.node, right.span);
            return Some(Bool::Same(one, other));
        }
        let (one, other) = (self.index_of(left), self.index_of(right));
        let (one, other) = (Spanned::new(one?, at), Spanned::new(other?, at));
        Some(match (one.constant(), other.constant()) {
            (Some(one), Some(other)) => Bool::Const(one == other),
            _ => Bool::Compare(Order::Equal, one, other),
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
        if let Place::Of(name) = &place.node
            && let Some(family) = family_of(what)
            && !is_neighbours(family)
        {
            return self.members_of(wanted, family, name, at);
        }
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
        self.sets_at(anchor, sets, at)
    }

    /// The sets of the heap that a name denotes, given those of each heap.
    fn sets_at(
        &mut self,
        anchor: Anchor,
        sets: Vec<Vec<Vec<HeapId>>>,
        at: Span,
    ) -> Option<Members> {
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

    /// `one rug of x`: the sets that a family has for x, or, for any other family, its
    /// members that hold x.
    fn members_of(
        &mut self,
        wanted: Wanted,
        family: &FamilyName,
        name: &Name,
        at: Span,
    ) -> Option<Members> {
        if self.shrinking.is_some() {
            self.problem(Problem::NotOnShrinking {
                what: "families",
                at,
            });
            return None;
        }
        let declared = match family {
            FamilyName::Named(family) => self.declared_family(&family.node, family.span),
            _ => None,
        };
        let of_each: Vec<Vec<Vec<HeapId>>> = match declared {
            Some(super::names::Meaning::FamilyOf(sets)) => sets.to_vec(),
            Some(super::names::Meaning::Unknown) => return None,
            _ => {
                let members = self.family_members(family)?;
                let holding = |heap: HeapId| {
                    let holding = members.iter().filter(|member| member.contains(&heap));
                    holding.cloned().collect()
                };
                self.all_heaps().into_iter().map(holding).collect()
            }
        };
        let anchor = self.anchor(name)?;
        let Some(sets) = (of_each.iter().map(|members| wanted.unions(members))).collect() else {
            self.problem(Problem::Kind {
                wanted: "`heaps`",
                found: "another family".to_owned(),
                at,
                help: Some("only heaps are consecutive: `2 consecutive heaps`".to_owned()),
            });
            return None;
        };
        self.sets_at(anchor, sets, at)
    }

    /// Reports a family that does not fit the place: `neighbours of x`, `heaps left
    /// of x`.
    fn check_family(&mut self, what: &What, place: &Place) -> Option<()> {
        let family = family_of(what)?;
        let fits = match place {
            Place::Of(_) => is_neighbours(family),
            _ => matches!(family, FamilyName::Heaps(_)),
        };
        if fits {
            return Some(());
        }
        let (name, at) = match family {
            FamilyName::Heaps(mark) => ("heaps".to_owned(), mark.span),
            FamilyName::Tokens(mark) => ("tokens".to_owned(), mark.span),
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

    /// The unions of members of a family that may be chosen; `None` if they would have to be
    /// consecutive.
    fn unions(self, members: &[Vec<HeapId>]) -> Option<Vec<Vec<HeapId>>> {
        match self {
            Wanted::All => Some(choose(members, members.len(), members.len())),
            Wanted::Some {
                consecutive: true, ..
            } => None,
            Wanted::Some { least, most, .. } => {
                Some(choose(members, least, most.min(members.len())))
            }
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

/// Whether the members are the heaps of the game in their order, so that the index of a member
/// is the number of its heap.
fn is_all_heaps(members: &[Vec<HeapId>]) -> bool {
    let mut members = members.iter().enumerate();
    members.all(|(place, heaps)| matches!(heaps[..], [heap] if heap.index() == place))
}

/// The family that a selection chooses from.
fn family_of(what: &What) -> Option<&FamilyName> {
    match what {
        What::All(family)
        | What::One(family)
        | What::UpTo { family, .. }
        | What::Exactly { family, .. }
        | What::Consecutive { family, .. } => Some(family),
        What::HeapAt(_) | What::Named { .. } => None,
    }
}

fn is_neighbours(family: &FamilyName) -> bool {
    matches!(family, FamilyName::Named(name)
        if [Function::Neighbours.word(), "neighbour"].contains(&name.node.as_str()))
}

/// The sizes of a member of a family that a quantifier ranges over.
pub fn member_list(lists: &Arc<[Vec<HeapId>]>, slot: Slot, at: Span) -> Expr<List> {
    let index = Box::new(Spanned::new(Num::Local(slot), at));
    let lists = Arc::clone(lists);
    Spanned::new(List::At { lists, index }, at)
}
