//! A game read from a rule file: the main entry point of the library.

use crate::answer::{Answer, Discovery, GrundyValues, Outcomes};
use crate::compile::{Compiled, compile};
use crate::problem::{Error, Problem, Problems};
use nimrule_answer::{
    Ask, ClaimReport, Discovered, DiscoveryBounds, Effort, MemoryStore, Position, PositionProblem,
    Session,
};
use nimrule_elaborate::Settings;
use nimrule_engine::{Limits, Query, Question, Request, SolveError};
use nimrule_model::game::{Convention, ParamValue};
use nimrule_model::source::Source;
use std::fmt;
use std::sync::Arc;

/// Reads a file that a rule names, such as a board: from its name to its bytes.
type Files = Arc<dyn Fn(&str) -> Result<Vec<u8>, String> + Send + Sync>;

/// A game: a rule at given values of its parameters, a play convention, and the
/// limits that its questions keep to.
///
/// A position is a slice with one number per heap, in the order of
/// [`Game::heaps`]: the number of tokens. In a game on a digraph it is the
/// number of each token's vertex, and in a game on a multiset of heaps the
/// sorted sizes; [`Game::position`] reads positions as the language writes
/// them, and [`Game::display`] writes them.
///
/// # Examples
///
/// ```
/// use nimrule::{Game, Outcome};
///
/// let nim = Game::parse("game nim heaps a b c move take from one heap")?;
/// let answer = nim.solve(&[3, 4, 5])?;
/// assert_eq!(answer.outcome, Outcome::N);
/// assert_eq!(answer.winning_moves, [[1, 4, 5]]);
/// # Ok::<(), nimrule::Error>(())
/// ```
#[derive(Clone)]
pub struct Game {
    files: Files,
    settings: Settings,
    compiled: Arc<Compiled>,
    convention: Convention,
    limits: Limits,
    /// The proofs that questions found.
    proofs: MemoryStore,
}

impl fmt::Debug for Game {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Game")
            .field("name", &self.name())
            .field("parameters", &self.parameters())
            .field("convention", &self.convention)
            .finish_non_exhaustive()
    }
}

impl Game {
    /// Reads a rule from its text.
    ///
    /// # Errors
    ///
    /// Every fault of the text, each with its place. A board `from "file"` is a
    /// fault too; [`Game::from_source`] reads such files.
    ///
    /// # Examples
    ///
    /// ```
    /// use nimrule::Game;
    ///
    /// let wrong = Game::parse("game g heaps a move take from b").unwrap_err();
    /// assert!(wrong.to_string().contains("`b`"), "{wrong}");
    /// ```
    pub fn parse(text: impl Into<String>) -> Result<Game, Error> {
        Game::from_source(Source::new("the rule", text), |_| {
            Err("a rule given as a string cannot read files".to_owned())
        })
    }

    /// Reads a rule from a named text, and the files that it names through `read`.
    ///
    /// # Errors
    ///
    /// Every fault of the text, each with its place.
    ///
    /// # Examples
    ///
    /// ```
    /// use nimrule::{Game, Source};
    ///
    /// let path = "games/nim.nimrule";
    /// let text = std::fs::read_to_string(path).expect("the file is there");
    /// let game = Game::from_source(Source::new(path, text), |board| {
    ///     std::fs::read(format!("games/{board}")).map_err(|error| error.to_string())
    /// })?;
    /// assert_eq!(game.name(), "nim");
    /// # Ok::<(), nimrule::Error>(())
    /// ```
    pub fn from_source(
        source: Source,
        read: impl Fn(&str) -> Result<Vec<u8>, String> + Send + Sync + 'static,
    ) -> Result<Game, Error> {
        let files: Files = Arc::new(read);
        let settings = Settings::new();
        let compiled = Arc::new(compile(&source, &settings, &|path| files(path))?);
        Ok(Game {
            files,
            settings,
            compiled,
            convention: Convention::Normal,
            limits: Limits::of_memory(Limits::DEFAULT_MEMORY),
            proofs: MemoryStore::default(),
        })
    }

