/**
 * Memory: facts with their sources, corrections, forgetting, history, and the context of a turn.
 */
import assert from "node:assert/strict";
import type { wire } from "@dwell/client";
import type { Locator, Page } from "playwright-core";
import { until } from "./support/rest.ts";
import { turnOf } from "./support/chat.ts";
import { browserTests, type Visit } from "./support/visit.ts";

const { isolatedTest } = browserTests({ isOffline: true });

/** Sends messages with facts, and waits until these are extracted. */
async function rememberFacts(visit: Visit, ...words: string[]): Promise<string> {
  const { rest } = visit.server;
  const session = await rest.session();
  for (const each of words) await rest.say(session, each);
  await rest.post("/api/v1/memories/await_consistency", { timeout_ms: 20_000 });
  return session;
}

/** All search results that contain the query. */
async function searchResults(visit: Visit, query: string): Promise<wire.MemoryHit[]> {
  const { items = [] } = await visit.server.rest.post<wire.MemorySnapshot>("/api/v1/memories/search", { query });
  return items.filter((item) => JSON.stringify(item).includes(query));
}

async function facts(visit: Visit): Promise<{ page: Page; fact: (words: string) => Locator }> {
  const page = await visit.open({ at: "#/memory" });
  await page.getByRole("tab", { name: "Facts" }).click();
  const list = page.getByRole("list", { name: "Facts" });
  return { page, fact: (words) => list.getByRole("listitem").filter({ hasText: words }).first() };
}

isolatedTest("a fact shows its source, is corrected, and is forgotten everywhere", async (visit) => {
  const session = await rememberFacts(visit, "My bike is a green Gazelle.", "My boat is called Swallow.");
  const { page, fact } = await facts(visit);
  await fact("green Gazelle").waitFor();
  const source = fact("green Gazelle").getByRole("link").first();
  assert.match((await source.getAttribute("href")) ?? "", new RegExp(session));

  await fact("green Gazelle").getByRole("button", { name: "Correct bike" }).click();
  const box = page.getByRole("dialog").getByRole("textbox");
  await box.fill("a red Batavus");
  await page.getByRole("dialog").getByRole("button", { name: "Save" }).click();
  await fact("red Batavus").waitFor();
  await fact("green Gazelle").waitFor({ state: "detached" });
  await until(
    () => searchResults(visit, "Batavus"),
    (items) => items.length > 0,
  );

  await fact("red Batavus").getByRole("button", { name: "Forget bike" }).click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Forget", exact: true }).click();
  await fact("red Batavus").waitFor({ state: "detached" });
  assert.deepEqual(await searchResults(visit, "Batavus"), []);
  await page.getByRole("tab", { name: "Search" }).click();
  const search = page.getByRole("main").getByRole("searchbox");
  await search.fill("Batavus");
  await search.press("Enter");
  await page
    .getByText(/no matches/i)
    .first()
    .waitFor();
  assert.equal(await page.getByRole("listitem").filter({ hasText: "Batavus" }).count(), 0);
});

isolatedTest("a changed fact shows its history", async (visit) => {
  await rememberFacts(visit, "My 5k personal best is 27:12.", "My 5k personal best is 25:50.");
  const { page, fact } = await facts(visit);
  await fact("25:50")
    .getByRole("button", { name: /^History/ })
    .click();
  const timeline = page.getByRole("list", { name: /History of 5k personal best/ });
  const steps = timeline.getByRole("listitem");
  await steps.nth(1).waitFor();
  assert.match(await steps.nth(0).innerText(), /25:50[\s\S]*current/);
  assert.match(await steps.nth(1).innerText(), /27:12[\s\S]*25:50/);
});

isolatedTest("the profile is changed and forgotten, and two tabs agree on it", async (visit) => {
  await visit.server.rest.put("/api/v1/profile/diet", { value: "vegetarian", priority: 50 });
  const page = await visit.open({ at: "#/memory" });
  await page.getByText("vegetarian").first().waitFor();
  const line = () => page.getByRole("listitem").filter({ hasText: "diet" }).first();
  await line()
    .getByRole("button", { name: /Edit|Change/ })
    .click();
  const box = page.getByRole("main").getByRole("textbox").first();
  await box.fill("vegan");
  await page.getByRole("button", { name: "Save" }).first().click();
  await until(
    () => visit.server.rest.get<unknown>("/api/v1/profile"),
    (profile) => JSON.stringify(profile).includes('"vegan"'),
  );
  await line().getByText("vegan").first().waitFor();
  await line()
    .getByRole("button", { name: /Forget/ })
    .click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Forget", exact: true }).click();
  await until(
    () => visit.server.rest.get<unknown>("/api/v1/profile"),
    (profile) => !JSON.stringify(profile).includes("vegan"),
  );
  await page.getByText("vegan", { exact: true }).waitFor({ state: "detached" });
});

isolatedTest("the context of a turn is shown with its scores", async (visit) => {
  const others = [
    "I work at the city library.",
    "My boat is called Swallow.",
    "Our boiler is from 2014.",
    "I am vegan.",
  ];
  await rememberFacts(visit, "My bike is a green Gazelle.", ...others);
  const session = await visit.server.rest.session();
  const turn = await visit.server.rest.say(session, "Where did I leave my bike, the green Gazelle?");
  const page = await visit.open({ at: `#/memory/${session}/${turn.turn_id}` });
  const main = page.getByRole("main");
  await main.getByRole("listitem").filter({ hasText: "Gazelle" }).first().waitFor();
  await main
    .getByText(/relevance/i)
    .first()
    .waitFor();
  await main
    .getByText(/tokens/i)
    .first()
    .waitFor();
  await page.getByRole("navigation", { name: "Views" }).getByRole("link", { name: "Chat" }).click();
  await turnOf(page, "Where did I leave my bike, the green Gazelle?").waitFor();
});

isolatedTest("people and things are drawn, chosen by keys, and shown as they were", async (visit) => {
  const session = await rememberFacts(visit, "My sister Maria lives in Ghent.", "My sister lives in Bruges now.");
  const page = await visit.open({ at: "#/memory//people" });
  const list = page.getByRole("list", { name: "People and things" });
  await list.getByRole("listitem").filter({ hasText: "Bruges" }).first().waitFor();
  assert.equal(await list.getByText("Ghent", { exact: true }).count(), 0);

  await page.getByRole("checkbox", { name: "Show what is over or was corrected" }).check();
  const ended = list.getByRole("listitem").filter({ hasText: "no longer so" }).last();
  await ended.waitFor();
  assert.match((await ended.getByRole("link").first().getAttribute("href")) ?? "", new RegExp(session));

  // Two steps by keys: to a node of the drawing, and to its facts.
  const maria = page.getByRole("button", { name: /^Maria, Person · your sister/ });
  await maria.focus();
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "All people and things" }).waitFor();
  assert.equal(await maria.getAttribute("aria-pressed"), "true");
  await page.keyboard.press("ArrowUp");
  const focused = page.locator(".graph-node:focus");
  assert.notEqual(await focused.getAttribute("data-id"), "person:maria");
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "All people and things" }).waitFor({ state: "detached" });

  await page.getByLabel("As known on").fill("2020-01-01");
  await page.getByText("Nothing is known").waitFor();
  await page.getByRole("button", { name: "Today" }).click();
  await list.waitFor();
});
