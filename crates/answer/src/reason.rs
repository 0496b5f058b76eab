//! The reason for the outcome of a position: each winning move, or the reply to each
//! move, and the claims of the file worked out at the position.

use super::answer::{Answer, Turn, Unanswered};
use super::claim::Verdict;
use super::effort::Effort;
use super::session::Session;
use super::words;
use nimrule_claim::ClaimEvaluator;
use nimrule_claim::worked::{DigitSum, Value, Worked, worked};
use nimrule_engine::{Outcome, heap_sequences};
use nimrule_limits::Steps;
use nimrule_model::game::{Applies, Claim, Convention, Game, PositionKind, Side, Statement};
use nimrule_model::position::Position;
use std::rc::Rc;

/// How much of a reason is looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReasonBounds {
    /// The largest number of moves of one position.
    pub moves: usize,
    /// The number of moves of the loser in a line of play, each with its reply.
    pub depth: usize,
    /// Whether moves of the loser that are the same up to a symmetry are listed one by one.
    pub each: bool,
}

/// The reason for the outcome of a position.
#[derive(Debug, Clone)]
pub struct Reason {
    /// The answer.
    pub answer: Rc<Answer>,
    /// The claims that agree with the outcome, worked out.
    pub claims: Vec<WorkedClaim>,
    /// The Grundy values of the heaps with their nim-sum, which is that of the position: where
    /// each move changes one of several heaps, and no claim has such a sum.
    pub heaps: Option<DigitSum>,
    /// For each player to move; one entry in an impartial game.
    pub sides: Vec<ReasonOfSide>,
}

/// A claim of the file, worked out at a position.
#[derive(Debug, Clone)]
pub struct WorkedClaim {
    /// Its number in the file, from 1.
    pub number: usize,
    /// Its text.
    pub words: String,
    /// Its value and those of its parts.
    pub worked: Worked,
}

/// What one player to move achieves, with the moves that show it.
#[derive(Debug, Clone)]
pub struct ReasonOfSide {
    /// The player; `None` in an impartial game.
    pub side: Option<Side>,
    /// What the player achieves.
    pub turn: Turn,
    /// The moves.
    pub moves: Vec<ReasonMove>,
    /// The number of moves that are not in `moves`.
    pub omitted: usize,
    /// Whether there may be more moves than that.
    pub more: bool,
}

/// A move, with what it leads to.
#[derive(Debug, Clone)]
pub struct ReasonMove {
    /// The position after it.
    pub to: Position,
    /// The move in words.
    pub words: String,
    /// The number of moves that are the same up to the symmetries of the rule, itself
    /// included.
    pub alike: usize,
    /// What the opponent achieves after it.
    pub leaves: Turn,
    /// The reply that wins, with its words and what follows it.
    pub reply: Option<(Position, String, Option<Box<ReasonOfSide>>)>,
    /// The part of the first claim that changes its value.
    pub breaks: Option<String>,
}

impl ReasonOfSide {
    /// Who is to move, the outcome and the number of moves.
    pub fn summary(&self) -> String {
        let who = match self.side {
            Some(side) => format!("{} to move", side.name()),
            None => "The player to move".to_owned(),
        };
        let counted = self.moves.iter().map(|m| m.alike).sum::<usize>() + self.omitted;
        let least = if self.more { "at least " } else { "" };
        let count = words::grouped(counted as u128);
        match (self.turn, counted) {
            (Turn::Wins, 0) if !self.more => format!("{who} wins: no move is left"),
            (Turn::Wins, 1) => {
                format!("{who} wins by {least}one move, which leaves a lost position")
            }
            (Turn::Wins, _) => {
                format!("{who} wins by {least}{count} moves, which leave lost positions")
            }
            (Turn::Draws, 1) => format!("{who} draws by {least}one move"),
            (Turn::Draws, _) => format!("{who} draws by {least}{count} moves"),
            (Turn::Loses, 0) => format!("{who} loses: there is no move"),
            (Turn::Loses, 1) if !self.more => {
                format!("{who} loses: the opponent wins after the only move")
            }
            (Turn::Loses, _) if self.more && counted < Session::MAX_OPTIONS => {
                format!("{who} loses; of the moves, one for each choice of heaps")
            }
            (Turn::Loses, _) if self.more => {
                format!("{who} loses; of the first {} moves", Session::MAX_OPTIONS)
            }
            (Turn::Loses, _) => {
                format!("{who} loses: the opponent wins after each of {count} moves")
            }
        }
    }
}

/// The number of characters shown of a part that a move breaks.
const WORDS_SHOWN: usize = 40;

