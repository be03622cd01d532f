// Compiles the package into dist/. npm runs it before it packs the package or links to this folder,
// so that neither is ever without its code.
import { spawnSync } from "node:child_process";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";

const here = fileURLToPath(new URL("..", import.meta.url));
let compiler;
try {
  compiler = createRequire(import.meta.url).resolve("typescript/bin/tsc");
} catch {
  console.error(
    "@dwell/client is compiled before it is installed, and the compiler is not there: run `npm ci` in the folder web/ first",
  );
  process.exit(1);
}
const { status } = spawnSync(process.execPath, [compiler, "--project", "tsconfig.build.json"], {
  cwd: here,
  stdio: "inherit",
});
process.exit(status ?? 1);
