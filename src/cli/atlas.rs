//! `atlas`: the P-positions of all games of simplicial Nim with a number of heaps.
//!
//! A move takes from the heaps of one face of a simplicial complex (Ehrenborg and
//! Steingrímsson, Playing Nim on a simplicial complex, 1996). A complex is given by its
//! facets, an antichain of sets that cover the heaps. Each is searched for the automaton
//! of its P-positions, one of each isomorphism class.

use super::asked::Under;
use super::discover::report;
use super::load::{self, Answered};
use super::resumable::{self, Run};
use super::text::{self, STRONG};
use super::{Format, Shared, Status, latex, progress};
use clap::Args;
use csv::StringRecord;
use itertools::Itertools;
use nimrule::compile;
use nimrule_answer::proof::{Attempt, AttemptFailure, FormSearch};
use nimrule_answer::{Discovered, DiscoveryBounds, Session, words};
use nimrule_elaborate::Settings;
use nimrule_engine::{self as engine, Limits};
use nimrule_limits::checkpoint::{Identity, Part};
use nimrule_limits::{LimitExceeded, Steps};
use nimrule_model::source::Source;
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};
use std::io::Write as _;
use std::path::PathBuf;
use std::time::{Duration, Instant};

#[derive(Debug, Args)]
pub struct Arguments {
    /// The number of heaps, from 1 to 5, or to 7 with --transitive
    #[arg(value_parser = clap::value_parser!(u8).range(1..=7))]
    heaps: u8,
    /// Only complexes whose symmetries lead from each heap to each other one
    #[arg(long)]
    transitive: bool,
    #[command(flatten)]
    under: Under,
    /// The work for each game, in million steps, each about a second
    #[arg(long, value_name = "SECONDS", default_value = "20", value_parser = super::seconds)]
    each: Duration,
    /// Keep the table in this CSV file. Games that it has, with as much time, are not
    /// searched again, so that an interrupted run goes on; a table of other games is refused
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Search only the games with these numbers, such as 3,17
    #[arg(long, value_name = "N", value_delimiter = ',')]
    only: Vec<usize>,
}

impl Arguments {}

/// A game with what was found.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Row {
    number: usize,
    /// The facets, each as the letters of its heaps.
    faces: String,
    standing: Standing,
    /// The states of the automaton.
    states: Option<usize>,
    /// A closed form of the P-positions.
    form: String,
    /// The time that was given, in tenths of a second, if nothing was proved, and 0 if the
    /// memory ended the search; otherwise the time that it took.
    tenths: u128,
    /// The new residuals by prefix length, for each depth in digits.
    growth: String,
}

/// What is known of a game.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Standing {
    /// An automaton is proved to recognise the P-positions.
    Proved,
    /// New residuals keep appearing for heaps of 64 tokens and more: evidence that no
    /// automaton recognises the P-positions, and no proof.
    Grows,
    /// Neither, within the time.
    Open,
}

impl Standing {
    const ALL: [Standing; 3] = [Standing::Proved, Standing::Grows, Standing::Open];

    fn word(self) -> &'static str {
        match self {
            Standing::Proved => "proved",
            Standing::Grows => "grows",
            Standing::Open => "open",
        }
    }
}

impl resumable::Row for Row {
    const COLUMNS: &'static [&'static str] = &[
        "number", "faces", "standing", "states", "form", "seconds", "growth",
    ];

    fn cells(&self) -> Vec<String> {
        vec![
            self.number.to_string(),
            self.faces.clone(),
            self.standing.word().to_owned(),
            self.states
                .map_or_else(String::new, |states| states.to_string()),
            self.form.clone(),
            format!("{}.{}", self.tenths / 10, self.tenths % 10),
            self.growth.clone(),
        ]
    }
}

