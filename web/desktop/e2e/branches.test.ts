/** Versions of a message in branches of a conversation, and turns that are deleted. */
import assert from "node:assert/strict";
import { ask, sessionOf, waitForStatus, turnOf, turns } from "./support/chat.ts";
import { browserTests } from "./support/visit.ts";

const { sharedTest } = browserTests();

sharedTest("an edited message is another version of it, and both stay, also after a reload", async (visit) => {
  const page = await visit.open();
  await ask(page, "reckon before the edit");
  const turn = await ask(page, "tell of cats");
  const original = await sessionOf(page);
  await turn.hover();
  await turn.getByRole("button", { name: "Edit message" }).click();
  const form = page.getByRole("form", { name: "Edit message" });
  await form.getByRole("textbox").fill("tell of dogs");
  await form.getByRole("textbox").press("Enter");
  const edited = await waitForStatus(turnOf(page, "You said: tell of dogs"));
  await edited.getByText("2 / 2").waitFor();
  await turnOf(page, "reckon before the edit").waitFor();
  assert.equal(await turnOf(page, "tell of cats").count(), 0);
  const branch = await sessionOf(page);
  assert.notEqual(branch, original);
  // The list has one row for both.
  const rows = page.getByRole("navigation", { name: "Sessions" }).getByText("reckon before the edit");
  assert.equal(await rows.count(), 1);
  await page.reload();
  await edited.getByRole("button", { name: "Previous version" }).click();
  await turn.getByText("1 / 2").waitFor();
  assert.equal(await sessionOf(page), original);
  // Another answer to the same message, by another model, is a version too.
  await turn.hover();
  await turn.getByRole("button", { name: "More actions" }).click();
  await page.getByRole("menuitem", { name: "Answer with another model" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Model").selectOption("openai/other");
  await dialog.getByRole("button", { name: "Answer" }).click();
  const again = await waitForStatus(turnOf(page, "tell of cats"));
  await again.getByText("3 / 3").waitFor();
  await again.getByText(/by openai\/other/).waitFor();
  await again.getByRole("button", { name: "Previous version" }).click();
  await edited.getByText("2 / 3").waitFor();
  // The first message has nothing before it that could be copied.
  const first = turnOf(page, "reckon before the edit");
  await first.hover();
  await first.getByRole("button", { name: "Edit message" }).click();
  await form.getByRole("textbox").fill("reckon from the start");
  await form.getByRole("button", { name: "Send" }).click();
  await waitForStatus(turnOf(page, "reckon from the start"));
  await page.getByText("2 / 2").waitFor();
  assert.equal(await turns(page).count(), 1);
  await page.getByRole("button", { name: "Previous version" }).click();
  await turnOf(page, "tell of cats").waitFor();
  assert.equal(await sessionOf(page), original);
});

sharedTest("a message and its answer are deleted for good", async (visit) => {
  const page = await visit.open();
  const turn = await ask(page, "tell of the secret zebra");
  await ask(page, "reckon after it");
  await turn.hover();
  await turn.getByRole("button", { name: "More actions" }).click();
  await page.getByRole("menuitem", { name: "Delete message and answer" }).click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Delete" }).click();
  await page.getByText("This message and its answer were deleted.").waitFor();
  assert.equal(await page.getByText("zebra").count(), 0);
  const kept = JSON.stringify(await visit.server.rest.turns(await sessionOf(page)));
  assert.doesNotMatch(kept, /zebra/);
  await page.reload();
  await turnOf(page, "reckon after it").waitFor();
  await page.getByText("This message and its answer were deleted.").waitFor();
});
