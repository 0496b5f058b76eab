//! The proof cache: proofs are found again, checked, and never used for another rule.
#![cfg(unix)]

use crate::cli::{command, printed};
use nimrule_answer::{Effort, MemoryStore, Session};
use nimrule_engine::{Limits, Solver};
use nimrule_fixtures::{Numbers, shipped};
use nimrule_limits::Steps;
use nimrule_limits::checkpoint::{self, CheckpointError, Identity, Part};
use nimrule_model::game::{Convention, Game};
use nimrule_prove::Dfa;
use nimrule_prove::certificate::{Check, Proves, check};
use nimrule_prove::proof_cache::{self, CachedProof, FormSearch, ProofOrigin, identity};
use nimrule_prove::proved_outcomes::ProvedOutcomes;
use num_bigint::BigUint;
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

static LIMITS: Limits = Limits::of_memory(1 << 30);
const RULE: [u8; 32] = [7; 32];

/// Reads what was kept out of bytes, if they are whole.
fn read(identity: &Identity, game: &Game, bytes: &[u8]) -> Result<CachedProof, CheckpointError> {
    let mut left = bytes;
    checkpoint::verify(bytes.len() as u64, &mut checkpoint::reader(&mut left))?;
    left = bytes;
    proof_cache::read(identity, game, &mut checkpoint::reader(&mut left), &LIMITS)
}

/// The set of a game, as it is kept, and its bytes.
fn kept(game: &Game, convention: Convention) -> Option<(CachedProof, Vec<u8>)> {
    let session = Session::new(game, LIMITS.clone());
    let known = session.known(convention).expect("nothing stops it")?;
    let kept = CachedProof {
        by: known.origin.clone(),
        form: known.form.clone(),
        set: known.outcomes.set().as_ref().clone(),
    };
    let of = identity(game, convention, &RULE);
    let text = kept.written(&of, game, &LIMITS).expect("it is small");
    Some((kept, text))
}

#[test]
fn cached_proofs_round_trip() {
    let games = [
        ("cube_edge", &[][..]),
        ("cube_vertex_slow", &[]),
        ("circular_nim", &[("n", 5), ("k", 2)]),
        ("shrinking_circular_nim", &[("n", 5), ("k", 3)]),
        ("trim", &[("piles", 3)]),
        ("wythoff", &[]),
        ("greedy_nim", &[]),
    ];
    let mut compared = 0;
    for (name, params) in games {
        let game = shipped(name, params);
        for convention in [Convention::Normal, Convention::Misere] {
            let Some((before, text)) = kept(&game, convention) else {
                continue;
            };
            let of = identity(&game, convention, &RULE);
            let after = read(&of, &game, &text).expect("it was just written");
            assert_eq!(after.by, before.by, "{name}");
            assert_eq!(after.form, FormSearch::NotSought);
            assert_eq!(after.set.states(), before.set.states(), "{name}");
            assert_eq!(after.written(&of, &game, &LIMITS), Some(text), "{name}");
            let solver = Solver::new(&game);
            assert_eq!(after.differs_at(&solver, convention, &LIMITS), None);
            let checked = check(
                &game,
                Proves::PPositions,
                None,
                convention,
                &after.set,
                &LIMITS,
            );
            assert!(matches!(checked, Ok(Check::Accepted(_))), "{name}");
            // A long position has the same answer.
            let position: Vec<BigUint> = (0..game.heap_count() as u32)
                .map(|heap| BigUint::from(3 + heap).pow(200 + heap))
                .collect();
            let [before, after] = [before, after].map(|kept| {
                ProvedOutcomes::new(&game, convention, Arc::new(kept.set))
                    .outcome(&position, &LIMITS)
                    .expect("it is decided")
            });
            assert_eq!(before, after, "{name}");
            compared += 1;
        }
    }
    assert!(compared >= 12, "only {compared} were proved");
}

#[test]
fn forms_are_cached_with_their_sets() {
    let game = shipped("cube_edge", &[]);
    let (before, _) = kept(&game, Convention::Normal).expect("its claim is proved");
    let of = identity(&game, Convention::Normal, &RULE);
    for form in [
        FormSearch::NotSought,
        FormSearch::None,
        FormSearch::Words("a \"b\",\"checksum\":\"0\"".to_owned()),
    ] {
        let before = CachedProof {
            by: ProofOrigin::Claim("P iff {\"set\": \\".to_owned()),
            form: form.clone(),
            set: before.set.clone(),
        };
        let text = before.written(&of, &game, &LIMITS).expect("it is small");
        let after = read(&of, &game, &text).expect("it was just written");
        assert_eq!((after.form, after.by), (form, before.by));
    }
}

