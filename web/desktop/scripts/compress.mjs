// Writes a .br and a .gz beside each file that gets smaller, and reports the size of the first
// load.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";

const LIMIT = 180_000;
const dist = fileURLToPath(new URL("../dist", import.meta.url));
const files = readdirSync(dist, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && !/\.(br|gz)$/.test(entry.name))
  .map((entry) => join(entry.parentPath, entry.name));

const sizes = new Map();
for (const file of files) {
  const bytes = readFileSync(file);
  const br = brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } });
  const gz = gzipSync(bytes, { level: 9 });
  const isWorthIt = br.length < bytes.length * 0.9;
  if (isWorthIt) {
    writeFileSync(`${file}.br`, br);
    writeFileSync(`${file}.gz`, gz);
  }
  // The size for browsers with gzip only, the worse of the two.
  sizes.set(file.slice(dist.length + 1), isWorthIt ? gz.length : bytes.length);
}

// The first load is the page and what it references; the rest is loaded on demand.
const page = readFileSync(join(dist, "index.html"), "utf8");
const named = [...sizes.keys()].filter(
  (name) => name === "index.html" || page.includes(name) || /inter.*\.woff2$/.test(name),
);
const total = named.reduce((sum, name) => sum + sizes.get(name), 0);
const whole = [...sizes.values()].reduce((sum, size) => sum + size, 0);
console.log(`first load ${(total / 1000).toFixed(1)} KB compressed, ${(whole / 1000).toFixed(1)} KB in all`);
if (total > LIMIT) {
  console.error(`the first load is above ${LIMIT / 1000} KB:`);
  for (const name of named) console.error(`  ${name} ${sizes.get(name)}`);
  process.exit(1);
}
