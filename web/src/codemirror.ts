/// CodeMirror, with the answers of the language's own editor crate. It is loaded after the page
/// is shown.
import { autocompletion, completionKeymap, type CompletionContext } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { HighlightStyle, StreamLanguage, bracketMatching, syntaxHighlighting } from "@codemirror/language";
import { lintGutter, lintKeymap, linter, type Diagnostic } from "@codemirror/lint";
import { highlightSelectionMatches, searchKeymap } from "@codemirror/search";
import { EditorState } from "@codemirror/state";
import { EditorView, drawSelection, highlightActiveLine, hoverTooltip, keymap, lineNumbers, type KeyBinding } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import type { Words } from "./messages";
import { edited, reader } from "./state";

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

/// A view of a text, with the commands of the page.
export function viewOf(parent: HTMLElement, doc: string, known: Words, commands: KeyBinding[]): EditorView {
  return new EditorView({
    parent,
    state: EditorState.create({
      doc,
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
        keymap.of([...commands, ...completionKeymap, ...lintKeymap, ...searchKeymap, ...historyKeymap, ...defaultKeymap]),
      ],
    }),
  });
}
