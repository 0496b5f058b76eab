//! Automata compared with the evaluation of their formulas for small numbers.

mod automata;
mod counting;
mod shift;
mod walnut;
