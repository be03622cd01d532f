/** What the page says when a model stops early, fails or refuses: each in words, and with what can be done about it. */
import assert from "node:assert/strict";
import type { Locator, Page } from "playwright-core";
import { ask, message, say, sessionOf, settled, turnOf } from "./world/talking.ts";
import { stage } from "./world/visit.ts";

const { scene } = stage();

/** The words of the answer; empty where there is none. */
async function answer(turn: Locator): Promise<string> {
  const words = turn.locator(".talk-words");
  return (await words.count()) === 0 ? "" : (await words.innerText()).trim();
}

/** What stands below the answer. */
async function below(turn: Locator): Promise<string> {
  return (await turn.locator(".talk-note, .notice").allInnerTexts()).join("\n");
}

/** How often something is said below the answer. */
async function timesSaid(turn: Locator, words: RegExp): Promise<number> {
  return [...(await below(turn)).matchAll(new RegExp(words, "gi"))].length;
}

/** A message whose answer fails, and the turn as it stands then. */
async function failing(page: Page, words: string): Promise<Locator> {
  await say(page, words);
  return settled(turnOf(page, words), "failed");
}

/** Looks at a turn as it was heard and as it is read after a reload. */
async function liveAndLoaded(page: Page, words: string, look: (turn: Locator) => Promise<void>): Promise<void> {
  await look(turnOf(page, words));
  await page.reload();
  await message(page).waitFor();
  await turnOf(page, words).waitFor();
  await look(turnOf(page, words));
}

scene("an answer that was cut by its length stays, says so once, and goes on by a button", async (visit) => {
  const page = await visit.open();
  await ask(page, "bears at length");
  await liveAndLoaded(page, "bears at length", async (turn) => {
    // It went on once by itself.
    assert.equal(await answer(turn), "Bears sleep all winter. They dream of honey.");
    assert.equal(await timesSaid(turn, /cut at the longest length/), 1);
    await turn.getByRole("button", { name: "Continue" }).waitFor();
  });
  await turnOf(page, "bears at length").getByRole("button", { name: "Continue" }).click();
  const next = await settled(turnOf(page, "Please continue."));
  assert.equal(await answer(next), "And in spring they wake.");
  assert.equal(await below(next), "");
  assert.equal(await page.getByRole("button", { name: "Continue" }).count(), 0);
});

scene("an answer of which the provider held back a part, and one of which it held back all", async (visit) => {
  const page = await visit.open();
  await ask(page, "bears filtered");
  await liveAndLoaded(page, "bears filtered", async (turn) => {
    assert.equal(await answer(turn), "Bears eat");
    assert.equal(await timesSaid(turn, /held the rest of the answer back/), 1);
    assert.equal(await turn.getByRole("button", { name: "Continue" }).count(), 0);
  });
  await failing(page, "bears withheld");
  await liveAndLoaded(page, "bears withheld", async (turn) => {
    assert.equal(await answer(turn), "");
    assert.match(await below(turn), /held the whole answer back by its content filter/);
    assert.match(await below(turn), /Say it in other words, or choose another model\./);
  });
});

scene("a model that declines is quoted, and later answers do not know of it", async (visit) => {
  const page = await visit.open();
  await ask(page, "bears declined");
  await liveAndLoaded(page, "bears declined", async (turn) => {
    assert.equal(await answer(turn), "I cannot speak of bears.");
    assert.equal(await timesSaid(turn, /declined to answer/), 1);
  });
  await ask(page, "count to 3");
  const asked = visit.model.asked.at(-1);
  assert.equal(asked?.words, "count to 3");
  assert.doesNotMatch(asked.whole, /bears declined/);
});

scene("an empty answer is no answer", async (visit) => {
  const page = await visit.open();
  await failing(page, "bears in silence");
  await liveAndLoaded(page, "bears in silence", async (turn) => {
    assert.equal(await answer(turn), "");
    assert.match(await below(turn), /ended without a word/);
    assert.equal(await timesSaid(turn, /try again/), 1);
    await turn.getByRole("button", { name: "Retry" }).waitFor();
  });
});

scene("a wrong key is named, and is not tried again", async (visit) => {
  const page = await visit.open();
  await failing(page, "bears without a key");
  await liveAndLoaded(page, "bears without a key", async (turn) => {
    assert.match(await below(turn), /refused with status 401: Incorrect API key provided/);
    assert.match(await below(turn), /check its key \(OPENAI_API_KEY\)/);
    assert.match(await below(turn), /Once the key is right, retry/);
  });
  assert.equal(visit.model.asked.filter(({ words }) => words === "bears without a key").length, 1);
});

scene("a rate limit says when to come back; a short one passes by itself", async (visit) => {
  const page = await visit.open();
  await failing(page, "bears too often");
  await liveAndLoaded(page, "bears too often", async (turn) => {
    assert.match(await below(turn), /limits the rate: .*Rate limit reached/);
    assert.match(await below(turn), /asked again in 2 h/);
  });
  await say(page, "bears at second try");
  const turn = turnOf(page, "bears at second try");
  await turn.getByText("The model failed, trying again…").waitFor();
  await settled(turn);
  assert.equal(await answer(turn), "Bears are brown.");
  assert.equal(await below(turn), "");
  await turn.locator("[aria-expanded=false]").first().click();
  await turn.getByText(/Rate limit reached.*tried again after 1\.0 s/).waitFor();
});

scene("a provider that fails is tried three times, and can be tried again by hand", async (visit) => {
  const page = await visit.open();
  await failing(page, "bears in trouble");
  await liveAndLoaded(page, "bears in trouble", async (turn) => {
    assert.match(await below(turn), /failed with status 500: The server had an error/);
    assert.match(await below(turn), /may pass by itself: try again/);
  });
  const asked = () => visit.model.asked.filter(({ words }) => words === "bears in trouble").length;
  assert.equal(asked(), 3);
  await turnOf(page, "bears in trouble").getByRole("button", { name: "Retry" }).click();
  await page.getByText("asked again").first().waitFor();
  await settled(turnOf(page, "bears in trouble"), "failed");
  assert.equal(asked(), 6);
});

scene("an answer that breaks off keeps the words that came", async (visit) => {
  const page = await visit.open();
  await failing(page, "bears interrupted");
  await liveAndLoaded(page, "bears interrupted", async (turn) => {
    assert.equal(await answer(turn), "Bears climb");
    assert.match(await below(turn), /broke off in the middle/);
    await turn.getByRole("button", { name: "Retry" }).waitFor();
  });
  // The next question goes its own way.
  const next = await ask(page, "count to 4");
  assert.equal(await answer(next), "w1 w2 w3 w4");
  assert.equal(await below(next), "");
});

scene("what there is to know of a whole answer stands below it", async (visit) => {
  const session = await visit.house.rest.session({ budgets: { max_cost: 1 } });
  const page = await visit.open({ at: `#/talk/${session}` });
  await ask(page, "count to 5");
  assert.equal(await sessionOf(page), session);
  await liveAndLoaded(page, "count to 5", async (turn) => {
    assert.equal(await answer(turn), "w1 w2 w3 w4 w5");
    assert.equal(await timesSaid(turn, /The budget of cost does not bound openai\/test, whose price is not known/), 1);
    assert.deepEqual(await turn.locator(".talk-note code").allInnerTexts(), ["openai/test", "price_in", "price_out"]);
  });
});

scene("a window that cannot hold the last exchange is told below the answer, and only there", async (visit) => {
  const session = await visit.house.rest.session({ budgets: { context_tokens: 3_000 } });
  await visit.house.rest.say(session, "count to 2000");
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
