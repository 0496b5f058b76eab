// A browser and the built page, for tests.
import { createServer } from "node:http";
import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, extname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";

export const web = dirname(dirname(fileURLToPath(import.meta.url)));
export const root = dirname(web);
const dist = join(web, "dist");

const TYPES = {
  ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml",
  ".wasm": "application/wasm", ".webmanifest": "application/manifest+json",
};

/// Serves the built folder under a path that is not the root, as a project's page would be.
export function serve() {
  const server = createServer((request, response) => {
    const path = new URL(request.url, "http://localhost").pathname.replace(/^\/nim\//, "/");
    const file = normalize(join(dist, path.endsWith("/") ? `${path}index.html` : path));
    if (!file.startsWith(dist) || !existsSync(file) || !statSync(file).isFile()) {
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
/// request to another host.
export async function visit(of, address, options = {}) {
  const context = await of.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  const page = await context.newPage();
  const faults = [];
  page.on("console", (message) => message.type() === "error" && faults.push(message.text()));
  page.on("pageerror", (error) => faults.push(String(error)));
  page.on("request", (request) => {
    const url = request.url();
    if (!url.startsWith(new URL(address).origin) && !/^(data|blob):/.test(url)) faults.push(`a request to ${url}`);
  });
  await page.goto(address);
  return { context, page, faults };
}

/// Waits until the board of a game is shown and its moves are known.
export async function opened(page, heading) {
  await page.locator(".play h2", { hasText: heading ?? /./ }).waitFor();
  await page.locator(".board img").waitFor();
}