/// Changes a few bytes: other bits, bytes left out, bytes twice.
fn changed(numbers: &mut Numbers, whole: &[u8]) -> Vec<u8> {
    let mut bytes = whole.to_vec();
    for _ in 0..=numbers.below(3) {
        let at = numbers.below(bytes.len());
        match numbers.below(5) {
            0 => drop(bytes.remove(at)),
            1 => bytes.insert(at, bytes[at]),
            2 => bytes[at] = b'0' + numbers.below(10) as u8,
            3 => bytes.truncate(at.max(1)),
            _ => bytes[at] ^= 1 << numbers.below(8),
        }
    }
    bytes
}

#[test]
fn changed_cache_files_are_rejected() {
    let game = shipped("circular_nim", &[("n", 5), ("k", 2)]);
    let (_, text) = kept(&game, Convention::Normal).expect("its claim is proved");
    let of = identity(&game, Convention::Normal, &RULE);
    let mut numbers = Numbers::new(1);
    let mut refused = 0;
    for _ in 0..1000 {
        let changed = changed(&mut numbers, &text);
        if changed == text {
            continue;
        }
        let unfit = read(&of, &game, &changed).err();
        let is_refused = matches!(
            unfit,
            Some(CheckpointError::Damaged | CheckpointError::Foreign)
        );
        assert!(is_refused, "{unfit:?}: {changed:?}");
        refused += 1;
    }
    assert!(refused > 900);
}

#[test]
fn the_identity_has_rule_convention_and_parameters() {
    let game = shipped("circular_nim", &[("n", 5), ("k", 2)]);
    let normal = Convention::Normal;
    let (_, text) = kept(&game, normal).expect("its claim is proved");
    let larger = shipped("circular_nim", &[("n", 5), ("k", 3)]);
    let shrinking = shipped("shrinking_circular_nim", &[("n", 5), ("k", 2)]);
    let others = [
        (&game, identity(&game, normal, &[8; 32]), "another rule"),
        (
            &game,
            identity(&game, Convention::Misere, &RULE),
            "normal play",
        ),
        (
            &larger,
            identity(&larger, normal, &RULE),
            "other parameters",
        ),
        (
            &game,
            identity(&game, normal, &RULE).with(Part::Semantics, "1"),
            "version 2 of the semantics",
        ),
        (
            &shrinking,
            identity(&shrinking, normal, &RULE),
            "another game",
        ),
    ];
    let own = identity(&game, normal, &RULE);
    for (game, of, what) in &others {
        let Err(CheckpointError::Other(why)) = read(of, game, &text) else {
            panic!("it is not of {what}");
        };
        assert!(why.to_string().starts_with(what), "{why}");
        assert_ne!(proof_cache::name(of, game), proof_cache::name(&own, game));
    }
}

/// A text that is whole and false is found out by small positions.
#[test]
fn false_sets_are_detected_by_the_engines() {
    let game = shipped("circular_nim", &[("n", 5), ("k", 2)]);
    let misere = kept(&game, Convention::Misere).expect("its set is found").0;
    let solver = Solver::new(&game);
    let differs = |set: Dfa, convention| {
        let by = ProofOrigin::Claim(String::new());
        let form = FormSearch::NotSought;
        CachedProof { by, form, set }.differs_at(&solver, convention, &LIMITS)
    };
    let nothing = Dfa::constant(misere.set.numeration(), false);
    assert_eq!(differs(nothing, Convention::Normal), Some(vec![0; 5]));
    assert!(differs(misere.set.clone(), Convention::Normal).is_some());
    assert_eq!(differs(misere.set, Convention::Misere), None);
}

/// A folder of this test alone, with a rule file in it.
fn folder(name: &str, rule: &str) -> PathBuf {
    let folder = crate::long_runs::folder(&format!("kept-{name}"));
    fs::write(folder.join("rule.nimrule"), rule).expect("the folder can be written");
    folder
}

