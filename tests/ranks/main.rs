//! Boxes that the ranks of `mpirun` share: the same answers as of one process, after kills at any
//! moment, and what is said of what cannot be shared. They need the feature `mpi`, and Linux, which
//! lists the processes of `mpirun`.
#![cfg(target_os = "linux")]

use nimrule_fixtures::Numbers;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

/// Games of all engines that divide a box, with claims that hold and claims that fail, about
/// outcomes and values, and the largest heap of a box that takes a moment.
const GAMES: [(&str, u64); 6] = [
    (
        "game six\nheaps a b c d e f\nmove take from up to 3 heaps\n\
         claim P if sum(heaps) == 0\n\
         claim P iff count(x in heaps where x == max(heaps)) > 4 or sum(heaps) == 0\n",
        17,
    ),
    (
        // The first two heaps are interchangeable.
        "game cube\nboard cube\nheaps on faces as a b c A B C\nmove take from one edge\n\
         claim P iff a ^ A == b ^ B == c ^ C\nclaim misere P iff a == A\n",
        19,
    ),
    (
        "game seven\nheaps a b c d e f g\nmove take from up to 3 heaps\n\
         claim P iff max(heaps) == 0\n",
        6,
    ),
    (
        "game four\nheaps a b c d\nmove take from up to 2 heaps\n\
         claim P iff a == b and b == c and c == d\nclaim grundy == (a + b) mod 3\n",
        23,
    ),
    (
        // A column reads three strips of the one before it.
        "game vectors\nheaps a b c d\nmove take equal from exactly 2 heaps\n\
         move take 1..3 from one heap\n\
         claim P iff a == b and c == d\nclaim grundy == (a ^ b ^ c ^ d) mod 4\n",
        25,
    ),
    (
        "game sums\nheaps a b c d e\nmove take {1,3,4} from one heap\n\
         claim P iff a == b and c == d\nclaim grundy == (a ^ b ^ c ^ d ^ e) mod 3\n",
        13,
    ),
];

/// Options of a run that goes through a folder, which is to follow.
const LITTLE: [&str; 5] = ["--memory-limit", "4M", "--threads", "1", "--out-of-core"];

fn folder(name: &str) -> PathBuf {
    nimrule_fixtures::empty_folder(env!("CARGO_TARGET_TMPDIR"), name)
}

fn rule_in(folder: &Path, text: &str) -> String {
    let path = folder.join("rule.nimrule");
    fs::write(&path, text).expect("it can be written");
    path.to_str().expect("a path of text").to_owned()
}

fn mpirun() -> Command {
    let mut command = Command::new("mpirun");
    command
        .arg("--oversubscribe")
        .env("OMPI_ALLOW_RUN_AS_ROOT", "1")
        .env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1")
        // The seconds for which it waits after a rank had the status 1.
        .env("OMPI_MCA_odls_base_sigkill_timeout", "0");
    command
}

/// Starts a command with some ranks; without `mpirun` if there are none.
fn start(ranks: u64, arguments: &[&str]) -> Child {
    let nimrule = env!("CARGO_BIN_EXE_nimrule");
    let mut command = match ranks {
        0 => Command::new(nimrule),
        _ => {
            let mut command = mpirun();
            command.args(["-np", &ranks.to_string(), nimrule]);
            command
        }
    };
    command
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("there is `mpirun`")
}

fn run(ranks: u64, arguments: &[&str]) -> Output {
    start(ranks, arguments).wait_with_output().expect("it ends")
}

