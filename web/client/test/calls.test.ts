/** Tools of a program in turns of the real server. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, beforeEach, describe, test } from "node:test";
import { z } from "zod";
import { type CallResult, type Dwell, tool, type ToolContext, TurnError } from "../src/index.js";
import { callOf, clientOf, type Message, Program, ScriptedModel, skip, textOf, words } from "./support.js";

// Compiled, this file is two folders deeper than its source.
const reference = readFileSync(new URL("../../../../docs/reference/wire.md", import.meta.url), "utf8");
const isMissing = reference.includes("### `tool.serve`") ? undefined : "the wire reference has no tool.serve";

/** What ran, and a tool whose calls the test ends by hand. */
class Station {
  ran: { town: string; context: ToolContext; end: (text: string) => void }[] = [];

  tool(name: string, effect: "idempotent" | "at_most_once" = "at_most_once") {
    const run = ({ town }: { town: string }, context: ToolContext) =>
      new Promise<string>((end) => this.ran.push({ town, context, end }));
    return tool({ name, description: "The weather of a town.", input: z.object({ town: z.string() }), effect, run });
  }

  /** Waits for a call to run. */
  async call(index = 0) {
    for (;;) {
      const found = this.ran[index];
      if (found !== undefined) return found;
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }
}

/** Calls the tool once, then says what it answered. */
function callThenSay(name: string, given: object) {
  return (messages: Message[]) => {
    const last = messages.at(-1);
    return last?.role === "tool" ? words(`It says: ${textOf(last)}`) : callOf(name, given);
  };
}

describe("tools in code", { skip }, () => {
  let program: Program;
  let model: ScriptedModel;
  let client: Dwell;
  let station: Station;
  before(async () => {
    model = await ScriptedModel.start();
    program = await new Program(model).start();
    client = await clientOf(program.url);
  });
  beforeEach(() => {
    station = new Station();
    model.rule = callThenSay("weather", { town: "Oslo" });
  });
  after(async () => {
    client.close();
    await program.end();
    model.stop();
  });

  test("a chat runs the calls of its tools", async () => {
    const weather = tool({
      name: "weather",
      description: "The weather of a town.",
      input: { type: "object", properties: { town: { type: "string" } }, required: ["town"] },
      run: ({ town }: { town: string }) => `snow in ${town}`,
    });
    const final = await client.chat("the weather in Oslo?", { session: "chat", tools: [weather] });
    assert.equal(final.message.trim(), "It says: snow in Oslo");
    const bare = { name: "weather", input_schema: weather.input_schema };
    await assert.rejects(client.chat("and now?", { session: "chat", tools: [bare] }), /has no function/);
  });

  test("what a tool throws, and arguments it does not take, reach the model as errors", async () => {
    const broken = tool({
      name: "weather",
      input: z.object({ town: z.string() }),
      run: ({ town }) => {
        throw new Error(`no station in ${town}`);
      },
    });
    const first = await client.chat("the weather?", { session: "errors", tools: [broken] });
    assert.match(first.message, /no station in Oslo/);
    model.rule = callThenSay("weather", { city: "Oslo" });
    const second = await client.chat("the weather?", { session: "errors", tools: [broken] });
    assert.match(second.message, /arguments are not valid: town/);
    const results = (await client.turn(second.turnId)).steps.filter((step) => step.type === "tool_result");
    assert.equal(results[0]?.detail.status, "error");
  });

  test("a call outlives the death of the server, and runs once", async () => {
    const chat = client.chat("the weather?", { session: "death", tools: [station.tool("weather")] });
    const call = await station.call();
    await program.kill();
    await program.start();
    call.end("snow");
    assert.equal((await chat).message.trim(), "It says: snow");
    assert.equal(station.ran.length, 1);
  });

  test("the stream shows the progress of its tools", async () => {
    const stream = client.stream("the weather?", { session: "progress", tools: [station.tool("weather")] });
    const seen: unknown[] = [];
    const read = (async () => {
      for await (const event of stream) if (event.type === "progress") seen.push(event.progress);
    })();
    const { context, end } = await station.call();
    context.progress("looking", 0.5);
    end("snow");
    await read;
    const progress = { tool: "weather", status: "running", message: "looking", progress: 0.5 };
    assert.deepEqual(seen, [{ call_id: context.callId, ...progress }]);
  });

  test("the end of the turn aborts a call", async () => {
    const stream = client.stream("the weather?", { session: "abort", tools: [station.tool("weather")] });
    const result = stream.result();
    const { context } = await station.call();
    await client.cancel({ turnId: context.turnId, reason: "enough" });
    assert.equal((await result).status, "cancelled");
    assert.ok(context.signal.aborted);
    assert.match(String(context.signal.reason), /the turn is cancelled/);
  });

  test("another process takes a waiting turn over without running a call twice", async () => {
    for (const effect of ["idempotent", "at_most_once"] as const) {
      const options = { session: `over-${effect}`, idempotency_key: `over-${effect}` };
      const [first, second] = [new Station(), new Station()];
      const dying = await clientOf(program.url);
      const lost = dying.chat("the weather?", { ...options, tools: [first.tool("weather", effect)] });
      const { context } = await first.call();
      const failed = assert.rejects(lost);
      dying.close();
      await failed;
      const other = await clientOf(program.url);
      const chat = other.chat("the weather?", { ...options, tools: [second.tool("weather", effect)] });
      if (effect === "idempotent") {
        const call = await second.call();
        assert.equal(call.context.key, context.key);
        call.end("rain");
        assert.equal((await chat).message.trim(), "It says: rain");
      } else {
        assert.match((await chat).message, /not known whether this call has run/);
        assert.equal(second.ran.length, 0);
      }
      other.close();
    }
  });

  test("a process that has the record answers with it", async () => {
    const dying = await clientOf(program.url);
    const stream = dying.stream("the weather?", { session: "record", tools: [station.tool("weather")] });
    const lost = assert.rejects(stream.result());
    const { context } = await station.call();
    dying.close();
    await lost;
    const records = new Map<string, CallResult>([[context.key, { content: "hail", is_error: false }]]);
    const attached = client.attach(context.turnId, { tools: [station.tool("weather")], records });
    assert.equal((await attached.result()).message.trim(), "It says: hail");
    assert.equal(station.ran.length, 1);
  });

  test("a program may answer calls by hand", async () => {
    const { name, description, input_schema } = station.tool("weather");
    const stream = client.stream("the weather?", { session: "hand", tools: [{ name, description, input_schema }] });
    for await (const event of stream) {
      if (event.type !== "step" || event.step.type !== "tool_call") continue;
      const result = { call_id: event.step.detail.call_id, content: "fog" };
      const answered = await client.answerCalls(String(stream.turnId), [result]);
      assert.deepEqual(answered.calls_waiting, []);
    }
    assert.equal(stream.text.trim(), "It says: fog");
  });

  test("an answer in a given form is parsed", async (context) => {
    const { components } = (await client.server.openapi()) as { components: { schemas: Record<string, object> } };
    if (!JSON.stringify(components.schemas["ChatSend"]).includes("response_schema")) {
      context.skip("this server has no response_schema");
      return;
    }
    model.rule = () => words('{"town":"Oslo","degrees":-4}');
    const responseSchema = z.object({ town: z.string(), degrees: z.number() });
    const final = await client.chat("the weather?", { session: "form", responseSchema });
    assert.equal(final.parsed.degrees.toFixed(1), "-4.0");
    const streamed = await client.stream("the weather?", { session: "form", responseSchema }).result();
    assert.equal(streamed.parsed?.town, "Oslo");
    // More than JSON Schema can say.
    const warm = responseSchema.refine(({ degrees }) => degrees > 0, { message: "it is too cold" });
    await assert.rejects(client.chat("and there?", { session: "form", responseSchema: warm }), (error: unknown) => {
      assert.ok(error instanceof TurnError);
      assert.equal(error.code, "model_schema_unmet");
      assert.match(error.message, /too cold/);
      return true;
    });
  });

  describe("served to any session", { skip: isMissing }, () => {
    test("a worker answers calls of any session, with progress", async () => {
      const side = await clientOf(program.url);
      const worker = await side.serve([station.tool("weather")], { worker: "station" });
      const stream = client.stream("the weather?", { session: "served" });
      const seen: string[] = [];
      const result = (async () => {
        for await (const event of stream) if (event.type === "progress") seen.push(event.progress.message);
        return stream.result();
      })();
      const call = await station.call();
      call.context.progress("looking", 0.5);
      while (seen.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
      call.end("snow");
      assert.equal((await result).message.trim(), "It says: snow");
      assert.deepEqual(seen, ["looking"]);
      await worker.stop();
      side.close();
    });

    test("a worker outlives the death of the server, and each call runs once", async () => {
      const side = await clientOf(program.url);
      const worker = await side.serve([station.tool("weather")]);
      const chat = client.chat("the weather?", { session: "served-death" });
      const call = await station.call();
      await program.kill();
      await program.start();
      call.end("snow");
      assert.equal((await chat).message.trim(), "It says: snow");
      assert.equal(station.ran.length, 1);
      // It serves on after the restart.
      const again = client.chat("the weather?", { session: "served-death" });
      (await station.call(1)).end("rain");
      assert.equal((await again).message.trim(), "It says: rain");
      await worker.stop();
      side.close();
    });

    test("a restarted worker runs what may run twice, and reports the rest", async () => {
      for (const effect of ["idempotent", "at_most_once"] as const) {
        const [first, second] = [new Station(), new Station()];
        const dying = await clientOf(program.url);
        await dying.serve([first.tool("weather", effect)], { worker: "station" });
        const chat = client.chat("the weather?", { session: `restarted-${effect}` });
        const { context: lost } = await first.call();
        dying.close();
        const other = await clientOf(program.url);
        const worker = await other.serve([second.tool("weather", effect)], { worker: "station" });
        if (effect === "idempotent") {
          const call = await second.call();
          assert.equal(call.context.key, lost.key);
          assert.ok(call.context.redelivered);
          call.end("rain");
          assert.equal((await chat).message.trim(), "It says: rain");
        } else {
          assert.match((await chat).message, /not known whether this call has run/);
          assert.equal(second.ran.length, 0);
        }
        await worker.stop();
        other.close();
      }
    });

    test("cancelling the turn aborts the worker's call", async () => {
      const side = await clientOf(program.url);
      const worker = await side.serve([station.tool("weather")]);
      const result = client.stream("the weather?", { session: "served-abort" }).result();
      const { context: call, end } = await station.call();
      const aborted = new Promise((resolve) => call.signal.addEventListener("abort", resolve));
      await client.cancel({ turnId: call.turnId, reason: "enough" });
      assert.equal((await result).status, "cancelled");
      await aborted;
      end("too late");
      await worker.stop();
      side.close();
    });
  });
});
