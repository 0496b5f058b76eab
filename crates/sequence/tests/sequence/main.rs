//! Known sequences against their definitions, and sets of values.

mod oeis;
mod value_sets;
