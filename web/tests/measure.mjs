// Measures the built page: `npm run measure`. It prints what is transferred, the times that a
// reader waits, and the speed of ten questions against the command line.
import { spawnSync } from "node:child_process";
import { readFileSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, constants } from "node:zlib";
import { browser, nimrule, opened, root, serve, visit, web } from "./page.mjs";

const files = (folder) =>
  readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    return statSync(path).isDirectory() ? files(path) : [path];
  });
let transfer = 0;
for (const file of files(join(web, "dist"))) {
  const params = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_LGWIN]: 24 };
  const size = brotliCompressSync(readFileSync(file), { params }).length;
  transfer += size;
  if (size > 10_000) console.log(`${file.slice(join(web, "dist").length)}: ${(size / 1e6).toFixed(3)} MB as brotli`);
}
console.log(`transfer: ${(transfer / 1e6).toFixed(3)} MB as brotli`);

const { server, address } = await serve();
const chromium = await browser();
const middle = (times) => times.sort((a, b) => a - b)[Math.floor(times.length / 2)];

const first = [];
const longest = [];
for (let run = 0; run < 5; run += 1) {
  const { context, page } = await visit(chromium, "about:blank");
  await page.addInitScript(() => {
    globalThis.tasks = [];
    new PerformanceObserver((list) => globalThis.tasks.push(...list.getEntries().map((one) => one.duration))).observe({ type: "longtask", buffered: true });
  });
  const begun = Date.now();
  await page.goto(address);
  await page.locator(".answer .outcome").waitFor();
  first.push(Date.now() - begun);
  await page.locator("[data-claim='3'] .good").waitFor();
  longest.push(Math.max(0, ...(await page.evaluate(() => globalThis.tasks))));
  await context.close();
}
console.log(`first answer: ${middle(first)} ms (middle of 5)`);
console.log(`longest task of the page's thread: ${Math.round(middle(longest))} ms (middle of 5)`);

const { page } = await visit(chromium, address);
await opened(page, "Cube");
const timed = (ask, question, runs = 5) =>
  page.evaluate(
    async ([ask, question, runs]) => {
      const times = [];
      for (let run = 0; run < runs; run += 1) {
        const begun = performance.now();
        await globalThis.nimrule.ask(ask, question);
        times.push(performance.now() - begun);
      }
      return times;
    },
    [ask, question, runs],
  );
const text = readFileSync(join(root, "games/cube_edge.nimrule"), "utf8");
console.log(`diagnostics of the cube: ${middle(await timed("check", { text })).toFixed(1)} ms`);
const QUESTIONS = [
  ["cube_edge", "list", { max: 7, outcomes: ["P"], grundy: false, up_to_symmetry: true }, ["list", "--max", "7", "--up-to-symmetry"]],
  ["cube_edge", "claim", { number: 1, prove: true }, ["prove", "--no-cache", "--quiet"]],
  ["cube_edge", "discover", {}, ["discover", "--no-cache"]],
  ["circular_nim", "discover", {}, ["discover", "--no-cache"]],
  ["wythoff", "list", { max: 300, outcomes: ["P"], grundy: false, up_to_symmetry: false }, ["list", "--max", "300"]],
  ["wythoff", "solve", { position: "(3000,2000)", side: null }, ["solve", "3000,2000"]],
  ["kayles", "solve", { position: "{40,50,60}", side: null }, ["solve", "{40,50,60}"]],
  ["cram", "solve", { position: "(1,1,1,1,1,1,1,1,1)", side: null }, ["solve", "all 1"]],
  ["northcott", "solve", { position: "(0,0,0,8,8,8)", side: "left" }, ["solve", "0,0,0,8,8,8"]],
  ["trim", "list", { max: 15, outcomes: ["P"], grundy: true, up_to_symmetry: false }, ["list", "--max", "15", "--grundy"]],
];
console.log("question, page in ms, command in ms with its start, ratio");
for (const [game, ask, question, [verb, ...rest]] of QUESTIONS) {
  await page.evaluate((game) => { location.hash = `game=${game}`; }, game);
  await page.waitForFunction((game) => globalThis.nimrule.is(game) && globalThis.nimrule.verdicts(), game, { timeout: 120_000 });
  const here = middle(await timed(ask, question, 3));
  const native = middle(
    [0, 1, 2].map(() => {
      const begun = performance.now();
      spawnSync(nimrule, [verb, join(root, `games/${game}.nimrule`), ...rest], { stdio: "ignore" });
      return performance.now() - begun;
    }),
  );
  console.log(`${verb} ${game} ${rest.join(" ")}: ${here.toFixed(1)}, ${native.toFixed(1)}, ${(here / native).toFixed(1)}`);
}
await chromium.close();
server.close();
