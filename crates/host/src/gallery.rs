//! The shipped games, which are part of the module.

use crate::messages::{Described, Fault, Picture, Shipped};
use crate::open;
use nimrule_draw::picture;
use nimrule_editor::Document;
use nimrule_model::game::{Game, PositionKind};
use nimrule_model::position::Position;
use std::str;

/// The files of the folder of shipped games, by name.
static GAMES: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/games.rs"));

fn file(name: &str) -> Option<&'static [u8]> {
    let found = GAMES.iter().find(|(file, _)| *file == name);
    found.map(|(_, contents)| *contents)
}

/// Reads a file that a rule names: the other files of the folder of shipped games.
pub fn read(name: &str) -> Result<Vec<u8>, String> {
    let file = file(name).map(<[u8]>::to_vec);
    file.ok_or_else(|| "the page has only the shipped games, and no file of this name".to_owned())
}

/// The rules of the shipped games, by name.
pub fn shipped() -> Vec<Shipped> {
    let rules = GAMES.iter().filter_map(|(name, contents)| {
        Some(Shipped {
            file: name.strip_suffix(".nimrule")?.to_owned(),
            text: str::from_utf8(contents).ok()?.to_owned(),
        })
    });
    rules.collect()
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
pub fn thumbnail(name: &str) -> Result<Picture, Fault> {
    let text = file(&format!("{name}.nimrule"));
    let text = text.and_then(|contents| str::from_utf8(contents).ok());
    let text = text.ok_or_else(|| Fault::of(format!("there is no shipped game `{name}`")))?;
    let document = Document::new(text, &read);
    let game = document.game();
    let game = game.ok_or_else(|| Fault::of(format!("`{name}` is no rule")))?;
    let position = game.illustration().map(Position::from);
    let drawn = picture(game, position.as_ref(), None).map_err(Fault::of)?;
    Ok(open::picture(game, drawn))
}
