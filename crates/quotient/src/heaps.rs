//! The heaps of a game, by their options.

use thiserror::Error;

/// The options of the heaps 1 to N of a game in which a move changes one heap
/// into smaller ones.
///
/// A terminal heap does not change the outcome of a sum, so it is removed from
/// the options of others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Heaps {
    options: Vec<Vec<Vec<u32>>>,
}

/// The error of an option with a heap that is not smaller.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("the heap {heap} has an option with the heap {part}, which is not smaller")]
pub struct NotSmaller {
    /// The heap that has the option.
    pub heap: u32,
    /// The heap of the option that is not smaller.
    pub part: u32,
}

impl Heaps {
    /// `options[n - 1]` are the options of the heap of n tokens, each as the
    /// sizes of the heaps left, which may be none.
    ///
    /// # Errors
    ///
    /// If an option has a heap that is not smaller.
    pub fn new(options: &[Vec<Vec<u32>>]) -> Result<Heaps, NotSmaller> {
        let mut heaps = Heaps {
            options: Vec::with_capacity(options.len()),
        };
        for (heap, of_heap) in (1..).zip(options) {
            let mut kept = Vec::with_capacity(of_heap.len());
            for option in of_heap {
                if let Some(part) = option.iter().find(|part| **part >= heap) {
                    return Err(NotSmaller { heap, part: *part });
                }
                let mut option: Vec<u32> = option.clone();
                option.retain(|part| *part > 0 && !heaps.is_terminal(*part));
                option.sort_unstable_by(|a, b| b.cmp(a));
                kept.push(option);
            }
            kept.sort_unstable();
            kept.dedup();
            heaps.options.push(kept);
        }
        Ok(heaps)
    }

    /// The largest heap.
    pub fn largest(&self) -> u32 {
        u32::try_from(self.options.len()).expect("heaps are numbered by u32")
    }

    /// The options of a heap, each as sizes descending.
    pub fn options(&self, heap: u32) -> &[Vec<u32>] {
        &self.options[heap as usize - 1]
    }

    /// Returns whether a heap has no options.
    pub fn is_terminal(&self, heap: u32) -> bool {
        self.options(heap).is_empty()
    }
}
