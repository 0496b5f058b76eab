//! What the keywords and signs of the language mean, in a sentence each.

use nimrule_syntax::keywords;

/// Keywords and signs with what they mean. Where a word has several meanings, they are
/// separated by semicolons.
const MEANINGS: &[(&str, &str)] = &[
    (
        "game",
        "begins the file: the name of the game, and its title in quotes",
    ),
    ("source", "where the game is described, as a text in quotes"),
    ("note", "a remark that `solve` shows, as a text in quotes"),
    (
        "param",
        "parameters with their defaults and ranges, as in `param n = 5 in 3..`; `--set n=6` sets them",
    ),
    (
        "board",
        "the solid, circle, row, grid or graph that the heaps lie on",
    ),
    (
        "heaps",
        "begins the statement of the heaps; in expressions the list of all sizes; after a number or `all` the heaps to select from",
    ),
    ("heap", "any single heap, as in `take from one heap`"),
    (
        "tokens",
        "the tokens that slide along the arcs of a digraph; in expressions the list of their vertices",
    ),
    ("token", "any single token of a digraph"),
    (
        "kinds",
        "the kinds of heaps of a game whose number of heaps varies",
    ),
    ("kind", "a kind of heap"),
    (
        "state",
        "a number of the position that is no heap, as in `state limit in 1..9 = 1`",
    ),
    (
        "family",
        "names a list of sets of heaps, as in `family pair = { a b }, { c d }`",
    ),
    (
        "positions",
        "begins `positions where …`, a condition that every position meets, or `positions may repeat`",
    ),
    (
        "suggest",
        "begins `suggest max N`, the size of the box that `solve` and `test` compute",
    ),
    ("start", "the position that play begins with"),
    (
        "play",
        "begins `play ends by E, F`: numbers that every move lowers, in lexicographic order",
    ),
    ("ends", "part of `play ends by`"),
    ("opponent", "begins `opponent may block up to K options`"),
    (
        "may",
        "part of `positions may repeat` and of `opponent may block`",
    ),
    (
        "repeat",
        "part of `positions may repeat`: play need not end",
    ),
    (
        "block",
        "part of `opponent may block up to K options`: the opponent forbids options before each move",
    ),
    ("options", "part of `opponent may block up to K options`"),
    (
        "move",
        "a rule of moving: its condition, its choices, and its steps",
    ),
    (
        "claim",
        "a statement about all positions, which is checked to a bound or proved",
    ),
    (
        "example",
        "a position with its outcome, its Grundy value, or a winning move",
    ),
    (
        "in",
        "before a set: membership, as in `x in 1..5`; or the range of a name",
    ),
    (
        "on",
        "where heaps lie, as in `heaps on faces`; or where `put` puts tokens",
    ),
    ("as", "names what a step selected, or the heaps on cells"),
    (
        "from",
        "the heaps that tokens are taken from; or the file of a board",
    ),
    ("where", "a condition on what was chosen"),
    ("when", "a condition on the position before the move"),
    (
        "for",
        "`for some x in SET` in moves; `for COND` restricts a claim to parameters; `VALUE for x in SET` in functions",
    ),
    ("some", "part of `for some x in SET`: the player chooses x"),
    (
        "then",
        "separates the steps of a move, or the parts of `if`",
    ),
    ("optionally", "the step may be left out"),
    (
        "up",
        "begins `up to`, as in `up to 2 heaps`, `up to 3 times`, `up to symmetry`",
    ),
    (
        "times",
        "repeats a step, as in `2 times take 1 from one heap`",
    ),
    (
        "take",
        "removes tokens: at least one in total, from each heap that is selected a number in the set",
    ),
    ("put", "adds tokens to heaps"),
    ("set", "gives a heap or a state a value"),
    ("flip", "changes a heap of 0 to 1 and a heap of 1 to 0"),
    (
        "choose",
        "selects heaps for later steps, and changes nothing",
    ),
    (
        "split",
        "replaces a heap by two or more smaller ones that have its tokens",
    ),
    ("slide", "moves a token along an arc of the digraph"),
    ("slow", "at most one token from each heap"),
    ("equal", "the same number of tokens from each heap"),
    (
        "all",
        "all tokens of each heap; all heaps of a family; or the same size for every heap, as in `all 1`",
    ),
    (
        "one",
        "one member of a family, as in `one heap`, `one edge`, `one of a b`",
    ),
    (
        "exactly",
        "as many different members of a family, as in `exactly 2 heaps`",
    ),
    (
        "consecutive",
        "neighbouring places of a circle, a row or a line, as in `3 consecutive heaps`",
    ),
    (
        "leaving",
        "the number of heaps into which the rest of a heap may be divided",
    ),
    ("into", "the names of the parts of a heap that is split"),
    (
        "octal",
        "an octal code as the move, as in `move octal \"0.137\"`",
    ),
    ("misere", "the player who cannot move wins"),
    ("iff", "if and only if"),
    ("only", "begins `only if`"),
    (
        "if",
        "`if COND then A else B` in expressions; in a claim, `P if COND` states P where COND holds",
    ),
    ("else", "the last part of `if COND then A else B`"),
    (
        "is",
        "whether two names are the same heap; or the outcome of an example",
    ),
    ("not", "negation of a condition"),
    (
        "and",
        "both conditions; the right one is evaluated only if the left one holds",
    ),
    (
        "or",
        "at least one of the conditions; the right one is evaluated only if the left one fails",
    ),
    ("implies", "`a implies b` is `not a or b`"),
    ("div", "division, rounded down"),
    ("mod", "the remainder, which is at least 0"),
    ("let", "names a value, as in `let s = a + b in s * s`"),
    ("exists", "whether some member of a set meets a condition"),
    ("forall", "whether all members of a set meet a condition"),
    (
        "like",
        "whether some image of the position under a symmetry fits the form",
    ),
    (
        "max",
        "the largest of the numbers; or part of `suggest max`",
    ),
    ("min", "the smallest of the numbers"),
    ("sum", "the sum of the numbers"),
    (
        "xor",
        "the nim-sum of the numbers: the binary sum without carry",
    ),
    (
        "count",
        "how many numbers there are, with a condition how many meet it",
    ),
    ("sorted", "the numbers in ascending order"),
    ("distinct", "whether no two of the numbers are equal"),
    (
        "carryless",
        "`carryless(k, heaps)`: the sum in base k without carry; `carryless(b, heaps, k)`: digits in base b, each column mod k",
    ),
    (
        "digit",
        "`digit(b, i, n)`: the digit of n at place i in base b; place 0 is the last",
    ),
    (
        "isqrt",
        "the largest number whose square is at most the argument",
    ),
    ("gcd", "the greatest common divisor"),
    ("lcm", "the least common multiple"),
    ("abs", "the absolute value"),
    (
        "size",
        "the length of a list; or part of `of size LOW..HIGH` and `of real size`",
    ),
    ("index", "the number of a heap, from 1"),
    (
        "neighbours",
        "the heaps on neighbouring cells, as in `neighbours of x`; in expressions the list of their sizes",
    ),
    (
        "powers",
        "the set of the powers of a number: `powers(3)` is 1, 3, 9, …",
    ),
    ("squares", "the set 0, 1, 4, 9, …"),
    ("true", "the condition that always holds"),
    ("false", "the condition that never holds"),
    ("total", "how many tokens this step takes in all"),
    ("each", "how many tokens this step takes from each heap"),
    (
        "planar",
        "a planar graph by its edges, whose faces are found",
    ),
    ("graph", "a graph by its edges, as in `graph { A - B - C }`"),
    ("digraph", "a digraph by its arcs, along which tokens slide"),
    (
        "faces",
        "the faces of the board; or the faces of a planar graph, listed",
    ),
    (
        "number",
        "the number of a graph in a file of several; or part of `heaps any number`",
    ),
    ("any", "part of `heaps any number`: a bag of heaps"),
    (
        "shrinking",
        "empty heaps leave the board, and their neighbours become adjacent",
    ),
    (
        "to",
        "part of `up to` and of `set … to`; or the bound of a claim",
    ),
    (
        "symmetry",
        "part of `up to symmetry`: the condition holds at some image of the position",
    ),
    (
        "grundy",
        "the Grundy value: the size of the Nim heap that the position is equivalent to",
    ),
    (
        "refuted",
        "begins `refuted at POSITION`: the claim is known to fail there",
    ),
    ("at", "part of `refuted at`, `ending at` and `starting at`"),
    (
        "has",
        "part of `has grundy N`, and of `quotient to N has M elements`",
    ),
    ("wins", "part of `wins by POSITION`: the move to it wins"),
    ("by", "part of `wins by`, `play ends by` and `by pairing`"),
    ("loses", "no move wins: the position is P"),
    ("P", "the player who moves loses"),
    ("N", "the player who moves wins"),
    ("L", "Left wins, whoever moves first"),
    ("R", "Right wins, whoever moves first"),
    ("D", "neither player can force a win: a draw"),
    (
        "of",
        "the heaps of a cell, a heap or a line; or the sizes of heaps, as in `of size 0..1`",
    ),
    ("real", "part of `of real size`: sizes are real numbers"),
    (
        "left",
        "a move of Left only; or `left of x`, the heaps before x",
    ),
    (
        "right",
        "a move of Right only; or `right of x`, the heaps after x",
    ),
    (
        "ending",
        "`consecutive heaps ending at x`: x is the last of them",
    ),
    (
        "starting",
        "`consecutive heaps starting at x`: x is the first of them",
    ),
    ("touches", "whether two heaps are neighbours"),
    (
        "consistent",
        "the labelling is a kernel of the move digraph, which may have others",
    ),
    (
        "period",
        "`period p from n`: the Grundy values of single heaps repeat after p sizes, from n on",
    ),
    ("saltus", "what is added to the values after each period"),
    (
        "same",
        "begins `same as GAME where COND`: where COND holds, it is a position of that game",
    ),
    ("cogame", "every N-position has a move from some P-position"),
    (
        "labellings",
        "the number of labellings that are consistent with the moves",
    ),
    (
        "quotient",
        "the size of the misere quotient of the heaps up to a size",
    ),
    ("elements", "part of `quotient to N has M elements`"),
    (
        "pairing",
        "`P by pairing a with A`: the second player answers in the partner heap",
    ),
    ("with", "joins the partners of a pairing"),
    ("==", "whether two numbers are equal"),
    ("!=", "whether two numbers differ"),
    ("<", "less than"),
    ("<=", "at most"),
    (">", "greater than"),
    (">=", "at least"),
    (
        "..",
        "a range of whole numbers with both ends; without the second it has no end",
    ),
    ("^", "the nim-sum: the binary sum without carry"),
    ("**", "the power"),
    ("+", "the sum"),
    ("-", "the difference; or an edge of a graph"),
    ("*", "the product"),
    ("->", "an arc of a digraph"),
    ("=", "gives a name its value; numbers are compared by `==`"),
];

/// What a keyword or a sign means, as a phrase without a final point.
pub fn meaning(word: &str) -> Option<&'static str> {
    let found = MEANINGS.iter().find(|(known, _)| *known == word);
    found.map(|(_, meaning)| *meaning)
}

/// The keywords of the language that have no meaning here; for a test.
pub fn without_meaning() -> Vec<&'static str> {
    keywords().filter(|word| meaning(word).is_none()).collect()
}
