//! Claims worked out at one position: the value of each part of the condition.

use super::environment;
use nimrule_model::expr::eval::check_images;
use nimrule_model::expr::{Bool, Environment, Expr, List, Num, PlacedFault};
use nimrule_model::game::{Claim, Game, Statement};
use nimrule_model::source::Span;

/// A condition or a value worked out at a position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Worked {
    /// Whether the condition holds, or the Grundy value that the claim gives.
    pub value: Value,
    /// The image of the position of which the condition holds, if the claim is about
    /// images under the symmetries and it is another position.
    pub image: Option<Vec<u64>>,
    /// The parts of the condition that were evaluated, each after the part it belongs to.
    /// As in evaluation, what follows a false part of a conjunction, or a true part of a
    /// disjunction, is absent.
    pub parts: Vec<Part>,
}

/// The value of an expression.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Value {
    /// Of a condition.
    Truth(bool),
    /// Of a number.
    Number(i64),
}

/// A part of a condition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// How many parts contain it.
    pub depth: usize,
    /// Its text, as the file has it.
    pub words: String,
    /// Its value.
    pub value: Value,
    /// The two sides of a comparison.
    pub sides: Option<(i64, i64)>,
    /// The token of which a side is the vertex: its place in the position.
    pub token: Option<usize>,
    /// The nim-sums and other sums without carry in it.
    pub digit_sums: Vec<DigitSum>,
}

impl Part {
    /// The two sides of a comparison as text, a vertex of a token by its name.
    pub fn shown_sides(&self, game: &Game) -> Option<(String, String)> {
        let shown = |number: i64| match (self.token, u64::try_from(number)) {
            (Some(token), Ok(vertex)) => game.shown_number(token, vertex),
            _ => number.to_string(),
        };
        self.sides.map(|(left, right)| (shown(left), shown(right)))
    }
}

/// A sum without carry worked out: the digits are added place by place, modulo
/// `modulus`. In a nim-sum base and modulus are 2.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DigitSum {
    /// The base in which the numbers are written.
    pub base: i64,
    /// The modulus of the sum of the digits at one place.
    pub modulus: i64,
    /// Each number that is added: its text, empty if it has none, and its value.
    pub terms: Vec<(String, i64)>,
    /// The sum.
    pub sum: i64,
}

/// Works out a claim about outcomes or Grundy values at a position; `None` for other
/// claims, and for those that do not apply at the parameters.
///
/// # Errors
///
/// If a part of the claim has no value.
///
/// # Examples
///
/// In the claim `P iff a ^ b == 0 and a > 3` at (5,5), the first part has the two sides 0
/// and 0 and is true, with one sum of digits.
///
/// ```
/// use nimrule_claim::worked::{Value, worked};
///
/// let game = "game nim heaps a b move take from one heap claim P iff a == b claim P iff a >= b";
/// let game = nimrule_fixtures::compiled(game).unwrap().game;
/// let found = worked(&game, &game.claims[0], &[5, 5]).unwrap().unwrap();
/// assert_eq!(found.value, Value::Truth(true));
/// ```
pub fn worked(game: &Game, claim: &Claim, position: &[u64]) -> Result<Option<Worked>, PlacedFault> {
    let Some(statement) = &claim.statement else {
        return Ok(None);
    };
    match statement {
        Statement::Outcome {
            up_to_symmetry,
            condition,
            consistent: false,
            ..
        } => {
            let mut image = None;
            if *up_to_symmetry {
                check_images(&game.facts.symmetries, position).map_err(|f| f.at(condition.span))?;
                image = holding_image(game, condition, position)?;
            }
            let at = image.as_deref().unwrap_or(position);
            let mut worker = Worker::new(game);
            let holds = worker.at(at, |worker, environment| {
                worker.condition(condition, 0, environment)
            })?;
            Ok(Some(Worked {
                value: Value::Truth(holds),
                image: image.filter(|image| image != position),
                parts: worker.parts,
            }))
        }
        Statement::Grundy(value) => {
            let mut worker = Worker::new(game);
            let number = worker.at(position, |worker, environment| {
                let number = value.eval(environment)?;
                let digit_sums = worker.digit_sums(value, environment)?;
                let (words, value) = (worker.words(value.span), Value::Number(number));
                worker.parts.push(Part {
                    depth: 0,
                    words,
                    value,
                    sides: None,
                    token: None,
                    digit_sums,
                });
                Ok(number)
            })?;
            Ok(Some(Worked {
                value: Value::Number(number),
                image: None,
                parts: worker.parts,
            }))
        }
        _ => Ok(None),
    }
}

/// An image of the position under the symmetries of which the condition holds.
fn holding_image(
    game: &Game,
    condition: &Expr<Bool>,
    position: &[u64],
) -> Result<Option<Vec<u64>>, PlacedFault> {
    let mut locals = vec![0; game.slots];
    let (mut found, mut fault) = (None, None);
    game.facts.symmetries.any_image(position, &mut |image| {
        match condition.eval(&mut environment(image, &mut locals, game)) {
            Ok(true) => found = Some(image.to_vec()),
            Ok(false) => return false,
            Err(no_value) => fault = Some(no_value),
        }
        true
    });
    fault.map_or(Ok(found), Err)
}

struct Worker<'g> {
    game: &'g Game,
    locals: Vec<i64>,
    parts: Vec<Part>,
}

