//! `claim same as GAME where COND`: the sub-game in which a condition holds is
//! another game, cell for cell.
//!
//! A *matching* gives each heap that the condition leaves one heap of the other
//! game. The claim holds for a matching if it carries positions to positions
//! and the options of each to the options of its image, and if no option leaves
//! the sub-game. A matching is looked for by `search` on the positions of few
//! tokens, where most go wrong, and held against every position of a box. One
//! that fails tells how many tokens the next one must survive; if none does,
//! the claim is refuted where the last one failed, and no other gets further.

mod search;
mod side;

use super::{Counterexample, Said, Standing};
use nimrule_engine::{self as engine, Failure, Limits, Shape, Solver};
use nimrule_model::expr::bounds::IntervalEnvironment;
use nimrule_model::game::SameAs;
use side::{Difference, Sides};

/// Which heap of the other game each of the heaps that are left is.
type Matching = Vec<Option<usize>>;

/// A box has at most this many options to compare, by an estimate, ...
const OPTIONS: u128 = 4_000_000;

/// ... and this many positions.
const POSITIONS: u128 = 200_000;

/// Positions of so few tokens are looked at first, by the number of tokens.
const FEW_TOKENS: u64 = 4;

/// Judges the claim on the positions with heaps up to `asked`, or as far as
/// takes a moment.
pub fn check(
    solver: &Solver<'_>,
    claimed: &SameAs,
    asked: Option<u64>,
    limits: &Limits,
) -> Result<Standing, Failure> {
    let mut matcher = Matcher::new(solver, claimed, asked, limits)?;
    Ok(match matcher.best()? {
        Best::Holds(matching) => Standing::Holds {
            to: matcher.most,
            by: Some(matcher.words(&matching)),
        },
        Best::Fails(_, found) => Standing::Refuted(found),
        Best::Unknown => Standing::Unknown {
            why: format!(
                "{} comparisons of positions found no matching of the heaps that fits, and did \
                 not exclude them all",
                search::MOST_COMPARISONS
            ),
        },
    })
}

/// Does the claim fail at this very position, whatever heap is matched with
/// which? The matching that gets furthest is the one that is asked.
pub fn fails_at(
    solver: &Solver<'_>,
    claimed: &SameAs,
    position: &[u64],
    limits: &Limits,
) -> Result<Option<Counterexample>, Failure> {
    let mut matcher = Matcher::new(solver, claimed, None, limits)?;
    let matching = match matcher.best()? {
        Best::Fails(_, found) if found.position == position => return Ok(Some(found)),
        Best::Holds(matching) | Best::Fails(matching, _) => matching,
        Best::Unknown => return Ok(None),
    };
    let difference = matcher.sides.difference(position, &matching)?;
    Ok(difference.map(|found| matcher.counterexample(position, &found, &matching)))
}

/// What is known of the matchings of a claim.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Matched {
    /// For each heap the heap of the other game that it is, as far as was
    /// looked.
    Holds(Vec<Option<usize>>),
    /// There is none: here the one that gets furthest fails.
    Fails(Vec<u64>),
    /// The search was ended early.
    Unknown,
}

/// The matching of heaps by which the claim holds as far as takes a moment.
pub fn matching(
    solver: &Solver<'_>,
    claimed: &SameAs,
    limits: &Limits,
) -> Result<Matched, Failure> {
    Ok(match Matcher::new(solver, claimed, None, limits)?.best()? {
        Best::Holds(matching) => Matched::Holds(matching),
        Best::Fails(_, found) => Matched::Fails(found.position),
        Best::Unknown => Matched::Unknown,
    })
}

/// What the search for a matching came to.
enum Best {
    Holds(Matching),
    /// None holds; this one gets as far as any, which is to here.
    Fails(Matching, Counterexample),
    /// The search was ended early.
    Unknown,
}

/// Shown the positions of a box; says whether it wants more.
type Visit<'v, 's> = &'v mut dyn FnMut(&mut Matcher<'s>, &[u64]) -> Result<bool, Failure>;

struct Matcher<'s> {
    sides: Sides<'s>,
    here: &'s Solver<'s>,
    claimed: &'s SameAs,
    /// The heaps that may be anything in the box; those left out are empty by
    /// the condition's own words.
    ranging: Vec<usize>,
    /// Heaps up to this size are compared.
    most: u64,
    limits: Limits,
}

