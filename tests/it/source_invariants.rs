//! Checks of the source files for the invariants that `src/lib.rs` states.

use crate::split;
use nimrule_syntax::{self as syntax, words};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// A file of this package: its path from the root, and its text.
struct Written {
    path: String,
    text: String,
}

impl Written {
    /// The text without its module of tests, which stands last.
    fn code(&self) -> &str {
        self.text
            .find("\n#[cfg(test)]\n")
            .map_or(&self.text, |tests| &self.text[..tests])
    }

    /// The lines of code, numbered, without comments.
    fn lines(&self) -> impl Iterator<Item = (usize, &str)> {
        let lines = self.code().lines().enumerate();
        lines.map(|(number, line)| {
            let end = line.find("//").unwrap_or(line.len());
            (number + 1, &line[..end])
        })
    }

    /// The module at the top of the crate that the file belongs to.
    fn module(&self) -> &str {
        let inside = self.path.strip_prefix("src/").unwrap_or(&self.path);
        let end = inside.find(['/', '.']).unwrap_or(inside.len());
        &inside[..end]
    }
}

/// Every Rust file below a folder.
fn files_below(folder: &str) -> Vec<Written> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut folders = vec![root.join(folder)];
    let mut files = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("the folder can be read") {
            let path = entry.expect("the folder can be read").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "rs") {
                let name = path.strip_prefix(root).expect("it is below the root");
                files.push(Written {
                    path: name.to_string_lossy().replace('\\', "/"),
                    text: fs::read_to_string(&path).expect("the file can be read"),
                });
            }
        }
    }
    files.sort_by(|a, b| a.path.cmp(&b.path));
    assert!(!files.is_empty(), "nothing below {folder}");
    files
}

/// Every file of the facade and its members.
fn sources() -> Vec<Written> {
    let mut files = files_below("src");
    files.extend(files_below("crates"));
    // What only tests or Cargo use may print, and use as many threads as it likes.
    let of_tests = ["crates/fixtures/", "crates/testing/"];
    files.retain(|file| {
        let is_for_tests = of_tests.iter().any(|folder| file.path.starts_with(folder));
        !is_for_tests && !file.path.contains("/tests/") && !file.path.ends_with("/build.rs")
    });
    files
}

/// Panics with the places, if there are any, at which `wrong` says something.
fn nowhere(files: &[Written], wrong: impl Fn(&Written, &str) -> Option<String>) {
    let mut places = Vec::new();
    for file in files {
        for (number, line) in file.lines() {
            if let Some(what) = wrong(file, line) {
                places.push(format!("{}:{number}: {what}", file.path));
            }
        }
    }
    assert!(places.is_empty(), "{}", places.join("\n"));
}

fn is_word_letter(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_'
}

/// The only readers of a rule's moves as written: what makes them, what lowers
/// them, and the two independent readings. All else reads the lowered graph.
const READ_MOVES: &str = "crates/analysis crates/checker crates/definition crates/elaborate \
         crates/ir/src/lower.rs crates/ir/src/unroll.rs crates/model";

/// The names that a file imports from a module of the model, once per import.
fn imported<'t>(text: &'t str, module: &str) -> Vec<&'t str> {
    let path = format!("nimrule_model::{module}::");
    text.match_indices(&path)
        .flat_map(|(at, path)| {
            let rest = &text[at + path.len()..];
            let (list, end) = match rest.strip_prefix('{') {
                Some(list) => (list, list.find('}')),
                None => (rest, rest.find(|c| !is_word_letter(c))),
            };
            list[..end.unwrap_or(list.len())].split(',').map(str::trim)
        })
        .collect()
}

#[test]
fn moves_are_read_off_the_lowered_graph() {
    assert_eq!(
        imported("use nimrule_model::game::{\n    Action, Game,\n};", "game"),
        ["Action", "Game", ""]
    );
    let mut places = Vec::new();
    for file in sources() {
        if split(READ_MOVES)
            .iter()
            .any(|folder| file.path.starts_with(folder))
        {
            continue;
        }
        for named in imported(file.code(), "game") {
            if ["Move", "Action", "Selection", "Step", "ForSome"].contains(&named) {
                places.push(format!("{}: names `game::{named}`", file.path));
            }
        }
        for (number, line) in file.lines() {
            if line.contains("game.moves") {
                places.push(format!("{}:{number}: reads `Game::moves`", file.path));
            }
        }
    }
    assert!(places.is_empty(), "{}", places.join("\n"));
}

