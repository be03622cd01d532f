/** Journal, agents, statistics and the home: read, filtered, and live. */
import assert from "node:assert/strict";
import { until } from "./world/rest.ts";
import { ask, say, sessionOf, settled, turnOf } from "./world/talking.ts";
import { stage, type Visit } from "./world/visit.ts";
import type { Page } from "playwright-core";

const { scene } = stage();

async function goTo(page: Page, view: string): Promise<void> {
  await page
    .getByRole("navigation", { name: "Views" })
    .getByRole("link", { name: new RegExp(view) })
    .click();
}

/** A conversation with a tool in it. */
async function talked(visit: Visit): Promise<Page> {
  const page = await visit.open();
  await ask(page, "reckon for the journal");
  return page;
}

scene(
  "the journal is a timeline in words, with its numbers, filtered by kind and by words, and live",
  async (visit) => {
    const page = await talked(visit);
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
      .or(main.getByRole("textbox", { name: /words|search|filter/i }))
      .first();
    await words.fill("calculator");
    const said = main.getByText(/^You said/);
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
    await visit.house.rest.say(session, "count to 3");
    await main.getByText("count to 3").first().waitFor();
  },
);

scene("a long journal opens at its end", async (visit) => {
  const session = await visit.house.rest.session();
  for (const words of ["reckon once", "reckon twice", "reckon thrice"]) await visit.house.rest.say(session, words);
  const page = await visit.open({ at: `#/journal/${session}` });
  const last = page.getByText("You said “reckon thrice”");
  await last.waitFor();
  await page.waitForTimeout(300);
  assert.ok(await last.isVisible());
  assert.equal(await page.getByRole("button", { name: "To the newest" }).count(), 0);
});

scene("agents are seen at work", async (visit) => {
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
  await goTo(page, "Talk");
  await settled(turnOf(page, "count to 400"), "cancelled");
  await settled(turnOf(page, "reckon afterwards"));
});

scene("statistics are plots that can be read as tables", async (visit) => {
  const page = await talked(visit);
  await goTo(page, "Agents");
  await page.getByRole("tab", { name: /Statistics/ }).click();
  const main = page.getByRole("main");
  await main.locator("svg").first().waitFor();
  await main
    .getByText(/first word/i)
    .first()
    .waitFor();
});

scene("a light that an agent switches changes in the home at once", async (visit) => {
  const page = await talked(visit);
  const session = await sessionOf(page);
  await visit.house.rest.say(session, "turn off the kitchen lights");
  await goTo(page, "Home");
  const main = page.getByRole("main");
  await main.getByRole("heading", { name: "Kitchen" }).waitFor();
  const kitchen = () =>
    main
      .locator("section, article, li, div")
      .filter({ has: page.getByRole("heading", { name: "Kitchen" }) })
      .last();
  const before = await kitchen().innerText();
  await visit.house.rest.say(session, "turn on the kitchen lights");
  await until(
    () => kitchen().innerText(),
    (text) => text !== before,
  );
  assert.match(await kitchen().innerText(), /on/i);
});
