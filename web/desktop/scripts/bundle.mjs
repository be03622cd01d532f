// Bundles TypeScript for Node into a folder that is there for as long as it is needed.
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

export const here = fileURLToPath(new URL("..", import.meta.url));

/** Bundles `entryPoints` and hands the files over; they are gone when `use` is done. */
export async function bundled(entryPoints, use) {
  // Below the page's folder its imports are found; in node_modules no linter that runs beside takes them for ours.
  const packages = join(here, "node_modules");
  mkdirSync(packages, { recursive: true });
  const folder = mkdtempSync(join(packages, ".test-"));
  const clean = () => rmSync(folder, { recursive: true, force: true });
  for (const name of ["SIGINT", "SIGTERM"]) process.once(name, () => (clean(), process.exit(1)));
  try {
    await build({
      entryPoints,
      outdir: folder,
      outExtension: { ".js": ".mjs" },
      bundle: true,
      platform: "node",
      format: "esm",
      target: "node20",
      sourcemap: "inline",
      jsx: "automatic",
      jsxImportSource: "preact",
      alias: { "@dwell/client": join(here, "../client/src/index.ts") },
      external: ["playwright-core", "axe-core"],
      logLevel: "warning",
    });
    await use(readdirSync(folder).map((name) => join(folder, name)));
  } finally {
    clean();
  }
}
