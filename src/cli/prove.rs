//! `prove`: the claims of a file for all sizes.

use super::asked::Asked;
use super::certificate::{self, Subject};
use super::load::{self, Answered};
use super::numbers::{Numbers, NumbersArguments};
use super::text::{self, BAD, FAINT, GOOD, STRONG};
use super::{Format, Shared, Status, json, latex, progress, rocq, smt};
use clap::Args;
use nimrule::problem::Problems;
use nimrule_answer::proof::{NotWritten, Proof, Unsupported};
use nimrule_answer::{ClaimReport, Effort, Evidence, Session, Verdict, words};
use nimrule_engine::SolveError;
use nimrule_limits::Instant;
use nimrule_model::game::{Applies, Claim, Game, PositionKind};
use nimrule_model::source::Source;
use nimrule_syntax::ast;
use serde_json::{Value, json};
use std::io::Write;
use std::path::{Path, PathBuf};

#[derive(Debug, Args)]
pub struct Arguments {
    #[command(flatten)]
    asked: Asked,
    /// Only the claim with this number, in the order of the file
    #[arg(long, value_name = "N")]
    claim: Option<usize>,
    /// Write certificates of the proofs, for `verify`, to this folder
    #[arg(long, value_name = "FOLDER")]
    certificate: Option<PathBuf>,
    /// For hypergraph Nim: write the theorems of proved claims, for Rocq, to this folder
    #[arg(long, value_name = "FOLDER")]
    rocq: Option<PathBuf>,
    #[command(flatten)]
    numbers: NumbersArguments,
    /// For heaps of real size: write the conditions to prove to this folder, as
    /// SMT-LIB 2 files
    #[arg(long, value_name = "FOLDER")]
    smt_lib: Option<PathBuf>,
    /// For heaps of real size: run this solver, such as z3 or cvc5, on conditions
    /// that are not decided here
    #[arg(long, value_name = "PROGRAM")]
    smt_solver: Option<String>,
}

/// A claim with its verdict.
struct Judged {
    report: ClaimReport,
    /// The certificate, if it was requested.
    certificate: Option<Result<PathBuf, NotWritten>>,
    /// The theorem for Rocq, if it was requested.
    theorem: Option<Result<PathBuf, nimrule_rocq::Unsupported>>,
    /// The SMT-LIB sentences, if they were requested.
    sentences: Option<Result<Vec<PathBuf>, Unsupported>>,
    /// The answer of an external solver, if one was run.
    asked: Option<smt::Asked>,
    /// The numbers and the automaton of the set, if they were requested.
    numbers: Numbers,
}

impl Judged {
    fn status(&self) -> Status {
        match self.asked.as_ref().map(|asked| &asked.says) {
            Some(smt::Says::Holds) => return Status::Fine,
            Some(smt::Says::Fails(_)) => return Status::Fails,
            Some(smt::Says::Unknown(_)) | None => {}
        }
        match (self.report.passes(), &self.report.verdict) {
            (Some(true), _) => self.numbers.status(),
            (None, Verdict::Unsupported(_)) => Status::Fine,
            (Some(false), _) => Status::Fails,
            (None, _) => Status::Limit,
        }
    }
}

