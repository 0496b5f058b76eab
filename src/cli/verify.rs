//! `verify`: checking a certificate, or an automaton of Walnut, against a rule and its claim.

use super::load::{self, Answered};
use super::text::{self, FAINT, STRONG};
use super::{Format, Shared, Status, files, json, progress, rocq};
use clap::Args;
use nimrule_answer::proof::{
    Certificate, CheckedCertificate, CountingCertificate, CountingVerified, Numeration, Proves,
    Rejected, VerifyError, check_certificate, check_walnut, is_walnut, of_checker, verify_counting,
};
use nimrule_engine::{SolveError, Solver};
use nimrule_limits::Limits;
use nimrule_model::game::{Convention, Game};
use serde_json::{Value, json};
use std::io::Write;
use std::path::Path;

#[derive(Debug, Args)]
pub struct Arguments {
    /// A certificate written by `prove --certificate`, an automaton as a text of Walnut, or a
    /// theorem by `prove --rocq`
    certificate: String,
    /// The rule file, or - for standard input
    file: String,
    /// Compare a theorem with the claims of the rule, and run Rocq (`coqc`) on it
    #[arg(long, conflicts_with = "misere")]
    rocq: bool,
    /// An automaton of Walnut is that of misere play: the player who cannot move wins
    #[arg(long)]
    misere: bool,
}

pub fn run(arguments: &Arguments, shared: &Shared) -> Answered<Status> {
    let path = &arguments.certificate;
    let bytes = files::read(Path::new(path), files::MAX_FILE_BYTES).map_err(|error| match error
        .kind()
    {
        std::io::ErrorKind::NotFound => load::wrong(&format!("there is no certificate `{path}`")),
        _ => load::wrong(&format!("`{path}` cannot be read: {error}")),
    })?;
    let loaded = load::read(&arguments.file)?;
    let compiled = loaded.compiled(&load::settings(shared)?)?;
    let game = &compiled.game;
    if arguments.rocq {
        return rocq::verify(path, &String::from_utf8_lossy(&bytes), game, shared);
    }
    let limits = shared.limits();
    // What is no text is no JSON either, and is refused as such.
    let text = String::from_utf8_lossy(&bytes);
    if arguments.misere && !is_walnut(&text) {
        return Err(load::wrong(
            "`--misere` is for automata of Walnut: a certificate names its convention",
        ));
    }
    let found = against(game, &text, arguments.misere, &limits);
    let found = match found {
        Err(Rejected::LimitExceeded(met)) => {
            let solver = Solver::new(game);
            return Err(load::failed(&SolveError::from(met), &solver, None));
        }
        other => other,
    };
    let status = match &found {
        Ok(_) => Status::Fine,
        Err(refused) => {
            let mut why = format!("`{path}` is rejected: {refused}");
            if let Rejected::Checker(VerifyError::Parameters { settings, .. }) = refused
                && !settings.is_empty()
            {
                why.push_str(&format!("; use `--set {}`", settings.join(" --set ")));
            }
            load::error(&why);
            Status::Fails
        }
    };
    let mut out = progress::stdout();
    let written = match (shared.format, &found) {
        (Format::Json, _) => writeln!(out, "{}", as_json(game, &found)),
        (Format::Csv, _) => as_csv(&mut out, &found),
        (Format::Text | Format::Latex, Ok(verified)) => write!(out, "{}", as_text(game, verified)),
        (Format::Text | Format::Latex, Err(_)) => Ok(()),
    };
    load::finish(written)?;
    Ok(status)
}

/// A certificate with the result of its verification.
enum Verified {
    /// Of a set.
    Set {
        proves: Proves,
        convention: Convention,
        numeration: Numeration,
        held: CheckedCertificate,
    },
    /// Of a claim about any number of heaps.
    Counting(CountingCertificate, CountingVerified),
}

impl Verified {
    fn of_set(certificate: &Certificate, held: CheckedCertificate) -> Verified {
        Verified::Set {
            proves: certificate.proves,
            convention: certificate.convention,
            numeration: of_checker(certificate.numeration),
            held,
        }
    }
}

/// Checks a certificate, or an automaton of Walnut, against a game.
fn against(game: &Game, text: &str, misere: bool, limits: &Limits) -> Result<Verified, Rejected> {
    if is_walnut(text) {
        let convention = match misere {
            true => Convention::Misere,
            false => Convention::Normal,
        };
        let (read, held) = check_walnut(game, text, convention, limits)?;
        return Ok(Verified::of_set(&read, held));
    }
    if CountingCertificate::is_one(text) {
        let read = CountingCertificate::read(text).map_err(VerifyError::from)?;
        let found = verify_counting(game, &read, limits)?;
        return Ok(Verified::Counting(read, found));
    }
    let read = Certificate::read(text, limits);
    let read = read.map_err(VerifyError::from)?;
    let held = check_certificate(game, &read, limits)?;
    Ok(Verified::of_set(&read, held))
}

