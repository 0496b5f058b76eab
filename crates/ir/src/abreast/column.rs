//! A number in each lane, shared by all who read it.
//!
//! To work out an expression takes a column for each of its parts, and little
//! time for each; so columns that nobody reads any more are kept, and written
//! anew.

use super::LANES;
use std::cell::RefCell;
use std::ops::Deref;
use std::rc::Rc;

/// Columns kept for later; more are seldom read at once.
const MOST_KEPT: usize = 64;

/// A number in each lane, with the bounds that all lanes keep to.
#[derive(Debug, Clone)]
pub struct Each {
    pub column: [i32; LANES],
    pub low: i64,
    pub high: i64,
}

thread_local! {
    /// Columns that nobody reads.
    static KEPT: RefCell<Vec<Rc<Each>>> = const { RefCell::new(Vec::new()) };
}

/// Numbers that are written once.
#[derive(Debug, Clone)]
pub struct Column(Rc<Each>);

impl Column {
    /// The numbers that `write` writes, within these bounds. Lanes that it does
    /// not write hold any number.
    #[inline(always)]
    pub fn written(low: i64, high: i64, write: impl FnOnce(&mut [i32; LANES])) -> Column {
        let new = || {
            let column = [0; LANES];
            Rc::new(Each { column, low, high })
        };
        let mut column = KEPT.with_borrow_mut(Vec::pop).unwrap_or_else(new);
        let each = Rc::make_mut(&mut column);
        (each.low, each.high) = (low, high);
        write(&mut each.column);
        Column(column)
    }
}

impl Deref for Column {
    type Target = Each;

    fn deref(&self) -> &Each {
        &self.0
    }
}

impl Drop for Column {
    fn drop(&mut self) {
        if Rc::strong_count(&self.0) > 1 {
            return;
        }
        // A thread that ends keeps nothing.
        let _ = KEPT.try_with(|kept| {
            let mut kept = kept.borrow_mut();
            if kept.len() < MOST_KEPT {
                kept.push(Rc::clone(&self.0));
            }
        });
    }
}