    /// The same rule with another value of a parameter.
    ///
    /// # Errors
    ///
    /// The faults of the rule at this value; a parameter that the rule does not
    /// have is one.
    ///
    /// # Examples
    ///
    /// ```
    /// use nimrule::Game;
    ///
    /// let game = Game::parse("game g param n = 3 heaps x[1..n] move take from one heap")?;
    /// assert_eq!(game.heaps().len(), 3);
    /// assert_eq!(game.with("n", 6)?.heaps().len(), 6);
    /// # Ok::<(), nimrule::Error>(())
    /// ```
    pub fn with(&self, parameter: &str, value: i64) -> Result<Game, Error> {
        let mut settings = self.settings.clone();
        settings.insert(parameter.to_owned(), ParamValue::Number(value));
        let compiled = self.compiled.at(&settings, &|path| (self.files)(path))?;
        Ok(Game {
            settings,
            compiled: Arc::new(compiled),
            ..self.clone()
        })
    }

    /// The same game under misère play: the player who cannot move wins.
    ///
    /// # Examples
    ///
    /// ```
    /// use nimrule::{Game, Outcome};
    ///
    /// let nim = Game::parse("game nim heaps a b move take from one heap")?.misere();
    /// assert_eq!(nim.solve(&[1, 1])?.outcome, Outcome::N);
    /// # Ok::<(), nimrule::Error>(())
    /// ```
    #[must_use]
    pub fn misere(self) -> Game {
        Game {
            convention: Convention::Misere,
            ..self
        }
    }

    /// The same game with other limits on memory, time and threads;
    /// [`Limits::DEFAULT_MEMORY`], no limit on the time and one thread unless they are
    /// set.
    ///
    /// # Examples
    ///
    /// ```
    /// use nimrule::{Game, Instant, Limits};
    /// use std::time::Duration;
    ///
    /// let nim = Game::parse("game nim heaps a b move take from one heap")?;
    /// let nim = nim.limited(Limits {
    ///     deadline: Some(Instant::now() + Duration::from_secs(10)),
    ///     ..Limits::of_memory(1 << 30)
    /// });
    /// assert!(nim.solve(&[5, 6]).is_ok());
    /// # Ok::<(), nimrule::Error>(())
    /// ```
    #[must_use]
    pub fn limited(self, limits: Limits) -> Game {
        Game { limits, ..self }
    }

    /// The identifier that the file gives the game.
    ///
    /// ```
    /// let nim = nimrule::Game::parse("game nim heaps a move take from a")?;
    /// assert_eq!(nim.name(), "nim");
    /// # Ok::<(), nimrule::Error>(())
    /// ```
    pub fn name(&self) -> &str {
        &self.rule().name
    }

    /// The names of the heaps, in the order of a position's numbers; empty in a
    /// game on a multiset of heaps.
    ///
    /// ```
    /// let nim = nimrule::Game::parse("game nim heaps left right move take from one heap")?;
    /// assert_eq!(nim.heaps(), ["left", "right"]);
    /// # Ok::<(), nimrule::Error>(())
    /// ```
    pub fn heaps(&self) -> &[String] {
        &self.rule().heap_names
    }

    /// The parameters with their values, as the language writes them.
    ///
    /// ```
    /// let game = nimrule::Game::parse("game g param n = 2 heaps x[1..n] move take from one heap")?;
    /// assert_eq!(game.parameters(), [("n".to_owned(), "2".to_owned())]);
    /// # Ok::<(), nimrule::Error>(())
    /// ```
    pub fn parameters(&self) -> Vec<(String, String)> {
        let params = self.rule().params.iter();
        params
            .map(|(name, value)| (name.clone(), value.written()))
            .collect()
    }

