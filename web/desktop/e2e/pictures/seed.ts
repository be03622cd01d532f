/** Fills a server with a household's week, for the screenshots. */
import type { wire } from "@dwell/client";
import { TestServer } from "../support/server.ts";
import { type Rest, until } from "../support/rest.ts";
import { messagesOf, WEEK } from "./week.ts";

/**
 * Imports past conversations with their original times. An imported conversation gets the current
 * time; only a journal keeps its times. So a temporary server imports the conversations, and its
 * journals and memory are carried over.
 */
export async function seedPast(to: Rest): Promise<void> {
  const before = await new TestServer().start();
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

/** A journal without events later than its last answer. */
function inItsTime(journal: string): string {
  const events = journal
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { at: string; type: string })
    // The manifest does not match the changed events.
    .filter(({ type }) => type !== "manifest");
  const last = events.findLast(({ type }) => type === "chat.final")?.at ?? "";
  return events.map((event) => JSON.stringify({ ...event, at: event.at > last ? last : event.at })).join("\n");
}

/** Creates the evening that is shown; returns its session. */
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

/** Creates running and queued turns; returns their session. */
export async function seedWork(rest: Rest): Promise<string> {
  const session = await rest.session({ preferences: { title: "How a heat pump works" } });
  await rest.say(session, "Put it on the desktop, with dinner on Saturday and a timer for my tea");
  await rest.begin(session, "Explain how a heat pump works");
  await rest.begin(session, "And what does one cost?");
  await rest.begin(session, "Is ours large enough for a heat pump?");
  return session;
}

/** Creates a call that needs approval. */
export async function seedQuestion(rest: Rest, session: string): Promise<void> {
  await rest.begin(session, "Let Jonas in, please");
  await until(
    () => rest.get<{ data: unknown[] }>("/api/v1/approvals"),
    ({ data }) => data.length === 1,
  );
}
