/** Rules in words: what a schedule's time means, where that is simple. Pure. */
import type { wire } from "@dwell/client";
import { triggerInWords } from "./conditions.ts";
import { durationInWords } from "./times.ts";
import { language, locale as pageLocale } from "../languages/current.ts";
import { texts } from "../languages/rules.ts";

/** The codes of RFC 5545, Sunday first, as cron counts them. */
export const DAY_CODES = ["SU", "MO", "TU", "WE", "TH", "FR", "SA"] as const;
const CRON_DAYS = ["SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"] as const;
const ORDINALS = [1, 2, 3, 4, 5, -1] as const;
const FREQUENCIES: Partial<Record<string, Parameters<ReturnType<typeof texts>["every"]>[1]>> = {
  MINUTELY: "minute",
  HOURLY: "hour",
  DAILY: "day",
  WEEKLY: "week",
  MONTHLY: "month",
  YEARLY: "year",
};
/** The first Sunday of the year 2000, from which the names of days are counted. */
const A_SUNDAY = Date.UTC(2000, 0, 2);

/** The time as a sentence; undefined if the rule is too complicated to say. */
export function whenInWords(when: wire.When, locale = pageLocale.value): string | undefined {
  if (when.kind === "cron") return cronInWords(when.expression, locale);
  if (when.kind === "rrule") return rruleInWords(when.rule, when.start, locale);
  if (when.kind === "after") return texts().onceAfter(durationInWords(when.after_ms));
  return when.kind === "event" ? triggerInWords(when.trigger) : texts().once;
}

/** The rule as it is written; undefined for what runs once. */
export function ruleText(when: wire.When): string | undefined {
  if (when.kind === "cron") return when.expression;
  return when.kind === "rrule" ? when.rule : undefined;
}

/** The name of a day of the week; Sunday is 0. */
export function dayName(day: number): string {
  const at = A_SUNDAY + day * 86_400_000;
  return new Intl.DateTimeFormat(language.value, { weekday: "long", timeZone: "UTC" }).format(at);
}

/** A time of day by the locale: `07:00` or `7:00 AM`. */
export function clock(hour: number, minute: number, locale?: string): string {
  const at = new Date(Date.UTC(2000, 0, 1, hour, minute));
  return new Intl.DateTimeFormat(locale, { hour: "2-digit", minute: "2-digit", timeZone: "UTC" }).format(at);
}

function cronInWords(expression: string, locale?: string): string | undefined {
  const fields = expression.trim().split(/\s+/);
  if (fields.length !== 5) return undefined;
  const [minute = "", hour = "", day = "", month = "", weekday = ""] = fields;
  const isEvery = (...rest: string[]) => rest.every((field) => field === "*");
  const step = /^\*\/(\d+)$/.exec(minute)?.[1];
  if (step !== undefined && isEvery(hour, day, month, weekday)) return texts().every(Number(step), "minute");
  if (minute === "*" && isEvery(hour, day, month, weekday)) return texts().every(1, "minute");
  const at = number(minute, 0, 59);
  if (at === undefined) return undefined;
  if (isEvery(hour, day, month, weekday)) return at === 0 ? texts().every(1, "hour") : texts().everyHourAt(at);
  const hours = number(hour, 0, 23);
  if (hours === undefined) return undefined;
  const time = clock(hours, at, locale);
  if (isEvery(day, month)) {
    const days = cronDays(weekday);
    return days && texts().at(daysInWords(days), time);
  }
  const date = number(day, 1, 31);
  if (date === undefined || weekday !== "*") return undefined;
  if (month === "*") return onDays(1, "month", texts().dayOfMonth(date), time);
  const months = number(month, 1, 12);
  return months === undefined ? undefined : onDays(1, "year", dateInWords(months, date, locale), time);
}

/** The days of a cron field, Sunday as 0; undefined if it is none of the usual forms. */
export function cronDays(field: string): number[] | undefined {
  if (field === "*") return [0, 1, 2, 3, 4, 5, 6];
  const days = new Set<number>();
  for (const part of field.toUpperCase().split(",")) {
    const [from, to] = part.split("-").map(cronDay);
    if (from === undefined || (part.includes("-") && to === undefined)) return undefined;
    const last = to ?? from;
    if (last < from) return undefined;
    for (let day = from; day <= last; day++) days.add(day % 7);
  }
  return [...days].sort((a, b) => a - b);
}

