//! The search for known games with the moves of a rule: the claim `same as GAME` tried with
//! each game of some files, at small values of its parameters.
//!
//! A game has the same moves if some bijection of the heaps carries the options of each position
//! to the options of its image. That is compared with a box and then, for all sizes, proved if
//! it can be. A game with other moves may have the same outcomes, which are compared with the
//! heaps in their order. An agreement that the next value of a parameter does not change, such
//! as of a largest amount that no heap of the box reaches, says nothing of the game and is left
//! out.

use super::claim::Verdict;
use super::effort::{Bounds, Effort};
use super::session::Session;
use nimrule_analysis::check;
use nimrule_claim::fitting_size;
use nimrule_elaborate::{Settings, elaborate, settings_where};
use nimrule_engine::{SolveError, Solver};
use nimrule_limits::Steps;
use nimrule_model::expr::{Bool, List, OfKind};
use nimrule_model::game::{
    Agreement, Applies, Claim, Convention, Game, ParamValue, PositionKind, Rule, SameAs, Statement,
};
use nimrule_model::source::{ReadFile, Span, Spanned};
use nimrule_syntax::ast::{self, File};

/// The most values of the parameters of a file that are tried, the nearest to the defaults
/// first.
const MOST_SETTINGS: usize = 300;

/// The largest heap of the box in which most games differ.
const SMALL: u64 = 3;

/// The most positions and options of the box in which games are compared, and its largest heap.
const POSITIONS: u128 = 20_000;
const OPTIONS: u128 = 400_000;
const LARGEST: u64 = 100;

/// The work for a comparison with one game, and for a proof that its moves are the same.
const COMPARISON: Steps = Steps::million(15);
const PROOF: Steps = Steps::million(30);

/// A file with a game to compare with.
#[derive(Debug, Clone)]
pub struct KnownGame {
    /// The name in a claim: that of the file, without `.nimrule`.
    pub name: String,
    /// The rule.
    pub text: String,
}

/// A game that agrees with the rule.
#[derive(Debug, Clone)]
pub struct SameGame {
    /// The place of its file in the list that was searched.
    pub file: usize,
    /// The title of the game, if it has one.
    pub title: Option<String>,
    /// The agreement as a claim, without the word `claim`: `same as moore(piles = 3, k = 2)`.
    pub claim: String,
    /// What it agrees in: its options or its outcomes.
    pub agreement: Agreement,
    /// Whether that is proved, or to what size it holds.
    pub verdict: Verdict,
}

/// The games that agree with a rule.
#[derive(Debug, Clone)]
pub struct SameGames {
    /// At most one of each file, for the nearest values of its parameters to their defaults: those
    /// proved to have the same moves first, then those compared with a box, then those with
    /// the same outcomes.
    pub found: Vec<SameGame>,
    /// How many games with as many heaps were compared.
    pub compared: usize,
    /// How many files were searched, fewer than there are if the time was over.
    pub searched: usize,
    /// The places of those that were not compared since they have errors.
    pub with_errors: Vec<usize>,
    /// The places of those of which a comparison ended at its bound of work or memory.
    pub unfinished: Vec<usize>,
}

/// The tree of a file that has no errors.
fn parsed(file: &KnownGame, read: ReadFile<'_>) -> Option<File> {
    let tree = nimrule_syntax::parse(&file.text).into_result().ok()?;
    let rule = elaborate(&tree, &file.text, &Settings::new(), read).rule;
    rule.is_some().then_some(tree)
}

