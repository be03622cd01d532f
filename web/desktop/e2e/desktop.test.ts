/**
 * The desktop: windows of every kind, their buttons, moving and resizing, and sync between tabs.
 */
import assert from "node:assert/strict";
import type { Locator, Page } from "playwright-core";
import { until } from "./support/rest.ts";
import { ask, sessionOf, waitForStatus, turnOf } from "./support/chat.ts";
import type { Visit } from "./support/visit.ts";
import { browserTests } from "./support/visit.ts";

const { sharedTest } = browserTests();

/** Asks for a window and opens the desktop. */
async function windowBy(
  visit: Visit,
  words: string,
  title: string,
): Promise<{ page: Page; window: Locator; session: string }> {
  const page = await visit.open();
  await ask(page, words);
  const session = await sessionOf(page);
  await page
    .getByRole("navigation", { name: "Views" })
    .getByRole("link", { name: /Desktop/ })
    .click();
  const window = windowOf(page, title);
  await window.waitFor();
  return { page, window, session };
}

function windowOf(page: Page, title: string): Locator {
  return page.locator(`[data-window-id]`).filter({ has: page.getByRole("heading", { name: title }) });
}

/** The bounds and state of a window on the server. */
async function windowBounds(visit: Visit, session: string, id: string) {
  const { windows } = await visit.server.rest.desktop(session);
  const window = windows.find((each) => each.window_id === id);
  assert.ok(window, `no window ${id}`);
  return { ...window.bounds, state: window.state };
}

sharedTest("a button of a form reaches the window's agent, which changes the window", async (visit) => {
  const { page, window, session } = await windowBy(visit, "shopping form", "Shopping");
  const other = await visit.open({ at: new URL(page.url()).hash });
  await windowOf(other, "Shopping").waitFor();
  await window.getByLabel("What", { exact: true }).fill("oat milk");
  await window.getByLabel("Shop", { exact: true }).selectOption("Bakery");
  await window.getByLabel("Urgent").check();
  await window.getByRole("button", { name: "Add it" }).click();
  await window.getByText("On the list: oat milk").waitFor();
  await windowOf(other, "Shopping").getByText("On the list: oat milk").waitFor();
  const turns = await visit.server.rest.turns(session);
  const pressed = turns.find(({ agent_id: agent }) => agent.startsWith("window-"));
  assert.ok(pressed, "no turn of the window's agent");
  const act = JSON.stringify(pressed.request);
  for (const part of ["oat milk", "Bakery", "add"]) assert.ok(act.includes(part), act);
});

sharedTest("tables sort, charts have a table for screen readers, and HTML is sanitized", async (visit) => {
  const { page, window: table } = await windowBy(visit, "show a table", "Prices");
  await table.getByRole("cell", { name: "Cheese" }).waitFor();
  await table.getByRole("columnheader", { name: "Price" }).getByRole("button").click();
  const cells = () => table.getByRole("row").allInnerTexts();
  await until(cells, (rows) => /Apples/.test(rows[1] ?? ""));
  await page.getByRole("navigation", { name: "Views" }).getByRole("link", { name: "Chat" }).click();
  await ask(page, "show a chart");
  await ask(page, "show html");
  await page
    .getByRole("navigation", { name: "Views" })
    .getByRole("link", { name: /Desktop/ })
    .click();
  const chart = windowOf(page, "Power");
  await chart.locator("svg").first().waitFor();
  await chart.getByRole("table").waitFor({ state: "attached" });
  assert.match((await chart.getByRole("table").textContent()) ?? "", /Tue[\s\S]*7/);
  const note = windowOf(page, "Note");
  await note.getByText("Hello there").waitFor();
  assert.equal(await note.locator("b", { hasText: "HTML" }).count(), 1);
});

sharedTest(
  "an app runs in a sandbox, is told its token by message only, and answers an agent's question",
  async (visit) => {
    const page = await visit.open();
    const addresses: string[] = [];
    page.on("request", (request) => addresses.push(request.url()));
    await ask(page, "show a timer");
    await page
      .getByRole("navigation", { name: "Views" })
      .getByRole("link", { name: /Desktop/ })
      .click();
    const frame = windowOf(page, "Tea").locator("iframe");
    await frame.waitFor();
    assert.equal(await frame.getAttribute("sandbox"), "allow-scripts");
    assert.match((await frame.getAttribute("src")) ?? "", /^\/apps\/timer\/index\.html$/);
    const session = await sessionOf(page);
    await until(
      () => visit.server.rest.say(session, "how long is left?"),
      (turn) =>
        /The app says .*\d/.test(turn.response?.message ?? "") &&
        !/error|no answer/i.test(turn.response?.message ?? ""),
    );
    const token = JSON.stringify(await visit.server.rest.desktop(session)).match(/"token":"([^"]+)"/)?.[1];
    assert.ok(token, "the window has no token");
    assert.ok(!addresses.some((address) => address.includes(token)), "the app's token is in an address");
  },
);