function cronDay(text: string): number | undefined {
  const named = CRON_DAYS.findIndex((name) => name === text);
  return named >= 0 ? named : number(text, 0, 7);
}

function rruleInWords(rule: string, start: string, locale?: string): string | undefined {
  const parts = rruleParts(rule);
  if (!parts) return undefined;
  const { FREQ: frequency = "", INTERVAL: interval = "1", BYDAY: days, BYMONTHDAY: date, BYMONTH: month } = parts;
  const unit = FREQUENCIES[frequency];
  const count = number(interval, 1, 10_000);
  if (unit === undefined || count === undefined) return undefined;
  const time = clock(Number(start.slice(11, 13)), Number(start.slice(14, 16)), locale);
  const has = [days, date, month].map((part) => part !== undefined).join();
  if (frequency === "MINUTELY" || frequency === "HOURLY")
    return has === "false,false,false" ? texts().every(count, unit) : undefined;
  if (frequency === "DAILY")
    return has === "false,false,false" ? texts().at(texts().every(count, unit), time) : undefined;
  if (frequency === "WEEKLY" && days !== undefined && has === "true,false,false") {
    const known = days.split(",").map((code) => DAY_CODES.findIndex((name) => name === code));
    if (known.includes(-1)) return undefined;
    const named = [...known].sort((a, b) => a - b);
    return count === 1
      ? texts().at(daysInWords(named), time)
      : onDays(count, unit, texts().days(dayNames(named)), time);
  }
  if (frequency === "MONTHLY") {
    const on = monthly(days, date);
    return on === undefined || month !== undefined ? undefined : onDays(count, unit, on, time);
  }
  const [months, dates] = [number(month ?? "", 1, 12), number(date ?? "", 1, 31)];
  if (frequency !== "YEARLY" || months === undefined || dates === undefined || days !== undefined) return undefined;
  return onDays(count, unit, dateInWords(months, dates, locale), time);
}

/** The parts of a rule; undefined if it has one that is not said in words. */
function rruleParts(rule: string): Partial<Record<string, string>> | undefined {
  const known = ["FREQ", "INTERVAL", "BYDAY", "BYMONTHDAY", "BYMONTH"];
  const parts = rule
    .toUpperCase()
    .split(";")
    .map((part) => part.split("=") as [string, string | undefined]);
  const isKnown = parts.every(([name, value]) => known.includes(name) && value !== undefined);
  return isKnown ? Object.fromEntries(parts) : undefined;
}

function monthly(days: string | undefined, date: string | undefined): string | undefined {
  if (date !== undefined) {
    if (days !== undefined) return undefined;
    if (date === "-1") return texts().lastDay;
    const known = number(date, 1, 31);
    return known === undefined ? undefined : texts().dayOfMonth(known);
  }
  const [, nth, code] = /^(-?\d)([A-Z]{2})$/.exec(days ?? "") ?? [];
  const [ordinal, day] = [ORDINALS.find((one) => one === Number(nth)), DAY_CODES.findIndex((name) => name === code)];
  return ordinal === undefined || day < 0 ? undefined : texts().nthDay(ordinal, dayName(day));
}

type Unit = NonNullable<(typeof FREQUENCIES)[string]>;

function onDays(count: number, unit: Unit, days: string, time: string): string {
  return texts().at(texts().on(texts().every(count, unit), days), time);
}

function daysInWords(days: readonly number[]): string {
  const set = days.join();
  if (set === "0,1,2,3,4,5,6") return texts().every(1, "day");
  if (set === "1,2,3,4,5") return texts().everyWeekday;
  return texts().everyDays(dayNames(days));
}

/** Names of days, Monday first. */
function dayNames(days: readonly number[]): string[] {
  return [...days].sort((a, b) => ((a + 6) % 7) - ((b + 6) % 7)).map(dayName);
}

function dateInWords(month: number, day: number, locale?: string): string {
  const at = new Date(Date.UTC(2000, month - 1, day));
  return new Intl.DateTimeFormat(locale, { day: "numeric", month: "long", timeZone: "UTC" }).format(at);
}

function number(text: string, least: number, most: number): number | undefined {
  if (!/^\d+$/.test(text)) return undefined;
  const value = Number(text);
  return value >= least && value <= most ? value : undefined;
}
