//! The integration tests of what needs the feature `full`.

mod language_server;
#[path = "../it/matrix.rs"]
mod matrix;
mod pictures;
mod watch;
