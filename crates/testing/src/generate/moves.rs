//! The generation of moves: guards, choices of numbers, steps.

use super::settings::Kind;
use super::{Generator, Tree};
use crate::seq;
use crate::tree::{optional, shrinkable};

/// A selection, and whether it consists of one heap.
struct Selected {
    tree: Tree,
    single: bool,
}

impl Generator {
    pub(super) fn moves(&mut self) -> Vec<Tree> {
        let mut moves = vec![self.one_move()];
        for _ in 0..self.below(3) {
            let mover = self.one_move();
            moves.push(optional(mover));
        }
        moves
    }

    fn one_move(&mut self) -> Tree {
        let outer = self.scope.clone();
        let side = match self.setting.sides && self.percent(70) {
            true => self.word(&["left", "right"]),
            false => "".into(),
        };
        let name = match self.percent(15) {
            true => Tree::from(self.name("go")),
            false => "".into(),
        };
        let octal = self.setting.kind == Kind::Multiset && self.percent(15);
        let body = if octal { self.octal() } else { self.body() };
        self.scope = outer;
        seq!["move", side, name, body]
    }

    fn octal(&mut self) -> Tree {
        let code = match self.setting.codes.first() {
            Some(code) => code.clone().into(),
            None => self.word(&["\"0.77\"", "\"0.6\"", "\"4.3...\"", "\"0.137\"", "\"0.f\""]),
        };
        match self.setting.kinds.is_empty() || self.percent(30) {
            true => seq!["octal", code],
            false => seq!["octal", code, "from one ring"],
        }
    }

    fn body(&mut self) -> Tree {
        let mut parts = Vec::new();
        if self.percent(25) {
            parts.push(optional(seq!["when", self.condition(2)]));
        }
        let choices = match self.below(100) {
            0..65 => 0,
            65..92 => 1,
            _ => 2,
        };
        for _ in 0..choices {
            parts.push(self.for_some());
        }
        if self.setting.kind == Kind::Heaps && self.percent(25) {
            self.take_and_put(&mut parts);
            return Tree::Sequence(parts);
        }
        let steps = match self.below(100) {
            0..62 => 1,
            62..92 => 2,
            _ => 3,
        };
        for step in 0..steps {
            let before = self.scope.clone();
            let (repeat, may_be_skipped) = match step {
                0 if self.percent(80) => ("".into(), false),
                _ => self.repeat(),
            };
            let of_tokens = !self.setting.tokens.is_empty() && self.percent(40);
            let action = match self.setting.kind {
                Kind::Multiset => self.in_multiset(step),
                Kind::Tokens => self.slide(),
                Kind::Heaps if of_tokens => self.slide(),
                Kind::Heaps | Kind::Shrinking => match self.percent(20) {
                    true => self.setting_step(),
                    false => self.take(),
                },
            };
            // The names of a step that may be skipped are not in scope after it.
            if may_be_skipped {
                self.scope = before;
            }
            parts.push(match step {
                0 => seq![repeat, action],
                _ => optional(seq!["then", repeat, action]),
            });
        }
        if !self.linear && self.percent(8) {
            let again = self.word(&["then again", "then optionally again"]);
            parts.push(optional(again));
        }
        Tree::Sequence(parts)
    }

    fn for_some(&mut self) -> Tree {
        let set = match self.below(14) {
            0 => self.word(&["-2..2", "-1..1", "0..2", "1..2", "{1,3}", "{-3,2}"]),
            1 | 2 => seq!["{", self.number(1), "-", self.number(1), "}"],
            3 => seq!["{", self.number(1), ",", self.number(1), "}"],
            4 => seq![self.number(1), "..", self.number(1)],
            5 if self.linear => "powers(2)".into(),
            5 => self.word(&["squares", "primes", "powers(2)", "powers(3)", "1..", "2.."]),
            6 => seq![self.all()],
            7 => seq!["-2 ..", self.number(1)],
            8 if !self.setting.sets.is_empty() => self.setting.sets[0].clone().into(),
            9 => self.word(&["{}", "3..1", "1..1"]),
            10 => seq![self.number(1), ".."],
            _ => seq!["1 ..", self.number(1)],
        };
        let name = self.name("x");
        self.scope.numbers.push(name.clone());
        let condition = match self.percent(40) {
            true => optional(seq!["where", self.condition(1)]),
            false => "".into(),
        };
        seq!["for some", name, "in", shrinkable(set, "1..2"), condition]
    }

