//! Periods: published ones, proved ones, wrong ones, and those only seen.

use super::{LIMITS, by_loop, explored, grundys_game, rule, way, ways};
use nimrule_limits::{LimitExceeded, Limits};
use nimrule_sequence::{
    ENDLESS, HeapMove, HeapRule, Period, PeriodCheck, PeriodClaim, PeriodStatus, SequenceError,
    Theorem, by_definition, check_period, find, needed, reaching, values,
};

/// Periods and preperiods as Winning Ways (chapter 4), Flammenkamp's tables
/// and the Encyclopedia have them, each proved here.
#[test]
fn published_periods() {
    let published = [
        ("0.77", 12, 71),
        ("0.137", 34, 52),
        ("0.07", 34, 53),
        ("0.45", 20, 498),
        ("0.156", 349, 3479),
        ("0.356", 142, 7315),
        ("0.644", 442, 3256),
        ("0.165", 1550, 5181),
        ("0.177", 20, 497),
        ("0.1377", 24, 141),
        ("0.117", 48, 47),
        ("0.11377", 32, 187),
        ("0.7777", 24, 142),
        ("4.12", 7, 6),
        ("4.122", 7, 6),
        ("4.304", 21, 25),
    ];
    for (code, period, preperiod) in published {
        let rule = rule(code);
        let sequence = explored(&rule, 100);
        let claimed = PeriodClaim {
            period,
            from: preperiod,
            saltus: 0,
        };
        let (theorem, checked_to) = needed(&rule, claimed).expect("a finite octal code");
        assert_eq!(theorem, Theorem::FiniteCode { parts: 2 });
        let proved = Period {
            period,
            preperiod,
            saltus: 0,
            status: PeriodStatus::Proved {
                theorem,
                checked_to,
            },
        };
        assert_eq!(sequence.period, Some(proved), "{code}");
        assert_eq!(sequence.values.len(), 101);
    }
}

#[test]
fn the_bound_of_a_proof_is_the_bound() {
    // Guy and Smith: the relation for n0 <= n < 2 n0 + p + k, with n0 = 71, p
    // = 12, k = 2, so values to 2 * 71 + 2 * 12 + 2 - 1.
    let kayles = rule("0.77");
    let claimed = PeriodClaim {
        period: 12,
        from: 71,
        saltus: 0,
    };
    let bound = 2 * 71 + 2 * 12 + 2 - 1;
    let theorem = Theorem::FiniteCode { parts: 2 };
    assert_eq!(needed(&kayles, claimed), Some((theorem, bound)));
    let all = values(&kayles, bound, &LIMITS).expect("the limits are wide");
    let proved = PeriodCheck::Proved {
        theorem,
        checked_to: bound,
    };
    assert_eq!(check_period(claimed, &all, &kayles), proved);
    let short = &all[..bound as usize];
    let holds = PeriodCheck::Holds { to: bound - 1 };
    assert_eq!(check_period(claimed, short, &kayles), holds);
    let seen = find(short, &kayles).map(|period| period.status);
    assert_eq!(seen, Some(PeriodStatus::Observed { to: bound - 1 }));
    assert_eq!(
        check_period(claimed, &all[..83], &kayles),
        PeriodCheck::TooFewValues
    );
}

#[test]
fn wrong_claims_are_refuted_where_they_first_fail() {
    let refuted = |code: &str, period: u64, from: u64, saltus: u64| {
        let rule = rule(code);
        let all = by_loop(code, 300);
        let claimed = PeriodClaim {
            period,
            from,
            saltus,
        };
        match check_period(claimed, &all, &rule) {
            PeriodCheck::Refuted { at } => {
                let relation =
                    |n: u64| all[(n + period) as usize] == all[n as usize] + saltus as u32;
                assert!((from..at).all(relation), "{code}");
                assert!(!relation(at), "{code}");
                at
            }
            other => panic!("{code}: {other:?}"),
        }
    };
    // G(4) = 2 and G(16) = 5.
    assert_eq!(refuted("0.07", 12, 4, 0), 4);
    assert_eq!(refuted("0.77", 12, 70, 0), 70);
    assert_eq!(refuted("0.07", 34, 52, 0), 52);
    refuted("0.77", 6, 71, 0);
    refuted("0.77", 12, 71, 1);
    assert_eq!(refuted("0.3...", 1, 0, 0), 0);
}

