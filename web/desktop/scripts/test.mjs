// Bundles the unit tests (test/*.test.ts) and runs them.
import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { bundled, here } from "./bundle.mjs";

const names = readdirSync(join(here, "test")).filter((name) => name.endsWith(".test.ts"));
const entryPoints = names.map((name) => join(here, "test", name));

await bundled(entryPoints, (files) => {
  const options = ["--enable-source-maps", "--test", "--test-reporter=spec"];
  process.exitCode = spawnSync(process.execPath, [...options, ...files], { stdio: "inherit" }).status ?? 1;
});
