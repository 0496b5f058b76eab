//! `structures`: the kernels of the move digraph, that is, the labellings of the
//! positions by P and N that are consistent with the moves.

use super::asked::Asked;
use super::load::{self, Answered};
use super::text::{self, FAINT, STRONG};
use super::{Format, Shared, Status, json, latex, progress};
use clap::Args;
use nimrule_engine::move_digraph::MoveDigraph;
use nimrule_engine::{Limits, SolveError, Solver};
use nimrule_model::game::Game;
use nimrule_relation::kernels::{
    Cogame, ComparisonBound, Core, Count, Kernel, Kernels, MOST_CONFLICTS, Minimality,
    isomorphism_classes,
};
use serde_json::{Value, json};
use std::io::Write;

#[derive(Debug, Args)]
pub struct Arguments {
    #[command(flatten)]
    asked: Asked,
    /// For heaps: the largest heap size
    #[arg(long, value_name = "N", value_parser = super::size, allow_negative_numbers = true)]
    max: Option<u64>,
    /// The number of labellings to show
    #[arg(long, value_name = "N", default_value_t = 5)]
    show: usize,
}

/// The largest number of labellings that are compared up to symmetry.
const MOST_COMPARED: usize = 64;

/// The number of P-positions of a labelling shown in text.
const POSITIONS_SHOWN: usize = 24;

/// The result.
struct Found {
    frame: MoveDigraph,
    won: usize,
    lost: usize,
    undecided: usize,
    count: Count,
    /// The first labellings, and whether they are all.
    some: Vec<Kernel>,
    all_are_here: bool,
    /// The indices of the labellings to show, with the number of each kind; `None`
    /// if they were not compared.
    shown: Vec<(usize, Option<usize>)>,
    /// The number of kinds at most, with the bound that ended their comparison, if one did.
    kinds_at_most: Option<(usize, ComparisonBound)>,
    cause: Option<Core>,
    cogame: Option<Cogame>,
}

pub fn run(arguments: &Arguments, shared: &Shared) -> Answered<Status> {
    let rule = arguments.asked.open(shared)?;
    let game = rule.game();
    if game.blocked_options > 0 {
        return Err(load::wrong(
            "the opponent may block options, so that no labelling of the digraph gives the outcomes",
        ));
    }
    let session = rule.session();
    let (solver, limits) = (session.solver(), session.limits());
    let most = match arguments.max.or(game.presentation.suggest_max) {
        Some(most) => most,
        None => session.fitting_size(20_000, 5_000_000),
    };
    let found = find(solver, most, arguments.show, limits).map_err(|failure| match failure {
        SolveError::Cannot { reason, .. } => {
            load::wrong(&format!("this game has no single move digraph: {reason}"))
        }
        failure => load::failed(&failure, solver, None),
    })?;
    let mut out = progress::stdout();
    let written = match shared.format {
        Format::Json => writeln!(out, "{}", as_json(game, &found)),
        Format::Csv => as_csv(&mut out, game, &found),
        Format::Latex => write!(out, "{}", as_latex(game, &found)),
        Format::Text => write!(out, "{}", as_text(game, &found)),
    };
    load::finish(written)?;
    Ok(match found.count {
        Count::GaveUp(_) => Status::Limit,
        _ => Status::Fine,
    })
}

