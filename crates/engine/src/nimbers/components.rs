//! The components of sets of cells, up to isomorphism, with their options.

use super::canonical::{Part, Structure};
use super::cells::Cells;
use nimrule_ir::SetMove;
use nimrule_limits::{LimitExceeded, Limits, Steps};
use nimrule_model::game::Convention;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// The number of a component.
pub type Id = u32;

/// A sum of components, ascending.
pub type Sum = SmallVec<[Id; 6]>;

/// Moves, by their numbers.
pub type Moves = Vec<u32>;

/// Connected sets of cells.
pub type Parts<const W: usize> = SmallVec<[Cells<W>; 4]>;

/// Components of at most this many cells are identified by their options under misère play.
const FEW_CELLS: usize = 10;

/// The number of moves that are read in one step of work.
const MOVES_OF_A_STEP: usize = 128;

/// The moves that are read in the time of a cell of a canonical form.
const MOVES_OF_A_CELL: usize = 64;

/// The number of moves that are read between two checks of the clock.
const MOVES_BETWEEN_CHECKS: usize = 1 << 14;

/// A component: one of the sets of cells that are isomorphic to it.
#[derive(Debug, Clone, Copy)]
struct Component<const W: usize> {
    cells: Cells<W>,
    size: u16,
    /// The place of its options in `options`, once they are listed.
    options: Option<(u32, u32)>,
}

/// A graph whose subgraphs determine the moves: two sets of cells with isomorphic subgraphs
/// have isomorphic moves. A move takes the two ends of an edge, or one cell, or a cell with
/// all its neighbours.
struct Graph<const W: usize> {
    neighbours: Vec<Cells<W>>,
    /// The cells that are in a move of which no other cell is needed.
    alone: Cells<W>,
}

impl<const W: usize> Graph<W> {
    /// The graph of some moves. Each kind of moves must occur everywhere, or nowhere.
    fn of_moves(needs: &[Cells<W>], clears: &[Cells<W>], heaps: usize) -> Option<Graph<W>> {
        let mut neighbours = vec![Cells::EMPTY; heaps];
        let mut cells = Cells::EMPTY;
        for (needs, clears) in needs.iter().zip(clears) {
            let whole = needs.union(clears);
            cells = cells.union(needs);
            for cell in whole.iter() {
                // A cell that is only cleared is joined with the needed cells.
                let others = if needs.has(cell) { &whole } else { needs };
                neighbours[cell] = neighbours[cell].union(others);
            }
        }
        let mut ends = 0;
        for (cell, neighbours) in neighbours.iter_mut().enumerate() {
            neighbours.remove(cell);
            ends += neighbours.len();
        }
        let (mut pairs, mut single, mut closed) = (0, 0, 0);
        for (needs, clears) in needs.iter().zip(clears) {
            match needs.len() {
                2 if clears == needs => pairs += 1,
                1 if clears.contains(needs) => {
                    let rest = clears.without(needs);
                    let cell = needs.first()?;
                    if rest == neighbours[cell] {
                        closed += 1;
                    } else if rest.is_empty() {
                        single += 1;
                    } else {
                        return None;
                    }
                }
                _ => return None,
            }
        }
        let everywhere = |count: usize, all: usize| count == 0 || count == all;
        let fits = everywhere(2 * pairs, ends)
            && everywhere(single, cells.len())
            && everywhere(closed, cells.len());
        let alone = match single + closed {
            0 => Cells::EMPTY,
            _ => cells,
        };
        fits.then_some(Graph { neighbours, alone })
    }

    /// The connected sets of cells that are in possible moves.
    fn parts(&self, cells: &Cells<W>) -> Parts<W> {
        let mut parts = Parts::new();
        let mut left = *cells;
        while let Some(first) = left.first() {
            left.remove(first);
            let mut part = Cells::EMPTY;
            part.insert(first);
            let mut frontier = self.neighbours[first].intersection(&left);
            if frontier.is_empty() && !self.alone.has(first) {
                continue;
            }
            while !frontier.is_empty() {
                left = left.without(&frontier);
                part = part.union(&frontier);
                let reached = frontier.iter().fold(Cells::EMPTY, |reached, cell| {
                    reached.union(&self.neighbours[cell])
                });
                frontier = reached.intersection(&left);
            }
            parts.push(part);
        }
        parts
    }
}