#[test]
fn theorems_for_other_rules() {
    let proved =
        |ways: Vec<HeapMove>, period: u64, preperiod: u64, saltus: u64, theorem: Theorem| {
            let rule = HeapRule::Moves(ways.clone());
            let sequence = explored(&rule, 60);
            let found = sequence.period.clone().expect("a period");
            let what = (found.period, found.preperiod, found.saltus);
            assert_eq!(what, (period, preperiod, saltus), "{ways:?}");
            match found.status {
                PeriodStatus::Proved { theorem: by, .. } => assert_eq!(by, theorem),
                PeriodStatus::Observed { .. } => panic!("{ways:?}: only seen"),
            }
            // The proof is used beyond the values that were computed.
            let far = by_definition(&ways, 160);
            let read: Vec<u64> = (0..=160).filter_map(|heap| sequence.value(heap)).collect();
            assert_eq!(read, far.into_iter().map(u64::from).collect::<Vec<_>>());
        };
    proved(ways("0.3..."), 1, 0, 1, Theorem::Nim);
    // What is left after a take may be broken in two.
    proved(ways("0.7..."), 1, 0, 1, Theorem::Nim);
    proved(ways("4.3..."), 4, 1, 4, Theorem::Lasker);
    proved(ways("0.333"), 4, 0, 0, Theorem::Subtraction);
    proved(ways("0.2..."), 1, 1, 1, Theorem::AllBut);
    // All but 1, 2; all but 2 and 5.
    proved(
        vec![way(&[(3, ENDLESS)], (0, 1), false)],
        3,
        0,
        1,
        Theorem::AllBut,
    );
    let all_but = vec![way(&[(1, 1), (3, 4), (6, ENDLESS)], (0, 1), false)];
    let sequence = explored(&HeapRule::Moves(all_but.clone()), 60);
    let found = sequence.period.expect("a period");
    proved(
        all_but,
        found.period,
        found.preperiod,
        found.saltus,
        Theorem::AllBut,
    );
    assert!(found.saltus > 0);
    // Removing everything from 5 on.
    let takes_all = vec![
        way(&[(5, ENDLESS)], (0, 0), false),
        way(&[(1, 3)], (1, 1), false),
    ];
    let period = explored(&HeapRule::Moves(takes_all), 60).period;
    assert!(matches!(
        period.map(|period| period.status),
        Some(PeriodStatus::Proved {
            theorem: Theorem::Subtraction,
            ..
        })
    ));
}

#[test]
fn what_no_theorem_covers_is_only_seen() {
    // Hexadecimal codes may have a saltus, and no theorem here speaks of it.
    let seen = explored(&rule("0.8"), 400);
    let period = seen.period.clone().expect("a period");
    assert_eq!((period.period, period.preperiod, period.saltus), (3, 1, 1));
    assert!(matches!(period.status, PeriodStatus::Observed { .. }));
    assert_eq!(seen.value(400), Some(u64::from(seen.values[400])));
    assert_eq!(seen.value(401), None);
    // A list of options is no code.
    let listed = HeapRule::Listed(Box::new(|heap, each| {
        (0..heap).for_each(|left| each(&[left]));
        Ok(())
    }));
    let nim = explored(&listed, 50);
    assert_eq!(nim.values, (0..=50).collect::<Vec<u32>>());
    let standing = nim.period.map(|period| period.status);
    assert_eq!(standing, Some(PeriodStatus::Observed { to: 50 }));
    // Nothing repeats in Grundy's game as far as one looks here.
    assert_eq!(explored(&grundys_game(), 3000).period, None);
}

#[test]
fn heaps_of_any_size_have_values_once_a_period_is_proved() {
    // 10^18 = 4 modulo 12, as 76.
    const FAR: u64 = 1_000_000_000_000_000_000;
    let kayles = reaching(&rule("0.77"), FAR, &LIMITS).expect("few values suffice");
    assert_eq!(kayles.value(FAR), Some(1));
    assert_eq!(kayles.values[76], 1);
    // No period is known of Grundy's game.
    let never = reaching(&grundys_game(), FAR, &Limits::of_memory(1 << 16));
    let needed = (u128::from(FAR) + 1) * 16;
    assert_eq!(
        never,
        Err(SequenceError::LimitExceeded(LimitExceeded::Memory {
            needed,
            limit: 1 << 16
        }))
    );
    let nim = explored(&rule("0.3..."), 3);
    assert_eq!(nim.value(u64::MAX), Some(u64::MAX));
}
