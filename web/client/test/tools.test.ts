/** Tools in code: their schemas, their results, and how a worker serves them. */
import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, test } from "node:test";
import { z } from "zod";
import { type CallResult, type Dwell, Refused, type StandardSchema, tool, type ToolContext } from "../src/index.js";
import { faultsOf } from "../src/json-schema.js";
import { FakeServer } from "./fake-server.js";
import { clientOf } from "./support.js";

const CONTEXT = {} as ToolContext;

describe("a tool", () => {
  test("takes a JSON Schema and gives its result as text", async () => {
    const add = tool({
      name: "add",
      description: "Adds.",
      input: { type: "object", properties: { a: { type: "number" } }, required: ["a"] },
      run: ({ a }: { a: number }) => ({ sum: a + 1 }),
    });
    assert.equal(add.effect, "at_most_once");
    assert.deepEqual(await add.run({ a: 2 }, CONTEXT), { content: '{"sum":3}', is_error: false });
    const wrong = await add.run({ a: "2" }, CONTEXT);
    assert.ok(wrong.is_error);
    assert.match(wrong.content, /a: must be a number, not a string/);
    assert.match((await add.run("not json", CONTEXT)).content, /must be an object/);
  });

  test("takes a schema of zod, with its types and its own checks", async () => {
    const book = tool({
      name: "book",
      input: z.object({ seats: z.number().int().min(1), on: z.string().default("today") }),
      run: ({ seats, on }) => `${seats.toFixed(0)} seats ${on}`,
    });
    const { properties, $schema } = book.input_schema as { properties: object; $schema?: string };
    assert.deepEqual(Object.keys(properties), ["seats", "on"]);
    assert.equal($schema, undefined);
    assert.deepEqual(await book.run({ seats: 2 }, CONTEXT), { content: "2 seats today", is_error: false });
    const wrong = await book.run({ seats: 0 }, CONTEXT);
    assert.ok(wrong.is_error);
    assert.match(wrong.content, /seats: /);
  });

  test("says how to pass the JSON Schema of a library that does not convert", () => {
    const input: StandardSchema<string> = {
      "~standard": { version: 1, vendor: "other", validate: (value) => ({ value: String(value) }) },
    };
    assert.throws(() => tool({ name: "t", input, run: (text) => text }), /other schema does not convert itself/);
    const named = tool({ name: "t", input, inputSchema: { type: "string" }, run: (text) => text });
    assert.deepEqual(named.input_schema, { type: "string" });
  });

  test("turns what it throws into an error that the model reads", async () => {
    const broken = tool({
      name: "broken",
      run: () => {
        throw new RangeError("no such town");
      },
    });
    assert.deepEqual(await broken.run({}, CONTEXT), { content: "RangeError: no such town", is_error: true });
    const silent = tool({ name: "silent", run: () => undefined });
    assert.deepEqual(await silent.run({}, CONTEXT), { content: "null", is_error: false });
  });

  test("has a plain name", () => {
    assert.throws(() => tool({ name: "two words", run: () => "" }), TypeError);
  });
});

test("a JSON Schema is checked", () => {
  const schema = {
    type: "object",
    properties: {
      kind: { enum: ["a", "b"] },
      count: { type: "integer", minimum: 1, maximum: 3 },
      names: { type: "array", items: { $ref: "#/$defs/name" }, maxItems: 2 },
      size: { anyOf: [{ type: "number" }, { type: "null" }] },
    },
    required: ["kind"],
    additionalProperties: false,
    $defs: { name: { type: "string", minLength: 2, pattern: "^[a-z]+$" } },
  };
  assert.deepEqual(faultsOf(schema, { kind: "a", count: 2, names: ["xy"], size: null }), []);
  assert.deepEqual(faultsOf(schema, { kind: "c", count: 2.5, names: ["x", "Y1"], size: "big", more: 1 }), [
    'kind: must be one of "a", "b"',
    "count: must be an integer, not a number",
    "names[0]: must be 2 characters or more",
    "names[1]: must match ^[a-z]+$",
    "size: matches none of the allowed forms",
    "more: is not a known property",
  ]);
  assert.deepEqual(faultsOf(schema, {}), ["kind: is missing"]);
  assert.deepEqual(faultsOf({ $ref: "#" }, 1), [], "a circle ends");
});

