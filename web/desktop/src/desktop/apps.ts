/**
 * The message protocol between the page and an app in a window; `crates/desktop/src/apps.rs`
 * documents every message. The app is not trusted: other messages are ignored, and the server
 * checks the token again.
 */
import type { FeedEvent, wire } from "@dwell/client";

/** The protocol version. */
const VERSION = 1;
/** The maximum length of a text that is passed on from an app. */
const WORDS_MAX = 500;
/** How many request ids are kept to skip duplicates, as many as an app keeps. */
const FORWARDED_MAX = 64;

/** A message to an app. */
type ToApp =
  | { type: "hello"; window_id: string; token: string; params: unknown }
  | { type: "restore"; commands: readonly wire.AppCommand[] }
  | { type: "request"; request_id: string; request: wire.AppRequest };

/** The page's side of the protocol. */
export type AppHost = {
  /** Posts a message to the frame. */
  post: (message: ToApp & { dwell: number }) => void;
  ready: (manifest: unknown) => Promise<{ restore?: wire.AppCommand[]; requests?: wire.AppRequested[] }>;
  respond: (requestId: string, answer: { value?: unknown; error?: string }) => void;
  report: (did: { text?: string; did?: wire.AppCommand }) => void;
  fail: (problem: unknown) => void;
};

/** The message channel to the app of one window. */
export class AppChannel {
  readonly #forwarded = new Set<string>();
  /** Commands reported from here whose echo has not come back yet. */
  #pendingEchoes: string[] = [];
  #isReady = false;
  /** Events received while the app was being restored. */
  #early: FeedEvent[] = [];

  constructor(
    readonly windowId: string,
    readonly token: string,
    readonly host: AppHost,
  ) {}

  /** Greets the app after its frame has loaded. */
  hello(params: unknown): void {
    this.#isReady = false;
    this.#post({ type: "hello", window_id: this.windowId, token: this.token, params: params ?? {} });
  }

  /** Handles a message from the app. */
  receive(message: unknown): void {
    if (!isRecord(message) || message["dwell"] !== VERSION) return;
    if (message["window_id"] !== this.windowId || message["token"] !== this.token) return;
    switch (message["type"]) {
      case "ready":
        void this.#begin(message["manifest"]);
        return;
      case "response": {
        const { request_id: id, value, error } = message;
        if (typeof id !== "string") return;
        this.host.respond(id, typeof error === "string" ? { error } : { value: value ?? null });
        return;
      }
      case "did": {
        const { name, arguments: given } = message;
        if (typeof name !== "string") return;
        const command = { name, arguments: given ?? {} };
        this.#pendingEchoes.push(canonical(command));
        this.host.report({ did: command });
        return;
      }
      case "interaction":
        if (typeof message["text"] === "string") {
          this.host.report({ text: Array.from(message["text"]).slice(0, WORDS_MAX).join("") });
        }
        return;
      default:
    }
  }

  /** Handles a session event: a request to the app, or its use in another tab. */
  take(event: FeedEvent): void {
    if (!this.#isReady) {
      if (event.type === "app.request" || event.type === "user.interaction") this.#early.push(event);
      return;
    }
    if (event.type === "app.request" && event.data.window_id === this.windowId) this.#ask(event.data);
    if (event.type === "user.interaction") {
      const commands = event.data.interactions.flatMap((done) => {
        const isHere = done.type === "app.interaction" && done.window_id === this.windowId;
        return isHere && done.did && !this.#isEcho(done.did) ? [done.did] : [];
      });
      if (commands.length > 0) this.#post({ type: "restore", commands });
    }
  }

  async #begin(manifest: unknown): Promise<void> {
    this.#early = [];
    try {
      const { restore = [], requests = [] } = await this.host.ready(manifest);
      this.#post({ type: "restore", commands: restore });
      this.#isReady = true;
      for (const asked of requests) this.#ask(asked);
      for (const event of this.#early.splice(0)) this.take(event);
    } catch (problem) {
      this.host.fail(problem);
    }
  }

  #ask({ request_id: id, request }: wire.AppRequested): void {
    if (this.#forwarded.has(id)) return;
    this.#forwarded.add(id);
    for (const old of [...this.#forwarded].slice(0, Math.max(0, this.#forwarded.size - FORWARDED_MAX)))
      this.#forwarded.delete(old);
    this.#post({ type: "request", request_id: id, request });
  }

  #isEcho(command: wire.AppCommand): boolean {
    const at = this.#pendingEchoes.indexOf(canonical(command));
    if (at < 0) return false;
    this.#pendingEchoes = this.#pendingEchoes.toSpliced(at, 1);
    return true;
  }

  #post(message: ToApp): void {
    this.host.post({ dwell: VERSION, ...message });
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Canonical JSON: equal values give equal text, whatever the order of their fields. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) =>
    isRecord(part) ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1))) : part,
  );
}
