//! Moves into a set of positions, for positions of any size.
//!
//! The product of the transition relation and the set is run along the digits of
//! the position, the most significant first. For each prefix the reachable
//! states are stored with the digits of the option that lead there. The time is
//! linear in the number of digits.

use super::symbolic::formula::{of_heap, of_heap_after};
use super::theorem::Prover;
use nimrule_automata::memo::Memo;
use nimrule_automata::{Dfa, Track};
use nimrule_limits::LimitExceeded;

/// A position of any size: the digits of each heap, the most significant first.
pub type PositionDigits = Vec<Vec<u8>>;

/// Returns one option in the set for each transition that leads into the set: the
/// first in lexicographic order of the digits.
///
/// # Errors
///
/// A limit is exceeded.
pub fn replies(
    prover: &Prover<'_>,
    set: &Dfa,
    position: &PositionDigits,
) -> Result<Vec<PositionDigits>, LimitExceeded> {
    let mut found = Vec::new();
    for transition in &prover.transitions {
        let name = |track: Track| match usize::from(track / 2) {
            heap if track.is_multiple_of(2) && transition.touched.contains(&heap) => track + 1,
            _ => track,
        };
        let budget = &prover.compiler.budget;
        let into = set.renamed(&name, budget)?;
        let both = transition.relation.and(&into, budget)?;
        if let Some(option) = option_of(&both, &transition.touched, position)
            && !found.contains(&option)
        {
            found.push(option);
        }
    }
    Ok(found)
}

/// The first option for which the relation holds; `None` if there is none.
fn option_of(
    relation: &Dfa,
    touched: &[usize],
    position: &PositionDigits,
) -> Option<PositionDigits> {
    let length = position.iter().map(Vec::len).max().unwrap_or(0);
    // A move adds at most an amount with as many digits as the heaps have: one more
    // digit leaves room for the carry.
    let length = length + 1;
    let digit = |heap: usize, place: usize| {
        let digits = &position[heap];
        (place + digits.len())
            .checked_sub(length)
            .map_or(0, |at| digits[at])
    };
    let radix = relation.numeration().radix();
    let choices = radix.checked_pow(u32::try_from(touched.len()).ok()?)?;
    // For each prefix length, the predecessor by which each state was reached first:
    // a state, and the choice of digits.
    let mut predecessors: Vec<Memo<u32, (u32, usize)>> = Vec::with_capacity(length);
    let mut reached = vec![relation.start()];
    for place in 0..length {
        let mut next: Memo<u32, (u32, usize)> = Memo::default();
        let mut order = Vec::new();
        for &state in &reached {
            for choice in 0..choices {
                let to = relation.after(state, &|track| {
                    let heap = usize::from(track / 2);
                    if track == of_heap(heap) {
                        return digit(heap, place);
                    }
                    debug_assert_eq!(track, of_heap_after(heap));
                    touched
                        .iter()
                        .position(|of| *of == heap)
                        .map_or(0, |at| chosen(choice, at, radix))
                });
                next.or_insert_with(to, || {
                    order.push(to);
                    (state, choice)
                });
            }
        }
        predecessors.push(next);
        reached = order;
    }
    let mut state = *reached.iter().find(|s| relation.is_accepting(**s))?;
    let mut option: PositionDigits = (0..position.len())
        .map(|heap| (0..length).map(|place| digit(heap, place)).collect())
        .collect();
    for place in (0..length).rev() {
        let (from, choice) = *predecessors[place].get(&state)?;
        for (at, heap) in touched.iter().enumerate() {
            option[*heap][place] = chosen(choice, at, radix);
        }
        state = from;
    }
    for digits in &mut option {
        let zeros = digits.iter().take_while(|digit| **digit == 0).count();
        digits.drain(..zeros);
    }
    Some(option)
}

/// The digit of a choice for one of the touched heaps.
fn chosen(choice: usize, at: usize, radix: usize) -> u8 {
    (choice / radix.pow(at as u32) % radix) as u8
}
