/** All views with content, for the tests that visit each of them. */
import type { Page } from "playwright-core";
import { ask, sessionOf } from "./chat.ts";
import type { Visit } from "./visit.ts";

/** The views, each with a text that shows once it is loaded. */
export const VIEWS: readonly { name: string; at: (session: string) => string; shows: RegExp }[] = [
  { name: "talk", at: (session) => `#/talk/${session}`, shows: /plan for the week/ },
  { name: "a new conversation", at: () => "#/talk", shows: /Dwell|conversation|help|evening|morning|day/i },
  { name: "desktop", at: (session) => `#/desktop/${session}`, shows: /^Tea$/ },
  { name: "memory", at: () => "#/memory", shows: /vegan/ },
  { name: "agents", at: (session) => `#/agents/${session}`, shows: /main/i },
  { name: "journal", at: (session) => `#/journal/${session}`, shows: /\bAnswered|You: “|Called/ },
  { name: "home", at: () => "#/home", shows: /Kitchen/ },
  { name: "planned", at: () => "#/planned", shows: /Water the plants/ },
  { name: "planned, history", at: () => "#/planned//history", shows: /Call grandmother/ },
  { name: "planned, alerts", at: () => "#/planned//alerts", shows: /Call grandmother/ },
];

/** Goes to a view by the rail, or by its menu. */
export async function goTo(page: Page, view: string): Promise<void> {
  const rail = page.getByRole("navigation", { name: "Views" });
  if (view === "Agents" || view === "Journal") await rail.getByRole("button", { name: "Workshop" }).click();
  await rail.getByRole("link", { name: new RegExp(view) }).click();
}

/** Creates content for every view; returns the session. */
export async function fillServer(visit: Visit): Promise<string> {
  const { rest } = visit.server;
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
  for (const [text, when] of [
    ["Water the plants", { kind: "cron", expression: "0 7 * * 1-5" }],
    ["Call grandmother", { kind: "after", after_ms: 1 }],
  ] as const) {
    await rest.post("/api/v1/schedules", { session_id: session, when, action: { do: "remind", text } });
  }
  const action = { do: "remind", text: "Tea", timer: true };
  await rest.post("/api/v1/schedules", { session_id: session, when: { kind: "after", after_ms: 3_000_000 }, action });
  return session;
}

/** Opens a view and waits until it is loaded. */
export async function look(page: Page, visit: Visit, session: string, view: (typeof VIEWS)[number]): Promise<void> {
  await page.goto(`${visit.server.url}/${view.at(session)}`);
  await page.getByRole("main").getByText(view.shows).first().waitFor();
  await page.evaluate(() => document.fonts.ready);
  await page.waitForTimeout(200);
}

export { ask, sessionOf };
