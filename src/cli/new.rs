//! `new`: a commented rule file to start from.

use super::load::{self, Answered};
use super::{Format, Shared, Status, progress};
use clap::{Args, ValueEnum};
use nimrule_syntax as syntax;
use serde_json::json;
use std::io::Write as _;
use std::path::Path;

#[derive(Debug, Args)]
pub struct Arguments {
    /// The name of the game, which is also that of the file NAME.nimrule
    name: String,
    /// The kind of game
    #[arg(long, value_enum, default_value_t = Kind::Heaps)]
    kind: Kind,
    /// Write to standard output instead of a file
    #[arg(long)]
    print: bool,
}

/// A kind of game with a file to start from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Kind {
    /// Loose heaps, as in Nim
    Heaps,
    /// Heaps on the faces of a solid
    Board,
    /// Heaps in a circle
    Circle,
    /// Any number of heaps that split, as in Kayles
    Splitting,
    /// An octal game
    Octal,
    /// Coins that are turned
    Coins,
    /// Tokens on the vertices of a digraph
    Tokens,
    /// Two players with moves of their own
    Players,
}

impl Kind {
    /// The statements after `game NAME`.
    fn statements(self) -> &'static str {
        match self {
            Kind::Heaps => {
                "\
// The number of heaps is a parameter: `--set piles=4` changes it.
param piles = 3 in 1..

// Heaps are called h1, h2, …; `heaps a b c` would name them.
heaps piles

// A move. Others: `take 1..3 from one heap`, `take equal from exactly 2 heaps`,
// `take from one heap as x then take 1 from one heap as y where y is not x`.
move take from one heap

// What you believe. `nimrule test` looks for a counterexample, `nimrule prove`
// for a proof for all sizes.
claim P iff xor(heaps) == 0

// Positions whose outcome you know.
example for piles == 3: (1,2,3) is P
example for piles == 3: (3,4,5) wins by (1,4,5)
"
            }
            Kind::Board => {
                "\
// Others: `tetrahedron`, `octahedron`, `dodecahedron`, `icosahedron`, `prism(5)`,
// `planar { a - b - c - a, c - d }`, `graph { a - b, b - c }`.
board cube

// The first three faces meet at a vertex; A is opposite a.
heaps on faces as a b c A B C

// The heaps at an edge are those of the two faces that share it.
move take from one edge

claim P iff a ^ A == b ^ B == c ^ C

example (3,4,5, 3,4,5) is P
"
            }
            Kind::Circle => {
                "\
param n = 5 in 3.., k = 2 in 1..

// `circle(n) shrinking` is a circle from which empty heaps vanish.
board circle(n)

move take from k consecutive heaps

// The smallest heaps decide; `nimrule discover` finds a condition for small n.
claim for n == 4 and k == 2: P iff heaps[1] == heaps[3] and heaps[2] == heaps[4]

example for n == 5 and k == 2: (1,1,0,0,0) is N
"
            }
            Kind::Splitting => {
                "\
// A position is any number of heaps; `{3,4}` has one of 3 and one of 4 tokens.
heaps any number

// One or two tokens are taken, and what is left may be split in two.
move take 1..2 from one heap leaving 0..2 heaps

example {7} is N
"
            }
            Kind::Octal => {
                "\
// The digit after the point of the place i says what may happen when i tokens are
// taken: 1 the heap vanishes, 2 it stays one heap, 4 it is split in two; they add up.
heaps any number
move octal \"0.77\"

example {7} is N
"
            }
            Kind::Coins => {
                "\
param n = 6 in 1..

// A heap of one token is a coin that shows heads.
heaps n of size 0..1

// One coin is turned from heads to tails, and perhaps another to the left of it.
move flip one heap as c where c == 1 then optionally flip one heap left of c

claim grundy == xor(i for i in 1..n where heaps[i] == 1)

example for n == 6: (1,1,1,0,0,0) is P
"
            }
            Kind::Tokens => {
                "\
// Squares of a board, each with two coordinates; a token moves to the left or down.
param n = 7 in 1..
board digraph (x in 0..n, y in 0..n) {
    (x,y) -> (left,y) where left < x
    (x,y) -> (x,below) where below < y
}
tokens 1

move slide one token

example for n == 7: (3,5) is N
"
            }
            Kind::Players => {
                "\
// Left and Right have moves of their own.
param piles = 2 in 1..
heaps piles

move left take {1,2} from one heap
move right take {1,3} from one heap

example for piles == 2: (0,0) is P
"
            }
        }
    }
}

fn name_of(arguments: &Arguments) -> &str {
    arguments.name.trim_end_matches(".nimrule")
}

fn text_of(arguments: &Arguments) -> String {
    let comment = "// A title in quotes may follow the name: game nim \"Nim\"";
    let (name, statements) = (name_of(arguments), arguments.kind.statements());
    format!("{comment}\ngame {name}\n\n{statements}")
}

