//! Claims decided: each a few statements about moves.

use super::any_number;
use super::bases::numeration;
use super::formula::{Formula, TRUE, variable};
use super::free;
use super::meaning::{Cases, Meaning, compared, first_free, in_some_case};
use super::outside::{Leaves, Outside};
use super::theorem::{Doubt, Prover, Trouble, no_faults};
use crate::automata::{Automaton, Numeration, Track};
use crate::expr::{Bool, Num, Order, Part};
use crate::game::{Claim, Class, Convention, Direction, Field, Game, Statement};
use crate::limits::Limits;
use std::rc::Rc;

/// What the statements came to.
#[derive(Debug, Clone)]
pub enum Decision {
    Holds(Proof),
    /// A statement that would have to hold fails: the claim is false.
    Fails(Doubt),
    /// The statements do not settle the claim.
    Open(String),
}

/// A claim proved.
#[derive(Debug, Clone)]
pub struct Proof {
    /// The set of the P-positions, the function of the values, or the set that
    /// the claim speaks of.
    pub automaton: Rc<Automaton>,
    /// What the automaton is.
    pub of: Set,
    /// How many states it has.
    pub states: usize,
    /// What was checked, in words.
    pub checked: Vec<String>,
    /// What others can check the proof by, for the rules of [`free`].
    pub certificate: Option<free::Certificate>,
}

/// What a proof's automaton accepts. The tracks of the heaps are
/// [`super::meaning::of_heap`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Set {
    /// All P-positions.
    PPositions,
    /// Positions with their Grundy values, on this track.
    Values(Track),
    /// Some P-positions.
    SomePPositions,
    /// All P-positions and perhaps others.
    BeyondPPositions,
}

const ENDS: &str = "every move lowers what the language says it lowers, so that play ends";
const APART: &str = "no position of the set has a move into the set";
const REACHED: &str = "every position outside the set has a move into it";
const REACHED_MISERE: &str = "every position outside the set has a move into it, or none at all";
const MOVABLE: &str = "every position of the set has a move";

/// Decides a claim by the partition theorem.
pub fn decide(game: &Game, claim: &Claim, limits: &Limits) -> Result<Decision, Trouble> {
    within_reach(game, claim)?;
    match &claim.statement {
        Some(Statement::Outcome { .. }) => outcome(game, claim, limits),
        Some(Statement::Grundy(value)) => values(game, claim, value, limits),
        Some(Statement::Cogame) => cogame(game, claim, limits),
        Some(Statement::Pairing(pairs)) => {
            let mut all = Vec::new();
            let mut paired = Vec::new();
            for (one, other) in pairs {
                all.push(Bool::Compare(
                    Order::Equal,
                    Num::Heap(*one),
                    Num::Heap(*other),
                ));
                paired.extend([*one, *other]);
            }
            for heap in game.heaps().filter(|heap| !paired.contains(heap)) {
                all.push(Bool::Compare(Order::Equal, Num::Heap(heap), Num::Const(0)));
            }
            let condition = Bool::And(all);
            let mut claimed = Claimed::new(game, claim, &condition, false, limits)?;
            claimed.answered(claim.convention)
        }
        _ => Err(Leaves::new("", "claims of this kind are not decided by automata")
            .within(claim.span)
            .into()),
    }
}

/// What is outside of the theorem from the start.
fn within_reach(game: &Game, claim: &Claim) -> Result<(), Outside> {
    let why = if claim.statement.is_none() {
        "it does not speak of these parameters"
    } else if game.may_repeat {
        "positions may repeat"
    } else if game.has_sides() {
        "each side has moves of its own"
    } else {
        match game.field {
            Field::Heaps => return Ok(()),
            Field::Tokens(_) => "tokens stand on a board: there is nothing to prove for all sizes",
            Field::Bag(_) => "the number of heaps is not fixed",
            Field::Reals => "the heaps are of real size",
        }
    };
    Err(Leaves::new("", why).within(claim.span))
}

/// A claim about outcomes with the rule made ready.
struct Claimed<'g> {
    prover: Prover<'g>,
    set: Rc<Automaton>,
}

