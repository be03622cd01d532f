/** A server that a test drives message by message. */
import type { AddressInfo } from "node:net";
import { type WebSocket, WebSocketServer } from "ws";

/** A message from the client. */
export type Sent = { type: string; id?: number; data: Record<string, unknown> };

/** Records what clients send, answers it, and pushes what the test says. */
export class FakeServer {
  readonly received: Sent[] = [];
  /** The data of the answer to a message, or an error. */
  reply: (message: Sent) => object | { error: object } | undefined = () => ({});
  readonly #server: WebSocketServer;
  #socket: WebSocket | undefined;
  #changed: () => void = () => {};

  private constructor(server: WebSocketServer) {
    this.#server = server;
    server.on("connection", (socket) => {
      this.#socket = socket;
      socket.on("message", (text: Buffer) => this.#take(socket, JSON.parse(text.toString()) as Sent));
    });
  }

  static async start(): Promise<FakeServer> {
    const server = new WebSocketServer({ port: 0, host: "127.0.0.1", handleProtocols: () => "dwell" });
    await new Promise((resolve) => server.once("listening", resolve));
    return new FakeServer(server);
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** The messages of a type so far. */
  of(type: string): Record<string, unknown>[] {
    return this.received.filter((message) => message.type === type).map((message) => message.data);
  }

  /** Waits until there are this many messages of a type, and returns them. */
  async until(type: string, count: number): Promise<Record<string, unknown>[]> {
    while (this.of(type).length < count) await new Promise<void>((resolve) => (this.#changed = resolve));
    return this.of(type);
  }

  /** Sends a message that is no answer. */
  push(type: string, data: object): void {
    this.#socket?.send(JSON.stringify({ type, data }));
  }

  /** Breaks the connection. */
  cut(): void {
    this.#socket?.terminate();
  }

  stop(): void {
    this.#server.close();
    for (const socket of this.#server.clients) socket.terminate();
  }

  #take(socket: WebSocket, message: Sent): void {
    this.received.push(message);
    this.#changed();
    const data = this.reply(message);
    if (data === undefined || message.id === undefined) return;
    const answer = "error" in data ? { type: "error", data: data.error } : { type: "ok", data };
    socket.send(JSON.stringify({ ...answer, re: message.id }));
  }
}
