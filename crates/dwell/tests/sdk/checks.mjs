// Runs the checks of a script and prints one line for each: `ok NAME`, or `failed NAME: why`. The scripts are run in a folder in
// which the packages are installed, so they load them from there.

import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const installed = createRequire(join(process.cwd(), "package.json"));

export const load = (name) => import(pathToFileURL(installed.resolve(name)).href);

// Messages that the model of the tests knows, and what it knows of them.
export const HELLO = "Say hello.";
export const WEATHER_QUESTION = "Which weather do Oslo and Rome have?";
export const PERSON_QUESTION = "Who was Ada?";
export const WEATHER = { Oslo: "snow", Rome: "sun" };
export const ADA = { name: "Ada Lovelace", born: 1815 };

export function check(holds, why) {
  if (!holds) throw new Error(why);
}

export function same(actual, expected, what) {
  const [one, other] = [JSON.stringify(actual), JSON.stringify(expected)];
  check(one === other, `${what} is ${one}, not ${other}`);
}

export async function run(checks) {
  for (const [name, one] of Object.entries(checks)) {
    try {
      await one();
      process.stdout.write(`ok ${name}\n`);
    } catch (error) {
      const why = `${error?.name}: ${error?.message} ${error?.responseBody ?? ""}`.replaceAll(/\s+/g, " ");
      process.stdout.write(`failed ${name}: ${JSON.stringify(why.slice(0, 600))}\n`);
    }
  }
}
