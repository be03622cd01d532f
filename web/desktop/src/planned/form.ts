/** The form for a schedule: its fields, and the requests that they mean. Pure. */
import type { wire } from "@dwell/client";
import {
  catchUpOf,
  type ConditionFields,
  conditionsOf,
  emptyConditions,
  FormError,
  type FormUnit,
  limitsOf,
  runsMaxOf,
  spanOf,
  triggerOf,
  UNIT_MS,
} from "./conditions.ts";
import { cronDays, DAY_CODES } from "./rules.ts";
import { fieldValue } from "./times.ts";
import { texts } from "../languages/planned.ts";

/** What is planned. */
export type FormKind = "remind" | "timer" | "turn" | "call";
/** How its time is chosen. */
export type FormTiming = "at" | "after" | "rule" | "event";
/** The rules to choose from. */
export type FormRule = "daily" | "weekdays" | "weekly" | "monthly" | "cron" | "rrule";
/** The fields as they are typed. */
export type ScheduleForm = ConditionFields & {
  kind: FormKind;
  name: string;
  text: string;
  tool: string;
  /** The arguments of the call as JSON. */
  arguments: string;
  timing: FormTiming;
  /** A date and time in the browser's zone. */
  at: string;
  amount: string;
  unit: FormUnit;
  rule: FormRule;
  time: string;
  /** The day of the week; Sunday is 0. */
  weekday: number;
  /** The day of the month, or `last`. */
  monthDay: string;
  cron: string;
  rrule: string;
  /** When the recurrence rule starts, in `zone`. */
  start: string;
  /** The zone of rules. */
  zone: string;
};

/** The fields of a new schedule: a date and time start with the next full hour. */
export function emptyForm(now: number, zone: string): ScheduleForm {
  const next = new Date(now);
  next.setHours(next.getHours() + 1, 0, 0, 0);
  return {
    ...emptyConditions(),
    kind: "remind",
    name: "",
    text: "",
    tool: "",
    arguments: "{}",
    timing: "after",
    at: fieldValue(next),
    amount: "10",
    unit: "minutes",
    rule: "daily",
    time: "07:00",
    weekday: 1,
    monthDay: "1",
    cron: "0 7 * * 1-5",
    rrule: "FREQ=WEEKLY;BYDAY=MO,TH",
    start: fieldValue(next),
    zone,
  };
}

/** The fields of a schedule that is edited. `zone` is the viewer's; a rule stays in its own. */
export function formOf(schedule: wire.ScheduleView, now: number, zone: string): ScheduleForm {
  const { action, name, when } = schedule;
  const fields = emptyForm(now, isRule(when) ? schedule.planned_in : zone);
  const form = { ...fields, ...conditionsOf(schedule), name: name ?? "", ...timingOf(schedule) };
  if (action.do === "turn") return { ...form, kind: "turn", text: action.message };
  if (action.do === "remind") return { ...form, kind: action.timer ? "timer" : "remind", text: action.text };
  return { ...form, kind: "call", tool: action.tool, arguments: JSON.stringify(action.arguments, null, 2) };
}

function timingOf({ when, next_at: next }: wire.ScheduleView): Partial<ScheduleForm> {
  if (when.kind === "after") return { timing: "after", ...spanOf(when.after_ms) };
  if (when.kind === "cron") return { timing: "rule", cron: when.expression, ...simpleCron(when.expression) };
  if (when.kind === "rrule") {
    const start = when.start.slice(0, 16);
    return { timing: "rule", rrule: when.rule, start, ...simpleRrule(when.rule, start) };
  }
  if (when.kind === "event") return { timing: "event" };
  // The next run is the same moment on the viewer's clock; a paused schedule shows none.
  const at = next
    ? fieldValue(new Date(next))
    : when.kind === "at"
      ? fieldValue(new Date(when.at))
      : when.at.slice(0, 16);
  return { timing: "at", at };
}