/// All components that occurred.
pub struct Components<const W: usize> {
    convention: Convention,
    needs: Vec<Cells<W>>,
    clears: Vec<Cells<W>>,
    /// The graph that determines the moves, if one does.
    graph: Option<Graph<W>>,
    /// The component of each connected set of cells that occurred.
    of_cells: FxHashMap<Cells<W>, Id>,
    /// The component of each canonical form.
    of_form: FxHashMap<Box<[u8]>, Id>,
    /// The component of each list of options, under misère play, for small components.
    of_options: FxHashMap<Box<[Id]>, Id>,
    components: Vec<Component<W>>,
    /// The options of components: of each the number of its summands, then these.
    options: Vec<Id>,
    structure: Structure,
    /// The number of each cell in the component whose form is computed.
    local: Vec<u16>,
    /// A buffer: the moves that are possible after a move.
    rest: Moves,
    /// The component with one move, which ends play.
    star: Option<Id>,
    /// The number of moves read since the clock was checked.
    moves_read: usize,
    /// The memory of the tables, in bytes.
    bytes: u64,
    /// The memory of the open options of the search, in bytes.
    open_bytes: u64,
    limits: Limits,
}

impl<const W: usize> Components<W> {
    pub fn new(moves: &[SetMove], heaps: usize, convention: Convention) -> Components<W> {
        let set = |heaps: &[usize]| {
            let mut cells = Cells::EMPTY;
            heaps.iter().for_each(|heap| cells.insert(*heap));
            cells
        };
        let needs: Vec<_> = moves.iter().map(|of| set(&of.needs)).collect();
        let clears: Vec<_> = moves.iter().map(|of| set(&of.clears)).collect();
        Components {
            convention,
            graph: Graph::of_moves(&needs, &clears, heaps),
            needs,
            clears,
            of_cells: FxHashMap::default(),
            of_form: FxHashMap::default(),
            of_options: FxHashMap::default(),
            components: Vec::new(),
            options: Vec::new(),
            structure: Structure::default(),
            local: vec![0; heaps],
            rest: Moves::new(),
            star: None,
            moves_read: 0,
            bytes: 0,
            open_bytes: 0,
            limits: Limits::of_memory(u64::MAX),
        }
    }

    /// Sets the limits of the computations that follow.
    pub fn set_limits(&mut self, limits: &Limits) {
        self.limits = limits.clone();
        self.open_bytes = 0;
    }

    /// The memory of the tables, in bytes.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// The number of components.
    pub fn len(&self) -> usize {
        self.components.len()
    }

    /// The number of cells of a component.
    pub fn size(&self, id: Id) -> u16 {
        self.components[id as usize].size
    }

    /// Counts memory of the tables.
    pub fn use_memory(&mut self, bytes: usize) -> Result<(), LimitExceeded> {
        self.bytes = self.bytes.saturating_add(bytes as u64);
        self.check_memory()
    }

    /// Counts memory of open options.
    pub fn open(&mut self, bytes: usize) -> Result<(), LimitExceeded> {
        self.open_bytes += bytes as u64;
        self.check_memory()
    }

    /// Counts memory of open options that is free again.
    pub fn close(&mut self, bytes: usize) {
        self.open_bytes -= bytes as u64;
    }

    fn check_memory(&self) -> Result<(), LimitExceeded> {
        let bytes = u128::from(self.bytes) + u128::from(self.open_bytes);
        self.limits.check_memory(bytes)
    }

    /// Counts moves that are read, and checks the clock at intervals.
    pub fn read_moves(&mut self, count: usize) -> Result<(), LimitExceeded> {
        self.moves_read += count;
        if self.moves_read < MOVES_BETWEEN_CHECKS {
            return Ok(());
        }
        let steps = Steps((self.moves_read / MOVES_OF_A_STEP) as u64);
        self.moves_read = 0;
        self.limits
            .check_work_at(self.components.len() as u64, steps)
    }

    /// The limits of the computation.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// The sum of the components of a set of cells.
    pub fn sum_of(&mut self, cells: &Cells<W>) -> Result<Sum, LimitExceeded> {
        let moves = self.moves_within(cells);
        let parts = match &self.graph {
            Some(graph) => graph.parts(cells),
            None => self.parts(&moves),
        };
        self.sum(&parts, &moves)
    }

