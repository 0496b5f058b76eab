//! Every verb and option of the command line with every kind of position: each command
//! answers, or fails with a status of its own and a message. None panics, and none goes on
//! after its time limit.
//!
//! The verbs, their arguments and their options are read from `--help`, so that a new one is
//! part of the matrix; one whose value the matrix does not know makes the test fail. What an
//! option requires is read from the error message about it. Each verb is tried with each
//! kind of position, each option with some of the kinds (with all, where `.ci/soak` runs it),
//! and pairs of options with one. With the feature `full` the matrix has the verbs
//! that differ there.

use nimrule_fixtures::few_or_many;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// A kind of position, with a small game of it.
pub struct Kind {
    pub name: &'static str,
    /// The statements after `game NAME`.
    pub rule: &'static str,
    position: &'static str,
    /// An option of the position.
    after: &'static str,
    /// A value of `--fix`.
    fixed: &'static str,
}

const fn kind(
    name: &'static str,
    rule: &'static str,
    position: &'static str,
    after: &'static str,
    fixed: &'static str,
) -> Kind {
    Kind {
        name,
        rule,
        position,
        after,
        fixed,
    }
}

pub const KINDS: [Kind; 34] = [
    kind(
        "one_heap",
        "heaps n\nmove take 1..2 from n\nclaim P iff n mod 3 == 0\nclaim grundy == n mod 3\n\
         claim misere P iff n mod 3 == 1\nsuggest max 6\nexample (3) is P\n",
        "4",
        "3",
        "n=1",
    ),
    kind(
        "heaps",
        "param n = 3 in 1..4\nheaps n\nmove take from one heap\nclaim P iff xor(heaps) == 0\n\
         claim P iff h1 == 0 refuted at (0,0,1)\n\
         suggest max 2\nexample (1,1,0) is P\n",
        "1,2,1",
        "0,2,1",
        "h3=1",
    ),
    kind(
        "pairing",
        "heaps a b\nmove take from one heap\nclaim P by pairing a with b\n\
         suggest max 3\n",
        "2,1",
        "1,1",
        "a=1",
    ),
    kind(
        "same_as",
        "heaps a b\nmove take from one heap\nclaim same as heaps(n = 2) where true\n\
         suggest max 3\n",
        "2,1",
        "1,1",
        "a=1",
    ),
    kind(
        "no_claim",
        "heaps a b c\nmove take from a\nmove take 1 from one of b c then optionally put 1 on a\n\
         positions where a + b + c <= 6\nplay ends by a + 2 * b + 2 * c\nsuggest max 2\n",
        "1,1,1",
        "0,1,1",
        "b=1",
    ),
    kind(
        "state",
        "heaps n\nstate at in 1..3 = 1\nmove take t from n where t <= at then set at to 2\n\
         claim P if n == 0\nsuggest max 4\n",
        "3,1",
        "2,2",
        "n=2",
    ),
    kind(
        "states_only_a_flag",
        "heaps a b\nstate pass in 0..1 = 1\nmove take from one heap\n\
         move when pass == 1 and a + b > 0 set pass to 0\nsuggest max 3\n",
        "1,2,1",
        "1,2,0",
        "pass=1",
    ),
    kind(
        "endless_state",
        "heaps n\nstate limit in 1.. = 1\n\
         move take t from n where t <= limit then set limit to 2 * t\nsuggest max 5\n",
        "4,2",
        "3,2",
        "limit=1",
    ),
    kind(
        "coins",
        "heaps 4 of size 0..1\n\
         move flip one heap as c where c == 1 then optionally flip one heap left of c\n\
         claim grundy == xor(i for i in 1..4 where heaps[i] == 1)\nstart all 1\n",
        "0,1,1,0",
        "0,1,0,0",
        "h1=1",
    ),
    kind(
        "solid",
        "board tetrahedron\nheaps on faces\nmove take from one edge\nsuggest max 1\n\
         claim P iff h1 == h2 and h2 == h3 and h3 == h4\n",
        "1,1,1,0",
        "1,0,0,0",
        "h1=1",
    ),
    kind(
        "circle",
        "board circle(4)\nmove take from 2 consecutive heaps\n\
         claim P iff heaps[1] == heaps[3] and heaps[2] == heaps[4]\nsuggest max 1\n",
        "1,1,1,0",
        "1,0,0,0",
        "h1=1",
    ),
    kind(
        "shrinking",
        "board circle(4) shrinking\nmove take from 2 consecutive heaps\n\
         claim P iff like (a,b,a,b) where a != b or like (a,a,a) or like ()\nsuggest max 1\n",
        "1,1,1,0",
        "1,0,0,0",
        "h1=1",
    ),
    kind(
        "shrinking_with_a_pool",
        "board row(3) shrinking\nheaps on vertices, pool\nmove take from 2 consecutive heaps\n\
         move take from pool\nsuggest max 1\n",
        "1,1,1,1",
        "0,0,1,1",
        "pool=1",
    ),
    kind(
        "graph",
        "board graph { A - B - C }\nheaps on edges\nmove take from one vertex\nsuggest max 3\n\
         claim P iff A_B == 0 and B_C == 0\n",
        "1,2",
        "0,0",
        "A_B=1",
    ),
    kind(
        "grid",
        "board grid(2, 2)\nmove take from one line\nclaim P iff h1 == h4 and h2 == h3\n\
         suggest max 1\n",
        "1,1,1,0",
        "0,0,1,0",
        "h1=1",
    ),
    kind(
        "graph_file",
        "board from \"triangle.g6\"\nheaps on edges\nmove take from one vertex\nsuggest max 2\n",
        "1,1,0",
        "0,0,0",
        "h1=1",
    ),
    kind(
        "bag",
        "heaps any number\nmove octal \"0.77\"\nclaim period 12 from 71\n\
         suggest max 5\nexample {2} is N\n",
        "{2,3}",
        "{3}",
        "h1=1",
    ),
    kind(
        "bag_of_kinds",
        "heaps any number\nkinds ring, row\nmove take 1..2 from one ring leaving 0..1 rows\n\
         move octal \"0.77\" from one row\nsuggest max 4\nexample ring 4 is P\n",
        "ring 4 row 1",
        "ring 4",
        "row",
    ),
    kind(
        "bag_reads_others",
        "heaps any number\nmove take 1..2 from one heap where count(heaps) > 1\n\
         move take 2 from one heap leaving 0..2 heaps\nsuggest max 4\n",
        "{2,1}",
        "{1}",
        "h1=1",
    ),
    kind(
        "bag_with_a_state",
        "heaps any number\nstate last in 0..2\n\
         move take t from one heap where t <= 2 and t != last then set last to t\n\
         claim P if count(heaps) == 0\nsuggest max 4\nexample {1} last=1 is P\n",
        "{3,1} last=1",
        "{1,1} last=2",
        "last=1",
    ),
    kind(
        "indexed_group",
        "heaps cell[x in 1..2, y in x..3 where x + y < 5]\n\
         family above = { w in cell where w.x == v.x and w.y >= v.y } for v in cell\n\
         move take from one heap of one above\nclaim P iff xor(heaps) == 0\nsuggest max 1\n",
        "1,1,1,0",
        "0,1,1,0",
        "cell[1,2]=1",
    ),
    kind(
        "token_by_name",
        "board digraph { hill -> mill -> ford -> sea  hill -> ford  mill -> sea }\ntokens 1\n\
         move slide one token\nclaim P iff token in {hill, sea}\nclaim grundy == 0\n",
        "mill",
        "sea",
        "token=sea",
    ),
    kind(
        "token_by_number",
        "board digraph { 0 -> 1 -> 2 }\ntokens 1\nmove slide one token\n\
         claim P iff token mod 2 == 0\n",
        "1",
        "2",
        "token=1",
    ),
    kind(
        "token_by_coordinates",
        "board digraph (x in 0..2, y in 0..2) {\n  (x,y) -> (l,y) where l < x\n\
         \x20 (x,y) -> (x,b) where b < y\n}\ntokens 1\nmove slide one token\n\
         claim P iff token.x == token.y\n",
        "(2,1)",
        "(1,1)",
        "token=(1,1)",
    ),
    kind(
        "two_tokens",
        "board digraph { 0 -> 1 -> 2  0 -> 2 }\ntokens a b\nmove slide one token\n\
         positions where distinct(tokens)\nclaim consistent P iff a == b\n",
        "0,1",
        "2,1",
        "a=1",
    ),
    kind(
        "token_and_heaps",
        "board graph { A - B - C - A }\nheaps on edges\ntokens 1\n\
         move take 1 from one heap as e where e touches token\n\
         \x20 then slide token then choose e where e touches token\n\
         claim P if sum(heaps) == 0\nsuggest max 1\nexample (1,1,1,A) is N\n",
        "1,1,1,A",
        "0,1,1,B",
        "A_B=1",
    ),
    kind(
        "token_heap_and_state",
        "board digraph { hill -> mill -> ford  hill -> ford }\ntokens 1\nheaps n\n\
         state last in 0..2\nmove slide one token then set last to 1\n\
         move take t from n where t <= 2 and t != last then set last to t\n\
         claim N if token == mill and n == 0\nsuggest max 2\n",
        "2,hill,0",
        "2,mill,1",
        "token=mill",
    ),
    kind(
        "digraph_file",
        "board digraph from \"roads.dot\"\ntokens 1\npositions may repeat\nmove slide one token\n",
        "ford",
        "sea",
        "token=sea",
    ),
    kind(
        "loopy_digraph",
        "board digraph { 0 -> 1 -> 2 -> 0  1 -> 3 }\ntokens 1\npositions may repeat\n\
         move slide one token\nclaim consistent P iff token == 3\nclaim D iff token == 0\n",
        "1",
        "3",
        "token=1",
    ),
    kind(
        "partizan",
        "heaps a b\nmove left take {1,2} from one heap\nmove right take {1,3} from one heap\n\
         claim P iff a == 0 and b == 0\nsuggest max 3\nexample (0,0) is P\n",
        "2,1",
        "1,1",
        "a=1",
    ),
    kind(
        "loopy",
        "heaps square\npositions where square < 5\npositions may repeat\n\
         move take 2..3 from square\nmove when square > 0\n\
         \x20 for some s in 2..3 where s > square put 5 - s on square\nclaim P iff square == 0\n\
         claim D iff square == 1\n",
        "3",
        "1",
        "square=1",
    ),
    kind(
        "partizan_and_loopy",
        "heaps flag\npositions where flag <= 4\npositions may repeat\nmove left put 1 on flag\n\
         move right take 1 from flag\nclaim D if flag == 2\n",
        "2",
        "3",
        "flag=1",
    ),
    kind(
        "blocking",
        "heaps a b\nmove take from one heap\nopponent may block up to 1 options\n\
         claim P iff a == 0 and b == 0\nsuggest max 3\n",
        "2,1",
        "1,1",
        "a=1",
    ),
    kind(
        "real",
        "heaps x y of real size\nmove take from one heap\nclaim consistent P iff x == y\n\
         example (0,0) is P\n",
        "2,1",
        "1,1",
        "x=1",
    ),
];

