//! Wrong rule files and their error reports. A case is a file
//! `tests/errors/PHASE/CODE.nimrule`, or `CODE.WHAT.nimrule` for a further one
//! of the same code, and beside it the reports as a person sees them.

use crate::cli::{command, nimrule};
use crate::split;
use insta::Settings;
use nimrule::problem::Problems;
use nimrule_engine::no_value;
use nimrule_fixtures::Numbers;
use nimrule_model::expr::Fault;
use nimrule_model::source::Source;
use nimrule_prove::{Reason, Unsupported};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

fn repository() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// The code that a fixture is about, from its path.
fn code_of(path: &Path) -> String {
    let phase = path.parent().and_then(Path::file_name).expect("a phase");
    let name = path.file_name().expect("a name").to_string_lossy();
    let code = name.split('.').next().expect("a code");
    format!("{}::{code}", phase.to_string_lossy())
}

fn fixtures() -> Vec<PathBuf> {
    let mut found = Vec::new();
    for phase in std::fs::read_dir(repository().join("tests/errors")).expect("the fixtures") {
        let phase = phase.expect("a phase").path();
        for file in std::fs::read_dir(&phase).expect("a phase is a folder") {
            let file = file.expect("a file").path();
            if file.extension().is_some_and(|ending| ending == "nimrule") {
                found.push(file);
            }
        }
    }
    found.sort();
    found
}

/// The verb that finds what a fixture is about.
fn verb(path: &Path) -> &'static str {
    let phase = path.parent().and_then(Path::file_name);
    match phase.and_then(|phase| phase.to_str()) {
        Some("prove") => "prove",
        Some("value") => "solve",
        _ => "check",
    }
}

/// What `nimrule check` says of a file, on standard error and standard output;
/// or `nimrule prove` or `nimrule solve`, where these refuse it.
/// A first line `// --set n=2` sets parameters.
fn checked(path: &Path) -> (String, Option<i32>) {
    let text = std::fs::read(path).expect("the fixture can be read");
    let first_line = String::from_utf8_lossy(&text)
        .lines()
        .next()
        .unwrap_or_default()
        .to_owned();
    let settings = first_line.strip_prefix("// --set ").unwrap_or_default();
    let mut command = Command::new(env!("CARGO_BIN_EXE_nimrule"));
    command
        .current_dir(path.parent().expect("a phase"))
        .args([verb(path), "--quiet"])
        .arg(path.file_name().expect("a name"));
    for setting in settings.split_whitespace() {
        command.args(["--set", setting]);
    }
    let output = command.output().expect("nimrule runs");
    let said = [output.stderr, output.stdout].concat();
    (
        String::from_utf8(said).expect("reports are text"),
        output.status.code(),
    )
}

#[test]
fn every_wrong_file_has_its_reports() {
    let failed: Vec<PathBuf> = fixtures()
        .into_iter()
        .filter(|path| std::panic::catch_unwind(|| has_its_reports(path)).is_err())
        .collect();
    assert!(failed.is_empty(), "{failed:#?}");
}

/// Compares the reports about a fixture with those in the snapshot beside it.
fn has_its_reports(path: &Path) {
    let (said, status) = checked(path);
    let code = code_of(path);
    assert!(
        said.lines().any(|line| line.trim() == code),
        "{} is not reported:\n{said}",
        code
    );
    let warnings = split(
        "kinds::nim-sum names::unused move::ends-anyway move::one-sided \
         move::other-measure move::never-applies move::leaves-range \
         heaps::never-set",
    );
    let warning = warnings.contains(&code.as_str()) || verb(path) == "prove";
    assert_eq!(status, Some(if warning { 0 } else { 2 }), "{said}");
    let widest = said.lines().map(|line| line.chars().count()).max();
    assert!(
        widest <= Some(100),
        "{} columns:\n{said}",
        widest.unwrap_or(0)
    );
    let mut settings = Settings::clone_current();
    settings.set_snapshot_path(path.parent().expect("a phase"));
    settings.set_prepend_module_to_snapshot(false);
    settings.remove_snapshot_suffix();
    settings.remove_input_file();
    settings.set_omit_expression(true);
    let name = path.file_stem().expect("a name").to_string_lossy();
    settings.bind(|| insta::assert_snapshot!(name.as_ref(), said));
}

