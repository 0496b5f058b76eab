//! The options of a rule with heaps: all choices, one after another.

use super::digraph::{Slides, slides};
mod families;

use super::value::{Bound, Endless, Fault, Names, Value, View, members_to};
use nimrule_model::board::{Arrangement, Board, CellKind};
use nimrule_syntax::ast::{
    Action, Amount, Default, Expr, ExprKind, FamilyName, File, HeapGroup, HeapGroups, HeapNames,
    HeapRef, Heaps, Move, Repeat, Selection, Side, Statement, Step, What,
};
use std::collections::{BTreeMap, BTreeSet};

/// Numbers chosen from sets without end are tried so far beyond the tokens
/// that there are: no condition of our games tells larger ones apart.
const BEYOND: i128 = 200;

/// Squares and powers lie farther apart.
const FAR_BEYOND: i128 = 20_000;

pub struct Rule<'f> {
    pub(super) file: &'f File,
    board: Option<&'f Board>,
    pub(super) names: Names,
    heaps: usize,
    families: BTreeMap<String, Vec<Vec<usize>>>,
    /// The kind of cell that heaps are on, and the first of these heaps.
    on: Option<(CellKind, usize)>,
    /// The board that tokens slide on.
    slides: Option<Slides>,
}

type Options = BTreeSet<Vec<u64>>;

/// A position between two steps, and what the move has bound so far.
type Stage = (Vec<u64>, Vec<(String, Bound)>);

