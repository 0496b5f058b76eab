//! Positions compared with their images in another game, at every position of a box: in
//! their options, outcomes or Grundy values.
//!
//! Outcomes and values are those of two solved boxes. That of the other game is as large as
//! the largest image; if it would be too large, the box of this game is made smaller.

use super::side::{Side, at};
use super::{ClaimStatus, Counterexample, PositionFact};
use crate::{SmallestCounterexample, environment, fitting_size, smaller};
use nimrule_engine::{
    self as engine, Limits, Query, Question, Request, Shape, SolveError, Solver, Table,
};
use nimrule_ir as ir;
use nimrule_model::game::{Agreement, Convention, Game, PositionKind, SameAs};
use std::collections::BTreeMap;

/// The most positions of a box of either game.
const POSITIONS: u128 = 100_000;

/// The most options of the positions of a box, where each option is compared.
const OPTIONS: u128 = 4_000_000;

/// The most options where a table is filled.
const OPTIONS_OF_TABLE: u128 = 200_000_000;

/// The box of the other game may be larger, because only the images are compared.
const LARGER: u128 = 4;

/// Checks the claim at every position with heaps up to `most`, or fewer: at most as many as
/// are compared in about a second.
pub(super) fn check(
    solver: &Solver<'_>,
    claimed: &SameAs,
    convention: Convention,
    most: u64,
    limits: &Limits,
) -> Result<ClaimStatus, SolveError> {
    let there = Solver::new(&claimed.other);
    let comparison = Comparison {
        here: solver,
        there: &there,
        claimed,
        query: Query {
            question: match claimed.agreement {
                Agreement::Grundy => Question::Grundy,
                Agreement::Outcome | Agreement::Options => Question::Outcome,
            },
            convention,
        },
        limits,
    };
    let options = match claimed.agreement {
        Agreement::Options => OPTIONS,
        Agreement::Outcome | Agreement::Grundy => OPTIONS_OF_TABLE,
    };
    let mut most = most.min(fitting_size(solver, POSITIONS, options).max(1));
    loop {
        if let Some(status) = comparison.in_box(most)? {
            return Ok(status);
        }
        // The box of the images is too large.
        most = smaller(solver, most, crate::BOX_WORK).map_or(0, |(less, _)| less);
    }
}

/// Whether the claim fails at one position.
pub(super) fn fails_at(
    solver: &Solver<'_>,
    claimed: &SameAs,
    convention: Convention,
    position: &[u64],
    limits: &Limits,
) -> Result<Option<Counterexample>, SolveError> {
    let game = solver.game;
    let mut images = Images::new(game, claimed);
    let Some(image) = images.of(position)? else {
        return Ok(None);
    };
    let there = Solver::new(&claimed.other);
    let image = match image.in_game(claimed, &Side::new(&claimed.other, there.graph.clone()))? {
        Ok(image) => image,
        Err(image) => return Ok(Some(not_there(claimed, position, &image))),
    };
    let request = match claimed.agreement {
        Agreement::Options => {
            return OptionsCompared::new(solver, claimed, limits).at(position, &image);
        }
        Agreement::Outcome => Request::Outcome,
        Agreement::Grundy => Request::Grundy,
    };
    let answer = |solver: &Solver<'_>, position: &[u64]| {
        engine::answer(solver, position, convention, request, limits, None)
            .map_err(|error| error.in_game(solver.game))
    };
    let (ours, theirs) = (answer(solver, position)?, answer(&there, &image)?);
    Ok(match claimed.agreement {
        Agreement::Grundy => (ours.grundy != theirs.grundy).then(|| {
            let value = |value: Option<u64>| value.unwrap_or(0).to_string();
            differs(
                claimed,
                position,
                &image,
                &value(ours.grundy),
                &value(theirs.grundy),
            )
        }),
        _ => (ours.outcome != theirs.outcome).then(|| {
            let (ours, theirs) = (ours.outcome.to_string(), theirs.outcome.to_string());
            differs(claimed, position, &image, &ours, &theirs)
        }),
    })
}

