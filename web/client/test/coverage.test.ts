/**
 * The client has a method for everything the server can do: each is driven against the real server,
 * what was sent is recorded, and at the end nothing of the schemas may be left over.
 */
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, beforeEach, describe, test } from "node:test";
import { WebSocket as NodeWebSocket } from "ws";
import { type Dwell, tool, type wire } from "../src/index.js";
import {
  MESSAGES,
  NOT_FOR_THIS_CLIENT,
  NOTICES,
  NOTICES_HANDLED,
  OVER_THE_WEBSOCKET,
  routeOf,
  ROUTES,
} from "./coverage.js";
import { callOf, clientOf, Program, ScriptedModel, skip, words } from "./support.js";

const sent = new Set<string>();
const asked = new Set<string>();

class RecordingSocket extends NodeWebSocket {
  override send(text: string): void {
    sent.add((JSON.parse(text) as { type: string }).type);
    super.send(text);
  }
}

const recordingFetch: typeof fetch = (input, init) => {
  const route = routeOf(init?.method ?? "GET", new URL(input instanceof Request ? input.url : input).pathname);
  if (route !== undefined) asked.add(route);
  return fetch(input, init);
};

test("every notice goes somewhere", () => {
  assert.ok(NOTICES.length > 5);
  assert.deepEqual(
    NOTICES.filter((name) => !(name in NOTICES_HANDLED)),
    [],
  );
});

