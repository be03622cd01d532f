/** The session list: search, rename, folders, fork, end, delete, export, import. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import type { Locator, Page } from "playwright-core";
import { until } from "./support/rest.ts";
import { ask, message, sessionOf, waitForStatus, turnOf, turns } from "./support/chat.ts";
import { browserTests } from "./support/visit.ts";

const { sharedTest, isolatedTest } = browserTests();

function list(page: Page): Locator {
  return page.getByRole("navigation", { name: "Sessions" });
}

function row(page: Page, title: string | RegExp): Locator {
  return list(page).locator("[data-session]").filter({ hasText: title });
}

async function pick(page: Page, title: string, item: string): Promise<void> {
  await row(page, title).hover();
  await row(page, title).getByRole("button", { expanded: false }).last().click();
  await page.getByRole("menuitem", { name: item }).click();
}

isolatedTest("sessions are found by the words of their titles", async (visit) => {
  for (const words of ["the red kettle", "the blue kettle", "a green bicycle"]) {
    await visit.server.rest.say(await visit.server.rest.session(), words);
  }
  const page = await visit.open();
  await row(page, "a green bicycle").waitFor();
  const search = list(page).getByRole("searchbox");
  await search.fill("KETTLE");
  await row(page, "a green bicycle").waitFor({ state: "detached" });
  await row(page, "the red kettle").waitFor();
  await row(page, "the blue kettle").waitFor();
  await search.fill("kettle blue");
  await row(page, "the red kettle").waitFor({ state: "detached" });
  await row(page, "the blue kettle").getByRole("link").first().click();
  await waitForStatus(turnOf(page, "the blue kettle"));
});

isolatedTest("the list is not read again because it has come", async (visit) => {
  await visit.server.rest.say(await visit.server.rest.session(), "the red kettle");
  const page = await visit.open();
  await row(page, "the red kettle").waitFor();
  let reads = 0;
  page.on("request", (request) => {
    if (request.url().includes("/api/v1/sessions?")) reads += 1;
  });
  await page.waitForTimeout(1_000);
  // A timer or another tab may ask once; a loop asks hundreds of times.
  assert.ok(reads < 5, `the list was read ${reads} times in a second`);
});

sharedTest("a session is renamed, also for other tabs", async (visit) => {
  const page = await visit.open();
  await ask(page, "reckon for a name");
  const other = await visit.open({ context: page.context() });
  await row(other, "reckon for a name").waitFor();
  await pick(page, "reckon for a name", "Rename");
  const box = list(page).getByRole("textbox");
  await box.fill("The household's sums");
  await box.press("Enter");
  for (const each of [page, other]) await row(each, "The household's sums").waitFor();
  const { title } = await visit.server.rest.get<{ title: string }>(`/api/v1/sessions/${await sessionOf(page)}`);
  assert.equal(title, "The household's sums");
});

sharedTest("a fork has the messages so far and continues on its own", async (visit) => {
  const page = await visit.open();
  await ask(page, "reckon for a fork");
  const first = await sessionOf(page);
  await pick(page, "reckon for a fork", "Fork");
  await page.waitForURL((url) => url.hash.startsWith("#/talk/") && !url.hash.includes(first));
  await turnOf(page, "reckon for a fork").waitFor();
  await ask(page, "count to 4");
  assert.equal((await visit.server.rest.turns(first)).length, 1);
  assert.equal(await turns(page).count(), 2);
});

sharedTest("an ended session takes no messages and stays readable", async (visit) => {
  const page = await visit.open();
  await ask(page, "reckon to the end");
  const session = await sessionOf(page);
  await pick(page, "reckon to the end", "End");
  await page.getByRole("alertdialog").getByRole("button", { name: "End session" }).click();
  await until(
    () => visit.server.rest.get<{ status: string }>(`/api/v1/sessions/${session}`),
    ({ status }) => status === "ended",
  );
  await turnOf(page, "reckon to the end").waitFor();
  await until(
    async () => (await message(page).count()) === 0 || (await message(page).isDisabled()),
    (isClosed) => isClosed,
  );
});

sharedTest("a deleted session is gone in other tabs too, and the dialog says what is deleted", async (visit) => {
  const page = await visit.open();
  await ask(page, "reckon to be deleted");
  const session = await sessionOf(page);
  const other = await visit.open({ context: page.context() });
  await row(other, "reckon to be deleted").waitFor();
  await pick(page, "reckon to be deleted", "Delete");
  const dialog = page.getByRole("alertdialog");
  await dialog.getByText("cannot be restored").waitFor();
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await row(page, "reckon to be deleted").waitFor();
  await pick(page, "reckon to be deleted", "Delete");
  await dialog.getByRole("checkbox", { name: /Also forget its memories/ }).check();
  await dialog.getByRole("button", { name: "Delete" }).click();
  for (const each of [page, other]) await row(each, "reckon to be deleted").waitFor({ state: "detached" });
  await page.waitForURL((url) => !url.hash.includes(session));
  await assert.rejects(visit.server.rest.get(`/api/v1/sessions/${session}`));
});

sharedTest("a session is exported to a file and imported again", async (visit) => {
  const page = await visit.open();
  await ask(page, "reckon to take along");
  await pick(page, "reckon to take along", "Export");
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page
      .getByRole("dialog")
      .getByRole("link", { name: /OpenAI/ })
      .click(),
  ]);
  const file = readFileSync(await download.path(), "utf8");
  assert.match(file, /reckon to take along[\s\S]*It is 42\./);
  await page.keyboard.press("Escape");
  const before = await sessionOf(page);
  await list(page).getByRole("button", { name: "More" }).click();
  await page.getByRole("menuitem", { name: "Import session" }).click();
  const dialog = page.getByRole("dialog");
  await dialog
    .getByLabel("File")
    .setInputFiles({ name: "taken.json", mimeType: "application/json", buffer: Buffer.from(file) });
  await dialog.getByRole("button", { name: "Import" }).click();
  await page.waitForURL((url) => url.hash.startsWith("#/talk/") && !url.hash.includes(before));
  await turnOf(page, "reckon to take along").waitFor();
});

isolatedTest("a pinned session stays on top, also beyond the loaded part of the list", async (visit) => {
  const { rest } = visit.server;
  const first = await rest.session();
  await rest.say(first, "reckon to keep");
  const page = await visit.open();
  await row(page, "reckon to keep").waitFor();
  await pick(page, "reckon to keep", "Pin");
  const pinned = list(page).getByRole("region", { name: "Pinned" });
  await pinned.getByText("reckon to keep").waitFor();
  // The first page of the list has 40.
  for (let count = 0; count < 41; count += 1) await rest.session();
  await page.reload();
  await pinned.getByText("reckon to keep").waitFor();
  await pick(page, "reckon to keep", "Unpin");
  await pinned.waitFor({ state: "detached" });
  const { settings } = await rest.get<{ settings: { preferences?: object } }>(`/api/v1/sessions/${first}`);
  assert.ok(!("pinned" in (settings.preferences ?? {})));
});

sharedTest("a conversation is saved as Markdown and as JSON", async (visit) => {
  const page = await visit.open();
  await ask(page, "reckon to be read");
  await pick(page, "reckon to be read", "Export");
  for (const [name, expected] of [
    [/^Markdown/, /^# reckon to be read\n\n\*\*You\*\*[\s\S]*> reckon to be read\n\nIt is 42\.\n$/],
    [/^JSON/, /"message": "reckon to be read",\s+"answer": "It is 42\."/],
  ] as const) {
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("dialog").getByRole("button", { name }).click(),
    ]);
    assert.match(readFileSync(await download.path(), "utf8"), expected);
  }
});

sharedTest("a session goes into a folder, and a whole conversation to the print dialog", async (visit) => {
  const context = await visit.signedInContext();
  await context.addInitScript(() => {
    // The print dialog itself cannot be driven; what it is given can be read.
    globalThis.print = () => {
      const sheet = document.querySelector(".print-sheet");
      Object.assign(globalThis, { wasPrinted: `${document.title}\n${sheet?.textContent ?? ""}` });
    };
  });
  const page = await visit.open({ context });
  await ask(page, "reckon for the folder");
  await ask(page, "plan my week");
  await pick(page, "reckon for the folder", "Move to folder");
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Folder").fill("Household");
  await dialog.getByRole("button", { name: "Move" }).click();
  const folder = page.getByRole("region", { name: "Household" });
  await folder.getByText("reckon for the folder").waitFor();
  await folder.getByRole("button", { name: /Household/ }).click();
  await folder.getByText("reckon for the folder").waitFor({ state: "detached" });
  await page.reload();
  await folder.getByRole("button", { name: /Household/, expanded: false }).click();
  await pick(page, "reckon for the folder", "Export");
  await dialog.getByRole("button", { name: /^PDF/ }).click();
  const printed = await until(
    () => page.evaluate(() => String(Reflect.get(globalThis, "wasPrinted") ?? "")),
    (text) => text !== "",
  );
  assert.match(printed, /^reckon for the folder\n[\s\S]*It is 42\.[\s\S]*plan my week[\s\S]*A plan for the week/);
  await page.locator(".print-sheet").waitFor({ state: "detached" });
  await pick(page, "reckon for the folder", "Move to folder");
  await dialog.getByRole("button", { name: /Take out/ }).click();
  await folder.waitFor({ state: "detached" });
});

isolatedTest("text is found in turns that are neither rendered nor loaded, and in all sessions", async (visit) => {
  const { rest } = visit.server;
  const session = await rest.session();
  await rest.say(session, "where is the zeppelin");
  for (let count = 0; count < 45; count += 1) await rest.say(session, `count to ${count + 2}`);
  const page = await visit.open({ at: `#/talk/${session}` });
  await turnOf(page, "count to 46").waitFor();
  assert.equal(await turnOf(page, "zeppelin").count(), 0);
  await page.keyboard.press("Control+f");
  const bar = page.getByRole("search", { name: "Find in this conversation" });
  const box = bar.getByRole("searchbox");
  await box.fill("ZEPPELIN");
  await bar.getByText("1 of 1").waitFor();
  await turnOf(page, "where is the zeppelin").waitFor();
  const marked = () => page.evaluate(() => CSS.highlights.get("talk-find")?.size ?? 0);
  await until(marked, (count) => count > 0);
  await box.fill("count to 4");
  // 4 and 40 to 46.
  await bar.getByText("8 of 8").waitFor();
  await box.press("Enter");
  await bar.getByText("7 of 8").waitFor();
  await box.fill("airship");
  await bar.getByText("Not found").waitFor();
  await box.press("Escape");
  await bar.waitFor({ state: "detached" });
  assert.equal(await marked(), 0);
  // From another session, by the search of the list.
  await page.goto(`${visit.server.url}/#/talk`);
  await list(page).getByRole("searchbox").fill("zeppelin");
  await list(page).getByRole("region", { name: "Messages" }).getByRole("link").first().click();
  await page.waitForURL((url) => url.hash.startsWith(`#/talk/${session}/`));
  await turnOf(page, "where is the zeppelin").waitFor();
});
