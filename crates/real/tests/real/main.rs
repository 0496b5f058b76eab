//! Formulas over the reals: elimination, models and numbers.

mod elimination;
mod number;
