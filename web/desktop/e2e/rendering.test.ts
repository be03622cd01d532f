/** Formulas, diagrams, footnotes, tables, and code that runs, all under the page's policy. */
import assert from "node:assert/strict";
import { ask } from "./support/chat.ts";
import { browserTests } from "./support/visit.ts";

const { sharedTest } = browserTests();

sharedTest("formulas are typeset, footnotes lead there and back, tasks have boxes", async (visit) => {
  const page = await visit.open();
  const turn = await ask(page, "show it all");
  const formulas = turn.locator(".katex");
  await formulas.nth(1).waitFor();
  assert.equal(await formulas.count(), 2);
  await turn.getByText("and it costs $5.").waitFor();
  // Styles were set: the fraction has a height of its own.
  const height = await turn
    .locator(".katex-display .mfrac")
    .evaluate((element) => element.getBoundingClientRect().height);
  assert.ok(height > 20, String(height));
  const mark = turn.getByRole("button", { name: "Footnote 1", exact: true });
  await mark.click();
  const note = turn.locator("[data-footnote='1']");
  assert.match(await note.innerText(), /From above\./);
  assert.ok(await note.evaluate((element) => element === document.activeElement));
  await turn.getByRole("button", { name: "Footnote 1: back to the text" }).click();
  assert.ok(await mark.evaluate((element) => element === document.activeElement));
  assert.ok(await turn.getByRole("checkbox", { name: "Done" }).isChecked());
  assert.ok(!(await turn.getByRole("checkbox", { name: "To do" }).isChecked()));
});

sharedTest("a table is sorted by its headers and copied in that order", async (visit) => {
  const page = await visit.open();
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  const turn = await ask(page, "show it all");
  const towns = () => turn.getByRole("row").locator("td:first-child").allInnerTexts();
  assert.deepEqual(await towns(), ["Ulm", "Rom", "Bonn"]);
  const people = turn.getByRole("columnheader", { name: "People" });
  await people.getByRole("button").click();
  assert.deepEqual(await towns(), ["Ulm", "Bonn", "Rom"]);
  assert.equal(await people.getAttribute("aria-sort"), "ascending");
  await people.getByRole("button").click();
  assert.deepEqual(await towns(), ["Rom", "Bonn", "Ulm"]);
  await turn.getByRole("table").hover();
  await turn.getByRole("button", { name: "Copy table" }).click();
  await page.getByText("Copied").waitFor({ state: "attached" });
  // The page may not read the clipboard, so a box takes what was copied.
  const box = page.getByRole("textbox", { name: "Message", exact: true });
  await box.focus();
  await page.keyboard.press("Control+v");
  assert.equal(await box.inputValue(), "Town\tPeople\nRom\t2,750,000\nBonn\t330,000\nUlm\t126,000");
});

sharedTest("a diagram is drawn apart and shown as a picture; a wrong one stays code and says why", async (visit) => {
  const page = await visit.open();
  const turn = await ask(page, "show it all");
  const picture = turn.getByRole("img", { name: /^Diagram: flowchart LR/ });
  await picture.waitFor();
  const { width, source } = await picture.evaluate((element: HTMLImageElement) => ({
    width: element.naturalWidth,
    source: decodeURIComponent(element.src),
  }));
  assert.ok(width > 40, String(width));
  assert.match(source, /^data:image\/svg\+xml.*Tea[\s\S]*Cup/);
  await turn.getByText(/^The diagram cannot be drawn: /).waitFor();
  await turn.getByRole("button", { name: "Show its code" }).click();
  await turn.getByText("Tea --> Cup").waitFor();
});

sharedTest("HTML runs in a window, without the page and without the network; long lines are wrapped", async (visit) => {
  visit.watch.expect(/Content Security Policy|Refused to connect|violates the following/);
  const page = await visit.open();
  const turn = await ask(page, "show it all");
  await turn.getByRole("button", { name: "Run in a window" }).click();
  const dialog = page.getByRole("dialog", { name: "Running HTML" });
  const frame = dialog.frameLocator("iframe");
  await frame.getByRole("heading", { name: "Hello from the frame" }).waitFor();
  await frame.getByText("It is apart, cut off").waitFor();
  assert.equal(await dialog.locator("iframe").getAttribute("sandbox"), "allow-scripts");
  await dialog.getByRole("button", { name: "Close" }).click();
  const wrap = turn.getByRole("button", { name: "Wrap long lines" }).first();
  await wrap.click();
  assert.equal(
    await turn
      .locator("pre")
      .first()
      .evaluate((code) => getComputedStyle(code).whiteSpace),
    "pre-wrap",
  );
  assert.equal(await wrap.getAttribute("aria-pressed"), "true");
});
