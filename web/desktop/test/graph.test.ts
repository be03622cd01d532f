/** The drawing of people and things, and its texts. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { wire } from "@dwell/client";
import { draw, DRAWN_MAX, HEIGHT, neighbour, WIDTH } from "../src/memory/graph-layout.ts";
import {
  dayField,
  describeNode,
  endOfDay,
  joinPages,
  titleOfNode,
  whenSaid,
  whenTrue,
} from "../src/memory/graph-words.ts";
import { tabOf } from "../src/memory/tabs.ts";

const AT = "2026-05-01T10:00:00.000Z";

function node(id: string, more: Partial<wire.GraphNode> = {}): wire.GraphNode {
  const [kind = "", label = kind] = id.split(":");
  return { id, kind: kind as wire.NodeKind, label, facts: 1, ...more };
}

function edge(subject: string, relation: string, object?: string, more: Partial<wire.GraphEdge> = {}): wire.GraphEdge {
  return {
    fact_id: `${subject} ${relation}`,
    subject,
    relation,
    object,
    value: object ?? "x",
    text: "",
    state: "holds",
    valid_from: AT,
    said_at: AT,
    known_from: AT,
    level: "fact",
    confidence: 1,
    source: {},
    origin: "trusted",
    ...more,
  };
}

function graph(nodes: wire.GraphNode[], edges: wire.GraphEdge[]): wire.MemoryGraph {
  return { as_of: AT, known_at: AT, nodes, edges };
}

const USER = node("user", { label: "Tom" });
const MARIA = node("person:Maria", { relation: "sister", aliases: ["sister"] });
const GHENT = node("place:Ghent");

test("the user or the chosen one stands in the middle, and all fit into the drawing", () => {
  const all = graph(
    [USER, MARIA, GHENT],
    [edge("user", "sister", MARIA.id), edge(MARIA.id, "lives in", GHENT.id), edge("user", "diet")],
  );
  const middle = (chosen?: string) => draw(all, chosen).placed.find(({ x, y }) => x === WIDTH / 2 && y === HEIGHT / 2);
  assert.equal(middle()?.node.id, "user");
  assert.equal(middle(GHENT.id)?.node.id, GHENT.id);
  assert.equal(middle("gone")?.node.id, "user");
  const { placed, lines, hidden } = draw(all, undefined);
  assert.equal(hidden, 0);
  assert.deepEqual(
    lines.map(({ from, to, label }) => [from.node.id, label, to.node.id]),
    [
      ["user", "sister", MARIA.id],
      [MARIA.id, "lives in", GHENT.id],
    ],
  );
  for (const { x, y } of placed) assert.ok(x > 20 && x < WIDTH - 20 && y > 20 && y < HEIGHT - 20);
  assert.deepEqual(draw(graph([], []), undefined), { placed: [], lines: [], hidden: 0 });
});

test("of two facts with the same ends the one that holds is drawn", () => {
  const edges = [edge("user", "home", GHENT.id, { state: "ended" }), edge("user", "home", GHENT.id)];
  for (const order of [edges, [...edges].reverse()]) {
    const { lines } = draw(graph([USER, GHENT], order), undefined);
    assert.deepEqual(
      lines.map(({ state }) => state),
      ["holds"],
    );
  }
});

test("a relation without a name is joined to the user", () => {
  const sister = node("person:sister", { relation: "sister" });
  const { lines } = draw(
    graph([USER, sister, GHENT], [edge(sister.id, "lives in", GHENT.id), edge("user", "x")]),
    undefined,
  );
  assert.ok(lines.some(({ from, to, label }) => from.node === USER && to.node === sister && label === "sister"));
  assert.equal(titleOfNode(sister), "Your sister");
});

test("many nodes are drawn up to a limit, apart from each other", () => {
  const nodes = [USER, ...Array.from({ length: 60 }, (_, index) => node(`person:p${index}`))];
  const { placed, hidden } = draw(graph(nodes, [edge("user", "friend", "person:p7")]), undefined);
  assert.equal(placed.length, DRAWN_MAX);
  assert.equal(hidden, 61 - DRAWN_MAX);
  assert.equal(placed[1]?.node.id, "person:p7");
  for (const [index, a] of placed.entries()) {
    for (const b of placed.slice(index + 1)) assert.ok(Math.hypot(a.x - b.x, a.y - b.y) > 44);
  }
});

test("arrow keys reach every node and lead nowhere at the edge", () => {
  const nodes = [USER, ...Array.from({ length: 16 }, (_, index) => node(`person:p${index}`))];
  const { placed } = draw(graph(nodes, [edge("user", "x")]), undefined);
  const reached = new Set(["user"]);
  for (const id of reached) {
    for (const key of ["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown"]) {
      const next = neighbour(placed, id, key);
      if (next !== undefined) reached.add(next);
    }
  }
  assert.equal(reached.size, placed.length);
  const left = [...placed].sort((a, b) => a.x - b.x)[0];
  assert.equal(neighbour(placed, left?.node.id ?? "", "ArrowLeft"), undefined);
  assert.equal(neighbour(placed, "user", "a"), undefined);
});

test("names and times in words", () => {
  assert.equal(titleOfNode(USER), "Tom (you)");
  assert.equal(titleOfNode(node("user", { label: "You" })), "You");
  assert.equal(titleOfNode(MARIA), "Maria");
  assert.equal(describeNode(MARIA), "Person · your sister");
  assert.equal(describeNode(USER), "");
  assert.match(whenTrue(edge("user", "diet")), /^since /);
  assert.equal(whenTrue(edge("user", "diet", undefined, { state: "corrected" })), "never true");
  assert.doesNotMatch(whenSaid(edge("user", "diet")), /stored|known/);
  const late = edge("user", "diet", undefined, {
    known_from: "2026-07-01T10:00:00Z",
    known_until: "2026-08-01T10:00:00Z",
  });
  assert.match(whenSaid(late), /^said .*, stored .*, its end known since /);
});

test("days become times, and pages one graph", () => {
  assert.equal(endOfDay(""), undefined);
  assert.equal(endOfDay("2026-02-31x"), undefined);
  const end = endOfDay("2026-05-03");
  assert.equal(end === undefined ? "" : dayField(new Date(end)), "2026-05-03");
  const [first, second] = [graph([USER], [edge("user", "a")]), graph([USER, MARIA], [edge("user", "b")])];
  assert.deepEqual(
    joinPages([{ ...first, next_cursor: "1.x" }, second]),
    graph([USER, MARIA], [...first.edges, ...second.edges]),
  );
  assert.equal(joinPages([]), undefined);
  assert.deepEqual(tabOf("people"), { tab: "people" });
});
