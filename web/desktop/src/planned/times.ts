/** Times as shown: relative and absolute, countdowns, durations. */
import { locale as pageLocale } from "../languages/current.ts";
import { texts } from "../languages/rules.ts";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const UNITS: readonly [Intl.RelativeTimeFormatUnit, number][] = [
  ["day", DAY],
  ["hour", HOUR],
  ["minute", MINUTE],
  ["second", SECOND],
];

/** Making a formatter costs more than using it, and lists show many times each second. */
const relatives = new Map<string, Intl.RelativeTimeFormat>();
const absolutes = new Map<string, Intl.DateTimeFormat>();

function kept<T>(known: Map<string, T>, key: string, make: () => T): T {
  const found = known.get(key) ?? make();
  known.set(key, found);
  return found;
}

/** The viewer's time zone, as `Europe/Berlin`. */
export function viewerZone(): string {
  return new Intl.DateTimeFormat().resolvedOptions().timeZone;
}

/** `in 10 minutes`, `2 hours ago`. Within five seconds it is `now`. */
export function relativeTime(at: string, now: number, locale = pageLocale.value): string {
  const ms = Date.parse(at) - now;
  const isNow = Math.abs(ms) < 5 * SECOND;
  const numeric = isNow ? "auto" : "always";
  const format = kept(relatives, [locale, numeric].join(), () => new Intl.RelativeTimeFormat(locale, { numeric }));
  if (isNow) return format.format(0, "second");
  // 90 minutes are one unit of hours, but say little; so the larger unit starts at two of it.
  const [unit, size] = UNITS.find(([name, size]) => Math.abs(ms) >= (name === "second" ? 0 : 2 * size)) ?? [
    "second",
    1,
  ];
  return format.format(Math.round(ms / size), unit);
}

/** `Wed 18 Nov, 07:00`, with the year if it is another one. `zone` is the viewer's by default. */
export function absoluteTime(at: string, now: number, locale = pageLocale.value, zone?: string): string {
  const date = new Date(at);
  const isThisYear = date.getFullYear() === new Date(now).getFullYear();
  const make = () =>
    new Intl.DateTimeFormat(locale, {
      weekday: "short",
      day: "numeric",
      month: "short",
      hour: "2-digit",
      minute: "2-digit",
      ...(!isThisYear && { year: "numeric" }),
      ...(zone !== undefined && { timeZone: zone }),
    });
  return kept(absolutes, [locale, isThisYear, zone].join(), make).format(date);
}

/** The time left, rounded up to seconds: `04:59`, or `1:04:59` from an hour on. */
export function countdown(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / SECOND));
  const two = (number: number) => String(number).padStart(2, "0");
  const hours = Math.floor(seconds / 3_600);
  const rest = `${two(Math.floor((seconds % 3_600) / 60))}:${two(seconds % 60)}`;
  return hours > 0 ? `${hours}:${rest}` : rest;
}

/** `10 minutes`, `1 hour 30 minutes`: at most two units, for screen readers and rules. */
export function durationInWords(ms: number): string {
  let seconds = Math.max(0, Math.round(ms / SECOND));
  const parts: string[] = [];
  for (const [name, size] of [
    ["day", 86_400],
    ["hour", 3_600],
    ["minute", 60],
    ["second", 1],
  ] as const) {
    const count = Math.floor(seconds / size);
    seconds -= count * size;
    if (count > 0) parts.push(texts().span(count, name));
  }
  return parts.slice(0, 2).join(" ") || texts().span(0, "second");
}

/** A moment as the value of a date and time field, in the browser's zone: `2026-11-18T07:00`. */
export function fieldValue(at: Date): string {
  const two = (number: number) => String(number).padStart(2, "0");
  const date = `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
  return `${date}T${two(at.getHours())}:${two(at.getMinutes())}`;
}
