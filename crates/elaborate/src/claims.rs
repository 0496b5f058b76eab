//! Claims, examples and positions.

use super::names::Meaning;
use super::{CheckProblem, Checker, MultisetProblem, Problem, period, problem, same_as};
use nimrule_board::Symmetries;
use nimrule_model::expr::{Bool, Environment, Expr as Checked, Num, Part};
use nimrule_model::game::{
    Agreement, Applies, Claim, Convention, Example, Game, HeapKinds, PositionKind, Statement,
    Verdict,
};
use nimrule_model::position::Position as AnySize;
use nimrule_model::source::{Span, Spanned};
use nimrule_syntax::ast::{self, ClaimStatement, Class, Entry, Expr, File, Position, PositionForm};
use num_bigint::BigUint;
use std::sync::Arc;

/// The largest number of tokens in a heap: the limit of every engine.
pub const MAX_SIZE: u64 = i64::MAX.unsigned_abs();

impl Checker<'_> {
    pub fn claims(&mut self, file: &File) -> Vec<Claim> {
        let mut claims = Vec::new();
        for statement in &file.statements {
            if let ast::Statement::Claim(claim) = &statement.node {
                claims.extend(self.claim(claim));
            }
        }
        claims
    }

    fn claim(&mut self, claim: &ast::Claim) -> Option<Claim> {
        self.form_names.clear();
        let applies = self.applies(claim.condition.as_ref())?;
        let mut checked = Claim {
            words: self.quote(claim.words.span),
            span: claim.words.span,
            convention: convention(claim.misere),
            applies,
            statement: None,
            refuted: None,
        };
        // A claim for other parameters may name cells that this board lacks.
        // Games are the same for each number of heaps alone.
        let is_same = matches!(claim.statement, ClaimStatement::SameAs { .. });
        if self.counts_open && is_same {
            checked.applies = Applies::Elsewhere;
        }
        if checked.applies == Applies::Elsewhere || self.has_no_heaps() {
            return Some(checked);
        }
        checked.statement = Some(match &claim.statement {
            ClaimStatement::Outcome {
                class,
                consistent,
                up_to_symmetry,
                direction,
                condition,
            } => {
                let possible = match consistent {
                    true => self.check_labelling(*class, *direction, claim),
                    false => self.check_outcome_class(*class, claim.words.span),
                };
                let condition = self.truth(condition);
                possible?;
                Statement::Outcome {
                    class: *class,
                    consistent: *consistent,
                    up_to_symmetry: *up_to_symmetry,
                    direction: *direction,
                    condition: condition?,
                }
            }
            ClaimStatement::Grundy(value) => {
                let possible = self.check_has_values(claim.words.span);
                let value = self.num(value);
                possible?;
                Statement::Grundy(value?)
            }
            ClaimStatement::Cogame(labelling) => {
                self.check_one_digraph(claim)?;
                Statement::Cogame(match labelling {
                    None => None,
                    Some((class, condition)) => {
                        self.check_labelling(*class, ast::Direction::Iff, claim)?;
                        let condition = self.truth(condition)?;
                        Some(match class {
                            Class::N => {
                                let at = condition.span;
                                Spanned::new(Bool::Not(Box::new(condition)), at)
                            }
                            _ => condition,
                        })
                    }
                })
            }
            ClaimStatement::Labellings(count) => {
                self.check_one_digraph(claim)?;
                let value = self.constant(count)?;
                let Ok(value) = u64::try_from(value) else {
                    self.problem(Problem::NoValue {
                        fault: format!("a game cannot have {value} labellings"),
                        at: count.span,
                    });
                    return None;
                };
                if let Some(position) = &claim.refuted {
                    self.problem(Problem::NoStructure {
                        reason: "one position cannot refute a number of labellings",
                        fix: "claim the correct number, or make another claim",
                        at: position.span,
                    });
                    return None;
                }
                Statement::KernelCount(value)
            }
            ClaimStatement::Pairing(_)
            | ClaimStatement::SameAs {
                agreement: Agreement::Options,
                ..
            } if self.blocked_options > 0 => {
                return self.check_one_digraph(claim).and(None);
            }
            ClaimStatement::Pairing(pairs) => Statement::Pairing(self.pairing(pairs)?),
            ClaimStatement::WinsBy {
                names,
                option,
                condition,
            } => {
                self.check_winning_move(option, claim)?;
                let mark = self.names.mark();
                let mut named = Vec::new();
                for (name, value) in names {
                    let value = self.num(value);
                    named.push((self.bind_number(name), value));
                }
                let sizes: Vec<_> = option.node.iter().map(|size| self.num(size)).collect();
                self.close_scope(mark);
                let condition = match condition {
                    Some(condition) => Some(self.truth(condition)?),
                    None => None,
                };
                let mut option = sizes.into_iter().collect::<Option<Vec<_>>>()?;
                for (slot, value) in named.into_iter().rev() {
                    let value = value?;
                    for size in &mut option {
                        let body = Box::new(size.clone());
                        size.node = Num::Let(slot, Box::new(value.clone()), body);
                    }
                }
                Statement::WinsBy { option, condition }
            }
            ClaimStatement::SameAs {
                agreement,
                game,
                settings,
                map,
                condition,
            } => {
                if *agreement == Agreement::Grundy {
                    self.check_has_values(claim.words.span)?;
                }
                let written = same_as::Written {
                    agreement: *agreement,
                    game,
                    settings,
                    map: map.as_ref(),
                    condition: condition.as_ref(),
                };
                Statement::SameAs(Box::new(self.same_as(&written)?))
            }
            ClaimStatement::Period {
                period,
                from,
                saltus,
                kind,
            } => {
                self.check_has_values(claim.words.span)?;
                let written = period::Written {
                    period,
                    from,
                    saltus: saltus.as_ref(),
                    kind: kind.as_ref(),
                };
                self.period_claim(claim.misere, &written, claim.words.span)?
            }
            ClaimStatement::Quotient { to, elements } => {
                if self.blocked_options > 0 {
                    self.check_has_values(claim.words.span)?;
                }
                self.quotient_claim(claim.misere, to, elements, claim.words.span)?
            }
        });
        if let Some(position) = &claim.refuted {
            checked.refuted = Some(self.position(position)?);
        }
        Some(checked)
    }

    fn applies(&mut self, condition: Option<&Expr>) -> Option<Applies> {
        match condition {
            None => Some(Applies::Always),
            // What holds for some numbers of heaps is no claim about all.
            Some(condition) if self.counts_open => {
                Some(match self.constant_truth_or_open(condition)? {
                    Some(true) => Applies::Here,
                    Some(false) | None => Applies::Elsewhere,
                })
            }
            Some(condition) => Some(if self.constant_truth(condition)? {
                Applies::Here
            } else {
                Applies::Elsewhere
            }),
        }
    }

    pub fn examples(&mut self, file: &File) -> Vec<Example> {
        let mut examples = Vec::new();
        for statement in &file.statements {
            if let ast::Statement::Example(example) = &statement.node {
                let at = statement.span;
                examples.extend(self.example(example, at));
            }
        }
        examples
    }

    fn example(&mut self, example: &ast::Example, span: Span) -> Option<Example> {
        let applies = match self.counts_open {
            // A position has a number of heaps.
            true => Applies::Elsewhere,
            false => self.applies(example.condition.as_ref())?,
        };
        let words = self.quote(span);
        let words = words.strip_prefix("example ").unwrap_or(&words).to_owned();
        let (position, verdict) = if applies == Applies::Elsewhere || self.has_no_heaps() {
            (Vec::new(), Verdict::Is(Class::P))
        } else {
            let position = self.position(&example.position);
            let verdict = match &example.verdict {
                ast::Verdict::Loses => Some(Verdict::Is(Class::P)),
                ast::Verdict::Is(class) => self
                    .check_outcome_class(*class, span)
                    .map(|()| Verdict::Is(*class)),
                ast::Verdict::HasGrundy(value) => {
                    let possible = self.check_has_values(span);
                    let value = self.constant(value);
                    possible.and(value.map(Verdict::HasGrundy))
                }
                ast::Verdict::WinsBy { options, only } => {
                    let of_both = match only {
                        true => self.check_moves_of_both(span),
                        false => Some(()),
                    };
                    let options = self.all_positions(options);
                    of_both.and(options.map(|options| Verdict::WinsBy {
                        options,
                        only: *only,
                    }))
                }
                ast::Verdict::WinningMoves(number) => {
                    let of_both = self.check_moves_of_both(span);
                    let value = self.constant(number);
                    of_both
                        .and(value)
                        .and_then(|value| match u64::try_from(value) {
                            Ok(value) => Some(Verdict::WinningMoves(value)),
                            Err(_) => {
                                self.problem(Problem::NoValue {
                                    fault: format!("a position cannot have {value} winning moves"),
                                    at: number.span,
                                });
                                None
                            }
                        })
                }
                ast::Verdict::Play(line) => self.all_positions(line).map(Verdict::Play),
            };
            (position?, verdict?)
        };
        Some(Example {
            words,
            span,
            convention: convention(example.misere),
            applies,
            position,
            verdict,
        })
    }

    fn all_positions(&mut self, written: &[Position]) -> Option<Vec<Vec<u64>>> {
        let all: Vec<_> = written.iter().map(|one| self.position(one)).collect();
        all.into_iter().collect()
    }

    /// Reports a statement about all winning moves where each side has moves of its own, or
    /// the opponent may block some.
    fn check_moves_of_both(&mut self, at: Span) -> Option<()> {
        let reason = match (self.partizan, self.blocked_options) {
            (false, 0) => return Some(()),
            (true, _) => "each side has moves of its own",
            (false, _) => "the opponent may block options",
        };
        self.problem(Problem::WinningMoves {
            reason,
            fix: "state the outcome, as in `is P`, or one move, as in `wins by (1,2)`",
            at,
        });
        None
    }

    /// Reports a claim of winning moves that cannot be one, by the rule or by its length.
    fn check_winning_move(
        &mut self,
        option: &Spanned<Vec<Expr>>,
        claim: &ast::Claim,
    ) -> Option<()> {
        let at = claim.words.span;
        let heaps = self.heap_names.len();
        let reason = if self.partizan {
            "each side has moves of its own"
        } else if self.blocked_options > 0 {
            "the opponent may block options"
        } else if self.heap_kinds.is_some() {
            "the number of heaps is not fixed"
        } else if self.digraph.is_some() {
            "its positions are vertices"
        } else if option.node.len() != heaps {
            self.problem(Problem::PositionLength {
                entries: option.node.len(),
                heaps,
                names: format!("the sizes of {}", some_names(&self.heap_names)),
                at: option.span,
            });
            return None;
        } else {
            return Some(());
        };
        self.problem(Problem::WinningMoves {
            reason,
            fix: "give examples: `example POSITION wins by POSITION`",
            at,
        });
        None
    }

    /// Reports a claim about the move digraph in a partizan game, which has two.
    fn check_one_digraph(&mut self, claim: &ast::Claim) -> Option<()> {
        let (reason, fix) = match (self.partizan, claim.misere) {
            (true, _) => (
                "each side has moves of its own",
                "claim outcomes instead: `claim P iff …`, or L, R and N",
            ),
            (false, _) if self.blocked_options > 0 => (
                "the opponent may block options",
                "claim outcomes instead: `claim P iff …`, or N",
            ),
            (false, true) => (
                "labellings are for normal play",
                "remove `misere`: the player who cannot move loses",
            ),
            (false, false) => return Some(()),
        };
        self.problem(Problem::NoStructure {
            reason,
            fix,
            at: claim.words.span,
        });
        None
    }

    /// Reports a claim `consistent` that leaves the outcome of some positions
    /// open.
    fn check_labelling(
        &mut self,
        class: Class,
        direction: ast::Direction,
        claim: &ast::Claim,
    ) -> Option<()> {
        if self.partizan {
            return self.check_one_digraph(claim);
        }
        if self.blocked_options > 0 {
            return self.check_one_digraph(claim);
        }
        if direction == ast::Direction::Iff && matches!(class, Class::P | Class::N) {
            return Some(());
        }
        self.problem(Problem::NoStructure {
            reason: "a labelling marks every position P or N",
            fix: "write `claim consistent P iff …`",
            at: claim.words.span,
        });
        None
    }

    /// Reports an outcome class that no position of this game can have.
    fn check_outcome_class(&mut self, class: Class, at: Span) -> Option<()> {
        let (reason, fix) = match class {
            Class::L | Class::R if !self.partizan => (
                "both players have the same moves",
                "if both players have the same moves, a position is P or N; `move left …` and \
                 `move right …` give each side its own",
            ),
            Class::D if self.may_repeat.is_none() => (
                "play always ends with a winner",
                "only positions of a game with `positions may repeat` can be draws",
            ),
            _ => return Some(()),
        };
        self.problem(Problem::NoSuchOutcome {
            class: class.letter(),
            reason,
            fix,
            at,
        });
        None
    }

    /// Reports a claim about Grundy values in a game that has none.
    fn check_has_values(&mut self, at: Span) -> Option<()> {
        let (reason, classes) = match (self.partizan, self.may_repeat) {
            (false, None) if self.blocked_options > 0 => {
                ("the opponent may block options", "`claim P iff …`, or N")
            }
            (false, None) => return Some(()),
            (true, None) => (
                "each side has moves of its own",
                "`claim P iff …`, or L, R and N",
            ),
            (true, Some(_)) => (
                "each side has moves of its own",
                "`claim P iff …`, or L, R, N and D",
            ),
            (false, Some(_)) => ("positions may repeat", "`claim P iff …`, or N and D"),
        };
        self.problem(Problem::NoValues {
            reason,
            classes,
            at,
        });
        None
    }

    pub fn start(&mut self, file: &File) -> Option<Vec<u64>> {
        for statement in &file.statements {
            if let ast::Statement::Start(position) = &statement.node
                && !self.has_no_heaps()
                && !self.counts_open
            {
                return self.position(position);
            }
        }
        None
    }

    fn position(&mut self, position: &Position) -> Option<Vec<u64>> {
        if let Some(kinds) = self.heap_kinds.clone() {
            return self.multiset_position(position, &kinds);
        }
        let heaps = self.heap_names.len();
        // States that have an initial value may be left out.
        let stateless = heaps - self.states.len();
        // A token that a position does not name is on the first vertex.
        let initial = self.states.iter().map(|state| match state.is_token {
            true => state.low,
            false => state.initial.unwrap_or_default(),
        });
        let mut sizes: Vec<u64> = std::iter::repeat_n(0, stateless).chain(initial).collect();
        let (form, named) = match &position.node {
            PositionForm::WithStates(form, named) => (&**form, named.as_slice()),
            form => (form, &[][..]),
        };
        match form {
            PositionForm::Tuple(entries) if self.is_one_vertex(entries) => {
                // The vertex of the only token may omit the outer brackets.
                let values: Vec<Expr> = entries
                    .iter()
                    .filter_map(|entry| match entry {
                        Entry::Number(expr) => Some(expr.clone()),
                        Entry::Coordinates(_) => None,
                    })
                    .collect();
                let whole = Entry::Coordinates(Spanned::new(values, position.span));
                sizes[0] = self.vertex(&whole)?;
            }
            PositionForm::Tuple(entries) => {
                // On a shrinking board a position may omit vanished heaps, unless some heaps
                // are not on the board.
                let may_be_short = self.shrinking.is_some_and(|board| board.count == heaps);
                let stated = match self.only_tokens {
                    true => heaps,
                    false => stateless + self.tokens.len(),
                };
                let is_named = |name: &String| named.iter().any(|(of, _)| of.name.node == *name);
                let names = &self.heap_names[stateless..];
                let mut may_be_omitted = self.states.iter().zip(names);
                let may_omit = may_be_omitted.all(|(state, name)| {
                    state.is_token || state.initial.is_some() || is_named(name)
                });
                let fits = self.heaps_are_faulty
                    || (may_omit && entries.len() == stated)
                    || (named.is_empty() && entries.len() == heaps)
                    || (may_be_short && entries.len() < heaps);
                if !fits {
                    let (of_heaps, states) = self.heap_names.split_at(stated);
                    let (of_heaps, of_tokens) = of_heaps.split_at(match self.only_tokens {
                        true => 0,
                        false => stateless,
                    });
                    let mut names = Vec::new();
                    if !of_heaps.is_empty() {
                        names.push(format!("the sizes of {}", some_names(of_heaps)));
                    }
                    if !of_tokens.is_empty() {
                        names.push(format!("the vertices of {}", some_names(of_tokens)));
                    }
                    let mut names = names.join(", ");
                    if let Some(state) = states.first() {
                        names.push_str(&format!(
                            " and the value of the state {}; `state {state} in … = VALUE` in the \
                             file gives it a value that may be left out",
                            some_names(states)
                        ));
                    }
                    self.problem(Problem::PositionLength {
                        entries: entries.len(),
                        heaps,
                        names,
                        at: position.span,
                    });
                    return None;
                }
                for (place, entry) in entries.iter().enumerate() {
                    let value = self.entry(entry, place)?;
                    if let Some(size) = sizes.get_mut(place) {
                        *size = value;
                    }
                }
            }
            PositionForm::Named(entries) => {
                self.named_sizes(entries, (0, position.span), &mut sizes)?;
            }
            PositionForm::All(size) => {
                let size = self.entry(&Entry::Number(size.clone()), 0)?;
                sizes[..stateless].fill(size);
            }
            PositionForm::Multiset(_) | PositionForm::Kinds(_) | PositionForm::WithStates(..) => {
                self.problem(MultisetProblem::NoBag { at: position.span });
                return None;
            }
        }
        // A tuple has the sizes of all heaps.
        let first = match form {
            PositionForm::Tuple(_) => stateless,
            _ => 0,
        };
        self.named_sizes(named, (first, position.span), &mut sizes)?;
        self.check_not_excluded(&sizes, &[], position.span)?;
        Some(sizes)
    }

    /// Sets the sizes of heaps and the values of states that are named, each once. Those before
    /// the place `first` have their sizes by `whole`, so that naming them is an error.
    fn named_sizes(
        &mut self,
        entries: &[(ast::HeapRef, Expr)],
        (first, whole): (usize, Span),
        sizes: &mut [u64],
    ) -> Option<()> {
        let mut named: Vec<(usize, Span)> = (0..first).map(|place| (place, whole)).collect();
        for (written, size) in entries {
            let name = &written.name;
            let heap = match self.names.peek(&name.node) {
                Some(&Meaning::State(state)) => {
                    self.names.look_up(&name.node, name.span);
                    state
                }
                _ => self.heap_ref(written)?,
            };
            let heap = heap.index();
            if let Some((_, first)) = named.iter().find(|(other, _)| *other == heap) {
                let first = Some(*first);
                self.problem(Problem::Taken {
                    name: name.node.clone(),
                    at: name.span,
                    first,
                });
                return None;
            }
            named.push((heap, name.span));
            sizes[heap] = self.entry(&Entry::Number(size.clone()), heap)?;
        }
        Some(())
    }

    /// Reports a position that `positions where` excludes.
    pub fn check_not_excluded(&mut self, sizes: &[u64], kinds: &[usize], at: Span) -> Option<()> {
        if let Some(condition) = self.positions.clone()
            && !self.heaps_are_faulty
        {
            // Forms are compared under the symmetries, which the analysis finds.
            let form = |part: Part<'_>| matches!(part, Part::Bool(Bool::Like(_)));
            let symmetries = match &self.symmetries {
                Some(symmetries) => symmetries.clone(),
                None if Part::Bool(&condition).any(&mut |part| form(part)) => return Some(()),
                None => Symmetries::trivial(self.heap_names.len()),
            };
            let mut locals = vec![0; self.slots];
            let mut environment = Environment {
                position: sizes,
                kinds,
                locals: &mut locals,
                picks: &[],
                amounts: &[],
                symmetries: &symmetries,
                steps: 0,
            };
            if condition.eval(&mut environment) == Ok(false) {
                let mut conjuncts = condition.conjuncts().into_iter();
                let mut excludes =
                    |conjunct: &&Checked<Bool>| conjunct.eval(&mut environment) == Ok(false);
                let span = conjuncts
                    .find(&mut excludes)
                    .map_or(condition.span, |c| c.span);
                let rule = self.rule.as_ref().map_or(self.text, |rule| &rule.text);
                let before = &rule[..span.offset()];
                let start = before.rfind('\n').map_or(0, |at| at + 1);
                let words = rule[start..].lines().next().unwrap_or_default();
                self.problem(Problem::Excluded {
                    line: before.matches('\n').count() + 1,
                    words: words.trim().to_owned(),
                    at,
                    rule: Some(span),
                });
                return None;
            }
        }
        Some(())
    }

    /// Whether the entries are the coordinates of one vertex: the game has one
    /// token, and its vertices have several coordinates.
    fn is_one_vertex(&self, entries: &[Entry]) -> bool {
        let coordinates = self.digraph.as_ref().map_or(0, |d| d.coordinates().len());
        self.heap_names.len() == 1
            && entries.len() > 1
            && entries.len() == coordinates
            && entries.iter().all(|e| matches!(e, Entry::Number(_)))
    }

    /// The value of an entry of a position: a heap's size, or a token's vertex.
    fn entry(&mut self, entry: &Entry, place: usize) -> Option<u64> {
        if self.tokens.contains(&place) && self.digraph.is_some() {
            return self.vertex(entry);
        }
        match entry {
            Entry::Number(size) => {
                if let Some(place) = self.large.iter().position(|n| n.span == size.span) {
                    return Some(u64::MAX - place as u64);
                }
                let value = self.constant(size)?;
                self.heap_size(value, size.span)
            }
            Entry::Coordinates(values) => {
                if !self.board_is_faulty {
                    self.problem(Problem::Kind {
                        wanted: "a heap's size",
                        found: "a vertex".to_owned(),
                        at: values.span,
                        help: Some("tokens stand on vertices; heaps have sizes".to_owned()),
                    });
                }
                None
            }
        }
    }

    pub fn heap_size(&mut self, size: i64, at: Span) -> Option<u64> {
        // With several kinds one number encodes the size and the kind.
        let kinds = self.heap_kinds.as_ref().map_or(1, HeapKinds::count);
        let most = MAX_SIZE.min((u64::MAX - kinds) / kinds);
        match u64::try_from(size) {
            Ok(size) if size <= most => Some(size),
            _ => {
                self.problem(Problem::HeapSize { size, most, at });
                None
            }
        }
    }
}

