//! Compounds of impartial games whose play ends, decided by values or outcomes of the
//! components alone.
//!
//! | compound | decided by | source |
//! | --- | --- | --- |
//! | conjunctive | the least remoteness | Steinhaus 1925; Smith 1966 |
//! | continued conjunctive | the largest suspense number | Smith 1966; Conway 1976 |
//! | selective | the outcomes | Smith 1966; Conway 1976 |
//! | shortened selective | the outcomes | Conway 1976 |
//! | shortened disjunctive | the nim-sum of the foreclosed values | Conway 1976 |
//! | ordinal | the outcomes; values by the colon principle | Berlekamp, Conway, Guy 1982 |
//! | sequential | the outcomes, from the last component back | Stromquist, Ullman 1993 |

use super::values::{Kind, Value, Values, lost_parity};
use super::{
    Component, ComponentAnswer, ComponentMove, Compound, Source, SumAnswer, SumError, SumMove,
    in_component, outcome_of, share, weakest,
};
use crate::answer::{Ask, Basis, Extent, Unanswered, WinningMoves};
use crate::session::Session;
use nimrule_engine::{self as engine, Limits, Outcome, Query, Question, SolveError};
use nimrule_ir::Walker;
use nimrule_model::game::Convention;
use nimrule_model::position::Position;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;

/// What decides a compound, of one component.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ComponentValue {
    /// The number of moves to the end if the winner hurries and the loser delays.
    Remoteness(u64),
    /// The number of moves to the end if the winner delays and the loser hurries.
    Suspense(u64),
    /// The nim-value if the players avoid a move that lets the opponent win at once.
    Foreclosed(Foreclosed),
    /// The outcomes, under the conventions that the compound needs; of a component that has
    /// ended none is needed.
    Outcomes(Vec<(Convention, Outcome)>),
}

/// A foreclosed value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Foreclosed {
    /// The component has ended.
    Ended,
    /// A move ends the component, and wins.
    Immediate,
    /// The nim-value.
    Value(u64),
}

/// The largest number of winning moves that is listed.
const MOST_MOVES: usize = 100_000;

/// What `wins` reads of a component.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Label {
    Value(Value),
    Outcomes { ended: bool, lost: [bool; 2] },
}

impl Label {
    /// A component without options.
    const ENDED: Label = Label::Outcomes {
        ended: true,
        lost: [true, false],
    };

    fn number(self) -> u64 {
        match self {
            Label::Value(Value::Number(number)) => number,
            _ => 0,
        }
    }

    fn has_ended(self) -> bool {
        self == Label::ENDED || self == Label::Value(Value::Ended)
    }

    /// Whether the component alone is a P-position.
    fn is_lost(self, convention: Convention) -> bool {
        matches!(self, Label::Outcomes { lost, .. } if lost[convention as usize])
    }
}

/// Whether the player to move wins. This is the theory of each compound.
fn wins(compound: Compound, convention: Convention, labels: &[Label]) -> bool {
    let numbers = labels.iter().map(|label| label.number());
    let is_won = |convention| move |label: &Label| !label.is_lost(convention);
    let some_ended = labels.iter().any(|label| label.has_ended());
    let playing: Vec<Label> = (labels.iter().copied())
        .filter(|label| !label.has_ended())
        .collect();
    let misere = convention == Convention::Misere;
    match compound {
        Compound::Conjunctive => numbers.min().unwrap_or(0) % 2 != lost_parity(convention),
        Compound::Continued => numbers.max().unwrap_or(0) % 2 != lost_parity(convention),
        Compound::Shortened | Compound::ShortenedSelective if some_ended => misere,
        Compound::Shortened => {
            labels.contains(&Label::Value(Value::Immediate))
                || numbers.fold(0, |sum, value| sum ^ value) != 0
        }
        Compound::ShortenedSelective => labels.iter().any(is_won(convention)),
        Compound::Selective => match playing.as_slice() {
            [] => misere,
            [only] => !only.is_lost(convention),
            several => several.iter().any(is_won(Convention::Normal)),
        },
        Compound::Ordinal if misere => match playing.as_slice() {
            [] => true,
            [base, above @ ..] => {
                !base.is_lost(Convention::Misere) || above.iter().any(is_won(Convention::Normal))
            }
        },
        // A disjunctive sum of P-positions is one as well; sums in general need values.
        Compound::Ordinal | Compound::Disjunctive => labels.iter().any(is_won(Convention::Normal)),
        Compound::Sequential => labels
            .iter()
            .rev()
            .fold(misere, |rest, label| !label.is_lost(of_earlier(rest))),
    }
}

