/** The connection: opens, keeps alive and reopens a WebSocket; matches requests with answers. */
import { type Access, socketAddress, throwIfUnauthorized } from "./access.js";
import { CannotConnect, ConnectionLost, Refused } from "./errors.js";
import type { Problem } from "./wire.js";

/**
 * The part of a WebSocket that the client uses; browsers, Node and the package `ws` have it. Their
 * events differ in type, so none is named here.
 */
export type SocketLike = {
  send(text: string): void;
  close(): void;
  onopen: ((event: never) => void) | null;
  onmessage: ((event: never) => void) | null;
  onclose: ((event: never) => void) | null;
  onerror: ((event: never) => void) | null;
};
/** The constructor of a WebSocket. */
export type SocketMaker = new (url: string, protocols?: string[]) => SocketLike;

/** Timeouts and retry delays in milliseconds. */
export type Patience = {
  /** Timeout for opening a connection. */
  openMs: number;
  /** Silence before a ping is sent; after twice this time the connection counts as dead. */
  keepaliveMs: number;
  /** The first delay before reconnecting; each failure doubles it. */
  retryMinMs: number;
  /** The maximum delay before reconnecting. */
  retryMaxMs: number;
  /** How long to retry before giving up. `Infinity` means forever. */
  giveUpMs: number;
};

export const PATIENCE: Patience = {
  openMs: 10_000,
  keepaliveMs: 20_000,
  retryMinMs: 100,
  retryMaxMs: 10_000,
  giveUpMs: 300_000,
};

/** The maximum number of requests without an answer. */
const PENDING_MAX = 4096;

/** Callbacks of a connection. */
export type ConnectionHooks = {
  /** A message that is not an answer. */
  onMessage(message: Record<string, unknown>): void;
  /** Connected, for the first time or again. */
  onUp(): void;
  /** The connection was lost. */
  onDown(): void;
  /** The connection has ended for good. */
  onEnd(error: Error): void;
};

type Pending = {
  text: string;
  isRepeatable: boolean;
  sentOn?: SocketLike;
  resolve(data: unknown): void;
  reject(error: Error): void;
};

/** A connection to one server that reconnects by itself. */
export class Connection {
  readonly #url: string;
  readonly #access: Access;
  readonly #patience: Patience;
  readonly #make: SocketMaker;
  readonly #hooks: ConnectionHooks;
  readonly #pending = new Map<number, Pending>();
  #socket: SocketLike | undefined;
  #lastId = 0;
  #attempt = 0;
  #downSince = 0;
  #lastMessageAt = 0;
  #end: Error | undefined;
  #retry: ReturnType<typeof setTimeout> | undefined;
  #keepalive: ReturnType<typeof setInterval> | undefined;

  constructor(url: string, access: Access, patience: Patience, make: SocketMaker, hooks: ConnectionHooks) {
    this.#url = url;
    this.#access = access;
    this.#patience = patience;
    this.#make = make;
    this.#hooks = hooks;
  }

  /** Whether it is connected now. */
  get isUp(): boolean {
    return this.#socket !== undefined;
  }

  /** Connects for the first time; a failure is thrown. */
  async open(): Promise<void> {
    this.#serve(await this.#connect());
  }

  /** Closes the connection and rejects all open requests. */
  close(): void {
    this.#finish(new ConnectionLost("the client is closed"));
  }

  /** Drops the current socket and reconnects. */
  cycle(): void {
    if (this.#socket !== undefined) this.#drop(this.#socket);
  }

  /** Sends a request and returns the answer's data. Repeatable requests survive a reconnection. */
  request(kind: string, data: object, isRepeatable: boolean): Promise<unknown> {
    if (this.#end !== undefined) return Promise.reject(this.#end);
    if (this.#pending.size >= PENDING_MAX) {
      const message = `${PENDING_MAX} requests have no answer yet`;
      return Promise.reject(new Refused({ code: "rate_limited", message, hint: "Wait for one of them." }));
    }
    this.#lastId += 1;
    const id = this.#lastId;
    const text = JSON.stringify({ type: kind, id, data });
    return new Promise((resolve, reject) => {
      const pending: Pending = { text, isRepeatable, resolve, reject };
      this.#pending.set(id, pending);
      if (this.#socket !== undefined) this.#send(this.#socket, pending);
    });
  }

  #serve(socket: SocketLike): void {
    if (this.#end !== undefined) {
      socket.close();
      return;
    }
    this.#socket = socket;
    this.#lastMessageAt = Date.now();
    socket.onmessage = (event: { data: unknown }) => this.#take(String(event.data));
    socket.onclose = () => this.#drop(socket);
    socket.onerror = () => this.#drop(socket);
    this.#keepalive = setInterval(() => this.#checkAlive(socket), this.#patience.keepaliveMs / 2);
    this.#hooks.onUp();
    for (const pending of this.#pending.values()) {
      // Requests made since the socket opened were sent already.
      if (pending.sentOn !== socket) this.#send(socket, pending);
    }
  }

  #take(text: string): void {
    this.#lastMessageAt = Date.now();
    const message = JSON.parse(text) as Record<string, unknown>;
    const { re, seq } = message;
    if (re !== undefined || seq !== undefined) this.#attempt = 0;
    if (typeof re !== "number") {
      this.#hooks.onMessage(message);
      return;
    }
    const pending = this.#pending.get(re);
    this.#pending.delete(re);
    if (message["type"] === "error") pending?.reject(new Refused(message["data"] as Partial<Problem> | undefined));
    else pending?.resolve(message["data"]);
  }

  #send(socket: SocketLike, pending: Pending): void {
    pending.sentOn = socket;
    try {
      socket.send(pending.text);
    } catch {
      // The socket is closing; `#drop` decides what becomes of the request.
    }
  }