/// The files that rules of the matrix name.
pub const FILES: [(&str, &str); 2] = [
    ("triangle.g6", "Bw\n"),
    (
        "roads.dot",
        "digraph { hill -> ford -> sea; ford -> hill }\n",
    ),
];

/// Positions that are not of every kind, and those that no game has.
const STRANGE: [&str; 5] = [
    "{1,1}",
    "100000000000000000000",
    "(1,1,1,1)",
    "sea",
    "all 1",
];

/// What is typed where a command reads lines.
const LINES: &str = "moves\n#1\nhint\nwhy\nundo\n1\n(1,1)\n1 + 1\nP iff 1 == 1\nnew\nmoves\n#1\n\
                     at 1\nquit\n";

/// The verbs that the feature `full` changes.
const OF_FULL: [&str; 4] = ["draw", "lsp", "completions", "man"];

/// The longest that one command may take: its time limit, and the start of the process on a
/// machine that has other things to do.
const PATIENCE: Duration = Duration::from_secs(30);

/// An option as the help shows it.
#[derive(Debug, Clone)]
struct OptionOf {
    name: String,
    /// The name of its value, as in `<N>`; `None` if it has none.
    value: Option<String>,
    /// Whether the value is written after `=`.
    equals: bool,
    /// The values, if the help lists them.
    possible: Vec<String>,
}

