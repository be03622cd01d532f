// Bundles TypeScript for Node into a temporary folder.
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

export const here = fileURLToPath(new URL("..", import.meta.url));

/** Bundles `entryPoints` and passes the files to `use`; they are deleted afterwards. */
export async function bundled(entryPoints, use) {
  // Below the page's folder, so that imports resolve; in node_modules, so that linters skip it.
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
