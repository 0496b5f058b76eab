//! How long retrograde analysis takes: `cargo run --release --example
//! relation -- STATES ARCS_OF_A_STATE`, 10^6 and 10 where none are given.
//!
//! The relation is random, with cycles.

#[path = "../benches/by_hand/relations.rs"]
mod relations;

use nimrule_relation::{Reverse, Terminal, retrograde};
use std::convert::Infallible;
use std::time::Instant;

fn main() {
    let mut arguments = std::env::args()
        .skip(1)
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
    let showing = began.elapsed();
    let began = Instant::now();
    let reverse = Reverse::build(states as usize, source).expect("arcs fit in 32 bits");
    let building = began.elapsed();
    let began = Instant::now();
    let Ok(labels) = retrograde(&reverse, Terminal::Loses, &mut || Ok::<(), Infallible>(()));
    let labelling = began.elapsed();

    let arcs = reverse.arcs() as f64;
    let an_arc = |time: std::time::Duration| time.as_nanos() as f64 / arcs;
    println!(
        "{states} states, {arcs} arcs, sum of targets {all}: {:?}",
        labels.counts()
    );
    println!(
        "showing the arcs once   {showing:8.2?}  {:5.1} ns an arc",
        an_arc(showing)
    );
    println!(
        "building reverse lists  {building:8.2?}  {:5.1} ns an arc",
        an_arc(building)
    );
    println!(
        "labelling               {labelling:8.2?}  {:5.1} ns an arc",
        an_arc(labelling)
    );
    println!(
        "bytes an arc            {:.1}",
        Reverse::bytes_for(states.into(), reverse.arcs() as u128) as f64 / arcs
    );
}
