//! Symbolic execution of expressions.
//!
//! A *path* is the conjunction of the comparisons that hold so far. The value of
//! a number is a list of paths, each with a linear form: `max(a, b)` is `a` on
//! the path where `a >= b` and `b` on the path where `a < b`. The translation
//! of a condition is the list of paths on which it holds, or on which it does
//! not hold. Paths follow the order of evaluation, so that a fault is recorded
//! with all guards that are evaluated before it.

mod condition;
mod form;
mod list;
mod number;
mod path;
mod root;

use crate::Unsupported;
use crate::atom::Linear;
use nimrule_model::game::Game;
use nimrule_model::source::Span;
pub use path::Path;

/// The result of a translation.
pub type Read<T> = Result<T, Unsupported>;

/// The largest number of paths of one expression, and of members of one set.
const MAX_CASES: usize = 4096;

/// The largest number of evaluations, each of an expression on a path, of one rule or
/// claim: the cases of nested expressions multiply, and each step starts from all of
/// those before. About ten seconds.
pub const MAX_EVALUATIONS: usize = 2_000_000;

/// The error that the checker cannot translate a part of the text.
pub fn unsupported<T>(what: &str, span: Span) -> Read<T> {
    Err(Unsupported::new(what, span))
}

fn large(span: Span) -> Unsupported {
    Unsupported::new("numbers this large", span)
}

/// The symbolic execution of expressions of one game.
pub struct Reader<'g> {
    pub game: &'g Game,
    /// The paths on which an expression has no value.
    pub faults: Vec<Path>,
    /// The number of evaluations that are left.
    left: usize,
}

impl<'g> Reader<'g> {
    /// A reader that refuses more than `most_evaluations`.
    pub fn new(game: &'g Game, most_evaluations: usize) -> Reader<'g> {
        Reader {
            game,
            faults: Vec::new(),
            left: most_evaluations,
        }
    }

    /// Counts an evaluation of an expression on a path.
    fn count(&mut self, span: Span) -> Read<()> {
        match self.left.checked_sub(1) {
            Some(left) => self.left = left,
            None => return unsupported("this many cases", span),
        }
        Ok(())
    }

    /// Records that an expression has no value on a path.
    pub fn fault(&mut self, path: Option<Path>) {
        self.faults.extend(path);
    }

    /// Refuses more than [`MAX_CASES`] paths.
    pub(super) fn limited<T>(all: Vec<T>, span: Span) -> Read<Vec<T>> {
        if all.len() > MAX_CASES {
            return unsupported("this many cases", span);
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
