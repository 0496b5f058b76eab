//! Heaps by their place: the neighbours of a heap, the heaps on one side of it, and
//! consecutive heaps that end at it.

use super::names::Meaning;
use super::selection::{MAX_MEMBERS, choose};
use super::{BoardProblem, Checker, Problem};
use itertools::Itertools;
use nimrule_board::{Arrangement, CellKind};
use nimrule_model::expr::{Bool, Expr, Fold, HeapId, List, Num, Order, Pick, Set, Slot};
use nimrule_model::game::{CountedSets, Members};
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
        let name = place.name()?;
        let anchor = self.anchor(name);
        let lists = self.beside(place, at)?;
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
            Some(SomeHeaps(pick)) if checker.set_now.is_some_and(|now| now.pick == *pick) => None,
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

    /// The heaps on one side of each heap, ascending: on a grid those of its row or column,
    /// else those before or after it.
    fn beside(&mut self, place: &Place, at: Span) -> Option<Vec<Vec<HeapId>>> {
        let is_before = matches!(place, Place::Left(_) | Place::Above(_));
        let lengths = self.board.as_ref().map_or(&[][..], |board| board.lengths());
        if let &[rows, columns] = lengths
            && let Some((CellKind::Vertex, first)) = self.heaps_on
            && self.shrinking.is_none()
        {
            let mut lists = vec![Vec::new(); self.heap_names.len()];
            let cell = |row: usize, column: usize| HeapId::new(first + row * columns + column);
            for (row, column) in (0..rows).cartesian_product(0..columns) {
                let sideways = matches!(place, Place::Left(_) | Place::Right(_));
                let own = if sideways { column } else { row };
                let length = if sideways { columns } else { rows };
                let others = if is_before { 0..own } else { own + 1..length };
                let other = |other| match sideways {
                    true => cell(row, other),
                    false => cell(other, column),
                };
                lists[cell(row, column).index()] = others.map(other).collect();
            }
            return Some(lists);
        }
        if matches!(place, Place::Above(_) | Place::Below(_)) {
            self.no_grid(at);
            return None;
        }
        if self.shrinking.is_some() {
            self.problem(Problem::NotOnShrinking { what: "places", at });
            return None;
        }
        let arrangement = self.board.as_ref().map(|board| board.arrangement());
        if arrangement.is_some_and(|order| order != Some(Arrangement::Row)) {
            if !self.board_is_faulty {
                self.problem(Problem::NoOrder { at });
            }
            return None;
        }
        let all = self.all_heaps();
        let list = |heap: &HeapId| match is_before {
            true => all.iter().copied().filter(|other| other < heap).collect(),
            false => all.iter().copied().filter(|other| other > heap).collect(),
        };
        Some(all.iter().map(list).collect())
    }

    /// Reports `above` and `below` without the rows of a grid.
    fn no_grid(&mut self, at: Span) {
        if self.board_is_faulty {
            return;
        }
        let board = (self.board.as_ref()).map_or("a game without a board".to_owned(), |board| {
            format!("`board {}`", board.name())
        });
        self.problem(BoardProblem::NoCells {
            cells: "rows one above the other".to_owned(),
            board,
            at,
            help: Some(
                "`above` and `below` are said on a `grid(…)` of two dimensions with a heap on \
                 each place"
                    .to_owned(),
            ),
        });
    }

    /// The heaps that follow each heap, or precede it, the nearest first; on a circle all of
    /// them, with the heap itself last.
    fn following(&mut self, backwards: bool, at: Span) -> Option<Vec<Vec<HeapId>>> {
        if self.shrinking.is_some() {
            self.problem(Problem::NotOnShrinking { what: "places", at });
            return None;
        }
        let arrangement = self.board.as_ref().map(|board| board.arrangement());
        let mut lists: Vec<Vec<HeapId>> = match (arrangement, self.heaps_on) {
            (Some(Some(Arrangement::Circle)), Some((CellKind::Vertex, first))) => {
                let board = self.board.as_ref();
                let places = board.and_then(|board| board.count(CellKind::Vertex));
                let places = places.unwrap_or(0);
                let mut lists = vec![Vec::new(); self.heap_names.len()];
                for place in 0..places {
                    let steps = 1..=places;
                    let other = |step: usize| match backwards {
                        true => (place + places - step) % places,
                        false => (place + step) % places,
                    };
                    let others = steps.map(|step| HeapId::new(first + other(step)));
                    lists[first + place] = others.collect();
                }
                return Some(lists);
            }
            (None | Some(Some(Arrangement::Row)), _) => {
                let all = self.all_heaps();
                let list = |heap: &HeapId| match backwards {
                    true => all.iter().copied().filter(|other| other < heap).collect(),
                    false => all.iter().copied().filter(|other| other > heap).collect(),
                };
                all.iter().map(list).collect()
            }
            _ => {
                if !self.board_is_faulty {
                    self.problem(Problem::NoOrder { at });
                }
                return None;
            }
        };
        if backwards {
            lists.iter_mut().for_each(|list| list.reverse());
        }
        Some(lists)
    }

    /// The sets that a selection with a place chooses from.
    pub fn placed(&mut self, what: &What, place: &Spanned<Place>) -> Option<Members> {
        let at = place.span;
        let wanted = match self.wanted(what, at)? {
            Count::Fixed(wanted) => wanted,
            Count::Varying { count, clips } => {
                return self.placed_by_count(what, place, count, clips);
            }
        };
        let (anchor, sets) = self.sets_placed(wanted, what, place)?;
        self.sets_at(anchor, sets, at)
    }

    /// The sets of a selection with a place whose number depends on the position.
    fn placed_by_count(
        &mut self,
        what: &What,
        place: &Spanned<Place>,
        count: Spanned<Num>,
        clips: bool,
    ) -> Option<Members> {
        let consecutive = match what {
            What::UpTo { consecutive, .. } => *consecutive,
            What::Consecutive { .. } => true,
            _ => false,
        };
        let mut by_heap: Vec<Vec<Vec<Vec<HeapId>>>> = Vec::new();
        let mut of = None;
        let mut room = MAX_MEMBERS;
        for most in 1..=self.all_heaps().len() {
            let least = if clips { 1 } else { most };
            let wanted = Wanted::Some {
                least,
                most,
                consecutive,
            };
            let (anchor, sets) = self.sets_placed(wanted, what, place)?;
            let number: usize = sets.iter().map(Vec::len).sum();
            let Some(left) = room.checked_sub(number) else {
                self.problem(Problem::TooMany {
                    count: format!("more than {MAX_MEMBERS}"),
                    most: MAX_MEMBERS,
                    at: place.span,
                });
                return None;
            };
            room = left;
            // A number of 0 has no sets.
            by_heap.resize(sets.len(), vec![Vec::new()]);
            for (by_count, sets) in by_heap.iter_mut().zip(sets) {
                by_count.push(sets);
            }
            of = anchor;
        }
        let to = match of {
            Some(Anchor::Heap(heap)) => {
                by_heap = vec![by_heap.swap_remove(heap.index())];
                None
            }
            Some(Anchor::Picked(to)) => Some(to),
            Some(Anchor::Member(..)) => return None,
            None => None,
        };
        Some(Members::Counted(CountedSets {
            to,
            count,
            clips,
            sets: by_heap.into(),
        }))
    }

    /// The sets of each heap that a selection with a place may choose, and the heap that is
    /// named; without such a heap one list.
    fn sets_placed(
        &mut self,
        wanted: Wanted,
        what: &What,
        place: &Spanned<Place>,
    ) -> Option<(Option<Anchor>, SetsOfHeaps)> {
        let at = place.span;
        if let Place::WithinOne(family) = &place.node {
            return Some((None, vec![self.within_one(wanted, what, family, at)?]));
        }
        let name = place.node.name()?;
        if let Place::Of(name) = &place.node
            && let Some(family) = family_of(what)
            && !is_neighbours(family)
        {
            let (anchor, sets) = self.members_of(wanted, family, name, at)?;
            return Some((Some(anchor), sets));
        }
        self.check_family(what, &place.node)?;
        let anchor = self.anchor(name)?;
        let holds_itself = matches!(place.node, Place::EndingAt(_) | Place::StartingAt(_));
        let lists: Vec<Vec<HeapId>> = match &place.node {
            Place::Of(_) => self.neighbours(at)?,
            Place::EndingAt(_) | Place::EndingBefore(_) => self.following(true, at)?,
            Place::StartingAt(_) | Place::StartingAfter(_) => self.following(false, at)?,
            _ => self.beside(&place.node, at)?,
        };
        let is_run =
            holds_itself || matches!(place.node, Place::EndingBefore(_) | Place::StartingAfter(_));
        // Runs that begin or end with the heap itself, or beside it.
        let runs = |heap: usize, list: &Vec<HeapId>| {
            let (least, most) = wanted.sizes();
            let own = holds_itself.then(|| HeapId::new(heap));
            let others = list.iter().copied().filter(|other| Some(*other) != own);
            let line: Vec<HeapId> = own.into_iter().chain(others).collect();
            let run = |size: usize| {
                let mut run = line.get(..size)?.to_vec();
                run.sort_unstable();
                Some(run)
            };
            (least..=most.min(line.len())).filter_map(run).collect()
        };
        let sets = lists.iter().enumerate().map(|(heap, list)| match is_run {
            true => runs(heap, list),
            false => wanted.sets(list),
        });
        Some((Some(anchor), sets.collect()))
    }

    /// The sets of the heap that a name denotes, given those of each heap.
    fn sets_at(
        &mut self,
        anchor: Option<Anchor>,
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
            None => Members::Listed(sets.concat()),
            Some(Anchor::Heap(heap)) => Members::Listed(sets[heap.index()].clone()),
            Some(Anchor::Picked(to)) => Members::Relative {
                to,
                sets: sets.into(),
            },
            // Quantifiers stand in expressions only.
            Some(Anchor::Member(..)) => return None,
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
    ) -> Option<(Anchor, SetsOfHeaps)> {
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
        Some((anchor, sets))
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
    ) -> Option<Vec<Vec<HeapId>>> {
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
        Some(sets)
    }

    /// How many of the heaps at a place a selection chooses.
    fn wanted(&mut self, what: &What, at: Span) -> Option<Count> {
        let (count, consecutive, least) = match what {
            What::All(_) => return Some(Count::Fixed(Wanted::All)),
            What::One(_) => {
                return Some(Count::Fixed(Wanted::Some {
                    least: 1,
                    most: 1,
                    consecutive: false,
                }));
            }
            What::UpTo {
                count, consecutive, ..
            } => (count, *consecutive, Some(1)),
            What::Exactly { count, .. } => (count, false, None),
            What::Consecutive { count, .. } => (count, true, None),
            What::HeapAt(_) | What::Named { .. } => return None,
        };
        if let Some(count) = self.varying_count(count) {
            let clips = least.is_some();
            return Some(Count::Varying {
                count: count?,
                clips,
            });
        }
        let value = self.constant(count)?;
        match usize::try_from(value) {
            Ok(most) if most >= 1 => Some(Count::Fixed(Wanted::Some {
                least: least.unwrap_or(most),
                most,
                consecutive,
            })),
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

/// The sets of each heap, or of none.
type SetsOfHeaps = Vec<Vec<Vec<HeapId>>>;

/// The number of heaps that a selection chooses, as written.
enum Count {
    Fixed(Wanted),
    /// The position gives it. A number that is too large is the largest, if it `clips`.
    Varying {
        count: Expr<Num>,
        clips: bool,
    },
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
