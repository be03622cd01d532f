/** REST access to the server with the owner's token, beside the page. */
import type { wire } from "@dwell/client";
import { setTimeout as pause } from "node:timers/promises";

/** HTTP requests. A response other than a success is thrown. */
export class Rest {
  readonly #url: string;
  readonly #token: string;

  constructor(url: string, token: string) {
    this.#url = url;
    this.#token = token;
  }

  get<T>(path: string): Promise<T> {
    return this.#ask("GET", path);
  }

  post<T>(path: string, body: unknown): Promise<T> {
    return this.#ask("POST", path, JSON.stringify(body));
  }

  put<T>(path: string, body: unknown): Promise<T> {
    return this.#ask("PUT", path, JSON.stringify(body));
  }

  /** Sends a raw body. */
  postText<T>(path: string, body: string): Promise<T> {
    return this.#ask("POST", path, body);
  }

  /** Reads a response as text. */
  async text(path: string): Promise<string> {
    const answer = await fetch(this.#url + path, { headers: { authorization: `Bearer ${this.#token}` } });
    if (!answer.ok) throw new Error(`GET ${path}: ${answer.status} ${await answer.text()}`);
    return answer.text();
  }

  /** Creates a session. */
  async session(settings: Partial<wire.SessionStart> = {}): Promise<string> {
    const { session_id: id } = await this.post<{ session_id: string }>("/api/v1/sessions", settings);
    return id;
  }

  /** Sends a message and waits for the end of the turn. */
  async say(session: string, message: string): Promise<wire.TurnView> {
    const { turn_id: turn } = await this.post<{ turn_id: string }>(`/api/v1/sessions/${session}/turns`, { message });
    return this.ended(turn);
  }

  /** Sends a message without waiting. */
  async begin(session: string, message: string): Promise<string> {
    const { turn_id: turn } = await this.post<{ turn_id: string }>(`/api/v1/sessions/${session}/turns`, { message });
    return turn;
  }

  /** Denies open approvals, which would show up in the next test. */
  async denyAll(): Promise<void> {
    const { data } = await this.get<{ data: wire.ApprovalView[] }>("/api/v1/approvals");
    for (const { approval_id: id } of data) await this.post(`/api/v1/approvals/${id}`, { decision: "deny" });
  }

  /** Waits until a turn has ended or waits for the user. */
  async ended(turn: string): Promise<wire.TurnView> {
    for (;;) {
      const view = await this.get<wire.TurnView>(`/api/v1/turns/${turn}?wait_ms=200`);
      if (!["pending", "running", "streaming"].includes(view.status)) return view;
    }
  }

  /** The turns of a session, oldest first. */
  async turns(session: string): Promise<wire.TurnView[]> {
    return (await this.get<wire.TurnPage>(`/api/v1/sessions/${session}/turns?limit=200`)).data;
  }

  async desktop(session: string): Promise<wire.DesktopView> {
    return this.get(`/api/v1/sessions/${session}/desktop`);
  }

  /** Imports a list of chat messages as a session. */
  async importMessages(messages: readonly { role: string; content: string }[], name: string): Promise<string> {
    const path = `/api/v1/sessions/import?format=openai&conversation_id=${encodeURIComponent(name)}`;
    return (await this.post<wire.SessionView>(path, messages)).session_id;
  }

  async #ask<T>(method: string, path: string, body?: string): Promise<T> {
    const answer = await fetch(this.#url + path, {
      method,
      headers: {
        authorization: `Bearer ${this.#token}`,
        ...(body !== undefined && { "content-type": "application/json" }),
      },
      ...(body !== undefined && { body }),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
    return (text === "" ? undefined : JSON.parse(text)) as T;
  }
}

/** Polls until a condition holds; the error has the last value. */
export async function until<T>(look: () => Promise<T>, isSo: (seen: T) => boolean, patienceMs = 45_000): Promise<T> {
  const deadline = Date.now() + patienceMs;
  for (;;) {
    const seen = await look();
    if (isSo(seen)) return seen;
    if (Date.now() > deadline)
      throw new Error(`the condition did not become true; last value: ${JSON.stringify(seen)}`);
    await pause(50);
  }
}
