// The built page in a real browser.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { inBrowser, nimrule, opened, root, serve, web } from "./page.mjs";

const { visiting, inPage, url } = inBrowser();
const solve = (page) => page.locator(".answer .outcome").innerText();

test("the page opens with the cube, its answer and its claims", async () => {
  await inPage("", {}, async (page) => {
    await opened(page, "Cube");
    await page.locator(".answer .outcome").waitFor();
    await page.locator("[data-claim='1'] .good").waitFor();
  });
});

test("a page whose module cannot be loaded says so", async () => {
  const { page, context } = await visiting("about:blank");
  await context.route("**/*.wasm", (route) => route.fulfill({ status: 404 }));
  await page.goto(url());
  await page.locator("[role=status]", { hasText: "The program cannot start: the computation failed" }).waitFor();
  await context.close();
});

test("a rule is written, its error is corrected by a click, and its board appears", async () => {
  await inPage("", {}, async (page) => {
    await opened(page, "Cube");
    const editor = page.locator(".cm-content");
    await editor.click();
    await page.keyboard.press("Control+a");
    await page.keyboard.type("game mine\nheaps a b c\nmove taek from one heap");
    const fix = page.locator(".findings button", { hasText: "Write “take”" });
    await fix.waitFor();
    await fix.click();
    await opened(page, "mine");
    assert.equal(await page.locator(".findings").count(), 0);
    // Completion, formatting and the names of the language are at hand.
    await editor.click();
    await page.keyboard.press("Control+End");
    await page.keyboard.type("\ncla");
    await page.locator(".cm-tooltip-autocomplete", { hasText: "claim" }).waitFor();
    await page.keyboard.press("Escape");
  });
});

test("a game is lost to the program with the keyboard alone, and the page says why", async () => {
  await inPage("#game=nim&at=(0,3,5,0)", {}, async (page) => {
    await opened(page);
    await page.locator("select").filter({ hasText: "against the program" }).selectOption("program");
    for (let moves = 0; moves < 20; moves += 1) {
      // The end is said after the last move is listed.
      await page.locator(".said strong, .board button:not(:disabled)").first().waitFor();
      if (await page.locator(".said strong").count()) break;
      const heap = page.locator(".board button:not(:disabled)").last();
      await heap.focus();
      const pressed = await heap.getAttribute("aria-pressed");
      await page.keyboard.press("Enter");
      await page.locator(".chosen-move .primary, .chip:not(:disabled)").first().waitFor();
      if (pressed === "false" && !(await page.locator(".chosen-move .primary").count())) {
        // One token is taken: the last chip.
        const chip = page.locator(".chip:not(:disabled)").last();
        await chip.focus();
        await page.keyboard.press("Enter");
      }
      const play = page.locator(".chosen-move .primary");
      await play.focus();
      const before = await page.locator(".past li").count();
      await page.keyboard.press("Enter");
      await page.waitForFunction(
        (count) => document.querySelector(".said strong") || document.querySelectorAll(".past li").length >= count + 2,
        before,
      );
    }
    await page.locator(".said strong", { hasText: "The program wins" }).waitFor();
    const mistake = page.locator(".mistake");
    await mistake.waitFor();
    assert.match(await mistake.innerText(), /would have won/);
    await mistake.locator("button").click();
    await page.locator(".why", { hasText: "wins by" }).waitFor();
  });
});

// A game of each kind of board, played to the end against the program by moves of the list,
// with the keyboard alone.
const KINDS = [
  "cube_face", "planar_vertex", "shrinking_circular_nim", "kayles", "cram", "silver_dollar", "nim", "nimble",
  "vertex_geography", "directed_geography", "edge_geography", "top_entails", "northcott", "partizan_subtraction", "fibonacci_nim&at=(8,7)",
];

for (const kind of KINDS) {
  test(`a game of ${kind} is played to the end`, async () => {
    await inPage(`#game=${kind}`, {}, async (page) => {
      await opened(page);
      await page.locator("select").filter({ hasText: "against the program" }).selectOption("program");
      for (let moves = 0; moves < 120; moves += 1) {
        if (await page.locator(".said strong").count()) break;
        const all = page.locator("details", { hasText: "All moves" }).last();
        await page.waitForFunction(() => document.querySelector(".said strong") || [...document.querySelectorAll("summary")].some((one) => one.textContent.startsWith("All moves")));
        if (await page.locator(".said strong").count()) break;
        await all.evaluate((node) => { node.open = true; });
        const before = await page.locator(".past li").count();
        await all.locator(".moves button").last().focus();
        await page.keyboard.press("Enter");
        await page.waitForFunction(
          (count) => document.querySelector(".said strong") || document.querySelectorAll(".past li").length >= count + 2,
          before,
        );
      }
      assert.match(await page.locator(".said strong").innerText(), /wins?\.|drawn/);
    });
  });
}

