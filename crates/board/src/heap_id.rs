//! Identifiers of heaps.

/// A heap of the game: its index in a position.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct HeapId(pub u16);

impl HeapId {
    /// The heap with an index.
    ///
    /// # Panics
    ///
    /// If the index does not fit into 16 bits. The semantic check limits the
    /// number of heaps.
    pub fn new(index: usize) -> HeapId {
        HeapId(u16::try_from(index).expect("the checker bounds the number of heaps"))
    }

    /// The index.
    pub fn index(self) -> usize {
        usize::from(self.0)
    }
}
