/// The editor of the rule.
import type { EditorView } from "@codemirror/view";
import { effect, signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { checked, judged, reader, said, text, trouble, words } from "./state";

/// The view, for the commands of the page.
let view: EditorView | null = null;
/// Whether it is there; until then the text stands in its place.
const ready = signal(false);

/// Replaces the text, as far as it differs.
function replace(changed: string): void {
  if (!view || view.state.doc.toString() === changed) return;
  view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: changed } });
}

export async function format(): Promise<void> {
  const asked = text.value;
  const formatted = await reader.ask("format", { text: asked });
  // What was typed meanwhile is not replaced.
  if (text.value !== asked) return;
  if (formatted === null) said.value = "A text with syntax errors cannot be formatted.";
  else replace(formatted);
}

/// The name that is being renamed, and what is wrong with the new one.
const renaming = signal<{ at: number; name: string; wrong?: string } | null>(null);

export async function rename(): Promise<void> {
  if (!view) return;
  const at = view.state.selection.main.head;
  try {
    const found = await reader.ask("rename", { text: text.value, at, to: null });
    renaming.value = { at, name: found.name };
  } catch (error) {
    said.value = `Put the cursor on a name of the file first: ${words(error)}.`;
  }
}

async function renameTo(to: string): Promise<void> {
  const now = renaming.value;
  if (!now || !view) return;
  const asked = text.value;
  try {
    const found = await reader.ask("rename", { text: asked, at: now.at, to });
    if (text.value !== asked) return;
    view.dispatch({ changes: found.edits.map((edit) => ({ ...edit.at, insert: edit.with })) });
    renaming.value = null;
    view.focus();
  } catch (error) {
    renaming.value = { ...now, wrong: words(error) };
  }
}

/// Shows a place of the text.
export function reveal(at: { from: number; to: number }): void {
  if (!view) return;
  const end = view.state.doc.length;
  view.dispatch({ selection: { anchor: Math.min(at.from, end), head: Math.min(at.to, end) }, scrollIntoView: true });
  view.focus();
}

/// Adds a line to the rule.
export function append(line: string): void {
  if (!view) return;
  const end = view.state.doc.length;
  const before = view.state.doc.toString().endsWith("\n") ? "" : "\n";
  view.dispatch({ changes: { from: end, insert: `${before}${line}\n` }, scrollIntoView: true });
}

/// Waits until the first questions are answered, which an editor would delay: two seconds at
/// most, and no longer than until the text is pointed at or reached by keys.
function quiet(text: HTMLElement | null): Promise<void> {
  let stop = () => {};
  const done = new Promise<void>((resolve) => {
    setTimeout(resolve, 2000);
    for (const sign of ["pointerenter", "focusin"]) text?.addEventListener(sign, () => resolve(), { once: true });
    stop = effect(() => {
      if (judged.value || trouble.value) resolve();
    });
  });
  return done.finally(() => stop());
}

export function Editor() {
  const host = useRef<HTMLDivElement>(null);
  useEffect(() => {
    let stop = () => {};
    let gone = false;
    const load = async () => {
      await quiet(host.current);
      const [{ viewOf }, known] = await Promise.all([import("./codemirror"), reader.ask("words", {})]);
      // A task of its own, so that the page can answer between.
      await new Promise((resolve) => setTimeout(resolve));
      if (!host.current || gone) return;
      const focused = host.current.contains(document.activeElement);
      view = viewOf(host.current, text.value, known, [
        { key: "F2", run: () => (void rename(), true) },
        { key: "Shift-Alt-f", run: () => (void format(), true) },
      ]);
      ready.value = true;
      if (focused) view.focus();
      stop = effect(() => replace(text.value));
    };
    load().catch((error: unknown) => (said.value = `The editor cannot be loaded: ${words(error)}`));
    return () => {
      gone = true;
      stop();
      view?.destroy();
      view = null;
      ready.value = false;
    };
  }, []);
  return (
    <>
      <div class="editor" ref={host}>
        {!ready.value && (
          <pre tabIndex={0} role="textbox" aria-label="The rule" aria-multiline="true" aria-readonly="true">
            {text}
          </pre>
        )}
      </div>
      <Renaming />
      <Findings />
    </>
  );
}

function Renaming() {
  const now = renaming.value;
  if (!now) return null;
  return (
    <form
      class="row"
      onSubmit={(event) => {
        event.preventDefault();
        const to = new FormData(event.currentTarget).get("name");
        void renameTo(String(to));
      }}
    >
      <label>
        Rename <code>{now.name}</code> to <input name="name" autofocus value={now.name} />
      </label>
      <button>Rename</button>
      <button type="button" onClick={() => (renaming.value = null)}>
        Leave it
      </button>
      {now.wrong && <p class="wrong">{now.wrong}</p>}
    </form>
  );
}

/// The errors and warnings below the text, for those who do not see its marks.
function Findings() {
  const found = checked.value?.findings ?? [];
  if (found.length === 0) return null;
  return (
    <ul class="findings" aria-label="Errors and warnings">
      {found.slice(0, 5).map((finding) => (
        <li class={finding.is_warning ? "warning" : "wrong"}>
          <button class="link" onClick={() => reveal(finding.at)}>
            {finding.is_warning ? "Warning: " : "Error: "}
            {finding.message}
          </button>
          {finding.help && <span> {finding.help}</span>}{" "}
          {finding.fix && (
            <button onClick={() => finding.fix && view?.dispatch({ changes: { ...finding.fix.at, insert: finding.fix.with } })}>
              {finding.fix.with ? `Write “${finding.fix.with}”` : "Remove it"}
            </button>
          )}
        </li>
      ))}
    </ul>
  );
}

export function Outline() {
  const outline = checked.value?.outline ?? [];
  if (outline.length === 0) return null;
  return (
    <details class="outline">
      <summary>Outline</summary>
      <ul>
        {outline.map((heading) => (
          <li>
            <button class="link" onClick={() => reveal(heading.at)}>
              <span class="faint">{heading.kind}</span> {heading.name}
            </button>
          </li>
        ))}
      </ul>
    </details>
  );
}