/// A verb as the help shows it.
#[derive(Debug)]
struct Verb {
    name: String,
    /// The arguments of its usage: `FILE`, and whether it may be left out.
    arguments: Vec<(String, bool)>,
    /// The options that its usage requires.
    required: Vec<String>,
    options: Vec<OptionOf>,
}

fn help(arguments: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_nimrule"))
        .args(arguments)
        .arg("-h")
        .output()
        .expect("the program starts");
    String::from_utf8(output.stdout).expect("the help is text")
}

/// The entries of a section of a help text: the first line of each with those that follow it
/// and are indented further.
fn section(help: &str, heading: &str) -> Vec<String> {
    let lines = help.lines().skip_while(|line| *line != heading).skip(1);
    let mut entries: Vec<String> = Vec::new();
    for line in lines.take_while(|line| !line.is_empty()) {
        let indent = line.len() - line.trim_start().len();
        match entries.last_mut() {
            Some(entry) if indent > 8 => {
                entry.push(' ');
                entry.push_str(line.trim());
            }
            _ => entries.push(line.trim().to_owned()),
        }
    }
    entries
}

fn verbs() -> Vec<Verb> {
    let commands = section(&help(&[]), "Commands:");
    let names = commands
        .iter()
        .filter_map(|entry| entry.split_whitespace().next())
        .filter(|name| *name != "help");
    let verbs: Vec<Verb> = names.map(verb).collect();
    assert!(verbs.len() > 15, "where are the verbs? {commands:?}");
    verbs
}

