//! `claim same as …`, compared with an exhaustive search over matchings and positions.

use nimrule_analysis::Checked;
use nimrule_claim::{self as claim, ClaimStatus};
use nimrule_engine::{Limits, Solver};
use nimrule_fixtures::{Numbers, compiled_beside as beside};
use nimrule_ir::{self as ir, MoveGraph};
use nimrule_model::game::Statement;

static LIMITS: Limits = Limits::of_memory(1 << 28);

fn codes(text: &str, files: &[(&str, &str)]) -> Vec<String> {
    beside(text, files).err().unwrap_or_default()
}

/// The status of the game's first claim on the box to `most`.
fn standing(compiled: &Checked, most: u64) -> ClaimStatus {
    let solver = Solver::new(&compiled.game);
    claim::check_alone(&solver, &compiled.game.claims[0], most, Some(most), &LIMITS)
        .expect("the box is small")
        .expect("it asks for no table")
}

const RULES: [&str; 5] = [
    "take from one set",
    "take slow from one set",
    "take 1..2 from one set",
    "take from one set where total != 2",
    "take equal from one set",
];

/// Some sets of four heaps, as numbers whose bits are the heaps.
fn sets(numbers: &mut Numbers) -> Vec<u64> {
    let mut sets: Vec<u64> = (0..2 + numbers.below(3))
        .map(|_| 1 + numbers.below(15))
        .collect();
    sets.sort_unstable();
    sets.dedup();
    sets
}

fn family(sets: &[u64], names: &[&str]) -> String {
    let written: Vec<String> = sets
        .iter()
        .map(|set| {
            let heaps: Vec<&str> = (0..4)
                .filter(|heap| set >> heap & 1 == 1)
                .map(|heap| names[heap])
                .collect();
            format!("{{ {} }}", heaps.join(" "))
        })
        .collect();
    format!("family set = {}\n", written.join(", "))
}

/// Returns whether under some matching the options correspond at the positions
/// with heaps of at most 2 tokens and at those with at most 4 tokens in all.
fn corresponds(here: &MoveGraph, there: &MoveGraph) -> bool {
    let mut order = [0, 1, 2, 3];
    let mut found = false;
    each_order(&mut order, 0, &mut |order| {
        let image =
            |position: &[u64]| -> Vec<u64> { order.iter().map(|from| position[*from]).collect() };
        let mut positions = Vec::new();
        for code in 0..625_u64 {
            let position: Vec<u64> = (0..4).map(|heap| code / 5_u64.pow(heap) % 5).collect();
            let small = position.iter().all(|size| *size <= 2);
            if small || position.iter().sum::<u64>() <= 4 {
                positions.push(position);
            }
        }
        found |= positions.iter().all(|position| {
            // The fifth heap stays empty.
            let whole = [position.as_slice(), &[0]].concat();
            let ours = ir::moves(here, &whole).expect("no faults");
            let mut ours: Vec<Vec<u64>> = ours.iter().map(|option| image(option)).collect();
            ours.sort_unstable();
            ours == ir::moves(there, &image(position)).expect("no faults")
        });
    });
    found
}

fn each_order(order: &mut [usize; 4], from: usize, visit: &mut dyn FnMut(&[usize; 4])) {
    if from == 4 {
        return visit(order);
    }
    for other in from..4 {
        order.swap(from, other);
        each_order(order, from + 1, visit);
        order.swap(from, other);
    }
}

