/// What the page knows: the text, the open game, the position, and what was answered.
import { batch, computed, effect, signal } from "@preact/signals";
import { Cancelled, Engine, NoAnswer, type About, type AboutGame, type Question } from "./engine";
import type { Answers, Checked, ClaimVerdict, Discovery, ExampleVerdict, List, Move, Opened, Options, Player, Progress, Shipped, Solved, Spot, Why } from "./messages";
import { fromHash, toHash } from "./share";

/// How far the long computation is.
export const progress = signal<Progress | null>(null);
/// What the long computation is about; `null` if none runs.
export const working = signal<string | null>(null);

/// Answers what an editor asks, so that typing never waits for a computation.
export const reader = new Engine();
/// Answers about positions and moves.
export const player = new Engine();
/// Answers what may take long: claims, proofs, searches, lists.
export const prover = new Engine((now) => (progress.value = now));

/// Whether the page is a board in another page, and nothing else.
export const isBoard = new URLSearchParams(location.search).has("board");

/// The shipped games.
export const shipped = signal<Shipped[]>([]);
/// The text, the values of parameters and the convention that are wanted.
export const text = signal("");
export const params = signal<[string, string][]>([]);
export const misere = signal(false);
export const checked = signal<Checked | null>(null);
/// A game with what opened it, which every question about it names.
export type Open = Opened & { about: About };
/// The game on the board; it is that of an earlier text while the text has errors.
export const game = signal<Open | null>(null);
/// Whether the game on the board is under misère play.
export const isMisere = computed(() => game.value?.about.misere ?? false);
/// Why the text or its parameters cannot be opened.
export const trouble = signal<string | null>(null);

export const position = signal<Spot | null>(null);
export const options = signal<Options | null>(null);
export const solved = signal<Solved | null>(null);
/// Why there is no answer about the position.
export const unsolved = signal<string | null>(null);
export const why = signal<Why | null>(null);
/// The player to move, where the players have moves of their own.
export const side = signal<Player | null>(null);
/// What is said of the last event, for screen readers too.
export const said = signal("");

/// Who plays: both sides by hand with the answers shown, two people, a person against the
/// program, or the program against itself.
export type Mode = "explore" | "people" | "program" | "itself";
export const mode = signal<Mode>("explore");
/// Of a hundred moves of the program, this many are random.
export const errs = signal(0);
/// Whether the answers are shown while a game is played.
export const reveals = signal(false);
/// Who is to move: the first or the second player.
export const turn = signal(0);
/// Whether the program is the first player.
export const programFirst = signal(false);
/// The positions of the game so far, each with who was to move there.
export const past = signal<{ at: Spot; turn: number; by: string }[]>([]);
/// The last win that a person gave away: where, by which move, and what would have won.
export const mistake = signal<{ at: Spot; played: Move; better: Move } | null>(null);
/// Whether every win that a person may have given away is known.
export const judges = signal(true);
/// How the game ended.
export const over = signal<string | null>(null);

/// Whether the claims and examples of the open game have their verdicts.
export const judged = signal(false);
export const claims = signal<Map<number, ClaimVerdict | string>>(new Map());
export const examples = signal<Map<number, ExampleVerdict | string>>(new Map());
export const discovery = signal<Discovery | null>(null);
export const list = signal<List | null>(null);
export type Tab = "claims" | "sizes" | "table" | "plots" | "about";
/// What of the game is shown beside the board.
export const tab = signal<Tab>("claims");

export const answersShown = computed(() => mode.value === "explore" || reveals.value);
export const shippedName = computed(() => shipped.value.find((one) => one.text.trim() === text.value.trim())?.file);

/// What was opened last, so that the same is not opened twice.
let openedAs = "";
/// The number of the game that is being opened: an earlier one that is ready later is dropped.
let opening = 0;
/// The number of the position, in the same way.
let moving = 0;
/// The number of the play from its first position, in the same way.
let playing = 0;
/// The numbers of the address that is read, and of the one that is written, in the same way.
let reading = 0;
let writing = 0;

