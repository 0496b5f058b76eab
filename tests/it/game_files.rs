//! The rule files of the tests, and the definition's options of their positions.

use nimrule_definition as definition;
use nimrule_fixtures::{game_files, game_of_file, shipped_text};
use nimrule_ir as ir;

use nimrule_model::game::{Game, PositionKind, Side};
use nimrule_model::source::Source;
use std::path::{Path, PathBuf};

/// Those whose positions are vectors of heap sizes, so that boxes of positions exist.
pub fn every_game_of_heaps() -> Vec<PathBuf> {
    let mut games = game_files();
    games.retain(|path| game_of_file(path).position_kind == PositionKind::Heaps);
    assert!(games.len() > 15, "where are the games?");
    games
}

/// A game's name with its folder, for messages.
pub fn label(path: &Path) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let path = path.strip_prefix(root).unwrap_or(path);
    path.to_string_lossy().replace('\\', "/")
}

/// The shipped game `NAME.nimrule`, for questions to the library.
pub fn shipped(name: &str) -> nimrule::Game {
    let games = Path::new(env!("CARGO_MANIFEST_DIR")).join("games");
    let read = move |file: &str| std::fs::read(games.join(file)).map_err(|error| error.to_string());
    let source = Source::new(format!("{name}.nimrule"), shipped_text(name));
    nimrule::Game::from_source(source, read).unwrap_or_else(|error| panic!("{name}: {error:?}"))
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
