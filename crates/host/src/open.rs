//! The open game: a rule at values of its parameters, and a session about it.

use crate::editor::{self, Units};
use crate::messages::{
    Ask, ClaimInfo, ClaimVerdict, Discovery, ExampleInfo, ExampleVerdict, Fault, FaultKind,
    Finding, Kind, List, Move, Opened, Options, Parameter, Part, Picture, Player, Plot, Printed,
    Progress, Solved, Spot, Typed, Why,
};
use crate::{Answered, Files, written};
use nimrule::problem::Parts;
use nimrule::{Compiled, Limits, Problems, Source, compile, parameter_for, parameter_value};
use nimrule_answer::{
    Ask as Question, Basis, Discovered, DiscoveryBounds, Effort, Level, MemoryStore, NoSlice,
    Position, PositionProblem, ReasonBounds, Session, Slice, Turn, Typed as Read, Unanswered,
    Verdict, in_brackets, json, proof, words,
};
use nimrule_draw::plot::{self, PlotError};
use nimrule_draw::{Part as Drawn, automaton};
use nimrule_editor::Document;
use nimrule_elaborate::{Settings, settings_where};
use nimrule_engine::{Outcome, Query, Question as Wanted, SolveError};
use nimrule_limits::{Instant, Snapshot};
use nimrule_model::game::{Applies, Convention, Game, PositionKind, Side};
use nimrule_paper::sheet::Sheet;
use nimrule_syntax::ast::{self, Statement};
use self_cell::self_cell;
use serde_json::{Map, Value};
use std::sync::Arc;

/// The largest number of rows of a list, and of moves, that are sent to the page.
const MOST_ROWS: usize = 10_000;

/// The largest number of positions on a sheet.
const MOST_TASKS: usize = 100;

/// The moves that a reason names.
const REASON: ReasonBounds = ReasonBounds {
    moves: 24,
    depth: 1,
    each: false,
};

self_cell!(
    /// A session beside the rule that it is about.
    struct Asked {
        owner: Compiled,
        #[not_covariant]
        dependent: Session,
    }
);

/// The open game.
pub struct Open {
    asked: Asked,
    settings: Settings,
    files: Files,
    convention: Convention,
    random: fastrand::Rng,
}

impl Open {
    /// Opens a rule at values of its parameters.
    pub fn new(
        text: &str,
        params: &[(String, String)],
        misere: bool,
        files: &Files,
        limits: Limits,
    ) -> Answered<Open> {
        let mut settings = Settings::new();
        for (name, value) in params {
            let value = parameter_value(value).map_err(|problems| Fault {
                kind: FaultKind::Rule,
                words: format!("`{value}` is no value of the parameter `{name}`"),
                findings: found(&problems, value),
            })?;
            settings.insert(name.clone(), value);
        }
        let source = Source::new("the rule", text);
        let compiled =
            compile(&source, &settings, &|file| files(file)).map_err(|problems| Fault {
                kind: FaultKind::Rule,
                words: match params {
                    [] => "the text is no rule yet".to_owned(),
                    _ => "the rule has errors at these values of its parameters".to_owned(),
                },
                findings: found(&problems, text),
            })?;
        if let PositionKind::Open(_) = compiled.game.position_kind {
            return Err(Fault {
                kind: FaultKind::Rule,
                words: SolveError::Open.to_string(),
                findings: Vec::new(),
            });
        }
        let asked = Asked::new(compiled, |compiled| {
            Session::new(&compiled.game, limits)
                .with_store(compiled.rule_hash(), MemoryStore::default())
        });
        Ok(Open {
            asked,
            settings,
            files: Arc::clone(files),
            convention: match misere {
                true => Convention::Misere,
                false => Convention::Normal,
            },
            random: fastrand::Rng::new(),
        })
    }

    /// What the page shows of the game.
    pub fn opened(&self) -> Opened {
        let (compiled, files) = (self.asked.borrow_owner(), &self.files);
        self.ask_session(|session, _| opened(compiled, session, files))
    }

