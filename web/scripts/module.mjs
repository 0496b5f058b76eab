// The built module in web/pkg, and the sources that it was built from.
//
// Beside the module, `module.json` has the SHA-256 of each of its files and of each of its
// sources. While these are unchanged, nothing is built. The folder can be published as it is, as
// the assets of a release for example, and be taken from there: `NIMRULE_WASM=FOLDER or URL`.
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { basename, dirname, join, relative, sep } from "node:path";

const MANIFEST = "module.json";

const sha256 = (data) => createHash("sha256").update(data, "latin1").digest("hex");

/// The digest of a source: of a file its text, whatever ends its lines, and of a folder the names
/// in it. Undefined where there is none.
function digest(path) {
  const found = statSync(path, { throwIfNoEntry: false });
  if (!found) return undefined;
  if (!found.isDirectory()) return sha256(readFileSync(path, "latin1").replaceAll("\r\n", "\n"));
  return sha256(readdirSync(path).filter((name) => !name.startsWith(".")).sort().join("\n"));
}

/// The sources that Cargo lists in a file of dependencies (`OUTPUT: SOURCE SOURCE …`, a space in a
/// name is escaped), with the manifests of their packages, as paths from the root.
export function sourcesOf(dependencies, root) {
  const listed = dependencies.trim().split(/(?<!\\) /).slice(1);
  const sources = new Set(["Cargo.lock", "Cargo.toml"]);
  for (const name of listed.map((path) => relative(root, path.replaceAll("\\ ", " ")))) {
    sources.add(name.split(sep).join("/"));
    for (let folder = dirname(name); folder !== "."; folder = dirname(folder)) {
      const manifest = join(folder, "Cargo.toml");
      if (!digest(join(root, manifest))) continue;
      sources.add(manifest.split(sep).join("/"));
      break;
    }
  }
  return [...sources].sort();
}

/// Writes the manifest of a module that was built from these sources, perhaps quickly.
export function describe(folder, root, sources, quick = false) {
  const files = readdirSync(folder).filter((name) => name !== MANIFEST);
  const manifest = {
    quick,
    files: Object.fromEntries(files.map((name) => [name, sha256(readFileSync(join(folder, name)))])),
    sources: Object.fromEntries(sources.map((name) => [name, digest(join(root, name))])),
  };
  writeFileSync(join(folder, MANIFEST), `${JSON.stringify(manifest, null, 1)}\n`);
}

/// The sources of a module that are not those of the root.
const differing = (manifest, root) =>
  Object.keys(manifest.sources).filter((name) => manifest.sources[name] !== digest(join(root, name)));

/// Whether a folder has a module of the root's sources, as it was built; one that was built quickly
/// only where that is enough.
export function isCurrent(folder, root, quick = false) {
  let manifest;
  try {
    manifest = JSON.parse(readFileSync(join(folder, MANIFEST), "utf8"));
  } catch {
    return false;
  }
  const isWhole = ([name, digest]) => {
    const path = join(folder, name);
    return statSync(path, { throwIfNoEntry: false }) && sha256(readFileSync(path)) === digest;
  };
  return Object.entries(manifest.files).every(isWhole) && (quick || !manifest.quick) && differing(manifest, root).length === 0;
}

/// Empties the folder, so that it has no manifest of another module.
export function emptied(folder) {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
}

/// Takes the module at a place, a folder or an address, where it is of the root's sources. Throws
/// an error that names a source which differs, or a file that is not as it was built.
export async function take(place, folder, root) {
  const read = async (name) => {
    if (!/^https?:/.test(place)) return readFileSync(join(place, name));
    const answer = await fetch(`${place.replace(/\/$/, "")}/${name}`);
    if (!answer.ok) throw new Error(`${answer.url}: ${answer.status} ${answer.statusText}`);
    return Buffer.from(await answer.arrayBuffer());
  };
  const text = await read(MANIFEST);
  const manifest = JSON.parse(text);
  const others = differing(manifest, root);
  if (others.length > 0) {
    const more = others.length > 3 ? ` and ${others.length - 3} more` : "";
    throw new Error(`the module at ${place} is of other sources: not the same are ${others.slice(0, 3).join(", ")}${more}`);
  }
  const files = [];
  for (const [name, digest] of Object.entries(manifest.files)) {
    const data = await read(basename(name));
    if (sha256(data) !== digest) throw new Error(`${place}: ${name} is not as it was built`);
    files.push([basename(name), data]);
  }
  emptied(folder);
  for (const [name, data] of [...files, [MANIFEST, text]]) writeFileSync(join(folder, name), data);
}
