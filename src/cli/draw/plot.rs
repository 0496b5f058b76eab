//! Plots: outcomes or Grundy values by the sizes of one or two heaps.

#[cfg(not(feature = "pictures"))]
use super::Arguments;
#[cfg(not(feature = "pictures"))]
use crate::cli::{load::Answered, picture};
#[cfg(not(feature = "pictures"))]
use nimrule_answer::Session;
#[cfg(not(feature = "pictures"))]
use nimrule_draw::Picture;

#[cfg(feature = "pictures")]
pub use with_axes::plot;

#[cfg(not(feature = "pictures"))]
pub fn plot(
    _: &Arguments,
    _: &Session<'_>,
    _: &mut serde_json::Map<String, serde_json::Value>,
) -> Answered<Picture> {
    Err(picture::not_built("`--plot`"))
}

#[cfg(feature = "pictures")]
mod with_axes {
    use super::super::Arguments;
    use crate::cli::checkpoint::Sweep;
    use crate::cli::list::fixed_heaps;
    use crate::cli::load::{self, Answered};
    use crate::cli::{json, text};
    use nimrule_answer::Session;
    use nimrule_draw::Picture;
    use nimrule_draw::plot::{self, Axis, MAX_SIDE};
    use nimrule_engine::{Query, Question, Table, heap_sequences};
    use nimrule_model::game::PositionKind;
    use serde_json::{Map, Value, json};

    /// The numbers on an axis, and the name of the heap.
    struct Heap {
        index: usize,
        name: String,
    }

    pub fn plot(
        arguments: &Arguments,
        session: &Session<'_>,
        fields: &mut Map<String, Value>,
    ) -> Answered<Picture> {
        let (game, solver, limits) = (session.game(), session.solver(), session.limits());
        if let PositionKind::Multiset(_) = game.position_kind {
            return sequence(arguments, session, fields);
        }
        let fixed = fixed_heaps(game, &arguments.fix)?;
        if let Some(digraph) = game.digraph()
            && !digraph.has_numbers()
        {
            return Err(load::wrong(
                "`--plot` has numbers on its axes, and the vertices of this digraph have names; \
                 `draw --relation` draws its moves",
            ));
        }
        let free: Vec<Heap> = game
            .heap_names
            .iter()
            .enumerate()
            .filter(|(index, _)| fixed.iter().all(|(heap, _)| heap != index))
            .map(|(index, name)| Heap {
                index,
                name: name.clone(),
            })
            .collect();
        if free.is_empty() || free.len() > 2 {
            let names: Vec<&str> = free.iter().map(|heap| heap.name.as_str()).collect();
            let help = match free.as_slice() {
                [] => "leave one or two heaps without `--fix`".to_owned(),
                [_, _, third, ..] => format!(
                    "a plot has two axes: fix all heaps but two, as in `--fix {}=0` (free are {})",
                    third.name,
                    names.join(", ")
                ),
                _ => String::new(),
            };
            return Err(load::wrong(&help));
        }
        let default = if free.len() == 1 { 100 } else { 30 };
        // A token is on some vertex.
        let last = game
            .digraph()
            .map(|digraph| digraph.number(digraph.len() - 1));
        let most = arguments.max.or(game.largest_size).unwrap_or(default);
        let most = last.map_or(most, |last| most.min(last));
        let side = usize::try_from(most)
            .unwrap_or(usize::MAX)
            .saturating_add(1);
        let limit = if free.len() == 1 {
            5 * MAX_SIDE
        } else {
            MAX_SIDE
        };
        if side > limit {
            return Err(load::wrong(&format!(
                "`--max {most}` is too large for a plot; the limit is {}",
                limit - 1
            )));
        }
        let failed = |failure| load::failed(&failure, solver, Some(most));
        let mut sizes = vec![0; game.heap_count()];
        for (heap, size) in &fixed {
            sizes[*heap] = *size;
        }
        let base = sizes.clone();
        let largest = game.box_to(most);
        for heap in &free {
            sizes[heap.index] = largest[heap.index];
        }
        let region = solver.region_of(&sizes, limits).map_err(failed)?;
        let asked = Query {
            question: match arguments.grundy {
                true => Question::Grundy,
                false => Question::Outcome,
            },
            convention: arguments.convention(),
        };
        let table = Sweep {
            session,
            region: &region,
            asked,
            limits,
            forced: None,
            checkpoint: None,
            verb: "draw",
        }
        .table()?;
        let mut title = text::heading(game);
        if !fixed.is_empty() {
            let fixed: Vec<String> = fixed
                .iter()
                .map(|(heap, size)| format!("{} = {size}", game.heap_names[*heap]))
                .collect();
            title = format!("{title}; {}", fixed.join(", "));
        }
        if arguments.misere {
            title.push_str(", misere play");
        }
        fields.insert("convention".into(), json!(asked.convention.word()));
        fields.insert("max".into(), json!(most));
        let axes: Vec<&str> = free.iter().map(|heap| heap.name.as_str()).collect();
        fields.insert("axes".into(), json!(axes));
        let at = |x: u64, y: u64| {
            let mut position = base.clone();
            position[free[0].index] = x;
            if let Some(second) = free.get(1) {
                position[second.index] = y;
            }
            position
        };
        let upper = free.get(1).map_or(0, |heap| largest[heap.index]);
        let most = largest[free[0].index];
        let axis = |name: &str| Axis {
            name: name.to_owned(),
            first: 0,
        };
        let (across, up) = (
            axis(&free[0].name),
            axis(free.get(1).map_or("", |heap| heap.name.as_str())),
        );
        let drawn = if arguments.grundy {
            let rows = rows(&table, most, upper, &at, &|place| table.grundy(place));
            if free.len() == 1 {
                let values: Vec<u64> = rows.concat().into_iter().flatten().collect();
                plot::sequence(&title, &across, &values)
            } else {
                plot::values(&title, [&across, &up], &rows)
            }
        } else {
            let letter = |place| {
                let outcome = table.outcome(place)?;
                outcome.letter().chars().next()
            };
            let rows = rows(&table, most, upper, &at, &letter);
            plot::outcomes(&title, [&across, &up], &rows)
        };
        drawn.map_err(|error| load::wrong(&error.to_string()))
    }

