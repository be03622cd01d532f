/** The connection: opened, kept, opened again; requests and their answers. */
import { CannotConnect, ConnectionLost, DwellError, Refused } from "./errors.js";
import type { Problem } from "./wire.js";

/** What the client needs of a WebSocket: that of browsers and Node, and of the package `ws`. */
export type SocketLike = {
  send(text: string): void;
  close(): void;
  onopen: ((event: never) => void) | null;
  onmessage: ((event: { data: unknown }) => void) | null;
  onclose: ((event: never) => void) | null;
  onerror: ((event: never) => void) | null;
};
/** How to make one. */
export type SocketMaker = new (url: string, protocols?: string[]) => SocketLike;

/** How long to wait for what, in milliseconds. */
export type Patience = {
  /** For a connection to open. */
  openMs: number;
  /** Without a word from the server, until it is asked whether it is there; as long again, and the connection is given up. */
  keepaliveMs: number;
  /** Before connecting again, at first; each failure doubles it. */
  retryMinMs: number;
  /** Before connecting again, at most. */
  retryMaxMs: number;
  /** Without any connection, until the client gives up. `Infinity` means never. */
  giveUpMs: number;
};

export const PATIENCE: Patience = {
  openMs: 10_000,
  keepaliveMs: 20_000,
  retryMinMs: 100,
  retryMaxMs: 10_000,
  giveUpMs: 300_000,
};

/** Requests that may wait for an answer at once. */
const PENDING_MAX = 4096;

/** How the owner is known: a token, one-time tickets, or, on Dwell's own page, the cookie that the browser brings by itself. */
export type Access = { token: string } | { ticket: () => Promise<string> } | { cookie: true };

/** What whoever owns a link is told. */
export type LinkHooks = {
  /** A message that is no answer. */
  onMessage(message: Record<string, unknown>): void;
  /** A connection is there, for the first time or again. */
  onUp(): void;
  /** The connection is gone. */
  onDown(): void;
  /** Nothing more will come. */
  onEnd(error: Error): void;
};

type Pending = {
  text: string;
  isRepeatable: boolean;
  sentOn?: SocketLike;
  resolve(data: unknown): void;
  reject(error: Error): void;
};

/** One connection after the other to the same server. */
export class Link {
  readonly #url: string;
  readonly #access: Access;
  readonly #patience: Patience;
  readonly #make: SocketMaker;
  readonly #hooks: LinkHooks;
  readonly #pending = new Map<number, Pending>();
  #socket: SocketLike | undefined;
  #lastId = 0;
  #attempt = 0;
  #downSince = 0;
  #heardAt = 0;
  #end: Error | undefined;
  #retry: ReturnType<typeof setTimeout> | undefined;
  #watch: ReturnType<typeof setInterval> | undefined;

  constructor(url: string, access: Access, patience: Patience, make: SocketMaker, hooks: LinkHooks) {
    this.#url = url;
    this.#access = access;
    this.#patience = patience;
    this.#make = make;
    this.#hooks = hooks;
  }

  /** Whether there is a connection now. */
  get isUp(): boolean {
    return this.#socket !== undefined;
  }

  /** Connects for the first time; a failure is the caller's to see. */
  async open(): Promise<void> {
    this.#serve(await this.#connect());
  }

  /** Ends the connection and all that is open. */
  close(): void {
    this.#finish(new ConnectionLost("the client is closed"));
  }

  /** Gives up the current connection; the next one follows at once. */
  cycle(): void {
    if (this.#socket !== undefined) this.#drop(this.#socket);
  }

  /** Asks, and gives the answer's data. What is repeatable survives the connection. */
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
    this.#heardAt = Date.now();
    socket.onmessage = (event) => this.#take(String(event.data));
    socket.onclose = () => this.#drop(socket);
    socket.onerror = () => this.#drop(socket);
    this.#watch = setInterval(() => this.#lookAfter(socket), this.#patience.keepaliveMs / 2);
    this.#hooks.onUp();
    for (const pending of this.#pending.values()) {
      // What was asked since the connection is there has gone out already.
      if (pending.sentOn !== socket) this.#send(socket, pending);
    }
  }

