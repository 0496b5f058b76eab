//! `play`: a game against the program, or of two people at one keyboard, in lines of text.
//! A person types moves and commands; the program answers with the moves that `solve` finds.

mod board;
mod players;

use super::asked::Under;
use super::load::{self, Answered};
use super::prompt::Lines;
use super::proof_cache::CacheArguments;
use super::text::{self, FAINT, STRONG};
use super::why;
use super::{Format, Shared, Status, json, progress};
use clap::Args;
use clap::builder::PossibleValuesParser;
use nimrule_answer::{
    Answer, Level, Options, Position, ReasonBounds, Session, Turn, Typed, Unanswered, words,
};
use nimrule_engine::SolveError;
use nimrule_model::game::{Convention, Game, PositionKind, Side};
use players::{Ended, Players};
use serde_json::{Map, Value, json};
use std::io::Write as _;
use std::rc::Rc;

#[derive(Debug, Args)]
pub struct Arguments {
    /// The rule file
    file: String,
    /// The position to start from [default: the file's `start`, or a random position
    /// that the player to move wins]
    position: Vec<String>,
    #[command(flatten)]
    under: Under,
    /// The program moves first in the first game; then the players take turns
    #[arg(long)]
    second: bool,
    /// How strongly the program plays [default: perfect]
    #[arg(long, value_name = "LEVEL", value_parser = PossibleValuesParser::new(Level::ALL.map(|level| level.name)), conflicts_with = "errs")]
    level: Option<String>,
    /// Two people play, at one keyboard
    #[arg(long, conflicts_with_all = ["second", "level", "errs"])]
    two: bool,
    /// Two people of these names play, the first of whom begins, such as Ann,Ben
    #[arg(long, value_name = "NAMES", value_parser = two_names, conflicts_with_all = ["second", "level", "errs"])]
    names: Option<[String; 2]>,
    /// Of a hundred moves of the program, this many are random: a level in between
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u8).range(0..=100))]
    errs: u8,
    /// The seed of random choices [default: another each time]
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    #[command(flatten)]
    cache: CacheArguments,
}

/// The commands, with what they do.
const COMMANDS: [(&str, &str); 9] = [
    ("moves", "list the moves; `#3` plays the third of them"),
    ("hint", "a move that wins, if there is one"),
    ("why", "why the position is won or lost"),
    ("board", "show the position again"),
    (
        "undo",
        "take back your last move, and the reply of the program",
    ),
    ("new", "another game, from a random position"),
    ("restart", "another game, from the same position"),
    ("help", "list the commands"),
    ("quit", "leave; so do Ctrl-C and the end of the input"),
];

/// What is said after the ways to type a move.
const OR_LISTED: &str = "; or `moves` for a list, then `#3`";

/// The number of moves that `moves` lists.
const MOVES_SHOWN: usize = 40;

/// Two names, as `--names` takes them.
fn two_names(text: &str) -> Result<[String; 2], String> {
    let names: Vec<&str> = text.split(',').map(str::trim).collect();
    match names.as_slice() {
        [one, other] if !one.is_empty() && !other.is_empty() && one != other => {
            Ok([*one, *other].map(str::to_owned))
        }
        _ => Err("give two names that differ, such as Ann,Ben".to_owned()),
    }
}

