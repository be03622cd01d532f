// Takes screenshots of the page: `npm run pictures --workspace desktop -- FOLDER [NAME…]`, with
// DWELL_BIN naming a built dwell. Without a folder it takes those of the README, into
// docs/pictures.
import { spawnSync } from "node:child_process";
import { join, resolve } from "node:path";
import { bundled, here } from "./bundle.mjs";

const SHOWN = [
  "talk-wide-light",
  "desktop-wide-light",
  "memory-wide-dark",
  "home-wide-light",
  "approval-wide-dark",
  "talk-phone-light",
  "desktop-phone-dark",
  "home-phone-dark",
];
const [folder, ...names] = process.argv.slice(2);
const to = folder ? resolve(process.env.INIT_CWD ?? ".", folder) : join(here, "../../docs/pictures");
const wanted = folder ? names : SHOWN;
await bundled([join(here, "e2e/pictures/take.ts")], ([file]) => {
  const run = spawnSync(process.execPath, ["--enable-source-maps", file, to, ...wanted], { stdio: "inherit" });
  process.exitCode = run.status ?? 1;
});