test("answers equal the command line's JSON", async () => {
  await inPage("", {}, async (page) => {
    await opened(page, "Cube");
    for (const [game, at] of [["cube_edge", "(1,2,3,4,5,6)"], ["wythoff", "(4,7)"], ["nim", "(0,3,4,5)"], ["kayles", "{3,7}"], ["northcott", null]]) {
      await page.evaluate(([game, at]) => { location.hash = at ? `game=${game}&at=${at}` : `game=${game}`; }, [game, at]);
      const shown = await page.waitForFunction(([game, at]) => {
        const now = globalThis.nimrule;
        return now.is(game) && (!at || now.position() === at) && now.solved() && JSON.stringify([now.position(), now.solved()]);
      }, [game, at]);
      const [position, answer] = JSON.parse(await shown.jsonValue());
      const run = spawnSync(nimrule, ["solve", join(root, `games/${game}.nimrule`), position, "--format", "json"], { encoding: "utf8" });
      const expected = JSON.parse(run.stdout);
      delete expected.bound;
      assert.deepEqual(answer, expected, game);
    }
  });
});

test("positions are listed, filtered, sorted and exported", async () => {
  await inPage("#game=wythoff", {}, async (page) => {
    await opened(page);
    await page.locator("#tab-table").click();
    await page.locator("input[name=max]").fill("10");
    await page.locator("form button", { hasText: "List" }).click();
    const rows = page.locator("table.list tbody tr");
    await rows.first().waitFor();
    assert.equal(await rows.count(), 5);
    await page.locator("th button", { hasText: "b" }).first().click();
    await page.locator("th button", { hasText: "b" }).first().click();
    assert.match(await rows.first().innerText(), /6\s+10\s+P\s+2/);
    await page.locator("input[placeholder='a=1']").fill("a=3");
    const saved = async (name) => {
      const [file] = await Promise.all([page.waitForEvent("download"), page.locator("button", { hasText: name }).click()]);
      return readFileSync(await file.path(), "utf8");
    };
    assert.equal(await saved("CSV"), "a,b,outcome,alike\n3,5,P,2\n");
    const { params, convention, rows: exported } = JSON.parse(await saved("JSON"));
    assert.deepEqual([params, convention, exported], [{}, "normal", [["3", "5", "P", "2"]]]);
    assert.match(await saved("LaTeX"), /\\hline\n3 & 5 & P & 2 \\\\\n\\end\{tabular\}/);
  });
});

test("moves are typed, taken back and gone back to", async () => {
  await inPage("#game=nim&at=(0,3,4,5)", {}, async (page) => {
    await opened(page);
    const at = (position) => page.waitForFunction((position) => globalThis.nimrule.position() === position, position);
    for (const [line, to] of [["take 2 from h2", "(0,1,4,5)"], ["h4 1", "(0,1,4,4)"], ["(0,0,4,4)", "(0,0,4,4)"]]) {
      await page.locator("input[name=line]").fill(line);
      await page.keyboard.press("Enter");
      await at(to);
    }
    await page.locator("button", { hasText: "Undo" }).click();
    await at("(0,1,4,4)");
    await page.locator("summary", { hasText: "Moves so far" }).click();
    await page.locator(".past button").first().click();
    await at("(0,3,4,5)");
  });
});

test("a long proof is cancelled at once", async () => {
  await inPage("#game=shrinking_circular_nim&set=n%3D6&set=k%3D4", {}, async (page) => {
    await opened(page);
    await page.locator("#tab-sizes").click();
    await page.locator("button", { hasText: "Find the P-positions" }).click();
    const cancel = page.locator(".working button");
    await cancel.waitFor();
    await page.waitForTimeout(1000);
    const begun = Date.now();
    await cancel.click();
    await page.locator(".working").waitFor({ state: "detached" });
    assert.ok(Date.now() - begun < 1000, `${Date.now() - begun} ms`);
    // The page answers again.
    await page.locator("#tab-table").click();
    await page.locator("input[name=max]").fill("1");
    await page.locator("form button", { hasText: "List" }).click();
    await page.locator("table.list tbody tr").first().waitFor();
  });
});

