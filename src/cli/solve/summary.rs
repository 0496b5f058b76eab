//! The text report of a solved box: the rule, the start, the smallest P-positions,
//! and the claims, on one screen.

use crate::cli::partizan;
use crate::cli::text::{self, BAD, FAINT, GOOD, STRONG};
use nimrule_answer::{BoxLeftOut, BoxReport, ClaimReport, Counts, words};
use nimrule_engine::Solver;
use nimrule_model::game::{Applies, Convention, Game};

pub(super) struct Summary<'a> {
    pub solver: &'a Solver<'a>,
    pub convention: Convention,
    pub report: &'a BoxReport,
    /// Whether the smallest P-positions are listed.
    pub lists_positions: bool,
}

/// The title, the sources and the rule.
pub(super) fn rule(game: &Game) -> String {
    let mut shown = format!(
        "{STRONG}{}{STRONG:#}\n",
        text::wrapped(&game.heading(), 78, 0)
    );
    for source in &game.presentation.sources {
        shown.push_str(&format!(
            "{FAINT}{}{FAINT:#}\n",
            text::wrapped(source, 78, 0)
        ));
    }
    for note in &game.presentation.notes {
        shown.push_str(&format!("{}\n", text::wrapped(note, 78, 0)));
    }
    shown.push('\n');
    match &game.board {
        Some(board) => line(
            &mut shown,
            "board",
            &format!(
                "{}: {}; {}",
                board.name(),
                board.summary(),
                game.presentation.heaps_line
            ),
        ),
        None if game.digraph_of(0).is_some() => {
            line(&mut shown, "tokens", &game.presentation.heaps_line)
        }
        None => line(&mut shown, "heaps", &game.presentation.heaps_line),
    }
    for words in game.move_words() {
        line(
            &mut shown,
            "move",
            words.strip_prefix("move ").unwrap_or(words),
        );
    }
    if game.blocked_options > 0 {
        let options = partizan::options(game.blocked_options);
        line(
            &mut shown,
            "block",
            &format!("the opponent may block {options}"),
        );
    }
    if game.may_repeat {
        line(
            &mut shown,
            "end",
            "positions may repeat, and play may not end",
        );
    }
    shown
}

/// A line of the block about the rule or the box.
fn line(shown: &mut String, name: &str, words: &str) {
    shown.push_str(&format!(
        "  {FAINT}{name:<8}{FAINT:#}{}\n",
        text::wrapped(words, 68, 10)
    ));
}

impl Summary<'_> {
    /// The report without [`rule`].
    pub fn text(&self) -> String {
        let game = self.solver.game;
        let mut shown = String::new();
        let BoxReport {
            region,
            counts,
            swept,
            ..
        } = self.report;
        let share = if counts.positions == 0 {
            0.0
        } else {
            100.0 * counts.p_positions as f64 / counts.positions as f64
        };
        let play = words::play(self.convention);
        let outcomes = if game.no_grundy_values().is_none() {
            let p_positions = text::grouped(counts.p_positions.into());
            format!("{p_positions} of them P ({})", percent(share))
        } else {
            let each = counts.tally.iter();
            each.map(|(outcome, count)| format!("{} {outcome}", text::grouped((*count).into())))
                .collect::<Vec<_>>()
                .join(", ")
        };
        line(
            &mut shown,
            "solved",
            &format!(
                "{}{play}: {} {}, {outcomes}",
                region.words(game),
                text::grouped(counts.positions.into()),
                if counts.positions == 1 {
                    "position"
                } else {
                    "positions"
                },
            ),
        );
        line(
            &mut shown,
            "by",
            &format!(
                "the engine `{}`, in {}; {}",
                swept.engine,
                text::in_seconds(swept.took),
                self.solver.profile.symmetries
            ),
        );
        if self.lists_positions {
            shown.push_str(&self.first_positions());
        }
        shown.push_str(&claims(game, &self.report.claims));
        shown
    }

    /// The smallest P-positions, one of each orbit.
    fn first_positions(&self) -> String {
        let game = self.solver.game;
        let symmetries = &game.facts.symmetries;
        let Counts {
            orbits, smallest, ..
        } = &self.report.counts;
        let orbits = *orbits;
        if orbits == 0 {
            return "\nNo P-positions.\n".to_owned();
        }
        let alone = symmetries.order() == Some(1);
        let like = if alone { "" } else { " up to symmetry" };
        let title = if orbits as usize > smallest.len() {
            format!(
                "P-positions{like}, the smallest {} of {}",
                smallest.len(),
                text::grouped(orbits.into())
            )
        } else {
            format!("P-positions{like}, all {}", text::grouped(orbits.into()))
        };
        let mut columns: Vec<String> = game.heap_names.clone();
        let boxed = game.heap_count() > 0;
        let wide = !boxed || columns.iter().map(|c| c.len() + 2).sum::<usize>() > 66;
        if wide {
            // Too many heaps for a column each.
            columns = vec!["position".to_owned()];
        }
        if !alone {
            columns.push("orbit".to_owned());
        }
        let rows: Vec<Vec<String>> = smallest
            .iter()
            .map(|(_, position)| {
                let mut row: Vec<String> = if wide {
                    vec![text::position(game, position)]
                } else {
                    text::cells(game, position)
                };
                if !alone {
                    row.push(text::grouped(symmetries.orbit_size(position)));
                }
                row
            })
            .collect();
        format!("\n{title}\n\n{}", text::table(&columns, &rows, 1))
    }
}

/// The number of positions of a box that is left out, and how to solve it.
pub(super) fn left_out(left_out: &BoxLeftOut, size: u64) -> String {
    let positions = match left_out.positions {
        u128::MAX => "more than 10^38".to_owned(),
        positions => text::grouped(positions),
    };
    let words = match left_out.exceeds_memory {
        true => format!(
            "{positions} positions, more than fit the memory; `solve FILE POSITION` answers \
             about one of them"
        ),
        false => {
            format!("{positions} positions, which may take minutes; `--max {size}` solves them")
        }
    };
    let mut shown = String::new();
    line(&mut shown, "omitted", &words);
    shown
}

/// The claims with their verdicts.
pub(super) fn claims(game: &Game, reports: &[ClaimReport]) -> String {
    let elsewhere = game
        .claims
        .iter()
        .filter(|c| c.applies == Applies::Elsewhere)
        .count();
    if game.claims.is_empty() {
        return String::new();
    }
    let mut shown = "\nClaims\n\n".to_owned();
    for report in reports {
        shown.push_str(&claim(game, report));
    }
    if elsewhere > 0 {
        let (claims, speak) = if elsewhere == 1 {
            ("claim", "is")
        } else {
            ("claims", "are")
        };
        shown.push_str(&format!(
            "  {FAINT}{elsewhere} more {claims} of the file {speak} about other \
             parameters{FAINT:#}\n"
        ));
    }
    shown
}

/// A claim and its verdict, on lines of their own.
pub(crate) fn claim(game: &Game, report: &ClaimReport) -> String {
    let style = match (report.passes(), &report.stated) {
        (Some(true), None) => GOOD,
        (Some(true), Some(_)) | (None, _) => FAINT,
        (Some(false), _) => BAD,
    };
    let sign = report.sign();
    let words = text::wrapped(&report.words(game), 73 - sign.len(), 4);
    let claim = text::wrapped(&report.claim, 74, 4);
    format!("  {claim}\n    {style}{sign}{style:#} {words}\n")
}

fn percent(share: f64) -> String {
    if share >= 10.0 || share == 0.0 {
        format!("{share:.0} %")
    } else {
        format!("{share:.2} %")
    }
}
