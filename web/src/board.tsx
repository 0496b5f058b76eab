/// The board: a picture of the position, over which the heaps and vertices are buttons. A move
/// is put together from changes of heaps, of which only those can be chosen that some move has.
import { computed, effect, signal, useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { Move, Part, Picture } from "./messages";
import { about, answersShown, game, options, over, play, player, position, said, solved, turn, called, mode, programFirst } from "./state";

/// The numbers that are chosen so far: those of the position where nothing is chosen. In a
/// multiset, the heaps that the move is to change.
const draft = signal<string[]>([]);
const touched = signal<Set<number>>(new Set());
/// The heap whose sizes are offered.
const active = signal<number | null>(null);
/// A move that is shown while it is pointed at.
export const pointed = signal<Move | null>(null);
const picture = signal<Picture | null>(null);
/// The picture of the position without a move. One with a move is fitted into its room, for
/// otherwise what is below would move away from the pointer that asked for the picture.
export const alone = signal<Picture | null>(null);

effect(() => {
  draft.value = position.value?.numbers ?? [];
  touched.value = new Set();
  active.value = null;
  pointed.value = null;
});

const isBag = computed(() => game.value?.kind === "bag");

/// Whether the person may move.
export const mayMove = computed(() => {
  if (over.value || !options.value || mode.value === "itself") return false;
  return !(mode.value === "program" && (turn.value === 0) === programFirst.value);
});

/// The heaps of a multiset that a move removes.
function removed(from: string[], to: string[]): Map<string, number> {
  const left = new Map<string, number>();
  for (const heap of from) left.set(heap, (left.get(heap) ?? 0) + 1);
  for (const heap of to) left.set(heap, (left.get(heap) ?? 0) - 1);
  return left;
}

/// The moves that have what is chosen, apart from the choice at one heap.
function having(except: number | null): Move[] {
  const at = position.value?.numbers;
  const all = options.value?.list ?? [];
  if (!at) return [];
  if (isBag.value) {
    const wanted = new Map<string, number>();
    for (const index of touched.value) {
      const heap = at[index];
      if (heap !== undefined && index !== except) wanted.set(heap, (wanted.get(heap) ?? 0) + 1);
    }
    return all.filter((move) => {
      const gone = removed(at, move.to.numbers);
      return [...wanted].every(([heap, count]) => (gone.get(heap) ?? 0) >= count);
    });
  }
  const chosen = draft.value;
  return all.filter((move) => move.to.numbers.every((number, i) => i === except || chosen[i] === at[i] || number === chosen[i]));
}

/// The moves that have all that is chosen.
const matching = computed(() => having(null));

/// The move that is chosen, if it is complete.
export const chosen = computed(() => {
  const at = position.value?.numbers;
  const now = draft.value;
  if (!at || isBag.value) return null;
  if (now.every((number, i) => number === at[i])) return null;
  return options.value?.list.find((move) => move.to.numbers.every((number, i) => number === now[i])) ?? null;
});

/// The numbers that a heap may have after a move that has what is chosen elsewhere.
function choices(index: number): string[] {
  const now = position.value?.numbers[index];
  const found = new Set<string>();
  for (const move of having(index)) {
    const number = move.to.numbers[index];
    if (number !== undefined && number !== now) found.add(number);
  }
  return [...found].sort((a, b) => (a.length - b.length || (a < b ? -1 : a > b ? 1 : 0)));
}

function choose(index: number, number: string): void {
  const next = [...draft.value];
  next[index] = number;
  draft.value = next;
  const move = chosen.value;
  said.value = move ? `Chosen: ${move.words}.` : `${nameOf(index)} becomes ${shownNumber(index, number)}; the move needs more.`;
}

export function clear(): void {
  draft.value = position.value?.numbers ?? [];
  touched.value = new Set();
  active.value = null;
}

function nameOf(index: number): string {
  return game.value?.names[index] ?? `heap ${index + 1}`;
}

/// The vertex of a token by its name, another number as it is.
function shownNumber(index: number, number: string): string {
  const vertex = picture.value?.parts.find((part) => part.vertex === number);
  const isToken = game.value?.kind === "tokens" && index < game.value.states_from;
  return isToken && vertex ? vertex.name : number;
}

/// The heaps that some winning move changes.
const winning = computed(() => {
  const found = new Set<number>();
  const at = position.value?.numbers;
  if (!answersShown.value || !at || isBag.value || solved.value?.turn !== "wins") return found;
  for (const move of solved.value.winning) {
    move.to.numbers.forEach((number, i) => number !== at[i] && found.add(i));
  }
  return found;
});

/// The picture follows the position and the move that is chosen or pointed at.
let drawing = 0;
effect(() => {
  const at = position.value;
  const after = pointed.value ?? chosen.value;
  const opened = game.value;
  const mine = ++drawing;
  if (!opened) return;
  about(player, "picture", { position: at?.text ?? null, after: after?.to.text ?? null })
    .then((drawn) => {
      if (mine !== drawing) return;
      if (!after) alone.value = drawn;
      picture.value = drawn;
    })
    .catch((error: Error) => {
      if (mine !== drawing) return;
      picture.value = null;
      said.value = error.message;
    });
});

const source = (svg: string) => `data:image/svg+xml,${encodeURIComponent(svg)}`;

export function Picture({ drawn, alt }: { drawn: Picture; alt: string }) {
  return <img src={source(drawn.svg)} width={drawn.width} height={drawn.height} alt={alt} />;
}

/// The text alternative that the picture itself has.
function description(svg: string): string {
  const parsed = new DOMParser().parseFromString(svg, "image/svg+xml");
  return parsed.querySelector("desc")?.textContent ?? "";
}

/// A board is drawn this much larger than its picture, where there is room.
const LARGER = 1.4;

export function Board() {
  const drawn = picture.value;
  const grid = useRef<HTMLDivElement>(null);
  if (!drawn) return <p class="faint">No picture.</p>;
  const room = alone.value ?? drawn;
  const place = (part: Part) => ({
    left: `${(100 * part.left) / drawn.width}%`,
    top: `${(100 * part.top) / drawn.height}%`,
    width: `${(100 * (part.right - part.left)) / drawn.width}%`,
    height: `${(100 * (part.bottom - part.top)) / drawn.height}%`,
  });
  /// The arrows go to the next heap in their direction.
  const arrows = (event: KeyboardEvent) => {
    const towards = ({ ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1] } as Record<string, [number, number]>)[event.key];
    const from = event.target;
    if (!towards || !(from instanceof HTMLElement) || !grid.current) return;
    event.preventDefault();
    const middle = (of: Element) => {
      const box = of.getBoundingClientRect();
      return [box.left + box.width / 2, box.top + box.height / 2] as const;
    };
    const [x, y] = middle(from);
    let best: [number, HTMLElement] | null = null;
    for (const other of grid.current.querySelectorAll<HTMLElement>("button:not(:disabled)")) {
      const [a, b] = middle(other);
      const along = (a - x) * towards[0] + (b - y) * towards[1];
      const across = Math.abs((a - x) * towards[1]) + Math.abs((b - y) * towards[0]);
      if (other === from || along <= 1) continue;
      const far = along + 2 * across;
      if (!best || far < best[0]) best = [far, other];
    }
    best?.[1].focus();
  };
  return (
    <div class="room" style={{ aspectRatio: `${room.width} / ${room.height}`, width: `min(100%, ${LARGER * room.width}px, 70vh * ${room.width / room.height})` }}>
      <div class="board" ref={grid} onKeyDown={arrows} style={{ aspectRatio: `${drawn.width} / ${drawn.height}`, width: `min(100cqw, 100cqh * ${drawn.width / drawn.height})` }}>
        <Picture drawn={drawn} alt={description(drawn.svg)} />
        {drawn.parts.map((part) => (part.vertex === null ? <HeapButton key={`h${part.index}`} part={part} style={place(part)} /> : null))}
        {drawn.parts.map((part) => (part.vertex !== null ? <VertexButton key={`v${part.vertex}`} part={part} style={place(part)} /> : null))}
      </div>
    </div>
  );
}

