//! A position with heaps of any size, answered by a proof for all sizes: from the
//! proof cache, or found now.

use super::Arguments;
use super::explained::explained;
use super::position::{AnswerRows, MOVES_SHOWN, moves_counted};
use crate::cli::load::{self, Answered};
use crate::cli::proof_cache::ProofCache;
use crate::cli::text::{self, FAINT, STRONG};
use crate::cli::{Format, Shared, Status, json, progress, prove};
use nimrule_claim::{Basis, PositionQuery};
use nimrule_engine::{self as engine, Limits, Query, Question, SolveError, Solver};
use nimrule_ir::Walker;
use nimrule_model::game::{Convention, Game};
use nimrule_prove::ProveError;
use nimrule_prove::procedures;
use nimrule_prove::proof_cache::ProofOrigin;
use nimrule_prove::proved_outcomes::{self, Evidence, PositionOutcome, ProvedOutcomes};
use num_bigint::BigUint;
use serde_json::json;
use std::collections::BTreeSet;
use std::io::Write as _;
use std::ops::ControlFlow;
use std::path::PathBuf;

/// Returns whether a number of the position exceeds 64 bits.
pub(super) fn is_needed(written: &str) -> bool {
    written
        .split(|c: char| !c.is_ascii_digit())
        .any(|digits| !digits.is_empty() && digits.parse::<i64>().is_err())
}

/// Returns whether proofs for all sizes exist for such a game.
pub(super) fn speaks_of(game: &Game) -> bool {
    procedures::check_supported_by_any(game).is_ok()
}

/// Returns whether to search for a proof if engines might answer as well. With
/// many heaps the search takes long and fails.
pub(super) fn is_in_reach(game: &Game) -> bool {
    procedures::is_affordable(game)
}

/// Answers a position with numbers beyond 64 bits.
pub(super) fn solve(
    arguments: &Arguments,
    shared: &Shared,
    game: &Game,
    written: &str,
    proofs: &ProofCache<'_>,
) -> Answered<Status> {
    if arguments.grundy || arguments.engine.is_some() || arguments.no_claims {
        return Err(load::wrong(
            "a number of the position is too large for every engine, and proofs give only \
             outcomes; remove `--grundy`, `--engine` and `--no-claims`",
        ));
    }
    if !speaks_of(game) {
        return Err(load::wrong(
            "a number of the position is too large; heaps of any size need an impartial game \
             with a fixed number of heaps",
        ));
    }
    let position = read(game, written)?;
    let convention = arguments.convention();
    let (limits, _) = prove::patient(&shared.limits(), shared.time_limit);
    let proof = match cached(game, convention, proofs, &limits) {
        Some(proof) => proof,
        None => match sought(game, convention, proofs, &limits) {
            Ok(Some(proof)) => proof,
            Err(failure) => return Err(load::failed(&failure, &Solver::new(game), None)),
            Ok(None) => {
                limits
                    .check_time()
                    .map_err(SolveError::from)
                    .map_err(|failure| load::failed(&failure, &Solver::new(game), None))?;
                return Err(load::wrong(
                    "a number of the position is too large for every engine, and no claim \
                     about the P-positions of this game is proved for all sizes; see `nimrule \
                     prove`",
                ));
            }
        },
    };
    proof.answer(arguments, shared, &position, &Details::default(), &limits)
}

/// The P-positions for all sizes, from the proof cache.
pub(super) fn cached<'g>(
    game: &'g Game,
    convention: Convention,
    proofs: &ProofCache<'_>,
    limits: &Limits,
) -> Option<Proof<'g>> {
    let found = proofs.find(convention, limits)?;
    Some(Proof {
        game,
        convention,
        everywhere: ProvedOutcomes::from_cache(game, convention, found.cached),
        path: Some(found.path),
    })
}

/// The P-positions for all sizes, by a proof that is found now and cached.
pub(super) fn sought<'g>(
    game: &'g Game,
    convention: Convention,
    proofs: &ProofCache<'_>,
    limits: &Limits,
) -> Result<Option<Proof<'g>>, SolveError> {
    let everywhere = proved_outcomes::prove_outcomes(game, convention, limits)?;
    Ok(everywhere.map(|everywhere| {
        proofs.store(convention, &everywhere.to_cached(), limits);
        Proof {
            game,
            convention,
            everywhere,
            path: None,
        }
    }))
}

