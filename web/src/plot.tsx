/// Outcomes or values by the sizes of one or two heaps, with a slider for each other heap.
import { batch, computed, effect, signal, untracked, useSignal } from "@preact/signals";
import { Picture } from "./board";
import type { Question } from "./engine";
import type { Plot } from "./messages";
import { game, goToNumbers, isMisere, long, position, words } from "./state";

/// What is plotted, with the sizes of the heaps that are on no axis.
const drawn = signal<(Plot & { sizes: number[] }) | null>(null);
const trouble = signal<string | null>(null);
/// Whether a plot of the game is wanted: it follows the board and the choices then.
const isOn = signal(false);
/// The heaps on the axes; the second is -1 where only one heap varies.
const axes = signal<[number, number]>([0, 1]);
/// The sizes that the reader chose for heaps that are on no axis.
const chosen = signal<Map<number, number>>(new Map());
const grundy = signal(false);
/// The largest size on an axis; nothing for a usual one.
const most = signal<number | null>(null);
/// The cell that is pointed at, or on which the keys are.
const cell = signal<{ x: number; y: number } | null>(null);

const isBag = computed(() => game.value?.kind === "bag");

/// The numbers of the position on the board, where these are numbers.
const onBoard = computed(() => {
  const numbers = position.value?.numbers ?? [];
  return numbers.every((number) => /^\d+$/.test(number)) ? numbers.map(Number) : [];
});

/// The size of each heap where it is on no axis: the one that was chosen, or that on the board.
const sizes = computed(() => (game.value?.names ?? []).map((_, index) => chosen.value.get(index) ?? onBoard.value[index] ?? 0));

const question = computed(() => {
  const heaps = sizes.value.map((size, index) => [index, size] as [number, number]);
  const fixed = isBag.value ? [[axes.value[0], 0] as [number, number]] : heaps.filter(([index]) => !axes.value.includes(index));
  return JSON.stringify({ fixed, max: most.value, grundy: grundy.value });
});

/// Another game has other heaps.
effect(() => {
  const opened = game.value;
  batch(() => {
    drawn.value = trouble.value = cell.value = most.value = null;
    isOn.value = false;
    axes.value = [0, (opened?.names.length ?? 0) > 1 ? 1 : -1];
    chosen.value = new Map();
    grundy.value = opened?.kind === "bag";
  });
});

/// While a slider moves, only its last place is asked about.
let wanted: { of: typeof game.value; kept: number[]; question: string } | null = null;
let asking = false;

effect(() => {
  const next = question.value;
  if (isOn.value) untracked(() => void plot(next));
});

async function plot(next: string): Promise<void> {
  wanted = { of: game.value, kept: sizes.value, question: next };
  if (asking) return;
  asking = true;
  try {
    while (wanted) {
      const { of, kept, question }: NonNullable<typeof wanted> = wanted;
      wanted = null;
      if (game.value !== of) continue;
      const found = await long("Plotting", "plot", JSON.parse(question) as Question<"plot">);
      if (game.value !== of) continue;
      if (!found) isOn.value = false;
      else {
        drawn.value = { ...found, sizes: kept };
        trouble.value = null;
      }
    }
  } catch (error) {
    drawn.value = null;
    trouble.value = words(error);
  } finally {
    asking = false;
  }
}

/// The position of a cell.
function at(of: Plot & { sizes: number[] }, { x, y }: { x: number; y: number }): number[] {
  return of.sizes.map((size, heap) => (heap === of.axes[0] ? x : heap === of.axes[1] ? y : size));
}

