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
        Fault::BadBase
        | Fault::NegativeDigits
        | Fault::OutsideDomain(_)
        | Fault::NegativeExponent => "value::digits",
        Fault::NegativeSize => "value::size",
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
            "first check that the numbers are small enough, as in `a < 1000 and a * a < b`"
        }
        Fault::DivisionByZero | Fault::BadModulus => {
            "first check that the divisor is positive, as in `b > 0 and a mod b == 0`"
        }
        Fault::NegativeSize => {
            "set a heap to a number of at least 0; `flip` turns only heaps of 0 or 1"
        }
        Fault::OutsideDomain(function) if function.domain().last() == Some(&1) => {
            "first check that the number is positive, as in `a > 0 and …`"
        }
        Fault::NegativeDigits | Fault::OutsideDomain(_) | Fault::NegativeExponent => {
            "first check that the number is not negative, as in `a >= b and (a - b) ^ c == 0`"
        }
        Fault::BadBase => "first check that the base is at least 2",
        Fault::EmptyFold => "first check that there are any, with `count(…) > 0`",
        Fault::NoSuchHeap => {
            "first check that the index is in its range, as in `i < 3 and pile[i + 1] == 0`"
        }
        Fault::TooManyHeaps => "solve smaller positions",
        Fault::InfiniteSet => "bound the set, as in `1..a`",
        Fault::TooManyMembers => "enumerate fewer numbers, or avoid the enumeration",
        Fault::TooManyImages => "avoid the symmetries of this many heaps",
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