fn find(solver: &Solver<'_>, most: u64, show: usize, limits: &Limits) -> Result<Found, SolveError> {
    let frame = MoveDigraph::new(solver, most, limits)?;
    let mut pause = || limits.check_time().map_err(SolveError::from);
    let kernels = Kernels::new(frame.relation(), &mut pause)?;
    let forced = kernels.forced();
    let count = kernels.count(&mut pause)?;
    let none = matches!(&count, Count::Exactly(count) if count.is_zero());
    let wanted = if none {
        0
    } else {
        show.max(MOST_COMPARED.min(show.saturating_mul(MOST_COMPARED)))
    };
    let (some, _) = kernels.find(wanted, &mut pause)?;
    let all_are_here =
        matches!(&count, Count::Exactly(count) if count.small() == Some(some.len() as u64));
    let kinds = match all_are_here {
        true => Some(isomorphism_classes(frame.relation(), &some, &mut pause)?),
        false => None,
    };
    let shown = match &kinds {
        Some(kinds) => {
            let shown = kinds.classes.iter().take(show);
            // Of a comparison that ended early, the number of a kind is not known.
            let count = |count| kinds.ended.is_none().then_some(count);
            shown
                .map(|(place, alike)| (*place, count(*alike)))
                .collect()
        }
        None => (0..some.len().min(show))
            .map(|place| (place, None))
            .collect(),
    };
    let kinds_at_most = kinds.and_then(|kinds| Some((kinds.classes.len(), kinds.ended?)));
    let cause = match none {
        true => kernels.core(&mut pause)?,
        false => None,
    };
    let cogame = match none {
        true => Some(Cogame::NoKernel),
        false => kernels.cogame(&mut pause)?,
    };
    Ok(Found {
        won: forced.won,
        lost: forced.lost,
        undecided: forced.drawn,
        frame,
        count,
        some,
        all_are_here,
        shown,
        kinds_at_most,
        cause,
        cogame,
    })
}

impl Found {
    fn p_states<'f>(&self, lost: &'f Kernel) -> impl Iterator<Item = usize> + use<'f> {
        (0..lost.len()).filter(|state| lost[*state])
    }

    /// The number of labellings in words.
    fn counted(&self) -> String {
        match &self.count {
            Count::Exactly(count) => match count.small() {
                Some(0) => "none is consistent with the moves".to_owned(),
                Some(1) => "exactly one".to_owned(),
                Some(count) => text::grouped(count.into()),
                None => count.to_string(),
            },
            Count::GaveUp(bound) if self.some.is_empty() => {
                format!("not counted, and none was found: the search ended at {bound}")
            }
            Count::GaveUp(bound) => format!(
                "at least {}; not all were counted: the search ended at {bound}",
                self.some.len()
            ),
        }
    }

    /// That the comparison up to isomorphism ended early, if it did.
    fn kinds_at_most(&self) -> Option<String> {
        let (most, ended) = self.kinds_at_most?;
        let kinds = if most == 1 { "kind" } else { "kinds" };
        Some(format!(
            "at most {} {kinds}; whether some of these are the same is not known: {ended}",
            number(most)
        ))
    }

    fn shown(&self, game: &Game, states: impl Iterator<Item = usize>) -> Vec<String> {
        states
            .map(|s| bare(&game.shown(&self.frame.position(s))))
            .collect()
    }
}

/// A position, without brackets around a single token.
fn bare(shown: &str) -> String {
    let inner = shown.strip_prefix('(').and_then(|s| s.strip_suffix(')'));
    match inner {
        Some(inner) if inner.starts_with('(') && inner.matches('(').count() == 1 => {
            inner.to_owned()
        }
        Some(inner) if !inner.contains([',', '(']) => inner.to_owned(),
        _ => shown.to_owned(),
    }
}

fn number(count: usize) -> String {
    text::grouped(count as u128)
}

fn numbered(count: usize, word: &str) -> String {
    text::counted(count as u128, word)
}

