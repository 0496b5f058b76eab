// Written by `cargo test` from crates/host/src/messages.rs, which describes the fields.

export type Answers = { shipped: Array<Shipped>, gallery: Array<Described>, thumbnail: Picture, words: Words, check: Checked, hover: Hover | null, complete: Completions, rename: Renamed, format: string | null, open: Opened, read: Spot, fitting: [string, string] | null, random: Spot, picture: Picture, solve: Solved, options: Options, typed: Typed, reply: Move, given_away: Move | null, why: Why, claim: ClaimVerdict, example: ExampleVerdict, discover: Discovery, numbered: Spot, plot: Plot, sheet: Printed, list: List, };

export type Ask = { "ask": "shipped" } | { "ask": "gallery" } | { "ask": "thumbnail", 
/**
 * The name of the file without its ending.
 */
file: string, } | { "ask": "words" } | { "ask": "check", 
/**
 * The text of a rule.
 */
text: string, } | { "ask": "hover", 
/**
 * The text of a rule.
 */
text: string, 
/**
 * The place.
 */
at: number, } | { "ask": "complete", 
/**
 * The text of a rule.
 */
text: string, 
/**
 * The place.
 */
at: number, } | { "ask": "rename", 
/**
 * The text of a rule.
 */
text: string, 
/**
 * The place.
 */
at: number, 
/**
 * The new name; without it, the places of the name are shown.
 */
to: string | null, } | { "ask": "format", 
/**
 * The text of a rule.
 */
text: string, } | { "ask": "open", 
/**
 * The text of a rule.
 */
text: string, 
/**
 * Values of parameters, as the language writes them.
 */
params: Array<[string, string]>, 
/**
 * Whether the player who cannot move wins.
 */
misere: boolean, } | { "ask": "read", 
/**
 * The position, with or without brackets.
 */
written: string, } | { "ask": "fitting", 
/**
 * The position, with or without brackets.
 */
written: string, } | { "ask": "random", 
/**
 * Whether the player to move wins it.
 */
wins: boolean, } | { "ask": "picture", 
/**
 * The position; without it, the names of the heaps are shown.
 */
position: string | null, 
/**
 * The position after the move.
 */
after: string | null, } | { "ask": "solve", 
/**
 * The position.
 */
position: string, 
/**
 * The player to move, where the players have moves of their own.
 */
side: Player | null, } | { "ask": "options", 
/**
 * The position.
 */
position: string, 
/**
 * The player to move, where the players have moves of their own.
 */
side: Player | null, } | { "ask": "typed", 
/**
 * The position.
 */
position: string, 
/**
 * The player to move, where the players have moves of their own.
 */
side: Player | null, 
/**
 * What was typed.
 */
line: string, } | { "ask": "reply", 
/**
 * The position.
 */
position: string, 
/**
 * The player to move, where the players have moves of their own.
 */
side: Player | null, 
/**
 * Of a hundred moves, this many are random.
 */
errs: number, } | { "ask": "given_away", 
/**
 * The position before the move.
 */
from: string, 
/**
 * The position after it.
 */
to: string, 
/**
 * The player who moved, where the players have moves of their own.
 */
side: Player | null, } | { "ask": "why", 
/**
 * The position.
 */
position: string, } | { "ask": "claim", 
/**
 * Its number, from 1.
 */
number: number, 
/**
 * Whether minutes are spent on a proof, instead of a second and a box.
 */
prove: boolean, 
/**
 * The largest heap of the box; without it, the one that the file suggests or that
 * takes little time.
 */
max?: number, 
/**
 * Whether it is compared with the box alone, and not proved.
 */
box_alone?: boolean, } | { "ask": "example", 
/**
 * Its number, from 1.
 */
number: number, } | { "ask": "discover" } | { "ask": "numbered", 
/**
 * The numbers.
 */
numbers: Array<number>, } | { "ask": "plot", 
/**
 * The indices of the other heaps, with their sizes; for a multiset, the index of the
 * kind of heap whose values are plotted, with any size.
 */
fixed: Array<[number, number]>, 
/**
 * The largest size on an axis; without it, a usual one.
 */
max: number | null, 
/**
 * Whether Grundy values are plotted, instead of outcomes.
 */
grundy: boolean, } | { "ask": "sheet", 
/**
 * The number of positions.
 */
count: number, 
/**
 * The largest heap; without it, a small number.
 */
max: number | null, 
/**
 * The seed of the random choice: the same seed makes the same sheet.
 */
seed: number, 
/**
 * The positions, which are random if there are none.
 */
positions?: Array<string>, } | { "ask": "list", 
/**
 * The largest heap; without it, the size that the file suggests.
 */
max: number | null, 
/**
 * The outcomes that are listed; all if it is empty.
 */
outcomes: Array<string>, 
/**
 * Whether Grundy values are listed.
 */
grundy: boolean, 
/**
 * Whether one position is listed of each set of positions that are alike.
 */
up_to_symmetry: boolean, 
/**
 * At most so many rows; without it, as many as a page shows.
 */
most?: number, };

