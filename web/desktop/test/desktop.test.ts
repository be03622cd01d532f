/** Folding events into desktop snapshots; form fields; table sorting. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { FeedEvent, wire } from "@dwell/client";
import { windowActivity } from "../src/desktop/agents.ts";
import { fieldsOf, formData, FormInput } from "../src/desktop/fields.ts";
import { fold } from "../src/desktop/fold.ts";
import { nextOrder, sortRows } from "../src/kit/table-order.ts";

const AT = "2026-01-01T00:00:00.000Z";
const text = (words: string): wire.WindowContent => ({ type: "text", text: words });

function desktop(): wire.DesktopView {
  return {
    session_id: "S",
    as_of: 10,
    monitors: [{ monitor_id: "main", agent_id: "main" }],
    windows: [],
    toasts: [],
    notifications: [],
    dialogs: [],
    approvals: [],
    app_requests: [],
    agents: [{ agent_id: "main", kind: "main", monitor_id: "main", windows: [], queue: [] }],
    timeline: [],
  };
}

type Body = wire.SessionEvent extends infer E
  ? E extends { type: infer T; data: infer D }
    ? { type: T; data: D }
    : never
  : never;

function event(seq: number, body: Body, who: { turn_id?: string; agent_id?: string } = {}): FeedEvent {
  return { seq, session_id: "S", at: AT, ...who, ...body };
}

function acted(view: wire.DesktopView, ...actions: wire.Action[]): wire.DesktopView {
  return fold(view, event(view.as_of + 1, { type: "actions", data: { monitor_id: "main", actions } })).view;
}

const create = (id: string, more: Partial<Extract<wire.Action, { type: "window.create" }>> = {}): wire.Action => ({
  type: "window.create",
  window_id: id,
  title: id,
  bounds: { x: 0, y: 0, width: 800, height: 600 },
  content: text(id),
  ...more,
});

const order = (view: wire.DesktopView) => view.windows.map((window) => window.window_id);

describe("windows", () => {
  it("come to the front when they are opened, focused, maximised and restored", () => {
    let view = acted(desktop(), create("a"), create("b"), create("c"));
    assert.deepEqual(order(view), ["a", "b", "c"]);
    assert.equal(view.monitors[0]?.focused, "c");
    view = acted(view, { type: "window.focus", window_id: "a" });
    assert.deepEqual(order(view), ["b", "c", "a"]);
    view = acted(view, { type: "window.minimize", window_id: "a" });
    assert.deepEqual(order(view), ["b", "c", "a"]);
    assert.equal(view.monitors[0]?.focused, "c");
    view = acted(view, { type: "window.maximize", window_id: "b" });
    assert.equal(view.windows.at(-1)?.state, "maximized");
    view = acted(view, { type: "window.focus", window_id: "a" });
    assert.equal(view.windows.at(-1)?.state, "normal");
  });

  it("take over what is changed, and nothing of what is in the snapshot already", () => {
    let view = acted(desktop(), create("a"));
    const old = event(view.as_of, { type: "actions", data: { actions: [{ type: "window.close", window_id: "a" }] } });
    assert.equal(fold(view, old).view, view);
    view = acted(
      view,
      { type: "window.move", window_id: "a", x: 5, y: 6 },
      { type: "window.resize", window_id: "a", width: 700, height: 500 },
      { type: "window.title", window_id: "a", title: "A" },
      { type: "window.lock", window_id: "a", holder: "user" },
      { type: "window.content", window_id: "a", content: text("new") },
    );
    const window = view.windows.at(0);
    assert.deepEqual(window?.bounds, { x: 5, y: 6, width: 700, height: 500 });
    assert.deepEqual([window.title, window.locked_by, window.content], ["A", "user", text("new")]);
    assert.equal(acted(view, { type: "window.unlock", window_id: "a" }).windows[0]?.locked_by, undefined);
    assert.deepEqual(acted(view, { type: "window.close", window_id: "a" }).windows, []);
  });

  it("keep their app's token while it is the same app", () => {
    const app = (name: string): wire.WindowContent => ({ type: "app", app: name });
    let view = acted(desktop(), create("t", { content: app("timer"), token: "T1" }));
    view = acted(view, { type: "window.content", window_id: "t", content: { type: "app", app: "timer", params: {} } });
    assert.equal(view.windows[0]?.app?.token, "T1");
    view = acted(view, { type: "window.content", window_id: "t", content: app("notes"), token: "T2" });
    assert.equal(view.windows[0]?.app?.token, "T2");
    view = acted(view, { type: "window.content", window_id: "t", content: text("none") });
    assert.equal(view.windows[0]?.app, undefined);
  });

  it("that may be trusted again are asked for", () => {
    const view = acted(desktop(), create("a", { origin: "untrusted" }));
    const title: wire.Action = { type: "window.title", window_id: "a", title: "x", origin: "trusted" };
    const folded = fold(view, event(view.as_of + 1, { type: "actions", data: { actions: [title] } }));
    assert.equal(folded.isStale, true);
    assert.equal(folded.view.windows[0]?.origin, "untrusted");
  });
});

describe("monitors", () => {
  it("come with their agent and go with all that is on them", () => {
    let view = acted(desktop(), { type: "monitor.add", monitor_id: "work" });
    assert.deepEqual(
      view.agents.map((agent) => agent.agent_id),
      ["main", "main@work"],
    );
    const there = { monitor_id: "work", actions: [create("w")] };
    view = fold(view, event(view.as_of + 1, { type: "actions", data: there }, { agent_id: "main@work" })).view;
    assert.equal(view.windows[0]?.opened_by, "main@work");
    view = acted(view, { type: "monitor.remove", monitor_id: "work" }, { type: "monitor.remove", monitor_id: "main" });
    assert.deepEqual([view.windows.length, view.monitors.length, view.agents.length], [0, 1, 1]);
  });
});

describe("what is said and asked", () => {
  it("goes when it is answered, dismissed or its turn is over", () => {
    const dialog = { dialog_id: "D", turn_id: "T", title: "?", form: { choices: [] }, expires_at: AT };
    let view = acted(
      desktop(),
      { type: "toast.show", toast_id: "t", text: "hi" },
      { type: "notification.show", toast_id: "n", title: "hi" },
      { type: "dialog.show", ...dialog },
      { type: "prompt.show", ...dialog, dialog_id: "E" },
    );
    assert.deepEqual([view.toasts.length, view.notifications.length, view.dialogs.length], [1, 1, 2]);
    const answered = { dialog_id: "D", answer: "dismissed" as const, by: "owner" as const };
    view = fold(view, event(20, { type: "dialog.answered", data: answered })).view;
    view = fold(view, event(21, { type: "toast.action", data: { toast_id: "n", action: "dismiss" } })).view;
    assert.deepEqual([view.toasts.length, view.notifications.length, view.dialogs.length], [1, 0, 1]);
    view = fold(view, event(22, { type: "turn.status", data: { status: "failed" } }, { turn_id: "T" })).view;
    assert.deepEqual(view.dialogs, []);
  });

  it("is no more than the server keeps", () => {
    const toasts = Array.from({ length: 12 }, (_, n): wire.Action => ({
      type: "toast.show",
      toast_id: `${n}`,
      text: "",
    }));
    assert.equal(acted(desktop(), ...toasts).toasts[0]?.toast_id, "4");
  });
});

describe("agents", () => {
  const said = (turnId: string, agentId: string): Body => ({
    type: "message.accepted",
    data: { turn_id: turnId, agent_id: agentId, message: "" },
  });

  it("work, wait in line, ask, and are idle again", () => {
    let view = acted(desktop(), create("a"));
    const next = (body: Body, who = {}) => (view = fold(view, event(view.as_of + 1, body, who)).view);
    next({ type: "window.agent", data: { window_id: "a", agent_id: "window-a", status: "assigned" } });
    assert.equal(windowActivity(view, "a"), "idle");
    next(said("T1", "window-a"));
    assert.equal(windowActivity(view, "a"), "works");
    next(said("T2", "window-a"));
    assert.deepEqual(view.agents.at(-1)?.queue, ["T2"]);
    next({ type: "approval.request", data: { approval_id: "A", turn_id: "T1" } as wire.ApprovalRequest });
    assert.equal(windowActivity(view, "a"), "asks");
    next({ type: "turn.status", data: { status: "completed" } }, { turn_id: "T1", agent_id: "window-a" });
    assert.equal(windowActivity(view, "a"), "waits");
    next({ type: "turn.stage", data: { stage: "receive" } }, { turn_id: "T2", agent_id: "window-a" });
    assert.deepEqual([view.agents.at(-1)?.turn_id, view.agents.at(-1)?.queue], ["T2", []]);
    next({ type: "window.agent", data: { window_id: "a", agent_id: "window-a", status: "released" } });
    assert.equal(view.agents.length, 1);
  });

  it("that came for one turn go with it", () => {
    let view = fold(desktop(), event(11, said("T", "window-a/T"))).view;
    assert.equal(view.agents.at(-1)?.kind, "parallel");
    view = fold(view, event(12, { type: "turn.status", data: { status: "completed" } }, { turn_id: "T" })).view;
    assert.equal(view.agents.length, 1);
  });
});

describe("fields", () => {
  const name: wire.Component = { type: "input", name: "name", value: "" };
  const form: wire.Component = { type: "form", name: "f", components: [{ type: "checkbox", name: "ok", label: "OK" }] };

  it("go with the button of their form, or with those outside", () => {
    const layout: wire.Component[] = [{ type: "columns", columns: [[name], [form]] }];
    const data = (withForms: boolean) => Object.keys(formData(fieldsOf(layout, withForms), () => ""));
    assert.deepEqual([data(false), data(true)], [["name"], ["name", "ok"]]);
  });

  it("keep what was typed until the agent writes something else into them", () => {
    const typed = new FormInput();
    const field = { type: "input", name: "name", value: "" } as const;
    typed.type("w", field, "Ada");
    assert.equal(typed.value("w", { ...field, label: "New label" }), "Ada");
    assert.equal(typed.value("w", { ...field, value: "Grace" }), "Grace");
    typed.keepOnly(new Set());
    assert.equal(typed.value("w", field), "");
  });
});

describe("tables", () => {
  it("sort numbers as numbers, with what is empty at the end", () => {
    const rows = [[10], [null], [9], [100]];
    const up = nextOrder(undefined, 0);
    assert.deepEqual(sortRows(rows, up), [[9], [10], [100], [null]]);
    const down = nextOrder(up, 0);
    assert.deepEqual(sortRows(rows, down), [[100], [10], [9], [null]]);
    assert.equal(nextOrder(down, 0), undefined);
  });
});
