/// The address holds the rule, the parameters and the position, compressed.

export interface Shared {
  /// The text of the rule, or the name of a shipped game.
  text?: string;
  game?: string;
  params: [string, string][];
  misere: boolean;
  position?: string;
}

async function piped(bytes: BufferSource, through: CompressionStream | DecompressionStream): Promise<Uint8Array<ArrayBuffer>> {
  const stream = new Blob([bytes]).stream().pipeThrough(through as ReadableWritablePair<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>);
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/// The part of an address behind `#`. A shipped game that is not changed stands by its name.
export async function toHash(shared: Shared): Promise<string> {
  const plain = new URLSearchParams();
  if (shared.game) plain.set("game", shared.game);
  else {
    const packed = await piped(new TextEncoder().encode(shared.text ?? ""), new CompressionStream("deflate-raw"));
    const letters = btoa(Array.from(packed, (byte) => String.fromCharCode(byte)).join(""));
    plain.set("rule", letters.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", ""));
  }
  for (const [name, value] of shared.params) plain.append("set", `${name}=${value}`);
  if (shared.misere) plain.set("misere", "1");
  if (shared.position) plain.set("at", shared.position);
  return plain.toString();
}

/// What an address holds; `null` if it holds no rule. Links that are written elsewhere may have
/// the rule as it is, as `text`.
export async function fromHash(hash: string): Promise<Shared | null> {
  const plain = new URLSearchParams(hash.replace(/^#/, ""));
  const shared: Shared = {
    params: plain.getAll("set").map((setting) => {
      const at = setting.indexOf("=");
      return [setting.slice(0, at), setting.slice(at + 1)];
    }),
    misere: plain.get("misere") === "1",
  };
  const position = plain.get("at");
  if (position) shared.position = position;
  const game = plain.get("game");
  if (game) return { ...shared, game };
  const text = plain.get("text");
  if (text !== null) return { ...shared, text };
  const packed = plain.get("rule");
  if (packed === null) return null;
  try {
    const letters = atob(packed.replaceAll("-", "+").replaceAll("_", "/"));
    const bytes = Uint8Array.from(letters, (letter) => letter.charCodeAt(0));
    const text = new TextDecoder().decode(await piped(bytes, new DecompressionStream("deflate-raw")));
    return { ...shared, text };
  } catch {
    return null;
  }
}
