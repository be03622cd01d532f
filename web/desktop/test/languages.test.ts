/** The catalogues: the same keys and parameters in every language, and nothing left untranslated. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { german } from "../src/languages/de/index.ts";
import { english } from "../src/languages/en/index.ts";
import { grammarOf } from "../src/languages/grammar.ts";
import { localeOf, wantedLanguage } from "../src/languages/match.ts";

type Entry = string | ((...values: never[]) => string);

/** Texts that are the same in German: names, and words that German has taken over. */
const SAME = new Set([
  "Agent",
  "Alt",
  "Chat",
  "Code",
  "Code in",
  "Desktop",
  "Esc",
  "Filter",
  "Format",
  "Gas!",
  "Journal",
  "Median",
  "Name",
  "Normal",
  "Personas",
  "Person",
  "Problem",
  "Prompt",
  "Prompt:",
  "Prompts",
  "Server",
  "Standby",
  "Status",
  "System",
  "Tab",
  "Text",
  "Timer",
  "Token",
  "Version",
  "in",
  "vegan",
]);

/** All entries with their keys, as `talk.send`. */
function entries(value: object, below = ""): [string, Entry][] {
  return Object.entries(value as Record<string, Entry | object>).flatMap(([name, entry]): [string, Entry][] =>
    typeof entry === "object" ? entries(entry, `${below}${name}.`) : [[`${below}${name}`, entry]],
  );
}

/**
 * Numbers as texts, which serve as any parameter: they can be counted, and found again in what a
 * function makes of them.
 */
const MARKS = ["31", "47", "59", "83"];

function filled(entry: Entry, marks = MARKS): string {
  return typeof entry === "string" ? entry : entry(...(marks.map((mark) => new String(mark)) as unknown as never[]));
}

const inGerman = new Map(entries(german));
const inEnglish = new Map(entries(english));
// The parameters of rules are lists and names of units; planned.test.ts has them.
const texts = [...inEnglish].filter(([key]) => !key.startsWith("rules."));

test("both languages have the same keys", () => {
  assert.deepEqual([...inGerman.keys()].sort(), [...inEnglish.keys()].sort());
  assert.ok(inEnglish.size > 1_500, `only ${inEnglish.size} texts`);
});

test("a text says all its parameters in both languages", () => {
  for (const [key, entry] of texts) {
    const other = inGerman.get(key) ?? "";
    assert.equal(typeof other, typeof entry, key);
    if (typeof entry === "string" || typeof other === "string") continue;
    assert.equal(other.length, entry.length, `the parameters of ${key}`);
    for (const mark of MARKS.slice(0, entry.length)) {
      assert.equal(filled(other).includes(mark), filled(entry).includes(mark), `${key}: ${filled(other)}`);
    }
  }
});

test("no German text is the English one, and the edges of texts are alike", () => {
  const edges = (text: string) => [/^\s*/.exec(text)?.[0], /\s*$/.exec(text)?.[0]].join("|");
  const untranslated: string[] = [];
  for (const [key, entry] of texts) {
    const [from, to] = [filled(entry), filled(inGerman.get(key) ?? "")];
    assert.notEqual(to, "", `${key} is empty`);
    const words = from.replaceAll(/[\d,%]|\b(min|ms|s)\b/g, "").trim();
    if (to === from && /\p{L}/u.test(words) && !SAME.has(words)) untranslated.push(`${key}: ${from}`);
    assert.equal(edges(to), edges(from), `the spaces around ${key}`);
  }
  assert.deepEqual(untranslated, []);
});

test("numbers choose their forms by the rules of the language", () => {
  const { windowCount } = german.shell;
  assert.deepEqual([1, 2].map(german.agents.turnCount), ["1 Durchgang", "2 Durchgänge"]);
  assert.equal(windowCount(12_345), "12.345 Fenster");
  assert.equal(english.shell.windowCount(12_345), "12,345 windows");
  assert.deepEqual([2, 3, 11, 22].map(english.talk.placeInQueue), [
    "2nd in the queue",
    "3rd in the queue",
    "11th in the queue",
    "22nd in the queue",
  ]);
  assert.equal(german.talk.placeInQueue(2), "An 2. Stelle der Warteschlange");
  const { plural } = grammarOf("pl");
  const forms = { one: "# plik", few: "# pliki", many: "# plików", other: "# pliku" };
  assert.deepEqual(
    [1, 3, 5, 1.5].map((count) => plural(count, forms)),
    ["1 plik", "3 pliki", "5 plików", "1,5 pliku"],
  );
});

test("rules are said in German as they are in English", () => {
  const { every, at, on, everyDays, nthDay, onceAfter, span } = german.rules;
  assert.equal(at(every(1, "day"), "07:00"), "Jeden Tag um 07:00");
  assert.equal(
    at(on(every(2, "week"), german.rules.days(["Montag", "Sonntag"])), "07:30"),
    "Alle 2 Wochen am Montag und Sonntag um 07:30",
  );
  assert.equal(on(every(1, "month"), nthDay(-1, "Freitag")), "Jeden Monat am letzten Freitag");
  assert.equal(everyDays(["Montag", "Mittwoch", "Freitag"]), "Jeden Montag, Mittwoch und Freitag");
  assert.equal(onceAfter(`${span(2, "day")} ${span(1, "hour")}`), "Einmal, nach 2 Tagen 1 Stunde");
});

test("the browser's first language that the page has is shown, in the browser's own variant", () => {
  assert.equal(wantedLanguage(["fr-FR", "de-AT", "en"]), "de");
  assert.equal(wantedLanguage(["en-GB", "de"]), "en");
  assert.equal(wantedLanguage(["ja"]), "en");
  assert.equal(wantedLanguage([]), "en");
  assert.equal(localeOf("de", ["fr-FR", "de-AT"]), "de-AT");
  assert.equal(localeOf("de", ["en-US"]), "de");
});
