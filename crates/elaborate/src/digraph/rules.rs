//! Arcs given by rules over coordinates: `(r,c) -> (r,d) where d < c`.
//!
//! A rule applies at every vertex, or at those whose coordinates it fixes. It
//! leads to the vertices that its target describes: a new name in the target
//! takes every value of its coordinate's range. The conditions of `where` become
//! bounds on new names where that is possible (bounds propagation), so that a
//! few arcs at each of millions of vertices are found without testing all pairs.

use super::{MAX_VERTICES, place_of_arc};
use crate::names::Meaning;
use crate::{BoardProblem, Checker, Problem};
use nimrule_board::symmetry::Symmetries;
use nimrule_model::digraph::{Coordinate, Digraph, Vertices};
use nimrule_model::expr::solve::{SolvedBounds, Unknown, solve_for};
use nimrule_model::expr::{Bool, Environment, Num, Part, PlacedFault, Slot};
use nimrule_model::source::{Span, Spanned};
use nimrule_relation::{BuildError, Relation};
use nimrule_syntax::ast::{self, Entry, Expr, ExprKind, Name};

/// The largest number of targets that are tried, about a minute's work.
const MAX_TRIED: u64 = 1_000_000_000;

/// The largest number of arcs, about two gigabytes.
const MAX_ARCS: usize = 500_000_000;

/// A rule: conditions on the source of an arc, and its target.
struct Rule {
    /// The values that the coordinates of the source must have.
    fixed: Vec<(usize, i64)>,
    /// Conditions that read no new name.
    guards: Vec<Spanned<Bool>>,
    fresh: Vec<Fresh>,
    target: Vec<Spanned<Num>>,
    at: Span,
}

/// A name that is new in the target: a variable of the enumeration.
struct Fresh {
    slot: Slot,
    /// The values that it takes.
    range: (i64, i64),
    /// The conditions that can be evaluated once it has a value, in the order
    /// written.
    conditions: Vec<Condition>,
}

/// A condition on a new name.
struct Condition {
    condition: Spanned<Bool>,
    /// The bounds on the name that follow from it.
    bounds: SolvedBounds,
}

/// Why the enumeration of the arcs stopped.
enum Stop {
    Fault(PlacedFault, u32, Span),
    Outside(u32, Vec<i64>, Span),
    TooManyTried(Span),
    TooManyArcs(Span),
}

