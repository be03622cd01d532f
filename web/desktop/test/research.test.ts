/** Research runs, and the citation marks of an answer. */
import assert from "node:assert/strict";
import { describe, it, test } from "node:test";
import type { wire } from "@dwell/client";
import { countsOf, isResearch, passagesOf, type ResearchEvent, researchRuns } from "../src/store/research.ts";
import { Turn } from "../src/store/turn.ts";
import { describeEvent, describeRun } from "../src/journal/words.ts";
import { rowsOf } from "../src/journal/rows.ts";
import { readMarkdown } from "../src/kit/markdown-blocks.ts";
import { citationsOf, markOf, marksIn, passageFor, placeOf } from "../src/talk/marks.ts";
import { resultText, progressText, lacksResearch, sourceText } from "../src/talk/research/words.ts";
import { readSource } from "../src/talk/sources/read.ts";

const AT = "2026-01-01T12:00:00.000Z";
type Body = ResearchEvent extends infer E
  ? E extends { type: infer T; data: infer D }
    ? { type: T; data: D }
    : never
  : never;

function event(seq: number, body: Body): ResearchEvent {
  return { seq, session_id: "s", turn_id: "t", agent_id: "main", at: AT, ...body };
}

function started(seq: number, call = "c"): ResearchEvent {
  const data = {
    call_id: call,
    query: "how hot is a kiln",
    questions: ["when", "where"],
    sources: ["library"],
    sources_max: 15,
  };
  return event(seq, { type: "research.started", data });
}

function chunk(
  seq: number,
  number: number,
  status: wire.ChunkStatus,
  more: Partial<wire.ResearchChunk> = {},
): ResearchEvent {
  const source = `library:notes/${number}.md`;
  const data = {
    call_id: "c",
    status,
    number,
    round: 1,
    kind: "library" as const,
    title: `Note ${number}`,
    source,
    ...more,
  };
  return event(seq, { type: "research.chunk", data });
}

function passage(mark: string, source = "library:notes/1.md"): wire.Passage {
  const text = `Words of ${mark}.`;
  return { passage_id: `p-${mark}`, mark, title: `Title ${mark}`, source, kind: "library", text, read_at: AT };
}

function done(seq: number, more: Partial<wire.ResearchDone> = {}): ResearchEvent {
  const data = {
    call_id: "c",
    notes: "Hot [1].",
    passages: [passage("1"), passage("b2")],
    found: 2,
    read: 1,
    failed: 1,
    rounds: 1,
  };
  return event(seq, { type: "research.done", data: { ...data, ...more } });
}

const WHOLE = [
  started(2),
  chunk(3, 1, "found"),
  chunk(4, 2, "found"),
  chunk(5, 2, "failed", { reason: "it is a picture" }),
  chunk(6, 1, "read", { passages: 3 }),
  done(7),
];

function turn(): Turn {
  const data = { turn_id: "t", agent_id: "main", message: "?" };
  return Turn.fromAccepted({ type: "message.accepted", seq: 1, session_id: "s", turn_id: "t", at: AT, data } as never);
}

function answered(message: string, citations: wire.Citation[]): Turn {
  const one = turn();
  for (const each of WHOLE) one.take(each);
  one.take({
    type: "chat.final",
    seq: 8,
    session_id: "s",
    turn_id: "t",
    at: AT,
    data: { message, model: "m", citations },
  });
  return one;
}

describe("looking for sources", () => {
  it("is followed from the question to what came of it", () => {
    const [study] = researchRuns(WHOLE.slice(0, 4));
    assert.ok(study);
    assert.equal(study.query, "how hot is a kiln");
    assert.deepEqual(
      study.sources.map(({ number, status }) => [number, status]),
      [
        [1, "found"],
        [2, "failed"],
      ],
    );
    assert.equal(progressText(study), "0 of 2 sources read");
    const [whole] = researchRuns(WHOLE);
    assert.ok(whole);
    assert.deepEqual(countsOf(whole), { found: 2, read: 1, failed: 1 });
    assert.deepEqual(
      passagesOf([whole]).map(({ mark }) => mark),
      ["1", "b2"],
    );
  });

  it("comes to the same in whatever order and however often its events come", () => {
    const mixed = [...WHOLE].reverse();
    const bySeq = new Map([...mixed, ...WHOLE].map((each) => [each.seq, each]));
    assert.deepEqual(researchRuns(bySeq.values()), researchRuns(WHOLE));
  });

  it("begins anew where its call does", () => {
    const [study] = researchRuns([...WHOLE, started(10), chunk(11, 1, "found", { round: 2 })]);
    assert.ok(study);
    assert.deepEqual([study.sources.length, study.done, study.round], [1, undefined, 2]);
  });

  it("is the same heard live, read after a reload, and a bit of both", () => {
    const heard = turn();
    for (const each of WHOLE) heard.take(each);
    const read = turn();
    read.mergeEvents(WHOLE);
    const both = turn();
    for (const each of WHOLE.slice(3)) both.take(each);
    both.mergeEvents(WHOLE.slice(0, 4));
    assert.deepEqual(read.state.value.research, heard.state.value.research);
    assert.deepEqual(both.state.value.research, heard.state.value.research);
    assert.equal(isResearch({ type: "research.else" }), false);
  });

  it("is said in one line when it is done", () => {
    const cited = { title: "Title 1", source: "library:notes/1.md", mark: "1", passage_id: "p-1" };
    const { value } = answered("It gets hot [1].", [cited]).state;
    const [study] = value.research;
    assert.ok(study);
    assert.equal(resultText(study, value), "2 sources, 1 passage cited");
    assert.equal(resultText(study, { ...value, response: undefined }), "2 sources, 2 passages kept");
    assert.equal(resultText({ ...study, places: [], sources: [] }, value), "No source configured");
    assert.equal(resultText({ ...study, done: undefined }, value), "2 sources, stopped before the end");
    assert.deepEqual(study.sources.map(sourceText), ["3 passages", "could not be read"]);
  });

  it("is missed where a turn that was loaded did it", () => {
    const { value } = turn().state;
    const steps: wire.Step[] = [{ type: "tool_call", detail: { call_id: "c", tool: "research", arguments: {} } }];
    assert.equal(lacksResearch({ ...value, steps }), true);
    assert.equal(lacksResearch({ ...value, steps, research: researchRuns(WHOLE) }), false);
    assert.equal(lacksResearch(value), false);
  });
});

