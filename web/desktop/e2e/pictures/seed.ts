/** Fills a house with the week of a household. */
import type { wire } from "@dwell/client";
import { House } from "../world/house.ts";
import { type Rest, until } from "../world/rest.ts";
import { messagesOf, WEEK } from "./week.ts";

/**
 * Takes the past in. What comes in as a conversation has been taken in just now; only a journal says when it all happened. So
 * it goes through a house that is torn down again: journals and memory are carried over, each under its own times.
 */
export async function seedPast(to: Rest): Promise<void> {
  const before = await new House().start();
  try {
    const from = before.rest;
    const now = new Date();
    const sessions: string[] = [];
    for (const past of WEEK) {
      const made = await from.postText<wire.SessionView>(
        "/api/v1/sessions/import?format=langchain",
        JSON.stringify(messagesOf(past, now)),
      );
      sessions.push(made.session_id);
    }
    await from.post("/api/v1/memories/await_consistency", { timeout_ms: 20_000 });
    for (const session of sessions) {
      const journal = await from.text(`/api/v1/sessions/${session}/export`);
      await to.postText("/api/v1/sessions/import?format=ndjson", inItsTime(journal));
    }
    const archive = await from.get("/api/v1/memories/export");
    await to.post("/api/v1/memories/import", { archive });
  } finally {
    await before.end();
  }
}

/** A journal of which nothing happened after the last words. */
function inItsTime(journal: string): string {
  const events = journal
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { at: string; type: string })
    // What is changed is not what the manifest speaks of.
    .filter(({ type }) => type !== "manifest");
  const last = events.findLast(({ type }) => type === "chat.final")?.at ?? "";
  return events.map((event) => JSON.stringify({ ...event, at: event.at > last ? last : event.at })).join("\n");
}

/** The evening that is looked at; gives its session. */
export async function seedEvening(rest: Rest): Promise<string> {
  for (const [key, value, priority] of [
    ["name", "Mara", 90],
    ["diet", "vegan", 80],
    ["city", "Leiden", 60],
  ] as const) {
    await rest.put(`/api/v1/profile/${key}`, { value, priority });
  }
  const lights = await rest.session({ preferences: { title: "Lights for the evening" } });
  for (const words of ["turn on the kitchen lights", "turn on the floor lamp", "turn on the hallway light"]) {
    await rest.say(lights, words);
  }
  const session = await rest.session({ preferences: { title: "An evening at home" } });
  await rest.say(session, "turn on the desk lamp");
  await rest.say(session, "How much energy did we use this week?");
  await rest.say(session, "Put it on the desktop, with dinner on Saturday and a timer for my tea");
  return session;
}

/** Agents at work: one that explains, one in line, and one of a window. */
export async function seedWork(rest: Rest): Promise<string> {
  const session = await rest.session({ preferences: { title: "How a heat pump works" } });
  await rest.say(session, "Put it on the desktop, with dinner on Saturday and a timer for my tea");
  await rest.begin(session, "Explain how a heat pump works");
  await rest.begin(session, "And what does one cost?");
  await rest.begin(session, "Is ours large enough for a heat pump?");
  return session;
}

/** Somebody is at the door: a call that waits for a yes. */
export async function seedQuestion(rest: Rest, session: string): Promise<void> {
  await rest.begin(session, "Let Jonas in, please");
  await until(
    () => rest.get<{ data: unknown[] }>("/api/v1/approvals"),
    ({ data }) => data.length === 1,
  );
}
