//! Random rules and the shipped games: every interpreter compared with the definition.

mod any_number;
mod coverage;
mod fixed;
mod shipped;
