//! Misère quotients compared with the literature and with search.

use nimrule_fixtures::{Numbers, few_or_many};
use nimrule_limits::{LimitExceeded, Limits};
use nimrule_quotient::{
    self as quotient, Element, Heaps, MoveBounds, Period, Presentation, SearchResult, StopReason,
    Word,
};
use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

type Options = Vec<Vec<Vec<u32>>>;

/// The multisets of `parts` positive numbers, none above `most`, with a sum.
fn parted(sum: u32, parts: u32, most: u32) -> Vec<Vec<u32>> {
    if parts == 0 {
        return if sum == 0 {
            vec![Vec::new()]
        } else {
            Vec::new()
        };
    }
    let mut all = Vec::new();
    for first in 1..=sum.min(most) {
        for mut rest in parted(sum - first, parts - 1, first) {
            rest.insert(0, first);
            all.push(rest);
        }
    }
    all
}

/// The options of the heaps 1 to `to` by a code: if the digit for t has the bit
/// j, t tokens may be taken and the rest be left as j heaps.
fn octal(code: &str, to: u32) -> Options {
    let digits: Vec<u32> = code
        .chars()
        .filter_map(|digit| digit.to_digit(16))
        .collect();
    let of_heap = |heap| {
        let mut options = Vec::new();
        for (taken, digit) in (0..=heap).zip(&digits) {
            for parts in (0..4).filter(|parts| digit >> parts & 1 == 1) {
                assert!(taken > 0 || parts > 1, "{code} does nothing");
                options.extend(parted(heap - taken, parts, heap));
            }
        }
        options
    };
    (1..=to).map(of_heap).collect()
}

/// A heap is parted into two that differ.
fn grundy(to: u32) -> Options {
    let of_heap = |heap| {
        let mut options = parted(heap, 2, heap);
        options.retain(|parts| parts[0] != parts[1]);
        options
    };
    (1..=to).map(of_heap).collect()
}

fn nim(to: u32) -> Options {
    let of_heap = |heap| (0..heap).map(|left| vec![left]).collect();
    (1..=to).map(of_heap).collect()
}

fn find_of(options: &Options, most: usize) -> SearchResult {
    let heaps = Heaps::new(options).expect("heaps become smaller");
    quotient::find(&heaps, most, &Limits::of_memory(1 << 30))
}

fn find(code: &str, to: u32) -> SearchResult {
    let found = find_of(&octal(code, to), 1000);
    assert_eq!(found.stopped, None, "{code} to {to}");
    assert_eq!(found.quotient.to(), to);
    found
}

/// Misere outcomes by plain search: who cannot move has won.
struct Search<'a> {
    options: &'a Options,
    is_p: BTreeMap<Vec<u32>, bool>,
}

impl Search<'_> {
    fn is_p(&mut self, sum: &[u32]) -> bool {
        if let Some(known) = self.is_p.get(sum) {
            return *known;
        }
        let mut has_moves = false;
        let mut wins = false;
        for (place, heap) in sum.iter().enumerate() {
            for option in &self.options[*heap as usize - 1] {
                has_moves = true;
                let mut next = sum.to_vec();
                next.remove(place);
                next.extend(option.iter().filter(|part| **part > 0));
                next.sort_unstable();
                wins = wins || self.is_p(&next);
            }
        }
        let is_p = has_moves && !wins;
        self.is_p.insert(sum.to_vec(), is_p);
        is_p
    }
}

/// All sums of so many tokens are what a search says.
fn agrees_with_search(name: &str, options: &Options, found: &SearchResult, total: u32) {
    let mut search = Search {
        options,
        is_p: BTreeMap::new(),
    };
    let mut seen = 0;
    for tokens in 0..=total {
        for parts in 0..=tokens {
            for mut sum in parted(tokens, parts, found.quotient.to()) {
                sum.sort_unstable();
                let is_p = search.is_p(&sum);
                assert_eq!(found.quotient.is_p(&sum), Some(is_p), "{name} {sum:?}");
                seen += 1;
            }
        }
    }
    assert!(seen > 0, "there are sums to compare");
}

