/** Every view, filled, for the tests that look at all of them. */
import type { Page } from "playwright-core";
import { ask, sessionOf } from "./talking.ts";
import type { Visit } from "./visit.ts";

/** The views, each with what stands there once it is filled. */
export const VIEWS: readonly { name: string; at: (session: string) => string; shows: RegExp }[] = [
  { name: "talk", at: (session) => `#/talk/${session}`, shows: /plan for the week/ },
  { name: "a new conversation", at: () => "#/talk", shows: /Dwell|conversation|help|evening|morning|day/i },
  { name: "desktop", at: (session) => `#/desktop/${session}`, shows: /^Tea$/ },
  { name: "memory", at: () => "#/memory", shows: /vegan/ },
  { name: "agents", at: (session) => `#/agents/${session}`, shows: /main/i },
  { name: "journal", at: (session) => `#/journal/${session}`, shows: /\bAnswered|You said|Called/ },
  { name: "home", at: () => "#/home", shows: /Kitchen/ },
];

/** Fills the house so that every view has something to show; gives the session. */
export async function filled(visit: Visit): Promise<string> {
  const { rest } = visit.house;
  await rest.put("/api/v1/profile/diet", { value: "vegan", priority: 50 });
  const session = await rest.session();
  for (const words of [
    "reckon it",
    "think about it",
    "show a table",
    "shopping form",
    "show a chart",
    "show a timer",
    "plan my week",
  ]) {
    await rest.say(session, words);
  }
  return session;
}

/** Opens a view and waits until it is filled. */
export async function look(page: Page, visit: Visit, session: string, view: (typeof VIEWS)[number]): Promise<void> {
  await page.goto(`${visit.house.url}/${view.at(session)}`);
  await page.getByRole("main").getByText(view.shows).first().waitFor();
  await page.evaluate(() => document.fonts.ready);
  await page.waitForTimeout(200);
}

export { ask, sessionOf };
