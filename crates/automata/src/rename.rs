//! The same relation between other tracks.

use super::arena::{Arena, Ref, number_of};
use super::known::Known;
use super::product::smallvec_of;
use super::{Automaton, Budget, Track};
use nimrule_limits::Met;
use smallvec::SmallVec;

impl Automaton {
    /// The relation with its tracks renamed; no two tracks may become one.
    pub fn renamed(
        &self,
        name: &dyn Fn(Track) -> Track,
        budget: &Budget,
    ) -> Result<Automaton, Met> {
        let mut tracks: Vec<Track> = self.tracks.iter().map(|track| name(*track)).collect();
        tracks.sort_unstable();
        let mut renamed = Renamed {
            from: &self.arena,
            name,
            arena: Arena::new(self.arena.radix()),
            known: vec![Ref::MAX; self.arena.len()],
            placed: Known::default(),
            budget,
        };
        let roots: Result<Vec<Ref>, Met> = self
            .roots
            .iter()
            .map(|root| renamed.diagram(*root))
            .collect();
        Ok(Automaton {
            numeration: self.numeration,
            tracks,
            start: self.start,
            accepting: self.accepting.clone(),
            roots: roots?,
            arena: renamed.arena,
        })
    }
}

struct Renamed<'a> {
    from: &'a Arena,
    name: &'a dyn Fn(Track) -> Track,
    arena: Arena,
    known: Vec<Ref>,
    placed: Known<(Track, SmallVec<[Ref; 4]>), Ref>,
    budget: &'a Budget,
}

impl Renamed<'_> {
    fn diagram(&mut self, at: Ref) -> Result<Ref, Met> {
        let Some(track) = self.from.track(at) else {
            return Ok(at);
        };
        if self.known[at as usize] != Ref::MAX {
            return Ok(self.known[at as usize]);
        }
        let mut children = smallvec_of(self.arena.radix());
        for (digit, child) in children.iter_mut().enumerate() {
            *child = self.diagram(self.from.child(at, digit))?;
        }
        let node = self.place((self.name)(track), children)?;
        self.known[at as usize] = node;
        Ok(node)
    }

    /// The diagram that asks for the digit of `track` and then goes on with
    /// that child, which may ask for earlier tracks.
    fn place(&mut self, track: Track, children: SmallVec<[Ref; 4]>) -> Result<Ref, Met> {
        let first = children
            .iter()
            .filter_map(|child| self.arena.track(*child))
            .min()
            .filter(|first| *first < track);
        let Some(first) = first else {
            return Ok(self.arena.node(track, &children));
        };
        let key = (track, children);
        if let Some(known) = self.placed.get(&key) {
            return Ok(*known);
        }
        self.budget
            .tick(|| self.arena.bytes() + self.placed.bytes())?;
        let mut above = smallvec_of(self.arena.radix());
        for (digit, node) in above.iter_mut().enumerate() {
            let given = key
                .1
                .iter()
                .map(|child| self.arena.given(*child, first, digit))
                .collect();
            *node = self.place(track, given)?;
        }
        let node = self.arena.node(first, &above);
        debug_assert!(number_of(node).is_none() || above.iter().all(|n| *n == above[0]));
        self.placed.insert(key, node);
        Ok(node)
    }
}
