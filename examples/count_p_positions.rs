//! The number of P-positions of Circular Nim for several parameters, and whether the
//! claims about them hold.
//!
//! ```text
//! cargo run --example count_p_positions
//! ```

use nimrule::{Game, Outcome, Source};

/// A rule file: n heaps in a circle, of which a move lowers up to k neighbours.
const RULE: &str = include_str!("../games/circular_nim.nimrule");

/// The folder of the files that the rule names, as the game of a claim.
const GAMES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/games");

fn main() -> miette::Result<()> {
    let game = Game::from_source(Source::new("circular_nim.nimrule", RULE), |name| {
        std::fs::read(format!("{GAMES}/{name}")).map_err(|error| error.to_string())
    })?;
    let bounds = [1, 2, 4, 8];
    println!("P-positions with heaps of at most {bounds:?} tokens");
    for n in 3..=5 {
        for k in 1..=n {
            // The same rule with other values of its parameters.
            let game = game.with("n", n)?.with("k", k)?;
            let mut counts = Vec::new();
            for bound in bounds {
                let table = game.table(bound)?;
                let p = table.iter().filter(|(_, outcome)| *outcome == Outcome::P);
                counts.push(p.count());
            }
            println!("n = {n}, k = {k}: {counts:?}");
            // Claims that apply to these parameters, compared with the same answers.
            for check in game.check_claims(8)? {
                assert_eq!(check.passes(), Some(true), "{check}");
                println!("    {check}");
            }
        }
    }
    Ok(())
}

#[test]
fn runs() {
    main().expect("the claims hold");
}
