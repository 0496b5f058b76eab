//! The table of words: every keyword and sign of the language, with its role, an
//! example, its meaning and its notation in LaTeX.
//!
//! All that names words derives from it: which of them may be names, the operators
//! and functions of the tree, the help of errors, hover and completion in editors, the
//! colours of the TextMate grammar, LaTeX, and the random rules of tests. The grammar
//! alone spells a word again, in the rule of its keyword; tests compare the two.

use super::ast::{Binary, Comparison, Function, Quantifier};
use super::parser::Rule;
use nimrule_model::expr::Builtin;
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// A keyword or a sign of the language.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Word {
    /// As it is written.
    pub spelling: &'static str,
    /// Whether it is reserved: it is never a name. The other keywords are contextual,
    /// and names elsewhere.
    pub reserved: bool,
    /// What it is.
    pub role: Role,
    /// A statement, a move, a condition or a number that has the word.
    pub example: &'static str,
    /// What it means, as a phrase without a final point. Several meanings are separated
    /// by semicolons.
    pub meaning: &'static str,
}

/// What a word is in the grammar.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// It begins a statement.
    Statement,
    /// It begins a step of a move.
    Action,
    /// It says how many or which: a reader might take it for a name.
    Quantity,
    /// A function of expressions.
    Function(Function, Arguments, Typeset),
    /// It is followed by arguments in brackets, and is no number.
    Form,
    /// A value in one word.
    Constant,
    /// A binary operator, with its sign in LaTeX.
    Operator(Binary, &'static str),
    /// A comparison, with its sign in LaTeX.
    Comparison(Comparison, &'static str),
    /// A quantifier, with its sign in LaTeX.
    Quantifier(Quantifier, &'static str),
    /// It joins the parts of a statement or an expression.
    Part,
}

/// The arguments that a function takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Arguments {
    /// What they are, as an error states it.
    pub wanted: &'static str,
    /// The smallest number of them.
    pub least: usize,
    /// The largest number of them.
    pub most: usize,
}

/// The notation of a function in LaTeX.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Typeset {
    /// A large operator over a range, `\sum_{x \in S} x`.
    Large(&'static str),
    /// A large operator over a range, and an infix operator between several numbers.
    Infix(&'static str, Binary),
    /// The size of a set, or the signs around a list.
    Count,
    /// The signs before and after the arguments.
    Around(&'static str, &'static str),
    /// Two numbers above each other in large brackets.
    Binomial,
    /// The word with its arguments in brackets.
    Upright,
}

const fn arguments(wanted: &'static str, least: usize, most: usize) -> Arguments {
    Arguments {
        wanted,
        least,
        most,
    }
}

const NUMBERS: Arguments = arguments("numbers, or one list of them", 1, usize::MAX);
const LIST: Arguments = arguments("a list of numbers", 1, usize::MAX);
const ONE_NUMBER: Arguments = arguments("one number", 1, 1);
const TWO_NUMBERS: Arguments = arguments("at least two numbers", 2, usize::MAX);
const ONE_HEAP: Arguments = arguments("the name of one heap", 1, 1);

const fn word(
    spelling: &'static str,
    reserved: bool,
    role: Role,
    example: &'static str,
    meaning: &'static str,
) -> Word {
    Word {
        spelling,
        reserved,
        role,
        example,
        meaning,
    }
}

/// A reserved word.
const R: bool = true;
/// A contextual word, or a sign.
const C: bool = false;

use Role::{Action, Constant, Form, Part, Quantity, Statement};

const fn function(function: Function, arguments: Arguments, typeset: Typeset) -> Role {
    Role::Function(function, arguments, typeset)
}

/// All words and signs.
#[rustfmt::skip]
pub const WORDS: &[Word] = &[
    // Statements.
    word("game", R, Statement, "game nim \"Nim\"",
        "begins the file: the name of the game, and its title in quotes"),
    word("source", R, Statement, "source \"Bouton 1902\"",
        "where the game is described, as a text in quotes"),
    word("note", R, Statement, "note \"a remark\"",
        "a remark that `solve` shows, as a text in quotes"),
    word("param", R, Statement, "param n = 5 in 3..",
        "parameters with their defaults and ranges, as in `param n = 5 in 3..`; `--set n=6` sets them"),
    word("board", R, Statement, "board circle(5)",
        "the solid, circle, row, grid or graph that the heaps lie on"),
    word("heaps", R, Statement, "heaps a b c",
        "begins the statement of the heaps; in expressions the list of all sizes; after a number or `all` the heaps to select from"),
    word("tokens", R, Statement, "tokens 2",
        "the tokens that slide along the arcs of a digraph; in expressions the list of their vertices"),
    word("kinds", R, Statement, "kinds ring, row",
        "the kinds of heaps of a game whose number of heaps varies"),
    word("state", C, Statement, "state limit in 1..9 = 1",
        "a number of the position that is no heap, as in `state limit in 1..9 = 1`"),
    word("family", R, Statement, "family pair = { a b }, { c d }",
        "names a list of sets of heaps, as in `family pair = { a b }, { c d }`"),
    word("positions", R, Statement, "positions where a <= b",
        "begins `positions where …`, a condition that every position meets, or `positions may repeat`"),
    word("suggest", R, Statement, "suggest max 20",
        "begins `suggest max N`, the size of the box that `solve` and `test` compute"),
    word("start", R, Statement, "start (3,4,5)",
        "the position that play begins with"),
    word("shown", R, Statement, "shown as rows",
        "begins `shown as …`: how pictures show the heaps"),
    word("play", C, Statement, "play ends by sum(heaps)",
        "begins `play ends by E, F`: numbers that every move lowers, in lexicographic order"),
    word("opponent", C, Statement, "opponent may block up to 1 options",
        "begins `opponent may block up to K options`"),
    word("move", R, Statement, "move take 1..3 from one heap",
        "a rule of moving: its condition, its choices, and its steps"),
    word("claim", R, Statement, "claim P iff a == b",
        "a statement about all positions, which is checked to a bound or proved"),
    word("example", R, Statement, "example (1,2,3) is P",
        "a position with its outcome, its Grundy value, or a winning move"),
    // Steps of moves.
    word("take", R, Action, "take 1..3 from one heap",
        "removes tokens: at least one in total, from each heap that is selected a number in the set"),
    word("put", R, Action, "put 1 on a",
        "adds tokens to heaps"),
    word("set", C, Action, "set a to b",
        "gives a heap or a state a value"),
    word("flip", C, Action, "flip one heap",
        "changes a heap of 0 to 1 and a heap of 1 to 0"),
    word("choose", C, Action, "choose one heap as h",
        "selects heaps for later steps, and changes nothing"),
    word("split", R, Action, "split one heap into x, y",
        "replaces a heap by two or more smaller ones that have its tokens"),
    word("replace", C, Action, "replace one heap as h by x in 1..h, h - 1",
        "puts heaps of any sizes in the place of one"),
    word("slide", R, Action, "slide one token",
        "moves a token along an arc of the digraph"),
    // Functions, in the order in which errors list them.
    word("max", R, function(Function::Max, NUMBERS, Typeset::Large("\\max")), "max(a, b)",
        "the largest of the numbers; or part of `suggest max`"),
    word("min", R, function(Function::Min, NUMBERS, Typeset::Large("\\min")), "min(a, b)",
        "the smallest of the numbers"),
    word("sum", R, function(Function::Sum, NUMBERS, Typeset::Infix("\\sum", Binary::Add)), "sum(x div 2 for x in heaps)",
        "the sum of the numbers"),
    word("xor", R, function(Function::Xor, NUMBERS, Typeset::Infix("\\bigoplus", Binary::NimSum)), "xor(heaps)",
        "the nim-sum of the numbers: the binary sum without carry"),
    word("count", R, function(Function::Count, LIST, Typeset::Count), "count(x in heaps where x > 1)",
        "how many numbers there are, with a condition how many meet it"),
    word("sorted", R, function(Function::Sorted, NUMBERS, Typeset::Upright), "sum(sorted(heaps))",
        "the numbers in ascending order"),
    word("distinct", R, function(Function::Distinct, NUMBERS, Typeset::Upright), "distinct(a, b, c)",
        "whether no two of the numbers are equal"),
    word("gcd", C, function(Function::Gcd, TWO_NUMBERS, Typeset::Around("\\gcd(", ")")), "gcd(a, b)",
        "the greatest common divisor"),
    word("lcm", C, function(Function::Lcm, TWO_NUMBERS, Typeset::Around("\\operatorname{lcm}(", ")")), "lcm(a, b)",
        "the least common multiple"),
    word("abs", C, function(Function::Abs, ONE_NUMBER, Typeset::Around("\\lvert ", " \\rvert")), "abs(a - b)",
        "the absolute value"),
    word("size", C, function(Function::Size, LIST, Typeset::Upright), "size(neighbours(x))",
        "the length of a list; or part of `of size LOW..HIGH` and `of real size`"),
    word("index", C, function(Function::Index, ONE_HEAP, Typeset::Upright), "index(x)",
        "the number of a heap, from 1"),
    word("neighbours", C, function(Function::Neighbours, ONE_HEAP, Typeset::Upright), "sum(neighbours(x))",
        "the heaps on neighbouring cells, as in `neighbours of x`; in expressions the list of their sizes"),
    word("components", C, function(Function::Components, arguments("heaps with a condition", 1, 1), Typeset::Upright), "components(v in heaps where v > 0) == 1",
        "`components(v in heaps where C)`: the number of connected components of these heaps on the board"),
    word("carryless", R, function(Function::Carryless, arguments("a base, a list of numbers and, if it is not the base, a modulus", 2, 3), Typeset::Upright), "carryless(3, heaps)",
        "`carryless(k, heaps)`: the sum in base k without carry; `carryless(b, heaps, k)`: digits in base b, each column mod k"),
    word("digit", R, function(Function::Builtin(Builtin::Digit), arguments("a base, the digit's place and a number", 3, 3), Typeset::Upright), "digit(2, 0, a)",
        "`digit(b, i, n)`: the digit of n at place i in base b; place 0 is the last"),
    word("isqrt", R, function(Function::Builtin(Builtin::Isqrt), ONE_NUMBER, Typeset::Around("\\left\\lfloor \\sqrt{", "} \\right\\rfloor")), "isqrt(a)",
        "the largest number whose square is at most the argument"),
    word("valuation", C, function(Function::Builtin(Builtin::Valuation), arguments("a base and a number", 2, 2), Typeset::Upright), "valuation(2, a)",
        "`valuation(b, n)`: how often b divides n, the number of zeros at the end of n in base b; 0 has none"),
    word("binomial", C, function(Function::Builtin(Builtin::Binomial), arguments("two numbers", 2, 2), Typeset::Binomial), "binomial(4, a)",
        "`binomial(n, k)`: the number of ways to choose k of n things; 0 where k exceeds n"),
    word("triangular", C, function(Function::Triangular, ONE_NUMBER, Typeset::Upright), "triangular(a)",
        "`triangular(n)`: n(n + 1)/2, the sum of the numbers 1 to n"),
    word("wythoff", C, function(Function::Wythoff, ONE_NUMBER, Typeset::Upright), "wythoff(abs(a - b)) == min(a, b)",
        "`wythoff(n)`: n times the golden ratio, rounded down, the lower Wythoff number"),
    word("beatty", C, function(Function::Beatty, arguments("a number and the constants p, q, d, r", 5, 5), Typeset::Upright), "beatty(a, 1, 1, 5, 2)",
        "`beatty(n, p, q, d, r)`: n*(p + q*√d)/r, rounded down, for constants p, q, d and r; the \
         golden ratio has 1, 1, 5, 2"),
    word("nimproduct", C, function(Function::Builtin(Builtin::NimProduct), arguments("two numbers", 2, 2), Typeset::Upright), "nimproduct(a, b)",
        "`nimproduct(a, b)`: the product of the field of nimbers, whose sum is `a ^ b`"),
    word("divisors", C, function(Function::Divisors, ONE_NUMBER, Typeset::Upright), "a in divisors(12)",
        "the set of the positive divisors of a number: `divisors(6)` is 1, 2, 3, 6"),
    word("powers", R, Form, "a in powers(2)",
        "the set of the powers of a number: `powers(3)` is 1, 3, 9, …"),
    word("joined", C, Form, "joined(x, y through v in heaps where v > 0)",
        "`joined(x, y through v in heaps where C)`: whether a path of neighbouring heaps for which C holds leads from x to y"),
    word("like", R, Form, "like (x, x, y)",
        "whether some image of the position under a symmetry fits the form"),
    // Operators.
    word("in", R, Role::Comparison(Comparison::In, "\\in"), "a in 1..5",
        "before a set: membership, as in `x in 1..5`; or the range of a name"),
    word("and", R, Role::Operator(Binary::And, "\\land"), "a == b and b == c",
        "both conditions; the right one is evaluated only if the left one holds"),
    word("or", R, Role::Operator(Binary::Or, "\\lor"), "a == b or b == c",
        "at least one of the conditions; the right one is evaluated only if the left one fails"),
    word("implies", R, Role::Operator(Binary::Implies, "\\Rightarrow"), "a == 0 implies b == 0",
        "`a implies b` is `not a or b`"),
    word("div", R, Role::Operator(Binary::Divide, "/"), "a div 2",
        "division, rounded down"),
    word("mod", R, Role::Operator(Binary::Modulo, "\\bmod"), "a mod 2",
        "the remainder, which is at least 0"),
    word("exists", R, Role::Quantifier(Quantifier::Exists, "\\exists"), "exists x in 1..9: x == a",
        "whether some member of a set meets a condition"),
    word("forall", R, Role::Quantifier(Quantifier::Forall, "\\forall"), "forall x in heaps: x > 1",
        "whether all members of a set meet a condition"),
    word("==", C, Role::Comparison(Comparison::Equal, "="), "a == b",
        "whether two numbers are equal"),
    word("!=", C, Role::Comparison(Comparison::NotEqual, "\\ne"), "a != b",
        "whether two numbers differ"),
    word("<", C, Role::Comparison(Comparison::Less, "<"), "a < b",
        "less than"),
    word("<=", C, Role::Comparison(Comparison::AtMost, "\\le"), "a <= b",
        "at most"),
    word(">", C, Role::Comparison(Comparison::Greater, ">"), "a > b",
        "greater than"),
    word(">=", C, Role::Comparison(Comparison::AtLeast, "\\ge"), "a >= b",
        "at least"),
    word("^", C, Role::Operator(Binary::NimSum, "\\oplus"), "a ^ b",
        "the nim-sum: the binary sum without carry"),
    word("**", C, Role::Operator(Binary::Power, "^"), "a ** 2",
        "the power"),
    word("+", C, Role::Operator(Binary::Add, "+"), "a + b",
        "the sum"),
    word("-", C, Role::Operator(Binary::Subtract, "-"), "a - b",
        "the difference; or an edge of a graph"),
    word("*", C, Role::Operator(Binary::Multiply, "\\cdot"), "a * b",
        "the product"),
    // Values.
    word("squares", R, Constant, "a in squares",
        "the set 0, 1, 4, 9, …"),
    word("true", R, Constant, "true",
        "the condition that always holds"),
    word("false", R, Constant, "false",
        "the condition that never holds"),
    word("total", R, Constant, "total == 2",
        "how many tokens this step takes in all"),
    word("each", R, Constant, "each <= 2",
        "how many tokens this step takes from each heap"),
    word("P", C, Constant, "claim P iff a == b",
        "the player who moves loses"),
    word("N", C, Constant, "claim N if a > b",
        "the player who moves wins"),
    word("L", C, Constant, "claim L if a > b",
        "Left wins, whoever moves first"),
    word("R", C, Constant, "claim R if a < b",
        "Right wins, whoever moves first"),
    word("D", C, Constant, "example (1,1) is D",
        "neither player can force a win: a draw"),
    // Numbers and choices.
    word("heap", R, Quantity, "take 1 from one heap",
        "any single heap, as in `take from one heap`"),
    word("some", R, Quantity, "move for some x in 1..3 take x from a",
        "part of `for some x in SET`: the player chooses x"),
    word("times", R, Quantity, "move 2 times take 1 from one heap",
        "repeats a step, as in `2 times take 1 from one heap`"),
    word("slow", R, Quantity, "take slow from up to 2 heaps",
        "at most one token from each heap"),
    word("equal", R, Quantity, "take equal from all heaps",
        "the same number of tokens from each heap"),
    word("all", R, Quantity, "take all from a",
        "all tokens of each heap; all heaps of a family; or the same size for every heap, as in `all 1`"),
    word("one", R, Quantity, "take 1 from one heap",
        "one member of a family, as in `one heap`, `one edge`, `one of a b`"),
    word("up", R, Quantity, "move take 1 from up to 2 heaps",
        "begins `up to`, as in `up to 2 heaps`, `up to 3 times`, `up to symmetry`"),
    word("exactly", R, Quantity, "take 1 from exactly 2 heaps",
        "as many different members of a family, as in `exactly 2 heaps`"),
    word("consecutive", R, Quantity, "take 1 from 3 consecutive heaps",
        "neighbouring places of a circle, a row or a line, as in `3 consecutive heaps`"),
    word("optionally", R, Quantity, "move optionally take 1 from a then take 1 from b",
        "the step may be left out"),
    word("again", C, Quantity, "move take 1 from a then again",
        "the same player moves once more, in the same turn"),
    // Parts of statements, of moves and of expressions.
    word("token", C, Part, "move slide one token",
        "any single token of a digraph"),
    word("ends", C, Part, "play ends by sum(heaps)",
        "part of `play ends by`"),
    word("may", C, Part, "positions may repeat",
        "part of `positions may repeat` and of `opponent may block`"),
    word("repeat", C, Part, "positions may repeat",
        "part of `positions may repeat`: play need not end"),
    word("block", C, Part, "opponent may block up to 1 options",
        "part of `opponent may block up to K options`: the opponent forbids options before each move"),
    word("options", C, Part, "opponent may block up to 1 options",
        "part of `opponent may block up to K options`"),
    word("on", R, Part, "heaps on faces",
        "where heaps lie, as in `heaps on faces`; or where `put` puts tokens"),
    word("as", R, Part, "move take 1 from one heap as h",
        "names what a step selected, or the heaps on cells"),
    word("from", R, Part, "move take 1 from a",
        "the heaps that tokens are taken from; or the file of a board"),
    word("where", R, Part, "move take t from a where t < b",
        "a condition on what was chosen"),
    word("when", R, Part, "move when a > b take from a",
        "a condition on the position before the move"),
    word("for", R, Part, "sum(x div 2 for x in heaps)",
        "`for some x in SET` in moves; `for COND` restricts a claim to parameters; `VALUE for x in SET` in functions"),
    word("then", R, Part, "move take 1 from a then put 1 on b",
        "separates the steps of a move, or the parts of `if`"),
    word("leaving", R, Part, "take 1 from one heap leaving 0..2 heaps",
        "the number of heaps into which the rest of a heap may be divided"),
    word("into", C, Part, "split one heap into x, y",
        "the names of the parts of a heap that is split"),
    word("parts", C, Part, "split one heap into parts where distinct(each)",
        "two or more parts of a heap that is split, whose sizes `each` lists"),
    word("octal", C, Part, "move octal \"0.137\"",
        "an octal code as the move, as in `move octal \"0.137\"`"),
    word("misere", R, Part, "claim misere P iff a == 1",
        "the player who cannot move wins"),
    word("iff", R, Part, "claim P iff a == b",
        "if and only if"),
    word("only", C, Part, "claim P only if a == b",
        "begins `only if`"),
    word("if", R, Part, "(if a > b then a else b) == 5",
        "`if COND then A else B` in expressions; in a claim, `P if COND` states P where COND holds"),
    word("else", R, Part, "(if a > b then a else b) == 5",
        "the last part of `if COND then A else B`"),
    word("is", R, Part, "p is not q",
        "whether two names are the same heap; or the outcome of an example"),
    word("not", R, Part, "not a == b",
        "negation of a condition"),
    word("let", R, Part, "let s = a + b in s * s == c",
        "names a value, as in `let s = a + b in s * s`"),
    word("planar", C, Part, "board planar { A - B - C - A }",
        "a planar graph by its edges, whose faces are found"),
    word("graph", C, Part, "board graph { A - B - C }",
        "a graph by its edges, as in `graph { A - B - C }`"),
    word("digraph", C, Part, "board digraph { 0 -> 1 -> 2 }",
        "a digraph by its arcs, along which tokens slide"),
    word("faces", C, Part, "heaps on faces",
        "the faces of the board; or the faces of a planar graph, listed"),
    word("number", C, Part, "heaps any number",
        "the number of a graph in a file of several; or part of `heaps any number`"),
    word("any", C, Part, "heaps any number",
        "part of `heaps any number`: a bag of heaps"),
    word("shrinking", C, Part, "board circle(5) shrinking",
        "empty heaps leave the board, and their neighbours become adjacent"),
    word("to", C, Part, "set a to b",
        "part of `up to` and of `set … to`; or the bound of a claim"),
    word("symmetry", C, Part, "claim P up to symmetry if a == b",
        "part of `up to symmetry`: the condition holds at some image of the position"),
    word("grundy", C, Part, "claim grundy == a ^ b",
        "the Grundy value: the size of the Nim heap that the position is equivalent to"),
    word("refuted", C, Part, "claim P iff a == b refuted at (1,1)",
        "begins `refuted at POSITION`: the claim is known to fail there"),
    word("at", C, Part, "claim P iff a == b refuted at (1,1)",
        "part of `refuted at`, `ending at` and `starting at`"),
    word("has", C, Part, "example (1,2) has grundy 3",
        "part of `has grundy N`, and of `quotient to N has M elements`"),
    word("wins", C, Part, "example (1,2) wins by (1,1)",
        "part of `wins by POSITION`: the move to it wins"),
    word("winning", C, Part, "example (1,2) has 1 winning move",
        "part of `has N winning moves`"),
    word("moves", C, Part, "example (1,3) has 1 winning moves",
        "part of `has N winning moves`"),
    word("by", C, Part, "example (1,2) wins by (1,1)",
        "part of `wins by`, `play ends by` and `by pairing`"),
    word("loses", C, Part, "example (1,1) loses",
        "no move wins: the position is P"),
    word("of", C, Part, "heaps 3 of size 0..1",
        "the heaps of a cell, a heap or a line; or the sizes of heaps, as in `of size 0..1`"),
    word("real", C, Part, "heaps a b of real size",
        "part of `of real size`: sizes are real numbers"),
    word("left", C, Part, "move left take 1 from a",
        "a move of Left only; or `left of x`, the heaps before x"),
    word("right", C, Part, "move right take 1 from a",
        "a move of Right only; or `right of x`, the heaps after x"),
    word("ending", C, Part, "choose 2 consecutive heaps ending at x",
        "`consecutive heaps ending at x`: x is the last of them"),
    word("starting", C, Part, "choose 2 consecutive heaps starting at x",
        "`consecutive heaps starting at x`: x is the first of them"),
    word("through", C, Part, "joined(x, y through v in heaps where v > 0)",
        "part of `joined`: the heaps of the path"),
    word("before", C, Part, "choose 2 consecutive heaps ending before x",
        "`consecutive heaps ending before x`: the heap after the last of them is x"),
    word("after", C, Part, "choose 2 consecutive heaps starting after x",
        "`consecutive heaps starting after x`: the heap before the first of them is x"),
    word("above", C, Part, "choose all heaps above x",
        "on a grid, the heaps of the same column in the rows before"),
    word("below", C, Part, "choose all heaps below x",
        "on a grid, the heaps of the same column in the rows after"),
    word("touches", C, Part, "x touches y",
        "whether two heaps are neighbours"),
    word("consistent", C, Part, "claim consistent P iff a == b",
        "the labelling is a kernel of the move digraph, which may have others"),
    word("period", C, Part, "claim period 4 from 1",
        "`period p from n`: the Grundy values of single heaps repeat after p sizes, from n on"),
    word("strip", C, Part, "shown as strip",
        "pictures show each heap as a coin on the square of a strip that its size numbers"),
    word("bar", C, Part, "shown as bar",
        "pictures show two heaps as the columns and rows of a bar of chocolate"),
    word("rows", C, Part, "shown as rows",
        "pictures show each heap as a row of squares"),
    word("tree", C, Part, "shown as tree",
        "pictures show each heap as a stalk of edges, on the heap that it falls with"),
    word("order", C, Part, "shown as order",
        "pictures show the heaps as a Hasse diagram, above those that they fall with"),
    word("saltus", C, Part, "claim period 4 from 1 saltus 4",
        "what is added to the values after each period"),
    word("same", C, Part, "claim same as nim where a == 0",
        "begins `same as GAME where COND`: where COND holds, it is a position of that game; \
         `same outcome as GAME` and `same grundy as GAME` compare the outcomes or values"),
    word("outcome", C, Part, "claim same outcome as nim under (a, b, 0)",
        "part of `same outcome as GAME`: each position has the outcome of its image in that game"),
    word("under", C, Part, "claim same grundy as nim under (a, b, 0)",
        "begins `under (E1, …, En)`: the position of the other game to which a position goes"),
    word("cogame", C, Part, "claim cogame",
        "every N-position has a move from some P-position; `cogame P iff COND` states it of the \
         labelling by COND"),
    word("labellings", C, Part, "claim labellings == 1",
        "the number of labellings that are consistent with the moves"),
    word("quotient", C, Part, "claim misere quotient to 71 has 40 elements",
        "the size of the misere quotient of the heaps up to a size"),
    word("elements", C, Part, "claim misere quotient to 71 has 40 elements",
        "part of `quotient to N has M elements`"),
    word("pairing", C, Part, "claim P by pairing a with b",
        "`P by pairing a with A`: the second player answers in the partner heap"),
    word("with", C, Part, "claim P by pairing a with b",
        "joins the partners of a pairing"),
    word("..", C, Part, "a in 1..5",
        "a range of whole numbers with both ends; without the second it has no end"),
    word("->", C, Part, "board digraph { 0 -> 1 -> 2 }",
        "an arc of a digraph"),
    word("=", C, Part, "let s = a + b in s * s == c",
        "gives a name its value; numbers are compared by `==`"),
];

/// The words and signs by their spelling.
static BY_SPELLING: LazyLock<BTreeMap<&'static str, &'static Word>> =
    LazyLock::new(|| WORDS.iter().map(|word| (word.spelling, word)).collect());

/// The keyword of each rule of the grammar that is one: `kw_take` is `take`, and a
/// rule with a single letter, such as `kw_p`, is the capital letter.
static BY_RULE: LazyLock<BTreeMap<Rule, &'static Word>> = LazyLock::new(|| {
    let rules = Rule::all_rules().iter().filter_map(|rule| {
        let name = format!("{rule:?}");
        let name = name.strip_prefix("kw_")?;
        let found = match name.len() {
            1 => find(&name.to_uppercase()),
            _ => find(name),
        };
        let word = found.unwrap_or_else(|| unreachable!("the table lacks `{name}`"));
        Some((*rule, word))
    });
    rules.collect()
});

