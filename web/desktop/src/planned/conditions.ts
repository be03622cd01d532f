/** The form's fields about triggers, late runs and limits, and what they mean. Pure. */
import type { wire } from "@dwell/client";
import { texts } from "../languages/planned.ts";

/** What a schedule can wait for. */
export type FormTrigger = wire.Trigger["on"];
/** What happens to late runs; by default the server chooses. */
export type FormCatchUp = "default" | wire.CatchUp["policy"];
/** Units of a time span. */
export type FormUnit = "seconds" | "minutes" | "hours" | "days";

/** The fields as they are typed. */
export type ConditionFields = {
  trigger: FormTrigger;
  entity: string;
  /** The state before; empty for any. */
  from: string;
  /** The new state; empty for any. */
  to: string;
  /** The type of the home's event. */
  eventType: string;
  /** The fields that the event's data has, as JSON; empty for any. */
  eventData: string;
  /** Whose turns: the schedule's own conversation, any, or the one with this id. */
  turnsOf: string;
  /** Seconds between two runs that something starts. */
  gap: string;
  /** Runs within an hour that something starts. */
  hourly: string;
  catchUp: FormCatchUp;
  /** How late a run may be. */
  window: string;
  windowUnit: FormUnit;
  /** The largest number of runs; empty for no limit. */
  runsMax: string;
};

/** What is wrong with the fields, before they are sent. */
export class FormError extends Error {
  override name = "FormError";
}

/** Milliseconds of each unit. */
export const UNIT_MS: Record<FormUnit, number> = {
  seconds: 1_000,
  minutes: 60_000,
  hours: 3_600_000,
  days: 86_400_000,
};

/** The units, the smallest first. */
export const UNITS: readonly FormUnit[] = ["seconds", "minutes", "hours", "days"];

/** Turns of the schedule's own conversation. */
export const OWN_TURNS = "own";
/** Turns of any conversation. */
export const ANY_TURNS = "any";

const DEFAULT_GAP_MS = 1_000;
const DEFAULT_HOURLY = 60;
const HOURLY_MAX = 3_600;
const RUNS_MAX = 4_294_967_295;

/** The fields of a new schedule. */
export function emptyConditions(): ConditionFields {
  return {
    trigger: "home",
    entity: "",
    from: "",
    to: "",
    eventType: "",
    eventData: "",
    turnsOf: OWN_TURNS,
    gap: "1",
    hourly: "60",
    catchUp: "default",
    window: "1",
    windowUnit: "hours",
    runsMax: "",
  };
}

/** The fields of a schedule that is edited. */
export function conditionsOf(schedule: wire.ScheduleView): ConditionFields {
  const { when, catch_up: late, runs_max: most, limits } = schedule;
  const fields = emptyConditions();
  if (when.kind === "event") {
    const { trigger } = when;
    fields.trigger = trigger.on;
    if (trigger.on === "home") {
      fields.entity = trigger.entity_id;
      fields.from = trigger.from ?? "";
      fields.to = trigger.to ?? "";
    } else if (trigger.on === "home_event") {
      fields.eventType = trigger.event_type;
      fields.eventData = trigger.data ? JSON.stringify(trigger.data) : "";
    } else if (trigger.on === "turn_ended") {
      fields.turnsOf = trigger.any_session ? ANY_TURNS : (trigger.session_id ?? OWN_TURNS);
    }
  }
  fields.catchUp = late.policy;
  if (late.policy === "run_late") {
    const { amount, unit } = spanOf(late.window_ms);
    fields.window = amount;
    fields.windowUnit = unit;
  }
  fields.gap = String((limits?.gap_ms ?? DEFAULT_GAP_MS) / 1_000);
  fields.hourly = String(limits?.hourly_max ?? DEFAULT_HOURLY);
  fields.runsMax = most == null ? "" : String(most);
  return fields;
}

/** A time span in the largest unit that fits. */
export function spanOf(ms: number): { amount: string; unit: FormUnit } {
  const units = ["days", "hours", "minutes"] as const;
  const unit = units.find((name) => ms > 0 && ms % UNIT_MS[name] === 0) ?? "seconds";
  return { amount: String(ms / UNIT_MS[unit]), unit };
}