fn verb(name: &str) -> Verb {
    let help = help(&[name]);
    let usage = help.lines().find_map(|line| line.strip_prefix("Usage: "));
    let usage = usage.unwrap_or_else(|| panic!("{name}: no usage: {help}"));
    let (mut arguments, mut required) = (Vec::new(), Vec::new());
    let mut words = usage.split_whitespace().skip(2);
    while let Some(word) = words.next() {
        let name = word
            .trim_end_matches('.')
            .trim_matches(['[', ']', '<', '>']);
        match word {
            "[OPTIONS]" => {}
            _ if word.starts_with("--") => {
                required.push(word.to_owned());
                words.next();
            }
            _ => arguments.push((name.to_owned(), word.starts_with('['))),
        }
    }
    let options = section(&help, "Options:");
    Verb {
        name: name.to_owned(),
        arguments,
        required,
        options: options.iter().filter_map(|entry| option(entry)).collect(),
    }
}

/// Reads `-o, --output <FILE>  Write to this file [possible values: a, b]`.
fn option(entry: &str) -> Option<OptionOf> {
    let long = entry.find("--").expect("an option has a long name");
    let written = &entry[long..];
    let name_end = written.find([' ', '=', '[']).unwrap_or(written.len());
    let name = written[..name_end].to_owned();
    if name == "--help" {
        return None;
    }
    let rest = &written[name_end..];
    let shown_value = rest.starts_with([' ', '=', '[']) && !rest.starts_with("  ");
    let value = shown_value
        .then(|| Some(rest[rest.find('<')? + 1..rest.find('>')?].to_owned()))
        .flatten();
    let possible = rest.split_once("[possible values: ").map(|(_, values)| {
        let values = values.split(']').next().unwrap_or_default();
        values.split(", ").map(str::to_owned).collect()
    });
    Some(OptionOf {
        equals: rest.starts_with('=') || rest.starts_with("[="),
        name,
        value,
        possible: possible.unwrap_or_default(),
    })
}

