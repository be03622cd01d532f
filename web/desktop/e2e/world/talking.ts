/** What a person does in a conversation, by the names they see. */
import type { Locator, Page } from "playwright-core";

/** The box to write in. */
export function message(page: Page): Locator {
  return page.getByRole("textbox", { name: "Message" });
}

/** Says something. */
export async function say(page: Page, words: string): Promise<void> {
  await message(page).fill(words);
  await message(page).press("Enter");
}

/** The turns that are shown, oldest first. */
export function turns(page: Page): Locator {
  return page.locator("[data-turn-status]");
}

/** The turn in which something was said. */
export function turnOf(page: Page, words: string): Locator {
  return turns(page).filter({ hasText: words }).last();
}

/** Waits until a turn stands so. */
export async function settled(turn: Locator, status = "completed"): Promise<Locator> {
  await turn.and(turn.page().locator(`[data-turn-status=${status}]`)).waitFor();
  return turn;
}

/** Says something and waits for the end of the answer. */
export async function ask(page: Page, words: string): Promise<Locator> {
  await say(page, words);
  return settled(turnOf(page, words));
}

/** The session that a page shows. */
export async function sessionOf(page: Page): Promise<string> {
  await page.waitForURL(/#\/\w+\/[\w-]+/);
  return new URL(page.url()).hash.split("/")[2] ?? "";
}

/** The numbered words (`w1 w2 …`) of a text, as numbers. */
export function numbersIn(text: string): number[] {
  return [...text.matchAll(/w(\d+)/g)].map((fit) => Number(fit[1]));
}

/** Whether they count 1, 2, 3 … without a gap and without a repetition. */
export function countsUp(numbers: readonly number[]): boolean {
  return numbers.every((number, index) => number === index + 1);
}