    /// The repetition of a step, and whether the step may be skipped.
    fn repeat(&mut self) -> (Tree, bool) {
        match self.below(100) {
            0..70 => ("".into(), false),
            70..82 => (optional("optionally"), true),
            82..93 => (optional("up to 2 times"), true),
            _ => (optional("2 times"), false),
        }
    }

    /// A take of two tokens or more and a put of fewer, so that play ends.
    fn take_and_put(&mut self, parts: &mut Vec<Tree>) {
        if self.setting.may_repeat && self.percent(60) {
            parts.push(self.put("1"));
            return;
        }
        let selected = self.selection(true);
        let (take, least) = match self.below(3) {
            0 => (seq!["take 2 from", selected.tree], "1"),
            1 => (seq!["take 3 from", selected.tree], "1..2"),
            _ => {
                let name = self.name("t");
                self.scope.numbers.push(name.clone());
                let amount = seq!["take", name.clone(), "from", selected.tree];
                (seq![amount, "where", name, "> 1"], "1")
            }
        };
        parts.push(take);
        let (repeat, _) = self.repeat();
        let put = self.put(least);
        parts.push(optional(seq!["then", repeat, put]));
    }

    fn put(&mut self, numbers: &'static str) -> Tree {
        // A computed 0 makes the step impossible.
        let numbers = match self.percent(30) {
            true => shrinkable(seq!["(", self.number(1), ") mod 2"], numbers),
            false => numbers.into(),
        };
        let selected = self.selection(true);
        let condition = match (self.percent(40), self.scope.single.as_slice()) {
            (true, [first, second, ..]) => {
                optional(seq!["where", second.clone(), "is not", first.clone()])
            }
            (true, _) => optional(seq!["where", self.condition(1)]),
            _ => "".into(),
        };
        seq!["put", numbers, "on", selected.tree, condition]
    }

    /// A step that gives heaps new sizes, or only chooses them.
    fn setting_step(&mut self) -> Tree {
        let state = self.setting.states.first().cloned();
        let bounded = self.percent(60);
        match (self.below(8), state) {
            (0..4, Some(state)) => seq!["set", state, "to", self.number(1)],
            (0, _) => {
                let selected = self.selection(false);
                let value = self.number(1);
                seq!["set", selected.tree, "to", value]
            }
            (1..4, _) => {
                let name = self.name("s");
                let tree = self.selected(false).0;
                // The number of each heap decides its new size.
                if bounded && self.setting.kind == Kind::Heaps && self.percent(40) {
                    let index = seq!["index(", name.clone(), ")"];
                    let value = match self.below(3) {
                        0 => seq!["min(", name.clone(), ",", index, ")"],
                        1 => seq!["(", index, "+", self.natural(1), ") mod 3"],
                        _ => seq![
                            "if",
                            index,
                            "<=",
                            self.number(1),
                            "then",
                            name.clone(),
                            "else 0"
                        ],
                    };
                    return seq!["set", tree, "as", name, "to", shrinkable(value, "0")];
                }
                let value = match bounded {
                    true if self.setting.neighbours && self.percent(40) => {
                        let (to, region) = (self.path_end(), self.region(1));
                        let path = seq!["joined(", name.clone(), ",", to, "through", region, ")"];
                        seq!["( if", path, "then", name.clone(), "else 0 )"]
                    }
                    true => seq!["min(", name.clone(), ",", self.natural(1), ")"],
                    false => self.word(&["0", "1"]),
                };
                let name = match bounded {
                    true => seq!["as", name],
                    false => "".into(),
                };
                seq!["set", tree, name, "to", value]
            }
            (4 | 5, _) => {
                let selected = self.selection(true);
                let condition = match self.scope.single.last().cloned() {
                    Some(name) => seq!["where", name, "== 1"],
                    None => "".into(),
                };
                seq!["flip", selected.tree, condition]
            }
            _ => {
                let one = self.percent(70);
                let selected = self.selection(one);
                seq!["choose", selected.tree]
            }
        }
    }