#[test]
fn the_core_does_no_input_or_output() {
    let words = split(
        "println! print! eprintln! eprint! dbg! std::fs std::io std::env \
         std::process std::thread std::net rayon",
    );
    nowhere(&sources(), |file, line| {
        let found = words.iter().find(|word| line.contains(**word))?;
        // The one place that runs threads, as many as its limits say.
        let sweeps = file.path == "crates/kernels/src/threads.rs" && *found == "std::thread";
        (file.module() != "cli" && file.module() != "main" && !sweeps)
            .then(|| format!("`{found}` outside of cli"))
    });
}

/// Who answers is decided by `nimrule_answer` alone: what asks names none of those that
/// answer. It may show the data of a proof, which `nimrule_answer::proof` exports.
#[test]
fn one_crate_chooses_who_answers() {
    let answerers = split(
        "nimrule_prove nimrule_checker nimrule_real nimrule_discover ClaimChecker \
         ClaimTables engine::fill engine::answer fill_region fails_at check_alone",
    );
    nowhere(&files_below("src"), |file, line| {
        if file.path == "src/lib.rs" {
            return None;
        }
        let found = answerers.iter().find(|word| line.contains(**word))?;
        Some(format!(
            "names `{found}`: ask a session of `nimrule_answer`"
        ))
    });
}

/// The clock of `std` panics in a browser; `nimrule_limits` exports one that does not.
#[test]
fn the_core_has_one_clock() {
    nowhere(&sources(), |file, line| {
        let of_a_host =
            line.contains("std::time") && (line.contains("Instant") || line.contains("SystemTime"));
        let may = file.module() == "cli" || file.path.starts_with("crates/limits/");
        (of_a_host && !may).then(|| "names a clock other than that of the limits".to_owned())
    });
}

#[test]
fn nothing_is_unsafe_and_nothing_is_unwrapped() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let workspace = fs::read_to_string(root.join("Cargo.toml")).expect("the manifest is there");
    assert!(workspace.contains("[workspace.lints.rust]\nunsafe_code = \"forbid\"\n"));
    for member in fs::read_dir(root.join("crates")).expect("the members are there") {
        let member = member.expect("it can be read").path();
        let text = fs::read_to_string(member.join("Cargo.toml"));
        let text = text.expect("a member has a manifest");
        // What wasm-bindgen and self_cell write has unsafe code; the sources have none.
        let is_of_a_host = member.ends_with("wasm") || member.ends_with("host");
        assert!(is_of_a_host || text.contains("[lints]\nworkspace = true\n"));
    }
    nowhere(&sources(), |_, line| {
        ["\u{2e}unwrap()", "todo!", "unimplemented!", "unsafe {"]
            .iter()
            .find(|word| line.contains(**word))
            .map(|word| format!("`{word}`: say why it holds, or what to do"))
    });
}

/// The files that keep a hash table, each with the name of the table.
const HASHES: [(&str, &str); 12] = [
    ("crates/automata/src/memo.rs", "results"),
    ("crates/checker/src/dfa.rs", "known"),
    ("crates/checker/src/search.rs", "known"),
    ("crates/answer/src/sum/search.rs", "known"),
    ("crates/answer/src/sum/by_side.rs", "known"),
    ("crates/answer/src/sum/values.rs", "known"),
    ("crates/engine/src/memo.rs", "known"),
    ("crates/engine/src/nimbers/components.rs", "of_cells"),
    ("crates/engine/src/nimbers/components.rs", "of_form"),
    ("crates/engine/src/nimbers/components.rs", "of_options"),
    ("crates/engine/src/nimbers/search.rs", "of_sums"),
    ("crates/engine/src/retrograde/position_index.rs", "known"),
];