impl Checker<'_> {
    pub(super) fn arcs_by_rules(
        &mut self,
        written: &[(Name, Expr)],
        arcs: &[Spanned<ast::Arcs>],
        at: Span,
    ) -> Option<Digraph> {
        let mark = self.names.mark();
        let coordinates = self.coordinates(written, at);
        let slots: Vec<Slot> = written
            .iter()
            .map(|(name, _)| self.bind_number(name))
            .collect();
        // A coordinate that no rule reads still counts as used.
        for (name, _) in written {
            self.names.look_up(&name.node, name.span);
        }
        let mut rules = Vec::new();
        if let Some(coordinates) = &coordinates {
            for arcs in arcs {
                rules.push(self.rules(arcs, written, coordinates));
            }
        }
        self.close_scope(mark);
        let coordinates = coordinates?;
        let rules = rules.into_iter().collect::<Option<Vec<_>>>()?;
        let rules: Vec<Rule> = rules.into_iter().flatten().collect();
        match enumerate(&coordinates, &slots, &rules, self.slots) {
            Ok(relation) => Some(Digraph {
                relation,
                vertices: Vertices::Coordinates(coordinates),
            }),
            Err(stop) => {
                self.stopped(stop, &coordinates);
                None
            }
        }
    }

    /// The coordinates with their ranges.
    fn coordinates(&mut self, written: &[(Name, Expr)], at: Span) -> Option<Vec<Coordinate>> {
        let mut coordinates = Vec::new();
        let mut sound = true;
        for (name, range) in written {
            let ExprKind::Range {
                low,
                high: Some(high),
            } = &range.node
            else {
                self.problem(Problem::Kind {
                    wanted: "the range of a coordinate, such as `1..4`",
                    found: "something else".to_owned(),
                    at: range.span,
                    help: None,
                });
                sound = false;
                continue;
            };
            let (Some(first), Some(last)) = (self.constant(low), self.constant(high)) else {
                sound = false;
                continue;
            };
            let count = i128::from(last) - i128::from(first) + 1;
            let far = crate::MAX_NUMBER as i64;
            if first < -far || last > far || (written.len() == 1 && first < 0) {
                self.problem(BoardProblem::ImpossibleBoard {
                    reason: format!("vertices from {first} to {last}"),
                    at: range.span,
                    help: Some("numbered vertices start at 0".to_owned()),
                });
                sound = false;
                continue;
            }
            if count < 1 {
                self.problem(BoardProblem::ImpossibleBoard {
                    reason: format!("the range of `{}` is empty", name.node),
                    at: range.span,
                    help: Some("write the smaller number first".to_owned()),
                });
                sound = false;
                continue;
            }
            coordinates.push(Coordinate {
                name: name.node.clone(),
                first,
                count: usize::try_from(count).unwrap_or(usize::MAX),
                stride: 1,
            });
        }
        if !sound {
            return None;
        }
        let mut stride = 1_usize;
        for coordinate in coordinates.iter_mut().rev() {
            coordinate.stride = stride;
            stride = stride.saturating_mul(coordinate.count);
        }
        if stride > MAX_VERTICES {
            self.problem(BoardProblem::DigraphSize {
                what: format!("more than {MAX_VERTICES} vertices"),
                fix: "reduce the ranges",
                at: self.first_line(at),
            });
            return None;
        }
        Some(coordinates)
    }

    /// The rules of one statement: one for each arrow.
    fn rules(
        &mut self,
        arcs: &Spanned<ast::Arcs>,
        written: &[(Name, Expr)],
        coordinates: &[Coordinate],
    ) -> Option<Vec<Rule>> {
        let pairs = arcs.node.vertices.as_slice();
        if pairs.len() < 2 {
            self.problem(BoardProblem::ImpossibleBoard {
                reason: "the rule has no arrow".to_owned(),
                at: arcs.span,
                help: Some(
                    "vertices need no rule; write where their arcs lead, `n -> n-1 where n > 0`"
                        .to_owned(),
                ),
            });
            return None;
        }
        let rules: Vec<Option<Rule>> = pairs
            .windows(2)
            .map(|pair| {
                let mark = self.names.mark();
                let rule = self.rule(
                    &pair[0],
                    &pair[1],
                    arcs.node.condition.as_ref(),
                    written,
                    coordinates,
                );
                self.close_scope(mark);
                rule
            })
            .collect();
        rules.into_iter().collect()
    }

    fn rule(
        &mut self,
        from: &Entry,
        to: &Entry,
        condition: Option<&Expr>,
        written: &[(Name, Expr)],
        coordinates: &[Coordinate],
    ) -> Option<Rule> {
        let from_entries = self.entries(from, coordinates)?;
        let to_entries = self.entries(to, coordinates)?;
        let mut fixed = Vec::new();
        let mut sound = true;
        for (place, entry) in from_entries.iter().enumerate() {
            match &entry.node {
                ExprKind::Name(name) if *name == written[place].0.node => {
                    self.names.look_up(name, entry.span);
                }
                _ => match self.source_entry(entry, &written[place].0.node) {
                    Some(value) => fixed.push((place, value)),
                    None => sound = false,
                },
            }
        }
        let mut fresh = Vec::new();
        for (entry, coordinate) in to_entries.iter().zip(coordinates) {
            if let ExprKind::Name(name) = &entry.node
                && self.names.peek(name).is_none()
            {
                let name = Name::new(name.clone(), entry.span);
                fresh.push(Fresh {
                    slot: self.bind_number(&name),
                    range: (coordinate.first, coordinate.last()),
                    conditions: Vec::new(),
                });
            }
        }
        let target: Vec<Option<Spanned<Num>>> =
            to_entries.iter().map(|entry| self.num(entry)).collect();
        let condition = match condition {
            Some(condition) => Some(self.truth(condition)?),
            None => None,
        };
        let mut rule = Rule {
            fixed,
            guards: Vec::new(),
            fresh,
            target: target.into_iter().collect::<Option<_>>()?,
            at: place_of_arc(from, to),
        };
        for part in condition.as_ref().map_or(Vec::new(), Spanned::conjuncts) {
            rule.attach(part);
        }
        sound.then_some(rule)
    }

    /// The number that a rule fixes a coordinate of the source to.
    fn source_entry(&mut self, entry: &Expr, coordinate: &str) -> Option<i64> {
        let known = match &entry.node {
            ExprKind::Name(name) => matches!(
                self.names.peek(name),
                Some(Meaning::Param(_) | Meaning::Unknown)
            ),
            _ => {
                let mut free = false;
                crate::expression::names_in(entry, &mut |name, _| {
                    free |= !matches!(self.names.peek(name), Some(Meaning::Param(_)));
                });
                !free
            }
        };
        if known {
            return self.constant(entry);
        }
        self.problem(Problem::Kind {
            wanted: "the coordinate's name or a number",
            found: "something else".to_owned(),
            at: entry.span,
            help: Some(format!(
                "an arc starts at `{coordinate}` itself; compute its target, or use the `where`"
            )),
        });
        None
    }

    /// The entries of a vertex, one for each coordinate.
    fn entries<'e>(
        &mut self,
        vertex: &'e Entry,
        coordinates: &[Coordinate],
    ) -> Option<Vec<&'e Expr>> {
        let entries: Vec<&Expr> = match vertex {
            Entry::Number(expr) => vec![expr],
            Entry::Coordinates(values) => values.node.iter().collect(),
        };
        if entries.len() == coordinates.len() {
            return Some(entries);
        }
        let names: Vec<&str> = coordinates.iter().map(|c| c.name.as_str()).collect();
        let wanted = match names.as_slice() {
            [one] => format!("`{one}`"),
            _ => format!("`({})`", names.join(",")),
        };
        self.problem(BoardProblem::ImpossibleBoard {
            reason: match entries.len() {
                1 => format!("1 coordinate, and a vertex has {}", coordinates.len()),
                many => format!("{many} coordinates, and a vertex has {}", coordinates.len()),
            },
            at: vertex.span(),
            help: Some(format!("a vertex is written {wanted}")),
        });
        None
    }

    fn stopped(&mut self, stop: Stop, coordinates: &[Coordinate]) {
        let shown = |values: &[i64]| match values {
            [one] => one.to_string(),
            many => super::tuple_text(many),
        };
        let vertex = |state: u32| {
            let values: Vec<i64> = coordinates
                .iter()
                .map(|c| c.value(state as usize))
                .collect();
            shown(&values)
        };
        match stop {
            Stop::Fault(fault, state, at) => self.problem(Problem::NoValue {
                fault: format!("{fault}, at the vertex {}", vertex(state)),
                at: fault.place().unwrap_or(at),
            }),
            Stop::Outside(state, values, at) => self.problem(BoardProblem::ArcOutside {
                reason: format!("at {} it leads to {}", vertex(state), shown(&values)),
                at,
            }),
            Stop::TooManyTried(at) => self.problem(BoardProblem::DigraphSize {
                what: "more than 10^9 targets would be tried".to_owned(),
                fix: "bound the target's new name on both sides in the `where`, as in `n - 3 \
                      <= d < n`, or write the target as an expression",
                at,
            }),
            Stop::TooManyArcs(at) => self.problem(BoardProblem::DigraphSize {
                what: format!("more than {MAX_ARCS} arcs"),
                fix: "reduce the ranges",
                at,
            }),
        }
    }
}