    fn where_of_amounts(&mut self, percent: u64, depth: usize) -> Tree {
        self.scope.amounts = true;
        let condition = match self.percent(percent) {
            true => optional(seq!["where", self.condition(depth)]),
            false => "".into(),
        };
        self.scope.amounts = false;
        condition
    }

    fn take(&mut self) -> Tree {
        let chosen = self.scope.numbers.last().cloned();
        let selected = self.selection(false);
        let mut bound = None;
        let amount = match self.below(23) {
            22 => "all".into(),
            0..6 => "".into(),
            6 => "1..2".into(),
            7 => self.word(&["1", "2", "{1,3}", "{2}", "3.."]),
            8 => "slow".into(),
            9 => "equal".into(),
            10 => self.word(&["equal 1", "equal {1,2}", "equal 1..2"]),
            11 => {
                let name = self.name("_t");
                bound = Some(name.clone());
                seq!["equal", name]
            }
            12..16 => {
                let name = self.name("_t");
                bound = Some(name.clone());
                name.into()
            }
            16 => self.word(&["powers(2)", "powers(3)"]),
            17 if !self.linear => self.word(&["squares", "primes", "fibonacci", "factorials"]),
            18 => seq!["1 ..", self.number(1)],
            19 => match chosen {
                Some(name) => name.into(),
                None => self.finite_set(1),
            },
            20 if !self.setting.sets.is_empty() => self.setting.sets[0].clone().into(),
            21 if self.percent(30) => match self.linear {
                true => "divisors(6)".into(),
                false => seq!["divisors(", self.number(1), ")"],
            },
            21 => shrinkable(seq!["{", self.number(1), "}"], "1"),
            _ => "1".into(),
        };
        self.scope.numbers.extend(bound);
        let condition = self.where_of_amounts(45, 2);
        seq!["take", amount, "from", selected.tree, condition]
    }

    /// A selection of heaps; of a single heap if `one`.
    fn selection(&mut self, one: bool) -> Selected {
        let (tree, single) = self.selected(one);
        self.named(tree, single)
    }

    /// A selection without a name, and whether it is of a single heap.
    fn selected(&mut self, one: bool) -> (Tree, bool) {
        let count = self.setting.count;
        let mut choices: Vec<(Tree, bool)> = vec![("one heap".into(), true)];
        for name in self.setting.heaps.clone() {
            choices.push((name.into(), true));
        }
        for (name, first, last) in self.setting.groups.clone() {
            choices.push((seq!["one", name.clone()], true));
            choices.push((format!("{name}[{last}]").into(), true));
            if !self.total {
                let index = self.number(1);
                choices.push((seq![name, "[", index, "+", first.to_string(), "]"], true));
            }
        }
        choices.push((format!("heaps[{count}]").into(), true));
        let index = match self.total || self.percent(50) {
            true if self.linear => format!("{count}").into(),
            true => seq!["(", self.number(1), ") mod", count.to_string(), "+ 1"],
            false => self.number(1),
        };
        choices.push((seq!["heaps[", index, "]"], true));
        for name in self.scope.single.clone() {
            choices.push((name.into(), true));
        }
        if !one {
            let more: &[&str] = match count {
                1 => &["all heaps"],
                2 => &["exactly 2 heaps", "up to 2 heaps", "all heaps"],
                _ => &[
                    "exactly 2 heaps",
                    "up to 2 heaps",
                    "all heaps",
                    "up to 3 heaps",
                ],
            };
            choices.extend(more.iter().map(|words| ((*words).into(), false)));
            // A number of heaps that the position gives.
            if self.setting.kind == Kind::Heaps && self.percent(30) {
                let number = match self.scope.single.last().cloned() {
                    Some(name) if self.percent(50) => name.into(),
                    _ => self.number(1),
                };
                let words = match self.setting.consecutive {
                    true => self.below(4),
                    false => self.below(2),
                };
                let number = shrinkable(number, "1");
                choices = vec![match words {
                    0 => (seq!["exactly", number, "heaps"], false),
                    1 => (seq!["up to", number, "heaps"], false),
                    2 => (seq!["(", number, ") consecutive heaps"], false),
                    _ => (seq!["up to", number, "consecutive heaps"], false),
                }];
                return choices.swap_remove(0);
            }
            if self.setting.consecutive {
                choices.push(("2 consecutive heaps".into(), false));
                choices.push(("up to 2 consecutive heaps".into(), false));
                choices.push(("1 consecutive heaps".into(), true));
            }
            for family in self.setting.families.clone() {
                choices.push((seq!["one", family.clone()], false));
                choices.push((seq!["up to 2", family.clone()], false));
                choices.push((seq!["exactly 2", family.clone()], false));
                choices.push((seq!["all", family], false));
            }
            for name in self.scope.several.clone() {
                choices.push((name.into(), false));
            }
        }
        let percent = match self.setting.has_rows || self.setting.in_order {
            true => 60,
            false => 25,
        };
        if self.percent(percent)
            && let Some(placed) = self.placed(one)
        {
            return placed;
        }
        self.pick(&choices).clone()
    }