    /// The connected sets of cells that some moves are in. The other cells are in no move,
    /// and in no later one.
    fn parts(&self, moves: &[u32]) -> Parts<W> {
        let needs = moves.iter().map(|of| &self.needs[*of as usize]);
        let live = needs.fold(Cells::EMPTY, |live, needs| live.union(needs));
        let mut parts = Parts::new();
        // PERF: most options of a large component are one component that occurred before.
        if self.of_cells.contains_key(&live) {
            parts.push(live);
            return parts;
        }
        for of in moves.iter().map(|of| *of as usize) {
            let mut joined = self.needs[of].union(&self.clears[of].intersection(&live));
            // Most moves lie in the part that was found last.
            if parts.last().is_some_and(|part| part.contains(&joined)) {
                continue;
            }
            parts.retain(|part| {
                let meets = part.meets(&joined);
                if meets {
                    joined = joined.union(part);
                }
                !meets
            });
            parts.push(joined);
        }
        parts
    }

    /// The component that is a connected set of cells, if the set occurred before.
    pub fn known(&self, part: &Cells<W>) -> Option<Id> {
        self.of_cells.get(part).copied()
    }

    /// The sum of the components that are connected sets of cells, given the moves in them,
    /// and perhaps others.
    pub fn sum(&mut self, parts: &[Cells<W>], moves: &[u32]) -> Result<Sum, LimitExceeded> {
        let mut sum = Sum::new();
        for part in parts {
            sum.push(self.component(*part, moves)?);
        }
        Ok(self.reduced(sum))
    }

    /// A sum without pairs of summands that add up to nothing.
    pub fn reduced(&self, mut sum: Sum) -> Sum {
        sum.sort_unstable();
        let mut rest = Sum::new();
        for id in sum {
            let cancels = match self.convention {
                Convention::Normal => true,
                // Two moves that change nothing else: G + * + * has the outcome of G.
                Convention::Misere => Some(id) == self.star,
            };
            match rest.last() {
                Some(last) if *last == id && cancels => _ = rest.pop(),
                _ => rest.push(id),
            }
        }
        rest
    }

    /// The component of a connected set of cells, given the moves of the position.
    fn component(&mut self, cells: Cells<W>, moves: &[u32]) -> Result<Id, LimitExceeded> {
        if let Some(known) = self.of_cells.get(&cells) {
            return Ok(*known);
        }
        self.read_moves(MOVES_OF_A_CELL * cells.len())?;
        self.describe(&cells, moves);
        let form = self.structure.canonical();
        let id = match self.of_form.get(form) {
            Some(id) => *id,
            None => {
                let form: Box<[u8]> = form.into();
                self.insert(form, cells)?
            }
        };
        self.of_cells.insert(cells, id);
        self.use_memory(2 * (size_of::<(Cells<W>, Id)>() + 1))?;
        Ok(id)
    }

    /// Describes the structure of a connected set of cells, given the moves of the position.
    fn describe(&mut self, cells: &Cells<W>, moves: &[u32]) {
        if let Some(graph) = &self.graph {
            self.structure.clear_graph(cells.len());
            for cell in cells.iter() {
                let neighbours = graph.neighbours[cell].intersection(cells);
                let numbers = neighbours.iter().map(|cell| cells.count_below(cell) as u16);
                self.structure.add_neighbours(numbers);
            }
            return;
        }
        let mut size = 0;
        for cell in cells.iter() {
            self.local[cell] = size;
            size += 1;
        }
        self.structure.clear(size.into());
        for of in moves.iter().map(|of| *of as usize) {
            if !cells.contains(&self.needs[of]) {
                continue;
            }
            let (needs, clears) = (&self.needs[of], self.clears[of].intersection(cells));
            for cell in needs.union(&clears).iter() {
                let part = match (needs.has(cell), clears.has(cell)) {
                    (true, true) => Part::Taken,
                    (true, false) => Part::Needed,
                    (false, _) => Part::Cleared,
                };
                self.structure.add(self.local[cell], part);
            }
            self.structure.end_move();
        }
    }

