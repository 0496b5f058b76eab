//! Random relations with cycles, and retrograde analysis of them by hand.

/// A random relation. The number of arcs of a state is uniform from 0 to twice the
/// average; most arcs lead to smaller states, so that play mostly ends.
#[derive(Debug, Clone, Copy)]
pub struct Random {
    pub states: u64,
    pub arcs_of_a_state: u64,
}

/// A number without a pattern (the finaliser of MurmurHash3).
fn mixed(mut value: u64) -> u64 {
    value ^= value >> 33;
    value = value.wrapping_mul(0xff51_afd7_ed55_8ccd);
    value ^= value >> 33;
    value = value.wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    value ^ (value >> 33)
}

impl Random {
    /// Calls `visit` with the targets of the arcs of a state.
    pub fn show(&self, state: u32, visit: &mut dyn FnMut(u32)) {
        let state = u64::from(state);
        let seed = mixed(state);
        for arc in 0..seed % (2 * self.arcs_of_a_state + 1) {
            let random = mixed(seed ^ arc.wrapping_mul(0x9e37_79b9_7f4a_7c15));
            // One arc in sixteen may lead anywhere.
            let most = if random.is_multiple_of(16) {
                self.states
            } else {
                state + 1
            };
            visit(((u128::from(random) * u128::from(most)) >> 64) as u32);
        }
    }
}

/// How many states are won, lost and drawn: a list of predecessors for each, a
/// counter, and a queue.
#[allow(
    dead_code,
    reason = "the example that shares the relations has no loop"
)]
pub fn labels_by_hand(relation: Random) -> [usize; 3] {
    let states = relation.states as usize;
    let mut before = vec![Vec::new(); states];
    let mut left = vec![0_u32; states];
    for state in 0..states as u32 {
        relation.show(state, &mut |target| {
            before[target as usize].push(state);
            left[state as usize] += 1;
        });
    }
    let (mut won, mut lost) = (vec![false; states], vec![false; states]);
    let mut queue: std::collections::VecDeque<u32> = (0..states as u32)
        .filter(|state| left[*state as usize] == 0)
        .collect();
    for state in &queue {
        lost[*state as usize] = true;
    }
    while let Some(state) = queue.pop_front() {
        for earlier in &before[state as usize] {
            let at = *earlier as usize;
            if won[at] || lost[at] {
                continue;
            }
            left[at] -= 1;
            if lost[state as usize] {
                won[at] = true;
                queue.push_back(*earlier);
            } else if left[at] == 0 {
                lost[at] = true;
                queue.push_back(*earlier);
            }
        }
    }
    let count = |of: &[bool]| of.iter().filter(|is| **is).count();
    let (won, lost) = (count(&won), count(&lost));
    [won, lost, states - won - lost]
}
