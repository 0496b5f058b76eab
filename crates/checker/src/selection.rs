//! The sets of heaps that a step may select.
//!
//! On a shrinking board these sets depend on which heaps are empty at the start
//! of the step. A path is split by whether a heap is empty, heap by heap, and
//! only as far as the selection depends on it.

use crate::atom::Linear;
use crate::expression::{Path, Read, Reader, unsupported};
use nimrule_board::Arrangement;
use nimrule_board::shrinking::ShrinkingBoard;
use nimrule_model::expr::{HeapId, OfKind, Order};
use nimrule_model::game::{CountedSets, Members, Number, RemainingSets, Selection, SetFamily};
use nimrule_model::source::Span;
use std::collections::BTreeSet;

/// A path, and a set of heaps, ascending, that may be selected on it.
type Selected = (Path, Vec<HeapId>);

/// The largest number of cases by which heaps are empty.
const MAX_CASES: usize = 4096;

/// The sets of heaps that a step may select, each with its path.
pub fn selected(reader: &mut Reader<'_>, path: Path, selection: &Selection) -> Read<Vec<Selected>> {
    let span = selection.span;
    match &selection.members {
        Members::Listed(listed) => {
            let sets = listed.iter();
            Ok(sets.map(|heaps| (path.clone(), heaps.clone())).collect())
        }
        Members::Picked(earlier) => match path.picks.get(earlier).cloned() {
            Some(heaps) => Ok(vec![(path, heaps)]),
            None => unsupported("a name that may be unbound", span),
        },
        Members::Relative { to, sets } => match path.picks.get(to).map(Vec::as_slice) {
            Some([heap]) => {
                let sets = sets[heap.index()].iter();
                Ok(sets.map(|heaps| (path.clone(), heaps.clone())).collect())
            }
            _ => unsupported("a name that may be unbound", span),
        },
        Members::At {
            heaps,
            first,
            index,
        } => {
            let found = reader.heaps_at(path, heaps, *first, index)?.into_iter();
            Ok(found.map(|(path, heap)| (path, vec![heap])).collect())
        }
        Members::Counted(counted) => counted_sets(reader, path, counted, span),
        Members::Remaining(left) => on_shrinking_board(path, left, span),
        Members::Multiset {
            number: Number::Some { least, most },
            kind: OfKind::Any,
        } => of_multiset(&path, *least, *most, span),
        Members::Multiset { .. } => unsupported("a multiset of heaps", span),
    }
}

/// The sets of heaps whose number depends on the position: a case for each number.
fn counted_sets(
    reader: &mut Reader<'_>,
    path: Path,
    counted: &CountedSets,
    span: Span,
) -> Read<Vec<Selected>> {
    let heap = match counted.to {
        None => None,
        Some(to) => match path.picks.get(&to).map(Vec::as_slice) {
            Some([heap]) => Some(*heap),
            _ => return unsupported("a name that may be unbound", span),
        },
    };
    let mut found = Vec::new();
    for (path, number) in reader.number(path, &counted.count)? {
        for index in 0..counted.sets[heap.map_or(0, HeapId::index)].len() {
            let (least, most) = counted.counts(index, heap);
            let sets = counted.of(heap, least);
            if sets.is_empty() {
                continue;
            }
            let least = Linear::constant(least);
            let order = match most {
                Some(_) => Order::Equal,
                None => Order::AtMost,
            };
            let here = path.clone().compare(&least, order, &number, true, span)?;
            let Some(here) = here else { continue };
            found.extend(sets.iter().map(|heaps| (here.clone(), heaps.clone())));
            if found.len() > MAX_CASES {
                return unsupported("this many selections", span);
            }
        }
    }
    Ok(found)
}

/// The sets of `least` to `most` nonempty heaps.
fn of_multiset(path: &Path, least: usize, most: usize, span: Span) -> Read<Vec<Selected>> {
    let heaps = path.heaps.len();
    let mut found = Vec::new();
    for bits in 0..1_usize << heaps {
        let set: Vec<HeapId> = (0..heaps)
            .filter(|heap| bits >> heap & 1 == 1)
            .map(HeapId::new)
            .collect();
        if !(least..=most).contains(&set.len()) {
            continue;
        }
        let mut there = Some(path.clone());
        for heap in &set {
            let Some(open) = there.take() else { break };
            let size = open.heaps[heap.index()].clone();
            there = open.compare(&Linear::constant(1), Order::AtMost, &size, true, span)?;
        }
        found.extend(there.map(|path| (path, set)));
    }
    Ok(found)
}

