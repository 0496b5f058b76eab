//! `quotient`: the misere quotient of a heap game.

use super::asked::Asked;
use super::load::{self, Answered};
use super::text::{self, FAINT, STRONG};
use super::{Format, Shared, Status, json, latex, progress};
use clap::Args;
use nimrule_engine::SolveError;
use nimrule_engine::quotient::{Numbering, find, move_bounds};
use nimrule_model::game::{Game, PositionKind};
use nimrule_model::latex::{escaped, tabular};
use nimrule_quotient::{Period, Presentation, Quotient, SearchResult, StopReason, letter};
use serde_json::{Value, json};
use std::io::Write as _;

#[derive(Debug, Args)]
pub struct Arguments {
    #[command(flatten)]
    asked: Asked,
    /// The largest heap size in the sums
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    to: u64,
    /// The largest number of elements of a quotient
    #[arg(long, value_name = "ORDER", default_value_t = 1000,
          value_parser = clap::value_parser!(u64).range(1..))]
    most: u64,
}

/// The theorem that extends a quotient to all heap sizes.
const THEOREM: &str = "the periodicity theorem of Plambeck and Siegel";

/// The largest number of elements that are listed.
const ELEMENTS_SHOWN: usize = 100;

pub fn run(arguments: &Arguments, shared: &Shared) -> Answered<Status> {
    let rule = arguments.asked.open(shared)?;
    let session = rule.session();
    let (solver, limits) = (session.solver(), session.limits());
    let numbering = Numbering::of(solver).map_err(|reason| {
        load::wrong(&format!(
            "a misere quotient needs moves that change one heap and depend on no other: {reason}"
        ))
    })?;
    let most = usize::try_from(arguments.most).unwrap_or(usize::MAX);
    let found = match find(solver, arguments.to, most, limits) {
        Ok(found) => found,
        Err(SolveError::Cannot { reason, .. }) => return Err(load::wrong(&reason)),
        Err(failure) => return Err(load::failed(&failure, solver, None)),
    };
    let answer = Answer {
        game: rule.game(),
        numbering,
        asked_to: arguments.to,
        period: move_bounds(solver).and_then(|bounds| found.quotient.period(bounds)),
        presentation: found.quotient.presentation(),
        quotient: &found.quotient,
        found: &found,
    };
    let mut out = progress::stdout();
    let written = match shared.format {
        Format::Text => write!(out, "{}", answer.text()),
        Format::Json => writeln!(out, "{}", answer.json()),
        Format::Csv => answer.csv(&mut out),
        Format::Latex => write!(out, "{}", answer.latex()),
    };
    load::finish(written)?;
    Ok(match found.stopped {
        Some(_) => Status::Limit,
        None => Status::Fine,
    })
}

struct Answer<'a> {
    game: &'a Game,
    numbering: Numbering,
    asked_to: u64,
    period: Option<Period>,
    presentation: Presentation,
    quotient: &'a Quotient,
    found: &'a SearchResult,
}

