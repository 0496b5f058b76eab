//! What the page asks and what it is answered. `cargo test` writes these types to
//! `web/src/messages.ts`, so that a change of a field is an error in both languages.
//!
//! Positions are texts as the language writes them, such as `(3,4,5)` and `{1,4}`. Places in
//! the text of a rule are offsets in UTF-16 code units, as JavaScript counts them. What the
//! command line writes as JSON is passed on as it is, in fields named `json`, or read into types.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use ts_rs::TS;

/// A question of the page. Those from `open` on are about the game that was opened last.
#[derive(Debug, Deserialize, TS)]
#[serde(tag = "ask", rename_all = "snake_case")]
pub enum Ask {
    /// The rules of the shipped games.
    Shipped,
    /// What a gallery shows of the shipped games.
    Gallery,
    /// The picture of a shipped game at its start, or with the names of its heaps.
    Thumbnail {
        /// The name of the file without its ending.
        file: String,
    },
    /// The words of the language, for highlighting.
    Words,
    /// The errors, warnings, claims and outline of a text.
    Check {
        /// The text of a rule.
        text: String,
    },
    /// What the word at a place means.
    Hover {
        /// The text of a rule.
        text: String,
        /// The place.
        at: usize,
    },
    /// What may be typed at a place.
    Complete {
        /// The text of a rule.
        text: String,
        /// The place.
        at: usize,
    },
    /// The edits that rename the name at a place.
    Rename {
        /// The text of a rule.
        text: String,
        /// The place.
        at: usize,
        /// The new name; without it, the places of the name are shown.
        to: Option<String>,
    },
    /// The text in its standard layout.
    Format {
        /// The text of a rule.
        text: String,
    },
    /// Opens a rule at values of its parameters.
    Open {
        /// The text of a rule.
        text: String,
        /// Values of parameters, as the language writes them.
        params: Vec<(String, String)>,
        /// Whether the player who cannot move wins.
        misere: bool,
    },
    /// Reads a position that a person typed.
    Read {
        /// The position, with or without brackets.
        written: String,
    },
    /// The parameter that counts the heaps, with the value at which a typed position is one.
    Fitting {
        /// The position, with or without brackets.
        written: String,
    },
    /// A random position that the player to move wins, or loses.
    Random {
        /// Whether the player to move wins it.
        wins: bool,
    },
    /// The picture of a position and of a move.
    Picture {
        /// The position; without it, the names of the heaps are shown.
        position: Option<String>,
        /// The position after the move.
        after: Option<String>,
    },
    /// Who wins at a position.
    Solve {
        /// The position.
        position: String,
        /// The player to move, where the players have moves of their own.
        side: Option<Player>,
    },
    /// The moves at a position.
    Options {
        /// The position.
        position: String,
        /// The player to move, where the players have moves of their own.
        side: Option<Player>,
    },
    /// A move as a person typed it.
    Typed {
        /// The position.
        position: String,
        /// The player to move, where the players have moves of their own.
        side: Option<Player>,
        /// What was typed.
        line: String,
    },
    /// The program's move.
    Reply {
        /// The position.
        position: String,
        /// The player to move, where the players have moves of their own.
        side: Option<Player>,
        /// Of a hundred moves, this many are random.
        errs: u8,
    },
    /// Whether a move gave a win away.
    GivenAway {
        /// The position before the move.
        from: String,
        /// The position after it.
        to: String,
        /// The player who moved, where the players have moves of their own.
        side: Option<Player>,
    },
    /// Why a position is won or lost.
    Why {
        /// The position.
        position: String,
    },
    /// The verdict on a claim.
    Claim {
        /// Its number, from 1.
        number: usize,
        /// Whether minutes are spent on a proof, instead of a second and a box.
        prove: bool,
        /// The largest heap of the box; without it, the one that the file suggests or that
        /// takes little time.
        #[serde(default)]
        #[ts(optional)]
        max: Option<u32>,
        /// Whether it is compared with the box alone, and not proved.
        #[serde(default)]
        #[ts(optional)]
        box_alone: Option<bool>,
    },
    /// Whether an example is right.
    Example {
        /// Its number, from 1.
        number: usize,
    },
    /// The P-positions for all sizes, found from the rule.
    Discover,
    /// A position by its numbers.
    Numbered {
        /// The numbers.
        numbers: Vec<u32>,
    },
    /// The outcomes or values by the sizes of one or two heaps.
    Plot {
        /// The indices of the other heaps, with their sizes; for a multiset, the index of the
        /// kind of heap whose values are plotted, with any size.
        fixed: Vec<(usize, u32)>,
        /// The largest size on an axis; without it, a usual one.
        max: Option<u32>,
        /// Whether Grundy values are plotted, instead of outcomes.
        grundy: bool,
    },
    /// Positions to solve, on a sheet to print.
    Sheet {
        /// The number of positions.
        count: u16,
        /// The largest heap; without it, a small number.
        max: Option<u32>,
        /// The seed of the random choice: the same seed makes the same sheet.
        seed: u32,
        /// The positions, which are random if there are none.
        #[serde(default)]
        #[ts(optional)]
        positions: Option<Vec<String>>,
    },
    /// The positions up to a size.
    List {
        /// The largest heap; without it, the size that the file suggests.
        max: Option<u32>,
        /// The outcomes that are listed; all if it is empty.
        outcomes: Vec<String>,
        /// Whether Grundy values are listed.
        grundy: bool,
        /// Whether one position is listed of each set of positions that are alike.
        up_to_symmetry: bool,
        /// At most so many rows; without it, as many as a page shows.
        #[serde(default)]
        #[ts(optional)]
        most: Option<usize>,
    },
}

