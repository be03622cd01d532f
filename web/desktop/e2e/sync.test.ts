/**
 * Sync between tabs and a phone, and a server that dies during an answer: no word lost or repeated.
 */
import assert from "node:assert/strict";
import type { Locator, Page } from "playwright-core";
import { GONE } from "./support/browser.ts";
import { until } from "./support/rest.ts";
import { ask, countsUp, message, numbersIn, say, sessionOf, waitForStatus, turnOf } from "./support/chat.ts";
import { PHONE, browserTests } from "./support/visit.ts";

const { sharedTest, isolatedTest } = browserTests();

/** Checks the words of turns on every frame, and records when they do not count up. */
async function watchWordOrder(page: Page): Promise<void> {
  await page.evaluate(() => {
    const state = { wrong: [] as string[], most: 0 };
    Object.assign(globalThis, { seen: state });
    const look = () => {
      for (const turn of document.querySelectorAll("[data-turn-status]")) {
        const numbers = [...turn.textContent.matchAll(/w(\d+)/g)].map((fit) => fit[1] ?? "");
        state.most = Math.max(state.most, numbers.length);
        // The last word may be incomplete.
        const isRight = numbers.every((number, index) => {
          const expected = String(index + 1);
          return number === expected || (index === numbers.length - 1 && expected.startsWith(number));
        });
        if (!isRight && state.wrong.length < 5) state.wrong.push(numbers.join(" "));
      }
      requestAnimationFrame(look);
    };
    look();
  });
}

async function wordOrderReport(page: Page): Promise<{ wrong: string[]; most: number }> {
  return page.evaluate(() => (globalThis as unknown as { seen: { wrong: string[]; most: number } }).seen);
}

async function allThere(turn: Locator, count: number): Promise<void> {
  await waitForStatus(turn);
  const numbers = numbersIn(await turn.innerText());
  assert.ok(numbers.length === count && countsUp(numbers), String(numbers));
}

sharedTest("two tabs and a phone show the same words at the same time", async (visit) => {
  const first = await visit.open();
  await ask(first, "reckon before");
  const at = new URL(first.url()).hash;
  const second = await visit.open({ at });
  const phone = await visit.open({ at, size: PHONE });
  for (const page of [second, phone]) await turnOf(page, "reckon before").waitFor();
  await say(second, "count to 60 every 30 ms");
  for (const page of [first, phone]) {
    const turn = turnOf(page, "count to 60");
    await turn.getByText(/\bw4\b/).waitFor();
    assert.equal(await turn.getAttribute("data-turn-status"), "streaming");
  }
  for (const page of [first, second, phone]) await allThere(turnOf(page, "count to 60"), 60);
  await say(phone, "count to 7");
  for (const page of [first, second]) await allThere(turnOf(page, "count to 7"), 7);
});

isolatedTest("the server is killed in the middle of an answer and started again", async (visit) => {
  visit.watch.expect(...GONE);
  const first = await visit.open();
  await say(first, "count to 150 every 40 ms");
  await sessionOf(first);
  const second = await visit.open({ at: new URL(first.url()).hash });
  const pages = [first, second];
  for (const page of pages)
    await turnOf(page, "count to 150")
      .getByText(/\bw10\b/)
      .waitFor();
  for (const page of pages) await watchWordOrder(page);
  await turnOf(first, "count to 150")
    .getByText(/\bw40\b/)
    .waitFor();
  await visit.server.kill();
  for (const page of pages) await page.getByText(/connection lost/i).waitFor();
  await visit.server.start();
  for (const page of pages) {
    await allThere(turnOf(page, "count to 150"), 150);
    assert.deepEqual(await wordOrderReport(page), { wrong: [], most: 150 });
    await page.getByText(/connection lost/i).waitFor({ state: "detached" });
  }
  for (const page of pages) {
    await page.reload();
    await allThere(turnOf(page, "count to 150"), 150);
  }
});

isolatedTest("a message sent while the server is down is delivered once when it is back", async (visit) => {
  visit.watch.expect(...GONE);
  const page = await visit.open();
  await ask(page, "reckon before");
  await visit.server.kill();
  await page.getByText(/connection lost/i).waitFor();
  await say(page, "count to 5");
  await page.getByText("count to 5").first().waitFor();
  await visit.server.start();
  await allThere(turnOf(page, "count to 5"), 5);
  const session = new URL(page.url()).hash.split("/")[2] ?? "";
  const said = (await visit.server.rest.turns(session)).map(({ request }) => request.message);
  assert.deepEqual(said, ["reckon before", "count to 5"]);
});

sharedTest("a phone loses the network and finds it again", async (visit) => {
  visit.watch.expect(...GONE);
  const phone = await visit.open({ size: PHONE });
  await say(phone, "count to 120 every 30 ms");
  const turn = turnOf(phone, "count to 120");
  await turn.getByText(/\bw10\b/).waitFor();
  await watchWordOrder(phone);
  await phone.context().setOffline(true);
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  await phone.context().setOffline(false);
  await allThere(turn, 120);
  assert.deepEqual(await wordOrderReport(phone), { wrong: [], most: 120 });
});

sharedTest("a page opened while the server is down recovers by itself or by a button", async (visit) => {
  const page = await visit.open();
  await ask(page, "reckon it");
  visit.watch.expect(...GONE);
  await page.route("**/api/v1/entry", (route) => route.abort("connectionrefused"));
  await page.reload();
  await page.getByRole("heading", { name: "Cannot reach the server" }).waitFor();
  await page.unroute("**/api/v1/entry");
  await until(
    async () => {
      const again = page.getByRole("button", { name: "Try again" });
      // The page also retries by itself, and may remove the button before the click.
      if (await again.isVisible()) await again.click({ timeout: 1_000 }).catch(() => undefined);
      return message(page).isVisible();
    },
    (isThere) => isThere,
  );
  await turnOf(page, "reckon it").waitFor();
});