impl<'g> Session<'g> {
    /// The reason for the outcome of a position.
    ///
    /// # Errors
    ///
    /// Why there is no answer about it, or about a position that the reason needs.
    pub fn reason(
        &self,
        position: &Position,
        convention: Convention,
        bounds: ReasonBounds,
    ) -> Result<Reason, Unanswered> {
        let game = self.game();
        let answer = self.outcome(position, convention)?;
        let claims = match position.small() {
            Some(small) => agreeing_claims(game, convention, small, answer.outcome),
            None => Vec::new(),
        };
        // A claim that fails elsewhere is no reason, even where it is right.
        let fails = |number: usize| {
            let report = self.claim(number, &Effort::REASON);
            report.is_ok_and(|report| matches!(report.verdict, Verdict::Refuted(_)))
        };
        let claims: Vec<(usize, &Claim, Worked)> = claims
            .into_iter()
            .filter(|(number, ..)| !fails(*number))
            .collect();
        let sides: &[Option<Side>] = if game.has_sides() {
            &[Some(Side::Left), Some(Side::Right)]
        } else {
            &[None]
        };
        let mut found = Vec::new();
        for side in sides {
            let reasons = Reasons {
                session: self,
                convention,
                moves: bounds.moves,
                each: bounds.each,
            };
            found.push(reasons.of_side(position, *side, bounds.depth, claims.first())?);
        }
        let has_sum = |(_, _, worked): &(usize, &Claim, Worked)| {
            worked.parts.iter().any(|part| !part.digit_sums.is_empty())
        };
        let heaps = match claims.iter().any(has_sum) {
            true => None,
            false => self.sum_of_heaps(position, convention),
        };
        Ok(Reason {
            answer,
            heaps,
            claims: claims
                .into_iter()
                .map(|(number, claim, worked)| WorkedClaim {
                    number,
                    words: claim.words.clone(),
                    worked,
                })
                .collect(),
            sides: found,
        })
    }
}

/// The largest heap whose Grundy value is a part of a reason, and the work for all of them.
const LARGEST_HEAP: u64 = 10_000;
const WORK_FOR_HEAPS: Steps = Steps::million(1);

impl Session<'_> {
    /// The Grundy values of several heaps with their nim-sum, where each move changes one heap
    /// (Sprague 1935, Grundy 1939).
    fn sum_of_heaps(&self, position: &Position, convention: Convention) -> Option<DigitSum> {
        let game = self.game();
        let rules = self.solver.profile.heap_rules.as_ref().ok()?;
        let has_values = convention == Convention::Normal && game.no_grundy_values().is_none();
        if !has_values || !game.states_of_any_kind().is_empty() {
            return None;
        }
        let (sizes, kinds) = game.sizes_and_kinds(position.small()?);
        let largest = sizes.iter().max().filter(|size| **size <= LARGEST_HEAP)?;
        if sizes.len() < 2 {
            return None;
        }
        let limits = self.limits.cap_work(WORK_FOR_HEAPS);
        let sequences = heap_sequences::explored(&self.solver, *largest, &limits).ok()?;
        let terms = sizes.iter().enumerate().map(|(place, size)| {
            let (words, kind) = match &game.position_kind {
                PositionKind::Multiset(of) => {
                    let kind = kinds.get(place).copied().unwrap_or(0);
                    let name = of.names.get(kind).map_or("heap", String::as_str);
                    (format!("{name} of {size}"), kind)
                }
                _ => (
                    game.heap_names[place].clone(),
                    *rules.kind_of_heap.get(place)?,
                ),
            };
            let value = sequences
                .get(kind)?
                .values
                .get(usize::try_from(*size).ok()?)?;
            Some((words, i64::from(*value)))
        });
        let terms: Vec<(String, i64)> = terms.collect::<Option<_>>()?;
        Some(DigitSum {
            base: 2,
            modulus: 2,
            sum: terms.iter().fold(0, |sum, (_, value)| sum ^ value),
            terms,
        })
    }

    /// What a player to move achieves, with at most `most` moves that show it.
    pub(super) fn moves_and_replies(
        &self,
        position: &Position,
        side: Option<Side>,
        convention: Convention,
        most: usize,
    ) -> Result<ReasonOfSide, Unanswered> {
        let reasons = Reasons {
            session: self,
            convention,
            moves: most,
            each: false,
        };
        reasons.of_side(position, side, 1, None)
    }
}

struct Reasons<'s, 'g> {
    session: &'s Session<'g>,
    convention: Convention,
    moves: usize,
    each: bool,
}