pub fn run(arguments: &Arguments, shared: &Shared) -> Answered<Status> {
    let loaded = load::read(&arguments.file)?;
    if loaded.folder().is_none() {
        return Err(load::wrong(
            "`play` reads your moves from standard input; give the rule as a file",
        ));
    }
    let written = arguments.position.join(" ");
    let compiled = loaded.compiled_for(&load::settings(shared)?, &written)?;
    let game = &compiled.game;
    why::refuse_blocking(game, "play")?;
    if game.position_kind == PositionKind::Reals {
        return Err(load::wrong(
            "`play` needs heaps of whole size; this game's heaps are of real size",
        ));
    }
    if let Err(refused) = SolveError::check_kind(game) {
        return Err(load::wrong(&refused.to_string()));
    }
    let session = arguments.cache.session(&loaded, &compiled, shared);
    let convention = arguments.under.convention;
    let mut random = match arguments.seed {
        Some(seed) => fastrand::Rng::with_seed(seed),
        None => fastrand::Rng::new(),
    };
    let failed = |unanswered: Unanswered| load::no_answer(&session, &unanswered);
    let first = if !arguments.position.is_empty() {
        load::position(&session, &written)?
    } else if let Some(start) = &game.presentation.start {
        Position::from(start.as_slice())
    } else {
        random_position(&session, convention, &mut random, arguments.second, false)
            .map_err(failed)?
    };
    let mut play = Play {
        session: &session,
        convention,
        random,
        errs: (arguments.level.as_deref())
            .and_then(Level::named)
            .map_or(arguments.errs, |level| level.errs),
        players: Players::new(match &arguments.names {
            None if arguments.two => Some(["Player 1", "Player 2"].map(str::to_owned)),
            names => names.clone(),
        }),
        second_begins: arguments.second,
        in_json: shared.format == Format::Json,
        first: first.clone(),
        position: first,
        firsts_turn: !arguments.second,
        history: Vec::new(),
        mistakes: [None, None],
        listed: Vec::new(),
    };
    let commands = COMMANDS.iter().map(|(command, _)| (*command).to_owned());
    let known = commands.chain(game.heap_names.iter().cloned()).collect();
    play.play(&mut Lines::new(shared.format != Format::Json, known))
        .map_err(|stopped| match stopped {
            Stopped::Unanswered(unanswered) => failed(*unanswered),
            Stopped::Output(error) => match load::finish(Err(error)) {
                Err(unanswered) => unanswered,
                Ok(status) => load::Unanswered(status),
            },
        })
}

/// Why a session ended before its end.
enum Stopped {
    Unanswered(Box<Unanswered>),
    Output(std::io::Error),
}

impl From<Unanswered> for Stopped {
    fn from(unanswered: Unanswered) -> Stopped {
        Stopped::Unanswered(Box::new(unanswered))
    }
}

impl From<SolveError> for Stopped {
    fn from(failure: SolveError) -> Stopped {
        Unanswered::from(failure).into()
    }
}

impl From<std::io::Error> for Stopped {
    fn from(error: std::io::Error) -> Stopped {
        Stopped::Output(error)
    }
}

/// A game that is being played.
struct Play<'s, 'g> {
    session: &'s Session<'g>,
    convention: Convention,
    random: fastrand::Rng,
    /// Of a hundred moves of the program, this many are random.
    errs: u8,
    players: Players,
    /// Whether the second player, who is the program if it plays, begins this game.
    second_begins: bool,
    in_json: bool,
    first: Position,
    position: Position,
    firsts_turn: bool,
    /// Each position before a move, and whether the first player made it.
    history: Vec<(Position, bool)>,
    /// Of each player, the last position that was won and given away, with the move played
    /// and one that would have won.
    mistakes: [Option<[Position; 3]>; 2],
    /// The moves that `moves` listed last.
    listed: Vec<Position>,
}

/// What a line of the person leads to.
enum Next {
    /// The person is still to move.
    Again,
    Moved,
    Restarted,
    Quit,
}

impl Play<'_, '_> {
    fn game(&self) -> &Game {
        self.session.game()
    }

    fn answer(&self, position: &Position) -> Result<Rc<Answer>, Unanswered> {
        self.session.outcome(position, self.convention)
    }

    fn turn(&self, position: &Position, side: Option<Side>) -> Result<Turn, Unanswered> {
        Ok(self.answer(position)?.turn(side))
    }

    fn best(&self, position: &Position, side: Option<Side>) -> Result<Vec<Position>, Unanswered> {
        Ok(self.answer(position)?.best(side))
    }