pub fn run(arguments: &Arguments, shared: &Shared) -> Answered<Status> {
    let heaps = usize::from(arguments.heaps);
    let complexes = match arguments.transitive {
        true => transitive_complexes(heaps),
        false if heaps <= MOST_HEAPS => complexes(heaps),
        false => {
            return Err(load::wrong(&format!(
                "there are too many complexes with more than {MOST_HEAPS} heaps; `--transitive` \
                 leaves only those with enough symmetries"
            )));
        }
    };
    let enough = arguments.each.as_millis() / 100;
    let identity = engine::identity_of_kind("atlas")
        .with(Part::Game, format!("{} Nim", kind(arguments)))
        .with(Part::Heaps, heaps.to_string())
        .with(Part::Convention, arguments.under.convention.word());
    let run = Run {
        items: complexes.len(),
        identity: &identity,
        only: &arguments.only,
        output: arguments.output.as_deref(),
        read: &|number, record| read(number, record, &complexes[number - 1]),
        stands: &|row: &Row| row.standing == Standing::Proved || row.tenths >= enough,
        item: &|number, limits| searched(arguments, number, &complexes[number - 1], limits),
    };
    let finished = run.run(&shared.limits())?;
    report(
        arguments,
        shared,
        &finished.rows,
        (complexes.len(), &identity),
    )?;
    resumable::ended(&finished, complexes.len())
}

/// The facets of a complex: the sets of heaps as bits, ascending.
type Complex = Vec<u32>;

/// The most heaps of complexes without a condition.
const MOST_HEAPS: usize = 5;

/// The antichains of sets that cover the heaps, one of each isomorphism class, those with
/// fewer and smaller facets first.
fn complexes(heaps: usize) -> Vec<Complex> {
    let mut classes = Classes::new(heaps);
    let mut chosen = Vec::new();
    extend(heaps, 1, &mut chosen, &mut |antichain| {
        classes.add(antichain)
    });
    classes.in_order()
}

/// The complexes of which a group of symmetries leads from each heap to each other one, in the
/// same order.
///
/// Such a complex is invariant under a minimal transitive group, which two permutations generate
/// for up to 7 heaps (Conway, Hulpke and McKay, *On transitive permutation groups*, 1998): its
/// facets are orbits of such a group on the sets of heaps.
fn transitive_complexes(heaps: usize) -> Vec<Complex> {
    let mut classes = Classes::new(heaps);
    // The images of each set under the permutations, and one permutation of each cycle type.
    let images: Vec<Vec<u32>> = (classes.permutations.iter())
        .map(|by| (0..1 << heaps).map(|set| moved(set, by)).collect())
        .collect();
    let mut firsts = BTreeMap::new();
    for by in &images {
        firsts.entry(cycle_type(heaps, by)).or_insert(by);
    }
    // The orbits of a group: by set, the smallest set of its orbit.
    let mut seen = BTreeSet::new();
    for first in firsts.values() {
        for second in &images {
            let orbits = orbits(&[first, second]);
            let is_transitive = (0..heaps).all(|heap| orbits[1 << heap] == 1);
            if !is_transitive || seen.contains(&orbits) {
                continue;
            }
            // Those of the conjugate groups, which have isomorphic complexes.
            for by in &images {
                let mut smallest = vec![u32::MAX; orbits.len()];
                for (set, orbit) in orbits.iter().enumerate() {
                    let smallest = &mut smallest[*orbit as usize];
                    *smallest = (*smallest).min(by[set]);
                }
                let mut conjugate = vec![0; orbits.len()];
                for (set, orbit) in orbits.iter().enumerate() {
                    conjugate[by[set] as usize] = smallest[*orbit as usize];
                }
                seen.insert(conjugate);
            }
            let all = 1..1_u32 << heaps;
            let orbits: Vec<Complex> = (all.clone())
                .filter(|set| orbits[*set as usize] == *set)
                .map(|first| {
                    all.clone()
                        .filter(|set| orbits[*set as usize] == first)
                        .collect()
                })
                .collect();
            unions(&orbits, &mut Vec::new(), &mut |antichain| {
                classes.add(antichain)
            });
        }
    }
    classes.in_order()
}

/// The lengths of the cycles of a permutation, given by its images of sets.
fn cycle_type(heaps: usize, by: &[u32]) -> Vec<usize> {
    let length = |heap: usize| {
        let mut at = by[1 << heap];
        let mut length = 1;
        while at != 1 << heap {
            at = by[at as usize];
            length += 1;
        }
        length
    };
    let mut lengths: Vec<usize> = (0..heaps).map(length).collect();
    lengths.sort_unstable();
    lengths
}

/// By set, the smallest set of its orbit under the group that some permutations generate.
fn orbits(generators: &[&Vec<u32>]) -> Vec<u32> {
    let sets = generators[0].len();
    let mut orbit = vec![u32::MAX; sets];
    for first in 0..sets as u32 {
        let mut open = vec![first];
        while let Some(set) = open.pop() {
            if orbit[set as usize] == u32::MAX {
                orbit[set as usize] = first;
                open.extend(generators.iter().map(|by| by[set as usize]));
            }
        }
    }
    orbit
}

