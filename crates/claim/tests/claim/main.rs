//! The tests of claims compared with sweeps, and of games within games.

mod columns;
mod components;
mod row_sweeps;
mod same_as;
mod sweep_checkpoints;
