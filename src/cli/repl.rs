//! `repl`: positions, expressions and claims typed at a prompt, answered at once.

use super::load::{self, Answered, Loaded};
use super::prompt::Lines;
use super::proof_cache::CacheArguments;
use super::text::{self, BAD, GOOD, STRONG};
use super::{Shared, Status, partizan, progress, solve};
use clap::Args;
use nimrule::problem::Problems;
use nimrule::{Compiled, compile};
use nimrule_answer::{Effort, Position, Session, words};
use nimrule_claim::worked::{Value, worked};
use nimrule_elaborate::Settings;
use nimrule_engine::Outcome;
use nimrule_model::expr::Part;
use nimrule_model::game::{Claim, Convention, Statement};
use nimrule_model::source::Source;
use nimrule_syntax as syntax;
use std::io::Write as _;

#[derive(Debug, Args)]
pub struct Arguments {
    /// The rule file
    file: String,
    #[command(flatten)]
    cache: CacheArguments,
}

const HELP: &str = "  (3,4,5)            who wins from this position, and how
  at (3,4,5)         expressions are of this position from now on; at first of `start`
  a ^ b, max(heaps)  the value of an expression at that position
  a == b             whether a condition holds there
  P iff a == b       a claim: proved if that is quick, or else checked on a box
  grundy == a ^ b    a claim about values; `misere P iff …` about misere play
  :set n=6           another value of a parameter
  :help  :quit";

pub fn run(arguments: &Arguments, shared: &Shared) -> Answered<Status> {
    let loaded = load::read(&arguments.file)?;
    if loaded.folder().is_none() {
        return Err(load::wrong(
            "`repl` reads questions from standard input; give the rule as a file",
        ));
    }
    let mut settings = load::settings(shared)?;
    let mut compiled = loaded.compiled(&settings)?;
    let heading = compiled.game.heading();
    say(&format!(
        "{STRONG}{heading}{STRONG:#}\nType a position, an expression or a claim, or `:help`."
    ))?;
    let mut lines = Lines::new(true, words(&compiled));
    let mut worst = Status::Fine;
    loop {
        let typed = Prompt {
            at: start(&compiled),
            loaded: &loaded,
            settings: &settings,
            session: arguments.cache.session(&loaded, &compiled, shared),
            cache: &arguments.cache,
            shared,
        }
        .answer_until_set(&mut lines, &mut worst)?;
        let Some(setting) = typed else {
            // A person saw each answer; a script asks for the status of all.
            return Ok(if lines.echoes() { worst } else { Status::Fine });
        };
        let mut other = settings.clone();
        // What is wrong with a setting was reported, and the others stay.
        let added = load::add_setting(&mut other, &setting, &format!(":set {setting}"));
        match added.and_then(|()| loaded.compiled(&other)) {
            Ok(with) => {
                (settings, compiled) = (other, with);
                say(&compiled.game.heading())?;
            }
            Err(load::Unanswered(status)) => worst = status.max(worst),
        }
    }
}

fn say(words: &str) -> Answered<Status> {
    load::finish(writeln!(progress::stdout(), "{words}"))
}

/// The position of `start`.
fn start(compiled: &Compiled) -> Option<Position> {
    let start = compiled.game.presentation.start.as_deref();
    start.map(Position::from)
}

/// The words of questions: the names of the rule, keywords of claims and expressions,
/// commands.
fn words(compiled: &Compiled) -> Vec<String> {
    let game = &compiled.game;
    let params = game.params.iter().map(|(name, _)| name);
    let names = params.chain(&game.heap_names).cloned();
    let commands = [":help", ":quit", ":set", "at", "claim"].map(str::to_owned);
    names
        .chain(commands)
        .chain(syntax::keywords().map(str::to_owned))
        .collect()
}

/// The questions about a rule at certain values of its parameters.
struct Prompt<'l> {
    loaded: &'l Loaded,
    settings: &'l Settings,
    session: Session<'l>,
    /// The position that expressions are evaluated at.
    at: Option<Position>,
    cache: &'l CacheArguments,
    shared: &'l Shared,
}

/// Whether the condition or the value of a claim depends on the position.
fn reads_the_position(claim: &Claim) -> bool {
    let part = match &claim.statement {
        Some(Statement::Outcome { condition, .. }) => Part::Bool(&condition.node),
        Some(Statement::Grundy(value)) => Part::Num(&value.node),
        _ => return true,
    };
    part.any(&mut |part| {
        let own = part.own_reads();
        own.heaps().is_none_or(|mut read| read.next().is_some())
    })
}