describe("a worker", () => {
  let server: FakeServer;
  let client: Dwell;
  /** The calls that ran, and how to end each. */
  let ran: { town: string; context: ToolContext; end: (text: string) => void }[] = [];
  const input = { type: "object", properties: { town: { type: "string" } }, required: ["town"] };
  const run = ({ town }: { town: string }, context: ToolContext) =>
    new Promise<string>((end) => ran.push({ town, context, end }));
  const weather = tool({ name: "weather", description: "The weather.", input, run });
  const again = tool({ name: "again", input, effect: "idempotent", run });

  beforeEach(async () => {
    ran = [];
    server = await FakeServer.start();
    client = await clientOf(server.url);
  });
  afterEach(() => {
    client.close();
    server.stop();
  });

  const call = (callId: string, more: object = {}) => {
    const key = `key-${callId}`;
    const data = { session_id: "s", turn_id: "t", agent_id: "main", call_id: callId, tool: "weather", key };
    server.push("tool.call", { ...data, arguments: { town: "Oslo" }, until: "later", redelivered: false, ...more });
  };
  /** Waits until this many calls run. */
  const running = async (count: number) => {
    while (ran.length < count) await new Promise((resolve) => setTimeout(resolve, 1));
  };
  const results = (answers: Record<string, unknown>[]) =>
    answers.flatMap((data) => (data["results"] as (CallResult & { call_id: string })[]).map((one) => one.content));

  test("announces its tools and answers calls, with progress", async () => {
    const worker = await client.serve([weather, again], { worker: "station" });
    assert.deepEqual(server.of("tool.serve"), [
      {
        worker: "station",
        tools: [
          { name: "weather", description: "The weather.", input_schema: input, effect: "at_most_once" },
          { name: "again", description: "", input_schema: input, effect: "idempotent" },
        ],
      },
    ]);
    call("c1");
    await running(1);
    assert.equal(ran[0]?.context.key, "key-c1");
    assert.equal(ran[0].context.sessionId, "s");
    ran[0].context.progress("looking", 0.5);
    const [progress] = await server.until("tool.progress", 1);
    assert.deepEqual(progress, { turn_id: "t", call_id: "c1", message: "looking", progress: 0.5 });
    ran[0].end("snow");
    const [answer] = await server.until("tool.answer", 1);
    assert.deepEqual(answer, { turn_id: "t", results: [{ call_id: "c1", content: "snow", is_error: false }] });
    call("c2", { arguments: { city: "Oslo" } });
    call("c3", { tool: "unknown" });
    const errors = results((await server.until("tool.answer", 3)).slice(1)).sort();
    assert.match(String(errors[0]), /arguments are not valid: town: is missing/);
    assert.match(String(errors[1]), /no tool unknown/);
    await worker.stop();
    assert.deepEqual(server.of("tool.serve").at(-1), { worker: "station", tools: [] });
    await worker.closed;
  });

  test("runs a call once, however often it is delivered", async () => {
    const { name } = await client.serve([weather]);
    call("c1");
    await running(1);
    server.cut();
    const served = await server.until("tool.serve", 2);
    assert.deepEqual(
      served.map(({ worker }) => worker),
      [name, name],
    );
    call("c1", { redelivered: true });
    call("c2");
    await running(2);
    ran[0]?.end("snow");
    await server.until("tool.answer", 1);
    // Its answer has come by then: one that is under way is not sent twice.
    await client.server.ping();
    call("c1", { redelivered: true });
    const answers = await server.until("tool.answer", 2);
    assert.deepEqual(results(answers), ["snow", "snow"]);
    assert.equal(ran.length, 2);
  });

  test("sends an answer again that was lost with the connection", async () => {
    await client.serve([weather]);
    call("c1");
    await running(1);
    server.reply = (message) => (message.type === "tool.answer" ? undefined : {});
    ran[0]?.end("snow");
    await server.until("tool.answer", 1);
    server.reply = () => ({});
    server.cut();
    assert.deepEqual(results(await server.until("tool.answer", 2)), ["snow", "snow"]);
    assert.equal(ran.length, 1);
  });

  test("does not run a call again that an earlier process may have run", async () => {
    const records = new Map<string, CallResult>([["key-known", { content: "rain", is_error: false }]]);
    await client.serve([weather, again], { records });
    call("known", { redelivered: true });
    assert.deepEqual(results(await server.until("tool.answer", 1)), ["rain"]);
    call("unknown", { redelivered: true });
    const [, answer] = await server.until("tool.answer", 2);
    assert.match(JSON.stringify(answer), /not known whether this call has run.*"is_error":true/);
    assert.equal(ran.length, 0);
    call("repeatable", { redelivered: true, tool: "again" });
    await running(1);
    ran[0]?.end("sun");
    await server.until("tool.answer", 3);
    assert.deepEqual(records.get("key-repeatable"), { content: "sun", is_error: false });
  });

  test("aborts a call that is cancelled, and does not answer it", async () => {
    await client.serve([weather], { concurrency: 1 });
    call("c1");
    call("waiting");
    await running(1);
    server.push("tool.cancel", { turn_id: "t", call_id: "waiting", reason: "too late" });
    server.push("tool.cancel", { turn_id: "t", call_id: "c1", reason: "the user cancelled" });
    const { signal } = ran[0]?.context ?? {};
    if (signal?.aborted === false) await new Promise((resolve) => signal.addEventListener("abort", resolve));
    assert.match(String(signal?.reason), /the user cancelled/);
    ran[0]?.end("too late");
    call("c2");
    await running(2);
    ran[1]?.end("snow");
    assert.deepEqual(results(await server.until("tool.answer", 1)), ["snow"]);
    assert.equal(ran.length, 2, "the call that waited did not start");
  });

  test("runs no more calls at once than it may", async () => {
    await client.serve([weather], { concurrency: 2 });
    for (const id of ["c1", "c2", "c3"]) call(id);
    await running(2);
    await client.server.ping();
    assert.equal(ran.length, 2);
    ran[0]?.end("snow");
    await running(3);
  });

  test("ends when another connection takes its name", async () => {
    const worker = await client.serve([weather], { worker: "station" });
    call("c1");
    await running(1);
    server.push("tool.cancel", { turn_id: "t", call_id: "c1", reason: "replaced" });
    server.push("tool.serving", { worker: "station", tools: [] });
    await assert.rejects(worker.closed, /another connection serves as the worker station/);
    assert.ok(ran[0]?.context.signal.aborted);
    ran[0].end("too late");
    // It is free to serve again; the call comes back as one that may have run.
    await client.serve([weather], { worker: "station" });
    call("c1", { redelivered: true });
    const [answer] = await server.until("tool.answer", 1);
    assert.match(JSON.stringify(answer), /not known whether this call has run/);
  });

  test("finishes what runs when it is stopped", async () => {
    const worker = await client.serve([weather]);
    call("c1");
    await running(1);
    const stopped = worker.stop();
    await server.until("tool.serve", 2);
    ran[0]?.end("snow");
    await stopped;
    assert.deepEqual(results(server.of("tool.answer")), ["snow"]);
    await client.serve([weather]);
  });

  test("replaces a result that the server refuses, and drops one that comes too late", async () => {
    await client.serve([weather]);
    const refused = [
      { error: { code: "unavailable", message: "restarting", retry_after_ms: 1 } },
      { error: { code: "too_large", message: "the result is too large" } },
    ];
    server.reply = (message) => (message.type === "tool.answer" ? (refused.shift() ?? {}) : {});
    call("c1");
    await running(1);
    ran[0]?.end("very long");
    const sent = results(await server.until("tool.answer", 3));
    assert.deepEqual(sent.slice(0, 2), ["very long", "very long"]);
    assert.match(String(sent[2]), /the result is too large/);
    server.reply = () => ({ error: { code: "already_final", message: "it has ended" } });
    call("c2");
    await running(2);
    ran[1]?.end("late");
    await server.until("tool.answer", 4);
    server.reply = () => ({});
    await client.server.ping();
    assert.equal(server.of("tool.answer").length, 4);
  });

  test("says why it cannot serve", async () => {
    server.reply = () => ({ error: { code: "invalid_request", message: "tool.serve is unknown" } });
    await assert.rejects(client.serve([weather]), (error) => error instanceof Refused && /unknown/.test(error.message));
    server.reply = () => ({});
    await assert.rejects(client.serve([]), /at least one tool/);
    await assert.rejects(client.serve([weather, weather]), /two tools of the name weather/);
    const worker = await client.serve([weather]);
    await assert.rejects(client.serve([again]), /serves tools already/);
    client.close();
    await assert.rejects(worker.closed, /closed/);
    await assert.rejects(client.serve([weather]), /closed/);
  });
});