test("another game and a move need not wait for a slow position", async () => {
  await inPage("#game=objects_on_a_board", {}, async (page) => {
    await opened(page, "Objects on a board");
    const change = async (change) => {
      await page.waitForTimeout(1000);
      assert.equal(await page.locator(".answer .outcome").count(), 0);
      const begun = Date.now();
      await page.evaluate(change);
      await page.locator(".answer .outcome").waitFor();
      assert.ok(Date.now() - begun < 5000, `${Date.now() - begun} ms`);
    };
    await change(() => { location.hash = "game=objects_on_a_board&at=all 0"; });
    await page.evaluate(() => { location.hash = "game=objects_on_a_board&at=all 1"; });
    await change(() => { location.hash = "game=nim"; });
  });
});

/// What a change of the game, of a parameter or of the convention is in the page, which resolves
/// when the other game is being opened; its heading then; and what the command line calls it.
const CHANGES = {
  game: {
    change: () => {
      location.hash = "game=kayles";
      return new Promise((resolve) => addEventListener("hashchange", () => setTimeout(resolve), { once: true }));
    },
    heading: "Kayles",
    command: ["kayles"],
  },
  parameter: {
    change: () => {
      const [input] = document.querySelectorAll(".params input[type=number]");
      input.value = "5";
      input.dispatchEvent(new Event("change", { bubbles: true }));
    },
    heading: "n = 5",
    command: ["shrinking_circular_nim", "--set", "n=5", "--set", "k=4"],
  },
  convention: {
    change: () => document.querySelector(".params input[type=checkbox]").click(),
    heading: "misère",
    command: ["shrinking_circular_nim", "--set", "n=6", "--set", "k=4", "--misere"],
  },
};

/// Lists the P-positions up to a size as soon as the heading has a text and nothing is computed.
async function listAt(heading, max) {
  const button = () => [...document.querySelectorAll("form .primary")].find((one) => one.textContent === "List" && !one.disabled);
  while (!document.querySelector(".play h2").textContent.includes(heading) || !button()) await new Promise((resolve) => setTimeout(resolve));
  document.querySelector("input[name=max]").value = max;
  for (const alike of document.querySelectorAll("input[name=alike]")) alike.checked = false;
  button().click();
}

for (const [what, { change, heading, command: [game, ...options] }] of Object.entries(CHANGES)) {
  test(`a question at once after a change of the ${what} is about what is open then`, async () => {
    await inPage("#game=shrinking_circular_nim&set=n%3D6&set=k%3D4", {}, async (page) => {
      await opened(page, "n = 6");
      await page.locator("#tab-sizes").click();
      await page.locator("button", { hasText: "Find the P-positions" }).click();
      await page.locator(".working").waitFor();
      await page.locator("#tab-table").click();
      await page.evaluate(`(${change})(); (${listAt})(${JSON.stringify(heading)}, 2)`);
      await page.locator("table.list").waitFor();
      const [file] = await Promise.all([page.waitForEvent("download"), page.locator("button", { hasText: "CSV" }).click()]);
      const csv = readFileSync(await file.path(), "utf8").replace(/,(outcome|P)$/gm, "");
      const run = spawnSync(nimrule, ["list", join(root, `games/${game}.nimrule`), "--max", "2", "--format", "csv", ...options], { encoding: "utf8" });
      assert.equal(csv, run.stdout);
    });
  });

  test(`an answer that comes after a change of the ${what} is dropped`, async () => {
    // A game takes its time to be opened, while the board has the first one, and a list takes more.
    const slowly = () => {
      const { postMessage } = Worker.prototype;
      Worker.prototype.postMessage = function post(message) {
        const { ask } = JSON.parse(message.question ?? "{}");
        setTimeout(() => postMessage.call(this, message), { open: 400, list: 1500 }[ask] ?? 0);
      };
    };
    const prepare = (page) => page.addInitScript(slowly);
    await inPage("#game=shrinking_circular_nim&set=n%3D6&set=k%3D4", { prepare }, async (page) => {
      await opened(page, "n = 6");
      await page.locator("#tab-table").click();
      await page.evaluate(`Promise.resolve((${change})()).then(() => (${listAt})("n = 6", 3))`);
      await opened(page, heading);
      // What was asked before is answered before.
      await page.waitForFunction(() => globalThis.nimrule.verdicts());
      assert.equal(await page.locator("table.list").count(), 0);
    });
  });
}