impl<'g> Claimed<'g> {
    fn new(
        game: &'g Game,
        claim: &Claim,
        condition: &Bool,
        up_to_symmetry: bool,
        limits: &Limits,
    ) -> Result<Claimed<'g>, Trouble> {
        let numeration = numeration(game, claim.span, &[Part::Bool(condition)])?;
        Claimed::written(game, claim, condition, up_to_symmetry, numeration, limits)
    }

    fn written(
        game: &'g Game,
        claim: &Claim,
        condition: &Bool,
        up_to_symmetry: bool,
        numeration: Numeration,
        limits: &Limits,
    ) -> Result<Claimed<'g>, Trouble> {
        let mut prover = Prover::new(game, numeration, limits)?;
        let set = claimed_set(&mut prover, claim, condition, up_to_symmetry)?;
        Ok(Claimed { prover, set })
    }

    /// The complement, among the positions.
    fn turned(&mut self) -> Result<(), Trouble> {
        let turned = self
            .prover
            .domain
            .but_not(&self.set, &self.prover.compiler.budget)?;
        self.set = Rc::new(turned);
        Ok(())
    }

    /// The set is that of the P-positions.
    fn partition(&mut self, convention: Convention) -> Result<Decision, Trouble> {
        if let Some(decision) = self.by_selections(convention)? {
            return Ok(decision);
        }
        let prover = &self.prover;
        let budget = &prover.compiler.budget;
        let set = &self.set;
        if let Some(doubt) = prover.move_between(set, set)? {
            return Ok(Decision::Fails(doubt));
        }
        let mut rest = prover.domain.but_not(set, budget)?;
        let mut checked = vec![ENDS, APART];
        if convention == Convention::Misere {
            let movable = prover.movable()?;
            let stuck = set.but_not(&movable, budget)?;
            if let Some(doubt) = prover.first(&stuck) {
                return Ok(Decision::Fails(doubt));
            }
            rest = rest.and(&movable, budget)?;
            checked.extend([MOVABLE, REACHED_MISERE]);
        } else {
            checked.push(REACHED);
        }
        let rest = prover.without_move_into(&rest, set, None)?;
        if let Some(doubt) = prover.first(&rest) {
            return Ok(Decision::Fails(doubt));
        }
        Ok(Decision::Holds(self.proof(Set::PPositions, &checked)))
    }

    /// The same for a rule that removes any number from a selection.
    fn by_selections(&self, convention: Convention) -> Result<Option<Decision>, Trouble> {
        let game = self.prover.game;
        let Some(rule) = any_number::rule(game, convention) else {
            return Ok(None);
        };
        let Some(table) = any_number::recogniser(game, &self.set) else {
            return Ok(None);
        };
        let limits = self.prover.compiler.budget.limits();
        Ok(Some(match free::check(&rule, &table, limits)? {
            free::Verdict::Proved(proof) => {
                let mut checked = vec![ENDS, APART];
                checked.push(match convention {
                    Convention::Normal => REACHED,
                    Convention::Misere => REACHED_MISERE,
                });
                if convention == Convention::Misere {
                    checked.push(MOVABLE);
                }
                Decision::Holds(Proof {
                    certificate: Some(proof.certificate),
                    ..self.proof(Set::PPositions, &checked)
                })
            }
            free::Verdict::Refuted(refutation) => Decision::Fails(match refutation {
                free::Refutation::Within(from, to) => vec![from, to],
                free::Refutation::Missing(at) | free::Refutation::Stuck(at) => vec![at],
                free::Refutation::Long => Vec::new(),
            }),
        }))
    }

    fn proof(&self, of: Set, checked: &[&str]) -> Proof {
        Proof {
            certificate: None,
            automaton: self.set.clone(),
            of,
            states: self.set.states(),
            checked: checked.iter().map(|what| (*what).to_owned()).collect(),
        }
    }

    /// Every move from the set is answered by one back into it: then all of it
    /// are P-positions. That is more than the claim says, so that nothing
    /// follows where it fails.
    fn answered(&mut self, convention: Convention) -> Result<Decision, Trouble> {
        let prover = &self.prover;
        let budget = &prover.compiler.budget;
        let set = &self.set;
        let mut won = prover.all_origins(set)?;
        let mut checked = vec![
            ENDS,
            "every move from the set is answered by a move back into it",
        ];
        if convention == Convention::Misere {
            let movable = prover.movable()?;
            if let Some(doubt) = prover.first(&set.but_not(&movable, budget)?) {
                return Ok(Decision::Fails(doubt));
            }
            let stuck = prover.domain.but_not(&movable, budget)?;
            won = won.or(&stuck, budget)?;
            checked.push(MOVABLE);
        }
        let lost = prover.domain.but_not(&won, budget)?;
        Ok(match prover.move_between(set, &lost)? {
            None => Decision::Holds(self.proof(Set::SomePPositions, &checked)),
            Some(_) => Decision::Open(String::new()),
        })
    }

    /// Holds the set against that of all P-positions.
    fn against(&mut self, all: &Automaton, direction: Direction) -> Result<Decision, Trouble> {
        let budget = &self.prover.compiler.budget;
        let (beyond, of, checked) = match direction {
            Direction::OnlyIf => (
                all.but_not(&self.set, budget)?,
                Set::BeyondPPositions,
                "all P-positions, known by themselves, are in the set",
            ),
            _ => (
                self.set.but_not(all, budget)?,
                Set::SomePPositions,
                "all of the set are P-positions, which are known by themselves",
            ),
        };
        if let Some(doubt) = self.prover.first(&beyond) {
            return Ok(Decision::Fails(doubt));
        }
        Ok(Decision::Holds(self.proof(of, &[checked])))
    }
}