/// The word or sign with this spelling.
pub fn find(spelling: &str) -> Option<&'static Word> {
    BY_SPELLING.get(spelling).copied()
}

/// The keyword that a rule of the grammar stands for, if it is one.
#[doc(hidden)]
pub fn keyword(rule: Rule) -> Option<&'static str> {
    BY_RULE.get(&rule).map(|word| word.spelling)
}

/// All keywords, reserved and contextual, without signs, in the order of the table.
pub fn keywords() -> impl Iterator<Item = &'static str> {
    let all = WORDS.iter().filter(|word| word.is_keyword());
    all.map(|word| word.spelling)
}

/// The keywords that begin a statement.
static STATEMENTS: LazyLock<Vec<&'static str>> = LazyLock::new(|| {
    let all = WORDS.iter().filter(|word| word.role == Role::Statement);
    all.map(|word| word.spelling).collect()
});

/// The keywords that begin a statement, in the order of the table.
pub fn statements() -> impl Iterator<Item = &'static str> {
    STATEMENTS.iter().copied()
}

/// Whether a word begins a statement.
pub(super) fn is_statement(word: &str) -> bool {
    find(word).is_some_and(|word| word.role == Role::Statement)
}

/// Whether a word is a keyword, reserved or contextual.
pub(super) fn is_keyword(word: &str) -> bool {
    find(word).is_some_and(Word::is_keyword)
}

