//! The generation of settings: boards, heaps, families, tokens, parameters.

use super::{Generator, Tree};
use crate::seq;
use crate::tree::{optional, separated};

/// The setting of a rule: the heaps or tokens, and the names of the declarations.
#[derive(Debug, Clone, Default)]
pub struct Setting {
    pub kind: Kind,
    /// The number of heaps or tokens; 0 for a multiset.
    pub count: usize,
    /// The names of single heaps or tokens.
    pub heaps: Vec<String>,
    /// The names of tokens beside heaps.
    pub tokens: Vec<String>,
    /// Indexed groups of heaps: the name, the first index and the last.
    pub groups: Vec<(String, i64, i64)>,
    /// A group with two indices: its name, and the first and the last of each.
    pub grid: Option<(&'static str, [(i64, i64); 2])>,
    /// The coordinates that every heap has.
    pub axes: Vec<&'static str>,
    /// The families from which `one`, `all` and `up to 2` may choose.
    pub families: Vec<String>,
    /// Whether each heap has a family `near`.
    pub near: bool,
    /// The kinds of the heaps of a multiset.
    pub kinds: Vec<String>,
    /// The coordinates of the vertices of a digraph.
    pub coordinates: Vec<String>,
    /// Some names of the vertices of a digraph.
    pub vertices: Vec<String>,
    /// Whether selections of consecutive heaps are allowed.
    pub consecutive: bool,
    /// The parameters whose values are numbers.
    pub numbers: Vec<String>,
    /// The parameters whose values are sets.
    pub sets: Vec<String>,
    /// Whether there is a parameter `limits`, a list of three numbers.
    pub list: bool,
    /// Whether the heaps follow one another, in a row or on a circle.
    pub in_order: bool,
    /// Whether the heaps lie on a grid of two dimensions.
    pub has_rows: bool,
    /// The parameters whose values are octal codes.
    pub codes: Vec<String>,
    /// The states.
    pub states: Vec<String>,
    /// Whether the heaps have an order from left to right.
    pub in_row: bool,
    /// Whether heaps have neighbours.
    pub neighbours: bool,
    pub sides: bool,
    pub may_repeat: bool,
    /// Whether the opponent may block options.
    pub blocks: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Kind {
    #[default]
    Heaps,
    Shrinking,
    Multiset,
    Tokens,
}

/// Boards: the board, the declaration of the heaps, the number of heaps, the
/// families, and whether the heaps are arranged on a circle or in a row.
#[rustfmt::skip]
const BOARDS: [(&str, &str, usize, &str, bool); 26] = [
    ("circle(4)", "", 4, "edge vertex", true),
    ("circle(5)", "", 5, "edge", true),
    ("circle(3)", "heaps on vertices, pool", 4, "edge", true),
    ("row(3)", "", 3, "edge", true),
    ("row(4)", "heaps on edges", 3, "vertex", false),
    ("row(3)", "heaps pool, on vertices", 4, "edge", true),
    ("grid(2, 2)", "", 4, "line edge", false),
    ("grid(2, 3)", "", 6, "line edge", false),
    ("grid(3)", "", 3, "line", false),
    ("grid(2, 1, 2)", "heaps on vertices as m[1..4]", 4, "line", false),
    ("complete(3)", "heaps on edges", 3, "vertex", false),
    ("complete(3)", "", 3, "edge", false),
    ("tetrahedron", "heaps on faces", 4, "edge vertex", false),
    ("tetrahedron", "heaps on edges", 6, "face", false),
    ("cube", "heaps on faces as a b c A B C", 6, "edge vertex", false),
    ("octahedron", "heaps on vertices", 6, "face", false),
    ("prism(3)", "heaps on faces", 5, "edge", false),
    ("antiprism(3)", "heaps on vertices", 6, "face", false),
    ("hypercube(2)", "heaps on vertices", 4, "edge face", false),
    ("graph { A - B - C - A, C - D }", "heaps on vertices", 4, "edge", false),
    ("graph { A - B - C, B - D }", "heaps on edges", 3, "vertex", false),
    ("graph { A - B C }", "heaps on vertices", 3, "edge", false),
    ("planar { A - B - C - A  D - A  D - B  D - C }", "heaps on faces", 4, "edge", false),
    ("planar { A - B - C - D - A  A - C } faces { A B C } { A C D } { A B C D }",
        "heaps on faces", 3, "edge vertex", false),
    ("icosahedron", "heaps on vertices", 12, "edge", false),
    ("dodecahedron", "heaps on faces", 12, "edge", false),
];

/// Shrinking boards: the board, the declaration of the heaps, the number of heaps.
const SHRINKING: [(&str, &str, usize); 6] = [
    ("circle(3)", "", 3),
    ("circle(4)", "", 4),
    ("row(2)", "", 2),
    ("row(3)", "", 3),
    ("circle(4)", "heaps on vertices, pool", 5),
    ("row(3)", "heaps pool, on vertices", 4),
];

impl Generator {
    /// The statements before the moves.
    pub(super) fn settings(&mut self) -> Vec<Tree> {
        let mut lines = Vec::new();
        self.params(&mut lines);
        match self.below(if self.linear { 60 } else { 100 }) {
            0..25 => self.named_heaps(&mut lines),
            25..46 => self.board(&mut lines),
            46..60 => self.shrinking(&mut lines),
            60..82 => self.multiset(&mut lines),
            _ => self.tokens(&mut lines),
        }
        self.setting.sides = !self.linear && self.percent(8);
        let heaps = matches!(self.setting.kind, Kind::Heaps | Kind::Shrinking);
        if heaps && !self.linear && self.percent(8) {
            self.setting.may_repeat = true;
            lines.push("positions may repeat".into());
            let most = 2 + self.below(2);
            lines.push(seq!["positions where max(heaps) <=", most.to_string()]);
        }
        let plain = matches!(
            self.setting.kind,
            Kind::Heaps | Kind::Shrinking | Kind::Multiset
        );
        // The provers count the options of a fixed number of heaps.
        let may_block = match self.linear {
            true => heaps && self.percent(20),
            false => plain && !self.setting.sides && self.percent(5),
        };
        if may_block {
            self.setting.blocks = true;
            let most = self.word(&["0", "1", "1", "2", "9"]);
            lines.push(seq!["opponent may block up to", most, "options"]);
        }
        if !self.setting.may_repeat && self.percent(15) {
            let condition = match self.below(5) {
                _ if self.linear && self.percent(80) => self.condition(1),
                // No position of a box of small heaps.
                4 => seq!["distinct(", self.all(), ")"],
                _ if self.linear => seq!["min(", self.all(), ") >= 1"],
                0 => seq!["sum(", self.all(), ") mod 5 != 3"],
                1 => seq!["distinct(x in", self.all(), "where x > 0)"],
                2 => seq!["count(", self.all(), ") <= 2"],
                _ => self.condition(2),
            };
            lines.push(optional(seq!["positions where", condition]));
        }
        lines
    }

    /// The sizes that heaps may have, if they are restricted.
    fn heap_sizes(&mut self) -> Tree {
        match self.percent(15) {
            true => optional(self.word(&["of size 0..1", "of size 0..2", "of size 1..3"])),
            false => "".into(),
        }
    }

    /// Declares a state.
    fn state(&mut self, lines: &mut Vec<Tree>) {
        if self.percent(12) {
            self.setting.states.push("last".to_owned());
            lines.push(self.word(&[
                "state last in 0..3 = 1",
                "state last in 1.. = 2",
                "state last in 0..2",
                "state last in 1..5 = 1",
                "state last in 3..6",
                "state last in 4.. = 5",
            ]));
        }
    }

    /// Declares tokens beside heaps.
    fn tokens_beside_heaps(&mut self, lines: &mut Vec<Tree>) {
        if !self.linear && self.percent(20) {
            let (tokens, names): (&str, &[&str]) = match self.below(3) {
                0 => ("tokens 1", &["token"]),
                1 => ("tokens 2", &["t1", "t2"]),
                _ => ("tokens cat", &["cat"]),
            };
            self.setting.tokens = names.iter().map(|name| (*name).to_owned()).collect();
            lines.push(tokens.into());
        }
    }

    fn params(&mut self, lines: &mut Vec<Tree>) {
        if self.percent(15) {
            self.setting.numbers.push("k".to_owned());
            let value = (1 + self.below(3)).to_string();
            lines.push(match self.percent(50) {
                true => seq!["param k =", value],
                false => seq!["param k =", value, "in 1..4"],
            });
        }
        if self.percent(8) {
            self.setting.sets.push("amounts".to_owned());
            let set = match self.linear {
                true => self.word(&["{1,3}", "2..3", "{2}", "divisors(6)", "powers(3)"]),
                false => self.word(&["{1,3}", "2..3", "{2}", "squares", "primes", "powers(3)"]),
            };
            lines.push(seq!["param amounts =", set]);
        }
        if self.percent(10) {
            self.setting.list = true;
            let list = self.word(&["(1, 3, 1)", "(2, 0, 1)", "(1, 2, 3) in 0..4", "(-1, 1, 2)"]);
            lines.push(seq!["param limits =", list]);
        }
    }

    fn named_heaps(&mut self, lines: &mut Vec<Tree>) {
        let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        let group = |name: &str, first, last| vec![(name.to_owned(), first, last)];
        let (line, count, heaps, groups): (&str, usize, Vec<String>, _) = match self.below(11) {
            8 => {
                self.setting.grid = Some(("g", [(0, 1), (1, 2)]));
                self.setting.axes = vec!["x", "y"];
                let heaps = names(&["g[0,1]", "g[0,2]", "g[1,1]", "g[1,2]"]);
                ("heaps g[x in 0..1, y in 1..2]", 4, heaps, vec![])
            }
            9 => {
                self.setting.grid = Some(("g", [(1, 3), (1, 3)]));
                self.setting.axes = vec!["x"];
                let heaps = names(&["g[1,2]", "g[1,3]", "g[2,3]"]);
                ("heaps g[x in 1..3, x + 1..3]", 3, heaps, vec![])
            }
            10 => {
                self.setting.axes = vec!["x"];
                let heaps = names(&["g[1]", "g[3]"]);
                ("heaps g[x in 1..3 where x != 2]", 2, heaps, vec![])
            }
            0 => ("heaps 3", 3, names(&["h1", "h2", "h3"]), vec![]),
            1 => (
                "heaps pool, pile[1..2]",
                3,
                names(&["pool"]),
                group("pile", 1, 2),
            ),
            2 => ("heaps l[0..2]", 3, vec![], group("l", 0, 2)),
            3 => ("heaps a", 1, names(&["a"]), vec![]),
            4 => ("heaps a b c d", 4, names(&["a", "b", "c", "d"]), vec![]),
            5 => ("heaps a b c", 3, names(&["a", "b", "c"]), vec![]),
            _ => ("heaps a b", 2, names(&["a", "b"]), vec![]),
        };
        let setting = &mut self.setting;
        (setting.count, setting.heaps, setting.groups) = (count, heaps, groups);
        setting.in_row = true;
        setting.in_order = true;
        let sizes = self.heap_sizes();
        let digraph = !self.linear && self.percent(8);
        if digraph {
            lines.push("board digraph { 0 -> 1 -> 3 -> 4, 0 -> 3, 1 -> 4 }".into());
        }
        lines.push(seq![line, sizes]);
        if digraph {
            self.setting.tokens = vec!["raft".to_owned()];
            lines.push("tokens raft".into());
        }
        self.state(lines);
        self.family(lines);
    }

    /// Declares a family of sets of heaps.
    fn family(&mut self, lines: &mut Vec<Tree>) {
        let mut names: Vec<String> = self.setting.heaps.clone();
        for (name, first, last) in &self.setting.groups {
            names.extend((*first..=*last).map(|index| format!("{name}[{index}]")));
        }
        if names.is_empty() {
            return;
        }
        if self.setting.kind == Kind::Heaps && self.percent(12) {
            self.setting.near = true;
            lines.push(self.word(&[
                "family near of v = { w in heaps where index(w) + i == index(v) } for i in 1..2",
                "family near of v = { w in heaps where w is not v }, { w in heaps where w is v }",
                "family near of v = { w in heaps where (index(w) + index(v)) mod 2 == i }
                    for i in 0..1 where i + index(v) > 1",
            ]));
        }
        if self.percent(12) {
            self.setting.families.push("group".to_owned());
            lines.push(self.word(&[
                "family group = { w in heaps where index(w) mod 2 == i } for i in 0..1",
                "family group = { w in heaps where index(w) >= index(v) } for v in heaps",
                "family group = { w in heaps where w is not v and index(w) > i }
                    for i in {0, 2}, v in heaps where index(v) > i",
            ]));
            return;
        }
        if !self.percent(25) {
            return;
        }
        let mut sets = Vec::new();
        for _ in 0..1 + self.below(3) {
            let mut chosen = names.clone();
            chosen.retain(|_| self.rng.percent(50));
            if chosen.is_empty() {
                chosen.push(names[0].clone());
            }
            sets.push(Tree::from(format!("{{ {} }}", chosen.join(" "))));
        }
        self.setting.families.push("group".to_owned());
        lines.push(seq!["family group =", separated(sets, ",")]);
    }

    fn board(&mut self, lines: &mut Vec<Tree>) {
        // Rows and columns are on few boards.
        let rows = BOARDS
            .iter()
            .filter(|board| board.0.starts_with("grid(2, "));
        let rows: Vec<_> = rows.collect();
        let (board, heaps, count, families, consecutive) = match self.percent(30) {
            true => **self.pick(&rows),
            false => *self.pick(&BOARDS),
        };
        lines.push(seq!["board", board]);
        if !heaps.is_empty() {
            let sizes = self.heap_sizes();
            lines.push(seq![heaps, sizes]);
            self.tokens_beside_heaps(lines);
        }
        self.state(lines);
        let setting = &mut self.setting;
        setting.count = count;
        setting.in_row = board.starts_with("row") && !heaps.contains("edges");
        setting.in_order = setting.in_row || board.starts_with("circle");
        setting.neighbours = true;
        setting.has_rows = matches!(board, "grid(2, 2)" | "grid(2, 3)");
        if setting.has_rows {
            setting.axes = vec!["x", "y"];
        }
        setting.consecutive = consecutive;
        setting.families = families.split(' ').map(str::to_owned).collect();
        let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        if heaps.contains("pool") {
            setting.heaps = names(&["pool"]);
        } else if heaps.ends_with("m[1..4]") {
            setting.groups = vec![("m".to_owned(), 1, 4)];
        } else if heaps.ends_with("A B C") {
            setting.heaps = names(&["a", "b", "A"]);
        } else if board.starts_with("planar") {
            // Heaps on faces have the names of their vertices.
            setting.heaps = Vec::new();
        } else if board.starts_with("graph") && heaps.ends_with("vertices") {
            setting.heaps = names(&["A", "B"]);
        } else if board.starts_with("graph") {
            setting.heaps = names(&["A_B", "B_C"]);
        } else if board.starts_with("planar") {
            setting.heaps = names(&["A_B_C", "A_C_D"]);
        } else {
            setting.heaps = names(&["h1", &format!("h{count}")]);
        }
    }

    fn shrinking(&mut self, lines: &mut Vec<Tree>) {
        let (board, heaps, count) = *self.pick(&SHRINKING);
        lines.push(seq!["board", board, "shrinking"]);
        if !heaps.is_empty() {
            lines.push(heaps.into());
        }
        let setting = &mut self.setting;
        setting.kind = Kind::Shrinking;
        setting.count = count;
        setting.consecutive = true;
        setting.heaps = match heaps {
            "" => vec!["h1".to_owned(), "h2".to_owned()],
            _ => vec!["pool".to_owned()],
        };
        setting.families = vec!["edge".to_owned()];
        self.family(lines);
    }

    fn multiset(&mut self, lines: &mut Vec<Tree>) {
        self.setting.kind = Kind::Multiset;
        if self.percent(30) {
            self.setting.codes.push("code".to_owned());
            let code = self.word(&["\"0.77\"", "\"0.137\"", "\"4.3...\"", "\"0.07\""]);
            lines.push(seq!["param code =", code]);
        }
        lines.push("heaps any number".into());
        if self.percent(40) {
            self.setting.kinds = vec!["ring".to_owned(), "pin".to_owned()];
            lines.push("kinds ring, pin".into());
        }
        self.state(lines);
    }

    fn tokens(&mut self, lines: &mut Vec<Tree>) {
        self.setting.kind = Kind::Tokens;
        let board = match self.below(5) {
            0 => {
                self.setting.vertices = vec!["hill".to_owned(), "sea".to_owned()];
                "{ hill -> mill -> ford -> sea, hill -> ford, mill -> sea, tower }"
            }
            1 => "{ 5 -> 3 -> 1, 5 -> 1, 5 -> 0, 3 -> 0, 4 -> 3 }",
            2 => {
                self.setting.coordinates = vec!["r".to_owned(), "c".to_owned()];
                "(r in 1..2, c in 1..3) { (r,c) -> (r,d) where d < c  (r,c) -> (u,c) where u < r }"
            }
            3 => "(n in 0..7) { n -> n - 1 where n > 0, n -> n - 2 where n > 3 }",
            _ => {
                self.setting.may_repeat = true;
                "(n in 0..7) { n -> (n+1) mod 6 where n < 6, 3 -> 6, 6 -> 7 }"
            }
        };
        lines.push(seq!["board digraph", board]);
        let (tokens, names): (&str, &[&str]) = match self.below(4) {
            0 => ("", &["token"]),
            1 => ("tokens 1", &["token"]),
            2 => ("tokens 2", &["t1", "t2"]),
            _ => ("tokens raft barge", &["raft", "barge"]),
        };
        lines.push(tokens.into());
        self.setting.count = names.len();
        self.setting.heaps = names.iter().map(|name| (*name).to_owned()).collect();
        if self.setting.may_repeat {
            lines.push("positions may repeat".into());
        }
        self.state(lines);
    }
}