function Cells({ of }: { of: Plot & { sizes: number[] } }) {
  const columns = of.rows[0]?.length ?? 1;
  // One row is as high as the picture.
  const heights = of.rows.length;
  const box = of.cells;
  const percent = (part: number, whole: number) => `${(100 * part) / whole}%`;
  const under = (event: MouseEvent) => {
    const area = (event.currentTarget as HTMLElement).getBoundingClientRect();
    const within = (part: number, count: number) => Math.min(Math.max(Math.floor(part * count), 0), count - 1);
    return {
      x: within((event.clientX - area.left) / area.width, columns),
      y: within((area.bottom - event.clientY) / area.height, heights),
    };
  };
  const show = (where: { x: number; y: number } | null) => {
    if (where && of.axes.length > 0 && of.rows[where.y]?.[where.x]) void goToNumbers(at(of, where));
  };
  const keys = (event: KeyboardEvent) => {
    const step = ({ ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] } as Record<string, [number, number]>)[event.key];
    if (!step) return;
    event.preventDefault();
    const from = cell.value ?? here(of) ?? { x: 0, y: 0 };
    const kept = (number: number, count: number) => Math.min(Math.max(number, 0), count - 1);
    cell.value = { x: kept(from.x + step[0], columns), y: kept(from.y + step[1], heights) };
  };
  const frame = ({ x, y }: { x: number; y: number }) => ({
    left: percent(x, columns),
    width: percent(1, columns),
    bottom: percent(y, heights),
    height: percent(1, heights),
  });
  const now = here(of);
  return (
    <div class="plot" style={{ maxWidth: `${of.picture.width}px` }}>
      <Picture drawn={of.picture} alt={description(of)} />
      <button
        class="cells"
        aria-label={of.axes.length > 0 ? "Cells: the arrows go from one to the next, Enter shows the position" : "Sizes: the arrows go from one to the next"}
        style={{
          left: percent(box.left, of.picture.width),
          top: percent(box.top, of.picture.height),
          width: percent(box.right - box.left, of.picture.width),
          height: percent(box.bottom - box.top, of.picture.height),
        }}
        onMouseMove={(event) => (cell.value = under(event))}
        onMouseLeave={() => (cell.value = null)}
        onKeyDown={keys}
        onClick={(event) => show(event.detail === 0 ? cell.value : under(event))}
      >
        {now && <span class="here" style={frame(now)} />}
        {cell.value && <span class="at" style={frame(cell.value)} />}
      </button>
    </div>
  );
}

/// The text alternative that the picture has.
const description = (of: Plot) => new DOMParser().parseFromString(of.picture.svg, "image/svg+xml").querySelector("desc")?.textContent ?? "";

/// The cell of the position on the board, if it is one.
function here(of: Plot & { sizes: number[] }): { x: number; y: number } | null {
  const numbers = onBoard.value;
  const [across, up] = of.axes;
  if (across === undefined || numbers.length !== of.sizes.length) return null;
  if (of.sizes.some((size, index) => !of.axes.includes(index) && size !== numbers[index])) return null;
  const found = { x: numbers[across] ?? 0, y: up === undefined ? 0 : (numbers[up] ?? 0) };
  return of.rows[found.y]?.[found.x] === undefined ? null : found;
}

/// What is known of the cell that is pointed at.
function Said({ of }: { of: Plot }) {
  const where = cell.value;
  const opened = game.value;
  if (!where || !opened) return <p class="said faint">{of.axes.length > 0 ? "Point at a cell; a click puts its position on the board." : "Point at a size."}</p>;
  const known = of.rows[where.y]?.[where.x] ?? "";
  const names = of.axes.length > 0 ? of.axes.map((heap, axis) => `${opened.names[heap]} = ${axis === 0 ? where.x : where.y}`) : [`n = ${where.x}`];
  const value = known === "" ? "no position" : /^\d+$/.test(known) ? `value ${known}` : `${known}-position`;
  return (
    <p class="said" role="status">
      {names.join(", ")}: {value}
    </p>
  );
}

/// Of a longer table the first sizes are shown.
const TABLE = 50;

