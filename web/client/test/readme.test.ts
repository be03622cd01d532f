/** The example in the README prints what it claims. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { connect, type Dwell, sliceCodePoints } from "../src/index.js";
import { Program, skip, TOKEN, WebSocket } from "./support.js";

// Compiled, this file is two folders deeper than its source.
const readme = readFileSync(new URL("../../README.md", import.meta.url), "utf8");

test("the example prints what it says", { skip }, async () => {
  const [, code, printed] = /```js\n(.*?)```\n\n```text\n(.*?)```/s.exec(readme) ?? [];
  assert.ok(code !== undefined && printed !== undefined);
  const program = await new Program().start();
  const lines: string[] = [];
  const clients: Dwell[] = [];
  const connecting = async (...given: Parameters<typeof connect>) => {
    const client = await connect(...given);
    clients.push(client);
    return client;
  };
  try {
    const body = code.replace(/^import .*$/m, "");
    const names = ["connect", "sliceCodePoints", "url", "token", "WebSocket", "console"];
    // eslint-disable-next-line @typescript-eslint/no-implied-eval -- the README's own code
    const example = new Function(...names, `return (async () => {${body}})()`) as (...all: unknown[]) => Promise<void>;
    const console = { log: (...said: unknown[]) => lines.push(said.join(" ")) };
    await example(connecting, sliceCodePoints, program.url, TOKEN, WebSocket, console);
  } finally {
    // A failing example would leave a client that keeps reconnecting.
    for (const client of clients) client.close();
    await program.end();
  }
  assert.equal(`${lines.join("\n")}\n`, printed);
});