#[test]
fn a_matching_is_found_where_there_is_one() {
    let mut numbers = Numbers::new(7);
    let (mut same, mut other) = (0, 0);
    for _ in 0..150 {
        let rule = RULES[numbers.below(5) as usize];
        let ours = sets(&mut numbers);
        // The same sets of heaps in another order, or other sets.
        let order = numbers.below(24) as usize;
        let mut orders = Vec::new();
        each_order(&mut [0, 1, 2, 3], 0, &mut |order| orders.push(*order));
        let mut theirs: Vec<u64> = ours
            .iter()
            .map(|set| {
                (0..4)
                    .filter(|heap| set >> heap & 1 == 1)
                    .map(|heap: usize| 1 << orders[order][heap])
                    .sum()
            })
            .collect();
        if numbers.below(2) == 0 {
            theirs[0] = 1 + numbers.below(15);
            theirs.sort_unstable();
            theirs.dedup();
        }
        let there = format!(
            "game there\nheaps p q r s\n{}move {rule}\nclaim P iff nonsense\n",
            family(&theirs, &["p", "q", "r", "s"])
        );
        // A fifth heap stays empty.
        let here = format!(
            "game here\nheaps a b c d e\n{}move {rule}\nmove take from e\n\
             claim same as there where e == 0\n",
            family(&ours, &["a", "b", "c", "d"])
        );
        let compiled = beside(&here, &[("there.nimrule", &there)])
            .unwrap_or_else(|problems| panic!("{here}{problems:?}"));
        let Some(Statement::SameAs(claimed)) = &compiled.game.claims[0].statement else {
            panic!("the claim is about another game");
        };
        let (ours, theirs) = (ir::lower(&compiled.game), ir::lower(&claimed.other));
        let expected = corresponds(&ours, &theirs);
        let found = standing(&compiled, 2);
        match (&found, expected) {
            (ClaimStatus::Holds { to: 2, by: Some(_) }, true) => same += 1,
            (ClaimStatus::Refuted(_), false) => other += 1,
            _ => panic!("{found:?} instead of {expected}:\n{here}{there}"),
        }
    }
    assert!(same > 40 && other > 20, "{same} hold and {other} fail");
}

const RING: &str = "game ring\nparam n = 6 in 3..9\nboard circle(n)\n\
                    move take from 2 consecutive heaps\n";

fn cube(claim: &str) -> String {
    format!(
        "game cube\nboard cube\nheaps on vertices as a b c d D C B A\n\
         move take from one edge\nclaim {claim}\n"
    )
}

#[test]
fn a_condition_may_empty_heaps_in_many_words() {
    for condition in [
        "a == A == 0",
        "A == a and a == 0",
        "a + A == 0",
        "max(a, A) == 0",
        "sum({a, A}) <= 0",
        "a <= 0 and not A > 0",
        "forall i in {1,8}: heaps[i] == 0",
    ] {
        let text = cube(&format!("same as ring where {condition}"));
        let compiled = beside(&text, &[("ring.nimrule", RING)]);
        let compiled = compiled.unwrap_or_else(|problems| panic!("{condition}: {problems:?}"));
        let found = standing(&compiled, 2);
        assert!(
            matches!(found, ClaimStatus::Holds { to: 2, .. }),
            "{condition}: {found:?}"
        );
    }
}

/// Where a claim is refuted, and in what words.
fn refuted(claim: &str, most: u64) -> (Vec<u64>, String) {
    let compiled = beside(&cube(claim), &[("ring.nimrule", RING)]).expect("it makes sense");
    match standing(&compiled, most) {
        ClaimStatus::Refuted(found) => (found.position.clone(), found.words()),
        other => panic!("{claim}: {other:?}"),
    }
}

#[test]
fn a_wrong_claim_is_refuted_with_the_position_and_the_difference() {
    // The heaps left make no ring: B and a are opposite on a face.
    let (position, words) = refuted("same as ring where a == B == 0", 2);
    assert_eq!(position, [0, 0, 0, 1, 0, 0, 0, 1]);
    assert!(
        words.starts_with("(0,0,0,0,0,0,0,0) is an option, and (0,0,0,0,0,0) is not an option of"),
        "{words}"
    );
    let (position, words) = refuted("same as ring(n = 5) where a == A == 0", 2);
    assert_eq!(position.iter().sum::<u64>(), 1);
    assert_eq!(
        words,
        "`B` may be non-empty, and no heap of ring(n = 5) is left for it"
    );
    let (position, words) = refuted("same as ring(n = 8) where a == A == 0", 2);
    assert_eq!(position, [0; 8]);
    assert_eq!(words, "the condition leaves 6 heaps, and ring(n = 8) has 8");
    let (position, words) = refuted("same as ring where a == A == 0 and b <= 2", 3);
    assert_eq!(position, [0, 3, 0, 0, 0, 0, 0, 0]);
    assert!(
        words.starts_with("this is not a position of the sub-game"),
        "{words}"
    );
    // Where nothing says that b stays empty, tokens may be put on it.
    let text = "game puts\nheaps a b\nmove take from a\nmove take from b\n\
                move take t from a where t >= 2 then put 1 on b\n\
                claim same as single where b == 0\n";
    let single = "game single\nheaps 1\nmove take from one heap\n";
    let compiled = beside(text, &[("single.nimrule", single)]).expect("it makes sense");
    let ClaimStatus::Refuted(found) = standing(&compiled, 4) else {
        panic!("an option has tokens on b");
    };
    assert_eq!(found.position, [2, 0]);
    assert_eq!(
        found.words(),
        "the option (0,1) leaves the sub-game, and none may"
    );
}