/// The status, the answer, and what stands on standard error.
fn run(folder: &Path, arguments: &[&str]) -> (Option<i32>, String, String) {
    let output = command(arguments).current_dir(folder).output();
    let output = output.expect("the binary runs");
    // Where lines break depends on the length of paths.
    let err = String::from_utf8_lossy(&output.stderr);
    let err: Vec<&str> = err.split_whitespace().collect();
    (output.status.code(), printed(&output), err.join(" "))
}

fn json_of(folder: &Path, arguments: &[&str]) -> (Value, String) {
    let arguments = [arguments, &["--format", "json"]].concat();
    let (status, out, err) = run(folder, &arguments);
    assert_eq!(status, Some(0), "{out}{err}");
    (serde_json::from_str(&out).expect("the answer is JSON"), err)
}

/// The files that are kept.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder.join(".nimrule"));
    let mut files: Vec<PathBuf> = entries
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path())
        .collect();
    files.sort();
    files
}

const CUBE: &str = "game cube
board cube
heaps on faces as a b c A B C
move take from one edge
claim P iff a ^ A == b ^ B == c ^ C
";

/// Far beyond the engines, and N by one move.
const FAR: &str = "1000000,2000000,3000000,4000000,5000000,6000000";

#[test]
fn cached_proofs_answer() {
    let folder = folder("answers", CUBE);
    let solve = ["solve", "rule.nimrule", FAR];
    let (cold, err) = json_of(&folder, &solve);
    assert!(err.contains("searching for a proof for all sizes"), "{err}");
    assert_eq!(cold["method"], "proof");
    assert_eq!(cold["basis"], "proved");
    assert_eq!(cold["outcome"], "N");
    let moves = json!([[1000000, 2000000, 3000000, 4000000, 2936768, 2067840]]);
    assert_eq!(cold["winning_moves"], moves);
    assert_eq!(files(&folder).len(), 1);
    let (kept, err) = json_of(&folder, &solve);
    assert_eq!((kept, err.as_str()), (cold.clone(), ""));
    // Comments, claims and examples do not change the rule.
    let said = CUBE.replace(
        "claim P",
        "// Theorem 3\nexample (1,0,0,0,0,0) is N\nclaim N",
    );
    let said = said.replace("==", "!=") + "claim P only if a <= a\n";
    fs::write(folder.join("rule.nimrule"), said).expect("it can be written");
    let (other_words, err) = json_of(&folder, &solve);
    assert_eq!((other_words, err.as_str()), (cold, ""));
    assert_eq!(files(&folder).len(), 1);
    // What an engine answers at once is left to it.
    let (near, _) = json_of(&folder, &["solve", "rule.nimrule", "1,2,3,4,5,6"]);
    assert_eq!(near["method"], "hypergraph");
}

#[test]
fn cached_proofs_are_used_for_their_own_rule_only() {
    let folder = folder("changed", CUBE);
    let write = |rule: &str| {
        fs::write(folder.join("rule.nimrule"), rule).expect("it can be written");
    };
    let vertices = CUBE.replace("one edge", "one vertex");
    let heaps = "game cube\nparam n = 5 in 2..\nboard circle(n)\nmove take from n - 1 \
                 consecutive heaps\nclaim P iff min(heaps) == max(heaps)\n";
    let cube = "1000000,1000000,7,9,1000000,1000007";
    let circle = "100000,100000,100000,100000,100001";
    let questions: [(&str, &[&str]); 5] = [
        (CUBE, &[cube]),
        (CUBE, &[cube, "--misere"]),
        // The same words about another rule, of which they are false.
        (&vertices, &[cube]),
        (heaps, &[circle]),
        (heaps, &["100000,100000,100001", "--set", "n=3"]),
    ];
    let mut known = Vec::new();
    for (rule, arguments) in questions {
        let before = files(&folder);
        write(rule);
        let all = [&["solve", "rule.nimrule"], arguments].concat();
        let (answer, _) = json_of(&folder, &all);
        let mut after = files(&folder);
        after.retain(|file| !before.contains(file));
        assert_eq!(after.len(), 1, "{all:?}");
        known.push((rule, all, answer, after.remove(0)));
    }
    assert_ne!(known[0].2["winning_moves"], known[2].2["winning_moves"]);
    // What lies in the place of another is refused, and made anew.
    for (number, (rule, all, answer, file)) in known.iter().enumerate() {
        let own = fs::read(file).expect("it is there");
        for (other_number, (.., other)) in known.iter().enumerate() {
            if number == other_number {
                continue;
            }
            fs::copy(other, file).expect("it can be copied");
            write(rule);
            let (again, err) = json_of(&folder, all);
            assert_eq!(again, *answer);
            assert!(err.contains("is not used: it is for"), "{err}");
            assert_eq!(fs::read(file).expect("it is there"), own);
        }
    }
}