impl Rule {
    /// Attaches a condition to the last new name that it reads, and derives the
    /// bounds on that name.
    fn attach(&mut self, condition: &Spanned<Bool>) {
        let reads = |slot| Part::Bool(condition).reads_local(slot);
        let Some(fresh) = self.fresh.iter_mut().rev().find(|f| reads(f.slot)) else {
            self.guards.push(condition.clone());
            return;
        };
        let bounds = solve_for(condition, Unknown::Local(fresh.slot));
        fresh.conditions.push(Condition {
            condition: condition.clone(),
            bounds: bounds.unwrap_or_default(),
        });
    }
}

/// Enumerates all arcs, vertex by vertex.
fn enumerate(
    coordinates: &[Coordinate],
    slots: &[Slot],
    rules: &[Rule],
    room: usize,
) -> Result<Relation, Stop> {
    let count = coordinates.iter().map(|c| c.count).product();
    let symmetries = Symmetries::trivial(0);
    let mut search = TargetSearch {
        coordinates,
        locals: vec![0; room],
        symmetries: &symmetries,
        targets: Vec::new(),
        tried: 0,
        state: 0,
    };
    for rule in rules {
        search.check_work(rule, slots, count)?;
    }
    search.check_arcs(rules, slots, count)?;
    search.set_source(0, slots);
    let mut arcs = 0;
    let built = Relation::build(count, |state, visit| {
        search.state = state;
        search.targets.clear();
        for rule in rules {
            search.rule(rule, slots)?;
            if arcs + search.targets.len() > MAX_ARCS {
                return Err(Stop::TooManyArcs(rule.at));
            }
        }
        search.targets.sort_unstable();
        search.targets.dedup();
        arcs += search.targets.len();
        search.targets.iter().copied().for_each(visit);
        for (coordinate, slot) in coordinates.iter().zip(slots).rev() {
            let value = &mut search.locals[slot.index()];
            if *value < coordinate.last() {
                *value += 1;
                break;
            }
            *value = coordinate.first;
        }
        Ok(())
    });
    built.map_err(|failed| match failed {
        BuildError::Source(stop) => stop,
        BuildError::TooManyArcs => unreachable!("they are counted above"),
    })
}