#[test]
fn a_claim_may_be_refuted_where_the_file_says() {
    for (position, fails) in [("d=1 A=1", true), ("d=1", false)] {
        let text = cube(&format!(
            "same as ring where a == B == 0 refuted at {position}"
        ));
        let compiled = beside(&text, &[("ring.nimrule", RING)]).expect("it makes sense");
        let claim = &compiled.game.claims[0];
        let solver = Solver::new(&compiled.game);
        let position = claim.refuted.clone().expect("a position is named");
        let found = claim::fails_at(&solver, claim, &position, &LIMITS);
        assert_eq!(found.expect("it is small").is_some(), fails, "{position:?}");
    }
}

#[test]
fn files_may_name_each_other() {
    let one = "game first\nheaps 2\nmove take from one heap\nclaim same as second\n";
    let two = "game second\nheaps x y\nmove take from one heap\nclaim same as first\n";
    let files = [("first.nimrule", one), ("second.nimrule", two)];
    for text in [one, two] {
        let compiled = beside(text, &files).expect("both make sense");
        assert!(matches!(
            standing(&compiled, 5),
            ClaimStatus::Holds { to: 5, .. }
        ));
    }
}

#[test]
fn symmetries_of_one_side_hide_no_difference() {
    let other =
        |positions: &str| format!("game o\nheaps x y z\n{positions}\nmove take from one heap\n");
    for (condition, positions) in [("", "positions where x <= 5"), ("where a <= 5", "")] {
        let text =
            format!("game g\nheaps a b c\nmove take from one heap\nclaim same as o {condition}\n");
        let compiled = beside(&text, &[("o.nimrule", &other(positions))]).expect("it makes sense");
        let found = standing(&compiled, 6);
        assert!(
            matches!(&found, ClaimStatus::Refuted(at) if at.position == [6, 0, 0]),
            "{found:?}"
        );
    }
}

#[test]
fn errors_of_the_other_game_are_reported() {
    let claim = |words: &str| cube(&format!("same as {words}"));
    let ring = [("ring.nimrule", RING)];
    assert_eq!(
        codes(&claim("ring where a == A == 0"), &[]),
        ["claim::other-game"]
    );
    assert_eq!(codes(&claim("ring(k = 2)"), &ring), ["params::unknown"]);
    assert_eq!(
        codes(&claim("ring(n = 99)"), &ring),
        ["params::out-of-range"]
    );
    assert_eq!(codes(&claim("ring(n = 5, n = 6)"), &ring), ["names::taken"]);
    assert_eq!(
        codes(&claim("ring where q == 0"), &ring),
        ["names::unknown"]
    );
    for faulty in [
        "game ring\nheaps 2\nmvoe take from one heap\n",
        "game ring\nheaps 2\nmove take from one edge\n",
        "game ring\nheaps x of real size\nmove take from one heap\n",
        "game ring\nheaps any number\nmove take from one heap\n",
    ] {
        let files = [("ring.nimrule", faulty)];
        assert_eq!(
            codes(&claim("ring"), &files),
            ["claim::other-game"],
            "{faulty}"
        );
    }
}

/// What becomes of a claim about another game, in words: `holds to 3: …`, or `at (1,2): …`.
fn becomes(text: &str, files: &[(&str, &str)], most: u64) -> String {
    let compiled = beside(text, files).unwrap_or_else(|problems| panic!("{text}: {problems:?}"));
    match standing(&compiled, most) {
        ClaimStatus::Holds { to, by } => format!("to {to}: {}", by.unwrap_or_default()),
        ClaimStatus::Proved { by, .. } => format!("proved: {by}"),
        ClaimStatus::Refuted(found) => {
            let claim = &compiled.game.claims[0];
            let solver = Solver::new(&compiled.game);
            let again = claim::fails_at(&solver, claim, &found.position, &LIMITS);
            assert_eq!(again.expect("it is small").as_ref(), Some(&found), "{text}");
            let at = compiled.game.shown(&found.position);
            format!("at {at}: {}", found.words())
        }
        other => panic!("{text}: {other:?}"),
    }
}

