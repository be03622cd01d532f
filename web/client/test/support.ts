/** Test fixtures: the real server, a scripted model, and a proxy that cuts connections. */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, openSync, readFileSync, rmSync } from "node:fs";
import { createServer as createHttpServer, type Server } from "node:http";
import { type AddressInfo, connect as connectTcp, createServer as createTcpServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { WebSocket as NodeWebSocket } from "ws";
import { type ConnectOptions, connect, type Dwell, type Patience, type SocketMaker } from "../src/index.js";

export const TOKEN = "test-token-0123456789";
/** Short retry delays, since the tests cut many connections. */
export const FAST_RETRY: Partial<Patience> = { retryMinMs: 10, retryMaxMs: 200, giveUpMs: 30_000 };
/** Node 20 has no WebSocket of its own. */
export const WebSocket = ("WebSocket" in globalThis ? globalThis.WebSocket : NodeWebSocket) as unknown as SocketMaker;

/** Why tests with the real server are skipped; undefined if they can run. */
export const skip: string | undefined = process.env["DWELL_BIN"]
  ? undefined
  : "DWELL_BIN does not name a built dwell: run ./test, or set it";

/** A client of a server. */
export function clientOf(url: string, options: Partial<ConnectOptions> = {}): Promise<Dwell> {
  return connect(url, { token: TOKEN, WebSocket, patience: FAST_RETRY, ...options });
}

/** The model's answer: pieces of text, with a pause before each, or calls of tools. */
export type Reply = { pieces: string[]; pauseMs?: number; calls?: { name: string; arguments: object }[] };

/** A message in a model request. */
export type Message = { role: string; content: unknown };

/** The text of a message, which is a string or a list of parts. */
export function textOf({ content }: Message): string {
  if (typeof content === "string") return content;
  return ((content ?? []) as { text?: string }[]).map((part) => part.text ?? "").join("");
}

/** A reply that calls a tool. */
export function callOf(name: string, given: object): Reply {
  return { pieces: [], calls: [{ name, arguments: given }] };
}

/** A reply that sends a text word by word. */
export function words(text: string, pauseMs = 0): Reply {
  return { pieces: text.split(" ").map((word) => `${word} `), pauseMs };
}

/** A scripted model server with OpenAI's API. */
export class ScriptedModel {
  rule: (messages: Message[]) => Reply = () => words("All is well.");
  /** The number of calls so far. */
  calls = 0;
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
  }

  static async start(): Promise<ScriptedModel> {
    const server = createHttpServer();
    const model = new ScriptedModel(server);
    server.on("request", async (request, response) => {
      let body = "";
      for await (const chunk of request) body += String(chunk);
      if (request.method !== "POST") {
        response.setHeader("content-type", "application/json").end('{"object":"list","data":[]}');
        return;
      }
      const asked = JSON.parse(body) as { messages: Message[] };
      const reply = model.rule(asked.messages);
      response.setHeader("content-type", "text/event-stream");
      const say = (value: unknown) => response.write(`data: ${JSON.stringify(value)}\n\n`);
      const chunk = (delta: object, finish: string | null = null) => ({
        id: "c",
        object: "chat.completion.chunk",
        created: 1,
        model: "test",
        choices: [{ index: 0, delta, finish_reason: finish }],
      });
      say(chunk({ role: "assistant", content: "" }));
      for (const content of reply.pieces) {
        if (reply.pauseMs) await pause(reply.pauseMs);
        // The client was killed or has cancelled.
        if (response.destroyed) return;
        say(chunk({ content }));
      }
      for (const [index, call] of (reply.calls ?? []).entries()) {
        const asked = { name: call.name, arguments: JSON.stringify(call.arguments) };
        model.calls += 1;
        say(chunk({ tool_calls: [{ index, id: `call_${model.calls}`, type: "function", function: asked }] }));
      }
      say(chunk({}, reply.calls === undefined ? "stop" : "tool_calls"));
      response.end("data: [DONE]\n\n");
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
}

/**
 * The real server with its own data folder, which can be killed and restarted at the same address.
 */
export class Program {
  readonly #folder = mkdtempSync(join(tmpdir(), "dwell-client-"));
  readonly #environment: Record<string, string>;
  #process: ChildProcess | undefined;
  port = 0;

  constructor(model?: ScriptedModel, more: Record<string, string> = {}) {
    const asking = model && {
      OPENAI_API_KEY: "sk-test",
      OPENAI_BASE_URL: model.url,
      DWELL_MODEL: "openai/test",
      DWELL_MEMORY_FOLLOW_SESSIONS: "false",
    };
    this.#environment = { HOME: this.#folder, DWELL_TOKEN: TOKEN, DWELL_HOME_ENABLED: "false", ...asking, ...more };
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** A folder beside the server's data, which is removed with it. */
  get folder(): string {
    return this.#folder;
  }

  async start(): Promise<this> {
    this.port ||= await freePort();
    const printed = join(this.#folder, "printed");
    const log = openSync(join(this.#folder, "log"), "a");
    const data = ["--data", join(this.#folder, "data"), "--listen", `127.0.0.1:${this.port}`];
    const child = spawn(String(process.env["DWELL_BIN"]), ["serve", ...data], {
      env: this.#environment,
      stdio: ["ignore", openSync(printed, "w"), log],
    });
    this.#process = child;
    const deadline = Date.now() + 30_000;
    while (!readFileSync(printed, "utf8").includes("listening on")) {
      const log = () => readFileSync(join(this.#folder, "log"), "utf8");
      if (child.exitCode !== null || Date.now() > deadline) throw new Error(`the server does not start: ${log()}`);
      await pause(10);
    }
    return this;
  }

  setToken(token: string): void {
    this.#environment["DWELL_TOKEN"] = token;
  }

  /** Kills the process, as a power cut would. */
  async kill(): Promise<void> {
    const child = this.#process;
    this.#process = undefined;
    if (child === undefined || child.exitCode !== null) return;
    const ended = new Promise((resolve) => child.once("exit", resolve));
    child.kill("SIGKILL");
    await ended;
  }

  async end(): Promise<void> {
    await this.kill();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

async function freePort(): Promise<number> {
  const probe = createTcpServer();
  await new Promise<void>((resolve) => probe.listen(0, "127.0.0.1", resolve));
  const { port } = probe.address() as AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  return port;
}

/**
 * A proxy that cuts each connection after as many WebSocket frames from the server as `frames`
 * says.
 */
export async function cuttingProxy(port: number, frames: () => number) {
  const sockets = new Set<Socket>();
  /** The number of connections; on the first `mute` of them the server's data is dropped. */
  const state = { connections: 0, mute: 0 };
  const server = createTcpServer((client) => {
    state.connections += 1;
    const number = state.connections;
    let left = frames();
    const upstream = connectTcp(port, "127.0.0.1");
    const both = [client, upstream];
    const cut = () => {
      for (const socket of both) socket.destroy();
    };
    for (const socket of both) {
      sockets.add(socket);
      socket.on("error", cut).on("close", cut);
      socket.on("close", () => sockets.delete(socket));
    }
    client.pipe(upstream);
    let unread = Buffer.alloc(0);
    let isOpen = false;
    upstream.on("data", (chunk) => {
      if (number <= state.mute) return;
      unread = Buffer.concat([unread, chunk]);
      for (;;) {
        const length = isOpen ? frameLength(unread) : headLength(unread);
        if (length === undefined || unread.length < length) return;
        const piece = unread.subarray(0, length);
        unread = unread.subarray(length);
        if (isOpen) left -= 1;
        else if (!piece.includes("101 Switching")) {
          // Not a WebSocket: the rest is passed on unchanged.
          upstream.removeAllListeners("data");
          client.write(piece);
          client.write(unread);
          upstream.pipe(client);
          return;
        }
        isOpen = true;
        if (left <= 0) {
          client.end(piece);
          setTimeout(cut, 5);
          return;
        }
        client.write(piece);
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port: own } = server.address() as AddressInfo;
  const stop = () => {
    server.close();
    for (const socket of sockets) socket.destroy();
  };
  return { url: `http://127.0.0.1:${own}`, state, stop };
}

function headLength(bytes: Buffer): number | undefined {
  const end = bytes.indexOf("\r\n\r\n");
  return end < 0 ? undefined : end + 4;
}

function frameLength(bytes: Buffer): number | undefined {
  const short = (bytes[1] ?? 0) & 0x7f;
  const head = short === 126 ? 4 : short === 127 ? 10 : 2;
  if (bytes.length < head) return undefined;
  if (short === 126) return head + bytes.readUInt16BE(2);
  return head + (short === 127 ? Number(bytes.readBigUInt64BE(2)) : short);
}
