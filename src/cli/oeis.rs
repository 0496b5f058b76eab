//! `oeis`: the integer sequences of a game, compared with known ones.

use super::asked::{Asked, Under};
use super::load::{self, Answered};
use super::text::{self, FAINT, GOOD};
use super::{Format, Shared, Status, json, latex, progress};
use clap::Args;
use nimrule_answer::{GameSequence, GameSequences, words};
use nimrule_model::game::{Convention, Game, PositionKind};
use nimrule_sequence::oeis::{LEAST_TERMS, Match, core, matches};
use serde_json::{Value, json};
use std::io::Write;

#[derive(Debug, Args)]
pub struct Arguments {
    #[command(flatten)]
    asked: Asked,
    /// The largest heap; with any number of heaps, the largest total
    #[arg(long, value_name = "N", value_parser = super::size)]
    max: Option<u64>,
    #[command(flatten)]
    under: Under,
    /// Only the sequence with this name, such as p-by-total
    #[arg(long, value_name = "SEQUENCE")]
    only: Option<String>,
    /// Write an OEIS b-file: one line for each term, with its index
    #[arg(long)]
    b_file: bool,
}

/// The number of terms in text, and of matches in all formats.
const TERMS_SHOWN: usize = 24;
const MATCHES_SHOWN: usize = 3;

pub fn run(arguments: &Arguments, shared: &Shared) -> Answered<Status> {
    let rule = arguments.asked.open(shared)?;
    let game = rule.game();
    if arguments.b_file && shared.format != Format::Text {
        return Err(load::wrong(
            "a b-file has a format of its own: remove `--b-file` or `--format`",
        ));
    }
    let session = rule.session();
    let convention = arguments.under.convention;
    let found = session.sequences(convention, arguments.max);
    let GameSequences { most, sequences } =
        found.map_err(|failure| load::failed(&failure, session.solver(), arguments.max))?;
    let names: Vec<&str> = sequences.iter().map(|one| one.name.as_str()).collect();
    let names = names.join(", ");
    let shown: Vec<&GameSequence> = match &arguments.only {
        None => sequences.iter().collect(),
        Some(name) => match sequences.iter().find(|one| one.name == *name) {
            Some(one) => vec![one],
            None => {
                return Err(load::wrong(&format!(
                    "there is no sequence `{name}` of this game; the sequences are {names}"
                )));
            }
        },
    };
    let mut out = std::io::BufWriter::new(progress::stdout());
    let mut write = || -> std::io::Result<()> {
        match (arguments.b_file, shared.format) {
            (true, _) => lines(&mut out, shown[0], ' ', ""),
            (_, Format::Csv) => {
                writeln!(out, "sequence,n,term")?;
                shown
                    .iter()
                    .try_for_each(|one| lines(&mut out, one, ',', &format!("{},", one.name)))
            }
            (_, Format::Json) => writeln!(out, "{}", as_json(game, convention, most, &shown)),
            (_, Format::Text) => write!(out, "{}", as_text(game, convention, most, &shown)),
            (_, Format::Latex) => write!(out, "{}", as_latex(game, &shown)),
        }?;
        out.flush()
    };
    if arguments.b_file && shown.len() != 1 {
        return Err(load::wrong(&format!(
            "a b-file has one sequence: choose it with `--only`, one of {names}"
        )));
    }
    load::finish(write())
}

/// Writes one line for each term, with its index.
fn lines(
    out: &mut dyn Write,
    sequence: &GameSequence,
    between: char,
    first: &str,
) -> std::io::Result<()> {
    for (n, term) in (sequence.offset..).zip(&sequence.terms) {
        writeln!(out, "{first}{n}{between}{term}")?;
    }
    Ok(())
}

