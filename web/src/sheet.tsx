/// A sheet for a lesson, which the page prints: the rule, the board, lines to write on, and the
/// solution on a page of its own.
import { signal } from "@preact/signals";
import { Picture, alone } from "./board";
import { askWhy, game, misere, position, solved, why } from "./state";

/// Whether the sheet is made; it is seen on paper only.
const made = signal(false);

export async function printSheet(): Promise<void> {
  if (position.value && !why.value) await askWhy();
  made.value = true;
  // The sheet is there after the next frame.
  await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 50)));
  window.print();
}

const LINES = 6;

export function Sheet() {
  const opened = game.value;
  if (!made.value || !opened) return null;
  const at = position.value;
  const answer = solved.value;
  const moves = answer?.winning ?? [];
  return (
    <div class="sheet">
      <section>
        <h2>{opened.heading}</h2>
        <p>{opened.heaps}</p>
        <ul>
          {opened.moves.map((move) => (
            <li>
              <code>{move}</code>
            </li>
          ))}
        </ul>
        <p>{misere.value ? "The player who cannot move wins." : "The player who cannot move loses."}</p>
        {alone.value && <Picture drawn={alone.value} alt="The board" />}
        {at && (
          <>
            <p>Who wins from {at.shown}: the player to move, or the other? By which move? Why?</p>
            {Array.from({ length: LINES }, () => (
              <div class="write" />
            ))}
            <p>Moves of your game:</p>
            {Array.from({ length: LINES }, () => (
              <div class="write" />
            ))}
          </>
        )}
        <p class="faint">{opened.sources.join("; ")}</p>
      </section>
      {answer && (
        <section class="solution">
          <h2>Solution: {opened.heading}</h2>
          <p>
            {at?.shown}: {answer.headline}.
          </p>
          {moves.length > 0 && <p>{answer.all ? `Winning moves, ${moves.length} in all:` : "Winning moves, and there may be others:"}</p>}
          <ul>
            {moves.slice(0, 20).map((move) => (
              <li>{move.words}</li>
            ))}
          </ul>
          {why.value?.to_move.map((side) => (
            <>
              <p>{side.summary}.</p>
              <ul>
                {side.moves
                  .filter((move) => move.reply)
                  .slice(0, 12)
                  .map((move) => (
                    <li>
                      {move.words} – {move.reply?.words}
                    </li>
                  ))}
              </ul>
            </>
          ))}
          {opened.claims
            .filter((claim) => claim.applies)
            .slice(0, 4)
            .map((claim) => (
              <p>
                <code>{claim.words}</code>
              </p>
            ))}
        </section>
      )}
    </div>
  );
}