const PILES: &str = "game piles\nparam n = 2 in 1..4\nheaps n\nmove take from one heap\n";
const BAG: &str = "game bag\nheaps any number\nmove take from one heap\n";
const SIDES: &str = "game sides\nheaps 1\nmove left take 1 from one heap\n\
                     move right take 2 from one heap\n";

#[test]
fn an_image_may_be_given() {
    let files = [
        ("piles.nimrule", PILES),
        ("bag.nimrule", BAG),
        ("sides.nimrule", SIDES),
    ];
    let few = "heaps a b\nmove take 1..2 from one heap\n";
    let more = "heaps a b\npositions where min(heaps) > 0\nmove take from one heap\n";
    let loose = "heaps any number\nmove take 1..2 from one heap\n";
    let left = "heaps a\nmove left take 1 from a\nmove right take 2 from a\n";
    let state = "heaps a\nstate last in 0..2 = 2\nmove take from a then set last to 0\n";
    for (rule, claim, expected) in [
        (
            few,
            "grundy as piles under (a mod 3, b mod 3)",
            "to 4: 25 positions, with images up to 2",
        ),
        (
            few,
            "grundy as piles(n = 1) under ((a mod 3) ^ (b mod 3))",
            "to 4: 25 positions, with images up to 3",
        ),
        (
            few,
            "outcome as bag under (h mod 3 for h in heaps)",
            "to 4: 25 positions, with images up to 4",
        ),
        (
            few,
            "outcome as piles",
            "at (0,3): it is P, and (0,3) of piles is N",
        ),
        (
            few,
            "grundy as piles where max(heaps) < 3",
            "to 4: 9 positions, with images up to 2",
        ),
        (
            few,
            "as piles under (b, a) where max(heaps) < 3",
            "to 4: 9 positions",
        ),
        (
            few,
            "as piles under (b, a)",
            "at (0,3): it goes to (3,0) of piles, and no option goes to its option (0,0)",
        ),
        (
            few,
            "as piles under (a, b) where a < 3 and b != 1",
            "at (0,2): the option (0,1) leaves the sub-game, and none may",
        ),
        (
            few,
            "as piles under (0, 0)",
            "at (0,1): (0,0) is an option, and (0,0) is not an option of (0,0) in piles",
        ),
        (
            few,
            "outcome as piles under (a - 1, b)",
            "at (0,0): this is a position, and (-1,0) is not a position of piles",
        ),
        (
            few,
            "misere outcome as piles under (a, b) where max(heaps) < 3",
            "to 4: 9 positions, with images up to 2",
        ),
        (
            more,
            "as piles under (h - 1 for h in heaps)",
            "to 4: 16 positions",
        ),
        (
            loose,
            "grundy as bag under (h mod 3 for h in heaps)",
            "to 4: 12 positions, with images up to 4",
        ),
        (
            loose,
            "grundy as bag",
            "at {3}: it has the Grundy value 0, and {3} of bag has the Grundy value 3",
        ),
        (
            loose,
            "grundy as piles(n = 1) under (xor(h mod 3 for h in heaps))",
            "to 4: 12 positions, with images up to 3",
        ),
        (
            loose,
            "as piles under (count(heaps), 0)",
            "at {1,1}: it goes to (2,0) of piles, and no option goes to its option (0,0)",
        ),
        (
            left,
            "outcome as sides",
            "to 4: 5 positions, with images up to 4",
        ),
        (
            state,
            "grundy as piles(n = 1) under (a)",
            "to 4: 15 positions, with images up to 4",
        ),
    ] {
        let (misere, claim) = match claim.strip_prefix("misere ") {
            Some(claim) => ("misere ", claim),
            None => ("", claim),
        };
        let text = format!("game g\n{rule}claim {misere}same {claim}\n");
        assert_eq!(becomes(&text, &files, 4), expected, "{text}");
    }
}

