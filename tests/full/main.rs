//! The integration tests of what needs the feature `full`.

mod pictures;
mod watch;
