// All shipped games in a real browser, beside the other tests of the page.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { inBrowser, nimrule, opened, root } from "./page.mjs";

const { inPage } = inBrowser();

test("every shipped game opens, and its claims and examples equal the command line's", async () => {
  // NIMRULE_VERDICTS may name the JSON of this command, as in the tests of the Python package.
  const known = process.env.NIMRULE_VERDICTS;
  const command = ["test", "--box", join(root, "games"), "--format", "json"];
  const run = () => spawnSync(nimrule, command, { encoding: "utf8", maxBuffer: 1 << 28 }).stdout;
  const expected = JSON.parse(known ? readFileSync(known, "utf8") : run());
  await inPage("", {}, async (page) => {
    await opened(page, "Cube");
    // The folder `.nimrule` keeps proofs.
    const games = readdirSync(join(root, "games")).filter((name) => /^[^.].*\.nimrule$/.test(name));
    for (const file of games) {
      const name = file.replace(".nimrule", "");
      await page.evaluate((name) => { location.hash = `game=${name}`; }, name);
      const results = expected.results.filter((one) => one.file.endsWith(`/${file}`));
      // The statements at the default values of the parameters.
      const found = await page
        .waitForFunction(
          ([name]) => {
            if (!globalThis.nimrule.is(name)) return null;
            const settled = globalThis.nimrule.verdicts();
            return settled && JSON.stringify(settled);
          },
          [name],
          { timeout: 120_000 },
        )
        .catch(async (error) => {
          throw new Error(`${name}: ${error.message}; ${JSON.stringify(await page.evaluate(() => globalThis.nimrule.pending()))}`);
        });
      const { params, claims, examples } = JSON.parse(await found.jsonValue());
      const here = results.filter((one) => JSON.stringify(one.params) === JSON.stringify(params));
      const same = (statement) => {
        const found = here.find((one) => one.statement === statement);
        assert.ok(found, `${name}: the command line has no result for ${statement}`);
        return found;
      };
      for (const { statement, verdict } of claims) {
        const native = same(statement);
        const found = typeof verdict === "string" ? { standing: "not checked" } : verdict.json;
        // A search for a proof that ended with its time leaves a claim open, on either side.
        const open = (one) => "no_proof_in" in one || ["unknown", "undecided", "limit"].includes(one.standing);
        if (open(found) || open(native)) continue;
        // What is proved within the time of one may hold to a bound within that of the other, and
        // what the command line does not check is outside what any procedure decides.
        const word = (one) => one.standing.replace("outside", "not checked").replace("proved", "holds");
        assert.equal(word(found), word(native), `${name}: ${statement}`);
        assert.deepEqual(found.counterexample, native.counterexample, `${name}: ${statement}`);
      }
      for (const { statement, verdict } of examples) {
        const found = typeof verdict === "string" ? "not checked" : verdict.passes ? "holds" : "fails";
        assert.equal(found, same(`example ${statement}`).standing, `${name}: ${statement}`);
      }
    }
  });
});
