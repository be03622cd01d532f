/** Research: sources, citations that open their passages, and the library. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";
import type { wire } from "@dwell/client";
import type { Locator } from "playwright-core";
import { ask, turnOf } from "./support/chat.ts";
import { until } from "./support/rest.ts";
import { browserTests, type Visit } from "./support/visit.ts";

const NOTES = {
  "kiln.md": "# The kiln\n\nThe kiln gets 1280 degrees hot. That takes it nine hours.\n",
  "clay.md": "# Clay\n\nClay shrinks by a tenth when it dries.\n",
  "glaze.md": "# Glazes\n\nThe blue glaze holds cobalt, the green one copper.\n",
};

const { sharedTest } = browserTests({ isOffline: true });
const folder = mkdtempSync(join(tmpdir(), "dwell-notes-"));
after(() => rmSync(folder, { recursive: true, force: true }));

/** Adds the notes to the library, once for both tests. */
async function addNotes({ server: { rest } }: Visit): Promise<void> {
  const read = () => rest.get<wire.LibraryView>("/api/v1/library");
  if ((await read()).folders.length > 0) return;
  for (const [name, words] of Object.entries(NOTES)) writeFileSync(join(folder, name), words);
  await rest.post("/api/v1/library/folders", { path: folder });
  await until(read, ({ folders }) => folders[0]?.documents === 3);
}

/** Checks the sources of a turn and the passage of its first citation. */
async function checkSources(turn: Locator): Promise<void> {
  const research = turn.getByRole("group", { name: "Research" });
  await research.getByRole("button", { name: /\d sources?, \d/ }).click();
  await research.getByRole("list", { name: "Sources found" }).getByText("The kiln").waitFor();
  await turn
    .getByRole("button", { name: /^Source 1: / })
    .first()
    .click();
  const panel = turn.page().getByRole("complementary");
  await panel.getByText(/kiln\.md$/).waitFor();
  assert.match(await panel.locator("blockquote").innerText(), /1280 degrees hot/);
  await turn.page().keyboard.press("Escape");
}

sharedTest("a citation opens its passage, also after a reload", async (visit) => {
  await addNotes(visit);
  const page = await visit.open();
  const words = "research how hot the kiln gets";
  await checkSources(await ask(page, words));
  await page.reload();
  await checkSources(turnOf(page, words));
});

sharedTest("the library lists its folders and is searched", async (visit) => {
  await addNotes(visit);
  const page = await visit.open({ at: "#/memory//library" });
  await page.getByRole("heading", { name: folder }).waitFor();
  await page.getByText(/3 documents/).waitFor();
  await page.getByRole("searchbox", { name: "Search the library" }).fill("what is in the blue glaze");
  const found = page.getByRole("region", { name: "Results" }).getByRole("listitem");
  assert.match(await found.first().innerText(), /cobalt/);
});
