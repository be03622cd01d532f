/** Accessibility and layout of every view: wide and phone, light and dark. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Page } from "playwright-core";
import { fillServer, look, VIEWS } from "./support/views.ts";
import { ask, say } from "./support/chat.ts";
import { PHONE, browserTests, WIDE } from "./support/visit.ts";

const { sharedTest } = browserTests();
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

type Violation = { id: string; impact: string; help: string; nodes: { target: string[]; failureSummary: string }[] };

const ALL_RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];

/** The serious and critical findings of axe. In the dark only the colours can be different. */
async function violations(page: Page): Promise<string[]> {
  const light = await findings(page, { type: "tag", values: ALL_RULES });
  await page.emulateMedia({ colorScheme: "dark" });
  const dark = await findings(page, { type: "rule", values: ["color-contrast"] });
  await page.emulateMedia({ colorScheme: "light" });
  return [...light, ...dark.map((violation) => `dark: ${violation}`)];
}

async function findings(page: Page, runOnly: { type: string; values: string[] }): Promise<string[]> {
  // By the debugger, since the page's policy blocks injected scripts.
  const cdp = await page.context().newCDPSession(page);
  await cdp.send("Runtime.evaluate", { expression: axe });
  const options = JSON.stringify({ resultTypes: ["violations"], runOnly, iframes: false });
  const { result, exceptionDetails } = await cdp.send("Runtime.evaluate", {
    expression: `axe.run(document, ${options}).then((found) => JSON.stringify(found.violations))`,
    awaitPromise: true,
    returnByValue: true,
  });
  await cdp.detach();
  assert.ok(!exceptionDetails, JSON.stringify(exceptionDetails));
  const found = JSON.parse(String(result.value)) as Violation[];
  return found
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .flatMap(({ id, nodes }) =>
      nodes.map(({ target, failureSummary }) => `${id} at ${target.join(" ")}: ${failureSummary}`),
    );
}

let session: string | undefined;

for (const [sizeName, size] of [
  ["wide", WIDE],
  ["phone", PHONE],
] as const) {
  sharedTest(`axe finds nothing serious: ${sizeName}`, async (visit) => {
    session ??= await fillServer(visit);
    const page = await visit.open({ size });
    const found: string[] = [];
    for (const view of VIEWS) {
      await look(page, visit, session, view);
      found.push(...(await violations(page)).map((violation) => `${view.name}: ${violation}`));
    }
    assert.deepEqual(found, []);
  });
}

sharedTest("axe finds nothing serious in dialogs", async (visit) => {
  const page = await visit.open();
  await say(page, "book a table for 2");
  await page.getByRole("alertdialog").waitFor();
  await page.waitForTimeout(500);
  assert.deepEqual(await violations(page), []);
  await page.getByRole("alertdialog").getByRole("button", { name: "Deny" }).click();
  await page.getByRole("alertdialog").waitFor({ state: "detached" });
  await say(page, "which one is it?");
  await page.getByRole("dialog").waitFor();
  // Clicks right after opening are ignored.
  await page.waitForTimeout(500);
  assert.deepEqual(await violations(page), []);
  await page.getByRole("dialog").getByRole("button", { name: "Red" }).click();
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Settings" }).click();
  await page.getByRole("button", { name: "Show models" }).click();
  await page.getByRole("dialog", { name: "Models" }).getByRole("table").waitFor();
  assert.deepEqual(await violations(page), []);
  await page.goto(`${visit.server.url}/#/planned`);
  await page.reload();
  await page.getByRole("button", { name: "New", exact: true }).click();
  await page.getByRole("region", { name: "Next runs" }).getByRole("listitem").waitFor();
  await page.getByText("Late runs and limits").click();
  await page.getByLabel("When").selectOption("When something happens");
  assert.deepEqual(await violations(page), []);
  await page.keyboard.press("Escape");
  await page.keyboard.press("Control+k");
  await page.getByRole("dialog", { name: "Command palette" }).getByRole("option").first().waitFor();
  assert.deepEqual(await violations(page), []);
  await page.keyboard.press("Control+/");
  await page.getByRole("dialog", { name: "Keyboard shortcuts" }).waitFor();
  assert.deepEqual(await violations(page), []);
  await page.keyboard.press("Escape");
  await page.goto(`${visit.server.url}/#/talk`);
  const rich = await ask(page, "show it all");
  await rich.getByRole("img", { name: /^Diagram/ }).waitFor();
  await rich.locator(".katex").first().waitFor();
  await page.keyboard.press("Control+f");
  await page.getByRole("search", { name: "Find in this conversation" }).waitFor();
  assert.deepEqual(await violations(page), []);
});

