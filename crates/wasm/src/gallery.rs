//! The shipped games, which are part of the module.

use crate::messages::{Fault, Picture, Shipped};
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

/// The shipped games, by name.
pub fn games() -> Vec<Shipped> {
    let mut games: Vec<Shipped> = GAMES.files().filter_map(shipped).collect();
    games.sort_by(|a, b| a.file.cmp(&b.file));
    games
}

fn shipped(file: &include_dir::File<'_>) -> Option<Shipped> {
    let name = file.path().file_stem()?.to_str()?;
    let text = file.contents_utf8()?;
    let document = Document::new(text, &read);
    let game = document.game()?;
    let presentation = &game.presentation;
    Some(Shipped {
        file: name.to_owned(),
        title: presentation
            .title
            .clone()
            .unwrap_or_else(|| game.name.clone()),
        sources: presentation.sources.clone(),
        board: board(game),
        text: text.to_owned(),
    })
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
    let position = game.presentation.start.clone().map(Position::from);
    let drawn = picture(game, position.as_ref(), None).map_err(Fault::of)?;
    Ok(open::picture(game, drawn))
}