/// The values of an option for a kind of position.
fn values(verb: &str, option: &OptionOf, kind: &Kind) -> Vec<String> {
    let Some(value) = option.value.as_deref() else {
        return vec![option.name.clone()];
    };
    let one = |value: &str| vec![value.to_owned()];
    let values = match (option.name.as_str(), value) {
        // Text is what every cell without this option tests.
        ("--format", _) => {
            let formats = option.possible.iter().filter(|format| *format != "text");
            formats.cloned().collect()
        }
        _ if !option.possible.is_empty() => option.possible.clone(),
        ("--compound", _) => nimrule_answer::sum::Compound::ALL
            .map(|compound| compound.word().to_owned())
            .to_vec(),
        ("--memory-limit", _) => one("300M"),
        ("--time-limit", _) => one("1"),
        ("--threads", _) => one("1"),
        ("--each", "SECONDS") => one("0.1"),
        ("--set", _) => one("n=2"),
        ("--fix", _) => one(kind.fixed),
        ("--rows" | "--columns", _) => one(kind.fixed.split('=').next().unwrap_or_default()),
        ("--move", _) => vec![String::new(), kind.after.to_owned()],
        ("--engine", _) => {
            let engines = nimrule_engine::ENGINES.iter();
            engines.map(|engine| engine.name().to_owned()).collect()
        }
        ("--heap", _) => one(kind.fixed.split('=').next().unwrap_or_default()),
        ("--kind", _) => one("ring"),
        ("--smt-solver", _) => one("false"),
        ("--outcome", _) => one("P"),
        ("--only", "SEQUENCE") => one("p-by-total"),
        ("--names", _) => one("Ann,Ben"),
        ("--output" | "--draw", "FILE") => one("written.svg"),
        (_, "FOLDER") => one("written"),
        (_, "N" | "ORDER") => vec!["0".to_owned(), "3".to_owned()],
        _ => panic!(
            "{verb} {} <{value}>: the matrix has no value for it",
            option.name
        ),
    };
    let written = values
        .into_iter()
        .map(|value| match (option.equals, value.as_str()) {
            (_, "") => option.name.clone(),
            _ => format!("{}={value}", option.name),
        });
    written.collect()
}

/// The arguments of a verb in front of its options, for a kind of position: those that fit,
/// and those with a position that may not be of the kind.
fn arguments(verb: &Verb, kind: &Kind, folder: &Path) -> (Vec<Vec<String>>, Vec<Vec<String>>) {
    let file = format!("{}.nimrule", kind.name);
    let (mut fitting, mut strange) = (vec![vec![verb.name.clone()]], Vec::new());
    for name in &verb.required {
        let required = verb.options.iter().find(|option| option.name == *name);
        let required = required.expect("a required option is listed");
        let value = values(&verb.name, required, kind).pop().expect("a value");
        fitting
            .iter_mut()
            .for_each(|before| before.push(value.clone()));
    }
    for (name, may_be_left_out) in &verb.arguments {
        let value = match (verb.name.as_str(), name.as_str()) {
            ("list-games", "FOLDER") => ".".to_owned(),
            // Each of many files would be compared for seconds.
            ("same-as", "FOLDER") => "heaps.nimrule".to_owned(),
            (_, "FILE" | "FILES") => file.clone(),
            (_, "POSITION") => kind.position.to_owned(),
            (_, "FILE:POSITION") => format!("{file}:{}", kind.position),
            (_, "CERTIFICATE") => certificate(folder, kind),
            ("new", "NAME") => "new_game".to_owned(),
            ("atlas", "HEAPS") => "2".to_owned(),
            ("explain", "CODE") => "board::none".to_owned(),
            ("completions", "SHELL") => "bash".to_owned(),
            ("man", "VERB") => "solve".to_owned(),
            (verb, name) => panic!("{verb} <{name}>: the matrix has no value for it"),
        };
        let with = |value: &str| {
            let with = |before: &Vec<String>| [before.as_slice(), &[value.to_owned()]].concat();
            fitting.iter().map(with).collect::<Vec<_>>()
        };
        if name.ends_with("POSITION") {
            for other in STRANGE {
                strange.extend(with(&value.replace(kind.position, other)));
            }
        }
        let without = may_be_left_out.then(|| fitting.clone()).unwrap_or_default();
        fitting = [without, with(&value)].concat();
    }
    (fitting, strange)
}

