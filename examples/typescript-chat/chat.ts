/** A chat in which the model can call a TypeScript function of this program. */
import { connect, type Dwell, tool } from "@dwell/client";
import { WebSocket } from "ws";

/** Stands for a call to a service with today's rates. */
const RATES = { NOK: 11.5, CHF: 0.94 };

const convert = tool({
  name: "convert",
  description: "Converts an amount of money from euros.",
  input: {
    type: "object",
    properties: { euros: { type: "number" }, to: { type: "string", enum: Object.keys(RATES) } },
    required: ["euros", "to"],
  },
  // Running it twice does no harm, so that it may be run again after a restart.
  effect: "idempotent",
  run({ euros, to }: { euros: number; to: keyof typeof RATES }) {
    const sum = `${(euros * RATES[to]).toFixed(2)} ${to}`;
    console.log(`[convert ${euros} euros -> ${sum}]`);
    return sum;
  },
});

/** Sends a message and prints the turn as it arrives. Calls are answered meanwhile. */
async function say(dwell: Dwell, message: string): Promise<void> {
  for await (const event of dwell.stream(message, { session: "typescript-chat", tools: [convert] })) {
    if (event.type === "token") process.stdout.write(event.text);
    if (event.type === "final") console.log(`\n(${event.status}, ${event.response?.model})`);
  }
}

const { DWELL_URL = "http://127.0.0.1:7437", DWELL_TOKEN = "" } = process.env;
// Node 20 has no WebSocket of its own; newer versions and browsers need no such option.
const dwell = await connect(DWELL_URL, { token: DWELL_TOKEN, WebSocket });
for (const message of process.argv.slice(2)) await say(dwell, message);
dwell.close();
