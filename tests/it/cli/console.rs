//! Documents with fenced blocks: what stands in them is run.
//!
//! The README, the book and the files under tests/cli are Markdown. A
//! `console` block holds commands after `$ ` and what they print, both streams
//! together; the block's last command ends with the status that the block
//! names, `console,status=1`, the others with 0. A `nimrule,file=NAME` block
//! is written under this name into the folder in which the commands of its
//! document run; a later block may write the file anew. `games` leads there
//! to the shipped games.
//!
//! Durations differ from run to run, so both sides have theirs replaced; in
//! what is expected, a line `...` stands for any lines and `[..]` for any text
//! within a line. With `NIMRULE_DOCUMENTS=write` in the environment, what was
//! printed is written into the document where it is not as expected, for the
//! next look at the difference.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A fenced block of a document.
pub struct Block {
    /// The words after the fence, split at commas.
    pub tags: Vec<String>,
    pub body: String,
    /// The number of the first line of the body.
    pub line: usize,
}

impl Block {
    pub fn is(&self, kind: &str) -> bool {
        self.tags.first().is_some_and(|tag| tag == kind)
    }

    /// Whether the block says that it is `slow`: `.ci/soak` looks at it.
    pub fn is_left_out(&self) -> bool {
        self.tag("slow").is_some() && nimrule_fixtures::few_or_many(true, false)
    }

    /// The value of `NAME=VALUE` among the tags; an empty one for `NAME`.
    pub fn tag(&self, name: &str) -> Option<&str> {
        self.tags.iter().skip(1).find_map(|tag| {
            let (word, value) = tag.split_once('=').unwrap_or((tag, ""));
            (word == name).then_some(value)
        })
    }
}

/// The root of the repository.
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The fenced blocks of a text, in order.
pub fn blocks(text: &str) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut open: Option<Block> = None;
    for (number, line) in text.lines().enumerate() {
        match (&mut open, line.strip_prefix("```")) {
            (None, Some(info)) => {
                open = Some(Block {
                    tags: info.split(',').map(|tag| tag.trim().to_owned()).collect(),
                    body: String::new(),
                    line: number + 2,
                });
            }
            (Some(_), Some(_)) => blocks.extend(open.take()),
            (Some(block), None) => {
                block.body.push_str(line);
                block.body.push('\n');
            }
            (None, None) => {}
        }
    }
    assert!(open.is_none(), "a fenced block is never closed");
    blocks
}

/// Runs the console blocks of a document; returns how many commands ran and
/// what is not as it says.
pub fn run(document: &Path) -> (usize, Vec<String>) {
    let text = fs::read_to_string(document).expect("the document can be read");
    let folder = folder_for(document);
    let mut wrong = Vec::new();
    let mut commands = 0;
    let mut anew: Vec<(usize, usize, String)> = Vec::new();
    for block in blocks(&text) {
        if let Some(name) = block.tag("file") {
            let file = folder.join(name);
            let parent = file.parent().expect("a folder");
            fs::create_dir_all(parent).expect("the folder can be written");
            fs::write(file, &block.body).expect("the folder can be written");
        }
        if !block.is("console") || block.is_left_out() {
            continue;
        }
        let status: i32 = block
            .tag("status")
            .map_or(0, |status| status.parse().expect("a status is a number"));
        let sessions = sessions(&block.body);
        assert!(
            !sessions.is_empty(),
            "{}:{}: a console block without a command",
            document.display(),
            block.line
        );
        let mut written = String::new();
        for (number, (command, expected)) in sessions.iter().enumerate() {
            commands += 1;
            let wanted = if number + 1 == sessions.len() {
                status
            } else {
                0
            };
            let (found, printed) = execute(command, &folder);
            let as_expected = matches(expected, &printed);
            let kept = if as_expected { expected } else { &printed };
            written.push_str(&format!("$ {command}\n{kept}"));
            let at = format!("{}:{}: $ {command}", document.display(), block.line);
            if found != Some(wanted) {
                wrong.push(format!(
                    "{at}\nended with {found:?} and not {wanted}, and printed\n{printed}"
                ));
            } else if !as_expected {
                wrong.push(format!(
                    "{at}\n--- printed\n{printed}--- expected\n{expected}"
                ));
            }
        }
        anew.push((block.line - 1, block.body.lines().count(), written));
    }
    if std::env::var("NIMRULE_DOCUMENTS").is_ok_and(|what| what == "write") {
        write_anew(document, &text, &anew);
    }
    (commands, wrong)
}