/// A certificate of the kind's game, if there is one.
fn certificate(folder: &Path, kind: &Kind) -> String {
    let written = std::fs::read_dir(folder.join(format!("certificates-{}", kind.name)));
    let mut paths = written
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path());
    let path = paths.next().unwrap_or_else(|| PathBuf::from("none"));
    path.display().to_string()
}

/// A command that ended, or that was ended.
struct Ended {
    status: Option<i32>,
    printed: String,
    said: String,
}

/// Runs a command in a folder; ends it when it takes longer than [`PATIENCE`].
fn run(arguments: &[String], folder: &Path) -> Ended {
    let path = |name: &str| folder.join(name);
    let written = |name: &str| File::create(path(name)).expect("the folder can be written");
    let begun = Instant::now();
    let mut child = Command::new(env!("CARGO_BIN_EXE_nimrule"))
        .args(arguments)
        .current_dir(folder)
        .stdin(File::open(path("lines.in")).expect("the lines are there"))
        .stdout(written("printed.out"))
        .stderr(written("said.out"))
        .spawn()
        .expect("the program starts");
    let mut pause = Duration::from_millis(1);
    let status = loop {
        if let Some(status) = child.try_wait().expect("the process can be waited for") {
            break status.code();
        }
        if begun.elapsed() > PATIENCE {
            child.kill().expect("the process can be ended");
            child.wait().expect("it has ended");
            break None;
        }
        std::thread::sleep(pause);
        pause = (2 * pause).min(Duration::from_millis(10));
    };
    let text = |name: &str| {
        let bytes = std::fs::read(path(name)).expect("it was written");
        String::from_utf8_lossy(&bytes).into_owned()
    };
    Ended {
        status,
        printed: text("printed.out"),
        said: text("said.out"),
    }
}

/// What is wrong with how a command ended.
fn fault(ended: &Ended) -> Option<String> {
    let last = |text: &str| text.lines().last().unwrap_or_default().to_owned();
    match ended.status {
        None => Some(format!("does not end in {PATIENCE:?}")),
        Some(0..=3) if ended.said.contains("panicked at") => Some(last(&ended.said)),
        Some(0 | 1) => None,
        // A report of what was tried is a message, too.
        Some(2 | 3) if ended.said.trim().is_empty() && ended.printed.trim().is_empty() => {
            Some("fails without a message".to_owned())
        }
        Some(2 | 3) => None,
        Some(status) => Some(format!("ends with {status}: {}", ended.said.trim())),
    }
}

/// What an option needs besides itself: sets of options, one of which suffices.
fn needs(verb: &Verb, option: &OptionOf, folder: &Path) -> Vec<Vec<String>> {
    let kind = &KINDS[0];
    let (fitting, _) = arguments(verb, kind, folder);
    let value = values(&verb.name, option, kind).swap_remove(0);
    let ended = run(&[fitting[0].as_slice(), &[value]].concat(), folder);
    let Some((_, missing)) = ended.said.split_once("arguments were not provided:\n") else {
        return vec![Vec::new()];
    };
    let mut sets = vec![Vec::new()];
    for line in missing.lines().take_while(|line| !line.is_empty()) {
        let named = line.trim().trim_matches(['<', '>']).split('|');
        let named: Vec<String> = named
            .map(|name| {
                let name = name.split([' ', '=']).next().unwrap_or_default();
                let other = verb.options.iter().find(|option| option.name == name);
                let other = other.unwrap_or_else(|| panic!("{}: {line}", verb.name));
                values(&verb.name, other, kind).swap_remove(0)
            })
            .collect();
        let with = |set: &Vec<String>| {
            let with = |name: &String| [set.as_slice(), std::slice::from_ref(name)].concat();
            named.iter().map(with).collect::<Vec<_>>()
        };
        sets = sets.iter().flat_map(with).collect();
    }
    sets
}

