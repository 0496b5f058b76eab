//! Pairing strategies: `claim P by pairing a with A, …`.
//!
//! A pair names two heaps. With names that are not bound elsewhere it is a family
//! of pairs: `(x,y) with (n+1-x, y)` on a grid, `pile[i] with pile[n+1-i]` for
//! heaps with an index.

use super::names::Meaning;
use super::{Checker, MultisetProblem, Problem};
use nimrule_board::{CellKind, Symmetries};
use nimrule_model::expr::{Environment, HeapId, Num, Part, Slot};
use nimrule_model::source::{Span, Spanned};
use nimrule_syntax::ast::{Entry, Expr, ExprKind, Name};

/// Heaps indexed by one or two numbers.
struct IndexedHeaps {
    /// The least number and the count, for each index.
    ranges: Vec<(i64, usize)>,
    /// The heap at the least numbers; the last index varies fastest.
    heaps: Vec<HeapId>,
}

impl IndexedHeaps {
    fn heap(&self, numbers: &[i64]) -> Option<HeapId> {
        let mut place = 0;
        for (number, (first, count)) in numbers.iter().zip(&self.ranges) {
            let step = usize::try_from(number.checked_sub(*first)?).ok()?;
            if step >= *count {
                return None;
            }
            place = place * count + step;
        }
        self.heaps.get(place).copied()
    }
}

/// One heap of a pair, as written.
enum Place {
    One(HeapId),
    IndexedHeaps(IndexedHeaps, Vec<Spanned<Num>>),
}

type Pairs = Vec<(HeapId, HeapId)>;

