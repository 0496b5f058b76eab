//! `conjecture`: conditions on the P-positions that hold in a box and are not proved.

use super::asked::{Asked, Under};
use super::load::{self, Answered};
use super::text::{self, BAD, FAINT};
use super::{Format, Shared, Status, json, latex, progress};
use clap::Args;
use nimrule_answer::{Conjectures, conjectures, words};
use nimrule_model::game::{Convention, Game, PositionKind};
use nimrule_model::latex::escaped;
use serde_json::{Value, json};
use std::io::Write;

#[derive(Debug, Args)]
pub struct Arguments {
    #[command(flatten)]
    asked: Asked,
    /// The largest heap with which conjectures are compared; with any number of
    /// heaps, the largest total
    #[arg(long, value_name = "N", value_parser = super::size)]
    max: Option<u64>,
    #[command(flatten)]
    under: Under,
}

pub fn run(arguments: &Arguments, shared: &Shared) -> Answered<Status> {
    let rule = arguments.asked.open(shared)?;
    let game = rule.game();
    let convention = arguments.under.convention;
    let session = rule.session();
    let found = conjectures(game, convention, arguments.max, session.limits())
        .map_err(|failure| load::failed(&failure, session.solver(), arguments.max))?;
    let mut out = progress::stdout();
    let written = match shared.format {
        Format::Json => writeln!(out, "{}", as_json(game, convention, &found)),
        Format::Latex => write!(out, "{}", as_latex(game, &found)),
        Format::Text | Format::Csv => write!(out, "{}", as_text(game, &found)),
    };
    load::finish(written)
}

fn as_latex(game: &Game, found: &Conjectures) -> String {
    let held = found.found.iter().map(|one| {
        let claim = latex::claim(&one.claim);
        format!("{claim} (conjecture: holds to {})", one.holds_to)
    });
    let refuted = found.refuted.iter().map(|one| {
        let at = text::position(game, &one.counterexample.position);
        format!("{} (refuted at {})", latex::claim(&one.claim), escaped(&at))
    });
    let items = latex::items(&held.chain(refuted).collect::<Vec<_>>());
    let notation = latex::notation_of(&items);
    format!("{}{items}{notation}", latex::comment(game, "conjectures"))
}

fn as_json(game: &Game, convention: Convention, found: &Conjectures) -> Value {
    let mut head = json::head(game);
    head.insert("convention".into(), json!(convention.word()));
    head.insert("sought_to".into(), json!(found.sought_to));
    head.insert("compared_to".into(), json!(found.compared_to));
    let conjectures = found.found.iter();
    let conjectures = conjectures.map(|one| json!({"claim": one.claim, "holds_to": one.holds_to}));
    head.insert("conjectures".into(), conjectures.collect());
    let refuted = found.refuted.iter().map(|one| {
        let at = &one.counterexample.position;
        json!({"claim": one.claim, "counterexample": json::small_position(game, at)})
    });
    head.insert("refuted".into(), refuted.collect());
    head.into()
}

fn as_text(game: &Game, found: &Conjectures) -> String {
    let bound = |to: u64| match game.position_kind {
        PositionKind::Multiset(_) => {
            format!("positions of up to {}", words::counted(to.into(), "token"))
        }
        _ => format!("heaps up to {to}"),
    };
    let compared = match found.compared_to > found.sought_to {
        true => format!("compared with {}", bound(found.compared_to)),
        false => "compared with no larger box".to_owned(),
    };
    let boxes = format!("sought in {}, {compared}", bound(found.sought_to));
    let mut text = format!(
        "{}\n\n  {}\n\n",
        game.heading(),
        text::wrapped(&boxes, 76, 2)
    );
    for one in &found.found {
        text += &format!(
            "claim {}\n    {FAINT}// conjecture: holds to {}{FAINT:#}\n",
            text::wrapped(&one.claim, 74, 4),
            one.holds_to
        );
    }
    if found.found.is_empty() {
        text += match found.p_positions {
            0 => "  there is no P-position in the box\n",
            _ => "  no condition was found\n",
        };
    }
    for one in &found.refuted {
        text += &format!(
            "\n  {BAD}refuted{BAD:#} at {} by the larger box:\n    {}\n",
            text::position(game, &one.counterexample.position),
            text::wrapped(&one.claim, 76, 4)
        );
    }
    if !found.found.is_empty() {
        text += "\n  These hold in a box and are not proved: `nimrule prove` decides claims for\n  \
                 all sizes where it can.\n";
    }
    text
}