/// All commands of the matrix.
fn cells(verbs: &[Verb], folder: &Path) -> Vec<Vec<String>> {
    let mut cells = BTreeSet::new();
    for (place, verb) in verbs.iter().enumerate() {
        let reads_a_rule = verb.arguments.iter().any(|(name, _)| name.contains("FILE"));
        let kinds = if reads_a_rule { KINDS.len() } else { 1 };
        let is_own = |option: &OptionOf| {
            let has = |verb: &Verb| verb.options.iter().any(|other| other.name == option.name);
            matches!(option.name.as_str(), "--format" | "--set") || !verbs.iter().all(has)
        };
        let tried = verb.options.iter().filter(|option| is_tried(verb, option));
        let (own, shared): (Vec<&OptionOf>, Vec<&OptionOf>) = tried.partition(|o| is_own(o));
        let needed: Vec<Vec<Vec<String>>> = own
            .iter()
            .map(|option| needs(verb, option, folder))
            .collect();
        for (number, kind) in KINDS.iter().take(kinds).enumerate() {
            let (fitting, strange) = arguments(verb, kind, folder);
            let is_asked = |cell: usize| (cell + number).is_multiple_of(few_or_many(16, 1));
            if is_asked(place) {
                cells.extend(strange);
            }
            // All positions of the kind, or one by turns.
            let one_of = few_or_many(fitting.len(), 1);
            let tried = fitting.iter().skip((number + place) % one_of);
            cells.extend(tried.step_by(one_of).cloned());
            // Options that every verb has do not depend on the kind.
            if number == place % kinds {
                for value in shared
                    .iter()
                    .flat_map(|option| values(&verb.name, option, kind))
                {
                    cells.insert([fitting[0].as_slice(), &[value]].concat());
                }
            }
            let with: Vec<Vec<Vec<String>>> = own
                .iter()
                .zip(&needed)
                .map(|(option, needed)| {
                    let values = values(&verb.name, option, kind).into_iter();
                    let with = |value: String| {
                        let value = std::slice::from_ref(&value);
                        let with = |set: &Vec<String>| [value, set.as_slice()].concat();
                        needed.iter().map(with).collect::<Vec<_>>()
                    };
                    values.flat_map(with).collect()
                })
                .collect();
            // With a position or without one, by turns.
            for (place, with) in with.iter().enumerate() {
                if !is_asked(place) {
                    continue;
                }
                let before = &fitting[(number + place) % fitting.len()];
                cells.extend(with.iter().map(|with| [before.as_slice(), with].concat()));
            }
            // Pairs of options, each pair with one of the kinds.
            let pairs = (0..with.len()).flat_map(|one| (0..one).map(move |other| (one, other)));
            for (pair, (one, other)) in pairs.enumerate() {
                if !(pair + number).is_multiple_of(few_or_many(16 * kinds, kinds)) {
                    continue;
                }
                let mut cell = fitting[pair % fitting.len()].clone();
                let one = &with[one][pair % with[one].len()];
                let other = &with[other][pair % with[other].len()];
                for option in one.iter().chain(other) {
                    if !cell.contains(option) {
                        cell.push(option.clone());
                    }
                }
                cells.insert(cell);
            }
        }
    }
    cells.into_iter().collect()
}

/// Whether an option is part of the matrix. `--watch` does not end; it has a test of its own.
fn is_tried(verb: &Verb, option: &OptionOf) -> bool {
    !matches!(
        (verb.name.as_str(), option.name.as_str()),
        ("test", "--watch")
    )
}

/// A folder with the rules of all kinds, and what they read.
fn prepare(folder: &Path) {
    let _ = std::fs::remove_dir_all(folder);
    std::fs::create_dir_all(folder).expect("a folder can be made");
    let write = |name: &str, text: &str| {
        std::fs::write(folder.join(name), text).expect("it can be written");
    };
    write("lines.in", LINES);
    for (name, text) in FILES {
        write(name, text);
    }
    for kind in &KINDS {
        write(
            &format!("{}.nimrule", kind.name),
            &format!("game {}\n{}", kind.name, kind.rule),
        );
    }
}

