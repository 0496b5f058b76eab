//! Round trips: printed positions, texts in another layout and the LaTeX of claims have
//! the same meaning when they are read again.

use super::{Counts, compiled};
use nimrule_definition as definition;
use nimrule_elaborate::position_in;
use nimrule_fixtures::Numbers;
use nimrule_model::game::{Game, PositionKind};
use nimrule_syntax as syntax;

pub fn compare(
    text: &str,
    game: &Game,
    rng: &mut Numbers,
    counts: &mut Counts,
) -> Result<(), String> {
    let again = compiled(text).ok_or("the text does not compile again")?;
    if format!("{:?}", again.game.moves) != format!("{:?}", game.moves) {
        return Err("compiled again, the moves are others".to_owned());
    }
    let file = syntax::parse(text)
        .into_result()
        .map_err(|_| "the text does not parse again")?;
    // White space does not matter.
    let lines: Vec<&str> = text.lines().collect();
    let wide = syntax::parse(&lines.join("\n\n   "))
        .into_result()
        .map_err(|_| "laid out wide it is no file")?;
    if file != wide {
        return Err("laid out wide it is another file".to_owned());
    }
    counts.claims += crate::latex::compare_file(&file)?;
    let formatted = syntax::format(text).map_err(|_| "the formatter refuses the text")?;
    let formatted_file = syntax::parse(&formatted)
        .into_result()
        .map_err(|_| "formatted it is no file")?;
    if file != formatted_file {
        return Err("formatted it is another file".to_owned());
    }
    if syntax::format(&formatted).as_ref() != Ok(&formatted) {
        return Err("formatted twice it changes again".to_owned());
    }
    if game.position_kind == PositionKind::Reals {
        return Ok(());
    }
    let positions: Vec<Vec<u64>> = match game.position_kind {
        PositionKind::Heaps | PositionKind::Reals | PositionKind::Open(_) => (0..5)
            .map(|_| (0..game.heap_count()).map(|_| rng.below(100)).collect())
            .filter(|position: &Vec<u64>| definition::is_position(game, position) == Ok(true))
            .collect(),
        PositionKind::Tokens(_) | PositionKind::Multiset(_) => {
            definition::positions(game, 4).unwrap_or_default()
        }
    };
    for _ in 0..5 {
        if positions.is_empty() {
            break;
        }
        let position = rng.pick(&positions);
        counts.positions += 1;
        let shown = game.shown(position);
        let Ok(parsed) = syntax::parse_position(&shown) else {
            return Err(format!(
                "{position:?} is shown as {shown}, which does not parse"
            ));
        };
        match position_in(game, &parsed, &shown) {
            Ok(read) if read == *position => {}
            other => {
                return Err(format!(
                    "{position:?} is shown as {shown}, read as {other:?}"
                ));
            }
        }
    }
    Ok(())
}
