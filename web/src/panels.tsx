/// What is known of the position and the game: the answer, the reason, claims, all sizes, lists.
import { computed, effect, signal } from "@preact/signals";
import { MoveList, Picture } from "./board";
import { append, reveal } from "./editor";
import type { ClaimInfo, WhyMove, WhySide, WhySum } from "./messages";
import {
  answersShown, askWhy, called, cancel, claims, discover, discovery, examples, game, goTo, isMisere, judges, list, lost, makeList, mistake, open, over, params, past, position,
  progress, prove, said, solved, tab, unsolved, why, working,
} from "./state";

const TURNS: Record<string, string> = {
  wins: "The player to move wins",
  loses: "The player to move loses: every move has an answer",
  draws: "The player to move draws: play need not end",
};

export function Answer() {
  const answer = solved.value;
  if (unsolved.value) {
    return (
      <p class="wrong" role="status">
        {unsolved.value.split("\n").map((line) => (
          <span class="line">{line}</span>
        ))}
      </p>
    );
  }
  if (!answersShown.value) return null;
  if (!answer) return position.value ? <p class="faint">Solving …</p> : null;
  const value = (answer.json as { grundy: number | null }).grundy;
  return (
    <section class="answer" aria-label="Who wins">
      <p>
        <strong class={`outcome ${answer.turn}`}>{TURNS[answer.turn] ?? answer.headline}</strong>
        <span class="tag" title={answer.headline}>
          {answer.headline.split(":")[0]}
        </span>
        {value !== null && <span class="tag">Grundy value {value}</span>}
        {answer.remoteness !== null && <span class="tag">ends in {answer.remoteness}</span>}
      </p>
      {answer.winning.length > 0 && !over.value && (
        <details open>
          <summary>
            {answer.turn === "draws" ? "Drawing moves" : "Winning moves"}: {answer.all ? answer.winning.length : `${answer.winning.length} found, there may be more`}
          </summary>
          <MoveList moves={answer.winning} />
        </details>
      )}
      <p class="faint">
        by {answer.basis}, {answer.took < 0.01 ? "under 0.01" : answer.took.toFixed(2)} s
      </p>
      <button onClick={() => void askWhy()}>Why?</button>
    </section>
  );
}

/// A number in a base, in as many digits as are wanted.
function digits(value: number, base: number): string {
  return Math.abs(value).toString(Math.min(Math.max(base, 2), 36));
}

