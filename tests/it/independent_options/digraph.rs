//! The options of tokens on a digraph: every pair of vertices is compared with every
//! rule of arcs.

use super::rule::Rule;
use super::value::{Bound, Fault, Names, Value, View};
use super::{Numbers, compare, compiled, every_game, label};
use nimrule_ir as ir;
use nimrule_model::game::Side;
use nimrule_syntax::ast::{Arcs, Board, Entry, Expr, ExprKind, File, FileRef, Name, Statement};
use std::collections::BTreeSet;
use std::path::Path;

/// The vertices in their order, each with what a position calls it, and the
/// arcs between their places.
#[derive(Debug, Default)]
pub struct Slides {
    pub numbers: Vec<u64>,
    pub arcs: BTreeSet<(usize, usize)>,
}

impl Slides {
    /// Where a token on this vertex may slide.
    pub fn from(&self, number: u64) -> Vec<u64> {
        let place = self.numbers.iter().position(|n| *n == number);
        let place = place.expect("a token stands on a vertex");
        let arcs = self.arcs.iter().filter(|(from, _)| *from == place);
        arcs.map(|(_, to)| self.numbers[*to]).collect()
    }
}

/// Reads the board of a file, if tokens slide on it; the names of its vertices
/// and of their coordinates go to the others.
pub fn slides(file: &File, names: &mut Names) -> Result<Option<Slides>, Fault> {
    for statement in &file.statements {
        if let Statement::Board(board) = &statement.node {
            return match board {
                Board::Digraph { coordinates, arcs } if coordinates.is_empty() => {
                    Ok(Some(listed(arcs.iter().map(|a| &a.node), names)?))
                }
                Board::Digraph { coordinates, arcs } => Ok(Some(ruled(
                    coordinates,
                    arcs.iter().map(|a| &a.node),
                    names,
                )?)),
                Board::DigraphFile(file) => Ok(Some(in_file(file, names))),
                _ => Ok(None),
            };
        }
    }
    Ok(None)
}

/// Numbers stand for themselves, in order; words for their places.
fn of_words(words: Vec<String>, arcs: BTreeSet<(String, String)>, names: &mut Names) -> Slides {
    let numbers: Result<Vec<u64>, _> = words.iter().map(|word| word.parse::<u64>()).collect();
    let (words, numbers) = match numbers {
        Ok(mut numbers) => {
            numbers.sort_unstable();
            (numbers.iter().map(u64::to_string).collect(), numbers)
        }
        Err(_) => {
            for (word, place) in words.iter().zip(0..) {
                names.params.insert(word.clone(), Value::Number(place));
            }
            let count = words.len() as u64;
            (words, (0..count).collect())
        }
    };
    let place = |word: &String| words.iter().position(|w| w == word).expect("it was named");
    Slides {
        arcs: arcs
            .iter()
            .map(|(from, to)| (place(from), place(to)))
            .collect(),
        numbers,
    }
}

fn listed<'f>(arcs: impl Iterator<Item = &'f Arcs>, names: &mut Names) -> Result<Slides, Fault> {
    let mut words: Vec<String> = Vec::new();
    let mut pairs = BTreeSet::new();
    for arcs in arcs {
        let view = View::new(names, &[]);
        let chain: Result<Vec<String>, Fault> = arcs
            .vertices
            .iter()
            .map(|vertex| match vertex {
                Entry::Number(expr) => match &expr.node {
                    ExprKind::Name(name) if !view.knows(name) => Ok(name.clone()),
                    _ => Ok(view.number(expr)?.to_string()),
                },
                Entry::Coordinates(_) => Err("no test writes these".to_owned()),
            })
            .collect();
        let chain = chain?;
        let holds = view.holds(arcs.condition.as_ref())?;
        for word in &chain {
            if !words.contains(word) {
                words.push(word.clone());
            }
        }
        for pair in chain.windows(2).filter(|_| holds) {
            pairs.insert((pair[0].clone(), pair[1].clone()));
        }
    }
    Ok(of_words(words, pairs, names))
}

/// A list of arcs beside the rule files of the tests.
fn in_file(file: &FileRef, names: &mut Names) -> Slides {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/games");
    let text = std::fs::read_to_string(folder.join(&file.path.node)).expect("the arcs are there");
    let mut words: Vec<String> = Vec::new();
    let mut pairs = BTreeSet::new();
    for line in text.lines() {
        let said = line.split('#').next().unwrap_or_default();
        let found: Vec<String> = said.split_whitespace().map(str::to_owned).collect();
        for word in &found {
            if !words.contains(word) {
                words.push(word.clone());
            }
        }
        if let [from, to] = found.as_slice() {
            pairs.insert((from.clone(), to.clone()));
        }
    }
    of_words(words, pairs, names)
}