fn printed(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// What a run says on standard error, its white space single.
fn words(output: &Output) -> String {
    let said = String::from_utf8_lossy(&output.stderr);
    said.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The ranks that a process has started.
fn ranks_of(mpirun: u32) -> Vec<String> {
    let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
    processes
        .filter_map(|process| {
            let stat = fs::read_to_string(process.path().join("stat")).ok()?;
            // `1 (name) S parent …`
            let (name, rest) = stat.split_once(") ")?;
            let parent = rest.split(' ').nth(1)?;
            (name.contains("(nimrule") && parent == mpirun.to_string())
                .then(|| process.file_name().to_string_lossy().into_owned())
        })
        .collect()
}

fn files(sweep: &Path) -> Vec<String> {
    let entries = fs::read_dir(sweep).into_iter().flatten().flatten();
    let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
    names
        .filter(|name| name.starts_with("face-") || name.starts_with("pages-"))
        .collect()
}

/// The columns of a box of a game, of a random size under a random convention.
fn random_box(random: &mut Numbers, rule: &Path) -> Vec<String> {
    let (text, most) = *random.pick(&GAMES);
    let rule = rule_in(rule, text);
    let most = (most - random.below(4)).to_string();
    let mut arguments: Vec<String> = ["solve", &rule, "--max", &most, "--box"]
        .map(String::from)
        .into();
    arguments.extend(["--format", "json", "--quiet"].map(String::from));
    if random.below(2) == 1 {
        arguments.push("--misere".to_owned());
    }
    arguments
}

#[test]
fn ranks_have_the_answer_of_one_process() {
    let folder = folder("ranks-answer");
    let mut random = Numbers::new(0x1994);
    for number in 0..nimrule_fixtures::few_or_many(12, 200) {
        let asked = random_box(&mut random, &folder);
        let asked: Vec<&str> = asked.iter().map(String::as_str).collect();
        let expected = run(0, &asked);
        let kept = folder.join(format!("kept-{number}"));
        let kept = kept.to_str().expect("a path of text");
        let threads = ["1", "2"][number / 4 % 2];
        let memory = ["4M", "8M", "100M"][number % 3];
        let mut options = vec!["--threads", threads, "--memory-limit", memory];
        match number % 2 {
            0 => options.extend(["--out-of-core", kept]),
            // Faces that wait are in memory, too.
            _ => options[3] = "100M",
        }
        let output = run(1 + number as u64 % 4, &[&asked[..], &options].concat());
        let all = format!("{asked:?} {options:?}: {}", words(&output));
        assert_eq!(printed(&output), printed(&expected), "{all}");
        assert_eq!(output.status.code(), expected.status.code(), "{all}");
    }
}

/// Rank 0 writes the list that the ranks have found.
#[test]
fn ranks_share_a_list() {
    let folder = folder("ranks-list");
    let rule = rule_in(&folder, GAMES[1].0);
    for (number, ranks) in [2, 3, 1].into_iter().enumerate() {
        let kept = folder.join(format!("kept-{number}"));
        let file = folder.join(format!("list-{number}"));
        let [kept, file] = [&kept, &file].map(|path| path.to_str().expect("a path of text"));
        let at_once = ["list", &rule, "--max", "15", "--format", "csv"];
        let expected = run(0, &at_once);
        let options = ["--out-of-core", kept, "--memory-limit", "4M", "--threads"];
        let shared = [&at_once[..], &options, &["1"]].concat();
        for _ in 0..2 {
            let output = run(ranks, &shared);
            assert_eq!(printed(&output), printed(&expected), "{}", words(&output));
        }
        // By one process, from the same files.
        let output = run(0, &[&shared[..], &["--output", file]].concat());
        assert_eq!(output.status.code(), Some(0), "{}", words(&output));
        assert_eq!(
            fs::read_to_string(file).expect("it is there"),
            printed(&expected)
        );
    }
}

/// A rank is killed, or `mpirun`; and another number of ranks, or none, resumes.
#[test]
fn killed_ranks_are_resumed_to_the_same_answer() {
    let folder = folder("ranks-killed");
    let mut random = Numbers::new(0x1995);
    let mut kills = 0;
    // Kills come at any moment of a run, however fast the machine is.
    let mut longest = Duration::from_secs(1);
    for number in 0.. {
        let asked = random_box(&mut random, &folder);
        let asked: Vec<&str> = asked.iter().map(String::as_str).collect();
        let expected = run(0, &asked);
        let kept = folder.join(format!("kept-{number}"));
        let path = kept.to_str().expect("a path of text");
        let resumed = [&asked[..], &LITTLE, &[path]].concat();
        let answer = loop {
            let mut child = start(random.below(4), &resumed);
            let begun = Instant::now();
            std::thread::sleep(longest * random.below(100) / 100);
            if child.try_wait().expect("it can be asked").is_some() {
                longest = begun.elapsed();
            } else if kills < 8 {
                let ranks = ranks_of(child.id());
                let victim = ranks.get(random.below(4_usize));
                match victim {
                    Some(rank) => {
                        let killed = Command::new("kill").args(["-9", rank]).status();
                        killed.expect("there is `kill`");
                    }
                    None => child.kill().expect("it can be killed"),
                }
                kills += 1;
            }
            let output = child.wait_with_output().expect("it ends");
            // Ranks that lost their `mpirun` may end a moment later.
            let is_used = words(&output).contains("another run uses");
            let is_answered = matches!(output.status.code(), Some(0 | 1));
            if is_answered && !printed(&output).is_empty() {
                break output;
            }
            assert!(is_used || kills > 0, "{}", words(&output));
        };
        assert_eq!(printed(&answer), printed(&expected), "{}", words(&answer));
        let sweeps = fs::read_dir(&kept).into_iter().flatten().flatten();
        for sweep in sweeps {
            assert_eq!(files(&sweep.path()), [""; 0]);
        }
        if kills >= 8 {
            break;
        }
    }
}

/// As on the full disk of one machine: the rank 1 cannot write a file so long.
#[test]
fn a_rank_that_fails_ends_all_with_its_reason() {
    let folder = folder("ranks-full");
    let rule = rule_in(&folder, GAMES[0].0);
    let kept = folder.join("kept");
    let kept = kept.to_str().expect("a path of text");
    let asked = [
        "solve", &rule, "--max", "17", "--box", "--quiet", "--format", "json",
    ];
    let resumed = [&asked[..], &LITTLE, &[kept]].concat();
    let limited = format!(
        "[ $OMPI_COMM_WORLD_RANK = 0 ] || ulimit -f 16; trap '' XFSZ; exec {} {}",
        env!("CARGO_BIN_EXE_nimrule"),
        resumed.join(" ")
    );
    let output = mpirun()
        // Ranks that share memory need a longer file for it.
        .args(["--mca", "btl", "tcp,self"])
        .args(["-np", "2", "sh", "-c", &limited])
        .stdin(Stdio::null())
        .output();
    let output = output.expect("there is `mpirun`");
    let said = words(&output);
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("rank 1 "), "{said}");
    assert!(said.contains("cannot be written"), "{said}");
    assert_eq!(printed(&run(3, &resumed)), printed(&run(0, &asked)));
}

#[test]
fn what_ranks_cannot_share_is_refused_by_name() {
    let folder = folder("ranks-refused");
    let rule = rule_in(&folder, GAMES[0].0);
    let few = folder.join("few.nimrule");
    fs::write(&few, "game few\nheaps 3\nmove take from up to 2 heaps\n").expect("it can be");
    let few = few.to_str().expect("a path of text");
    let all: [(&[&str], i32, &str); 5] = [
        (&[&rule], 2, "add `--max`"),
        (&["-", "--max", "4"], 2, "name a file"),
        (
            &[&rule, "--max", "4", "--checkpoint", "kept"],
            2,
            "`--checkpoint` is for one process",
        ),
        (&[few, "--max", "4"], 2, "not divided into columns"),
        (
            &[&rule, "--max", "40", "--memory-limit", "2M"],
            3,
            "of memory on each rank, and the limit of one of them is 2,048 KiB",
        ),
    ];
    for (arguments, status, expected) in all {
        let output = run(2, &[&["solve"], arguments].concat());
        assert_eq!(output.status.code(), Some(status), "{}", words(&output));
        assert_eq!(
            words(&output).matches(expected).count(),
            1,
            "{}",
            words(&output)
        );
        assert_eq!(printed(&output), "");
    }
    let kept = folder.join("kept");
    let kept = kept.to_str().expect("a path of text");
    let output = run(2, &["list", &rule, "--out-of-core", kept]);
    assert!(words(&output).contains("add `--max`"), "{}", words(&output));
    // A position is answered by each rank.
    let output = run(2, &["solve", &rule, "1,1,1,0,0,0"]);
    assert!(
        words(&output).contains("only boxes of `solve` and of `list --out-of-core` are shared")
    );
}

#[test]
fn three_hosts_share_a_box() {
    let folder = folder("ranks-hosts");
    let rule = rule_in(&folder, GAMES[1].0);
    let kept = folder.join("kept");
    let kept = kept.to_str().expect("a path of text");
    let asked = [
        "solve", &rule, "--max", "15", "--box", "--quiet", "--format", "json",
    ];
    let expected = run(0, &asked);
    for options in [&[][..], &["--out-of-core", kept, "--memory-limit", "4M"]] {
        let output = Command::new("tests/ranks/three_hosts.sh")
            .arg(env!("CARGO_BIN_EXE_nimrule"))
            .args([&asked[..], options].concat())
            .current_dir(env!("CARGO_MANIFEST_DIR"))
            .stdin(Stdio::null())
            .output();
        let output = output.expect("there is `bash`");
        if output.status.code() == Some(77) {
            eprintln!("skipped: {}", words(&output));
            return;
        }
        assert_eq!(printed(&output), printed(&expected), "{}", words(&output));
    }
}
