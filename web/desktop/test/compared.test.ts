/** The comparison with other pages: every row has a test that exists, or a reason. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

// Bundled, this file is three folders below the page's.
const page = new URL("../../../../docs/how-to/page-compared.md", import.meta.url);

test("every row of the comparison names tests that exist, or a reason", () => {
  const rows = readFileSync(page, "utf8")
    .split("\n")
    .filter((line) => line.startsWith("| ") && !line.startsWith("| feature"))
    .map((line) => line.slice(2, -2).split(" | "));
  assert.ok(rows.length > 40, `only ${rows.length} rows`);
  for (const [feature = "", , state = "", shown = ""] of rows) {
    const tests = [...shown.matchAll(/\[`([^`]+)`\]\(([^)]+)\)/g)];
    if (state.startsWith("no")) assert.ok(shown.length > 20, `${feature}: no reason`);
    else assert.ok(tests.length > 0, `${feature}: no test`);
    for (const [, name = "", path = ""] of tests) {
      const file = readFileSync(new URL(path, page), "utf8");
      assert.ok(file.includes(`"${name}"`), `${feature}: ${path} has no test “${name}”`);
    }
  }
});