    /// A component of a form that did not occur before.
    fn insert(&mut self, form: Box<[u8]>, cells: Cells<W>) -> Result<Id, LimitExceeded> {
        let entry = size_of::<(Box<[u8]>, Id)>() + size_of::<Component<W>>();
        self.use_memory(form.len() + 16 + 2 * (entry + 1))?;
        let mut id = self.components.len() as Id;
        // At most 512 cells.
        let size = cells.len() as u16;
        self.components.push(Component {
            cells,
            size,
            options: None,
        });
        if self.convention == Convention::Misere && usize::from(size) <= FEW_CELLS {
            let (first, end) = self.list_options(id)?;
            let options = &self.options[first as usize..end as usize];
            match self.of_options.get(options) {
                Some(known) => id = *known,
                None => {
                    let options: Box<[Id]> = options.into();
                    if *options == [0] {
                        self.star = Some(id);
                    }
                    self.use_memory(2 * (size_of::<(Box<[Id]>, Id)>() + 1) + 4 * options.len())?;
                    self.of_options.insert(options, id);
                }
            }
        }
        self.of_form.insert(form, id);
        Ok(id)
    }

    /// The option that begins at a place of [`list_options`](Components::list_options), and
    /// the place of the next one.
    pub fn option(&self, place: u32) -> (&[Id], u32) {
        let place = place as usize;
        let end = place + 1 + self.options[place] as usize;
        (&self.options[place + 1..end], end as u32)
    }

    /// The cells of a component, and its moves.
    pub fn moves(&mut self, id: Id) -> Result<(Cells<W>, Moves), LimitExceeded> {
        self.read_moves(self.needs.len())?;
        let cells = self.components[id as usize].cells;
        Ok((cells, self.moves_within(&cells)))
    }

    /// The connected sets of cells that remain of some cells after one of their moves.
    pub fn play(&mut self, of: u32, cells: &Cells<W>, moves: &[u32]) -> Parts<W> {
        let clears = self.clears[of as usize];
        if let Some(graph) = &self.graph {
            return graph.parts(&cells.without(&clears));
        }
        let mut rest = std::mem::take(&mut self.rest);
        let stays = |other: &&u32| !self.needs[**other as usize].meets(&clears);
        rest.clear();
        rest.extend(moves.iter().filter(stays).copied());
        let parts = self.parts(&rest);
        self.rest = rest;
        parts
    }

    /// The number of moves in the set of cells with the most moves, and the number of moves
    /// in all.
    pub fn mobility(&self, parts: &[Cells<W>], moves: &[u32]) -> (usize, usize) {
        let count = |part: &Cells<W>| {
            let within = |of: &&u32| part.contains(&self.needs[**of as usize]);
            moves.iter().filter(within).count()
        };
        let counts = parts.iter().map(count);
        counts.fold((0, 0), |(most, all), own| (most.max(own), all + own))
    }

    /// The moves that are possible at a set of cells.
    fn moves_within(&self, cells: &Cells<W>) -> Moves {
        let moves = self.needs.iter().zip(0..);
        let possible = moves.filter(|(needs, _)| cells.contains(needs));
        possible.map(|(_, of)| of).collect()
    }

    /// Lists the distinct options of a component, those of small components first. Returns
    /// the place of the first and the place after the last.
    pub fn list_options(&mut self, id: Id) -> Result<(u32, u32), LimitExceeded> {
        if let Some(places) = self.components[id as usize].options {
            return Ok(places);
        }
        let (cells, moves) = self.moves(id)?;
        let mut options: Vec<(u16, Sum)> = Vec::new();
        for of in &moves {
            self.read_moves(moves.len())?;
            let parts = self.play(*of, &cells, &moves);
            let sum = self.sum(&parts, &moves)?;
            let largest = sum.iter().map(|id| self.size(*id)).max();
            options.push((largest.unwrap_or(0), sum));
        }
        options.sort_unstable();
        options.dedup();
        let first = self.options.len() as u32;
        for (_, sum) in &options {
            self.options.push(sum.len() as Id);
            self.options.extend(sum);
        }
        // Places are 32-bit numbers.
        let end = u32::try_from(self.options.len()).unwrap_or(u32::MAX);
        if end == u32::MAX {
            self.use_memory(usize::MAX)?;
        }
        self.use_memory(8 * (end - first) as usize)?;
        self.components[id as usize].options = Some((first, end));
        Ok((first, end))
    }
}
