//! Texts that can be shrunk: trees whose marked parts may be replaced by
//! something simpler.

use std::fmt;
use std::time::{Duration, Instant};

/// The time limit for shrinking a rule.
const SHRINK_TIME: Duration = Duration::from_secs(15);

/// A text as a tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Tree {
    /// Verbatim text.
    Word(String),
    /// Parts one after another, separated by spaces.
    Sequence(Vec<Tree>),
    /// A part that may be replaced by a simpler text: by nothing, by `true`, by a
    /// small number.
    Shrinkable(Box<Tree>, &'static str),
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

/// A sequence of parts.
#[macro_export]
macro_rules! seq {
    ($($part:expr),* $(,)?) => { $crate::tree::Tree::Sequence(vec![$($crate::tree::Tree::from($part)),*]) };
}

/// A part that may be replaced by `simpler`.
pub fn shrinkable(tree: impl Into<Tree>, simpler: &'static str) -> Tree {
    Tree::Shrinkable(Box::new(tree.into()), simpler)
}

/// A part that may be left out.
pub fn optional(tree: impl Into<Tree>) -> Tree {
    shrinkable(tree, "")
}

/// Parts with a separator between them.
pub fn separated(parts: Vec<Tree>, word: &str) -> Tree {
    let mut row = Vec::new();
    for (place, tree) in parts.into_iter().enumerate() {
        if place > 0 {
            row.push(word.into());
        }
        row.push(tree);
    }
    Tree::Sequence(row)
}

impl Tree {
    /// The number of parts that may be replaced, including nested ones.
    fn shrinkable_parts(&self) -> usize {
        match self {
            Tree::Word(_) => 0,
            Tree::Sequence(row) => row.iter().map(Tree::shrinkable_parts).sum(),
            Tree::Shrinkable(tree, _) => 1 + tree.shrinkable_parts(),
        }
    }

    /// The text with its `n`th replaceable part replaced. Parts are counted from
    /// 0 in preorder.
    fn with_simplified(&self, n: usize) -> Tree {
        let mut left = n;
        self.replaced(&mut left, &mut |_, simpler| simpler.into())
            .unwrap_or_else(|| self.clone())
    }

    /// The tree with one replaceable part replaced: the one before which `left`
    /// others are visited. `None` if there are fewer.
    fn replaced(
        &self,
        left: &mut usize,
        by: &mut dyn FnMut(&Tree, &'static str) -> Tree,
    ) -> Option<Tree> {
        match self {
            Tree::Word(_) => None,
            Tree::Sequence(row) => {
                for (place, tree) in row.iter().enumerate() {
                    if let Some(new) = tree.replaced(left, by) {
                        let mut row = row.clone();
                        row[place] = new;
                        return Some(Tree::Sequence(row));
                    }
                }
                None
            }
            Tree::Shrinkable(tree, simpler) => {
                if *left == 0 {
                    return Some(by(tree, simpler));
                }
                *left -= 1;
                let inner = tree.replaced(left, by)?;
                Some(Tree::Shrinkable(Box::new(inner), simpler))
            }
        }
    }

    /// Shrinks a text that fails, greedily: replaces one part after another and
    /// keeps each replacement with which the text still fails.
    pub fn shrink(&self, mut fails: impl FnMut(&Tree) -> bool) -> Tree {
        let mut best = self.clone();
        let mut at = 0;
        let until = Instant::now() + SHRINK_TIME;
        while at < best.shrinkable_parts() && Instant::now() < until {
            let simpler = best.with_simplified(at);
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
                Tree::Sequence(row) => row.iter().for_each(|tree| words(tree, found)),
                Tree::Shrinkable(tree, _) => words(tree, found),
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