#[test]
fn damaged_proofs_are_computed_again() {
    let folder = folder("damaged", CUBE);
    let solve = ["solve", "rule.nimrule", FAR];
    let (right, _) = json_of(&folder, &solve);
    let [path] = <[PathBuf; 1]>::try_from(files(&folder)).expect("one is kept");
    let text = fs::read(&path).expect("it is there");
    let mut numbers = Numbers::new(2);
    for _ in 0..40 {
        let changed = changed(&mut numbers, &text);
        fs::write(&path, &changed).expect("it can be written");
        let (answer, err) = json_of(&folder, &solve);
        assert_eq!(answer, right);
        let is_changed = changed != text;
        assert_eq!(err.contains("is not used: it is"), is_changed);
        assert_eq!(fs::read(&path).expect("it is there"), text);
    }
    assert_eq!(files(&folder), [path]);
}

/// The file with another text in its place, and with the length of its text and its checksum
/// right.
fn with_text(whole: &[u8], change: impl Fn(&str) -> String) -> Vec<u8> {
    let body = &whole[..whole.len() - blake3::OUT_LEN];
    let (begin, end) = (b"{\"proves\"", body.len() - 8);
    let text = body.windows(begin.len()).position(|at| at == begin);
    let text = text.expect("it has a text");
    let words = std::str::from_utf8(&body[text..end]).expect("it is a text");
    let lie = change(words);
    let length = (lie.len() as u64).to_le_bytes();
    let mut file = [&body[..text - 8], &length, lie.as_bytes(), &body[end..]].concat();
    let checksum = blake3::hash(&file);
    file.extend_from_slice(checksum.as_bytes());
    file
}

/// The file with an empty set, or the set of all positions.
fn with_set(whole: &[u8], start: u8) -> Vec<u8> {
    with_text(whole, |words| {
        let (before, _) = words.split_once("\"set\":").expect("it has a set");
        format!("{before}\"set\":{{\"start\":{start},\"accepting\":[],\"nodes\":[]}}}}")
    })
}

/// A text that is whole and says something false of a right set.
#[test]
fn false_claims_and_forms_of_a_set_are_not_repeated() {
    let folder = folder("false_words", CUBE);
    let discover = ["discover", "rule.nimrule"];
    assert_eq!(run(&folder, &["prove", "rule.nimrule"]).0, Some(0));
    let (right, _) = json_of(&folder, &discover);
    let [path] = <[PathBuf; 1]>::try_from(files(&folder)).expect("one is kept");
    let whole = fs::read(&path).expect("it is there");
    let changed = |from: &'static str, to: &'static str| {
        with_text(&whole, |words| {
            assert_eq!(words.matches(from).count(), 1, "{words}");
            words.replace(from, to)
        })
    };
    let form = format!("\"form\":{}", right["form"]);
    let form: &'static str = Box::leak(form.into_boxed_str());
    let claim = "{\"claim\":\"P iff a ^ A == b ^ B == c ^ C\"}";
    let lies = [
        (
            form,
            "\"form\":\"a == A and b == B and c == C\"",
            "its closed form",
        ),
        (form, "\"form\":\"a ==\"", "its closed form"),
        (claim, "{\"claim\":\"P iff a == A\"}", "its claim"),
        (
            claim,
            "{\"claim\":\"N iff a ^ A == b ^ B == c ^ C\"}",
            "its claim",
        ),
        (
            claim,
            "{\"claim\":\"misere P iff a ^ A == b ^ B == c ^ C\"}",
            "its claim",
        ),
        (claim, "{\"claim\":\"P only if a == A\"}", "its claim"),
        (claim, "{\"claim\":\"grundy == a\"}", "its claim"),
        (claim, "{\"claim\":\"P iff\"}", "its claim"),
    ];
    for (from, to, why) in lies {
        fs::write(&path, changed(from, to)).expect("it can be written");
        let (answer, err) = json_of(&folder, &discover);
        assert!(err.contains(why), "{to}: {err}");
        assert_eq!(answer["form"], right["form"], "{to}");
    }
    // The claim of the file has the words of a lie: it is not proved by them.
    fs::write(&path, changed(claim, "{\"claim\":\"P iff a == A\"}")).expect("it can be written");
    let rule = CUBE.replace("a ^ A == b ^ B == c ^ C", "a == A");
    fs::write(folder.join("rule.nimrule"), rule).expect("it can be written");
    let (status, out, err) = run(&folder, &["test", "rule.nimrule"]);
    assert_eq!(status, Some(1), "{out}{err}");
    // True words of claims that the file does not have are no lies.
    for to in [
        "P if a == b == c == 0 and A == B == C == 0",
        "N if a == A + 1 and b == B and c == C",
    ] {
        let to = format!("{{\"claim\":\"{to}\"}}");
        let kept = with_text(&whole, |words| words.replace(claim, &to));
        fs::write(&path, kept).expect("it can be written");
        let (_, err) = json_of(&folder, &discover);
        assert_eq!(err, "", "{to}");
    }
}