type Place = { left: string; top: string; width: string; height: string };

function HeapButton({ part, style }: { part: Part; style: Place }) {
  const index = part.index ?? 0;
  const at = position.value?.numbers[index];
  if (at === undefined) return null;
  const next = mayMove.value && !isBag.value ? choices(index) : [];
  const heap = isBag.value;
  const canChoose = mayMove.value && (heap ? (options.value?.list.length ?? 0) > 0 : next.length > 0 || draft.value[index] !== at);
  const press = () => {
    if (heap) {
      const now = new Set(touched.value);
      if (!now.delete(index)) now.add(index);
      touched.value = now;
      return;
    }
    // A heap with one choice is switched to it and back.
    const [only, ...more] = next;
    if (only !== undefined && more.length === 0) {
      choose(index, draft.value[index] === only ? at : only);
      active.value = null;
      return;
    }
    active.value = active.value === index ? null : index;
  };
  const name = part.name || `heap ${index + 1}`;
  const isChosen = heap ? touched.value.has(index) : draft.value[index] !== at;
  const classes = ["part", isChosen && "chosen", active.value === index && "active", winning.value.has(index) && "winning"];
  const wins = winning.value.has(index) ? ", a winning move changes it" : "";
  return (
    <button
      class={classes.filter(Boolean).join(" ")}
      style={style}
      disabled={!canChoose}
      aria-pressed={isChosen}
      aria-label={`${name}: ${shownNumber(index, draft.value[index] ?? at)}${wins}`}
      title={`${name}: ${shownNumber(index, at)}`}
      data-index={index}
      onClick={press}
    />
  );
}