    /// Asks the session, under the convention of the open game.
    pub fn ask_session<T>(&self, ask: impl for<'g> FnOnce(&Session<'g>, Convention) -> T) -> T {
        let convention = self.convention;
        self.asked
            .with_dependent(|_, session| ask(session, convention))
    }

    /// Sets the limits of the questions that follow.
    pub fn set_limits(&mut self, limits: Limits) {
        self.asked
            .with_dependent_mut(|_, session| session.set_limits(limits));
    }

    /// Answers a question about the game.
    pub fn answer(&mut self, question: Ask) -> Answered<String> {
        if let Ask::Fitting { written: position } = &question {
            let rule = &self.asked.borrow_owner().game.text.text;
            let found = parameter_for(position, rule, &self.settings, &|file| (self.files)(file));
            return Ok(written(&found.map(|(name, n)| (name, n.to_string()))));
        }
        let mut random = self.random.clone();
        let file = &self.asked.borrow_owner().file;
        let answer = self.ask_session(|session, convention| {
            answer(session, file, convention, &mut random, question)
        });
        self.random = random;
        answer
    }
}

fn answer(
    session: &Session<'_>,
    file: &ast::File,
    convention: Convention,
    random: &mut fastrand::Rng,
    question: Ask,
) -> Answered<String> {
    let game = session.game();
    let asking = Asking {
        session,
        convention,
    };
    let mut random = |results| random.u64(0..results);
    Ok(match question {
        Ask::Read { written: text } => written(&spot(game, &read(session, &in_brackets(&text))?)),
        Ask::Random { wins } => {
            let first = game.has_sides().then_some(Side::Left);
            let wanted = if wins { Turn::Wins } else { Turn::Loses };
            let found = session.random_position(first, wanted, convention, &mut random);
            written(&spot(game, &found.map_err(|no| unanswered(game, &no))?))
        }
        Ask::Picture { position, after } => {
            let read =
                |written: Option<String>| written.map(|text| read(session, &text)).transpose();
            let (position, after) = (read(position)?, read(after)?);
            let drawn = nimrule_draw::picture(game, position.as_ref(), after.as_ref());
            written(&picture(game, drawn.map_err(Fault::of)?))
        }
        Ask::Solve { position, side } => written(&asking.solve(&position, side)?),
        Ask::Options { position, side } => written(&asking.options(&position, side)?),
        Ask::Typed {
            position,
            side,
            line,
        } => written(&asking.typed(&position, side, &line)?),
        Ask::Reply {
            position,
            side,
            errs,
        } => {
            let (from, side) = (read(session, &position)?, side.map(Side::from));
            let options = asking.moves(&from, side)?;
            if options.list.is_empty() {
                return Err(Fault::of("there is no move"));
            }
            let to = session
                .reply(&from, side, convention, &options.list, errs, &mut random)
                .map_err(|no| unanswered(game, &no))?;
            written(&change(game, &from, &to))
        }
        Ask::GivenAway { from, to, side } => {
            let (from, to) = (read(session, &from)?, read(session, &to)?);
            let better = session
                .given_away(&from, &to, side.map(Side::from), convention)
                .map_err(|no| unanswered(game, &no))?;
            written(&better.map(|better| change(game, &from, &better)))
        }
        Ask::Why { position } => {
            let position = read(session, &position)?;
            let reason = session
                .reason(&position, convention, REASON)
                .map_err(|no| unanswered(game, &no))?;
            let answer = &reason.answer;
            let fields = Value::from(reason.as_json(game));
            let why: Why = serde_json::from_value(fields).map_err(Fault::of)?;
            written(&Why {
                headline: words::headline(answer.outcome, answer.by_side.as_ref()).to_owned(),
                ..why
            })
        }
        Ask::Claim {
            number,
            prove,
            max,
            box_alone,
        } => {
            let box_alone = box_alone.unwrap_or(false);
            let effort = match prove {
                true => Effort::PROOF,
                false if box_alone => Effort::COMMAND.by_box_alone(),
                false => Effort::COMMAND,
            };
            written(&asking.claim(number, &effort.with_box(max.map(u64::from)))?)
        }
        Ask::Example { number } => {
            let example = number.checked_sub(1).and_then(|at| game.examples.get(at));
            let example = example.ok_or_else(|| Fault::of("there is no such example"))?;
            let report = session.example(example).map_err(|no| failure(game, &no))?;
            written(&ExampleVerdict {
                passes: report.contradiction.is_none(),
                why: report.contradiction,
            })
        }
        Ask::Discover => written(&asking.discover()?),
        Ask::Numbered { numbers } => {
            let numbers: Vec<u64> = numbers.into_iter().map(u64::from).collect();
            let text = Position::from(numbers.as_slice()).shown(game);
            written(&spot(game, &read(session, &text)?))
        }
        Ask::Plot { fixed, max, grundy } => written(&asking.plot(&fixed, max, grundy)?),
        Ask::Sheet {
            count,
            max,
            seed,
            positions,
        } => {
            let mut chosen = fastrand::Rng::with_seed(u64::from(seed));
            let chosen = &mut |results| chosen.u64(0..results);
            let count = usize::from(count).min(MOST_TASKS);
            let given = positions.unwrap_or_default();
            let found = match given.as_slice() {
                [] => session.exercises(count, max.map(u64::from), convention, chosen),
                given => (given.iter().take(MOST_TASKS))
                    .map(|text| read(session, &in_brackets(text)))
                    .collect::<Answered<Vec<Position>>>()?
                    .iter()
                    .map(|position| session.exercise(position, convention))
                    .collect(),
            };
            let found = found.map_err(|no| unanswered(game, &no))?;
            written(&Printed {
                html: Sheet::new(session, file, convention, &found).html(),
                count: found.len(),
            })
        }
        Ask::List {
            max,
            outcomes,
            grundy,
            up_to_symmetry,
            most,
        } => {
            let most = most.unwrap_or(MOST_ROWS);
            written(&asking.list(max, &outcomes, grundy, up_to_symmetry, most)?)
        }
        Ask::Shipped
        | Ask::Gallery
        | Ask::Thumbnail { .. }
        | Ask::Words
        | Ask::Check { .. }
        | Ask::Hover { .. }
        | Ask::Complete { .. }
        | Ask::Rename { .. }
        | Ask::Format { .. }
        | Ask::Fitting { .. }
        | Ask::Open { .. } => return Err(Fault::of("this question is not about an open game")),
    })
}

