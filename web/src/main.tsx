/// The page: the rule, the board, and what is known.
import { effect, signal, useSignal } from "@preact/signals";
import { render } from "preact";
import { Amounts, Board, Chosen, MoveList, mayMove } from "./board";
import { Editor, Outline, format, rename } from "./editor";
import { Gallery, shown as galleryShown } from "./gallery";
import { Sheet, sheetShown } from "./sheet";
import { Plots } from "./plot";
import { AllSizes, Answer, Claims, Mistake, Table, Why, Working } from "./panels";
import {
  address, another, begin, called, errs, game, goBack, goTo, isBoard, isMisere, misere, mode, open, options, over, params, past, playTyped, position, programFirst,
  restart, reveals, said, shown, solved, start, tab, trouble, turn, undo, words, type Mode, type Tab,
} from "./state";
import "./style.css";

const typedTrouble = signal<string | null>(null);
const startTrouble = signal<string | null>(null);

/// What was typed is about the position that was on the board.
effect(() => {
  void position.value;
  typedTrouble.value = startTrouble.value = null;
});

function Header() {
  return (
    <header>
      <h1>nimrule</h1>
      <button onClick={() => (galleryShown.value = true)}>Games …</button>
      <button
        onClick={async () => {
          const href = await address();
          history.replaceState(null, "", href);
          try {
            await navigator.clipboard.writeText(href);
            said.value = "The address is copied: it holds the rule, the parameters and the position.";
          } catch {
            said.value = "The address of the page holds the rule, the parameters and the position.";
          }
        }}
      >
        Share
      </button>
      <button onClick={() => (sheetShown.value = true)}>Print a sheet …</button>
    </header>
  );
}

function Parameters() {
  const opened = game.value;
  if (!opened) return null;
  const set = (name: string, value: string) => {
    const others = opened.params.filter((one) => one.name !== name).map((one) => [one.name, one.value] as [string, string]);
    params.value = [...others, [name, value]];
    void open();
  };
  return (
    <div class="row params">
      {opened.params.map((one) => (
        <label key={one.name}>
          {one.name}{" "}
          <input
            type={one.is_number ? "number" : "text"}
            value={one.value}
            onChange={(event) => event.currentTarget.value && set(one.name, event.currentTarget.value)}
          />
        </label>
      ))}
      <label>
        <input
          type="checkbox"
          checked={misere.value}
          onChange={(event) => {
            misere.value = event.currentTarget.checked;
            void open();
          }}
        />{" "}
        misère: who cannot move wins
      </label>
    </div>
  );
}

const MODES: [Mode, string][] = [
  ["explore", "explore, with answers"],
  ["program", "against the program"],
  ["people", "two people"],
  ["itself", "the program against itself"],
];

function Controls() {
  const opened = game.value;
  if (!opened || opened.kind === "reals") return null;
  const played = mode.value === "program" || mode.value === "itself";
  return (
    <div class="row">
      <label>
        Play{" "}
        <select
          value={mode.value}
          onChange={(event) => {
            mode.value = event.currentTarget.value as Mode;
            begin(position.value);
          }}
        >
          {MODES.map(([value, name]) => (
            <option value={value}>{name}</option>
          ))}
        </select>
      </label>
      {played && (
        <label>
          Level{" "}
          <select value={errs.value} onChange={(event) => (errs.value = Number(event.currentTarget.value))}>
            {opened.levels.map(([name, errs]) => (
              <option value={errs}>{name}</option>
            ))}
          </select>
        </label>
      )}
      {mode.value === "program" && (
        <label>
          <input
            type="checkbox"
            checked={programFirst.value}
            onChange={(event) => {
              programFirst.value = event.currentTarget.checked;
              begin(position.value);
            }}
          />{" "}
          the program begins
        </label>
      )}
      {mode.value !== "explore" && (
        <label>
          <input type="checkbox" checked={reveals.value} onChange={(event) => (reveals.value = event.currentTarget.checked)} /> show who wins
        </label>
      )}
    </div>
  );
}

function hint(): void {
  const answer = solved.value;
  const best = answer?.winning[0];
  if (!answer) said.value = "The position is not solved yet.";
  else if (!best) said.value = "No move wins, if the other player makes no mistake.";
  else said.value = answer.turn === "draws" ? `No move wins; this draws: ${best.words}.` : `This wins: ${best.words}.`;
}