describe("marks", () => {
  const one = { title: "One", source: "https://www.example.org/kilns", mark: "1", passage_id: "p-1" };
  const two = { title: "Two", source: "library:notes/two.md", mark: "b2" };
  const home = { title: "Kitchen", source: "state:light.kitchen" };

  it("are numbered in the order of the answer, and what is not named comes last", () => {
    const { value } = answered("First [b2], then [1] and [state:light.kitchen].", [one, two, home]).state;
    const marks = (text: string) => citationsOf(value, text).map(markOf);
    assert.deepEqual(marks("First [b2], then [1]."), ["b2", "1", "state:light.kitchen"]);
    assert.deepEqual(marks("[state:light.kitchen] [1, b2]"), ["state:light.kitchen", "1", "b2"]);
  });

  it("of a passage count although the answer does not list it", () => {
    const { value } = answered("See [b2].", []).state;
    assert.deepEqual(citationsOf(value, "See [b2]."), [
      { title: "Title b2", source: "library:notes/1.md", mark: "b2", passage_id: "p-b2" },
    ]);
    assert.deepEqual(citationsOf(value, "See [3]."), []);
  });

  it("are none in code and in links", () => {
    assert.deepEqual(marksIn("a[`x[1]`] and [2](https://e.org)\n```\ny[3]\n```\n[4]\n~~~\n[5]"), ["4"]);
  });

  it("become chips in the text, also two in one pair of brackets", () => {
    const tokens = (text: string) => JSON.stringify(readMarkdown(text, ["1", "b2"]));
    assert.match(tokens("Hot [1]."), /"type":"citation","raw":"\[1\]","marks":\["1"\]/);
    assert.match(tokens("Hot [1, b2]."), /"marks":\["1","b2"\]/);
    assert.doesNotMatch(tokens("Hot [1, 7]."), /citation/);
    assert.doesNotMatch(tokens("Hot [1](https://example.org)."), /citation/);
  });

  it("lead to their passages by id, or by mark and source", () => {
    const passages = [passage("1"), passage("b2", "library:notes/two.md")];
    assert.equal(passageFor(one, passages)?.mark, "1");
    assert.equal(passageFor(two, passages)?.mark, "b2");
    assert.equal(passageFor({ ...two, source: "library:else.md" }, passages), undefined);
    assert.equal(passageFor(home, passages), undefined);
  });

  it("say where their sources are", () => {
    assert.equal(placeOf(one.source), "example.org/kilns");
    assert.equal(placeOf("https://example.org/"), "example.org");
    assert.equal(placeOf(two.source), "notes/two.md");
    assert.equal(placeOf(home.source), "state:light.kitchen");
    assert.deepEqual(readSource(two.source), { kind: "library", path: "notes/two.md" });
  });
});

test("the journal tells it in words, and its sources in one row", () => {
  assert.deepEqual(
    [WHOLE[0], WHOLE[1], WHOLE[3], WHOLE[5]].map((each) => each && describeEvent(each)),
    [
      "Searching for sources on “how hot is a kiln” in library: 2 questions",
      "Found source 1, “Note 1”",
      "Could not read source 2, “Note 2”: it is a picture",
      "Research finished: 1 of 2 sources read, 0 passages cited, 1 could not be read",
    ],
  );
  const rows = rowsOf(WHOLE, { isGrouped: false, folded: new Set(), open: new Set() });
  assert.equal(rows.length, 3);
  const [, row] = rows;
  assert.ok(row?.type === "event" && row.run);
  assert.equal(describeRun(row.run), "Sources: 2 found, 1 read, 1 could not be read");
});