#[test]
fn no_snapshot_is_left_without_its_file() {
    for phase in std::fs::read_dir(repository().join("tests/errors")).expect("the fixtures") {
        for file in std::fs::read_dir(phase.expect("a phase").path()).expect("a folder") {
            let file = file.expect("a file").path();
            if file.extension().is_some_and(|ending| ending == "snap") {
                assert!(
                    file.with_extension("nimrule").exists(),
                    "{} belongs to no file",
                    file.display()
                );
            }
        }
    }
}

/// Why the prover refuses.
const REASONS: [Reason; 4] = [
    Reason::Untranslated,
    Reason::Fault,
    Reason::Numeration,
    Reason::TooLarge,
];

fn unsupported() -> Unsupported {
    Unsupported::new("", (0, 0).into())
}

/// The codes that the enums of all phases have.
fn codes() -> BTreeSet<String> {
    [
        "crates/syntax/src/problem.rs",
        "crates/analysis/src/problem.rs",
        "crates/elaborate/src/problem.rs",
        "crates/elaborate/src/problem/multiset.rs",
        "crates/elaborate/src/problem/board.rs",
    ]
    .iter()
    .map(|file| std::fs::read_to_string(repository().join(file)).expect("the enum"))
    .flat_map(|text| {
        text.split("code(\"")
            .skip(1)
            .map(|rest| rest.split('"').next().expect("an end").to_owned())
            .collect::<Vec<_>>()
    })
    .chain(REASONS.map(|reason| {
        Unsupported {
            reason,
            ..unsupported()
        }
        .code_name()
        .to_owned()
    }))
    .chain(Fault::ALL.map(|fault| no_value::code(fault).to_owned()))
    .collect()
}

/// The sections of the error index: the code, and what is said of it.
fn sections() -> Vec<(String, String)> {
    let index =
        std::fs::read_to_string(repository().join("docs/src/errors.md")).expect("the index");
    index
        .split("\n## `")
        .skip(1)
        .map(|section| {
            let (code, page) = section.split_once("`\n").expect("a heading is a code");
            (code.to_owned(), page.to_owned())
        })
        .collect()
}

#[test]
fn every_code_has_its_fixture_and_its_page() {
    let codes = codes();
    assert!(codes.len() > 40, "the codes are read from the source");
    let with_fixture: BTreeSet<String> = fixtures().iter().map(|path| code_of(path)).collect();
    assert_eq!(codes, with_fixture);
    let with_page: Vec<String> = sections().into_iter().map(|(code, _)| code).collect();
    assert_eq!(codes.len(), with_page.len(), "a page for each code");
    assert_eq!(codes, with_page.into_iter().collect());
}

#[test]
fn the_examples_of_the_index_are_those_of_the_fixtures() {
    for (code, page) in sections() {
        let examples: Vec<&str> = page.split("```\n").skip(1).step_by(2).collect();
        let [wrong, mended] = examples.as_slice() else {
            panic!("{code}: a wrong example and its mend");
        };
        let shown = fixtures()
            .iter()
            .filter(|path| code_of(path) == code)
            .any(|path| {
                let text = std::fs::read(path).expect("the fixture can be read");
                String::from_utf8_lossy(&text).contains(wrong.trim_end())
            });
        assert!(shown, "{code}: no fixture has\n{wrong}");
        assert_ne!(wrong, mended, "{code}");
    }
}

#[test]
fn the_fixes_of_the_index_are_valid() {
    for (code, page) in sections() {
        let mended = page.split("```\n").nth(3).expect("a mend");
        if let Err(problems) = compile(mended) {
            for problem in &problems.reports {
                let found = problem.problem.code_name();
                assert!(
                    !found.starts_with("syntax::"),
                    "{code}: {found} in\n{mended}"
                );
                assert_ne!(found, code, "{mended}");
            }
        }
    }
}

