// Builds the book with the page in its folder `page`, as one static folder: book/.
import { spawnSync } from "node:child_process";
import { cpSync, existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const web = dirname(dirname(fileURLToPath(import.meta.url)));
const root = dirname(web);
const dist = join(web, "dist");
if (!existsSync(join(dist, "index.html"))) {
  console.error("error: the page is not built: npm run build");
  process.exit(1);
}
const built = spawnSync("mdbook", ["build", join(root, "docs")], { stdio: "inherit" });
if (built.error) {
  console.error("error: mdbook is missing: cargo install mdbook --version 0.4.52");
  process.exit(1);
}
if (built.status !== 0) process.exit(1);
cpSync(dist, join(root, "book/page"), { recursive: true });