/// What is known besides a proof about a position that engines can read.
#[derive(Default)]
pub(super) struct Details {
    /// All winning moves, if they could be enumerated.
    moves: Option<Vec<Vec<u64>>>,
    /// The Grundy value by a claim, and the claim.
    value: Option<(u64, Basis)>,
}

/// The largest number of options among which winning moves are looked for: less than a
/// second's work.
const MOST_OPTIONS: u64 = 200_000;

/// The P-positions for all sizes, with the path of the cached proof.
pub(super) struct Proof<'g> {
    game: &'g Game,
    convention: Convention,
    everywhere: ProvedOutcomes<'g>,
    path: Option<PathBuf>,
}

impl Proof<'_> {
    /// All winning moves, and the Grundy value, of a position that engines can read.
    pub(super) fn details(&self, query: &PositionQuery<'_, '_>) -> Result<Details, SolveError> {
        let is_p = self.everywhere.contains(query.position);
        let value = query.value_by_claim()?;
        Ok(Details {
            moves: self.all_winning_moves(query)?,
            // A claim may hold on the box on which it was checked and fail here.
            value: value.filter(|(value, _)| (*value == 0) == is_p),
        })
    }

    /// All winning moves; `None` if there are too many options to look at.
    fn all_winning_moves(
        &self,
        query: &PositionQuery<'_, '_>,
    ) -> Result<Option<Vec<Vec<u64>>>, SolveError> {
        if self.everywhere.contains(query.position) {
            return Ok(Some(Vec::new()));
        }
        let tokens = query
            .position
            .iter()
            .try_fold(0_u64, |sum, size| sum.checked_add(*size));
        if tokens.is_none_or(|tokens| tokens > MOST_OPTIONS) {
            return Ok(None);
        }
        let mut visited = 0;
        let mut winning = BTreeSet::new();
        let walked = Walker::new(&query.solver.graph, &[])
            .until(query.limits)
            .options(query.position, 0, &mut |option, _| {
                visited += 1;
                if self.everywhere.contains(option) {
                    winning.insert(option.to_vec());
                }
                match visited < MOST_OPTIONS {
                    true => ControlFlow::Continue(()),
                    false => ControlFlow::Break(()),
                }
            });
        walked.map_err(|stop| SolveError::of(stop, query.position))?;
        Ok((visited < MOST_OPTIONS).then(|| winning.into_iter().collect()))
    }

    /// Writes who wins, with the winning moves.
    pub(super) fn answer(
        &self,
        arguments: &Arguments,
        shared: &Shared,
        position: &[BigUint],
        details: &Details,
        limits: &Limits,
    ) -> Answered<Status> {
        let game = self.game;
        let known = self
            .everywhere
            .outcome(position, limits)
            .map_err(|trouble| match trouble {
                ProveError::Unsupported(unsupported) => load::wrong(&unsupported.what),
                ProveError::LimitExceeded(met) => {
                    load::failed(&SolveError::from(met), &Solver::new(game), None)
                }
            })?;
        if !known.is_position {
            return Err(load::wrong("`positions where` excludes this position"));
        }
        let mut out = progress::stdout();
        let written = match shared.format {
            Format::Text => {
                let mut shown = self.as_text(position, &known, details);
                if arguments.explain {
                    shown.push_str(&self.explained(position));
                }
                write!(out, "{shown}")
            }
            Format::Json => writeln!(out, "{}", self.as_json(position, &known, details)),
            Format::Csv => as_csv(&mut out, game, position, &known, details),
        };
        super::finish(written)
    }

    fn as_json(
        &self,
        position: &[BigUint],
        known: &PositionOutcome,
        details: &Details,
    ) -> serde_json::Value {
        let mut head = json::head(self.game);
        head.insert("convention".into(), json!(self.convention.word()));
        head.insert("position".into(), numbers(position));
        head.insert("outcome".into(), json!(if known.is_p { "P" } else { "N" }));
        let value = details.value.as_ref();
        head.insert("grundy".into(), json!(value.map(|(value, _)| value)));
        if let Some((_, basis)) = value {
            head.insert("grundy_basis".into(), json!(basis.extent()));
            head.insert("grundy_claim".into(), json!(basis.claim));
        }
        let moves = match &details.moves {
            Some(moves) => json!(moves),
            None => known.winning.iter().map(|to| numbers(to)).collect(),
        };
        head.insert("winning_moves".into(), moves);
        let small = |position: &[BigUint]| -> Option<Vec<u64>> {
            let sizes = position.iter().map(|size| u64::try_from(size).ok());
            sizes.collect()
        };
        let words = |to: &[u64]| Some(text::change(self.game, &small(position)?, to));
        let in_words: Option<Vec<String>> = match &details.moves {
            Some(moves) => moves.iter().map(|to| words(to)).collect(),
            None => known.winning.iter().map(|to| words(&small(to)?)).collect(),
        };
        if let Some(in_words) = in_words {
            head.insert("moves_in_words".into(), json!(in_words));
        }
        head.insert("one_a_selection".into(), json!(details.moves.is_none()));
        head.insert("method".into(), json!(METHOD));
        head.insert("basis".into(), json!("proved"));
        if let Some(words) = self.everywhere.evidence.claim() {
            head.insert("claim".into(), json!(words));
        }
        head.into()
    }

    /// The properties of the rule, and why the engines were rejected.
    fn explained(&self, position: &[BigUint]) -> String {
        let solver = Solver::new(self.game);
        let small: Option<Vec<u64>> = position.iter().map(|n| u64::try_from(n).ok()).collect();
        let asked = Query {
            question: Question::Outcome,
            convention: self.convention,
        };
        let rejected = small.map_or_else(Vec::new, |position| {
            let limits = Limits::of_memory(u64::MAX);
            engine::choose_for_one(&solver, &position, asked, &limits, None)
                .map_or_else(|_| Vec::new(), |choice| choice.rejected)
        });
        let mut shown = explained(&solver, &rejected);
        let cached = match &self.path {
            Some(path) => format!("in `{}`", path.display()),
            None => "none; proved now".to_owned(),
        };
        shown.push_str(&format!(
            "  {FAINT}{:<20}{FAINT:#}{}\n",
            "cached proof",
            text::wrapped(&cached, 56, 22)
        ));
        shown
    }
}