/// Checks a position that is not part of the game's own file, such as one on
/// the command line.
///
/// # Errors
///
/// What is wrong with the position, with places in `text`.
pub fn position_in(
    game: &Game,
    position: &Position,
    text: &str,
) -> Result<Vec<u64>, Vec<CheckProblem>> {
    let read = |_: &str| Err("a position is not read from a file".to_owned());
    let mut checker = Checker::new(text, &read);
    checker.bind_game(game);
    match checker.position(position) {
        Some(sizes) => Ok(sizes),
        None => Err(problem::public(checker.problems)),
    }
}

/// Checks a position whose numbers may have any size, parsed with
/// [`nimrule_syntax::parse_position_of_any_size`]. Whether `positions where` excludes a
/// position with large numbers is not checked: no expression can read them.
///
/// `None` if a large number is not the whole size of a heap.
///
/// # Errors
///
/// What is wrong with the position, with places in `text`.
pub fn position_of_any_size_in(
    game: &Game,
    (position, large): &(Position, Vec<Spanned<String>>),
    text: &str,
) -> Result<Option<AnySize>, Vec<CheckProblem>> {
    if large.is_empty() {
        return position_in(game, position, text).map(|sizes| Some(AnySize::from(sizes)));
    }
    if game.position_kind != PositionKind::Heaps {
        return Ok(None);
    }
    let read = |_: &str| Err("a position is not read from a file".to_owned());
    let mut checker = Checker::new(text, &read);
    checker.bind_game(game);
    // A large number is a whole entry; as a part of one it stays without a meaning.
    checker.large.clone_from(large);
    checker.positions = None;
    let Some(sizes) = checker.position(position) else {
        return Err(problem::public(checker.problems));
    };
    let all_read = (0..large.len()).all(|place| sizes.contains(&(u64::MAX - place as u64)));
    let size = |size: u64| match large.get((u64::MAX - size) as usize) {
        Some(digits) => digits.node.parse().unwrap_or_default(),
        None => BigUint::from(size),
    };
    Ok(all_read.then(|| sizes.into_iter().map(size).collect()))
}

