/**
 * Approvals: calls are shown exactly and run exactly as often as allowed; uncertain calls are asked
 * about.
 */
import assert from "node:assert/strict";
import type { Locator, Page } from "playwright-core";
import { GONE } from "./support/browser.ts";
import { until } from "./support/rest.ts";
import { say, waitForStatus, turnOf } from "./support/chat.ts";
import { browserTests } from "./support/visit.ts";

const { sharedTest, isolatedTest } = browserTests();

function question(page: Page): Locator {
  return page.getByRole("alertdialog");
}

/** The dialog, after a check that it shows everything that will be sent. */
async function expectDialog(page: Page, people: number): Promise<Locator> {
  const dialog = question(page);
  await dialog.waitFor();
  const words = await dialog.innerText();
  for (const part of [/book.?table/i, /Zum Anker/, new RegExp(`\\b${people}\\b`), /19:30/]) assert.match(words, part);
  return dialog;
}

sharedTest("what is denied is not done", async (visit) => {
  const page = await visit.open();
  await say(page, "book a table for 2");
  const dialog = await expectDialog(page, 2);
  assert.equal(visit.toolServer.count("book_table"), 0);
  // An early Enter must not approve anything.
  assert.notEqual(await page.evaluate(() => document.activeElement?.tagName), "BUTTON");
  await dialog.getByRole("button", { name: "Deny" }).click();
  await dialog.waitFor({ state: "detached" });
  await waitForStatus(turnOf(page, "book a table for 2"));
  assert.equal(visit.toolServer.count("book_table"), 0);
});

sharedTest("what is allowed once is done once, with the arguments that were shown", async (visit) => {
  const page = await visit.open();
  await say(page, "book a table for 3");
  const dialog = await expectDialog(page, 3);
  await dialog.getByRole("button", { name: "Allow once" }).click();
  await waitForStatus(turnOf(page, "book a table for 3"));
  assert.deepEqual(visit.toolServer.calls, [
    { tool: "book_table", arguments: { restaurant: "Zum Anker", people: 3, at: "19:30" } },
  ]);
  await say(page, "book a table for 3");
  await expectDialog(page, 3);
  assert.equal(visit.toolServer.count("book_table"), 1);
  await question(page).getByRole("button", { name: "Deny" }).click();
  await question(page).waitFor({ state: "detached" });
});

sharedTest("an approval survives a reload and being postponed", async (visit) => {
  const page = await visit.open();
  await say(page, "book a table for 4");
  await expectDialog(page, 4);
  await page.reload();
  const dialog = await expectDialog(page, 4);
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
  assert.equal(visit.toolServer.count("book_table"), 0);
  await page
    .getByRole("button", { name: /pending approval/ })
    .first()
    .click();
  await (await expectDialog(page, 4)).getByRole("button", { name: "Allow once" }).click();
  await waitForStatus(turnOf(page, "book a table for 4"));
  assert.equal(visit.toolServer.count("book_table"), 1);
});

sharedTest("an approval answered in one tab closes in the other", async (visit) => {
  const page = await visit.open();
  await say(page, "book a table for 5");
  await expectDialog(page, 5);
  const other = await visit.open({ at: new URL(page.url()).hash });
  await expectDialog(other, 5);
  await question(page).getByRole("button", { name: "Allow once" }).click();
  await question(other).waitFor({ state: "detached" });
  await waitForStatus(turnOf(other, "book a table for 5"));
  assert.equal(visit.toolServer.count("book_table"), 1);
});

isolatedTest("an approval survives a restart of the server", async (visit) => {
  visit.watch.expect(...GONE);
  const page = await visit.open();
  await say(page, "book a table for 6");
  await expectDialog(page, 6);
  await visit.server.restart();
  await until(
    () => visit.server.rest.get<{ data: unknown[] }>("/api/v1/approvals"),
    ({ data }) => data.length === 1,
  );
  await (await expectDialog(page, 6)).getByRole("button", { name: "Allow once" }).click();
  await waitForStatus(turnOf(page, "book a table for 6"));
  assert.equal(visit.toolServer.count("book_table"), 1);
});

for (const [answer, calls] of [
  ["It happened", 1],
  ["It did not happen", 2],
] as const) {
  isolatedTest(`a call that a kill cut off is asked about; "${answer}" leads to ${calls} in all`, async (visit) => {
    visit.watch.expect(...GONE);
    visit.toolServer.isSilent = true;
    const page = await visit.open();
    await say(page, "send a letter");
    await until(
      () => Promise.resolve(visit.toolServer.count("send_letter")),
      (count) => count === 1,
    );
    await visit.server.kill();
    visit.toolServer.isSilent = false;
    await visit.server.start();
    const turn = turnOf(page, "send a letter");
    await waitForStatus(turn, "waiting");
    assert.match(await turn.innerText(), /Grandmother/);
    await turn.getByRole("button", { name: answer, exact: true }).click();
    await waitForStatus(turn);
    assert.match(await turn.innerText(), /The letter is on its way\./);
    assert.equal(visit.toolServer.count("send_letter"), calls);
  });
}