export const words = (error: unknown) => (error instanceof Error ? error.message : String(error));

/// Asks about the game on the board. It is `Cancelled` if there is another one when the answer
/// comes.
export async function about<K extends AboutGame>(engine: Engine, ask: K, question: Question<K>): Promise<Answers[K]> {
  const opened = game.value;
  if (!opened) throw new Cancelled();
  const answer = engine.ask(ask, question, opened.about);
  await answer.catch(() => {});
  // Neither an answer about another game nor its fault is shown.
  if (game.value !== opened) throw new Cancelled();
  return answer;
}

/// Says why there is no answer, unless nobody waits for it any more.
function sayWhy(error: unknown): void {
  if (!(error instanceof Cancelled)) said.value = words(error);
}

function isTheProgram(player: number): boolean {
  return mode.value === "itself" || (mode.value === "program" && (player === 0) === programFirst.value);
}

/// Whether a game against the program is over, and the program has won it.
export const lost = computed(() => {
  if (mode.value !== "program" || !over.value || (options.value?.list.length ?? 1) > 0) return false;
  return isTheProgram(isMisere.value ? turn.value : 1 - turn.value);
});

/// What the player to move is called.
export function called(player: number): string {
  if (mode.value === "program") return isTheProgram(player) ? "The program" : "You";
  if (game.value?.has_sides) return player === 0 ? "Left" : "Right";
  return player === 0 ? "The first player" : "The second player";
}

/// Opens the text at its parameters, and begins at a position if one is given.
export async function open(at?: string): Promise<void> {
  const mine = ++opening;
  const question = { text: text.value, params: params.value, misere: misere.value };
  openedAs = JSON.stringify(question);
  leave();
  try {
    const opened = { ...(await player.ask("open", question)), about: question };
    if (mine !== opening) return;
    const first = await firstPosition(opened, at);
    if (mine !== opening) return;
    // What is computed is about the game before.
    prover.cancel();
    batch(() => {
      game.value = opened;
      trouble.value = null;
      claims.value = new Map();
      examples.value = new Map();
      judged.value = false;
      discovery.value = null;
      list.value = null;
      begin(first);
    });
    if (!isBoard) void checkClaims(opened);
  } catch (error) {
    if (mine !== opening || error instanceof Cancelled) return;
    const findings = error instanceof NoAnswer ? error.fault.findings : [];
    const errors = findings.filter((finding) => !finding.is_warning);
    const first = errors[0];
    trouble.value = first ? `${words(error)}: ${first.message}` : words(error);
    if (left) void show(position.value);
  }
}

/// The position with which an opened game begins: that of the address, that on the board if
/// it is one of the game, the start of the file, an example of it, or a random one.
async function firstPosition(opened: Open, at?: string): Promise<Spot | null> {
  if (opened.kind === "reals") return null;
  const here = opened.examples.find((example) => example.applies);
  const kept = opened.name === game.value?.name ? position.value?.text : undefined;
  for (const written of [at, kept, opened.start?.text, here?.position.text]) {
    if (!written) continue;
    try {
      return await player.ask("read", { written }, opened.about);
    } catch (error) {
      if (written === at) said.value = words(error);
    }
  }
  if (opened.blocks) return null;
  try {
    return await player.ask("random", { wins: true }, opened.about);
  } catch {
    return null;
  }
}

/// Begins a game at a position.
export function begin(at: Spot | null): void {
  playing += 1;
  batch(() => {
    said.value = "";
    past.value = [];
    mistake.value = null;
    judges.value = true;
    turn.value = 0;
    void show(at);
  });
}

/// Whether what was asked about the position on the board was cancelled.
let left = false;

/// Cancels what takes long and is about the position on the board, for which another one, or
/// another game, need not wait.
function leave(): void {
  left = player.cancel("solve", "why", "reply") || left;
}