/// The method of an answer by a proof (other methods are engine names).
const METHOD: &str = "proof";

/// The winning moves, one a row.
fn as_csv(
    out: &mut dyn std::io::Write,
    game: &Game,
    position: &[BigUint],
    known: &PositionOutcome,
    details: &Details,
) -> std::io::Result<()> {
    let cells = |position: &[BigUint]| position.iter().map(BigUint::to_string).collect();
    let answer = AnswerRows {
        columns: game.heap_names.clone(),
        position: cells(position),
        outcome: if known.is_p { "P" } else { "N" }.to_owned(),
        grundy: details.value.as_ref().map(|(value, _)| value.to_string()),
        winning: match &details.moves {
            Some(moves) => (moves.iter())
                .map(|option| option.iter().map(u64::to_string).collect())
                .collect(),
            None => known.winning.iter().map(|option| cells(option)).collect(),
        },
    };
    answer.write(out)
}

/// Numbers of any size: as JSON numbers up to 64 bits, else as strings.
fn numbers(numbers: &[BigUint]) -> serde_json::Value {
    let one = |number: &BigUint| match u64::try_from(number) {
        Ok(small) => json!(small),
        Err(_) => json!(number.to_string()),
    };
    numbers.iter().map(one).collect()
}

/// Parses a position written as sizes in order, or as `name=size`.
fn read(game: &Game, written: &str) -> Answered<Vec<BigUint>> {
    let inner = written.trim().trim_start_matches('(').trim_end_matches(')');
    let words: Vec<&str> = inner
        .split(|c: char| c == ',' || c.is_whitespace())
        .filter(|word| !word.is_empty())
        .collect();
    let size = |digits: &str| {
        let is_number = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
        is_number
            .then(|| BigUint::parse_bytes(digits.as_bytes(), 10))
            .flatten()
            .ok_or_else(|| load::wrong(&format!("`{}` is not a heap size", shortened(digits))))
    };
    let heaps = game.heap_count();
    if words.iter().any(|word| word.contains('=')) {
        let mut position = vec![BigUint::ZERO; heaps];
        for word in words {
            let (name, digits) = word.split_once('=').unwrap_or((word, ""));
            let Some(heap) = game.heap_names.iter().position(|other| other == name) else {
                return Err(load::wrong(&format!(
                    "there is no heap `{name}`; the heaps are {}",
                    text::wrapped(&game.heap_names.join(" "), 60, 2)
                )));
            };
            position[heap] = size(digits)?;
        }
        return Ok(position);
    }
    if words.len() != heaps {
        return Err(load::wrong(&format!(
            "the position has {} numbers, but the game has {heaps} heaps: {}",
            words.len(),
            text::wrapped(&game.heap_names.join(" "), 60, 2)
        )));
    }
    words.into_iter().map(size).collect()
}

