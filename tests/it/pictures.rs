//! Pictures of positions: what they show, and that every label can be read.

use crate::game_files::{compiled, every_game, label};
use nimrule::compile;
use nimrule_draw::{Area, Picture, Shown, picture};
use nimrule_elaborate::Settings;
use nimrule_model::game::{Applies, Game, PositionKind};
use nimrule_model::source::Source;
use std::path::Path;

fn drawn(game: &Game, position: Option<&[u64]>, after: Option<&[u64]>) -> Picture {
    let shown = Shown {
        heading: game.title.as_deref().unwrap_or(&game.name),
        position,
        after,
    };
    picture(game, shown).expect("the board is small")
}

fn meet(a: &Area, b: &Area) -> bool {
    a.left < b.left + b.width
        && b.left < a.left + a.width
        && a.top < b.top + b.height
        && b.top < a.top + a.height
}

/// What is wrong with a picture.
fn faults(picture: &Picture) -> Vec<String> {
    let mut faults = Vec::new();
    match roxmltree::Document::parse(&picture.svg) {
        Err(error) => faults.push(format!("not XML: {error}")),
        Ok(document) => {
            for tag in ["title", "desc"] {
                let texts = document.descendants();
                let mut texts =
                    texts.filter(|node| node.has_tag_name(("http://www.w3.org/2000/svg", tag)));
                if texts.all(|node| node.text().unwrap_or_default().is_empty()) {
                    faults.push(format!("no {tag}"));
                }
            }
        }
    }
    for (place, (words, area)) in picture.labels.iter().enumerate() {
        if area.left < 0.0
            || area.top < 0.0
            || area.left + area.width > picture.frame.width
            || area.top + area.height > picture.frame.height
        {
            faults.push(format!("`{words}` leaves the frame"));
        }
        for (other, other_area) in &picture.labels[place + 1..] {
            if meet(area, other_area) {
                faults.push(format!("`{words}` covers `{other}`"));
            }
        }
    }
    faults
}