    /// Whether a person is to move.
    fn is_persons_turn(&self) -> bool {
        self.firsts_turn || self.players.are_two_people()
    }

    /// The side of a player: the first is Left in a partizan game.
    fn side(&self, first: bool) -> Option<Side> {
        let side = if first { Side::Left } else { Side::Right };
        self.game().has_sides().then_some(side)
    }

    fn play(&mut self, lines: &mut Lines) -> Result<Status, Stopped> {
        self.greet()?;
        self.show_position()?;
        loop {
            let side = self.side(self.firsts_turn);
            let options = self
                .session
                .options(&self.position, side, self.convention)?;
            if options.list.is_empty() {
                self.end()?;
                if !self.goes_on(lines)? {
                    return Ok(Status::Fine);
                }
                continue;
            }
            if self.is_repeated() {
                self.drawn()?;
                if !self.goes_on(lines)? {
                    return Ok(Status::Fine);
                }
                continue;
            }
            if !self.is_persons_turn() {
                let to = self.programs_move(&options.list)?;
                self.moved(to)?;
                self.show_position()?;
                continue;
            }
            let Some(line) = lines.next(&self.players.prompt(self.firsts_turn))? else {
                self.leave()?;
                return Ok(Status::Fine);
            };
            match self.obey(line.trim(), &options)? {
                Next::Again => {}
                Next::Moved if self.players.are_two_people() => self.show_position()?,
                Next::Moved => {}
                Next::Restarted => {
                    self.show_position()?;
                }
                Next::Quit => {
                    self.leave()?;
                    return Ok(Status::Fine);
                }
            }
        }
    }

    /// After the end of a game: whether another begins.
    fn goes_on(&mut self, lines: &mut Lines) -> Result<bool, Stopped> {
        self.say("score", self.players.score_in_json(), &self.players.score())?;
        self.say(
            "end_of_game",
            Map::new(),
            "Again? `new` (another position), `restart` (the same), `undo` or `quit`.",
        )?;
        let none = Options {
            list: Vec::new(),
            all: true,
        };
        while let Some(line) = lines.next("> ")? {
            let line = line.trim().to_lowercase();
            let command = match line.as_str() {
                "y" | "yes" | "again" => "new",
                "n" | "no" => "quit",
                other => other,
            };
            match command {
                "new" | "restart" | "undo" => {
                    if let Next::Restarted = self.obey(command, &none)? {
                        self.show_position()?;
                        return Ok(true);
                    }
                }
                "quit" | "q" | "exit" => break,
                "" => {}
                _ => self.say(
                    "unknown",
                    Map::new(),
                    "The game is over: `new`, `restart`, `undo` or `quit`.",
                )?,
            }
        }
        Ok(false)
    }