/// The sizes that are published.
#[test]
fn quotients_have_the_published_sizes() {
    let published = [
        // Plambeck, Taming the Wild in Impartial Combinatorial Games (2005).
        ("0.77", 71, 40),
        ("0.123", 100, 20),
        // Plambeck and Siegel, Misere Quotients for Impartial Games (2008): the
        // smallest wild quotient, and as far as Dawson's Kayles was known.
        ("0.75", 100, 8),
        ("0.07", 33, 638),
        // Siegel, answering questions about MisereSolver (28 August 2007).
        ("0.07", 30, 360),
    ];
    for (code, to, order) in published.into_iter().take(few_or_many(3, 5)) {
        assert_eq!(find(code, to).quotient.order(), order, "{code} to {to}");
    }
    // Dawson's chess with one token fewer is Dawson's Kayles.
    assert_eq!(find("0.137", 29).quotient.order(), 360);
}

/// The heaps of Nim below a power of two are the tame quotients T_k.
#[test]
fn nim_is_tame() {
    assert_eq!(find_of(&nim(1), 100).quotient.order(), 2);
    for (k, to) in [(2, 3), (3, 7), (4, 15), (5, 31)] {
        let found = find_of(&nim(to), 100);
        assert_eq!(found.quotient.order(), (1 << k) + 2, "Nim to {to}");
        assert_eq!(found.quotient.p_portion().len(), 2);
    }
}

#[test]
fn the_quotient_of_kayles_is_known_whole() {
    let found = find("0.77", 200);
    let kayles = &found.quotient;
    assert_eq!(kayles.generators(), [1, 2, 5, 9, 12, 25, 27]);
    let breaking = MoveBounds {
        most_taken: 2,
        most_left: 2,
    };
    let period = Period {
        from: 71,
        period: 12,
        checked_to: 167,
    };
    assert_eq!(kayles.period(breaking), Some(period));
    assert_eq!(find("0.77", 167).quotient.period(breaking), Some(period));
    // One heap fewer does not prove it.
    assert_eq!(find("0.77", 166).quotient.period(breaking), None);
    // What the theorem says of later heaps is so.
    for heap in 71..=188 {
        let image = |heap: usize| kayles.images()[heap - 1];
        assert_eq!(image(heap), image(heap + 12), "the heap {heap}");
    }
    assert_ne!(kayles.images()[70 - 1], kayles.images()[82 - 1]);
}

#[test]
fn quotients_agree_with_search() {
    let games = [
        ("0.77", 30, 27),
        ("0.123", 30, 24),
        ("0.75", 20, 20),
        ("0.07", 29, 29),
        ("0.137", 28, 24),
        ("0.72", 24, 22),
        ("0.53", 24, 24),
        ("0.26", 17, 22),
        ("4.7", 13, 20),
        ("0.71", 20, 20),
        ("0.16", 15, 20),
        ("0.08", 29, 29),
        ("0.3122", 6, 18),
        ("0.1337", 14, 18),
        ("4.3", 12, 16),
        ("0.8", 20, 20),
    ];
    for (code, to, total) in games {
        agrees_with_search(code, &octal(code, to), &find(code, to), total);
    }
    for (name, options) in [("Grundy's game", grundy(21)), ("Nim", nim(9))] {
        let found = find_of(&options, 1000);
        assert_eq!(found.stopped, None, "{name}");
        agrees_with_search(name, &options, &found, 21);
    }
}

/// Games that nobody would play: options as a generator of numbers has it.
#[test]
fn quotients_of_any_games_agree_with_search() {
    let mut numbers = Numbers::new(2005);
    let mut below = |bound: u32| numbers.below(bound);
    let mut sizes = BTreeSet::new();
    for game in 0..few_or_many(90, 150) {
        let mut options: Options = Vec::new();
        for heap in 1..=8 {
            let mut of_heap = Vec::new();
            for _ in 0..below(2 + heap) {
                let parts = 1 + below(3);
                of_heap.push((0..parts).map(|_| below(heap)).collect());
            }
            options.push(of_heap);
        }
        let found = find_of(&options, 150);
        sizes.insert(found.quotient.order());
        let name = format!("the game {game}, {options:?}");
        assert_eq!(
            found.quotient.prove(&Limits::of_memory(1 << 28)),
            Ok(true),
            "{name}"
        );
        agrees_with_search(&name, &options, &found, 13);
    }
    assert!(sizes.len() > 10, "they are too alike: {sizes:?}");
}

