//! `--explain`: the properties of a rule, and why engines were rejected.
//!
//! These are the properties that the engines themselves check, so they explain
//! the choice of the engine.

use crate::cli::text::{self, FAINT};
use nimrule_answer::{Answer, ProvedSet, Session};
use nimrule_engine::{self as engine, Limits, Query, Question, Solver};
use nimrule_ir::Hyperedges;
use nimrule_model::game::PositionKind;

/// The properties of the rule, and the rejected engines.
pub(super) fn explained(solver: &Solver<'_>, rejected: &[(&'static str, String)]) -> String {
    let profile = &solver.profile;
    let mut shown = "\nProperties of the rule\n\n".to_owned();
    let mut line = |name: &str, words: &str| {
        shown.push_str(&format!(
            "  {FAINT}{name:<20}{FAINT:#}{}\n",
            text::wrapped(words, 56, 22)
        ));
    };
    let fact = |fact: Result<String, String>| match fact {
        Ok(words) => words,
        Err(reason) => format!("no: {reason}"),
    };
    line(
        "graph",
        &format!("{} nodes, {} arcs", profile.size.0, profile.size.1),
    );
    let of_heaps = |line: &mut dyn FnMut(&str, &str)| {
        line(
            "take-away only",
            &fact(profile.only_takes.clone().map(|()| "yes".to_owned())),
        );
        line(
            "invariant",
            &fact(
                profile
                    .looks_at_amounts_only
                    .clone()
                    .map(|()| "yes: no move depends on the position".to_owned()),
            ),
        );
        line(
            "hypergraph Nim",
            &fact(
                profile
                    .hyperedges
                    .as_ref()
                    .map_err(Clone::clone)
                    .map(|edges| match edges {
                        Hyperedges::Fixed(sets) => {
                            format!("from one of {} sets of heaps", sets.len())
                        }
                        Hyperedges::Remaining { most, .. } => {
                            format!("from {most} consecutive heaps of those left")
                        }
                    }),
            ),
        );
        line(
            "vector subtraction",
            &fact(
                profile
                    .constant_vectors
                    .clone()
                    .map(|count| format!("at most {count}")),
            ),
        );
        line(
            "one heap at a time",
            &fact(
                match solver.graph.kinds {
                    Some(_) => profile.heap_rules.as_ref().map(|_| ()),
                    None => profile.one_heap.as_ref().map(|_| ()),
                }
                .map_err(Clone::clone)
                .map(|()| "yes: a sum of heaps, by nim-sums".to_owned()),
            ),
        );
    };
    if solver.game.digraph().is_some() {
        line(
            "one token at a time",
            &fact(
                profile
                    .slides_one
                    .as_ref()
                    .map_err(Clone::clone)
                    .map(|_| "yes: a position is the sum of its tokens".to_owned()),
            ),
        );
    } else {
        of_heaps(&mut line);
    }
    line("symmetries", &profile.symmetries);
    if let Some(sides) = &solver.sides {
        let size = |graph| {
            let (nodes, arcs) = nimrule_ir::profile(graph, &profile.termination).size;
            format!("{nodes} nodes, {arcs} arcs")
        };
        line("Left's moves", &size(&sides[0]));
        line("Right's moves", &size(&sides[1]));
    }
    if solver.game.may_repeat {
        line("termination", "not shown: positions may repeat");
    }
    if profile.termination.acyclic && profile.termination.levels.is_empty() {
        line("termination", "the digraph has no cycle");
    }
    let levels = match solver.game.position_kind {
        PositionKind::Multiset(_) => &[][..],
        _ => &profile.termination.levels,
    };
    for (level, weights) in levels.iter().enumerate() {
        let name = if level == 0 {
            "termination"
        } else {
            "or, if unchanged"
        };
        let has_tokens = solver.game.tokens_on.is_some() || solver.game.digraph().is_some();
        let all_one = weights.iter().all(|w| *w == 1) && !has_tokens;
        let words = if all_one {
            "every move lowers the number of tokens".to_owned()
        } else {
            let terms: Vec<String> = weights
                .iter()
                .zip(&solver.game.heap_names)
                .enumerate()
                .filter(|(_, (weight, _))| **weight != 0)
                .map(|(place, (weight, name))| {
                    let name = match solver.game.digraph_of(place) {
                        Some(_) => format!("the longest path from {name}"),
                        None => name.clone(),
                    };
                    match weight.abs() {
                        1 => name,
                        weight => format!("{weight} {name}"),
                    }
                })
                .collect();
            match weights.iter().any(|weight| *weight < 0) {
                true => format!("every move raises {}, which is bounded", terms.join(" + ")),
                false => format!("every move lowers {}", terms.join(" + ")),
            }
        };
        line(name, &words);
    }
    for (level, number) in profile.termination.named.iter().enumerate() {
        let name = if level == 0 {
            "termination"
        } else {
            "or, if unchanged"
        };
        let at = number.span;
        let written = &solver.game.text.text[at.offset()..at.offset() + at.len()];
        line(name, &format!("every move lowers {written}"));
    }
    if let (PositionKind::Multiset(_), false) = (&solver.game.position_kind, solver.game.may_repeat)
    {
        let mut words = match profile.termination.order {
            Some(_) => "every move replaces heaps by smaller ones".to_owned(),
            None => "every move lowers the number of tokens".to_owned(),
        };
        if profile.termination.more_heaps {
            words.push_str(", or keeps it and leaves more heaps");
        }
        if !profile.termination.levels.is_empty() {
            words.push_str(", or changes no heap and lowers the states");
        }
        line("termination", &words);
    }
    for (engine, reason) in rejected {
        line("rejected", &format!("{engine}: {reason}"));
    }
    shown
}

/// The same about an answer by a proof, with the place of the cached proof.
pub(super) fn with_cached_proof(session: &Session<'_>, answer: &Answer, set: &ProvedSet) -> String {
    let solver = session.solver();
    let asked = Query {
        question: Question::Outcome,
        convention: answer.convention,
    };
    let rejected = answer.position.small().map_or_else(Vec::new, |position| {
        let limits = Limits::of_memory(u64::MAX);
        engine::choose_for_one(solver, position, asked, &limits, None)
            .map_or_else(|_| Vec::new(), |choice| choice.rejected)
    });
    let mut shown = explained(solver, &rejected);
    let cached = match &set.stored {
        Some(place) => format!("in `{place}`"),
        None => "none; proved now".to_owned(),
    };
    shown.push_str(&format!(
        "  {FAINT}{:<20}{FAINT:#}{}\n",
        "cached proof",
        text::wrapped(&cached, 56, 22)
    ));
    shown
}
