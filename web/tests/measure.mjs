// Measures the built page: `npm run measure`. It prints what is transferred, the times that a
// reader waits, and the speed of ten questions against the command line, as Markdown;
// `npm run measure -- --write` puts that into the book.
import { spawnSync } from "node:child_process";
import { readFileSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, constants } from "node:zlib";
import { browser, nimrule, opened, root, serve, visit, web } from "./page.mjs";

const lines = [];
const say = (line) => {
  console.log(line);
  lines.push(line);
};
const middle = (times) => times.sort((a, b) => a - b)[Math.floor(times.length / 2)];

const files = (folder) =>
  readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    return statSync(path).isDirectory() ? files(path) : [path];
  });
const compressed = (file) => {
  const params = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_LGWIN]: 24 };
  return brotliCompressSync(readFileSync(file), { params }).length;
};
const sizes = files(join(web, "dist")).map((file) => [file, compressed(file)]);
const inMegabytes = (some) => `${(some.reduce((sum, [, size]) => sum + size, 0) / 1e6).toFixed(2)} MB`;

const { server, address } = await serve();
const chromium = await browser();

/// The longest task of the page's thread in a trace, in milliseconds: by the clock, and on the
/// processor, which the page shares with its workers, the browser and the server.
function longestTasks(trace) {
  const events = JSON.parse(trace.toString()).traceEvents;
  const isOfThread = (thread) => (event) => event.pid === thread.pid && event.tid === thread.tid && event.ph === "X" && event.name.endsWith("RunTask");
  const tasks = events.filter((event) => event.name === "thread_name" && event.args.name === "CrRendererMain").flatMap((thread) => events.filter(isOfThread(thread)));
  if (tasks.length === 0) throw new Error("the trace has no task of the page's thread");
  return ["dur", "tdur"].map((time) => Math.max(...tasks.map((task) => task[time] ?? 0)) / 1000);
}

const first = [];
const longest = [];
for (let run = 0; run < 9; run += 1) {
  const { context, page } = await visit(chromium, "about:blank");
  await chromium.startTracing(page, { categories: ["toplevel"] });
  const begun = Date.now();
  await page.goto(address);
  await page.locator(".answer .outcome").waitFor();
  first.push(Date.now() - begun);
  await page.locator("[data-claim='3'] .good").waitFor();
  await page.locator(".cm-content").waitFor();
  await page.waitForTimeout(300);
  longest.push(longestTasks(await chromium.stopTracing()));
  await context.close();
}
const [byClock, onProcessor] = [0, 1].map((which) => Math.round(middle(longest.map((times) => times[which]))));

const { page } = await visit(chromium, address);
await opened(page, "Cube");
/// Times a question, each time about a game that is opened anew.
const timed = (ask, question, text, runs) =>
  page.evaluate(
    async ([ask, question, text, runs]) => {
      const times = [];
      for (let run = 0; run < runs; run += 1) {
        const about = { text, params: [], misere: false };
        await globalThis.nimrule.ask("open", about);
        const begun = performance.now();
        await globalThis.nimrule.ask(ask, question, about);
        times.push(performance.now() - begun);
      }
      return times;
    },
    [ask, question, text, runs],
  );
const text = readFileSync(join(root, "games/cube_edge.nimrule"), "utf8");

say("| what a reader waits for | measured |");
say("| --- | --- |");
say(`| transfer, as brotli of quality 11 | ${inMegabytes(sizes)}, of which the module is ${inMegabytes(sizes.filter(([file]) => file.endsWith(".wasm")))} |`);
say(`| first answer, from an empty cache on the same machine | ${middle(first)} ms |`);
say(`| longest task of the page's thread until all is there | ${onProcessor} ms of work, ${byClock} ms by the clock |`);
say(`| errors of the cube's rule, after a key | ${middle(await timed("check", { text }, text, 5)).toFixed(1)} ms |`);
say("");

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
say("| question | page, ms | command with its start, ms | ratio |");
say("| --- | --: | --: | --: |");
for (const [game, ask, question, [verb, ...rest]] of QUESTIONS) {
  await page.evaluate((game) => { location.hash = `game=${game}`; }, game);
  await page.waitForFunction((game) => globalThis.nimrule.is(game) && globalThis.nimrule.verdicts(), game, { timeout: 120_000 });
  const here = middle(await timed(ask, question, readFileSync(join(root, `games/${game}.nimrule`), "utf8"), 3));
  const native = middle(
    [0, 1, 2].map(() => {
      const begun = performance.now();
      spawnSync(nimrule, [verb, join(root, `games/${game}.nimrule`), ...rest], { stdio: "ignore" });
      return performance.now() - begun;
    }),
  );
  say(`| \`${[verb, game, ...rest].join(" ")}\` | ${here.toFixed(1)} | ${native.toFixed(1)} | ${(here / native).toFixed(1)} |`);
}
await chromium.close();
server.close();

if (process.argv.includes("--write")) {
  const book = join(root, "docs/src/page.md");
  const pages = readFileSync(book, "utf8");
  const [mark, end] = ["<!-- measured -->\n", "<!-- end -->"];
  const [from, to] = [pages.indexOf(mark) + mark.length, pages.indexOf(end)];
  writeFileSync(book, `${pages.slice(0, from)}${lines.join("\n")}\n${pages.slice(to)}`);
}