    /// The warnings about the rule file.
    ///
    /// ```
    /// let nim = nimrule::Game::parse("game nim heaps a move take from a")?;
    /// assert!(nim.warnings().is_empty());
    /// # Ok::<(), nimrule::Error>(())
    /// ```
    pub fn warnings(&self) -> &Problems {
        &self.compiled.warnings
    }

    /// The checked rule, which the members of the workspace work on.
    ///
    /// ```
    /// let nim = nimrule::Game::parse("game nim heaps a b move take from one heap")?;
    /// assert_eq!(nim.rule().moves.len(), 1);
    /// # Ok::<(), nimrule::Error>(())
    /// ```
    pub fn rule(&self) -> &nimrule_model::game::Game {
        &self.compiled.game
    }

    /// The play convention.
    ///
    /// ```
    /// use nimrule::{Convention, Game};
    ///
    /// let nim = Game::parse("game nim heaps a move take from a")?;
    /// assert_eq!(nim.convention(), Convention::Normal);
    /// assert_eq!(nim.misere().convention(), Convention::Misere);
    /// # Ok::<(), nimrule::Error>(())
    /// ```
    pub fn convention(&self) -> Convention {
        self.convention
    }

    /// A session about the game, which answers every kind of question: positions of any
    /// size, reasons, sums, claims with an effort, boxes. It has no convention: each question
    /// carries its own, which for this game is [`Game::convention`].
    ///
    /// ```
    /// use nimrule::{Effort, Game};
    ///
    /// let nim = Game::parse("game nim heaps a b move take from one heap claim P iff a == b")?;
    /// let session = nim.session();
    /// let report = session.claim(1, &Effort::PROMPT).expect("a verdict");
    /// assert!(report.is_proved());
    /// # Ok::<(), nimrule::Error>(())
    /// ```
    pub fn session(&self) -> Session<'_> {
        Session::new(self.rule(), self.limits.clone())
            .with_store(self.compiled.rule_hash(), self.proofs.clone())
    }

    /// Reads a position as the language writes it: `(3,4,5)`, `{2,2,7}`, `a=3 c=1`,
    /// `all 2`.
    ///
    /// # Errors
    ///
    /// The faults of the text; that `positions where` excludes it is one, and a number
    /// beyond those of expressions (see [`Game::session`]).
    ///
    /// ```
    /// let nim = nimrule::Game::parse("game nim heaps a b c move take from one heap")?;
    /// assert_eq!(nim.position("c=5")?, [0, 0, 5]);
    /// assert!(nim.position("(1,2)").is_err());
    /// # Ok::<(), nimrule::Error>(())
    /// ```
    pub fn position(&self, written: &str) -> Result<Vec<u64>, Error> {
        let faults = |problems: Vec<PositionProblem>| {
            let source = Source::new("the position", written);
            let problems = problems.into_iter().map(|problem| match problem {
                PositionProblem::Syntax(problem) => Problem::from(problem),
                PositionProblem::Check(problem) => Problem::from(problem),
            });
            Error::Text(Problems::new(&source, problems))
        };
        let position = self.session().read(written).map_err(faults)?;
        match position.small() {
            Some(small) => Ok(small.to_vec()),
            None => Err(Error::Engine(SolveError::Refused {
                reason: "a number of the position is too large for a list of 64 bits".to_owned(),
            })),
        }
    }

    /// A position as the language writes it.
    ///
    /// ```
    /// let nim = nimrule::Game::parse("game nim heaps a b move take from one heap")?;
    /// assert_eq!(nim.display(&[1, 2]), "(1,2)");
    /// # Ok::<(), nimrule::Error>(())
    /// ```
    pub fn display(&self, position: &[u64]) -> String {
        self.rule().shown(position)
    }

    /// Who wins at a position, and by which moves; with the Grundy value where
    /// that costs little more.
    ///
    /// Engines chosen from the rule answer. Where none of them reaches the
    /// position within the limits, a claim of the file may, and is named as the
    /// [basis](Answer::basis).
    ///
    /// # Errors
    ///
    /// No position of the game, a fault in an expression of the rule, or a limit.
    ///
    /// # Examples
    ///
    /// ```
    /// use nimrule::{Game, Outcome};
    ///
    /// let text = "game g heaps a move take 1..3 from a";
    /// let answer = Game::parse(text)?.solve(&[10])?;
    /// assert_eq!(answer.outcome, Outcome::N);
    /// assert_eq!(answer.winning_moves, [[8]]);
    /// # Ok::<(), nimrule::Error>(())
    /// ```
    pub fn solve(&self, position: &[u64]) -> Result<Answer, Error> {
        self.answer(position, Request::GrundyIfCheap)
    }

    /// The Grundy value of a position under normal play.
    ///
    /// # Errors
    ///
    /// As [`Game::solve`]; and positions of a loopy or partizan game, and of one
    /// under misère play, have no Grundy value.
    ///
    /// # Examples
    ///
    /// ```
    /// let nim = nimrule::Game::parse("game nim heaps a b move take from one heap")?;
    /// assert_eq!(nim.grundy(&[5, 6])?, 5 ^ 6);
    /// # Ok::<(), nimrule::Error>(())
    /// ```
    pub fn grundy(&self, position: &[u64]) -> Result<u64, Error> {
        if self.convention == Convention::Misere {
            return Err(Error::NoGrundyValue);
        }
        let answer = self.answer(position, Request::Grundy)?;
        answer.grundy.ok_or(Error::NoGrundyValue)
    }

    fn answer(&self, position: &[u64], request: Request) -> Result<Answer, Error> {
        // Written and read again, a position is held to all that the language asks.
        let position = self.position(&self.display(position))?;
        let ask = Ask {
            convention: self.convention,
            request,
            ..Ask::default()
        };
        let answered = self.session().position(&Position::from(position), &ask);
        answered
            .map(Answer::from)
            .map_err(|unanswered| Error::of(unanswered.failure, self.rule()))
    }

    /// The outcomes of all positions whose heaps have at most `max` tokens.
    ///
    /// # Errors
    ///
    /// A fault in an expression of the rule, or a limit.
    ///
    /// # Examples
    ///
    /// ```
    /// use nimrule::{Game, Outcome};
    ///
    /// let nim = Game::parse("game nim heaps a b move take from one heap")?;
    /// let table = nim.table(2)?;
    /// assert_eq!(table.get(&[1, 1]), Some(Outcome::P));
    /// assert_eq!(table.to_string(), "(0,0)\n(1,1)\n(2,2)\n");
    /// # Ok::<(), nimrule::Error>(())
    /// ```
    pub fn table(&self, max: u64) -> Result<Outcomes, Error> {
        let table = self.solved(max, Question::Outcome)?;
        Ok(Outcomes::new(Arc::clone(&self.compiled), table))
    }

    /// The Grundy values of all positions whose heaps have at most `max` tokens.
    ///
    /// # Errors
    ///
    /// As [`Game::table`], and [`Error::NoGrundyValue`] under misère play.
    ///
    /// # Examples
    ///
    /// ```
    /// let nim = nimrule::Game::parse("game nim heaps a b move take from one heap")?;
    /// let values = nim.grundy_table(3)?;
    /// assert_eq!(values.get(&[1, 3]), Some(2));
    /// # Ok::<(), nimrule::Error>(())
    /// ```
    pub fn grundy_table(&self, max: u64) -> Result<GrundyValues, Error> {
        if self.convention == Convention::Misere {
            return Err(Error::NoGrundyValue);
        }
        let table = self.solved(max, Question::Grundy)?;
        GrundyValues::new(Arc::clone(&self.compiled), table).ok_or(Error::NoGrundyValue)
    }

    fn solved(&self, max: u64, question: Question) -> Result<nimrule_engine::Table, Error> {
        let session = self.session();
        let asked = Query {
            question,
            convention: self.convention,
        };
        let region = session.solver().region(max, &self.limits);
        region
            .and_then(|region| session.table(&region, asked, &self.limits, None))
            .map_err(|failure| Error::of(failure, self.rule()))
    }

    /// The verdict on every claim that applies: proved for all sizes or, without a proof,
    /// compared with the answers at all positions whose heaps have at most `max` tokens. A
    /// claim carries its own convention.
    ///
    /// # Errors
    ///
    /// A fault in an expression of the rule, or a limit.
    ///
    /// # Examples
    ///
    /// ```
    /// let nim = nimrule::Game::parse(
    ///     "game nim heaps a b move take from one heap
    ///      claim P iff a == b
    ///      claim P iff a >= b",
    /// )?;
    /// let checked = nim.check_claims(10)?;
    /// assert_eq!(checked[0].to_string(), "P iff a == b: proved for all heap sizes");
    /// assert_eq!(checked[1].passes(), Some(false));
    /// # Ok::<(), nimrule::Error>(())
    /// ```
    pub fn check_claims(&self, max: u64) -> Result<Vec<ClaimReport>, Error> {
        self.judged(&Effort::COMMAND.with_box(Some(max)))
    }

    fn judged(&self, effort: &Effort) -> Result<Vec<ClaimReport>, Error> {
        let session = self.session();
        let reports = session
            .claims()
            .map(|(number, _)| session.claim(number, effort));
        reports
            .map(|report| report.map_err(|failure| Error::of(failure, self.rule())))
            .collect()
    }

    /// Decides every claim that applies for heaps of all sizes.
    ///
    /// # Errors
    ///
    /// A fault in an expression of the rule, or a limit.
    ///
    /// # Examples
    ///
    /// ```
    /// use nimrule::{Game, Verdict};
    ///
    /// let nim = Game::parse(
    ///     "game nim heaps a b move take from one heap claim P iff a == b",
    /// )?;
    /// let theorems = nim.prove()?;
    /// assert!(matches!(theorems[0].verdict, Verdict::Proved(_)));
    /// # Ok::<(), nimrule::Error>(())
    /// ```
    pub fn prove(&self) -> Result<Vec<ClaimReport>, Error> {
        self.judged(&Effort::PROOF)
    }

    /// Looks for the set of the P-positions for heaps of all sizes, as an
    /// automaton over the digits of the sizes, and proves it; `None` where no
    /// automaton is found.
    ///
    /// # Errors
    ///
    /// A limit, or a rule that the prover does not support.
    ///
    /// # Examples
    ///
    /// ```
    /// let nim = nimrule::Game::parse("game nim heaps a b c move take from one heap")?;
    /// let found = nim.discover()?.expect("Nim has an automaton");
    /// assert_eq!(found.states(), 2);
    /// # Ok::<(), nimrule::Error>(())
    /// ```
    pub fn discover(&self) -> Result<Option<Discovery>, Error> {
        let bounds = DiscoveryBounds::default();
        let found = self.session().discover(self.convention, bounds);
        match found {
            Ok(Discovered::Proved(found)) => Ok(Some(Discovery::new(self.rule(), &found))),
            Ok(Discovered::Unknown(_) | Discovered::NoTheorem(_)) => Ok(None),
            Ok(Discovered::OfAnyNumber(theorem)) => Err(Error::Engine(SolveError::Refused {
                reason: format!(
                    "any number of heaps has no automaton; proved is the claim `{}`",
                    theorem.claim
                ),
            })),
            Ok(Discovered::Unsupported(reason)) => {
                Err(Error::Engine(SolveError::Refused { reason }))
            }
            Err(met) => Err(Error::Engine(SolveError::from(met))),
        }
    }
}