/// Shows a position, and asks about it.
async function show(at: Spot | null): Promise<void> {
  const mine = ++moving;
  leave();
  left = false;
  batch(() => {
    position.value = at;
    options.value = solved.value = unsolved.value = why.value = over.value = null;
    side.value = game.value?.has_sides ? (turn.value === 0 ? "left" : "right") : null;
  });
  if (!at || !game.value) return;
  const of = { position: at.text, side: side.value };
  if (!game.value.blocks) {
    try {
      const found = await about(player, "options", of);
      if (mine !== moving) return;
      options.value = found;
      ended(found, at);
    } catch (error) {
      if (mine === moving) unsolved.value = words(error);
    }
  }
  if (mine !== moving) return;
  if (!over.value && isTheProgram(turn.value)) {
    void programMoves(mine);
  }
  try {
    const answer = await about(player, "solve", of);
    if (mine === moving) solved.value = answer;
  } catch (error) {
    if (mine === moving && !(error instanceof Cancelled)) unsolved.value = words(error);
  }
}

function ended(found: Options, at: Spot): void {
  const opened = game.value;
  if (!opened) return;
  if (found.list.length === 0) {
    const winner = isMisere.value ? turn.value : 1 - turn.value;
    const verb = called(winner) === "You" ? "win" : "wins";
    const none = called(turn.value) === "You" ? "have no move" : "has no move";
    over.value = `${called(turn.value)} ${none}. ${called(winner)} ${verb}.`;
  } else if (opened.may_repeat) {
    const same = past.value.filter((one) => one.at.text === at.text && one.turn === turn.value);
    if (same.length + 1 >= opened.repetitions) {
      over.value = `This position has stood ${opened.repetitions} times: play need not end, and is drawn.`;
    }
  }
}

async function programMoves(mine: number): Promise<void> {
  const from = position.value;
  if (!from) return;
  try {
    const reply = await about(player, "reply", { position: from.text, side: side.value, errs: errs.value });
    // The reader sees the position before it changes.
    await new Promise((resolve) => setTimeout(resolve, mode.value === "itself" ? 700 : 350));
    if (mine === moving) await moved(reply);
  } catch (error) {
    if (mine === moving && !(error instanceof Cancelled)) unsolved.value = words(error);
  }
}

/// Makes a move of the player to move.
async function moved(move: Move): Promise<void> {
  const from = position.value;
  if (!from) return;
  batch(() => {
    said.value = `${called(turn.value)}: ${move.words}`;
    past.value = [...past.value, { at: from, turn: turn.value, by: move.words }];
    turn.value = 1 - turn.value;
  });
  await show(move.to);
}

/// Makes a move of a person, and notes whether it gave a win away.
export async function play(move: Move): Promise<void> {
  const from = position.value;
  if (!from || over.value || isTheProgram(turn.value)) return;
  const before = side.value;
  const mine = playing;
  const judged = mode.value === "program" ? about(player, "given_away", { from: from.text, to: move.to.text, side: before }) : null;
  const next = moved(move);
  try {
    const better = await judged;
    if (better && mine === playing) mistake.value = { at: from, played: move, better };
  } catch {
    // Who wins there is unknown, so that nothing is known of mistakes.
    if (mine === playing) judges.value = false;
  }
  await next;
}

/// Takes back the last move; against the program, the last move of the person.
export function undo(): void {
  const before = past.value;
  goBack(mode.value === "program" ? before.findLastIndex((one) => !isTheProgram(one.turn)) : before.length - 1);
}

/// Takes back a move, by its place among the moves so far, and those after it.
export function goBack(last: number): void {
  const before = past.value;
  const at = before[last];
  if (!at) return;
  playing += 1;
  batch(() => {
    said.value = "";
    past.value = before.slice(0, last);
    turn.value = at.turn;
    mistake.value = null;
    void show(at.at);
  });
}

export function restart(): void {
  begin(past.value[0]?.at ?? position.value);
}

/// Begins at a random position, which the person to move can win.
export async function another(): Promise<void> {
  try {
    begin(await about(player, "random", { wins: !(mode.value === "program" && programFirst.value) }));
  } catch (error) {
    sayWhy(error);
  }
}

