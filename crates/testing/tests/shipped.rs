//! The options of every shipped game and of every game of the tests: the
//! definition against the concrete walk of the move-generator graph.

use nimrule::compile;
use nimrule_elaborate::Settings;
use nimrule_model::source::Source;
use nimrule_testing::compare::{Counts, options_of_game};
use nimrule_testing::rng::Rng;
use std::path::Path;

#[test]
fn options_of_every_game() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut counts = Counts::default();
    let mut wrong = Vec::new();
    for folder in ["games", "tests/games"] {
        let entries = std::fs::read_dir(root.join(folder)).expect("the folder is there");
        for entry in entries {
            let path = entry.expect("the folder can be read").path();
            if path
                .extension()
                .is_none_or(|extension| extension != "nimrule")
            {
                continue;
            }
            let text = std::fs::read_to_string(&path).expect("the game can be read");
            let source = Source::new(path.to_string_lossy(), text);
            let compiled = compile(&source, &Settings::new(), &|file| {
                std::fs::read(path.with_file_name(file)).map_err(|e| e.to_string())
            });
            let game = compiled.expect("the game makes sense").game;
            counts.rules += 1;
            if let Err(why) = options_of_game(&game, &mut Rng::new(7), &mut counts) {
                wrong.push(format!("{}: {why}", path.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(counts.rules > 60 && counts.positions > 500, "{counts:?}");
}