    fn obey(&mut self, line: &str, options: &Options) -> Result<Next, Stopped> {
        let side = self.side(self.firsts_turn);
        match line.to_lowercase().as_str() {
            "" => {}
            "help" | "?" => self.help()?,
            "quit" | "q" | "exit" => return Ok(Next::Quit),
            "board" => self.show_position()?,
            "moves" => self.list(&options.list)?,
            "hint" => {
                let turn = self.turn(&self.position, side)?;
                let best = self.best(&self.position, side)?.into_iter().next();
                let words = match (turn, &best) {
                    (Turn::Loses, _) | (_, None) => {
                        let other = self.players.object(!self.firsts_turn);
                        format!("No move wins, if {other} makes no mistake.")
                    }
                    (Turn::Wins, Some(to)) => format!("This wins: {}", self.move_words(to)),
                    (Turn::Draws, Some(to)) => {
                        format!("No move wins; this draws: {}", self.move_words(to))
                    }
                };
                let to = best.filter(|_| turn != Turn::Loses);
                let mut fields = Map::new();
                fields.insert(
                    "to".into(),
                    json!(to.map(|to| nimrule_answer::json::position(self.game(), &to))),
                );
                self.say("hint", fields, &words)?;
            }
            "why" => {
                let bounds = ReasonBounds {
                    moves: 12,
                    depth: 1,
                    each: false,
                };
                let reason = self
                    .session
                    .reason(&self.position, self.convention, bounds)?;
                let fields = reason.as_json(self.game());
                let shown = why::in_text(self.game(), &reason, 60, "`nimrule why --all`");
                self.say("why", fields, shown.trim_end())?;
            }
            "undo" => {
                let two = self.players.are_two_people();
                let before = self.history.iter().rposition(|(_, first)| *first || two);
                match before {
                    Some(place) => {
                        (self.position, self.firsts_turn) = self.history[place].clone();
                        self.history.truncate(place);
                        self.players.take_back();
                        return Ok(Next::Restarted);
                    }
                    None => self.say("unknown", Map::new(), "There is no move to take back.")?,
                }
            }
            "new" | "restart" => {
                // Whoever did not begin a game that has ended begins the next.
                self.second_begins ^= self.players.begin();
                if line.eq_ignore_ascii_case("new") {
                    self.first = random_position(
                        self.session,
                        self.convention,
                        &mut self.random,
                        self.second_begins,
                        self.players.are_two_people(),
                    )?;
                }
                self.position = self.first.clone();
                self.firsts_turn = !self.second_begins;
                self.history.clear();
                self.mistakes = [None, None];
                return Ok(Next::Restarted);
            }
            _ => match self.typed(line, options)? {
                Typed::Move(to) => {
                    self.persons_move(to)?;
                    return Ok(Next::Moved);
                }
                Typed::Wrong { why, ways } => {
                    let why = match ways {
                        Some(ways) => format!("{why}; {ways}{OR_LISTED}"),
                        None => why,
                    };
                    let mut fields = Map::new();
                    fields.insert("message".into(), json!(why));
                    self.say("illegal", fields, &text::wrapped(&why, 78, 0))?;
                }
            },
        }
        Ok(Next::Again)
    }

    /// A line as a move: the number of a listed one, `#3` or `3` where a number is no move itself,
    /// or as [`Session::typed`] reads it.
    fn typed(&self, line: &str, options: &Options) -> Result<Typed, SolveError> {
        let is_number = line.bytes().all(|byte| byte.is_ascii_digit());
        let number = line.strip_prefix('#').or_else(|| {
            (is_number && !self.session.reads_a_number(&self.position)).then_some(line)
        });
        let Some(number) = number else {
            return self.session.typed(&self.position, line, options);
        };
        let chosen = number.trim().parse::<usize>().ok();
        let chosen = chosen.and_then(|number| self.listed.get(number.checked_sub(1)?));
        let why = match chosen {
            Some(to) if options.list.contains(to) => return Ok(Typed::Move(to.clone())),
            _ if self.listed.is_empty() => format!("type `moves` first, then `{line}`"),
            _ => format!("`moves` lists no move {line} here; type `moves` again"),
        };
        Ok(Typed::Wrong { why, ways: None })
    }

    /// Makes the move of a person, and takes note of a win that it gives away.
    fn persons_move(&mut self, to: Position) -> Result<(), Stopped> {
        let side = self.side(self.firsts_turn);
        let given_away = self
            .session
            .given_away(&self.position, &to, side, self.convention);
        let given_away = match given_away {
            // Two people may play where the program has no answer.
            Err(_) if self.players.are_two_people() => None,
            given_away => given_away?,
        };
        if let Some(better) = given_away {
            self.mistakes[usize::from(!self.firsts_turn)] =
                Some([self.position.clone(), to.clone(), better]);
        }
        self.moved(to)
    }

    /// Says and makes the move of the player to move.
    fn moved(&mut self, to: Position) -> Result<(), Stopped> {
        self.say_move(&to)?;
        let from = std::mem::replace(&mut self.position, to);
        self.history.push((from, self.firsts_turn));
        self.firsts_turn = !self.firsts_turn;
        Ok(())
    }

