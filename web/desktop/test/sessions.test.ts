/** Pure logic of session groups, excerpts, formats, approvals and sources. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { wire } from "@dwell/client";
import { escapeInvisible, toolInWords, firstSentence } from "../src/kit/value-words.ts";
import { missingFrom, mergeOpen, describeSettlement, timeLeft } from "../src/talk/approvals/words.ts";
import { fileName, guessFormat } from "../src/talk/sessions/formats.ts";
import { placesIn, startOf, turnsWith } from "../src/talk/find/search.ts";
import { byDay, dayOf, excerpt, withPinned } from "../src/talk/sessions/group.ts";
import { asJson, asMarkdown } from "../src/talk/sessions/transcript-file.ts";
import { passageOf, readSource, originOf } from "../src/talk/sources/read.ts";

const local = (year: number, month: number, day: number, hour = 12) => new Date(year, month - 1, day, hour);

test("days have the names a person gives them", () => {
  const friday = local(2026, 11, 13, 15);
  const at = (date: Date) => dayOf(date.toISOString(), friday);
  assert.equal(at(local(2026, 11, 13, 0)), "Today");
  assert.equal(at(local(2026, 11, 12, 23)), "Yesterday");
  assert.equal(at(local(2026, 11, 9, 0)), "Earlier this week");
  assert.match(at(local(2026, 11, 8, 23)), /^November$/);
  assert.match(at(local(2026, 3, 1)), /^March$/);
  assert.match(at(local(2025, 12, 31)), /December 2025/);
});

test("a Monday has no earlier days of the week", () => {
  const monday = local(2026, 11, 9, 9);
  assert.equal(dayOf(local(2026, 11, 8).toISOString(), monday), "Yesterday");
  assert.equal(dayOf(local(2026, 11, 7).toISOString(), monday), "November");
});

test("sessions keep their order in their groups", () => {
  const now = local(2026, 11, 13);
  const session = (id: string, date: Date) =>
    ({ session_id: id, updated_at: date.toISOString() }) as unknown as wire.SessionView;
  const list = [
    session("a", local(2026, 11, 13, 11)),
    session("b", local(2026, 11, 13, 9)),
    session("c", local(2026, 10, 1)),
  ];
  const groups = byDay(list, now).map(({ label, sessions }) => [label, sessions.map(({ session_id }) => session_id)]);
  assert.deepEqual(groups, [
    ["Today", ["a", "b"]],
    ["October", ["c"]],
  ]);
});

test("an excerpt shows what was looked for", () => {
  const long = `${"word ".repeat(60)}the damp wall is wet ${"word ".repeat(60)}`;
  const pieces = excerpt(long, "damp WALL");
  assert.deepEqual(
    pieces.filter(({ isHit }) => isHit).map(({ text }) => text),
    ["damp", "wall"],
  );
  assert.ok(pieces.map(({ text }) => text).join("").length < 140);
  assert.deepEqual(excerpt("a (b) c", "(b)"), [
    { text: "a ", isHit: false },
    { text: "(b)", isHit: true },
    { text: " c", isHit: false },
  ]);
});

test("a file is known by what is in it", () => {
  assert.equal(guessFormat('{"seq":1,"type":"session.started","data":{}}\n{"seq":2,"type":"x"}\n'), "ndjson");
  assert.equal(guessFormat('[{"role":"user","content":"hi"}]'), "openai");
  assert.equal(guessFormat('[{"type":"human","data":{"content":"hi"}}]'), "langchain");
  assert.equal(guessFormat('{"messages":[]}'), "langgraph");
  assert.equal(guessFormat("hello"), undefined);
  assert.equal(fileName("Plan: the week / now?", "ndjson"), "plan-the-week-now.ndjson");
  assert.equal(fileName("…", "ndjson"), "session.ndjson");
});

const approval = (id: string, expires: string) =>
  ({ approval_id: id, expires_at: expires, tool: "x" }) as unknown as wire.ApprovalView;

test("approvals are open once each, the most pressing first, until they are settled", () => {
  const [a, b] = [approval("a", "2026-01-01T00:00:09Z"), approval("b", "2026-01-01T00:00:05Z")];
  assert.deepEqual(mergeOpen([[a], [a, b]], new Map()), [b, a]);
  assert.deepEqual(mergeOpen([[a], [a, b]], new Map([["b", { by: "owner" }]])), [a]);
});

test("an approval that the server does not name is settled, unless it is newer than the question", () => {
  const seen = new Map([
    ["old", 10],
    ["new", 30],
    ["named", 10],
  ]);
  assert.deepEqual(missingFrom([approval("named", "")], seen, 20), ["old"]);
});

test("approvals in words", () => {
  assert.equal(timeLeft(600_000), "About 10 minutes to answer");
  assert.equal(timeLeft(1_000), "1 second to answer");
  assert.match(timeLeft(-1), /is denied/);
  assert.match(describeSettlement("Send letter", { by: "expiry" }), /No answer in time/);
  assert.match(describeSettlement("Send letter", { by: "owner", decision: "never" }), /denied elsewhere/);
});

test("what cannot be seen is made visible", () => {
  assert.equal(escapeInvisible("pay\u202e evil\u200b"), "pay\\u202e evil\\u200b");
  assert.equal(escapeInvisible("two\nlines\tand a tab"), "two\nlines\tand a tab");
  assert.equal(toolInWords("call_service"), "Call service");
  assert.equal(firstSentence("Sends it. It costs 1.50 euro."), "Sends it.");
});

test("sources are read", () => {
  const id = "01M7GMTW3JNQH31F3AWV0QJCRY";
  assert.deepEqual(readSource("https://example.org/a"), { kind: "web", url: "https://example.org/a" });
  assert.deepEqual(readSource("state:light.kitchen"), { kind: "home", what: "state", entityId: "light.kitchen" });
  assert.deepEqual(readSource("logbook:home"), { kind: "home", what: "logbook", entityId: undefined });
  assert.deepEqual(readSource(id), { kind: "id", id });
  assert.deepEqual(readSource(`artifact:${id}`), { kind: "id", id, of: "artifact" });
  assert.deepEqual(readSource("javascript:alert(1)"), { kind: "other" });
});

test("of an answer only what a source is about is shown", () => {
  const content = JSON.stringify({
    states: [
      { entity_id: "light.a", state: "on" },
      { entity_id: "light.b", state: "off" },
    ],
    sources: [{ source: "state:light.a" }],
  });
  assert.deepEqual(passageOf(content, "state:light.a"), { entity_id: "light.a", state: "on" });
  assert.deepEqual(passageOf("one\n\nof light.a: on\n\nthree", "state:light.a"), "of light.a: on");
  assert.deepEqual(passageOf("nothing of it", "state:light.z"), "nothing of it");
  const step = {
    type: "tool_result",
    detail: { call_id: "1", tool: "get_state", content, sources: [{ title: "A", source: "state:light.a" }] },
  } as const satisfies wire.Step;
  assert.equal(originOf([step], "state:light.a")?.result.tool, "get_state");
  assert.equal(originOf([step], "state:light.b"), undefined);
});

test("pinned sessions are above the others, and not twice", () => {
  const session = (id: string, day: number) =>
    ({ session_id: id, updated_at: local(2026, 11, day).toISOString() }) as unknown as wire.SessionView;
  const [a, b, c] = [session("a", 13), session("b", 12), session("c", 1)];
  const labels = withPinned([a, b], [b, c], local(2026, 11, 13, 15)).map(({ label, sessions }) => [
    label,
    sessions.map(({ session_id: id }) => id).join(),
  ]);
  assert.deepEqual(labels, [
    ["Pinned", "b,c"],
    ["Today", "a"],
  ]);
  assert.deepEqual(withPinned([a], [], local(2026, 11, 13, 15)).length, 1);
});

test("text is found in messages and answers, from the last one on, and marked where it is", () => {
  const turns = [
    { id: "1", texts: ["Where is the\nkettle?", "In the kitchen."] },
    { id: "2", texts: ["Thanks", "The KETTLE is hot."] },
    { id: "3", texts: ["Good", "Yes."] },
  ];
  assert.deepEqual(turnsWith(turns, "kettle"), ["1", "2"]);
  assert.deepEqual(turnsWith(turns, "the kettle"), ["1", "2"]);
  assert.deepEqual(turnsWith(turns, "  "), []);
  assert.equal(startOf(["1", "2"], undefined), 1);
  assert.equal(startOf(["0", "1", "2"], "1"), 1);
  assert.equal(startOf([], "1"), 0);
  assert.deepEqual(placesIn("Tea, tea", "TEA"), [
    [0, 3],
    [5, 8],
  ]);
  assert.deepEqual(placesIn("aaa", "aa"), [[0, 2]]);
  assert.deepEqual(placesIn("tea", ""), []);
});

test("a conversation as Markdown and as JSON has messages, answers, sources and what went wrong", () => {
  const turn = (more: object) => ({
    turn_id: "T1",
    created_at: "2026-11-18T10:00:00Z",
    status: "completed",
    request: { message: "How high?\n\nIn metres." },
    text: "",
    ...more,
  });
  const turns = [
    turn({ response: { message: "**8,849** [1]", citations: [{ title: "Everest", source: "https://a.example" }] } }),
    turn({ turn_id: "T2", status: "failed", text: "It", error: { message: "no key" } }),
  ] as unknown as wire.TurnView[];
  assert.equal(
    asMarkdown("A\nmountain", turns),
    `# A mountain

**You**, 2026-11-18T10:00:00Z

> How high?
>
> In metres.

**8,849** [1]

Sources:

1. Everest: https://a.example

---

**You**, 2026-11-18T10:00:00Z

> How high?
>
> In metres.

It

*(failed: no key)*
`,
  );
  const read = JSON.parse(asJson({ session_id: "S1", created_at: "2026-11-18T09:00:00Z" }, "A mountain", turns)) as {
    title: string;
    turns: { answer: string; trouble?: string; citations?: unknown[] }[];
  };
  assert.equal(read.title, "A mountain");
  assert.deepEqual(
    read.turns.map(({ answer, trouble, citations }) => [answer, trouble, citations?.length]),
    [
      ["**8,849** [1]", undefined, 1],
      ["It", "failed: no key", undefined],
    ],
  );
});

test("folders come by name between pinned sessions and days, each session once", () => {
  const now = local(2026, 11, 13);
  const session = (id: string, preferences: object) =>
    ({ session_id: id, updated_at: now.toISOString(), settings: { preferences } }) as unknown as wire.SessionView;
  const [both, work, home, plain] = [
    session("both", { pinned: true, folder: "Work" }),
    session("work", { folder: " Work " }),
    session("home", { folder: "Home" }),
    session("plain", { folder: "" }),
  ];
  const groups = withPinned([both, work, plain], [both], now, [both, work, home]);
  assert.deepEqual(
    groups.map(({ label, sessions }) => [label, ...sessions.map(({ session_id: id }) => id)]),
    [
      ["Pinned", "both"],
      ["Home", "home"],
      ["Work", "work"],
      ["Today", "plain"],
    ],
  );
});
