/**
 * The TypeScript and JavaScript blocks of the documentation and of the README parse; those that use
 * this client also run.
 */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import ts from "typescript";
import { MESSAGES } from "./coverage.js";
import { callOf, type Message, Program, type Reply, ScriptedModel, skip, textOf, TOKEN, words } from "./support.js";

// Compiled, this file is two folders deeper than its source.
const docs = new URL("../../../../docs/", import.meta.url);

const README = "../web/client/README.md";

type Block = { place: string; code: string; runs: boolean };

function blocks(page: string): Block[] {
  const text = readFileSync(new URL(page, docs), "utf8");
  return [...text.matchAll(/^```(?:ts|js)(,norun)?\n(.*?)^```$/gms)].map((match) => {
    const line = text.slice(0, match.index).split("\n").length + 1;
    const code = match[2] ?? "";
    // The README's JavaScript has its own test, since it says what it prints.
    const isOther = page === README && !match[0].startsWith("```ts");
    const runs = match[1] === undefined && !isOther && code.includes('from "@dwell/client"');
    return { place: `docs/${page}:${line}`, code, runs };
  });
}

const pages = readdirSync(docs, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".md"));
const found = [...pages.sort(), README].flatMap(blocks);

/** The block as JavaScript. */
function compiled({ place, code }: Block): string {
  const compilerOptions = { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext };
  const { outputText, diagnostics } = ts.transpileModule(code, { compilerOptions, reportDiagnostics: true });
  const faults = (diagnostics ?? []).map((fault) => ts.flattenDiagnosticMessageText(fault.messageText, "\n"));
  assert.deepEqual(faults, [], place);
  return outputText;
}

test("every block parses", () => {
  assert.ok(found.length > 0);
  for (const block of found) compiled(block);
});

/** A model that calls the tool of the pages, and answers in the form that they ask for. */
function answer(messages: Message[]): Reply {
  const last = messages.at(-1);
  if (last?.role === "tool") return words(`The weather: ${textOf(last)}`);
  const said = last === undefined ? "" : textOf(last);
  if (said.includes("weather in Oslo")) return callOf("weather", { town: "Oslo" });
  return words(said.includes("as a form") ? '{"town":"Oslo","degrees":-4}' : "5");
}

/** Runs a block. One that serves until it is stopped is stopped once it says that it serves. */
async function run(file: string, url: string): Promise<void> {
  const env = { ...process.env, DWELL_URL: url, DWELL_TOKEN: TOKEN };
  const running = promisify(execFile)(process.execPath, [file], { env, timeout: 60_000 });
  running.child.stdout?.on("data", (text: string) => {
    if (text.startsWith("serving")) running.child.kill("SIGTERM");
  });
  await running;
}

test("every block that uses the client runs", { skip }, async () => {
  const model = await ScriptedModel.start();
  model.rule = answer;
  const program = await new Program(model).start();
  try {
    await Promise.all(
      found.map(async (block, index) => {
        if (!block.runs || (block.code.includes(".serve(") && !MESSAGES.includes("tool.serve"))) return;
        // Beside this file, so that the client is found.
        const file = fileURLToPath(new URL(`docs-block-${index}.mjs`, import.meta.url));
        writeFileSync(file, compiled(block));
        await assert.doesNotReject(run(file, program.url), block.place);
      }),
    );
  } finally {
    await program.end();
    model.stop();
  }
});
