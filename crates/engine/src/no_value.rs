//! Reports of expressions without a value at a position.

use miette::{Diagnostic, LabeledSpan};
use nimrule_model::expr::{Fault, PlacedFault};
use std::fmt;
use thiserror::Error;

/// An expression of a rule or claim that has no value at a position.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{fault}, in the position {position}")]
pub struct NoValue {
    /// The fault and its place in the text.
    pub fault: PlacedFault,
    /// The position in the notation of its game.
    pub position: String,
}

/// The code of a fault for `explain`.
pub fn code(fault: Fault) -> &'static str {
    match fault {
        Fault::Overflow => "value::overflow",
        Fault::DivisionByZero | Fault::BadModulus => "value::division",
        Fault::NegativeNimSum | Fault::BadBase | Fault::NegativeDigits | Fault::NegativeRoot => {
            "value::digits"
        }
        Fault::EmptyFold => "value::empty",
        Fault::NoSuchHeap => "value::index",
        Fault::TooManyHeaps | Fault::InfiniteSet | Fault::TooManyMembers | Fault::TooManyImages => {
            "value::too-many"
        }
    }
}

fn help(fault: Fault) -> &'static str {
    match fault {
        Fault::Overflow => {
            "ask first whether the numbers are small enough, as in `a < 1000 and a * a < b`"
        }
        Fault::DivisionByZero | Fault::BadModulus => {
            "ask first whether the divisor is positive, as in `b > 0 and a mod b == 0`"
        }
        Fault::NegativeNimSum | Fault::NegativeDigits | Fault::NegativeRoot => {
            "ask first whether the number is negative, as in `a >= b and (a - b) ^ c == 0`"
        }
        Fault::BadBase => "ask first whether the base is at least 2",
        Fault::EmptyFold => "ask first whether there are any, by `count(…) > 0`",
        Fault::NoSuchHeap => {
            "ask first whether there is such a heap, as in `i < 3 and pile[i + 1] == 0`"
        }
        Fault::TooManyHeaps => "solve smaller positions",
        Fault::InfiniteSet => "give the set an end, as in `1..a`",
        Fault::TooManyMembers => "look through fewer numbers, or say it without looking through",
        Fault::TooManyImages => "say it without the symmetries of so many heaps",
    }
}

impl Diagnostic for NoValue {
    fn code<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        Some(Box::new(code(self.fault.kind)))
    }

    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        Some(Box::new(help(self.fault.kind)))
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        let place = self.fault.place()?;
        let label = LabeledSpan::new_primary_with_span(Some("no value".to_owned()), place);
        Some(Box::new(std::iter::once(label)))
    }
}
