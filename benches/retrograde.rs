//! The time of retrograde analysis of a random relation with cycles: of enumerating
//! its arcs, of reversing them, and of labelling the states.
//!
//! ```text
//! cargo bench --bench retrograde -- STATES ARCS_PER_STATE
//! ```
//!
//! The default is 10^6 states with 10 arcs each.

#[path = "by_hand/relations.rs"]
mod relations;

use nimrule_relation::{Reverse, Terminal, retrograde};
use std::convert::Infallible;
use std::time::Instant;

fn main() {
    let mut arguments = std::env::args()
        .skip(1)
        // Cargo adds `--bench`.
        .filter(|text| !text.starts_with("--"))
        .map(|text| text.parse::<u64>().expect("the numbers of states and arcs"));
    let states = arguments.next().unwrap_or(1_000_000);
    let arcs = arguments.next().unwrap_or(10);
    let relation = relations::Random {
        states,
        arcs_of_a_state: arcs,
    };
    let source = |state: u32, visit: &mut dyn FnMut(u32)| {
        relation.show(state, visit);
        Ok::<(), Infallible>(())
    };

    let began = Instant::now();
    let mut all = 0_u64;
    for state in 0..states as u32 {
        let Ok(()) = source(state, &mut |target| {
            all = all.wrapping_add(u64::from(target))
        });
    }
    let enumerating = began.elapsed();
    let began = Instant::now();
    let reverse = Reverse::build(states as usize, source).expect("arcs fit in 32 bits");
    let building = began.elapsed();
    let began = Instant::now();
    let Ok(labels) = retrograde(&reverse, Terminal::Loses, &mut || Ok::<(), Infallible>(()));
    let labelling = began.elapsed();

    let arcs = reverse.arcs() as f64;
    let per_arc = |time: std::time::Duration| time.as_nanos() as f64 / arcs;
    println!(
        "{states} states, {arcs} arcs, sum of targets {all}: {:?}",
        labels.counts()
    );
    println!(
        "enumerating the arcs    {enumerating:8.2?}  {:5.1} ns per arc",
        per_arc(enumerating)
    );
    println!(
        "building reverse lists  {building:8.2?}  {:5.1} ns per arc",
        per_arc(building)
    );
    println!(
        "labelling               {labelling:8.2?}  {:5.1} ns per arc",
        per_arc(labelling)
    );
    println!(
        "bytes per arc           {:.1}",
        Reverse::bytes_for(states.into(), reverse.arcs() as u128) as f64 / arcs
    );
}