/// Visits the unions of orbits that are antichains, besides the empty one.
fn unions(orbits: &[Complex], chosen: &mut Vec<u32>, visit: &mut dyn FnMut(&Complex)) {
    let Some((orbit, rest)) = orbits.split_first() else {
        if !chosen.is_empty() {
            visit(chosen);
        }
        return;
    };
    unions(rest, chosen, visit);
    let is_new = |set: &u32| chosen.iter().all(|other| is_incomparable(*set, *other));
    if orbit.iter().all(is_new) {
        let before = chosen.len();
        chosen.extend(orbit);
        unions(rest, chosen, visit);
        chosen.truncate(before);
    }
}

fn is_incomparable(set: u32, other: u32) -> bool {
    set & other != set && set & other != other
}

/// The image of a set of heaps under a permutation.
fn moved(set: u32, by: &[usize]) -> u32 {
    let bits = (0..by.len()).filter(|heap| set >> heap & 1 == 1);
    bits.map(|heap| 1 << by[heap]).sum()
}

/// Complexes, one of each isomorphism class.
struct Classes {
    permutations: Vec<Vec<usize>>,
    /// With the number of facets and of their heaps, by which they are ordered.
    found: BTreeSet<(usize, u32, Complex)>,
}

impl Classes {
    fn new(heaps: usize) -> Classes {
        Classes {
            permutations: (0..heaps).permutations(heaps).collect(),
            found: BTreeSet::new(),
        }
    }

    fn add(&mut self, antichain: &Complex) {
        let image = |by: &Vec<usize>| {
            let mut image: Complex = antichain.iter().map(|set| moved(*set, by)).collect();
            image.sort_unstable();
            image
        };
        let canonical = self.permutations.iter().map(image).min();
        let tokens: u32 = antichain.iter().map(|set| set.count_ones()).sum();
        let found = canonical.map(|canonical| (antichain.len(), tokens, canonical));
        self.found.extend(found);
    }

    fn in_order(self) -> Vec<Complex> {
        self.found
            .into_iter()
            .map(|(.., complex)| complex)
            .collect()
    }
}

/// Visits the antichains of sets from `from` on that contain the chosen sets and cover the
/// heaps.
fn extend(heaps: usize, from: u32, chosen: &mut Complex, visit: &mut dyn FnMut(&Complex)) {
    let all = (1_u32 << heaps) - 1;
    if chosen.iter().fold(0, |union, set| union | set) == all {
        visit(chosen);
    }
    for set in from..=all {
        if chosen.iter().all(|other| is_incomparable(set, *other)) {
            chosen.push(set);
            extend(heaps, set + 1, chosen, visit);
            chosen.pop();
        }
    }
}

/// The facets as words: the letters of the heaps.
fn faces(complex: &Complex) -> Vec<String> {
    let letters = |set: &u32| {
        let heaps = (b'a'..=b'z').enumerate();
        let of_set = heaps.filter(|(heap, _)| set >> heap & 1 == 1);
        of_set.map(|(_, letter)| char::from(letter)).collect()
    };
    complex.iter().map(letters).collect()
}

/// The rule file of a complex.
fn rule(heaps: usize, complex: &Complex) -> String {
    let names = |letters: &str| -> String {
        let letters: Vec<String> = letters.chars().map(|letter| letter.to_string()).collect();
        letters.join(" ")
    };
    let all: String = faces(&vec![(1 << heaps) - 1]).concat();
    let sets: Vec<String> = (faces(complex).iter())
        .map(|face| format!("{{ {} }}", names(face)))
        .collect();
    format!(
        "game simplicial_nim\nheaps {}\nfamily facet = {}\nmove take from one facet\n",
        names(&all),
        sets.join(", ")
    )
}