    fn programs_move(&mut self, options: &[Position]) -> Result<Position, Stopped> {
        let side = self.side(false);
        let random = &mut |results| self.random.u64(0..results);
        let session = self.session;
        Ok(session.reply(
            &self.position,
            side,
            self.convention,
            options,
            self.errs,
            random,
        )?)
    }

    /// Whether the position has stood too often.
    fn is_repeated(&self) -> bool {
        let same = |entry: &&(Position, bool)| **entry == (self.position.clone(), self.firsts_turn);
        self.game().may_repeat
            && self.history.iter().filter(same).count() + 1 >= Session::REPETITIONS
    }

    /// Writes an event: a text, or a line of JSON.
    fn say(&self, event: &str, fields: Map<String, Value>, words: &str) -> Result<(), Stopped> {
        let mut out = progress::stdout();
        if self.in_json {
            let mut line = Map::new();
            line.insert("event".into(), json!(event));
            line.extend(fields);
            writeln!(out, "{}", Value::from(line))?;
        } else if !words.is_empty() {
            writeln!(out, "{words}")?;
        }
        out.flush()?;
        Ok(())
    }

    fn greet(&self) -> Result<(), Stopped> {
        let game = self.game();
        let mut words = format!(
            "{STRONG}{}{STRONG:#}",
            text::wrapped(&game.heading(), 78, 0)
        );
        if !game.presentation.heaps_line.is_empty() {
            words.push_str(&format!(
                "\n{}",
                text::wrapped(&game.presentation.heaps_line, 78, 0)
            ));
        }
        for moves in game.move_words() {
            words.push_str(&format!("\n{}", text::wrapped(moves, 78, 4)));
        }
        words.push_str(match self.convention {
            Convention::Normal => "\nThe player who cannot move loses.",
            Convention::Misere => "\nMisere play: the player who cannot move wins.",
        });
        if game.has_sides() {
            words.push_str(&match self.players.are_two_people() {
                true => format!(" {} is Left.", self.players.name(true)),
                false => " You are Left.".to_owned(),
            });
        }
        words.push_str("\nType a move, or `help`.\n");
        self.say("game", json::head(game), &words)
    }

    fn show_position(&self) -> Result<(), Stopped> {
        let mut fields = Map::new();
        fields.insert(
            "position".into(),
            nimrule_answer::json::position(self.game(), &self.position),
        );
        fields.insert("shown".into(), json!(self.position.shown(self.game())));
        let who = self.players.name(self.firsts_turn);
        fields.insert("to_move".into(), json!(who));
        let shown = board::shown(self.game(), &self.position);
        self.say("position", fields, &shown)
    }

    fn move_words(&self, to: &Position) -> String {
        format!(
            "{}, to {}",
            words::change(self.game(), &self.position, to),
            words::position(self.game(), to)
        )
    }

    /// Says the move of the player to move.
    fn say_move(&self, to: &Position) -> Result<(), Stopped> {
        let (by, whose) = (
            self.players.name(self.firsts_turn),
            self.players.whose(self.firsts_turn),
        );
        let mut fields = Map::new();
        fields.insert("by".into(), json!(by));
        fields.insert("to".into(), nimrule_answer::json::position(self.game(), to));
        fields.insert("shown".into(), json!(to.shown(self.game())));
        fields.insert(
            "words".into(),
            json!(words::change(self.game(), &self.position, to)),
        );
        let words = text::wrapped(&self.move_words(to), 70, 4);
        // The position after it is shown, but for that at which the program moves.
        let is_shown = self.players.are_two_people() || !self.firsts_turn;
        let end = if is_shown { "\n" } else { "" };
        self.say("move", fields, &format!("{whose} move: {words}{end}"))
    }