/// The convention of a component whose end leaves a position that the player to move wins,
/// or loses.
fn of_earlier(rest_is_won: bool) -> Convention {
    match rest_is_won {
        true => Convention::Misere,
        false => Convention::Normal,
    }
}

/// The conventions under which the outcome of a component is needed. `rest` is the outcome of
/// the components after it.
fn needed(compound: Compound, convention: Convention, rest_is_won: bool) -> Vec<Convention> {
    match (compound, convention) {
        (Compound::Sequential, _) => vec![of_earlier(rest_is_won)],
        (Compound::Selective | Compound::Ordinal, Convention::Misere) => {
            vec![Convention::Normal, Convention::Misere]
        }
        _ => vec![convention],
    }
}

/// A component with what decides the compound.
struct Judged {
    label: Label,
    value: ComponentValue,
    basis: Option<Basis>,
    /// The outcomes, with the winning moves.
    known: Vec<(Convention, WinningMoves)>,
}

pub fn answer(
    components: &[Component<'_, '_>],
    compound: Compound,
    convention: Convention,
    engines_only: bool,
) -> Result<SumAnswer, SumError> {
    let kind = match compound {
        Compound::Conjunctive => Some(Kind::Remoteness),
        Compound::Continued => Some(Kind::Suspense),
        Compound::Shortened => Some(Kind::Foreclosed),
        _ => None,
    };
    let mut theory = Theory {
        components,
        compound,
        convention,
        engines_only,
        values: Vec::new(),
        of_component: Vec::new(),
    };
    if let Some(kind) = kind {
        theory.prepare(kind);
    }
    let judged = theory.judged()?;
    let labels: Vec<Label> = judged.iter().map(|part| part.label).collect();
    let is_won = wins(compound, convention, &labels);
    let (winning_moves, extent) = match is_won {
        true => theory.winning_moves(&judged, &labels)?,
        false => (Vec::new(), Extent::All),
    };
    let grundy = match (compound, convention) {
        (Compound::Ordinal, Convention::Normal) => colon_value(components, engines_only),
        _ => None,
    };
    Ok(SumAnswer {
        outcome: outcome_of(u64::from(is_won)),
        grundy,
        winning_moves,
        by_side: None,
        extent,
        method: match kind {
            Some(Kind::Remoteness) => "remoteness",
            Some(Kind::Suspense) => "suspense",
            Some(Kind::Foreclosed) => "foreclosed",
            None => "outcomes",
        },
        basis: weakest(judged.iter().filter_map(|part| part.basis.as_ref())),
        parts: (judged.into_iter())
            .map(|part| ComponentAnswer {
                grundy: None,
                basis: part.basis,
                value: Some(part.value),
            })
            .collect(),
    })
}

struct Theory<'c, 's, 'g> {
    components: &'c [Component<'s, 'g>],
    compound: Compound,
    convention: Convention,
    engines_only: bool,
    /// The values of the positions of each game, if the compound is decided by values.
    values: Vec<Values<'s>>,
    /// The index of the game of each component.
    of_component: Vec<usize>,
}

impl<'s> Theory<'_, 's, '_> {
    fn prepare(&mut self, kind: Kind) {
        let mut sessions: Vec<*const Session<'_>> = Vec::new();
        for part in self.components {
            let session: *const Session<'_> = part.session;
            let game = sessions.iter().position(|known| *known == session);
            self.of_component.push(game.unwrap_or(sessions.len()));
            if game.is_none() {
                sessions.push(session);
                let limits = share(part.session, self.components.len());
                let solver = &part.session.solver;
                self.values
                    .push(Values::new(solver, kind, self.convention, &limits));
            }
        }
    }

    /// The components with their labels, from the last to the first.
    fn judged(&mut self) -> Result<Vec<Judged>, SumError> {
        let mut judged = Vec::new();
        let mut rest = self.convention == Convention::Misere;
        for component in (0..self.components.len()).rev() {
            let found = match self.values.is_empty() {
                true => self.by_outcomes(component, rest),
                false => self.by_value(component),
            };
            let found = found.map_err(|unanswered| in_component(component, unanswered))?;
            rest = !found.label.is_lost(of_earlier(rest));
            judged.push(found);
        }
        judged.reverse();
        Ok(judged)
    }