sharedTest("axe finds nothing serious on the sign-in page", async (visit) => {
  visit.watch.expect(/status of 401/);
  const page = await (await visit.newContext({ colorScheme: "light" })).newPage();
  await page.goto(visit.server.url);
  await page.getByRole("heading", { name: "Welcome to Dwell" }).waitFor();
  assert.deepEqual(await violations(page), []);
});

sharedTest("on a phone nothing scrolls sideways, and controls are large enough for touch", async (visit) => {
  session ??= await fillServer(visit);
  for (const size of [PHONE, { width: 360, height: 740 }]) {
    const page = await visit.open({ size });
    for (const view of VIEWS) {
      await look(page, visit, session, view);
      const { overflow, small } = await page.evaluate(() => {
        const wide = document.documentElement.scrollWidth - innerWidth;
        const shown = (element: Element) => {
          const box = element.getBoundingClientRect();
          const style = getComputedStyle(element);
          return (
            box.width > 2 && box.height > 2 && style.visibility !== "hidden" && box.right > 0 && box.left < innerWidth
          );
        };
        // Links within text are as high as its lines.
        const targets = document.querySelectorAll(
          "button, select, [role=tab], nav a, input:not([type=checkbox], [type=radio]), summary",
        );
        const small = [...targets].filter(shown).flatMap((element) => {
          const label = element.closest("label")?.getBoundingClientRect();
          const box = element.getBoundingClientRect();
          // Some have a larger touch area than they are drawn.
          const around = getComputedStyle(element, "::after");
          const reach = (side: string) =>
            around.position === "absolute" ? Math.max(0, -parseFloat(around.getPropertyValue(side)) || 0) : 0;
          const height = Math.max(box.height, label?.height ?? 0) + reach("top") + reach("bottom");
          const width = Math.max(box.width, label?.width ?? 0) + reach("left") + reach("right");
          const name = element.getAttribute("aria-label") ?? element.textContent.trim().slice(0, 30);
          return height < 39.5 || width < 39.5
            ? [`${element.tagName} "${name}" ${Math.round(width)}×${Math.round(height)} ${element.className}`]
            : [];
        });
        return { overflow: wide, small: [...new Set(small)] };
      });
      assert.ok(overflow <= 0, `${view.name} is ${overflow} px too wide at ${size.width}`);
      assert.deepEqual(small, [], `${view.name} at ${size.width}`);
    }
    // The navigation is at the bottom.
    const bar = await page.getByRole("navigation", { name: "Views" }).boundingBox();
    assert.ok(bar && bar.y > size.height - 100 && bar.width === size.width, JSON.stringify(bar));
  }
});

sharedTest("nothing scrolls sideways at other sizes either", async (visit) => {
  session ??= await fillServer(visit);
  for (const size of [
    { width: 721, height: 900 },
    { width: 1024, height: 768 },
    { width: 2560, height: 1440 },
  ]) {
    const page = await visit.open({ size });
    for (const view of VIEWS) {
      await look(page, visit, session, view);
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      assert.ok(overflow <= 0, `${view.name} is ${overflow} px too wide at ${size.width}`);
    }
  }
});
