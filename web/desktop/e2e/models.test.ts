/** Models: figures with their sources, the state of providers, and refreshing them. */
import assert from "node:assert/strict";
import type { Locator } from "playwright-core";
import { ask } from "./support/chat.ts";
import { goTo } from "./support/views.ts";
import { PHONE, browserTests } from "./support/visit.ts";

const { isolatedTest } = browserTests({
  environment: {
    DWELL_MODEL_OVERRIDES:
      '{ "openai/other" = { context_tokens = 40960, images = false, price_in = 1.5, price_out = 2 } }',
  },
});

/** The cells of a model's row, by their columns. */
async function figures(dialog: Locator, model: string): Promise<Record<string, string>> {
  const row = dialog.getByRole("row").filter({ has: dialog.page().getByRole("rowheader", { name: model }) });
  await row.waitFor();
  const columns = await dialog.getByRole("columnheader").allInnerTexts();
  const cells = await row.getByRole("cell").allInnerTexts();
  return Object.fromEntries(
    cells.map((cell, index) => [columns[index + 1] ?? "", cell.replaceAll(/\s+/g, " ").trim()]),
  );
}

isolatedTest("the statistics of the server have a panel of models, which fits on a phone", async (visit) => {
  const page = await visit.open({ size: PHONE });
  await ask(page, "count to 3");
  await goTo(page, "Agents");
  await page.getByRole("tab", { name: "Statistics" }).click();
  await page.getByRole("tab", { name: "Server" }).click();
  const panel = page.getByRole("region", { name: "Model limits and prices" });
  await panel.getByText("updated just now").waitFor();
  assert.match((await figures(panel, "openai/other"))["Context window"] ?? "", /40,960 set/);
  const again = await panel.getByRole("button", { name: "Refresh" }).boundingBox();
  assert.ok(again && again.height >= 40, JSON.stringify(again));
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth), 0);
});

isolatedTest("settings show each model with the source of every figure, and refresh the providers", async (visit) => {
  const page = await visit.open();
  const settings = page.getByRole("button", { name: "Settings" });
  await settings.focus();
  await page.keyboard.press("Enter");
  const show = page.getByRole("button", { name: "Show models" });
  await show.focus();
  await page.keyboard.press("Enter");
  const dialog = page.getByRole("dialog", { name: "Models" });
  const providers = dialog.getByRole("list", { name: "Providers" });
  await providers.getByText("updated just now").waitFor();
  assert.match(await providers.innerText(), new RegExp(`${visit.model.url} · 2 models · default test`));

  const other = await figures(dialog, "openai/other");
  assert.equal(other["Context window"], "40,960 set");
  assert.equal(other["Images"], "no set");
  assert.equal(other["Price in"], "$1.50 set");
  assert.equal(other["Price out"], "$2.00 set");
  assert.match(other["Price cached"] ?? "", /unknown/);
  const test = await figures(dialog, "openai/test");
  assert.match(test["Context window"] ?? "", /^[\d,]+ assumed$/);
  assert.match(test["Thinking"] ?? "", /^no assumed$/);
  await dialog.getByText("assumed (unknown, a cautious default)").waitFor();

  // A model that was added since.
  visit.model.models = [...(visit.model.models ?? []), { id: "newest", max_model_len: 16_384 }];
  const again = dialog.getByRole("button", { name: "Refresh" });
  await again.focus();
  await page.keyboard.press("Enter");
  assert.equal((await figures(dialog, "openai/newest"))["Context window"], "16,384 asked");

  // An unreachable provider: its last answer is used, and the error is shown.
  visit.model.models = undefined;
  await again.click();
  await providers.getByText(/unreachable; using its answer from just now/).waitFor();
  await providers.getByText(/the list is lost|status 500/).waitFor();
  assert.equal((await figures(dialog, "openai/newest"))["Context window"], "16,384 asked");

  // Escape closes one dialog after the other and restores the focus.
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
  assert.equal(await show.evaluate((button) => button === document.activeElement), true);
  await page.keyboard.press("Escape");
  await page.getByRole("dialog", { name: "Settings" }).waitFor({ state: "detached" });
  // The new model can be selected.
  await page.getByRole("combobox", { name: "Model" }).selectOption("openai/newest");
});
