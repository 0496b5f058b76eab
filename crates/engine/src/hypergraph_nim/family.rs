//! The hyperedges in the representation of the row-mex kernel.

use nimrule_board::Arrangement;
use nimrule_ir::Hyperedges;
use nimrule_kernels::hypergraph_nim::HypergraphNim;
use nimrule_model::expr::HeapId;

/// The largest number of heaps of a shrinking board: it has one family of
/// hyperedges for each set of non-empty heaps.
pub(super) const MOST_VANISHING: usize = 12;

/// The sets that a move may lower, for heaps in the order in which the kernel
/// takes them: `order[i]` is the heap that is its i-th, and all others are
/// empty.
pub(super) fn family(edges: &Hyperedges, order: &[usize]) -> Result<HypergraphNim, String> {
    let heaps = order.len();
    if heaps > 64 {
        return Err(format!("at most 64 heaps are supported, not {heaps}"));
    }
    let bits = |set: &[HeapId]| {
        let place = |heap: &HeapId| order.iter().position(|other| *other == heap.index());
        set.iter()
            .filter_map(place)
            .fold(0, |set, place| set | 1_u64 << place)
    };
    match edges {
        Hyperedges::Fixed(fixed) => {
            let mut sets: Vec<u64> = fixed
                .iter()
                .map(|set| bits(set))
                .filter(|s| *s != 0)
                .collect();
            sets.sort_unstable();
            sets.dedup();
            Ok(HypergraphNim {
                hyperedges: sets,
                by_nonempty: None,
            })
        }
        Hyperedges::Remaining {
            least,
            most,
            around,
        } => {
            if heaps > MOST_VANISHING {
                return Err(format!("at most {MOST_VANISHING} heaps may vanish"));
            }
            let mut sets = Vec::new();
            let mut by_nonempty = Vec::new();
            for left in 0..1_u64 << heaps {
                let mut standing: Vec<HeapId> = (0..heaps)
                    .filter(|place| left >> place & 1 == 1)
                    .map(|place| HeapId::new(order[place]))
                    .collect();
                standing.sort_unstable();
                let mut here: Vec<usize> = Vec::new();
                for length in *least..=*most {
                    for set in windows(&standing, length, *around) {
                        let set = bits(&set);
                        let known = sets.iter().position(|other| *other == set);
                        let number = known.unwrap_or_else(|| {
                            sets.push(set);
                            sets.len() - 1
                        });
                        if !here.contains(&number) {
                            here.push(number);
                        }
                    }
                }
                by_nonempty.push(here);
            }
            Ok(HypergraphNim {
                hyperedges: sets,
                by_nonempty: Some(by_nonempty),
            })
        }
    }
}

/// The sets of `length` consecutive non-empty heaps, or all of them if fewer.
fn windows(standing: &[HeapId], length: usize, around: Arrangement) -> Vec<Vec<HeapId>> {
    if standing.is_empty() {
        return Vec::new();
    }
    if length >= standing.len() {
        return vec![standing.to_vec()];
    }
    let starts = match around {
        Arrangement::Circle => standing.len(),
        Arrangement::Row => standing.len() + 1 - length,
    };
    (0..starts)
        .map(|start| {
            let mut set: Vec<HeapId> = (start..start + length)
                .map(|i| standing[i % standing.len()])
                .collect();
            set.sort_unstable();
            set
        })
        .collect()
}
