//! Labels of the arrows of automata.

use nimrule_automata::TableDfa;
use nimrule_draw::automaton::dot;

/// The label of the arrow from a start state to another, for the digits for which `holds` is
/// true. The other digits lead to a state that is not drawn.
fn of(names: &str, base: usize, holds: impl Fn(&[usize]) -> bool) -> String {
    let names: Vec<String> = names.split(' ').map(str::to_owned).collect();
    let letters = base.pow(names.len() as u32);
    let first = (0..letters).map(|letter| {
        let digits: Vec<usize> = (0..names.len())
            .map(|track| letter / base.pow(track as u32) % base)
            .collect();
        if holds(&digits) { 1 } else { 2 }
    });
    let table = TableDfa {
        tracks: names.len(),
        base,
        start: 0,
        output: vec![false, true, false],
        next: first.chain(std::iter::repeat_n(2, 2 * letters)).collect(),
    };
    let drawn = dot("", &names, &table);
    let (_, label) = drawn.split_once("0 -> 1 [label=\"").expect("an arrow");
    let (label, _) = label.split_once('"').expect("its end");
    label.replace("\\n", " ")
}

#[test]
fn sets_of_letters_are_conditions_where_these_are_short() {
    assert_eq!(of("a b c", 2, |_| true), "any digits");
    assert_eq!(of("a b c", 2, |d| d[0] == d[2]), "a = c");
    assert_eq!(of("a b c", 2, |d| d[0] == d[2] && d[1] == 1), "010 111");
    let three = |d: &[usize]| d[0] == d[2] && d[1] != d[3] && d[4] == 1;
    assert_eq!(of("a b c d e", 2, three), "e = 1, a = c, b ≠ d");
    assert_eq!(of("a b", 2, |d| d[0] != d[1]), "a ≠ b");
    assert_eq!(
        of("a b c d", 2, |d| (d[0] + d[1] + d[2] + d[3]) % 2 == 0),
        "a ⊕ b ⊕ c ⊕ d = 0"
    );
    assert_eq!(of("a b", 3, |d| d[0] == d[1]), "a = b");
    assert_eq!(of("a b", 2, |d| d[0] == 1 && d[1] == 0), "10");
    assert_eq!(of("a b c", 2, |d| d[0] + d[1] + d[2] == 1), "100 010 001");
}