impl Answer<'_> {
    /// A heap by its number: its size, and its kind where there are kinds.
    fn heap(&self, number: u32) -> String {
        let heap = self.numbering.heap(number);
        match &self.game.position_kind {
            PositionKind::Multiset(kinds) if !kinds.names.is_empty() => self.game.shown(&[heap]),
            _ => heap.to_string(),
        }
    }

    fn heap_as_json(&self, number: u32) -> Value {
        let heap = self.numbering.heap(number);
        match &self.game.position_kind {
            PositionKind::Multiset(kinds) if !kinds.names.is_empty() => {
                let (size, kind) = kinds.decode(heap);
                json!({ kinds.names[kind].as_str(): size })
            }
            _ => json!(heap),
        }
    }

    /// The size up to which heaps of every kind are known.
    fn to(&self) -> u64 {
        u64::from(self.quotient.to()) / self.numbering.kinds()
    }

    /// The normal forms of the elements of P-positions, in the order of words.
    fn p_portion(&self) -> Vec<String> {
        self.in_order(self.quotient.p_portion().iter().map(|e| e.place()))
    }

    fn in_order(&self, places: impl Iterator<Item = usize>) -> Vec<String> {
        let mut words: Vec<_> = places.map(|at| &self.presentation.words[at]).collect();
        words.sort_unstable();
        words.into_iter().map(ToString::to_string).collect()
    }

    fn elements(&self) -> Vec<String> {
        self.in_order(0..self.quotient.order())
    }

    fn relations(&self) -> Vec<String> {
        let relations = self.presentation.relations.iter();
        relations.map(ToString::to_string).collect()
    }

    /// The pretending function, kind by kind: the words of the heaps from 1.
    fn phi(&self) -> Vec<(Option<&str>, Vec<String>)> {
        let names: Vec<Option<&str>> = match &self.game.position_kind {
            PositionKind::Multiset(kinds) if !kinds.names.is_empty() => {
                kinds.names.iter().map(|name| Some(name.as_str())).collect()
            }
            _ => vec![None],
        };
        let words: Vec<String> = self
            .quotient
            .images()
            .iter()
            .map(|image| self.presentation.words[image.place()].to_string())
            .collect();
        let of_kind = |kind| words.iter().skip(kind).step_by(names.len()).cloned();
        names
            .iter()
            .enumerate()
            .map(|(kind, name)| (*name, of_kind(kind).collect()))
            .collect()
    }

    /// Why the computation stopped.
    fn why(&self) -> Option<(u32, String)> {
        let (heap, stop) = self.found.stopped?;
        let why = match stop {
            StopReason::Order { .. } => format!("{stop}; `--most` looks for larger ones"),
            StopReason::Limit(_) => stop.to_string(),
        };
        Some((heap, why))
    }

    fn text(&self) -> String {
        let quotient = self.quotient;
        let mut shown = format!(
            "{STRONG}{}{STRONG:#}\n\n",
            text::wrapped(&self.game.heading(), 78, 0)
        );
        let mut line = |name: &str, words: &str| {
            shown.push_str(&format!(
                "  {FAINT}{name:<10}{FAINT:#}{}\n",
                text::wrapped(words, 66, 12)
            ));
        };
        let last = match quotient.to() {
            0 => "none".to_owned(),
            last => format!("{} to {}", self.heap(1), self.heap(last)),
        };
        line("heaps", &last);
        line(
            "quotient",
            &sizes(quotient.order(), quotient.p_portion().len()),
        );
        let steps: Vec<String> = self
            .found
            .steps
            .iter()
            .map(|step| format!("{} at heap {}", step.order, self.heap(step.heap)))
            .collect();
        if !steps.is_empty() {
            line("order", &steps.join(", "));
        }
        match self.period {
            Some(period) => line(
                "proved",
                &format!(
                    "for all heaps, by {THEOREM}: Φ(n + {}) = Φ(n) for n >= {}, checked up to \
                     heap {}",
                    period.period, period.from, period.checked_to
                ),
            ),
            None => line("proved", "for all sums of these heaps"),
        }
        if let Some((heap, why)) = self.why() {
            let heap = self.heap(heap);
            line("stopped", &format!("at heap {heap}: {why}"));
        }
        let generators = self.presentation.generators.iter().enumerate();
        let generators: Vec<String> = generators
            .map(|(place, heap)| format!("{} = Φ({})", letter(place), self.heap(*heap)))
            .collect();
        section(&mut shown, "Generators", &generators);
        section(&mut shown, "Relations", &self.relations());
        let elements = self.elements();
        if elements.len() <= ELEMENTS_SHOWN {
            section(&mut shown, "Elements", &elements);
        }
        section(&mut shown, "P-positions", &self.p_portion());
        for (kind, words) in self.phi() {
            let of = kind.map_or_else(|| "a heap".to_owned(), |kind| format!("a {kind}"));
            shown.push_str(&format!(
                "\n{STRONG}Φ, the element of {of}{STRONG:#}\n\n{}",
                rows(&words)
            ));
        }
        shown
    }

    /// The order, the generators and relations, the P-portion, and the pretending function.
    fn latex(&self) -> String {
        let quotient = self.quotient;
        let order = sizes(quotient.order(), quotient.p_portion().len());
        let last = match quotient.to() {
            0 => "no heaps".to_owned(),
            last => format!("heaps {} to {}", self.heap(1), self.heap(last)),
        };
        let standing = match self.period {
            Some(period) => format!(
                "By {THEOREM}, this is the quotient of all heaps: $\\Phi(n + {0}) = \\Phi(n)$ for \
                 $n \\ge {1}$, checked up to heap {2}.",
                period.period, period.from, period.checked_to
            ),
            None => "This is proved for all sums of these heaps.".to_owned(),
        };
        let generators = self.presentation.generators.iter().enumerate();
        let generators: Vec<String> = generators
            .map(|(place, heap)| format!("${} = \\Phi({})$", letter(place), self.heap(*heap)))
            .collect();
        let words = |words: &[String]| {
            let words: Vec<String> = words.iter().map(|word| monomial(word)).collect();
            words.join(", ")
        };
        let mut shown = format!(
            "{}The mis\\`ere quotient of the {} has {}.\n{standing}\n",
            latex::comment(self.game, "the misere quotient"),
            escaped(&last),
            escaped(&order)
        );
        if let Some((heap, why)) = self.why() {
            let stopped = format!(
                "The computation stopped at heap {}: {why}.",
                self.heap(heap)
            );
            shown.push_str(&latex::paragraph(&stopped));
        }
        let lists = [
            ("Generators", generators.join(", ")),
            ("Relations", words(&self.relations())),
            ("P-positions", words(&self.p_portion())),
        ];
        for (name, list) in lists.iter().filter(|(_, list)| !list.is_empty()) {
            shown.push_str(&format!("\n\\noindent {name}: {list}.\n"));
        }
        for (kind, words) in self.phi() {
            let of = kind.map_or_else(|| "a heap".to_owned(), |kind| format!("a {kind}"));
            let rows: Vec<Vec<String>> = (words.chunks(10).enumerate())
                .map(|(row, words)| {
                    let mut cells = vec![format!("{}+", 10 * row)];
                    cells.extend(words.iter().map(|word| monomial(word)));
                    cells.resize(11, String::new());
                    cells
                })
                .collect();
            let head = (1..=10).map(|column| column.to_string());
            let head: Vec<String> = std::iter::once(String::new()).chain(head).collect();
            shown.push_str(&format!(
                "\n\\noindent $\\Phi$, the element of {}:\n\n{}",
                escaped(&of),
                tabular("r@{\\qquad}cccccccccc", &head, &rows)
            ));
        }
        shown
    }

    fn json(&self) -> Value {
        let mut head = json::head(self.game);
        let generators: Vec<Value> = self
            .presentation
            .generators
            .iter()
            .enumerate()
            .map(|(place, heap)| json!({"letter": letter(place), "heap": self.heap_as_json(*heap)}))
            .collect();
        let phi = match self.phi().as_slice() {
            [(None, words)] => json!(words),
            kinds => kinds
                .iter()
                .map(|(kind, words)| (kind.unwrap_or_default().to_owned(), json!(words)))
                .collect::<serde_json::Map<_, _>>()
                .into(),
        };
        let steps: Vec<Value> = self
            .found
            .steps
            .iter()
            .map(|step| {
                json!({
                    "heap": self.heap_as_json(step.heap),
                    "order": step.order,
                    "p_portion": step.p_portion,
                })
            })
            .collect();
        let period = self.period.map(|period| {
            json!({
                "from": period.from,
                "period": period.period,
                "theorem": THEOREM,
                "checked_to": period.checked_to,
            })
        });
        let stopped = self
            .why()
            .map(|(heap, why)| json!({"heap": self.heap_as_json(heap), "why": why}));
        let status = match self.period {
            Some(_) => "proved",
            None => "holds",
        };
        let fields = [
            ("asked_to", json!(self.asked_to)),
            ("to", json!(self.to())),
            ("order", json!(self.quotient.order())),
            ("generators", json!(generators)),
            ("elements", json!(self.elements())),
            ("p_portion", json!(self.p_portion())),
            ("phi", phi),
            ("relations", json!(self.relations())),
            ("steps", json!(steps)),
            ("period", json!(period)),
            ("standing", json!(status)),
            ("stopped", json!(stopped)),
        ];
        head.extend(fields.map(|(name, value)| (name.to_owned(), value)));
        head.into()
    }

    fn csv(&self, out: &mut dyn std::io::Write) -> std::io::Result<()> {
        let mut rows = csv::Writer::from_writer(out);
        let mut write = || -> Result<(), csv::Error> {
            rows.write_record(["heap", "element"])?;
            for (number, image) in (1..).zip(self.quotient.images()) {
                let word = &self.presentation.words[image.place()];
                rows.write_record([self.heap(number), word.to_string()])?;
            }
            Ok(rows.flush()?)
        };
        write().map_err(load::writing)
    }
}