fn as_text(game: &Game, found: &Found) -> String {
    let mut shown = format!(
        "{STRONG}{}{STRONG:#}\n\n",
        text::wrapped(&game.heading(), 78, 0)
    );
    let mut line = |name: &str, words: &str| {
        shown.push_str(&format!(
            "  {FAINT}{name:<12}{FAINT:#}{}\n",
            text::wrapped(words, 64, 14)
        ));
    };
    let relation = found.frame.relation();
    line(
        "relation",
        &format!(
            "{}: {}, {}",
            found.frame.words,
            numbered(relation.states(), "position"),
            numbered(relation.arcs(), "move")
        ),
    );
    line(
        "forced",
        &format!(
            "{} N and {} P in every labelling, {} undecided",
            number(found.won),
            number(found.lost),
            number(found.undecided)
        ),
    );
    line("labellings", &found.counted());
    if let Some(words) = found.kinds_at_most() {
        line("kinds", &words);
    }
    match &found.cogame {
        Some(Cogame::Yes) if found.frame.are_all => {
            line(
                "cogame",
                "yes: every N-position is an option of a P-position",
            );
        }
        Some(Cogame::Yes) => line("cogame", "yes, among these positions"),
        Some(Cogame::No { state, .. }) if found.frame.are_all => line(
            "cogame",
            &format!(
                "no: {} is N and not an option of a P-position",
                bare(&game.shown(&found.frame.position(*state)))
            ),
        ),
        // Larger positions may be predecessors of these.
        Some(Cogame::No { .. }) => line(
            "cogame",
            "not decided by these positions, which larger ones lead to; `claim cogame` checks \
             larger ones",
        ),
        Some(Cogame::NoKernel) => {}
        None => line(
            "cogame",
            &format!(
                "the labellings could not be enumerated: the search ended at {MOST_CONFLICTS} \
                 conflicts"
            ),
        ),
    }
    if let Some(cause) = &found.cause {
        shown.push('\n');
        shown.push_str(&cause_text(game, found, cause));
    }
    for (place, count) in &found.shown {
        let lost = &found.some[*place];
        let p: Vec<usize> = found.p_states(lost).collect();
        let mut words = found
            .shown(game, p.iter().copied().take(POSITIONS_SHOWN))
            .join(" ");
        if p.len() > POSITIONS_SHOWN {
            words.push_str(&format!(" … ({} in all)", number(p.len())));
        }
        if p.is_empty() {
            words = "none".to_owned();
        }
        let kind = match count {
            Some(1) | None => String::new(),
            Some(many) => format!("  {FAINT}({many} of this kind){FAINT:#}"),
        };
        shown.push_str(&format!(
            "\n  labelling {}{kind}\n    P: {}\n",
            place + 1,
            text::wrapped(&words, 70, 7)
        ));
    }
    if !found.all_are_here && !found.some.is_empty() && !found.shown.is_empty() {
        shown.push_str(&format!("\n  {FAINT}there are more{FAINT:#}\n"));
    }
    shown
}

/// The digraph, the number of its kernels, and the P-positions of those that are shown.
fn as_latex(game: &Game, found: &Found) -> String {
    let relation = found.frame.relation();
    let mut shown = latex::comment(game, "kernels of the move digraph");
    let words = format!(
        "The move digraph ({}) has {} and {}; {} N and {} P in every labelling, {} undecided. \
         Consistent labellings: {}.",
        found.frame.words,
        numbered(relation.states(), "position"),
        numbered(relation.arcs(), "move"),
        number(found.won),
        number(found.lost),
        number(found.undecided),
        found.counted()
    );
    shown.push_str(&latex::paragraph(&words));
    if let Some(words) = found.kinds_at_most() {
        shown.push_str(&latex::paragraph(&format!("Up to isomorphism: {words}.")));
    }
    if let Some(cause) = &found.cause {
        let cause = cause_text(game, found, cause);
        let cause = cause.split_whitespace().collect::<Vec<_>>().join(" ");
        shown.push_str(&latex::paragraph(&format!("There is none: {cause}.")));
    }
    let rows: Vec<Vec<String>> = (found.shown.iter())
        .map(|(place, alike)| {
            let p: Vec<usize> = found.p_states(&found.some[*place]).collect();
            let mut words = found
                .shown(game, p.iter().copied().take(POSITIONS_SHOWN))
                .join(" ");
            if p.len() > POSITIONS_SHOWN {
                words.push_str(&format!(" … ({} in all)", number(p.len())));
            }
            let alike = alike.map_or_else(String::new, number);
            vec![(place + 1).to_string(), alike, words]
        })
        .collect();
    if !rows.is_empty() {
        let columns = ["labelling", "of this kind", "P-positions"];
        shown.push_str(&format!(
            "\n{}",
            latex::table("rrp{0.6\\linewidth}", &columns, &rows)
        ));
        if !found.all_are_here {
            shown.push_str("\n\\noindent There are more labellings.\n");
        }
    }
    shown
}

