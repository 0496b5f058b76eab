// Builds crates/wasm for the browser into web/pkg.
//
// With rustup, the target wasm32-unknown-unknown is used, and added if it is missing. Where it
// cannot be added, Debian's compiler builds the standard library of the target from its source
// (packages rustc-web cargo-web rust-web-src lld).
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const web = dirname(dirname(fileURLToPath(import.meta.url)));
const root = dirname(web);
const target = join(process.env.CARGO_TARGET_DIR ?? join(root, "target"), "web");
const triple = "wasm32-unknown-unknown";

function run(command, args, options = {}) {
  const done = spawnSync(command, args, { stdio: "inherit", ...options });
  if (done.error) throw new Error(`${command}: ${done.error.message}`);
  return done.status === 0;
}

function output(command, args) {
  const done = spawnSync(command, args, { encoding: "utf8" });
  return done.status === 0 ? done.stdout : "";
}

function fail(words) {
  console.error(`error: ${words}`);
  process.exit(1);
}

const build = [
  "build", "--locked", "--profile", "page", "--target", triple,
  "-p", "nimrule-wasm", "--manifest-path", join(root, "Cargo.toml"), "--target-dir", target,
];
// Vector instructions, which every current browser has, make tables two to three times as fast.
const env = { ...process.env, RUSTFLAGS: "-C target-feature=+simd128" };

const has = () => output("rustup", ["target", "list", "--installed"]).split("\n").includes(triple);
let built;
if (has() || (spawnSync("rustup", ["target", "add", triple], { stdio: "ignore", timeout: 120_000 }).status === 0 && has())) {
  built = run("cargo", build, { env });
} else if (existsSync("/usr/src") && output("/usr/bin/rustc", ["--version"])) {
  const linker = readdirSync("/usr/bin").filter((name) => /^wasm-ld(-\d+)?$/.test(name)).sort().pop();
  if (!linker) fail("wasm-ld is missing: apt-get install lld");
  env.PATH = `/usr/bin:${env.PATH}`;
  env.RUSTC_BOOTSTRAP = "1";
  env.CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER = linker;
  built = run("/usr/bin/cargo", [...build, "-Zbuild-std=std,panic_abort"], { env });
} else {
  fail(`the Rust target is missing: rustup target add ${triple}`);
}
if (!built) fail("crates/wasm was not built");

// wasm-bindgen must have the version of the crate.
const lock = readFileSync(join(root, "Cargo.lock"), "utf8");
const version = /name = "wasm-bindgen"\nversion = "([^"]+)"/.exec(lock)?.[1];
const tools = join(target, "tools");
let bindgen = "wasm-bindgen";
if (!output(bindgen, ["--version"]).includes(` ${version}`)) {
  bindgen = join(tools, "bin/wasm-bindgen");
  if (!output(bindgen, ["--version"]).includes(` ${version}`)) {
    mkdirSync(tools, { recursive: true });
    const install = ["install", "--quiet", "--debug", "wasm-bindgen-cli", "--version", version, "--root", tools, "--force"];
    if (!run("cargo", install)) fail("wasm-bindgen-cli was not installed");
  }
}
const module = join(target, triple, "page/nimrule_wasm.wasm");
if (!run(bindgen, ["--target", "web", "--out-dir", join(web, "pkg"), module])) fail("wasm-bindgen failed");