/// Questions about a game under a convention.
struct Asking<'s, 'g> {
    session: &'s Session<'g>,
    convention: Convention,
}

impl Asking<'_, '_> {
    fn solve(&self, position: &str, side: Option<Player>) -> Answered<Solved> {
        let (session, game) = (self.session, self.session.game());
        let position = read(session, position)?;
        let ask = Question {
            convention: self.convention,
            ..Question::default()
        };
        let begun = Instant::now();
        let answer = session
            .position(&position, &ask)
            .map_err(|no| unanswered(game, &no))?;
        let mut fields = answer.as_json(game);
        // A limit that is met here does not take the answer away.
        let bound = session.bound(&position, self.convention).ok().flatten();
        if let Some(bound) = bound {
            fields.insert("bound".to_owned(), json::bound(game, &bound));
        }
        let side = side.map(Side::from);
        let turn = answer.turn(side);
        let moves = match turn {
            Turn::Loses => Vec::new(),
            Turn::Wins | Turn::Draws => answer.best(side),
        };
        Ok(Solved {
            headline: words::headline(answer.outcome, answer.by_side.as_ref()).to_owned(),
            turn: turn.word().to_owned(),
            remoteness: answer.label(side).and_then(|label| label.remoteness()),
            basis: match &answer.basis {
                Basis::Engine(name) => format!("the engine `{name}`"),
                basis => format!("{}, {}", words::basis(basis), words::extent(basis)),
            },
            winning: moves.iter().map(|to| change(game, &position, to)).collect(),
            all: answer.by_side.is_some() || answer.has_all_moves(),
            json: with_head(game, fields),
            took: begun.elapsed().as_secs_f64(),
        })
    }

    fn moves(&self, position: &Position, side: Option<Side>) -> Answered<nimrule_answer::Options> {
        let found = self.session.options(position, side, self.convention);
        found.map_err(|no| unanswered(self.session.game(), &no))
    }

    fn options(&self, position: &str, side: Option<Player>) -> Answered<Options> {
        let game = self.session.game();
        let position = read(self.session, position)?;
        let options = self.moves(&position, side.map(Side::from))?;
        let sent = options.list.iter().take(MOST_ROWS);
        Ok(Options {
            list: sent.map(|to| change(game, &position, to)).collect(),
            all: options.all && options.list.len() <= MOST_ROWS,
            ways: self.session.ways_to_type(&position),
        })
    }