fn entries(vertex: &Entry) -> Vec<&Expr> {
    match vertex {
        Entry::Number(expr) => vec![expr],
        Entry::Coordinates(values) => values.node.iter().collect(),
    }
}

fn ruled<'f>(
    coordinates: &[(Name, Expr)],
    arcs: impl Iterator<Item = &'f Arcs>,
    names: &mut Names,
) -> Result<Slides, Fault> {
    let mut ranges = Vec::new();
    for (name, range) in coordinates {
        let Value::Many(values) = View::new(names, &[]).value(range)? else {
            return Err("a coordinate without end".to_owned());
        };
        ranges.push((name.node.clone(), values));
    }
    // All values, the last coordinate changing fastest.
    let mut vertices: Vec<Vec<i128>> = vec![Vec::new()];
    for (_, values) in &ranges {
        vertices = vertices
            .iter()
            .flat_map(|vertex| {
                values.iter().map(|value| {
                    let mut longer = vertex.clone();
                    longer.push(*value);
                    longer
                })
            })
            .collect();
    }
    let mut found = BTreeSet::new();
    for arcs in arcs {
        for pair in arcs.vertices.windows(2) {
            for (place, from) in vertices.iter().enumerate() {
                for (target, to) in vertices.iter().enumerate() {
                    if leads(&ranges, pair, arcs.condition.as_ref(), from, to, names)? {
                        found.insert((place, target));
                    }
                }
            }
        }
    }
    let alone = ranges.len() == 1;
    names.coordinates = ranges
        .into_iter()
        .map(|(name, values)| (name, values[0], values.len() as i128))
        .collect();
    let number = |(place, vertex): (usize, &Vec<i128>)| match alone {
        true => u64::try_from(vertex[0]).expect("numbers begin at 0"),
        false => place as u64,
    };
    Ok(Slides {
        numbers: vertices.iter().enumerate().map(number).collect(),
        arcs: found,
    })
}

/// Does the rule `pair[0] -> pair[1]` lead from one vertex to the other?
fn leads(
    ranges: &[(String, Vec<i128>)],
    pair: &[Entry],
    condition: Option<&Expr>,
    from: &[i128],
    to: &[i128],
    names: &Names,
) -> Result<bool, Fault> {
    let number = |value: i128| Bound::Value(Value::Number(value));
    let mut view = View::new(names, &[]);
    for ((name, _), value) in ranges.iter().zip(from) {
        view = view.with(name, number(*value));
    }
    for (entry, value) in entries(&pair[0]).into_iter().zip(from) {
        if view.number(entry)? != *value {
            return Ok(false);
        }
    }
    // A name that means nothing yet is what it is here.
    let targets = entries(&pair[1]);
    for (entry, value) in targets.iter().zip(to) {
        if let ExprKind::Name(name) = &entry.node
            && !view.knows(name)
        {
            view = view.with(name, number(*value));
        }
    }
    if !view.holds(condition)? {
        return Ok(false);
    }
    for (entry, value) in targets.into_iter().zip(to) {
        if view.number(entry)? != *value {
            return Ok(false);
        }
    }
    Ok(true)
}

#[test]
fn tokens_have_the_same_options() {
    let mut games = 0;
    let mut wrong = Vec::new();
    for path in every_game() {
        let compiled = compiled(&path);
        let game = &compiled.game;
        let Some(digraph) = game.digraph() else {
            continue;
        };
        games += 1;
        let rule = Rule::new(&compiled.file, None, &[])
            .unwrap_or_else(|fault| panic!("{}: {fault}", label(&path)));
        let vertices = rule.vertices().expect("tokens slide here").to_vec();
        let numbers: Vec<u64> = (0..digraph.len()).map(|s| digraph.number(s)).collect();
        assert_eq!(vertices, numbers, "{}", label(&path));
        let mut graphs = vec![(None, ir::lower(game))];
        if game.has_sides() {
            graphs.extend(Side::BOTH.map(|side| (Some(side), ir::lower_for(game, side))));
        }
        let mut random = Numbers::new(5);
        for _ in 0..60 {
            let position: Vec<u64> = (0..rule.heaps())
                .map(|_| vertices[random.below(vertices.len() as u64) as usize])
                .collect();
            for (side, graph) in &graphs {
                if let Err(difference) = compare(&rule, graph, *side, &position) {
                    wrong.push(format!("{}: {difference}", label(&path)));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(games > 8, "where are the tokens?");
}