    /// What is known of the positions, by the second size and then the first.
    fn rows<T>(
        table: &Table,
        most: u64,
        upper: u64,
        at: &dyn Fn(u64, u64) -> Vec<u64>,
        read: &dyn Fn(usize) -> Option<T>,
    ) -> Vec<Vec<Option<T>>> {
        (0..=upper)
            .map(|y| {
                (0..=most)
                    .map(|x| read(table.region.place(&at(x, y))?))
                    .collect()
            })
            .collect()
    }

    /// The Grundy values of the single heaps of a multiset.
    fn sequence(
        arguments: &Arguments,
        session: &Session<'_>,
        fields: &mut Map<String, Value>,
    ) -> Answered<Picture> {
        let (game, solver, limits) = (session.game(), session.solver(), session.limits());
        if arguments.misere {
            return Err(load::wrong(
                "a plot of a game with any number of heaps shows Grundy values, which misere play \
                 does not have",
            ));
        }
        let most = arguments.max.unwrap_or(100);
        let limit = 5 * MAX_SIDE as u64;
        if most >= limit {
            return Err(load::wrong(&format!(
                "`--max {most}` is too large for a plot; the limit is {}",
                limit - 1
            )));
        }
        let sequences = heap_sequences::explored(solver, most, limits)
            .map_err(|failure| load::failed(&failure, solver, None))?;
        let kinds = match &game.position_kind {
            PositionKind::Multiset(kinds) => kinds.names.as_slice(),
            _ => &[],
        };
        // Of several kinds of heaps the first is drawn, unless `--fix` names another.
        let kind = match arguments.fix.first() {
            None => 0,
            Some(wanted) => kinds
                .iter()
                .position(|kind| kind == wanted)
                .ok_or_else(|| {
                    load::wrong(&format!(
                        "`--fix {wanted}` is no kind of heap; the kinds are {}",
                        kinds.join(", ")
                    ))
                })?,
        };
        let Some(found) = sequences.get(kind) else {
            return Err(load::wrong("this game has no sequence of single heaps"));
        };
        let values: Vec<u64> = found.values.iter().map(|value| u64::from(*value)).collect();
        let name = match kinds.get(kind) {
            Some(kind) => format!("n, the size of one {kind}"),
            None => "n, the size of the heap".to_owned(),
        };
        fields.insert("params".into(), json::params(game));
        fields.insert("max".into(), json!(most));
        plot::sequence(&text::heading(game), &Axis { name, first: 0 }, &values)
            .map_err(|error| load::wrong(&error.to_string()))
    }
}