pub fn run(arguments: &Arguments, shared: &Shared) -> Answered<Status> {
    let name = name_of(arguments);
    let text = text_of(arguments);
    let is_name = syntax::parse(&text).problems.is_empty()
        && !name.contains(|c: char| c.is_whitespace() || c == '/');
    if !is_name {
        return Err(load::wrong(&format!(
            "`{name}` cannot be the name of a game: use letters, digits and `_`, such as `my_nim`"
        )));
    }
    let mut out = progress::stdout();
    if arguments.print {
        return load::finish(write!(out, "{text}"));
    }
    let path = format!("{name}.nimrule");
    if Path::new(&path).exists() {
        return Err(load::wrong(&format!(
            "`{path}` exists; choose another name, or `--print`"
        )));
    }
    std::fs::write(&path, &text)
        .map_err(|error| load::wrong(&format!("`{path}` cannot be written: {error}")))?;
    load::finish(match shared.format {
        Format::Json => writeln!(out, "{}", json!({"version": 1, "file": path})),
        Format::Text | Format::Csv | Format::Latex => writeln!(
            out,
            "wrote {path}; next: `nimrule test {path}`, `nimrule solve {path}`"
        ),
    })
}

#[cfg(test)]
mod tests {
    use super::{Arguments, Kind, text_of};
    use clap::ValueEnum as _;
    use nimrule::Game;

    fn text(kind: Kind) -> String {
        text_of(&Arguments {
            name: "mine".to_owned(),
            kind,
            print: true,
        })
    }

    /// Every file to start from is formatted, compiles, and its claims and examples hold.
    #[test]
    fn every_kind_holds() {
        for kind in Kind::value_variants() {
            let text = text(*kind);
            assert_eq!(nimrule_syntax::format(&text), Ok(text.clone()), "{kind:?}");
            let game = Game::parse(text).unwrap_or_else(|error| panic!("{kind:?}: {error:?}"));
            let claims = game
                .check_claims(4)
                .unwrap_or_else(|error| panic!("{kind:?}: {error:?}"));
            assert!(
                claims.iter().all(|claim| claim.passes() == Some(true)),
                "{kind:?}"
            );
        }
    }

    /// What stands between backquotes in the comments, in order.
    fn quoted(text: &str) -> Vec<String> {
        let comments = text.lines().filter_map(|line| line.strip_prefix("//"));
        let comments: String = comments.collect();
        let parts = comments.split('`').skip(1).step_by(2);
        parts.map(str::to_owned).collect()
    }

    /// A text with another line in the place of the first that begins so.
    fn with_line(text: &str, begin: &str, line: &str) -> String {
        let mut lines: Vec<&str> = text.lines().collect();
        let place = lines.iter().position(|line| line.starts_with(begin));
        lines[place.unwrap_or_else(|| panic!("no line begins `{begin}`"))] = line;
        lines.join("\n")
    }

    /// Each alternative that a comment offers is a statement of its file's game. Claims
    /// and examples are of the game as it stands, and so are the names of its heaps.
    #[test]
    fn every_alternative_of_a_comment_compiles() {
        let mut alternatives = 0;
        for kind in Kind::value_variants() {
            let text = text(*kind);
            let is_of_the_rule =
                |line: &&str| !line.starts_with("claim") && !line.starts_with("example");
            let rule: Vec<&str> = text.lines().filter(is_of_the_rule).collect();
            let rule = rule.join("\n");
            for quoted in quoted(&text) {
                let first = quoted.split([' ', '(', '=']).next().unwrap_or_default();
                let changed = match first {
                    "take" | "put" | "flip" | "set" | "split" | "slide" => {
                        with_line(&rule, "move ", &format!("move {quoted}"))
                    }
                    // Heaps with names need no number.
                    "heaps" => {
                        let named = with_line(&rule, "heaps ", &quoted);
                        let lines = named.lines().filter(|line| !line.starts_with("param"));
                        lines.collect::<Vec<_>>().join("\n")
                    }
                    "circle" => with_line(&rule, "board ", &format!("board {quoted}")),
                    "tetrahedron" | "octahedron" | "dodecahedron" | "icosahedron" | "prism"
                    | "planar" | "graph" => {
                        let boarded = with_line(&rule, "board ", &format!("board {quoted}"));
                        let named = with_line(&boarded, "heaps ", "heaps on vertices");
                        with_line(&named, "move ", "move take from one edge")
                    }
                    "--set" => {
                        let (name, value) = quoted["--set ".len()..].split_once('=').unwrap();
                        with_line(
                            &rule,
                            &format!("param {name} "),
                            &format!("param {name} = {value}"),
                        )
                    }
                    "nimrule" => continue,
                    _ if quoted.starts_with('{') => {
                        let game = Game::parse(rule.clone()).expect("the rule compiles");
                        assert!(game.position(&quoted).is_ok(), "{kind:?}: {quoted}");
                        alternatives += 1;
                        continue;
                    }
                    _ => panic!("{kind:?}: what is `{quoted}`?"),
                };
                let game = Game::parse(changed.clone())
                    .unwrap_or_else(|error| panic!("{kind:?}, {quoted}: {error:?}\n{changed}"));
                assert!(
                    game.warnings().is_empty(),
                    "{kind:?}, {quoted}: {:?}",
                    game.warnings()
                );
                alternatives += 1;
            }
        }
        assert!(
            alternatives > 12,
            "only {alternatives} alternatives were found"
        );
    }
}