/// The proof as Plambeck and Siegel's transition algebra has it, with nothing
/// left out: every pair of a sum's element and its options' elements.
#[test]
fn small_quotients_are_right_about_every_pair() {
    for (code, to) in [
        ("0.75", 40),
        ("0.77", 8),
        ("0.53", 10),
        ("0.26", 9),
        ("0.123", 7),
    ] {
        let found = find(code, to);
        let quotient = &found.quotient;
        assert!(quotient.order() <= 12);
        let monoid = quotient.monoid();
        let of = |sum: &[u32]| quotient.element(sum).expect("the heaps are known");
        let mut generators = BTreeSet::new();
        for (heap, options) in (1..).zip(octal(code, to)) {
            let options: BTreeSet<Element> = options.iter().map(|sum| of(sum)).collect();
            generators.insert((of(&[heap]), options));
        }
        let empty = (Element::ONE, BTreeSet::new());
        let mut pairs = BTreeSet::from([empty.clone()]);
        let mut open = vec![empty];
        while let Some((a, a_options)) = open.pop() {
            let p_options = a_options.iter().filter(|option| monoid.is_p(**option));
            let is_p = !a_options.is_empty() && p_options.count() == 0;
            assert_eq!(monoid.is_p(a), is_p, "{code}: {a:?} {a_options:?}");
            for (b, b_options) in &generators {
                let left = a_options.iter().map(|option| monoid.product(*option, *b));
                let right = b_options.iter().map(|option| monoid.product(*option, a));
                let pair = (monoid.product(a, *b), left.chain(right).collect());
                if pairs.insert(pair.clone()) {
                    open.push(pair);
                }
            }
        }
        assert!(pairs.len() > 12, "{code} has few pairs");
    }
}

/// The laws, that everything is reached and nothing superfluous, and the proof;
/// and the order is even unless nobody can move (Plambeck and Siegel).
#[test]
fn quotients_are_proved_anew() {
    let limits = Limits::of_memory(1 << 28);
    for (code, to) in [
        ("0.77", 100),
        ("0.07", 31),
        ("0.115", 60),
        ("0.57", 27),
        ("0.01", 9),
    ] {
        let found = find(code, to);
        assert_eq!(found.quotient.prove(&limits), Ok(true), "{code}");
        let order = found.quotient.order();
        assert_eq!(order % 2, 0, "{code}");
        let last = found.steps.last().expect("it grew");
        assert_eq!(last.order, order);
        assert_eq!(last.p_portion, found.quotient.p_portion().len());
        let heaps: Vec<u32> = found.steps.iter().map(|step| step.heap).collect();
        assert!(
            heaps
                .iter()
                .all(|heap| found.quotient.generators().contains(heap))
        );
    }
}

#[test]
fn a_game_without_moves_has_one_element() {
    let found = find_of(&vec![Vec::new(); 5], 10);
    assert_eq!(found.quotient.order(), 1);
    assert!(found.quotient.generators().is_empty());
    assert_eq!(found.quotient.is_p(&[3, 5]), Some(false));
    let presentation = found.quotient.presentation();
    assert_eq!(presentation.words[0].to_string(), "1");
    assert_eq!(presentation.relations, []);
    assert_eq!(find_of(&Vec::new(), 10).quotient.is_p(&[]), Some(false));
}

/// Heaps that nobody can move in are nothing, wherever they stand.
#[test]
fn heaps_without_options_are_nothing() {
    let found = find("0.07", 20);
    let quotient = &found.quotient;
    assert_eq!(quotient.images()[0], Element::ONE);
    assert_eq!(quotient.element(&[7, 1, 1, 0]), quotient.element(&[7]));
    assert_eq!(quotient.is_p(&[21]), None, "the heap is not known");
}

/// Brings a word into its normal form by the relations alone.
fn rewritten(presentation: &Presentation, word: &[u32]) -> Vec<u32> {
    let mut word = word.to_vec();
    loop {
        let applies = presentation.relations.iter().find(|relation| {
            let mut pairs = relation.word.exponents().iter().zip(&word);
            pairs.all(|(part, whole)| part <= whole)
        });
        let Some(relation) = applies else {
            return word;
        };
        let sides = relation
            .word
            .exponents()
            .iter()
            .zip(relation.normal.exponents());
        for (letter, (old, new)) in word.iter_mut().zip(sides) {
            *letter = *letter - old + new;
        }
    }
}