function Columns({ sum }: { sum: WhySum }) {
  const rows = [...sum.terms.map((term) => [term.term, term.value] as const), ["sum", sum.sum] as const];
  const width = Math.max(...rows.map(([, value]) => digits(value, sum.base).length));
  return (
    <table class="digits">
      <caption>
        digits in base {sum.base}
        {sum.modulus !== null && `, added modulo ${sum.modulus}`}
      </caption>
      <tbody>
        {rows.map(([term, value], index) => (
          <tr class={index === rows.length - 1 ? "sum" : ""}>
            <th scope="row">{term}</th>
            <td>{value}</td>
            <td>
              <code>{digits(value, sum.base).padStart(width, "0")}</code>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Reasons({ side }: { side: WhySide }) {
  return (
    <>
      <p>{side.summary}.</p>
      <ul class="reasons">
        {side.moves.map((move: WhyMove) => (
          <li>
            {move.words}
            {move.alike > 1 && <span class="faint"> ({move.alike - 1} like it)</span>}
            {move.breaks && <span class="faint"> breaks {move.breaks}</span>}
            {move.reply && (
              <>
                {" "}
                – reply: <em>{move.reply.words}</em>
              </>
            )}
          </li>
        ))}
        {side.omitted > 0 && <li class="faint">{side.omitted} more</li>}
      </ul>
    </>
  );
}

export function Why() {
  const reason = why.value;
  if (!reason) return null;
  return (
    <section class="why" aria-label="Why">
      <h3>Why</h3>
      <p>
        <strong>{reason.headline}</strong>
      </p>
      {reason.claims.map((claim) => (
        <div>
          <p>
            <code>{claim.claim}</code> {typeof claim.value === "number" ? `has the value ${claim.value} here` : claim.value ? "holds here" : "does not hold here"}
          </p>
          <ul class="parts">
            {claim.parts.map((part) => (
              <li style={{ marginInlineStart: `${Math.min(part.depth, 8)}em` }}>
                <span class={part.value === true ? "good" : part.value === false ? "wrong" : ""}>{String(part.value)}</span> <code>{part.words}</code>
                {part.sides && `: ${part.sides[0]} and ${part.sides[1]}`}
                {part.sums.map((sum) => (
                  <Columns sum={sum} />
                ))}
              </li>
            ))}
          </ul>
        </div>
      ))}
      {reason.heaps && (
        <div>
          <p>Each move changes one heap. The nim-sum of the Grundy values of the heaps:</p>
          <Columns sum={reason.heaps} />
        </div>
      )}
      {reason.to_move.map((side) => (
        <Reasons side={side} />
      ))}
    </section>
  );
}

export function Mistake() {
  const found = mistake.value;
  if (!over.value) return null;
  if (!found) {
    const first = past.value.find((one) => called(one.turn) === "You")?.at;
    if (!lost.value || !judges.value || !first) return null;
    return (
      <p class="mistake" role="status">
        You made no mistake: {first.shown} was lost already. <button onClick={() => void goTo(first.text).then(() => askWhy())}>Show why there</button>
      </p>
    );
  }
  return (
    <p class="mistake" role="status">
      The decisive mistake: at {found.at.shown}, <em>{found.better.words}</em> would have won, and you played: {found.played.words}.{" "}
      <button onClick={() => void goTo(found.at.text).then(() => askWhy())}>Show why there</button>
    </p>
  );
}

/// The long computation that runs, with a way to end it.
export function Working() {
  const doing = working.value;
  if (!doing) return null;
  const now = progress.value;
  return (
    <div class="working" role="status">
      <span>
        {doing}
        {now && now.words !== "working" ? `: ${now.words}` : " …"}
      </span>
      <progress aria-label={doing} {...(now?.part != null ? { value: now.part, max: 1 } : {})} />
      <button onClick={cancel}>Cancel</button>
    </div>
  );
}

function Elsewhere({ claim }: { claim: ClaimInfo }) {
  if (claim.elsewhere.length === 0) return <span class="faint">about other parameters</span>;
  const there = claim.elsewhere.map(([name, value]) => `${name} = ${value}`).join(", ");
  return (
    <button
      onClick={() => {
        params.value = claim.elsewhere;
        void open();
      }}
    >
      set {there}
    </button>
  );
}

export function Claims() {
  const opened = game.value;
  if (!opened) return null;
  if (opened.claims.length + opened.examples.length === 0) {
    return <p>The file has no claims. “All sizes” looks for the P-positions, and a claim about them.</p>;
  }
  return (
    <ul class="claims">
      {opened.claims.map((claim) => {
        const verdict = claims.value.get(claim.number);
        const known = typeof verdict === "object" ? verdict : null;
        const look = known?.passes === true ? "good" : known?.passes === false || typeof verdict === "string" ? "wrong" : "";
        return (
          <li data-claim={claim.number}>
            <button class="link" onClick={() => reveal(claim.at)}>
              <code>{claim.words}</code>
            </button>
            <p>
              {!claim.applies ? (
                <Elsewhere claim={claim} />
              ) : (
                <>
                  <span class={look}>{known ? known.words : (verdict ?? "checking …")}</span>{" "}
                  {known?.counterexample && (
                    <button onClick={() => known.counterexample && void goTo(known.counterexample.text)}>Show {known.counterexample.shown}</button>
                  )}{" "}
                  {known?.counterexample && opened.kind !== "reals" && (
                    <button
                      disabled={working.value !== null}
                      onClick={() => {
                        tab.value = "sizes";
                        void discover();
                      }}
                    >
                      Find what holds
                    </button>
                  )}{" "}
                  {verdict !== undefined && !known?.proved && known?.passes !== false && (
                    <button disabled={working.value !== null} onClick={() => void prove(claim.number)}>
                      Prove
                    </button>
                  )}
                </>
              )}
            </p>
          </li>
        );
      })}
      {opened.examples.map((example) => {
        const verdict = examples.value.get(example.number);
        const known = typeof verdict === "object" ? verdict : null;
        return (
          <li data-example={example.number}>
            <button class="link" onClick={() => void goTo(example.position.text)} disabled={!example.applies}>
              <code>example {example.words}</code>
            </button>
            <p>
              {!example.applies ? (
                <Elsewhere claim={example} />
              ) : (
                <span class={known?.passes ? "good" : verdict === undefined ? "" : "wrong"}>
                  {known ? (known.passes ? "right" : known.why) : (verdict ?? "checking …")}
                </span>
              )}
            </p>
          </li>
        );
      })}
    </ul>
  );
}

export function AllSizes() {
  const found = discovery.value;
  const opened = game.value;
  if (!opened) return null;
  return (
    <>
      <p>
        <button class="primary" disabled={working.value !== null} onClick={() => void discover()}>
          Find the P-positions of all sizes
        </button>
      </p>
      {found && (
        <section aria-label="The P-positions of all sizes">
          <p class={found.proved ? "good" : ""}>{found.words}</p>
          {found.claim && (
            <p>
              <code>{found.claim}</code> <button onClick={() => {
                  if (!found.claim) return;
                  append(found.claim);
                  // Its verdict is the last there.
                  tab.value = "claims";
                }}>Add it to the rule</button>
            </p>
          )}
          {found.checked.length > 0 && (
            <ul class="faint">
              {found.checked.map((one) => (
                <li>{one}</li>
              ))}
            </ul>
          )}
          {found.picture && (
            <div class="scroll">
              <Picture drawn={found.picture} alt="The automaton that recognises the P-positions" />
            </div>
          )}
          <p class="faint">{found.took.toFixed(2)} s</p>
        </section>
      )}
    </>
  );
}

const filter = signal("");
const sorted = signal<{ column: number; down: boolean } | null>(null);
const listTrouble = signal<string | null>(null);

/// Another game has other columns.
effect(() => {
  void game.value;
  filter.value = "";
  sorted.value = listTrouble.value = null;
});

/// The rows that the filter leaves, in their order, each with its place in the list.
const rows = computed(() => {
  const all = list.value;
  if (!all) return [];
  // `a=3 b` finds rows in which column a is 3 and something contains b.
  const wanted = filter.value.split(/\s+/).filter(Boolean);
  const found = all.rows.map((row, place) => ({ row, place }));
  const kept = found.filter(({ row }) =>
    wanted.every((want) => {
      const [name, value] = want.split("=");
      const column = value === undefined ? -1 : all.columns.indexOf(name ?? "");
      return column >= 0 ? row[column] === value : row.some((cell) => cell.includes(want));
    }),
  );
  const by = sorted.value;
  if (by) {
    const order = (a: string, b: string) => (/^\d+$/.test(a) && /^\d+$/.test(b) ? Number(a) - Number(b) : a.localeCompare(b));
    kept.sort((a, b) => (by.down ? -1 : 1) * order(a.row[by.column] ?? "", b.row[by.column] ?? ""));
  }
  return kept;
});

function save(name: string, type: string, content: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([content], { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

/// A table for a paper: its head in italics, without what needs a package.
function inTex(lines: string[][]): string {
  const escaped = (cell: string) => cell.replace(/[{}_&%$#]/g, (letter) => `\\${letter}`);
  const [head = [], ...rest] = lines.map((line) => line.map(escaped));
  const body = [head.map((cell) => `\\textit{${cell}}`), ...rest].map((line) => `${line.join(" & ")} \\\\`);
  body.splice(1, 0, "\\hline");
  return ["\\begin{tabular}{" + "r".repeat(head.length) + "}", ...body, "\\end{tabular}", ""].join("\n");
}

const inCsv = (cell: string) => (/[",\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);

export function Table() {
  const opened = game.value;
  const found = list.value;
  if (!opened) return null;
  if (opened.kind === "reals") return <p>Heaps of real size have no list of positions.</p>;
  const others = opened.may_repeat || opened.has_sides;
  const submit = async (form: HTMLFormElement) => {
    const data = new FormData(form);
    const outcome = String(data.get("outcome"));
    const max = String(data.get("max"));
    listTrouble.value = await makeList({
      max: max ? Number(max) : null,
      outcomes: outcome === "all" ? [] : [outcome],
      grundy: data.has("grundy"),
      up_to_symmetry: data.has("alike"),
    });
  };
  const name = opened.name;
  const kept = rows.value.map(({ row }) => row);
  return (
    <>
      <form
        class="row"
        onSubmit={(event) => {
          event.preventDefault();
          void submit(event.currentTarget);
        }}
      >
        <label>
          Heaps up to <input name="max" type="number" min="0" max="100000" value={opened.suggested_max} />
        </label>
        <label>
          Outcome{" "}
          <select name="outcome">
            {["P", "N", ...(others ? ["L", "R", "D"] : []), "all"].map((one) => (
              <option>{one}</option>
            ))}
          </select>
        </label>
        {!others && !isMisere.value && (
          <label>
            <input type="checkbox" name="grundy" /> Grundy values
          </label>
        )}
        {opened.kind === "heaps" && (
          <label>
            <input type="checkbox" name="alike" checked /> one of each symmetry class
          </label>
        )}
        <button class="primary" disabled={working.value !== null}>
          List
        </button>
      </form>
      {listTrouble.value && <p class="wrong">{listTrouble.value}</p>}
      {found && (
        <>
          <div class="row">
            <label>
              Filter <input value={filter.value} placeholder={`${found.columns[0]}=1`} onInput={(event) => (filter.value = event.currentTarget.value)} />
            </label>
            <span class="faint">
              {kept.length} of {found.count} positions with heaps up to {found.max}
              {found.count > found.rows.length && `; the first ${found.rows.length} are here`}
            </span>
            <button onClick={() => save(`${name}.csv`, "text/csv", [found.columns, ...kept].map((row) => row.map(inCsv).join(",")).join("\n") + "\n")}>CSV</button>
            <button onClick={() => save(`${name}.json`, "application/json", JSON.stringify({ game: name, params: opened.values, convention: isMisere.value ? "misere" : "normal", max: found.max, columns: found.columns, rows: kept }))}>
              JSON
            </button>
            <button onClick={() => save(`${name}.tex`, "application/x-tex", inTex([found.columns, ...kept]))}>LaTeX</button>
          </div>
          <div class="scroll" tabIndex={0} role="region" aria-label="Positions">
            <table class="list">
              <thead>
                <tr>
                  {found.columns.map((column, index) => (
                    <th scope="col" aria-sort={sorted.value?.column === index ? (sorted.value.down ? "descending" : "ascending") : "none"}>
                      <button
                        class="link"
                        onClick={() => (sorted.value = sorted.value?.column === index && sorted.value.down ? null : { column: index, down: sorted.value?.column === index })}
                      >
                        {column}
                      </button>
                    </th>
                  ))}
                  <th>
                    <span class="hidden">show</span>
                  </th>
                </tr>
              </thead>
              <tbody>
                {rows.value.slice(0, 300).map(({ row, place }) => (
                  <tr>
                    {row.map((cell) => (
                      <td>{cell}</td>
                    ))}
                    <td>
                      <button
                        class="link"
                        onClick={async () => {
                          const at = found.positions[place];
                          const trouble = at ? await goTo(at) : null;
                          if (trouble) said.value = trouble;
                        }}
                      >
                        show<span class="hidden"> {found.positions[place]}</span>
                      </button>
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
            {rows.value.length > 300 && <p class="faint">300 rows are shown; the filter and the files reach all.</p>}
          </div>
        </>
      )}
    </>
  );
}
