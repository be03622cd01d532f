// Measures the page under load: `npm run measure --workspace desktop -- [MINUTES [MESSAGES]]`, with
// DWELL_BIN naming a built dwell.
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { bundled, here } from "./bundle.mjs";

const [minutes, messages] = process.argv.slice(2);
const env = {
  ...process.env,
  ...(minutes && { DWELL_MEASURE_MINUTES: minutes }),
  ...(messages && { DWELL_MEASURE_MESSAGES: messages }),
};
await bundled([join(here, "e2e/measure.ts")], ([file]) => {
  process.exitCode = spawnSync(process.execPath, ["--enable-source-maps", file], { stdio: "inherit", env }).status ?? 1;
});
