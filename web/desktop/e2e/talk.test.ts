/** The conversation: streaming, Markdown, stopping, queueing, steering, attachments, drafts. */
import assert from "node:assert/strict";
import { ask, countsUp, message, numbersIn, say, sessionOf, waitForStatus, turnOf, turns } from "./support/chat.ts";
import { until } from "./support/rest.ts";
import { browserTests } from "./support/visit.ts";

const { sharedTest } = browserTests();

sharedTest("words appear long before the end, in order, and each once", async (visit) => {
  const page = await visit.open();
  await say(page, "count to 60 every 30 ms");
  const turn = turnOf(page, "count to 60");
  await turn.getByText(/\bw5\b/).waitFor();
  const early = numbersIn(await turn.innerText());
  assert.ok(early.length < 60 && countsUp(early), String(early));
  assert.equal(await turn.getAttribute("data-turn-status"), "streaming");
  await waitForStatus(turn);
  const numbers = numbersIn(await turn.innerText());
  assert.ok(numbers.length === 60 && countsUp(numbers), String(numbers));
});

sharedTest("markdown becomes headings, lists, tables and code; HTML of the model is harmless", async (visit) => {
  const page = await visit.open();
  const turn = await ask(page, "plan my week");
  await turn.getByRole("heading", { name: "A plan for the week" }).waitFor();
  assert.equal(
    await turn
      .getByRole("listitem")
      .filter({ hasText: /^(first|second)$/ })
      .count(),
    2,
  );
  await turn.getByRole("cell", { name: "Pasta" }).waitFor();
  assert.match(await turn.locator("pre code").innerText(), /const answer = 6 \* 7;/);
  assert.equal(await turn.locator("strong", { hasText: "bold" }).count(), 1);
  const link = turn.getByRole("link", { name: "A link" });
  assert.equal(await link.getAttribute("href"), "https://example.org/");
  assert.match((await link.getAttribute("rel")) ?? "", /noreferrer/);
  // Syntax highlighting is loaded with the first code block.
  await turn.locator("pre code span").first().waitFor();
  assert.equal(await turn.locator("script, img").count(), 0);
  assert.equal(await page.evaluate(() => "wasHarmed" in globalThis), false);
  const hrefs = await turn
    .getByRole("link")
    .evaluateAll((links) => links.map((each) => each.getAttribute("href") ?? ""));
  assert.ok(!hrefs.some((href) => href.startsWith("javascript:")), String(hrefs));
  await turn.getByText("<script>").waitFor();
});

sharedTest("the details of a turn are collapsed, and expand", async (visit) => {
  const page = await visit.open();
  const reckoned = await ask(page, "reckon please");
  assert.match(await reckoned.innerText(), /It is 42\./);
  assert.doesNotMatch(await reckoned.innerText(), /6\*7/);
  await reckoned.getByRole("button", { name: /Used Calculator/ }).click();
  await reckoned.getByText("6*7").first().waitFor();
  const thought = await ask(page, "think about it");
  assert.doesNotMatch(await thought.innerText(), /First I weigh/);
  await thought.getByRole("button", { name: /reasoned/i }).click();
  await thought.getByText(/First I weigh the one/).waitFor();
  // The same for a turn loaded from the journal.
  await page.reload();
  const again = turnOf(page, "think about it");
  await again.locator("[aria-expanded=false]").first().click();
  await again.getByText(/First I weigh the one/).waitFor();
});

sharedTest("reasoning is shown apart from the answer while it streams, and is collapsed afterwards", async (visit) => {
  const page = await visit.open();
  await say(page, "ponder on it");
  const turn = turnOf(page, "ponder on it");
  await turn
    .locator(".talk-thought")
    .getByText(/Perhaps the left one/)
    .waitFor();
  await turn.getByText("Thinking…").waitFor();
  assert.equal(await turn.locator(".talk-words").count(), 0);
  await turn.locator(".talk-words").waitFor();
  assert.doesNotMatch(await turn.innerText(), /the left one/);
  await waitForStatus(turn);
  for (const isLoaded of [false, true]) {
    if (isLoaded) await page.reload();
    const line = turn.getByRole("button", { name: /reasoned/i });
    await line.waitFor();
    assert.equal(await turn.locator(".talk-words").innerText(), "The right one, I should say.");
    assert.doesNotMatch(await turn.innerText(), /the left one/);
    await line.press("Enter");
    await turn.locator(".talk-thinking").getByText("Perhaps the left one? No, it is surely the right one.").waitFor();
  }
  const [view] = await visit.server.rest.turns(await sessionOf(page));
  assert.equal(view?.response?.message, "The right one, I should say.");
});

