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
  /** How often it was asked with these words: 1 for the first time. */
  times: number;
};

/** A model that it lists. */
export type Listed = { id: string; max_model_len?: number };

/** What the model says in one round. */
export type Round = {
  thinking?: readonly string[];
  pieces?: readonly string[];
  calls?: readonly { name: string; arguments: unknown }[];
  /** Before each piece. */
  pauseMs?: number;
  /** Why it declines, in OpenAI's field for that. */
  refusal?: string;
  /** Why it ends, if not by itself. */
  finish?: "length" | "content_filter";
  /** Whether the connection breaks after the pieces. */
  isCut?: boolean;
  /** It answers with an error in place of words. */
  error?: { status: number; message: string; retryAfterS?: number };
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
  /** What it lists when it is asked for its models; nothing where that fails. */
  models: readonly Listed[] | undefined = [{ id: "test" }, { id: "other" }];
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
        model.#list(request.url ?? "", response);
        return;
      }
      const read = readMessages((JSON.parse(body) as { messages: Message[] }).messages);
      const told = { ...read, times: model.asked.filter(({ words }) => words === read.words).length + 1 };
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

  /** OpenAI's list of models; what other servers have beside it is not there. */
  #list(path: string, response: ServerResponse): void {
    if (!path.endsWith("/v1/models")) {
      response.writeHead(404).end();
      return;
    }
    const data = this.models?.map((listed) => ({ object: "model", created: 1, owned_by: "test", ...listed }));
    response.statusCode = data ? 200 : 500;
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify(data ? { object: "list", data } : { error: { message: "the list is lost" } }));
  }

  async #say(response: ServerResponse, round: Round): Promise<void> {
    if (round.error) {
      const { status, message, retryAfterS } = round.error;
      if (retryAfterS !== undefined) response.setHeader("retry-after", String(retryAfterS));
      response.writeHead(status, { "content-type": "application/json" });
      response.end(JSON.stringify({ error: { message, type: "error", code: null } }));
      return;
    }
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
    if (round.isCut) {
      // What was written has to be on its way before the connection breaks.
      await pause(100);
      response.destroy();
      return;
    }
    if (round.refusal !== undefined) await say({ refusal: round.refusal });
    for (const [index, call] of (round.calls ?? []).entries()) {
      this.#calls += 1;
      const made = { name: call.name, arguments: JSON.stringify(call.arguments) };
      await say({ tool_calls: [{ index, id: `call-${this.#calls}`, type: "function", function: made }] });
    }
    await say({}, round.finish ?? (round.calls ? "tool_calls" : "stop"));
    const usage = { prompt_tokens: 900, completion_tokens: 80, total_tokens: 980 };
    if (response.destroyed) return;
    response.write(
      `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", created: 1, model: "test", choices: [], usage })}\n\n`,
    );
    response.end("data: [DONE]\n\n");
  }
}

/** What stands in a list of messages: the last words of the user, and what came of the calls after them. */
function readMessages(messages: readonly Message[]): Omit<Told, "times"> {
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
