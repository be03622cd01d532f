/** The page in German: no text of the English catalogue on the screen, in any view. */
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { german } from "../src/languages/de/index.ts";
import { english } from "../src/languages/en/index.ts";
import { goTo } from "./support/german.ts";
import { englishOn } from "./support/shown-texts.ts";
import { fillServer } from "./support/views.ts";
import { browserTests } from "./support/visit.ts";

const { sharedTest } = browserTests();

/** What the tests themselves have written, and names in the simulated home. */
const CONTENT = new Set(["diet", "Thing", "What", "Lights on"]);

/** Fails if a text of the English catalogue is on the page. */
async function assertGerman(page: Page, where: string): Promise<void> {
  assert.equal(await page.locator("html").getAttribute("lang"), "de", where);
  const found = await englishOn(page, english, german);
  assert.deepEqual(
    found.filter((text) => !CONTENT.has(text)),
    [],
    where,
  );
}

/** Waits until a view has its code and its content. */
async function settled(page: Page): Promise<void> {
  await page.waitForLoadState("networkidle");
  await page.waitForTimeout(200);
}

sharedTest("a browser that wants German signs in, talks and finds every view in German", async (visit) => {
  visit.watch.expect(/status of 401/);
  const session = await fillServer(visit);
  const page = await (await visit.newContext({ locale: "de-AT" })).newPage();
  await page.goto(visit.server.url);
  await page.getByRole("heading", { name: "Willkommen bei Dwell" }).waitFor();
  await assertGerman(page, "signing in");
  await page.getByLabel(/Token einfügen/).fill(visit.server.token);
  await page.getByRole("button", { name: "Anmelden" }).click();
  const box = page.getByRole("textbox", { name: "Nachricht", exact: true });
  await box.fill("think about it");
  await box.press("Enter");
  await page.locator("[data-turn-status=completed]").first().waitFor();
  await page.locator(".talk-work-line").first().click();
  await page.getByRole("main").getByText("Gedanken").waitFor();
  await assertGerman(page, "an answer");
  assert.match(await page.title(), /Chat · Dwell$/);
  await page.goto(`${visit.server.url}/#/talk/${session}`);
  await page.getByRole("region", { name: "Unterhaltung" }).getByText("plan my week").first().waitFor();
  await assertGerman(page, "a conversation");
  for (const view of ["Desktop", "Zuhause", "Geplant", "Gedächtnis", "Agenten", "Journal"]) {
    await goTo(page, view);
    await settled(page);
    await assertGerman(page, view);
  }
  await goTo(page, "Geplant");
  await page.getByText("Jeden Werktag um 07:00").first().waitFor();
  for (const tab of ["Verlauf", "Meldungen"]) {
    await page.getByRole("tab", { name: new RegExp(tab) }).click();
    await settled(page);
    await assertGerman(page, tab);
  }
  await page.goto(`${visit.server.url}/#/planned`);
  await page.getByRole("button", { name: "Neu", exact: true }).click();
  await page.getByRole("dialog", { name: "Etwas planen" }).getByLabel("Wann").selectOption("Immer wieder");
  await assertGerman(page, "the form of a plan");
  await page.keyboard.press("Escape");
  await goTo(page, "Gedächtnis");
  for (const tab of ["Fakten", "Personen und Dinge", "Ablagen", "Suche", "Bibliothek", "Kontext"]) {
    await page.getByRole("tab", { name: tab, exact: true }).click();
    await settled(page);
    await assertGerman(page, tab);
  }
  await page.keyboard.press("Control+k");
  await page.getByRole("dialog", { name: "Befehle" }).getByText("Neuer Chat").waitFor();
  await assertGerman(page, "the command palette");
});

sharedTest("the language is switched in the settings without a reload, and kept", async (visit) => {
  const context = await visit.signedInContext({ locale: "en-GB" });
  const page = await context.newPage();
  await page.goto(visit.server.url);
  const draft = page.getByRole("textbox", { name: /^(Message|Nachricht)$/ });
  await draft.fill("half a thought");
  await page.getByRole("button", { name: "Settings" }).click();
  await page.getByRole("dialog", { name: "Settings" }).getByRole("tab", { name: "Deutsch" }).click();
  const settings = page.getByRole("dialog", { name: "Einstellungen" });
  await settings.getByRole("heading", { name: "Sprache" }).waitFor();
  await settings.getByRole("heading", { name: "Token", exact: true }).waitFor();
  await assertGerman(page, "settings");
  await settings.getByRole("button", { name: "Schließen" }).click();
  await page.getByRole("navigation", { name: "Ansichten" }).getByRole("link", { name: "Gedächtnis" }).waitFor();
  assert.equal(await draft.inputValue(), "half a thought");
  await page.reload();
  await page.getByRole("button", { name: "Einstellungen" }).click();
  assert.equal(await page.locator("html").getAttribute("lang"), "de");
  assert.equal(await draft.inputValue(), "half a thought");
  await settings.getByRole("tab", { name: "Wie der Browser" }).click();
  await page.getByRole("dialog", { name: "Settings" }).getByRole("heading", { name: "Language" }).waitFor();
  assert.equal(await page.locator("html").getAttribute("lang"), "en");
});
