//! A reference-counted column: one number per lane.
//!
//! Evaluating an expression needs a column for each of its parts. Columns
//! without readers return to a pool per thread, so that they are not allocated
//! again.

use super::LANES;
use std::cell::RefCell;
use std::ops::Deref;
use std::rc::Rc;

/// The capacity of the pool; more columns are rarely in use at once.
const POOL_LIMIT: usize = 64;

/// One number per lane, and bounds of all of them, both included.
#[derive(Debug, Clone)]
pub struct Each {
    pub column: [i32; LANES],
    pub low: i64,
    pub high: i64,
}

thread_local! {
    /// Columns without readers.
    static POOL: RefCell<Vec<Rc<Each>>> = const { RefCell::new(Vec::new()) };
}

/// A column that is immutable once written.
#[derive(Debug, Clone)]
pub struct Column(Rc<Each>);

impl Column {
    /// The column that `write` fills with numbers within these bounds. Lanes that
    /// it does not write are undefined.
    #[inline(always)]
    pub fn written(low: i64, high: i64, write: impl FnOnce(&mut [i32; LANES])) -> Column {
        let new = || {
            let column = [0; LANES];
            Rc::new(Each { column, low, high })
        };
        let mut column = POOL.with_borrow_mut(Vec::pop).unwrap_or_else(new);
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
        // The pool is gone while the thread ends.
        let _ = POOL.try_with(|pool| {
            let mut pool = pool.borrow_mut();
            if pool.len() < POOL_LIMIT {
                pool.push(Rc::clone(&self.0));
            }
        });
    }
}
