//! Texts that can be made shorter: what is written, and which parts of it may
//! be left out or put more simply.

use std::fmt;
use std::time::{Duration, Instant};

/// A failing rule is made shorter for so long.
const SHRINKING: Duration = Duration::from_secs(15);

/// A text in parts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Tree {
    Word(String),
    Row(Vec<Tree>),
    /// A part that may give way to something simpler: to nothing, to `true`,
    /// to a small number.
    Part(Box<Tree>, &'static str),
}

impl From<&str> for Tree {
    fn from(word: &str) -> Tree {
        Tree::Word(word.to_owned())
    }
}

impl From<String> for Tree {
    fn from(word: String) -> Tree {
        Tree::Word(word)
    }
}

/// The parts one after another.
#[macro_export]
macro_rules! row {
    ($($part:expr),* $(,)?) => { $crate::tree::Tree::Row(vec![$($crate::tree::Tree::from($part)),*]) };
}

/// Something that `simpler` may stand for.
pub fn part(tree: impl Into<Tree>, simpler: &'static str) -> Tree {
    Tree::Part(Box::new(tree.into()), simpler)
}

/// Something that may be left out.
pub fn maybe(tree: impl Into<Tree>) -> Tree {
    part(tree, "")
}

/// These, with a word between any two.
pub fn joined(parts: Vec<Tree>, word: &str) -> Tree {
    let mut row = Vec::new();
    for (place, tree) in parts.into_iter().enumerate() {
        if place > 0 {
            row.push(word.into());
        }
        row.push(tree);
    }
    Tree::Row(row)
}

impl Tree {
    /// How many parts may give way.
    pub fn parts(&self) -> usize {
        match self {
            Tree::Word(_) => 0,
            Tree::Row(row) => row.iter().map(Tree::parts).sum(),
            Tree::Part(tree, _) => 1 + tree.parts(),
        }
    }

    /// The text with its `n`th part, counted from outside and from the left,
    /// put more simply.
    pub fn simplified(&self, n: usize) -> Tree {
        let mut left = n;
        self.replaced(&mut left, &mut |_, simpler| simpler.into())
            .unwrap_or_else(|| self.clone())
    }

    fn replaced(
        &self,
        left: &mut usize,
        by: &mut dyn FnMut(&Tree, &'static str) -> Tree,
    ) -> Option<Tree> {
        match self {
            Tree::Word(_) => None,
            Tree::Row(row) => {
                for (place, tree) in row.iter().enumerate() {
                    if let Some(new) = tree.replaced(left, by) {
                        let mut row = row.clone();
                        row[place] = new;
                        return Some(Tree::Row(row));
                    }
                }
                None
            }
            Tree::Part(tree, simpler) => {
                if *left == 0 {
                    return Some(by(tree, simpler));
                }
                *left -= 1;
                let inner = tree.replaced(left, by)?;
                Some(Tree::Part(Box::new(inner), simpler))
            }
        }
    }

    /// The shortest text of this kind that still fails, as far as simplifying
    /// one part after another goes.
    pub fn shrunk(&self, mut fails: impl FnMut(&Tree) -> bool) -> Tree {
        let mut best = self.clone();
        let mut at = 0;
        let until = Instant::now() + SHRINKING;
        while at < best.parts() && Instant::now() < until {
            let simpler = best.simplified(at);
            if fails(&simpler) {
                best = simpler;
            } else {
                at += 1;
            }
        }
        best
    }
}

impl fmt::Display for Tree {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fn words<'t>(tree: &'t Tree, found: &mut Vec<&'t str>) {
            match tree {
                Tree::Word(word) => found.push(word),
                Tree::Row(row) => row.iter().for_each(|tree| words(tree, found)),
                Tree::Part(tree, _) => words(tree, found),
            }
        }
        let mut all = Vec::new();
        words(self, &mut all);
        let mut first = true;
        for word in all.into_iter().filter(|word| !word.is_empty()) {
            if !first && word != "\n" {
                f.write_str(" ")?;
            }
            first = word == "\n";
            f.write_str(word)?;
        }
        Ok(())
    }
}
