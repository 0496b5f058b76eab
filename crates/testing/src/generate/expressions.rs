//! The generation of numbers, conditions, lists and sets over the names in scope.

use super::settings::Kind;
use super::{Generator, Tree};
use crate::seq;
use crate::tree::{separated, shrinkable};
use nimrule_syntax::ast::{Builtin, Function};
use nimrule_syntax::words;

const SMALL: [&str; 11] = ["0", "1", "1", "2", "2", "3", "3", "4", "5", "7", "8"];

/// The last numbers of sets, and of 64 bits.
const LAST: [&str; 5] = [
    "7540113804746346429",
    "2432902008176640000",
    "9223372030926249001",
    "4052555153018976267",
    "9223372036854775807",
];

#[rustfmt::skip]
const LARGE: [&str; 19] = [
    "9", "15", "16", "17", "31", "32", "33", "63", "64", "65", "100", "1_000", "-1", "-2", "-3",
    "-40", "3_000", "100_000_000", "4_294_967_296",
];

impl Generator {
    fn constant(&mut self) -> Tree {
        match self.percent(85) {
            true => self.word(&SMALL),
            false => shrinkable(self.word(&LARGE), "1"),
        }
    }

    fn is_tokens(&self) -> bool {
        self.setting.kind == Kind::Tokens
    }