impl Checker<'_> {
    pub(super) fn pairing(&mut self, pairs: &[(Spanned<Entry>, Spanned<Entry>)]) -> Option<Pairs> {
        if self.heap_kinds.is_some()
            && let Some((left, _)) = pairs.first()
        {
            self.problem(MultisetProblem::NoPlaces { at: left.span });
            return None;
        }
        let mut partners: Vec<Option<HeapId>> = vec![None; self.heap_names.len()];
        let mut sound = true;
        for (left, right) in pairs {
            let at = nimrule_model::source::join(left.span, right.span);
            let mark = self.names.mark();
            let found = self.pairs(left, right);
            self.close_scope(mark);
            let Some(found) = found else {
                sound = false;
                continue;
            };
            for (one, other) in found {
                sound &= self.partner(&mut partners, one, other, at);
                sound &= self.partner(&mut partners, other, one, at);
                if !sound {
                    break;
                }
            }
        }
        if !sound {
            return None;
        }
        let found: Pairs = partners
            .iter()
            .enumerate()
            .filter_map(|(heap, partner)| Some((HeapId::new(heap), (*partner)?)))
            .filter(|(heap, partner)| heap < partner)
            .collect();
        if found.is_empty() {
            let at = pairs.first().map_or((0, 0).into(), |(left, _)| left.span);
            self.not_pairs("every heap is its own partner".to_owned(), at);
            return None;
        }
        Some(found)
    }

    fn not_pairs(&mut self, reason: String, at: Span) {
        self.problem(Problem::Pairing {
            reason,
            fix: "give each heap one partner, whose partner it is in turn: `a with A`, or \
                  `(x,y) with (n+1-x, n+1-y)` for the places of a grid",
            at,
        });
    }

    /// Records a heap's partner; returns whether it had no other.
    fn partner(
        &mut self,
        partners: &mut [Option<HeapId>],
        heap: HeapId,
        partner: HeapId,
        at: Span,
    ) -> bool {
        match partners[heap.index()] {
            Some(other) if other != partner => {
                let [heap, one, two] = [heap, other, partner].map(|heap| self.heap_words(heap));
                self.not_pairs(format!("{heap} has two partners, {one} and {two}"), at);
                false
            }
            _ => {
                partners[heap.index()] = Some(partner);
                true
            }
        }
    }

    /// The name of a heap in error messages.
    fn heap_words(&self, heap: HeapId) -> String {
        match self.grid() {
            Some(grid) => match grid.heaps.iter().position(|h| *h == heap) {
                Some(place) => {
                    let mut rest = place;
                    let mut numbers = Vec::new();
                    for (first, count) in grid.ranges.iter().rev() {
                        numbers.push((*first + (rest % count) as i64).to_string());
                        rest /= count;
                    }
                    numbers.reverse();
                    format!("({})", numbers.join(","))
                }
                None => self.heap_names[heap.index()].clone(),
            },
            None => self.heap_names[heap.index()].clone(),
        }
    }

    /// The heaps of a grid, indexed by their coordinates.
    fn grid(&self) -> Option<IndexedHeaps> {
        let lengths = self.board.as_ref()?.lengths();
        let (CellKind::Vertex, first) = self.heaps_on? else {
            return None;
        };
        if lengths.is_empty() {
            return None;
        }
        let count: usize = lengths.iter().product();
        Some(IndexedHeaps {
            ranges: lengths.iter().map(|length| (1, *length)).collect(),
            heaps: (first..first + count).map(HeapId::new).collect(),
        })
    }

    /// The pairs that one `… with …` denotes.
    fn pairs(&mut self, left: &Spanned<Entry>, right: &Spanned<Entry>) -> Option<Pairs> {
        let bound = self.bind_fresh(&left.node);
        let one = self.place(left)?;
        let other = self.place(right)?;
        let ranges = match &one {
            Place::IndexedHeaps(numbered, _) => numbered.ranges.clone(),
            Place::One(_) => Vec::new(),
        };
        let mut pairs = Vec::new();
        let mut chosen: Vec<usize> = vec![0; bound.len()];
        let mut locals = vec![0; self.slots];
        loop {
            for ((slot, at), step) in bound.iter().zip(&chosen) {
                locals[slot.index()] = ranges[*at].0 + *step as i64;
            }
            let heap = self.heap_at_place(&one, None, &mut locals, left.span)?;
            let partner = self.heap_at_place(&other, Some(heap), &mut locals, right.span)?;
            pairs.push((heap, partner));
            // The last name varies fastest.
            let next = (0..bound.len())
                .rev()
                .find(|i| chosen[*i] + 1 < ranges[bound[*i].1].1);
            let Some(next) = next else {
                return Some(pairs);
            };
            chosen[next] += 1;
            chosen[next + 1..].fill(0);
        }
    }

    /// Binds the names of the left side that are not bound elsewhere, each to the
    /// index that it stands for.
    fn bind_fresh(&mut self, entry: &Entry) -> Vec<(Slot, usize)> {
        let mut bound = Vec::new();
        let numbers: Vec<&Expr> = match entry {
            Entry::Coordinates(entries) => entries.node.iter().collect(),
            Entry::Number(expr) => match &expr.node {
                ExprKind::HeapAt(index) | ExprKind::Indexed { index, .. } => vec![&**index],
                _ => Vec::new(),
            },
        };
        for (at, number) in numbers.into_iter().enumerate() {
            if let ExprKind::Name(name) = &number.node
                && self.names.peek(name).is_none()
            {
                let slot = self.fresh_slot();
                self.names
                    .bind(&Name::new(name.clone(), number.span), Meaning::Number(slot));
                bound.push((slot, at));
            }
        }
        bound
    }

    fn place(&mut self, entry: &Spanned<Entry>) -> Option<Place> {
        let expr = match &entry.node {
            Entry::Coordinates(entries) => {
                let Some(grid) = self.grid() else {
                    if !self.board_is_faulty && !self.heaps_are_faulty {
                        self.not_pairs(
                            "only the places of a grid have coordinates".to_owned(),
                            entry.span,
                        );
                    }
                    return None;
                };
                if entries.node.len() != grid.ranges.len() {
                    self.not_pairs(
                        format!("a place of this grid has {} coordinates", grid.ranges.len()),
                        entry.span,
                    );
                    return None;
                }
                let numbers = entries.node.iter().map(|e| self.fixed_number(e));
                let numbers: Vec<Option<Spanned<Num>>> = numbers.collect();
                return Some(Place::IndexedHeaps(
                    grid,
                    numbers.into_iter().collect::<Option<_>>()?,
                ));
            }
            Entry::Number(expr) => expr,
        };
        match &expr.node {
            ExprKind::HeapAt(index) => {
                let heaps = self.all_heaps();
                let numbered = IndexedHeaps {
                    ranges: vec![(1, heaps.len())],
                    heaps,
                };
                Some(Place::IndexedHeaps(
                    numbered,
                    vec![self.fixed_number(index)?],
                ))
            }
            ExprKind::Indexed { name, index } => {
                let meaning = self.names.look_up(&name.node, name.span);
                let number = self.fixed_number(index);
                match meaning {
                    Some(Meaning::Group(heaps, first)) => {
                        let numbered = IndexedHeaps {
                            ranges: vec![(first, heaps.len())],
                            heaps,
                        };
                        Some(Place::IndexedHeaps(numbered, vec![number?]))
                    }
                    _ => self.no_heap(expr),
                }
            }
            ExprKind::Name(name) => match self.names.look_up(name, expr.span) {
                Some(Meaning::Heap(heap)) => Some(Place::One(heap)),
                _ => self.no_heap(expr),
            },
            _ => self.no_heap(expr),
        }
    }

    /// Reports an expression that denotes no heap.
    fn no_heap<T>(&mut self, expr: &Expr) -> Option<T> {
        match &expr.node {
            ExprKind::Name(name)
            | ExprKind::Indexed {
                name: Spanned { node: name, .. },
                ..
            } => match self.names.peek(name).cloned() {
                Some(Meaning::Unknown) => {}
                Some(meaning) => self.problem(Problem::Kind {
                    wanted: "a heap",
                    found: super::expression::describe(&meaning).to_owned(),
                    at: expr.span,
                    help: None,
                }),
                None => self.unknown_name(name, expr.span),
            },
            _ => self.problem(Problem::Kind {
                wanted: "a heap",
                found: "a number".to_owned(),
                at: expr.span,
                help: Some(
                    "write a heap, `pile[i]`, or the coordinates of a place of a grid".to_owned(),
                ),
            }),
        }
        None
    }

    /// A number that does not depend on the position.
    fn fixed_number(&mut self, expr: &Expr) -> Option<Spanned<Num>> {
        let number = self.num(expr)?;
        if Part::Num(&number).reads_position() {
            self.problem(Problem::NotConstant { at: expr.span });
            return None;
        }
        Some(number)
    }

    /// The partner at these indices; reports that there is none.
    fn heap_at_place(
        &mut self,
        place: &Place,
        partner: Option<HeapId>,
        locals: &mut [i64],
        at: Span,
    ) -> Option<HeapId> {
        let (numbered, numbers) = match place {
            Place::One(heap) => return Some(*heap),
            Place::IndexedHeaps(numbered, numbers) => (numbered, numbers),
        };
        let mut environment = Environment {
            position: &[],
            kinds: &[],
            locals,
            picks: &[],
            amounts: &[],
            symmetries: &Symmetries::trivial(0),
            steps: 0,
        };
        let values: Result<Vec<i64>, _> =
            numbers.iter().map(|n| n.eval(&mut environment)).collect();
        let heap = match values {
            Ok(values) => numbered.heap(&values),
            Err(fault) => return self.no_value(fault, at),
        };
        if heap.is_none() {
            let reason = match partner {
                Some(heap) => format!(
                    "the partner of {} would be outside the grid",
                    self.heap_words(heap)
                ),
                None => "there is no such heap".to_owned(),
            };
            self.not_pairs(reason, at);
        }
        heap
    }
}
