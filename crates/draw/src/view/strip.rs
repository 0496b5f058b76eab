//! Heaps as coins on strips of numbered squares.

use crate::canvas::{ACCENT_FILL, Anchor, Canvas, FAINT, Font, INK, LINE, Point, Stroke, TOKEN};
use crate::heap::{Heap, abbreviated};
use crate::tokens::{arrows, discs, token_radius};
use nimrule_model::game::{Game, Presentation};
use num_bigint::BigUint;
use std::collections::BTreeSet;

/// The last square up to which all squares are drawn; of longer strips only those about coins.
const LAST_WHOLE: u64 = 24;
/// The room of squares that are left out.
const LEFT_OUT: f64 = 24.0;

/// Draws coins on strips, each strip below the one before.
pub fn draw(canvas: &mut Canvas, game: &Game, strips: &[Vec<usize>], heaps: &[Heap]) {
    let squares = squares(&game.presentation, heaps);
    let place = |square: &Option<BigUint>| {
        let square = square.as_ref()?;
        squares.binary_search(square).ok()
    };
    let names: Vec<&str> = heaps.iter().map(|heap| heap.name.as_str()).collect();
    let radius = token_radius(&names);
    let (font, labels) = (Font::plain(12.0), squares.iter().map(abbreviated));
    let labels: Vec<String> = labels.collect();
    let most = strips.iter().map(|coins| {
        let on = |square: usize| {
            let here = coins
                .iter()
                .filter(|heap| place(&heaps[**heap].size) == Some(square));
            here.count()
        };
        (0..squares.len()).map(on).max().unwrap_or(0)
    });
    let most = most.max().unwrap_or(0).max(1) as f64;
    let widest = labels
        .iter()
        .map(|label| font.width(label))
        .fold(0.0, f64::max);
    let width = (most * (2.0 * radius + 4.0) + 8.0)
        .max(widest + 8.0)
        .max(38.0);
    let height = 2.0 * radius + 12.0 + font.height();
    let mut x = 0.0;
    let mut columns: Vec<f64> = Vec::new();
    for (number, square) in squares.iter().enumerate() {
        if number > 0 && *square > &squares[number - 1] + 1_u8 {
            let at = (x - width / 2.0 + LEFT_OUT / 2.0, -height / 2.0);
            for (strip, _) in strips.iter().enumerate() {
                let at = (at.0, at.1 + height * (strip as f64 + 0.5));
                canvas.text(at, "…", Font::bold(16.0), Anchor::Middle, FAINT);
            }
            x += LEFT_OUT;
        }
        columns.push(x);
        x += width;
    }
    for (strip, coins) in strips.iter().enumerate() {
        let middle = strip as f64 * height;
        let after = |heap: &Heap| place(heap.after.as_ref().map_or(&heap.size, |_| &heap.after));
        let before: Vec<_> = coins.iter().map(|coin| place(&heaps[*coin].size)).collect();
        let after: Vec<_> = coins.iter().map(|coin| after(&heaps[*coin])).collect();
        for (number, (x, label)) in columns.iter().zip(&labels).enumerate() {
            let comes = after.contains(&Some(number)) && !before.contains(&Some(number));
            let odd = squares[number].bit(0) != (strip % 2 == 1);
            let fill = match (comes, odd) {
                (true, _) => ACCENT_FILL,
                (false, true) => "#e2ecf5",
                (false, false) => "#f7fafc",
            };
            let at = (*x, middle);
            canvas.plate(at, (width, height), 0.0, fill, Stroke::solid(LINE, 1.0));
            let text_at = (*x, middle + height / 2.0 - font.height() / 2.0 - 1.0);
            canvas.text(text_at, label, font, Anchor::Middle, FAINT);
        }
        let middle = middle - font.height() / 2.0;
        let tokens: Vec<(usize, &str)> = coins
            .iter()
            .map(|coin| (heaps[*coin].index.unwrap_or(*coin), names[*coin]))
            .collect();
        let places: Vec<Point> = columns.iter().map(|x| (*x, middle)).collect();
        arrows(canvas, &places, (&before, &after), radius);
        let moves = (&before[..], &after[..]);
        discs(canvas, &tokens, &places, moves, (radius, TOKEN));
    }
    if heaps.iter().all(|heap| heap.size.is_none()) {
        // Coins without places are below the strips.
        let mut x = columns[0];
        let y = (strips.len() as f64 - 0.5) * height + 14.0 + radius;
        for name in &names {
            canvas.circle((x, y), radius, TOKEN, Stroke::solid(INK, 1.5));
            let (font, beside) = (Font::italic(13.0), x + radius + 6.0);
            match names.len() {
                1 => canvas.text((beside, y), name, font, Anchor::Start, INK),
                _ => canvas.text((x, y), name, font, Anchor::Middle, INK),
            }
            x += 2.0 * radius + 10.0;
        }
    }
}

/// The squares that are drawn, ascending.
fn squares(presentation: &Presentation, heaps: &[Heap]) -> Vec<BigUint> {
    let coins = || {
        heaps
            .iter()
            .flat_map(|heap| heap.size.iter().chain(&heap.after))
    };
    let farthest = coins().max().map_or(Ok(0), u64::try_from);
    if let Ok(farthest) = farthest
        && farthest <= LAST_WHOLE
    {
        let last = presentation.last_square(farthest);
        return (0..=last).map(BigUint::from).collect();
    }
    let mut squares = BTreeSet::from([BigUint::ZERO, BigUint::from(1_u8)]);
    for coin in coins() {
        squares.extend([coin.clone(), coin + 1_u8]);
        if *coin > BigUint::ZERO {
            squares.insert(coin - 1_u8);
        }
    }
    squares.into_iter().collect()
}
