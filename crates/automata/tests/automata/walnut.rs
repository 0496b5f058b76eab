//! Texts of Walnut.

use nimrule_automata::walnut::{ReadError, read, text};
use nimrule_automata::{Budget, Numeration, TableDfa, atoms};
use nimrule_limits::Limits;

fn budget() -> Budget {
    Budget::new(&Limits::of_memory(1 << 26))
}

#[test]
fn what_is_written_is_read() {
    let budget = budget();
    for numeration in [
        Numeration::Base(2),
        Numeration::Base(3),
        Numeration::Ostrowski(1),
    ] {
        // x + 2 = y.
        let set = atoms::linear(numeration, &[(1, 0), (-1, 1)], 2, true, &budget).unwrap();
        let table = set.table(&[0, 1]).unwrap();
        let text = text(&table, numeration).unwrap();
        let (again, of) = read(&text, &budget).unwrap();
        assert_eq!(of, numeration);
        let again = again.dfa(&[0, 1], numeration);
        assert!(again.is_equivalent(&set, &budget).unwrap(), "{text}");
    }
    assert_eq!(
        text(
            &TableDfa {
                tracks: 1,
                base: 3,
                start: 0,
                output: vec![true],
                next: vec![0; 3],
            },
            Numeration::Ostrowski(2)
        ),
        None
    );
}

#[test]
fn letters_without_arcs_are_rejected() {
    let powers = "msd_2\n\n0 0\n0 -> 0\n1 -> 1\n\n1 1\n0 -> 1\n";
    let (set, _) = read(powers, &budget()).unwrap();
    let accepted: Vec<u64> = (0..20).filter(|n| set.accepts(&[*n])).collect();
    assert_eq!(accepted, [1, 2, 4, 8, 16]);
}

#[test]
fn other_texts_are_refused_with_the_reason() {
    let refused = |text: &str| read(text, &budget()).unwrap_err();
    for (text, error) in [
        ("", ReadError::Head),
        ("lsd_2\n0 1\n", ReadError::Head),
        ("msd_2 msd_3\n0 1\n", ReadError::Head),
        ("msd_trib\n0 1\n", ReadError::Numeration("msd_trib".into())),
        ("msd_2\n0 1\n0 -> x\n", ReadError::Line(3)),
        ("msd_2\n0 1\n2 -> 0\n", ReadError::Line(3)),
        ("msd_2\n0 -> 0\n", ReadError::Line(2)),
        ("msd_2\n0 2\n", ReadError::Output(2)),
        ("msd_2\n0 1\n0 -> 0\n0 -> 0\n", ReadError::Twice(4)),
        ("msd_2\n0 1\n0 1\n", ReadError::Twice(3)),
        ("msd_2\n0 1\n0 -> 7\n", ReadError::State(7)),
        ("msd_2\n", ReadError::State(0)),
        ("msd_2\n0 1\n0 -> 1\n1 0\n0 -> 1\n", ReadError::Zeros),
        (&("msd_2 ".repeat(30) + "\n0 1\n"), ReadError::Wide),
    ] {
        assert_eq!(refused(text), error, "{text}");
    }
}
