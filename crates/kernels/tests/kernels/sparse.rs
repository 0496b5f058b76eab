//! Lists of P-positions.

use nimrule_kernels::sparse::SparsePositions;
use nimrule_kernels::{Layout, Rows};

#[test]
fn indices_are_lexicographic() {
    // Two rows of 71 positions, in two words each.
    let layout = Layout::new(&[1, 70]).expect("it is small");
    let mut sparse = SparsePositions::default();
    sparse.add(&layout, Rows::new(0, &[1 << 3, 1 << 6], 2));
    sparse.add(&layout, Rows::new(1, &[0, 0b101], 2));
    let indices: Vec<u64> = sparse.indices(&layout).collect();
    assert_eq!(indices, [3, 70, 71 + 64, 71 + 66]);
    assert_eq!(sparse.p_positions(), 4);
}