/// The comparison of a box.
#[derive(Clone, Copy)]
struct Comparison<'s> {
    here: &'s Solver<'s>,
    there: &'s Solver<'s>,
    claimed: &'s SameAs,
    query: Query,
    limits: &'s Limits,
}

impl<'s> Comparison<'s> {
    /// The status for the box with heaps up to `most`. `None` if the box of the images would
    /// be too large, and this one can be smaller.
    fn in_box(&self, most: u64) -> Result<Option<ClaimStatus>, SolveError> {
        let (game, claimed) = (self.here.game, self.claimed);
        let region = self.here.region(most, self.limits)?;
        let by_options = claimed.agreement == Agreement::Options;
        // Options need no outcomes.
        let table = match by_options {
            true => None,
            false => Some(engine::fill_region(
                self.here,
                &region,
                self.query,
                self.limits,
                None,
            )?),
        };
        let mut images = Images::new(game, claimed);
        let here = Side::new(game, self.here.graph.clone());
        let there = Side::new(&claimed.other, self.there.graph.clone());
        let mut found = SmallestCounterexample::default();
        let mut compared: Vec<(usize, Vec<u64>)> = Vec::new();
        let mut steps = 0_u32;
        let mut check_time = || {
            steps = steps.wrapping_add(1);
            match steps % 256 {
                0 => self.limits.check_time().map_err(SolveError::from),
                _ => Ok(()),
            }
        };
        region.try_each(|position, place| {
            check_time()?;
            let is_position = match &table {
                Some(table) => table.outcome(place).is_some(),
                None => here.is_position(position)?,
            };
            let image = match is_position {
                true => images.of(position)?,
                false => None,
            };
            if let Some(image) = image {
                match image.in_game(claimed, &there)? {
                    Ok(image) => compared.push((place, image)),
                    Err(image) => found.add(game, not_there(claimed, position, &image)),
                }
            }
            Ok::<(), SolveError>(())
        })?;
        let of_images = match table {
            Some(table) => {
                let Some(theirs) = self.table_of_images(&compared, most)? else {
                    return Ok(None);
                };
                for (place, image) in &compared {
                    check_time()?;
                    if let Some((ours, theirs)) = self.difference((&table, *place), &theirs, image)
                    {
                        let position = region.at(*place);
                        found.add(game, differs(claimed, &position, image, &ours, &theirs));
                    }
                }
                Some(theirs.region().to(&claimed.other))
            }
            None => {
                let mut options = OptionsCompared::new(self.here, claimed, self.limits);
                for (place, image) in &compared {
                    check_time()?;
                    if let Some(failing) = options.at(&region.at(*place), image)? {
                        found.add(game, failing);
                    }
                }
                None
            }
        };
        let positions = match compared.len() {
            1 => "1 position".to_owned(),
            many => format!("{many} positions"),
        };
        Ok(Some(match found.into_inner() {
            Some(failing) => ClaimStatus::Refuted(failing),
            None => {
                let (are_all, to) = (region.are_all(game), region.to(game));
                match ClaimStatus::unrefuted(compared.len() as u64, are_all, to) {
                    ClaimStatus::Holds { to, .. } => ClaimStatus::Holds {
                        to,
                        by: Some(match of_images {
                            Some(to) => format!("{positions}, with images up to {to}"),
                            None => positions,
                        }),
                    },
                    other => other,
                }
            }
        }))
    }