pub fn run(arguments: &Arguments, shared: &Shared) -> Answered<Status> {
    let rule = arguments.asked.open(shared)?;
    let game = rule.game();
    arguments.numbers.check(shared.format)?;
    let claims = chosen(game, arguments.claim)?;
    let mut session = rule.session();
    let wants_sentences = arguments.smt_lib.is_some() || arguments.smt_solver.is_some();
    if wants_sentences && game.position_kind != PositionKind::Reals {
        return Err(load::wrong(
            "`--smt-lib` and `--smt-solver` are for heaps of real size: `heaps x y of real size`",
        ));
    }
    let mut judged = Vec::new();
    let count = claims.len();
    for (before, (number, claim)) in claims.into_iter().enumerate() {
        // The claims share the remaining time equally.
        let left = u32::try_from(count - before).unwrap_or(u32::MAX);
        session.set_limits(shared.limits().time_share(left));
        let limits = session.search_limits();
        let begun = Instant::now();
        let report = match session.claim(number, &Effort::PROOF) {
            Err(SolveError::Stopped) => return Err(load::Unanswered(Status::Interrupted)),
            Err(failure) => {
                let took = begun.elapsed();
                let why = match &failure {
                    SolveError::Time => format!("no result within {}", text::in_seconds(took)),
                    failure => failure.to_string(),
                };
                session.undecided(number, why, took)
            }
            Ok(report) => report,
        };
        let certificate = match (&arguments.certificate, &report.verdict) {
            (Some(folder), Verdict::Proved(Evidence::Automaton(proof))) => {
                Some(certificate(folder, &session, number, claim, proof)?)
            }
            (Some(folder), Verdict::Proved(Evidence::AnyNumber(proof))) => {
                Some(match &proof.certificate {
                    Some(counting) => {
                        let subject = Subject::Claim(number);
                        Ok(certificate::save(folder, game, subject, &counting.text())?)
                    }
                    None => Err(NotWritten::unverified()),
                })
            }
            (Some(_), Verdict::Proved(Evidence::Reals(_))) => Some(Err(NotWritten::of_reals())),
            _ => None,
        };
        let theorem = match (&arguments.rocq, &report.verdict) {
            (Some(folder), Verdict::Proved(_)) => Some(rocq::save(folder, game, number, claim)?),
            _ => None,
        };
        let sentences = match &arguments.smt_lib {
            Some(folder) => Some(smt::save(folder, game, number, claim)?),
            None => None,
        };
        let asked = match &arguments.smt_solver {
            Some(solver) if report.passes().is_none() => {
                Some(smt::ask(solver, game, claim, &limits)?)
            }
            _ => None,
        };
        let numbers = match &report.verdict {
            Verdict::Proved(Evidence::Automaton(proof)) => match proof.of.proves() {
                Some(proves) => {
                    let of = Subject::Claim(number);
                    arguments
                        .numbers
                        .of(&session, of, proves, &proof.automaton)?
                }
                None => Numbers::default(),
            },
            Verdict::Proved(Evidence::AnyNumber(_)) => arguments.numbers.of_any_number(),
            _ => Numbers::default(),
        };
        judged.push(Judged {
            numbers,
            report,
            certificate,
            theorem,
            sentences,
            asked,
        });
    }
    let status = judged.iter().map(Judged::status).max();
    let mut out = progress::stdout();
    let written = match shared.format {
        Format::Json => {
            let mut head = json::head(game);
            let claims: Vec<Value> = judged.iter().map(|j| as_json(game, j)).collect();
            head.insert("claims".to_owned(), json!(claims));
            writeln!(out, "{}", Value::from(head))
        }
        Format::Csv => as_csv(&mut out, game, &judged),
        Format::Latex => write!(out, "{}", as_latex(game, &rule.compiled.file, &judged)),
        Format::Text => write!(out, "{}", as_text(game, &rule.loaded.source, &judged)),
    };
    load::finish(written)?;
    Ok(status.unwrap_or(Status::Fine))
}

/// Writes the certificate of a proof, if there is one.
fn certificate(
    folder: &Path,
    session: &Session<'_>,
    number: usize,
    claim: &Claim,
    proof: &Proof,
) -> Answered<Result<PathBuf, NotWritten>> {
    match session.certificate_of_claim(claim, proof) {
        Ok(text) => {
            certificate::save(folder, session.game(), Subject::Claim(number), &text).map(Ok)
        }
        Err(not) => Ok(Err(not)),
    }
}

