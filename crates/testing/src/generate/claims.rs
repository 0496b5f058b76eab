//! The generation of claims and examples.

use super::settings::Kind;
use super::{Generator, Tree};
use crate::seq;
use crate::tree::optional;

impl Generator {
    pub(super) fn claims(&mut self) -> Vec<Tree> {
        let mut lines = Vec::new();
        if self.percent(5) {
            lines.push(optional("suggest max 3"));
        }
        if self.setting.kind == Kind::Multiset && self.percent(3) {
            lines.push(optional("shown as rows"));
        }
        if self.percent(5) {
            let position = self.position();
            lines.push(optional(seq!["start", position]));
        }
        if self.setting.kind == Kind::Heaps && !self.setting.may_repeat && self.percent(3) {
            let all = self.all();
            let measure = match self.below(3) {
                0 => seq!["play ends by sum(", all, ")"],
                1 => seq!["play ends by max(", all, ") + 2 * sum(", all, ")"],
                _ => seq!["play ends by 3, sum(", all, ")"],
            };
            lines.push(optional(measure));
        }
        if self.percent(3) {
            lines.push(optional("source \"nowhere\""));
            lines.push(optional("note \"made up\""));
        }
        for _ in 0..self.below(4) {
            let claim = self.claim();
            lines.push(optional(claim));
        }
        for _ in 0..self.below(3) {
            let example = self.example();
            lines.push(optional(example));
        }
        lines
    }

    fn for_clause(&mut self) -> Tree {
        match !self.setting.numbers.is_empty() && self.percent(25) {
            true => self.word(&["for k == 2", "for k >= 1 :", "for k < 3"]),
            false => "".into(),
        }
    }

    fn misere(&mut self) -> Tree {
        match self.percent(30) {
            true => "misere".into(),
            false => "".into(),
        }
    }

    fn class(&mut self) -> Tree {
        match (self.setting.sides, self.setting.may_repeat) {
            (false, false) => self.word(&["P", "P", "N"]),
            (true, false) => self.word(&["P", "N", "L", "R"]),
            (false, true) => self.word(&["P", "N", "D"]),
            (true, true) => self.word(&["P", "N", "L", "R", "D"]),
        }
    }

    /// A condition that may well describe an outcome class.
    fn plausible_condition(&mut self) -> Tree {
        let all = self.all();
        match self.below(12) {
            0 => seq!["xor(", all, ") == 0"],
            1 => seq!["sum(", all, ") mod 2 == 0"],
            2 => seq!["sum(", all, ") mod 3 == 0"],
            3 => seq!["sum(", all, ") == 0"],
            4 => seq!["max(", all, ") <= 0"],
            5 => seq!["sum(", all, ") == 1"],
            6 if self.setting.kind == Kind::Heaps && self.setting.count >= 2 => {
                "heaps[1] == heaps[2]".into()
            }
            7 if self.setting.kind == Kind::Heaps => "heaps[1] == 0".into(),
            _ => self.condition(2),
        }
    }

    fn claim(&mut self) -> Tree {
        let clause = self.for_clause();
        let misere = self.misere();
        let values = !self.setting.sides && !self.setting.may_repeat && !self.setting.blocks;
        let direction = self.word(&["iff", "iff", "if", "only if"]);
        let what = match self.below(18) {
            0..7 => {
                let (class, condition) = (self.class(), self.plausible_condition());
                seq![class, direction, condition]
            }
            7 => {
                let class = self.class();
                let symmetry = match self.setting.kind {
                    Kind::Heaps => "up to symmetry",
                    _ => "",
                };
                seq![class, symmetry, direction, self.condition(2)]
            }
            8 | 9 if values => {
                let value = match self.below(4) {
                    0 => seq!["xor(", self.all(), ")"],
                    1 => seq!["sum(", self.all(), ") mod 3"],
                    2 => seq!["min(", self.all(), ")"],
                    _ => self.number(2),
                };
                seq!["grundy ==", value]
            }
            10 if !self.setting.sides => seq!["consistent P iff", self.plausible_condition()],
            11 if self.setting.kind == Kind::Heaps && self.setting.heaps.len() >= 2 => {
                let [a, b] = [0, 1].map(|place: usize| self.setting.heaps[place].clone());
                seq!["P by pairing", a, "with", b]
            }
            12 if !self.setting.sides => match self.percent(50) {
                true => self.word(&["labellings == 1", "cogame"]),
                false => seq!["cogame P iff", self.plausible_condition()],
            },
            13 if self.setting.kind == Kind::Multiset => match self.percent(50) {
                true => "period 2 from 3 saltus 0".into(),
                false => "quotient to 2 has 4 elements".into(),
            },
            14 if self.setting.kind == Kind::Heaps && !self.setting.sides && self.percent(50) => {
                self.word(&["same as itself", "same as other(n = 2) where true"])
            }
            14 => self.agreement(values),
            15 | 16
                if self.setting.kind == Kind::Heaps
                    && !self.setting.sides
                    && !self.setting.blocks
                    && self.setting.heaps.len() == self.setting.count =>
            {
                self.winning_move()
            }
            _ => {
                let (class, condition) = (self.class(), self.plausible_condition());
                seq![class, "iff", condition]
            }
        };
        let refuted = match self.percent(5) {
            true => seq!["refuted at", self.position()],
            false => "".into(),
        };
        seq!["claim", clause, misere, what, optional(refuted)]
    }

