//! Octal codes: `move octal "0.137"`.
//!
//! A code abbreviates takes with `leaving`. It is expanded here into such moves,
//! so later phases need not know about codes.

use super::{Checker, MultisetProblem, Problem};
use nimrule_model::expr::{Num, OfKind, Set};
use nimrule_model::game::{
    Action, Amount, HeapKinds, Leaving, Members, Move, Number, ParamValue, Parts, Selection, Share,
    Step,
};
use nimrule_model::source::{Span, Spanned};
use nimrule_sequence::{ENDLESS, parse_code};
use nimrule_syntax::ast::{self, OctalCode};

impl Checker<'_> {
    /// The moves that a code abbreviates; `None` for each that has an error.
    pub fn octal(
        &mut self,
        mover: &ast::Move,
        octal: &ast::Octal,
        span: Span,
    ) -> Vec<Option<Move>> {
        let faulty = || vec![None];
        if self.heap_kinds.is_none() {
            self.require_multiset("an octal code", span);
            return faulty();
        }
        let Some((code, at, written)) = self.code(&octal.code) else {
            return faulty();
        };
        let ways = match parse_code(&code) {
            Ok(ways) => ways,
            Err(fault) => {
                // A code in the move itself has places; that of a parameter has one.
                let at = if written {
                    let letters = fault.len.max(1).min(code.len().max(1));
                    let first = fault.at.min(code.len().saturating_sub(letters));
                    (at.offset() + 1 + first, letters).into()
                } else {
                    at
                };
                self.problem(MultisetProblem::BadCode {
                    code,
                    fault: fault.kind.to_string(),
                    at,
                });
                return faulty();
            }
        };
        let whose = match mover.side.as_ref().map(|side| side.node) {
            Some(ast::Side::Left) => "left ",
            Some(ast::Side::Right) => "right ",
            None => "",
        };
        let mut moves = Vec::new();
        for way in ways {
            let Some(from) = self.octal_selection(octal) else {
                return faulty();
            };
            let (least, most) = (u64::from(way.leaves.0), u64::from(way.leaves.1));
            let leaving = Leaving {
                least,
                most,
                kind: None,
            };
            let left = match (least, most) {
                (1, 1) => "1 heap".to_owned(),
                (least, most) if least == most => format!("{least} heaps"),
                (least, most) => format!("{least}..{most} heaps"),
            };
            let mut alternatives = Vec::new();
            if way.removes.first().is_some_and(|(first, _)| *first == 0) {
                let action = Action::Split {
                    what: from.clone(),
                    parts: Parts::Counted(leaving),
                    condition: None,
                };
                let words = format!("split {} into {left}", from.words);
                alternatives.push((action, words));
            }
            let runs: Vec<(u64, u64)> = way
                .removes
                .iter()
                .map(|(low, high)| (*low.max(&1), *high))
                .filter(|(low, high)| low <= high)
                .collect();
            for (numbers, amounts) in amounts(&runs) {
                let pick = self.fresh_pick();
                let action = Action::Take {
                    amount: Amount {
                        share: Share::HeapByHeap,
                        numbers,
                        bound: None,
                    },
                    from: Selection {
                        pick,
                        ..from.clone()
                    },
                    leaving: Some(leaving),
                    condition: None,
                };
                let words = format!("take {amounts}from {} leaving {left}", from.words);
                alternatives.push((action, words));
            }
            moves.extend(alternatives.into_iter().map(|(action, words)| {
                Some(Move {
                    side: mover.side.as_ref().map(|side| side.node),
                    name: mover.name.as_ref().map(|name| name.node.clone()),
                    words: format!("move {whose}{words}"),
                    span,
                    when: None,
                    choices: Vec::new(),
                    steps: vec![Step {
                        least: 1,
                        most: 1,
                        action,
                        words,
                        span,
                    }],
                    again: None,
                })
            }));
        }
        moves
    }

    /// The code, its place, and whether it is written in the move itself.
    fn code(&mut self, code: &OctalCode) -> Option<(String, Span, bool)> {
        match code {
            OctalCode::Written(text) => Some((text.node.clone(), text.span, true)),
            OctalCode::Named(name) => match self.names.look_up(&name.node, name.span) {
                Some(super::names::Meaning::Param(ParamValue::Code(code))) => {
                    Some((code, name.span, false))
                }
                Some(super::names::Meaning::Unknown) => None,
                Some(other) => {
                    self.problem(Problem::Kind {
                        wanted: "an octal code",
                        found: super::expression::describe(&other).to_owned(),
                        at: name.span,
                        help: Some("for example `param code = \"0.137\"`".to_owned()),
                    });
                    None
                }
                None => {
                    self.unknown_name(&name.node, name.span);
                    None
                }
            },
        }
    }

    fn octal_selection(&mut self, octal: &ast::Octal) -> Option<Selection> {
        let Some(from) = &octal.from else {
            return Some(Selection {
                members: Members::Multiset {
                    number: Number::Some { least: 1, most: 1 },
                    kind: self
                        .heap_kinds
                        .as_ref()
                        .map_or(OfKind::Any, HeapKinds::heaps),
                },
                pick: self.fresh_pick(),
                words: "one heap".to_owned(),
                span: (0, 0).into(),
            });
        };
        let selection = self.selection(from, super::selection::Untouched::Allowed)?;
        if !self.is_one_heap(&selection.members) {
            self.problem(MultisetProblem::SplitsSeveral { at: from.span });
            return None;
        }
        Some(selection)
    }
}

/// The numbers in these runs, as sets and in words; any number needs no set.
fn amounts(runs: &[(u64, u64)]) -> Vec<(Option<Spanned<Set>>, String)> {
    let number = |number: u64| -> Spanned<Num> {
        Num::Const(i64::try_from(number).unwrap_or(i64::MAX)).into()
    };
    let (endless, finite): (Vec<_>, Vec<_>) = runs.iter().partition(|(_, high)| *high == ENDLESS);
    let mut amounts = Vec::new();
    match finite.as_slice() {
        [] => {}
        [(low, high)] if low < high => amounts.push((
            Some(Set::Range(number(*low), Some(number(*high))).into()),
            format!("{low}..{high} "),
        )),
        finite => {
            // A finite code has a digit for each of these amounts.
            let numbers: Vec<u64> = finite.iter().flat_map(|(low, high)| *low..=*high).collect();
            let words: Vec<String> = numbers.iter().map(u64::to_string).collect();
            let words = match words.as_slice() {
                [one] => format!("{one} "),
                many => format!("{{{}}} ", many.join(",")),
            };
            let set = Set::Items(numbers.into_iter().map(number).collect());
            amounts.push((Some(set.into()), words));
        }
    }
    amounts.extend(endless.into_iter().map(|(low, _)| match low {
        1 => (None, String::new()),
        low => (
            Some(Set::Range(number(low), None).into()),
            format!("{low}.. "),
        ),
    }));
    amounts
}