#[test]
fn explain_agrees_with_the_index() {
    let explain = |arguments: &[&str]| {
        let output = nimrule([&["explain"], arguments].concat());
        (
            String::from_utf8(output.stdout).expect("text"),
            String::from_utf8(output.stderr).expect("text"),
            output.status.code(),
        )
    };
    let (all, _, status) = explain(&[]);
    assert_eq!(status, Some(0));
    assert_eq!(all.lines().count(), codes().len());
    assert!(all.lines().all(|line| line.chars().count() <= 90), "{all}");
    let (page, _, status) = explain(&["board::no-cells"]);
    assert_eq!(status, Some(0));
    insta::assert_snapshot!(page, @r"
    board::no-cells

    The board has no cells of this kind.

    Circles, rows, complete graphs and boards in `graph { … }` have vertices and
    edges and no faces; lines, and heaps `above` and `below` another, belong to
    grids.

        board circle(6)
        heaps on faces

    Put the heaps on cells that exist, or choose another board.

        board circle(6)
        heaps on vertices
    ");
    let (_, said, status) = explain(&["board::no-cell"]);
    assert_eq!(status, Some(2));
    assert!(said.contains("did you mean `board::no-cells`?"), "{said}");
}

/// What a command says on standard output and standard error, in a folder of its
/// own with these files.
fn said(name: &str, files: &[(&str, &str)], arguments: &[&str]) -> (String, String, Option<i32>) {
    let folder = std::env::temp_dir().join(format!("nimrule-{name}-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder can be made");
    for (file, text) in files {
        std::fs::write(folder.join(file), text).expect("a file can be written");
    }
    let output = command(arguments).current_dir(&folder).output();
    let output = output.expect("nimrule runs");
    std::fs::remove_dir_all(&folder).expect("the folder is there");
    (
        String::from_utf8(output.stdout).expect("text"),
        String::from_utf8(output.stderr).expect("text"),
        output.status.code(),
    )
}

const PLAIN: (&str, &str) = ("plain.nimrule", "game p\nheaps a\nmove take from a\n");
const FAULTY: (&str, &str) = (
    "faulty.nimrule",
    "game f\nheaps a\nmove take t from a where a <= 2 or 5 mod (a - 3) == t\n",
);

#[test]
fn faults_in_json_have_their_place() {
    let (out, _, status) = said(
        "json",
        &[FAULTY],
        &["solve", "faulty.nimrule", "3", "--format", "json"],
    );
    assert_eq!(status, Some(2), "{out}");
    let answer: serde_json::Value = serde_json::from_str(&out).expect("an answer in JSON");
    assert_eq!(answer["message"], "a division by zero, in the position (3)");
    let problem = &answer["problems"][0];
    assert_eq!(problem["code"], "value::division");
    let label = &problem["labels"][0];
    let (line, column, length) = (&label["line"], &label["column"], &label["length"]);
    assert_eq!((line, column), (&3.into(), &36.into()), "{out}");
    assert_eq!(length, "5 mod (a - 3)".len());
}

#[test]
fn faults_in_sums_are_shown_in_their_own_file() {
    for more in [&[][..], &["--misere"]] {
        let arguments = ["sum", "plain.nimrule:2", "faulty.nimrule:3"];
        let arguments = [&arguments, more].concat();
        let (_, said, status) = said("sum", &[PLAIN, FAULTY], &arguments);
        assert_eq!(status, Some(2), "{said}");
        assert!(said.contains("[faulty.nimrule:3:36]"), "{said}");
        assert!(said.contains("in the position (3)"), "{said}");
        assert!(!said.contains("plain.nimrule:3"), "{said}");
    }
}

#[test]
fn faults_of_the_game_that_a_claim_names_are_shown_in_its_file() {
    let claim = (
        "claim.nimrule",
        "game c\nheaps a\nmove take from a\nclaim same as faulty\n",
    );
    let (_, said, status) = said("same", &[claim, FAULTY], &["test", "claim.nimrule"]);
    assert_eq!(status, Some(2), "{said}");
    assert!(said.contains("[faulty.nimrule:3:36]"), "{said}");
}

#[test]
fn every_engine_shows_the_same_place() {
    let file = (
        "all.nimrule",
        "game all\nheaps a b\nmove take t from a where 5 div (b - 1) >= t\n",
    );
    let mut places = BTreeSet::new();
    for engine in ["table", "memo"] {
        for more in [&[][..], &["--grundy"]] {
            let arguments = ["list", "all.nimrule", "--max", "40", "--engine", engine];
            let (_, said, status) = said("engines", &[file], &[&arguments, more].concat());
            assert_eq!(status, Some(2), "{said}");
            let shown = said.lines().filter(|line| line.contains("all.nimrule:"));
            places.extend(shown.map(str::to_owned));
        }
    }
    assert_eq!(places.len(), 1, "{places:?}");
}

// ------------------------------------------------------------- robustness

fn compile(text: &str) -> Result<nimrule::Compiled, Problems> {
    let source = Source::new("test", text);
    // Whatever file a board is taken from, it is the complete graph of four.
    let file = |_: &str| Ok(b"C~\n".to_vec());
    nimrule::compile(&source, &nimrule_elaborate::Settings::new(), &file)
}

/// Compiles in a thread with little stack and says which codes come out. It
/// takes well under a second; ten times that leaves room for a busy machine.
fn codes_in(stack: usize, text: String) -> Vec<String> {
    let head: String = text.chars().take(80).collect();
    let begun = Instant::now();
    let codes = std::thread::Builder::new()
        .stack_size(stack)
        .spawn(move || match compile(&text) {
            Ok(_) => Vec::new(),
            Err(problems) => problems
                .reports
                .iter()
                .map(|report| report.problem.code_name())
                .collect(),
        })
        .expect("a thread starts")
        .join()
        .expect("nothing panics");
    let took = begun.elapsed();
    assert!(took < crate::WHEN_BUSY, "{took:?} for {head}");
    codes
}

const KIB: usize = 1024;

fn game(claim: &str) -> String {
    format!("game g \"G\"\nheaps a b\nmove take from one heap\nclaim P iff {claim}\n")
}

/// A way to nest: what opens, the middle, what closes.
const NESTS: [(&str, &str, &str); 14] = [
    ("(", "a", ")"),
    ("{", "a", "}"),
    ("heaps[", "a", "]"),
    ("not ", "a == b", ""),
    ("-", "a", ""),
    ("- (", "a", ")"),
    ("not (", "a == b", ")"),
    ("sum(", "a", ")"),
    ("if a == b then ", "a == b", " else b == a"),
    ("if ", "a == b", " then a == b else b == a"),
    ("let x = 1 in ", "x == a", ""),
    ("exists x in 1..2: ", "a == b", ""),
    ("forall x in 1..2: ", "a == b", ""),
    ("like (a, b) where ", "a == b", ""),
];

fn nested(way: (&str, &str, &str), depth: usize) -> String {
    let (open, middle, close) = way;
    let inner = format!("{}{middle}{}", open.repeat(depth), close.repeat(depth));
    let is_number = middle == "a";
    game(&if is_number {
        format!("a == {inner}")
    } else {
        inner
    })
}

#[test]
fn nesting_ten_thousand_deep_is_refused() {
    for way in NESTS {
        let codes = codes_in(512 * KIB, nested(way, 10_000));
        assert_eq!(codes, ["syntax::too-deep"], "{way:?}");
    }
}

#[test]
fn nesting_never_overflows_the_stack() {
    // From what is accepted to what is refused, and laid out in every way that
    // might fool the scan.
    for way in NESTS {
        for depth in [30, 63, 64, 100, 125, 126, 127, 128, 129, 200] {
            codes_in(2048 * KIB, nested(way, depth));
        }
    }
    let minuses = "-".repeat(120);
    for text in [
        game(&format!("a == {}b", format!("{minuses} (").repeat(120))),
        game(&"not not not not (".repeat(3000)),
        game(&"heaps[1] == 1 and if a == b then\n".repeat(3000)),
        game(&format!("a == {}b", "\nheaps[1] +".repeat(3000))),
        game(&format!("a == {}b", "\nheaps[1] - (".repeat(3000))),
        game(&"let x = 1 in\nheaps[1] == 1 and ".repeat(3000)),
        game(&"a in 1..\nheaps[1] and ".repeat(3000)),
        game(&"a in 1..\nheaps and (".repeat(3000)),
        format!("game g\nboard circle({}3)\n", "-".repeat(10_000)),
        format!("game g\nboard circle({}3)\n", "1+".repeat(10_000)),
        format!(
            "game g\nboard planar from \"x\" number {}3\n",
            "1-".repeat(10_000)
        ),
        format!("game g\nboard planar {}\n", "{ A - ".repeat(10_000)),
        format!("game g\nmove take {}1 from one heap\n", "-".repeat(10_000)),
        format!("game g\nheaps {}1\n", "(".repeat(10_000)),
        format!("game g\nparam n = {}1\n", "powers(".repeat(10_000)),
    ] {
        let codes = codes_in(2048 * KIB, text.clone());
        assert!(!codes.is_empty(), "{}", &text[..60]);
    }
}

#[test]
fn some_nesting_is_accepted() {
    for way in NESTS.iter().filter(|way| {
        !matches!(
            way.0,
            "{" | "let x = 1 in " | "exists x in 1..2: " | "forall x in 1..2: " | "if "
        )
    }) {
        let depth = if way.0.starts_with("like") { 1 } else { 60 };
        let codes = codes_in(2048 * KIB, nested(*way, depth));
        assert_eq!(codes, [] as [&str; 0], "{way:?}");
    }
}

#[test]
fn a_statement_of_ten_thousand_operators_is_refused() {
    for (operator, wrap) in [
        (" + ", "a == "),
        (" and a == ", "a == "),
        (" implies a == ", "a == "),
        (" == ", ""),
        (" - ", "a == "),
        (" ^ ", "a == "),
    ] {
        let row = |count: usize| game(&format!("{wrap}{}", vec!["b"; count + 1].join(operator)));
        let codes = codes_in(512 * KIB, row(10_000));
        assert_eq!(codes, ["syntax::too-long"], "{operator}");
        // What is just short enough must be carried by a small stack.
        codes_in(2048 * KIB, row(450));
        codes_in(2048 * KIB, row(990));
    }
}

#[test]
fn a_long_board_is_no_long_statement() {
    let edges: String = (0..900).map(|i| format!("v{i} - v{} ", i + 1)).collect();
    let text =
        format!("game g\nboard graph {{ {edges} }}\nheaps on edges\nmove take from one vertex\n");
    assert_eq!(codes_in(2048 * KIB, text), [] as [&str; 0]);
}

#[test]
fn garbage_is_rejected_quickly() {
    const LENGTH: usize = 1 << 18;
    let mut numbers = Numbers::new(0x2545_f491_4f6c_dd1d);
    let words = [
        "move", "take", "heaps", "game", "claim", "from", "like", "if", "let", "then", "(", ")",
        "[", "]", "{", "}", "a", "12", "==", "\"", "\n", "//", "&&", "one", "not", "-", "P", "iff",
        "gaem", "clam", "mvoe", "é", "≤", "@",
    ];
    let mut texts: Vec<String> = [
        "x",
        "(",
        "move ",
        "\"\n",
        "heaps ",
        "-",
        "1",
        "é",
        "\n",
        "%",
        "not ",
        "gaem\n",
        "move tkae\n",
        "heaps\n",
        "a b ",
    ]
    .iter()
    .map(|piece| piece.repeat(LENGTH / piece.len()))
    .collect();
    for separator in ["", " "] {
        let mut text = String::new();
        while text.len() < LENGTH {
            text.push_str(words[numbers.below(words.len())]);
            text.push_str(separator);
        }
        texts.push(text);
    }
    let mut noise = String::new();
    while noise.len() < LENGTH {
        noise.extend(char::from_u32(numbers.below(0x3000)));
    }
    texts.push(noise);
    let mut ascii = String::new();
    while ascii.len() < LENGTH {
        ascii.extend(char::from_u32(32 + numbers.below(95)));
    }
    texts.push(ascii);
    for text in texts {
        let codes = codes_in(2048 * KIB, text);
        assert!(!codes.is_empty());
        assert!(codes.len() <= 100);
    }
}

#[test]
fn a_report_of_a_long_line_is_short() {
    let text = game(&format!(
        "a == {}2b{}",
        "b + ".repeat(300),
        " + b".repeat(300)
    ));
    let problems = compile(&text).expect_err("a product without its sign");
    for report in &problems.reports {
        let mut shown = String::new();
        miette::GraphicalReportHandler::new_themed(miette::GraphicalTheme::unicode_nocolor())
            .render_report(&mut shown, report)
            .expect("a report can be written");
        assert!(shown.contains("2b"), "{shown}");
        assert!(shown.len() < 1000, "{shown}");
    }
    assert_eq!(problems.reports.len(), 1);
}

/// What an error about an unused name of an amount suggests is without problems, and is the game
/// that the word means.
#[test]
fn what_an_unused_amount_suggests_is_the_game_meant() {
    /// Whether taking so many tokens of so many is meant.
    type IsMeant = fn(u64, u64) -> bool;
    let cases: [(&str, &str, IsMeant); 14] = [
        ("take odd from n", "", |t, _| t % 2 == 1),
        ("take odds from one heap", "", |t, _| t % 2 == 1),
        (
            "take even from one heap where total > 2 or n == 3",
            "",
            |t, n| t % 2 == 0 && (t > 2 || n == 3),
        ),
        ("take even from one heap as t where t < 9", "", |t, n| {
            t % 2 == 0 && n < 9
        }),
        ("take half from n", "", |t, n| 2 * t == n),
        ("take half from one heap where total > 1", "", |t, n| {
            2 * t == n && t > 1
        }),
        ("take most from one heap as pile", "", |t, n| 2 * t > n),
        ("take few from n", "", |t, _| t <= 3),
        ("take any from n where total != 2", "", |t, _| t != 2),
        ("take k from n", "", |_, _| true),
        ("take three from n", "", |t, _| t == 3),
        ("take prime from n", "", |t, _| [2, 3, 5, 7].contains(&t)),
        ("take fibonaci from n", "", |t, _| {
            [1, 2, 3, 5, 8].contains(&t)
        }),
        (
            "optionally take odd from n then take limti from n",
            "param limit = 2",
            |t, _| t == 2 || (t > 2 && t % 2 == 1),
        ),
    ];
    for (step, before, is_meant) in cases {
        let mut text = format!("game g\n{before}\nheaps n\nmove {step}\n");
        for _ in 0..2 {
            if let Some(corrected) = corrected(&text) {
                text = corrected;
            }
        }
        let compiled = compile(&text).unwrap_or_else(|_| panic!("{text}"));
        assert!(compiled.warnings.is_empty(), "{text}");
        let graph = nimrule_ir::lower(&compiled.game);
        for n in 0..10 {
            let options = nimrule_ir::moves(&graph, &[n]).expect("there is no fault");
            let meant = (0..n).filter(|left| is_meant(n - left, n));
            let meant: Vec<Vec<u64>> = meant.map(|left| vec![left]).collect();
            assert_eq!(options, meant, "{step}, as {text}: {n}");
        }
    }
    // Of several heaps, an odd number in all or from each.
    for (written, is_meant) in [
        (
            "where total",
            (|d: &[u64]| d.iter().sum::<u64>() % 2 == 1) as fn(&[u64]) -> bool,
        ),
        ("where each", |d| {
            d.iter().all(|one| *one == 0 || one % 2 == 1)
        }),
    ] {
        let text = "game g\nheaps a b\nmove take odd from up to 2 heaps\n";
        let help = miette::Diagnostic::help(&unused_amounts(text)[0])
            .expect("help")
            .to_string();
        let step = help
            .split('`')
            .find(|part| part.contains(written))
            .expect("a step");
        let text = format!("game g\nheaps a b\nmove {step}\n");
        let compiled = compile(&text).unwrap_or_else(|_| panic!("{text}"));
        let options = nimrule_ir::moves(&nimrule_ir::lower(&compiled.game), &[4, 3]);
        let all = (0..=4).flat_map(|a| (0..=3).map(move |b| vec![a, b]));
        let meant = all.filter(|q| q != &[4, 3] && is_meant(&[4 - q[0], 3 - q[1]]));
        assert_eq!(options, Ok(meant.collect()), "{step}");
    }
    // Nothing that may mean several games is offered as an edit.
    for step in [
        "take half from n",
        "take most from n",
        "take few from n",
        "take squarefree from n",
    ] {
        let text = format!("game g\nheaps n\nmove {step}\n");
        assert!(unused_amounts(&text)[0].replacement().is_none(), "{step}");
    }
    // A name that something reads, or that begins with `_`, is none.
    for step in [
        "take odd from n where odd mod 2 == 1",
        "take _odd from n",
        "take t from n then put t on m",
        "take equal t from all heaps where t < 3",
    ] {
        let text = format!("game g\nheaps n m\nmove {step}\n");
        assert!(unused_amounts(&text).is_empty(), "{step}");
    }
    for step in ["split one heap into odd, even", "replace one heap by half"] {
        let text = format!("game g\nheaps any number\nmove {step}\n");
        assert!(!unused_amounts(&text).is_empty(), "{step}");
    }
}

fn unused_amounts(text: &str) -> Vec<nimrule_elaborate::CheckProblem> {
    let file = nimrule_syntax::parse(text).file;
    let no_files = |_: &str| Err("no files".to_owned());
    let settings = nimrule_elaborate::Settings::new();
    let mut problems = nimrule_elaborate::elaborate(&file, text, &settings, &no_files).problems;
    problems.retain(|problem| {
        let code = miette::Diagnostic::code(problem).map(|code| code.to_string());
        code.as_deref() == Some("names::unused-amount")
    });
    problems
}

/// The text with the edit of its first unused amount or, without one, with the first step that the
/// help writes.
fn corrected(text: &str) -> Option<String> {
    let problem = unused_amounts(text).into_iter().next()?;
    let help = miette::Diagnostic::help(&problem)
        .expect("there is help")
        .to_string();
    let (at, with) = match problem.replacement() {
        Some(edit) => (
            edit.at.offset()..edit.at.offset() + edit.at.len(),
            edit.with,
        ),
        None => {
            let begin = text.find("take").expect("the step");
            let end = begin + text[begin..].find('\n').expect("the end of the line");
            let written = help.split('`').find(|part| part.starts_with("take"));
            (
                begin..end,
                written.unwrap_or_else(|| panic!("{help}")).to_owned(),
            )
        }
    };
    let mut corrected = text.to_owned();
    corrected.replace_range(at, &with);
    Some(corrected)
}

/// Steps that no heap of a range can hold, and moves that never apply, in every kind of game.
#[test]
fn what_a_range_cannot_hold_is_warned_of() {
    let warned = |text: &str| {
        let text = format!("game g\n{text}\n");
        let compiled = compile(&text).unwrap_or_else(|_| panic!("{text}"));
        let codes = compiled
            .warnings
            .reports
            .iter()
            .filter_map(miette::Diagnostic::code);
        let codes = codes.map(|code| code.to_string());
        codes
            .filter(|code| code != "names::unused")
            .collect::<Vec<_>>()
    };
    let put = "move for some c in 1..3 put c on one heap as v where v == 0";
    let leaves = ["move::leaves-range"];
    for text in [
        format!("heaps a b of size 0..2\n{put}"),
        format!("board graph {{ p-q-r }}\nheaps on vertices of size 0..2\n{put}"),
        "heaps a b of size 1..4\nmove take from one heap\nmove take 2 from a then put 4 on b"
            .to_owned(),
        "heaps a b of size 0..2\nmove put 1..3 on one heap as v where v == 0".to_owned(),
        "heaps a b of size 0..2\npositions may repeat\nmove for some c in {0, 1, 3} set one heap as v \
         to c where v != c"
            .to_owned(),
        "heaps a b of size 0..2\nmove put 3 on one heap as v where v == 0".to_owned(),
        "heaps any number of size 0..2\npositions may repeat\nmove take from one heap\n\
         move put 2..3 on one heap"
            .to_owned(),
        "heaps any number\nstate s in 0..2 = 0\n\
         move for some c in 1..3 take from one heap then set s to c"
            .to_owned(),
        "heaps any number of size 0..4\npositions may repeat\nmove replace one heap by 1, 5"
            .to_owned(),
    ] {
        assert_eq!(warned(&text), leaves, "{text}");
    }
    for text in [
        // A heap of the range can hold these, or the step is an end of counting.
        "heaps a b of size 0..3\nmove for some c in 1..3 put c on one heap as v where v == 0",
        "heaps a b of size 0..2\nmove put 1..2 on one heap",
        "heaps a b of size 0..2\nmove put 3 on a then take 2 from a then take 1 from b",
        "heaps a b of size 0..2\nstate s in 0..9 = 0\nmove take from one heap then set s to 5",
        "heaps any number of size 0..2\nmove take from one heap",
        "heaps any number\nstate s in 0..2 = 0\nmove take from one heap then set s to min(s + 1, 2)",
        "heaps any number\nmove take 40 from one heap\nmove take from one heap as h where h < 30",
    ] {
        assert_eq!(warned(text), [""; 0], "{text}");
    }
    for heaps in [
        "heaps a b",
        "heaps any number",
        "kinds x, y\nheaps any number",
    ] {
        let text = format!("{heaps}\nmove take all from one heap as p then put p on one heap");
        assert_eq!(warned(&text), ["move::never-applies"], "{text}");
    }
}
