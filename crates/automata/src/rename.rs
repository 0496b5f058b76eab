//! Renaming of tracks.

use super::memo::Memo;
use super::product::smallvec_of;
use super::unique_table::{Ref, UniqueTable, number_of};
use super::{Budget, Dfa, Track};
use nimrule_limits::LimitExceeded;
use smallvec::SmallVec;

impl Dfa {
    /// The relation with its tracks renamed. The new tracks must be distinct.
    ///
    /// # Errors
    ///
    /// A limit that is exceeded.
    pub fn renamed(
        &self,
        name: &dyn Fn(Track) -> Track,
        budget: &Budget,
    ) -> Result<Dfa, LimitExceeded> {
        let mut tracks: Vec<Track> = self.tracks.iter().map(|track| name(*track)).collect();
        tracks.sort_unstable();
        let mut renamed = Renamed {
            from: &self.nodes,
            name,
            nodes: UniqueTable::new(self.nodes.radix()),
            memo: vec![Ref::MAX; self.nodes.len()],
            placed: Memo::default(),
            budget,
        };
        let roots: Result<Vec<Ref>, LimitExceeded> = self
            .roots
            .iter()
            .map(|root| renamed.diagram(*root))
            .collect();
        Ok(Dfa {
            numeration: self.numeration,
            tracks,
            start: self.start,
            accepting: self.accepting.clone(),
            roots: roots?,
            nodes: renamed.nodes,
        })
    }
}

struct Renamed<'a> {
    from: &'a UniqueTable,
    name: &'a dyn Fn(Track) -> Track,
    nodes: UniqueTable,
    memo: Vec<Ref>,
    placed: Memo<(Track, SmallVec<[Ref; 4]>), Ref>,
    budget: &'a Budget,
}

impl Renamed<'_> {
    fn diagram(&mut self, at: Ref) -> Result<Ref, LimitExceeded> {
        let Some(track) = self.from.track(at) else {
            return Ok(at);
        };
        if self.memo[at as usize] != Ref::MAX {
            return Ok(self.memo[at as usize]);
        }
        let mut children = smallvec_of(self.nodes.radix());
        for (digit, child) in children.iter_mut().enumerate() {
            *child = self.diagram(self.from.child(at, digit))?;
        }
        let node = self.place((self.name)(track), children)?;
        self.memo[at as usize] = node;
        Ok(node)
    }

    /// The diagram that tests `track` and has these children, which may test
    /// earlier tracks.
    fn place(&mut self, track: Track, children: SmallVec<[Ref; 4]>) -> Result<Ref, LimitExceeded> {
        let first = children
            .iter()
            .filter_map(|child| self.nodes.track(*child))
            .min()
            .filter(|first| *first < track);
        let Some(first) = first else {
            return Ok(self.nodes.node(track, &children));
        };
        let key = (track, children);
        if let Some(known) = self.placed.get(&key) {
            return Ok(*known);
        }
        self.budget
            .tick(|| self.nodes.bytes() + self.placed.bytes())?;
        let mut above = smallvec_of(self.nodes.radix());
        for (digit, node) in above.iter_mut().enumerate() {
            let given = key
                .1
                .iter()
                .map(|child| self.nodes.cofactor(*child, first, digit))
                .collect();
            *node = self.place(track, given)?;
        }
        let node = self.nodes.node(first, &above);
        debug_assert!(number_of(node).is_none() || above.iter().all(|n| *n == above[0]));
        self.placed.insert(key, node);
        Ok(node)
    }
}
