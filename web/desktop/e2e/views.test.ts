/** Journal, agents, statistics and home: content, filters, live updates. */
import assert from "node:assert/strict";
import { until } from "./support/rest.ts";
import { ask, say, sessionOf, waitForStatus, turnOf } from "./support/chat.ts";
import { goTo } from "./support/views.ts";
import { browserTests, type Visit } from "./support/visit.ts";
import type { Page } from "playwright-core";

const { sharedTest } = browserTests();

/** A page with a conversation that has a tool call. */
async function openConversation(visit: Visit): Promise<Page> {
  const page = await visit.open();
  await ask(page, "reckon for the journal");
  return page;
}

sharedTest("the journal is a readable timeline that is filtered by text and updates live", async (visit) => {
  const page = await openConversation(visit);
  const session = await sessionOf(page);
  await goTo(page, "Journal");
  const main = page.getByRole("main");
  await main
    .getByText(/reckon for the journal/)
    .first()
    .waitFor();
  await main
    .getByText(/calculator/i)
    .first()
    .waitFor();
  const words = main
    .getByRole("searchbox")
    .or(main.getByRole("textbox", { name: /search/i }))
    .first();
  await words.fill("calculator");
  const said = main.getByText(/^You: “/);
  await until(
    () => said.count(),
    (count) => count === 0,
  );
  await main
    .getByText(/Called calculator/)
    .first()
    .waitFor();
  await words.fill("");
  await main.getByText("reckon for the journal").first().waitFor();
  await visit.server.rest.say(session, "count to 3");
  await main.getByText("count to 3").first().waitFor();
});

sharedTest("the rail has the main views, and the others in a menu that Escape closes", async (visit) => {
  const page = await openConversation(visit);
  const rail = page.getByRole("navigation", { name: "Views" });
  const links = async () => (await rail.getByRole("link").allInnerTexts()).map((text) => text.split("\n").at(-1));
  assert.deepEqual(await links(), ["Chat", "Desktop", "Home", "Planned", "Memory", "Alerts"]);
  const button = rail.getByRole("button", { name: "Workshop" });
  await button.click();
  await rail.getByRole("link", { name: /Agents/ }).waitFor();
  await page.keyboard.press("Escape");
  await rail.getByRole("link", { name: /Agents/ }).waitFor({ state: "detached" });
  await goTo(page, "Agents");
  await page.getByRole("region", { name: "Recent turns" }).getByText("reckon for the journal").waitFor();
  assert.equal(await rail.getByRole("link", { name: /Journal/ }).count(), 0);
});

sharedTest("a long journal opens at its end", async (visit) => {
  const session = await visit.server.rest.session();
  for (const words of ["reckon once", "reckon twice", "reckon thrice"]) await visit.server.rest.say(session, words);
  const page = await visit.open({ at: `#/journal/${session}` });
  const last = page.getByText("You: “reckon thrice”");
  await last.waitFor();
  await page.waitForTimeout(300);
  assert.ok(await last.isVisible());
  assert.equal(await page.getByRole("button", { name: "Jump to latest" }).count(), 0);
});

sharedTest("running agents are shown", async (visit) => {
  const page = await visit.open();
  await say(page, "count to 400 every 30 ms");
  await turnOf(page, "count to 400")
    .getByText(/\bw3\b/)
    .waitFor();
  await say(page, "reckon afterwards");
  await goTo(page, "Agents");
  const main = page.getByRole("main");
  await main.getByText("count to 400").first().waitFor();
  await main.getByText("reckon afterwards").first().waitFor();
  await main
    .getByRole("button", { name: /interrupt|stop/i })
    .first()
    .click();
  await goTo(page, "Chat");
  await waitForStatus(turnOf(page, "count to 400"), "cancelled");
  await waitForStatus(turnOf(page, "reckon afterwards"));
});

sharedTest("statistics are charts", async (visit) => {
  const page = await openConversation(visit);
  await goTo(page, "Agents");
  await page.getByRole("tab", { name: /Statistics/ }).click();
  const main = page.getByRole("main");
  await main.locator("svg").first().waitFor();
  await main
    .getByText(/first token/i)
    .first()
    .waitFor();
});

sharedTest("a light that an agent switches changes in the home at once", async (visit) => {
  const page = await openConversation(visit);
  const session = await sessionOf(page);
  await visit.server.rest.say(session, "turn off the kitchen lights");
  await goTo(page, "Home");
  const main = page.getByRole("main");
  await main.getByRole("heading", { name: "Kitchen" }).waitFor();
  const kitchen = () =>
    main
      .locator("section, article, li, div")
      .filter({ has: page.getByRole("heading", { name: "Kitchen" }) })
      .last();
  const before = await kitchen().innerText();
  await visit.server.rest.say(session, "turn on the kitchen lights");
  await until(
    () => kitchen().innerText(),
    (text) => text !== before,
  );
  assert.match(await kitchen().innerText(), /on/i);
});
