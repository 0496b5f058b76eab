//! Rules of hypergraph Nim on some boards.

use super::RuleError;
use super::rule::Rule;

/// `most` neighbours on a circle of heaps that keep their places.
pub fn circle(heaps: usize, most: usize, misere: bool) -> Result<Rule, RuleError> {
    let family: Vec<u32> = (0..heaps)
        .map(|first| (0..most).fold(0, |set, step| set | 1 << ((first + step) % heaps)))
        .collect();
    Rule::fixed(heaps, misere, &family)
}

/// `most` neighbours on a circle on which empty heaps vanish.
pub fn shrinking_circle(heaps: usize, most: usize, misere: bool) -> Result<Rule, RuleError> {
    Rule::new(heaps, misere, |support| {
        let left: Vec<usize> = (0..heaps)
            .filter(|&heap| support >> heap & 1 != 0)
            .collect();
        (0..left.len())
            .map(|first| {
                (0..most.min(left.len()))
                    .fold(0, |set, step| set | 1 << left[(first + step) % left.len()])
            })
            .collect()
    })
}

/// Up to `most` heaps, any of them.
pub fn moore(heaps: usize, most: usize, misere: bool) -> Result<Rule, RuleError> {
    let family: Vec<u32> = (0..1u32 << heaps)
        .filter(|set| set.count_ones() as usize == most)
        .collect();
    Rule::fixed(heaps, misere, &family)
}

/// Two faces of a cube that share an edge; face i is opposite to i + 3.
pub fn cube_edge(misere: bool) -> Result<Rule, RuleError> {
    let family: Vec<u32> = (0..6)
        .flat_map(|a| (a + 1..6).map(move |b| (a, b)))
        .filter(|(a, b)| a + 3 != *b)
        .map(|(a, b)| 1 << a | 1 << b)
        .collect();
    Rule::fixed(6, misere, &family)
}

/// Three faces of a cube that share a vertex.
pub fn cube_vertex(misere: bool) -> Result<Rule, RuleError> {
    let family: Vec<u32> = (0..8)
        .map(|v| (0..3).fold(0, |set, axis| set | 1 << (axis + 3 * (v >> axis & 1))))
        .collect();
    Rule::fixed(6, misere, &family)
}

/// `most` neighbours in a row.
pub fn row(heaps: usize, most: usize, misere: bool) -> Result<Rule, RuleError> {
    let family: Vec<u32> = (0..=heaps - most)
        .map(|first| ((1 << most) - 1) << first)
        .collect();
    Rule::fixed(heaps, misere, &family)
}
