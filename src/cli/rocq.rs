//! `prove --rocq` and `verify --rocq`: theorems that Rocq checks.

use super::certificate::{self, Subject};
use super::load::{self, Answered, Unanswered};
use super::text::{self, FAINT, STRONG};
use super::{Format, Shared, Status, json, progress, smt};
use nimrule_limits::{LimitExceeded, Limits};
use nimrule_model::game::{Applies, Claim, Game};
use nimrule_rocq::{Unsupported, theorem};
use serde_json::{Value, json};
use std::fs;
use std::io::{Read as _, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The files of the theory, in the order in which they depend on one another.
const THEORY: &[(&str, &str)] = &[
    ("Game.v", include_str!("../../rocq/Game.v")),
    ("Hyper.v", include_str!("../../rocq/Hyper.v")),
    ("Rim.v", include_str!("../../rocq/Rim.v")),
    ("Digits.v", include_str!("../../rocq/Digits.v")),
    ("Sets.v", include_str!("../../rocq/Sets.v")),
    ("Machine.v", include_str!("../../rocq/Machine.v")),
    ("Formula.v", include_str!("../../rocq/Formula.v")),
    ("Claim.v", include_str!("../../rocq/Claim.v")),
    ("Atoms.v", include_str!("../../rocq/Atoms.v")),
    ("Lower.v", include_str!("../../rocq/Lower.v")),
    ("Kernel.v", include_str!("../../rocq/Kernel.v")),
    ("Independent.v", include_str!("../../rocq/Independent.v")),
    ("Proves.v", include_str!("../../rocq/Proves.v")),
    ("All.v", include_str!("../../rocq/All.v")),
];

/// What Rocq prints of a theorem that depends on no axiom.
const NO_AXIOMS: &str = "Closed under the global context";

/// Writes the theorem of a claim to a folder.
pub fn save(
    folder: &Path,
    game: &Game,
    number: usize,
    claim: &Claim,
) -> Answered<Result<PathBuf, Unsupported>> {
    match theorem(game, number, claim) {
        Ok(text) => certificate::save(folder, game, Subject::Theorem(number), &text).map(Ok),
        Err(unsupported) => Ok(Err(unsupported)),
    }
}

/// The file written, or why none was, as a line of a report.
pub fn written(written: &Result<PathBuf, Unsupported>) -> String {
    let words = match written {
        Ok(path) => format!("theorem {}", path.display()),
        Err(unsupported) => format!("no theorem: {unsupported}"),
    };
    format!("     {}\n", text::wrapped(&words, 73, 5))
}

/// What Rocq prints about a theorem.
struct Checked {
    claim: String,
    accepted: bool,
    says: String,
}

/// Compares a theorem with those of the claims of a game and has Rocq check it.
pub fn verify(path: &str, text: &str, game: &Game, shared: &Shared) -> Answered<Status> {
    let claims = (1..).zip(&game.claims);
    let mut here = claims.filter(|(_, claim)| claim.applies != Applies::Elsewhere);
    let found = here
        .find(|(number, claim)| theorem(game, *number, claim).is_ok_and(|theorem| theorem == text));
    let Some((number, claim)) = found else {
        return Err(load::wrong(&format!(
            "`{path}` is not the theorem of a claim of this rule\nfix: write it again with \
             `nimrule prove --rocq`, with the same parameters"
        )));
    };
    let (accepted, says) = check(text, &shared.limits())?;
    let checked = Checked {
        claim: claim.words.clone(),
        accepted,
        says,
    };
    let mut out = progress::stdout();
    let shown = match shared.format {
        Format::Json => writeln!(out, "{}", as_json(game, number, &checked)),
        Format::Csv => as_csv(&mut out, &checked),
        Format::Text | Format::Latex => write!(out, "{}", as_text(game, &checked)),
    };
    load::finish(shown)?;
    Ok(match checked.accepted {
        true => Status::Fine,
        false => Status::Fails,
    })
}

/// Compiles the theory and a theorem in a folder of their own. Returns whether Rocq accepts the
/// theorem without axioms, and what it prints.
fn check(text: &str, limits: &Limits) -> Answered<(bool, String)> {
    let folder = std::env::temp_dir().join(format!("nimrule-rocq-{}", std::process::id()));
    let checked = check_in(&folder, text, limits);
    // Whether it can be removed changes no answer.
    let _ = fs::remove_dir_all(&folder);
    checked
}

fn check_in(folder: &Path, text: &str, limits: &Limits) -> Answered<(bool, String)> {
    let cannot = |error: std::io::Error| {
        load::wrong(&format!(
            "`{}` cannot be written: {error}",
            folder.display()
        ))
    };
    fs::create_dir_all(folder).map_err(cannot)?;
    for (name, text) in THEORY.iter().chain([&("theorem.v", text)]) {
        fs::write(folder.join(name), text).map_err(cannot)?;
    }
    let mut last = (true, String::new());
    for (name, _) in THEORY.iter().chain([&("theorem.v", text)]) {
        last = compile(folder, name, limits)?;
        if !last.0 {
            break;
        }
    }
    let (compiled, says) = last;
    Ok((compiled && says.contains(NO_AXIOMS), says))
}

/// Runs `coqc` on a file. Returns whether it succeeds, and what it prints.
fn compile(folder: &Path, name: &str, limits: &Limits) -> Answered<(bool, String)> {
    let cannot = |error: std::io::Error| match error.kind() {
        std::io::ErrorKind::NotFound => load::wrong(
            "there is no `coqc` on this machine\nfix: install Rocq, on Debian with `apt-get \
             install coq libcoq-stdlib`",
        ),
        _ => load::wrong(&format!("`coqc` cannot be run: {error}")),
    };
    let said = folder.join("said");
    let file = fs::File::create(&said).map_err(cannot)?;
    let both = file.try_clone().map_err(cannot)?;
    let mut child = Command::new("coqc")
        .args(["-w", "none", "-Q", ".", "Nimrule", name])
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(file)
        .stderr(both)
        .spawn()
        .map_err(cannot)?;
    let status = match smt::wait(&mut child, limits).map_err(cannot)? {
        Ok(status) => status,
        Err(LimitExceeded::Stopped) => return Err(Unanswered(Status::Interrupted)),
        Err(met) => {
            load::error(&format!("Rocq gave no answer: {met}"));
            return Err(Unanswered(Status::Limit));
        }
    };
    let mut text = String::new();
    let file = fs::File::open(&said).map_err(cannot)?;
    file.take(1 << 20)
        .read_to_string(&mut text)
        .map_err(cannot)?;
    Ok((status.success(), text.trim().to_owned()))
}

fn as_text(game: &Game, checked: &Checked) -> String {
    let heading = text::wrapped(&game.heading(), 78, 0);
    let mut shown = format!("{STRONG}{heading}{STRONG:#}\n\n");
    let mut line = |name: &str, words: &str| {
        let words = text::wrapped(words, 66, 12);
        shown.push_str(&format!("  {FAINT}{name:<10}{FAINT:#}{words}\n"));
    };
    match checked.accepted {
        true => line(
            "verified",
            "Rocq accepts the theorem, and it depends on no axiom",
        ),
        false => line(
            "rejected",
            "Rocq does not accept the theorem without axioms",
        ),
    }
    line("claim", &checked.claim);
    for (number, says) in checked.says.lines().enumerate() {
        line(if number == 0 { "coqc" } else { "" }, says);
    }
    shown
}

fn as_json(game: &Game, number: usize, checked: &Checked) -> Value {
    let mut head = json::head(game);
    head.insert("standing".into(), json!(standing(checked)));
    head.insert("number".into(), json!(number));
    head.insert("claim".into(), json!(checked.claim));
    head.insert("says".into(), json!(checked.says));
    head.into()
}

fn as_csv(out: &mut dyn Write, checked: &Checked) -> std::io::Result<()> {
    let mut rows = csv::Writer::from_writer(out);
    let mut write = || -> Result<(), csv::Error> {
        rows.write_record(["standing", "claim", "says"])?;
        rows.write_record([standing(checked), &checked.claim, &checked.says])?;
        Ok(rows.flush()?)
    };
    write().map_err(load::writing)
}

fn standing(checked: &Checked) -> &'static str {
    match checked.accepted {
        true => "verified",
        false => "refused",
    }
}