    /// A selection by place, and whether it is of a single heap.
    fn placed(&mut self, one: bool) -> Option<(Tree, bool)> {
        let heap = self.scope.single.last().cloned();
        let mut choices: Vec<(Tree, bool)> = Vec::new();
        if let Some(heap) = &heap {
            let mut add = |words: &'static str, single| {
                choices.push((seq![words, heap.clone()], single));
            };
            if self.setting.in_row && self.setting.kind == Kind::Heaps {
                add("one heap left of", true);
                add("one heap right of", true);
                add("up to 2 heaps left of", false);
                add("all heaps right of", false);
            }
            if self.setting.in_order && self.setting.kind == Kind::Heaps {
                add("2 consecutive heaps ending at", false);
                add("up to 2 consecutive heaps starting at", false);
                add("1 consecutive heaps starting after", true);
                add("up to 2 consecutive heaps ending before", false);
                add("1 consecutive heaps ending before", true);
                add("2 consecutive heaps starting after", false);
            }
            if self.setting.has_rows && self.setting.kind == Kind::Heaps {
                add("one heap left of", true);
                add("all heaps right of", false);
                add("all heaps above", false);
                add("one heap above", true);
                add("one heap below", true);
            }
            if self.setting.neighbours && self.setting.kind == Kind::Heaps {
                add("one neighbour of", true);
                add("all neighbours of", false);
                add("exactly 2 neighbours of", false);
            }
            if self.setting.near {
                add("one near of", false);
                add("all near of", false);
                add("up to 2 near of", false);
            }
            if self.setting.families.iter().any(|family| family == "group") {
                add("one group of", false);
            }
        }
        if let Some(heap) = &heap
            && self.setting.kind == Kind::Heaps
            && self.percent(40)
        {
            let number = shrinkable(self.number(1), "1");
            let mut counted = |before: &'static str, after: &'static str| {
                choices.push((seq![before, number.clone(), after, heap.clone()], false));
            };
            if self.setting.in_order {
                counted("(", ") consecutive heaps starting after");
                counted("up to", "consecutive heaps ending at");
            }
            if self.setting.in_row {
                counted("exactly", "heaps left of");
            }
            if self.setting.neighbours {
                counted("up to", "neighbours of");
            }
        }
        if let [first, second, ..] = self.setting.heaps.as_slice() {
            choices.push((seq!["one of", first.clone(), second.clone()], true));
            let sets = format!("{{ {first} {second} }}, {{ {first} }}");
            choices.push((seq!["one of", sets], false));
        }
        if self.setting.kind == Kind::Heaps
            && let Some(family) = self.setting.families.first()
        {
            let words = "up to 2 consecutive heaps of one";
            choices.push((seq![words, family.clone()], false));
        }
        choices.retain(|(_, single)| *single || !one);
        match choices.is_empty() {
            true => None,
            false => Some(self.pick(&choices).clone()),
        }
    }

    fn named(&mut self, tree: Tree, single: bool) -> Selected {
        if !self.percent(45) {
            return Selected { tree, single };
        }
        let name = self.name("s");
        match single {
            true => self.scope.single.push(name.clone()),
            false => self.scope.several.push(name.clone()),
        }
        Selected {
            tree: seq![tree, "as", name],
            single,
        }
    }

    /// A step of tokens: a slide; a choice, or a new vertex or state, less often.
    fn slide(&mut self) -> Tree {
        let mut choices: Vec<(Tree, bool)> = vec![("one token".into(), true)];
        let beside_heaps = self.setting.kind == Kind::Heaps;
        let tokens = match beside_heaps {
            true => self.setting.tokens.clone(),
            false => [&self.setting.heaps[..], &self.scope.single[..]].concat(),
        };
        choices.extend(tokens.iter().map(|name| (name.clone().into(), true)));
        match (self.below(12), self.setting.states.first().cloned()) {
            (0, Some(state)) => return seq!["set", state, "to", self.number(1)],
            (1 | 2, _) => {
                let tree = self.pick(&choices).0.clone();
                let condition = optional(seq!["where", self.condition(1)]);
                return seq!["choose", tree, condition];
            }
            (3, _) => {
                let tree = self.pick(&choices).0.clone();
                return seq!["set", tree, "to", self.number(1)];
            }
            _ => {}
        }
        if tokens.len() > 1 {
            for words in ["up to 2 tokens", "all tokens", "exactly 2 tokens"] {
                choices.push((words.into(), false));
            }
        }
        let (tree, single) = self.pick(&choices).clone();
        // Later steps select heaps by the names of heaps only.
        let tree = match beside_heaps {
            true => tree,
            false => self.named(tree, single).tree,
        };
        let condition = match self.percent(35) {
            true => optional(seq!["where", self.condition(1)]),
            false => "".into(),
        };
        seq!["slide", tree, condition]
    }

    fn in_multiset(&mut self, step: u64) -> Tree {
        let kinds = self.setting.kinds.clone();
        let mut one: Vec<Tree> = vec!["one heap".into()];
        one.extend(kinds.iter().map(|kind| seq!["one", kind.clone()]));
        one.extend(
            self.scope
                .single
                .iter()
                .map(|name| Tree::from(name.clone())),
        );
        let tree = self.pick(&one).clone();
        if let Some(state) = self.setting.states.first().cloned()
            && self.percent(30)
        {
            return seq!["set", state, "to", self.number(1)];
        }
        match self.below(15) {
            0..2 => self.split(tree),
            13 | 14 => self.replace(tree),
            2..6 => {
                let selected = self.named(tree, true);
                let amount = self.word(&["", "1", "1..2", "{1,3}"]);
                let mut families: Vec<Tree> = vec!["heaps".into()];
                families.extend(kinds.iter().map(|kind| kind.clone().into()));
                let family = self.pick(&families).clone();
                let parts = self.word(&["0..2", "1..2", "0", "1", "0..1", "2"]);
                let condition = self.where_of_amounts(25, 1);
                seq![
                    "take",
                    amount,
                    "from",
                    selected.tree,
                    "leaving",
                    parts,
                    family,
                    condition
                ]
            }
            6 if step > 0 => {
                let amount = self.word(&["1", "1..2"]);
                seq!["put", amount, "on", tree]
            }
            10..13 => self.setting_in_multiset(),
            7 => {
                let mut words = vec!["up to 2 heaps", "exactly 2 heaps", "all heaps"];
                if !kinds.is_empty() {
                    words.extend(["up to 2 rings", "all pins"]);
                }
                let tree = self.word(&words);
                let selected = self.named(tree, false);
                self.multiset_take(selected)
            }
            _ => {
                let selected = self.named(tree, true);
                self.multiset_take(selected)
            }
        }
    }

    /// A step that gives heaps of a multiset new sizes, or only chooses them.
    fn setting_in_multiset(&mut self) -> Tree {
        let mut words = vec!["one heap", "one heap", "all heaps", "up to 2 heaps"];
        if !self.setting.kinds.is_empty() {
            words.extend(["one ring", "all pins", "exactly 2 rings"]);
        }
        let tree = self.word(&words);
        let earlier = self.scope.single.last().cloned();
        let (tree, name) = match earlier {
            Some(name) if self.percent(40) => (name.clone().into(), name),
            _ => {
                let name = self.name("s");
                (seq![tree, "as", name.clone()], name)
            }
        };
        let value = match self.below(8) {
            0 => self.number(1),
            1 | 2 => seq!["min(", name, ",", self.natural(1), ")"],
            3 | 4 => seq![name, self.word(&["- 1", "div 2", "+ 1", "mod 3"])],
            5 => return seq!["take all from", tree],
            6 => return seq!["flip", tree],
            _ => self.word(&["0", "1", "2"]),
        };
        seq!["set", tree, "to", value]
    }

    fn split(&mut self, tree: Tree) -> Tree {
        let selected = self.named(tree, true);
        if self.percent(40) {
            let condition = match self.below(8) {
                0 => "where distinct(each)".into(),
                1 => self.word(&[
                    "where min(each) == max(each)",
                    "where max(each) - min(each) <= 1",
                    "where max(each) - min(each) == count(each) - 1",
                    "where max(each) - min(each) < count(each) - 2 and distinct(each)",
                ]),
                2 => seq!["where count(each)", self.order(), self.number(0)],
                3 => seq!["where each", self.order(), self.number(0)],
                4 => seq!["where", self.number(0), self.order(), "max(each)"],
                _ => self.where_of_amounts(80, 1),
            };
            return seq!["split", selected.tree, "into parts", optional(condition)];
        }
        let mut names = vec![self.name("z"), self.name("z")];
        if self.percent(30) {
            names.push(self.name("z"));
        }
        let into = names.join(", ");
        self.scope.numbers.extend(names);
        let condition = match self.percent(60) {
            true => optional(seq!["where", self.condition(1)]),
            false => "".into(),
        };
        seq!["split", selected.tree, "into", into, condition]
    }

    fn order(&mut self) -> Tree {
        self.word(&["==", "<=", "<", ">=", ">", "!="])
    }

    /// A step that replaces a heap, mostly by smaller ones.
    fn replace(&mut self, tree: Tree) -> Tree {
        let name = self.name("s");
        self.scope.single.push(name.clone());
        let kinds = self.setting.kinds.clone();
        let mut by: Vec<Tree> = Vec::new();
        for place in 0..1 + self.below(2) {
            let size: Tree = match self.below(12) {
                0..4 => {
                    let part = self.name("z");
                    self.scope.numbers.push(part.clone());
                    part.into()
                }
                4 => {
                    let part = self.name("z");
                    let set = match self.below(4) {
                        0 => self.word(&["0..1", "{0,2}", "-1..1", "2..1"]),
                        1 => seq!["1 ..", name.clone(), "- 1"],
                        2 => seq!["0 ..", name.clone(), "div 2"],
                        _ => seq!["{", self.number(0), ",", name.clone(), "- 1 }"],
                    };
                    self.scope.numbers.push(part.clone());
                    seq![part, "in", set]
                }
                5 | 6 => seq![name.clone(), self.word(&["- 1", "div 2", "- 2", "div 3"])],
                7 => seq!["max(", name.clone(), "- 2, 0)"],
                8 => seq!["min(", self.natural(1), ",", name.clone(), "- 1)"],
                9 => self.number(1),
                _ => self.word(&["0", "1"]),
            };
            by.push(match self.below(10) {
                0 => seq!["2 heaps of", size],
                1 => seq![name.clone(), "mod 3 heaps of", size],
                2 | 3 if !kinds.is_empty() => seq![self.pick(&kinds).clone(), size],
                4 if !kinds.is_empty() => {
                    seq![
                        self.word(&["1", "2"]),
                        format!("{}s of", self.pick(&kinds)),
                        size
                    ]
                }
                _ => size,
            });
            if place == 0 {
                continue;
            }
            by.insert(1, ",".into());
        }
        let condition = match self.percent(35) {
            true => optional(seq!["where", self.condition(1)]),
            false => "".into(),
        };
        seq![
            "replace",
            tree,
            "as",
            name,
            "by",
            Tree::Sequence(by),
            condition
        ]
    }

    fn multiset_take(&mut self, selected: Selected) -> Tree {
        let amount = match (self.below(5), selected.single) {
            (0, _) => "".into(),
            (1, _) => self.word(&["1..2", "2", "{1,3}", "3"]),
            (2, false) => "equal".into(),
            (3, _) => "slow".into(),
            _ => {
                let name = self.name("_t");
                self.scope.numbers.push(name.clone());
                name.into()
            }
        };
        let condition = self.where_of_amounts(40, 1);
        seq!["take", amount, "from", selected.tree, condition]
    }
}