    fn typed(&self, position: &str, side: Option<Player>, line: &str) -> Answered<Typed> {
        let game = self.session.game();
        let position = read(self.session, position)?;
        let options = self.moves(&position, side.map(Side::from))?;
        let typed = self.session.typed(&position, line.trim(), &options);
        Ok(match typed.map_err(|no| failure(game, &no))? {
            Read::Move(to) => Typed {
                to: Some(change(game, &position, &to)),
                why: None,
            },
            Read::Wrong { why, ways } => Typed {
                to: None,
                why: Some(match ways {
                    Some(ways) => format!("{why}; {ways}"),
                    None => why,
                }),
            },
        })
    }

    fn claim(&self, number: usize, effort: &Effort) -> Answered<ClaimVerdict> {
        let (session, game) = (self.session, self.session.game());
        if number == 0 || number > game.claims.len() {
            return Err(Fault::of("there is no such claim"));
        }
        let begun = Instant::now();
        let report = session.claim(number, effort);
        let report = report.map_err(|no| failure(game, &no))?;
        let counterexample = match &report.verdict {
            Verdict::Refuted(found) | Verdict::Contradicted(found) => Some(&found.position),
            _ => None,
        };
        let counterexample = counterexample.map(|at| Position::from(at.as_slice()));
        Ok(ClaimVerdict {
            json: report.as_json(game).into(),
            words: format!("{} {}", report.sign(), report.words(game))
                .trim()
                .to_owned(),
            passes: report.passes(),
            proved: report.is_proved(),
            counterexample: counterexample.map(|at| spot(game, &at)),
            took: begun.elapsed().as_secs_f64(),
        })
    }

    fn discover(&self) -> Answered<Discovery> {
        let (session, game) = (self.session, self.session.game());
        let begun = Instant::now();
        let found = session.discover(self.convention, DiscoveryBounds::default());
        let found = found.map_err(|met| failure(game, &SolveError::from(met)))?;
        let took = begun.elapsed().as_secs_f64();
        let none = |words: String| Discovery {
            proved: false,
            words,
            claim: None,
            checked: Vec::new(),
            has_automaton: false,
            picture: None,
            took,
        };
        Ok(match found {
            Discovered::Proved(found) => {
                let states = words::counted(found.set.states() as u128, "state");
                let small = proof::table(game, &found.set)
                    .filter(|table| table.states() <= automaton::MAX_STATES);
                let title = game.heading();
                let drawn = small.map(|table| automaton::svg(&title, &game.heap_names, &table));
                let misere = match self.convention {
                    Convention::Normal => "",
                    Convention::Misere => "misere ",
                };
                Discovery {
                    proved: true,
                    words: format!(
                        "The P-positions of all sizes are found and proved: a DFA with {states} \
                         over the digits recognises them."
                    ),
                    claim: (found.form.words()).map(|form| format!("claim {misere}P iff {form}")),
                    checked: found.checked.clone(),
                    has_automaton: true,
                    picture: drawn.map(|drawn| picture(game, drawn)),
                    took,
                }
            }
            Discovered::OfAnyNumber(theorem) => Discovery {
                proved: true,
                words: "A theorem about any number of heaps is found and proved.".to_owned(),
                claim: Some(format!("claim {}", theorem.claim)),
                checked: theorem.proof.checked,
                has_automaton: false,
                picture: None,
                took,
            },
            Discovered::NoTheorem(_) => {
                none("No theorem about any number of heaps was found and proved.".to_owned())
            }
            Discovered::Unknown(_) => none(
                "No automaton for the P-positions of all sizes was found and proved.".to_owned(),
            ),
            Discovered::Unsupported(why) => none(format!("The search does not apply: {why}.")),
        })
    }

    /// What is computed of all positions of a region.
    fn query(&self, grundy: bool) -> Query {
        Query {
            question: match grundy {
                true => Wanted::Grundy,
                false => Wanted::Outcome,
            },
            convention: self.convention,
        }
    }

