//! Who wins a position, and by which moves?
//!
//! ```text
//! cargo run --example who_wins
//! cargo run --example who_wins -- "(4,5,6)"
//! ```

use nimrule::{Game, Outcome};

/// Wythoff's game with a third heap: a move takes any number of tokens from one heap,
/// or the same number from each of two heaps.
const RULE: &str = "
    game wythoff_3 \"Wythoff's game with three heaps\"
    heaps a b c
    move take from one heap
    move take equal from exactly 2 heaps
";

// An error of the rule or the position is a `miette` diagnostic, which shows the place
// in the text when `main` returns it.
fn main() -> miette::Result<()> {
    let written = std::env::args().nth(1);
    show(&written.unwrap_or("(3,4,5)".to_owned()))
}

fn show(written: &str) -> miette::Result<()> {
    let game = Game::parse(RULE)?;
    let position = game.position(written)?;

    let answer = game.solve(&position)?;
    match answer.outcome {
        Outcome::P => println!("{written}: the previous player wins"),
        _ => println!("{written}: the next player wins by moving to"),
    }
    for option in &answer.winning_moves {
        println!("  {}", game.display(option));
    }
    Ok(())
}

#[test]
fn runs() {
    show("(4,5,6)").expect("the rule is right");
}