/// A file that is whole and false, as nobody but a liar would write it: what
/// small positions tell is refused, and replaced.
#[test]
fn false_proofs_are_computed_again() {
    let folder = folder("false", CUBE);
    let solve = ["solve", "rule.nimrule", FAR];
    let (right, _) = json_of(&folder, &solve);
    let [path] = <[PathBuf; 1]>::try_from(files(&folder)).expect("one is kept");
    let whole = fs::read(&path).expect("it is there");
    for set in [0, 1] {
        let lie = with_set(&whole, set);
        for verb in [&solve[..], &["discover", "rule.nimrule"]] {
            fs::write(&path, &lie).expect("it can be written");
            let (answer, err) = json_of(&folder, verb);
            assert!(err.contains("contradicts the engines"), "{err}");
            assert!(verb[0] == "discover" || answer == right);
            // A discovery adds a closed form to what a proof holds.
            let after = fs::read(&path).expect("it is there");
            assert!(verb[0] == "discover" || after == whole);
            assert_ne!(after, lie);
        }
    }
}

/// A claim is not proved again, and a search that found no proof is not made again with the work
/// that it had; with more it is.
#[test]
fn searches_are_not_repeated() {
    let effort = |thousands: u64| Effort::COMMAND.proving(Steps(1000 * thousands));
    let claimed = |game: &Game, store: &MemoryStore, effort: Effort| {
        let limits = LIMITS.cap_work(Steps::million(100));
        let session = Session::new(game, limits.clone()).with_store(RULE, store.clone());
        let numbers = session.claims().map(|(number, _)| number);
        let reports = numbers.map(|number| session.claim(number, &effort).expect("it is answered"));
        let said: Vec<String> = reports.map(|report| report.to_string()).collect();
        (
            said.join(", "),
            limits.work.expect("it is bounded").done().0,
        )
    };
    let games = [
        ("nim_on_graphs", 100),
        ("triangle_game", 100),
        ("shrinking_circular_nim", 1000),
    ];
    for (name, work) in games {
        let (game, store) = (shipped(name, &[]), MemoryStore::default());
        let (said, first) = claimed(&game, &store, effort(work));
        let (again, second) = claimed(&game, &store, effort(work));
        assert_eq!(again, said);
        assert!(second < first / 2, "{name}: {first}, then {second}");
        let (_, longer) = claimed(&game, &store, effort(2 * work));
        assert_eq!(
            longer > 2 * second,
            said.contains("holds to"),
            "{name}: {longer}"
        );
    }
}

#[test]
fn nothing_is_cached_if_forbidden_or_impossible() {
    let folder = folder("nowhere", CUBE);
    let (right, _) = json_of(&folder, &["solve", "rule.nimrule", FAR, "--no-cache"]);
    assert_eq!(files(&folder), [""; 0].map(PathBuf::from));
    for verb in ["prove", "discover"] {
        let (status, _, _) = run(&folder, &[verb, "rule.nimrule", "--no-cache"]);
        assert_eq!(status, Some(0));
    }
    assert!(!folder.join(".nimrule").exists());
    let output = command(["solve", "-", FAR, "--format", "json", "--quiet"])
        .current_dir(&folder)
        .stdin(fs::File::open(folder.join("rule.nimrule")).expect("it is there"))
        .output()
        .expect("the binary runs");
    assert!(output.stderr.is_empty());
    assert!(!folder.join(".nimrule").exists());
    // A file in the folder's place: the answer comes all the same.
    fs::write(folder.join(".nimrule"), "").expect("it can be written");
    let (answer, err) = json_of(&folder, &["solve", "rule.nimrule", FAR]);
    assert_eq!(answer, right);
    assert_eq!(err.matches("cannot be cached in").count(), 1, "{err}");
    let (status, _, err) = run(&folder, &["prove", "rule.nimrule"]);
    assert_eq!(status, Some(0));
    assert_eq!(err.matches("cannot be cached in").count(), 1, "{err}");
}

