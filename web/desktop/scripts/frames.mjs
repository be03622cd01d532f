// Builds the frames without an origin (frames/): one that draws diagrams, one that runs HTML. They
// are served below /apps, under a policy of their own. Notes which packages they contain.
import { copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import { here } from "./bundle.mjs";

const to = join(here, "dist/apps/frame");
mkdirSync(to, { recursive: true });
for (const name of ["diagram.html", "run.html"]) copyFileSync(join(here, "frames", name), join(to, name));

const { metafile } = await build({
  // A frame without an origin cannot load modules, so everything is one script.
  entryPoints: [join(here, "frames/diagram.ts"), join(here, "frames/run.ts")],
  outdir: to,
  bundle: true,
  minify: true,
  format: "iife",
  target: "es2022",
  legalComments: "none",
  metafile: true,
  absWorkingDir: join(here, ".."),
  logLevel: "warning",
});

const shipped = new Set();
for (const { inputs } of Object.values(metafile.outputs)) {
  for (const [path, { bytesInOutput }] of Object.entries(inputs)) {
    const [folder] = /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path) ?? [];
    if (folder && bytesInOutput > 0) shipped.add(folder);
  }
}
mkdirSync(join(here, "node_modules"), { recursive: true });
writeFileSync(join(here, "node_modules/.frames.json"), JSON.stringify([...shipped].sort()));