export type Checked = { 
/**
 * The errors and warnings.
 */
findings: Array<Finding>, 
/**
 * The outline.
 */
outline: Array<Heading>, 
/**
 * Whether the text is a rule.
 */
is_rule: boolean, };

export type ClaimInfo = { 
/**
 * Its number, from 1.
 */
number: number, 
/**
 * Its text.
 */
words: string, 
/**
 * Its place.
 */
at: Span, 
/**
 * Whether it is about misère play.
 */
misere: boolean, 
/**
 * Whether it is about these values of the parameters.
 */
applies: boolean, 
/**
 * Values of the parameters that it is about, if it is not about these.
 */
elsewhere: Array<[string, string]>, };

export type ClaimVerdict = { 
/**
 * Its fields in `nimrule test FILE --format json`.
 */
json: unknown, 
/**
 * The verdict in words.
 */
words: string, 
/**
 * Whether it is as the file says; `null` if it is not decided.
 */
passes: boolean | null, 
/**
 * Whether it is proved for all sizes.
 */
proved: boolean, 
/**
 * The smallest counterexample.
 */
counterexample: Spot | null, 
/**
 * Seconds that it took.
 */
took: number, };

export type Completion = { 
/**
 * The word.
 */
word: string, 
/**
 * `keyword`, `name` or `board`.
 */
kind: string, 
/**
 * What it means.
 */
meaning: string, };

export type Completions = { 
/**
 * What stands there already.
 */
at: Span, 
/**
 * The words.
 */
list: Array<Completion>, };

export type Described = { 
/**
 * The name of the file without its ending.
 */
file: string, 
/**
 * The title.
 */
title: string, 
/**
 * The works that the rule is from.
 */
sources: Array<string>, 
/**
 * Where the heaps are: the kind of the board, or `loose heaps`, `any number of heaps`
 * or `tokens`.
 */
board: string, };

export type Discovery = { 
/**
 * Whether they are found and proved.
 */
proved: boolean, 
/**
 * The result in words.
 */
words: string, 
/**
 * The closed form, as a claim that can be added to the file.
 */
claim: string | null, 
/**
 * The conditions that were checked.
 */
checked: Array<string>, 
/**
 * Whether an automaton recognises them: not where the theorem is about any number of heaps.
 */
has_automaton: boolean, 
/**
 * The automaton, if it is small enough for a picture.
 */
picture: Picture | null, 
/**
 * Seconds that it took.
 */
took: number, };

export type Edit = { 
/**
 * What is replaced.
 */
at: Span, 
/**
 * By what.
 */
with: string, };

export type ExampleInfo = { 
/**
 * Its position.
 */
position: Spot, 
/**
 * Its number, from 1.
 */
number: number, 
/**
 * Its text.
 */
words: string, 
/**
 * Its place.
 */
at: Span, 
/**
 * Whether it is about misère play.
 */
misere: boolean, 
/**
 * Whether it is about these values of the parameters.
 */
applies: boolean, 
/**
 * Values of the parameters that it is about, if it is not about these.
 */
elsewhere: Array<[string, string]>, };

export type ExampleVerdict = { 
/**
 * Whether it is right.
 */
passes: boolean, 
/**
 * Why it is wrong.
 */
why: string | null, };

export type Fault = { 
/**
 * What is wrong.
 */
kind: FaultKind, 
/**
 * The reason as a sentence.
 */
words: string, 
/**
 * The errors of the text, if these are the reason.
 */
findings: Array<Finding>, };

export type FaultKind = "rule" | "position" | "limit" | "stopped" | "question";

export type Finding = { 
/**
 * Its place.
 */
at: Span, 
/**
 * What is wrong.
 */
message: string, 
/**
 * How it is corrected.
 */
help: string | null, 
/**
 * Its code.
 */
code: string, 
/**
 * Whether the rule is correct all the same.
 */
is_warning: boolean, 
/**
 * A correction that is certain enough to be offered as an edit.
 */
fix: Edit | null, };

