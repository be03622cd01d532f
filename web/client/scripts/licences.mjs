// Copies the licences of the repository into the package while it is packed.
import { copyFileSync, rmSync } from "node:fs";

const [action] = process.argv.slice(2);
for (const name of ["LICENSE-APACHE", "LICENSE-MIT"]) {
  const copy = new URL(`../${name}`, import.meta.url);
  if (action === "copy") copyFileSync(new URL(`../../../${name}`, import.meta.url), copy);
  else rmSync(copy, { force: true });
}
