/** Formats numbers, times and sizes for display. */

const dates = new Intl.DateTimeFormat(undefined, { dateStyle: "medium" });
const times = new Intl.DateTimeFormat(undefined, { timeStyle: "short" });
const both = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" });
const counts = new Intl.NumberFormat(undefined, { notation: "compact", maximumFractionDigits: 1 });
const whole = new Intl.NumberFormat();

/** `14:05` today, `3 Nov` before. */
export function shortTime(at: string, now = Date.now()): string {
  const date = new Date(at);
  const isToday = new Date(now).toDateString() === date.toDateString();
  return isToday ? times.format(date) : dates.format(date);
}

/** Date and time to the second. */
export function exactTime(at: string): string {
  return both.format(new Date(at));
}

/** `just now`, `5 min ago`, `3 h ago`, then the date. */
export function ago(at: string, now = Date.now()): string {
  const seconds = (now - new Date(at).getTime()) / 1000;
  if (seconds < 45) return "just now";
  if (seconds < 3_600) return `${Math.max(1, Math.round(seconds / 60))} min ago`;
  if (seconds < 86_400) return `${Math.round(seconds / 3_600)} h ago`;
  return dates.format(new Date(at));
}

/** `340 ms`, `2.1 s`, `3 min 5 s`. */
export function duration(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1_000).toFixed(1)} s`;
  return `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1_000)} s`;
}

/** `1.2K`. */
export function compact(count: number): string {
  return counts.format(count);
}

/** `12,345`. */
export function plainNumber(count: number): string {
  return whole.format(count);
}

/** Millionths of a dollar as `$0.0042` or `$1.50`. */
export function money(micros: number): string {
  const dollars = micros / 1_000_000;
  return `$${dollars.toFixed(dollars !== 0 && dollars < 0.1 ? 4 : 2)}`;
}

/** `12 KB`. */
export function bytes(count: number): string {
  if (count < 1_000) return `${count} B`;
  if (count < 1_000_000) return `${(count / 1_000).toFixed(1)} KB`;
  if (count < 1_000_000_000) return `${(count / 1_000_000).toFixed(1)} MB`;
  return `${(count / 1_000_000_000).toFixed(1)} GB`;
}