/// A vertex can be chosen if the active token, or the only one, can move there.
function VertexButton({ part, style }: { part: Part; style: Place }) {
  const opened = game.value;
  if (!opened || opened.kind !== "tokens" || !mayMove.value) return null;
  const token = opened.names.length === 1 ? 0 : active.value;
  if (token === null || part.vertex === null || !choices(token).includes(part.vertex)) return null;
  const to = part.vertex;
  return (
    <button
      class={`part vertex${draft.value[token] === to ? " chosen" : ""}`}
      style={style}
      aria-label={`move ${nameOf(token)} to ${part.name}`}
      title={`move ${nameOf(token)} to ${part.name}`}
      data-vertex={to}
      onClick={() => choose(token, to)}
    />
  );
}

const MOST_CHIPS = 12n;
const MOST_SHOWN = 24;

/// The sizes that the active heap may have: chips to take from it, or a list.
export function Amounts() {
  const index = active.value;
  if (!mayMove.value) return null;
  if (isBag.value) return <Replacements />;
  if (index === null) return null;
  const at = position.value?.numbers[index] ?? "0";
  const next = choices(index);
  const isHeap = game.value?.kind === "heaps" && index < game.value.states_from && /^\d+$/.test(at);
  const size = isHeap ? BigInt(at) : 0n;
  const lower = isHeap ? next.filter((number) => BigInt(number) < size) : [];
  const others = isHeap ? next.filter((number) => BigInt(number) > size) : next;
  const now = draft.value[index] ?? at;
  const hasChips = isHeap && size <= MOST_CHIPS && lower.length > 0;
  return (
    <fieldset class="amounts">
      <legend>
        {nameOf(index)}: {shownNumber(index, at)}
        {now !== at && ` → ${shownNumber(index, now)}`}
      </legend>
      {hasChips && (
        <div class="chips" role="group" aria-label={`Take from ${nameOf(index)}`}>
          {Array.from({ length: Number(size) }, (_, chip) => {
            const after = String(chip);
            const taken = Number(size) - chip;
            return (
              <button
                class={`chip${BigInt(now) <= BigInt(chip) ? " gone" : ""}`}
                disabled={!lower.includes(after)}
                aria-label={`take ${taken}`}
                title={`take ${taken}, leave ${chip}`}
                onClick={() => choose(index, after)}
              />
            );
          })}
          <span class="faint">click a chip: it and all to its right are taken</span>
        </div>
      )}
      {!hasChips && lower.length > 0 && <Size index={index} numbers={lower} label="leave" />}
      {others.length > 0 && (others.length <= MOST_SHOWN || !isHeap ? <Numbers index={index} numbers={others} /> : <Size index={index} numbers={others} label="make it" />)}
      {now !== at && (
        <button type="button" onClick={() => choose(index, at)}>
          leave it at {shownNumber(index, at)}
        </button>
      )}
    </fieldset>
  );
}