/// The positions that a claim speaks of.
fn claimed_set(
    prover: &mut Prover<'_>,
    claim: &Claim,
    condition: &Bool,
    up_to_symmetry: bool,
) -> Result<Rc<Automaton>, Trouble> {
    let game = prover.game;
    let mut meaning = Meaning::of_heaps(game, prover.compiler.numeration);
    let read = |meaning: &mut Meaning<'_>| {
        if !up_to_symmetry {
            return meaning.condition(condition);
        }
        let heaps = meaning.heaps.clone();
        let mut any = Vec::new();
        for image in meaning.permutations("symmetry")? {
            meaning.heaps = image.iter().map(|from| heaps[*from].clone()).collect();
            any.push(meaning.condition(condition)?);
        }
        Ok(Formula::or(any))
    };
    let formula = read(&mut meaning).map_err(|leaves| leaves.within(claim.span))?;
    sound(prover, claim, &meaning)?;
    let set = prover.compiler.automaton(&formula)?;
    Ok(Rc::new(set.and(&prover.domain, &prover.compiler.budget)?))
}

/// No expression of the claim is without a value at a position.
fn sound(prover: &mut Prover<'_>, claim: &Claim, meaning: &Meaning<'_>) -> Result<(), Trouble> {
    let domain = match &prover.game.positions {
        None => TRUE,
        Some(condition) => Meaning::of_heaps(prover.game, prover.compiler.numeration)
            .condition(condition)
            .map_err(|leaves| leaves.within(claim.span))?,
    };
    let faults: Vec<Formula> = meaning
        .faults
        .iter()
        .map(|fault| Formula::and([domain.clone(), fault.clone()]))
        .collect();
    no_faults(&mut prover.compiler, &faults, claim.span)
}

/// What a claim about outcomes says of P-positions.
struct Saying<'c> {
    condition: &'c Bool,
    up_to_symmetry: bool,
    direction: Direction,
    /// It speaks of the positions where the condition does not hold.
    turned: bool,
}

fn saying(claim: &Claim) -> Result<Saying<'_>, Outside> {
    let outside = |why: &str| Leaves::new("", why).within(claim.span);
    let Some(Statement::Outcome {
        class,
        up_to_symmetry,
        direction,
        condition,
        ..
    }) = &claim.statement
    else {
        return Err(outside("it says nothing of outcomes"));
    };
    // What is said of N-positions is said of the others.
    let turned = match class {
        Class::P => false,
        Class::N => true,
        _ => return Err(outside("only P and N are decided for all sizes")),
    };
    Ok(Saying {
        condition,
        up_to_symmetry: *up_to_symmetry,
        direction: match direction {
            Direction::If if turned => Direction::OnlyIf,
            Direction::OnlyIf if turned => Direction::If,
            other => *other,
        },
        turned,
    })
}

fn outcome(game: &Game, claim: &Claim, limits: &Limits) -> Result<Decision, Trouble> {
    let said = saying(claim)?;
    let mut claimed = Claimed::new(game, claim, said.condition, said.up_to_symmetry, limits)?;
    if said.turned {
        claimed.turned()?;
    }
    if said.direction == Direction::Iff {
        return claimed.partition(claim.convention);
    }
    if let Some(decision) = by_another(game, claim, &said, limits)? {
        return Ok(decision);
    }
    if said.direction == Direction::If {
        let answered = claimed.answered(claim.convention)?;
        if !matches!(answered, Decision::Open(_)) {
            return Ok(answered);
        }
    }
    // Or the rule itself gives them.
    if let Some(all) = any_number::discovered(game, claim.convention, limits)
        && all.numeration() == claimed.prover.compiler.numeration
    {
        return claimed.against(&all, said.direction);
    }
    Ok(Decision::Open(
        match said.direction {
            Direction::If => {
                "not every move from its positions is answered by a move back to them, and which \
                 all P-positions are is not known"
            }
            _ => "it says that all P-positions are among these, and which they are is not known",
        }
        .to_owned(),
    ))
}

/// Another claim of the file may say which the P-positions are, and be proved.
fn by_another(
    game: &Game,
    claim: &Claim,
    said: &Saying<'_>,
    limits: &Limits,
) -> Result<Option<Decision>, Trouble> {
    for other in &game.claims {
        let Ok(whole) = saying(other) else {
            continue;
        };
        if other.convention != claim.convention || whole.direction != Direction::Iff {
            continue;
        }
        let parts = [Part::Bool(said.condition), Part::Bool(whole.condition)];
        let Ok(numeration) = numeration(game, claim.span, &parts) else {
            continue;
        };
        let found = Claimed::written(
            game,
            other,
            whole.condition,
            whole.up_to_symmetry,
            numeration,
            &limits.half_the_time(),
        )
        .and_then(|mut known| {
            if whole.turned {
                known.turned()?;
            }
            known.partition(other.convention)
        });
        let Ok(Decision::Holds(all)) = found else {
            continue;
        };
        let mut claimed = Claimed::written(
            game,
            claim,
            said.condition,
            said.up_to_symmetry,
            numeration,
            limits,
        )?;
        if said.turned {
            claimed.turned()?;
        }
        return claimed.against(&all.automaton, said.direction).map(Some);
    }
    Ok(None)
}