test("a text is opened with the parameters that it declares, after others were set", async () => {
  await inPage("#game=circular_nim&set=n%3D7&set=k%3D2", {}, async (page) => {
    await opened(page, "n = 7");
    await page.locator(".cm-content").click();
    await page.keyboard.press("Control+a");
    await page.keyboard.type("game mine\nparam n = 3\nheaps x[1..n]\nmove take from one heap");
    await opened(page, "mine, n = 7");
    assert.equal(await page.locator("p.wrong").count(), 0);
    await page.waitForFunction(() => !location.hash.includes("k%3D2"));
  });
});

test("an address opens the same in a fresh profile, and offline after the first visit", async () => {
  let href;
  await inPage("", {}, async (page) => {
    await opened(page, "Cube");
    await page.locator(".cm-content").click();
    await page.keyboard.press("Control+a");
    await page.keyboard.type("game shared\nheaps a b\nmove take 1..2 from one heap");
    await opened(page, "shared");
    await page.locator("input[name=at]").fill("(4,2)");
    await page.locator("button", { hasText: "Go there" }).click();
    await page.waitForFunction(() => decodeURIComponent(location.hash).includes("at=(4,2)"));
    href = page.url();
  });
  await inPage(href, {}, async (page, { context }) => {
    await opened(page, "shared");
    assert.equal(await page.locator("input[name=at]").inputValue(), "(4,2)");
    const answer = await solve(page);
    await page.evaluate(() => navigator.serviceWorker.ready);
    // The worker keeps the files before it is ready to serve them.
    await page.reload();
    await opened(page, "shared");
    await context.setOffline(true);
    await page.reload();
    await opened(page, "shared");
    assert.equal(await solve(page), answer);
  });
});

test("a sheet for a lesson is that of the command, and is printed", async () => {
  await inPage("#game=nim&at=(0,3,4,5)", {}, async (page) => {
    await opened(page);
    await page.locator("button", { hasText: "Print a sheet" }).click();
    const sheet = page.frameLocator("iframe.sheet");
    await sheet.locator("section.solutions li").nth(5).waitFor();
    await page.locator("dialog[open] input[name=count]").fill("4");
    await page.locator("dialog[open] input[name=seed]").fill("7");
    await page.locator("dialog[open] button", { hasText: "Make" }).click();
    await page.waitForFunction(() => document.querySelector("iframe.sheet")?.contentDocument?.querySelectorAll("body > ol > li").length === 4);
    const html = await page.locator("iframe.sheet").getAttribute("srcdoc");
    const run = spawnSync(nimrule, ["sheet", join(root, "games/nim.nimrule"), "--count", "4", "--seed", "7"], { encoding: "utf8" });
    assert.equal(html, run.stdout);
    const solutions = sheet.locator("section.solutions");
    await page.emulateMedia({ media: "print" });
    assert.equal(await solutions.evaluate((node) => getComputedStyle(node).breakBefore), "page");
    await page.locator("iframe.sheet").evaluate((frame) => { frame.contentWindow.print = () => { globalThis.printed = true; }; });
    await page.locator("dialog[open] button", { hasText: /^Print$/ }).click();
    await page.waitForFunction(() => globalThis.printed);
  });
});

test("a parameter that counts heaps follows a typed position", async () => {
  await inPage("#game=nim", {}, async (page) => {
    await opened(page, "piles = 4");
    await page.locator("input[name=at]").fill("3, 5");
    await page.locator("button", { hasText: "Go there" }).click();
    await opened(page, "piles = 2");
    await page.waitForFunction(() => globalThis.nimrule.position() === "(3,5)");
  });
});

test("a plot follows the board and the sliders, and its cells are positions", async () => {
  await inPage("#game=nim&at=(0,3,4,5)", {}, async (page) => {
    await opened(page);
    await page.locator("#tab-plots").click();
    await page.locator("[role=tabpanel] input[name=most]").fill("7");
    await page.locator("[role=tabpanel] button", { hasText: "Plot" }).click();
    const title = () => page.locator(".plot img").getAttribute("alt");
    await page.locator(".plot").waitFor();
    assert.match(await title(), /h3 = 4, h4 = 5: outcome classes/);
    await page.locator("[role=tabpanel] input[type=checkbox]").check();
    await page.locator(".plot img[alt*='Grundy values']").waitFor();
    const slider = page.locator(".slider input").first();
    await slider.focus();
    await page.keyboard.press("ArrowRight");
    await page.locator(".plot img[alt*='h3 = 5']").waitFor();
    // With the keys from the cell (0,3) of the board to (1,2).
    await page.locator("button", { hasText: "Sizes as on the board" }).click();
    await page.locator(".plot img[alt*='h3 = 4']").waitFor();
    await page.locator(".cells").focus();
    for (const key of ["ArrowRight", "ArrowDown"]) await page.keyboard.press(key);
    assert.equal(await page.locator("[role=tabpanel] .said").innerText(), "h1 = 1, h2 = 2: value 2");
    await page.keyboard.press("Enter");
    await page.waitForFunction(() => globalThis.nimrule.position() === "(1,2,4,5)");
    await page.locator(".cells").click({ position: { x: 1, y: 1 } });
    await page.waitForFunction(() => globalThis.nimrule.position() === "(0,7,4,5)");
    await page.evaluate(() => { location.hash = "game=kayles"; });
    await page.waitForFunction(() => globalThis.nimrule.is("kayles"));
    await page.locator("[role=tabpanel] button", { hasText: "Plot" }).click();
    await page.locator(".plot img[alt*='Grundy values of one heap']").waitFor();
  });
});

