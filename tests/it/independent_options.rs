//! A second, independent implementation of the options of a position, for comparison.
//!
//! [`Rule`] enumerates the options of a position from the syntax tree alone, as the
//! reference states: choose the numbers, the heaps and the amounts in every way,
//! evaluate each `where` at the position at the beginning of its step, and keep what
//! `positions where` allows. It does not use the compiler's expressions, lowered form or
//! checks; it is slow and simple. Here it is compared with [`ir::moves`] on all games.

mod digraph;
mod multiset;
mod rule;
mod value;

pub use rule::Rule;

use nimrule::{Compiled, compile};
use nimrule_elaborate::Settings;
use nimrule_ir as ir;
use nimrule_model::game::{PositionKind, Side};
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

/// A deterministic source of numbers, so that a failure can be reproduced.
pub struct Numbers(u64);

impl Numbers {
    pub fn new(seed: u64) -> Numbers {
        Numbers(seed)
    }

    /// A number below `limit` (Steele, Lea & Flood 2014, splitmix64).
    pub fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % limit
    }
}

/// Compares both enumerations at one position; if a side is given, for the moves of that side.
pub fn compare(
    rule: &Rule<'_>,
    graph: &ir::MoveGraph,
    side: Option<Side>,
    position: &[u64],
) -> Result<(), String> {
    let ours = rule.options_by(position, side);
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
            "at {position:?} the rule says {ours:?}, the graph {theirs:?}"
        )),
    }
}

#[test]
fn the_graph_and_the_rule_have_the_same_options() {
    let mut wrong = Vec::new();
    for path in every_game_of_heaps() {
        let compiled = compiled(&path);
        let game = &compiled.game;
        let mut graphs = vec![(None, ir::lower(game))];
        if game.has_sides() {
            graphs.extend(Side::BOTH.map(|side| (Some(side), ir::lower_for(game, side))));
        }
        let rule = Rule::new(&compiled.file, game.board.as_ref(), &[])
            .unwrap_or_else(|fault| panic!("{}: {fault}", label(&path)));
        assert_eq!(rule.heaps(), game.heap_count(), "{}", label(&path));
        let mut numbers = Numbers::new(7);
        for round in 0..40 {
            // Few tokens on many heaps, more on few: the rule tries them all.
            let most = if round % 4 == 0 {
                2
            } else {
                1 + 24 / rule.heaps() as u64
            };
            let position: Vec<u64> = (0..rule.heaps())
                .map(|_| numbers.below(most.min(9) + 1))
                .collect();
            let differences: Vec<String> = graphs
                .iter()
                .filter_map(|(side, graph)| compare(&rule, graph, *side, &position).err())
                .collect();
            if let Some(difference) = differences.first() {
                wrong.push(format!("{}: {difference}", label(&path)));
                break;
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn multisets_have_the_same_options() {
    let mut bags = 0;
    for path in every_game() {
        let compiled = compiled(&path);
        let game = &compiled.game;
        let PositionKind::Multiset(kinds) = &game.position_kind else {
            continue;
        };
        bags += 1;
        let graph = ir::lower(game);
        let rule = Rule::new(&compiled.file, None, &[])
            .unwrap_or_else(|fault| panic!("{}: {fault}", label(&path)));
        let mut numbers = Numbers::new(11);
        for _ in 0..60 {
            let heaps = numbers.below(4);
            let mut bag: Vec<(u64, usize)> = (0..heaps)
                .map(|_| {
                    let kind = numbers.below(kinds.count());
                    (
                        1 + numbers.below(9),
                        usize::try_from(kind).expect("it is small"),
                    )
                })
                .collect();
            bag.sort_unstable();
            let coded = |bag: &[(u64, usize)]| {
                let mut coded: Vec<u64> = bag
                    .iter()
                    .map(|(size, kind)| kinds.encode(*size, *kind))
                    .collect();
                coded.sort_unstable();
                coded
            };
            let ours = rule.bag_options(&bag).map(|options| {
                let mut options: Vec<Vec<u64>> =
                    options.iter().map(|option| coded(option)).collect();
                options.sort();
                options
            });
            let theirs = ir::moves(&graph, &coded(&bag)).map_err(|fault| fault.to_string());
            match (&ours, &theirs) {
                (Err(_), Err(_)) => {}
                _ => assert_eq!(
                    ours,
                    theirs,
                    "{}: {}",
                    label(&path),
                    game.shown(&coded(&bag))
                ),
            }
        }
    }
    assert!(bags > 5, "where are the bags?");
}