/// Searches one game.
fn searched(
    arguments: &Arguments,
    number: usize,
    complex: &Complex,
    limits: &Limits,
) -> Result<Row, LimitExceeded> {
    let text = rule(usize::from(arguments.heaps), complex);
    let source = Source::new("simplicial_nim", text);
    let compiled = compile(&source, &Settings::new(), &|_| Err("no files".to_owned()));
    let compiled = compiled.unwrap_or_else(|problems| unreachable!("{problems}"));
    let begun = Instant::now();
    let session = Session::new(
        &compiled.game,
        limits.cap_work(Steps::in_time(arguments.each)),
    );
    let found = session.discover(arguments.under.convention, DiscoveryBounds::default());
    let mut row = Row {
        number,
        faces: faces(complex).join(" "),
        standing: Standing::Open,
        states: None,
        form: String::new(),
        tenths: arguments.each.as_millis() / 100,
        growth: String::new(),
    };
    match found {
        Ok(Discovered::Proved(proved)) => {
            row.standing = Standing::Proved;
            row.states = Some(proved.set.states());
            row.tenths = begun.elapsed().as_millis().div_ceil(100);
            if let FormSearch::Words(words) = proved.form {
                row.form = words;
            }
        }
        Ok(Discovered::Unknown(attempts)) => {
            row.growth = growth(&attempts);
            if attempts
                .iter()
                .any(|attempt| attempt.failure == AttemptFailure::Grows)
            {
                row.standing = Standing::Grows;
                row.tenths = begun.elapsed().as_millis().div_ceil(100);
            }
        }
        // The games of the atlas have a fixed number of heaps.
        Ok(Discovered::OfAnyNumber(_) | Discovered::NoTheorem(_)) => {}
        Ok(Discovered::Unsupported(why)) => row.growth = why,
        Err(LimitExceeded::Stopped) => return Err(LimitExceeded::Stopped),
        // More time would be of no use, and another run may have more memory.
        Err(LimitExceeded::Memory { .. }) => row.tenths = 0,
        Err(LimitExceeded::Time | LimitExceeded::Work { .. }) => {}
    }
    Ok(row)
}

/// The new residuals of the attempts, `depth 2: 1 36 266`.
fn growth(attempts: &[Attempt]) -> String {
    let all = attempts.iter().flat_map(|attempt| &attempt.residuals);
    let each = all.map(|(depth, counts)| {
        let counts: Vec<String> = counts.iter().map(usize::to_string).collect();
        format!("depth {depth}: {}", counts.join(" "))
    });
    let each: Vec<String> = each.collect();
    each.join("; ")
}

/// A row of an earlier run.
fn read(number: usize, record: &StringRecord, complex: &Complex) -> Option<Row> {
    let cell = |column: usize| record.get(column).unwrap_or_default();
    let seconds: f64 = cell(5).parse().ok()?;
    let row = Row {
        number,
        faces: faces(complex).join(" "),
        standing: Standing::ALL.into_iter().find(|s| s.word() == cell(2))?,
        states: cell(3).parse().ok(),
        form: cell(4).to_owned(),
        tenths: (seconds * 10.0).round() as u128,
        growth: cell(6).to_owned(),
    };
    (row.faces == cell(1)).then_some(row)
}

/// The name of the games.
fn kind(arguments: &Arguments) -> &'static str {
    match arguments.transitive {
        true => "Vertex-transitive simplicial",
        false => "Simplicial",
    }
}

