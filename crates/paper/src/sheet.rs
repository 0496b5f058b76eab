//! A sheet of positions to solve: the rule, the positions with their boards and with room to
//! write, and the solutions on a page of their own.

#[cfg(feature = "pdf")]
mod pages;

use super::html::{escaped, inline};
use super::rule;
use nimrule_answer::{Exercise, Position, Session, Turn, words};
use nimrule_model::game::{Convention, Game};
use nimrule_syntax::ast;
use std::fmt::Write as _;

/// The layout on the screen and on paper.
const STYLE: &str =
    "body{font:16px/1.4 system-ui,sans-serif;max-width:46rem;margin:2rem auto;padding:0 1rem}
h1{font-size:1.5rem}ol{padding:0}ol>li{list-style:inside decimal;break-inside:avoid;margin:1.2rem 0}
.tasks{display:grid;gap:0 2rem}.tasks>li{margin:.6rem 0}
svg{display:block;max-width:100%;height:auto;max-height:16rem;margin:.5rem 0}
.line{border-bottom:1px solid #999;height:1.8rem}
.solutions{break-before:page;border-top:1px solid #999;margin-top:3rem}
@media print{body{margin:0;max-width:none}.solutions{border:0;margin:0}}";

/// The widest picture beside which there is room for another, in the units of a picture: 96 for
/// an inch.
const NARROW: f64 = 400.0;

/// A sheet of positions to solve.
#[derive(Debug, Clone, PartialEq)]
pub struct Sheet {
    /// What the game is called.
    pub title: String,
    /// The rule in words: what a position is, and the moves.
    pub rule: Vec<String>,
    /// How play ends, and what is asked.
    pub question: String,
    /// The positions, in the order of the exercises.
    pub tasks: Vec<Task>,
    /// The number of positions side by side, at least 1.
    pub across: usize,
}

/// A position to solve.
#[derive(Debug, Clone, PartialEq)]
pub struct Task {
    /// The position as text.
    pub position: String,
    /// The board as SVG; `None` if it is too large for a picture.
    pub picture: Option<String>,
    /// Who wins, by which moves.
    pub solution: String,
}

impl Sheet {
    /// The sheet with these exercises, which [`Session::exercises`] chooses; `file` is the tree of
    /// the rule. Two are side by side if every picture is narrow enough.
    pub fn new(
        session: &Session<'_>,
        file: &ast::File,
        convention: Convention,
        exercises: &[Exercise],
    ) -> Sheet {
        let game = session.game();
        let end = match convention {
            Convention::Normal => "The player who cannot move loses.",
            Convention::Misere => "The player who cannot move wins.",
        };
        let who = match game.has_sides() {
            true => "Left is to move. Who wins? By which move?",
            false => "Who wins: the player to move, or the other? By which move?",
        };
        let mut widest: f64 = 0.0;
        let tasks = exercises.iter().map(|exercise| {
            let picture = nimrule_draw::picture(game, Some(&exercise.position), None).ok();
            widest = widest.max(picture.as_ref().map_or(0.0, |picture| picture.width));
            Task {
                position: words::position(game, &exercise.position),
                picture: picture.map(|picture| picture.svg),
                solution: solution(game, exercise),
            }
        });
        let tasks = tasks.collect();
        Sheet {
            title: game.heading(),
            rule: rule::in_words(game, file),
            question: format!("{end} {who}"),
            tasks,
            across: if widest <= NARROW { 2 } else { 1 },
        }
    }

    /// The sheet as one HTML file, which prints well.
    pub fn html(&self) -> String {
        let title = escaped(&self.title);
        let question = escaped(&self.question);
        let rule = self.rule.iter().fold(String::new(), |rule, words| {
            format!("{rule}<li>{}</li>", escaped(words))
        });
        let columns = self.across;
        let (mut tasks, mut solutions) = (String::new(), String::new());
        for (number, task) in self.tasks.iter().enumerate() {
            let position = escaped(&task.position);
            let picture = task.picture.as_deref().unwrap_or_default();
            let _ = write!(
                tasks,
                "<li>{position}\n{}\n<div class=\"line\"></div><div class=\"line\"></div></li>\n",
                inline(picture, number + 1)
            );
            let _ = writeln!(
                solutions,
                "<li>{position}: {}</li>",
                escaped(&task.solution)
            );
        }
        format!(
            "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width\">\n<title>{title}</title>\n\
             <style>\n{STYLE}\n</style>\n</head>\n<body>\n<h1>{title}</h1>\n<ul>{rule}</ul>\n\
             <p>{question}</p>\n<ol class=\"tasks\" style=\"grid-template-columns:\
             repeat({columns},minmax(0,1fr))\">\n{tasks}</ol>\n<section class=\"solutions\">\n\
             <h1>Solutions: {title}</h1>\n<ol>\n{solutions}</ol>\n</section>\n</body>\n</html>\n"
        )
    }
}

/// The solution of an exercise as a sentence.
fn solution(game: &Game, exercise: &Exercise) -> String {
    let change = |from: &Position, to: &Position| {
        let change = words::change(game, from, to);
        format!("{change}, to {}", words::position(game, to))
    };
    let moves = exercise.best.iter();
    let moves = moves.map(|to| change(&exercise.position, to));
    let moves = moves.collect::<Vec<_>>().join("; ");
    let (who, other) = match game.has_sides() {
        true => ("Left", "Right"),
        false => ("the player to move", "the other player"),
    };
    let replies = exercise.replies.iter().map(|(to, reply)| {
        let first = change(&exercise.position, to);
        match reply {
            Some(reply) => format!("after {first}: {}", change(to, reply)),
            None => format!("after {first}, no move is left"),
        }
    });
    let replies = replies.collect::<Vec<_>>().join("; ");
    match exercise.turn {
        Turn::Wins => format!("{who} wins: {moves}."),
        Turn::Loses if exercise.options == 0 => format!("{other} wins: there is no move."),
        Turn::Loses if exercise.options == exercise.replies.len() => {
            format!("{other} wins: {replies}.")
        }
        Turn::Loses => format!("{other} wins, whatever the move is; for example {replies}."),
        Turn::Draws => format!("a draw: {moves}."),
    }
}