/// The sets of heaps that may be selected if some heaps are on a shrinking
/// board.
fn on_shrinking_board(path: Path, left: &RemainingSets, span: Span) -> Read<Vec<Selected>> {
    match (&left.family, left.number) {
        (SetFamily::Consecutive { least, most }, Number::Some { least: 1, most: 1 }) => {
            let mut found = Vec::new();
            for number in *least..=*most {
                found.extend(consecutive(&path, left.board, number, span)?);
            }
            Ok(found)
        }
        (SetFamily::Listed(sets), Number::Some { least, most })
            if sets.iter().all(|set| set.len() == 1) =>
        {
            single_heaps(path, &sets.concat(), left.board, least.max(1)..=most, span)
        }
        (family, number) => {
            let heaps: Vec<HeapId> = (0..path.heaps.len()).map(HeapId::new).collect();
            let mut found = Vec::new();
            for (path, remaining) in remaining_heaps(path, &heaps, left.board, span)? {
                let mut members = BTreeSet::new();
                match family {
                    SetFamily::Consecutive { least, most } => {
                        for number in *least..=*most {
                            let sets = consecutive(&path, left.board, number, span)?;
                            members.extend(sets.into_iter().map(|(_, set)| set));
                        }
                    }
                    SetFamily::Listed(sets) => members.extend(sets.iter().map(|set| {
                        let heaps = set.iter().filter(|heap| remaining.contains(heap));
                        heaps.copied().collect::<Vec<_>>()
                    })),
                }
                members.remove(&Vec::new());
                let unions = unions(&members, number).into_iter();
                found.extend(unions.map(|union| (path.clone(), union)));
                check_case_count(&found, span)?;
            }
            Ok(found)
        }
    }
}

/// The sets of `number` consecutive heaps among the remaining heaps of a board;
/// the set of all remaining heaps if they are at most `number`.
fn consecutive(
    path: &Path,
    board: ShrinkingBoard,
    number: usize,
    span: Span,
) -> Read<Vec<Selected>> {
    let mut found = Vec::new();
    for first in board.places() {
        let after = first + 1..board.first + board.count;
        let before = board.first..first;
        let others: Vec<HeapId> = after.chain(before.clone()).map(HeapId::new).collect();
        let Some(path) = path.clone().with_empty(HeapId::new(first), false, span)? else {
            continue;
        };
        let mut open = vec![(path, vec![HeapId::new(first)])];
        for heap in others {
            // In a row no heap follows the last one: a set that is too small at
            // the end is the set of all remaining heaps, or no set.
            let in_row = board.arrangement == Arrangement::Row && before.contains(&heap.index());
            let mut next = Vec::new();
            for (path, heaps) in open {
                if heaps.len() == number {
                    found.push((path, heaps));
                    continue;
                }
                if !in_row && let Some(path) = path.clone().with_empty(heap, false, span)? {
                    next.push((path, [heaps.clone(), vec![heap]].concat()));
                }
                let path = path.with_empty(heap, true, span)?;
                next.extend(path.map(|path| (path, heaps)));
            }
            open = next;
            check_case_count(&open, span)?;
        }
        found.append(&mut open);
    }
    for (_, heaps) in &mut found {
        heaps.sort_unstable();
    }
    check_case_count(&found, span)?;
    Ok(found)
}

