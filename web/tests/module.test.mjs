// The built module is used as long as it is of the sources, and no longer.
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, test } from "node:test";
import { describe, emptied, isCurrent, sourcesOf, take } from "../scripts/module.mjs";
import { serve } from "./page.mjs";

let root;
let pkg;

/// Writes a file of the project that each test has.
function write(name, text) {
  const path = join(root, name);
  mkdirSync(join(path, ".."), { recursive: true });
  writeFileSync(path, text);
}

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "module "));
  pkg = join(root, "web/pkg");
  for (const name of ["Cargo.lock", "Cargo.toml", "crates/a/Cargo.toml", "crates/a/src/lib.rs", "games/nim.nimrule", "web/pkg/module.wasm"]) {
    write(name, `${name}\nof two lines\n`);
  }
  const escaped = root.replaceAll(" ", "\\ ");
  const sources = sourcesOf(`${escaped}/target/module.wasm: ${escaped}/crates/a/src/lib.rs ${escaped}/games\n`, root);
  assert.deepEqual(sources, ["Cargo.lock", "Cargo.toml", "crates/a/Cargo.toml", "crates/a/src/lib.rs", "games"]);
  describe(pkg, root, sources);
});

afterEach(() => rmSync(root, { recursive: true }));

test("a module of the sources is found again", () => {
  assert.ok(isCurrent(pkg, root));
  write("web/src/style.css", "not a source of the module");
  write("games/.nimrule/proof", "not a game");
  write("crates/a/src/lib.rs", "crates/a/src/lib.rs\r\nof two lines\r\n");
  assert.ok(isCurrent(pkg, root));
});

for (const [what, change] of [
  ["a source has changed", () => write("crates/a/src/lib.rs", "another")],
  ["a manifest has changed", () => write("crates/a/Cargo.toml", "another")],
  ["the lock is gone", () => rmSync(join(root, "Cargo.lock"))],
  ["a game was added", () => write("games/kayles.nimrule", "a game")],
  ["the module has changed", () => write("web/pkg/module.wasm", "another")],
  ["a file of the module is gone", () => rmSync(join(pkg, "module.wasm"))],
  ["the manifest is no JSON", () => write("web/pkg/module.json", "{")],
  ["there is no module", () => emptied(pkg)],
]) {
  test(`a module is built again where ${what}`, () => {
    change();
    assert.ok(!isCurrent(pkg, root));
  });
}

test("a module that was built quickly is enough for tests only", () => {
  describe(pkg, root, ["Cargo.lock"], true);
  assert.ok(isCurrent(pkg, root, true));
  assert.ok(!isCurrent(pkg, root));
});

test("a published module is taken from a folder and from an address", async () => {
  const { server, address } = await serve(pkg);
  try {
    for (const place of [pkg, address, address.replace(/\/$/, "")]) {
      const taken = join(root, "taken");
      await take(place, taken, root);
      assert.ok(isCurrent(taken, root));
      assert.deepEqual(readFileSync(join(taken, "module.wasm")), readFileSync(join(pkg, "module.wasm")));
      rmSync(taken, { recursive: true });
    }
    await assert.rejects(take(`${address}none`, join(root, "taken"), root), /none\/module\.json: 404/);
  } finally {
    server.close();
  }
});

test("a published module of other sources is refused by their names", async () => {
  const taken = join(root, "taken");
  await take(pkg, taken, root);
  const refused = async (names) => {
    const message = `the module at ${pkg} is of other sources: not the same are ${names}`;
    await assert.rejects(take(pkg, taken, root), { message });
  };
  write("crates/a/src/lib.rs", "another");
  await refused("crates/a/src/lib.rs");
  write("games/kayles.nimrule", "a game");
  write("Cargo.lock", "another");
  write("Cargo.toml", "another");
  await refused("Cargo.lock, Cargo.toml, crates/a/src/lib.rs and 1 more");
  // What was there stays.
  assert.ok(readFileSync(join(taken, "module.wasm")));
});

test("a published module that was changed on its way is refused", async () => {
  write("web/pkg/module.wasm", "another");
  await assert.rejects(take(pkg, join(root, "taken"), root), /module\.wasm is not as it was built/);
});