  #take(text: string): void {
    this.#heardAt = Date.now();
    const message = JSON.parse(text) as Record<string, unknown>;
    const { re, seq } = message;
    if (re !== undefined || seq !== undefined) this.#attempt = 0;
    if (typeof re !== "number") {
      this.#hooks.onMessage(message);
      return;
    }
    const pending = this.#pending.get(re);
    this.#pending.delete(re);
    if (message["type"] === "ok") pending?.resolve(message["data"]);
    else pending?.reject(new Refused(message["data"] as Partial<Problem> | undefined));
  }

  #send(socket: SocketLike, pending: Pending): void {
    pending.sentOn = socket;
    try {
      socket.send(pending.text);
    } catch {
      // It is closing: its end is noticed elsewhere, and what becomes of the request is decided there.
    }
  }

  /** Browsers cannot ping, and a connection can die without a word: a server that says nothing is asked. */
  #lookAfter(socket: SocketLike): void {
    const silence = Date.now() - this.#heardAt;
    if (silence >= 2 * this.#patience.keepaliveMs) this.#drop(socket);
    else if (silence >= this.#patience.keepaliveMs) socket.send(JSON.stringify({ type: "ping" }));
  }

  #drop(socket: SocketLike): void {
    if (this.#socket !== socket) return;
    this.#socket = undefined;
    clearInterval(this.#watch);
    letGo(socket);
    for (const [id, pending] of this.#pending) {
      if (pending.sentOn !== undefined && !pending.isRepeatable) {
        this.#pending.delete(id);
        const message = "the connection broke before the answer came: look whether it has happened";
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
    // Half of it by chance, so that many clients of one server do not come back in step.
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
    clearInterval(this.#watch);
    if (this.#socket !== undefined) letGo(this.#socket);
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
      await opened(socket, this.#patience.openMs);
    } catch {
      // A browser does not say why. The server does, to whoever asks in another way; a ticket is used up by now.
      if (!("ticket" in access)) await askWhy(this.#url, access, this.#patience.openMs);
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

function opened(socket: SocketLike, patienceMs: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => fail(), patienceMs);
    const fail = () => {
      clearTimeout(timer);
      letGo(socket);
      reject(new Error("it does not open"));
    };
    socket.onopen = () => {
      clearTimeout(timer);
      resolve();
    };
    socket.onerror = fail;
    socket.onclose = fail;
  });
}

/** Ends a connection that nobody listens to any more. */
function letGo(socket: SocketLike): void {
  socket.onopen = null;
  socket.onmessage = null;
  socket.onclose = null;
  // A late error is of no interest, but some implementations throw one that nobody takes.
  socket.onerror = () => {};
  socket.close();
}

/** Throws what the server says to a token or a cookie, if it says anything against it. */
async function askWhy(url: string, access: { token: string } | { cookie: true }, patienceMs: number): Promise<void> {
  let answer: globalThis.Response;
  try {
    answer = await fetch(httpAddress(url, "/readyz"), {
      headers: "token" in access ? { authorization: `Bearer ${access.token}` } : {},
      signal: AbortSignal.timeout(patienceMs),
    });
  } catch {
    return;
  }
  if (answer.status === 401 || answer.status === 403) throw new Refused(await problemOf(answer));
}

async function problemOf(answer: globalThis.Response): Promise<Partial<Problem>> {
  try {
    return (await answer.json()) as Partial<Problem>;
  } catch {
    return { message: `HTTP ${answer.status}` };
  }
}

/** A one-time ticket for a WebSocket, from a page or program that has the token. */
export async function ticketFrom(url: string, token: string): Promise<string> {
  const answer = await fetch(httpAddress(url, "/api/v1/tickets"), {
    method: "POST",
    headers: { authorization: `Bearer ${token}` },
  });
  if (!answer.ok) throw new Refused(await problemOf(answer));
  return ((await answer.json()) as { ticket: string }).ticket;
}

/** The WebSocket of a server that is named by any of its addresses. */
export function socketAddress(url: string): string {
  return addressOf(url, /^http/, "ws", "/ws");
}

function httpAddress(url: string, path: string): string {
  return addressOf(url, /^ws/, "http", path);
}

function addressOf(url: string, from: RegExp, to: string, path: string): string {
  if (!/^(http|ws)s?:\/\/[^/]/.test(url)) {
    throw new DwellError(`"${url}" is not the address of a server: give one such as http://127.0.0.1:7437`);
  }
  const base = (url.split(/[?#]/)[0] ?? url).replace(/\/+$/, "").replace(/\/ws$/, "");
  return base.replace(from, to) + path;
}
