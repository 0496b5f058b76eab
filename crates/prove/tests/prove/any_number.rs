//! The columns of claims about any number of heaps.

use nimrule_fixtures::{Numbers, game};
use nimrule_limits::Limits;
use nimrule_model::game::{Convention, Statement};
use nimrule_prove::any_number::claim::CountingClaim;
use nimrule_prove::any_number::moves::Moves;
use nimrule_prove::any_number::search::{Columns, Effect, Keeps, capped};

/// What a column with so many heaps of each slot does, by definition.
fn effect_of(columns: &Columns<'_>, numbers: &[u32]) -> Effect {
    let (claim, threshold) = (columns.claim, columns.threshold(0));
    let slots = || columns.slots.iter().zip(numbers);
    let sums = claim.columns.iter().map(|column| {
        let digits = slots().map(|((_, digit), number)| u32::from(*digit) * number);
        digits.sum::<u32>() % column.modulus
    });
    let next = columns.counted.iter().map(|counted| {
        let there = slots()
            .filter(|((state, digit), _)| claim.next[*state][usize::from(*digit)] == *counted);
        capped(
            there.map(|(_, number)| number).sum(),
            threshold,
            claim.period,
        )
    });
    let most_free = columns.most_changed() as u32;
    Effect {
        sums: sums.collect(),
        next: next.collect(),
        free: numbers
            .iter()
            .map(|number| most_free.min(*number) as u8)
            .collect(),
        nonempty: numbers.iter().any(|number| *number > 0),
    }
}

/// A column of any number of heaps acts as one with at most as many as the cut-off, whose
/// heaps that change are among them; and the searches see it.
#[test]
fn columns_act_as_those_up_to_the_cutoff() {
    for (rule, condition) in [
        ("take from one heap", "xor(heaps) == 0"),
        (
            "take from up to 2 heaps",
            "if max(heaps) >= 2 then carryless(2, heaps, 3) == 0 else sum(heaps) mod 3 == 1",
        ),
        (
            "take 1..2 from one heap",
            "count(h in heaps where h mod 3 == 1) mod 2 == 0",
        ),
    ] {
        let text =
            format!("game g\nheaps any number\nmove {rule}\nclaim misere P iff {condition}\n");
        let game = game(&text);
        let Some(Statement::Outcome { condition, .. }) = &game.claims[0].statement else {
            panic!("a claim of outcomes");
        };
        let limits = Limits::of_memory(1 << 28);
        let moves = Moves::new(&game, 2, &limits).expect("supported");
        let claim = CountingClaim::new(&game, condition, 2, &limits).expect("supported");
        let columns = Columns::new(
            &claim,
            &moves,
            Convention::Misere,
            1,
            Keeps::OneWay,
            &limits,
        );
        let (threshold, period) = columns.counted_to();
        assert_eq!(threshold, columns.threshold(0));
        let mut random = Numbers::new(1);
        for _ in 0..200 {
            let numbers = columns.slots.iter();
            let numbers = numbers.map(|_| random.below(4 * (threshold + period)));
            let numbers: Vec<u32> = numbers.collect();
            let few = numbers
                .iter()
                .map(|number| capped(*number, threshold, period));
            let few: Vec<u32> = few.collect();
            assert!(u64::from(few.iter().sum::<u32>()) <= columns.cutoff());
            let effect = effect_of(&columns, &numbers);
            assert_eq!(effect, effect_of(&columns, &few), "{rule}: {numbers:?}");
            // The heaps of each counted state are those of its slots.
            let unchanged = columns.counted.iter().map(|counted| {
                let own = columns.slots.iter().zip(&numbers);
                let own = own.filter(|((state, _), _)| state == counted);
                capped(own.map(|(_, number)| number).sum(), threshold, claim.period)
            });
            let unchanged: Vec<u32> = unchanged.collect();
            let seen = columns.effects(&unchanged, 0, true).expect("no limit");
            assert!(seen.contains(&effect), "{rule}: {numbers:?}");
        }
    }
}