/// A claim about some P-positions is proved by those that `discover` found, in their
/// numeration system.
#[test]
fn prove_uses_what_discover_found() {
    let rule = "game wythoff\nheaps a b\nmove take from one heap\n\
                move take equal from all heaps\nclaim P only if a != b or a == 0\n";
    let folder = folder("discovered_for_a_claim", rule);
    let checked = |arguments: &[&str]| {
        let all = ["prove", "rule.nimrule"];
        let (answer, _) = json_of(&folder, &[&all, arguments].concat());
        assert_eq!(answer["claims"][0]["standing"], json!("proved"), "{answer}");
        answer["claims"][0]["checked"].to_string()
    };
    let of_the_cache = "that of the proof cache";
    assert!(!checked(&[]).contains(of_the_cache));
    assert_eq!(run(&folder, &["discover", "rule.nimrule"]).0, Some(0));
    assert!(checked(&[]).contains(of_the_cache));
    assert!(!checked(&["--no-cache"]).contains(of_the_cache));
    // A false one is refuted.
    let wrong = rule.replace("a != b or a == 0", "a + 1 != b or a == 0");
    fs::write(folder.join("rule.nimrule"), wrong).expect("it can be written");
    let (status, text, _) = run(&folder, &["prove", "rule.nimrule"]);
    assert_eq!(status, Some(1));
    assert!(text.contains("refuted at (1,2)"), "{text}");
}

#[test]
fn discover_uses_the_cache() {
    let rule = CUBE.replace("claim P iff a ^ A == b ^ B == c ^ C\n", "");
    let folder = folder("discovered", &rule);
    let (found, _) = json_of(&folder, &["discover", "rule.nimrule"]);
    let (kept, _) = json_of(&folder, &["discover", "rule.nimrule"]);
    let (_, text, _) = run(&folder, &["discover", "rule.nimrule"]);
    assert!(text.contains("cached: a DFA with 2 states"));
    let path = files(&folder).pop().expect("it is kept");
    let path = path.strip_prefix(&folder).expect("it is there");
    assert_eq!(kept["kept"], json!(path));
    for name in ["standing", "states", "base", "block", "checked", "form"] {
        assert_eq!(found[name], kept[name], "{name}");
        assert!(!kept[name].is_null(), "{name}");
    }
    // A certificate of it is that of the set that was found.
    let verified = |folder: &Path, arguments: &[&str]| {
        let all = ["discover", "rule.nimrule", "--certificate", "."];
        let (answer, _) = json_of(folder, &[&all, arguments].concat());
        let certificate = answer["certificate"].as_str().expect("it is written");
        let (status, _, _) = run(folder, &["verify", certificate, "rule.nimrule"]);
        assert_eq!(status, Some(0));
        fs::read_to_string(folder.join(certificate)).expect("it is there")
    };
    let from_cache = verified(&folder, &[]);
    assert_eq!(from_cache, verified(&folder, &["--no-cache"]));
    // A proof of the claim serves as well, and knows no closed form at first.
    fs::write(folder.join("rule.nimrule"), CUBE).expect("it can be written");
    fs::remove_dir_all(folder.join(".nimrule")).expect("it can be removed");
    assert_eq!(run(&folder, &["prove", "rule.nimrule"]).0, Some(0));
    let (kept, _) = json_of(&folder, &["discover", "rule.nimrule"]);
    assert_eq!(kept["block"], Value::Null);
    assert_eq!(kept["form"], found["form"]);
    let bytes = fs::read(files(&folder).pop().expect("it is kept")).expect("it is there");
    assert!(String::from_utf8_lossy(&bytes).contains("\"form\":\""));
}