    fn plot(&self, fixed: &[(usize, u32)], max: Option<u32>, grundy: bool) -> Answered<Plot> {
        let (session, game) = (self.session, self.session.game());
        let no_slice = |no: NoSlice| match no {
            NoSlice::Engine(no, _) => failure(game, &no),
            no => Fault::of(no),
        };
        let no_picture = |no: PlotError| Fault::of(no);
        let max = max.map(u64::from);
        if let PositionKind::Multiset(_) = game.position_kind {
            let kind = fixed.first().map_or(0, |(kind, _)| *kind);
            let found = session.single_heaps(kind, max, self.convention);
            let found = found.map_err(no_slice)?;
            let drawn = plot::sequence(&found.title, &found.axis, &found.values);
            let drawn = drawn.map_err(no_picture)?;
            let rows = cells(vec![found.values]);
            return Ok(plotted(game, drawn, vec![], rows, found.most));
        }
        let query = self.query(grundy);
        let sizes = fixed.iter().map(|(at, size)| (*at, u64::from(*size)));
        let sizes: Vec<(usize, u64)> = sizes.collect();
        let slice = session.slice(&sizes, max, query).map_err(no_slice)?;
        let table = session
            .table(&slice.region, slice.query, session.limits(), None)
            .map_err(|no| failure(game, &no))?;
        let names = slice
            .axes
            .iter()
            .map(|heap| game.heap_names[*heap].as_str());
        let names: Vec<&str> = names.collect();
        let (drawn, rows) = if slice.query.question == Wanted::Grundy {
            let rows = slice.values(&table);
            (plot::values(&slice.title, &names, &rows), cells(rows))
        } else {
            let rows = slice.letters(&table);
            (plot::outcomes(&slice.title, &names, &rows), cells(rows))
        };
        let drawn = drawn.map_err(no_picture)?;
        Ok(plotted(game, drawn, slice.axes, rows, slice.most))
    }

    fn list(
        &self,
        max: Option<u32>,
        outcomes: &[String],
        grundy: bool,
        up_to_symmetry: bool,
        most: usize,
    ) -> Answered<List> {
        let (session, game) = (self.session, self.session.game());
        let max = max.map_or_else(|| session.box_size(), u64::from);
        let all = [Outcome::P, Outcome::N, Outcome::L, Outcome::R, Outcome::D];
        let wanted = all.into_iter().filter(|outcome| {
            let is_asked = |letter: &String| letter == outcome.letter();
            outcomes.iter().any(is_asked)
        });
        let wanted: Vec<Outcome> = wanted.collect();
        let query = self.query(grundy);
        let limits = session.limits();
        let table = session
            .solver()
            .region(max, limits)
            .and_then(|region| session.table(&region, query, limits, None))
            .map_err(|no| failure(game, &no))?;
        let is_box = game.heap_count() > 0;
        let mut columns = match is_box {
            true => game.heap_names.clone(),
            false => vec!["position".to_owned()],
        };
        columns.push("outcome".to_owned());
        columns.extend(grundy.then(|| "value".to_owned()));
        columns.extend(up_to_symmetry.then(|| "alike".to_owned()));
        let symmetries = &game.facts.symmetries;
        let (mut rows, mut positions, mut count) = (Vec::new(), Vec::new(), 0);
        for entry in table.entries(&wanted) {
            let position = entry.position;
            if is_box && up_to_symmetry && !symmetries.is_canonical(&position) {
                continue;
            }
            count += 1;
            if count > most {
                continue;
            }
            let numbers = position.iter().enumerate();
            let mut row: Vec<String> = match is_box {
                true => numbers.map(|(at, n)| game.shown_number(at, *n)).collect(),
                false => vec![game.shown(&position)],
            };
            row.push(entry.outcome.letter().to_owned());
            if grundy {
                row.push(entry.grundy.unwrap_or_default().to_string());
            }
            if up_to_symmetry {
                row.push(match is_box {
                    true => symmetries.orbit_size(&position).to_string(),
                    false => "1".to_owned(),
                });
            }
            positions.push(game.shown(&position));
            rows.push(row);
        }
        Ok(List {
            columns,
            rows,
            positions,
            max: u32::try_from(max).unwrap_or(u32::MAX),
            count,
        })
    }
}

impl From<Player> for Side {
    fn from(player: Player) -> Side {
        match player {
            Player::Left => Side::Left,
            Player::Right => Side::Right,
        }
    }
}

