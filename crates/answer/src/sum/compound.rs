//! The compounds of games: which components a move changes, and when play ends.

use std::fmt;
use std::ops::ControlFlow::{self, Continue};

/// How several games are played as one. A component has *ended* if it has no option.
///
/// Sources: Smith, *Graphs and composite games* (1966); Conway, *On Numbers and Games*
/// (1976), ch. 14; for the sequential compound Stromquist and Ullman (1993).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Compound {
    /// A move is made in one component, and play ends when all have ended.
    #[default]
    Disjunctive,
    /// A move is made in every component, and play ends when one has ended.
    Conjunctive,
    /// A move is made in any number of components, at least one, and play ends when all
    /// have ended.
    Selective,
    /// The continued conjunctive compound: a move is made in every component that has not
    /// ended.
    Continued,
    /// The shortened disjunctive compound, also called diminished: a move is made in one
    /// component, and play ends when one has ended.
    Shortened,
    /// The shortened selective compound: a move is made in any number of components, and
    /// play ends when one has ended.
    ShortenedSelective,
    /// A move is made in one component, and removes those after it.
    Ordinal,
    /// A move is made in the first component that has not ended.
    Sequential,
}

impl Compound {
    /// All compounds.
    pub const ALL: [Compound; 8] = [
        Compound::Disjunctive,
        Compound::Conjunctive,
        Compound::Selective,
        Compound::Continued,
        Compound::Shortened,
        Compound::ShortenedSelective,
        Compound::Ordinal,
        Compound::Sequential,
    ];

    /// The word that names it in commands and JSON.
    pub fn word(self) -> &'static str {
        match self {
            Compound::Disjunctive => "disjunctive",
            Compound::Conjunctive => "conjunctive",
            Compound::Selective => "selective",
            Compound::Continued => "continued",
            Compound::Shortened => "shortened",
            Compound::ShortenedSelective => "shortened-selective",
            Compound::Ordinal => "ordinal",
            Compound::Sequential => "sequential",
        }
    }

    /// The noun for it in text.
    pub fn noun(self) -> &'static str {
        match self {
            Compound::Disjunctive => "sum",
            Compound::Conjunctive => "conjunctive compound",
            Compound::Selective => "selective compound",
            Compound::Continued => "continued conjunctive compound",
            Compound::Shortened => "shortened disjunctive compound",
            Compound::ShortenedSelective => "shortened selective compound",
            Compound::Ordinal => "ordinal sum",
            Compound::Sequential => "sequential compound",
        }
    }

    /// Whether a move may change several components.
    pub fn is_joint(self) -> bool {
        matches!(
            self,
            Compound::Conjunctive
                | Compound::Selective
                | Compound::Continued
                | Compound::ShortenedSelective
        )
    }

    /// Whether the order of the components matters.
    pub(crate) fn is_ordered(self) -> bool {
        matches!(self, Compound::Ordinal | Compound::Sequential)
    }

    /// Whether the moves depend on which components have ended, apart from there being no
    /// move in these.
    pub(crate) fn reads_ends(self) -> bool {
        matches!(
            self,
            Compound::Continued
                | Compound::Shortened
                | Compound::ShortenedSelective
                | Compound::Sequential
        )
    }

    /// Calls `visit` with every move of a position whose components have so many options
    /// each: the option that each component moves to, `None` where it stays. This is the
    /// definition of the compounds.
    pub(crate) fn each_move(
        self,
        options: &[usize],
        visit: &mut dyn FnMut(&[Option<usize>]) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let has_ended = |component: &usize| options[*component] == 0;
        let mut all = 0..options.len();
        let some_ended = all.clone().any(|component| has_ended(&component));
        match self {
            Compound::Disjunctive | Compound::Ordinal => one_of(options, all, visit),
            Compound::Sequential => {
                let first = all.find(|component| !has_ended(component));
                one_of(options, first, visit)
            }
            Compound::Conjunctive => several(options, &|_| false, visit),
            Compound::Continued => several(options, &|component| has_ended(&component), visit),
            Compound::Selective => several(options, &|_| true, visit),
            Compound::Shortened | Compound::ShortenedSelective if some_ended => Continue(()),
            Compound::Shortened => one_of(options, all, visit),
            Compound::ShortenedSelective => several(options, &|_| true, visit),
        }
    }

    /// The number of components that are left after a move.
    pub(crate) fn left(self, made: &[Option<usize>]) -> usize {
        match (self, made.iter().position(Option::is_some)) {
            (Compound::Ordinal, Some(moved)) => moved + 1,
            _ => made.len(),
        }
    }
}

impl fmt::Display for Compound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

/// The moves that change one of these components.
fn one_of(
    options: &[usize],
    components: impl IntoIterator<Item = usize>,
    visit: &mut dyn FnMut(&[Option<usize>]) -> ControlFlow<()>,
) -> ControlFlow<()> {
    let mut made = vec![None; options.len()];
    for component in components {
        for option in 0..options[component] {
            made[component] = Some(option);
            visit(&made)?;
        }
        made[component] = None;
    }
    Continue(())
}

/// The moves that change every component but those that may stay, and at least one.
fn several(
    options: &[usize],
    may_stay: &dyn Fn(usize) -> bool,
    visit: &mut dyn FnMut(&[Option<usize>]) -> ControlFlow<()>,
) -> ControlFlow<()> {
    let first = |component: usize| (!may_stay(component)).then_some(0);
    let next = |component: usize, at: Option<usize>| {
        let next = at.map_or(0, |option| option + 1);
        (next < options[component]).then_some(next)
    };
    if (0..options.len()).any(|component| options[component] == 0 && !may_stay(component)) {
        return Continue(());
    }
    let mut made: Vec<Option<usize>> = (0..options.len()).map(first).collect();
    loop {
        if made.iter().any(Option::is_some) {
            visit(&made)?;
        }
        let mut turned = None;
        for component in (0..options.len()).rev() {
            match next(component, made[component]) {
                Some(option) => {
                    turned = Some(component);
                    made[component] = Some(option);
                    break;
                }
                None => made[component] = first(component),
            }
        }
        if turned.is_none() {
            return Continue(());
        }
    }
}