/// A long number, abbreviated to its first and last digits.
fn shortened(digits: &str) -> String {
    if digits.len() <= 30 {
        return digits.to_owned();
    }
    format!(
        "{}…{} ({} digits)",
        &digits[..10],
        &digits[digits.len() - 10..],
        text::grouped(digits.len() as u128)
    )
}

impl Proof<'_> {
    fn as_text(&self, position: &[BigUint], known: &PositionOutcome, details: &Details) -> String {
        let (game, everywhere) = (self.game, &self.everywhere);
        let mut shown = format!("{STRONG}{}{STRONG:#}\n\n", text::heading(game));
        let width = game.heap_names.iter().map(String::len).max().unwrap_or(0);
        for (name, size) in game.heap_names.iter().zip(position) {
            shown.push_str(&format!(
                "  {name:<width$}  {}\n",
                shortened(&size.to_string())
            ));
        }
        let outcome = if known.is_p {
            "P-position: the player who has just moved wins"
        } else {
            "N-position: the player to move wins"
        };
        let play = match self.convention {
            Convention::Normal => "",
            Convention::Misere => " under misere play",
        };
        shown.push_str(&format!("\n  {STRONG}{outcome}{STRONG:#}{play}\n"));
        let states = || match everywhere.states {
            1 => "a DFA with 1 state".to_owned(),
            many => format!("a DFA with {} states", text::grouped(many as u128)),
        };
        let by = match &everywhere.evidence {
            Evidence::Claim(number, claim) => format!(
                "claim {number} of the file, proved for all sizes: {}",
                claim.words
            ),
            Evidence::Discovered(_) => format!("{}, found from the rule and proved", states()),
            Evidence::Cached(ProofOrigin::Claim(words)) => {
                format!("a cached proof for all sizes, of the claim: {words}")
            }
            Evidence::Cached(ProofOrigin::Rule(_)) => format!(
                "a cached proof for all sizes: {}, found from the rule",
                states()
            ),
        };
        shown.push_str(&format!(
            "  {FAINT}by {}{FAINT:#}\n",
            text::wrapped(&by, 72, 5)
        ));
        if let Some((value, basis)) = &details.value {
            let by = format!("by the claim `{}`, {}", basis.claim, text::extent(basis));
            shown.push_str(&format!(
                "  Grundy value {value}\n  {FAINT}{}{FAINT:#}\n",
                text::wrapped(&by, 72, 5)
            ));
        }
        let small: Option<Vec<u64>> = position.iter().map(|n| u64::try_from(n).ok()).collect();
        if let (Some(moves), Some(small), false) = (&details.moves, &small, known.is_p)
            && !moves.is_empty()
        {
            shown.push_str(&format!("\n  {}\n", moves_counted(moves.len(), false)));
            for option in moves.iter().take(MOVES_SHOWN) {
                shown.push_str(&text::move_line(game, small, option));
            }
        } else if !known.winning.is_empty() {
            shown.push_str("\nWinning moves, at most one for each choice of heaps\n");
            for option in &known.winning {
                shown.push('\n');
                for ((name, before), after) in game.heap_names.iter().zip(position).zip(option) {
                    if before != after {
                        shown.push_str(&format!(
                            "  {name:<width$}  to {}\n",
                            shortened(&after.to_string())
                        ));
                    }
                }
            }
            shown.push_str(&format!(
                "\n{FAINT}`--format json` gives all digits{FAINT:#}\n"
            ));
        } else if !known.is_p {
            shown.push_str("\nNo move is needed: the player who cannot move wins.\n");
        }
        shown
    }
}
