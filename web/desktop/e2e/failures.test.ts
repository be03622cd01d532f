/** What the page shows when a model stops early, fails or refuses, and what it suggests to do. */
import assert from "node:assert/strict";
import type { Locator, Page } from "playwright-core";
import { ask, message, say, sessionOf, waitForStatus, turnOf } from "./support/chat.ts";
import { browserTests } from "./support/visit.ts";

const { sharedTest } = browserTests();

/** The text of the answer; empty if there is none. */
async function answer(turn: Locator): Promise<string> {
  const words = turn.locator(".talk-words");
  return (await words.count()) === 0 ? "" : (await words.innerText()).trim();
}

/** The text below the answer. */
async function below(turn: Locator): Promise<string> {
  return (await turn.locator(".talk-note, .notice").allInnerTexts()).join("\n");
}

/** How often a text occurs below the answer. */
async function timesSaid(turn: Locator, words: RegExp): Promise<number> {
  return [...(await below(turn)).matchAll(new RegExp(words, "gi"))].length;
}

/** Sends a message whose turn fails; returns the turn. */
async function failing(page: Page, words: string): Promise<Locator> {
  await say(page, words);
  return waitForStatus(turnOf(page, words), "failed");
}

/** Checks a turn as streamed, and as loaded after a reload. */
async function liveAndLoaded(page: Page, words: string, look: (turn: Locator) => Promise<void>): Promise<void> {
  await look(turnOf(page, words));
  await page.reload();
  await message(page).waitFor();
  await turnOf(page, words).waitFor();
  await look(turnOf(page, words));
}

sharedTest("an answer that was cut by its length stays, says so once, and goes on by a button", async (visit) => {
  const page = await visit.open();
  await ask(page, "bears at length");
  await liveAndLoaded(page, "bears at length", async (turn) => {
    // Dwell continues once by itself.
    assert.equal(await answer(turn), "Bears sleep all winter. They dream of honey.");
    assert.equal(await timesSaid(turn, /cut (off )?at the (longest|maximum) length/), 1);
    await turn.getByRole("button", { name: "Continue" }).waitFor();
  });
  await turnOf(page, "bears at length").getByRole("button", { name: "Continue" }).click();
  const next = await waitForStatus(turnOf(page, "Please continue."));
  assert.equal(await answer(next), "And in spring they wake.");
  assert.equal(await below(next), "");
  assert.equal(await page.getByRole("button", { name: "Continue" }).count(), 0);
});

sharedTest("an answer of which the provider held back a part, and one of which it held back all", async (visit) => {
  const page = await visit.open();
  await ask(page, "bears filtered");
  await liveAndLoaded(page, "bears filtered", async (turn) => {
    assert.equal(await answer(turn), "Bears eat");
    assert.equal(await timesSaid(turn, /(held|filtered) the rest of the answer/), 1);
    assert.equal(await turn.getByRole("button", { name: "Continue" }).count(), 0);
  });
  await failing(page, "bears withheld");
  await liveAndLoaded(page, "bears withheld", async (turn) => {
    assert.equal(await answer(turn), "");
    assert.match(await below(turn), /content filter|filtered/);
    assert.match(await below(turn), /Rephrase the message, or choose another model\./);
  });
});

sharedTest("a model that declines is quoted, and later answers do not know of it", async (visit) => {
  const page = await visit.open();
  await ask(page, "bears declined");
  await liveAndLoaded(page, "bears declined", async (turn) => {
    assert.equal(await answer(turn), "I cannot speak of bears.");
    assert.equal(await timesSaid(turn, /declined to answer/), 1);
  });
  await ask(page, "count to 3");
  const asked = visit.model.requests.at(-1);
  assert.equal(asked?.words, "count to 3");
  assert.doesNotMatch(asked.whole, /bears declined/);
});

sharedTest("an empty answer is no answer", async (visit) => {
  const page = await visit.open();
  await failing(page, "bears in silence");
  await liveAndLoaded(page, "bears in silence", async (turn) => {
    assert.equal(await answer(turn), "");
    assert.match(await below(turn), /returned no text|empty/);
    assert.equal(await timesSaid(turn, /try again/), 1);
    await turn.getByRole("button", { name: "Retry" }).waitFor();
  });
});

