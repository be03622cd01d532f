// Checks the licences of the page's dependencies, and writes their texts beside the page.
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const ALLOWED = new Set(["MIT", "ISC", "BSD-2-Clause", "BSD-3-Clause", "Apache-2.0", "0BSD", "OFL-1.1", "CC0-1.0"]);
const here = fileURLToPath(new URL("..", import.meta.url));
const modules = join(here, "../node_modules");
const read = (folder) => JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));

const found = new Map();
function visit(name, from) {
  const nested = join(from, "node_modules", name);
  const folder = existsSync(nested) ? nested : join(modules, name);
  if (found.has(folder)) return;
  const about = read(folder);
  found.set(folder, about);
  for (const dependency of Object.keys(about.dependencies ?? {})) visit(dependency, folder);
}
for (const name of Object.keys(read(here).dependencies)) visit(name, here);
// Of what the frames are built from, only a part is shipped; `frames.mjs` has noted which.
const framed = JSON.parse(readFileSync(join(here, "node_modules/.frames.json"), "utf8"));
for (const folder of framed) found.set(join(modules, "..", folder), read(join(modules, "..", folder)));

// Few packages have their licence as a text only.
const textOf = (folder) => {
  const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
  return file ? readFileSync(join(folder, file), "utf8").trim() : "";
};
for (const [folder, about] of found) {
  if (about.license === undefined && /^The MIT License \(MIT\)\s/.test(textOf(folder))) about.license = "MIT";
}

// "(A OR B)": one of them must be allowed.
const isAllowed = (licence) =>
  typeof licence === "string" &&
  licence
    .replace(/[()]/g, "")
    .split(" OR ")
    .some((one) => ALLOWED.has(one.trim()));
const bad = [...found.values()].filter(({ license }) => !isAllowed(license));
for (const { name, license } of bad) console.error(`the licence of ${name} is not allowed: ${license}`);
if (bad.length > 0) process.exit(1);

// Type packages leave nothing in the page.
const shipped = [...found].filter(([, { name }]) => !name.startsWith("@types/"));
const texts = shipped.map(([folder, { name, version, license }]) => {
  return `${name} ${version} (${license})\n\n${textOf(folder)}\n`;
});
writeFileSync(join(here, "dist/assets/licences.txt"), texts.join(`\n${"-".repeat(80)}\n\n`));
console.log(`licences of ${shipped.length} packages written`);
