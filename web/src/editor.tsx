/// The editor of the rule: CodeMirror, with the answers of the language's own editor crate.
import { autocompletion, completionKeymap, type CompletionContext } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { HighlightStyle, StreamLanguage, bracketMatching, syntaxHighlighting } from "@codemirror/language";
import { lintGutter, lintKeymap, linter, type Diagnostic } from "@codemirror/lint";
import { highlightSelectionMatches, searchKeymap } from "@codemirror/search";
import { EditorState, Prec } from "@codemirror/state";
import { EditorView, drawSelection, highlightActiveLine, hoverTooltip, keymap, lineNumbers } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { effect, signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { Words } from "./messages";
import { checked, edited, reader, said, text, words } from "./state";

/// The view, for the commands of the page.
let view: EditorView | null = null;

function language(known: Words) {
  const statements = new Set(known.statements);
  const others = new Set(known.others);
  return StreamLanguage.define<{ begins: boolean }>({
    name: "nimrule",
    startState: () => ({ begins: true }),
    token(stream, state) {
      if (stream.sol()) state.begins = true;
      if (stream.eatSpace()) return null;
      if (stream.match(/^\/\/.*/)) return "comment";
      if (stream.match(/^"[^"]*"?/)) return "string";
      if (stream.match(/^\d+/)) return "number";
      const word = stream.match(/^[\p{L}_][\p{L}\p{N}_]*/u) as RegExpMatchArray | null;
      const begins = state.begins;
      state.begins = false;
      if (!word) {
        stream.next();
        return "operator";
      }
      if (begins && statements.has(word[0])) return "keyword";
      return others.has(word[0]) ? "atom" : "variableName";
    },
  });
}

const colours = HighlightStyle.define([
  { tag: tags.keyword, color: "var(--keyword)", fontWeight: "600" },
  { tag: tags.atom, color: "var(--word)" },
  { tag: tags.string, color: "var(--string)" },
  { tag: tags.number, color: "var(--number)" },
  { tag: tags.comment, color: "var(--faint)", fontStyle: "italic" },
]);

const diagnostics = linter(
  async (view): Promise<Diagnostic[]> => {
    const found = await edited(view.state.doc.toString());
    const length = view.state.doc.length;
    return found.findings.map((finding) => {
      const from = Math.min(finding.at.from, length);
      const fix = finding.fix;
      return {
        from,
        to: Math.min(Math.max(finding.at.to, from + 1), length),
        severity: finding.is_warning ? "warning" : "error",
        message: finding.help ? `${finding.message}\n${finding.help}` : finding.message,
        ...(fix
          ? {
              actions: [
                {
                  name: fix.with ? `Write “${fix.with}”` : "Remove it",
                  apply: (view: EditorView) => view.dispatch({ changes: { ...fix.at, insert: fix.with } }),
                },
              ],
            }
          : {}),
      };
    });
  },
  { delay: 150 },
);

const hover = hoverTooltip(async (view, pos) => {
  const found = await reader.ask("hover", { text: view.state.doc.toString(), at: pos });
  if (!found) return null;
  return {
    pos: found.at.from,
    end: found.at.to,
    create() {
      const dom = document.createElement("div");
      dom.className = "hover";
      for (const paragraph of found.text.split("\n\n")) {
        const p = dom.appendChild(document.createElement("p"));
        // Words of the language stand between backquotes.
        paragraph.split("`").forEach((part, index) => {
          const node = index % 2 ? document.createElement("code") : document.createElement("span");
          node.textContent = part;
          p.append(node);
        });
      }
      return { dom };
    },
  };
});

async function complete(context: CompletionContext) {
  const typed = context.matchBefore(/[\p{L}\p{N}_]+/u);
  if (!typed && !context.explicit) return null;
  const found = await reader.ask("complete", { text: context.state.doc.toString(), at: context.pos });
  const kinds: Record<string, string> = { keyword: "keyword", name: "variable", board: "class" };
  return {
    from: found.at.from,
    options: found.list.map((one) => ({ label: one.word, type: kinds[one.kind] ?? "text", info: one.meaning })),
    validFor: /^[\p{L}\p{N}_]*$/u,
  };
}

/// Replaces the text, as far as it differs.
function replace(changed: string): void {
  if (!view || view.state.doc.toString() === changed) return;
  view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: changed } });
}

export async function format(): Promise<void> {
  const formatted = await reader.ask("format", { text: text.value });
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
  try {
    const found = await reader.ask("rename", { text: text.value, at: now.at, to });
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

export function Editor() {
  const host = useRef<HTMLDivElement>(null);
  useEffect(() => {
    let stop = () => {};
    let gone = false;
    void reader.ask("words", {}).then((known) => {
      if (!host.current || gone) return;
      view = new EditorView({
        parent: host.current,
        state: EditorState.create({
          doc: text.value,
          extensions: [
            lineNumbers(),
            history(),
            drawSelection(),
            bracketMatching(),
            highlightActiveLine(),
            highlightSelectionMatches(),
            autocompletion({ override: [complete] }),
            language(known),
            syntaxHighlighting(colours),
            lintGutter(),
            diagnostics,
            hover,
            EditorView.lineWrapping,
            EditorView.contentAttributes.of({ "aria-label": "The rule", tabindex: "0" }),
            Prec.high(
              keymap.of([
                { key: "F2", run: () => (void rename(), true) },
                { key: "Shift-Alt-f", run: () => (void format(), true) },
              ]),
            ),
            keymap.of([...completionKeymap, ...lintKeymap, ...searchKeymap, ...historyKeymap, ...defaultKeymap]),
          ],
        }),
      });
      stop = effect(() => replace(text.value));
    });
    return () => {
      gone = true;
      stop();
      view?.destroy();
      view = null;
    };
  }, []);
  return (
    <>
      <div class="editor" ref={host} />
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