/// Begins at a position that was typed; why not, if it is none. A parameter that counts the
/// heaps is taken from it.
export async function goTo(written: string): Promise<string | null> {
  try {
    begin(await about(player, "read", { written }));
    return null;
  } catch (error) {
    if (error instanceof Cancelled) return null;
    const fitting = await about(player, "fitting", { written }).catch(() => null);
    if (!fitting) return words(error);
    const [name, value] = fitting;
    params.value = [...params.value.filter(([other]) => other !== name), fitting];
    await open(written);
    said.value = `${name} = ${value}, as many as the position needs`;
    return null;
  }
}

/// Begins at the position with these numbers.
export async function goToNumbers(numbers: number[]): Promise<void> {
  try {
    begin(await about(player, "numbered", { numbers }));
  } catch (error) {
    sayWhy(error);
  }
}

/// Plays a move that was typed; why not, if it is none.
export async function playTyped(line: string): Promise<string | null> {
  const at = position.value;
  if (!at) return "there is no position";
  try {
    const mine = moving;
    const typed = await about(player, "typed", { position: at.text, side: side.value, line });
    if (mine !== moving) return null;
    if (!typed.move) return typed.why;
    await play(typed.move);
    return null;
  } catch (error) {
    return error instanceof Cancelled ? null : words(error);
  }
}

export async function askWhy(): Promise<void> {
  const at = position.value;
  if (!at) return;
  const mine = moving;
  try {
    const reason = await about(player, "why", { position: at.text });
    if (mine !== moving) return;
    why.value = reason;
    // It may be below what is seen.
    requestAnimationFrame(() => document.querySelector<HTMLElement>(".why")?.scrollIntoView({ block: "nearest" }));
  } catch (error) {
    if (mine === moving) sayWhy(error);
  }
}

/// The number of the long computation that runs.
let computing = 0;

/// Asks a question about the game on the board that may take long, under a name; `null` if it
/// was cancelled.
export async function long<K extends AboutGame>(name: string, ask: K, question: Question<K>): Promise<Answers[K] | null> {
  const mine = ++computing;
  working.value = name;
  try {
    return await about(prover, ask, question);
  } catch (error) {
    if (!(error instanceof Cancelled)) throw error;
    return null;
  } finally {
    if (mine === computing) working.value = null;
  }
}

function put<V>(into: { value: Map<number, V> }, number: number, verdict: V): void {
  into.value = new Map(into.value).set(number, verdict);
}

/// Checks the examples and claims of a game one after another.
async function checkClaims(opened: Open): Promise<void> {
  for (const { number } of opened.examples.filter((example) => example.applies)) {
    const verdict = await about(prover, "example", { number }).catch(words);
    if (game.value !== opened) return;
    put(examples, number, verdict);
  }
  for (const { number } of opened.claims.filter((claim) => claim.applies)) {
    const verdict = await about(prover, "claim", { number, prove: false }).catch(words);
    if (game.value !== opened) return;
    put(claims, number, verdict);
  }
  judged.value = true;
}

/// Searches for a proof of a claim.
export async function prove(number: number): Promise<void> {
  const opened = game.value;
  prover.cancel();
  try {
    const verdict = await long(`Searching for a proof of claim ${number}`, "claim", { number, prove: true });
    if (verdict) put(claims, number, verdict);
    else if (game.value === opened) said.value = "The search for a proof was cancelled.";
  } catch (error) {
    put(claims, number, words(error));
  }
}

export async function discover(): Promise<void> {
  prover.cancel();
  try {
    const found = await long("Searching for the P-positions of all sizes", "discover", {});
    if (found) discovery.value = found;
  } catch (error) {
    said.value = words(error);
  }
}

export async function makeList(question: Question<"list">): Promise<string | null> {
  prover.cancel();
  try {
    const found = await long("Listing positions", "list", question);
    if (found) list.value = found;
    return null;
  } catch (error) {
    return words(error);
  }
}

/// Ends the long computation at once.
export function cancel(): void {
  prover.cancel();
}