fn as_text(game: &Game, verified: &Verified) -> String {
    let mut shown = format!(
        "{STRONG}{}{STRONG:#}\n\n",
        text::wrapped(&game.heading(), 78, 0)
    );
    let mut line = |name: &str, words: &str| {
        shown.push_str(&format!(
            "  {FAINT}{name:<10}{FAINT:#}{}\n",
            text::wrapped(words, 66, 12)
        ));
    };
    let (proves, convention, numeration, held) = match verified {
        Verified::Set {
            proves,
            convention,
            numeration,
            held,
        } => (proves, convention, numeration, held),
        Verified::Counting(certificate, found) => {
            let play = certificate.convention.word();
            let words = format!(
                "the claim gives the P-positions for any number of heaps of all sizes, in {play} \
                 play: no move leads from the set into the set (independence), and a strategy \
                 finds a move into it from every position outside (absorption)"
            );
            line("verified", &words);
            line("claim", &certificate.claim);
            let pairs = text::counted(found.pairs as u128, "state");
            let states = text::counted(found.states as u128, "state");
            let words = format!(
                "independence by {pairs}, absorption by a strategy with {states}, over the digits \
                 in base {}",
                certificate.base
            );
            line("searched", &words);
            line(
                "rule",
                "translated by the checker itself, for any number of heaps",
            );
            return shown;
        }
    };
    let (or_terminal, leads, has_move) = match convention {
        Convention::Normal => ("", "", ""),
        Convention::Misere => (
            " or is terminal",
            "leads to a terminal position or ",
            "; every position of it has a move",
        ),
    };
    line(
        "verified",
        &match proves {
            Proves::PPositions => format!(
                "the set is the set of P-positions for all sizes, in {} play: no move leads \
                 from it into it (independence), and every position outside has a move into \
                 it{or_terminal} (absorption){has_move}",
                convention.word(),
            ),
            Proves::SomePPositions => format!(
                "every position of the set is a P-position for all sizes, in {} play: every \
                 move from it {leads}is answered by a move back into it{has_move}",
                convention.word(),
            ),
            Proves::GrundyValues => format!(
                "the set is the set of positions with their Grundy values for all sizes, in \
                 {} play. In the sum with a Nim heap of the size of the value, no move leads \
                 from it into it (independence), and every position outside has a move into \
                 it{or_terminal} (absorption){has_move}",
                convention.word(),
            ),
        },
    );
    line(
        "set",
        &format!(
            "recognised by a DFA with {} over the digits in {}, stored with {}",
            text::counted(held.states as u128, "state"),
            match numeration {
                Numeration::Base(base) => format!("base {base}"),
                Numeration::Ostrowski(1) => "Zeckendorf's numeration".to_owned(),
                Numeration::Ostrowski(a) =>
                    format!("the Ostrowski numeration of [{a}; {a}, {a}, …]"),
            },
            text::counted(held.nodes as u128, "node"),
        ),
    );
    line("rule", "translated by the checker itself, for all sizes");
    if let Some(agreement) = &held.claim {
        line("claim", &agreement.words);
        let agrees = match agreement.is_equality {
            true => "equal to the set",
            false => "true of the set",
        };
        match agreement.to {
            None => line(
                "",
                &format!("{agrees} for all sizes, by the checker's own translation"),
            ),
            Some(to) => {
                let words = format!("{agrees} at every position with heaps up to {to}");
                line("", &words);
                let words = match &agreement.compiled {
                    Ok(()) => format!(
                        "{agrees} for all sizes, if the translation of formulas to automata is \
                         trusted"
                    ),
                    Err(why) => format!("not compared for all sizes: {why}"),
                };
                line("", &words);
            }
        }
    }
    shown
}

fn as_json(game: &Game, found: &Result<Verified, Rejected>) -> Value {
    let mut head = json::head(game);
    match found {
        Err(refused) => {
            head.insert("standing".into(), json!("refused"));
            head.insert("reason".into(), json!(refused.to_string()));
        }
        Ok(Verified::Counting(certificate, found)) => {
            head.insert("convention".into(), json!(certificate.convention.word()));
            head.insert("proves".into(), json!(CountingCertificate::PROVES));
            head.insert("standing".into(), json!("verified"));
            head.insert("states".into(), json!(found.states));
            head.insert("claim".into(), json!(certificate.claim));
            head.insert("agrees_to".into(), json!(null));
            head.insert("proved".into(), json!(true));
        }
        Ok(Verified::Set {
            proves,
            convention,
            held,
            ..
        }) => {
            head.insert("convention".into(), json!(convention.word()));
            head.insert("proves".into(), json!(proves.words()));
            head.insert("standing".into(), json!("verified"));
            head.insert("states".into(), json!(held.states));
            head.insert("nodes".into(), json!(held.nodes));
            let claim = held.claim.as_ref();
            head.insert("claim".into(), json!(claim.map(|claim| &claim.words)));
            head.insert("agrees_to".into(), json!(claim.and_then(|claim| claim.to)));
            let proved = claim.map(|claim| claim.to.is_none());
            head.insert("proved".into(), json!(proved));
            let compiled = claim.map(|claim| claim.compiled.is_ok());
            head.insert("compiled".into(), json!(compiled));
        }
    }
    head.into()
}

fn as_csv(out: &mut dyn Write, found: &Result<Verified, Rejected>) -> std::io::Result<()> {
    let mut rows = csv::Writer::from_writer(out);
    let mut write = || -> Result<(), csv::Error> {
        rows.write_record(["standing", "states", "claim", "agrees_to", "reason"])?;
        match found {
            Err(refused) => {
                rows.write_record(["refused", "", "", "", &refused.to_string()])?;
            }
            Ok(Verified::Counting(certificate, found)) => {
                let states = found.states.to_string();
                rows.write_record(["verified", &states, &certificate.claim, "all", ""])?;
            }
            Ok(Verified::Set { held, .. }) => {
                let (words, to) = match &held.claim {
                    None => ("", String::new()),
                    Some(claim) => {
                        let to = claim.to.map_or("all".to_owned(), |to| to.to_string());
                        (claim.words.as_str(), to)
                    }
                };
                rows.write_record(["verified", &held.states.to_string(), words, &to, ""])?;
            }
        }
        Ok(rows.flush()?)
    };
    write().map_err(load::writing)
}