#[test]
fn images_of_another_form_are_refused() {
    let kinds = "game kinds\nheaps any number\nkinds ring, row\nmove take from one ring\n";
    let loops = "game loops\nheaps 1 of size 0..3\npositions may repeat\n\
                 move take 1 from one heap\nmove put 1 on one heap\n";
    let files = [
        ("piles.nimrule", PILES),
        ("kinds.nimrule", kinds),
        ("sides.nimrule", SIDES),
        ("loops.nimrule", loops),
    ];
    for (claim, expected) in [
        ("outcome as piles(n = 3)", "position::length"),
        ("outcome as piles under (a)", "position::length"),
        ("as piles under (heaps[1], heaps[2], 0)", "position::length"),
        ("outcome as kinds", "claim::other-game"),
        ("outcome as kinds under (a, b)", "claim::other-game"),
        ("grundy as sides under (a)", "claim::other-game"),
        ("grundy as loops under (a)", "claim::other-game"),
        ("grundy as none under (a)", "claim::other-game"),
    ] {
        let text = format!("game g\nheaps a b\nmove take from one heap\nclaim same {claim}\n");
        assert_eq!(codes(&text, &files), [expected], "{claim}");
    }
}

/// A box without positions gives no verdict, and heaps that a small box leaves empty count.
#[test]
fn a_game_whose_smallest_boxes_hold_no_position_is_the_same_as_itself() {
    // The smallest box with a position.
    for (rule, smallest) in [
        (
            "heaps x y z\npositions where distinct(heaps)\nmove take from one heap",
            2,
        ),
        ("heaps x y z of size 2..5\nmove take 1..2 from one heap", 2),
        (
            "heaps x y\npositions where x in {0, 2, 5} and y mod 3 == 0\nmove take from one heap",
            0,
        ),
    ] {
        let other = format!("game other\n{rule}\n");
        let text = format!("game g\n{rule}\nclaim same as other\n");
        let compiled = beside(&text, &[("other.nimrule", &other)]).expect("it makes sense");
        for most in 0..6 {
            let status = standing(&compiled, most);
            match most < smallest {
                true => assert!(
                    matches!(&status, ClaimStatus::Unknown { why }
                        if why.starts_with("no position was compared")),
                    "{rule} to {most}: {status:?}"
                ),
                false => assert!(
                    matches!(status, ClaimStatus::Holds { to, .. } if to == most),
                    "{rule} to {most}: {status:?}"
                ),
            }
        }
        let solver = Solver::new(&compiled.game);
        let status = claim::check_alone(&solver, &compiled.game.claims[0], 9, None, &LIMITS);
        assert!(
            matches!(status, Ok(Some(ClaimStatus::Holds { to, .. })) if to > 5),
            "{rule}: {status:?}"
        );
    }
}

/// Every kind of claim, where the box or the condition of the claim leaves no position.
#[test]
fn no_verdict_comes_from_a_box_without_positions() {
    let rule = |name: &str, n: usize| {
        format!(
            "game {name}\nheaps {n}\npositions where distinct(heaps)\n\
             move take from one heap\nmove take equal from exactly 2 heaps\n"
        )
    };
    let (twin, two) = (rule("twin", 3), rule("two", 2));
    let files = [("twin.nimrule", &*twin), ("two.nimrule", &*two)];
    let restricted = [
        "P iff xor(heaps) == 0",
        "P if h1 == 0",
        "misere P only if h1 == 0",
        "grundy == xor(heaps)",
        "consistent P iff xor(heaps) == 0",
        "labellings == 2",
        "cogame",
        "cogame P iff h1 == 0",
        "N wins by (h1 - 1, h2, h3)",
        "same as twin",
        "same outcome as twin",
        "same grundy as twin under (h1, h2, h3)",
        "misere same outcome as two under (h1, h2)",
    ]
    .map(|claim| (claim.to_owned(), 1));
    // The condition leaves none of any box.
    let conditional = [
        "same as twin where h1 < 0",
        "same outcome as twin where h1 < 0",
        "same grundy as twin under (h1, h2, h3) where h2 > 9",
        "N wins by (h1 - 1, h2, h3) if h1 > 9",
    ]
    .map(|claim| (claim.to_owned(), 4));
    for (claim, most) in restricted.into_iter().chain(conditional) {
        let text = format!("{}claim {claim}\n", rule("g", 3));
        let compiled = beside(&text, &files).unwrap_or_else(|found| panic!("{claim}: {found:?}"));
        for most in [0, most] {
            let solver = Solver::new(&compiled.game);
            let mut checker = claim::ClaimChecker::new(&solver, most, Some(most), &LIMITS);
            let status = checker.check(&compiled.game.claims[0]);
            assert!(
                matches!(&status, Ok(ClaimStatus::Unknown { why })
                    if why.starts_with("no position was compared")),
                "{claim} to {most}: {status:?}"
            );
        }
    }
}
