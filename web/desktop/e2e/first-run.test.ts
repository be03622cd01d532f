/** The first minutes without a language model: whatever is offered works. */
import assert from "node:assert/strict";
import { ask, waitForStatus, turnOf } from "./support/chat.ts";
import { browserTests } from "./support/visit.ts";

const { sharedTest } = browserTests({ isOffline: true });

const REFUSED = /needs a language model, and none|nothing about this/;

sharedTest("every example of a new conversation is answered offline", async (visit) => {
  const page = await visit.open();
  const examples = page.getByRole("list", { name: "Examples" }).getByRole("button");
  await page.getByText(/No language model is set up yet/).waitFor();
  const words = await examples.locator("b").allInnerTexts();
  assert.equal(words.length, 4);
  for (const text of words) {
    await page.goto(`${visit.server.url}/#/talk`);
    await examples.filter({ hasText: text }).click();
    const turn = turnOf(page, text);
    await waitForStatus(turn);
    assert.doesNotMatch(await turn.innerText(), REFUSED, text);
  }
});

sharedTest("the examples of the German page are answered offline too", async (visit) => {
  const page = await (await visit.signedInContext({ locale: "de-DE" })).newPage();
  await page.goto(`${visit.server.url}/#/talk`);
  const examples = page.getByRole("list", { name: "Beispiele" }).getByRole("button");
  await page.getByText(/noch kein Sprachmodell eingerichtet/).waitFor();
  const words = await examples.locator("b").allInnerTexts();
  assert.equal(words.length, 4);
  for (const text of words) {
    await page.goto(`${visit.server.url}/#/talk`);
    await examples.filter({ hasText: text }).click();
    const turn = turnOf(page, text);
    await waitForStatus(turn);
    assert.doesNotMatch(await turn.innerText(), REFUSED, text);
  }
});

sharedTest("the desktop's examples open windows offline", async (visit) => {
  const page = await visit.open({ at: "#/desktop" });
  const examples = page.getByRole("list", { name: "Examples" }).getByRole("button");
  await examples.first().waitFor();
  const count = await examples.count();
  assert.ok(count > 0);
  for (let index = 0; index < count; index += 1) {
    await page.goto(`${visit.server.url}/#/desktop`);
    await examples.nth(index).click();
    await page.locator(".desktop-window").first().waitFor();
  }
});

sharedTest("a greeting with the first question is answered, and a model can be set up from the page", async (visit) => {
  const page = await visit.open();
  await page.getByRole("button", { name: "Set up a model" }).click();
  const models = page.getByRole("dialog", { name: "Models" });
  await models.getByText("OPENAI_BASE_URL").waitFor();
  await models.getByRole("button", { name: "Close" }).click();
  await page.getByRole("dialog", { name: "Settings" }).getByRole("button", { name: "Close" }).click();
  const turn = await ask(page, "Hi, what can you do?");
  assert.doesNotMatch(await turn.innerText(), REFUSED);
});

sharedTest("an address that cannot be read says so, and leads back to the chat", async (visit) => {
  for (const at of ["#/talk/100%", "#/nowhere"]) {
    const page = await visit.open({ at });
    await page.getByRole("heading", { name: "This link does not work" }).waitFor();
    await page.getByText(at).waitFor();
    await page.getByRole("link", { name: "Go to Chat" }).click();
    await page.getByRole("list", { name: "Examples" }).waitFor();
  }
});