/// Every N-position also comes from a P-position: said of the P-positions that
/// another claim tells, or the rule itself.
fn cogame(game: &Game, claim: &Claim, limits: &Limits) -> Result<Decision, Trouble> {
    let mut known = None;
    for other in &game.claims {
        let Ok(whole) = saying(other) else { continue };
        if other.convention != claim.convention || whole.direction != Direction::Iff {
            continue;
        }
        if let Ok(Decision::Holds(proof)) = outcome(game, other, &limits.half_the_time()) {
            known = Some(proof.automaton);
            break;
        }
    }
    let known = match known {
        Some(known) => known,
        None => match any_number::discovered(game, claim.convention, limits) {
            Some(found) => Rc::new(found),
            None => return Ok(Decision::Open("the P-positions are not known".to_owned())),
        },
    };
    let prover = Prover::new(game, known.numeration(), limits)?;
    let rest = prover.not_reached_from(&known)?;
    if let Some(doubt) = prover.first(&rest) {
        return Ok(Decision::Fails(doubt));
    }
    Ok(Decision::Holds(Proof {
        states: known.states(),
        automaton: known,
        of: Set::PPositions,
        checked: vec!["every N-position is an option of a P-position".to_owned()],
        certificate: None,
    }))
}

/// The function of the Grundy values.
fn values(
    game: &Game,
    claim: &Claim,
    value: &Num,
    limits: &Limits,
) -> Result<Decision, Trouble> {
    let numeration = numeration(game, claim.span, &[Part::Num(value)])?;
    let mut prover = Prover::new(game, numeration, limits)?;
    let mut meaning = Meaning::of_heaps(game, numeration);
    let cases = meaning
        .number(value)
        .map_err(|leaves| leaves.within(claim.span))?;
    sound(&mut prover, claim, &meaning)?;
    let heaps = game.heap_count();
    let (own, less) = (first_free(heaps) - 2, first_free(heaps) - 1);
    let against = |cases: &Cases, order: Order, track: Track| {
        in_some_case(cases, |value| compared(&variable(track), order, value))
            .map_err(|leaves| Trouble::from(leaves.within(claim.span)))
    };
    let is_value = against(&cases, Order::Equal, own)?;
    let is_less = against(&cases, Order::Less, less)?;
    let budget = crate::automata::Budget::new(limits);
    let graph = prover.compiler.automaton(&is_value)?;
    let graph = Rc::new(graph.and(&prover.domain, &budget)?);
    let smaller = prover.compiler.automaton(&is_less)?;
    let smaller = smaller.and(&prover.domain, &budget)?;

    let mut checked = vec![ENDS.to_owned()];
    let valued = graph.project(&[own], &budget)?;
    if let Some(doubt) = prover.first(&prover.domain.but_not(&valued, &budget)?) {
        return Ok(Decision::Fails(doubt));
    }
    checked.push("every position has a value, which is not negative".to_owned());
    if let Some(doubt) = prover.move_between(&graph, &graph)? {
        return Ok(Decision::Fails(doubt));
    }
    checked.push("no move keeps the value".to_owned());
    let mut rest = smaller;
    if claim.convention == Convention::Misere {
        // The values under which 0 still means P: 1 where there is no move.
        let movable = prover.movable()?;
        let one = compared(&variable(own), Order::Equal, &super::formula::constant(1))
            .map_err(|leaves| Trouble::from(leaves.within(claim.span)))?;
        let one = prover.compiler.automaton(&one)?;
        let wrong = graph.but_not(&movable, &budget)?.but_not(&one, &budget)?;
        if let Some(doubt) = prover.first(&wrong) {
            return Ok(Decision::Fails(doubt));
        }
        checked.push("positions without a move have the value 1".to_owned());
        rest = rest.and(&movable, &budget)?;
    }
    let rest = prover.without_move_into(&rest, &graph, Some((own, less)))?;
    if let Some(doubt) = prover.first(&rest) {
        return Ok(Decision::Fails(doubt));
    }
    checked.push("every smaller value is reached by some move".to_owned());
    Ok(Decision::Holds(Proof {
        certificate: None,
        states: graph.states(),
        automaton: graph,
        of: Set::Values(own),
        checked,
    }))
}