    /// Agreement with another game under a map to small positions.
    fn agreement(&mut self, values: bool) -> Tree {
        let what = match (values, self.setting.sides || self.setting.blocks) {
            (true, _) => self.word(&["same grundy as", "same outcome as", "same as"]),
            (false, false) => self.word(&["same outcome as", "same as"]),
            (false, true) => "same outcome as".into(),
        };
        let all = self.all();
        let image = match self.below(6) {
            0 => seq!["other(n = 1) under (xor(", all, ") mod 8)"],
            1 => seq!["other(n = 2) under (min(sum(", all, "), 4), 0)"],
            2 => seq!["other(n = 1) under (sum(", all, ") mod 3)"],
            3 => seq!["bag under (min(h, 3) for h in", all, ")"],
            4 => seq!["bag under (h mod 4 for h in", all, "where h > 1)"],
            _ => seq![
                "bag under (sum(",
                all,
                ") mod 2, max(",
                self.all(),
                ") mod 3 - 1)"
            ],
        };
        let condition = match self.percent(50) {
            true => seq!["where", self.plausible_condition()],
            false => "".into(),
        };
        seq![what, image, condition]
    }

    /// A move that may well win: one heap falls.
    fn winning_move(&mut self) -> Tree {
        let heaps = self.setting.heaps.clone();
        let changed = self.below(heaps.len() as u64) as usize;
        let sizes = heaps
            .iter()
            .enumerate()
            .map(|(place, heap)| match place == changed {
                false => heap.clone(),
                true => match self.below(5) {
                    0 => "0".to_owned(),
                    1 => format!("{heap} - 1"),
                    2 => format!("{heap} div 2"),
                    3 => heaps[(place + 1) % heaps.len()].clone(),
                    _ => format!("{heap} - {heap} mod 3"),
                },
            });
        let sizes: Vec<String> = sizes.collect();
        let condition = match self.below(4) {
            0 => "".into(),
            1 => seq!["if", self.plausible_condition()],
            2 => seq![format!("if {} >= 1", heaps[changed])],
            _ => seq![format!("if sum(heaps) == {}", heaps[changed])],
        };
        let name = match self.percent(30) {
            true => seq!["let m =", self.number(1), "in"],
            false => "".into(),
        };
        seq!["N wins by", name, "(", sizes.join(", "), ")", condition]
    }

    fn sizes(&mut self, count: usize) -> String {
        let sizes: Vec<String> = (0..count).map(|_| self.below(4).to_string()).collect();
        sizes.join(",")
    }

    /// The value of the state of a multiset.
    fn values_of_states(&mut self) -> Tree {
        match self.setting.states.is_empty() {
            true => "".into(),
            false => self.word(&["last = 1", "last = 2", "last = 3", ""]),
        }
    }

    fn position(&mut self) -> Tree {
        if let [token, ..] = self.setting.tokens.as_slice() {
            // Vertices have other names on each board: a token not named is on the first.
            let heap = self.setting.heaps.first().unwrap_or(token).clone();
            return format!("{heap} = 1").into();
        }
        match self.setting.kind {
            Kind::Multiset if self.setting.kinds.is_empty() => {
                let count = self.below(4) as usize;
                seq![
                    format!("{{{}}}", self.sizes(count)),
                    self.values_of_states()
                ]
            }
            Kind::Multiset => {
                let heaps = self.word(&["ring 2", "pin 3 ring 1", "ring 1 ring 2"]);
                seq![heaps, self.values_of_states()]
            }
            Kind::Tokens => {
                let vertex = match (&self.setting.coordinates[..], &self.setting.vertices[..]) {
                    ([_, ..], _) => "(2,3)",
                    (_, [first, ..]) => first,
                    _ => "3",
                };
                let state = self.setting.states.iter().map(|_| "2");
                let numbers = std::iter::repeat_n(vertex, self.setting.count).chain(state);
                format!("({})", numbers.collect::<Vec<_>>().join(",")).into()
            }
            Kind::Heaps | Kind::Shrinking => match self.below(5) {
                0 => seq!["all 1", self.values_of_states()],
                1 if !self.setting.heaps.is_empty() => {
                    let size = self.below(4);
                    format!("{} = {size}", self.setting.heaps[0]).into()
                }
                _ => {
                    let count = self.setting.count;
                    let states = self.setting.states.iter();
                    let states: Vec<String> = states.map(|name| format!("{name} 2")).collect();
                    let states = match states.is_empty() || self.below(2) == 0 {
                        true => String::new(),
                        false => format!("; {}", states.join(", ")),
                    };
                    format!("({}{states})", self.sizes(count)).into()
                }
            },
        }
    }

    fn example(&mut self) -> Tree {
        if self.percent(10) {
            let (clause, from, to) = (self.for_clause(), self.position(), self.position());
            let end = match self.percent(50) {
                true => seq!["to", self.position()],
                false => "".into(),
            };
            return seq!["example", clause, "play", from, "to", to, optional(end)];
        }
        let (clause, misere, position) = (self.for_clause(), self.misere(), self.position());
        let verdict = match self.below(7) {
            0 if !self.setting.sides && !self.setting.may_repeat && !self.setting.blocks => {
                seq!["has grundy", self.below(3).to_string()]
            }
            1 => seq!["wins by", self.position()],
            3 if !self.setting.sides && !self.setting.blocks => match self.percent(50) {
                true => seq!["wins only by", self.position()],
                false => seq!["has", self.below(3).to_string(), "winning moves"],
            },
            2 => "loses".into(),
            _ => seq!["is", self.class()],
        };
        seq!["example", clause, misere, position, verdict]
    }
}