function Numbers({ index, numbers }: { index: number; numbers: string[] }) {
  return (
    <div class="row">
      {numbers.slice(0, 200).map((number) => (
        <button aria-pressed={draft.value[index] === number} onClick={() => choose(index, number)}>
          {shownNumber(index, number)}
        </button>
      ))}
    </div>
  );
}

function Size({ index, numbers, label }: { index: number; numbers: string[]; label: string }) {
  const wrong = useSignal("");
  const low = numbers[0] ?? "0";
  const high = numbers[numbers.length - 1] ?? low;
  return (
    <label>
      {label}{" "}
      <input
        type="number"
        min={low}
        max={high}
        autofocus
        onChange={(event) => {
          const number = event.currentTarget.value.replace(/^0+(?=\d)/, "");
          if (numbers.includes(number)) choose(index, number);
          else wrong.value = `no move leaves ${number} here`;
        }}
      />{" "}
      <span class="faint">
        {low} to {high}
      </span>{" "}
      <span class="wrong">{wrong}</span>
    </label>
  );
}

/// What the chosen heaps of a multiset may become.
function Replacements() {
  if (touched.value.size === 0) {
    return <p class="faint">Choose the heap or heaps that your move changes.</p>;
  }
  const found = matching.value;
  return (
    <fieldset class="amounts">
      <legend>Moves of what is chosen</legend>
      {found.length === 0 && <p>No move changes these heaps.</p>}
      <MoveList moves={found} />
    </fieldset>
  );
}

/// Moves as buttons, each shown on the board while it is pointed at.
export function MoveList({ moves, most = 60 }: { moves: Move[]; most?: number }) {
  return (
    <ul class="moves">
      {moves.slice(0, most).map((move) => (
        <li key={move.to.text}>
          <button
            disabled={!mayMove.value}
            onMouseEnter={() => (pointed.value = move)}
            onMouseLeave={() => (pointed.value = null)}
            onFocus={() => (pointed.value = move)}
            onBlur={() => (pointed.value = null)}
            onClick={() => void play(move)}
          >
            {move.words}
          </button>
        </li>
      ))}
      {moves.length > most && <li class="faint">and {moves.length - most} more</li>}
    </ul>
  );
}

/// The chosen move, to be played.
export function Chosen() {
  const move = chosen.value;
  const button = useRef<HTMLButtonElement>(null);
  const isPart = !isBag.value && !move && draft.value.some((number, i) => number !== position.value?.numbers[i]);
  useEffect(() => {
    if (move && document.activeElement?.classList.contains("chip")) button.current?.focus();
  }, [move?.to.text]);
  if (!mayMove.value || (!move && !isPart)) return null;
  return (
    <div class="row chosen-move">
      {move ? (
        <button class="primary" ref={button} onClick={() => void play(move)}>
          Play: {move.words}
        </button>
      ) : (
        <span>The move needs more: {matching.value.length} moves have this change.</span>
      )}
      <button onClick={clear}>Clear</button>
      <span class="faint">{called(turn.value)} to move</span>
    </div>
  );
}