/// The enumeration of the targets of one vertex.
struct TargetSearch<'r> {
    coordinates: &'r [Coordinate],
    locals: Vec<i64>,
    symmetries: &'r Symmetries,
    targets: Vec<u32>,
    tried: u64,
    state: u32,
}

impl TargetSearch<'_> {
    fn environment(&mut self) -> Environment<'_> {
        Environment {
            position: &[],
            locals: &mut self.locals,
            picks: &[],
            amounts: &[],
            kinds: &[],
            symmetries: self.symmetries,
            steps: 0,
        }
    }

    /// Makes a vertex the source.
    fn set_source(&mut self, state: usize, slots: &[Slot]) {
        self.state = state as u32;
        for (coordinate, slot) in self.coordinates.iter().zip(slots) {
            self.locals[slot.index()] = coordinate.value(state);
        }
    }

    /// Estimates the work from a sample of `count` vertices: the ranges of the
    /// new names there, without the conditions that depend on them.
    fn check_work(&mut self, rule: &Rule, slots: &[Slot], count: usize) -> Result<(), Stop> {
        let Some(fresh) = rule.fresh.first() else {
            return Ok(());
        };
        let samples = count.min(64);
        let mut tried: u128 = 0;
        for sample in 0..samples {
            self.set_source((count - 1) * sample / samples.max(2), slots);
            let (least, most, _) = self.range(fresh);
            tried += u128::try_from(i128::from(most) - i128::from(least) + 1).unwrap_or(0);
        }
        let all = tried * count as u128 / samples as u128;
        if all > u128::from(MAX_TRIED) {
            return Err(Stop::TooManyTried(rule.at));
        }
        Ok(())
    }

    /// Estimates the number of arcs from those of a sample of `count` vertices, so that a
    /// digraph of far too many is refused at once.
    fn check_arcs(&mut self, rules: &[Rule], slots: &[Slot], count: usize) -> Result<(), Stop> {
        let samples = 64.min(count);
        let mut arcs = 0;
        for sample in 0..samples {
            self.set_source((count - 1) * sample / samples.max(2), slots);
            self.targets.clear();
            // Faults are reported in the order of the vertices, when all are enumerated.
            if rules.iter().any(|rule| self.rule(rule, slots).is_err()) {
                break;
            }
            self.targets.sort_unstable();
            self.targets.dedup();
            arcs += self.targets.len();
        }
        self.tried = 0;
        let all = arcs as u128 * count as u128 / samples as u128;
        match rules.last() {
            Some(rule) if all > MAX_ARCS as u128 * 5 / 4 => Err(Stop::TooManyArcs(rule.at)),
            _ => Ok(()),
        }
    }

    /// The range of a new name, and the conditions still to be evaluated: those
    /// that are stronger than their bounds, and those whose bounds have no value
    /// here.
    fn range<'f>(&mut self, fresh: &'f Fresh) -> (i64, i64, Vec<&'f Spanned<Bool>>) {
        let (mut least, mut most) = fresh.range;
        let mut asked = Vec::new();
        for Condition { condition, bounds } in &fresh.conditions {
            let mut is_asked = !bounds.is_exact;
            for bound in &bounds.at_least {
                match bound.eval(&mut self.environment()) {
                    Ok(value) => least = least.max(value),
                    Err(_) => is_asked = true,
                }
            }
            for bound in &bounds.at_most {
                match bound.eval(&mut self.environment()) {
                    Ok(value) => most = most.min(value),
                    Err(_) => is_asked = true,
                }
            }
            if is_asked {
                asked.push(condition);
            }
        }
        (least, most, asked)
    }

    fn holds(&mut self, condition: &Spanned<Bool>, rule: &Rule) -> Result<bool, Stop> {
        let holds = condition.eval(&mut self.environment());
        holds.map_err(|fault| Stop::Fault(fault, self.state, rule.at))
    }

    fn rule(&mut self, rule: &Rule, slots: &[Slot]) -> Result<(), Stop> {
        for (place, value) in &rule.fixed {
            if self.locals[slots[*place].index()] != *value {
                return Ok(());
            }
        }
        for guard in &rule.guards {
            if !self.holds(guard, rule)? {
                return Ok(());
            }
        }
        self.choose(rule, 0)
    }

    /// Enumerates the values of the new names from index `place` on.
    fn choose(&mut self, rule: &Rule, place: usize) -> Result<(), Stop> {
        let Some(fresh) = rule.fresh.get(place) else {
            return self.add_target(rule);
        };
        let (least, most, asked) = self.range(fresh);
        if least <= most {
            self.tried += most.abs_diff(least) + 1;
            if self.tried > MAX_TRIED {
                return Err(Stop::TooManyTried(rule.at));
            }
        }
        'values: for value in least..=most {
            self.locals[fresh.slot.index()] = value;
            for condition in &asked {
                if !self.holds(condition, rule)? {
                    continue 'values;
                }
            }
            self.choose(rule, place + 1)?;
        }
        Ok(())
    }

    /// Evaluates the target and adds the arc.
    fn add_target(&mut self, rule: &Rule) -> Result<(), Stop> {
        let mut target = 0;
        let mut inside = true;
        let coordinates = self.coordinates;
        for (num, coordinate) in rule.target.iter().zip(coordinates) {
            let value = num.eval(&mut self.environment());
            let value = value.map_err(|fault| Stop::Fault(fault, self.state, rule.at))?;
            let place = value
                .checked_sub(coordinate.first)
                .and_then(|place| usize::try_from(place).ok())
                .filter(|place| *place < coordinate.count);
            match place {
                Some(place) => target += place * coordinate.stride,
                None => inside = false,
            }
        }
        if !inside {
            let values = rule
                .target
                .iter()
                .map(|num| num.eval(&mut self.environment()));
            let values: Result<Vec<i64>, PlacedFault> = values.collect();
            let values = values.map_err(|fault| Stop::Fault(fault, self.state, rule.at))?;
            return Err(Stop::Outside(self.state, values, rule.at));
        }
        self.targets.push(target as u32);
        Ok(())
    }
}
