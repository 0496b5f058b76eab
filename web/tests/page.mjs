// A browser and the built page, for tests.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, extname, join, normalize } from "node:path";
import { after, before } from "node:test";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";

export const web = dirname(dirname(fileURLToPath(import.meta.url)));
export const root = dirname(web);
const dist = join(web, "dist");

/// The command line, with whose answers the page's are compared.
export const nimrule = process.env.NIMRULE ?? join(process.env.CARGO_TARGET_DIR ?? join(root, "target"), "release/nimrule");

const TYPES = {
  ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml",
  ".wasm": "application/wasm", ".webmanifest": "application/manifest+json",
};

/// Serves a folder, the built page, under a path that is not the root, as a project's page
/// would be.
export function serve(folder = dist) {
  const server = createServer((request, response) => {
    const path = new URL(request.url, "http://localhost").pathname.replace(/^\/nim\//, "/");
    const file = normalize(join(folder, path.endsWith("/") ? `${path}index.html` : path));
    if (!file.startsWith(folder) || !existsSync(file) || !statSync(file).isFile()) {
      response.writeHead(404).end();
      return;
    }
    response.writeHead(200, { "content-type": TYPES[extname(file)] ?? "application/octet-stream" });
    response.end(readFileSync(file));
  });
  return new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => resolve({ server, address: `http://127.0.0.1:${server.address().port}/nim/` }));
  });
}

export function browser() {
  const found = [process.env.CHROMIUM, "/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
  const executablePath = found.find((path) => path && existsSync(path));
  if (!executablePath) throw new Error("Chromium is missing: set CHROMIUM to its path");
  return chromium.launch({
    executablePath,
    args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update", "--disable-sync", "--no-first-run"],
  });
}

/// A page in a profile of its own, which fails the test at an error in its console or at a
/// request to another host; `prepare` is called with the page before it opens the address.
export async function visit(of, address, { prepare, ...options } = {}) {
  const context = await of.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  const page = await context.newPage();
  const faults = [];
  page.on("console", (message) => message.type() === "error" && faults.push(message.text()));
  page.on("pageerror", (error) => faults.push(String(error)));
  page.on("request", (request) => {
    const url = request.url();
    if (!url.startsWith(new URL(address).origin) && !/^(data|blob):/.test(url)) faults.push(`a request to ${url}`);
  });
  await prepare?.(page);
  await page.goto(address);
  return { context, page, faults };
}

/// Waits until the board of a game is shown and its moves are known.
export async function opened(page, heading) {
  await page.locator(".play h2", { hasText: heading ?? /./ }).waitFor();
  await page.locator(".board img").waitFor();
}

/// A browser for the tests of a file: `inPage` runs one in a page of its own.
export function inBrowser() {
  let chromium;
  let server;
  let address;
  before(async () => {
    ({ server, address } = await serve());
    chromium = await browser();
  });
  after(async () => {
    await chromium?.close();
    server?.close();
  });
  const visiting = (to, options) => visit(chromium, to, options);
  const inPage = async (hash, options, run) => {
    const visited = await visiting(hash.startsWith("http") ? hash : address + hash, options);
    try {
      await run(visited.page, visited);
      assert.deepEqual(visited.faults, []);
    } finally {
      await visited.context.close();
    }
  };
  return { visiting, inPage, url: () => address };
}
