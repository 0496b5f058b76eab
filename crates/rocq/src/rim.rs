//! Flanigan's Rim and Trim. Their theorems, in `rocq/Rim.v`, hold for every base and any number
//! of heaps; that of a claim is an instance.

use crate::{Unsupported, unsupported};
use nimrule_ir::{MoveGraph, Node, NodeId, Take, lower};
use nimrule_model::expr::{Arithmetic, Bool, Expr, List, Num, Order, Set, Slot};
use nimrule_model::game::{
    Claim, Class, Convention, Direction, Game, Members, PositionKind, Statement,
};

/// A rule of `rocq/Rim.v`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rule {
    /// Rim in this base, at least 2.
    Rim(i64),
    Trim,
}

/// The theorem of a claim.
pub struct Theorem {
    /// The rule in words.
    pub rule: String,
    pub statement: String,
    /// A term whose type is the statement.
    pub proof: String,
    /// Whether the statement has one variable more than heaps, the value.
    pub has_value: bool,
}

impl Rule {
    /// The rule of a game, if it is one of these in the words of `games/rim.nimrule` or
    /// `games/trim.nimrule`.
    pub fn of(game: &Game) -> Option<Rule> {
        let graph = lower(game);
        if game.position_kind != PositionKind::Heaps || graph.positions.is_some() {
            return None;
        }
        let first = only(graph.after(graph.start()))?;
        match graph.node(first) {
            // for some p in powers(k) take t where t < 2*p then up to k - 2 times take p
            Node::Number {
                slot: power,
                set,
                condition: None,
                ..
            } => {
                let base = powers(&set.node)?;
                let (first, most, then) = takes(&graph, only(graph.after(first))?)?;
                let Some(Bool::Compare(Order::Less, amount, bound)) = condition(first) else {
                    return None;
                };
                let (Some(Set::Items(numbers)), None) = (amounts(then), condition(then)) else {
                    return None;
                };
                let is_rim = amounts(first).is_none()
                    && first
                        .bound
                        .is_some_and(|taken| amount.node == Num::Local(taken))
                    && is_twice(&bound.node, *power)
                    && matches!(numbers.as_slice(), [number] if number.node == Num::Local(*power))
                    && i64::try_from(most) == Ok(base - 2);
                is_rim.then_some(Rule::Rim(base))
            }
            // take t then optionally take u where u in powers(3) and 2*u > t
            _ => {
                let (first, 1, then) = takes(&graph, first)? else {
                    return None;
                };
                let (Some(taken), Some(more)) = (first.bound, then.bound) else {
                    return None;
                };
                let (None, Some(Bool::And(conditions))) = (condition(first), condition(then))
                else {
                    return None;
                };
                let [one, other] = conditions.as_slice() else {
                    return None;
                };
                let (Bool::In(member, set), Bool::Compare(Order::Less, less, greater)) =
                    (&one.node, &other.node)
                else {
                    return None;
                };
                let is_trim = amounts(first).is_none()
                    && amounts(then).is_none()
                    && member.node == Num::Local(more)
                    && powers(&set.node) == Some(3)
                    && less.node == Num::Local(taken)
                    && is_twice(&greater.node, more);
                is_trim.then_some(Rule::Trim)
            }
        }
    }

    fn base(self) -> i64 {
        match self {
            Rule::Rim(base) => base,
            Rule::Trim => 3,
        }
    }