/** What it waits for. */
export function triggerOf(form: ConditionFields): wire.Trigger {
  switch (form.trigger) {
    case "hook":
      return { on: "hook" };
    case "home":
      return stateTriggerOf(form);
    case "home_event":
      return eventTriggerOf(form);
    case "turn_ended":
      if (form.turnsOf === OWN_TURNS) return { on: "turn_ended" };
      return {
        on: "turn_ended",
        ...(form.turnsOf === ANY_TURNS ? { any_session: true } : { session_id: form.turnsOf }),
      };
  }
}

function stateTriggerOf(form: ConditionFields): wire.Trigger {
  const [entity, from, to] = [form.entity.trim(), form.from.trim(), form.to.trim()];
  if (!/^\w+\.\w+$/.test(entity)) {
    throw new FormError(texts().enterEntityWatchAs);
  }
  return { on: "home", entity_id: entity, ...(from !== "" && { from }), ...(to !== "" && { to }) };
}

function eventTriggerOf(form: ConditionFields): wire.Trigger {
  const event_type = form.eventType.trim();
  if (event_type === "") throw new FormError(texts().enterTypeEventAs);
  if (form.eventData.trim() === "") return { on: "home_event", event_type };
  const data = parsed(form.eventData);
  if (data === null || typeof data !== "object" || Array.isArray(data)) {
    throw new FormError(texts().enterFieldsEventAs);
  }
  return { on: "home_event", event_type, data: data as Record<string, unknown> };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** What happens to late runs; undefined for the server's default. */
export function catchUpOf(form: ConditionFields): wire.CatchUp | undefined {
  if (form.catchUp === "default") return undefined;
  if (form.catchUp !== "run_late") return { policy: form.catchUp };
  const window_ms = Math.round(Number(form.window) * UNIT_MS[form.windowUnit]);
  if (form.window.trim() === "" || !(window_ms > 0)) {
    throw new FormError(texts().enterHowLateRun);
  }
  return { policy: "run_late", window_ms };
}

/** The largest number of runs; undefined for no limit. */
export function runsMaxOf(form: ConditionFields): number | undefined {
  if (form.runsMax.trim() === "") return undefined;
  return whole(form.runsMax, RUNS_MAX, texts().enterLargestNumberRuns);
}

/** How often something may start it; undefined for the server's default. */
export function limitsOf(form: ConditionFields): wire.RunLimits | undefined {
  const gap_ms = Math.round(Number(form.gap) * 1_000);
  if (form.gap.trim() === "" || !(gap_ms >= 0)) {
    throw new FormError(texts().enterSecondsBetweenTwo);
  }
  const hourly_max = whole(form.hourly, HOURLY_MAX, texts().enterRunsWithinHour(HOURLY_MAX));
  return gap_ms === DEFAULT_GAP_MS && hourly_max === DEFAULT_HOURLY ? undefined : { gap_ms, hourly_max };
}

function whole(text: string, most: number, problem: string): number {
  const value = Number(text);
  if (text.trim() === "" || !Number.isInteger(value) || value < 1 || value > most) throw new FormError(problem);
  return value;
}

/** What a trigger is, as a sentence. */
export function triggerInWords(trigger: wire.Trigger): string {
  if (trigger.on === "hook") return texts().eachTimeItsWebhook;
  if (trigger.on === "turn_ended") {
    if (trigger.any_session) return texts().eachTimeTurnAny;
    return trigger.session_id ? texts().eachTimeOtherTurn : texts().eachTimeOwnTurn;
  }
  if (trigger.on === "home_event") {
    const fields =
      trigger.data && Object.keys(trigger.data).length > 0 ? texts().withData(JSON.stringify(trigger.data)) : "";
    return texts().eachTimeHomeReports(trigger.event_type, fields);
  }
  const { entity_id: entity, from, to } = trigger;
  const [before, after] = [from ? texts().fromState(from) : "", to ? texts().toState(to) : ""];
  return texts().eachTimeChanges(entity, before, after);
}

/** What happens to late runs, as a sentence; undefined where that is the usual. */
export function catchUpInWords(late: wire.CatchUp, duration: (ms: number) => string): string | undefined {
  if (late.policy === "skip") return texts().lateRunsAreLeft;
  if (late.policy === "once") return texts().lateRunsTogetherAre;
  return late.window_ms === UNIT_MS.hours ? undefined : texts().runsUpToLate(duration(late.window_ms));
}
