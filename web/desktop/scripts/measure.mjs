// Measures the page with much in it: `npm run measure --workspace desktop [MINUTES]`, with DWELL_BIN naming a built dwell.
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { bundled, here } from "./bundle.mjs";

const [minutes] = process.argv.slice(2);
const env = { ...process.env, ...(minutes && { DWELL_MEASURE_MINUTES: minutes }) };
await bundled([join(here, "e2e/measure.ts")], ([file]) => {
  process.exitCode = spawnSync(process.execPath, ["--enable-source-maps", file], { stdio: "inherit", env }).status ?? 1;
});