    /// The theorem of a claim. `heaps` are the variables of the heaps, and `value` that of the
    /// value.
    pub fn theorem(
        self,
        claim: &Claim,
        heaps: &[String],
        value: &str,
    ) -> Result<Theorem, Unsupported> {
        let base = self.base();
        let (rule, lemmas, hypothesis, words) = match self {
            Rule::Rim(_) => (
                format!("(move {base})"),
                "rim",
                format!(" {base} ltac:(discriminate)"),
                format!(
                    "`move {base}` of Rim.v: for some power p of {base} fewer tokens than 2 * p are taken\n   \
                     from one heap, and then up to {} times p tokens from any heap.",
                    base - 2
                ),
            ),
            Rule::Trim => (
                "trim_move".to_owned(),
                "trim",
                String::new(),
                "`trim_move` of Rim.v: t tokens are taken from one heap and then, if the player likes,\n   \
                 a power of 3 that is more than half of t from any heap."
                    .to_owned(),
            ),
        };
        let position = format!("[{}]", heaps.join("; "));
        let places = ["m", "place", "digit_place"];
        let place = crate::unused(&places, heaps);
        let sum = format!("digits {base} {position} {place} mod {base}");
        let (class, digit, lemma, arguments, has_value) = match (&claim.statement, claim.convention)
        {
            (
                Some(Statement::Outcome {
                    class: Class::P,
                    consistent: false,
                    up_to_symmetry: false,
                    direction: Direction::Iff,
                    condition,
                }),
                convention,
            ) => {
                let Bool::Compare(Order::Equal, left, right) = &condition.node else {
                    return unsupported("claims about Rim other than those of its theorems");
                };
                let is_sum = self.is_sum(&left.node, heaps.len());
                let few = i64::try_from(heaps.len()).is_ok_and(|heaps| heaps < base);
                match (convention, right.node.constant()) {
                    (Convention::Normal, Some(0)) if is_sum => (
                        format!("Game.NormalP (list N) {rule} {position}"),
                        format!("{sum} = 0"),
                        "normal_play",
                        String::new(),
                        false,
                    ),
                    (Convention::Misere, Some(1)) if is_sum && few => (
                        format!("Game.MisereP (list N) {rule} {position}"),
                        format!("{sum} = if {place} =? 0 then 1 else 0"),
                        "misere_play",
                        " eq_refl".to_owned(),
                        false,
                    ),
                    _ => return unsupported("claims about Rim other than those of its theorems"),
                }
            }
            (Some(Statement::Grundy(number)), Convention::Normal)
                if self.is_sum(&number.node, heaps.len()) =>
            {
                (
                    format!("Game.Grundy (list N) {rule} {position} {value}"),
                    format!("digit {base} {value} {place} = {sum}"),
                    "values",
                    format!(" {value}"),
                    true,
                )
            }
            _ => return unsupported("claims about Rim other than those of its theorems"),
        };
        Ok(Theorem {
            rule: words,
            statement: format!("{class} <->\n  forall {place}, {digit}"),
            proof: format!("{lemmas}_{lemma}{hypothesis} {position}{arguments}"),
            has_value,
        })
    }

    /// Whether a number is the sum of all heaps without carry in the base.
    fn is_sum(self, number: &Num, heaps: usize) -> bool {
        let Num::Carryless {
            base,
            list,
            modulus,
        } = number
        else {
            return false;
        };
        let List::Heaps(summed) = &list.node else {
            return false;
        };
        let mut summed: Vec<usize> = summed.iter().map(|heap| heap.index()).collect();
        summed.sort_unstable();
        base.node.constant() == Some(self.base())
            && modulus.node.constant() == Some(self.base())
            && summed.into_iter().eq(0..heaps)
    }
}

/// The only one of some nodes.
fn only(nodes: &[NodeId]) -> Option<NodeId> {
    match nodes {
        [node] => Some(*node),
        _ => None,
    }
}

/// A take from any one heap, and another after it that is repeated at most so many times. No
/// other step is between them, before or after.
fn takes(graph: &MoveGraph, at: NodeId) -> Option<(&Take, u64, &Take)> {
    let (first, repeat) = take(graph, at)?;
    let Node::Repeat { least: 0, most, .. } = graph.node(repeat) else {
        return None;
    };
    let (body, exit) = graph.body_and_exit(repeat);
    let (then, end) = take(graph, body)?;
    (end == repeat && matches!(graph.node(exit), Node::End)).then_some((first, *most, then))
}

/// The choice of any one heap and the take from it, and the node after it.
fn take(graph: &MoveGraph, at: NodeId) -> Option<(&Take, NodeId)> {
    let Node::Choice {
        members: Members::Listed(sets),
        ..
    } = graph.node(at)
    else {
        return None;
    };
    let at = only(graph.after(at))?;
    let Node::Take(take) = graph.node(at) else {
        return None;
    };
    let mut heaps: Vec<usize> = Vec::new();
    for set in sets {
        match set.as_slice() {
            [one] => heaps.push(one.index()),
            _ => return None,
        }
    }
    let is_any = heaps.into_iter().eq(0..graph.heaps) && take.leaving.is_none();
    is_any.then_some((take, only(graph.after(at))?))
}

fn condition(take: &Take) -> Option<&Bool> {
    take.whole.as_ref().map(node)
}

fn amounts(take: &Take) -> Option<&Set> {
    take.amount.as_ref().map(node)
}

fn node<T>(expression: &Expr<T>) -> &T {
    &expression.node
}

/// The base of a set of powers.
fn powers(set: &Set) -> Option<i64> {
    match set {
        Set::Powers(base) => base.node.constant(),
        _ => None,
    }
}

/// Whether a number is twice a local variable.
fn is_twice(number: &Num, slot: Slot) -> bool {
    matches!(number, Num::Binary(Arithmetic::Multiply, two, local)
        if two.node == Num::Const(2) && local.node == Num::Local(slot))
}