/** A cron expression as one of the simple rules, where it is one. */
function simpleCron(expression: string): Partial<ScheduleForm> & { rule: FormRule } {
  const [minute = "", hour = "", day = "", month = "", week = ""] = expression.trim().split(/\s+/);
  const time = timeOf(hour, minute);
  const days = cronDays(week);
  if (time === undefined || month !== "*" || days === undefined) return { rule: "cron" };
  if (day === "*") {
    const rule = ruleOfDays(days);
    return rule ? { ...rule, time } : { rule: "cron" };
  }
  const isSimple = week === "*" && /^\d+$/.test(day) && Number(day) <= 28;
  return isSimple ? { rule: "monthly", monthDay: day, time } : { rule: "cron" };
}

/** A recurrence rule as one of the simple rules, where it is one. */
function simpleRrule(rule: string, start: string): Partial<ScheduleForm> & { rule: FormRule } {
  const time = start.slice(11, 16);
  const written = rule.toUpperCase();
  if (written === "FREQ=DAILY") return { rule: "daily", time };
  if (written === "FREQ=MONTHLY;BYMONTHDAY=-1") return { rule: "monthly", monthDay: "last", time };
  const date = /^FREQ=MONTHLY;BYMONTHDAY=(\d+)$/.exec(written)?.[1];
  if (date !== undefined && Number(date) <= 28) return { rule: "monthly", monthDay: date, time };
  const codes = /^FREQ=WEEKLY;BYDAY=([A-Z,]+)$/.exec(written)?.[1]?.split(",");
  const days = codes?.map((code) => DAY_CODES.findIndex((name) => name === code)).sort((a, b) => a - b);
  const simple = days && ruleOfDays(days);
  return simple ? { ...simple, time } : { rule: "rrule" };
}

function ruleOfDays(days: readonly number[]): { rule: FormRule; weekday?: number } | undefined {
  const set = days.join();
  if (set === "0,1,2,3,4,5,6") return { rule: "daily" };
  if (set === "1,2,3,4,5") return { rule: "weekdays" };
  const [only] = days;
  return days.length === 1 && only !== undefined && only >= 0 ? { rule: "weekly", weekday: only } : undefined;
}

function timeOf(hour: string, minute: string): string | undefined {
  if (!/^\d{1,2}$/.test(hour) || !/^\d{1,2}$/.test(minute)) return undefined;
  return `${hour.padStart(2, "0")}:${minute.padStart(2, "0")}`;
}

/** The time that the fields mean. What the page can tell to be wrong is thrown as a `FormError`. */
export function whenOf(form: ScheduleForm): wire.When {
  if (form.kind === "timer" || form.timing === "after") {
    const amount = Number(form.amount);
    const after_ms = Math.round(amount * UNIT_MS[form.unit]);
    if (form.amount.trim() === "" || !(after_ms > 0)) throw new FormError(texts().enterAfterHowLong);
    return { kind: "after", after_ms };
  }
  if (form.timing === "at") {
    const at = new Date(form.at);
    if (form.at === "" || Number.isNaN(at.getTime())) throw new FormError(texts().chooseDateAndTime);
    return { kind: "at", at: at.toISOString() };
  }
  return form.timing === "event" ? { kind: "event", trigger: triggerOf(form) } : ruleOf(form);
}

function ruleOf(form: ScheduleForm): wire.When {
  const { rule, time, weekday, monthDay, start } = form;
  if (rule === "cron") {
    if (form.cron.trim() === "") throw new FormError(texts().enterCronExpressionFive);
    return { kind: "cron", expression: form.cron.trim() };
  }
  if (rule === "rrule") {
    const written = form.rrule.trim().replace(/^RRULE:/i, "");
    if (written === "") throw new FormError(texts().enterRecurrenceRuleAs);
    if (start === "") throw new FormError(texts().chooseWhenRuleStarts);
    return { kind: "rrule", rule: written, start: withSeconds(start) };
  }
  const [, hour, minute] = /^(\d{2}):(\d{2})/.exec(time) ?? [];
  if (hour === undefined || minute === undefined) throw new FormError(texts().chooseTimeDay);
  const at = `${Number(minute)} ${Number(hour)}`;
  if (rule === "daily") return { kind: "cron", expression: `${at} * * *` };
  if (rule === "weekdays") return { kind: "cron", expression: `${at} * * 1-5` };
  if (rule === "weekly") return { kind: "cron", expression: `${at} * * ${weekday}` };
  if (monthDay !== "last") return { kind: "cron", expression: `${at} ${monthDay} * *` };
  // Cron has no last day of a month.
  const from = withSeconds(`${start.slice(0, 10) || "2000-01-01"}T${hour}:${minute}`);
  return { kind: "rrule", rule: "FREQ=MONTHLY;BYMONTHDAY=-1", start: from };
}