/// An empty folder in which a document's commands run.
fn folder_for(document: &Path) -> PathBuf {
    let name: String = document
        .strip_prefix(root())
        .unwrap_or(document)
        .display()
        .to_string()
        .replace(|c: char| !c.is_ascii_alphanumeric(), "-");
    let folder = nimrule_fixtures::empty_folder(env!("CARGO_TARGET_TMPDIR"), &name);
    fs::create_dir(folder.join("games")).expect("a folder can be made");
    nimrule_fixtures::copy_games(&folder.join("games"));
    folder
}

/// The commands of a block, each with what it is expected to print. A command
/// may go on after a backslash at the end of its line.
fn sessions(body: &str) -> Vec<(String, String)> {
    let mut sessions: Vec<(String, String)> = Vec::new();
    let mut goes_on = false;
    for line in body.lines() {
        if let Some(command) = line.strip_prefix("$ ") {
            sessions.push((command.to_owned(), String::new()));
            goes_on = command.ends_with('\\');
        } else if let Some((command, expected)) = sessions.last_mut() {
            if goes_on {
                command.push('\n');
                command.push_str(line);
                goes_on = line.ends_with('\\');
            } else {
                expected.push_str(line);
                expected.push('\n');
            }
        } else {
            panic!("a console block begins with a command, not with `{line}`");
        }
    }
    sessions
}

/// Runs a command in a shell that knows `nimrule`, both streams together.
fn execute(command: &str, folder: &Path) -> (Option<i32>, String) {
    let binary = Path::new(env!("CARGO_BIN_EXE_nimrule"));
    let own = binary.parent().expect("a binary is in a folder");
    let mut path = vec![own.to_path_buf()];
    path.extend(std::env::split_paths(
        &std::env::var_os("PATH").unwrap_or_default(),
    ));
    // In the repository the README's reader has not installed anything yet.
    let typed = command
        .strip_prefix("cargo run --release -- ")
        .map_or_else(|| command.to_owned(), |rest| format!("nimrule {rest}"));
    let output = Command::new("sh")
        .arg("-c")
        .arg(format!("exec 2>&1\n{typed}"))
        .current_dir(folder)
        .env(
            "PATH",
            std::env::join_paths(path).expect("a path of folders"),
        )
        .env_remove("NO_COLOR")
        .env_remove("CLICOLOR_FORCE")
        .output()
        .expect("a shell is there");
    let printed: String = String::from_utf8_lossy(&output.stdout)
        .lines()
        // A machine that has other things to do says how far it has come.
        .filter(|line| !is_progress(line))
        .map(|line| format!("{}\n", line.trim_end()))
        .collect();
    (output.status.code(), printed)
}

/// Is it a line that says every ten seconds how far a long run has come?
fn is_progress(line: &str) -> bool {
    let doing = [
        "working: ",
        "looking for a proof for all sizes: ",
        "solving: ",
        "searching: ",
        "checking a claim: ",
    ];
    // A proof names its numeration system: `in base 3, solving: …`.
    let said = line
        .strip_prefix("in ")
        .and_then(|rest| rest.split_once(", "));
    let said = said.map_or(line, |(_, said)| said);
    doing.iter().any(|doing| said.starts_with(doing)) && line.contains(|c: char| c.is_ascii_digit())
}

