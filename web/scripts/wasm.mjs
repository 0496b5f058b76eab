// Builds crates/wasm for the browser into web/pkg.
//
// With rustup, the target wasm32-unknown-unknown is used and the source of the standard library
// (rust-src), which are added if they are missing. Where the target cannot be added, Debian's
// compiler is used (packages rustc-web cargo-web rust-web-src lld).
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

// The standard library built for size makes the page a twelfth smaller. Its arithmetic is not,
// and Cargo has to be told that it may build it.
const forSize = [
  "-Zbuild-std=std,panic_abort", "-Zbuild-std-features=optimize_for_size",
  "--config", "profile.page.package.compiler_builtins.opt-level=3",
];
const bootstrap = { ...env, RUSTC_BOOTSTRAP: "1" };

/// Adds a target or a component with rustup; whether it is there.
function added(kind, name) {
  const has = () => output("rustup", [kind, "list", "--installed"]).split("\n").some((line) => line.startsWith(name));
  return has() || (spawnSync("rustup", [kind, "add", name], { stdio: "ignore", timeout: 120_000 }).status === 0 && has());
}

let built;
if (added("target", triple)) {
  built = added("component", "rust-src") ? run("cargo", [...build, ...forSize], { env: bootstrap }) : run("cargo", build, { env });
} else if (existsSync("/usr/src") && output("/usr/bin/rustc", ["--version"])) {
  const linker = readdirSync("/usr/bin").filter((name) => /^wasm-ld(-\d+)?$/.test(name)).sort().pop();
  if (!linker) fail("wasm-ld is missing: apt-get install lld");
  bootstrap.PATH = `/usr/bin:${env.PATH}`;
  bootstrap.CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER = linker;
  built = run("/usr/bin/cargo", [...build, ...forSize], { env: bootstrap });
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
const sections = ["--remove-name-section", "--remove-producers-section"];
if (!run(bindgen, ["--target", "web", ...sections, "--out-dir", join(web, "pkg"), module])) fail("wasm-bindgen failed");
