/** A model is set up in the page: from no model to a first answer, without a terminal and without a restart. */
import assert from "node:assert/strict";
import { ask } from "./support/chat.ts";
import { browserTests } from "./support/visit.ts";

const { isolatedTest } = browserTests({ isOffline: true });

isolatedTest("a model on this machine is tried, saved and answers the next question", async (visit) => {
  const page = await visit.open();
  await page.getByRole("button", { name: "Set up a model" }).click();
  const models = page.getByRole("dialog", { name: "Models" });
  const form = models.getByRole("form", { name: "Set up a provider" });
  await form.getByRole("combobox", { name: "Provider" }).selectOption("Another server with OpenAI's API");

  // An address at which nothing answers: the error is shown, and nothing can be saved.
  visit.watch.expect(/status of 400 .*models\/try/);
  await form.getByRole("textbox", { name: "Address" }).fill("http://127.0.0.1:9/v1");
  await form.getByRole("button", { name: "Test" }).click();
  await form.getByText(/Nothing was stored/).waitFor();
  assert.equal(await form.getByRole("button", { name: "Save" }).count(), 0);

  await form.getByRole("textbox", { name: "Address" }).fill(visit.model.url);
  await form.getByLabel("Key").fill("sk-typed-into-the-page");
  await form.getByRole("button", { name: "Test" }).click();
  await form.getByText(/answered after/).waitFor();
  await form.getByRole("combobox", { name: "Model" }).selectOption("test");
  assert.equal(await form.getByRole("checkbox", { name: "It answers wherever no model is chosen" }).isChecked(), true);
  await form.getByRole("button", { name: "Save" }).click();

  await models.getByRole("list", { name: "Providers" }).getByText("openai", { exact: true }).waitFor();
  assert.equal(await models.getByRole("combobox", { name: "Default model" }).inputValue(), "openai/test");
  assert.doesNotMatch(await page.content(), /sk-typed/);
  await models.getByRole("combobox", { name: "If it fails" }).selectOption("openai/other");
  const calls = models.getByRole("form", { name: "How models are called" });
  await calls.getByLabel("Temperature").fill("0.3");
  await calls.getByLabel("Context window of openai/test").fill("8192");
  await calls.getByRole("button", { name: "Save" }).click();
  await models.getByRole("row").filter({ hasText: "8,192 set" }).waitFor();
  await models.getByRole("button", { name: "Close" }).click();
  await page.getByRole("dialog", { name: "Settings" }).getByRole("button", { name: "Close" }).click();
  const turn = await ask(page, "count to 3");
  assert.match(await turn.innerText(), /w1 w2 w3/);
  assert.equal(visit.model.requests.at(-1)?.temperature, 0.3);

  // Both choices are there after a reload, and the provider can be removed with its key.
  await page.reload();
  await page.getByRole("button", { name: "Settings" }).click();
  await page.getByRole("button", { name: "Show models" }).click();
  await models.getByRole("combobox", { name: "If it fails" }).waitFor();
  assert.equal(await models.getByRole("combobox", { name: "If it fails" }).inputValue(), "openai/other");
  assert.equal(await calls.getByLabel("Temperature").inputValue(), "0.3");
  await calls.getByLabel("Temperature").fill("");
  await calls.getByLabel("Context window of openai/test").fill("");
  await calls.getByRole("button", { name: "Save" }).click();
  await models.getByRole("row").filter({ hasText: "8,192 set" }).waitFor({ state: "detached" });
  await models.getByRole("button", { name: "Remove openai" }).click();
  await models.getByText(/No language model is set up/).waitFor();
});
