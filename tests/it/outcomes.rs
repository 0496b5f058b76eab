//! A snapshot of the outcomes of each shipped game, by the library alone: what a change of a
//! rule, an engine or a symmetry changes is a line of its snapshot. The book includes this
//! page as its recipe.

use nimrule::{Error, Game, Source};
use std::collections::BTreeMap;
use std::path::Path;

// ANCHOR: recipe
/// The positions of a box by Grundy value, or by outcome where positions have no values: how
/// many there are, and one position of each orbit under the symmetries of the rule, of at most
/// thirty orbits.
fn outcomes(game: &Game, max: u64) -> Result<String, Error> {
    let mut classes: BTreeMap<String, (u128, Vec<String>)> = BTreeMap::new();
    let mut add = |class: String, position: Vec<u64>, orbit: u128| {
        let (count, orbits) = classes.entry(class).or_default();
        *count += orbit;
        orbits.push(game.display(&position));
    };
    match game.grundy_table(max) {
        Ok(values) => {
            for (position, value, orbit) in values.up_to_symmetry() {
                add(format!("value {value:2}"), position, orbit);
            }
        }
        // Partizan and loopy games, and those in which options may be blocked.
        Err(Error::NoGrundyValue) => {
            for (position, outcome, orbit) in game.table(max)?.up_to_symmetry() {
                add(outcome.to_string(), position, orbit);
            }
        }
        Err(error) => return Err(error),
    }
    let mut report = format!("heaps of at most {max}\n");
    for (class, (count, orbits)) in classes {
        report += &format!("{class}: {count} positions, {} orbits\n", orbits.len());
        for position in orbits.iter().take(30) {
            report += &format!("    {position}\n");
        }
    }
    Ok(report)
}
// ANCHOR_END: recipe

/// The largest heaps of a box of at most a thousand positions; at least one token.
fn largest(game: &Game) -> u64 {
    let positions = |max: u64| (max + 1).checked_pow(game.heaps().len() as u32);
    let fits = |max: &u64| positions(*max).is_some_and(|positions| positions <= 1000);
    (1..=12).rev().find(fits).unwrap_or(1)
}

// ANCHOR: test
#[test]
fn outcomes_of_every_shipped_game() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("games");
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("../outcomes");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    let _bound = settings.bind_to_scope();
    for entry in std::fs::read_dir(&folder).expect("the folder is there") {
        let path = entry.expect("its entries can be read").path();
        let Some("nimrule") = path.extension().and_then(|extension| extension.to_str()) else {
            continue;
        };
        let name = path.file_stem().expect("a name").to_string_lossy();
        let text = std::fs::read_to_string(&path).expect("the rule can be read");
        let boards = folder.clone();
        let game = Game::from_source(Source::new(&*name, text), move |board| {
            std::fs::read(boards.join(board)).map_err(|error| error.to_string())
        });
        let game = game.unwrap_or_else(|error| panic!("{name}: {error:?}"));
        let max = largest(&game);
        let under = |convention: &str, game: &Game| {
            let report = outcomes(game, max).unwrap_or_else(|error| format!("{error}\n"));
            format!("{convention} play, {report}")
        };
        let report = under("normal", &game) + "\n" + &under("misere", &game.clone().misere());
        insta::assert_snapshot!(&*name, report);
    }
}
// ANCHOR_END: test