sharedTest("the button stops an answer, and so does Escape; the words so far stay", async (visit) => {
  const page = await visit.open();
  for (const [index, stop] of [
    () => page.getByRole("button", { name: "Stop" }).first().click(),
    () => page.keyboard.press("Escape"),
  ].entries()) {
    await say(page, `count to 40${index} every 40 ms`);
    const turn = turnOf(page, `count to 40${index}`);
    await turn.getByText(/\bw3\b/).waitFor();
    await stop();
    await waitForStatus(turn, "cancelled");
    const numbers = numbersIn(await turn.innerText());
    assert.ok(numbers.length >= 3 && numbers.length < 400 && countsUp(numbers), String(numbers));
  }
  const session = await sessionOf(page);
  const ends = (await visit.server.rest.turns(session)).map(({ status }) => status);
  assert.deepEqual(ends, ["cancelled", "cancelled"]);
});

sharedTest("a message sent during a turn is queued with its position, and can be cancelled", async (visit) => {
  const page = await visit.open();
  await say(page, "count to 500 every 30 ms");
  await turnOf(page, "count to 500")
    .getByText(/\bw2\b/)
    .waitFor();
  await say(page, "reckon one");
  await say(page, "reckon two");
  const second = turnOf(page, "reckon two");
  await second.getByText(/2nd in the queue/i).waitFor();
  await turnOf(page, "reckon one")
    .getByText(/next in the queue/i)
    .waitFor();
  await turnOf(page, "reckon one")
    .getByRole("button", { name: /cancel/i })
    .click();
  await waitForStatus(turnOf(page, "reckon one"), "cancelled");
  await page.getByRole("button", { name: "Stop" }).first().click();
  await waitForStatus(turnOf(page, "count to 500"), "cancelled");
  const answered = await waitForStatus(turnOf(page, "reckon two"));
  assert.match(await answered.innerText(), /It is 42\./);
});

sharedTest("a message may go into the running turn", async (visit) => {
  const page = await visit.open();
  await say(page, "count to 80 every 30 ms");
  const turn = turnOf(page, "count to 80");
  await turn.getByText(/\bw2\b/).waitFor();
  await page
    .getByRole("radio", { name: /steer/i })
    .or(page.getByRole("button", { name: /steer/i }))
    .first()
    .click();
  await say(page, "and be quick about it");
  await turn.getByText("and be quick about it").waitFor();
  assert.equal(await turns(page).count(), 1);
  await waitForStatus(turn);
});

sharedTest("images and text files are attached, and can be removed before sending", async (visit) => {
  const page = await visit.open();
  const dot = Buffer.from(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
    "base64",
  );
  const attach = async (name: string, mimeType: string, buffer: Buffer) => {
    const [chooser] = await Promise.all([
      page.waitForEvent("filechooser"),
      page.getByRole("button", { name: /attach/i }).click(),
    ]);
    await chooser.setFiles({ name, mimeType, buffer });
  };
  await attach("dot.png", "image/png", dot);
  await attach("list.txt", "text/plain", Buffer.from("bread and cheese"));
  await attach("other.txt", "text/plain", Buffer.from("never to be sent"));
  await page.getByRole("button", { name: /remove.*other\.txt/i }).click();
  const turn = await ask(page, "what is in these?");
  await turn.getByRole("button", { name: /^Image/ }).waitFor();
  const [view] = await visit.server.rest.turns(await sessionOf(page));
  assert.equal(view?.request.images?.length, 1);
  assert.match(view.request.message, /list\.txt[\s\S]*bread and cheese/);
  assert.doesNotMatch(view.request.message, /never to be sent/);
});

sharedTest("a draft survives a reload", async (visit) => {
  const page = await visit.open();
  await ask(page, "reckon first");
  await message(page).fill("half a thought");
  await until(
    () => page.evaluate(() => JSON.stringify(Object.entries(sessionStorage))),
    (kept) => kept.includes("half a thought"),
  );
  await page.reload();
  await until(
    () => message(page).inputValue(),
    (value) => value === "half a thought",
  );
});

sharedTest("forking from an earlier answer starts another conversation", async (visit) => {
  const page = await visit.open();
  const turn = await ask(page, "reckon here");
  await ask(page, "count to 3");
  const before = await sessionOf(page);
  await turn.hover();
  await turn.getByRole("button", { name: /fork/i }).click();
  await page.waitForURL((url) => !url.hash.includes(before) && /talk\/\w+/.test(url.hash));
  await turnOf(page, "reckon here").waitFor();
  assert.equal(await turns(page).count(), 1);
});
