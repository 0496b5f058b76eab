//! One position: its outcome, its value and the moves that win, by the engine
//! that can and is not too dear.
//!
//! What an engine costs is asked before it is begun; an engine whose cost
//! nobody knows is tried within limits that leave room for the next.

use super::{
    Asked, Choice, Engine, Failure, Limits, Outcome, Question, Refused, Shape, Solver, Turns, arcs,
    choose, choose_among, hypergraph, memo, nim_sum, parts, plain, quotient, retrograde, vectors,
};
use crate::game::Convention;
use crate::ir::Walker;
use std::ops::ControlFlow;

/// What there is to say about one position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    pub outcome: Outcome,
    /// Under misere play the value whose end positions count as 1. Absent
    /// where it was not asked for and would have cost much more, and under
    /// misere play wherever it was not asked for.
    pub grundy: Option<u64>,
    /// Where a sum of tokens has no value, the values that it leads to.
    pub loopy: Option<Vec<u64>>,
    /// None where each side has moves of its own: see `turns`.
    pub winning_moves: Vec<Vec<u64>>,
    /// With the moves until the end, where the engine tells them; always
    /// where each side has moves of its own, or positions may repeat.
    pub turns: Option<Turns>,
    pub method: &'static str,
    pub passed_over: Vec<(&'static str, String)>,
}

impl Answer {
    /// Does a player win by moving there? Where each side has moves of its
    /// own, either of them.
    pub fn wins_by(&self, option: &[u64]) -> bool {
        match &self.turns {
            None => self.winning_moves.iter().any(|winning| winning == option),
            Some(turns) => turns.each().iter().any(|(_, turn)| turn.wins_by(option)),
        }
    }
}

/// Whether the Grundy value is worth its cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wish {
    /// It must be found.
    Grundy,
    /// It is welcome if it is cheap.
    GrundyIfCheap,
    Outcome,
}

/// Options looked at that are still cheap: a second or two.
const CHEAP: u128 = 300_000_000;

/// Answers about one position.
pub fn answer(
    solver: &Solver<'_>,
    position: &[u64],
    convention: Convention,
    wish: Wish,
    limits: &Limits,
    forced: Option<&str>,
) -> Result<Answer, Failure> {
    // Without Grundy values, one that would only be welcome is not looked for.
    let wish = match wish {
        Wish::GrundyIfCheap if solver.game.no_values().is_some() => Wish::Outcome,
        wish => wish,
    };
    let about = |question, limits: &Limits| {
        let asked = Asked {
            question,
            convention,
        };
        answer_to(solver, position, asked, limits, forced)
    };
    match (convention, wish) {
        (_, Wish::Grundy) => about(Question::Grundy, limits),
        (Convention::Misere, _) | (_, Wish::Outcome) => about(Question::Outcome, limits),
        (_, Wish::GrundyIfCheap) => match grundy_costs(solver, position, limits, forced) {
            Cost::Little => about(Question::Grundy, limits),
            Cost::Much => about(Question::Outcome, limits),
            Cost::Unknown => match about(Question::Grundy, &limits.for_an_attempt()) {
                Err(Failure::Memory { .. } | Failure::Time) => about(Question::Outcome, limits),
                settled => settled,
            },
        },
    }
}

