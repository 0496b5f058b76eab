//! What the project weighs, in numbers that may only fall: `budget.txt` has a limit for each.
//!
//! A number above its limit fails the test. `NIMRULE_DOCUMENTS=write` lowers the limits to what
//! is measured, rounded up to a step that leaves room for small changes, and raises none.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::{env, fmt::Write, fs};

/// The most sections `[profile…]` in `Cargo.toml`.
const PROFILE_SECTIONS: usize = 15;

/// A number: its name, its measure, and the step that a limit is rounded up to.
type Number = (&'static str, fn(&Project) -> usize, usize);

const NUMBERS: [Number; 10] = [
    ("lines of Rust", |it| it.sum(|file| file.lines), 1000),
    ("lines of tests", |it| it.sum(|file| file.tests), 500),
    ("lines of src/cli", Project::lines_of_the_command_line, 100),
    ("packages of the default build", Project::packages, 1),
    (
        "functions over 100 lines",
        |it| it.sum(File::long_functions),
        1,
    ),
    ("files over 800 lines", Project::long_files, 1),
    ("durations outside limits and effort", Project::durations, 1),
    ("errors that are strings", |it| it.sum(File::strings), 1),
    ("words of the book", Project::words_of_the_book, 1000),
    (
        "lines of the changelog",
        Project::lines_of_the_changelog,
        50,
    ),
];

/// A file of Rust or of the grammar.
struct File {
    path: String,
    /// Its text before the tests that end it; empty if all of it is a test.
    code: String,
    lines: usize,
    /// The lines of these that are tests.
    tests: usize,
}

impl File {
    fn new(path: String, text: &str) -> File {
        let lines: Vec<&str> = text.lines().collect();
        let is_test =
            path.starts_with("tests/") || path.contains("/tests/") || path.ends_with("/tests.rs");
        let begin = lines
            .windows(2)
            .position(|pair| pair[0].trim() == "#[cfg(test)]" && !pair[1].trim().ends_with(';'));
        let end = match is_test {
            true => 0,
            false => begin.unwrap_or(lines.len()),
        };
        File {
            path,
            code: lines[..end].join("\n"),
            lines: lines.len(),
            tests: lines.len() - end,
        }
    }

    /// The functions whose body takes more than 100 lines: from `fn` to the brace of the same
    /// indentation.
    fn long_functions(&self) -> usize {
        let mut long = 0;
        let mut open = None;
        for (number, line) in self.code.lines().enumerate() {
            let indentation = line.len() - line.trim_start().len();
            if begins_function(line.trim_start()) {
                open = Some((number, indentation));
            } else if let Some((start, at)) = open
                && line.trim_start() == "}"
                && indentation == at
            {
                long += usize::from(number - start > 100);
                open = None;
            }
        }
        long
    }

    /// The constants whose type is `Duration`.
    fn durations(&self) -> usize {
        let types = self.code.split("const ").skip(1).filter_map(|after| {
            let (name, rest) = after.split_once(": ")?;
            let (before, _) = rest.split_once("Duration")?;
            Some((name, before))
        });
        let is_word = |text: &str| text.chars().all(|it| it.is_alphanumeric() || it == '_');
        let is_path = |text: &str| text.is_empty() || text.ends_with("::");
        types
            .filter(|(name, path)| is_word(name) && is_path(path) && path.split("::").all(is_word))
            .count()
    }

    /// The errors, and the steps of a proof, that are texts.
    fn strings(&self) -> usize {
        let errors = self.code.split("Result<").skip(1).filter(|after| {
            let end = after.find(['<', '>']);
            end.is_some_and(|end| {
                after[..end].ends_with(", String") && after[end..].starts_with('>')
            })
        });
        errors.count() + self.code.matches("checked: Vec<String>").count()
    }
}

/// Whether a line, without its indentation, is the head of a function.
fn begins_function(line: &str) -> bool {
    let mut rest = line;
    if let Some(after) = rest.strip_prefix("pub ") {
        rest = after;
    } else if let Some(after) = rest.strip_prefix("pub(") {
        rest = after.split_once(") ").map_or("", |(_, after)| after);
    }
    while let Some(after) = ["const ", "async "]
        .iter()
        .find_map(|it| rest.strip_prefix(it))
    {
        rest = after;
    }
    rest.starts_with("fn ")
}

/// The files of the project, by their paths from its root.
struct Project {
    rust: Vec<File>,
    paths: Vec<String>,
}

impl Project {
    fn read() -> Project {
        let paths = tracked().unwrap_or_else(|| below(root()));
        let is_source = |path: &&String| path.ends_with(".rs") || path.ends_with(".pest");
        let sources = paths.iter().filter(is_source);
        let rust = sources.map(|path| File::new(path.clone(), &read(path)));
        Project {
            rust: rust.collect(),
            paths,
        }
    }

    fn sum(&self, of: impl Fn(&File) -> usize) -> usize {
        self.rust.iter().map(of).sum()
    }

    fn lines_of_the_command_line(&self) -> usize {
        self.sum(|file| usize::from(file.path.starts_with("src/cli")) * file.lines)
    }

    fn long_files(&self) -> usize {
        self.sum(|file| usize::from(file.lines > 800 && file.tests < file.lines))
    }

    fn durations(&self) -> usize {
        let may = |path: &str| path.starts_with("crates/limits") || path.ends_with("effort.rs");
        let others = self.rust.iter().filter(|file| !may(&file.path));
        others.map(File::durations).sum()
    }

    /// The packages that `cargo build` compiles or has compiled for it, without what builds them.
    fn packages(&self) -> usize {
        let tree = [
            "tree",
            "--offline",
            "--locked",
            "--prefix",
            "none",
            "--edges",
            "normal",
        ];
        let tree = output(Command::new(env!("CARGO")).args(tree)).expect("cargo lists packages");
        let mut packages: Vec<&str> = tree
            .lines()
            .map(|line| line.trim_end_matches(" (*)"))
            .collect();
        packages.retain(|line| !line.is_empty());
        packages.sort_unstable();
        packages.dedup();
        packages.len()
    }

    fn words_of_the_book(&self) -> usize {
        let is_page = |path: &&String| path.starts_with("docs/src/") && path.ends_with(".md");
        let pages = self.paths.iter().filter(is_page);
        pages
            .map(|page| read(page).split_whitespace().count())
            .sum()
    }

    fn lines_of_the_changelog(&self) -> usize {
        read("CHANGELOG.md").lines().count()
    }
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn read(path: &str) -> String {
    let bytes = fs::read(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"));
    String::from_utf8_lossy(&bytes).into_owned()
}

/// What a command prints in the project's root, if it succeeds.
fn output(command: &mut Command) -> Option<String> {
    let Output { status, stdout, .. } = command.current_dir(root()).output().ok()?;
    status
        .success()
        .then(|| String::from_utf8_lossy(&stdout).into_owned())
}

/// The files that git tracks; `None` where the project is no repository.
fn tracked() -> Option<Vec<String>> {
    let listed = output(Command::new("git").args(["ls-files", "-z"]))?;
    let paths = listed.split_terminator('\0').map(str::to_owned);
    let paths: Vec<String> = paths.filter(|path| root().join(path).exists()).collect();
    (!paths.is_empty()).then_some(paths)
}

/// The files below a folder, without those that are built or hidden.
fn below(folder: &Path) -> Vec<String> {
    let built = ["target", "book", "node_modules", "dist", "pkg"];
    let mut folders = vec![folder.to_owned()];
    let mut paths = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("the folder can be read") {
            let path: PathBuf = entry.expect("the folder can be read").path();
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            if name.starts_with('.') || built.contains(&&*name) {
                continue;
            }
            if path.is_dir() {
                folders.push(path);
            } else {
                let path = path.strip_prefix(root()).expect("it is below the root");
                paths.push(path.to_string_lossy().replace('\\', "/"));
            }
        }
    }
    paths
}

#[test]
fn no_number_is_above_its_limit() {
    let path = root().join("tests/it/budget.txt");
    let text = fs::read_to_string(&path).expect("the limits can be read");
    let limits: BTreeMap<&str, usize> = text
        .lines()
        .map(|line| {
            let (name, limit) = line.rsplit_once(' ').expect("a name and its limit");
            (name.trim_end(), limit.parse().expect("a limit is a number"))
        })
        .collect();
    assert_eq!(limits.len(), NUMBERS.len(), "one limit for each number");
    let project = Project::read();
    let (mut over, mut lowered) = (String::new(), String::new());
    for (name, measure, step) in NUMBERS {
        let (now, limit) = (measure(&project), limits[name]);
        if now > limit {
            writeln!(over, "{name}: {now}, and the limit is {limit}").expect("a text");
        }
        let rounded = now.next_multiple_of(step).min(limit);
        writeln!(lowered, "{name:40}{rounded:>8}").expect("a text");
    }
    assert!(
        over.is_empty(),
        "above tests/it/budget.txt, whose limits only fall:\n{over}"
    );
    if env::var_os("NIMRULE_DOCUMENTS").is_some_and(|how| how == "write") {
        fs::write(&path, lowered).expect("the limits can be written");
    }
}

#[test]
fn profiles_have_few_sections() {
    let manifest = read("Cargo.toml");
    let sections = manifest.lines().filter(|line| line.starts_with("[profile"));
    let sections = sections.count();
    assert!(
        sections <= PROFILE_SECTIONS,
        "{sections} sections `[profile…]`, and the limit is {PROFILE_SECTIONS}"
    );
}

#[test]
fn what_git_tracks_is_found_without_git() {
    let Some(mut tracked) = tracked() else { return };
    tracked.retain(|path| path.ends_with(".rs") || path.ends_with(".md"));
    let found = below(root());
    tracked.retain(|path| !found.contains(path));
    assert!(tracked.is_empty(), "{tracked:?}");
}

#[test]
fn numbers_are_counted() {
    let long = "    let x = 1;\n".repeat(100);
    let short = "    let x = 1;\n".repeat(99);
    let text = format!(
        "const A: std::time::Duration = B;\nconst C: Option<Duration> = None;\nstatic D: Duration = E;\n\
         pub(crate) const fn long() -> Result<u32, String> {{\n{long}}}\n\
         fn short() -> Result<Vec<u32>, String> {{\n{short}}}\n\
         #[cfg(test)]\nmod tests;\n\n#[cfg(test)]\nmod own {{\n    const F: Duration = G;\n}}\n"
    );
    let file = File::new("src/a.rs".to_owned(), &text);
    assert_eq!((file.lines, file.tests), (213, 4));
    assert_eq!(
        (file.long_functions(), file.durations(), file.strings()),
        (1, 1, 1)
    );
    let file = File::new("crates/a/src/tests.rs".to_owned(), &text);
    assert_eq!(
        (file.lines, file.tests, file.long_functions()),
        (213, 213, 0)
    );
}