function withSeconds(time: string): string {
  return time.length === 16 ? `${time}:00` : time;
}

/** What is done. */
export function actionOf(form: ScheduleForm): wire.ScheduledAction {
  const text = form.text.trim();
  if (form.kind === "timer") return { do: "remind", text, timer: true };
  if (form.kind === "call") {
    if (form.tool === "") throw new FormError(texts().chooseToolCall);
    return { do: "call", tool: form.tool, arguments: argumentsOf(form.arguments) };
  }
  if (text === "") throw new FormError(form.kind === "turn" ? texts().writeTheMessage : texts().writeWhatBeReminded);
  return form.kind === "turn" ? { do: "turn", message: text } : { do: "remind", text };
}

function argumentsOf(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text.trim() === "" ? "{}" : text);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return value;
  } catch {
    // Said below.
  }
  throw new FormError(texts().theArgumentsHaveBe);
}

/** The request that makes the schedule; `session` is the conversation it belongs to. */
export function createOf(form: ScheduleForm, session: string | undefined, key: string): wire.ScheduleCreate {
  const when = whenOf(form);
  const name = form.name.trim();
  return {
    ...(session !== undefined && { session_id: session }),
    ...(name !== "" && { name }),
    when,
    // A moment is the same everywhere; a rule means the viewer's clock.
    ...(isRule(when) && { zone: form.zone }),
    action: actionOf(form),
    ...conditionsAsked(form),
    idempotency_key: key,
  };
}

/** Late runs and limits, where they are chosen and mean something. */
function conditionsAsked(form: ScheduleForm): Pick<wire.ScheduleCreate, "catch_up" | "runs_max" | "limits"> {
  // A timer has a span only.
  if (form.kind === "timer") return {};
  const isEvent = form.timing === "event";
  const repeats = isEvent || form.timing === "rule";
  const [late, most, limits] = [
    isEvent ? undefined : catchUpOf(form),
    repeats ? runsMaxOf(form) : undefined,
    isEvent ? limitsOf(form) : undefined,
  ];
  return {
    ...(late && { catch_up: late }),
    ...(most !== undefined && { runs_max: most }),
    ...(limits && { limits }),
  };
}

/** What the form changes of a schedule. A span that is not changed must not start again. */
export function changeOf(form: ScheduleForm, before: ScheduleForm): wire.ScheduleChange {
  const same = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);
  const [when, action, name] = [whenOf(form), actionOf(form), form.name.trim()];
  if (name === "" && before.name !== "") throw new FormError(texts().aScheduleThatHas);
  const wasRule = before.timing === "rule";
  const [asked, had] = [conditionsAsked(form), conditionsAsked(before)];
  if (had.runs_max != null && asked.runs_max == null && before.timing === form.timing) {
    throw new FormError(texts().aLargestNumberRuns);
  }
  // What is absent keeps its value, so that the defaults have to be written out.
  if (had.limits && !asked.limits) asked.limits = { gap_ms: 1_000, hourly_max: 60 };
  const changed = (name: keyof typeof asked) => asked[name] !== undefined && !same(asked[name], had[name]);
  return {
    ...(name !== before.name && { name }),
    ...(!same(when, whenOf(before)) && { when, ...(isRule(when) && !wasRule && { zone: form.zone }) }),
    ...(!same(action, actionOf(before)) && { action }),
    ...(changed("catch_up") && { catch_up: asked.catch_up }),
    ...(changed("runs_max") && { runs_max: asked.runs_max }),
    ...(changed("limits") && { limits: asked.limits }),
  };
}

/** Whether it runs again and again. */
export function isRule(when: wire.When): boolean {
  return when.kind === "cron" || when.kind === "rrule";
}
