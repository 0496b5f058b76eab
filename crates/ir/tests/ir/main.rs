//! The tests of the lowered form: batch evaluation and the propagation of bounds.

mod batch;
mod bounds_propagation;
