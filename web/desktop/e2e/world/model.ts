/** A model server that follows a script, with OpenAI's wire: what it says depends on what was asked, at the pace it is told. */
import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { SCRIPTS } from "./scripts.ts";

/** What the model is told. */
export type Told = {
  /** The newest words of the user, without the notes below them. */
  words: string;
  /** What came of the calls since, as text. */
  results: readonly string[];
  /** Everything that was said to it. */
  whole: string;
};

/** What the model says in one round. */
export type Round = {
  thinking?: readonly string[];
  pieces?: readonly string[];
  calls?: readonly { name: string; arguments: unknown }[];
  /** Before each piece. */
  pauseMs?: number;
};

/** A part of the script: the first that fits answers. */
export type Script = { when: RegExp; says: (told: Told, fit: RegExpExecArray) => Round };

type Message = { role: string; content: unknown };

/** The words of a text, one by one. */
export function words(text: string): string[] {
  return text.split(/(?<=\s)/);
}

/** The model. */
export class ScriptedModel {
  /** What it was asked, oldest first. */
  readonly asked: Told[] = [];
  readonly #server: Server;
  #calls = 0;

  private constructor(server: Server) {
    this.#server = server;
  }

  static async start(scripts: readonly Script[] = SCRIPTS): Promise<ScriptedModel> {
    const server = createServer();
    const model = new ScriptedModel(server);
    server.on("request", async (request, response) => {
      let body = "";
      for await (const chunk of request) body += String(chunk);
      if (request.method !== "POST") {
        const data = ["test", "other"].map((id) => ({ id, object: "model", created: 1, owned_by: "test" }));
        response.setHeader("content-type", "application/json").end(JSON.stringify({ object: "list", data }));
        return;
      }
      const told = read((JSON.parse(body) as { messages: Message[] }).messages);
      model.asked.push(told);
      for (const { when, says } of scripts) {
        const fit = when.exec(told.words);
        if (fit) return model.#say(response, says(told, fit));
      }
      return model.#say(response, { pieces: words(`You said: ${told.words}`) });
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return model;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/v1`;
  }

  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  async #say(response: ServerResponse, round: Round): Promise<void> {
    response.setHeader("content-type", "text/event-stream");
    const say = async (delta: object, finish: string | null = null) => {
      if (round.pauseMs) await pause(round.pauseMs);
      // Whoever asked may be gone: killed, or it has cancelled.
      if (response.destroyed) return;
      const choices = [{ index: 0, delta, finish_reason: finish }];
      const chunk = { id: "c", object: "chat.completion.chunk", created: 1, model: "test", choices };
      response.write(`data: ${JSON.stringify(chunk)}\n\n`);
    };
    await say({ role: "assistant", content: "" });
    for (const reasoning_content of round.thinking ?? []) await say({ reasoning_content });
    for (const content of round.pieces ?? []) await say({ content });
    for (const [index, call] of (round.calls ?? []).entries()) {
      this.#calls += 1;
      const made = { name: call.name, arguments: JSON.stringify(call.arguments) };
      await say({ tool_calls: [{ index, id: `call-${this.#calls}`, type: "function", function: made }] });
    }
    await say({}, round.calls ? "tool_calls" : "stop");
    const usage = { prompt_tokens: 900, completion_tokens: 80, total_tokens: 980 };
    if (response.destroyed) return;
    response.write(
      `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", created: 1, model: "test", choices: [], usage })}\n\n`,
    );
    response.end("data: [DONE]\n\n");
  }
}

/** What stands in a list of messages: the last words of the user, and what came of the calls after them. */
function read(messages: readonly Message[]): Told {
  const last = messages.findLastIndex(({ role }) => role === "user");
  const [said = ""] = textOf(messages[last]).split("<notes>");
  const after = messages.slice(last + 1).filter(({ role }) => role === "tool");
  return { words: said.trim(), results: after.map(textOf), whole: messages.map(textOf).join("\n") };
}

function textOf(message: Message | undefined): string {
  const content = message?.content;
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content
    .map((part: unknown) => (part && typeof part === "object" && "text" in part ? String(part.text) : ""))
    .join("");
}
