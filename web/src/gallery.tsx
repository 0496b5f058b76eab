/// The shipped games by source and board, with their pictures.
import { signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { Picture } from "./board";
import type { Described, Picture as Drawn } from "./messages";
import { load, reader, said, words } from "./state";

export const shown = signal(false);
/// The games, once the gallery has been opened.
const games = signal<Described[] | null>(null);
const search = signal("");
const grouped = signal<"source" | "board">("board");
const pictures = signal<Map<string, Drawn>>(new Map());

function groups(found: Described[]): [string, Described[]][] {
  const by = new Map<string, Described[]>();
  for (const one of found) {
    const names = grouped.value === "board" ? [one.board] : one.sources.length ? one.sources : ["Without a source"];
    for (const name of names) by.set(name, [...(by.get(name) ?? []), one]);
  }
  return [...by].sort(([a], [b]) => a.localeCompare(b));
}

function Card({ game }: { game: Described }) {
  const card = useRef<HTMLButtonElement>(null);
  // A picture is drawn when its card comes into view.
  useEffect(() => {
    if (!card.current || pictures.value.has(game.file)) return;
    const watch = new IntersectionObserver((entries) => {
      if (!entries.some((entry) => entry.isIntersecting)) return;
      watch.disconnect();
      reader
        .ask("thumbnail", { file: game.file })
        .then((drawn) => (pictures.value = new Map(pictures.value).set(game.file, drawn)))
        .catch(() => {});
    });
    watch.observe(card.current);
    return () => watch.disconnect();
  }, [game.file]);
  const drawn = pictures.value.get(game.file);
  return (
    <button
      class="card"
      ref={card}
      data-game={game.file}
      onClick={() => {
        shown.value = false;
        load(game.file);
      }}
    >
      <span class="thumbnail">{drawn && <Picture drawn={drawn} alt="" />}</span>
      <span>{game.title}</span>
    </button>
  );
}

export function Gallery() {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    if (shown.value) dialog.current?.showModal();
    else dialog.current?.close();
    if (!shown.value || games.value) return;
    reader
      .ask("gallery", {})
      .then((described) => (games.value = described))
      .catch((error: unknown) => (said.value = words(error)));
  }, [shown.value]);
  const wanted = search.value.toLowerCase();
  const found = (games.value ?? []).filter((one) => [one.file, one.title, one.board, ...one.sources].some((words) => words.toLowerCase().includes(wanted)));
  return (
    <dialog class="gallery" ref={dialog} onClose={() => (shown.value = false)} aria-label="Games">
      <div class="row">
        <label>
          Find <input type="search" value={search.value} onInput={(event) => (search.value = event.currentTarget.value)} />
        </label>
        <label>
          By{" "}
          <select value={grouped.value} onChange={(event) => (grouped.value = event.currentTarget.value === "board" ? "board" : "source")}>
            <option value="board">board</option>
            <option value="source">source</option>
          </select>
        </label>
        <button onClick={() => (shown.value = false)}>Close</button>
      </div>
      {shown.value &&
        groups(found).map(([name, games]) => (
          <section key={name}>
            <h3>{name}</h3>
            <div class="cards">
              {games.map((game) => (
                <Card key={game.file} game={game} />
              ))}
            </div>
          </section>
        ))}
      {found.length === 0 && <p>{games.value ? "No game has these words." : "The games are read …"}</p>}
    </dialog>
  );
}
