//! What editors get, of texts that are right, wrong or half typed, and of the shipped games.

mod document;
mod lines;
mod shipped_games;
mod signature;