sharedTest("a window is moved and resized by mouse, and the server hears of it", async (visit) => {
  const { page, window, session } = await windowBy(visit, "show a table", "Prices");
  const before = await windowBounds(visit, session, "prices");
  const box = await window.boundingBox();
  assert.ok(box);
  const title = await window.getByRole("heading", { name: "Prices" }).boundingBox();
  assert.ok(title);
  await page.mouse.move(title.x + 10, title.y + title.height / 2);
  await page.mouse.down();
  await page.mouse.move(title.x + 70, title.y + 60, { steps: 6 });
  await page.mouse.move(title.x + 110, title.y + 90, { steps: 6 });
  await page.mouse.up();
  const moved = await until(
    () => windowBounds(visit, session, "prices"),
    ({ x, y }) => x !== before.x || y !== before.y,
  );
  assert.ok(moved.x > before.x && moved.y > before.y, JSON.stringify(moved));
  const now = await window.boundingBox();
  assert.ok(now && now.x > box.x && now.y > box.y);
  await page.mouse.move(now.x + now.width - 2, now.y + now.height - 2);
  await page.mouse.down();
  await page.mouse.move(now.x + now.width + 60, now.y + now.height + 40, { steps: 8 });
  await page.mouse.up();
  const grown = await until(
    () => windowBounds(visit, session, "prices"),
    ({ width }) => width !== before.width,
  );
  assert.ok(grown.width > before.width && grown.height > before.height, JSON.stringify(grown));
  const { timeline } = await visit.server.rest.desktop(session);
  assert.ok(timeline.length > 0 && timeline.length < 10, `${timeline.length} lines are told of one move`);
});

sharedTest("the same by keyboard, and minimised, maximised, closed", async (visit) => {
  const { page, window, session } = await windowBy(visit, "show a table", "Prices");
  const before = await windowBounds(visit, session, "prices");
  await window.focus();
  for (let step = 0; step < 3; step += 1) await page.keyboard.press("Alt+Shift+ArrowRight");
  const moved = await until(
    () => windowBounds(visit, session, "prices"),
    ({ x }) => x > before.x,
  );
  assert.equal(moved.y, before.y);
  await window.getByRole("button", { name: /^maximi[sz]e/i }).click();
  await until(
    () => windowBounds(visit, session, "prices"),
    ({ state }) => state === "maximized",
  );
  await window.getByRole("button", { name: /^restore/i }).click();
  await until(
    () => windowBounds(visit, session, "prices"),
    ({ state }) => state === "normal",
  );
  await window.getByRole("button", { name: /^minimi[sz]e/i }).click();
  await until(
    () => windowBounds(visit, session, "prices"),
    ({ state }) => state === "minimized",
  );
  await window.waitFor({ state: "hidden" });
  await page
    .getByRole("button", { name: /Prices/ })
    .first()
    .click();
  await until(
    () => windowBounds(visit, session, "prices"),
    ({ state }) => state === "normal",
  );
  await window.getByRole("button", { name: /^close/i }).click();
  await until(
    () => visit.server.rest.desktop(session),
    ({ windows }) => windows.length === 0,
  );
  await window.waitFor({ state: "detached" });
});

sharedTest("windows stay in step between tabs", async (visit) => {
  const { page, window, session } = await windowBy(visit, "show a table", "Prices");
  const other = await visit.open({ at: new URL(page.url()).hash });
  const mirrored = windowOf(other, "Prices");
  await mirrored.waitFor();
  const start = await mirrored.boundingBox();
  await window.focus();
  for (let step = 0; step < 4; step += 1) await page.keyboard.press("Alt+Shift+ArrowDown");
  await until(
    () => mirrored.boundingBox(),
    (box) => (box?.y ?? 0) > (start?.y ?? 0),
  );
  await mirrored.getByRole("button", { name: /^close/i }).click();
  await window.waitFor({ state: "detached" });
  await until(
    () => visit.server.rest.desktop(session),
    ({ windows }) => windows.length === 0,
  );
});

