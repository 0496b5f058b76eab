//! Diagrams over the digits of one letter, equal ones kept once.
//!
//! A node asks for the digit of one track and has a child for each digit; a
//! leaf is a number, which is a state for most uses. Along a way down the
//! tracks ascend. A node whose children are all the same does not exist: its
//! child stands in its place. So two diagrams are equal if and only if their
//! references are.

use super::Track;

/// A node, or a leaf with its number.
pub type Ref = u32;

const LEAF: u32 = 1 << 31;
const NOBODY: u32 = u32::MAX;

pub fn leaf(number: u32) -> Ref {
    number | LEAF
}

/// The number of a leaf.
pub fn number_of(at: Ref) -> Option<u32> {
    (at & LEAF != 0).then_some(at & !LEAF)
}

#[derive(Debug, Clone)]
pub struct Arena {
    radix: usize,
    tracks: Vec<Track>,
    /// `radix` of them a node.
    children: Vec<Ref>,
    /// Open addressing; a power of two of places.
    places: Vec<u32>,
}

impl Arena {
    pub fn new(radix: usize) -> Arena {
        Arena {
            radix,
            tracks: Vec::new(),
            children: Vec::new(),
            places: vec![NOBODY; 16],
        }
    }

    pub fn len(&self) -> usize {
        self.tracks.len()
    }

    pub fn radix(&self) -> usize {
        self.radix
    }

    /// The bytes that it holds.
    pub fn bytes(&self) -> usize {
        self.tracks.capacity() * 2 + (self.children.capacity() + self.places.capacity()) * 4
    }

    pub fn track(&self, at: Ref) -> Option<Track> {
        (at & LEAF == 0).then(|| self.tracks[at as usize])
    }

    /// The tracks that some node asks for, ascending.
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

    /// What is left of a diagram once the digit of `track` is known; no node
    /// of it may ask for an earlier track.
    pub fn given(&self, at: Ref, track: Track, digit: usize) -> Ref {
        match self.track(at) {
            Some(asked) if asked == track => self.child(at, digit),
            _ => at,
        }
    }

    /// The node with these children.
    pub fn node(&mut self, track: Track, children: &[Ref]) -> Ref {
        let first = children[0];
        if children.iter().all(|child| *child == first) {
            return first;
        }
        let mask = self.places.len() - 1;
        let mut place = hash(track, children) & mask;
        loop {
            let found = self.places[place];
            if found == NOBODY {
                break;
            }
            if self.tracks[found as usize] == track && self.children(found) == children {
                return found;
            }
            place = (place + 1) & mask;
        }
        let new = self.tracks.len() as u32;
        self.tracks.push(track);
        self.children.extend_from_slice(children);
        self.places[place] = new;
        if self.tracks.len() * 2 > self.places.len() {
            self.grow();
        }
        new
    }

    fn grow(&mut self) {
        let mask = self.places.len() * 2 - 1;
        let mut places = vec![NOBODY; mask + 1];
        for node in 0..self.tracks.len() as u32 {
            let mut place = hash(self.tracks[node as usize], self.children(node)) & mask;
            while places[place] != NOBODY {
                place = (place + 1) & mask;
            }
            places[place] = node;
        }
        self.places = places;
    }
}

fn hash(track: Track, children: &[Ref]) -> usize {
    const FACTOR: u64 = 0x517c_c1b7_2722_0a95;
    let mut hash = u64::from(track).wrapping_mul(FACTOR);
    for child in children {
        hash = (hash.rotate_left(5) ^ u64::from(*child)).wrapping_mul(FACTOR);
    }
    (hash >> 20) as usize
}
