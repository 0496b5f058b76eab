//! Pictures as PNG, plots, and sheets as PDF.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn file(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("full-pictures");
    std::fs::create_dir_all(&folder).expect("a folder can be made");
    folder.join(name)
}

fn nimrule(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_nimrule"))
        .args(arguments)
        .current_dir(root())
        .env_remove("TERM")
        .output()
        .expect("the binary runs")
}

/// The width and height of a PNG, from its first chunk.
fn size_of_png(bytes: &[u8]) -> (u32, u32) {
    assert_eq!(&bytes[..8], b"\x89PNG\r\n\x1a\n");
    let number = |at: usize| {
        let four = bytes[at..at + 4].try_into().expect("four bytes");
        u32::from_be_bytes(four)
    };
    (number(16), number(20))
}

#[test]
fn a_png_has_two_pixels_for_each_unit_of_the_svg() {
    let path = file("cube.png");
    let name = path.to_str().expect("a path");
    let output = nimrule(&["draw", "games/cube_edge.nimrule", "3,4,5,1,1,1", "-o", name]);
    assert!(output.status.success(), "{output:?}");
    let (width, height) = size_of_png(&std::fs::read(&path).expect("the file is written"));
    let svg = nimrule(&["draw", "games/cube_edge.nimrule", "3,4,5,1,1,1"]);
    let svg = String::from_utf8(svg.stdout).expect("it is text");
    let sizes = format!("width=\"{}\"", width / 2);
    assert!(svg.contains(&sizes) && svg.contains(&format!("height=\"{}\"", height / 2)));
}

#[test]
fn a_sheet_has_no_divided_position_and_its_solutions_on_the_last_page() {
    let pages = |count: &str| {
        let path = file(&format!("sheet-{count}.pdf"));
        let name = path.to_str().expect("a path");
        let sheet = ["sheet", "games/cube_edge.nimrule", "--count", count];
        let output = nimrule(&[&sheet[..], &["-o", name]].concat());
        assert!(output.status.success(), "{output:?}");
        let bytes = std::fs::read(&path).expect("the file is written");
        assert!(bytes.starts_with(b"%PDF-"));
        // The list of the pages has a name that begins in the same way.
        let parts = bytes.windows(11);
        let parts = parts.filter(|part| part.starts_with(b"/Type/Page"));
        parts.filter(|part| !part.ends_with(b"s")).count()
    };
    // Two rows of two boards fit a page, and the solutions have one of their own.
    assert_eq!(
        [pages("1"), pages("4"), pages("5"), pages("8")],
        [2, 2, 3, 3]
    );
}

#[test]
fn an_automaton_is_drawn_as_png() {
    let path = file("automaton.png");
    let name = path.to_str().expect("a path");
    let output = nimrule(&[
        "discover",
        "games/nim.nimrule",
        "--no-cache",
        "--draw",
        name,
    ]);
    assert!(output.status.success(), "{output:?}");
    let (width, height) = size_of_png(&std::fs::read(&path).expect("the file is written"));
    assert!(width > 300 && height > 200);
}

#[test]
fn plots_of_the_book_are_current() {
    let page =
        std::fs::read_to_string(root().join("docs/src/pictures.md")).expect("the page can be read");
    let mut plots = 0;
    for line in page.lines().filter(|line| line.contains("--plot")) {
        let Some(words) = line.strip_prefix("nimrule ") else {
            continue;
        };
        plots += 1;
        let mut words: Vec<&str> = words.split_whitespace().collect();
        let name = words.pop().expect("a command has words");
        words.truncate(words.len() - 1);
        let output = nimrule(&words);
        assert!(output.status.success(), "{output:?}");
        let drawn = String::from_utf8(output.stdout).expect("it is text");
        assert!(drawn.contains("role=\"img\"") && drawn.contains("<desc id=\"description\">"));
        let path = root().join("docs/src/images").join(name);
        if std::env::var_os("NIMRULE_DOCUMENTS").is_some_and(|how| how == "write") {
            std::fs::write(&path, &drawn).expect("the image can be written");
        }
        let kept = std::fs::read_to_string(&path).expect("the image is there");
        assert!(kept == drawn, "`{name}` is not what `{line}` draws");
    }
    assert_eq!(plots, 3);
}

#[test]
fn plots_show_all_outcomes_of_partizan_games() {
    let output = nimrule(&[
        "draw",
        "games/partizan_subtraction.nimrule",
        "--plot",
        "--max",
        "12",
    ]);
    let drawn = String::from_utf8(output.stdout).expect("it is text");
    assert!(drawn.contains("L-positions"), "{drawn}");
}

#[test]
fn wrong_plots_say_what_to_do() {
    let said = |arguments: &[&str]| {
        let output = nimrule(arguments);
        assert_eq!(output.status.code(), Some(2), "{output:?}");
        let said = String::from_utf8(output.stderr).expect("it is text");
        said.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let cube = "games/cube_edge.nimrule";
    assert!(said(&["draw", cube, "--plot"]).contains("fix all heaps but two, as in `--fix c=0`"));
    let wythoff = "games/wythoff.nimrule";
    let large = ["draw", wythoff, "--plot", "--max", "200"];
    assert!(said(&large).contains("the limit is 199"));
    assert!(said(&["draw", wythoff, "--terminal"]).contains("standard output is none"));
}