impl<'f> Rule<'f> {
    /// Reads a file at the defaults of its parameters, but for `settings`.
    pub fn new(
        file: &'f File,
        board: Option<&'f Board>,
        settings: &[(&str, i64)],
    ) -> Result<Rule<'f>, Fault> {
        let mut rule = Rule {
            file,
            board,
            names: Names::default(),
            heaps: 0,
            families: BTreeMap::new(),
            on: None,
            slides: None,
        };
        for statement in &file.statements {
            if let Statement::Param(params) = &statement.node {
                for param in params {
                    let name = param.name.node.clone();
                    let set = settings.iter().find(|(n, _)| *n == name);
                    let value = match set {
                        Some((_, value)) => Value::Number(i128::from(*value)),
                        None => match &param.default {
                            Default::Value(expr) => rule.empty_view().value(expr)?,
                            Default::Code(_) => continue,
                        },
                    };
                    rule.names.params.insert(name, value);
                }
            }
        }
        if rule.kinds().is_none() {
            rule.slides = slides(file, &mut rule.names)?;
            rule.place_heaps()?;
        }
        for statement in &file.statements {
            if let Statement::Family { name, members } = &statement.node {
                let members: Result<Vec<Vec<usize>>, Fault> = members
                    .iter()
                    .map(|member| {
                        let heaps: Result<BTreeSet<usize>, Fault> =
                            member.node.iter().map(|heap| rule.heap(heap)).collect();
                        Ok(heaps?.into_iter().collect())
                    })
                    .collect();
                let members = members?;
                rule.families.insert(name.node.clone(), members);
            }
        }
        Ok(rule)
    }

    pub fn heaps(&self) -> usize {
        self.heaps
    }

    /// The numbers of the vertices that tokens stand on.
    pub fn vertices(&self) -> Option<&[u64]> {
        self.slides.as_ref().map(|slides| slides.numbers.as_slice())
    }

    fn empty_view(&self) -> View<'_> {
        View::new(&self.names, &[])
    }

    fn place_heaps(&mut self) -> Result<(), Fault> {
        let file = self.file;
        let groups = file.statements.iter().find_map(|s| match &s.node {
            Statement::Heaps(Heaps {
                groups: HeapGroups::These(groups),
                ..
            })
            | Statement::Tokens(Heaps {
                groups: HeapGroups::These(groups),
                ..
            }) => Some(groups),
            _ => None,
        });
        if self.slides.is_some() && groups.is_none() {
            self.add("token".to_owned());
            return Ok(());
        }
        let Some(groups) = groups else {
            // The places of a circle, a row, a grid or a complete graph.
            let board = self.board.ok_or("heaps nowhere")?;
            self.on = Some((CellKind::Vertex, 0));
            self.numbered(board.count(CellKind::Vertex).unwrap_or(0));
            return Ok(());
        };
        for group in groups {
            match group {
                HeapGroup::OnCells { kind, names } => self.on_cells(&kind.node, names)?,
                HeapGroup::Ranged(names) => self.named(names)?,
                HeapGroup::Counted(count) => match &count.node {
                    ExprKind::Name(name) if !self.names.params.contains_key(name) => {
                        self.add(name.clone());
                    }
                    _ => {
                        let count = self.empty_view().number(count)?;
                        let count = usize::try_from(count).map_err(|e| e.to_string())?;
                        match (&self.slides, count) {
                            (None, _) => self.numbered(count),
                            (Some(_), 1) => self.add("token".to_owned()),
                            (Some(_), _) => {
                                (1..=count).for_each(|number| self.add(format!("t{number}")));
                            }
                        }
                    }
                },
            }
        }
        Ok(())
    }

    fn on_cells(&mut self, kind: &str, names: &[HeapNames]) -> Result<(), Fault> {
        let board = self.board.ok_or("cells without a board")?;
        let kind = kind_of(kind).ok_or("no such cells")?;
        let count = board.count(kind).ok_or("no such cells on this board")?;
        self.on = Some((kind, self.heaps));
        if !names.is_empty() {
            return names.iter().try_for_each(|names| self.named(names));
        }
        if !board.names_are_given() {
            self.numbered(count);
            return Ok(());
        }
        for cell in 0..count {
            self.add(board.cell_name(kind, cell));
        }
        Ok(())
    }

    fn named(&mut self, names: &HeapNames) -> Result<(), Fault> {
        match names {
            HeapNames::One(name) => self.add(name.node.clone()),
            HeapNames::Ranged { name, range } => {
                let indices = match self.empty_view().set(range)? {
                    Value::Many(indices) => indices,
                    other => return Err(format!("{other:?} has no end")),
                };
                let heaps: Vec<usize> = (self.heaps..self.heaps + indices.len()).collect();
                self.heaps += indices.len();
                let first = *indices.first().ok_or("a group of no heaps")?;
                self.names.groups.insert(name.node.clone(), (first, heaps));
            }
        }
        Ok(())
    }

    fn numbered(&mut self, count: usize) {
        for number in 1..=count {
            self.add(format!("h{number}"));
        }
    }

    fn add(&mut self, name: String) {
        self.names.heaps.insert(name, self.heaps);
        self.heaps += 1;
    }

    fn heap(&self, heap: &HeapRef) -> Result<usize, Fault> {
        let view = self.empty_view();
        match &heap.index {
            Some(index) => view.heap_of_group(&heap.name, view.number(index)?),
            None => self
                .names
                .heaps
                .get(&heap.name.node)
                .copied()
                .ok_or_else(|| format!("no heap is called `{}`", heap.name.node)),
        }
    }

    /// Does `positions where` allow it?
    pub fn is_position(&self, position: &[u64]) -> Result<bool, Fault> {
        let view = View::new(&self.names, position);
        for statement in &self.file.statements {
            if let Statement::Positions(condition) = &statement.node
                && !view.truth(condition)?
            {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The options of a position, where it may be said whose move it is.
    pub fn options_by(&self, position: &[u64], whose: Option<Side>) -> Result<Options, Fault> {
        let mut reached = Options::new();
        for statement in &self.file.statements {
            if let Statement::Move(mover) = &statement.node {
                let side = mover.side.as_ref().map(|side| side.node);
                if whose.is_some() && side.is_some() && side != whose {
                    continue;
                }
                let view = View::new(&self.names, position);
                if view.holds(mover.when.as_ref())? {
                    self.choose(mover, 0, view, &mut reached)?;
                }
            }
        }
        let mut options = Options::new();
        for option in reached {
            if self.is_position(&option)? {
                options.insert(option);
            }
        }
        Ok(options)
    }

    /// The choices of `for some` from the `next`th on, then the steps.
    fn choose(
        &self,
        mover: &Move,
        next: usize,
        view: View<'_>,
        reached: &mut Options,
    ) -> Result<(), Fault> {
        let Some(choice) = mover.choices.get(next) else {
            let steps: Vec<&Step> = mover.steps.iter().map(|step| &step.node).collect();
            return self.steps(&steps, view.position.to_vec(), view.bound, reached);
        };
        let tokens: u64 = view.position.iter().sum();
        let set = view.set(&choice.set)?;
        let beyond = match set {
            Value::Endless(Endless::From(_)) => BEYOND,
            _ => FAR_BEYOND,
        };
        for value in members_to(&set, i128::from(tokens) + beyond) {
            let chosen = view.with(&choice.name.node, Bound::Value(Value::Number(value)));
            if chosen.holds(choice.condition.as_ref())? {
                self.choose(mover, next + 1, chosen, reached)?;
            }
        }
        Ok(())
    }

    fn steps(
        &self,
        steps: &[&Step],
        position: Vec<u64>,
        bound: Vec<(String, Bound)>,
        reached: &mut Options,
    ) -> Result<(), Fault> {
        let Some((step, rest)) = steps.split_first() else {
            reached.insert(position);
            return Ok(());
        };
        let times = |count: &Expr| -> Result<u64, Fault> {
            let count = self.empty_view().number(count)?;
            u64::try_from(count).map_err(|e| e.to_string())
        };
        let (least, most) = match &step.repeat {
            Repeat::Once => (1, 1),
            Repeat::Optionally => (0, 1),
            Repeat::UpTo(count) => (0, times(count)?),
            Repeat::Exactly(count) => (times(count)?, times(count)?),
        };
        // Each round binds the names of the step anew.
        let before = bound.clone();
        let mut standing = vec![(position, bound)];
        for done in 0..=most {
            if done >= least {
                for (position, bound) in &standing {
                    self.steps(rest, position.clone(), bound.clone(), reached)?;
                }
            }
            if done == most {
                break;
            }
            let mut after = Vec::new();
            for (position, _) in &standing {
                self.act(&step.action, position, &before, &mut after)?;
            }
            standing = after;
        }
        Ok(())
    }

    /// Everything that one step may lead to.
    fn act(
        &self,
        action: &Action,
        position: &[u64],
        bound: &[(String, Bound)],
        after: &mut Vec<Stage>,
    ) -> Result<(), Fault> {
        let mut view = View::new(&self.names, position);
        view.bound = bound.to_vec();
        let selection = match action {
            Action::Take { from, .. } => &from.node,
            Action::Put { on, .. } => &on.node,
            Action::Slide { what, .. } => &what.node,
            Action::Split { .. } => return Err("a step of another enumeration".to_owned()),
        };
        for heaps in self.selections(selection, &view)? {
            let view = match &selection.bound {
                Some(name) => view.with(&name.node, Bound::Heaps(heaps.clone())),
                None => view.clone(),
            };
            match action {
                Action::Split { .. } => {}
                Action::Slide { condition, .. } => {
                    if !view.holds(condition.as_ref())? {
                        continue;
                    }
                    let slides = self.slides.as_ref().ok_or("nothing slides here")?;
                    let mut reached = vec![position.to_vec()];
                    for token in &heaps {
                        let mut farther = Vec::new();
                        for before in &reached {
                            for to in slides.from(before[*token]) {
                                let mut next = before.clone();
                                next[*token] = to;
                                farther.push(next);
                            }
                        }
                        reached = farther;
                    }
                    after.extend(reached.into_iter().map(|next| (next, view.bound.clone())));
                }
                Action::Put {
                    amount, condition, ..
                } => {
                    let numbers = match view.set(amount)? {
                        Value::Many(numbers) => numbers,
                        other => return Err(format!("{other:?} has no end")),
                    };
                    for number in numbers.into_iter().filter(|number| *number > 0) {
                        if view.holds(condition.as_ref())? {
                            let mut next = position.to_vec();
                            for heap in &heaps {
                                next[*heap] += u64::try_from(number).map_err(|e| e.to_string())?;
                            }
                            after.push((next, view.bound.clone()));
                        }
                    }
                }
                Action::Take {
                    amount, condition, ..
                } => {
                    for (amounts, view) in self.amounts(amount, &heaps, &view)? {
                        let mut judge = view.clone();
                        judge.amounts = Some(amounts.clone());
                        if judge.holds(condition.as_ref())? {
                            let mut next = position.to_vec();
                            for (heap, amount) in heaps.iter().zip(&amounts) {
                                next[*heap] -= amount;
                            }
                            after.push((next, view.bound));
                        }
                    }
                }
            }
        }
        Ok(())
    }

    /// Every vector of numbers that may be taken from the heaps selected.
    pub(super) fn amounts<'v>(
        &self,
        amount: &Amount,
        heaps: &[usize],
        view: &View<'v>,
    ) -> Result<Vec<(Vec<u64>, View<'v>)>, Fault> {
        let written = match amount {
            Amount::Any | Amount::Slow(_) | Amount::Equal(_, None) => None,
            Amount::Equal(_, Some(expr)) | Amount::Of(expr) => Some(expr),
        };
        let fresh = written.and_then(|expr| match &expr.node {
            ExprKind::Name(name) if !view.knows(name) => Some(name.as_str()),
            _ => None,
        });
        let largest = heaps.iter().map(|heap| view.position[*heap]).max();
        let largest = largest.unwrap_or(0);
        let numbers: Vec<u64> = match (amount, written) {
            (Amount::Slow(_), _) => vec![1],
            (_, Some(expr)) if fresh.is_none() => {
                let set = view.set(expr)?;
                let numbers: BTreeSet<u64> = members_to(&set, i128::from(largest))
                    .into_iter()
                    .filter_map(|number| u64::try_from(number).ok())
                    .collect();
                numbers.into_iter().collect()
            }
            _ => (1..=largest).collect(),
        };
        let allowed: Vec<u64> = numbers
            .into_iter()
            .filter(|number| *number > 0 && *number <= largest)
            .collect();
        let mut vectors = Vec::new();
        if matches!(amount, Amount::Equal(..)) {
            for number in allowed {
                if heaps.iter().all(|heap| view.position[*heap] >= number) {
                    vectors.push((vec![number; heaps.len()], number));
                }
            }
        } else {
            let mut partial: Vec<Vec<u64>> = vec![Vec::new()];
            for heap in heaps {
                let mut longer = Vec::new();
                for vector in partial {
                    for number in std::iter::once(&0).chain(&allowed) {
                        if *number <= view.position[*heap] {
                            let mut vector = vector.clone();
                            vector.push(*number);
                            longer.push(vector);
                        }
                    }
                }
                partial = longer;
            }
            for vector in partial {
                let total = vector.iter().sum();
                if total > 0 {
                    vectors.push((vector, total));
                }
            }
        }
        Ok(vectors
            .into_iter()
            .map(|(vector, number)| {
                let view = match fresh {
                    Some(name) => {
                        let number = Value::Number(i128::from(number));
                        view.with(name, Bound::Value(number))
                    }
                    None => view.clone(),
                };
                (vector, view)
            })
            .collect())
    }

    /// The sets of heaps that a step may act on.
    fn selections(
        &self,
        selection: &Selection,
        view: &View<'_>,
    ) -> Result<BTreeSet<Vec<usize>>, Fault> {
        let count = |count: &Expr| -> Result<usize, Fault> {
            usize::try_from(self.empty_view().number(count)?).map_err(|e| e.to_string())
        };
        Ok(match &selection.what {
            What::One(family) => self.family(family, view)?.into_iter().collect(),
            What::All(family) => {
                let members = self.family(family, view)?;
                let union: BTreeSet<usize> = members.into_iter().flatten().collect();
                let all = BTreeSet::from([union.into_iter().collect::<Vec<usize>>()]);
                all.into_iter().filter(|set| !set.is_empty()).collect()
            }
            What::UpTo {
                count: most,
                consecutive: true,
                ..
            } => {
                let mut found = BTreeSet::new();
                for length in 1..=count(most)? {
                    found.extend(self.consecutive(length, view.position)?);
                }
                found
            }
            What::Consecutive { count: length, .. } => self
                .consecutive(count(length)?, view.position)?
                .into_iter()
                .collect(),
            What::UpTo {
                count: most,
                family,
                ..
            } => {
                let members = self.family(family, view)?;
                let mut found = BTreeSet::new();
                for chosen in 1..=count(most)?.min(members.len()) {
                    unions(&members, chosen, &BTreeSet::new(), &mut found);
                }
                found
            }
            What::Exactly {
                count: chosen,
                family,
            } => {
                let mut found = BTreeSet::new();
                let members = self.family(family, view)?;
                unions(&members, count(chosen)?, &BTreeSet::new(), &mut found);
                found
            }
            What::HeapAt(index) => BTreeSet::from([vec![view.heap_at(view.number(index)?)?]]),
            What::Named {
                name,
                index: Some(index),
            } => BTreeSet::from([vec![view.heap_of_group(name, view.number(index)?)?]]),
            What::Named { name, index: None } => match self.names.heaps.get(&name.node) {
                Some(heap) => BTreeSet::from([vec![*heap]]),
                None => BTreeSet::from([view.selected(&name.node)?]),
            },
        })
    }
}

fn kind_of(word: &str) -> Option<CellKind> {
    CellKind::ALL
        .into_iter()
        .find(|kind| word == kind.singular() || word == kind.plural())
}

/// The unions of `chosen` of the members.
fn unions(
    members: &[Vec<usize>],
    chosen: usize,
    union: &BTreeSet<usize>,
    found: &mut BTreeSet<Vec<usize>>,
) {
    if chosen == 0 {
        found.insert(union.iter().copied().collect());
        return;
    }
    for (place, member) in members.iter().enumerate() {
        let mut wider = union.clone();
        wider.extend(member);
        unions(&members[place + 1..], chosen - 1, &wider, found);
    }
}
