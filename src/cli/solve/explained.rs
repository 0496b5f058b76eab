//! `--explain`: the properties of a rule, and why engines were rejected.
//!
//! These are the properties that the engines themselves check, so they explain
//! the choice of the engine.

use crate::cli::text::{self, FAINT};
use nimrule_answer::{Answer, ProvedSet, Session, words};
use nimrule_engine::{self as engine, Limits, Query, Question, Solver};
use nimrule_ir::Hyperedges;

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
    for (is_first, words) in words::termination(solver.game, &profile.termination) {
        let name = match is_first {
            true => "termination",
            false => "or, if unchanged",
        };
        line(name, &words);
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
