/// A sheet for a lesson: positions to solve with their boards, and the solutions on a page of
/// their own, as the command `sheet` writes it.
import { signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { Printed } from "./messages";
import { about, game, player, words } from "./state";

/// Whether the sheet is shown.
export const sheetShown = signal(false);
const made = signal<Printed | null>(null);
const trouble = signal<string | null>(null);
const asked = signal({ count: 6, max: null as number | null, seed: 1, positions: [] as string[] });

/// The positions in a text, between blanks: (3,4,5) (1,2,3).
const listed = (field: FormDataEntryValue | null) => String(field ?? "").match(/[({][^)}]*[)}]|\S+/g) ?? [];

/// The number of the sheet: an earlier one that is ready later is dropped.
let making = 0;

async function make(): Promise<void> {
  const mine = ++making;
  made.value = null;
  trouble.value = null;
  try {
    const found = await about(player, "sheet", asked.value);
    if (mine === making) made.value = found;
  } catch (error) {
    if (mine === making) trouble.value = words(error);
  }
}

/// A number that a person typed, if it is one.
const typed = (field: FormDataEntryValue | null) => (field ? Number(field) : null);

export function Sheet() {
  const dialog = useRef<HTMLDialogElement>(null);
  const frame = useRef<HTMLIFrameElement>(null);
  useEffect(() => {
    if (!sheetShown.value) return dialog.current?.close();
    if (!dialog.current?.open) dialog.current?.showModal();
    void make();
  }, [sheetShown.value, game.value]);
  const { count, max, seed, positions } = asked.value;
  return (
    <dialog class="gallery" ref={dialog} onClose={() => (sheetShown.value = false)} aria-label="A sheet to print">
      {sheetShown.value && (
        <>
          <form
            class="row"
            onSubmit={(event) => {
              event.preventDefault();
              const fields = new FormData(event.currentTarget);
              asked.value = { count: typed(fields.get("count")) ?? 6, max: typed(fields.get("max")), seed: typed(fields.get("seed")) ?? 1, positions: listed(fields.get("positions")) };
              void make();
            }}
          >
            <label>
              Positions <input name="count" type="number" min="1" max="100" value={count} />
            </label>
            <label>
              Heaps up to <input name="max" type="number" min="1" max="10000" value={max ?? ""} placeholder="as usual" />
            </label>
            <label>
              Number of the sheet <input name="seed" type="number" min="1" max="99999" value={seed} />
            </label>
            <label>
              Your own <input name="positions" value={positions.join(" ")} placeholder="(3,4,5) (1,2,3)" />
            </label>
            <button>Make</button>
            <button type="button" class="primary" disabled={!made.value} onClick={() => frame.current?.contentWindow?.print()}>
              Print
            </button>
            <button type="button" onClick={() => (sheetShown.value = false)}>
              Close
            </button>
          </form>
          <p role="status">
            {trouble.value ? (
              <span class="wrong">{trouble.value}</span>
            ) : !made.value ? (
              "Positions are chosen …"
            ) : positions.length > 0 ? (
              "These are the positions that you gave."
            ) : made.value.count < count ? (
              `Only ${made.value.count} positions were found that differ and are not trivial; larger heaps may have more.`
            ) : (
              "The same numbers make the same sheet; another number makes one for the next class."
            )}
          </p>
        </>
      )}
      {/* The document has no script, and none may run in it. */}
      {sheetShown.value && made.value && (
        <iframe ref={frame} class="sheet" title={`Sheet: ${game.value?.heading ?? ""}`} sandbox="allow-same-origin allow-modals" srcdoc={made.value.html} />
      )}
    </dialog>
  );
}
