/**
 * Controls of home entities, and the tool calls behind them, which follow the same policy as an
 * agent's.
 */
import type { wire } from "@dwell/client";
import { isOn } from "./words.ts";
import { texts } from "../languages/home.ts";

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
    return {
      type: "switch",
      isOn: on,
      deed: { domain, service, words: on ? texts().turnOff(name) : texts().turnOn(name) },
    };
  }
  if (domain === "scene" || domain === "script") {
    return { type: "buttons", actions: [{ domain, service: "turn_on", words: texts().startName(name) }] };
  }
  if (domain === "cover") {
    const open: EntityAction = { domain, service: "open_cover", words: texts().openName(name) };
    const close: EntityAction = { domain, service: "close_cover", words: texts().closeName(name) };
    const stop: EntityAction = { domain, service: "stop_cover", words: texts().stopName(name) };
    if (entity.state === "opening" || entity.state === "closing") return { type: "buttons", actions: [stop] };
    return {
      type: "buttons",
      actions: entity.state === "closed" ? [open] : entity.state === "open" ? [close] : [open, close],
    };
  }
  if (domain === "lock") {
    const isLocked = entity.state === "locked";
    const service = isLocked ? "unlock" : "lock";
    return {
      type: "buttons",
      actions: [{ domain, service, words: isLocked ? texts().unlockName(name) : texts().lockName(name) }],
    };
  }
  return undefined;
}

/** The verb of an action, short enough for a button. */
export function verbOf({ service, words }: EntityAction): string {
  return (texts().verbs as Partial<Record<string, string>>)[service] ?? words;
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

function outcomeTexts(): Record<string, string> {
  return {
    done: texts().done,
    already: texts().noChangeNeeded,
    on_the_way: texts().inProgress,
    unchanged: texts().itDidNotChange,
    unavailable: texts().unavailable,
    unverified: texts().sentResultCannotBe,
  };
}

/** The outcome of a turn, as far as it is known; undefined while it runs. */
export function outcomeOf(turn: {
  status: wire.TurnStatus;
  steps: readonly wire.Step[];
  reason?: string | undefined;
  error?: wire.TurnError | undefined;
}): Outcome | undefined {
  const { status, steps, reason, error } = turn;
  if (status === "waiting") {
    const words = reason === "approval" ? texts().waitingForApproval : texts().waitingForYou;
    return { tone: "wait", words };
  }
  const result = steps.findLast((step) => step.type === "tool_result");
  if (result?.type === "tool_result") {
    const { status: called, content } = result.detail;
    if (called === "denied" || called === "error") return refusal(content);
    const told = readOutcome(content);
    if (told) return { tone: told.isFine ? "good" : "bad", words: told.words };
    if (status === "completed") return { tone: "good", words: texts().done };
  }
  if (error) return refusal(error.message);
  if (status === "cancelled") return { tone: "bad", words: texts().stopped };
  if (status === "expired") return { tone: "bad", words: texts().itTookTooLong };
  return status === "completed" ? { tone: "good", words: texts().done } : undefined;
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
    return said === undefined ? undefined : { words: outcomeTexts()[said] ?? said, isFine: bad === undefined };
  } catch {
    return undefined;
  }
}

/** The outcome of a refused action, with a hint on what to do. */
export function refusal(message: string): Outcome {
  const words = message.charAt(0).toUpperCase() + message.slice(1);
  if (/actuation/i.test(message)) {
    return { tone: "bad", words: texts().notAllowedControllingHome, hint: texts().allowActuation };
  }
  if (/den(y|ied)|not allowed|refused|policy/i.test(message)) {
    return { tone: "bad", words, hint: texts().aPolicyServerOr };
  }
  return { tone: "bad", words };
}
