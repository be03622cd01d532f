/** German texts: schedules' times in words. */
import type { rules as English } from "../en/rules.ts";
import { list, number, plural } from "./grammar.ts";

const SPANS = {
  second: { one: "# Sekunde", other: "# Sekunden" },
  minute: { one: "# Minute", other: "# Minuten" },
  hour: { one: "# Stunde", other: "# Stunden" },
  day: { one: "# Tag", other: "# Tage" },
};
const REPEATED = {
  minute: { one: "Jede Minute", other: "Alle # Minuten" },
  hour: { one: "Jede Stunde", other: "Alle # Stunden" },
  day: { one: "Jeden Tag", other: "Alle # Tage" },
  week: { one: "Jede Woche", other: "Alle # Wochen" },
  month: { one: "Jeden Monat", other: "Alle # Monate" },
  year: { one: "Jedes Jahr", other: "Alle # Jahre" },
};
const ORDINALS = { 1: "ersten", 2: "zweiten", 3: "dritten", 4: "vierten", 5: "fünften", [-1]: "letzten" };

export const rules: typeof English = {
  span: (count, unit) => plural(count, SPANS[unit]),
  once: "Einmal",
  // After "nach" the days are in the dative.
  onceAfter: (span) => `Einmal, nach ${span.replace("Tage", "Tagen")}`,
  every: (count, unit) => plural(count, REPEATED[unit]),
  everyHourAt: (minute) => `Jede Stunde zur Minute ${number(minute)}`,
  everyWeekday: "Jeden Werktag",
  everyDays: (days) => `Jeden ${list(days)}`,
  at: (days, time) => `${days} um ${time}`,
  on: (every, days) => `${every} am ${days}`,
  days: (days) => list(days),
  lastDay: "letzten Tag",
  dayOfMonth: (day) => `${number(day)}.`,
  nthDay: (nth, day) => `${ORDINALS[nth]} ${day}`,
};
