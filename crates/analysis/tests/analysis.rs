//! Rules with and without a termination measure.

use nimrule_analysis::termination::instances::merged_instances;
use nimrule_analysis::termination::state::Tokens;
use nimrule_analysis::termination::{bounded_heaps, fewer_tokens, levels, lexicographic};
use nimrule_definition::{moves, positions};
use nimrule_fixtures::{compiled, game};
use nimrule_model::expr::{Arithmetic, Bool, Fold, HeapId, List, Num, Order, Pick, Slot};
use nimrule_model::game::{Action, Game, Members};

/// The rule of a text, in which positions may repeat, so that every rule is
/// accepted.
fn rule(text: &str) -> Game {
    let text = format!("game tested  positions may repeat  {text}");
    game(&text)
}

/// Whether a code is that of a syntax error.
fn is_of_syntax(code: &str) -> bool {
    code.starts_with("syntax::")
}

/// The weights of the measure, by level; `None` if none is found.
fn measure(game: &Game) -> Option<Vec<Vec<i64>>> {
    let found = found(game)?;
    // The definition executes long moves too slowly.
    if game.heap_count() <= 5 {
        is_lowered(game, &found, 2);
    }
    Some(found)
}

/// Compares with the definition: every move from a position with heaps of at most
/// `most` tokens lowers the measure.
fn is_lowered(game: &Game, levels: &[Vec<i64>], most: u64) {
    let measured = |position: &[u64]| -> Vec<i64> {
        let total = |weights: &Vec<i64>| {
            let sizes = position.iter().map(|size| *size as i64);
            weights.iter().zip(sizes).map(|(w, p)| w * p).sum()
        };
        levels.iter().map(total).collect()
    };
    for position in positions(game, most).expect("the conditions have values") {
        for option in moves(game, &position, None).options {
            let (before, after) = (measured(&position), measured(&option));
            let words: Vec<&str> = game.move_words().collect();
            assert!(
                after < before,
                "{words:?}: {position:?} to {option:?}: {levels:?}"
            );
        }
    }
}

fn found(game: &Game) -> Option<Vec<Vec<i64>>> {
    levels(
        &bounded_heaps(game.heap_count(), game.positions.as_ref()),
        &game.moves,
        game.positions.as_ref(),
        game.slots,
        &Tokens::default(),
    )
    .ok()
    .map(|found| found.levels)
}

fn ends(text: &str) -> Option<Vec<Vec<i64>>> {
    measure(&rule(text))
}

/// The rule with every `take` replaced by `flip`, and with every later step on the
/// heaps left of the heap that the first step selects.
fn flips(text: &str) -> Game {
    let mut game = rule(text);
    let heaps = game.heap_count();
    let left: Vec<Vec<Vec<HeapId>>> = (0..heaps)
        .map(|heap| (0..heap).map(|left| vec![HeapId::new(left)]).collect())
        .collect();
    for mover in &mut game.rule.moves {
        let mut first: Option<Pick> = None;
        for step in &mut mover.steps {
            if let Action::Take {
                from, condition, ..
            } = &step.action
            {
                let mut what = from.clone();
                match first {
                    None => first = Some(what.pick),
                    Some(to) => {
                        what.members = Members::Relative {
                            to,
                            sets: left.clone().into(),
                        }
                    }
                }
                let size = Slot(game.rule.slots as u32);
                game.rule.slots += 1;
                step.action = Action::Set {
                    what,
                    size,
                    heap: None,
                    value: Num::Binary(
                        Arithmetic::Subtract,
                        Box::new(Num::Const(1).into()),
                        Box::new(Num::Local(size).into()),
                    )
                    .into(),
                    condition: condition.clone(),
                };
            }
        }
    }
    game
}

#[test]
fn moves_down_a_row() {
    let down = "heaps s[1..3] move for some i in 2..3 take t from s[i] then put t on s[i-1]";
    assert_eq!(ends(down), Some(vec![vec![0, 1, 2]]));
    let round =
        "heaps s[0..2] move for some i in 0..2 take t from s[i] then put t on s[(i+1) mod 3]";
    assert_eq!(ends(round), None);
    // The condition excludes the first heap.
    let condition = "heaps s[0..3] move for some i in 0..3 where i >= 1 take t from s[i] \
                     then put t on s[i-1]";
    assert_eq!(ends(condition), Some(vec![vec![0, 1, 2, 3]]));
}