fn as_json(game: &Game, convention: Convention, most: u64, shown: &[&GameSequence]) -> Value {
    let mut head = json::head(game);
    head.insert("convention".into(), json!(convention.word()));
    head.insert("max".into(), json!(most));
    let of_one = |one: &&GameSequence| {
        let found = matches(&one.terms).into_iter().take(MATCHES_SHOWN);
        let found = found.map(|found| {
            json!({
                "number": found.known.number,
                "title": found.known.title,
                "agree": found.agree,
                "skipped": found.skipped,
                "skipped_of_known": found.skipped_of_known,
            })
        });
        json!({
            "name": one.name,
            "what": one.what,
            "offset": one.offset,
            "terms": one.terms,
            "matches": found.collect::<Vec<_>>(),
        })
    };
    head.insert(
        "sequences".into(),
        shown.iter().map(of_one).collect::<Vec<_>>().into(),
    );
    head.into()
}

fn as_latex(game: &Game, shown: &[&GameSequence]) -> String {
    let rows = shown.iter().map(|one| {
        let found = matches(&one.terms).into_iter().take(MATCHES_SHOWN);
        let found: Vec<String> = found
            .map(|found| format!("{}: {}", found.known.number, in_words(&found)))
            .collect();
        vec![one.name.clone(), terms(one), found.join("; ")]
    });
    let columns = ["sequence", "first terms", "OEIS"];
    let table = latex::table(
        "lp{0.45\\linewidth}p{0.35\\linewidth}",
        &columns,
        &rows.collect::<Vec<_>>(),
    );
    format!("{}{table}", latex::comment(game, "integer sequences"))
}

fn as_text(game: &Game, convention: Convention, most: u64, shown: &[&GameSequence]) -> String {
    let mut text = format!("{}\n\n", game.heading());
    let positions = match (&game.position_kind, convention) {
        (PositionKind::Multiset(_), _) => format!(
            "positions of up to {}",
            words::counted(most.into(), "token")
        ),
        _ => format!("heaps up to {most}"),
    };
    let misere = match convention {
        Convention::Misere => ", misere play",
        Convention::Normal => "",
    };
    text += &format!("  {positions}{misere}\n");
    for one in shown {
        text += &format!(
            "\n  {}\n    {FAINT}{}{FAINT:#}\n    {}\n",
            one.name,
            text::wrapped(&format!("{}, n from {}", one.what, one.offset), 76, 4),
            text::wrapped(&terms(one), 76, 4)
        );
        let found = matches(&one.terms);
        for found in found.iter().take(MATCHES_SHOWN) {
            text += &format!(
                "    {GOOD}{}{GOOD:#}  {}\n",
                found.known.number,
                text::wrapped(&in_words(found), 65, 13)
            );
        }
        if found.is_empty() {
            let few = format!("fewer than {LEAST_TERMS} terms, too few to compare");
            let why = match one.terms.len() < LEAST_TERMS {
                true => few.as_str(),
                false => "no match",
            };
            text += &format!("    {why}\n");
        }
    }
    text += &format!(
        "\n  {}\n",
        text::wrapped(
            &format!(
                "A match says that the terms compared agree, not that all terms do. Compared with \
                 {} sequences of the OEIS.",
                core().len()
            ),
            78,
            2
        )
    );
    text
}

/// The first terms with commas between.
fn terms(sequence: &GameSequence) -> String {
    let first = sequence.terms.iter().take(TERMS_SHOWN);
    let mut words = first.map(u64::to_string).collect::<Vec<_>>().join(", ");
    if sequence.terms.len() > TERMS_SHOWN {
        words += ", …";
    }
    words
}

/// What a match says: the title, the number of terms, and the shift.
fn in_words(found: &Match) -> String {
    let shift = match (found.skipped, found.skipped_of_known) {
        (0, 0) => String::new(),
        (0, theirs) => format!(", from its term {} on", theirs + 1),
        (ours, _) => format!(", from term {} here on", ours + 1),
    };
    let terms = found.agree;
    format!(
        "{}: the first {terms} terms agree{shift}",
        found.known.title
    )
}
