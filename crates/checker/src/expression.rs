//! Expressions as clauses.
//!
//! An expression is read along a *path*: the comparisons that hold so far. A
//! number is one weighted sum on each of several paths (the maximum of two
//! numbers is each of them, where it is the larger one), and a condition is
//! the list of paths on which it holds, or does not hold. Paths follow the
//! order of evaluation, so that a fault is noted with all the guards that
//! stand before it.

mod condition;
mod form;
mod list;
mod number;
mod path;

use crate::Unsupported;
use crate::atom::Linear;
use nimrule_model::game::Game;
use nimrule_model::source::Span;
pub use path::Path;

pub type Read<T> = Result<T, Unsupported>;

/// More paths of one expression, or members of one set, are not followed.
const MOST: usize = 4096;

pub fn unsupported<T>(what: &str, span: Span) -> Read<T> {
    Err(Unsupported::new(what, span))
}

fn large(span: Span) -> Unsupported {
    Unsupported::new("numbers this large", span)
}

/// Reads expressions of one game.
pub struct Reader<'g> {
    pub game: &'g Game,
    /// Where an expression has no value.
    pub faults: Vec<Path>,
}

impl Reader<'_> {
    /// Notes a fault on a path, if there is one.
    pub fn fault(&mut self, path: Option<Path>) {
        self.faults.extend(path);
    }

    pub(super) fn few<T>(all: Vec<T>, span: Span) -> Read<Vec<T>> {
        if all.len() > MOST {
            return unsupported("so many cases", span);
        }
        Ok(all)
    }
}

/// The sum of some numbers.
pub fn sum(list: &[Linear], span: Span) -> Read<Linear> {
    let mut sums = list.iter();
    let sum = sums.try_fold(Linear::default(), |sum, one| sum.plus(1, one));
    sum.ok_or_else(|| large(span))
}