/// A player of a game in which the players have moves of their own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "lowercase")]
pub enum Player {
    /// Left, who begins.
    Left,
    /// Right.
    Right,
}

/// The answers: each field has the name of a question and the type of its answer.
#[derive(TS)]
#[allow(dead_code)] // It is a table of types.
pub struct Answers {
    shipped: Vec<Shipped>,
    gallery: Vec<Described>,
    thumbnail: Picture,
    words: Words,
    check: Checked,
    hover: Option<Hover>,
    complete: Completions,
    rename: Renamed,
    format: Option<String>,
    open: Opened,
    read: Spot,
    fitting: Option<(String, String)>,
    random: Spot,
    picture: Picture,
    solve: Solved,
    options: Options,
    typed: Typed,
    reply: Move,
    given_away: Option<Move>,
    why: Why,
    claim: ClaimVerdict,
    example: ExampleVerdict,
    discover: Discovery,
    numbered: Spot,
    plot: Plot,
    sheet: Printed,
    list: List,
}

/// Why there is no answer.
#[derive(Debug, Serialize, TS)]
pub struct Fault {
    /// What is wrong.
    pub kind: FaultKind,
    /// The reason as a sentence.
    pub words: String,
    /// The errors of the text, if these are the reason.
    pub findings: Vec<Finding>,
}

/// What is wrong where there is no answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "lowercase")]
pub enum FaultKind {
    /// The text of a rule, or a value of a parameter.
    Rule,
    /// A position.
    Position,
    /// A limit of time or memory was met.
    Limit,
    /// The computation was stopped.
    Stopped,
    /// Something else about the question: it has no answer for this game.
    Question,
}

/// The rule of a shipped game.
#[derive(Debug, Serialize, TS)]
pub struct Shipped {
    /// The name of the file without its ending.
    pub file: String,
    /// The text.
    pub text: String,
}

/// A shipped game as a gallery shows it.
#[derive(Debug, Serialize, TS)]
pub struct Described {
    /// The name of the file without its ending.
    pub file: String,
    /// The title.
    pub title: String,
    /// The works that the rule is from.
    pub sources: Vec<String>,
    /// Where the heaps are: the kind of the board, or `loose heaps`, `any number of heaps`
    /// or `tokens`.
    pub board: String,
}

/// The words of the language by what they are.
#[derive(Debug, Serialize, TS)]
pub struct Words {
    /// Words that begin a statement.
    pub statements: Vec<String>,
    /// All other words.
    pub others: Vec<String>,
}

/// A place in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, TS)]
pub struct Span {
    /// The first code unit.
    pub from: usize,
    /// The code unit behind the last.
    pub to: usize,
}

/// A correction of a text.
#[derive(Debug, Serialize, TS)]
pub struct Edit {
    /// What is replaced.
    pub at: Span,
    /// By what.
    pub with: String,
}

/// An error or a warning.
#[derive(Debug, Serialize, TS)]
pub struct Finding {
    /// Its place.
    pub at: Span,
    /// What is wrong.
    pub message: String,
    /// How it is corrected.
    pub help: Option<String>,
    /// Its code.
    pub code: String,
    /// Whether the rule is correct all the same.
    pub is_warning: bool,
    /// A correction that is certain enough to be offered as an edit.
    pub fix: Option<Edit>,
}