impl<'s> Matcher<'s> {
    fn new(
        here: &'s Solver<'s>,
        claimed: &'s SameAs,
        asked: Option<u64>,
        limits: &Limits,
    ) -> Result<Matcher<'s>, Failure> {
        let heaps = here.game.heap_count();
        let mut known = IntervalEnvironment::of_one_position(here.game.slots);
        known.assume(&claimed.condition);
        let ranging: Vec<usize> = here
            .game
            .heaps()
            .filter(|heap| known.heap(*heap).high > 0)
            .map(|heap| heap.index())
            .collect();
        let mut matcher = Matcher {
            sides: Sides::new(here, claimed, ranging.clone(), limits),
            here,
            claimed,
            ranging,
            most: 1,
            limits: *limits,
        };
        // What is empty in every position of the box is no heap of the
        // sub-game, by whatever words the condition says so.
        let mut free = vec![false; heaps];
        if Shape::count(&matcher.corner(1)) <= POSITIONS {
            matcher.each_of_box(&mut |matcher, position| {
                if matcher.sides.keeps(position)? {
                    for (free, size) in free.iter_mut().zip(position) {
                        *free |= *size > 0;
                    }
                }
                Ok(true)
            })?;
        } else {
            matcher.ranging.iter().for_each(|heap| free[*heap] = true);
        }
        matcher.sides.free = (0..heaps).filter(|heap| free[*heap]).collect();
        matcher.most = asked.unwrap_or_else(|| matcher.fitting_size());
        Ok(matcher)
    }

    /// As large a box as is compared in a moment.
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

    /// The largest position of a box.
    fn corner(&self, most: u64) -> Vec<u64> {
        let mut corner = vec![0; self.here.game.heap_count()];
        for heap in &self.ranging {
            corner[*heap] = most;
        }
        corner
    }

    /// Shows `visit` the positions of the box in lexicographic order, while it
    /// wants more.
    fn each_of_box(&mut self, visit: Visit<'_, 's>) -> Result<(), Failure> {
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

    /// The matching that holds, or one that gets as far as any.
    fn best(&mut self) -> Result<Best, Failure> {
        let (left, wanted) = (self.sides.free.len(), self.sides.heaps_there());
        let mut matching: Matching = vec![None; self.here.game.heap_count()];
        for (there, here) in self.sides.free.iter().enumerate().take(wanted) {
            matching[*here] = Some(there);
        }
        if left < wanted {
            // No heap of ours for one of theirs.
            let nothing = vec![0; self.here.game.heap_count()];
            let found = self.counterexample(&nothing, &Difference::TooFew, &matching);
            return Ok(Best::Fails(matching, found));
        }
        loop {
            let Some((position, difference)) = self.first_difference(&matching)? else {
                return Ok(Best::Holds(matching));
            };
            let found = self.counterexample(&position, &difference, &matching);
            if left > wanted {
                return Ok(Best::Fails(matching, found));
            }
            let tokens = position.iter().sum();
            match search::search(&mut self.sides, tokens, &self.limits)? {
                search::Found::Matching(better) => matching = better,
                search::Found::None => return Ok(Best::Fails(matching, found)),
                search::Found::TooMany => return Ok(Best::Unknown),
            }
        }
    }

    /// The smallest position at which a matching fails, in the box or among
    /// those of few tokens.
    fn first_difference(
        &mut self,
        matching: &Matching,
    ) -> Result<Option<(Vec<u64>, Difference)>, Failure> {
        for tokens in 0..=FEW_TOKENS {
            let mut found = None;
            let heaps = self.ranging.clone();
            let mut position = vec![0; self.here.game.heap_count()];
            let limits = self.limits;
            let sides = &mut self.sides;
            search::each_of_total(&heaps, tokens, &mut position, &mut |position| {
                limits.check_time()?;
                let difference = sides.difference(position, matching)?;
                found = difference.map(|difference| (position.to_vec(), difference));
                Ok(found.is_none())
            })?;
            if found.is_some() {
                return Ok(found);
            }
        }
        let mut worst: Option<(u64, Vec<u64>, Difference)> = None;
        self.each_of_box(&mut |matcher, position| {
            let tokens = position.iter().sum();
            if tokens > FEW_TOKENS
                && worst.as_ref().is_none_or(|(least, ..)| tokens < *least)
                && let Some(difference) = matcher.sides.difference(position, matching)?
            {
                worst = Some((tokens, position.to_vec(), difference));
            }
            Ok(true)
        })?;
        Ok(worst.map(|(_, position, difference)| (position, difference)))
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
                format!("`{}` may have tokens", self.here.game.heap_names[*heap]),
                format!("no heap of {other} is left for it"),
            ),
            Difference::NotThere => (
                "this is a position".to_owned(),
                format!("{image} is none of {other}"),
            ),
            Difference::NotHere => (
                "this is no position of the sub-game".to_owned(),
                format!("{image} is one of {other}"),
            ),
            Difference::Leaves(option) => (
                format!("the option {} leaves the sub-game", shown(option)),
                "none may".to_owned(),
            ),
            Difference::OnlyHere(option, of_image) => (
                format!("{} is an option", shown(option)),
                format!("{} is none of {image} in {other}", there(of_image)),
            ),
            Difference::OnlyThere(option, of_image) => (
                format!("{} is no option", shown(option)),
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
            actual: Said::Words(actual),
            claimed: Said::Words(claimed),
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