    fn list(&mut self, options: &[Position]) -> Result<(), Stopped> {
        self.listed = options.to_vec();
        let mut words = String::new();
        for (place, to) in options.iter().take(MOVES_SHOWN).enumerate() {
            let line = text::wrapped(&self.move_words(to), 70, 6);
            words.push_str(&format!("  #{:<3}{line}\n", place + 1));
        }
        if options.len() > MOVES_SHOWN {
            words.push_str(&format!("  and {} more\n", options.len() - MOVES_SHOWN));
        }
        let all: Vec<_> = (options.iter())
            .map(|to| nimrule_answer::json::position(self.game(), to))
            .collect();
        let mut fields = Map::new();
        fields.insert("moves".into(), json!(all));
        self.say("moves", fields, words.trim_end())
    }

    fn help(&self) -> Result<(), Stopped> {
        let mut words = format!(
            "A move: {}\n",
            text::wrapped(
                &format!("{}{OR_LISTED}", self.session.ways_to_type(&self.position)),
                70,
                8
            )
        );
        for (command, what) in COMMANDS {
            words.push_str(&format!("  {STRONG}{command:8}{STRONG:#} {what}\n"));
        }
        let commands: Map<String, Value> = COMMANDS
            .iter()
            .map(|(command, what)| ((*command).to_owned(), json!(what)))
            .collect();
        self.say("help", commands, words.trim_end())
    }

    /// Says who has won, and where the loser gave the game away.
    fn end(&mut self) -> Result<(), Stopped> {
        let mover_wins = self.convention == Convention::Misere;
        let first_wins = self.firsts_turn == mover_wins;
        self.players.count(Ended::Won(first_wins));
        let mut words = format!(
            "{} no move. {STRONG}{}.{STRONG:#}",
            self.players.has(self.firsts_turn),
            self.players.wins(first_wins)
        );
        let mut fields = Map::new();
        fields.insert("winner".into(), json!(self.players.name(first_wins)));
        let loser = self.players.object(!first_wins);
        match &self.mistakes[usize::from(first_wins)] {
            Some([at, played, better]) => {
                let change = |to: &Position| words::change(self.game(), at, to);
                words.push_str(&format!(
                    "\nThe decisive mistake: at {}, {} would have won, and {loser} played: {}.",
                    words::position(self.game(), at),
                    change(better),
                    change(played),
                ));
                for (name, at) in [("mistake_at", at), ("better", better)] {
                    let at = nimrule_answer::json::position(self.game(), at);
                    fields.insert(name.into(), at);
                }
            }
            None if !first_wins && !self.players.are_two_people() => {
                words.push_str(" You had no position that you could win.");
            }
            None => {}
        }
        self.say("end", fields, &text::wrapped(&words, 78, 0))
    }

    fn drawn(&mut self) -> Result<(), Stopped> {
        self.players.count(Ended::Drawn);
        let mut fields = Map::new();
        fields.insert("winner".into(), json!(null));
        let words = format!(
            "This position has stood {} times: play need not end, and is drawn.",
            Session::REPETITIONS
        );
        self.say("end", fields, &words)
    }

    fn leave(&self) -> Result<(), Stopped> {
        let words = format!("{FAINT}Goodbye.{FAINT:#}");
        self.say("quit", Map::new(), &words)
    }
}

/// A random position that the first player wins; of two people, the one who begins.
fn random_position(
    session: &Session<'_>,
    convention: Convention,
    random: &mut fastrand::Rng,
    second_begins: bool,
    are_two_people: bool,
) -> Result<Position, Unanswered> {
    let one = session.game().has_sides().then_some(Side::Left);
    let (first, wanted) = match second_begins {
        true if are_two_people => (one.map(Side::other), Turn::Wins),
        true => (one.map(Side::other), Turn::Loses),
        false => (one, Turn::Wins),
    };
    session.random_position(first, wanted, convention, &mut |results| {
        random.u64(0..results)
    })
}
