/** The package as a user installs it: packed, installed from the archive, type-checked and run. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { callOf, Program, ScriptedModel, skip, textOf, TOKEN, words } from "./support.js";

const run = promisify(execFile);
// Compiled, this file is two folders deeper than its source.
const repository = fileURLToPath(new URL("../../../../", import.meta.url));
const packages = join(repository, "web/node_modules");

const PROGRAM = `
import { connect, tool, type Final } from "@dwell/client";
import { WebSocket } from "ws";
import { z } from "zod";

const { DWELL_URL = "", DWELL_TOKEN = "" } = process.env;
const dwell = await connect(DWELL_URL, { token: DWELL_TOKEN, WebSocket });
const weather = tool({
  name: "weather",
  description: "The weather of a town.",
  input: z.object({ town: z.string() }),
  run: ({ town }, { signal }) => (signal.aborted ? "" : \`snow in \${town.toUpperCase()}\`),
});
const final: Final = await dwell.chat("the weather?", { session: "package", tools: [weather] });
console.log(final.message.trim());
// @ts-expect-error A message needs a session.
const missing = () => dwell.chat("hello", {});
// @ts-expect-error The arguments have the types of the schema.
tool({ name: "wrong", input: z.object({ town: z.string() }), run: ({ town }) => town.toFixed() });
console.log(typeof missing, (await dwell.vaults.create({ title: "notes" })).title);
dwell.close();
`;
const CONFIG = {
  compilerOptions: {
    target: "ES2022",
    module: "NodeNext",
    lib: ["ES2022"],
    types: ["node"],
    strict: true,
    skipLibCheck: true,
  },
  include: ["main.ts"],
};

describe("the archive", () => {
  const folder = mkdtempSync(join(tmpdir(), "dwell-package-"));
  const user = join(folder, "user");
  before(async () => {
    // A copy, since packing compiles: other tests use the compiled files of this folder.
    const copy = join(folder, "web/client");
    mkdirSync(copy, { recursive: true });
    for (const name of readdirSync(join(repository, "web/client"))) {
      if (name !== "dist") cpSync(join(repository, "web/client", name), join(copy, name), { recursive: true });
    }
    for (const name of ["LICENSE-APACHE", "LICENSE-MIT"]) cpSync(join(repository, name), join(folder, name));
    symlinkSync(packages, join(folder, "web/node_modules"));
    await run("npm", ["pack", "--silent", "--pack-destination", folder], { cwd: copy });
    mkdirSync(user);
    writeFileSync(join(user, "package.json"), '{ "type": "module", "private": true }');
    const archive = join(folder, "dwell-client-0.1.0.tgz");
    await run("npm", ["install", "--silent", "--offline", "--no-audit", "--no-fund", archive], { cwd: user });
    // What the user's program needs beside the client, without a network.
    for (const name of ["ws", "zod", "@types"]) symlinkSync(join(packages, name), join(user, "node_modules", name));
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  test("holds the compiled code, its types, the licences and the README, and nothing else", () => {
    const files = readdirSync(join(user, "node_modules/@dwell/client"), { recursive: true, encoding: "utf8" }).sort();
    const top = files.filter((name) => !name.startsWith("dist"));
    assert.deepEqual(top, ["LICENSE-APACHE", "LICENSE-MIT", "README.md", "package.json"]);
    assert.ok(files.includes("dist/src/index.js") && files.includes("dist/src/index.d.ts"));
    const others = files.filter((name) => name.includes(".") && name.startsWith("dist") && !/\.(js|d\.ts)$/.test(name));
    assert.deepEqual(others, []);
  });

  test("can be required by CommonJS", async () => {
    const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
    if (major < 20 || (major === 20 && minor < 19)) return;
    const file = join(user, "old.cjs");
    writeFileSync(file, 'console.log(typeof require("@dwell/client").connect);');
    assert.equal((await run(process.execPath, [file])).stdout, "function\n");
  });

  test("type-checks and answers a user's program", { skip }, async () => {
    writeFileSync(join(user, "main.ts"), PROGRAM);
    writeFileSync(join(user, "tsconfig.json"), JSON.stringify(CONFIG));
    const compiler = join(packages, "typescript/bin/tsc");
    await assert.doesNotReject(run(process.execPath, [compiler], { cwd: user }));
    const model = await ScriptedModel.start();
    model.rule = (messages) => {
      const last = messages.at(-1);
      return last?.role === "tool" ? words(`It says: ${textOf(last)}`) : callOf("weather", { town: "Oslo" });
    };
    const program = await new Program(model).start();
    try {
      const env = { ...process.env, DWELL_URL: program.url, DWELL_TOKEN: TOKEN };
      const { stdout } = await run(process.execPath, ["main.js"], { cwd: user, env, timeout: 60_000 });
      assert.equal(stdout, "It says: snow in OSLO\nfunction notes\n");
    } finally {
      await program.end();
      model.stop();
    }
  });
});