/// Whether a word is reserved: it is never a name.
pub fn is_reserved(word: &str) -> bool {
    find(word).is_some_and(|word| word.reserved)
}

/// The functions that are called with arguments in brackets, in the order in which
/// errors list them.
pub fn functions() -> impl Iterator<Item = (Function, &'static Word)> {
    WORDS.iter().filter_map(|word| match word.role {
        Role::Function(function, ..) => Some((function, word)),
        _ => None,
    })
}

impl Word {
    fn is_keyword(&self) -> bool {
        self.spelling.starts_with(char::is_alphabetic)
    }
}

impl Function {
    /// The row of the table.
    fn row(self) -> &'static Word {
        let found = functions().find(|(function, _)| *function == self);
        let (_, word) = found.unwrap_or_else(|| unreachable!("the table lacks {self:?}"));
        word
    }

    /// The function's keyword.
    pub fn word(self) -> &'static str {
        self.row().spelling
    }

    /// A call of the function.
    pub fn example(self) -> &'static str {
        self.row().example
    }

    /// The arguments that the function takes.
    pub fn arguments(self) -> Arguments {
        match self.row().role {
            Role::Function(_, arguments, _) => arguments,
            other => unreachable!("{other:?} is no function"),
        }
    }

    /// The notation in LaTeX.
    pub fn typeset(self) -> Typeset {
        match self.row().role {
            Role::Function(.., typeset) => typeset,
            other => unreachable!("{other:?} is no function"),
        }
    }
}

/// The sign of an operator, a comparison or a quantifier in LaTeX, by its role.
fn sign(found: impl Fn(Role) -> Option<&'static str>) -> &'static str {
    let sign = WORDS.iter().find_map(|word| found(word.role));
    sign.unwrap_or_else(|| unreachable!("the table lacks an operator"))
}

impl Binary {
    /// The sign in LaTeX.
    pub fn sign(self) -> &'static str {
        sign(|role| match role {
            Role::Operator(operator, sign) if operator == self => Some(sign),
            _ => None,
        })
    }

    /// Whether the operands are numbers.
    pub fn is_arithmetic(self) -> bool {
        !matches!(self, Binary::And | Binary::Or | Binary::Implies)
    }
}

impl Comparison {
    /// The sign in LaTeX.
    pub fn sign(self) -> &'static str {
        sign(|role| match role {
            Role::Comparison(comparison, sign) if comparison == self => Some(sign),
            _ => None,
        })
    }
}

/// The sign of a quantifier in LaTeX.
pub(super) fn quantifier_sign(wanted: Quantifier) -> &'static str {
    sign(|role| match role {
        Role::Quantifier(quantifier, sign) if quantifier == wanted => Some(sign),
        _ => None,
    })
}
