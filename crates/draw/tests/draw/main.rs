//! Pictures: a snapshot of each kind of board, the views, the labels of every shipped game,
//! and the layouts.

mod boards;
mod condition;
mod heap;
mod layers;
mod shipped_games;
mod views;

use nimrule_model::game::Game;

/// The game of these statements.
fn game(statements: &str) -> Game {
    nimrule_fixtures::game(&format!("game board\n{statements}\n"))
}