describe("the whole wire", { skip }, () => {
  let program: Program;
  let model: ScriptedModel;
  let client: Dwell;
  before(async () => {
    model = await ScriptedModel.start();
    const settings = { DWELL_HOME_ENABLED: "true", DWELL_TOOLS_CONFIRM: "pin" };
    program = await new Program(model, settings).start();
    client = await clientOf(program.url, { WebSocket: RecordingSocket, fetch: recordingFetch });
  });
  beforeEach(() => {
    model.rule = () => words("All is well.");
  });
  after(async () => {
    client.close();
    await program.end();
    model.stop();
  });

  /** Lets the main agent call a tool. */
  const act = (name: string, given: object) => {
    model.rule = (messages) => (messages.at(-1)?.role === "tool" ? words("Done.") : callOf(name, given));
  };
  /** Waits for a part of the desktop. */
  const shown = async <T>(session: string, part: (desktop: wire.DesktopView) => T | undefined): Promise<T> => {
    for (;;) {
      const found = part(await client.desktop.get(session));
      if (found !== undefined) return found;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  };

  test("sessions", async () => {
    const session = await client.startSession({ key: "whole" });
    assert.equal((await client.session("whole")).session_id, session.session_id);
    assert.equal((await client.sessions({ limit: 1 })).data[0]?.key, "whole");
    assert.equal((await client.setModel(session, "offline")).settings.model, "offline");
    const updated = await client.updateSession(session, { model: "openai/test" });
    assert.equal(updated.settings.model, "openai/test");
    const first = await client.chat("hello", { session: "whole" });
    assert.ok((await client.contextWindow("whole")).messages > 0);
    const fork = await client.forkSession("whole", first.turnId, { key: "forked" });
    assert.equal(fork.stats.turns, 1);
    assert.equal((await client.restoreSession("whole", { key: "restored" })).key, "restored");
    const journal = await client.journal("whole");
    assert.equal(journal[0]?.type, "session.started");
    assert.equal((await client.events("whole", { after: 1, limit: 1 })).data[0]?.seq, 2);
    const text = await client.exportSession("whole", { format: "openai" });
    const imported = await client.importSession(text, { format: "openai", key: "imported" });
    assert.equal(imported.stats.turns, 1);
    const whole = await client.exportSession("whole", { artifacts: true });
    assert.equal((await client.importSession(whole, { key: "whole-again" })).key, "whole-again");
    assert.equal((await client.resetSession("forked")).session_id, fork.session_id);
    assert.equal((await client.endSession("forked")).status, "ended");
    await client.deleteSession("imported");
    await assert.rejects(client.session("imported"), { code: "not_found" });
    for await (const event of client.follow("whole")) if (event.type === "chat.final") break;
  });

  test("turns", async () => {
    const turn = await client.chat("What is it?", { session: "turns" });
    assert.equal((await client.turn(turn.turnId)).status, "completed");
    assert.equal((await client.turnEnd(turn.turnId)).status, "completed");
    assert.ok((await client.turnEvents(turn.turnId)).data.length > 3);
    assert.deepEqual((await client.passages(turn.turnId)).data, []);
    const retried = await client.retry(turn.turnId);
    assert.equal((await client.attach(retried.turn_id).result()).status, "completed");
    assert.equal((await client.turns("turns", { order: "newest" })).data[0]?.turn_id, retried.turn_id);
    assert.equal((await client.deleteTurn("turns", turn.turnId)).items?.length ?? 0, 0);
    assert.equal((await client.ask("What is it?")).text.trim(), "All is well.");
    model.rule = () => words("one two three ".repeat(500), 20);
    for (const stop of [() => client.interrupt("turns"), () => client.cancel({ session: "turns" })]) {
      const stream = client.stream("talk", { session: "turns" });
      let stopped: string | undefined;
      for await (const event of stream) {
        if (event.type === "token" && stopped === undefined) stopped = (await stop()).status;
      }
      assert.equal(stopped, "cancelled");
    }
  });

  test("a turn that waits after a restart is resumed", async () => {
    await client.startSession({ key: "wait", policy: { on_restart: "wait" } });
    model.rule = () => words("one two three ".repeat(500), 20);
    const stream = client.stream("talk", { session: "wait" });
    for await (const event of stream) if (event.type === "token") break;
    await program.kill();
    model.rule = () => words("All is well.");
    await program.start();
    const resumed = await client.resume(String(stream.turnId));
    assert.equal((await client.attach(resumed.turn_id).result()).message.trim(), "All is well.");
  });

  test("work in the background is listed, paused and resumed", async () => {
    model.rule = () => words("one two three ".repeat(500), 20);
    await client.startSession({ key: "long" });
    const sent = await client.request("chat.send", { conversation_id: "long", message: "work", background: true });
    assert.ok((await client.backgroundTurns({ limit: 9 })).some(({ turn_id: id }) => id === sent.turn_id));
    assert.equal((await client.pause(sent.turn_id)).status, "paused");
    model.rule = () => words("All is well.");
    await client.resume(sent.turn_id);
    assert.equal((await client.attach(sent.turn_id).result()).message.trim(), "All is well.");
  });

  test("tools, calls and approvals", async () => {
    act("convert", { euros: 2 });
    const convert = tool({
      name: "convert",
      run: (_, { progress }) => {
        progress("converting");
        return "23 NOK";
      },
    });
    const { message } = await client.chat("2 euros in NOK?", { session: "tools", tools: [convert] });
    assert.equal(message.trim(), "Done.");
    if (MESSAGES.includes("tool.serve")) {
      const worker = await client.serve([convert]);
      assert.equal((await client.chat("2 euros in NOK?", { session: "tools" })).message.trim(), "Done.");
      await worker.stop();
    }
    act("pin", { text: "Likes tea" });
    const stream = client.stream("Remember that I like tea", { session: "tools" });
    for await (const event of stream) {
      if (event.type !== "approval") continue;
      const open = await client.approvals.list({ session: "tools" });
      assert.equal(open.data[0]?.approval_id, event.approval.approval_id);
      await client.approve(event.approval.approval_id, "deny", event.approval.digest);
    }
    assert.equal((await client.approvals.list()).data.length, 0);
    const { data } = await client.server.tools();
    assert.ok(data.some((one) => one.name === "calculator"));
  });

  test("memory and the profile", async () => {
    const { memory } = client;
    await memory.set("favourite tea", "Assam");
    const fact = await memory.set("favourite tea", "Darjeeling", { priority: 70 });
    assert.equal((await memory.profile()).data[0]?.value, "Darjeeling");
    assert.equal((await memory.history("favourite tea")).data.length, 2);
    assert.equal((await memory.list({ key: "favourite tea" })).items.length, 2);
    assert.equal((await memory.search("which tea", { scope: "user" })).items[0]?.value, "Darjeeling");
    assert.equal((await memory.item(fact.fact_id)).value, "Darjeeling");
    const corrected = await memory.correct(fact.fact_id, "Earl Grey");
    assert.equal(corrected.value, "Earl Grey");
    const graph = await memory.graph({ subject: "me" });
    assert.deepEqual(
      graph.edges.map(({ subject, relation, value, state }) => [subject, relation, value, state]),
      [["user", "favourite tea", "Earl Grey", "holds"]],
    );
    assert.equal((await memory.graph({ as_of: "2020-01-01T00:00:00Z" })).edges.length, 0);
    const archive = await memory.export();
    assert.ok((archive.facts?.length ?? 0) > 1);
    assert.equal((await memory.forgetKey("favourite tea")).items?.length, 3);
    const back = await memory.import({ archive });
    assert.ok(back);
    const told = await memory.ingest({ title: "Trip", messages: [{ role: "user", content: "We flew to Oslo." }] });
    assert.equal(told.entries, 1);
    assert.equal((await memory.awaitConsistency({ timeoutMs: 20_000 })).consistent, true);
    const [item] = (await memory.search("flew to Oslo")).items;
    assert.ok(item);
    await memory.forgetItem(item.id);
    assert.deepEqual((await memory.forget({ memory_id: told.memory_id })).items?.length, 1);
    assert.ok((await memory.audit()).counts);
  });

  test("values", async () => {
    const { values } = client;
    const put = { key: ["notes", "é", ""], value: "AP8=", vectors: [[1, 0]] };
    assert.deepEqual(await values.write({ puts: [put] }), { written: 1, deleted: 0 });
    assert.equal((await values.read([put.key, ["none"]]))[0]?.value, "AP8=");
    const near = await values.list({ below: ["notes"], near: [2, 0], keys_only: true });
    assert.deepEqual(
      near.data.map((one) => [one.key, one.score, one.size]),
      [[put.key, 1, 2]],
    );
    assert.equal((await values.write({ deletes_below: [["notes"]] })).deleted, 1);
    assert.deepEqual((await values.list()).data, []);
  });

  test("vaults", async () => {
    const { vaults } = client;
    const { vault_id: vault } = await vaults.create({ title: "garden" });
    assert.equal((await vaults.get(vault)).title, "garden");
    assert.ok((await vaults.list()).data.some((one) => one.vault_id === vault));
    const { memory_id: memory } = await vaults.createMemory(vault, { title: "beds" });
    assert.equal((await vaults.memories(vault)).data[0]?.memory_id, memory);
    assert.equal((await vaults.memory(vault, memory)).title, "beds");
    const entry = await vaults.addEntry(vault, memory, "Sowed peas.");
    await vaults.addEntry(vault, memory, { raw_entry: "Sowed beans.", speaker: "Ada" });
    assert.equal((await vaults.entries(vault, memory, { order: "oldest" })).data[0]?.entry_id, entry.entry_id);
    assert.equal((await vaults.entry(vault, memory, entry.entry_id)).raw_entry, "Sowed peas.");
    await vaults.putContext(vault, memory, "Peas and beans.");
    await vaults.putContext(vault, memory, "Peas, beans and kale.");
    assert.equal((await vaults.contexts(vault, memory)).data.length, 2);
    assert.equal((await vaults.context(vault, memory)).content, "Peas, beans and kale.");
    assert.equal((await vaults.context(vault, memory, 1)).content, "Peas and beans.");
    assert.equal((await vaults.update(vault, { title: "allotment" })).title, "allotment");
    assert.equal((await vaults.updateMemory(vault, memory, { title: "rows" })).title, "rows");
    const started = await vaults.control(vault, memory, { control: "start_session" });
    assert.deepEqual(started.tools, ["get_context", "list_entries"]);
    const message = { role: "user", content: "Kale is up.", origin: "trusted" as const };
    assert.equal((await vaults.control(vault, memory, { message })).control, "process_message");
    await vaults.forgetMemory(vault, memory);
    await assert.rejects(vaults.memory(vault, memory), { code: "not_found" });
    await vaults.forget(vault);
    await assert.rejects(vaults.get(vault), { code: "not_found" });
  });

  test("the library and artifacts", async () => {
    const { artifacts, library } = client;
    const folder = join(program.folder, "papers");
    mkdirSync(folder);
    writeFileSync(join(folder, "moss.md"), "# Moss\n\nSphagnum holds twenty times its weight in water.\n");
    const added = await library.addFolder(folder);
    assert.equal(added.documents, 1);
    assert.equal((await library.get()).folders.length, 1);
    assert.equal((await library.search("Sphagnum", { limit: 1 })).data.length, 1);
    assert.equal((await library.rescan()).folders.length, 1);
    await library.removeFolder(added.folder_id);
    act("artifact_save", { name: "note.txt", content: "Buy moss." });
    await client.chat("Keep a note", { session: "files" });
    const [kept] = (await artifacts.list({ session: "files" })).data;
    assert.ok(kept);
    assert.equal((await artifacts.list()).data.length, 1);
    assert.equal(await artifacts.text(kept.artifact_id), "Buy moss.");
    assert.equal((await artifacts.bytes(kept.artifact_id)).length, 9);
    await artifacts.remove(kept.artifact_id);
    assert.equal((await artifacts.list()).data.length, 0);
  });

  test("windows, monitors and toasts", async () => {
    const { desktop } = client;
    const button = { type: "button", label: "Order", action: "order" };
    act("window_open", {
      window_id: "form",
      title: "A form",
      content: { type: "components", components: [button] },
    });
    await client.chat("Open a form", { session: "desk" });
    const view = await desktop.get("desk");
    assert.equal(view.windows[0]?.window_id, "form");
    model.rule = () => words("All is well.");
    const told = await desktop.message("desk", "form", "What is this?");
    assert.equal((await client.attach(told.turn_id).result()).status, "completed");
    const pressed = await desktop.act("desk", "form", "order", { formData: {} });
    assert.equal((await client.attach(pressed.turn_id).result()).status, "completed");
    await desktop.rendered("desk", "form");
    await desktop.rendered("desk", "form", "it has no colour");
    await desktop.report("desk", { type: "window.close", window_id: "form" });
    assert.equal((await desktop.get("desk")).windows.length, 0);
    act("notify", { text: "It is done" });
    await client.chat("Tell me", { session: "desk" });
    const toast = await shown("desk", ({ toasts }) => toasts[0]);
    await desktop.actOnToast("desk", toast.toast_id);
    assert.equal((await desktop.get("desk")).toasts.length, 0);
    await client.startSession({ key: "screens" });
    const more = await desktop.subscribeMonitor("screens", "work");
    assert.equal(more.monitors.length, 2);
    assert.equal((await desktop.removeMonitor("screens", "work")).monitors.length, 1);
  });

  test("questions to the user", async () => {
    act("ask_user", { title: "Which?", choices: ["red", "blue"] });
    const chosen = client.chat("Paint it", { session: "questions" });
    const dialog = await shown("questions", ({ dialogs }) => dialogs[0]);
    await client.desktop.answerDialog("questions", dialog.dialog_id, "blue");
    const turn = await client.turn((await chosen).turnId);
    assert.match(JSON.stringify(turn.steps), /blue/);
    act("ask_user", { title: "Who?", fields: [{ type: "input", name: "who", label: "Name" }] });
    const filled = client.chat("Send it", { session: "questions" });
    const prompt = await shown("questions", ({ dialogs }) => dialogs[0]);
    await client.desktop.answerPrompt("questions", prompt.dialog_id, { who: "Ada" });
    assert.equal((await filled).status, "completed");
  });

  test("an app in a window", async () => {
    act("window_open", { window_id: "board", title: "Board", content: { type: "app", app: "notes" } });
    await client.chat("Open the notes", { session: "apps" });
    const token = await shown("apps", ({ windows }) => windows[0]?.app?.token);
    const app = { windowId: "board", token };
    const manifest = { name: "board", state: [{ key: "all" }], commands: [] };
    assert.deepEqual((await client.desktop.appReady("apps", app, manifest)).restore, []);
    act("app_query", { window_id: "board", key: "all" });
    const asking = client.chat("What is on the board?", { session: "apps" });
    const request = await shown("apps", ({ app_requests: open }) => open[0]);
    await client.desktop.appResponse("apps", app, request.request_id, { value: ["milk"] });
    const turn = await client.turn((await asking).turnId);
    assert.match(JSON.stringify(turn.steps), /milk/);
  });

  test("the home", async () => {
    const home = await client.home.get();
    assert.ok(home.entities.length > 0);
    assert.equal((await client.home.follow()).entities.length, home.entities.length);
    await client.home.unfollow();
  });

  test("schedules and alerts", async () => {
    const { schedules, alerts } = client;
    const times = await schedules.preview({
      when: { kind: "cron", expression: "0 7 * * 1-5" },
      zone: "Europe/Berlin",
      runs: 3,
    });
    assert.deepEqual([times.zone, times.runs.length], ["Europe/Berlin", 3]);
    const followed = alerts.follow();
    const first = followed.next();
    const pizza = await schedules.create({
      session: "kitchen",
      name: "pizza",
      when: { kind: "after", after_ms: 500 },
      action: { do: "remind", text: "take the pizza out" },
    });
    const raised = (await first).value;
    assert.deepEqual([raised?.kind, raised?.schedule_id], ["reminder", pizza.schedule_id]);
    // A restart repeats nothing, and what is raised meanwhile is not lost.
    const again = await schedules.snooze(pizza.schedule_id, 1_500);
    await program.kill();
    await program.start();
    assert.equal((await followed.next()).value?.schedule_id, again.schedule_id);
    await followed.return();
    assert.equal((await alerts.seen(String(raised?.alert_id))).seen, true);
    assert.deepEqual(
      (await alerts.list({ limit: 2 })).data.map((one) => one.seen),
      [false, true],
    );

    const daily = await schedules.create({
      when: { kind: "cron", expression: "0 7 * * *" },
      action: { do: "turn", message: "How are you?" },
      runs_max: 3,
    });
    assert.equal(daily.upcoming?.length, 3);
    const id = daily.schedule_id;
    assert.equal((await schedules.pause(id)).status, "paused");
    assert.equal((await schedules.resume(id)).status, "active");
    assert.equal((await schedules.update(id, { zone: "Asia/Tokyo" })).planned_in, "Asia/Tokyo");
    await assert.rejects(schedules.approve(id), /does not wait/);
    await schedules.run(id);
    assert.equal((await schedules.list()).data.length, 1);
    assert.equal((await schedules.cancel(id)).status, "cancelled");
    assert.equal((await schedules.get(id)).runs, 1);
    const ended = await schedules.list({ session: "kitchen", ended: true });
    assert.deepEqual(
      ended.data.map((one) => one.status),
      ["ended", "ended"],
    );
  });

  test("the server itself", async () => {
    const { server } = client;
    assert.equal((await server.health()).status, "ok");
    assert.equal((await server.ready()).status, "ok");
    await server.ping();
    assert.ok("paths" in (await server.openapi()));
    assert.ok((await server.models()).data.length > 0);
    assert.ok((await server.refreshModels()).data.length > 0);
    assert.ok((await server.stats()).live_sessions > 0);
    assert.ok((await server.config()).data.length > 0);
    assert.ok(Array.isArray((await server.nodes()).data));
    const tried = await server.tryProvider({ provider: "openai", model: "test" });
    assert.equal(tried.model, "openai/test");
    const added = await server.putProvider("ollama", { address: "http://127.0.0.1:9" });
    assert.deepEqual(added.overridden, []);
    assert.equal((await server.putDefaultModel({ model: "openai/test" })).page.default, "openai/test");
    const left = (await server.removeProvider("ollama")).page.providers ?? [];
    assert.ok(left.every((provider) => provider.name !== "ollama"));
    assert.equal((await server.sweep()).artifacts, 0);
    assert.notEqual((await server.ticket()).ticket, "");
    assert.notEqual((await server.invitation()).invitation, "");
    assert.equal((await server.owner()).version, (await server.health()).version);
  });

  // Last, since it looks at what the tests above have sent.
  test("nothing is left over", () => {
    assert.deepEqual(
      MESSAGES.filter((name) => !sent.has(name)),
      [],
      "messages without a method",
    );
    const overWebSocket = (route: string) => sent.has(OVER_THE_WEBSOCKET[route] ?? "");
    const isOther = (route: string) => NOT_FOR_THIS_CLIENT.some(([pattern]) => pattern.test(route));
    assert.deepEqual(
      ROUTES.filter((route) => !asked.has(route) && !overWebSocket(route) && !isOther(route)),
      [],
      "routes without a method",
    );
    assert.deepEqual(
      Object.keys(OVER_THE_WEBSOCKET).filter((route) => !ROUTES.includes(route)),
      [],
      "exceptions for routes that are gone",
    );
  });
});
