/** What a person can switch from here, and how it is told to the home: as calls in a session, under the same policy as an agent's. */
import type { wire } from "@dwell/client";
import { isOn } from "./words.ts";

/** The tool that touches the home. */
export const SERVICE_TOOL = "call_service";

/** Something that can be done to an entity. */
export type Deed = {
  domain: string;
  service: string;
  /** What the button says, and what stands in the conversation: `Turn off Hallway`. */
  words: string;
  data?: Record<string, unknown>;
};

/** How a thing is switched: a switch with two states, or buttons. */
export type Control = { type: "switch"; isOn: boolean; deed: Deed } | { type: "buttons"; deeds: readonly Deed[] };

const SWITCHED = new Set(["light", "switch", "fan", "input_boolean", "humidifier"]);

/** What can be done to an entity; nothing where switching makes no sense or it cannot be reached. */
export function controlOf(entity: wire.EntityView): Control | undefined {
  const { domain, name } = entity;
  if (!entity.available) return undefined;
  if (SWITCHED.has(domain)) {
    const on = isOn(entity);
    const service = on ? "turn_off" : "turn_on";
    return { type: "switch", isOn: on, deed: { domain, service, words: `Turn ${on ? "off" : "on"} ${name}` } };
  }
  if (domain === "scene" || domain === "script") {
    return { type: "buttons", deeds: [{ domain, service: "turn_on", words: `Start ${name}` }] };
  }
  if (domain === "cover") {
    const open: Deed = { domain, service: "open_cover", words: `Open ${name}` };
    const close: Deed = { domain, service: "close_cover", words: `Close ${name}` };
    const stop: Deed = { domain, service: "stop_cover", words: `Stop ${name}` };
    if (entity.state === "opening" || entity.state === "closing") return { type: "buttons", deeds: [stop] };
    return {
      type: "buttons",
      deeds: entity.state === "closed" ? [open] : entity.state === "open" ? [close] : [open, close],
    };
  }
  if (domain === "lock") {
    const isLocked = entity.state === "locked";
    const service = isLocked ? "unlock" : "lock";
    return { type: "buttons", deeds: [{ domain, service, words: `${isLocked ? "Unlock" : "Lock"} ${name}` }] };
  }
  return undefined;
}

/** The first word of what is done: what fits on a button. */
export function verbOf({ words }: Deed): string {
  return words.split(" ", 1)[0] ?? words;
}

/** The message that does it. */
export function messageOf(deed: Deed, entityIds: readonly string[]): { message: string; calls: wire.DirectCall[] } {
  const { domain, service, words, data } = deed;
  const target = { entity_id: [...entityIds] };
  const call = { tool: SERVICE_TOOL, arguments: { domain, service, target, ...(data && { data }) } };
  return { message: words, calls: [call] };
}

/** What came of it, as it is told. */
export type Outcome = { tone: "good" | "bad" | "wait"; words: string; hint?: string | undefined };

const OUTCOMES: Record<string, string> = {
  done: "Done",
  already: "It stood so already",
  on_the_way: "On its way",
  unchanged: "It did not change",
  unavailable: "It cannot be reached",
  unverified: "The home took the call; there is nothing to see it by",
};

/** What a turn has come to, as far as it is known; undefined while it runs. */
export function outcomeOf(turn: {
  status: wire.TurnStatus;
  steps: readonly wire.Step[];
  reason?: string | undefined;
  error?: wire.TurnError | undefined;
}): Outcome | undefined {
  const { status, steps, reason, error } = turn;
  if (status === "waiting") {
    const words = reason === "approval" ? "Waits for your yes" : "Waits for you";
    return { tone: "wait", words };
  }
  const result = steps.findLast((step) => step.type === "tool_result");
  if (result?.type === "tool_result") {
    const { status: called, content } = result.detail;
    if (called === "denied" || called === "error") return refusal(content);
    const told = readOutcome(content);
    if (told) return { tone: told.isFine ? "good" : "bad", words: told.words };
    if (status === "completed") return { tone: "good", words: "Done" };
  }
  if (error) return refusal(error.message);
  if (status === "cancelled") return { tone: "bad", words: "Stopped" };
  if (status === "expired") return { tone: "bad", words: "It took too long" };
  return status === "completed" ? { tone: "good", words: "Done" } : undefined;
}

function readOutcome(content: string): { words: string; isFine: boolean } | undefined {
  try {
    const told: unknown = JSON.parse(content);
    if (typeof told !== "object" || told === null || !("entities" in told) || !Array.isArray(told.entities)) return;
    const outcomes = told.entities.flatMap((entity: unknown) =>
      typeof entity === "object" && entity !== null && "outcome" in entity && typeof entity.outcome === "string"
        ? [entity.outcome]
        : [],
    );
    const bad = outcomes.find((outcome) => outcome === "unchanged" || outcome === "unavailable");
    const said = bad ?? outcomes[0];
    return said === undefined ? undefined : { words: OUTCOMES[said] ?? said, isFine: bad === undefined };
  } catch {
    return undefined;
  }
}

/** A refusal, and what to do about it. */
export function refusal(message: string): Outcome {
  const words = message.charAt(0).toUpperCase() + message.slice(1);
  if (/actuation/i.test(message)) {
    const hint =
      "Dwell touches a real home only where that is allowed: set tools.actuation = true in its configuration, or DWELL_TOOLS_ACTUATION=true, and start it again.";
    return { tone: "bad", words: "Not allowed: switching is turned off", hint };
  }
  if (/den(y|ied)|not allowed|refused|policy/i.test(message)) {
    return { tone: "bad", words, hint: "The policy of the server or of this session forbids it." };
  }
  return { tone: "bad", words };
}
