//! `prove`: the claims of a file for all sizes.

use super::certificate::{self, Subject};
use super::load::{self, Answered};
use super::proof_cache::{CacheArguments, ProofCache};
use super::text::{self, BAD, FAINT, GOOD, STRONG};
use super::{Format, Shared, Status, json, progress, real, smt};
use clap::Args;
use nimrule::problem::Problems;
use nimrule_claim::{ClaimStatus, Counterexample};
use nimrule_engine::{Limits, SolveError};
use nimrule_model::game::{Applies, Claim, Direction, Game, PositionKind, Statement};
use nimrule_model::latex::escaped;
use nimrule_model::source::Source;
use nimrule_prove::certificate::{NotWritten, write};
use nimrule_prove::proof_cache::{CachedProof, FormSearch, ProofOrigin};
use nimrule_prove::{self as prove, Proof, Set, Unsupported, Verdict};
use nimrule_syntax::{ast, claim_as_latex};
use serde_json::{Value, json};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

#[derive(Debug, Args)]
pub struct Arguments {
    /// The rule file, or - for standard input
    file: String,
    /// Only the claim with this number, in the order of the file
    #[arg(long, value_name = "N")]
    claim: Option<usize>,
    /// Write certificates of the proofs, for `verify`, to this folder
    #[arg(long, value_name = "FOLDER")]
    certificate: Option<PathBuf>,
    #[command(flatten)]
    cache: CacheArguments,
    /// For heaps of real size: write the conditions to prove to this folder, as
    /// SMT-LIB 2 files
    #[arg(long, value_name = "FOLDER")]
    smt_lib: Option<PathBuf>,
    /// For heaps of real size: run this solver, such as z3 or cvc5, on conditions
    /// that are not decided here
    #[arg(long, value_name = "PROGRAM")]
    smt_solver: Option<String>,
}

/// The time limit of a claim if the command has none.
pub(super) const PATIENCE: Duration = Duration::from_secs(300);

/// The limits of a claim, with its share of the time limit of the command.
pub(super) fn patient(limits: &Limits, given: Option<Duration>) -> (Limits, Duration) {
    (limits.or_time(PATIENCE), given.unwrap_or(PATIENCE))
}

/// A claim with its verdict.
struct Judged<'g> {
    number: usize,
    claim: &'g Claim,
    verdict: Result<Verdict, SolveError>,
    took: Duration,
    allowed: Duration,
    /// The certificate, if it was requested.
    certificate: Option<Result<PathBuf, NotWritten>>,
    /// The SMT-LIB sentences, if they were requested.
    sentences: Option<Result<Vec<PathBuf>, Unsupported>>,
    /// The answer of an external solver, if one was run.
    asked: Option<smt::Asked>,
}

impl Judged<'_> {
    /// Whether it fails at the position that the file states (`refuted at`).
    fn as_the_file_says(&self) -> bool {
        let refuted = matches!(
            &self.verdict,
            Ok(Verdict::Refuted(_) | Verdict::RefutedOfReals(_))
        );
        refuted && self.claim.refuted.is_some()
    }

    fn status(&self) -> Status {
        match self.asked.as_ref().map(|asked| &asked.says) {
            Some(smt::Says::Holds) => return Status::Fine,
            Some(smt::Says::Fails(_)) => return Status::Fails,
            Some(smt::Says::Unknown(_)) | None => {}
        }
        match &self.verdict {
            Ok(Verdict::Proved(_) | Verdict::ProvedOfReals(_) | Verdict::Unsupported(_)) => {
                Status::Fine
            }
            Ok(Verdict::Refuted(_) | Verdict::RefutedOfReals(_)) if self.as_the_file_says() => {
                Status::Fine
            }
            Ok(Verdict::Refuted(_) | Verdict::RefutedOfReals(_)) => Status::Fails,
            Ok(Verdict::Undecided(_) | Verdict::Contradicted(_)) | Err(_) => Status::Limit,
        }
    }

    /// Why the claim was not decided; `None` if it was.
    fn undecided(&self) -> Option<String> {
        match &self.verdict {
            Ok(Verdict::Undecided(why)) => Some(why.clone()),
            Err(SolveError::Time) => Some(format!(
                "no result within {}",
                text::in_seconds(self.allowed)
            )),
            Err(failure) => Some(failure.to_string()),
            Ok(_) => None,
        }
    }
}