/// The cells as the command `table` shows them: the second heap down, the first across.
function AsTable({ of }: { of: Plot }) {
  const open = useSignal(false);
  const name = (axis: number) => (of.axes[axis] === undefined ? "" : (game.value?.names[of.axes[axis]] ?? ""));
  const rows = of.rows.slice(0, TABLE);
  const columns = (of.rows[0] ?? []).slice(0, TABLE);
  const known = (cell: string) => (cell === "N" ? "." : cell);
  return (
    <details onToggle={(event) => (open.value = event.currentTarget.open)}>
      <summary>As a table</summary>
      {open.value && (
        <div class="scroll" tabIndex={0} role="region" aria-label="Table">
          <table>
            <thead>
              <tr>
                <th scope="col">{of.rows.length > 1 ? `${name(1)} \\ ${name(0)}` : name(0) || "n"}</th>
                {columns.map((_, x) => (
                  <th scope="col">{x}</th>
                ))}
              </tr>
            </thead>
            <tbody>
              {rows.map((row, y) => (
                <tr>
                  <th scope="row">{of.rows.length > 1 ? y : ""}</th>
                  {row.slice(0, TABLE).map((cell) => (
                    <td class={cell === "P" || cell === "0" ? "p" : undefined}>{known(cell)}</td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
          {Math.max(of.rows.length, of.rows[0]?.length ?? 0) > TABLE && <p class="faint">The sizes to {TABLE - 1} of those that are plotted.</p>}
        </div>
      )}
    </details>
  );
}

export function Plots() {
  const opened = game.value;
  if (!opened) return null;
  if (opened.kind === "reals") return <p>Heaps of real size are not plotted; the claims are about them.</p>;
  const found = drawn.value;
  const kinds = isBag.value ? opened.bag_kinds : opened.names;
  const choose = (axis: 0 | 1, heap: number) => {
    const [across, up] = axes.value;
    // A heap is on one axis: the other axis gets what this one had.
    if (axis === 0) axes.value = [heap, heap === up ? across : up];
    else axes.value = heap === across ? [up < 0 ? (across === 0 ? 1 : 0) : up, heap] : [across, heap];
  };
  const limit = Math.max(opened.suggested_max, 10, ...sizes.value);
  return (
    <>
      <form
        class="row"
        onSubmit={(event) => {
          event.preventDefault();
          const max = String(new FormData(event.currentTarget).get("most"));
          most.value = max ? Number(max) : null;
          isOn.value = true;
        }}
      >
        {kinds.length > 1 && (
          <label>
            {isBag.value ? "Heaps of" : "Across"}{" "}
            <select value={axes.value[0]} onChange={(event) => choose(0, Number(event.currentTarget.value))}>
              {kinds.map((name, index) => (
                <option value={index}>{name}</option>
              ))}
            </select>
          </label>
        )}
        {!isBag.value && kinds.length > 1 && (
          <label>
            Up{" "}
            <select value={axes.value[1]} onChange={(event) => choose(1, Number(event.currentTarget.value))}>
              <option value={-1}>no second heap</option>
              {kinds.map((name, index) => (
                <option value={index}>{name}</option>
              ))}
            </select>
          </label>
        )}
        {!isBag.value && (axes.value[1] >= 0 || isMisere.value) && !opened.has_sides && !opened.may_repeat && (
          <label>
            <input type="checkbox" checked={grundy.value} onChange={(event) => (grundy.value = event.currentTarget.checked)} />{" "}
            {isMisere.value ? "values (0 at P-positions)" : "Grundy values"}
          </label>
        )}
        <label>
          Sizes up to <input name="most" type="number" min="1" max={found?.limit ?? 999} value={most.value ?? found?.max ?? ""} placeholder="as usual" />
        </label>
        <button class="primary">Plot</button>
        {chosen.value.size > 0 && (
          <button type="button" onClick={() => (chosen.value = new Map())}>
            Sizes as on the board
          </button>
        )}
      </form>
      {!isBag.value &&
        sizes.value.map(
          (size, index) =>
            !axes.value.includes(index) && (
              <label class="slider" key={index}>
                <span>
                  {opened.names[index]} = {size}
                </span>
                <input
                  type="range"
                  min="0"
                  max={limit}
                  value={size}
                  onInput={(event) => (chosen.value = new Map(chosen.value).set(index, Number(event.currentTarget.value)))}
                />
              </label>
            ),
        )}
      {trouble.value && <p class="wrong">{trouble.value}</p>}
      {found && (
        <>
          <Said of={found} />
          <Cells of={found} />
          <AsTable of={found} />
        </>
      )}
    </>
  );
}
