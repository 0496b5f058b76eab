//! The options of a heap game on multisets: heaps are selected, emptied and split.
//!
//! A position is the list of its heaps, each with its kind. As everywhere here
//! nothing is clever: a split is every way to write a number as a sum.

use super::rule::Rule;
use super::value::{Bound, Fault, Value, View, members_to};
use nimrule_syntax::ast::{
    Action, Default, Expr, FamilyName, HeapGroups, Leaving, Move, OctalCode, Repeat, Selection,
    Statement, Step, What,
};
use std::collections::BTreeSet;

/// A heap and its kind; the kind of all heaps is 0 where there are none.
pub type Heap = (u64, usize);

/// The heaps between two steps, in the order they came, and what is bound.
#[derive(Clone)]
struct Stage {
    heaps: Vec<Heap>,
    bound: Vec<(String, Bound)>,
}

impl Rule<'_> {
    /// The kinds of the bag's heaps, if the heaps are a bag.
    pub fn kinds(&self) -> Option<Vec<String>> {
        let is_bag = self.file.statements.iter().any(|s| {
            matches!(&s.node, Statement::Heaps(heaps) if matches!(heaps.groups, HeapGroups::AnyNumber(_)))
        });
        let kinds = self.file.statements.iter().find_map(|s| match &s.node {
            Statement::Kinds(names) => Some(names.iter().map(|n| n.node.clone()).collect()),
            _ => None,
        });
        is_bag.then(|| kinds.unwrap_or_default())
    }

    /// The options of a bag: the heaps left, sorted, without empty ones.
    pub fn bag_options(&self, bag: &[Heap]) -> Result<BTreeSet<Vec<Heap>>, Fault> {
        let mut reached = Vec::new();
        let start = Stage {
            heaps: bag.to_vec(),
            bound: Vec::new(),
        };
        for statement in &self.file.statements {
            let Statement::Move(mover) = &statement.node else {
                continue;
            };
            if let Some(octal) = &mover.octal {
                let code = match &octal.code {
                    OctalCode::Written(text) => text.node.clone(),
                    OctalCode::Named(name) => self.code(&name.node)?,
                };
                self.by_code(
                    &code,
                    octal.from.as_ref().map(|f| &f.node),
                    &start,
                    &mut reached,
                )?;
                continue;
            }
            if self.bag_view(&start, |view| view.holds(mover.when.as_ref()))? {
                self.bag_choices(mover, 0, start.clone(), &mut reached)?;
            }
        }
        let mut options = BTreeSet::new();
        for heaps in reached {
            let mut heaps: Vec<Heap> = heaps.into_iter().filter(|(size, _)| *size > 0).collect();
            heaps.sort_unstable();
            let stage = Stage {
                heaps: heaps.clone(),
                bound: Vec::new(),
            };
            let mut allowed = true;
            for statement in &self.file.statements {
                if let Statement::Positions(condition) = &statement.node {
                    allowed &= self.bag_view(&stage, |view| view.truth(condition))?;
                }
            }
            if allowed {
                options.insert(heaps);
            }
        }
        Ok(options)
    }

    fn code(&self, name: &str) -> Result<String, Fault> {
        for statement in &self.file.statements {
            if let Statement::Param(params) = &statement.node {
                for param in params {
                    if let (true, Default::Code(code)) = (param.name.node == name, &param.default) {
                        return Ok(code.node.clone());
                    }
                }
            }
        }
        Err(format!("no code is called `{name}`"))
    }

    /// A look at the heaps as they stand.
    fn bag_view<T>(
        &self,
        stage: &Stage,
        look: impl FnOnce(View<'_>) -> Result<T, Fault>,
    ) -> Result<T, Fault> {
        let sizes: Vec<u64> = stage.heaps.iter().map(|heap| heap.0).collect();
        let mut view = View::new(&self.names, &sizes);
        view.bag = true;
        for (kind, name) in self.kinds().unwrap_or_default().into_iter().enumerate() {
            let of_kind = (0..stage.heaps.len())
                .filter(|place| stage.heaps[*place].1 == kind && stage.heaps[*place].0 > 0);
            view.bound.push((name, Bound::Heaps(of_kind.collect())));
        }
        view.bound.extend(stage.bound.iter().cloned());
        look(view)
    }

    fn bag_choices(
        &self,
        mover: &Move,
        next: usize,
        stage: Stage,
        reached: &mut Vec<Vec<Heap>>,
    ) -> Result<(), Fault> {
        let Some(choice) = mover.choices.get(next) else {
            let steps: Vec<&Step> = mover.steps.iter().map(|step| &step.node).collect();
            return self.bag_steps(&steps, stage, reached);
        };
        let most: u64 = 200 + stage.heaps.iter().map(|heap| heap.0).sum::<u64>();
        let values = self.bag_view(&stage, |view| {
            Ok(members_to(&view.set(&choice.set)?, i128::from(most)))
        })?;
        for value in values {
            let mut chosen = stage.clone();
            let bound = Bound::Value(Value::Number(value));
            chosen.bound.push((choice.name.node.clone(), bound));
            if self.bag_view(&chosen, |view| view.holds(choice.condition.as_ref()))? {
                self.bag_choices(mover, next + 1, chosen, reached)?;
            }
        }
        Ok(())
    }

    fn bag_steps(
        &self,
        steps: &[&Step],
        stage: Stage,
        reached: &mut Vec<Vec<Heap>>,
    ) -> Result<(), Fault> {
        let Some((step, rest)) = steps.split_first() else {
            reached.push(stage.heaps);
            return Ok(());
        };
        let times = |count: &Expr| -> Result<u64, Fault> {
            let count = self.bag_view(&stage, |view| view.number(count))?;
            u64::try_from(count).map_err(|e| e.to_string())
        };
        let (least, most) = match &step.repeat {
            Repeat::Once => (1, 1),
            Repeat::Optionally => (0, 1),
            Repeat::UpTo(count) => (0, times(count)?),
            Repeat::Exactly(count) => (times(count)?, times(count)?),
        };
        let before = stage.bound.clone();
        let mut standing = vec![stage];
        for done in 0..=most {
            if done >= least {
                for stage in &standing {
                    self.bag_steps(rest, stage.clone(), reached)?;
                }
            }
            if done == most {
                break;
            }
            let mut after = Vec::new();
            for stage in &standing {
                let stage = Stage {
                    heaps: stage.heaps.clone(),
                    bound: before.clone(),
                };
                self.bag_act(&step.action, &stage, &mut after)?;
            }
            standing = after;
        }
        Ok(())
    }

    fn bag_act(&self, action: &Action, stage: &Stage, after: &mut Vec<Stage>) -> Result<(), Fault> {
        let selection = match action {
            Action::Take { from, .. } => &from.node,
            Action::Put { on, .. } => &on.node,
            Action::Split { what, .. } => &what.node,
            Action::Slide { .. } => return Err("nothing slides in a bag".to_owned()),
        };
        for heaps in self.bag_selections(selection, stage)? {
            let mut stage = stage.clone();
            if let Some(name) = &selection.bound {
                let bound = Bound::Heaps(heaps.clone());
                stage.bound.push((name.node.clone(), bound));
            }
            match action {
                Action::Put {
                    amount, condition, ..
                } => {
                    let numbers = self
                        .bag_view(&stage, |view| Ok(members_to(&view.set(amount)?, 1_000_000)))?;
                    for number in numbers.into_iter().filter(|number| *number > 0) {
                        if self.bag_view(&stage, |view| view.holds(condition.as_ref()))? {
                            let mut next = stage.clone();
                            for heap in &heaps {
                                next.heaps[*heap].0 +=
                                    u64::try_from(number).map_err(|e| e.to_string())?;
                            }
                            after.push(next);
                        }
                    }
                }
                Action::Take {
                    amount,
                    leaving,
                    condition,
                    ..
                } => {
                    let taken = self.bag_view(&stage, |view| {
                        let mut taken = Vec::new();
                        for (amounts, view) in self.amounts(amount, &heaps, &view)? {
                            let mut judge = view.clone();
                            judge.amounts = Some(amounts.clone());
                            if judge.holds(condition.as_ref())? {
                                taken.push((amounts, view.bound));
                            }
                        }
                        Ok(taken)
                    })?;
                    for (amounts, bound) in taken {
                        let mut next = Stage {
                            heaps: stage.heaps.clone(),
                            bound: bound[self.kinds().unwrap_or_default().len()..].to_vec(),
                        };
                        for (heap, amount) in heaps.iter().zip(&amounts) {
                            next.heaps[*heap].0 -= amount;
                        }
                        match leaving {
                            None => after.push(next),
                            Some(leaving) => self.leave(leaving, heaps[0], &next, after)?,
                        }
                    }
                }
                Action::Split {
                    parts, condition, ..
                } => {
                    let (size, kind) = stage.heaps[heaps[0]];
                    for sizes in sums(size, parts.len() as u64) {
                        let mut next = stage.clone();
                        for (name, size) in parts.iter().zip(&sizes) {
                            let bound = Bound::Value(Value::Number(i128::from(*size)));
                            next.bound.push((name.node.clone(), bound));
                        }
                        if self.bag_view(&next, |view| view.holds(condition.as_ref()))? {
                            next.heaps[heaps[0]] = (sizes[0], kind);
                            next.heaps
                                .extend(sizes[1..].iter().map(|size| (*size, kind)));
                            after.push(next);
                        }
                    }
                }
                Action::Slide { .. } => {}
            }
        }
        Ok(())
    }

    /// Every way to put what is left of a heap into as many heaps as it says.
    fn leave(
        &self,
        leaving: &Leaving,
        heap: usize,
        stage: &Stage,
        after: &mut Vec<Stage>,
    ) -> Result<(), Fault> {
        let range = self.bag_view(stage, |view| {
            Ok(members_to(&view.set(&leaving.heaps)?, 100))
        })?;
        let kind = match &leaving.family {
            FamilyName::Heaps(_) => stage.heaps[heap].1,
            FamilyName::Named(name) => self.kind(&name.node)?,
        };
        for parts in range {
            let parts = u64::try_from(parts).map_err(|e| e.to_string())?;
            after.extend(left_in(parts, heap, kind, stage));
        }
        Ok(())
    }

    fn kind(&self, word: &str) -> Result<usize, Fault> {
        let kinds = self.kinds().unwrap_or_default();
        kinds
            .iter()
            .position(|kind| kind == word || format!("{kind}s") == word)
            .ok_or_else(|| format!("no kind is called `{word}`"))
    }

    fn bag_selections(
        &self,
        selection: &Selection,
        stage: &Stage,
    ) -> Result<Vec<Vec<usize>>, Fault> {
        let of = |family: &FamilyName| -> Result<Vec<usize>, Fault> {
            let kind = match family {
                FamilyName::Heaps(_) => None,
                FamilyName::Named(name) => Some(self.kind(&name.node)?),
            };
            Ok((0..stage.heaps.len())
                .filter(|place| {
                    let (size, of) = stage.heaps[*place];
                    size > 0 && kind.is_none_or(|kind| kind == of)
                })
                .collect())
        };
        let count = |expr: &Expr| -> Result<usize, Fault> {
            let count = self.bag_view(stage, |view| view.number(expr))?;
            usize::try_from(count).map_err(|e| e.to_string())
        };
        let (there, sizes) = match &selection.what {
            What::All(family) => {
                let there = of(family)?;
                let all = there.len();
                (there, all.max(1)..=all.max(1))
            }
            What::One(family) => (of(family)?, 1..=1),
            What::UpTo {
                count: most,
                family,
                ..
            } => (of(family)?, 1..=count(most)?),
            What::Exactly {
                count: exactly,
                family,
            } => {
                let exactly = count(exactly)?;
                (of(family)?, exactly..=exactly)
            }
            What::Named { name, .. } => {
                return match stage.bound.iter().rev().find(|(n, _)| *n == name.node) {
                    Some((_, Bound::Heaps(heaps))) => Ok(vec![heaps.clone()]),
                    _ => Err(format!("no heap is called `{}`", name.node)),
                };
            }
            _ => return Err("a bag has no places".to_owned()),
        };
        Ok((0..1_u32 << there.len())
            .filter(|set| sizes.contains(&(set.count_ones() as usize)))
            .map(|set| {
                let chosen = (0..there.len()).filter(|place| set >> place & 1 == 1);
                chosen.map(|place| there[place]).collect()
            })
            .collect())
    }

    /// The options by a code, digit by digit.
    fn by_code(
        &self,
        code: &str,
        from: Option<&Selection>,
        stage: &Stage,
        reached: &mut Vec<Vec<Heap>>,
    ) -> Result<(), Fault> {
        let (before, after) = code.split_once('.').ok_or("no point")?;
        let mut digits: Vec<u32> = before
            .chars()
            .last()
            .iter()
            .filter_map(|c| c.to_digit(16))
            .collect();
        digits.extend(after.chars().filter_map(|c| c.to_digit(16)));
        let largest = stage.heaps.iter().map(|heap| heap.0).max().unwrap_or(0) as usize;
        while code.ends_with("...") && digits.len() <= largest {
            digits.push(*digits.last().ok_or("no digit")?);
        }
        let heaps = match from {
            Some(selection) => self.bag_selections(selection, stage)?.concat(),
            None => (0..stage.heaps.len()).collect(),
        };
        for heap in heaps {
            for (taken, digit) in digits.iter().enumerate() {
                let Some(left) = stage.heaps[heap].0.checked_sub(taken as u64) else {
                    continue;
                };
                let mut next = stage.clone();
                next.heaps[heap].0 = left;
                for parts in (0..4).filter(|parts| digit >> parts & 1 == 1) {
                    let kind = stage.heaps[heap].1;
                    reached.extend(
                        left_in(parts, heap, kind, &next)
                            .into_iter()
                            .map(|s| s.heaps),
                    );
                }
            }
        }
        Ok(())
    }
}

/// What is left of a heap in this many non-empty heaps, in every way.
fn left_in(parts: u64, heap: usize, kind: usize, stage: &Stage) -> Vec<Stage> {
    let size = stage.heaps[heap].0;
    if parts == 0 {
        return if size == 0 {
            vec![stage.clone()]
        } else {
            Vec::new()
        };
    }
    sums(size, parts)
        .into_iter()
        .map(|sizes| {
            let mut next = stage.clone();
            next.heaps[heap] = (sizes[0], kind);
            next.heaps
                .extend(sizes[1..].iter().map(|size| (*size, kind)));
            next
        })
        .collect()
}

/// Every way to write a number as a sum of so many positive ones, in order.
fn sums(number: u64, parts: u64) -> Vec<Vec<u64>> {
    if parts == 1 {
        return if number > 0 {
            vec![vec![number]]
        } else {
            Vec::new()
        };
    }
    (1..number)
        .flat_map(|first| {
            sums(number - first, parts - 1)
                .into_iter()
                .map(move |mut rest| {
                    rest.insert(0, first);
                    rest
                })
        })
        .collect()
}
