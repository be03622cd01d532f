/** A chat in which the model can call a TypeScript function of this program. */
import { connect, type Dwell, type SocketMaker } from "@dwell/client";
import { WebSocket } from "ws";

const TOOLS = [
  {
    name: "convert",
    description: "Converts an amount of money from euros.",
    input_schema: {
      type: "object",
      properties: { euros: { type: "number" }, to: { type: "string", enum: ["NOK", "CHF"] } },
      required: ["euros", "to"],
    },
  },
];

type Call = { call_id: string; tool: string; arguments: { euros: number; to: string }; client_until?: string };

/** Stands for a call to a service with today's rates. */
function convert({ euros, to }: Call["arguments"]): string {
  const rate = { NOK: 11.5, CHF: 0.94 }[to];
  if (rate === undefined) throw new Error(`no rate for ${to}`);
  return `${(euros * rate).toFixed(2)} ${to}`;
}

/** Runs one call and sends its result. Sending the same result twice does no harm. */
async function answer(dwell: Dwell, turnId: string, call: Call): Promise<void> {
  const result = { call_id: call.call_id, content: "", is_error: false };
  try {
    result.content = convert(call.arguments);
  } catch (error) {
    Object.assign(result, { content: String(error), is_error: true });
  }
  console.log(`[${call.tool} ${JSON.stringify(call.arguments)} -> ${result.content}]`);
  await dwell.request("tool.answer", { turn_id: turnId, results: [result] });
}

/** Sends a message and prints the turn: text as it arrives, calls as they are answered. */
async function say(dwell: Dwell, message: string): Promise<void> {
  const stream = dwell.stream(message, { session: "typescript-chat", tools: TOOLS });
  for await (const event of stream) {
    if (event.type === "token") process.stdout.write(event.text);
    if (event.type === "step" && event.step.type === "tool_call") {
      const call = event.step.detail as Call;
      // `client_until` marks a call that the server leaves to this client.
      if (call.client_until !== undefined) await answer(dwell, stream.turnId ?? "", call);
    }
    if (event.type === "final") console.log(`\n(${event.status}, ${event.response?.model})`);
  }
}

const { DWELL_URL = "http://127.0.0.1:7437", DWELL_TOKEN = "" } = process.env;
// Node 20 has no WebSocket of its own; newer versions and browsers need no such option.
const dwell = await connect(DWELL_URL, { token: DWELL_TOKEN, WebSocket: WebSocket as unknown as SocketMaker });
for (const message of process.argv.slice(2)) await say(dwell, message);
dwell.close();