/// Replaces durations, `in 0.02 s` and `in under 0.01 s`.
fn without_durations(line: &str) -> String {
    let mut kept = String::new();
    let mut words = line.split_inclusive(' ').peekable();
    while let Some(word) = words.next() {
        let number = word.trim_end();
        let is_number =
            number.contains(|c: char| c.is_ascii_digit()) && number.parse::<f64>().is_ok();
        let seconds = |next: Option<&&str>| {
            next.is_some_and(|next| matches!(next.trim_end(), "s" | "s;" | "s," | "s:"))
        };
        if is_number && seconds(words.peek()) && kept.contains("in ") {
            if let Some(shorter) = kept.strip_suffix("under ") {
                kept.truncate(shorter.len());
            }
            kept.push_str("(time) ");
        } else {
            kept.push_str(word);
        }
    }
    kept
}

/// Is this what was expected?
fn matches(expected: &str, printed: &str) -> bool {
    let lines = |text: &str| -> Vec<String> {
        text.lines()
            .map(|line| without_durations(line.trim_end()))
            .collect()
    };
    // A duration may be longer than it was, and break lines elsewhere: one word a line.
    let words = |text: &str| -> Vec<String> {
        let words: Vec<&str> = text.split_whitespace().collect();
        let flowing = without_durations(&words.join(" "));
        flowing.split(' ').map(str::to_owned).collect()
    };
    lines_match(&lines(expected), &lines(printed))
        || expected != printed && flows(expected) && lines_match(&words(expected), &words(printed))
}

/// Whether a text has a duration, so that its lines may break in another place.
fn flows(text: &str) -> bool {
    without_durations(&text.replace('\n', " ")).contains("(time)")
}

fn lines_match(expected: &[String], printed: &[String]) -> bool {
    match expected.split_first() {
        None => printed.is_empty(),
        Some((line, rest)) if line == "..." => {
            (0..=printed.len()).any(|skipped| lines_match(rest, &printed[skipped..]))
        }
        Some((line, rest)) => printed
            .split_first()
            .is_some_and(|(first, others)| line_matches(line, first) && lines_match(rest, others)),
    }
}

fn line_matches(expected: &str, printed: &str) -> bool {
    let mut parts = expected.split("[..]");
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = printed.strip_prefix(first) else {
        return false;
    };
    let parts: Vec<&str> = parts.collect();
    let Some((last, between)) = parts.split_last() else {
        return rest.is_empty();
    };
    for part in between {
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    rest.ends_with(last)
}

fn write_anew(document: &Path, text: &str, anew: &[(usize, usize, String)]) {
    let lines: Vec<&str> = text.lines().collect();
    let mut written = String::new();
    let mut at = 0;
    for (first, count, body) in anew {
        for line in &lines[at..*first] {
            written.push_str(line);
            written.push('\n');
        }
        written.push_str(body);
        at = first + count;
    }
    for line in &lines[at..] {
        written.push_str(line);
        written.push('\n');
    }
    fs::write(document, written).expect("the document can be written");
}

#[test]
fn a_pattern_fits_what_it_says_and_nothing_else() {
    assert!(matches("a\n...\nd\n", "a\nb\nc\nd\n"));
    assert!(matches(
        "solved [..], in 0.02 s; done\n",
        "solved 7, in under 0.01 s; done\n"
    ));
    assert!(matches("in 3.20 s\n", "in 12 s\n"));
    assert!(matches("a in 17 s: b\nc\n...\n", "a in 9.95 s:\nb c\nd\n"));
    assert!(!matches("a b\nc\n", "a\nb c\n"));
    assert!(!matches("a\n", "a\nb\n"));
    assert!(!matches("a 1 s\n", "a 2 s\n"));
    assert!(!matches("x [..] z\n", "x y\n"));
    assert!(!matches("...\nz\n", "a\nb\n"));
}