/// A statement of the outline.
#[derive(Debug, Serialize, TS)]
pub struct Heading {
    /// Its name.
    pub name: String,
    /// What it is.
    pub kind: String,
    /// The place of the name.
    pub at: Span,
}

/// What a check of a text found.
#[derive(Debug, Serialize, TS)]
pub struct Checked {
    /// The errors and warnings.
    pub findings: Vec<Finding>,
    /// The outline.
    pub outline: Vec<Heading>,
    /// Whether the text is a rule.
    pub is_rule: bool,
}

/// What is said of a word.
#[derive(Debug, Serialize, TS)]
pub struct Hover {
    /// The word.
    pub at: Span,
    /// What it means, as Markdown.
    pub text: String,
}

/// What may be typed at a place.
#[derive(Debug, Serialize, TS)]
pub struct Completions {
    /// What stands there already.
    pub at: Span,
    /// The words.
    pub list: Vec<Completion>,
}

/// A word that may be typed.
#[derive(Debug, Serialize, TS)]
pub struct Completion {
    /// The word.
    pub word: String,
    /// `keyword`, `name` or `board`.
    pub kind: String,
    /// What it means.
    pub meaning: String,
}

/// The places of a name, or the edits that rename it.
#[derive(Debug, Serialize, TS)]
pub struct Renamed {
    /// The name under the cursor.
    pub name: String,
    /// The edits.
    pub edits: Vec<Edit>,
}

/// A position.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
pub struct Spot {
    /// As the language writes it.
    pub text: String,
    /// As it is shown in sentences: long positions are shortened.
    pub shown: String,
    /// Its numbers: the sizes of the heaps, the vertices of tokens, the values of states.
    pub numbers: Vec<String>,
}

/// A position after a move.
#[derive(Debug, Clone, Serialize, TS)]
pub struct Move {
    /// The position.
    pub to: Spot,
    /// The move in words.
    pub words: String,
}

/// The moves at a position.
#[derive(Debug, Serialize, TS)]
pub struct Options {
    /// The moves.
    pub list: Vec<Move>,
    /// Whether these are all.
    pub all: bool,
    /// How moves are typed.
    pub ways: String,
}

/// A typed line.
#[derive(Debug, Serialize, TS)]
pub struct Typed {
    /// The move, if it is one.
    #[serde(rename = "move")]
    pub to: Option<Move>,
    /// Why it is none.
    pub why: Option<String>,
}

/// A parameter.
#[derive(Debug, Serialize, TS)]
pub struct Parameter {
    /// The name.
    pub name: String,
    /// The value as the language writes it.
    pub value: String,
    /// Whether it is a number.
    pub is_number: bool,
}

/// A claim of the file.
#[derive(Debug, Serialize, TS)]
pub struct ClaimInfo {
    /// Its number, from 1.
    pub number: usize,
    /// Its text.
    pub words: String,
    /// Its place.
    pub at: Span,
    /// Whether it is about misère play.
    pub misere: bool,
    /// Whether it is about these values of the parameters.
    pub applies: bool,
    /// Values of the parameters that it is about, if it is not about these.
    pub elsewhere: Vec<(String, String)>,
}

/// An example of the file.
#[derive(Debug, Serialize, TS)]
pub struct ExampleInfo {
    /// What it has in common with claims.
    #[serde(flatten)]
    #[ts(flatten)]
    pub statement: ClaimInfo,
    /// Its position.
    pub position: Spot,
}

/// What the numbers of a position are.
#[derive(Debug, Serialize, TS)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// The sizes of named heaps, then the values of states.
    Heaps,
    /// The heaps of a multiset.
    Bag,
    /// The vertices of tokens.
    Tokens,
    /// Sizes that are real numbers: nothing can be played.
    Reals,
}

