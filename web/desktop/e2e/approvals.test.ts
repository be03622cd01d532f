/** What needs a yes is shown exactly, and happens exactly as often as it was allowed; what is in doubt is asked. */
import assert from "node:assert/strict";
import type { Locator, Page } from "playwright-core";
import { GONE } from "./world/browser.ts";
import { until } from "./world/rest.ts";
import { say, settled, turnOf } from "./world/talking.ts";
import { stage } from "./world/visit.ts";

const { scene, alone } = stage();

function question(page: Page): Locator {
  return page.getByRole("alertdialog");
}

/** The dialog, with all that will be sent in it. */
async function shown(page: Page, people: number): Promise<Locator> {
  const dialog = question(page);
  await dialog.waitFor();
  const words = await dialog.innerText();
  for (const part of [/book.?table/i, /Zum Anker/, new RegExp(`\\b${people}\\b`), /19:30/]) assert.match(words, part);
  return dialog;
}

scene("what is denied is not done", async (visit) => {
  const page = await visit.open();
  await say(page, "book a table for 2");
  const dialog = await shown(page, 2);
  assert.equal(visit.outside.count("book_table"), 0);
  // Nobody allows anything by pressing Enter too soon.
  assert.notEqual(await page.evaluate(() => document.activeElement?.tagName), "BUTTON");
  await dialog.getByRole("button", { name: "Deny" }).click();
  await dialog.waitFor({ state: "detached" });
  await settled(turnOf(page, "book a table for 2"));
  assert.equal(visit.outside.count("book_table"), 0);
});

scene("what is allowed once is done once, with the arguments that were shown", async (visit) => {
  const page = await visit.open();
  await say(page, "book a table for 3");
  const dialog = await shown(page, 3);
  await dialog.getByRole("button", { name: "Allow once" }).click();
  await settled(turnOf(page, "book a table for 3"));
  assert.deepEqual(visit.outside.deeds, [
    { tool: "book_table", arguments: { restaurant: "Zum Anker", people: 3, at: "19:30" } },
  ]);
  await say(page, "book a table for 3");
  await shown(page, 3);
  assert.equal(visit.outside.count("book_table"), 1);
  await question(page).getByRole("button", { name: "Deny" }).click();
  await question(page).waitFor({ state: "detached" });
});

scene("a question outlives a reload and being put aside", async (visit) => {
  const page = await visit.open();
  await say(page, "book a table for 4");
  await shown(page, 4);
  await page.reload();
  const dialog = await shown(page, 4);
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
  assert.equal(visit.outside.count("book_table"), 0);
  await page
    .getByRole("button", { name: /approval waits/ })
    .first()
    .click();
  await (await shown(page, 4)).getByRole("button", { name: "Allow once" }).click();
  await settled(turnOf(page, "book a table for 4"));
  assert.equal(visit.outside.count("book_table"), 1);
});

scene("what is answered in one tab is no question in the other", async (visit) => {
  const page = await visit.open();
  await say(page, "book a table for 5");
  await shown(page, 5);
  const other = await visit.open({ at: new URL(page.url()).hash });
  await shown(other, 5);
  await question(page).getByRole("button", { name: "Allow once" }).click();
  await question(other).waitFor({ state: "detached" });
  await settled(turnOf(other, "book a table for 5"));
  assert.equal(visit.outside.count("book_table"), 1);
});

alone("a question outlives the server", async (visit) => {
  visit.watch.expect(...GONE);
  const page = await visit.open();
  await say(page, "book a table for 6");
  await shown(page, 6);
  await visit.house.restart();
  await until(
    () => visit.house.rest.get<{ data: unknown[] }>("/api/v1/approvals"),
    ({ data }) => data.length === 1,
  );
  await (await shown(page, 6)).getByRole("button", { name: "Allow once" }).click();
  await settled(turnOf(page, "book a table for 6"));
  assert.equal(visit.outside.count("book_table"), 1);
});

for (const [answer, calls] of [
  ["It happened", 1],
  ["It did not happen", 2],
] as const) {
  alone(`a call that a kill cut off is asked about; "${answer}" leads to ${calls} in all`, async (visit) => {
    visit.watch.expect(...GONE);
    visit.outside.isSilent = true;
    const page = await visit.open();
    await say(page, "send a letter");
    await until(
      () => Promise.resolve(visit.outside.count("send_letter")),
      (count) => count === 1,
    );
    await visit.house.kill();
    visit.outside.isSilent = false;
    await visit.house.start();
    const turn = turnOf(page, "send a letter");
    await settled(turn, "waiting");
    assert.match(await turn.innerText(), /Grandmother/);
    await turn.getByRole("button", { name: answer, exact: true }).click();
    await settled(turn);
    assert.match(await turn.innerText(), /The letter is on its way\./);
    assert.equal(visit.outside.count("send_letter"), calls);
  });
}
