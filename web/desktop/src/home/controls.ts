/**
 * Controls of home entities, and the tool calls behind them, which follow the same policy as an
 * agent's.
 */
import type { wire } from "@dwell/client";
import { isOn } from "./words.ts";

/** The tool that controls the home. */
export const SERVICE_TOOL = "call_service";

/** An action on an entity. */
export type EntityAction = {
  domain: string;
  service: string;
  /** The label of the button, and the message in the conversation: `Turn off Hallway`. */
  words: string;
  data?: Record<string, unknown>;
};

/** The control of an entity: a switch, or buttons. */
export type Control =
  { type: "switch"; isOn: boolean; deed: EntityAction } | { type: "buttons"; actions: readonly EntityAction[] };

const SWITCH_DOMAINS = new Set(["light", "switch", "fan", "input_boolean", "humidifier"]);

/** The control of an entity; undefined if it has none or is unavailable. */
export function controlOf(entity: wire.EntityView): Control | undefined {
  const { domain, name } = entity;
  if (!entity.available) return undefined;
  if (SWITCH_DOMAINS.has(domain)) {
    const on = isOn(entity);
    const service = on ? "turn_off" : "turn_on";
    return { type: "switch", isOn: on, deed: { domain, service, words: `Turn ${on ? "off" : "on"} ${name}` } };
  }
  if (domain === "scene" || domain === "script") {
    return { type: "buttons", actions: [{ domain, service: "turn_on", words: `Start ${name}` }] };
  }
  if (domain === "cover") {
    const open: EntityAction = { domain, service: "open_cover", words: `Open ${name}` };
    const close: EntityAction = { domain, service: "close_cover", words: `Close ${name}` };
    const stop: EntityAction = { domain, service: "stop_cover", words: `Stop ${name}` };
    if (entity.state === "opening" || entity.state === "closing") return { type: "buttons", actions: [stop] };
    return {
      type: "buttons",
      actions: entity.state === "closed" ? [open] : entity.state === "open" ? [close] : [open, close],
    };
  }
  if (domain === "lock") {
    const isLocked = entity.state === "locked";
    const service = isLocked ? "unlock" : "lock";
    return { type: "buttons", actions: [{ domain, service, words: `${isLocked ? "Unlock" : "Lock"} ${name}` }] };
  }
  return undefined;
}

/** The verb of an action, short enough for a button. */
export function verbOf({ words }: EntityAction): string {
  return words.split(" ", 1)[0] ?? words;
}

/** The message and tool call that perform an action. */
export function messageOf(
  action: EntityAction,
  entityIds: readonly string[],
): { message: string; calls: wire.DirectCall[] } {
  const { domain, service, words, data } = action;
  const target = { entity_id: [...entityIds] };
  const call = { tool: SERVICE_TOOL, arguments: { domain, service, target, ...(data && { data }) } };
  return { message: words, calls: [call] };
}

/** The displayed outcome of an action. */
export type Outcome = { tone: "good" | "bad" | "wait"; words: string; hint?: string | undefined };

const OUTCOMES: Record<string, string> = {
  done: "Done",
  already: "No change needed",
  on_the_way: "In progress",
  unchanged: "It did not change",
  unavailable: "Unavailable",
  unverified: "Sent; the result cannot be verified",
};

/** The outcome of a turn, as far as it is known; undefined while it runs. */
export function outcomeOf(turn: {
  status: wire.TurnStatus;
  steps: readonly wire.Step[];
  reason?: string | undefined;
  error?: wire.TurnError | undefined;
}): Outcome | undefined {
  const { status, steps, reason, error } = turn;
  if (status === "waiting") {
    const words = reason === "approval" ? "Waiting for approval" : "Waiting for you";
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

/** The outcome of a refused action, with a hint on what to do. */
export function refusal(message: string): Outcome {
  const words = message.charAt(0).toUpperCase() + message.slice(1);
  if (/actuation/i.test(message)) {
    const hint =
      "To let Dwell control a real home, set tools.actuation = true in its configuration, or DWELL_TOOLS_ACTUATION=true, and restart it.";
    return { tone: "bad", words: "Not allowed: controlling the home is turned off", hint };
  }
  if (/den(y|ied)|not allowed|refused|policy/i.test(message)) {
    return { tone: "bad", words, hint: "A policy of the server or of this session forbids it." };
  }
  return { tone: "bad", words };
}
