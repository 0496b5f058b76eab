//! Agreement with another game: `claim same as GAME where COND`.
//!
//! Where the claim gives the image of a position, or is about outcomes or values, `image`
//! compares positions with their images. Otherwise a matching of the heaps is searched.
//!
//! A *matching* maps each heap that the condition leaves free to a heap of the
//! other game. The claim holds for a matching if it maps positions to positions
//! and the options of each to the options of its image, and no option leaves the
//! sub-game. A heap without tokens in the box counts as free only if the other game has a heap
//! for it. `search` finds a matching on the positions of few tokens, where most
//! matchings fail; it is then compared at every position of a box, up to the symmetries
//! that both games have by the matching. A counterexample bounds the number of tokens
//! that the next matching must pass. If no matching remains, the claim is refuted where
//! the last one failed, which is as far as any gets.

mod image;
mod search;
mod side;

use super::{ClaimStatus, Counterexample, PositionFact};
use crate::smallest::for_each_of_total;
use crate::{nothing_compared, rows};
use nimrule_board::Symmetries;
use nimrule_engine::{self as engine, Limits, Shape, SolveError, Solver};
use nimrule_model::expr::bounds::IntervalEnvironment;
use nimrule_model::game::{Agreement, Convention, Game, SameAs};
use side::{Difference, Sides};

/// The heap of the other game for each free heap.
type Matching = Vec<Option<usize>>;

/// The largest number of options in a box, by an estimate.
const OPTIONS: u128 = 4_000_000;

/// The largest number of positions in a box.
const POSITIONS: u128 = 200_000;

/// Positions with at most this many tokens are compared first, by their total.
const FEW_TOKENS: u64 = 4;

/// Whether the image of a position is given by a matching of the heaps, which is searched.
pub fn by_matching(claimed: &SameAs) -> bool {
    claimed.agreement == Agreement::Options && claimed.map.is_none()
}

/// Checks the claim at the positions with heaps up to `asked`, or in a box that
/// takes about a second.
pub fn check(
    solver: &Solver<'_>,
    claimed: &SameAs,
    convention: Convention,
    (most, asked): (u64, Option<u64>),
    limits: &Limits,
) -> Result<ClaimStatus, SolveError> {
    if !by_matching(claimed) {
        return image::check(solver, claimed, convention, asked.unwrap_or(most), limits);
    }
    let mut matcher = Matcher::new(solver, claimed, asked, limits)?;
    limits.check_memory(matcher.memory())?;
    Ok(match matcher.best()? {
        Best::Holds(matching) => ClaimStatus::Holds {
            to: matcher.most,
            by: Some(matcher.words(&matching)),
        },
        Best::Fails(_, found) => ClaimStatus::Refuted(found),
        Best::Unknown(why) => ClaimStatus::Unknown { why },
    })
}

/// Whether the claim fails at one position, whatever the matching. Tests the
/// matching that agrees furthest.
pub fn fails_at(
    solver: &Solver<'_>,
    claimed: &SameAs,
    convention: Convention,
    position: &[u64],
    limits: &Limits,
) -> Result<Option<Counterexample>, SolveError> {
    if !by_matching(claimed) {
        return image::fails_at(solver, claimed, convention, position, limits);
    }
    let mut matcher = Matcher::new(solver, claimed, None, limits)?;
    let matching = match matcher.best()? {
        Best::Fails(_, found) if found.position == position => return Ok(Some(found)),
        Best::Holds(matching) | Best::Fails(matching, _) => matching,
        Best::Unknown(_) => return Ok(None),
    };
    let difference = matcher.sides.difference(position, &matching)?;
    Ok(difference.map(|found| matcher.counterexample(position, &found, &matching)))
}

/// The result of the search for a matching.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Matched {
    /// For each heap the heap of the other game, by which all compared positions
    /// agree.
    Holds(Vec<Option<usize>>),
    /// There is no matching: the one that agrees furthest fails here.
    Fails(Vec<u64>),
    /// None was found, for this reason.
    Unknown(String),
}

/// Finds a matching that holds on a box that takes about a second.
pub fn matching(
    solver: &Solver<'_>,
    claimed: &SameAs,
    limits: &Limits,
) -> Result<Matched, SolveError> {
    Ok(match Matcher::new(solver, claimed, None, limits)?.best()? {
        Best::Holds(matching) => Matched::Holds(matching),
        Best::Fails(_, found) => Matched::Fails(found.position),
        Best::Unknown(why) => Matched::Unknown(why),
    })
}

