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
    use crate::cli::json;
    use crate::cli::list::fixed_heaps;
    use crate::cli::load::{self, Answered, Unanswered};
    use nimrule_answer::{NoSlice, Session, SingleHeaps};
    use nimrule_draw::Picture;
    use nimrule_draw::plot::{self, PlotError};
    use nimrule_engine::{Query, Question};
    use nimrule_model::game::PositionKind;
    use serde_json::{Map, Value, json};

    pub fn plot(
        arguments: &Arguments,
        session: &Session<'_>,
        fields: &mut Map<String, Value>,
    ) -> Answered<Picture> {
        let game = session.game();
        if let PositionKind::Multiset(kinds) = &game.position_kind {
            return sequence(arguments, session, &kinds.names, fields);
        }
        let asked = Query {
            question: match arguments.grundy {
                true => Question::Grundy,
                false => Question::Outcome,
            },
            convention: arguments.under.convention,
        };
        let slice = session
            .slice(&fixed_heaps(game, &arguments.fix)?, arguments.max, asked)
            .map_err(|no| without(session, no))?;
        let table = Sweep {
            session,
            region: &slice.region,
            asked: slice.query,
            limits: session.limits(),
            forced: None,
            checkpoint: None,
            out_of_core: None,
            verb: "draw",
            compared: &[],
        }
        .table()?;
        let axes = slice
            .axes
            .iter()
            .map(|heap| game.heap_names[*heap].as_str());
        let axes: Vec<&str> = axes.collect();
        fields.insert("convention".into(), json!(asked.convention.word()));
        fields.insert("max".into(), json!(slice.most));
        fields.insert("axes".into(), json!(axes));
        match slice.query.question {
            Question::Grundy => plot::values(&slice.title, &axes, &slice.values(&table)),
            Question::Outcome => plot::outcomes(&slice.title, &axes, &slice.letters(&table)),
        }
        .map_err(not_drawn)
    }

    /// The Grundy values of the single heaps of a multiset.
    fn sequence(
        arguments: &Arguments,
        session: &Session<'_>,
        kinds: &[String],
        fields: &mut Map<String, Value>,
    ) -> Answered<Picture> {
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
        let SingleHeaps {
            axis,
            values,
            most,
            title,
        } = session
            .single_heaps(kind, arguments.max, arguments.under.convention)
            .map_err(|no| without(session, no))?;
        fields.insert("params".into(), json::params(session.game()));
        fields.insert("max".into(), json!(most));
        plot::sequence(&title, &axis, &values).map_err(not_drawn)
    }

    fn not_drawn(error: PlotError) -> Unanswered {
        load::wrong(&error.to_string())
    }

    /// Why there is no plot, with the options that help.
    fn without(session: &Session<'_>, no: NoSlice) -> Unanswered {
        let names = &session.game().heap_names;
        let words = match &no {
            NoSlice::Engine(failure, most) => {
                return load::failed(failure, session.solver(), *most);
            }
            NoSlice::Names => {
                "`--plot` has numbers on its axes, and the vertices of this digraph have names; \
                 `draw --relation` draws its moves"
                    .to_owned()
            }
            NoSlice::Axes(free) => match free.get(2) {
                None => "leave one or two heaps without `--fix`".to_owned(),
                Some(third) => {
                    let free: Vec<&str> = free.iter().map(|heap| names[*heap].as_str()).collect();
                    format!(
                        "a plot has two axes: fix all heaps but two, as in `--fix {}=0` (free are \
                         {})",
                        names[*third],
                        free.join(", ")
                    )
                }
            },
            NoSlice::TooLarge { most, limit } => {
                format!("`--max {most}` is too large for a plot; the limit is {limit}")
            }
            NoSlice::Misere | NoSlice::NoSequence | NoSlice::NoHeap(_) => no.to_string(),
        };
        load::wrong(&words)
    }
}
