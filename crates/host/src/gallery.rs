//! The shipped games, which are part of the module.

use crate::messages::{Described, Fault, Picture, Shipped};
use crate::open;
use include_dir::{Dir, include_dir};
use nimrule_draw::picture;
use nimrule_editor::Document;
use nimrule_model::game::{Game, PositionKind};
use nimrule_model::position::Position;

static GAMES: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/../../games");

/// Reads a file that a rule names: the other files of the folder of shipped games.
pub fn read(name: &str) -> Result<Vec<u8>, String> {
    match GAMES.get_file(name) {
        Some(file) => Ok(file.contents().to_vec()),
        None => Err("the page has only the shipped games, and no file of this name".to_owned()),
    }
}

/// The rules of the shipped games, by name.
pub fn shipped() -> Vec<Shipped> {
    let rules = GAMES.files().filter(|file| {
        let ending = file.path().extension();
        ending.is_some_and(|ending| ending == "nimrule")
    });
    let rules = rules.filter_map(|file| {
        Some(Shipped {
            file: file.path().file_stem()?.to_str()?.to_owned(),
            text: file.contents_utf8()?.to_owned(),
        })
    });
    let mut rules: Vec<Shipped> = rules.collect();
    rules.sort_by(|a, b| a.file.cmp(&b.file));
    rules
}

/// The shipped games as a gallery shows them, by name. Each is compiled, which takes a second
/// in all.
pub fn games() -> Vec<Described> {
    let described = |Shipped { file, text }: Shipped| {
        let document = Document::new(&text, &read);
        let game = document.game()?;
        let presentation = &game.presentation;
        Some(Described {
            title: presentation
                .title
                .clone()
                .unwrap_or_else(|| game.name.clone()),
            sources: presentation.sources.clone(),
            board: board(game),
            file,
        })
    };
    shipped().into_iter().filter_map(described).collect()
}

/// Where the heaps of a game are.
fn board(game: &Game) -> String {
    match (&game.board, &game.position_kind) {
        (_, PositionKind::Tokens(_)) => "tokens".to_owned(),
        (Some(board), _) => {
            let name = board.name();
            let end = name.find(|letter: char| !letter.is_alphanumeric());
            name[..end.unwrap_or(name.len())].to_owned()
        }
        (None, PositionKind::Multiset(_)) => "any number of heaps".to_owned(),
        (None, _) => "loose heaps".to_owned(),
    }
}

/// The picture of a shipped game.
pub fn thumbnail(file: &str) -> Result<Picture, Fault> {
    let text = GAMES.get_file(format!("{file}.nimrule"));
    let text = text.and_then(|file| file.contents_utf8());
    let text = text.ok_or_else(|| Fault::of(format!("there is no shipped game `{file}`")))?;
    let document = Document::new(text, &read);
    let game = document.game();
    let game = game.ok_or_else(|| Fault::of(format!("`{file}` is no rule")))?;
    let position = game.illustration().map(Position::from);
    let drawn = picture(game, position.as_ref(), None).map_err(Fault::of)?;
    Ok(open::picture(game, drawn))
}
