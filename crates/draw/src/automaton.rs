//! Automata.
