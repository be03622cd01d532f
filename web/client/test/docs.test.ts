/**
 * The TypeScript and JavaScript blocks of the documentation parse; those that use this client also
 * run.
 */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import ts from "typescript";
import { Program, skip, TOKEN } from "./support.js";

// Compiled, this file is two folders deeper than its source.
const docs = new URL("../../../../docs/", import.meta.url);

type Block = { place: string; code: string; runs: boolean };

function blocks(page: string): Block[] {
  const text = readFileSync(new URL(page, docs), "utf8");
  return [...text.matchAll(/^```(?:ts|js)(,norun)?\n(.*?)^```$/gms)].map((match) => {
    const line = text.slice(0, match.index).split("\n").length + 1;
    const code = match[2] ?? "";
    const runs = match[1] === undefined && code.includes('from "@dwell/client"');
    return { place: `docs/${page}:${line}`, code, runs };
  });
}

const pages = readdirSync(docs, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".md"));
const found = pages.sort().flatMap(blocks);

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

test("every block that uses the client runs", { skip }, async () => {
  const program = await new Program().start();
  try {
    for (const [index, block] of found.entries()) {
      if (!block.runs) continue;
      // Beside this file, so that the client is found.
      const file = fileURLToPath(new URL(`docs-block-${index}.mjs`, import.meta.url));
      writeFileSync(file, compiled(block));
      const env = { ...process.env, DWELL_URL: program.url, DWELL_TOKEN: TOKEN };
      await assert.doesNotReject(promisify(execFile)(process.execPath, [file], { env, timeout: 60_000 }), block.place);
    }
  } finally {
    await program.end();
  }
});
