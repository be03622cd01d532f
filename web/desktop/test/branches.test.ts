/** Pure logic of the branches of a conversation. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { wire } from "@dwell/client";
import {
  type BranchNode,
  foldBranches,
  listPreference,
  nodeOf,
  originPreference,
  versionsOf,
} from "../src/talk/branches/lines.ts";

const at = (minute: number) => `2026-11-13T10:${String(minute).padStart(2, "0")}:00Z`;

function view(id: string, createdAt: string, preferences: Record<string, unknown> = {}): wire.SessionView {
  return { session_id: id, created_at: createdAt, settings: { preferences } } as unknown as wire.SessionView;
}

/** Messages of A at 1, 2 and 3; B replaces the second one at 10, C the one of B at 11 by another at 20. */
const A: BranchNode = { id: "A", createdAt: at(0), branches: [{ session: "B", at: at(2) }] };
const B: BranchNode = {
  id: "B",
  createdAt: at(10),
  origin: { root: "A", parent: "A", at: at(2) },
  branches: [{ session: "C", at: at(11) }],
};
const C: BranchNode = {
  id: "C",
  createdAt: at(20),
  origin: { root: "A", parent: "B", at: at(11) },
  branches: [],
};

test("a message that was edited has two versions, and the others have one", () => {
  assert.deepEqual(versionsOf(at(2), at(1), [A]), { parent: "A", at: at(2), sessions: ["A", "B"], index: 0 });
  assert.deepEqual(versionsOf(at(1), undefined, [A]).sessions, ["A"]);
  assert.deepEqual(versionsOf(at(3), at(2), [A]).sessions, ["A"]);
});

test("the first message of a branch is a version of the one it replaces", () => {
  assert.deepEqual(versionsOf(at(10), at(1), [A, B]), { parent: "A", at: at(2), sessions: ["A", "B"], index: 1 });
  assert.deepEqual(versionsOf(at(1), undefined, [A, B]).sessions, ["A"]);
});

test("a branch of a branch shows the versions of both", () => {
  assert.deepEqual(versionsOf(at(10), at(1), [A, B, C]), { parent: "A", at: at(2), sessions: ["A", "B"], index: 1 });
  assert.deepEqual(versionsOf(at(20), at(10), [A, B, C]), { parent: "B", at: at(11), sessions: ["B", "C"], index: 1 });
  assert.deepEqual(versionsOf(at(21), at(20), [A, B, C]), { parent: "C", at: at(21), sessions: ["C"], index: 0 });
});

test("a branch of the first message has nothing before it", () => {
  const first: BranchNode = { id: "A", createdAt: at(0), branches: [{ session: "D", at: at(1) }] };
  const other: BranchNode = {
    id: "D",
    createdAt: at(30),
    origin: { root: "A", parent: "A", at: at(1) },
    branches: [],
  };
  assert.deepEqual(versionsOf(at(30), undefined, [first, other]).index, 1);
  assert.deepEqual(versionsOf(at(1), undefined, [first]).sessions, ["A", "D"]);
});

test("without the session that it leaves, a branch is a conversation like any other", () => {
  assert.deepEqual(versionsOf(at(10), at(1), [B]), { parent: "B", at: at(10), sessions: ["B"], index: 0 });
});

test("preferences are read as written, and a fork's copies of them mean nothing", () => {
  const origin = { root: "A", parent: "A", at: at(2) };
  const branches = listPreference(nodeOf(view("B", at(10))), { session: "C", at: at(11) });
  const preferences = { branch: originPreference("B", origin), branches };
  assert.deepEqual(nodeOf(view("B", at(10), preferences)), B);
  assert.deepEqual(nodeOf(view("F", at(40), preferences)), {
    id: "F",
    createdAt: at(40),
    origin: undefined,
    branches: [],
  });
  const odd = {
    branch: { of: "G", root: 1 },
    branches: { of: "G", list: [1, { session: "x" }, { session: "y", at: "z" }] },
  };
  assert.deepEqual(nodeOf(view("G", at(1), odd)).branches, [{ session: "y", at: "z" }]);
  assert.equal(nodeOf(view("G", at(1), odd)).origin, undefined);
});

test("the list has one row for all branches of a conversation: the open one, or the latest", () => {
  const branch = (id: string) =>
    view(id, at(10), { branch: originPreference(id, { root: "A", parent: "A", at: at(2) }) });
  const all = [branch("C"), view("X", at(5)), branch("B"), view("A", at(0))];
  const ids = (open?: string) => foldBranches(all, open).map(({ session_id: id }) => id);
  assert.deepEqual(ids(), ["C", "X"]);
  assert.deepEqual(ids("X"), ["C", "X"]);
  assert.deepEqual(ids("A"), ["A", "X"]);
});