/// The heaps that the condition does not leave empty, by the bounds that it states.
pub fn ranging(game: &Game, claimed: &SameAs) -> Vec<usize> {
    let mut known = IntervalEnvironment::of_one_position(game.slots);
    known.assume(&claimed.condition);
    let free = game.heaps().filter(|heap| known.heap(*heap).high > 0);
    free.map(|heap| heap.index()).collect()
}

/// The best matching.
enum Best {
    Holds(Matching),
    /// None holds; this one agrees as far as any, up to this position.
    Fails(Matching, Counterexample),
    /// No verdict, for this reason.
    Unknown(String),
}

/// Called for the positions of a box; returns whether to continue.
type Visit<'v, 's> = &'v mut dyn FnMut(&mut Matcher<'s>, &[u64]) -> Result<bool, SolveError>;

struct Matcher<'s> {
    sides: Sides<'s>,
    here: &'s Solver<'s>,
    claimed: &'s SameAs,
    /// The heaps that vary in the box; the condition implies that the others are
    /// empty.
    ranging: Vec<usize>,
    /// The largest heap that is compared.
    most: u64,
    limits: Limits,
}

impl<'s> Matcher<'s> {
    fn new(
        here: &'s Solver<'s>,
        claimed: &'s SameAs,
        asked: Option<u64>,
        limits: &Limits,
    ) -> Result<Matcher<'s>, SolveError> {
        let heaps = here.game.heap_count();
        let ranging = ranging(here.game, claimed);
        let mut matcher = Matcher {
            sides: Sides::new(here, claimed, ranging.clone(), limits),
            here,
            claimed,
            ranging,
            most: 1,
            limits: limits.clone(),
        };
        matcher.most = asked.unwrap_or_else(|| matcher.fitting_size());
        // A heap that is empty in every position of the box is not part of the
        // sub-game, unless too few are left.
        let mut free = vec![false; heaps];
        if Shape::count(&matcher.corner(matcher.most)) <= POSITIONS {
            matcher.for_each_from_few(&mut |matcher, position| {
                let is_new = (free.iter().zip(position)).any(|(free, size)| !free && *size > 0);
                if is_new && matcher.sides.is_in_subgame(position)? {
                    for (free, size) in free.iter_mut().zip(position) {
                        *free |= *size > 0;
                    }
                }
                Ok(matcher.ranging.iter().any(|heap| !free[*heap]))
            })?;
        } else {
            matcher.ranging.iter().for_each(|heap| free[*heap] = true);
        }
        let seen = free.iter().filter(|free| **free).count();
        let missing = matcher.sides.heaps_there().saturating_sub(seen);
        let empty = matcher.ranging.iter().filter(|heap| !free[**heap]);
        let added: Vec<usize> = empty.copied().take(missing).collect();
        added.into_iter().for_each(|heap| free[heap] = true);
        matcher.sides.free = (0..heaps).filter(|heap| free[*heap]).collect();
        Ok(matcher)
    }

    /// The size of the largest box that takes about a second.
    fn fitting_size(&self) -> u64 {
        let fits = |size: u64| {
            let corner = self.corner(size);
            Shape::count(&corner) <= POSITIONS && engine::work_below(self.here, &corner) <= OPTIONS
        };
        let mut size = 1;
        while size < 1000 && fits(size + 1) {
            size += 1;
        }
        size
    }

    /// About the bytes of the cached options of both games.
    fn memory(&self) -> u128 {
        let corner = self.corner(self.most);
        let positions = Shape::count(&corner).max(1);
        let options = engine::work_below(self.here, &corner).div_ceil(positions);
        let cached = positions.min(side::MAX_CACHED_POSITIONS as u128);
        2 * cached * (options + 1) * side::bytes_of_a_position(corner.len())
    }

    /// The largest position of a box.
    fn corner(&self, most: u64) -> Vec<u64> {
        let largest = self.here.game.box_to(most);
        let mut corner = vec![0; largest.len()];
        for heap in &self.ranging {
            corner[*heap] = largest[*heap];
        }
        corner
    }

    /// Calls `visit` for the positions of the box in lexicographic order, until
    /// it returns false.
    fn for_each_in_box(&mut self, visit: Visit<'_, 's>) -> Result<(), SolveError> {
        let corner = self.corner(self.most);
        let mut position = vec![0; corner.len()];
        loop {
            self.limits.check_time()?;
            if !visit(self, &position)? {
                return Ok(());
            }
            let next = corner
                .iter()
                .zip(&position)
                .rposition(|(most, size)| size < most);
            let Some(next) = next else {
                return Ok(());
            };
            position[next] += 1;
            position[next + 1..].fill(0);
        }
    }

    /// Calls `visit` for the positions of few tokens, and then for those of the box, until it
    /// returns false.
    fn for_each_from_few(&mut self, visit: Visit<'_, 's>) -> Result<(), SolveError> {
        let heaps = self.ranging.clone();
        let mut position = vec![0; self.here.game.heap_count()];
        let mut goes_on = true;
        for tokens in 0..=FEW_TOKENS {
            for_each_of_total(&heaps, tokens, &mut position, &mut |position| {
                self.limits.check_time()?;
                goes_on = goes_on && visit(self, position)?;
                Ok(goes_on)
            })?;
        }
        match goes_on {
            true => self.for_each_in_box(visit),
            false => Ok(()),
        }
    }

    /// The matching that holds, or one that agrees as far as any.
    fn best(&mut self) -> Result<Best, SolveError> {
        let (left, wanted) = (self.sides.free.len(), self.sides.heaps_there());
        let mut matching: Matching = vec![None; self.here.game.heap_count()];
        for (there, here) in self.sides.free.iter().enumerate().take(wanted) {
            matching[*here] = Some(there);
        }
        if left < wanted {
            // The condition leaves the other heaps empty, so that a heap of the other game has
            // no partner.
            let used = self.sides.heaps_used_there(FEW_TOKENS)?;
            let Some(position) = self.first_position()?.filter(|_| used > left) else {
                let why = match used > left {
                    true => nothing_compared(self.most),
                    false => format!(
                        "the condition leaves {left} heaps, and {} has {wanted}, of which {used} \
                         were seen to have tokens",
                        self.claimed.words
                    ),
                };
                return Ok(Best::Unknown(why));
            };
            let found = self.counterexample(&position, &Difference::TooFew, &matching);
            return Ok(Best::Fails(matching, found));
        }
        loop {
            let Some((position, difference)) = self.first_difference(&matching)? else {
                return Ok(match self.first_position()? {
                    Some(_) => Best::Holds(matching),
                    None => Best::Unknown(nothing_compared(self.most)),
                });
            };
            let found = self.counterexample(&position, &difference, &matching);
            if left > wanted {
                return Ok(Best::Fails(matching, found));
            }
            let tokens = position.iter().sum();
            match search::search(&mut self.sides, tokens, &self.limits)? {
                search::Found::Matching(better) => matching = better,
                search::Found::None => return Ok(Best::Fails(matching, found)),
                search::Found::TooMany => {
                    return Ok(Best::Unknown(format!(
                        "{} comparisons of positions found no matching of the heaps that fits, \
                         and did not exclude them all",
                        search::MAX_COMPARISONS
                    )));
                }
            }
        }
    }

    /// A position of the sub-game in the box.
    fn first_position(&mut self) -> Result<Option<Vec<u64>>, SolveError> {
        let (mut found, corner) = (None, self.corner(self.most));
        self.for_each_from_few(&mut |matcher, position| {
            let is_inside = position
                .iter()
                .zip(&corner)
                .all(|(size, most)| size <= most);
            if is_inside && matcher.sides.is_in_subgame(position)? {
                found = Some(position.to_vec());
            }
            Ok(found.is_none())
        })?;
        Ok(found)
    }

    /// The smallest position at which a matching fails, in the box or among the
    /// positions of few tokens.
    fn first_difference(
        &mut self,
        matching: &Matching,
    ) -> Result<Option<(Vec<u64>, Difference)>, SolveError> {
        for tokens in 0..=FEW_TOKENS {
            let mut found = None;
            let heaps = self.ranging.clone();
            let mut position = vec![0; self.here.game.heap_count()];
            let limits = &self.limits;
            let sides = &mut self.sides;
            for_each_of_total(&heaps, tokens, &mut position, &mut |position| {
                limits.check_time()?;
                let difference = sides.difference(position, matching)?;
                found = difference.map(|difference| (position.to_vec(), difference));
                Ok(found.is_none())
            })?;
            if found.is_some() {
                return Ok(found);
            }
        }
        let mut smallest: Option<(Vec<u64>, Difference)> = None;
        // Of positions with as many tokens the smallest is the canonical one.
        let symmetries = self.keeps_symmetries(matching).then(|| self.symmetries());
        self.for_each_in_box(&mut |matcher, position| {
            let key = |position| matcher.here.game.size_key(position);
            let tokens: u64 = position.iter().sum();
            if tokens > FEW_TOKENS
                && symmetries.is_none_or(|group| group.is_canonical(position))
                && (smallest.as_ref()).is_none_or(|(least, _)| key(position) < key(least))
                && let Some(difference) = matcher.sides.difference(position, matching)?
            {
                smallest = Some((position.to_vec(), difference));
            }
            Ok(true)
        })?;
        Ok(smallest)
    }

    fn symmetries(&self) -> &'s Symmetries {
        &self.here.game.facts.symmetries
    }

    /// Whether each symmetry of this game leaves the sub-game and the box as they are, and is one
    /// of the other game by the matching, so that a difference at a position is one at its images.
    fn keeps_symmetries(&self, matching: &Matching) -> bool {
        let generators = self.symmetries().generators();
        let (corner, wanted) = (self.corner(self.most), self.sides.heaps_there());
        let partners: Vec<usize> = matching.iter().copied().flatten().collect();
        if partners.len() != matching.len() || partners.len() != wanted {
            return false;
        }
        let is_one_there = |permutation: &Vec<usize>| {
            // The images of different numbers, which only a symmetry sorts.
            let mut image = vec![0; wanted];
            for (here, from) in permutation.iter().enumerate() {
                image[partners[here]] = partners[*from] as u64;
            }
            let sorted = self.claimed.other.facts.symmetries.canonical(&image);
            sorted.iter().copied().eq(0..wanted as u64)
        };
        generators.iter().all(|permutation| {
            let moved = permutation.iter().map(|from| corner[*from]);
            moved.eq(corner.iter().copied()) && is_one_there(permutation)
        }) && rows::is_invariant(self.here.game, &self.claimed.condition, &generators)
    }

    fn counterexample(
        &self,
        position: &[u64],
        difference: &Difference,
        matching: &Matching,
    ) -> Counterexample {
        let other = &self.claimed.words;
        let shown = |position: &[u64]| self.here.game.shown(position);
        let there = |position: &[u64]| self.claimed.other.shown(position);
        let image = there(&self.sides.image(position, matching));
        let (actual, claimed) = match difference {
            Difference::TooFew => (
                format!("the condition leaves {} heaps", self.sides.free.len()),
                format!("{other} has {}", self.sides.heaps_there()),
            ),
            Difference::NoPartner(heap) => (
                format!("`{}` may be non-empty", self.here.game.heap_names[*heap]),
                format!("no heap of {other} is left for it"),
            ),
            Difference::NotThere => (
                "this is a position".to_owned(),
                format!("{image} is not a position of {other}"),
            ),
            Difference::NotHere => (
                "this is not a position of the sub-game".to_owned(),
                format!("{image} is one of {other}"),
            ),
            Difference::Leaves(option) => (
                format!("the option {} leaves the sub-game", shown(option)),
                "none may".to_owned(),
            ),
            Difference::OnlyHere(option, of_image) => (
                format!("{} is an option", shown(option)),
                format!("{} is not an option of {image} in {other}", there(of_image)),
            ),
            Difference::OnlyThere(option, of_image) => (
                format!("{} is not an option", shown(option)),
                format!("{} is one of {image} in {other}", there(of_image)),
            ),
            Difference::Count => (
                "there is one number of options".to_owned(),
                format!("another of {image} in {other}"),
            ),
        };
        let matched = self.words(matching);
        let claimed = match difference {
            Difference::TooFew | Difference::NoPartner(_) | Difference::Leaves(_) => claimed,
            _ => format!("{claimed}, matched {matched}; no other matching gets further"),
        };
        Counterexample {
            position: position.to_vec(),
            actual: PositionFact::Words(actual),
            claimed: PositionFact::Words(claimed),
        }
    }

    /// `a↔h1 b↔h2 …`
    fn words(&self, matching: &Matching) -> String {
        let names = &self.claimed.other.heap_names;
        let mut pairs: Vec<(usize, String)> = self
            .sides
            .free
            .iter()
            .filter_map(|here| {
                let there = matching[*here]?;
                let pair = format!("{}↔{}", self.here.game.heap_names[*here], names[there]);
                Some((there, pair))
            })
            .collect();
        pairs.sort();
        let pairs: Vec<String> = pairs.into_iter().map(|(_, pair)| pair).collect();
        pairs.join(" ")
    }
}
