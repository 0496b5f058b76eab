//! The unique table: multi-terminal decision diagrams over the digits of one
//! letter, with equal ones stored once (Bryant 1986, "Graph-based algorithms
//! for Boolean function manipulation").
//!
//! An inner node tests the digit of one track, and has a child for each digit.
//! A leaf is a number, usually that of a state. The tracks ascend on every path,
//! and a node whose children are all equal is replaced by its child. So two
//! diagrams are equal if and only if their references are equal.

use super::Track;
use super::hash_index::{HashIndex, hash};

/// A reference to a node, or a leaf with its number.
pub type Ref = u32;

const LEAF: u32 = 1 << 31;

/// The leaf with this number.
pub fn leaf(number: u32) -> Ref {
    number | LEAF
}

/// The number of a leaf; `None` for an inner node.
pub fn number_of(at: Ref) -> Option<u32> {
    (at & LEAF != 0).then_some(at & !LEAF)
}

/// The nodes of any number of diagrams, hash-consed.
#[derive(Debug, Clone)]
pub struct UniqueTable {
    radix: usize,
    tracks: Vec<Track>,
    /// `radix` children for each node.
    children: Vec<Ref>,
    index: HashIndex,
}

impl UniqueTable {
    pub fn new(radix: usize) -> UniqueTable {
        UniqueTable {
            radix,
            tracks: Vec::new(),
            children: Vec::new(),
            index: HashIndex::new(16),
        }
    }

    /// The number of inner nodes.
    pub fn len(&self) -> usize {
        self.tracks.len()
    }

    pub fn radix(&self) -> usize {
        self.radix
    }

    /// The bytes of memory in use.
    pub fn bytes(&self) -> usize {
        self.tracks.capacity() * 2 + self.children.capacity() * 4 + self.index.bytes()
    }

    /// The track that a node tests; `None` for a leaf.
    pub fn track(&self, at: Ref) -> Option<Track> {
        (at & LEAF == 0).then(|| self.tracks[at as usize])
    }

    /// The tracks that some node tests, ascending.
    pub fn tracks_used(&self) -> Vec<Track> {
        let mut tracks = self.tracks.clone();
        tracks.sort_unstable();
        tracks.dedup();
        tracks
    }

    pub fn child(&self, at: Ref, digit: usize) -> Ref {
        self.children[at as usize * self.radix + digit]
    }

    pub fn children(&self, at: Ref) -> &[Ref] {
        let first = at as usize * self.radix;
        &self.children[first..first + self.radix]
    }

    /// The cofactor of a diagram: its restriction to a digit of `track`. No node
    /// of it may test an earlier track.
    pub fn cofactor(&self, at: Ref, track: Track, digit: usize) -> Ref {
        match self.track(at) {
            Some(tested) if tested == track => self.child(at, digit),
            _ => at,
        }
    }

    /// The diagram that tests `track` and has these children.
    pub fn node(&mut self, track: Track, children: &[Ref]) -> Ref {
        let first = children[0];
        if children.iter().all(|child| *child == first) {
            return first;
        }
        let is_wanted =
            |known: u32| self.tracks[known as usize] == track && self.children(known) == children;
        let slot = match self.index.find(hash(track.into(), children), is_wanted) {
            Ok(known) => return known,
            Err(slot) => slot,
        };
        let fresh = self.tracks.len() as u32;
        self.tracks.push(track);
        self.children.extend_from_slice(children);
        let (tracks, all, radix) = (&self.tracks, &self.children, self.radix);
        self.index.insert(slot, fresh, |known| {
            let known = known as usize;
            hash(
                tracks[known].into(),
                &all[known * radix..(known + 1) * radix],
            )
        });
        fresh
    }
}