test("the book's rules are played where they stand, and open in the page", async (context) => {
  if (!existsSync(join(root, "book/page/index.html"))) {
    assert.ok(!process.env.CI, "the book is not built: npm run site");
    context.skip("the book is not built: npm run site");
    return;
  }
  const book = await serve(join(root, "book"));
  const visited = await visiting(`${book.address}introduction.html`);
  try {
    const { page } = visited;
    const board = page.frameLocator("iframe.live-board").first();
    await board.locator(".answer .outcome").waitFor();
    await board.locator("button", { hasText: "Hint" }).click();
    await page.goto(`${book.address}cookbook/say.html`);
    const link = page.locator(".open-in-page a").first();
    await link.waitFor();
    await page.goto(await link.getAttribute("href"));
    await opened(page, "Fibonacci Nim");
    await page.goBack();
    await page.locator(".open-in-page button").nth(1).click();
    await page.frameLocator("iframe.live-board").locator(".play h2", { hasText: "Nim with one pass" }).waitFor();
    assert.deepEqual(visited.faults, []);
  } finally {
    await visited.context.close();
    book.server.close();
  }
});

/// What axe finds in the page as it stands.
async function violations(page) {
  await page.evaluate(readFileSync(join(web, "node_modules/axe-core/axe.min.js"), "utf8"));
  const found = await page.evaluate(() => globalThis.axe.run());
  return found.violations.map((one) => `${one.id}: ${one.nodes.map((node) => node.target).join(" ")}`);
}

test("the text that stands where the editor will be is reached by keys", async () => {
  let load = () => {};
  const held = new Promise((resolve) => (load = resolve));
  const prepare = (page) => page.route(/codemirror/, (route) => held.then(() => route.continue()));
  const options = { bypassCSP: true, serviceWorkers: "block", viewport: { width: 375, height: 740 }, prepare };
  await inPage("#game=cube_edge", options, async (page) => {
    await page.locator(".editor pre").waitFor();
    await page.locator(".answer .outcome").waitFor();
    assert.deepEqual(await violations(page), []);
    await page.locator(".editor pre").focus();
    load();
    await page.locator(".editor .cm-content:focus").waitFor();
  });
});

for (const [name, options] of [
  ["wide and light", { colorScheme: "light" }],
  ["narrow and dark", { colorScheme: "dark", viewport: { width: 375, height: 740 }, isMobile: true, hasTouch: true }],
]) {
  test(`axe finds nothing, ${name}`, async () => {
    await inPage("#game=cube_edge", { ...options, bypassCSP: true }, async (page) => {
      await opened(page, "Cube");
      await page.locator(".answer .outcome").waitFor();
      await page.locator("button", { hasText: "Why?" }).click();
      await page.locator(".why").waitFor();
      for (const tab of ["claims", "sizes", "table", "plots", "about"]) {
        await page.locator(`#tab-${tab}`).click();
        if (tab === "table") {
          await page.locator("form button", { hasText: "List" }).click();
          await page.locator("table.list tbody tr").first().waitFor();
        }
        if (tab === "plots") {
          await page.locator("[role=tabpanel] button", { hasText: "Plot" }).click();
          await page.locator(".plot").waitFor();
        }
        assert.deepEqual(await violations(page), [], tab);
      }
      await page.locator("button", { hasText: "Games" }).click();
      await page.locator(".card img").first().waitFor();
      assert.deepEqual(await violations(page), [], "gallery");
      // Nothing is wider than the window.
      const width = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
      assert.ok(width <= 0, `${width} pixels too wide`);
    });
  });
}