impl<'g> Worker<'g> {
    fn new(game: &'g Game) -> Worker<'g> {
        Worker {
            game,
            locals: vec![0; game.slots],
            parts: Vec::new(),
        }
    }

    /// Calls `work` with the environment of a position.
    fn at<T>(
        &mut self,
        position: &[u64],
        work: impl FnOnce(&mut Worker<'g>, &mut Environment<'_>) -> Result<T, PlacedFault>,
    ) -> Result<T, PlacedFault> {
        let (sizes, kinds) = self.game.sizes_and_kinds(position);
        let mut locals = std::mem::take(&mut self.locals);
        let mut environment = Environment {
            kinds: &kinds,
            ..environment(&sizes, &mut locals, self.game)
        };
        work(self, &mut environment)
    }

    /// The text of an expression, on one line.
    fn words(&self, span: Span) -> String {
        let text = self
            .game
            .text
            .text
            .get(span.offset()..span.offset() + span.len());
        let words: Vec<&str> = text.unwrap_or_default().split_whitespace().collect();
        words.join(" ")
    }

    /// Adds the part and those in it, and returns its value.
    fn condition(
        &mut self,
        condition: &Expr<Bool>,
        depth: usize,
        environment: &mut Environment<'_>,
    ) -> Result<bool, PlacedFault> {
        let place = self.parts.len();
        self.parts.push(Part {
            depth,
            words: self.words(condition.span),
            value: Value::Truth(false),
            sides: None,
            token: None,
            digit_sums: Vec::new(),
        });
        let holds = self.value(condition, place, depth, environment)?;
        self.parts[place].value = Value::Truth(holds);
        Ok(holds)
    }

    /// The value of a condition, whose part is at `place`; adds the parts in it.
    fn value(
        &mut self,
        condition: &Expr<Bool>,
        place: usize,
        depth: usize,
        environment: &mut Environment<'_>,
    ) -> Result<bool, PlacedFault> {
        Ok(match &condition.node {
            Bool::Compare(order, left, right) => {
                let sides = (left.eval(environment)?, right.eval(environment)?);
                let mut digit_sums = self.digit_sums(left, environment)?;
                digit_sums.extend(self.digit_sums(right, environment)?);
                let token = [left, right].into_iter().find_map(|side| match &side.node {
                    Num::Heap(heap) => Some(heap.index()),
                    _ => None,
                });
                let part = &mut self.parts[place];
                part.sides = Some(sides);
                part.token = token.filter(|place| self.game.digraph_of(*place).is_some());
                part.digit_sums = digit_sums;
                order.holds(sides.0, sides.1)
            }
            Bool::And(conditions) => {
                let mut all = true;
                for condition in conditions {
                    all = self.condition(condition, depth + 1, environment)?;
                    if !all {
                        break;
                    }
                }
                all
            }
            Bool::Or(conditions) => {
                let mut any = false;
                for condition in conditions {
                    any = self.condition(condition, depth + 1, environment)?;
                    if any {
                        break;
                    }
                }
                any
            }
            Bool::Not(condition) => !self.condition(condition, depth + 1, environment)?,
            Bool::If(asked, then, otherwise) => {
                let chosen = if self.condition(asked, depth + 1, environment)? {
                    then
                } else {
                    otherwise
                };
                self.condition(chosen, depth + 1, environment)?
            }
            Bool::Let(slot, value, body) => {
                environment.locals[slot.index()] = value.eval(environment)?;
                // The parts of the body are parts of the `let`.
                self.value(body, place, depth, environment)?
            }
            _ => condition.eval(environment)?,
        })
    }

    /// The members of a list, with the names of those that are heaps.
    fn members(
        &self,
        list: &Expr<List>,
        environment: &mut Environment<'_>,
    ) -> Result<Vec<(String, i64)>, PlacedFault> {
        let values = list.eval(environment)?;
        let names = match &list.node {
            List::Heaps(heaps) => heaps
                .iter()
                .map(|heap| self.game.heap_names[heap.index()].clone())
                .collect(),
            _ => vec![String::new(); values.len()],
        };
        Ok(names.into_iter().zip(values).collect())
    }

    /// The sums without carry in a number, the outer before the inner. Parts that an `if` does not
    /// choose, and that bind names, are not searched.
    fn digit_sums(
        &mut self,
        number: &Expr<Num>,
        environment: &mut Environment<'_>,
    ) -> Result<Vec<DigitSum>, PlacedFault> {
        match &number.node {
            Num::Binary(_, left, right) => {
                let mut found = self.digit_sums(left, environment)?;
                found.extend(self.digit_sums(right, environment)?);
                Ok(found)
            }
            Num::Negate(inner) => self.digit_sums(inner, environment),
            Num::Carryless {
                base,
                list,
                modulus,
            } => {
                let (base, modulus) = (base.eval(environment)?, modulus.eval(environment)?);
                let mut found = vec![DigitSum {
                    base,
                    modulus,
                    terms: Vec::new(),
                    sum: number.eval(environment)?,
                }];
                let List::Items(items) = &list.node else {
                    found[0].terms = self.members(list, environment)?;
                    return Ok(found);
                };
                for item in items {
                    let mut inner = self.digit_sums(item, environment)?;
                    // A nim-sum of nim-sums, as `a ^ b ^ c`, is one sum of all numbers.
                    let is_part = matches!(item.node, Num::Carryless { .. })
                        && base == modulus
                        && (inner[0].base, inner[0].modulus) == (base, modulus);
                    if is_part {
                        found[0].terms.extend(inner.remove(0).terms);
                    } else {
                        let term = (self.words(item.span), item.eval(environment)?);
                        found[0].terms.push(term);
                    }
                    found.extend(inner);
                }
                Ok(found)
            }
            _ => Ok(Vec::new()),
        }
    }
}