/// Checks a condition on positions that is not part of the game's own file, with
/// the names of a claim of that file.
///
/// # Errors
///
/// What is wrong with the condition, with places in `text`.
pub fn condition_in(
    game: &Game,
    condition: &Expr,
    text: &str,
) -> Result<Spanned<Bool>, Vec<CheckProblem>> {
    let read = |_: &str| Err("a condition is not read from a file".to_owned());
    let mut checker = Checker::new(text, &read);
    checker.bind_game(game);
    match checker.truth(condition) {
        Some(condition) => Ok(condition),
        None => Err(problem::public(checker.problems)),
    }
}

/// Reads a claim about a game, as after the word `claim`, that is not part of its file; `None` if
/// it is not a claim about it, or names parameters that are no numbers.
pub fn claim_in(game: &Game, words: &str) -> Option<Claim> {
    let text = format!("claim {words}");
    let file = nimrule_syntax::parse(&text).into_result().ok()?;
    let read = |_: &str| Err("a claim is not read from a file".to_owned());
    let mut checker = Checker::new(&text, &read);
    checker.bind_game(game);
    let mut claims = checker.claims(&file);
    let claim = claims.pop().filter(|_| claims.is_empty())?;
    // It has no place in the text of the game.
    let span = (0, 0).into();
    checker
        .problems
        .is_empty()
        .then_some(Claim { span, ..claim })
}

