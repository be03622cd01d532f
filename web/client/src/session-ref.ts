/** How a session is named. */
import type { MaybeSession, SessionRef } from "./requests.js";

/** A session: its id, a name of your choice, or an object with its id. */
export type Session = string | { session_id: string };

/** The wire form of a session: what looks like an id is one, anything else is a name. */
export function sessionRef(session: Session): SessionRef {
  if (typeof session !== "string") return { session_id: session.session_id };
  return /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/.test(session) ? { session_id: session } : { conversation_id: session };
}

/** The wire form of an optional session. */
export function maybeSession(session: Session | undefined): MaybeSession {
  return session === undefined ? {} : sessionRef(session);
}

/** A random idempotency key. */
export function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