    /// The list of all heaps or tokens.
    pub(super) fn all(&self) -> &'static str {
        if self.is_tokens() { "tokens" } else { "heaps" }
    }

    /// The name of a number.
    fn named_number(&mut self) -> Tree {
        let mut names: Vec<String> = Vec::new();
        // Numbers that the move has chosen are more frequent than heaps.
        for _ in 0..3 {
            names.extend(self.scope.numbers.iter().cloned());
        }
        names.extend(self.scope.single.iter().cloned());
        names.extend(self.setting.heaps.iter().cloned());
        names.extend(self.setting.numbers.iter().cloned());
        names.extend(self.setting.list.then(|| "limits[2]".to_owned()));
        names.extend(self.setting.states.iter().cloned());
        names.extend(self.setting.tokens.iter().cloned());
        names.extend(self.setting.vertices.iter().cloned());
        for (name, first, last) in &self.setting.groups {
            names.extend((*first..=*last).map(|index| format!("{name}[{index}]")));
        }
        if self.scope.amounts {
            names.extend(["total".to_owned(), "total".to_owned()]);
        }
        if self.is_tokens() {
            for token in self.setting.heaps.iter().chain(&self.scope.single) {
                let coordinates = self.setting.coordinates.iter();
                names.extend(coordinates.map(|coordinate| format!("{token}.{coordinate}")));
            }
        } else if self.setting.kind != Kind::Multiset {
            names.push("heaps[1]".to_owned());
            for heap in self.scope.single.iter().chain(self.setting.heaps.first()) {
                // A heap with indices has a coordinate where it has another name.
                let axes = self.setting.axes.iter().filter(|_| !heap.contains('['));
                names.extend(axes.map(|axis| format!("{heap}.{axis}")));
            }
        }
        match names.is_empty() {
            true => self.constant(),
            false => Tree::from(self.pick(&names).clone()),
        }
    }

    /// A heap by an index expression.
    fn heap_at(&mut self, depth: usize) -> Tree {
        if let Some((name, axes)) = self.setting.grid
            && self.percent(60)
            && !self.total
        {
            let [one, other] = axes.map(|(first, last)| match self.percent(50) {
                true => (first..=last)
                    .nth(self.below(2) as usize)
                    .unwrap_or(first)
                    .to_string()
                    .into(),
                false => self.number(depth),
            });
            return seq![name, "[", one, ",", other, "]"];
        }
        let (name, first, last) = match self.setting.groups.first().cloned() {
            Some(group) if self.percent(60) => group,
            _ => ("heaps".to_owned(), 1, self.setting.count as i64),
        };
        let index = self.number(depth);
        if self.total {
            let (count, first) = ((last - first + 1).to_string(), first.to_string());
            return seq![name, "[ (", index, ") mod", count, "+", first, "]"];
        }
        seq![name, "[", index, "]"]
    }

    pub(super) fn number(&mut self, depth: usize) -> Tree {
        if depth == 0 || self.percent(30) {
            return match self.percent(65) {
                true => self.named_number(),
                false => self.constant(),
            };
        }
        shrinkable(self.compound(depth - 1), "1")
    }

    /// A number that is not negative if expressions must be total.
    pub(super) fn natural(&mut self, depth: usize) -> Tree {
        let number = self.number(depth);
        match self.total {
            true => seq!["max( 0 ,", number, ")"],
            false => seq!["(", number, ")"],
        }
    }

    fn linear_number(&mut self, depth: usize) -> Tree {
        match self.below(8) {
            0..3 => seq!["(", self.number(depth), "+", self.number(depth), ")"],
            3..6 => seq!["(", self.number(depth), "-", self.number(depth), ")"],
            6 => seq![self.word(&["2", "3", "-2"]), "*", self.named_number()],
            _ => self.max_or_min(depth),
        }
    }

    fn number_by_digits(&mut self, depth: usize) -> Tree {
        let all = self.all();
        match self.below(16) {
            0..3 => {
                let by = self.word(&["2", "3", "4", "5"]);
                seq!["( (", self.number(depth), ") mod", by, ")"]
            }
            3..5 => {
                let by = self.word(&["2", "3", "-2"]);
                seq!["( (", self.number(depth), ") div (", by, ") )"]
            }
            5..8 => seq!["(", self.natural(depth), "^", self.natural(depth), ")"],
            8 | 9 => seq!["xor(", all, ")"],
            10 => seq!["sum( sorted(", all, ") )"],
            11 | 12 => {
                let index = self.word(&["0", "1", "2"]);
                seq!["digit( 2 ,", index, ",", self.natural(depth), ")"]
            }
            13 | 14 => {
                let base = self.word(&["2", "2", "4"]);
                seq![
                    "carryless(",
                    base,
                    ",",
                    all,
                    self.word(&["", ", 2", ", 3"]),
                    ")"
                ]
            }
            _ => {
                let factor = self.word(&["2", "5", "8", "10", "20"]);
                let number = self.named_number();
                seq!["isqrt(", factor, "*", number.clone(), "*", number, ")"]
            }
        }
    }

    /// A function of a fixed number of numbers, with its word.
    fn builtin(&mut self) -> (Builtin, &'static str) {
        let all = words::functions().filter_map(|(function, word)| match function {
            Function::Builtin(builtin) => Some((builtin, word.spelling)),
            _ => None,
        });
        *self.pick(&all.collect::<Vec<_>>())
    }

    /// A function of a number, the last argument, with small numbers before it.
    fn applied(&mut self, function: Builtin, word: &str, depth: usize) -> Tree {
        let mut arguments = Vec::new();
        let domain = function.domain();
        for (place, least) in domain.iter().enumerate() {
            arguments.push(match least {
                1 if place + 1 == domain.len() => seq!["(", self.natural(depth), "+ 1 )"],
                _ if place + 1 == domain.len() => self.natural(depth),
                2 if self.digits => "2".into(),
                2 => self.word(&["2", "3", "10"]),
                _ => self.word(&["0", "1", "2"]),
            });
        }
        seq![word, "(", separated(arguments, ","), ")"]
    }

    fn max_or_min(&mut self, depth: usize) -> Tree {
        let function = self.word(&["max", "min"]);
        let (first, second) = (self.number(depth), self.number(depth));
        seq![function, "(", first, ",", second, ")"]
    }

    fn compound(&mut self, depth: usize) -> Tree {
        if self.digits && self.percent(60) {
            return self.number_by_digits(depth);
        }
        if self.linear {
            return self.linear_number(depth);
        }
        match self.below(30) {
            0..3 => seq!["(", self.number(depth), "+", self.number(depth), ")"],
            3..6 => seq!["(", self.number(depth), "-", self.number(depth), ")"],
            6 | 7 => seq!["(", self.number(depth), ") *", self.constant()],
            8 => seq!["( - (", self.number(depth), ") )"],
            9 => {
                let by = match self.total {
                    true => self.word(&["2", "3", "-2", "-3", "10"]),
                    false => self.number(depth),
                };
                seq!["( (", self.number(depth), ") div (", by, ") )"]
            }
            10 | 11 => {
                let by = match self.total {
                    true => self.word(&["2", "3", "4", "5"]),
                    false => self.number(depth),
                };
                seq!["( (", self.number(depth), ") mod (", by, ") )"]
            }
            12 => seq!["(", self.natural(depth), "^", self.natural(depth), ")"],
            13 => {
                let condition = self.condition(depth);
                seq![
                    "( if",
                    condition,
                    "then",
                    self.number(depth),
                    "else",
                    self.number(depth),
                    ")"
                ]
            }
            14 => {
                let value = self.number(depth);
                let name = self.name("v");
                let outer = self.scope.clone();
                self.scope.numbers.push(name.clone());
                let body = self.number(depth);
                self.scope = outer;
                seq!["( let", name, "=", value, "in", body, ")"]
            }
            15 => self.max_or_min(depth),
            16..19 => {
                let function = self.word(&["sum", "count", "max", "min", "xor"]);
                // `heaps` is never empty, and its members are natural numbers.
                match self.total {
                    true => seq![function, "(", self.all(), ")"],
                    false => seq![function, "(", self.list(depth), ")"],
                }
            }
            19 if self.setting.kind != Kind::Multiset && !self.is_tokens() => self.heap_at(depth),
            20 | 21 => {
                let (function, word) = self.builtin();
                self.applied(function, word, depth)
            }
            22 => {
                let (base, modulus) = (self.word(&["2", "3"]), self.word(&["", ", 3"]));
                seq!["carryless(", base, ",", self.all(), modulus, ")"]
            }
            23 => {
                let function = self.word(&["gcd", "lcm"]);
                seq![
                    function,
                    "(",
                    self.number(depth),
                    ",",
                    self.number(depth),
                    ")"
                ]
            }
            24 if self.below(4) == 0 => {
                let constants = self.word(&[
                    "1, 1, 5, 2",
                    "0, 1, 2, 1",
                    "2, -1, 2, 1",
                    "-3, 2, 3, 4",
                    "1, 0, 7, 3",
                ]);
                seq!["beatty(", self.number(depth), ",", constants, ")"]
            }
            24 if self.below(4) == 0 => {
                let last = self.word(&[
                    "triangular(4294967295",
                    "wythoff(5700357411380218443",
                    "isqrt(9223372036854775807",
                    "abs(-9223372036854775807",
                ]);
                seq!["(", last, "-", self.natural(depth), ") mod 3 )"]
            }
            24 => {
                let function = self.word(&["abs", "triangular", "wythoff"]);
                seq![function, "(", self.number(depth), ")"]
            }
            25 => {
                let base = self.word(&["2", "3", "(-2)", "1", "0"]);
                let exponent = match self.total {
                    true => seq!["(", self.natural(depth), "mod 5 )"],
                    false => seq!["(", self.number(depth), ")"],
                };
                seq!["(", base, "**", exponent, ")"]
            }
            26..29 => self.of_place(depth),
            _ => {
                let set = self.finite_set(depth);
                let (name, condition) = self.bound_condition(depth);
                let function = self.word(&["sum", "count"]);
                let outer = self.scope.clone();
                self.scope.numbers.push(name.clone());
                let value = seq![self.number(depth), "for", name.clone(), "in"];
                self.scope = outer;
                match self.below(3) {
                    0 => seq![function, "(", name, "in", set, "where", condition, ")"],
                    1 => seq![function, "(", value, set, ":", condition, ")"],
                    _ => seq![function, "(", value, set, ")"],
                }
            }
        }
    }

    /// A number that depends on the places of heaps, or on a family of them.
    fn of_place(&mut self, depth: usize) -> Tree {
        let heap = self
            .scope
            .single
            .first()
            .or(self.setting.heaps.first())
            .cloned();
        let heaps = matches!(self.setting.kind, Kind::Heaps | Kind::Shrinking);
        if self.setting.list && self.percent(60) {
            let index = match self.total {
                true => seq!["(", self.natural(depth), ") mod 3 + 1"],
                false => self.number(depth),
            };
            return match self.below(4) {
                0 => self.word(&["sum(limits)", "size(limits)", "max(limits)"]),
                _ => seq!["limits[", index, "]"],
            };
        }
        if let Some(heap) = heap.clone()
            && self.setting.has_rows
            && self.percent(80)
        {
            let side = self.word(&["left of", "above", "right of", "below", "above", "below"]);
            return seq!["sum( heaps", side, heap, ")"];
        }
        match (self.below(8), heap) {
            (0, Some(heap)) if heaps => seq!["index(", heap, ")"],
            (2 | 6 | 7, Some(_)) if self.setting.neighbours && self.percent(80) => {
                seq!["components(", self.region(depth), ")"]
            }
            (1 | 2, Some(heap)) if self.setting.neighbours => {
                let function = self.word(&["sum", "count", "size"]);
                seq![function, "( neighbours(", heap, ") )"]
            }
            (3, Some(heap)) if self.setting.in_row => {
                let (function, side) = (self.word(&["sum", "xor"]), self.word(&["left", "right"]));
                seq![function, "( heaps", side, "of", heap, ")"]
            }
            (_, _) if self.setting.kind == Kind::Heaps => match self.family_of_expression() {
                Some((family, single)) => {
                    let name = self.name("e");
                    let member = match single {
                        true => seq![name.clone()],
                        false => seq!["sum(", name.clone(), ")"],
                    };
                    let condition = seq![member.clone(), ">", self.number(depth)];
                    match self.below(2) {
                        0 => seq!["count(", name, "in", family, "where", condition, ")"],
                        _ => seq!["sum(", member, "for", name, "in", family, ")"],
                    }
                }
                None => seq!["size(", self.all(), ")"],
            },
            _ => seq!["size(", self.all(), ")"],
        }
    }

    /// A family that a quantifier may range over, and whether its members are single
    /// heaps.
    fn family_of_expression(&mut self) -> Option<(String, bool)> {
        if self.setting.families.is_empty() {
            return None;
        }
        let family = self.pick(&self.setting.families.clone()).clone();
        Some(match family.as_str() {
            "vertex" => ("vertices".to_owned(), false),
            "group" => (family, false),
            cells => (format!("{cells}s"), false),
        })
    }

    /// A fresh name, and a condition in its scope.
    fn bound_condition(&mut self, depth: usize) -> (String, Tree) {
        let name = self.name("x");
        let outer = self.scope.clone();
        self.scope.numbers.push(name.clone());
        let condition = self.condition(depth);
        self.scope = outer;
        (name, condition)
    }

    fn list(&mut self, depth: usize) -> Tree {
        let mut lists: Vec<String> = vec![self.all().to_owned()];
        lists.extend(self.scope.several.iter().cloned());
        lists.extend(self.setting.kinds.iter().cloned());
        lists.extend(self.setting.groups.iter().map(|(name, ..)| name.clone()));
        if self.scope.amounts {
            lists.push("each".to_owned());
        }
        match self.below(4) {
            0 => separated(vec![self.number(depth), self.number(depth)], ","),
            1 => seq!["sorted(", self.pick(&lists).clone(), ")"],
            _ => Tree::from(self.pick(&lists).clone()),
        }
    }

    pub(super) fn finite_set(&mut self, depth: usize) -> Tree {
        if self.linear {
            return match self.below(3) {
                0 => seq!["{", self.constant(), ",", self.number(depth), "}"],
                1 => seq![self.word(&SMALL), "..", self.number(depth)],
                _ => seq!["{", self.number(depth), "}"],
            };
        }
        match self.below(11) {
            7 => self.word(&[
                "{ 2 * i - 1 for i in 1..3 }",
                "{ i in 1..6 where i mod 3 == 1 }",
            ]),
            8 => {
                let name = self.name("i");
                let over = self.word(&["1..2", "{1,3}", "0..1"]);
                self.scope.numbers.push(name.clone());
                let value = self.number(depth);
                let condition = self.condition(depth);
                self.scope.numbers.pop();
                seq!["{", value, "for", name, "in", over, "where", condition, "}"]
            }
            0 => self.word(&["1..3", "0..2", "-2..2", "{1,3}", "{-1,2}", "2..1"]),
            1 => seq!["{", self.number(depth), ",", self.number(depth), "}"],
            2 => seq![self.number(depth), "..", self.number(depth)],
            3 => seq!["{", self.number(depth), "}"],
            4 => self.all().into(),
            5 => seq!["1 ..", self.named_number()],
            6 if self.linear => self.word(&["divisors(6)", "divisors(4)"]),
            6 => seq!["divisors(", self.number(depth), ")"],
            9 if self.setting.list => "limits".into(),
            _ => self.word(&["{}", "{0}", "0..4"]),
        }
    }

    fn set(&mut self, depth: usize) -> Tree {
        match self.below(10) {
            0 if !self.linear => self.word(&["squares", "primes", "fibonacci", "factorials"]),
            1 => self.word(&["powers(2)", "powers(3)"]),
            2 => seq![self.number(depth), ".."],
            3 if !self.setting.sets.is_empty() => self.setting.sets[0].clone().into(),
            _ => self.finite_set(depth),
        }
    }

    pub(super) fn condition(&mut self, depth: usize) -> Tree {
        let condition = match depth == 0 || self.percent(35) {
            true => self.comparison(depth.saturating_sub(1)),
            false => self.compound_condition(depth - 1),
        };
        shrinkable(condition, "true")
    }

    fn comparison(&mut self, depth: usize) -> Tree {
        let order = self.word(&["==", "!=", "<", "<=", ">", ">="]);
        match self.below(10) {
            0 => {
                let second = self.word(&["<", "<="]);
                seq![
                    self.number(depth),
                    "<=",
                    self.number(depth),
                    second,
                    self.number(depth)
                ]
            }
            1 | 2 => seq![self.number(depth), "in", self.set(depth)],
            6 if !self.linear && self.percent(30) => {
                let set = self.word(&["fibonacci", "factorials", "squares", "powers(3)"]);
                seq![self.word(&LAST), "-", self.natural(depth), "in", set]
            }
            3 if self.scope.amounts => seq!["each", order, self.number(depth)],
            4 if self.scope.amounts => seq!["total", order, self.number(depth)],
            5 if !self.linear && self.percent(60) => {
                let (function, word) = self.builtin();
                let other = match self.percent(50) {
                    true => self.word(&SMALL),
                    false => self.applied(function, word, 1),
                };
                seq![self.applied(function, word, 1), order, other]
            }
            _ => seq![self.named_number(), order, self.number(depth)],
        }
    }

    fn compound_condition(&mut self, depth: usize) -> Tree {
        match self.below(if self.linear { 10 } else { 23 }) {
            0..2 => seq![
                "(",
                self.condition(depth),
                "and",
                self.condition(depth),
                ")"
            ],
            2..4 => seq!["(", self.condition(depth), "or", self.condition(depth), ")"],
            4 => seq!["( not (", self.condition(depth), ") )"],
            5 => seq![
                "(",
                self.condition(depth),
                "implies",
                self.condition(depth),
                ")"
            ],
            6 => {
                let condition = self.condition(depth);
                let (then, otherwise) = (self.condition(depth), self.condition(depth));
                seq!["( if", condition, "then", then, "else", otherwise, ")"]
            }
            7 => {
                let value = self.number(depth);
                let (name, body) = self.bound_condition(depth);
                seq!["( let", name, "=", value, "in", body, ")"]
            }
            8 | 9 => {
                let quantifier = self.word(&["exists", "forall"]);
                let set = self.finite_set(depth);
                let (name, body) = self.bound_condition(depth);
                seq!["(", quantifier, name, "in", set, ":", body, ")"]
            }
            10 => seq!["distinct(", self.list(depth), ")"],
            11 | 12 if !self.scope.single.is_empty() => {
                let is = self.word(&["is", "is not"]);
                let mut others = self.scope.single.clone();
                if !self.is_tokens() {
                    others.extend(self.setting.heaps.iter().cloned());
                }
                others.retain(|name| !name.contains('['));
                let heap = self.scope.single.last().cloned().unwrap_or_default();
                seq![heap, is, self.pick(&others).clone()]
            }
            13 | 14 if !self.is_tokens() => self.like(),
            18..21 if self.setting.neighbours && self.percent(50) => {
                if self.percent(30) {
                    return seq!["components(", self.region(depth), ") <", self.number(depth)];
                }
                let (from, to) = (self.path_end(), self.path_end());
                seq!["joined(", from, ",", to, "through", self.region(depth), ")"]
            }
            19 | 20 if self.setting.neighbours || self.is_tokens() => {
                let mut heaps = self.setting.tokens.clone();
                heaps.extend(self.scope.single.iter().cloned());
                heaps.extend(self.setting.heaps.iter().cloned());
                match heaps.as_slice() {
                    [first, second, ..] => seq![first.clone(), "touches", second.clone()],
                    _ => self.comparison(depth),
                }
            }
            20 | 21 if self.setting.kind == Kind::Heaps => match self.family_of_expression() {
                Some((family, _)) => {
                    let (quantifier, name) = (self.word(&["exists", "forall"]), self.name("e"));
                    let fold = self.word(&["max", "sum", "min"]);
                    let member = seq![fold, "(", name.clone(), ")"];
                    let mut body = seq![member, "<", self.number(depth)];
                    // A heap is named; a member of a family holds some.
                    if let Some(heap) = self.scope.single.last().cloned()
                        && self.percent(40)
                    {
                        body = seq!["(", name.clone(), "touches", heap, "and", body, ")"];
                    }
                    seq!["(", quantifier, name, "in", family, ":", body, ")"]
                }
                None => self.comparison(depth),
            },
            15 => seq!["( exists y1 in", self.all(), ", y2 in 1..2 : y1 == y2 )"],
            16 => self.word(&["true", "false", "true"]),
            17 => seq!["(", self.comparison(depth), ")"],
            _ => self.comparison(depth),
        }
    }

    /// The heaps of a path, or of components.
    pub(super) fn region(&mut self, depth: usize) -> Tree {
        let name = self.name("v");
        if self.percent(10) {
            return seq![name, "in heaps"];
        }
        self.scope.single.push(name.clone());
        let condition = match self.percent(50) {
            true => seq![name.clone(), self.word(&[">", "==", "<="]), self.number(0)],
            false => self.condition(depth.min(1)),
        };
        self.scope.single.pop();
        seq![name, "in heaps where", condition]
    }

    /// The heaps at an end of a path.
    pub(super) fn path_end(&mut self) -> Tree {
        let mut heaps = self.setting.heaps.clone();
        heaps.extend(self.scope.single.iter().cloned());
        heaps.extend(self.scope.several.iter().cloned());
        let groups = self.setting.groups.iter();
        heaps.extend(groups.map(|(name, first, _)| format!("{name}[{first}]")));
        match self.below(8) {
            0 => "{ w in heaps where index(w) <= 2 }".into(),
            1 if self.setting.heaps.len() > 1 => {
                seq!["{", self.setting.heaps[..2].join(" "), "}"]
            }
            _ if heaps.is_empty() => "{ w in heaps where index(w) == 1 }".into(),
            _ => Tree::from(self.pick(&heaps).clone()),
        }
    }

    fn like(&mut self) -> Tree {
        let count = match self.setting.kind {
            Kind::Multiset | Kind::Shrinking => self.below(4) as usize,
            _ => self.setting.count,
        };
        if !self.setting.kinds.is_empty() || count > 6 {
            return "true".into();
        }
        let entries = ["p", "q", "p", "q", "p + 1", "2*q", "0", "5 - p", "p + q"];
        let entries = (0..count).map(|_| self.word(&entries)).collect();
        let form = seq!["like (", separated(entries, ","), ")"];
        match count > 2 && self.percent(30) {
            true => seq![form, "where p != q"],
            false => form,
        }
    }
}
