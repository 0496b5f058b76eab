//! The conditions of proofs of misère quotients.

use nimrule_limits::Limits;
use nimrule_quotient::proof::{Halt, prove};
use nimrule_quotient::{BipartiteMonoid, Element, ElementSet, Heaps, Sum};

/// Kayles: a move takes one or two tokens, and may split the rest.
fn kayles(to: u32) -> Heaps {
    let options: Vec<Vec<Vec<u32>>> = (1..=to)
        .map(|heap| {
            let taken = (1..=2).filter(|taken| *taken <= heap);
            let left = taken.map(|taken| heap - taken);
            left.flat_map(|left| (0..=left / 2).map(move |part| vec![part, left - part]))
                .collect()
        })
        .collect();
    Heaps::new(&options).expect("heaps become smaller")
}

/// The quotient of Nim heaps of at most 3 tokens: a a = 1, b b b = b.
fn tame() -> BipartiteMonoid {
    let at = Element::at;
    // 1, a, b, ab, bb, abb.
    let by_a: Vec<Element> = [1, 0, 3, 2, 5, 4].map(at).to_vec();
    let by_b: Vec<Element> = [2, 3, 4, 5, 2, 3].map(at).to_vec();
    let grown = [
        (at(0), by_a.as_slice()),
        (at(0), by_b.as_slice()),
        (at(1), by_b.as_slice()),
        (at(2), by_b.as_slice()),
        (at(3), by_b.as_slice()),
    ];
    BipartiteMonoid::grown(
        &grown,
        ElementSet::of(6, |element| [1, 4].contains(&element.place())),
    )
}

fn first() -> Vec<Sum> {
    let sums: [&[u32]; 6] = [&[], &[1], &[2], &[2, 1], &[2, 2], &[2, 2, 1]];
    sums.map(<[u32]>::to_vec).to_vec()
}

#[test]
fn a_correct_candidate_is_proved() {
    let images = [1, 2, 3, 1].map(Element::at);
    let limits = Limits::of_memory(1 << 20);
    let monoid = tame();
    assert!(monoid.is_reduced_and_generated_by(&images));
    assert!(prove(&kayles(4), &monoid, &images, &first(), &limits).is_ok());
}

#[test]
fn the_first_wrong_sum_is_found() {
    // With the image of the heap 3, the heap 5 alone is wrong; with that of
    // 1 or 2 it is evaluated as P with an option in P, or as N without one.
    let limits = Limits::of_memory(1 << 20);
    let monoid = tame();
    let wrong = |images: &[usize]| {
        let images: Vec<Element> = images.iter().map(|place| Element::at(*place)).collect();
        let heaps = kayles(u32::try_from(images.len()).expect("there are few"));
        match prove(&heaps, &monoid, &images, &first(), &limits) {
            Err(Halt::Counterexample(sum)) => sum,
            other => panic!("{other:?} although {images:?} are wrong"),
        }
    };
    assert_eq!(wrong(&[0]), [1]);
    assert_eq!(wrong(&[1, 1]), [2]);
    assert_eq!(wrong(&[1, 2, 2]), [3, 2]);
    for image in 0..6 {
        let sum = wrong(&[1, 2, 3, 1, image]);
        assert_eq!(sum[0], 5, "sums without the heap of 5 are right");
    }
}