/// A picture as a message.
pub fn picture(game: &Game, drawn: nimrule_draw::Picture) -> Picture {
    let parts = drawn.parts.iter();
    Picture {
        parts: parts
            .map(|at| {
                let (index, vertex, name) = match at.part {
                    Drawn::Number(index) => {
                        let name = game.heap_names.get(index).cloned();
                        (Some(index), None, name.unwrap_or_default())
                    }
                    Drawn::Vertex(number) => {
                        let name = game.shown_number(0, number);
                        (None, Some(number.to_string()), name)
                    }
                    Drawn::Cells => (None, None, "cells".to_owned()),
                };
                Part {
                    index,
                    vertex,
                    name,
                    left: at.left,
                    top: at.top,
                    right: at.right,
                    bottom: at.bottom,
                }
            })
            .collect(),
        svg: drawn.svg,
        width: drawn.width,
        height: drawn.height,
    }
}

/// A plot as a message.
fn plotted(
    game: &Game,
    drawn: nimrule_draw::Picture,
    axes: Vec<usize>,
    rows: Vec<Vec<String>>,
    max: u64,
) -> Plot {
    let limit = match axes.len() {
        2 => Slice::MAX_SIDE,
        _ => Slice::MAX_LENGTH,
    };
    let mut picture = picture(game, drawn);
    Plot {
        // INVARIANT: a plot has cells.
        cells: picture.parts.pop().expect("a plot has cells"),
        picture,
        axes,
        rows,
        max: u32::try_from(max).unwrap_or(u32::MAX),
        limit: limit as u32 - 1,
    }
}

/// What is known of the cells of a plot, as texts.
fn cells<T: ToString>(rows: Vec<Vec<Option<T>>>) -> Vec<Vec<String>> {
    let shown = |cell: Option<T>| cell.map_or_else(String::new, |known| known.to_string());
    let row = |row: Vec<Option<T>>| row.into_iter().map(shown).collect();
    rows.into_iter().map(row).collect()
}

/// How far a computation is.
pub fn progress(seen: &Snapshot) -> Progress {
    Progress {
        words: words::progress(seen),
        part: (seen.pieces > 0).then(|| seen.done as f64 / seen.pieces as f64),
    }
}

fn with_head(game: &Game, fields: Map<String, Value>) -> Value {
    let mut head = json::head(game);
    head.extend(fields);
    head.into()
}

fn read(session: &Session<'_>, text: &str) -> Answered<Position> {
    session.read(text).map_err(|problems| {
        let words: Vec<String> = problems
            .iter()
            .map(|problem| match problem {
                PositionProblem::Syntax(problem) => problem.to_string(),
                PositionProblem::Check(problem) => problem.to_string(),
            })
            .collect();
        Fault {
            kind: FaultKind::Position,
            ..Fault::of(format!(
                "`{text}` is no position here: {}",
                words.join("; ")
            ))
        }
    })
}

fn spot(game: &Game, position: &Position) -> Spot {
    Spot {
        text: position.shown(game),
        shown: words::position(game, position),
        numbers: position.numbers().iter().map(ToString::to_string).collect(),
    }
}

fn change(game: &Game, from: &Position, to: &Position) -> Move {
    Move {
        words: words::change(game, from, to),
        to: spot(game, to),
    }
}

/// Why an engine has no answer.
pub fn failure(game: &Game, failure: &SolveError) -> Fault {
    Fault {
        kind: match failure {
            SolveError::Memory { .. } | SolveError::Time | SolveError::Work { .. } => {
                FaultKind::Limit
            }
            SolveError::Stopped => FaultKind::Stopped,
            _ => FaultKind::Question,
        },
        ..Fault::of(failure.clone().in_game(game))
    }
}

/// Why there is no answer, with all that was tried.
fn unanswered(game: &Game, no: &Unanswered) -> Fault {
    let mut fault = failure(game, &no.failure);
    for (by, why) in no.methods() {
        fault.words.push_str(&format!("\n{by}: {why}"));
    }
    fault
}

/// The errors and warnings of a text.
fn found(problems: &Problems, text: &str) -> Vec<Finding> {
    let units = Units(text);
    let parts = problems.reports.iter().map(|report| report.parts());
    let finding = |parts: Parts| {
        let first = parts.labels.first();
        let at = first.map_or(0..0, |label| label.offset..label.offset + label.length);
        Finding {
            at: units.span(&at),
            message: parts.message,
            help: parts.help,
            code: parts.code.unwrap_or_default(),
            is_warning: parts.is_warning,
            fix: None,
        }
    };
    parts.map(finding).collect()
}

