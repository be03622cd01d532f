/** Tabs and a phone in step, and a server that dies in the middle of an answer: no word lost, none twice. */
import assert from "node:assert/strict";
import type { Locator, Page } from "playwright-core";
import { GONE } from "./world/browser.ts";
import { until } from "./world/rest.ts";
import { ask, countsUp, message, numbersIn, say, sessionOf, settled, turnOf } from "./world/talking.ts";
import { PHONE, stage } from "./world/visit.ts";

const { scene, alone } = stage();

/** Looks at the words of a turn with every frame, and notes whenever they do not count up. */
async function suspicious(page: Page): Promise<void> {
  await page.evaluate(() => {
    const state = { wrong: [] as string[], most: 0 };
    Object.assign(globalThis, { seen: state });
    const look = () => {
      for (const turn of document.querySelectorAll("[data-turn-status]")) {
        const numbers = [...turn.textContent.matchAll(/w(\d+)/g)].map((fit) => fit[1] ?? "");
        state.most = Math.max(state.most, numbers.length);
        // The last word may be there by half.
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

async function seen(page: Page): Promise<{ wrong: string[]; most: number }> {
  return page.evaluate(() => (globalThis as unknown as { seen: { wrong: string[]; most: number } }).seen);
}

async function allThere(turn: Locator, count: number): Promise<void> {
  await settled(turn);
  const numbers = numbersIn(await turn.innerText());
  assert.ok(numbers.length === count && countsUp(numbers), String(numbers));
}

scene("two tabs and a phone show the same words at the same time", async (visit) => {
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

alone("the server is killed in the middle of an answer and started again", async (visit) => {
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
  for (const page of pages) await suspicious(page);
  await turnOf(first, "count to 150")
    .getByText(/\bw40\b/)
    .waitFor();
  await visit.house.kill();
  for (const page of pages) await page.getByText(/connection is gone/i).waitFor();
  await visit.house.start();
  for (const page of pages) {
    await allThere(turnOf(page, "count to 150"), 150);
    assert.deepEqual(await seen(page), { wrong: [], most: 150 });
    await page.getByText(/connection is gone/i).waitFor({ state: "detached" });
  }
  for (const page of pages) {
    await page.reload();
    await allThere(turnOf(page, "count to 150"), 150);
  }
});

alone("what is said while the server is away is sent when it is back, once", async (visit) => {
  visit.watch.expect(...GONE);
  const page = await visit.open();
  await ask(page, "reckon before");
  await visit.house.kill();
  await page.getByText(/connection is gone/i).waitFor();
  await say(page, "count to 5");
  await page.getByText("count to 5").first().waitFor();
  await visit.house.start();
  await allThere(turnOf(page, "count to 5"), 5);
  const session = new URL(page.url()).hash.split("/")[2] ?? "";
  const said = (await visit.house.rest.turns(session)).map(({ request }) => request.message);
  assert.deepEqual(said, ["reckon before", "count to 5"]);
});

scene("a phone loses the network and finds it again", async (visit) => {
  visit.watch.expect(...GONE);
  const phone = await visit.open({ size: PHONE });
  await say(phone, "count to 120 every 30 ms");
  const turn = turnOf(phone, "count to 120");
  await turn.getByText(/\bw10\b/).waitFor();
  await suspicious(phone);
  await phone.context().setOffline(true);
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  await phone.context().setOffline(false);
  await allThere(turn, 120);
  assert.deepEqual(await seen(phone), { wrong: [], most: 120 });
});

scene("a page that was opened while the server was away goes on by itself or by a button", async (visit) => {
  const page = await visit.open();
  await ask(page, "reckon it");
  visit.watch.expect(...GONE);
  await page.route("**/api/v1/entry", (route) => route.abort("connectionrefused"));
  await page.reload();
  await page.getByRole("heading", { name: "Dwell is not there" }).waitFor();
  await page.unroute("**/api/v1/entry");
  await until(
    async () => {
      const again = page.getByRole("button", { name: "Try again" });
      // The page tries by itself as well, and may take the button away before it is clicked.
      if (await again.isVisible()) await again.click({ timeout: 1_000 }).catch(() => undefined);
      return message(page).isVisible();
    },
    (isThere) => isThere,
  );
  await turnOf(page, "reckon it").waitFor();
});