/// Checks an expression for a number, as [`condition_in`] checks a condition.
///
/// # Errors
///
/// What is wrong with the expression, with places in `text`.
pub fn number_in(
    game: &Game,
    number: &Expr,
    text: &str,
) -> Result<Spanned<Num>, Vec<CheckProblem>> {
    let read = |_: &str| Err("a number is not read from a file".to_owned());
    let mut checker = Checker::new(text, &read);
    checker.bind_game(game);
    match checker.num(number) {
        Some(number) => Ok(number),
        None => Err(problem::public(checker.problems)),
    }
}

/// The examples at positions that `positions where` excludes by a form, which is compared
/// under the symmetries of the game.
pub fn excluded_examples(game: &Game) -> Vec<CheckProblem> {
    let form = |part: Part<'_>| matches!(part, Part::Bool(Bool::Like(_)));
    let mut conditions = game.positions.iter();
    if !conditions.any(|condition| Part::Bool(condition).any(&mut |part| form(part))) {
        return Vec::new();
    }
    let read = |_: &str| Err("a position is not read from a file".to_owned());
    let mut checker = Checker::new(&game.text.text, &read);
    checker.bind_game(game);
    // At other parameters an example has no position.
    let applies = |example: &&Example| example.applies != Applies::Elsewhere;
    for example in game.examples.iter().filter(applies) {
        let (sizes, kinds) = game.sizes_and_kinds(&example.position);
        checker.check_not_excluded(&sizes, &kinds, example.span);
    }
    problem::public(checker.problems)
}

