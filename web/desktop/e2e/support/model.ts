/** A scripted model server with OpenAI's API: its answer and pace depend on the user's message. */
import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { SCRIPTS } from "./scripts.ts";

/** A request to the model. */
export type ModelRequest = {
  /** The user's last message, without the notes below it. */
  words: string;
  /** The results of the calls since, as text. */
  results: readonly string[];
  /** The text of all messages. */
  whole: string;
  /** How often this message was sent: 1 for the first time. */
  times: number;
  /** The temperature, where one is set. */
  temperature: number | undefined;
};

/** A model in the server's list. */
export type ListedModel = { id: string; max_model_len?: number };

/** The model's answer in one round. */
export type Round = {
  thinking?: readonly string[];
  pieces?: readonly string[];
  calls?: readonly { name: string; arguments: unknown }[];
  /** The pause before each piece. */
  pauseMs?: number;
  /** A refusal, as in OpenAI's field. */
  refusal?: string;
  /** The finish reason, if it is not the normal one. */
  finish?: "length" | "content_filter";
  /** Whether the connection breaks after the pieces. */
  isCut?: boolean;
  /** An error in place of an answer. */
  error?: { status: number; message: string; retryAfterS?: number };
};

/** A rule of the script: the first match answers. */
export type Script = { when: RegExp; says: (told: ModelRequest, fit: RegExpExecArray) => Round };

type Message = { role: string; content: unknown };

/** Splits a text into words. */
export function words(text: string): string[] {
  return text.split(/(?<=\s)/);
}

/** The scripted model server. */
export class ScriptedModel {
  /** All requests, oldest first. */
  readonly requests: ModelRequest[] = [];
  /** The listed models; undefined makes the request fail. */
  models: readonly ListedModel[] | undefined = [{ id: "test" }, { id: "other" }];
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
      const { messages, temperature } = JSON.parse(body) as { messages: Message[]; temperature?: number };
      const read = readMessages(messages);
      const times = model.requests.filter(({ words }) => words === read.words).length + 1;
      const told = { ...read, times, temperature };
      model.requests.push(told);
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

  /** OpenAI's list of models; endpoints of other servers are missing. */
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
      // The client may have been killed or have cancelled.
      if (response.destroyed) return;
      const choices = [{ index: 0, delta, finish_reason: finish }];
      const chunk = { id: "c", object: "chat.completion.chunk", created: 1, model: "test", choices };
      response.write(`data: ${JSON.stringify(chunk)}\n\n`);
    };
    await say({ role: "assistant", content: "" });
    for (const reasoning_content of round.thinking ?? []) await say({ reasoning_content });
    for (const content of round.pieces ?? []) await say({ content });
    if (round.isCut) {
      // The written data must be sent before the connection breaks.
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

/** The user's last message and the tool results after it. */
function readMessages(messages: readonly Message[]): Omit<ModelRequest, "times" | "temperature"> {
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