    fn by_value(&mut self, component: usize) -> Result<Judged, Unanswered> {
        let position = small(&self.components[component].position)?;
        let value = self.values[self.of_component[component]].of(position)?;
        let number = Label::Value(value).number();
        Ok(Judged {
            label: Label::Value(value),
            value: match (self.compound, value) {
                (Compound::Conjunctive, _) => ComponentValue::Remoteness(number),
                (Compound::Continued, _) => ComponentValue::Suspense(number),
                (_, Value::Ended) => ComponentValue::Foreclosed(Foreclosed::Ended),
                (_, Value::Immediate) => ComponentValue::Foreclosed(Foreclosed::Immediate),
                _ => ComponentValue::Foreclosed(Foreclosed::Value(number)),
            },
            basis: None,
            known: Vec::new(),
        })
    }

    fn by_outcomes(&self, component: usize, rest: bool) -> Result<Judged, Unanswered> {
        let Component { session, position } = &self.components[component];
        if has_ended(session, position)? {
            return Ok(Judged {
                label: Label::ENDED,
                value: ComponentValue::Outcomes(Vec::new()),
                basis: None,
                known: Vec::new(),
            });
        }
        let (mut lost, mut known, mut outcomes) = ([false; 2], Vec::new(), Vec::new());
        let mut bases = Vec::new();
        for convention in needed(self.compound, self.convention, rest) {
            let ask = Ask {
                engines_only: self.engines_only,
                ..Ask::outcome(convention)
            };
            let answer = session.position(position, &ask)?;
            lost[convention as usize] = answer.outcome == Outcome::P;
            outcomes.push((convention, answer.outcome));
            known.push((convention, answer.moves));
            bases.push(answer.basis);
        }
        Ok(Judged {
            label: Label::Outcomes { ended: false, lost },
            value: ComponentValue::Outcomes(outcomes),
            basis: weakest(bases.iter()).or(bases.into_iter().next()),
            known,
        })
    }

    /// The options of a component by their labels, and whether an option that is missing may
    /// belong to a winning move.
    fn options(
        &mut self,
        component: usize,
        judged: &Judged,
    ) -> Result<(BTreeMap<Label, Vec<Position>>, Extent), Unanswered> {
        let Component { session, position } = &self.components[component];
        let mut by_label: BTreeMap<Label, Vec<Position>> = BTreeMap::new();
        if judged.label.has_ended() {
            return Ok((by_label, Extent::All));
        }
        let all_matter = !self.values.is_empty()
            || (self.compound == Compound::ShortenedSelective
                && self.convention == Convention::Normal);
        let mut extent = Extent::All;
        let mut candidates: BTreeSet<Position> = BTreeSet::new();
        for (_, moves) in &judged.known {
            extent = worse(extent, &moves.extent);
            candidates.extend(moves.found.iter().cloned());
        }
        if all_matter {
            let options = session.options(position, None, self.convention)?;
            candidates.extend(options.list);
            if !options.all {
                extent = Extent::Some;
            }
        } else {
            // An option that is an N-position under every convention asked for wins in no
            // compound; where the component has only such options, it has not ended.
            by_label.insert(
                Label::Outcomes {
                    ended: false,
                    lost: [false; 2],
                },
                Vec::new(),
            );
        }
        for option in candidates {
            let label = if self.values.is_empty() {
                let is_lost = |asked: Convention| {
                    let mut known = judged.known.iter();
                    known.any(|(by, moves)| *by == asked && moves.found.contains(&option))
                };
                match has_ended(session, &option)? {
                    true => Label::ENDED,
                    false => Label::Outcomes {
                        ended: false,
                        lost: [is_lost(Convention::Normal), is_lost(Convention::Misere)],
                    },
                }
            } else {
                Label::Value(self.values[self.of_component[component]].of(small(&option)?)?)
            };
            by_label.entry(label).or_default().push(option);
        }
        Ok((by_label, extent))
    }