/// The claims that apply to these parameters, with their numbers in the file.
fn chosen(game: &Game, number: Option<usize>) -> Answered<Vec<(usize, &Claim)>> {
    let all: Vec<(usize, &Claim)> = (1..).zip(&game.claims).collect();
    let Some(number) = number else {
        let here = all
            .into_iter()
            .filter(|(_, c)| c.applies != Applies::Elsewhere);
        return Ok(here.collect());
    };
    match all.iter().find(|(other, _)| *other == number) {
        None => Err(load::wrong(&format!(
            "there is no claim {number}: the file has {}",
            match all.len() {
                0 => "none".to_owned(),
                1 => "one".to_owned(),
                some => format!("claims 1 to {some}"),
            }
        ))),
        Some((_, claim)) if claim.applies == Applies::Elsewhere => Err(load::wrong(&format!(
            "claim {number} is about other parameters: `{}`",
            claim.words
        ))),
        Some(found) => Ok(vec![*found]),
    }
}

fn as_text(game: &Game, source: &Source, judged: &[Judged]) -> String {
    let mut shown = format!("{STRONG}{}{STRONG:#}\n", game.heading());
    for source in &game.presentation.sources {
        shown.push_str(&format!(
            "{FAINT}{}{FAINT:#}\n",
            text::wrapped(source, 78, 0)
        ));
    }
    if judged.is_empty() {
        shown.push_str(if game.claims.is_empty() {
            "\nThe file has no claims. `nimrule discover` searches for the P-positions.\n"
        } else {
            "\nNo claim of the file applies to these parameters; see `--set`.\n"
        });
    }
    for judged in judged {
        let claim = text::wrapped(&judged.report.claim, 73, 5);
        shown.push_str(&format!("\n{:>3}  {claim}\n", judged.report.number));
        shown.push_str(&verdict(game, source, judged));
        if let Some(asked) = &judged.asked {
            shown.push_str(&format!("     {}\n", text::wrapped(&asked.words(), 73, 5)));
        }
        if let Some(theorem) = &judged.theorem {
            shown.push_str(&rocq::written(theorem));
        }
        if let Some(sentences) = &judged.sentences {
            shown.push_str(&smt::written(sentences));
        }
    }
    let elsewhere = game.claims.len() - judged.len().min(game.claims.len());
    if elsewhere > 0 && judged.len() > 1 {
        let plural = if elsewhere == 1 {
            "claim is"
        } else {
            "claims are"
        };
        shown.push_str(&format!(
            "\n{FAINT}{elsewhere} more {plural} about other parameters{FAINT:#}\n"
        ));
    }
    shown
}

/// The claims with their verdicts as a list in LaTeX.
fn as_latex(game: &Game, file: &ast::File, judged: &[Judged]) -> String {
    if judged.is_empty() {
        return latex::comment(game, "no claims");
    }
    let reports = judged.iter().map(|judged| &judged.report);
    latex::comment(game, "claims and their proofs") + &latex::claims(game, file, reports)
}

/// The sign of a verdict; a claim that fails is refuted here.
fn sign(report: &ClaimReport) -> &'static str {
    match &report.verdict {
        Verdict::Refuted(_) | Verdict::RefutedOfReals(_) => "refuted",
        _ => report.sign(),
    }
}

fn verdict(game: &Game, source: &Source, judged: &Judged) -> String {
    let report = &judged.report;
    let took = text::in_seconds(report.took);
    match &report.verdict {
        Verdict::Proved(evidence) => {
            let (words, checked) = match evidence {
                Evidence::Automaton(proof) => {
                    let automaton = words::automaton(proof);
                    let words = format!("for all heap sizes, in {took}: {automaton}");
                    (words, proof.checked.as_slice())
                }
                Evidence::AnyNumber(proof) => {
                    let words = format!("for any number of heaps, in {took}: {}", proof.words());
                    (words, proof.checked.as_slice())
                }
                Evidence::Reals(proof) => {
                    let scales = words::scales(proof);
                    let words = format!("for all real heap sizes, in {took}{scales}");
                    (words, proof.checked.as_slice())
                }
                Evidence::Theorem { .. } | Evidence::Stored { .. } => {
                    (report.words(game), &[] as &[String])
                }
            };
            let words = text::wrapped(&words, 66, 5);
            let mut shown = format!("     {GOOD}proved{GOOD:#} {words}\n");
            shown.push_str(&because(judged, checked));
            shown
        }
        Verdict::Unsupported(unsupported) => {
            let mut shown = "     unsupported\n".to_owned();
            shown.push_str(&reported(unsupported, source));
            // No table checks real sizes to a bound.
            let way_on = match (&game.position_kind, &judged.asked) {
                (PositionKind::Reals, Some(_)) => return shown,
                (PositionKind::Reals, None) => "`--smt-solver z3` asks an external solver",
                _ => "`nimrule solve` and `nimrule test` check it up to a bound",
            };
            shown.push_str(&format!("     {FAINT}{way_on}{FAINT:#}\n"));
            shown
        }
        _ => {
            let style = match report.passes() {
                Some(false) => BAD,
                _ => FAINT,
            };
            let sign = sign(report);
            let words = text::wrapped(&report.words(game), 72 - sign.len(), 5);
            format!("     {style}{sign}{style:#} {words}\n")
        }
    }
}