    /// The table of the other game that contains the images. `None` if it would be too large,
    /// and the box of this game can be smaller.
    fn table_of_images(
        &self,
        compared: &[(usize, Vec<u64>)],
        most: u64,
    ) -> Result<Option<Table>, SolveError> {
        let other = &self.claimed.other;
        let region = match &other.position_kind {
            PositionKind::Multiset(kinds) => {
                // Up to a number of tokens.
                let tokens = compared.iter().map(|(_, image)| other.tokens(image)).max();
                let tokens = u64::try_from(tokens.unwrap_or(0)).unwrap_or(u64::MAX);
                let allowed = LARGER * POSITIONS;
                let count = engine::multiset::count(kinds, tokens, allowed + 1);
                if count > allowed && most > 0 {
                    return Ok(None);
                }
                self.there.region(tokens, self.limits)?
            }
            _ => {
                let mut corner = vec![0; other.heap_count()];
                for (_, image) in compared {
                    for (most, size) in corner.iter_mut().zip(image) {
                        *most = (*most).max(*size);
                    }
                }
                let is_large = Shape::count(&corner) > LARGER * POSITIONS
                    || engine::work_below(self.there, &corner) > LARGER * OPTIONS_OF_TABLE;
                if is_large && most > 0 {
                    return Ok(None);
                }
                self.there.region_of(&corner, self.limits)?
            }
        };
        engine::fill_region(self.there, &region, self.query, self.limits, None)
            .map(Some)
            .map_err(|error| error.in_game(other))
    }

    /// The outcomes or values of a position and its image, if they differ.
    fn difference(
        &self,
        (ours, place): (&Table, usize),
        theirs: &Table,
        image: &[u64],
    ) -> Option<(String, String)> {
        match self.query.question {
            Question::Grundy => {
                let theirs = theirs.grundy_of(image);
                let ours = ours.grundy(place);
                let words = |value: Option<u64>| value.map_or("no value".into(), |v| v.to_string());
                (ours != theirs).then(|| (words(ours), words(theirs)))
            }
            Question::Outcome => {
                let theirs = theirs.outcome_of(image);
                let ours = ours.outcome(place);
                let words =
                    |of: Option<engine::Outcome>| of.map_or("none".into(), |o| o.to_string());
                (ours != theirs).then(|| (words(ours), words(theirs)))
            }
        }
    }
}

/// The image of a position, as the claim gives it.
struct Image(Vec<i64>);

impl Image {
    /// The image as a position of the other game, or as it is shown if it is none.
    fn in_game(
        self,
        claimed: &SameAs,
        there: &Side<'_>,
    ) -> Result<Result<Vec<u64>, String>, SolveError> {
        let other = &claimed.other;
        let sizes: Option<Vec<u64>> = self
            .0
            .iter()
            .map(|size| u64::try_from(*size).ok())
            .collect();
        let is_multiset = matches!(other.position_kind, PositionKind::Multiset(_));
        let position = sizes.map(|mut sizes| {
            if is_multiset && claimed.map.is_some() {
                // Empty heaps are no heaps.
                sizes.retain(|size| *size > 0);
                sizes.sort_unstable();
            }
            sizes
        });
        let is_position =
            |position: &[u64]| match is_multiset || position.len() == other.heap_count() {
                true => there.is_position(position),
                false => Ok(false),
            };
        match position {
            Some(position) if is_position(&position)? => Ok(Ok(position)),
            _ => {
                let sizes: Vec<String> = self.0.iter().map(i64::to_string).collect();
                let sizes = sizes.join(",");
                Ok(Err(match is_multiset {
                    true => format!("{{{sizes}}}"),
                    false => format!("({sizes})"),
                }))
            }
        }
    }
}

/// Evaluates the images of positions.
struct Images<'s> {
    game: &'s Game,
    claimed: &'s SameAs,
    locals: Vec<i64>,
}