/// Order never depends on a hash: the tables that hash are asked for single
/// entries only.
#[test]
fn no_hash_decides_an_order() {
    nowhere(&sources(), |file, line| {
        let hashes = ["HashMap", "HashSet", "FxHashSet"]
            .iter()
            .any(|word| line.contains(word));
        let kept = HASHES.iter().filter(|(path, _)| *path == file.path);
        if kept.clone().next().is_none() {
            return hashes.then(|| "keeps a hash table".to_owned());
        }
        let uses = kept.flat_map(|(_, table)| line.match_indices(table));
        uses.into_iter().find_map(|(at, word)| {
            let after = &line[at + word.len()..];
            let single = [
                "[",
                ".is_empty(",
                ".get(",
                ".entry(",
                ".contains_key(",
                ".insert(",
                ".len(",
                ".clear(",
                ": FxHashMap",
            ]
            .iter()
            .any(|way| after.starts_with(way));
            (!single).then(|| format!("`{word}{after}` may depend on the order of a hash"))
        })
    });
}

#[test]
fn no_test_is_left_out() {
    let tests = files_below("tests");
    for file in sources().iter().chain(&tests) {
        for (number, line) in file.text.lines().enumerate() {
            let line = line.trim_start();
            assert!(
                !line.starts_with("#[ignore") && !line.starts_with("#[should_panic"),
                "{}:{}: {line}",
                file.path,
                number + 1
            );
        }
    }
}

/// A crate is compiled once for its tests, as the library that others use, too: a test inside it
/// would not be run. Its tests are one program, and no two programs have the same name, so that
/// `cargo test --test NAME` builds one.
#[test]
fn a_crate_is_compiled_once_for_its_tests() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut programs = BTreeSet::from(["it", "full", "ranks"].map(String::from));
    for member in fs::read_dir(root.join("crates")).expect("the members are there") {
        let folder = member.expect("it can be read").path();
        let name = folder.file_name().expect("a name").to_string_lossy();
        let manifest = fs::read_to_string(folder.join("Cargo.toml"));
        let manifest = manifest.expect("a member has a manifest");
        let (_, library) = manifest.split_once("\n[lib]\n").unwrap_or_default();
        let library = library.split("\n[").next().unwrap_or_default();
        for key in ["test", "bench"] {
            let is_off = library.lines().any(|line| line == format!("{key} = false"));
            assert!(is_off, "{name}: `[lib]` lacks `{key} = false`");
        }
        for file in files_below(&format!("crates/{name}/src")) {
            for (number, line) in file.text.lines().enumerate() {
                let inside = [
                    "#[test]",
                    "cfg(test",
                    "cfg(all(test",
                    "cfg_attr(test",
                    "proptest! {",
                ];
                let found = inside.iter().find(|words| line.contains(**words));
                let place = format!("{}:{}", file.path, number + 1);
                assert_eq!(found, None, "{place}: a test that is not run");
            }
        }
        assert!(
            !manifest.contains("[[test]]"),
            "{name}: tests are found by their place"
        );
        let tests = fs::read_dir(folder.join("tests")).into_iter().flatten();
        let tests = tests.map(|entry| entry.expect("it can be read").path());
        let own: Vec<String> = tests
            .filter(|path| path.is_file() || path.join("main.rs").is_file())
            .map(|path| {
                path.file_stem()
                    .expect("a name")
                    .to_string_lossy()
                    .into_owned()
            })
            .collect();
        assert!(own.len() <= 1, "{name}: {own:?} are several programs");
        for program in own {
            assert!(
                programs.insert(program),
                "{name}: another program has its name"
            );
        }
    }
}

#[test]
fn every_keyword_is_reserved_or_contextual() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let grammar =
        fs::read_to_string(root.join("grammar/nimrule.pest")).expect("the grammar is there");
    let start = grammar.find("\nreserved ").expect("words are reserved");
    let (before, reserved) = grammar.split_at(start);
    let (reserved, after) = reserved.split_at(reserved.find('}').expect("the rule ends"));
    let mut keywords = 0;
    for line in before.lines().chain(after.lines()) {
        let line = line.split("//").next().unwrap_or_default();
        let Some(rule) = line.strip_prefix("kw_") else {
            // A word elsewhere would have no name to be reported by.
            let literal = line.split('"').skip(1).step_by(2);
            for text in literal {
                let is_word = text.chars().all(|c| c.is_ascii_alphabetic());
                assert!(!is_word || text.is_empty(), "`{text}` is no rule: {line}");
            }
            continue;
        };
        keywords += 1;
        let name = rule.split_whitespace().next().unwrap_or_default();
        let word = rule.split('"').nth(1).unwrap_or_default();
        assert_eq!(name, word.to_lowercase(), "the rule is called as its word");
        assert!(
            line.contains("~ edge_of_word"),
            "`{word}` would begin longer words"
        );
        let row = words::find(word).unwrap_or_else(|| panic!("the table lacks `{word}`"));
        assert_eq!(
            reserved.contains(&format!("\"{word}\"")),
            row.reserved,
            "{word}"
        );
        if !row.reserved {
            // A word that is not reserved can be a heap's name.
            let text = format!("game g heaps {word} b move take from {word}");
            assert!(
                syntax::parse(&text).problems.is_empty(),
                "`{word}` cannot be a name"
            );
        } else {
            let text = format!("game g heaps {word} b move take from {word}");
            assert!(
                !syntax::parse(&text).problems.is_empty(),
                "`{word}` can be a name"
            );
        }
    }
    assert_eq!(keywords, words::keywords().count(), "the table has others");
    for (function, word) in words::functions() {
        assert!(
            grammar.contains(&format!("kw_{} ", word.spelling)),
            "{function:?}"
        );
    }
}

