//! The rule files of the tests, and the definition's options of their positions.

use nimrule::{Compiled, compile};
use nimrule_definition as definition;
use nimrule_elaborate::Settings;
use nimrule_ir as ir;

use nimrule_model::game::{Game, PositionKind, Side};
use nimrule_model::source::Source;
use std::path::{Path, PathBuf};

/// All rule files in `games` and `tests/games`.
pub fn every_game() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut games: Vec<PathBuf> = ["games", "tests/games"]
        .into_iter()
        .flat_map(|folder| std::fs::read_dir(root.join(folder)).expect("the folder is there"))
        .map(|entry| entry.expect("the folder can be read").path())
        .filter(|path| path.extension().is_some_and(|e| e == "nimrule"))
        .collect();
    games.sort();
    assert!(games.len() > 15, "where are the games?");
    games
}

/// Those whose positions are vectors of heap sizes, so that boxes of positions exist.
pub fn every_game_of_heaps() -> Vec<PathBuf> {
    let mut games = every_game();
    games.retain(|path| compiled(path).game.position_kind == PositionKind::Heaps);
    assert!(games.len() > 15, "where are the games?");
    games
}

/// A game's name with its folder, for messages.
pub fn label(path: &Path) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let path = path.strip_prefix(root).unwrap_or(path);
    path.to_string_lossy().replace('\\', "/")
}

/// Compiles a game's file at the defaults of its parameters.
pub fn compiled(path: &Path) -> Compiled {
    let text = std::fs::read_to_string(path).expect("the game can be read");
    let folder = path.parent().expect("the game is in a folder").to_owned();
    compile(&Source::new(label(path), text), &Settings::new(), &|name| {
        std::fs::read(folder.join(name)).map_err(|e| e.to_string())
    })
    .unwrap_or_else(|problems| panic!("{} does not compile: {problems:?}", label(path)))
}

/// Compares the options by the definition with those of a graph at one position; if a
/// side is given, for the moves of that side.
pub fn compare(
    game: &Game,
    graph: &ir::MoveGraph,
    side: Option<Side>,
    position: &[u64],
) -> Result<(), String> {
    let ours = definition::options(game, position, side);
    let theirs = ir::moves(graph, position);
    match (&ours, &theirs) {
        (Ok(ours), Ok(theirs)) if ours.iter().eq(theirs) => Ok(()),
        (Ok(ours), Ok(theirs)) => {
            let missing: Vec<_> = ours.iter().filter(|o| !theirs.contains(o)).collect();
            let extra: Vec<_> = theirs.iter().filter(|o| !ours.contains(*o)).collect();
            Err(format!(
                "at {position:?} the graph misses {missing:?} and adds {extra:?}"
            ))
        }
        (Err(_), Err(_)) => Ok(()),
        _ => Err(format!(
            "at {position:?} the definition says {ours:?}, the graph {theirs:?}"
        )),
    }
}
