//! The integration tests of what needs the feature `full`.

mod language_server;
mod pictures;
mod watch;