#[test]
fn every_label_of_the_games_can_be_read() {
    let mut wrong = Vec::new();
    let mut drawn_positions = 0;
    for path in every_game() {
        let game = compiled(&path).game;
        let mut positions = vec![None];
        let examples = game.examples.iter();
        let here = examples.filter(|example| example.applies != Applies::Elsewhere);
        positions.extend(here.map(|example| Some(example.position.clone())));
        positions.push(game.start.clone());
        if game.position_kind == PositionKind::Heaps {
            for size in [27, 10_007] {
                positions.push(Some(vec![size; game.heap_count()]));
            }
        }
        for position in positions {
            let picture = drawn(&game, position.as_deref(), None);
            drawn_positions += 1;
            for fault in faults(&picture) {
                wrong.push(format!("{} {position:?}: {fault}", label(&path)));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(drawn_positions > 300, "only {drawn_positions}");
}

#[test]
fn solids_and_graphs_of_every_kind_can_be_read() {
    let boards = [
        "tetrahedron",
        "octahedron",
        "dodecahedron",
        "icosahedron",
        "prism(7)",
        "antiprism(5)",
        "hypercube(4)",
        "planar { a - b - c - a, c - d - e }",
        "graph { a - b, c - d, d - e - c }",
        "complete(6)",
    ];
    let mut wrong = Vec::new();
    for board in boards {
        for cells in ["vertices", "edges", "faces"] {
            let text =
                format!("game g\nboard {board}\nheaps on {cells}\nmove take from one heap\n");
            let Ok(compiled) = rule(&text) else {
                continue;
            };
            let position = vec![123; compiled.heap_count()];
            for fault in faults(&drawn(&compiled, Some(&position), None)) {
                wrong.push(format!("{board}, {cells}: {fault}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn rule(text: &str) -> Result<Game, String> {
    let source = Source::new("the rule", text.to_owned());
    compile(&source, &Settings::new(), &|_| {
        Err("there are no files".to_owned())
    })
    .map(|compiled| compiled.game)
    .map_err(|problems| format!("{problems:?}"))
}

#[test]
fn each_kind_of_board_has_its_picture() {
    for (name, text, before, after) in [
        (
            "solid_faces",
            "board cube heaps on faces move take from one edge",
            Some("3,4,5,1,0,2"),
            Some("3,2,5,1,0,2"),
        ),
        (
            "solid_edges",
            "board tetrahedron heaps on edges move take from one vertex",
            None,
            None,
        ),
        (
            "prism",
            "board prism(5) heaps on vertices move take from one edge",
            None,
            None,
        ),
        (
            "circle",
            "board circle(5) move take from 2 consecutive heaps",
            Some("1,2,3,4,5"),
            None,
        ),
        (
            "shrinking_row",
            "board row(4) shrinking move take from one heap",
            Some("1,0,3,4"),
            None,
        ),
        (
            "grid",
            "board grid(2, 3) move take from one line",
            Some("1,1,0,1,1,1"),
            None,
        ),
        (
            "planar",
            "board planar { a - b - c - a, c - d } heaps on faces move take from one edge",
            None,
            None,
        ),
        (
            "graph",
            "board graph { a - b - c - a, c - d } heaps on edges move take from one vertex",
            None,
            None,
        ),
        (
            "loose",
            "heaps 4 move take from one heap",
            Some("3,4,50,0"),
            Some("1,4,50,0"),
        ),
        (
            "multiset",
            "heaps any number move take 1..2 from one heap leaving 0..2 heaps",
            Some("{3,5}"),
            Some("{2,2,3}"),
        ),
        (
            "tokens",
            "board digraph { 0 -> 1 -> 2 -> 3 0 -> 2 } tokens 1 move slide one token",
            Some("0"),
            Some("2"),
        ),
        (
            "squares",
            "board digraph (x in 0..3, y in 0..2) { (x,y) -> (z,y) where z < x } tokens 2 move slide one token",
            Some("((2,1),(3,0))"),
            None,
        ),
    ] {
        let game =
            rule(&format!("game {name} {text}")).unwrap_or_else(|why| panic!("{name}: {why}"));
        let before = before.map(|written| position(&game, written));
        let after = after.map(|written| position(&game, written));
        let picture = drawn(&game, before.as_deref(), after.as_deref());
        assert_eq!(faults(&picture), [] as [String; 0], "{name}");
        insta::assert_snapshot!(format!("picture_{name}"), picture.svg);
    }
}

fn position(game: &Game, written: &str) -> Vec<u64> {
    let text = if written.starts_with(['(', '{']) {
        written.to_owned()
    } else {
        format!("({written})")
    };
    let parsed = nimrule_syntax::parse_position(&text).expect("a position");
    nimrule_elaborate::position_in(game, &parsed, &text).expect("a position of the game")
}

/// The README's picture is what its command draws.
#[test]
fn the_pictures_of_the_documents_are_current() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    for (file, arguments) in [
        (
            "cube.svg",
            &["games/cube_edge.nimrule", "3,4,5,1,1,1", "--move"][..],
        ),
        ("circle.svg", &["games/circular_nim.nimrule", "7,2,5,4,2"]),
        ("planar.svg", &["games/planar_edge.nimrule"]),
        ("prism.svg", &["games/prism_vertex.nimrule"]),
        ("heaps.svg", &["games/nim.nimrule", "3,4,5,0", "--move"]),
    ] {
        let output = std::process::Command::new(env!("CARGO_BIN_EXE_nimrule"))
            .arg("draw")
            .args(arguments)
            .current_dir(root)
            .output()
            .expect("the program starts");
        assert!(output.status.success(), "{output:?}");
        let path = root.join("docs/src/images").join(file);
        let drawn = String::from_utf8(output.stdout).expect("an SVG is text");
        if std::env::var_os("NIMRULE_DOCUMENTS").is_some_and(|value| value == "write") {
            std::fs::write(&path, &drawn).expect("the picture can be written");
        }
        let kept = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(kept == drawn, "{file} is not what `draw` draws now");
    }
}
