// Bundles the browser tests (e2e/*.test.ts) and runs them, three files at a time, since they mostly
// wait. Arguments select files by the start of their names.
import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { bundled, here } from "./bundle.mjs";

const wanted = process.argv.slice(2);
const names = readdirSync(join(here, "e2e"))
  .filter((name) => name.endsWith(".test.ts"))
  .filter((name) => wanted.length === 0 || wanted.some((word) => name.startsWith(word)))
  .map((name) => join(here, "e2e", name));

await bundled(names, (files) => {
  const options = ["--enable-source-maps", "--test", "--test-concurrency=3", "--test-reporter=spec"];
  process.exitCode = spawnSync(process.execPath, [...options, ...files], { stdio: "inherit" }).status ?? 1;
});