/// The packages that know the language: each function word is a literal in the table of
/// words alone, and in the rules of the grammar. Names of commands, of JSON fields and of
/// tests are other words.
const KNOW_WORDS: &str = "crates/checker/src crates/claim/src crates/definition/src \
         crates/discover/src crates/editor/src crates/elaborate/src crates/ir/src \
         crates/model/src crates/prove/src crates/real/src crates/symbolic/src \
         crates/syntax/src";

#[test]
fn function_words_are_literals_in_the_table_alone() {
    let files = sources();
    let mut found = 0;
    for (_, word) in words::functions() {
        let literals = [
            format!("\"{}\"", word.spelling),
            format!("\"`{}`\"", word.spelling),
        ];
        for file in &files {
            if !split(KNOW_WORDS)
                .iter()
                .any(|folder| file.path.starts_with(folder))
            {
                continue;
            }
            for (number, line) in file.lines() {
                if literals.iter().any(|literal| line.contains(literal)) {
                    found += 1;
                    let place = format!("{}:{number}: {line}", file.path);
                    assert_eq!(file.path, "crates/syntax/src/words.rs", "{place}");
                }
            }
        }
    }
    assert_eq!(found, words::functions().count(), "one line a word");
}

#[test]
fn equality_of_trees_ignores_places() {
    let narrow = "game g board circle(4)shrinking move take slow from all heaps \
        move take equal 1..2 from up to 2 heaps as p where total!=heaps[1]and p is not p \
        claim P iff like(a,b)where a<b example(1,1,0,0)is P";
    let wide = "game g // a comment\n\n board circle( 4 )\n shrinking move take  slow\n from all heaps
        move\n take  equal 1 .. 2 from up  to 2 heaps  as p\n where total != heaps [ 1 ] and p is  not p
        claim P iff // so they say\n like (a, b) where a < b\n\n example (1, 1, 0, 0) is P";
    assert_eq!(
        syntax::parse(narrow).into_result().expect("it parses"),
        syntax::parse(wide).into_result().expect("it parses")
    );
}

/// What a certificate trusts is small: elaboration knows neither the linear program that
/// finds termination measures nor the checker.
#[test]
fn elaboration_depends_on_no_proof() {
    let manifest = |package: &str| {
        let path = format!("{}/crates/{package}/Cargo.toml", env!("CARGO_MANIFEST_DIR"));
        fs::read_to_string(path).expect("the manifest can be read")
    };
    for package in split("microlp nimrule-checker nimrule-analysis nimrule-discover nimrule-prove")
    {
        for below in ["elaborate", "checker", "model", "syntax"] {
            let named = manifest(below)
                .lines()
                .any(|line| line.starts_with(package));
            assert!(!named, "{below} depends on {package}");
        }
    }
    assert!(manifest("analysis").contains("microlp"));
}

/// What decides whether something is proved knows no search: a search is given to it as a
/// function, and what the search finds is proved like a claim.
#[test]
fn provers_depend_on_no_search() {
    let path = format!("{}/crates/prove/Cargo.toml", env!("CARGO_MANIFEST_DIR"));
    let manifest = fs::read_to_string(path).expect("the manifest can be read");
    assert!(!manifest.contains("nimrule-discover"));
}