/// The conditions checked, and the certificate, as text.
fn because(judged: &Judged, checked: &[String]) -> String {
    let mut shown = String::new();
    for checked in checked {
        let checked = text::wrapped(checked, 71, 7);
        shown.push_str(&format!("     {FAINT}- {checked}{FAINT:#}\n"));
    }
    if let Some(certificate) = &judged.certificate {
        let words = match certificate {
            Ok(path) => format!("certificate {}", path.display()),
            Err(not) => not.to_string(),
        };
        shown.push_str(&format!("     {}\n", text::wrapped(&words, 73, 5)));
    }
    shown + &judged.numbers.as_text(5)
}

/// The unsupported expression, shown in the source.
fn reported(unsupported: &Unsupported, source: &Source) -> String {
    let problems = Problems::new(source, [unsupported.clone().into()]);
    let mut shown = String::new();
    for report in &problems.reports {
        // Colours are left out on the way to what shows none.
        let report = load::rendered(report, true, 75).unwrap_or_default();
        for line in report.lines().filter(|line| !line.is_empty()) {
            shown.push_str(&format!("     {line}\n"));
        }
    }
    let code = unsupported.code_name();
    shown.push_str(&format!(
        "     {FAINT}for details: `nimrule explain {code}`{FAINT:#}\n"
    ));
    shown
}

fn as_json(game: &Game, judged: &Judged) -> Value {
    let mut fields = judged.report.as_json(game);
    if let Verdict::Proved(Evidence::Automaton(_) | Evidence::AnyNumber(_)) = judged.report.verdict
    {
        let written = judged.certificate.as_ref();
        let path = written.and_then(|path| path.as_ref().ok());
        fields.insert("certificate".to_owned(), json!(path));
    }
    judged.numbers.add_to(&mut fields);
    if let Some(Ok(path)) = &judged.theorem {
        fields.insert("rocq".to_owned(), json!(path));
    }
    if let Some(asked) = &judged.asked {
        fields.insert("by_solver".to_owned(), asked.as_json());
    }
    if let Some(Ok(paths)) = &judged.sentences {
        fields.insert("sentences".to_owned(), json!(paths));
    }
    fields.into()
}

fn as_csv(out: &mut dyn Write, game: &Game, judged: &[Judged]) -> std::io::Result<()> {
    let mut rows = csv::Writer::from_writer(out);
    let mut write = || -> Result<(), csv::Error> {
        rows.write_record(["claim", "standing", "states", "counterexample"])?;
        for judged in judged {
            let report = &judged.report;
            let states = match &report.verdict {
                Verdict::Proved(Evidence::Automaton(proof)) => proof.states.to_string(),
                _ => String::new(),
            };
            let at = match &report.verdict {
                Verdict::Refuted(found) | Verdict::Contradicted(found) => {
                    game.shown(&found.position)
                }
                Verdict::RefutedOfReals(found) => found.position.to_string(),
                _ => String::new(),
            };
            rows.write_record([&report.claim, report.standing(), &states, &at])?;
        }
        Ok(rows.flush()?)
    };
    write().map_err(load::writing)
}