fn cause_text(game: &Game, found: &Found, cause: &Core) -> String {
    let states = found.shown(game, cause.states.iter().copied().take(POSITIONS_SHOWN));
    let mut states = states.join(", ");
    if cause.states.len() > POSITIONS_SHOWN {
        states.push_str(&format!(", … ({} in all)", number(cause.states.len())));
    }
    let least = match cause.minimality {
        Minimality::Smallest => "no smaller set does",
        Minimality::Minimal => "no proper subset does; another set may be smaller",
        Minimality::Unknown => "not minimised",
    };
    let mut way = found.shown(game, cause.cycle.iter().copied());
    way.extend(way.first().cloned());
    let words = format!(
        "the conditions at {states} contradict each other ({least}), on the cycle {} of {} {}",
        way.join(" -> "),
        cause.cycle.len(),
        if cause.cycle.len() == 1 {
            "move"
        } else {
            "moves"
        },
    );
    format!("  {}\n", text::wrapped(&words, 74, 2))
}

fn as_json(game: &Game, found: &Found) -> Value {
    let position = |state: usize| json::small_position(game, &found.frame.position(state));
    let states =
        |states: &mut dyn Iterator<Item = usize>| -> Value { states.map(position).collect() };
    let mut head = json::head(game);
    let relation = found.frame.relation();
    head.insert("positions".into(), json!(relation.states()));
    head.insert("moves".into(), json!(relation.arcs()));
    if !found.frame.are_all {
        head.insert("to".into(), json!(found.frame.to));
    }
    head.insert(
        "forced".into(),
        json!({"N": found.won, "P": found.lost, "undecided": found.undecided}),
    );
    let (count, exact) = match &found.count {
        Count::Exactly(count) => (
            count
                .small()
                .map_or_else(|| json!(count.to_string()), |count| json!(count)),
            true,
        ),
        Count::GaveUp(_) => (json!(found.some.len()), false),
    };
    head.insert("labellings".into(), count);
    head.insert("exact".into(), json!(exact));
    if let Some((most, ended)) = &found.kinds_at_most {
        head.insert("kinds_at_most".into(), json!(most));
        head.insert("kinds_ended".into(), json!(ended.to_string()));
    }
    let examples: Vec<Value> = found
        .shown
        .iter()
        .map(|(place, alike)| {
            let lost = &found.some[*place];
            json!({"P": states(&mut found.p_states(lost)), "alike": alike})
        })
        .collect();
    head.insert("examples".into(), examples.into());
    if let Some(cause) = &found.cause {
        head.insert(
            "cause".into(),
            json!({
                "positions": states(&mut cause.states.iter().copied()),
                "least": match cause.minimality {
                    Minimality::Smallest => "smallest",
                    Minimality::Minimal => "minimal",
                    Minimality::Unknown => "unknown",
                },
                "cycle": states(&mut cause.cycle.iter().copied()),
            }),
        );
    }
    let cogame = match &found.cogame {
        Some(Cogame::Yes) => json!(true),
        Some(Cogame::No { .. }) if !found.frame.are_all => Value::Null,
        Some(Cogame::No { state, .. }) => {
            head.insert("no_cogame_at".into(), position(*state));
            json!(false)
        }
        Some(Cogame::NoKernel) | None => Value::Null,
    };
    head.insert("cogame".into(), cogame);
    head.into()
}

fn as_csv(out: &mut dyn Write, game: &Game, found: &Found) -> std::io::Result<()> {
    let mut rows = csv::Writer::from_writer(out);
    let mut write = || -> Result<(), csv::Error> {
        rows.write_record(["labelling", "position", "outcome"])?;
        for (place, _) in &found.shown {
            for (state, lost) in found.some[*place].iter().enumerate() {
                let position = bare(&game.shown(&found.frame.position(state)));
                let label = if *lost { "P" } else { "N" };
                rows.write_record([(place + 1).to_string(), position, label.to_owned()])?;
            }
        }
        Ok(rows.flush()?)
    };
    write().map_err(load::writing)
}
