//! Partition refinement: the equivalent states of a complete automaton.
//!
//! Hopcroft's algorithm (1971) in the form of Valmari and Lehtinen (2008,
//! "Efficient minimization of DFAs with partial transition functions"): blocks
//! of states and sets of arcs refine each other. It takes O(m log m) time for
//! m arcs.

/// A refinable partition of 0..n: elements are marked, and the marked elements
/// of each set are split off.
struct Partition {
    elements: Vec<u32>,
    place: Vec<u32>,
    set_of: Vec<u32>,
    first: Vec<u32>,
    past: Vec<u32>,
    marked: Vec<u32>,
    touched: Vec<u32>,
}

impl Partition {
    /// The partition by keys, which are 0..k without gaps.
    fn by(keys: &[u32]) -> Partition {
        let sets = keys.iter().max().map_or(0, |&most| most as usize + 1);
        let mut past = vec![0u32; sets];
        for &key in keys {
            past[key as usize] += 1;
        }
        let mut first = vec![0u32; sets];
        let mut total = 0;
        for set in 0..sets {
            first[set] = total;
            total += past[set];
            past[set] = first[set];
        }
        let mut elements = vec![0; keys.len()];
        let mut place = vec![0; keys.len()];
        for (element, &key) in keys.iter().enumerate() {
            let here = past[key as usize];
            elements[here as usize] = element as u32;
            place[element] = here;
            past[key as usize] += 1;
        }
        Partition {
            elements,
            place,
            set_of: keys.to_vec(),
            first,
            past,
            marked: vec![0; sets],
            touched: Vec::new(),
        }
    }

    fn mark(&mut self, element: u32) {
        let set = self.set_of[element as usize] as usize;
        let here = self.place[element as usize];
        let there = self.first[set] + self.marked[set];
        if here < there {
            return;
        }
        let other = self.elements[there as usize];
        self.elements[here as usize] = other;
        self.place[other as usize] = here;
        self.elements[there as usize] = element;
        self.place[element as usize] = there;
        if self.marked[set] == 0 {
            self.touched.push(set as u32);
        }
        self.marked[set] += 1;
    }

    /// Splits every touched set; the smaller part becomes a new set.
    fn split(&mut self) {
        while let Some(set) = self.touched.pop() {
            let set = set as usize;
            let middle = self.first[set] + self.marked[set];
            let fresh = self.first.len() as u32;
            if middle == self.past[set] {
                self.marked[set] = 0;
                continue;
            }
            if self.marked[set] <= self.past[set] - middle {
                self.first.push(self.first[set]);
                self.past.push(middle);
                self.first[set] = middle;
            } else {
                self.first.push(middle);
                self.past.push(self.past[set]);
                self.past[set] = middle;
            }
            for index in self.first[fresh as usize]..self.past[fresh as usize] {
                self.set_of[self.elements[index as usize] as usize] = fresh;
            }
            self.marked[set] = 0;
            self.marked.push(0);
        }
    }
}

/// The incoming arcs of each state. Arc `state * arity + letter` leads from
/// `state`.
pub(crate) struct Incoming {
    first: Vec<u32>,
    arcs: Vec<u32>,
}

impl Incoming {
    pub fn of(next: &[u32], states: usize) -> Incoming {
        let mut first = vec![0u32; states + 1];
        for &to in next {
            first[to as usize + 1] += 1;
        }
        for state in 0..states {
            first[state + 1] += first[state];
        }
        let mut fill = first.clone();
        let mut arcs = vec![0; next.len()];
        for (arc, &to) in next.iter().enumerate() {
            arcs[fill[to as usize] as usize] = arc as u32;
            fill[to as usize] += 1;
        }
        Incoming { first, arcs }
    }

    pub fn to(&self, state: u32) -> &[u32] {
        &self.arcs[self.first[state as usize] as usize..self.first[state as usize + 1] as usize]
    }

    /// By state, whether a path of any length leads from it to a target.
    pub fn reaching(&self, arity: usize, is_target: impl Fn(u32) -> bool) -> Vec<bool> {
        let states = self.first.len() as u32 - 1;
        let mut reaching: Vec<bool> = (0..states).map(&is_target).collect();
        let mut queue: Vec<u32> = (0..states)
            .filter(|&state| reaching[state as usize])
            .collect();
        while let Some(state) = queue.pop() {
            for &arc in self.to(state) {
                let from = arc / arity as u32;
                if !std::mem::replace(&mut reaching[from as usize], true) {
                    queue.push(from);
                }
            }
        }
        reaching
    }
}

/// The class of each state in the coarsest stable partition: two states are in
/// one class if they have equal keys, and every letter leads from both into the
/// same class.
///
/// `next[state * arity + letter]` is the state after a letter. Classes are
/// numbered in the order of their first states. `check` is called at intervals;
/// its error stops the computation.
///
/// # Errors
///
/// Those of `check`.
pub fn coarsest_partition<E>(
    keys: &[u32],
    next: &[u32],
    arity: usize,
    mut check: impl FnMut() -> Result<(), E>,
) -> Result<Vec<u32>, E> {
    let mut blocks = Partition::by(&renumbered(keys));
    let labels: Vec<u32> = (0..next.len()).map(|arc| (arc % arity) as u32).collect();
    let mut bundles = Partition::by(&labels);
    let incoming = Incoming::of(next, keys.len());
    // The first block need not split others: its incoming arcs are those that
    // lead into no other block.
    let mut block = 1;
    let mut bundle = 0;
    while bundle < bundles.first.len() {
        if bundle & 0xfff == 0 {
            check()?;
        }
        for index in bundles.first[bundle]..bundles.past[bundle] {
            blocks.mark(bundles.elements[index as usize] / arity as u32);
        }
        blocks.split();
        bundle += 1;
        while block < blocks.first.len() {
            for index in blocks.first[block]..blocks.past[block] {
                for &arc in incoming.to(blocks.elements[index as usize]) {
                    bundles.mark(arc);
                }
            }
            bundles.split();
            block += 1;
        }
    }
    Ok(renumbered(&blocks.set_of))
}

/// The keys renumbered in the order of their first elements.
fn renumbered(keys: &[u32]) -> Vec<u32> {
    let most = keys.iter().max().map_or(0, |&most| most as usize + 1);
    let mut number = vec![u32::MAX; most];
    let mut fresh = 0;
    keys.iter()
        .map(|&key| {
            let number = &mut number[key as usize];
            if *number == u32::MAX {
                *number = fresh;
                fresh += 1;
            }
            *number
        })
        .collect()
}