impl Checker<'_> {
    /// Binds the names that a position or condition of `game` may use.
    fn bind_game(&mut self, game: &Game) {
        use nimrule_model::expr::HeapId;
        self.rule = Some(Arc::clone(&game.text));
        use nimrule_model::game::ParamValue;
        use nimrule_syntax::ast::Name;
        let nowhere: Span = (0, 0).into();
        for (name, value) in &game.params {
            if let ParamValue::Number(_) | ParamValue::Open = value {
                self.names.bind(
                    &Name::new(name.clone(), nowhere),
                    Meaning::Param(value.clone()),
                );
            }
        }
        let grouped = |name: &str| name.ends_with(']');
        for (place, name) in game.heap_names.iter().enumerate() {
            if !grouped(name) {
                self.names.bind_heap(name, HeapId::new(place));
            }
            self.heap_names.push(name.clone());
        }
        for group in &game.groups {
            let group = Arc::new(group.clone());
            if let Some(name) = &group.name {
                self.names.bind(
                    &Name::new(name.clone(), nowhere),
                    Meaning::Group(Arc::clone(&group)),
                );
            }
            self.groups.push(group);
        }
        self.states.clone_from(&game.states);
        self.digraph = game.digraph().or(game.tokens_on.as_ref()).cloned();
        self.only_tokens = game.digraph().is_some();
        let is_token = |place: &usize| game.digraph_of(*place).is_some();
        let mut tokens = (0..game.heap_count()).filter(is_token);
        self.tokens = match (tokens.next(), tokens.next_back()) {
            (Some(first), last) => first..last.unwrap_or(first) + 1,
            (None, _) => 0..0,
        };
        self.sets_tokens = true;
        if let nimrule_model::game::PositionKind::Multiset(kinds) = &game.position_kind {
            for (state, (name, _)) in kinds.states.iter().enumerate() {
                let name = Name::new(name.clone(), nowhere);
                self.names.bind(&name, Meaning::StateOfMultiset(state));
            }
            self.heap_kinds = Some(kinds.clone());
        }
        if let nimrule_model::game::PositionKind::Open(_) = game.position_kind {
            self.open_heaps();
        }
        self.slots = game.slots;
        self.symmetries = Some(game.facts.symmetries.clone());
        self.positions = game.positions.clone();
        self.shrinking = game.shrinking;
    }
}

fn convention(misere: bool) -> Convention {
    if misere {
        Convention::Misere
    } else {
        Convention::Normal
    }
}

/// The names of the heaps, cut to one line.
pub(super) fn some_names(names: &[String]) -> String {
    match names {
        few if few.len() <= 12 => few.join(", "),
        many => format!("{}, …, {}", many[..8].join(", "), many[many.len() - 1]),
    }
}