  /** Sends a ping after silence: browsers cannot ping, and a connection can die unnoticed. */
  #checkAlive(socket: SocketLike): void {
    const silence = Date.now() - this.#lastMessageAt;
    if (silence >= 2 * this.#patience.keepaliveMs) this.#drop(socket);
    else if (silence >= this.#patience.keepaliveMs) socket.send(JSON.stringify({ type: "ping" }));
  }

  #drop(socket: SocketLike): void {
    if (this.#socket !== socket) return;
    this.#socket = undefined;
    clearInterval(this.#keepalive);
    release(socket);
    for (const [id, pending] of this.#pending) {
      if (pending.sentOn !== undefined && !pending.isRepeatable) {
        this.#pending.delete(id);
        const message = "the connection broke before the answer came: check whether the request took effect";
        pending.reject(new ConnectionLost(message));
      }
    }
    this.#hooks.onDown();
    this.#downSince = Date.now();
    this.#connectLater();
  }

  #connectLater(): void {
    if (this.#end !== undefined) return;
    const { retryMinMs, retryMaxMs } = this.#patience;
    const longest = Math.min(retryMaxMs, retryMinMs * 2 ** Math.min(this.#attempt, 32));
    this.#attempt += 1;
    // Half of the delay is random, so that many clients do not reconnect at the same moment.
    this.#retry = setTimeout(() => void this.#connectAgain(), longest * (0.5 + Math.random() / 2));
  }

  async #connectAgain(): Promise<void> {
    try {
      this.#serve(await this.#connect());
    } catch (error) {
      const waited = Date.now() - this.#downSince;
      if (error instanceof Refused && error.isUnauthorized) this.#finish(error);
      else if (waited >= this.#patience.giveUpMs) {
        this.#finish(new ConnectionLost(`no connection for ${Math.round(waited / 1000)} s: ${String(error)}`));
      } else this.#connectLater();
    }
  }

  #finish(error: Error): void {
    if (this.#end !== undefined) return;
    this.#end = error;
    clearTimeout(this.#retry);
    clearInterval(this.#keepalive);
    if (this.#socket !== undefined) release(this.#socket);
    this.#socket = undefined;
    for (const pending of this.#pending.values()) pending.reject(error);
    this.#pending.clear();
    this.#hooks.onEnd(error);
  }

  async #connect(): Promise<SocketLike> {
    const address = socketAddress(this.#url);
    const access = this.#access;
    const socket = await this.#dial(address, access);
    try {
      await waitForOpen(socket, this.#patience.openMs);
    } catch {
      // Browsers give no reason, but an HTTP request does. A ticket is used up by now.
      if (!("ticket" in access)) await throwIfUnauthorized(this.#url, access, this.#patience.openMs);
      throw new CannotConnect(`cannot connect to ${address}`);
    }
    return socket;
  }

  async #dial(address: string, access: Access): Promise<SocketLike> {
    if ("token" in access) return new this.#make(address, ["dwell", `dwell.bearer.${access.token}`]);
    if ("cookie" in access) return new this.#make(address);
    return new this.#make(`${address}?ticket=${encodeURIComponent(await access.ticket())}`, ["dwell"]);
  }
}

function waitForOpen(socket: SocketLike, patienceMs: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => fail(), patienceMs);
    const fail = () => {
      clearTimeout(timer);
      release(socket);
      reject(new Error("the WebSocket does not open"));
    };
    socket.onopen = () => {
      clearTimeout(timer);
      resolve();
    };
    socket.onerror = fail;
    socket.onclose = fail;
  });
}

/** Closes a socket and removes its handlers. */
function release(socket: SocketLike): void {
  socket.onopen = null;
  socket.onmessage = null;
  socket.onclose = null;
  // Some implementations throw late errors that have no handler.
  socket.onerror = () => {};
  socket.close();
}