/// A word or a relation of the presentation in math mode; exponents of several digits are
/// grouped.
fn monomial(word: &str) -> String {
    let mut written = String::new();
    let mut letters = word.chars().peekable();
    while let Some(letter) = letters.next() {
        written.push(letter);
        if letter == '^' {
            written.push('{');
            while let Some(digit) = letters.next_if(char::is_ascii_digit) {
                written.push(digit);
            }
            written.push('}');
        }
    }
    format!("${written}$")
}

fn sizes(order: usize, p_portion: usize) -> String {
    let elements = if order == 1 { "element" } else { "elements" };
    format!("{order} {elements}, {p_portion} of them P")
}

/// A titled list, wrapped between items.
fn section(shown: &mut String, title: &str, items: &[String]) {
    if items.is_empty() {
        return;
    }
    shown.push_str(&format!("\n{STRONG}{title}{STRONG:#}\n"));
    let mut width = usize::MAX;
    for (place, item) in items.iter().enumerate() {
        let comma = if place + 1 < items.len() { "," } else { "" };
        let more = item.chars().count() + comma.len();
        if width.saturating_add(1 + more) > 78 {
            shown.push_str("\n  ");
            width = 2;
        } else {
            shown.push(' ');
            width += 1;
        }
        shown.push_str(item);
        shown.push_str(comma);
        width += more;
    }
    shown.push('\n');
}

/// The elements of the heaps from 1, ten in a row as in published tables, or
/// fewer if ten are too wide.
fn rows(words: &[String]) -> String {
    let widest = words.iter().map(String::len).max().unwrap_or(0).max(2);
    let margin = format!("{}+", words.len()).len();
    let columns = [10, 5, 2]
        .into_iter()
        .find(|columns| margin + columns * (widest + 2) <= 78)
        .unwrap_or(1);
    let mut header = vec![String::new()];
    header.extend((1..=columns).map(|column| column.to_string()));
    let rows: Vec<Vec<String>> = words
        .chunks(columns)
        .enumerate()
        .map(|(row, words)| {
            let mut cells = vec![format!("{}+", row * columns)];
            cells.extend(words.iter().cloned());
            cells.resize(columns + 1, String::new());
            cells
        })
        .collect();
    text::table(&header, &rows, 0)
}