function Play() {
  const opened = game.value;
  const at = position.value;
  if (!opened) return null;
  return (
    <section class="play" aria-label="Board">
      <h2>
        {opened.heading}
        {isMisere.value && ", misère play"}
      </h2>
      {opened.moves.length > 0 && opened.moves.length < 4 && (
        <p class="faint">
          <code>{opened.moves.join("; ")}</code>
        </p>
      )}
      <Controls />
      <Board />
      {opened.kind === "reals" && <p>Heaps of real size cannot be played one by one; the claims are about their positions.</p>}
      {opened.blocks && <p>The opponent blocks options in this game, so that moves cannot be played one by one; any position can be typed.</p>}
      <p class="said" role="status" aria-live="polite">
        {over.value ? (
          <strong>{over.value}</strong>
        ) : (
          <>
            {said.value} {at && mayMove.value && <span class="faint">{called(turn.value)} to move: choose a heap on the board, or type a move.</span>}
          </>
        )}
      </p>
      <Mistake />
      <Amounts />
      <Chosen />
      {at && (
        <div class="row">
          <button onClick={undo} disabled={past.value.length === 0}>
            Undo
          </button>
          <button onClick={hint} disabled={over.value !== null || !mayMove.value}>
            Hint
          </button>
          <button onClick={restart}>Restart</button>
          <button onClick={() => void another()} disabled={opened.blocks}>
            New position
          </button>
        </div>
      )}
      {at && mayMove.value && (
        <form
          class="row"
          onSubmit={async (event) => {
            event.preventDefault();
            const form = event.currentTarget;
            const line = String(new FormData(form).get("line")).trim();
            if (!line) return;
            typedTrouble.value = await playTyped(line);
            if (!typedTrouble.value) form.reset();
          }}
        >
          <label>
            Type a move <input name="line" autocomplete="off" title={options.value?.ways} />
          </label>
          <button>Play it</button>
          {typedTrouble.value && <p class="wrong">{typedTrouble.value}</p>}
        </form>
      )}
      {opened.kind !== "reals" && (
        <form
          class="row"
          onSubmit={async (event) => {
            event.preventDefault();
            startTrouble.value = await goTo(String(new FormData(event.currentTarget).get("at")));
          }}
        >
          <label>
            Position <input name="at" autocomplete="off" key={at?.text} defaultValue={at?.text ?? ""} />
          </label>
          <button>Go there</button>
          {startTrouble.value && <p class="wrong">{startTrouble.value}</p>}
        </form>
      )}
      {mayMove.value && options.value && (
        <details>
          <summary>
            All moves: {options.value.list.length}
            {!options.value.all && " and more"}
          </summary>
          <MoveList moves={options.value.list} most={200} />
        </details>
      )}
      {past.value.length > 0 && (
        <details>
          <summary>Moves so far: {past.value.length}</summary>
          <ol class="past">
            {past.value.map((one, place) => (
              <li>
                {called(one.turn)}: {one.by} <span class="faint">from</span>{" "}
                <button class="link" title="Go back to this position" onClick={() => goBack(place)}>
                  {one.at.shown}
                </button>
              </li>
            ))}
          </ol>
        </details>
      )}
      <Answer />
      <Why />
    </section>
  );
}

const TABS: Record<Tab, string> = { claims: "Claims", sizes: "All sizes", table: "Positions", plots: "Plots", about: "About" };

function About() {
  const opened = game.value;
  if (!opened) return null;
  return (
    <dl>
      <dt>Heaps</dt>
      <dd>{opened.heaps || "any number of heaps"}</dd>
      <dt>Moves</dt>
      {opened.moves.map((move) => (
        <dd>
          <code>{move}</code>
        </dd>
      ))}
      {opened.sources.length > 0 && <dt>Sources</dt>}
      {opened.sources.map((source) => (
        <dd>{source}</dd>
      ))}
      {opened.notes.length > 0 && <dt>Notes</dt>}
      {opened.notes.map((note) => (
        <dd>{note}</dd>
      ))}
      {opened.warnings.length > 0 && <dt>Warnings</dt>}
      {opened.warnings.map((warning) => (
        <dd>{warning.message}</dd>
      ))}
    </dl>
  );
}

function Known() {
  const names = Object.entries(TABS) as [keyof typeof TABS, string][];
  const go = (event: KeyboardEvent) => {
    const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    if (step === 0) return;
    const now = names.findIndex(([name]) => name === tab.value);
    const next = names[(now + step + names.length) % names.length];
    if (next) {
      tab.value = next[0];
      document.getElementById(`tab-${next[0]}`)?.focus();
    }
  };
  return (
    <section class="known" aria-label="What is known">
      <div role="tablist" aria-label="What is known" onKeyDown={go}>
        {names.map(([name, shown]) => (
          <button
            role="tab"
            id={`tab-${name}`}
            aria-selected={tab.value === name}
            aria-controls="tab"
            tabIndex={tab.value === name ? 0 : -1}
            onClick={() => (tab.value = name)}
          >
            {shown}
          </button>
        ))}
      </div>
      <div role="tabpanel" id="tab" aria-labelledby={`tab-${tab.value}`} tabIndex={0}>
        <Working />
        {tab.value === "claims" ? <Claims /> : tab.value === "sizes" ? <AllSizes /> : tab.value === "table" ? <Table /> : tab.value === "plots" ? <Plots /> : <About />}
      </div>
    </section>
  );
}

/// A board in another page, with a way to the whole page.
function OnlyBoard() {
  const href = useSignal("./");
  const follow = async () => (href.value = (await address()).replace(/\?board/, ""));
  return (
    <main class="only">
      <Play />
      {trouble.value && <p class="wrong">{trouble.value}</p>}
      <p>
        <a href={href} target="_blank" onPointerDown={follow} onFocus={follow}>
          Open in the page
        </a>
      </p>
    </main>
  );
}

function App() {
  return (
    <>
      <Header />
      <main>
        <section class="rule" aria-label="Rule">
          <details open>
            <summary>
              <h2>Rule</h2>
            </summary>
            <div class="row">
              <button onClick={() => void format()}>Format</button>
              <button onClick={() => void rename()}>Rename …</button>
            </div>
            <Editor />
            {trouble.value && (
              <p class="wrong" role="status">
                {trouble.value}
              </p>
            )}
            <Outline />
          </details>
          <Parameters />
        </section>
        <Play />
        <Known />
      </main>
      <Gallery />
      <Sheet />
    </>
  );
}

const root = document.getElementById("app");
if (root) {
  root.textContent = "";
  render(isBoard ? <OnlyBoard /> : <App />, root);
  if (isBoard) new ResizeObserver(() => parent.postMessage({ height: document.documentElement.offsetHeight }, "*")).observe(document.documentElement);
}
Object.assign(globalThis, { nimrule: shown });
start().catch((error: unknown) => (trouble.value = `The program cannot start: ${words(error)}`));
if (import.meta.env.PROD && "serviceWorker" in navigator) {
  // Without a service worker the page works, but not offline.
  navigator.serviceWorker.register("./offline.js").catch(() => {});
}
