//! Claims that a rule has the moves of another one, heap for heap.

use nimrule_fixtures::{Numbers, compiled_beside};
use nimrule_limits::{Limits, Steps};
use nimrule_prove::{Strategy, Verdict, prove};

/// Fewer steps than a relation of the moves takes.
const FEW: Steps = Steps(20_000);

fn is_proved(rule: &str, other: &str) -> bool {
    let text = format!("game here {rule} claim same as other");
    let other = format!("game other {other}");
    let checked = compiled_beside(&text, &[("other.nimrule", &other)]);
    let game = checked
        .unwrap_or_else(|codes| panic!("{text}: {codes:?}"))
        .game;
    let limits = Limits::of_memory(1 << 28).cap_work(FEW);
    matches!(
        prove(&game, &game.claims[0], &Strategy::all(&limits)),
        Ok(Verdict::Proved(_))
    )
}

/// A family of sets of heaps, where each heap has another name.
fn renamed(sets: &[&str], names: &[char]) -> String {
    let name = |heap: char| names[heap as usize - 'a' as usize];
    let set = |set: &&str| {
        let heaps: Vec<String> = set.chars().map(name).map(String::from).collect();
        format!("{{{}}}", heaps.join(" "))
    };
    sets.iter().map(set).collect::<Vec<_>>().join(", ")
}

/// However the heaps are named, the sets of a family are found again; and another family is not
/// taken for it.
#[test]
fn families_of_sets_are_matched() {
    let families: [&[&str]; 6] = [
        &["ab", "bc", "cd", "de", "ef", "af"],
        &["abc", "cde", "aef"],
        &["ab", "bc", "ac", "de", "ef", "df"],
        &["abcdef"],
        &["a", "b", "c", "d", "e", "f"],
        &["abc", "abd", "ef"],
    ];
    let mut numbers = Numbers::new(5);
    for (number, family) in families.iter().enumerate() {
        for (other_number, other) in families.iter().enumerate() {
            let mut names: Vec<char> = ('a'..='f').collect();
            for place in (1..names.len()).rev() {
                names.swap(place, numbers.below(place + 1));
            }
            let rule =
                |sets: String| format!("heaps a b c d e f family s = {sets} move take from one s");
            let here = rule(renamed(family, &names));
            let there = rule(renamed(other, &['a', 'b', 'c', 'd', 'e', 'f']));
            let is_same = number == other_number;
            assert_eq!(is_proved(&here, &there), is_same, "{here}\n{there}");
        }
    }
}

/// With the same options as Nim, games in which the options are not all that matters are refused.
#[test]
fn blocked_options_and_sides_are_no_part_of_the_options() {
    let nim = "heaps a b move take from one heap";
    let blocking = format!("{nim} opponent may block up to 1 options");
    let sided = "heaps a b move left take from a move right take from b";
    for (rule, other) in [(nim, blocking.as_str()), (nim, sided), (sided, nim)] {
        let text = format!("game here {rule} claim same as other");
        let other = format!("game other {other}");
        let codes = compiled_beside(&text, &[("other.nimrule", &other)]).err();
        assert_eq!(
            codes,
            Some(vec!["claim::other-game".to_owned()]),
            "{text}\n{other}"
        );
    }
}

/// How much a move takes belongs to the rule.
#[test]
fn slow_and_free_moves_are_not_the_same() {
    let heaps = "heaps a b c d e f g h";
    let slow = format!("{heaps} move take slow from up to 7 heaps");
    let free = format!("{heaps} move take from up to 7 heaps");
    assert!(is_proved(&slow, &slow) && is_proved(&free, &free));
    assert!(!is_proved(&slow, &free) && !is_proved(&free, &slow));
}
