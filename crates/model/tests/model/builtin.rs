//! Binomials and nim-products.

use nimrule_model::expr::builtin::{binomial, nim_product};

#[test]
fn binomials_are_pascals_triangle() {
    let mut row = vec![1_i64];
    for n in 0..=66 {
        for (k, value) in row.iter().enumerate() {
            assert_eq!(binomial(n, k as i64), Some(*value), "{n} over {k}");
        }
        assert_eq!(binomial(n, n + 1), Some(0));
        let inner = row.windows(2).map(|two| two[0].saturating_add(two[1]));
        row = std::iter::once(1).chain(inner).chain([1]).collect();
    }
    assert_eq!(binomial(67, 33), None);
    assert_eq!(binomial(i64::MAX, 1), Some(i64::MAX));
    assert_eq!(binomial(i64::MAX, 2), None);
    assert_eq!(binomial(3, i64::MAX), Some(0));
}

/// Conway's definition: the least number that no product of smaller ones gives.
#[test]
fn nim_products_are_as_defined() {
    const MOST: usize = 40;
    let mut table = vec![vec![0_u64; MOST]; MOST];
    for a in 0..MOST {
        for b in 0..MOST {
            let smaller = (0..a).flat_map(|x| (0..b).map(move |y| (x, y)));
            let options: std::collections::BTreeSet<u64> = smaller
                .map(|(x, y)| table[x][b] ^ table[a][y] ^ table[x][y])
                .collect();
            let least = (0..).find(|value| !options.contains(value));
            table[a][b] = least.expect("there are finitely many options");
            assert_eq!(nim_product(a as u64, b as u64), table[a][b], "{a} and {b}");
        }
    }
}

/// In a field each number but 0 has an inverse, and the product distributes over the sum.
#[test]
fn large_nim_products_are_those_of_a_field() {
    let large = [
        1 << 32,
        0xdead_beef_1234_5678,
        u64::MAX,
        3 << 40,
        0xffff_0001,
    ];
    for a in large {
        for b in large {
            let product = nim_product(a, b);
            assert_eq!(product, nim_product(b, a));
            for c in large {
                assert_eq!(nim_product(product, c), nim_product(a, nim_product(b, c)));
                assert_eq!(nim_product(a, b ^ c), product ^ nim_product(a, c));
            }
        }
        // The order of the group is 2^64 - 1: the power 2^64 of a number is itself.
        let power = (0..64).fold(a, |power, _| nim_product(power, power));
        assert_eq!(power, a);
    }
}