impl Prompt<'_> {
    /// Answers what is typed, until another value of a parameter is: that is returned. `None`
    /// at the end.
    fn answer_until_set(
        mut self,
        lines: &mut Lines,
        worst: &mut Status,
    ) -> Answered<Option<String>> {
        while let Some(line) = lines
            .next("> ")
            .map_err(|error| load::wrong(&format!("standard input cannot be read: {error}")))?
        {
            match line.trim() {
                ":quit" | ":q" | "quit" | "exit" => break,
                "" => {}
                line => match line.strip_prefix(":set ") {
                    Some(setting) => return Ok(Some(setting.trim().to_owned())),
                    // A question that has no answer was reported; the next may have one.
                    None => {
                        let (Ok(status) | Err(load::Unanswered(status))) = self.answer(line);
                        *worst = status.max(*worst);
                    }
                },
            }
        }
        Ok(None)
    }

    fn answer(&mut self, line: &str) -> Answered<Status> {
        if line.starts_with(':') {
            return say(HELP);
        }
        if line == "at" {
            return match &self.at {
                Some(at) => say(&words::position(self.session.game(), at)),
                None => Err(load::wrong("no position is set: type `at (3,4,5)`")),
            };
        }
        if let Some(written) = line.strip_prefix("at ") {
            let position = load::position(&self.session, written)?;
            self.at = Some(position);
            return Ok(Status::Fine);
        }
        if self.is_claim(line) {
            let words = line.strip_prefix("claim ").unwrap_or(line);
            let with = self.with_claim("", words, true)?;
            return self.claim(&with);
        }
        if let Some(position) = self.read_position(line) {
            return self.position(&position);
        }
        self.expression(line)
    }

    /// Whether the line begins as a claim does, and not with a name of the rule.
    fn is_claim(&self, line: &str) -> bool {
        let first = line
            .split(|c: char| !c.is_alphanumeric() && c != '_')
            .next();
        let first = first.unwrap_or_default();
        let game = self.session.game();
        let mut names = game
            .params
            .iter()
            .map(|(name, _)| name)
            .chain(&game.heap_names);
        let claim = "claim ";
        first == "claim"
            || syntax::expected_at(claim, claim.len())
                .keywords
                .contains(&first)
                && names.all(|name| name != first)
    }

    /// The line as a position; `None` if it is none.
    fn read_position(&self, line: &str) -> Option<Position> {
        if !line.starts_with(['(', '{']) && !line.contains(',') && !line.starts_with("all ") {
            return None;
        }
        self.session.read(&nimrule_answer::in_brackets(line)).ok()
    }

    fn position(&self, position: &Position) -> Answered<Status> {
        let session = &self.session;
        let game = session.game();
        let answer = session
            .outcome(position, Convention::Normal)
            .map_err(|unanswered| load::no_answer(session, &unanswered))?;
        let headline = words::headline(answer.outcome, answer.by_side.as_ref());
        let mut words = format!("{STRONG}{headline}{STRONG:#}");
        if let Some(by_side) = &answer.by_side {
            words.push_str(partizan::in_text(game, position, by_side).trim_end());
        } else if answer.outcome == Outcome::N {
            for to in answer.moves.found.iter().take(solve::MOVES_SHOWN) {
                words.push('\n');
                words.push_str(text::move_line(game, position, to).trim_end());
            }
        }
        say(&words)
    }

    /// The value of an expression, or of a condition, at the position of `at`.
    fn expression(&self, line: &str) -> Answered<Status> {
        let as_condition = self.with_claim("P iff ", line, false);
        let compiled = match as_condition {
            Ok(compiled) => compiled,
            Err(_) => self.with_claim("grundy == ", line, true)?,
        };
        let game = &compiled.game;
        let Some(last) = game.claims.last() else {
            return Ok(Status::Fine);
        };
        let nowhere = vec![0; game.heap_count()];
        let at = match &self.at {
            _ if !reads_the_position(last) => &nowhere,
            Some(at) => at.small().ok_or_else(|| {
                load::wrong("an expression has no value at a position with numbers this large")
            })?,
            None => {
                return Err(load::wrong(
                    "an expression has a value at a position: type `at (3,4,5)` first",
                ));
            }
        };
        let found = worked(game, last, at).map_err(|fault| {
            load::wrong(&format!("it has no value at {}: {fault}", game.shown(at)))
        })?;
        match found.map(|found| found.value) {
            Some(Value::Number(number)) => say(&number.to_string()),
            Some(Value::Truth(truth)) => say(if truth { "true" } else { "false" }),
            None => Ok(Status::Fine),
        }
    }

    /// The rule with one more claim: what was typed, after its first words. `reports`: errors
    /// are shown.
    fn with_claim(&self, first: &str, typed: &str, reports: bool) -> Answered<Compiled> {
        let before = format!("{}\nclaim {first}", self.loaded.source.text);
        let source = Source::new("what was typed", format!("{before}{typed}\n"));
        compile(&source, self.settings, &|path| {
            self.loaded.read_beside(path)
        })
        .map_err(|problems: Problems| {
            if reports {
                load::show(&problems.after(&source, before.len()));
            }
            load::Unanswered(Status::Wrong)
        })
    }

    /// Looks for a proof of the last claim, or else checks it on a box.
    fn claim(&self, compiled: &Compiled) -> Answered<Status> {
        let game = &compiled.game;
        let session = self.cache.session(self.loaded, compiled, self.shared);
        let report = session
            .claim(game.claims.len(), &Effort::PROMPT)
            .map_err(|failure| load::failed(&failure, session.solver(), None))?;
        let (style, status) = match report.passes() {
            Some(false) => (BAD, Status::Fails),
            _ => (GOOD, Status::Fine),
        };
        let (sign, rest) = report.line().split_once(' ').unwrap_or((report.line(), ""));
        say(&format!("{style}{sign}{style:#} {rest}"))?;
        Ok(status)
    }
}
