// A whole conversation through the TypeScript SDK of the Model Context Protocol.
//
// usage: mcp_conversation.mjs stdio|http DWELL FOLDER URL
//
// When a line `kill` is printed, the server is killed and started again; the line that comes then on standard input is where it
// is. The SDK holds every answer against the schema that the tool has declared.

import assert from "node:assert/strict";
import { createInterface } from "node:readline/promises";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";

const [door, dwell, folder, first] = process.argv.slice(2);
const token = process.env.DWELL_TOKEN;
const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
const asked = [];

async function connect(url) {
  const client = new Client({ name: "dwell-tests", version: "1" }, { capabilities: { elicitation: { form: {} } } });
  client.setRequestHandler(ElicitRequestSchema, async (request) => {
    asked.push(request.params.message);
    return { action: "accept", content: { confirm: true } };
  });
  const transport =
    door === "stdio"
      ? new StdioClientTransport({
          command: dwell,
          args: ["mcp", "--data", folder],
          env: { DWELL_TOKEN: token },
        })
      : new StreamableHTTPClientTransport(new URL(`${url}/mcp`), {
          requestInit: { headers: { authorization: `Bearer ${token}` } },
        });
  await client.connect(transport);
  // From here on the SDK knows the schemas of all answers.
  const { tools } = await client.listTools();
  assert.ok(tools.some((tool) => tool.name === "start_session"));
  return client;
}

async function call(client, name, args = {}) {
  const result = await client.callTool({ name, arguments: args });
  assert.ok(!result.isError, JSON.stringify(result));
  return result.structuredContent;
}

const client = await connect(first);
const { session_id } = await call(client, "start_session");
const sent = await call(client, "send_message", { session_id, message: "Tell me about the moon." });
const answered = await call(client, "await_continuation", { continuation_id: sent.continuation_id });
assert.equal(answered.response.final_message, "You said: Tell me about the moon.");

const told = [];
const onprogress = (progress) => told.push(progress);
const question = { name: "ask", arguments: { message: "Tell me about the sun." } };
const answer = await client.callTool(question, undefined, { onprogress });
assert.equal(answer.structuredContent.status, "completed");
assert.ok(told.length > 0, "no progress was reported");

const slow = await call(client, "send_message", { session_id, message: "Never mind this one." });
assert.equal((await call(client, "cancel", { continuation_id: slow.continuation_id })).status, "cancelled");
const ended = await call(client, "await_continuation", { continuation_id: slow.continuation_id });
assert.equal(ended.status, "cancelled");

await call(client, "book_table", { note: "for two" });
assert.equal(asked.length, 1);
assert.match(asked[0], /for two/);

const left = await call(client, "send_message", { session_id, message: "Think this over." });
console.log("kill");
const { value: url } = await lines.next();
assert.ok(url, "the server is back");
// The bridge has found the server again by itself; over HTTP the client comes again.
const again = door === "stdio" ? client : await connect(url);
const later = await call(again, "await_continuation", { continuation_id: left.continuation_id });
// The model is told of the message that was cancelled too.
assert.match(later.response.final_message, /Think this over\.$/);
const { session } = await call(again, "get_session", { session_id });
assert.equal(session.stats.turns, 3);
const more = await call(again, "send_message", { session_id, message: "Tell me more.", timeout_ms: 30000 });
assert.equal(more.response.final_message, "You said: Tell me more.");
assert.equal((await call(again, "end_session", { session_id })).status, "ended");
console.log("done");
if (door === "stdio") await client.close();
process.exit(0);