#[test]
fn equal_amounts() {
    let text = "heaps a b c move take equal t from all heaps then put t on c";
    assert_eq!(ends(text), Some(vec![vec![1, 1, 1]]));
    let text = "heaps a b c family pair = {a b} \
                move take equal t from one pair then put t on c move take from c";
    assert_eq!(ends(text), Some(vec![vec![1, 1, 1]]));
    let text = "heaps a b c family pair = {a b} \
                move take equal t from one pair then put 2*t on c";
    let found = ends(text).expect("play ends");
    assert!(found[0][0] + found[0][1] > 2 * found[0][2]);
}

#[test]
fn bounds_of_amounts_and_conditions() {
    assert!(ends("heaps a b move take 3..5 from a then put 1..2 on b move take from b").is_some());
    // At least two are taken, at most one is put back.
    let text = "heaps a b move take t from one heap as p where t >= 2 \
                then put 1 on one heap as q where q is not p";
    assert_eq!(ends(text), Some(vec![vec![1, 1]]));
    let text = "heaps a b move take t from one heap as p \
                then put 1..t-1 on one heap as q where q is not p";
    assert_eq!(ends(text), Some(vec![vec![1, 1]]));
    let text = "heaps a b move take t from one heap as p \
                then put 1..t on one heap as q where q is not p";
    assert_eq!(ends(text), None);
    let text = "heaps a b move for some k in 1..3 take k + 1 from one heap then put k on one heap";
    assert_eq!(ends(text), Some(vec![vec![1, 1]]));
    assert!(ends("heaps a b move take t from a then put 5*t on b move take from b").is_some());
}

#[test]
fn levels_by_instances() {
    // Every move takes from c, and puts any number on heaps of which none is to
    // the right of c.
    let text = "heaps s[1..5] move for some i in 1..5 for some j in 1..4 where j < i \
                take 1 from s[i] then put 1..sum(heaps) on s[j] \
                move take 1 from s[1]";
    let found = ends(text).expect("play ends");
    assert_eq!(found.len(), 5);
    assert_eq!(found[0], [0, 0, 0, 0, 1]);
}

#[test]
fn coins() {
    let turn = flips(
        "heaps coin[1..5] move take 1 from one heap as c where c == 1 \
         then optionally take 1 from one heap",
    );
    assert_eq!(measure(&turn), Some(vec![vec![1, 2, 3, 4, 5]]));
    let ruler = flips(
        "heaps coin[1..12] move take 1 from one heap as c where c == 1 \
         then up to 11 times take 1 from one heap",
    );
    let found = measure(&ruler).expect("play ends");
    // Larger weights than 1000 are not tried: the last coin is a level by itself.
    assert_eq!(found[0], [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]);
    let two = flips(
        "heaps coin[1..40] move take 1 from one heap as c where c == 1 \
         then up to 2 times take 1 from one heap",
    );
    assert!(measure(&two).is_some());
    // Nothing is known of the first coin.
    let any = flips("heaps coin[1..3] move take 1 from one heap");
    assert_eq!(measure(&any), None);
}

#[test]
fn moves_that_undo_one_another() {
    assert_eq!(
        ends("heaps a b move take 1 from a then put 1 on b move take 1 from b then put 1 on a"),
        None
    );
    assert_eq!(ends("heaps a b move put 2 on one heap"), None);
    assert_eq!(
        ends("heaps a b move take 1 from one heap then put 1 on one heap"),
        None
    );
}

/// Steps with which moves begin, and steps that follow.
const FIRST: [&str; 14] = [
    "take 1 from one heap as x",
    "take t from one heap as x where t >= 2",
    "take 1..2 from one heap as x where x == 2",
    "take t from one heap as x where x - t == 1",
    "take t from all heaps",
    "take t from one pair where total >= 2",
    "take equal t from one pair",
    "take {1,3} from one pair where each >= 1",
    "take from one pair as x where sum(x) >= 3",
    "take t from A where t < B",
    "take k from one heap as x where x > k",
    "2 times take 1 from one heap",
    "up to 2 times take 1 from one heap then take 1 from A",
    "optionally take 1 from A then take t from s[k]",
];
const THEN: [&str; 16] = [
    "put 1 on one heap",
    "put 1 on one heap as y where y is not x",
    "put 1 on one heap as y where y < x",
    "optionally put 1 on B",
    "put 1..2 on one pair",
    "up to 2 times put 1 on B",
    "put t on B",
    "optionally put t on one heap as y where y is not x",
    "put t - 1 on one heap",
    "put 1..t-1 on C",
    "put 1..A on C",
    "put min(t, 2) on s[k + 1]",
    "put if t > 1 then 1 else 2 on B",
    "take t from C then put 2*t on B",
    "take t from one pair then put 2*t on B",
    "put sum(heaps) on A where B == 0",
];