export type Heading = { 
/**
 * Its name.
 */
name: string, 
/**
 * What it is.
 */
kind: string, 
/**
 * The place of the name.
 */
at: Span, };

export type Hover = { 
/**
 * The word.
 */
at: Span, 
/**
 * What it means, as Markdown.
 */
text: string, };

export type Kind = "heaps" | "bag" | "tokens" | "reals";

export type List = { 
/**
 * The names of the columns.
 */
columns: Array<string>, 
/**
 * The rows: the numbers of a position, then what is asked of it.
 */
rows: Array<Array<string>>, 
/**
 * The position of each row.
 */
positions: Array<string>, 
/**
 * The largest heap.
 */
max: number, 
/**
 * The number of positions that fit, of which the first are listed.
 */
count: number, };

export type Move = { 
/**
 * The position.
 */
to: Spot, 
/**
 * The move in words.
 */
words: string, };

export type Opened = { 
/**
 * The name.
 */
name: string, 
/**
 * The title with the values of the parameters.
 */
heading: string, 
/**
 * The works that the rule is from.
 */
sources: Array<string>, 
/**
 * The notes.
 */
notes: Array<string>, 
/**
 * Where the heaps are.
 */
heaps: string, 
/**
 * The moves in words.
 */
moves: Array<string>, 
/**
 * What the numbers of a position are.
 */
kind: Kind, 
/**
 * The names of the heaps, tokens and states.
 */
names: Array<string>, 
/**
 * The names of the kinds of heaps of a multiset, if it has several.
 */
bag_kinds: Array<string>, 
/**
 * The number of heaps; what follows are states.
 */
states_from: number, 
/**
 * Whether the players have moves of their own.
 */
has_sides: boolean, 
/**
 * Whether play may go round in circles.
 */
may_repeat: boolean, 
/**
 * Whether the opponent blocks options, so that moves cannot be played one by one.
 */
blocks: boolean, 
/**
 * The position with which play begins.
 */
start: Spot | null, 
/**
 * The parameters.
 */
params: Array<Parameter>, 
/**
 * Their values as the command line writes them in JSON.
 */
values: unknown, 
/**
 * The claims.
 */
claims: Array<ClaimInfo>, 
/**
 * The examples.
 */
examples: Array<ExampleInfo>, 
/**
 * The size of the box that is listed without another.
 */
suggested_max: number, 
/**
 * After a position has stood this often, play is drawn.
 */
repetitions: number, 
/**
 * The levels at which the program plays, the weakest first: the name, and how many of a
 * hundred moves are random.
 */
levels: Array<[string, number]>, 
/**
 * The warnings about the rule.
 */
warnings: Array<Finding>, };

export type Options = { 
/**
 * The moves.
 */
list: Array<Move>, 
/**
 * Whether these are all.
 */
all: boolean, 
/**
 * How moves are typed.
 */
ways: string, };

export type Parameter = { 
/**
 * The name.
 */
name: string, 
/**
 * The value as the language writes it.
 */
value: string, 
/**
 * Whether it is a number.
 */
is_number: boolean, };

export type Part = { 
/**
 * The index of a number of the position, or nothing for a vertex.
 */
index: number | null, 
/**
 * The number that a token on this vertex has.
 */
vertex: string | null, 
/**
 * The name of the vertex or of the heap.
 */
name: string, 
/**
 * The left edge.
 */
left: number, 
/**
 * The upper edge.
 */
top: number, 
/**
 * The right edge.
 */
right: number, 
/**
 * The lower edge.
 */
bottom: number, };

export type Picture = { 
/**
 * The SVG document.
 */
svg: string, 
/**
 * Its width.
 */
width: number, 
/**
 * Its height.
 */
height: number, 
/**
 * Where the numbers of the position and the vertices are.
 */
parts: Array<Part>, };

export type Player = "left" | "right";

export type Plot = { 
/**
 * The picture.
 */
picture: Picture, 
/**
 * Where its cells are in it: columns and rows, all equally wide.
 */
cells: Part, 
/**
 * The indices of the heaps on the axes; none for the values of single heaps.
 */
axes: Array<number>, 
/**
 * What is known of the cells, by the second size and then the first, both from 0: a letter
 * or a value, or nothing where there is no position.
 */
rows: Array<Array<string>>, 
/**
 * The largest size.
 */
max: number, 
/**
 * The largest size that a plot with these axes can have.
 */
limit: number, };

export type Printed = { 
/**
 * The sheet with its solutions, a document of HTML.
 */
html: string, 
/**
 * The number of positions: fewer than were asked for if no more were found.
 */
count: number, };