impl<'s> Images<'s> {
    fn new(game: &'s Game, claimed: &'s SameAs) -> Images<'s> {
        Images {
            game,
            claimed,
            locals: vec![0; game.slots],
        }
    }

    /// The image of a position; `None` where the condition does not hold.
    fn of(&mut self, position: &[u64]) -> Result<Option<Image>, SolveError> {
        let (sizes, kinds) = self.game.sizes_and_kinds(position);
        let mut environment = nimrule_model::expr::Environment {
            kinds: &kinds,
            ..environment(&sizes, &mut self.locals, self.game)
        };
        let failing = |fault| at(fault, position);
        let speaks = self.claimed.condition.eval(&mut environment);
        if !speaks.map_err(failing)? {
            return Ok(None);
        }
        let sizes = match &self.claimed.map {
            Some(map) => map.eval(&mut environment).map_err(failing)?.to_vec(),
            None => {
                let sizes = position.iter().map(|size| i64::try_from(*size));
                sizes.collect::<Result<_, _>>().unwrap_or_default()
            }
        };
        Ok(Some(Image(sizes)))
    }
}

/// Compares the options of positions with those of their images.
struct OptionsCompared<'s> {
    claimed: &'s SameAs,
    images: Images<'s>,
    here: Side<'s>,
    there: Side<'s>,
    limits: &'s Limits,
}

impl<'s> OptionsCompared<'s> {
    fn new(solver: &'s Solver<'_>, claimed: &'s SameAs, limits: &'s Limits) -> OptionsCompared<'s> {
        OptionsCompared {
            claimed,
            images: Images::new(solver.game, claimed),
            here: Side::new(solver.game, solver.graph.clone()),
            there: Side::new(&claimed.other, ir::lower(&claimed.other)),
            limits,
        }
    }

    /// The counterexample at a position, if it is one.
    fn at(
        &mut self,
        position: &[u64],
        image: &[u64],
    ) -> Result<Option<Counterexample>, SolveError> {
        let name = &self.claimed.words;
        let failing = |actual: String, claimed: String| {
            Ok(Some(Counterexample {
                position: position.to_vec(),
                actual: PositionFact::Words(actual),
                claimed: PositionFact::Words(claimed),
            }))
        };
        let image_shown = self.claimed.other.shown(image);
        let mut ours: BTreeMap<Vec<u64>, Vec<u64>> = BTreeMap::new();
        let game = self.images.game;
        for option in self.here.options(position, self.limits)? {
            let Some(of_option) = self.images.of(&option)? else {
                let actual = format!("the option {} leaves the sub-game", game.shown(&option));
                return failing(actual, "none may".to_owned());
            };
            match of_option.in_game(self.claimed, &self.there)? {
                Ok(of_option) => ours.entry(of_option).or_insert(option),
                Err(of_option) => {
                    let actual = format!("{} is an option", game.shown(&option));
                    return failing(actual, format!("{of_option} is not a position of {name}"));
                }
            };
        }
        let theirs = self.there.options(image, self.limits)?;
        for theirs in &theirs {
            if ours.remove(theirs).is_none() {
                let there = self.claimed.other.shown(theirs);
                return failing(
                    format!("it goes to {image_shown} of {name}"),
                    format!("no option goes to its option {there}"),
                );
            }
        }
        match ours.first_key_value() {
            None => Ok(None),
            Some((of_option, option)) => failing(
                format!("{} is an option", game.shown(option)),
                format!(
                    "{} is not an option of {image_shown} in {name}",
                    self.claimed.other.shown(of_option)
                ),
            ),
        }
    }
}

fn not_there(claimed: &SameAs, position: &[u64], image: &str) -> Counterexample {
    Counterexample {
        position: position.to_vec(),
        actual: PositionFact::Words("this is a position".to_owned()),
        claimed: PositionFact::Words(format!("{image} is not a position of {}", claimed.words)),
    }
}

fn differs(
    claimed: &SameAs,
    position: &[u64],
    image: &[u64],
    ours: &str,
    theirs: &str,
) -> Counterexample {
    let is = match claimed.agreement {
        Agreement::Grundy => "has the Grundy value ",
        Agreement::Outcome | Agreement::Options => "is ",
    };
    let image = claimed.other.shown(image);
    Counterexample {
        position: position.to_vec(),
        actual: PositionFact::Words(format!("it {is}{ours}")),
        claimed: PositionFact::Words(format!("{image} of {} {is}{theirs}", claimed.words)),
    }
}