#[test]
fn presentations_are_complete() {
    for (code, to) in [
        ("0.77", 40),
        ("0.123", 20),
        ("0.07", 25),
        ("0.152", 60),
        ("0.57", 30),
    ] {
        let found = find(code, to);
        let quotient = &found.quotient;
        let presentation = quotient.presentation();
        let element = |word: &[u32]| {
            let heaps = word.iter().zip(&presentation.generators);
            let sum: Vec<u32> = heaps
                .flat_map(|(times, heap)| (0..*times).map(|_| *heap))
                .collect();
            quotient.element(&sum).expect("the heaps are known")
        };
        assert_eq!(presentation.words.len(), quotient.order());
        for relation in &presentation.relations {
            assert!(relation.normal < relation.word);
            assert_eq!(
                element(relation.word.exponents()),
                element(relation.normal.exponents()),
                "{code}: {relation}"
            );
        }
        for (place, word) in presentation.words.iter().enumerate() {
            assert_eq!(element(word.exponents()).place(), place);
            for letter in 0..presentation.generators.len() {
                let mut longer = word.exponents().to_vec();
                longer[letter] += 1;
                let normal: &Word = &presentation.words[element(&longer).place()];
                assert_eq!(
                    rewritten(&presentation, &longer),
                    normal.exponents(),
                    "{code}"
                );
            }
        }
    }
}

#[test]
fn the_smallest_wild_quotient_in_letters() {
    let presentation = find("0.75", 30).quotient.presentation();
    let relations: Vec<String> = presentation
        .relations
        .iter()
        .map(ToString::to_string)
        .collect();
    assert_eq!(presentation.generators, [1, 2, 5]);
    assert_eq!(relations, ["a^2 = 1", "bc = ab", "c^2 = b^2", "b^3 = b"]);
}

/// The heaps of 0.3122 to 7 have an infinite quotient (Weimerskirch, Games of
/// No Chance 4): none is found, and that of fewer heaps stands.
#[test]
fn an_infinite_quotient_is_not_found() {
    let found = find_of(&octal("0.3122", 9), 200);
    assert_eq!(found.stopped, Some((7, StopReason::Order { most: 200 })));
    assert_eq!(found.quotient.to(), 6);
    assert_eq!(found.quotient.is_p(&[7]), None);
}

#[test]
fn searches_keep_to_their_limits() {
    // With the heap of 27 Kayles has 40 elements.
    let found = find_of(&octal("0.77", 40), 39);
    assert_eq!(found.stopped, Some((27, StopReason::Order { most: 39 })));
    assert_eq!(found.quotient.order(), 32);
    assert_eq!(found.quotient.to(), 26);

    let heaps = Heaps::new(&octal("0.07", 40)).expect("heaps become smaller");
    let little = quotient::find(&heaps, 1000, &Limits::of_memory(20_000));
    let why = little.stopped.map(|(_, why)| why);
    assert!(
        matches!(
            why,
            Some(StopReason::Limit(LimitExceeded::Memory {
                limit: 20_000,
                ..
            }))
        ),
        "{why:?}"
    );
    assert!(little.quotient.to() >= 10, "small quotients take little");

    let over = Limits {
        deadline: Some(Instant::now()),
        ..Limits::of_memory(1 << 30)
    };
    let late = quotient::find(&heaps, 1000, &over);
    assert_eq!(
        late.stopped.map(|(_, why)| why),
        Some(StopReason::Limit(LimitExceeded::Time))
    );
    let quotient = find("0.77", 10).quotient;
    assert_eq!(
        quotient.prove(&over),
        Err(StopReason::Limit(LimitExceeded::Time))
    );
}

#[test]
fn heaps_that_do_not_become_smaller_are_refused() {
    let refused = Heaps::new(&[vec![vec![]], vec![vec![1], vec![1, 2]]]).expect_err("2 has 2");
    assert_eq!((refused.heap, refused.part), (2, 2));
    assert!(refused.to_string().contains("not smaller"));
}
