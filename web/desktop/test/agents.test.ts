/** The agent graph, statistics of turns, and usage. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { wire } from "@dwell/client";
import { errorsOf, figuresOf, percentile, toolsOf } from "../src/agents/figures.ts";
import { connector, lanesOf, readAgent } from "../src/agents/graph.ts";
import { outcomeOf } from "../src/agents/status.ts";
import { libraryRows, usageRows } from "../src/agents/usage.ts";

const AT = "2026-11-15T20:00:00.000Z";

function view(agents: wire.AgentView[], windows: { id: string; title: string }[] = []): wire.DesktopView {
  return {
    session_id: "s",
    as_of: 1,
    monitors: [{ monitor_id: "main", agent_id: "main" }],
    windows: windows.map(({ id, title }) => ({
      window_id: id,
      monitor_id: "main",
      group: id,
      title,
      bounds: { x: 0, y: 0, width: 1, height: 1 },
      state: "normal",
      content: { type: "text", text: "" },
      origin: "trusted",
      opened_at: AT,
      updated_at: AT,
    })),
    toasts: [],
    notifications: [],
    dialogs: [],
    approvals: [],
    app_requests: [],
    agents,
    timeline: [],
  };
}

describe("the agent graph", () => {
  it("reads names", () => {
    assert.deepEqual(readAgent("main"), { kind: "main", monitorId: "main" });
    assert.deepEqual(readAgent("main@tv"), { kind: "main", monitorId: "tv" });
    assert.deepEqual(readAgent("window-shopping@tv"), { kind: "window", monitorId: "tv", group: "shopping" });
    assert.equal(readAgent("window-shopping/01ABC").kind, "parallel");
    assert.equal(readAgent("ephemeral-01ABC").kind, "ephemeral");
  });

  it("has a main lane before anything is known", () => {
    const [lane] = lanesOf(undefined, []);
    assert.ok(lane);
    assert.equal(lane.main.name, "Main agent");
    assert.equal(lane.others.length, 0);
  });

  it("gives each agent its turn and its queue from the open turns", () => {
    const [lane] = lanesOf(view([]), [
      { id: "a", agentId: "main", status: "streaming" },
      { id: "b", agentId: "main", status: "pending" },
      { id: "c", agentId: "main", status: "pending" },
      { id: "d", agentId: "ephemeral-d", status: "running" },
    ]);
    assert.ok(lane);
    assert.equal(lane.main.turnId, "a");
    assert.deepEqual(lane.main.queue, ["b", "c"]);
    assert.deepEqual(
      lane.others.map(({ kind, turnId, parentId }) => [kind, turnId, parentId]),
      [["ephemeral", "d", "main"]],
    );
  });

  it("does not believe an old snapshot where the turns know better", () => {
    const agents: wire.AgentView[] = [
      { agent_id: "main", kind: "main", monitor_id: "main", turn_id: "old", queue: ["older", "unknown"] },
      { agent_id: "ephemeral-x", kind: "ephemeral", monitor_id: "main", turn_id: "old" },
    ];
    const [lane] = lanesOf(view(agents), [], (id) => id !== "unknown");
    assert.ok(lane);
    assert.equal(lane.main.turnId, "unknown");
    assert.equal(lane.others.length, 0);
  });

  it("puts window agents under the main one, and helpers under those", () => {
    const agents: wire.AgentView[] = [
      { agent_id: "main", kind: "main", monitor_id: "main" },
      { agent_id: "window-shop", kind: "window", monitor_id: "main", windows: ["shop"] },
    ];
    const open = [{ id: "t", agentId: "window-shop/t", status: "running" as const }];
    const [lane] = lanesOf(view(agents, [{ id: "shop", title: "Shopping" }]), open);
    assert.ok(lane);
    assert.deepEqual(
      lane.others.map(({ name, parentId }) => [name, parentId]),
      [
        ["Agent of “Shopping”", "main"],
        ["Second agent of “Shopping”", "window-shop"],
      ],
    );
  });

  it("has a lane for each monitor", () => {
    const lanes = lanesOf(undefined, [{ id: "t", agentId: "main@tv", status: "running" }]);
    assert.deepEqual(
      lanes.map(({ name, main }) => [name, main.turnId]),
      [
        ["Main monitor", undefined],
        ["Monitor tv", "t"],
      ],
    );
  });

  it("draws lines to the right and down", () => {
    const from = { left: 0, top: 0, width: 100, height: 100 };
    assert.match(connector(from, { left: 200, top: 0, width: 50, height: 50 }), /^M100 28C/);
    assert.match(connector(from, { left: 30, top: 150, width: 50, height: 50 }), /^M14 100V/);
  });
});

describe("figures", () => {
  const turn = (first: number | null, more: Partial<wire.TurnView> = {}): wire.TurnView => ({
    turn_id: "t",
    session_id: "s",
    status: "completed",
    agent_id: "main",
    request: { message: "" },
    text: "",
    steps: [],
    stats: {
      first_word_ms: first,
      duration_ms: 10,
      usage: { input_tokens: 5, output_tokens: 1, cost_micros: 500_000 },
    },
    attempts: 1,
    created_at: AT,
    updated_at: AT,
    last_seq: 1,
    ...more,
  });

  it("finds percentiles", () => {
    assert.equal(percentile([], 0.5), undefined);
    assert.equal(percentile([7], 0.95), 7);
    assert.equal(percentile([4, 1, 3, 2], 0.5), 2.5);
    assert.equal(percentile([1, 2, 3], 1), 3);
  });

  it("numbers turns and adds cost up", () => {
    const figures = figuresOf([turn(100), turn(null), turn(300)], 12);
    assert.deepEqual(figures.labels, ["#10", "#11", "#12"]);
    assert.deepEqual(figures.firstWord, [100, null, 300]);
    assert.deepEqual(figures.cost, [0.5, 1, 1.5]);
    assert.equal(figures.firstWordPercentiles.p50, 200);
    assert.equal(figures.totals.sent, 15);
  });

  it("counts tools and errors", () => {
    const result = (tool: string, status: wire.CallStatus, took: number): wire.Step => ({
      type: "tool_result",
      detail: { call_id: "1", tool, status, content: "", duration_ms: took },
    });
    const error = { code: "model_error", message: "", recoverable: true };
    const turns = [turn(1, { steps: [result("a", "ok", 10), result("b", "denied", 5), result("a", "ok", 20)], error })];
    const [a, b] = toolsOf(turns);
    assert.deepEqual([a?.tool, a?.calls, a?.p50], ["a", 2, 15]);
    assert.equal(b?.errors, 1);
    assert.deepEqual(errorsOf(turns), [["model_error", 1]]);
  });
});

describe("usage", () => {
  const none = { used: 0 };
  const owner: wire.OwnerUsage = {
    owner: "ada",
    running_turns: { used: 3, max: 100 },
    open_turns: none,
    sessions: { used: 9_500, max: 10_000 },
    journal_bytes: { used: 12_300_000, max: 8_589_934_592 },
    memory_records: none,
    memory_bytes: none,
    artifact_bytes: { used: 20, max: 10 },
    value_bytes: none,
  };

  it("is shown beside its limit", () => {
    const rows = usageRows(owner);
    assert.deepEqual(rows[0], { name: "Running turns", used: "3", limit: "100", share: 0.03 });
    assert.deepEqual(rows[1], { name: "Open turns", used: "0", limit: "none" });
    assert.deepEqual(rows[2]?.share, 0.95);
    assert.deepEqual([rows[3]?.used, rows[3]?.limit], ["12.3 MB", "8.6 GB"]);
    assert.equal(rows[6]?.share, 1);
  });

  it("has the library", () => {
    const rows = libraryRows({ documents: { used: 2, max: 200_000 }, bytes: none });
    assert.deepEqual(
      rows.map(({ name, used }) => [name, used]),
      [
        ["Documents", "2"],
        ["Files", "0 B"],
      ],
    );
  });
});

describe("recent turns", () => {
  it("say how each ended, or what it is waiting for", () => {
    assert.deepEqual(outcomeOf("completed"), { word: "Completed", tone: "success" });
    assert.deepEqual(outcomeOf("failed"), { word: "Failed", tone: "danger" });
    assert.equal(outcomeOf("waiting").word, "Waiting");
    assert.equal(outcomeOf("streaming").word, "Answering");
  });
});
