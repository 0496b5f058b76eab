// Builds the page into dist: the module, unless it is there, the types, the page.
import { spawnSync } from "node:child_process";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { step } from "./step.mjs";

const web = dirname(dirname(fileURLToPath(import.meta.url)));

/// Runs a script of Node.js, and ends with its status where it fails.
function node(script, ...args) {
  const { status } = spawnSync(process.execPath, [join(web, script), ...args], { stdio: "inherit", cwd: web });
  if (status !== 0) process.exit(status ?? 1);
}

node("scripts/wasm.mjs", ...process.argv.slice(2));
await step("types", "checked by TypeScript", () => node("node_modules/typescript/bin/tsc", "--noEmit"));
await step("page", "written to dist by Vite", () => node("node_modules/vite/bin/vite.js", "build"));
