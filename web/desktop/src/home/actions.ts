/**
 * Runs actions on entities: sends them to the current session and polls until the outcome is known.
 */
import type { wire } from "@dwell/client";
import { signal } from "@preact/signals";
import { describeError } from "../store/api.ts";
import { dwell } from "../store/connection.ts";
import type { Conversation } from "../store/conversation.ts";
import { newKey } from "../store/key.ts";
import { current, startSession } from "../store/sessions.ts";
import { isFinal } from "../store/turn.ts";
import { announce } from "../kit/announce.ts";
import { type EntityAction, messageOf, type Outcome, outcomeOf, refusal } from "./controls.ts";
import { texts } from "../languages/home.ts";

/** The status of an action. */
export type ActionStatus = { words: string; outcome?: Outcome | undefined; isOver: boolean };

const LOOK_MS = 300;
const WAIT_MS = 1_000;
/** How long a success is shown. */
const GOOD_MS = 4_000;

/** The latest action of each target. */
export const actionStatus = signal<Readonly<Record<string, ActionStatus>>>({});

/** Runs an action on entities. `to` is the target that shows its status. */
export async function runAction(to: string, deed: EntityAction, entityIds: readonly string[]): Promise<void> {
  const before = actionStatus.value[to];
  if (before && !before.isOver) return;
  set(to, { words: deed.words, isOver: false });
  try {
    const { id: session_id } = await place();
    const client = await dwell();
    const request = { session_id, ...messageOf(deed, entityIds), idempotency_key: newKey() };
    // A light need not wait for a long answer: a second agent runs the call in parallel.
    const { turn_id: turnId } = await client.request("chat.send", { ...request, on_busy: "fork" });
    for (;;) {
      const turn = await client.turn(turnId);
      const outcome = outcomeOf(plain(turn));
      const isOver = isFinal(turn.status);
      if (isOver) {
        end(to, deed, outcome ?? { tone: "good", words: texts().done });
        return;
      }
      if (outcome?.tone === "wait" && actionStatus.value[to]?.outcome?.tone !== "wait")
        announce(`${deed.words}: ${outcome.words}`);
      set(to, { words: deed.words, outcome, isOver: false });
      await new Promise((resolve) => setTimeout(resolve, outcome ? WAIT_MS : LOOK_MS));
    }
  } catch (problem) {
    const { message, hint } = describeError(problem);
    const outcome = refusal(message);
    end(to, deed, { ...outcome, hint: outcome.hint ?? hint });
  }
}

/** Removes the status of a target. */
export function dismissStatus(to: string): void {
  const { [to]: _, ...rest } = actionStatus.value;
  actionStatus.value = rest;
}

function set(to: string, what: ActionStatus): void {
  actionStatus.value = { ...actionStatus.value, [to]: what };
}

function end(to: string, deed: EntityAction, outcome: Outcome): void {
  const mine: ActionStatus = { words: deed.words, outcome, isOver: true };
  set(to, mine);
  announce(`${deed.words}: ${outcome.words}`);
  if (outcome.tone === "good") setTimeout(() => actionStatus.value[to] === mine && dismissStatus(to), GOOD_MS);
}

function plain({ status, steps, reason, error }: wire.TurnView): Parameters<typeof outcomeOf>[0] {
  return { status, steps, reason: reason ?? undefined, error: error ?? undefined };
}

/** The session to use: the open one, or one for the home. */
async function place(): Promise<Conversation> {
  const now = current.value;
  if (now?.session.value.status === "active") return now;
  const preferences = { title: texts().home };
  const kept = await startSession({ key: "page-home", preferences });
  // It may have ended since; then a new one starts.
  return kept.session.value.status === "active" ? kept : startSession({ preferences });
}