/// Runs the commands, a folder for each thread, and returns the faults with their commands.
fn faults(cells: &[Vec<String>], folders: &[PathBuf]) -> BTreeMap<String, Vec<String>> {
    let next = AtomicUsize::new(0);
    let faults: Mutex<BTreeMap<String, Vec<String>>> = Mutex::default();
    std::thread::scope(|threads| {
        for folder in folders {
            threads.spawn(|| {
                while let Some(cell) = cells.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let mut arguments = cell.clone();
                    let limit = "--time-limit";
                    if !cell.iter().any(|argument| argument.starts_with(limit)) {
                        arguments.push(format!("{limit}=0.2"));
                    }
                    let ended = run(&arguments, folder);
                    if let Some(fault) = fault(&ended) {
                        let mut faults = faults.lock().expect("no thread panics");
                        let shown = format!("nimrule {}", cell.join(" "));
                        faults.entry(fault).or_default().push(shown);
                    }
                }
            });
        }
    });
    faults.into_inner().expect("no thread panics")
}

#[test]
fn every_verb_and_option_answers_or_fails_for_every_kind_of_position() {
    let base = Path::new(env!("CARGO_TARGET_TMPDIR")).join("matrix");
    let threads = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let folders: Vec<PathBuf> = (0..threads)
        .map(|number| base.join(number.to_string()))
        .collect();
    for folder in &folders {
        prepare(folder);
    }
    let folder = &folders[0];
    for kind in &KINDS {
        let file = format!("{}.nimrule", kind.name);
        let checked = run(&["check".to_owned(), file.clone()], folder);
        assert_eq!(checked.status, Some(0), "{}: {}", kind.name, checked.said);
        let to = base.join(format!("0/certificates-{}", kind.name));
        let to = format!("--certificate={}", to.display());
        run(
            &["prove".to_owned(), file, to, "--time-limit=5".to_owned()],
            folder,
        );
    }
    let mut verbs = verbs();
    if cfg!(feature = "full") {
        verbs.retain(|verb| OF_FULL.contains(&verb.name.as_str()));
        assert_eq!(verbs.len(), OF_FULL.len());
    }
    let cells = cells(&verbs, folder);
    let faults = faults(&cells, &folders);
    let shown: Vec<String> = faults
        .iter()
        .map(|(fault, cells)| format!("{fault}\n  {}", cells.join("\n  ")))
        .collect();
    assert!(
        faults.is_empty(),
        "of {} commands:\n{}",
        cells.len(),
        shown.join("\n\n")
    );
}

/// Each option of a verb has a row of the reference that names the verb, is in a question of the
/// table of verbs, or is one that every verb understands.
#[test]
fn the_reference_has_every_option_of_every_verb() {
    let reference = include_str!("../../docs/src/cli.md");
    let rows = reference.lines().filter_map(|line| line.strip_prefix("| "));
    let rows: Vec<Vec<&str>> = rows
        .filter(|row| row.starts_with("`--"))
        .map(|row| row.split(" | ").collect())
        .collect();
    let names = |cell: &str, name: &str| {
        cell.split('`').skip(1).step_by(2).any(|code| {
            let word = code.split([' ', '=', '[']).next();
            word == Some(name)
        })
    };
    let missing: Vec<String> = verbs()
        .iter()
        .flat_map(|verb| verb.options.iter().map(move |option| (verb, option)))
        .filter(|(verb, option)| {
            let of_verb = format!("| `{} ", verb.name);
            let is_a_question = reference
                .lines()
                .any(|line| line.starts_with(&of_verb) && line.contains(&option.name));
            !is_a_question
                && !rows.iter().any(|row| match row.as_slice() {
                    [options, _] => names(options, &option.name),
                    [options, of, ..] => names(options, &option.name) && names(of, &verb.name),
                    _ => false,
                })
        })
        .map(|(verb, option)| format!("{} {}", verb.name, option.name))
        .collect();
    assert!(missing.is_empty(), "not in docs/src/cli.md: {missing:?}");
}
