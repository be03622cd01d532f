/** Keyboard-only use: signing in, an answer, an approval, a window. */
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { until } from "./support/rest.ts";
import { sessionOf, waitForStatus, turnOf } from "./support/chat.ts";
import { browserTests } from "./support/visit.ts";

const { sharedTest } = browserTests();

/** A description of the focused element. */
async function focused(page: Page): Promise<string> {
  return page.evaluate(() => {
    const element = document.activeElement;
    if (!element || element === document.body) return "nothing";
    const label = element.getAttribute("aria-label") ?? (element as HTMLInputElement).labels?.[0]?.textContent;
    return `${element.tagName.toLowerCase()} ${(label ?? element.textContent).trim().replaceAll(/\s+/g, " ").slice(0, 60)}`;
  });
}

/** Presses a key until the wanted element has the focus. */
async function tabTo(page: Page, wanted: RegExp, key = "Tab", presses = 60): Promise<void> {
  const passed: string[] = [];
  for (let press = 0; press < presses; press += 1) {
    const now = await focused(page);
    passed.push(now);
    if (wanted.test(now)) {
      await assertVisible(page);
      return;
    }
    await page.keyboard.press(key);
  }
  assert.fail(`${wanted} is not reached by ${key}: ${passed.join(" → ")}`);
}

/** Asserts that the focus is visible. */
async function assertVisible(page: Page): Promise<void> {
  const isSeen = await page.evaluate(() => {
    const element = document.activeElement;
    if (!element) return false;
    for (let each: Element | null = element, up = 0; each && up < 4; each = each.parentElement, up += 1) {
      const style = getComputedStyle(each);
      const outlined = style.outlineStyle !== "none" && parseFloat(style.outlineWidth) > 0;
      if (outlined || style.boxShadow !== "none") return true;
    }
    return false;
  });
  assert.ok(isSeen, `the focus on "${await focused(page)}" is not visible`);
}

sharedTest("from signing in through an answer and an approval to a window, without a mouse", async (visit) => {
  visit.watch.expect(/status of 401/);
  const page = await (await visit.newContext()).newPage();
  await page.goto(visit.server.url);
  await page.getByRole("heading", { name: "Welcome to Dwell" }).waitFor();
  await tabTo(page, /^input .*token/i);
  await page.keyboard.type(visit.server.token);
  await page.keyboard.press("Enter");
  await page.getByRole("textbox", { name: "Message" }).waitFor();

  // An answer: the box has the focus already.
  await until(
    () => focused(page),
    (now) => /^textarea/.test(now),
  );
  await page.keyboard.type("reckon this");
  await page.keyboard.press("Enter");
  await waitForStatus(turnOf(page, "reckon this"));

  // An approval: the focus is in the dialog, and comes back.
  await until(
    () => focused(page),
    (now) => /^textarea/.test(now),
  );
  await page.keyboard.type("book a table for 2");
  await page.keyboard.press("Enter");
  await page.getByRole("alertdialog").waitFor();
  await page.waitForTimeout(500);
  await tabTo(page, /^button Allow once/);
  await page.keyboard.press("Enter");
  await waitForStatus(turnOf(page, "book a table for 2"));
  assert.equal(visit.toolServer.count("book_table"), 1);

  // A window: its form is filled in and sent.
  await until(
    () => focused(page),
    (now) => /^textarea/.test(now),
  );
  await page.keyboard.type("shopping form");
  await page.keyboard.press("Enter");
  await waitForStatus(turnOf(page, "shopping form"));
  const session = await sessionOf(page);
  await page.reload();
  await page.getByRole("navigation", { name: "Views" }).waitFor();
  await tabTo(page, /^a .*Desktop/, "Tab", 30);
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Shopping" }).waitFor();
  await tabTo(page, /^input What/);
  await page.keyboard.type("bread");
  await tabTo(page, /^button Add it/);
  await page.keyboard.press("Enter");
  await page.getByText("On the list: bread").waitFor();

  // It is moved, and closed.
  const bounds = async () => (await visit.server.rest.desktop(session)).windows[0]?.bounds;
  const before = await bounds();
  await page.keyboard.press("Alt+Shift+ArrowRight");
  await until(bounds, (now) => (now?.x ?? 0) > (before?.x ?? 0));
  await tabTo(page, /^button Close/i, "Shift+Tab");
  await page.keyboard.press("Enter");
  await until(bounds, (now) => now === undefined);
});

sharedTest("the first stop is a way past the views", async (visit) => {
  const page = await visit.open({ at: "#/memory" });
  await page.keyboard.press("Tab");
  await tabTo(page, /Skip to content/, "Tab", 3);
  await page.keyboard.press("Enter");
  assert.equal(await page.evaluate(() => document.activeElement?.id), "main");
});