/// An open game.
#[derive(Debug, Serialize, TS)]
pub struct Opened {
    /// The name.
    pub name: String,
    /// The title with the values of the parameters.
    pub heading: String,
    /// The works that the rule is from.
    pub sources: Vec<String>,
    /// The notes.
    pub notes: Vec<String>,
    /// Where the heaps are.
    pub heaps: String,
    /// The moves in words.
    pub moves: Vec<String>,
    /// What the numbers of a position are.
    pub kind: Kind,
    /// The names of the heaps, tokens and states.
    pub names: Vec<String>,
    /// The names of the kinds of heaps of a multiset, if it has several.
    pub bag_kinds: Vec<String>,
    /// The number of heaps; what follows are states.
    pub states_from: usize,
    /// Whether the players have moves of their own.
    pub has_sides: bool,
    /// Whether play may go round in circles.
    pub may_repeat: bool,
    /// Whether the opponent blocks options, so that moves cannot be played one by one.
    pub blocks: bool,
    /// The position with which play begins.
    pub start: Option<Spot>,
    /// The parameters.
    pub params: Vec<Parameter>,
    /// Their values as the command line writes them in JSON.
    #[ts(type = "unknown")]
    pub values: Value,
    /// The claims.
    pub claims: Vec<ClaimInfo>,
    /// The examples.
    pub examples: Vec<ExampleInfo>,
    /// The size of the box that is listed without another.
    pub suggested_max: u32,
    /// After a position has stood this often, play is drawn.
    pub repetitions: u32,
    /// The levels at which the program plays, the weakest first: the name, and how many of a
    /// hundred moves are random.
    pub levels: Vec<(String, u8)>,
    /// The warnings about the rule.
    pub warnings: Vec<Finding>,
}

/// A picture.
#[derive(Debug, Serialize, TS)]
pub struct Picture {
    /// The SVG document.
    pub svg: String,
    /// Its width.
    pub width: f64,
    /// Its height.
    pub height: f64,
    /// Where the numbers of the position and the vertices are.
    pub parts: Vec<Part>,
}

/// A part of a picture.
#[derive(Debug, Serialize, TS)]
pub struct Part {
    /// The index of a number of the position, or nothing for a vertex.
    pub index: Option<usize>,
    /// The number that a token on this vertex has.
    pub vertex: Option<String>,
    /// The name of the vertex or of the heap.
    pub name: String,
    /// The left edge.
    pub left: f64,
    /// The upper edge.
    pub top: f64,
    /// The right edge.
    pub right: f64,
    /// The lower edge.
    pub bottom: f64,
}

/// The answer about a position.
#[derive(Debug, Serialize, TS)]
pub struct Solved {
    /// What `nimrule solve FILE POSITION --format json` writes.
    #[ts(type = "unknown")]
    pub json: Value,
    /// The outcome in words.
    pub headline: String,
    /// What the player to move achieves: `wins`, `loses` or `draws`.
    pub turn: String,
    /// The number of moves to the end, where it is known.
    pub remoteness: Option<u32>,
    /// What the answer rests on, in words.
    pub basis: String,
    /// The moves that win or, where none does, that draw: the best first.
    pub winning: Vec<Move>,
    /// Whether these are all.
    pub all: bool,
    /// Seconds that it took.
    pub took: f64,
}

/// Why a position is won or lost: what `nimrule why FILE POSITION --format json` writes.
#[derive(Debug, Serialize, Deserialize, TS)]
pub struct Why {
    /// The outcome in words.
    #[serde(default)]
    pub headline: String,
    /// The claims that agree with the outcome, worked out at the position.
    pub claims: Vec<WhyClaim>,
    /// The Grundy values of the heaps with their nim-sum, where that is the value of the position
    /// and no claim has such a sum.
    #[serde(default)]
    pub heaps: Option<WhySum>,
    /// The moves of each player to move.
    pub to_move: Vec<WhySide>,
}

/// A claim worked out at a position.
#[derive(Debug, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct WhyClaim {
    /// The claim.
    pub claim: String,
    /// Its value there: true, false or a number.
    #[ts(type = "boolean | number")]
    pub value: Value,
    /// The image of the position under a symmetry, which the claim is about.
    #[ts(type = "unknown")]
    pub image: Value,
    /// Its parts.
    pub parts: Vec<WhyPart>,
}

/// A part of a claim.
#[derive(Debug, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct WhyPart {
    /// How deep it is nested.
    pub depth: usize,
    /// Its text.
    pub words: String,
    /// Its value: true, false or a number.
    #[ts(type = "boolean | number")]
    pub value: Value,
    /// The values of both sides of a comparison.
    #[ts(type = "[number, number] | null")]
    pub sides: Value,
    /// The sums without carry in it.
    pub sums: Vec<WhySum>,
}

/// A sum without carry.
#[derive(Debug, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct WhySum {
    /// The base of its digits.
    #[ts(type = "number")]
    pub base: i64,
    /// The number by which sums of digits are divided, of which the rest remains.
    #[ts(type = "number | null")]
    pub modulus: Option<i64>,
    /// What is added.
    pub terms: Vec<WhyTerm>,
    /// The sum.
    #[ts(type = "number")]
    pub sum: i64,
}

