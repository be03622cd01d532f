/** English texts: schedules' times in words. */
import { list, number, plural } from "./grammar.ts";

const SPANS = {
  second: { one: "# second", other: "# seconds" },
  minute: { one: "# minute", other: "# minutes" },
  hour: { one: "# hour", other: "# hours" },
  day: { one: "# day", other: "# days" },
};
const ORDINALS = { 1: "first", 2: "second", 3: "third", 4: "fourth", 5: "fifth", [-1]: "last" };

export const rules = {
  /** `10 minutes`. */
  span: (count: number, unit: "second" | "minute" | "hour" | "day") => plural(count, SPANS[unit]),
  once: "Once",
  onceAfter: (span: string) => `Once, after ${span}`,
  every: (count: number, unit: "minute" | "hour" | "day" | "week" | "month" | "year") =>
    count === 1 ? `Every ${unit}` : `Every ${number(count)} ${unit}s`,
  everyHourAt: (minute: number) => `Every hour at minute ${number(minute)}`,
  everyWeekday: "Every weekday",
  everyDays: (days: readonly string[]) => `Every ${list(days)}`,
  /** A time of day, after the days. */
  at: (days: string, time: string) => `${days} at ${time}`,
  /** What the rule repeats, and on which days of it. */
  on: (every: string, days: string) => `${every} on ${days}`,
  days: (days: readonly string[]) => list(days),
  lastDay: "the last day",
  dayOfMonth: (day: number) => `day ${number(day)}`,
  nthDay: (nth: 1 | 2 | 3 | 4 | 5 | -1, day: string) => `the ${ORDINALS[nth]} ${day}`,
};
