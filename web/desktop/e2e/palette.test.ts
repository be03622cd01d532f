/** The command palette and the keys that work everywhere. */
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { ask, message, say, sessionOf, turnOf, waitForStatus } from "./support/chat.ts";
import { browserTests } from "./support/visit.ts";

const { isolatedTest, sharedTest } = browserTests();

/** Opens the palette and types. */
async function palette(page: Page, words: string) {
  await page.keyboard.press("Control+k");
  const dialog = page.getByRole("dialog", { name: "Command palette" });
  await dialog.getByRole("combobox").fill(words);
  return dialog;
}

isolatedTest("everything is found by typing: commands, views, sessions, messages, settings", async (visit) => {
  const page = await visit.open();
  await ask(page, "reckon the kettles");
  const session = await sessionOf(page);
  const dialog = await palette(page, "new chat");
  await page.keyboard.press("Enter");
  await dialog.waitFor({ state: "detached" });
  await page.waitForURL((url) => !url.hash.includes(session));

  await palette(page, "kettles");
  await dialog
    .getByRole("group", { name: "Sessions" })
    .getByRole("option", { name: /reckon the kettles/ })
    .click();
  await page.waitForURL((url) => url.hash.includes(session));
  await waitForStatus(turnOf(page, "reckon the kettles"));

  await palette(page, "planned");
  await dialog.getByRole("option", { name: "Planned", exact: true }).waitFor();
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Planned", exact: true }).waitFor();

  await palette(page, "plan some");
  await page.keyboard.press("Enter");
  await page.getByRole("dialog", { name: "Plan something" }).waitFor();
  await page.keyboard.press("Escape");

  await palette(page, "dark theme");
  await page.keyboard.press("Enter");
  assert.equal(await page.evaluate(() => document.documentElement.dataset["theme"]), "dark");

  await palette(page, "42");
  await dialog.getByRole("group", { name: "Messages" }).getByRole("option").first().click();
  await page.waitForURL((url) => url.hash.startsWith(`#/talk/${session}/`));

  await palette(page, "rename this");
  await page.keyboard.press("Enter");
  const rename = page.getByRole("dialog", { name: "Rename session" });
  await rename.getByLabel("Title").fill("All the kettles");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "All the kettles" }).waitFor();

  await palette(page, "zzzz");
  await dialog.getByText("Nothing is called “zzzz”.").waitFor();
  await page.keyboard.press("Control+k");
  await dialog.waitFor({ state: "detached" });
});

sharedTest("keys start a chat, switch sessions, stop an answer, and are listed", async (visit) => {
  const page = await visit.open();
  await ask(page, "reckon first");
  const first = await sessionOf(page);
  await page.keyboard.press("Control+Shift+O");
  await page.waitForURL((url) => !url.hash.includes(first));
  await ask(page, "reckon second");
  const second = await sessionOf(page);
  assert.notEqual(first, second);
  // The list has the newest first.
  await page.getByRole("navigation", { name: "Sessions" }).locator(`[data-session="${second}"]`).waitFor();
  await page.keyboard.press("Alt+PageDown");
  await page.waitForURL((url) => url.hash.includes(first));
  await page.keyboard.press("Alt+PageUp");
  await page.waitForURL((url) => url.hash.includes(second));

  await say(page, "count to 400 every 40 ms");
  await turnOf(page, "count to 400").getByText(/w5\b/).waitFor();
  await message(page).blur();
  await page.keyboard.press("Control+.");
  await waitForStatus(turnOf(page, "count to 400"), "cancelled");

  await page.keyboard.press("Control+/");
  const help = page.getByRole("dialog", { name: "Keyboard shortcuts" });
  for (const what of ["New chat", "Stop the answer", "Next session in the list", "Maximise or restore"]) {
    await help.getByText(what, { exact: true }).first().waitFor();
  }
  await page.keyboard.press("Escape");
  await help.waitFor({ state: "detached" });
  await message(page).blur();
  await page.keyboard.press("?");
  await help.waitFor();
});