/// Loads a shipped game.
export function load(file: string, at?: string): void {
  const found = shipped.value.find((one) => one.file === file);
  if (!found) {
    said.value = `There is no shipped game \`${file}\`.`;
    return;
  }
  reading += 1;
  batch(() => {
    params.value = [];
    misere.value = false;
    mode.value = "explore";
    text.value = found.text;
  });
  void open(at);
}

/// The address of what is shown.
export async function address(): Promise<string> {
  const name = shippedName.value;
  const hash = await toHash({
    ...(name ? { game: name } : { text: text.value }),
    params: params.value,
    misere: misere.value,
    ...(position.value ? { position: position.value.text } : {}),
  });
  return `${location.href.split("#")[0]}#${hash}`;
}

/// Opens what an address holds.
async function openAddress(hash: string): Promise<boolean> {
  const mine = ++reading;
  writing += 1;
  const shared = await fromHash(hash);
  if (mine !== reading) return true;
  if (!shared) return false;
  const found = shipped.value.find((one) => one.file === shared.game);
  if (shared.game && !found) return false;
  batch(() => {
    params.value = shared.params;
    misere.value = shared.misere;
    text.value = found?.text ?? shared.text ?? "";
  });
  await open(shared.position);
  return true;
}

/// Opens what the address holds, or the cube.
export async function start(): Promise<void> {
  shipped.value = await player.ask("shipped", {});
  if (!(await openAddress(location.hash))) load("cube_edge");
  window.addEventListener("hashchange", (event) => void openAddress(new URL(event.newURL).hash));
  // The address follows what is shown, so that it can be copied at any time.
  effect(() => {
    void [text.value, params.value, misere.value, position.value];
    const mine = ++writing;
    void address().then((href) => {
      if (mine === writing && href.length < 30_000) history.replaceState(null, "", href);
    });
  });
}

/// The text was changed by typing: it is checked, and opened if it is a rule.
export async function edited(changed: string): Promise<Checked> {
  text.value = changed;
  const found = await reader.ask("check", { text: changed });
  if (text.value !== changed) return found;
  checked.value = found;
  if (found.is_rule) {
    // Values of parameters that the text does not declare were set for another rule.
    const declared = found.outline.filter(({ kind }) => kind === "parameter").map(({ name }) => name);
    if (params.value.some(([name]) => !declared.includes(name))) params.value = params.value.filter(([name]) => declared.includes(name));
    const question = { text: changed, params: params.value, misere: misere.value };
    if (JSON.stringify(question) !== openedAs) void open();
    else if (JSON.stringify(game.value?.about) === openedAs) trouble.value = null;
  } else trouble.value = "The text has errors; the board shows the last rule that had none.";
  return found;
}

/// What the page shows, for tests and for the curious: `nimrule` in the console.
export const shown = {
  /// Whether a shipped game is open.
  is: (file: string) => shipped.value.find((one) => one.file === file)?.text === game.value?.about.text,
  /// Asks a question about the open game, or about a text.
  ask: prover.ask.bind(prover),
  position: () => position.value?.text,
  /// What is not known yet, or why nothing is.
  pending: () => ({ trouble: trouble.value, claims: [...claims.value.keys()], examples: [...examples.value.keys()], working: working.value }),
  solved: () => solved.value?.json,
  /// The verdicts on all claims and examples that apply, once they are known; a text says why
  /// there is none.
  verdicts() {
    const opened = game.value;
    const here = opened?.claims.filter((claim) => claim.applies) ?? [];
    const shownHere = opened?.examples.filter((example) => example.applies) ?? [];
    if (!opened || here.some((one) => !claims.value.has(one.number)) || shownHere.some((one) => !examples.value.has(one.number))) return null;
    return {
      params: opened.values,
      claims: here.map(({ number, words }) => ({ statement: words, verdict: claims.value.get(number) })),
      examples: shownHere.map(({ number, words }) => ({ statement: words, verdict: examples.value.get(number) })),
    };
  },
};
