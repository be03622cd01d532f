/** Switching, as it goes: sent into the current session, looked after until it is known what came of it. */
import type { wire } from "@dwell/client";
import { signal } from "@preact/signals";
import { inWords } from "../house/api.ts";
import { dwell } from "../house/connection.ts";
import type { Conversation } from "../house/conversation.ts";
import { newKey } from "../house/key.ts";
import { current, startSession } from "../house/sessions.ts";
import { isFinal } from "../house/turn.ts";
import { announce } from "../kit/announce.ts";
import { type Deed, messageOf, type Outcome, outcomeOf, refusal } from "./act.ts";

/** Something that was told to the home. */
export type Told = { words: string; outcome?: Outcome | undefined; isOver: boolean };

const LOOK_MS = 300;
const WAIT_MS = 1_000;
/** How long a good end is shown. */
const GOOD_MS = 4_000;

/** What was told last, by what it was told to. */
export const told = signal<Readonly<Record<string, Told>>>({});

/** Tells the home to do something to some entities. `to` is where it is shown. */
export async function tell(to: string, deed: Deed, entityIds: readonly string[]): Promise<void> {
  const before = told.value[to];
  if (before && !before.isOver) return;
  set(to, { words: deed.words, isOver: false });
  try {
    const { id: session_id } = await place();
    const client = await dwell();
    const request = { session_id, ...messageOf(deed, entityIds), idempotency_key: newKey() };
    // A light does not wait for a long answer: another agent does it beside.
    const { turn_id: turnId } = await client.request("chat.send", { ...request, on_busy: "fork" });
    for (;;) {
      const turn = await client.turn(turnId);
      const outcome = outcomeOf(plain(turn));
      const isOver = isFinal(turn.status);
      if (isOver) {
        end(to, deed, outcome ?? { tone: "good", words: "Done" });
        return;
      }
      if (outcome?.tone === "wait" && told.value[to]?.outcome?.tone !== "wait")
        announce(`${deed.words}: ${outcome.words}`);
      set(to, { words: deed.words, outcome, isOver: false });
      await new Promise((resolve) => setTimeout(resolve, outcome ? WAIT_MS : LOOK_MS));
    }
  } catch (problem) {
    const { message, hint } = inWords(problem);
    const outcome = refusal(message);
    end(to, deed, { ...outcome, hint: outcome.hint ?? hint });
  }
}

/** Puts away what came of something. */
export function putAway(to: string): void {
  const { [to]: _, ...rest } = told.value;
  told.value = rest;
}

function set(to: string, what: Told): void {
  told.value = { ...told.value, [to]: what };
}

function end(to: string, deed: Deed, outcome: Outcome): void {
  const mine: Told = { words: deed.words, outcome, isOver: true };
  set(to, mine);
  announce(`${deed.words}: ${outcome.words}`);
  if (outcome.tone === "good") setTimeout(() => told.value[to] === mine && putAway(to), GOOD_MS);
}

function plain({ status, steps, reason, error }: wire.TurnView): Parameters<typeof outcomeOf>[0] {
  return { status, steps, reason: reason ?? undefined, error: error ?? undefined };
}

/** The session it is said in: the one that is open, or one for the home. */
async function place(): Promise<Conversation> {
  const now = current.value;
  if (now?.session.value.status === "active") return now;
  const preferences = { title: "Home" };
  const kept = await startSession({ key: "page-home", preferences });
  // It may have been ended since; then another begins.
  return kept.session.value.status === "active" ? kept : startSession({ preferences });
}