    /// The moves after which the opponent loses. Options with the same label are
    /// interchangeable.
    fn winning_moves(
        &mut self,
        judged: &[Judged],
        labels: &[Label],
    ) -> Result<(Vec<SumMove>, Extent), SumError> {
        let mut extent = Extent::All;
        let mut options: Vec<Vec<(Label, Vec<Position>)>> = Vec::new();
        for (component, part) in judged.iter().enumerate() {
            let found = self.options(component, part);
            let (by_label, of_part) = found.map_err(|e| in_component(component, e))?;
            extent = worse(extent, &of_part);
            options.push(by_label.into_iter().collect());
        }
        let limits = &self.components[0].session.limits;
        let counts: Vec<usize> = options.iter().map(Vec::len).collect();
        let mut moves = Vec::new();
        let mut looked = 0_u64;
        let mut met = None;
        let _ = self.compound.each_move(&counts, &mut |made| {
            looked += 1;
            if looked.is_multiple_of(4096)
                && let Err(exceeded) = limits.check_time()
            {
                met = Some(Extent::Unfinished(exceeded.into()));
                return ControlFlow::Break(());
            }
            let mut after = labels.to_vec();
            for (component, group) in made.iter().enumerate() {
                if let Some(group) = group {
                    after[component] = options[component][*group].0;
                }
            }
            after.truncate(self.compound.left(made));
            if wins(self.compound, self.convention, &after) {
                return ControlFlow::Continue(());
            }
            let chosen: Vec<(usize, &[Position])> = (made.iter().enumerate())
                .filter_map(|(component, group)| {
                    Some((component, options[component][(*group)?].1.as_slice()))
                })
                .collect();
            let counts: Vec<usize> = chosen.iter().map(|(_, group)| group.len()).collect();
            Compound::Conjunctive.each_move(&counts, &mut |picked| {
                if moves.len() == MOST_MOVES {
                    met = Some(Extent::Some);
                    return ControlFlow::Break(());
                }
                let parts = chosen
                    .iter()
                    .zip(picked)
                    .filter_map(|((component, group), at)| {
                        Some(ComponentMove {
                            component: *component,
                            to: group[(*at)?].clone(),
                        })
                    });
                moves.push(SumMove {
                    parts: parts.collect(),
                });
                ControlFlow::Continue(())
            })
        });
        moves.sort_unstable();
        Ok((moves, met.unwrap_or(extent)))
    }
}

/// What is known of moves that are made of these, and of others.
fn worse(so_far: Extent, other: &Extent) -> Extent {
    match (&so_far, other) {
        (Extent::All, Extent::All) => Extent::All,
        (Extent::Unfinished(_), _) => so_far,
        (_, Extent::Unfinished(_)) => other.clone(),
        _ => Extent::Some,
    }
}

fn small(position: &Position) -> Result<&[u64], Unanswered> {
    position.small().ok_or_else(|| {
        Unanswered::from(SolveError::Refused {
            reason: "a number of the position is too large for a search".to_owned(),
        })
    })
}

/// Whether a position has no option.
fn has_ended(session: &Session<'_>, position: &Position) -> Result<bool, Unanswered> {
    let Some(small) = position.small() else {
        let options = session.options(position, None, Convention::Normal)?;
        return Ok(options.list.is_empty());
    };
    let mut ended = true;
    Walker::new(&session.solver.graph, &[])
        .until(&session.limits)
        .options(small, 0, &mut |_, _| {
            ended = false;
            ControlFlow::Break(())
        })
        .map_err(|stop| SolveError::of(stop, small))?;
    Ok(ended)
}

/// The Grundy value of an ordinal sum, if engines give those of the components and their
/// options soon.
///
/// A component that is followed by an ordinal sum of value n has the n-th number that is no
/// value of an option of the component, counted from 0: the mex rule, as the colon principle
/// lets a position be replaced by another of the same value.
fn colon_value(components: &[Component<'_, '_>], engines_only: bool) -> Option<u64> {
    let mut value = 0;
    let query = Query {
        question: Question::Grundy,
        convention: Convention::Normal,
    };
    for Component { session, position } in components.iter().rev() {
        let limits: Limits = share(session, components.len());
        let small = position.small()?;
        if !engine::answers_soon(&session.solver, small, query, &limits) {
            return None;
        }
        let valued = session.value(position, &limits, engines_only).ok()?;
        let Source::Engine(_, mut lookup) = valued.source else {
            return None;
        };
        let options = session.options(position, None, Convention::Normal).ok()?;
        if !options.all {
            return None;
        }
        let values = (options.list.iter()).map(|option| lookup.value(option.small()?).ok());
        for taken in values.collect::<Option<BTreeSet<u64>>>()? {
            value += u64::from(taken <= value);
        }
    }
    Some(value)
}
