/**
 * What the page and the app in a window say to each other; `crates/desktop/src/apps.rs` has every message. The app is not
 * trusted: whatever is not exactly such a message is ignored, and the server checks the token again.
 */
import type { Told, wire } from "@dwell/client";

/** The version of these messages. */
const VERSION = 1;
/** The longest words of an app that are passed on. */
const WORDS_MAX = 500;
/** Requests that were handed over, as many as an app remembers. */
const HANDED_MAX = 64;

/** What an app is told. */
type ToApp =
  | { type: "hello"; window_id: string; token: string; params: unknown }
  | { type: "restore"; commands: readonly wire.AppCommand[] }
  | { type: "request"; request_id: string; request: wire.AppRequest };

/** The page's part of it. */
export type Around = {
  /** Hands a message to the frame. */
  post: (message: ToApp & { dwell: number }) => void;
  ready: (manifest: unknown) => Promise<{ restore?: wire.AppCommand[]; requests?: wire.AppRequested[] }>;
  respond: (requestId: string, answer: { value?: unknown; error?: string }) => void;
  report: (did: { text?: string; did?: wire.AppCommand }) => void;
  fail: (problem: unknown) => void;
};

/** The conversation with one app in one window. */
export class AppTalk {
  readonly #handed = new Set<string>();
  /** What was said here and has not come back yet: coming back it is no news. */
  #said: string[] = [];
  #isReady = false;
  /** What happened while the app was being brought back to where it was. */
  #early: Told[] = [];

  constructor(
    readonly windowId: string,
    readonly token: string,
    readonly around: Around,
  ) {}

  /** The frame has loaded. */
  hello(params: unknown): void {
    this.#isReady = false;
    this.#post({ type: "hello", window_id: this.windowId, token: this.token, params: params ?? {} });
  }

  /** The app says something. */
  hear(message: unknown): void {
    if (!isRecord(message) || message["dwell"] !== VERSION) return;
    if (message["window_id"] !== this.windowId || message["token"] !== this.token) return;
    switch (message["type"]) {
      case "ready":
        void this.#begin(message["manifest"]);
        return;
      case "response": {
        const { request_id: id, value, error } = message;
        if (typeof id !== "string") return;
        this.around.respond(id, typeof error === "string" ? { error } : { value: value ?? null });
        return;
      }
      case "did": {
        const { name, arguments: given } = message;
        if (typeof name !== "string") return;
        const command = { name, arguments: given ?? {} };
        this.#said.push(canonical(command));
        this.around.report({ did: command });
        return;
      }
      case "interaction":
        if (typeof message["text"] === "string") {
          this.around.report({ text: Array.from(message["text"]).slice(0, WORDS_MAX).join("") });
        }
        return;
      default:
    }
  }

  /** Something happened in the session: the app is asked something, or it was used in another tab. */
  take(event: Told): void {
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
      const { restore = [], requests = [] } = await this.around.ready(manifest);
      this.#post({ type: "restore", commands: restore });
      this.#isReady = true;
      for (const asked of requests) this.#ask(asked);
      for (const event of this.#early.splice(0)) this.take(event);
    } catch (problem) {
      this.around.fail(problem);
    }
  }

  #ask({ request_id: id, request }: wire.AppRequested): void {
    if (this.#handed.has(id)) return;
    this.#handed.add(id);
    for (const old of [...this.#handed].slice(0, Math.max(0, this.#handed.size - HANDED_MAX))) this.#handed.delete(old);
    this.#post({ type: "request", request_id: id, request });
  }

  #isEcho(command: wire.AppCommand): boolean {
    const at = this.#said.indexOf(canonical(command));
    if (at < 0) return false;
    this.#said = this.#said.toSpliced(at, 1);
    return true;
  }

  #post(message: ToApp): void {
    this.around.post({ dwell: VERSION, ...message });
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The same text for the same value, whatever order its fields come in. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) =>
    isRecord(part) ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1))) : part,
  );
}