fn opened(compiled: &Compiled, session: &Session<'_>, files: &Files) -> Opened {
    let game = &compiled.game;
    let presentation = &game.presentation;
    let text = &game.text.text;
    let units = Units(text);
    let statements = || {
        compiled
            .file
            .statements
            .iter()
            .map(|statement| &statement.node)
    };
    let info = |number: usize,
                words: &str,
                span: nimrule_model::source::Span,
                convention: Convention,
                applies: Applies,
                condition: Option<&ast::Expr>| {
        let is_here = applies != Applies::Elsewhere;
        let elsewhere = match (is_here, condition) {
            (false, Some(condition)) => {
                let (file, fixed) = (&compiled.file, Settings::new());
                settings_where(file, text, &fixed, Some(condition), 1).pop()
            }
            _ => None,
        };
        let elsewhere = elsewhere.into_iter().flatten();
        ClaimInfo {
            number,
            words: words.to_owned(),
            at: units.span(&(span.offset()..span.offset() + span.len())),
            misere: convention == Convention::Misere,
            applies: is_here,
            elsewhere: elsewhere
                .map(|(name, value)| (name, value.written()))
                .collect(),
        }
    };
    let of_claims = statements().filter_map(|statement| match statement {
        Statement::Claim(claim) => Some(claim.condition.as_ref()),
        _ => None,
    });
    let of_examples = statements().filter_map(|statement| match statement {
        Statement::Example(example) => Some(example.condition.as_ref()),
        _ => None,
    });
    let claims = game.claims.iter().zip(of_claims).enumerate();
    let examples = game.examples.iter().zip(of_examples).enumerate();
    let document = Document::new(text, &|file| files(file));
    let mut warnings = editor::findings(&document, &units);
    for warning in found(&compiled.warnings, text) {
        let is_known = |known: &Finding| known.at == warning.at && known.code == warning.code;
        if !warnings.iter().any(is_known) {
            warnings.push(warning);
        }
    }
    warnings.retain(|finding| finding.is_warning);
    Opened {
        name: game.name.clone(),
        heading: game.heading(),
        sources: presentation.sources.clone(),
        notes: presentation.notes.clone(),
        heaps: presentation.heaps_line.clone(),
        moves: game.move_words().map(str::to_owned).collect(),
        kind: match &game.position_kind {
            PositionKind::Heaps => Kind::Heaps,
            PositionKind::Multiset(_) => Kind::Bag,
            PositionKind::Tokens(_) => Kind::Tokens,
            // An open number of heaps is refused before.
            PositionKind::Reals | PositionKind::Open(_) => Kind::Reals,
        },
        names: game.heap_names.clone(),
        bag_kinds: match &game.position_kind {
            PositionKind::Multiset(kinds) => kinds.names.clone(),
            _ => Vec::new(),
        },
        states_from: game.first_state(),
        has_sides: game.has_sides(),
        may_repeat: game.may_repeat,
        blocks: game.blocked_options > 0,
        start: (presentation.start.as_deref()).map(|start| spot(game, &Position::from(start))),
        values: json::params(game),
        params: game
            .params
            .iter()
            .map(|(name, value)| Parameter {
                name: name.clone(),
                value: value.written(),
                is_number: matches!(value, nimrule_model::game::ParamValue::Number(_)),
            })
            .collect(),
        claims: claims
            .map(|(at, (claim, condition))| {
                let (convention, applies) = (claim.convention, claim.applies);
                info(
                    at + 1,
                    &claim.words,
                    claim.span,
                    convention,
                    applies,
                    condition,
                )
            })
            .collect(),
        examples: examples
            .map(|(at, (example, condition))| {
                let (convention, applies) = (example.convention, example.applies);
                let (words, span) = (&example.words, example.span);
                ExampleInfo {
                    statement: info(at + 1, words, span, convention, applies, condition),
                    position: spot(game, &Position::from(example.position.as_slice())),
                }
            })
            .collect(),
        suggested_max: match game.position_kind {
            PositionKind::Reals | PositionKind::Open(_) => 0,
            _ => u32::try_from(session.box_size()).unwrap_or(u32::MAX),
        },
        repetitions: Session::REPETITIONS as u32,
        levels: (Level::ALL.into_iter())
            .map(|level| (level.name.to_owned(), level.errs))
            .collect(),
        warnings,
    }
}