pub fn run(arguments: &Arguments, shared: &Shared) -> Answered<Status> {
    let loaded = load::read(&arguments.file)?;
    let compiled = loaded.compiled(&load::settings(shared)?)?;
    let game = &compiled.game;
    let claims = chosen(game, arguments.claim)?;
    let proofs = arguments.cache.open(&loaded, &compiled);
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
        let limits = shared.limits().time_share(left);
        let (limits, mut allowed) = patient(&limits, shared.time_limit);
        if let (Some(end), true) = (limits.deadline, count > 1 && shared.time_limit.is_some()) {
            allowed = end.saturating_duration_since(Instant::now());
        }
        let begun = Instant::now();
        let verdict = match proved(game, claim, &proofs, &limits) {
            Err(SolveError::Stopped) => return Err(load::Unanswered(Status::Interrupted)),
            verdict => verdict,
        };
        let took = begun.elapsed();
        if let (Ok(Verdict::Proved(proof)), Some(Statement::Outcome { .. })) =
            (&verdict, &claim.statement)
            && proof.of == Set::PPositions
        {
            let cached = CachedProof {
                by: ProofOrigin::Claim(claim.words.clone()),
                form: FormSearch::NotSought,
                set: proof.automaton.as_ref().clone(),
            };
            proofs.store(claim.convention, &cached, &limits);
        }
        let certificate = match (&arguments.certificate, &verdict) {
            (Some(folder), Ok(Verdict::Proved(proof))) => {
                Some(certificate(folder, game, number, claim, proof, &limits)?)
            }
            (Some(_), Ok(Verdict::ProvedOfReals(_))) => Some(Err(NotWritten::of_reals())),
            _ => None,
        };
        let sentences = match &arguments.smt_lib {
            Some(folder) => Some(smt::save(folder, game, number, claim)?),
            None => None,
        };
        let open = matches!(
            verdict,
            Ok(Verdict::Unsupported(_) | Verdict::Undecided(_)) | Err(_)
        );
        let asked = match &arguments.smt_solver {
            Some(solver) if open => {
                let (limits, _) = patient(&shared.limits(), shared.time_limit);
                Some(smt::ask(solver, game, claim, &limits)?)
            }
            _ => None,
        };
        judged.push(Judged {
            number,
            claim,
            verdict,
            took,
            allowed,
            certificate,
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
        Format::Text if shared.in_latex() => {
            write!(out, "{}", as_latex(game, &compiled.file, &judged))
        }
        Format::Text => write!(out, "{}", as_text(game, &loaded.source, &judged)),
    };
    super::solve::finish(written)?;
    Ok(status.unwrap_or(Status::Fine))
}

/// Decides a claim. For a claim that needs the set of all P-positions, and does not give
/// it, that of the proof cache is used.
fn proved(
    game: &Game,
    claim: &Claim,
    proofs: &ProofCache<'_>,
    limits: &Limits,
) -> Result<Verdict, SolveError> {
    let needs_all = match &claim.statement {
        Some(Statement::Outcome { direction, .. }) => *direction != Direction::Iff,
        Some(Statement::Cogame) => true,
        _ => false,
    };
    if needs_all && let Some(cached) = proofs.find(claim.convention, limits) {
        return prove::prove_knowing(game, claim, &cached.cached.set, limits);
    }
    prove::prove(game, claim, limits)
}

/// Writes the certificate of a proof, if there is one.
fn certificate(
    folder: &Path,
    game: &Game,
    number: usize,
    claim: &Claim,
    proof: &Proof,
    limits: &Limits,
) -> Answered<Result<PathBuf, NotWritten>> {
    let (words, convention) = (Some(claim.words.as_str()), claim.convention);
    let written = match (&proof.certificate, proof.of.proves()) {
        (Some(certificate), _) => Ok(certificate.text()),
        (None, Some(proves)) => write(game, proves, words, convention, &proof.automaton, limits),
        (None, None) => Err(NotWritten::of_part()),
    };
    match written {
        Ok(text) => certificate::save(folder, game, Subject::Claim(number), &text).map(Ok),
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

fn as_text(game: &Game, source: &Source, judged: &[Judged<'_>]) -> String {
    let mut shown = format!("{STRONG}{}{STRONG:#}\n", text::heading(game));
    for source in &game.sources {
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
        let claim = text::wrapped(&judged.claim.words, 73, 5);
        shown.push_str(&format!("\n{:>3}  {claim}\n", judged.number));
        shown.push_str(&verdict(game, source, judged));
        if let Some(asked) = &judged.asked {
            shown.push_str(&format!("     {}\n", text::wrapped(&asked.words(), 73, 5)));
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

/// The claims with their verdicts as a list in LaTeX, for `amsmath` and `amssymb`.
fn as_latex(game: &Game, file: &ast::File, judged: &[Judged<'_>]) -> String {
    let mut claims = file.statements.iter().filter_map(|s| match &s.node {
        ast::Statement::Claim(claim) => Some(claim),
        _ => None,
    });
    let written: Vec<String> = claims.by_ref().map(claim_as_latex).collect();
    let title = escaped(&text::heading(game));
    if judged.is_empty() {
        return format!("% {title}: no claims\n");
    }
    let head = format!("% {title}: claims and their proofs by nimrule\n");
    let mut shown = head + "\\begin{enumerate}\n";
    for judged in judged {
        let verdict = match &judged.verdict {
            Ok(Verdict::Proved(proof)) => {
                format!("proved for all heap sizes: {}", automaton(proof))
            }
            Ok(Verdict::ProvedOfReals(_)) => "proved for all real heap sizes".to_owned(),
            Ok(Verdict::Refuted(found)) => format!("refuted {}", at(game, found)),
            Ok(Verdict::RefutedOfReals(found)) => format!("refuted {}", real::refuted(found)),
            Ok(Verdict::Unsupported(unsupported)) => format!("unsupported: {}", unsupported.what),
            Ok(Verdict::Contradicted(_) | Verdict::Undecided(_)) | Err(_) => {
                format!("not decided: {}", judged.undecided().unwrap_or_default())
            }
        };
        // The number of the claim in the file.
        let claim = written.get(judged.number - 1).cloned().unwrap_or_default();
        shown.push_str(&format!(
            "\\item[{}.] $\\displaystyle {claim}$\\\\\n  {}\n",
            judged.number,
            escaped(&verdict)
        ));
    }
    shown + "\\end{enumerate}\n"
}

fn verdict(game: &Game, source: &Source, judged: &Judged<'_>) -> String {
    let took = text::in_seconds(judged.took);
    match &judged.verdict {
        Ok(Verdict::Proved(proof)) => {
            let words = format!("for all heap sizes, in {took}: {}", automaton(proof));
            let words = text::wrapped(&words, 66, 5);
            let mut shown = format!("     {GOOD}proved{GOOD:#} {words}\n");
            shown.push_str(&because(judged, &proof.checked));
            shown
        }
        Ok(Verdict::ProvedOfReals(proof)) => {
            let words = format!("for all real heap sizes, in {took}{}", real::scales(proof));
            let words = text::wrapped(&words, 66, 5);
            let mut shown = format!("     {GOOD}proved{GOOD:#} {words}\n");
            shown.push_str(&because(judged, &proof.checked));
            shown
        }
        Ok(Verdict::Refuted(found)) => refuted(judged, at(game, found)),
        Ok(Verdict::Contradicted(found)) => {
            let words = format!(
                "internal error: the prover finds it true, and the engines find it false {}. \
                 Nothing is proved; please report the file",
                at(game, found)
            );
            format!("     {BAD}{}{BAD:#}\n", text::wrapped(&words, 73, 5))
        }
        Ok(Verdict::RefutedOfReals(found)) => refuted(judged, real::refuted(found)),
        Ok(Verdict::Unsupported(unsupported)) => {
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
        Ok(Verdict::Undecided(_)) | Err(_) => {
            let why = judged.undecided().unwrap_or_default();
            format!("     not decided: {}\n", text::wrapped(&why, 60, 5))
        }
    }
}

/// The conditions checked, and the certificate, as text.
fn because(judged: &Judged<'_>, checked: &[String]) -> String {
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
    shown
}

fn refuted(judged: &Judged<'_>, mut words: String) -> String {
    let style = if judged.as_the_file_says() {
        words.push_str(", as the file says");
        FAINT
    } else {
        BAD
    };
    format!(
        "     {style}refuted{style:#} {}\n",
        text::wrapped(&words, 65, 5)
    )
}

/// The automaton of a proof, as text.
pub(super) fn automaton(proof: &Proof) -> String {
    let states = if proof.states == 1 {
        "1 state".to_owned()
    } else {
        format!("{} states", text::grouped(proof.states as u128))
    };
    let of = match proof.of {
        Set::PPositions => "P-positions",
        Set::Values(_) => "Grundy values",
        Set::SomePPositions => "the claimed P-positions",
        Set::BeyondPPositions => "a superset of the P-positions",
        Set::SubGame => "the positions of the smaller game",
    };
    format!("{of} recognised by a DFA with {states}")
}

fn at(game: &Game, found: &Counterexample) -> String {
    format!(
        "at {}: {}",
        text::position(game, &found.position),
        found.words()
    )
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

fn as_json(game: &Game, judged: &Judged<'_>) -> Value {
    let words = &judged.claim.words;
    let mut fields = match &judged.verdict {
        Ok(Verdict::Proved(proof)) => json!({
            "claim": words,
            "standing": "proved",
            "states": proof.states,
            "checked": proof.checked,
            "certificate": judged.certificate.as_ref().and_then(|path| path.as_ref().ok()),
        }),
        Ok(Verdict::ProvedOfReals(proof)) => real::proved_as_json(words, proof),
        Ok(Verdict::Refuted(found)) => {
            json::claim(game, words, &ClaimStatus::Refuted(found.clone()))
        }
        Ok(Verdict::RefutedOfReals(found)) => real::refuted_as_json(words, found),
        Ok(Verdict::Contradicted(found)) => json!({
            "claim": words,
            "standing": "contradicted",
            "counterexample": found.position,
        }),
        Ok(Verdict::Unsupported(unsupported)) => {
            let place = unsupported.place();
            json!({
                "claim": words,
                "standing": "outside",
                "reason": unsupported.what,
                "code": unsupported.code_name(),
                "at": place.map(|at| json!({"offset": at.offset(), "length": at.len()})),
            })
        }
        Ok(Verdict::Undecided(_)) | Err(_) => json!({
            "claim": words,
            "standing": "undecided",
            "limit": judged.undecided(),
        }),
    };
    if let (Some(asked), Value::Object(fields)) = (&judged.asked, &mut fields) {
        fields.insert("by_solver".to_owned(), asked.as_json());
    }
    if let (Some(Ok(paths)), Value::Object(fields)) = (&judged.sentences, &mut fields) {
        fields.insert("sentences".to_owned(), json!(paths));
    }
    fields
}

fn as_csv(out: &mut dyn Write, game: &Game, judged: &[Judged<'_>]) -> std::io::Result<()> {
    let mut rows = csv::Writer::from_writer(out);
    let mut write = || -> Result<(), csv::Error> {
        rows.write_record(["claim", "standing", "states", "counterexample"])?;
        for judged in judged {
            let words = judged.claim.words.as_str();
            match &judged.verdict {
                Ok(Verdict::Proved(proof)) => {
                    rows.write_record([words, "proved", &proof.states.to_string(), ""])?;
                }
                Ok(Verdict::Refuted(found)) => {
                    rows.write_record([words, "refuted", "", &game.shown(&found.position)])?;
                }
                Ok(Verdict::ProvedOfReals(_)) => rows.write_record([words, "proved", "", ""])?,
                Ok(Verdict::RefutedOfReals(found)) => {
                    rows.write_record([words, "refuted", "", &found.position.to_string()])?;
                }
                Ok(Verdict::Contradicted(found)) => {
                    rows.write_record([words, "contradicted", "", &game.shown(&found.position)])?;
                }
                Ok(Verdict::Unsupported(_)) => rows.write_record([words, "outside", "", ""])?,
                Ok(Verdict::Undecided(_)) | Err(_) => {
                    rows.write_record([words, "undecided", "", ""])?;
                }
            }
        }
        Ok(rows.flush()?)
    };
    write().map_err(load::writing)
}
