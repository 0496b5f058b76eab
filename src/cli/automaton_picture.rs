//! Pictures of small automata: states, and the letters that lead from one to
//! another. The state from which nothing is accepted is left out, with the
//! arrows that lead there.

use super::load::{self, Answered};
use nimrule_automata::TableDfa;
use nimrule_model::game::Game;
use std::collections::BTreeMap;
use std::f64::consts::TAU;
use std::path::Path;

/// How a picture is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Dot,
    Svg,
}

/// The largest number of states that a readable picture can have.
const MOST_STATES: usize = 64;

/// The largest number of patterns on an arrow.
const PATTERNS_SHOWN: usize = 4;

/// The picture format of a file name's extension.
pub fn kind(path: &Path) -> Answered<Kind> {
    match path.extension().and_then(|ending| ending.to_str()) {
        Some("dot" | "gv") => Ok(Kind::Dot),
        Some("svg") => Ok(Kind::Svg),
        _ => Err(load::wrong(&format!(
            "`{}` ends neither in .svg nor in .dot",
            path.display()
        ))),
    }
}

/// Draws an automaton whose letters are the digits of the heaps in their order.
pub fn draw(kind: Kind, game: &Game, title: &str, table: &TableDfa) -> Answered<String> {
    let states = table.states();
    if states > MOST_STATES {
        return Err(load::wrong(&format!(
            "a DFA with {states} states is too large for a picture; the limit is {MOST_STATES}"
        )));
    }
    let arrows = arrows(table);
    let letters = format!(
        "digits of {}; what has no arrow is in no P-position",
        game.heap_names.join(" ")
    );
    Ok(match kind {
        Kind::Dot => dot(title, &letters, table, &arrows),
        Kind::Svg => svg(title, &letters, table, &arrows),
    })
}

/// The patterns of letters between two states: a digit or `*` for each heap.
type Arrows = BTreeMap<(usize, usize), Vec<String>>;

fn arrows(table: &TableDfa) -> Arrows {
    let letters = 0..table.letters();
    let mut arrows = Arrows::new();
    for from in 0..table.states() {
        let mut to: Vec<u32> = letters
            .clone()
            .map(|letter| table.step(from as u32, letter))
            .collect();
        let all = to.clone();
        to.sort_unstable();
        to.dedup();
        to.retain(|state| !is_dead(table, *state as usize));
        for state in to {
            let leads: Vec<bool> = all.iter().map(|other| *other == state).collect();
            let mut patterns = Vec::new();
            gather(table, &leads, table.tracks, &mut patterns);
            arrows.insert((from, state as usize), patterns);
        }
    }
    arrows
}

/// Whether no word is accepted from this state of a minimal automaton.
fn is_dead(table: &TableDfa, state: usize) -> bool {
    let mut letters = 0..table.letters();
    !table.output[state] && letters.all(|letter| table.step(state as u32, letter) as usize == state)
}

/// The states that are drawn.
fn drawn(table: &TableDfa) -> Vec<usize> {
    (0..table.states())
        .filter(|state| !is_dead(table, *state))
        .collect()
}

/// Patterns for the marked letters, from the last heap on. One pattern covers all
/// digits of a heap if they lead to the same state.
fn gather(table: &TableDfa, leads: &[bool], heap: usize, patterns: &mut Vec<String>) {
    if leads.iter().all(|leads| !leads) {
        return;
    }
    if leads.iter().all(|leads| *leads) {
        patterns.push("*".repeat(heap));
        return;
    }
    // The last heap's digit weighs most in a letter.
    let part = leads.len() / table.base;
    let parts: Vec<&[bool]> = leads.chunks(part).collect();
    let mut some = Vec::new();
    if parts.iter().all(|other| *other == parts[0]) {
        gather(table, parts[0], heap - 1, &mut some);
        patterns.extend(some.into_iter().map(|pattern| pattern + "*"));
        return;
    }
    for (digit, part) in parts.into_iter().enumerate() {
        some.clear();
        gather(table, part, heap - 1, &mut some);
        patterns.extend(some.iter().map(|pattern| format!("{pattern}{digit}")));
    }
}

fn lines(patterns: &[String]) -> Vec<String> {
    let mut lines: Vec<String> = patterns.iter().take(PATTERNS_SHOWN).cloned().collect();
    if patterns.len() > PATTERNS_SHOWN {
        lines.push(format!("and {} more", patterns.len() - PATTERNS_SHOWN));
    }
    lines
}

fn dot(title: &str, letters: &str, table: &TableDfa, arrows: &Arrows) -> String {
    let escaped = |words: &str| words.replace('\\', "\\\\").replace('"', "\\\"");
    let mut picture = format!(
        "digraph {{\n    label=\"{}\\n{}\" labelloc=t fontname=\"sans-serif\"\n    rankdir=LR\n    \
         node [fontname=\"sans-serif\"]\n    edge [fontname=\"monospace\"]\n    \
         begin [shape=point]\n    begin -> {}\n",
        escaped(title),
        escaped(letters),
        table.start
    );
    for state in drawn(table) {
        let shape = if table.output[state] {
            "doublecircle"
        } else {
            "circle"
        };
        picture.push_str(&format!("    {state} [shape={shape}]\n"));
    }
    for ((from, to), patterns) in arrows
        .iter()
        .filter(|((from, _), _)| !is_dead(table, *from))
    {
        let label = lines(patterns).join("\\n");
        picture.push_str(&format!("    {from} -> {to} [label=\"{label}\"]\n"));
    }
    picture.push_str("}\n");
    picture
}

