//! Automata for LaTeX, as pictures of TikZ, in the same layers as the SVG.

use super::{RADIUS, drawn, legend};
use crate::canvas::Point;
use crate::layers;
use nimrule_automata::TableDfa;
use nimrule_model::latex::escaped;
use std::fmt::Write as _;

/// The distance of two states of a layer, and of two layers, in points.
const STEP: Point = (110.0, 75.0);

/// An automaton as a `tikzpicture`, for `\input`. The document needs the package `tikz`
/// with the libraries `automata` and `arrows.meta`.
pub fn tikz(title: &str, names: &[String], table: &TableDfa) -> String {
    let drawn = drawn(names, table);
    let arcs: Vec<(usize, usize)> = drawn
        .arrows
        .keys()
        .copied()
        .filter(|(from, to)| from != to)
        .collect();
    let ranks = layers::ranks_from(0, drawn.accepts.len(), &arcs);
    let laid = layers::layout(&ranks, &arcs);
    let place = |(x, y): Point| format!("({:.1}pt,{:.1}pt)", x * STEP.0, -y * STEP.1);
    let label = |lines: &[String]| {
        let lines: Vec<String> = lines.iter().map(|line| escaped(line)).collect();
        lines.join("\\\\")
    };
    let mut picture = format!(
        "% {}: {}\n% \\usepackage{{tikz}} \\usetikzlibrary{{automata, arrows.meta}}\n\
         \\begin{{tikzpicture}}[->, >=Stealth, initial text=,\n    \
         every state/.style={{draw, minimum size={:.0}pt, inner sep=1pt}},\n    \
         digits/.style={{font=\\scriptsize, align=center, fill=white, inner sep=1pt}}]\n",
        escaped(title),
        escaped(&legend(names)),
        RADIUS * 1.2
    );
    for (state, accepts) in drawn.accepts.iter().enumerate() {
        let mut style = "state".to_owned();
        if state == 0 {
            style.push_str(", initial");
        }
        if *accepts {
            style.push_str(", accepting");
        }
        let at = place(laid.places[state]);
        // Writing to a string cannot fail.
        let _ = writeln!(picture, "  \\node[{style}] ({state}) at {at} {{{state}}};");
    }
    for ((state, _), lines) in drawn.arrows.iter().filter(|((from, to), _)| from == to) {
        let label = label(lines);
        let _ = writeln!(
            picture,
            "  \\draw ({state}) edge[loop above] node[digits] {{{label}}} ({state});"
        );
    }
    for ((from, to), bends) in arcs.iter().zip(&laid.bends) {
        let label = label(&drawn.arrows[&(*from, *to)]);
        // Arrows both ways, and arrows within a layer, bend to their own sides.
        let both = drawn.arrows.contains_key(&(*to, *from));
        let line = if bends.is_empty() && (both || ranks[*from] == ranks[*to]) {
            format!("({from}) edge[bend left=20] node[digits] {{{label}}} ({to})")
        } else if bends.is_empty() {
            format!("({from}) -- node[digits] {{{label}}} ({to})")
        } else {
            // The label stands on the segment in the middle.
            let mut line = format!("[rounded corners=12pt] ({from})");
            let middle = bends.len() / 2;
            for (number, bend) in bends.iter().enumerate() {
                let node = match number == middle {
                    true => format!("node[digits] {{{label}}} "),
                    false => String::new(),
                };
                let _ = write!(line, " -- {node}{}", place(*bend));
            }
            format!("{line} -- ({to})")
        };
        let _ = writeln!(picture, "  \\draw {line};");
    }
    picture + "\\end{tikzpicture}\n"
}