/// Answers one question about one position.
fn answer_to(
    solver: &Solver<'_>,
    position: &[u64],
    asked: Asked,
    limits: &Limits,
    forced: Option<&str>,
) -> Result<Answer, Failure> {
    let mut refused = Vec::new();
    let (engine, passed_over, mut oracle) = loop {
        let Choice {
            engine,
            passed_over,
        } = choose_for_one_among(solver, position, asked, limits, forced, &refused)?;
        if engine.name() == arcs::Arcs.name() {
            return arcs::answer(solver, position, asked, limits, passed_over);
        }
        if engine.name() == retrograde::Retrograde.name() {
            return retrograde::answer(solver, position, asked.convention, limits, passed_over);
        }
        match engine.oracle(solver, position, asked, limits) {
            Ok(oracle) => break (engine, passed_over, oracle),
            // It finds only now that it cannot.
            Err(Failure::Cannot { reason, .. }) if forced.is_none() => {
                refused.push((engine.name(), reason));
            }
            Err(failure) => return Err(failure),
        }
    };
    let value = oracle.value(position)?;
    let winning_moves = if value == 0 {
        Vec::new()
    } else {
        oracle.winning_moves(solver, position, limits)?
    };
    Ok(Answer {
        outcome: if value == 0 { Outcome::P } else { Outcome::N },
        grundy: (asked.question == Question::Grundy).then_some(value),
        loopy: None,
        winning_moves,
        turns: None,
        method: engine.name(),
        passed_over,
    })
}

/// Chooses the engine for one position: one that can, and whose table of the
/// box below fits the memory and some minutes of work. The searches are there
/// where no other is, since they take what they need as they go.
pub fn choose_for_one(
    solver: &Solver<'_>,
    position: &[u64],
    asked: Asked,
    limits: &Limits,
    forced: Option<&str>,
) -> Result<Choice, Failure> {
    choose_for_one_among(solver, position, asked, limits, forced, &[])
}

fn choose_for_one_among(
    solver: &Solver<'_>,
    position: &[u64],
    asked: Asked,
    limits: &Limits,
    forced: Option<&str>,
    refused: &Refused,
) -> Result<Choice, Failure> {
    let falls_apart = forced.is_none() && parts::parts(solver, position, asked, limits).is_some();
    choose_among(solver, asked, forced, refused, &|engine| {
        // Engines that answer without the box below come before it.
        let without = [
            arcs::Arcs.name(),
            nim_sum::NimSum.name(),
            parts::Parts.name(),
        ];
        if falls_apart && !without.contains(&engine.name()) {
            return Err("the position falls into parts".to_owned());
        }
        if engine.name() == parts::Parts.name() && forced.is_none() && !falls_apart {
            return Err("the position does not fall into parts, or is small".to_owned());
        }
        let needed = engine.bytes_for_one(solver, position, asked);
        if needed > u128::from(limits.memory) {
            return Err(if needed > u128::from(u64::MAX) {
                "the box below the position is far too large".to_owned()
            } else {
                format!("the box below the position takes {needed} bytes")
            });
        }
        // How many choices are looked at together.
        let together = match engine.name() {
            name if name == plain::Plain.name() => Some(1),
            name if name == vectors::Vectors.name() => Some(vectors::together(asked)),
            _ => None,
        };
        if forced.is_none()
            && let Some(together) = together
        {
            let work = work_below(solver, position) / together;
            if work > 60 * CHEAP {
                return Err("the box below the position takes too long".to_owned());
            }
        }
        Ok(())
    })
}

/// How far one position is from what an engine can do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// A table of what lies below it fits.
    Within,
    /// Nothing bounds the positions that can be reached, or not closely: a
    /// search may come to an end, or not.
    Unknown,
    /// There are far too many positions below it.
    Beyond,
}

/// Boxes with more positions than this are not worth a search that may come
/// to nothing: it would have to pass nearly all of them by.
const MOST_SEARCHED: u128 = 1 << 32;

/// Says whether it is worth while to put an engine to a position, where there
/// is another way to answer.
pub fn reach(solver: &Solver<'_>, position: &[u64], asked: Asked, limits: &Limits) -> Reach {
    match choose_for_one(solver, position, asked, limits, None) {
        Ok(choice) if is_certain(choice.engine) => Reach::Within,
        _ if solver.profile.only_takes.is_ok() && Shape::count(position) > MOST_SEARCHED => {
            Reach::Beyond
        }
        _ => Reach::Unknown,
    }
}

/// Sweeps of so many positions are a matter of some seconds.
const FEW_SWEPT: u128 = 1 << 33;
/// A search among so many positions may well come to its end.
const FEW_SEARCHED: u128 = 1 << 20;