/// The sets of distinct remaining heaps whose size is in `numbers`.
fn single_heaps(
    path: Path,
    heaps: &[HeapId],
    board: ShrinkingBoard,
    numbers: std::ops::RangeInclusive<usize>,
    span: Span,
) -> Read<Vec<Selected>> {
    let mut open = vec![(path, Vec::new())];
    for heap in heaps {
        let mut more = Vec::new();
        for (path, chosen) in open
            .iter()
            .filter(|(_, chosen)| chosen.len() < *numbers.end())
        {
            let path = match board.holds(*heap) {
                true => path.clone().with_empty(*heap, false, span)?,
                false => Some(path.clone()),
            };
            more.extend(path.map(|path| (path, [chosen.clone(), vec![*heap]].concat())));
        }
        open.append(&mut more);
        check_case_count(&open, span)?;
    }
    open.retain(|(_, chosen)| numbers.contains(&chosen.len()));
    for (_, chosen) in &mut open {
        chosen.sort_unstable();
    }
    Ok(open)
}

/// The unions of `number` distinct members.
fn unions(members: &BTreeSet<Vec<HeapId>>, number: Number) -> BTreeSet<Vec<HeapId>> {
    let (least, most) = match number {
        Number::Some { least, most } => (least.max(1), most),
        Number::All => (members.len().max(1), members.len()),
        Number::AllBut(alone) => (1, members.len().saturating_sub(alone)),
    };
    // The number of members chosen, and their union.
    let mut open: BTreeSet<(usize, BTreeSet<HeapId>)> = BTreeSet::from([(0, BTreeSet::new())]);
    for member in members {
        let more: Vec<_> = open
            .iter()
            .filter(|(count, _)| *count < most)
            .cloned()
            .collect();
        for (count, mut union) in more {
            union.extend(member);
            open.insert((count + 1, union));
        }
    }
    open.into_iter()
        .filter(|(count, _)| (least..=most).contains(count))
        .map(|(_, union)| union.into_iter().collect())
        .collect()
}

/// For each path, the heaps of a list that remain: those of the board that are
/// not empty, and all that are not on the board.
fn remaining_heaps(
    path: Path,
    heaps: &[HeapId],
    board: ShrinkingBoard,
    span: Span,
) -> Read<Vec<Selected>> {
    let mut open = vec![(path, Vec::new())];
    for heap in heaps {
        let mut next = Vec::new();
        for (path, remaining) in open {
            let with = [remaining.clone(), vec![*heap]].concat();
            if !board.holds(*heap) {
                next.push((path, with));
                continue;
            }
            let full = path.clone().with_empty(*heap, false, span)?;
            next.extend(full.map(|path| (path, with)));
            let empty = path.with_empty(*heap, true, span)?;
            next.extend(empty.map(|path| (path, remaining)));
        }
        open = next;
        check_case_count(&open, span)?;
    }
    Ok(open)
}

/// For each path, the remaining heaps of the board if there are exactly `number`
/// of them; otherwise `None`.
pub fn remaining_of_number(
    path: Path,
    board: ShrinkingBoard,
    number: Option<usize>,
    span: Span,
) -> Read<Vec<(Path, Option<Vec<HeapId>>)>> {
    let heaps: Vec<HeapId> = board.places().map(HeapId::new).collect();
    let Some(number) = number else {
        return Ok(vec![(path, None)]);
    };
    let mut found = Vec::new();
    let mut open = vec![(path, Vec::new())];
    for place in 0..=heaps.len() {
        let mut next = Vec::new();
        for (path, left) in open {
            if left.len() > number || left.len() + heaps.len() - place < number {
                found.push((path, None));
            } else if let Some(heap) = heaps.get(place) {
                next.extend(
                    remaining_heaps(path, &[*heap], board, span)?
                        .into_iter()
                        .map(|(path, more)| (path, [left.clone(), more].concat())),
                );
            } else {
                found.push((path, Some(left)));
            }
        }
        open = next;
        check_case_count(&open, span)?;
    }
    Ok(found)
}

impl Path {
    /// The path with the condition that a heap is empty, or is not.
    fn with_empty(self, heap: HeapId, empty: bool, span: Span) -> Read<Option<Path>> {
        let size = self.heaps[heap.index()].clone();
        self.compare(&size, Order::AtMost, &Linear::default(), empty, span)
    }
}

/// Refuses more than [`MAX_CASES`] cases.
fn check_case_count<T>(cases: &[T], span: Span) -> Read<()> {
    if cases.len() > MAX_CASES {
        return unsupported("this many combinations of empty heaps", span);
    }
    Ok(())
}
