/** Formats numbers, times and sizes for display, in the page's language. */
import { locale } from "../languages/current.ts";
import { texts } from "../languages/kit.ts";

/** A formatter of the page's locale. It is made once for each: that costs more than using it. */
export function inLocale<T>(make: (locale: string | undefined) => T): () => T {
  let kept: { locale: string | undefined; format: T } | undefined;
  return () => {
    if (kept?.locale !== locale.value || kept === undefined) {
      kept = { locale: locale.value, format: make(locale.value) };
    }
    return kept.format;
  };
}

const dates = inLocale((locale) => new Intl.DateTimeFormat(locale, { dateStyle: "medium" }));
const times = inLocale((locale) => new Intl.DateTimeFormat(locale, { timeStyle: "short" }));
const both = inLocale((locale) => new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeStyle: "medium" }));
const counts = inLocale((locale) => new Intl.NumberFormat(locale, { notation: "compact", maximumFractionDigits: 1 }));
const whole = inLocale((locale) => new Intl.NumberFormat(locale));

/** `0.50`: a number with exactly so many digits after the point. */
export function fixed(value: number, digits: number): string {
  return value.toLocaleString(locale.value, {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
    useGrouping: false,
  });
}

/** `20 Nov 2026`. */
export function shortDate(at: string): string {
  return dates().format(new Date(at));
}

/** `14:05`. */
export function timeOfDay(at: string): string {
  return times().format(new Date(at));
}

/** `14:05` today, `3 Nov` before. */
export function shortTime(at: string, now = Date.now()): string {
  const date = new Date(at);
  const isToday = new Date(now).toDateString() === date.toDateString();
  return isToday ? times().format(date) : dates().format(date);
}

/** Date and time to the second. */
export function exactTime(at: string): string {
  return both().format(new Date(at));
}

/** `just now`, `5 min ago`, `3 h ago`, then the date. */
export function ago(at: string, now = Date.now()): string {
  const seconds = (now - new Date(at).getTime()) / 1000;
  if (seconds < 45) return texts().justNow;
  if (seconds < 3_600) return texts().minutesAgo(Math.max(1, Math.round(seconds / 60)));
  if (seconds < 86_400) return texts().hoursAgo(Math.round(seconds / 3_600));
  return shortDate(at);
}

/** `340 ms`, `2.1 s`, `3 min 5 s`. */
export function duration(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${fixed(ms / 1_000, 1)} s`;
  return `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1_000)} s`;
}

/** `1.2K`. */
export function compact(count: number): string {
  return counts().format(count);
}

/** `12,345`. */
export function plainNumber(count: number): string {
  return whole().format(count);
}

/** Millionths of a dollar as `$0.0042` or `$1.50`. */
export function money(micros: number): string {
  const dollars = micros / 1_000_000;
  return texts().dollars(fixed(dollars, dollars !== 0 && dollars < 0.1 ? 4 : 2));
}

/** `12 KB`. */
export function bytes(count: number): string {
  if (count < 1_000) return `${count} B`;
  if (count < 1_000_000) return `${fixed(count / 1_000, 1)} KB`;
  if (count < 1_000_000_000) return `${fixed(count / 1_000_000, 1)} MB`;
  return `${fixed(count / 1_000_000_000, 1)} GB`;
}