/// The ways in which a step becomes one that sets sizes.
#[derive(Clone, Copy)]
enum As {
    Written,
    Flip,
    TakeAll,
    AtMost(u16),
    Copy(u16),
}

/// The game with its first step replaced.
fn replaced(game: &Game, how: As) -> Option<Game> {
    let mut game = game.clone();
    let size = Slot(game.slots as u32);
    game.rule.slots += 1;
    let local = || Box::new(Num::Local(size).into());
    let heap = |index| Num::Heap(HeapId(index));
    let value = match how {
        As::Written => return Some(game),
        As::Flip => Num::Binary(
            Arithmetic::Subtract,
            Box::new(Num::Const(1).into()),
            local(),
        ),
        As::TakeAll => Num::Const(0),
        As::AtMost(index) => Num::Fold(
            Fold::Min,
            List::Items(vec![heap(index).into(), Num::Local(size).into()]).into(),
        ),
        As::Copy(index) => heap(index),
    };
    let step = &mut game.rule.moves[0].steps[0];
    let Action::Take { from, amount, .. } = &step.action else {
        return None;
    };
    if amount.bound.is_some() {
        return None;
    }
    let sum = Num::Fold(Fold::Sum, List::Picked(from.pick).into());
    let lower = Num::Fold(Fold::Min, List::Picked(from.pick).into());
    let condition = match how {
        As::TakeAll => Some(Bool::Compare(Order::AtMost, Num::Const(1).into(), sum.into()).into()),
        As::Copy(_) => Some(Bool::Compare(Order::Less, value.clone().into(), lower.into()).into()),
        _ => step.action.condition().cloned(),
    };
    step.action = Action::Set {
        what: from.clone(),
        size,
        heap: None,
        value: value.into(),
        condition,
    };
    Some(game)
}

/// Whatever measure is found, with or without merged choices, is lowered.
#[test]
fn every_measure_is_lowered() {
    let (mut accepted, mut rules, mut ending, mut ending_merged) = (0, 0, 0, 0);
    let bounded = "positions where max(heaps) <= 3 ";
    for (bound, choice) in [
        ("", ""),
        ("", "for some k in 1..2 "),
        ("", "when A > B "),
        (bounded, ""),
        (bounded, "for some k in 1..2 "),
    ] {
        for (first, then) in FIRST.iter().flat_map(|f| THEN.map(|t| (f, t))) {
            let text = format!(
                "game tested heaps s[1..3] family pair = {{s[1] s[2]}}, {{s[2] s[3]}} \
                 positions may repeat {bound}move {choice}{first} then {then}"
            );
            let text = text
                .replace('A', "s[1]")
                .replace('B', "s[2]")
                .replace('C', "s[3]");
            let checked = match compiled(&text) {
                Ok(checked) => checked,
                Err(codes) => {
                    assert!(
                        !codes.iter().any(|code| is_of_syntax(code)),
                        "{text}: {codes:?}"
                    );
                    continue;
                }
            };
            accepted += 1;
            for how in [
                As::Written,
                As::Flip,
                As::TakeAll,
                As::AtMost(1),
                As::Copy(2),
            ] {
                let Some(game) = replaced(&checked.game, how) else {
                    continue;
                };
                rules += 1;
                if let Some(levels) = found(&game) {
                    ending += 1;
                    is_lowered(&game, &levels, 3);
                }
                let merged = merged_instances(
                    &game.moves[0],
                    game.positions.as_ref(),
                    game.slots,
                    &Tokens::default(),
                );
                let bounded = bounded_heaps(3, game.positions.as_ref());
                let merged = merged.into_iter().map(|instance| (0, instance)).collect();
                if let Ok(levels) = lexicographic(&bounded, merged) {
                    ending_merged += 1;
                    is_lowered(&game, &levels, 3);
                }
            }
        }
    }
    let found = (accepted, rules, ending, ending_merged);
    assert!(
        accepted >= 400 && ending >= 400 && ending_merged >= 300,
        "{found:?}"
    );
}

#[test]
fn heaps_that_grow() {
    let bounded = |text: &str| {
        ends(&format!(
            "heaps a b positions where max(heaps) <= 20 {text}"
        ))
    };
    assert_eq!(
        bounded("move put 1..2 on one heap"),
        Some(vec![vec![-1, -1]])
    );
    assert_eq!(
        bounded("move take 1..2 from one heap then put 3 on one heap"),
        Some(vec![vec![-1, -1]])
    );
    // More than three may be taken.
    assert_eq!(
        bounded("move take from a then put 3 on b move take from b then put 3 on a"),
        None
    );
    assert_eq!(
        bounded(
            "move up to 4 times take 1 from a then put 3 on b move take from b then put 3 on a"
        ),
        None
    );
}

