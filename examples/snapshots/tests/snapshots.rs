//! The shipped game `cube_edge` in a snapshot, and the diagnostic for a wrong file.

use nimrule::{Error, Game, Outcome};

#[test]
fn cube_edge() -> Result<(), Error> {
    let game = Game::parse(include_str!("../../../games/cube_edge.nimrule"))?;
    let answer = game.solve(&[1, 2, 3, 4, 5, 6])?;
    assert_eq!(answer.outcome, Outcome::N);
    insta::assert_snapshot!(game.table(2)?.to_string());
    Ok(())
}

#[test]
fn a_wrong_file_has_a_diagnostic() {
    let error = Game::parse("game g heaps a b move take from c").unwrap_err();
    let Error::Text(problems) = error else {
        panic!("{error}");
    };
    insta::assert_snapshot!(problems.to_string());
}