fn report(
    arguments: &Arguments,
    shared: &Shared,
    rows: &BTreeMap<usize, Row>,
    (games, identity): (usize, &Identity),
) -> Answered<Status> {
    let mut out = progress::stdout();
    let of = |standing: Standing| rows.values().filter(|row| row.standing == standing).count();
    let (proved, grows) = (of(Standing::Proved), of(Standing::Grows));
    let forms = rows.values().filter(|row| !row.form.is_empty()).count();
    let misere = words::play(arguments.under.convention);
    load::finish(match shared.format {
        Format::Csv => resumable::as_csv(&mut out, rows, identity),
        Format::Latex => {
            let heaps = arguments.heaps;
            let title = format!("{} Nim with {heaps} heaps{misere}", kind(arguments));
            let spec = "rlrrp{0.35\\linewidth}rp{0.2\\linewidth}";
            let table = resumable::as_latex(rows, spec);
            let head = latex::titled(&title, "an atlas");
            write!(
                out,
                "{head}{table}\n{games} games: {proved} proved, {forms} of them with a closed form; \
                 {grows} grow; {} open; {} not searched.\n",
                of(Standing::Open),
                games - rows.len()
            )
        }
        Format::Json => {
            let each = rows.values().map(|row| {
                json!({
                    "number": row.number,
                    "faces": row.faces.split(' ').collect::<Vec<_>>(),
                    "standing": row.standing.word(),
                    "states": row.states,
                    "form": (!row.form.is_empty()).then_some(&row.form),
                    "seconds": row.tenths as f64 / 10.0,
                    "growth": (!row.growth.is_empty()).then_some(&row.growth),
                })
            });
            let answer = json!({
                "version": 1,
                "heaps": arguments.heaps,
                "transitive": arguments.transitive,
                "convention": arguments.under.convention.word(),
                "identity": identity.to_string(),
                "games": games,
                "proved": proved,
                "grows": grows,
                "forms": forms,
                "rows": each.collect::<Vec<_>>(),
            });
            writeln!(out, "{answer}")
        }
        Format::Text => {
            let heaps = match arguments.heaps {
                1 => "1 heap".to_owned(),
                heaps => format!("{heaps} heaps"),
            };
            let mut shown = format!(
                "{STRONG}{} Nim with {heaps}{misere}{STRONG:#}\n\n",
                kind(arguments)
            );
            for row in rows.values() {
                let states = row.states.map(report::counted).unwrap_or_default();
                let head = format!(
                    "{:>4}  {}: {} {states}",
                    row.number,
                    row.faces,
                    row.standing.word()
                );
                shown.push_str(&format!("{}\n", text::wrapped(head.trim_end(), 78, 6)));
                let more = match (row.form.as_str(), row.growth.as_str()) {
                    ("", "") => continue,
                    ("", growth) => growth.to_owned(),
                    (form, _) => format!("P iff {form}"),
                };
                shown.push_str(&format!("      {}\n", text::wrapped(&more, 72, 6)));
            }
            let unsearched = match games - rows.len() {
                0 => String::new(),
                unsearched => format!("; {unsearched} not searched"),
            };
            shown.push_str(&format!(
                "\n{games} games: {proved} proved, {forms} of them with a closed form; {grows} \
                 grow; {} open{unsearched}\n",
                of(Standing::Open)
            ));
            write!(out, "{shown}")
        }
    })
}

#[cfg(test)]
mod tests {
    use super::{Complex, complexes, faces, moved, transitive_complexes};
    use itertools::Itertools;
    use std::collections::BTreeSet;

    #[test]
    fn antichains_are_counted_as_in_the_literature() {
        // The numbers of antichains that cover n unlabelled points (OEIS A006602 counts
        // those with the empty one).
        let counts: Vec<usize> = (1..=5).map(|heaps| complexes(heaps).len()).collect();
        assert_eq!(counts, [1, 2, 5, 20, 180]);
    }

    /// Those among all complexes, by the definition; and circular Nim, CN(7,k), among those of 7
    /// heaps.
    #[test]
    fn transitive_complexes_are_those_with_enough_symmetries() {
        for heaps in 1..=5 {
            let is_symmetry = |complex: &Complex, by: &Vec<usize>| {
                let mut image: Complex = complex.iter().map(|set| moved(*set, by)).collect();
                image.sort_unstable();
                image == *complex
            };
            let is_transitive = |complex: &Complex| {
                let permutations = (0..heaps).permutations(heaps);
                let symmetries = permutations.filter(|by| is_symmetry(complex, by));
                symmetries.map(|by| by[0]).collect::<BTreeSet<_>>().len() == heaps
            };
            let all = complexes(heaps).into_iter();
            let expected: Vec<Complex> = all.filter(is_transitive).collect();
            assert_eq!(transitive_complexes(heaps), expected, "{heaps}");
        }
        let seven = transitive_complexes(7);
        for size in 1..=7 {
            let arcs = (0..7).map(|from| (0..size).map(|at| 1 << ((from + at) % 7)).sum::<u32>());
            let arcs: BTreeSet<u32> = arcs.collect();
            let images = (0..7).permutations(7).map(|by| {
                let mut image: Complex = arcs.iter().map(|set| moved(*set, &by)).collect();
                image.sort_unstable();
                image
            });
            let canonical = images.min().expect("some");
            assert!(seven.contains(&canonical), "{size}");
        }
    }

    #[test]
    fn the_complexes_of_three_heaps() {
        let words = complexes(3)
            .iter()
            .map(|c| faces(c).join(" "))
            .collect::<Vec<_>>();
        assert_eq!(words, ["abc", "a bc", "ab ac", "a b c", "ab ac bc"]);
    }
}