sharedTest("a question of an agent is answered in one tab and gone in the other", async (visit) => {
  const page = await visit.open();
  await ask(page, "reckon first");
  const other = await visit.open({ at: new URL(page.url()).hash });
  await turnOf(other, "reckon first").waitFor();
  const session = await sessionOf(page);
  await visit.server.rest.begin(session, "which one do you want?");
  for (const each of [page, other]) await each.getByRole("dialog", { name: "Which colour?" }).waitFor();
  // Clicks right after opening are ignored.
  await page.waitForTimeout(500);
  await page.getByRole("dialog").getByRole("button", { name: "Blue" }).click();
  await other.getByRole("dialog").waitFor({ state: "detached" });
  const turn = await waitForStatus(turnOf(other, "which one do you want?"));
  await turn.getByText(/You chose:.*Blue/).waitFor();
});

sharedTest("a question can be postponed: the page stays usable, and the badge brings it back", async (visit) => {
  const page = await visit.open();
  await ask(page, "reckon before the question");
  const session = await sessionOf(page);
  await visit.server.rest.begin(session, "which one do you want?");
  const dialog = page.getByRole("dialog", { name: "Which colour?" });
  await dialog.waitFor();
  await page.waitForFunction(() => document.title.startsWith("(1) "));
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
  await page.getByRole("navigation", { name: "Views" }).getByRole("link", { name: "Memory" }).click();
  await page.getByRole("heading", { name: "Memory" }).first().waitFor();
  await page.getByRole("button", { name: /1 open question/ }).click();
  await dialog.getByRole("button", { name: "Postpone" }).click();
  await page.getByRole("button", { name: /1 open question/ }).click();
  // Clicks right after opening are ignored.
  await page.waitForTimeout(500);
  await dialog.getByRole("button", { name: "Skip" }).click();
  await dialog.getByRole("button", { name: "Skip" }).click();
  await dialog.waitFor({ state: "detached" });
  await page.waitForFunction(() => !document.title.startsWith("("));
});

sharedTest("a notification of the browser names what waits, after the user's own click", async (visit) => {
  const context = await visit.signedInContext();
  await context.grantPermissions(["notifications"]);
  const page = await visit.open({ context });
  // The page is always in front in a test, and the notifications of the system cannot be read.
  await page.evaluate(() => {
    const shown: string[] = [];
    Object.assign(globalThis, { shown });
    document.hasFocus = () => false;
    class Recorded extends EventTarget {
      static permission = "granted";
      static requestPermission = () => Promise.resolve("granted");
      constructor(title: string) {
        super();
        shown.push(title);
      }
      close() {
        shown.push("closed");
      }
    }
    Object.assign(globalThis, { Notification: Recorded });
  });
  await ask(page, "reckon before the notification");
  const session = await sessionOf(page);
  await page.getByRole("button", { name: "Settings" }).click();
  await page.getByRole("checkbox", { name: /Browser notifications/ }).click();
  await page.getByRole("checkbox", { name: /Browser notifications/, checked: true }).waitFor();
  await page.getByRole("dialog", { name: "Settings" }).getByRole("button", { name: "Close" }).click();
  await visit.server.rest.begin(session, "which one do you want?");
  await page.getByRole("dialog", { name: "Which colour?" }).waitFor();
  const shown = () => page.evaluate(() => (globalThis as unknown as { shown: string[] }).shown);
  assert.deepEqual(await shown(), ["Which colour?"]);
  await page.waitForTimeout(500);
  await page.getByRole("dialog").getByRole("button", { name: "Blue" }).click();
  await until(shown, (titles) => titles.includes("closed"));
  const reminder = { when: { kind: "after", after_ms: 1 }, action: { do: "remind", text: "Feed the cat" } };
  await visit.server.rest.post("/api/v1/schedules", { session_id: session, ...reminder });
  await until(shown, (titles) => titles.includes("Feed the cat"));
  const alert = page.getByRole("list", { name: "Alerts" }).getByRole("listitem");
  await alert.getByRole("button", { name: "Mark as seen" }).click();
  await until(shown, (titles) => titles.filter((title) => title === "closed").length === 2);
});

sharedTest("a toast closes by itself, a notification stays until it is dismissed", async (visit) => {
  const page = await visit.open();
  await ask(page, "tell me in passing");
  await page.getByText("The oven is hot.").first().waitFor();
  const session = await sessionOf(page);
  await ask(page, "tell me in passing and keep it");
  await until(
    () => visit.server.rest.desktop(session),
    ({ notifications }) => notifications.length === 1,
  );
});