impl Session<'_> {
    /// Searches files for games that agree with this one, until they are all searched or the time
    /// is over. `read` reads the files that the rules name.
    ///
    /// # Errors
    ///
    /// Why the game is compared with none, or that the search was interrupted.
    pub fn same_games(
        &self,
        files: &[KnownGame],
        read: ReadFile<'_>,
    ) -> Result<SameGames, SolveError> {
        let game = self.game();
        if !is_comparable(game) {
            let reason = "only impartial games of heaps of one kind are compared, in which each \
                          move is a turn";
            return Err(SolveError::Refused {
                reason: reason.to_owned(),
            });
        }
        let mut all = SameGames {
            found: Vec::new(),
            compared: 0,
            searched: 0,
            with_errors: Vec::new(),
            unfinished: Vec::new(),
        };
        for (place, file) in files.iter().enumerate() {
            let Some(tree) = parsed(file, read) else {
                all.with_errors.push(place);
                all.searched += 1;
                continue;
            };
            let mut is_cut = false;
            let found = match self.in_file(file, tree, read, &mut all.compared, &mut is_cut) {
                Ok(found) => found,
                Err(SolveError::Time) => break,
                Err(SolveError::Stopped) => return Err(SolveError::Stopped),
                // The rule of the file, or of this game, has no value at some position.
                Err(_) => None,
            };
            all.found.extend(found.map(|found| SameGame {
                file: place,
                ..found
            }));
            if is_cut {
                all.unfinished.push(place);
            }
            all.searched += 1;
        }
        all.found.sort_by_key(|one| {
            let is_proved = matches!(one.verdict, Verdict::Proved(_));
            (one.agreement != Agreement::Options, !is_proved)
        });
        Ok(all)
    }

    /// The game of a file that agrees most with this one: in its options or, where none does, in
    /// its outcomes.
    fn in_file(
        &self,
        file: &KnownGame,
        mut tree: File,
        read: ReadFile<'_>,
        compared: &mut usize,
        is_cut: &mut bool,
    ) -> Result<Option<SameGame>, SolveError> {
        tree.statements.retain(|statement| {
            use ast::Statement::{Claim, Example, Start, Suggest};
            !matches!(
                statement.node,
                Claim(_) | Example(_) | Start(_) | Suggest(_)
            )
        });
        let mut of_outcomes = None;
        for settings in settings_where(&tree, &file.text, &Settings::new(), None, MOST_SETTINGS) {
            self.limits.check_time()?;
            let Some(other) = self.candidate(&tree, &file.text, &settings, read) else {
                continue;
            };
            *compared += 1;
            for agreement in [Agreement::Options, Agreement::Outcome] {
                let is_wanted = agreement == Agreement::Options
                    || of_outcomes.is_none() && self.has_outcomes(&other);
                if !is_wanted {
                    continue;
                }
                let claim = self.claim_of(file, &settings, &other, agreement);
                let Some(verdict) = self.in_box(&claim, &other, is_cut)? else {
                    continue;
                };
                let mut is_incidental = false;
                for next in next_settings(&settings) {
                    if let Some(next) = self.candidate(&tree, &file.text, &next, read) {
                        let claim = self.claim_of(file, &settings, &next, agreement);
                        is_incidental |= self.in_box(&claim, &next, is_cut)?.is_some();
                    }
                }
                if is_incidental {
                    continue;
                }
                let verdict = match (agreement, verdict) {
                    (Agreement::Options, verdict @ Verdict::Holds { to, .. }) => {
                        let effort = Effort::EDITOR.proving(PROOF).with_box(Some(to));
                        self.verdict_within(
                            &claim,
                            &effort,
                            Steps(COMPARISON.0 + PROOF.0),
                            &mut false,
                        )?
                        .unwrap_or(verdict)
                    }
                    (_, verdict) => verdict,
                };
                let found = SameGame {
                    file: 0,
                    title: other.presentation.title.clone(),
                    claim: claim.words,
                    agreement,
                    verdict,
                };
                match agreement {
                    Agreement::Options => return Ok(Some(found)),
                    _ => of_outcomes = Some(found),
                }
            }
        }
        Ok(of_outcomes)
    }

    /// The game of a file, if it has positions of the same form.
    fn candidate(
        &self,
        tree: &File,
        text: &str,
        settings: &Settings,
        read: ReadFile<'_>,
    ) -> Option<Game> {
        let rule = elaborate(tree, text, settings, read).rule?;
        let here: &Rule = self.game();
        let is_alike = match (&here.position_kind, &rule.position_kind) {
            (PositionKind::Heaps, PositionKind::Heaps) => {
                here.heap_names.len() == rule.heap_names.len()
                    && here.states.len() == rule.states.len()
                    && is_comparable(&rule)
            }
            (PositionKind::Multiset(_), PositionKind::Multiset(_)) => is_comparable(&rule),
            _ => false,
        };
        let checked = is_alike.then(|| check(tree, text, settings, read));
        checked.and_then(Result::ok).map(|checked| checked.game)
    }

    /// Whether the outcomes of both games are P and N alone.
    fn has_outcomes(&self, other: &Game) -> bool {
        !self.game().may_repeat && !other.may_repeat
    }

    /// The claim that this game agrees with another one.
    fn claim_of(
        &self,
        file: &KnownGame,
        settings: &Settings,
        other: &Game,
        agreement: Agreement,
    ) -> Claim {
        let written: Vec<String> = (other.params.iter())
            // A claim sets no octal code, and no other code than the default is tried.
            .filter(|(name, value)| {
                settings.contains_key(name) && !matches!(value, ParamValue::Code(_))
            })
            .map(|(name, value)| format!("{name} = {}", value.written()))
            .collect();
        let mut words = file.name.clone();
        if !written.is_empty() {
            words.push_str(&format!("({})", written.join(", ")));
        }
        let is_multiset = matches!(self.game().position_kind, PositionKind::Multiset(_));
        let is_mapped = is_multiset && agreement == Agreement::Options;
        let at = Span::from((0, 0));
        Claim {
            words: match agreement {
                Agreement::Options if is_mapped => {
                    format!("same as {words} under (h for h in heaps)")
                }
                Agreement::Options => format!("same as {words}"),
                Agreement::Outcome => format!("same outcome as {words}"),
                Agreement::Grundy => format!("same grundy as {words}"),
            },
            span: at,
            convention: Convention::Normal,
            applies: Applies::Always,
            statement: Some(Statement::SameAs(Box::new(SameAs {
                agreement,
                words,
                map: is_mapped.then(|| Spanned::new(List::Multiset(OfKind::Any), at)),
                condition: Spanned::new(Bool::Const(true), at),
                at,
                other: other.clone(),
            }))),
            refuted: None,
        }
    }

    /// The verdict on a claim about another game that holds in a box, or in all of a finite game.
    fn in_box(
        &self,
        claim: &Claim,
        other: &Game,
        is_cut: &mut bool,
    ) -> Result<Option<Verdict>, SolveError> {
        let sizes = [self.solver(), &Solver::new(other)];
        let sizes = sizes.map(|solver| fitting_size(solver, POSITIONS, OPTIONS));
        let most = sizes.into_iter().min().unwrap_or(0).clamp(1, LARGEST);
        let mut found = None;
        for most in [SMALL.min(most), most] {
            let effort = Effort {
                bounds: Some(Bounds::Asked(most)),
                ..Effort::EDITOR.by_box_alone()
            };
            found = self.verdict_within(claim, &effort, COMPARISON, is_cut)?;
            if found.is_none() {
                break;
            }
        }
        Ok(found)
    }

    /// The verdict on a claim, if it is proved or holds, within work of its own.
    fn verdict_within(
        &self,
        claim: &Claim,
        effort: &Effort,
        work: Steps,
        is_cut: &mut bool,
    ) -> Result<Option<Verdict>, SolveError> {
        let session = Session::new(self.game(), self.limits.cap_work(work));
        let found = match session.without_box(claim, effort) {
            Ok(found) => match found.settled {
                Some((verdict, _)) => Ok(verdict),
                None => session.by_box(claim, effort),
            },
            Err(failure) => Err(failure),
        };
        match found {
            Ok(verdict @ (Verdict::Proved(_) | Verdict::Holds { .. })) => Ok(Some(verdict)),
            Err(failure @ (SolveError::Time | SolveError::Stopped)) => Err(failure),
            Err(SolveError::Work { .. } | SolveError::Memory { .. }) => {
                *is_cut = true;
                Ok(None)
            }
            // The other game has no value at some position.
            Ok(_) | Err(_) => Ok(None),
        }
    }
}

/// The settings in which one number is larger by 1.
fn next_settings(settings: &Settings) -> Vec<Settings> {
    let numbers = settings.iter().filter_map(|(name, value)| match value {
        ParamValue::Number(value) => Some((name.clone(), value.saturating_add(1))),
        _ => None,
    });
    let next = |(name, value)| {
        let mut next = settings.clone();
        next.insert(name, ParamValue::Number(value));
        next
    };
    numbers.map(next).collect()
}

/// Whether the positions are heaps, or multisets of heaps of one kind, and each move is a turn of
/// either player.
fn is_comparable(rule: &Rule) -> bool {
    match &rule.position_kind {
        _ if rule.has_sides() || rule.moves_again().is_some() => false,
        PositionKind::Heaps => true,
        PositionKind::Multiset(kinds) => kinds.count() == 1,
        PositionKind::Tokens(_) | PositionKind::Reals | PositionKind::Open(_) => false,
    }
}