export type Progress = { 
/**
 * What is done.
 */
words: string, 
/**
 * The part that is done, if it is known.
 */
part: number | null, };

export type Renamed = { 
/**
 * The name under the cursor.
 */
name: string, 
/**
 * The edits.
 */
edits: Array<Edit>, };

export type Shipped = { 
/**
 * The name of the file without its ending.
 */
file: string, 
/**
 * The text.
 */
text: string, };

export type Solved = { 
/**
 * What `nimrule solve FILE POSITION --format json` writes.
 */
json: unknown, 
/**
 * The outcome in words.
 */
headline: string, 
/**
 * What the player to move achieves: `wins`, `loses` or `draws`.
 */
turn: string, 
/**
 * The number of moves to the end, where it is known.
 */
remoteness: number | null, 
/**
 * What the answer rests on, in words.
 */
basis: string, 
/**
 * The moves that win or, where none does, that draw: the best first.
 */
winning: Array<Move>, 
/**
 * Whether these are all.
 */
all: boolean, 
/**
 * Seconds that it took.
 */
took: number, };

export type Span = { 
/**
 * The first code unit.
 */
from: number, 
/**
 * The code unit behind the last.
 */
to: number, };

export type Spot = { 
/**
 * As the language writes it.
 */
text: string, 
/**
 * As it is shown in sentences: long positions are shortened.
 */
shown: string, 
/**
 * Its numbers: the sizes of the heaps, the vertices of tokens, the values of states.
 */
numbers: Array<string>, };

export type Typed = { 
/**
 * The move, if it is one.
 */
move: Move | null, 
/**
 * Why it is none.
 */
why: string | null, };

export type Why = { 
/**
 * The outcome in words.
 */
headline: string, 
/**
 * The claims that agree with the outcome, worked out at the position.
 */
claims: Array<WhyClaim>, 
/**
 * The Grundy values of the heaps with their nim-sum, where that is the value of the position
 * and no claim has such a sum.
 */
heaps: WhySum | null, 
/**
 * The moves of each player to move.
 */
to_move: Array<WhySide>, };

export type WhyClaim = { 
/**
 * The claim.
 */
claim: string, 
/**
 * Its value there: true, false or a number.
 */
value: boolean | number, 
/**
 * The image of the position under a symmetry, which the claim is about.
 */
image: unknown, 
/**
 * Its parts.
 */
parts: Array<WhyPart>, };

export type WhyMove = { 
/**
 * The position after it.
 */
to: unknown, 
/**
 * The move in words.
 */
words: string, 
/**
 * The number of moves that are like it, itself included.
 */
alike: number, 
/**
 * What the opponent achieves after it.
 */
leaves: string, 
/**
 * The reply that wins.
 */
reply: WhyReply | null, 
/**
 * The part of the first claim that it breaks.
 */
breaks: string | null, };

export type WhyPart = { 
/**
 * How deep it is nested.
 */
depth: number, 
/**
 * Its text.
 */
words: string, 
/**
 * Its value: true, false or a number.
 */
value: boolean | number, 
/**
 * The values of both sides of a comparison.
 */
sides: [number, number] | null, 
/**
 * The sums without carry in it.
 */
sums: Array<WhySum>, };

export type WhyReply = { 
/**
 * The position after it.
 */
to: unknown, 
/**
 * The reply in words.
 */
words: string, 
/**
 * How play goes on.
 */
then: WhySide | null, };

export type WhySide = { 
/**
 * The player, where the players have moves of their own.
 */
side: string | null, 
/**
 * `wins`, `loses` or `draws`.
 */
result: string, 
/**
 * This as a sentence.
 */
summary: string, 
/**
 * The moves.
 */
moves: Array<WhyMove>, 
/**
 * The number of moves that are left out.
 */
omitted: number, 
/**
 * Whether these and the omitted ones are all.
 */
complete: boolean, };

export type WhySum = { 
/**
 * The base of its digits.
 */
base: number, 
/**
 * The number by which sums of digits are divided, of which the rest remains.
 */
modulus: number | null, 
/**
 * What is added.
 */
terms: Array<WhyTerm>, 
/**
 * The sum.
 */
sum: number, };

export type WhyTerm = { 
/**
 * Its text.
 */
term: string, 
/**
 * Its value.
 */
value: number, };

export type Words = { 
/**
 * Words that begin a statement.
 */
statements: Array<string>, 
/**
 * All other words.
 */
others: Array<string>, };
