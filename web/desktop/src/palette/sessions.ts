/** Sessions and messages that fit what is typed in the palette. */
import type { wire } from "@dwell/client";
import { useEffect, useState } from "preact/hooks";
import { api, pathWith } from "../store/api.ts";
import { dwell } from "../store/connection.ts";
import { sessions, titleOf } from "../store/sessions.ts";
import { hitsOf, type MessageHit } from "../talk/sessions/message-search.ts";
import { found } from "./match.ts";

/** Typing goes on for this long before the server is asked. */
const PAUSE_MS = 160;
const SESSIONS_MAX = 8;
const MESSAGES_MAX = 6;
/** One letter fits nearly every message. */
const QUERY_MIN = 2;

/** What was found. */
export type SessionHits = { sessions: readonly wire.SessionView[]; messages: readonly MessageHit[] };

/** The listed sessions at once, then those and the messages that the server finds. */
export function useSessionHits(query: string): SessionHits {
  const [answer, setAnswer] = useState<{ query: string } & SessionHits>();
  const asked = query.trim();
  useEffect(() => {
    if (asked.length < QUERY_MIN) return;
    const abort = new AbortController();
    const timer = setTimeout(() => {
      void ask(asked, abort.signal).then((hits) => {
        if (!abort.signal.aborted) setAnswer({ query: asked, ...hits });
      });
    }, PAUSE_MS);
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [asked]);
  const listed = sessions.value.map((session) => ({ title: titleOf(session), session }));
  const near = found(listed, asked).map(({ session }) => session);
  const isFresh = answer?.query === asked && asked.length >= QUERY_MIN;
  const known = new Set(near.map(({ session_id: id }) => id));
  const more = isFresh ? answer.sessions.filter(({ session_id: id }) => !known.has(id)) : [];
  return { sessions: [...near, ...more].slice(0, SESSIONS_MAX), messages: isFresh ? answer.messages : [] };
}

/** What cannot be found now is left out; the commands still work. */
async function ask(query: string, signal: AbortSignal): Promise<SessionHits> {
  const titles = api<wire.SessionPage>(
    "GET",
    pathWith("/api/v1/sessions", { query: query.slice(0, 256), limit: SESSIONS_MAX }),
    undefined,
    signal,
  );
  const entries = dwell().then((client) => client.search(query, { levels: ["entry"], limit: MESSAGES_MAX }));
  const [page, items] = await Promise.allSettled([titles, entries]);
  return {
    sessions: page.status === "fulfilled" ? page.value.data : [],
    messages: items.status === "fulfilled" ? hitsOf(items.value.items) : [],
  };
}
