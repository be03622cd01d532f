/** User actions in a conversation, by visible names. */
import type { Locator, Page } from "playwright-core";

/** The message box. */
export function message(page: Page): Locator {
  return page.getByRole("textbox", { name: "Message", exact: true });
}

/** Sends a message. */
export async function say(page: Page, words: string): Promise<void> {
  await message(page).fill(words);
  await message(page).press("Enter");
}

/** The rendered turns, oldest first. */
export function turns(page: Page): Locator {
  return page.locator("[data-turn-status]");
}

/** The turn with a message. */
export function turnOf(page: Page, words: string): Locator {
  return turns(page).filter({ hasText: words }).last();
}

/** Waits until a turn has a status. */
export async function waitForStatus(turn: Locator, status = "completed"): Promise<Locator> {
  await turn.and(turn.page().locator(`[data-turn-status=${status}]`)).waitFor();
  return turn;
}

/** Sends a message and waits for the end of the answer. */
export async function ask(page: Page, words: string): Promise<Locator> {
  await say(page, words);
  return waitForStatus(turnOf(page, words));
}

/** The session in the page's URL. */
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