/// Steps with which moves of multisets begin, and steps that follow.
const FIRST_OF_MULTISET: [&str; 18] = [
    "take 1 from one heap as x",
    "take t from one heap as x where t >= 2",
    "take 2 from one heap as x leaving 0..2 heaps",
    "take all from one heap as x",
    "take from up to 2 heaps",
    "take equal t from exactly 2 heaps",
    "take all from all heaps",
    "take 1 from all rings",
    "choose one heap as x",
    "set one ring as x to x - 1",
    "set one heap as x to min(x, 2) where x > 2",
    "set all heaps as h to h div 2",
    "split one heap as x into y, z",
    "split one heap as x into y, z where y == 1",
    "flip one heap as x where x == 1",
    "optionally take 1 from one heap then split one heap as x into y, z",
    "up to 2 times take 1 from one heap then take 1 from one pin as x",
    "set one heap as x to x div 2 where x > 0",
];
const THEN_IN_MULTISET: [&str; 19] = [
    "up to 9 times put 1 on one heap",
    "up to 9 times set one heap as w to w + 1",
    "up to 9 times set one ring as w to min(w, 2)",
    "take 1 from one heap",
    "optionally put 1 on one heap",
    "put 1 on one heap",
    "put t - 1 on x",
    "put 1..2 on up to 2 heaps",
    "set one heap to 2",
    "set x to 2",
    "set one heap as w to w + 1",
    "set one heap as w to 2 * w - 1",
    "set one pin as w to min(w, x)",
    "set all heaps as h to h + 1",
    "set all heaps as h to min(h, 3)",
    "flip one heap",
    "optionally split one heap into u, v",
    "split x into u, v",
    "choose one heap as w where w > x",
];

/// Every measure of multisets that is found is lowered by the moves of the definition, and
/// rules with a move to the same position are refused.
#[test]
fn measures_of_multisets_are_lowered() {
    let (mut rules, mut ending) = (0, 0);
    let steps = FIRST_OF_MULTISET.iter().flat_map(|first| {
        let longer = THEN_IN_MULTISET.map(|then| format!("{first} then {then}"));
        std::iter::once((*first).to_owned()).chain(longer)
    });
    for step in steps {
        let text = format!(
            "game tested heaps any number kinds ring, pin positions may repeat move {step}"
        );
        let checked = match compiled(&text) {
            Ok(checked) => checked,
            Err(codes) => {
                assert!(
                    !codes.iter().any(|code| is_of_syntax(code)),
                    "{text}: {codes:?}"
                );
                continue;
            }
        };
        let game = checked.game;
        rules += 1;
        let Ok(measure) = fewer_tokens(
            &game.moves,
            game.positions.as_ref(),
            game.slots,
            &Tokens::default(),
        ) else {
            continue;
        };
        ending += 1;
        // The definition executes long moves too slowly.
        let most = if step.contains("9 times") { 2 } else { 5 };
        for position in positions(&game, most).expect("the conditions have values") {
            for option in moves(&game, &position, None).options {
                let (before, after) = (game.tokens(&position), game.tokens(&option));
                let grows = measure.more_heaps && option.len() > position.len();
                assert!(
                    after < before || after == before && grows,
                    "{step}: {position:?} to {option:?}"
                );
            }
        }
    }
    assert!(rules >= 200 && ending >= 60, "{rules} rules, {ending} end");
}

#[test]
fn multisets_that_end() {
    let ends = |text: &str| {
        let game = rule(&format!("heaps any number {text}"));
        fewer_tokens(
            &game.moves,
            game.positions.as_ref(),
            game.slots,
            &Tokens::default(),
        )
        .ok()
        .map(|measure| measure.more_heaps)
    };
    assert_eq!(
        ends("move take t from one heap as x then put t - 1 on x"),
        Some(false)
    );
    assert_eq!(
        ends("move split one heap into x, y where x != y"),
        Some(true)
    );
    let text = "move split one heap into x, y then set one heap as h to min(h, 3)";
    assert_eq!(ends(text), Some(true));
    assert_eq!(ends("move set all heaps as h to h - 1"), Some(false));
    assert_eq!(
        ends("move take 1 from one heap then set one heap to 2"),
        None
    );
    assert_eq!(
        ends("move choose one heap as h then optionally put -1 - h on one heap"),
        None
    );
    let text = "move split one heap into x, y then take x from one heap then put x on one heap";
    assert_eq!(ends(text), None);
}
