//! Digits of numbers in the numeration systems.

use nimrule_prove::Numeration;
use nimrule_prove::proved_outcomes::{digits, number};
use num_bigint::BigUint;

#[test]
fn digits_write_numbers() {
    for numeration in [
        Numeration::Base(2),
        Numeration::Base(3),
        Numeration::Ostrowski(1),
        Numeration::Ostrowski(2),
        Numeration::Ostrowski(8),
    ] {
        for size in (0..300_u32).chain([u32::MAX]) {
            let size = BigUint::from(size);
            let written = digits(&size, numeration);
            assert_ne!(written.first(), Some(&0));
            assert_eq!(number(&written, numeration), size);
        }
    }
    // 12 = 8 + 3 + 1
    let twelve = digits(&BigUint::from(12_u8), Numeration::Ostrowski(1));
    assert_eq!(twelve, [1, 0, 1, 0, 1]);
}