sharedTest("a wrong key is named, and is not tried again", async (visit) => {
  const page = await visit.open();
  await failing(page, "bears without a key");
  await liveAndLoaded(page, "bears without a key", async (turn) => {
    assert.match(await below(turn), /refused with status 401: Incorrect API key provided/);
    assert.match(await below(turn), /check its key \(OPENAI_API_KEY\)/);
    assert.match(await below(turn), /Fix the API key and retry/);
  });
  assert.equal(visit.model.requests.filter(({ words }) => words === "bears without a key").length, 1);
});

sharedTest("a rate limit says when to come back; a short one passes by itself", async (visit) => {
  const page = await visit.open();
  await failing(page, "bears too often");
  await liveAndLoaded(page, "bears too often", async (turn) => {
    assert.match(await below(turn), /limits the rate: .*Rate limit reached/);
    assert.match(await below(turn), /Retry in 2 h/);
  });
  await say(page, "bears at second try");
  const turn = turnOf(page, "bears at second try");
  await turn.getByText("The model failed, retrying…").waitFor();
  await waitForStatus(turn);
  assert.equal(await answer(turn), "Bears are brown.");
  assert.equal(await below(turn), "");
  await turn.locator("[aria-expanded=false]").first().click();
  await turn.getByText(/Rate limit reached.*retried after 1\.0 s/).waitFor();
});

sharedTest("a provider that fails is tried three times, and can be tried again by hand", async (visit) => {
  const page = await visit.open();
  await failing(page, "bears in trouble");
  await liveAndLoaded(page, "bears in trouble", async (turn) => {
    assert.match(await below(turn), /failed with status 500: The server had an error/);
    assert.match(await below(turn), /may be temporary/);
  });
  const asked = () => visit.model.requests.filter(({ words }) => words === "bears in trouble").length;
  assert.equal(asked(), 3);
  await turnOf(page, "bears in trouble").getByRole("button", { name: "Retry" }).click();
  await page
    .getByText(/^retry ·/)
    .first()
    .waitFor();
  await waitForStatus(turnOf(page, "bears in trouble"), "failed");
  assert.equal(asked(), 6);
});

sharedTest("an answer that breaks off keeps the words that came", async (visit) => {
  const page = await visit.open();
  await failing(page, "bears interrupted");
  await liveAndLoaded(page, "bears interrupted", async (turn) => {
    assert.equal(await answer(turn), "Bears climb");
    assert.match(await below(turn), /broke off in the middle/);
    await turn.getByRole("button", { name: "Retry" }).waitFor();
  });
  // The next message is not affected.
  const next = await ask(page, "count to 4");
  assert.equal(await answer(next), "w1 w2 w3 w4");
  assert.equal(await below(next), "");
});

sharedTest("what there is to know of a whole answer stands below it", async (visit) => {
  const session = await visit.server.rest.session({ budgets: { max_cost: 1 } });
  const page = await visit.open({ at: `#/talk/${session}` });
  await ask(page, "count to 5");
  assert.equal(await sessionOf(page), session);
  await liveAndLoaded(page, "count to 5", async (turn) => {
    assert.equal(await answer(turn), "w1 w2 w3 w4 w5");
    assert.equal(await timesSaid(turn, /The cost budget does not limit openai\/test, whose price is unknown/), 1);
    assert.deepEqual(await turn.locator(".talk-note code").allInnerTexts(), ["openai/test", "price_in", "price_out"]);
  });
});

sharedTest("a window that cannot hold the last exchange is told below the answer, and only there", async (visit) => {
  const session = await visit.server.rest.session({ budgets: { context_tokens: 3_000 } });
  await visit.server.rest.say(session, "count to 2000");
  const page = await visit.open({ at: `#/talk/${session}` });
  await ask(page, "count to 6");
  await liveAndLoaded(page, "count to 6", async (turn) => {
    assert.equal(await answer(turn), "w1 w2 w3 w4 w5 w6");
    assert.equal(await timesSaid(turn, /the last exchange/), 1);
    await turn.locator("[aria-expanded=false]").first().click();
    await turn.locator(".talk-numbers").waitFor();
    assert.equal(await turn.getByText(/the last exchange/).count(), 1);
  });
});
