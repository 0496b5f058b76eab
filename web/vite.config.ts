import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { defineConfig, type Plugin } from "vite";

/// Writes the service worker with the names of all files of the build, so that the page opens
/// offline after the first visit, and a new build replaces all of an old one.
function offline(): Plugin {
  return {
    name: "offline",
    apply: "build",
    generateBundle(_options, bundle) {
      const names = Object.keys(bundle).filter((name) => !name.endsWith(".map"));
      const hash = createHash("sha256");
      for (const name of names.sort()) {
        const part = bundle[name];
        hash.update(name);
        hash.update(part?.type === "chunk" ? part.code : (part?.source ?? ""));
      }
      const files = ["./", "icon.svg", "manifest.webmanifest", ...names.filter((name) => name !== "index.html")];
      const source = readFileSync(new URL("src/offline.js", import.meta.url), "utf8")
        .replace("/*VERSION*/", JSON.stringify(hash.digest("hex").slice(0, 16)))
        .replace("/*FILES*/", files.map((file) => JSON.stringify(file)).join(", "));
      this.emitFile({ type: "asset", fileName: "offline.js", source });
    },
  };
}

export default defineConfig({
  // The folder can be served from any path.
  base: "./",
  plugins: [offline()],
  build: { target: "es2022", assetsInlineLimit: 0 },
  worker: { format: "es" },
});
