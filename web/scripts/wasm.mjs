// Puts crates/wasm, built for the browser, into web/pkg.
//
// Where it is there, built from the sources as they are, nothing is done. With `--from PLACE`, or
// `NIMRULE_WASM`, it is taken from a folder or an address. Else it is built: with rustup, the
// target wasm32-unknown-unknown is used and the source of the standard library (rust-src), which
// are added if they are missing. Where the target cannot be added, Debian's compiler is used
// (packages rustc-web cargo-web rust-web-src lld). With `--quick` it is built in half of the time,
// and is larger and slower: for tests of the page.
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { describe, emptied, isCurrent, sourcesOf, take } from "./module.mjs";
import { step } from "./step.mjs";

const web = dirname(dirname(fileURLToPath(import.meta.url)));
const root = dirname(web);
const pkg = join(web, "pkg");
const target = join(process.env.CARGO_TARGET_DIR ?? join(root, "target"), "web");
const triple = "wasm32-unknown-unknown";

function fail(words) {
  console.error(`error: ${words}`);
  process.exit(1);
}

function run(command, args, env = process.env) {
  const done = spawnSync(command, args, { stdio: "inherit", env });
  return !done.error && done.status === 0;
}

function output(command, args) {
  const done = spawnSync(command, args, { encoding: "utf8" });
  return done.status === 0 ? done.stdout : "";
}

/// Adds a target or a component with rustup; whether it is there.
function added(kind, name) {
  const has = () => output("rustup", [kind, "list", "--installed"]).split("\n").some((line) => line.startsWith(name));
  if (has()) return true;
  if (!output("rustup", ["--version"])) return false;
  console.log(`module: rustup ${kind} add ${name}`);
  return spawnSync("rustup", [kind, "add", name], { stdio: "inherit", timeout: 120_000 }).status === 0 && has();
}

/// Compiles crates/wasm, and returns the path of the module without its ending.
function compile() {
  const profile = quick ? "release" : "page";
  const build = [
    "build", "--locked", "--profile", profile, "--target", triple,
    "-p", "nimrule-wasm", "--manifest-path", join(root, "Cargo.toml"), "--target-dir", target,
  ];
  // Vector instructions, which every current browser has, make tables two to three times as fast.
  const env = { ...process.env, RUSTFLAGS: "-C target-feature=+simd128" };
  // The standard library built for size makes the page a twelfth smaller. Its arithmetic is not,
  // and Cargo has to be told that it may build it.
  const forSize = [
    "-Zbuild-std=std,panic_abort", "-Zbuild-std-features=optimize_for_size",
    "--config", `profile.${profile}.package.compiler_builtins.opt-level=3`,
  ];
  const bootstrap = { ...env, RUSTC_BOOTSTRAP: "1" };
  let built;
  if (added("target", triple)) {
    built = !quick && added("component", "rust-src") ? run("cargo", [...build, ...forSize], bootstrap) : run("cargo", build, env);
  } else if (existsSync("/usr/src") && output("/usr/bin/rustc", ["--version"])) {
    const linker = readdirSync("/usr/bin").filter((name) => /^wasm-ld(-\d+)?$/.test(name)).sort().pop();
    if (!linker) fail("wasm-ld is missing: apt-get install lld");
    bootstrap.PATH = `/usr/bin:${env.PATH}`;
    bootstrap.CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER = linker;
    built = run("/usr/bin/cargo", [...build, ...forSize], bootstrap);
  } else {
    fail(`Rust for the browser is missing: \`rustup target add ${triple}\`, or take a module that is built, \`npm run wasm -- --from URL\``);
  }
  if (!built) fail("crates/wasm was not built");
  return join(target, triple, profile, "nimrule_wasm");
}

/// Fails where the tool that writes the JavaScript is not of the version of wasm-bindgen.
function compareVersions() {
  const version = (lock, name) => new RegExp(`name = "${name}"\nversion = "(.+)"`).exec(readFileSync(join(root, lock), "utf8"))?.[1];
  const [needed, found] = [version("Cargo.lock", "wasm-bindgen"), version("web/bindgen/Cargo.lock", "wasm-bindgen-cli-support")];
  if (needed === found) return;
  const update = `cargo update --manifest-path web/bindgen/Cargo.toml wasm-bindgen-cli-support --precise ${needed}`;
  fail(`wasm-bindgen is ${needed} in Cargo.lock, and ${found} in web/bindgen/Cargo.lock: ${update}`);
}

/// Writes the module, with the JavaScript that calls it, into web/pkg.
function bind(module) {
  const tool = [
    "run", "--locked", "--config", "profile.dev.debug=false",
    "--manifest-path", join(web, "bindgen/Cargo.toml"), "--target-dir", join(target, "bindgen"),
  ];
  emptied(pkg);
  if (!run("cargo", [...tool, "--", `${module}.wasm`, pkg])) fail("web/bindgen failed");
  const own = ["web/bindgen/Cargo.lock", "web/bindgen/Cargo.toml", "web/bindgen/src/main.rs", "web/scripts/wasm.mjs"];
  describe(pkg, root, [...sourcesOf(readFileSync(`${module}.d`, "utf8"), root), ...own], quick);
}

const { values } = parseArgs({ options: { from: { type: "string" }, quick: { type: "boolean", default: false } } });
const quick = values.quick;
const from = values.from ?? process.env.NIMRULE_WASM;
if (isCurrent(pkg, root, quick)) {
  console.log("module: as it was built, its sources are unchanged");
} else if (from) {
  await step("module", `taken from ${from}`, () => take(from, pkg, root).catch((error) => fail(error.message)));
} else {
  compareVersions();
  let module;
  await step("module", `crates/wasm, compiled by Cargo: ${quick ? "four" : "nine"} minutes of one core from nothing, then what has changed`, () => { module = compile(); });
  await step("wasm-bindgen", "the JavaScript that calls the module, by web/bindgen: one minute of one core the first time", () => bind(module));
}