fn svg(title: &str, letters: &str, table: &TableDfa, arrows: &Arrows) -> String {
    let drawn = drawn(table);
    let states = drawn.len();
    let size = 22.0;
    let radius = (60.0 * states as f64 / 2.5).max(120.0);
    let middle = radius + 110.0;
    let width = 2.0 * middle;
    let place = |state: usize| {
        let number = drawn.iter().position(|other| *other == state).unwrap_or(0);
        let angle = TAU * number as f64 / states as f64 - TAU / 4.0;
        (
            middle + radius * angle.cos(),
            middle + 30.0 + radius * angle.sin(),
        )
    };
    let escaped = |words: &str| {
        words
            .replace('&', "&amp;")
            .replace('<', "&lt;")
            .replace('>', "&gt;")
    };
    let mut picture = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {:.0}\" \
         font-family=\"sans-serif\" font-size=\"13\">\n<title>{title}</title>\n\
         <defs><marker id=\"tip\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"8\" \
         markerHeight=\"8\" orient=\"auto\"><path d=\"M0,0 L8,4 L0,8 z\"/></marker></defs>\n\
         <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n\
         <text x=\"12\" y=\"22\" font-weight=\"bold\">{title}</text>\n\
         <text x=\"12\" y=\"40\">{}</text>\n",
        width + 40.0,
        escaped(letters),
        title = escaped(title),
    );
    let mut labels = String::new();
    for ((from, to), patterns) in arrows
        .iter()
        .filter(|((from, _), _)| !is_dead(table, *from))
    {
        let (x, y) = place(*from);
        let (text_x, text_y);
        if from == to {
            let (dx, dy) = ((x - middle) / radius, (y - middle - 30.0) / radius);
            let (px, py) = (-dy, dx);
            let reach = size + 34.0;
            picture.push_str(&format!(
                "<path d=\"M{:.1},{:.1} C{:.1},{:.1} {:.1},{:.1} {:.1},{:.1}\" fill=\"none\" \
                 stroke=\"black\" marker-end=\"url(#tip)\"/>\n",
                x + dx * size * 0.8 + px * size * 0.6,
                y + dy * size * 0.8 + py * size * 0.6,
                x + dx * reach + px * 22.0,
                y + dy * reach + py * 22.0,
                x + dx * reach - px * 22.0,
                y + dy * reach - py * 22.0,
                x + dx * size * 0.8 - px * size * 0.6,
                y + dy * size * 0.8 - py * size * 0.6,
            ));
            (text_x, text_y) = (x + dx * (reach + 22.0), y + dy * (reach + 14.0));
        } else {
            let (u, v) = place(*to);
            let length = ((u - x).powi(2) + (v - y).powi(2)).sqrt();
            let (dx, dy) = ((u - x) / length, (v - y) / length);
            // Arrows both ways bend away from each other.
            let bend = 24.0;
            let (cx, cy) = ((x + u) / 2.0 - dy * bend, (y + v) / 2.0 + dx * bend);
            picture.push_str(&format!(
                "<path d=\"M{:.1},{:.1} Q{cx:.1},{cy:.1} {:.1},{:.1}\" fill=\"none\" \
                 stroke=\"black\" marker-end=\"url(#tip)\"/>\n",
                x + dx * size,
                y + dy * size,
                u - dx * (size + 2.0),
                v - dy * (size + 2.0),
            ));
            (text_x, text_y) = (cx, cy);
        }
        for (number, line) in lines(patterns).iter().enumerate() {
            labels.push_str(&format!(
                "<text x=\"{text_x:.1}\" y=\"{:.1}\" font-family=\"monospace\" font-size=\"10\" \
                 text-anchor=\"middle\" stroke=\"white\" stroke-width=\"3\" \
                 paint-order=\"stroke\">{line}</text>\n",
                text_y + 11.0 * number as f64,
            ));
        }
    }
    let (x, y) = place(table.start as usize);
    picture.push_str(&format!(
        "<path d=\"M{:.1},{:.1} L{:.1},{:.1}\" stroke=\"black\" marker-end=\"url(#tip)\"/>\n",
        x - size - 34.0,
        y - 12.0,
        x - size - 1.0,
        y - 3.0
    ));
    for state in &drawn {
        let (x, y) = place(*state);
        picture.push_str(&format!(
            "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{size}\" fill=\"white\" stroke=\"black\"/>\n"
        ));
        if table.output[*state] {
            picture.push_str(&format!(
                "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{}\" fill=\"none\" stroke=\"black\"/>\n",
                size - 4.0
            ));
        }
        picture.push_str(&format!(
            "<text x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{state}</text>\n",
            y + 4.5
        ));
    }
    picture.push_str(&labels);
    picture.push_str("</svg>\n");
    picture
}