impl Reasons<'_, '_> {
    fn of_side(
        &self,
        position: &Position,
        side: Option<Side>,
        depth: usize,
        claim: Option<&(usize, &Claim, Worked)>,
    ) -> Result<ReasonOfSide, Unanswered> {
        let session = self.session;
        let game = session.game();
        let words = |from: &Position, to: &Position| words::change(game, from, to);
        let answer = session.outcome(position, self.convention)?;
        let turn = answer.turn(side);
        if turn != Turn::Loses {
            let best = answer.best(side);
            let moves = best.iter().take(self.moves).map(|to| ReasonMove {
                words: words(position, to),
                alike: 1,
                leaves: match turn {
                    Turn::Draws => Turn::Draws,
                    _ => Turn::Loses,
                },
                reply: None,
                breaks: None,
                to: to.clone(),
            });
            return Ok(ReasonOfSide {
                side,
                turn,
                moves: moves.collect(),
                omitted: best.len().saturating_sub(self.moves),
                more: !answer.has_all_moves(),
            });
        }
        let options = session.options(position, side, self.convention)?;
        let classes = match self.each {
            true => options.list.iter().map(|to| (to.clone(), 1)).collect(),
            false => session.classes(&options.list),
        };
        let opponent = side.map(Side::other);
        let mut moves = Vec::new();
        for (to, alike) in classes.iter().take(self.moves) {
            let after = session.outcome(to, self.convention)?;
            let reply = match after.best(opponent).into_iter().next() {
                None => None,
                Some(reply) => {
                    let words = words(to, &reply);
                    let then = if depth > 1 {
                        Some(Box::new(self.of_side(&reply, side, depth - 1, None)?))
                    } else {
                        None
                    };
                    Some((reply, words, then))
                }
            };
            moves.push(ReasonMove {
                words: words(position, to),
                alike: *alike,
                leaves: after.turn(opponent),
                reply,
                breaks: match (claim, to.small()) {
                    (Some((_, claim, before)), Some(to)) => broken(game, claim, before, to),
                    _ => None,
                },
                to: to.clone(),
            });
        }
        let omitted = classes.iter().skip(self.moves).map(|(_, alike)| alike);
        Ok(ReasonOfSide {
            side,
            turn,
            moves,
            omitted: omitted.sum(),
            more: !options.all,
        })
    }
}

/// The claims about this convention that agree with an outcome, worked out at the
/// position. A claim that has no value there is omitted.
fn agreeing_claims<'g>(
    game: &'g Game,
    convention: Convention,
    position: &[u64],
    outcome: Outcome,
) -> Vec<(usize, &'g Claim, Worked)> {
    let mut found = Vec::new();
    for (index, claim) in game.claims.iter().enumerate() {
        if claim.convention != convention
            || claim.applies == Applies::Elsewhere
            || claim.refuted.is_some()
        {
            continue;
        }
        let Some(statement) = &claim.statement else {
            continue;
        };
        let agrees = match statement {
            Statement::Outcome { .. } => ClaimEvaluator::new(game)
                .contradiction(statement, position, outcome, None)
                .is_ok_and(|found| found.is_none()),
            Statement::Grundy(_) => true,
            _ => false,
        };
        let Ok(Some(worked)) = worked(game, claim, position) else {
            continue;
        };
        let agrees = agrees
            && match worked.value {
                Value::Number(value) => (value == 0) == (outcome == Outcome::P),
                Value::Truth(_) => true,
            };
        if agrees {
            found.push((index + 1, claim, worked));
        }
    }
    found
}

/// The first smallest part of a claim that held before a move and does not hold after.
fn broken(game: &Game, claim: &Claim, before: &Worked, to: &[u64]) -> Option<String> {
    if before.value == Value::Truth(false) {
        return None;
    }
    let after = worked(game, claim, to).ok()??;
    if let (Value::Number(before), Value::Number(after)) = (before.value, after.value) {
        return (before != after).then(|| format!("the value is {after}, not {before}"));
    }
    if after.value == Value::Truth(true) {
        return None;
    }
    let parts = &after.parts;
    let smallest = parts.iter().enumerate().find(|(place, part)| {
        let is_last = parts
            .get(place + 1)
            .is_none_or(|next| next.depth <= part.depth);
        is_last && part.value == Value::Truth(false)
    })?;
    let part = smallest.1;
    let mut words: String = part.words.chars().take(WORDS_SHOWN).collect();
    if words.len() < part.words.len() {
        words.push('…');
    }
    Some(match part.shown_sides(game) {
        Some((left, right)) => format!("`{words}`: {left} and {right}"),
        None => format!("`{words}`"),
    })
}