/// Says whether an engine is likely to answer within some seconds. Nothing is
/// promised: who has no other way to answer has to try.
pub fn is_soon(solver: &Solver<'_>, position: &[u64], asked: Asked, limits: &Limits) -> bool {
    let Ok(choice) = choose_for_one(solver, position, asked, limits, None) else {
        return false;
    };
    let below = Shape::count(position);
    match choice.engine.name() {
        // These do not go through the box below.
        name if name == arcs::Arcs.name()
            || name == nim_sum::NimSum.name()
            || name == parts::Parts.name() =>
        {
            true
        }
        name if name == hypergraph::Hypergraph.name() => below <= FEW_SWEPT,
        name if name == plain::Plain.name() => work_below(solver, position) <= 4 * CHEAP,
        name if name == vectors::Vectors.name() => {
            work_below(solver, position) / vectors::together(asked) <= 4 * CHEAP
        }
        _ => below <= FEW_SEARCHED,
    }
}

/// Does an engine that can answer do so in bounded time and memory?
pub(super) fn is_certain(engine: &dyn Engine) -> bool {
    engine.name() != memo::Memo.name() && engine.name() != quotient::ByQuotient.name()
}

/// What a Grundy value costs.
enum Cost {
    Little,
    Much,
    /// Nothing bounds the positions that can be reached: it has to be tried.
    Unknown,
}

fn grundy_costs(
    solver: &Solver<'_>,
    position: &[u64],
    limits: &Limits,
    forced: Option<&str>,
) -> Cost {
    let asked = Asked {
        question: Question::Grundy,
        convention: Convention::Normal,
    };
    match choose(solver, asked, forced) {
        Ok(choice) if choice.engine.name() == nim_sum::NimSum.name() => Cost::Little,
        // It finds the values of all vertices together, where they are few.
        Ok(choice) if choice.engine.name() == arcs::Arcs.name() => Cost::Much,
        Ok(_) if solver.profile.only_takes.is_err() => Cost::Unknown,
        Ok(_)
            if forced.is_none()
                && let Some(parts) = parts::parts(solver, position, asked, limits) =>
        {
            let work = parts.iter().map(|part| work_below(solver, part));
            match work.fold(0, u128::saturating_add) {
                ..=CHEAP => Cost::Little,
                _ => Cost::Much,
            }
        }
        Ok(_) if work_below(solver, position) <= CHEAP => Cost::Little,
        Ok(_) | Err(_) => Cost::Much,
    }
}

/// About how many choices there are to look at in the box below: its positions
/// times the choices at the busier of two samples. Samples with more choices
/// than are worth counting are cut short, and so is the estimate.
pub fn work_below(solver: &Solver<'_>, position: &[u64]) -> u128 {
    const MOST: u64 = 1_000_000;
    let mut walker = Walker::new(&solver.graph, &[]);
    walker.patience = MOST;
    // A rule may refuse nearly everything that it could take.
    walker.most_steps = 64 * MOST;
    // About the middle, and, in case that is excluded, with heaps apart.
    let middle: Vec<u64> = position.iter().map(|size| size.div_ceil(2)).collect();
    let apart: Vec<u64> = middle
        .iter()
        .zip(position)
        .zip(0..)
        .map(|((half, most), place)| (half + place).min(*most))
        .collect();
    let mut choices = 1;
    for sample in [middle, apart] {
        let mut options = 0;
        let looked = walker.options(&sample, 0, &mut |_, _| {
            options += 1;
            if options < MOST {
                ControlFlow::Continue(())
            } else {
                ControlFlow::Break(())
            }
        });
        // A fault is met again, and reported, when the box is solved; what
        // took so long to find it would take as long for every position.
        if looked.is_err() {
            return u128::MAX;
        }
        // A condition costs several times what an option costs.
        choices = choices.max(options + 8 * walker.attempts);
    }
    Shape::count(position).saturating_mul(u128::from(choices))
}
