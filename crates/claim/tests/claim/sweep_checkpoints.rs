//! A sweep that is resumed from a checkpoint after any slab has the same results as an
//! uninterrupted one.

use crate::row_sweeps::Bits;
use nimrule_claim::{self as claim, Check, ClaimStatus};
use nimrule_engine::{
    self as engine, Limits, Query, Question, Region, Shape, SlabCheckpoints, Solver, Visitor,
};
use nimrule_fixtures::shipped;
use nimrule_limits::checkpoint::{self, Identity, Resumable};
use nimrule_model::game::{Applies, Convention, Statement};

static LIMITS: Limits = Limits::of_memory(1 << 30);

fn run() -> Identity {
    Identity::new("checkpoint", "", 0)
}

/// Sweeps from the beginning or a checkpoint; adds a checkpoint to `kept` after each slab.
fn sweep(
    solver: &Solver<'_>,
    region: &Region,
    asked: Query,
    statements: &[&Statement],
    from: Option<&[u8]>,
    kept: &mut Vec<Vec<u8>>,
) -> (Vec<bool>, Vec<ClaimStatus>) {
    let mut bits = Bits(Vec::new());
    let mut checks: Vec<Check<'_>> = statements
        .iter()
        .map(|statement| Check::new(solver, statement, &LIMITS))
        .collect();
    let mut visitors: Vec<&mut dyn Visitor> = vec![&mut bits];
    visitors.extend(checks.iter_mut().map(|check| check as &mut dyn Visitor));
    let mut state: Vec<u8> = Vec::new();
    let mut done = 0;
    if let Some(bytes) = from {
        let mut left = bytes;
        let mut sections: Vec<(&str, &mut dyn Resumable)> =
            vec![("done", &mut done), ("state", &mut state)];
        for visitor in &mut visitors {
            sections.push(("visitor", &mut **visitor));
        }
        let restored = checkpoint::restore(&run(), &mut sections, &mut |into| {
            let (now, later) = left.split_at(into.len());
            into.copy_from_slice(now);
            left = later;
            true
        });
        restored.expect("it is what was saved");
    }
    let slabs = SlabCheckpoints {
        from: from.map(|_| (done, state.as_slice())),
        observer: &mut |done, state, visitors| {
            let mut bytes = Vec::new();
            state.save(&mut bytes);
            let mut sections: Vec<(&str, &dyn Resumable)> =
                vec![("done", &done), ("state", &bytes)];
            for visitor in visitors {
                sections.push(("visitor", &**visitor));
            }
            let mut bytes = Vec::new();
            checkpoint::save(&run(), &sections, &mut |piece| {
                bytes.extend_from_slice(piece);
            });
            kept.push(bytes);
            true
        },
    };
    engine::sweep_with_checkpoints(
        solver,
        region,
        asked,
        &LIMITS,
        None,
        &mut visitors,
        Some(slabs),
    )
    .expect("the limits are wide");
    let standings = checks.into_iter().map(|check| check.status(region));
    let standings = standings.collect();
    (bits.0, standings)
}

#[test]
fn a_sweep_is_resumed_after_any_slab() {
    let mut gone_on = 0;
    let games = [
        ("cube_edge", 4),
        ("cube_vertices_edge", 2),
        ("circular_nim", 4),
        ("shrinking_circular_nim", 4),
        ("tetrahedron_vertex", 3),
        ("moore", 7),
        ("trim", 9),
        ("rim", 8),
        ("cube_edge_slow", 3),
    ];
    for (name, most) in games {
        let game = shipped(name, &[]);
        let game = &game;
        let solver = Solver::new(game);
        for convention in [Convention::Normal, Convention::Misere] {
            let asked = Query {
                question: Question::Outcome,
                convention,
            };
            // All claims are checked under both conventions, so that some fail.
            let statements: Vec<&Statement> = game
                .claims
                .iter()
                .filter(|claim| claim.applies != Applies::Elsewhere)
                .filter(|claim| claim::asked(claim).question == Question::Outcome)
                .filter_map(|claim| claim.statement.as_ref())
                .collect();
            let shape = Shape::new(&vec![most; game.heap_count()]).expect("a small box");
            let region = Region::Box(shape);
            let mut kept = Vec::new();
            let whole = sweep(&solver, &region, asked, &statements, None, &mut kept);
            for bytes in &kept {
                let mut later = Vec::new();
                let from = Some(bytes.as_slice());
                let found = sweep(&solver, &region, asked, &statements, from, &mut later);
                assert!(found == whole, "{name} goes on otherwise");
                assert_eq!(
                    later.as_slice(),
                    &kept[kept.len() - later.len()..],
                    "{name}"
                );
                gone_on += 1;
            }
        }
    }
    assert!(gone_on > 20, "only {gone_on} sweeps were gone on with");
}