/// A term of a sum without carry.
#[derive(Debug, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct WhyTerm {
    /// Its text.
    pub term: String,
    /// Its value.
    #[ts(type = "number")]
    pub value: i64,
}

/// What a player to move achieves, and by which moves.
#[derive(Debug, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct WhySide {
    /// The player, where the players have moves of their own.
    pub side: Option<String>,
    /// `wins`, `loses` or `draws`.
    pub result: String,
    /// This as a sentence.
    pub summary: String,
    /// The moves.
    pub moves: Vec<WhyMove>,
    /// The number of moves that are left out.
    pub omitted: usize,
    /// Whether these and the omitted ones are all.
    pub complete: bool,
}

/// A move, and what it leads to.
#[derive(Debug, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct WhyMove {
    /// The position after it.
    #[ts(type = "unknown")]
    pub to: Value,
    /// The move in words.
    pub words: String,
    /// The number of moves that are like it, itself included.
    pub alike: usize,
    /// What the opponent achieves after it.
    pub leaves: String,
    /// The reply that wins.
    pub reply: Option<WhyReply>,
    /// The part of the first claim that it breaks.
    pub breaks: Option<String>,
}

/// A reply to a move.
#[derive(Debug, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct WhyReply {
    /// The position after it.
    #[ts(type = "unknown")]
    pub to: Value,
    /// The reply in words.
    pub words: String,
    /// How play goes on.
    pub then: Option<Box<WhySide>>,
}

/// The verdict on a claim.
#[derive(Debug, Serialize, TS)]
pub struct ClaimVerdict {
    /// Its fields in `nimrule test FILE --format json`.
    #[ts(type = "unknown")]
    pub json: Value,
    /// The verdict in words.
    pub words: String,
    /// Whether it is as the file says; `null` if it is not decided.
    pub passes: Option<bool>,
    /// Whether it is proved for all sizes.
    pub proved: bool,
    /// The smallest counterexample.
    pub counterexample: Option<Spot>,
    /// Seconds that it took.
    pub took: f64,
}

/// The verdict on an example.
#[derive(Debug, Serialize, TS)]
pub struct ExampleVerdict {
    /// Whether it is right.
    pub passes: bool,
    /// Why it is wrong.
    pub why: Option<String>,
}

/// What a search for the P-positions of all sizes found.
#[derive(Debug, Serialize, TS)]
pub struct Discovery {
    /// Whether they are found and proved.
    pub proved: bool,
    /// The result in words.
    pub words: String,
    /// The closed form, as a claim that can be added to the file.
    pub claim: Option<String>,
    /// The conditions that were checked.
    pub checked: Vec<String>,
    /// Whether an automaton recognises them: not where the theorem is about any number of heaps.
    pub has_automaton: bool,
    /// The automaton, if it is small enough for a picture.
    pub picture: Option<Picture>,
    /// Seconds that it took.
    pub took: f64,
}

/// A plot by the sizes of one or two heaps.
#[derive(Debug, Serialize, TS)]
pub struct Plot {
    /// The picture.
    pub picture: Picture,
    /// Where its cells are in it: columns and rows, all equally wide.
    pub cells: Part,
    /// The indices of the heaps on the axes; none for the values of single heaps.
    pub axes: Vec<usize>,
    /// What is known of the cells, by the second size and then the first, both from 0: a letter
    /// or a value, or nothing where there is no position.
    pub rows: Vec<Vec<String>>,
    /// The largest size.
    pub max: u32,
    /// The largest size that a plot with these axes can have.
    pub limit: u32,
}

/// A sheet of positions to solve.
#[derive(Debug, Serialize, TS)]
pub struct Printed {
    /// The sheet with its solutions, a document of HTML.
    pub html: String,
    /// The number of positions: fewer than were asked for if no more were found.
    pub count: usize,
}

/// Positions up to a size.
#[derive(Debug, Serialize, TS)]
pub struct List {
    /// The names of the columns.
    pub columns: Vec<String>,
    /// The rows: the numbers of a position, then what is asked of it.
    pub rows: Vec<Vec<String>>,
    /// The position of each row.
    pub positions: Vec<String>,
    /// The largest heap.
    pub max: u32,
    /// The number of positions that fit, of which the first are listed.
    pub count: usize,
}

/// How far a computation is.
#[derive(Debug, Serialize, TS)]
pub struct Progress {
    /// What is done.
    pub words: String,
    /// The part that is done, if it is known.
    pub part: Option<f64>,
}
