/** A look at the server behind the page's back, with the owner's token. */
import type { wire } from "@dwell/client";
import { setTimeout as pause } from "node:timers/promises";

/** Requests over HTTP. What is no success is thrown. */
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

  /** A body that is sent as it is. */
  postText<T>(path: string, body: string): Promise<T> {
    return this.#ask("POST", path, body);
  }

  /** An answer that is no JSON. */
  async text(path: string): Promise<string> {
    const answer = await fetch(this.#url + path, { headers: { authorization: `Bearer ${this.#token}` } });
    if (!answer.ok) throw new Error(`GET ${path}: ${answer.status} ${await answer.text()}`);
    return answer.text();
  }

  /** A new session. */
  async session(settings: Partial<wire.Start> = {}): Promise<string> {
    const { session_id: id } = await this.post<{ session_id: string }>("/api/v1/sessions", settings);
    return id;
  }

  /** Says something, and waits for the end of the turn. */
  async say(session: string, message: string): Promise<wire.TurnView> {
    const { turn_id: turn } = await this.post<{ turn_id: string }>(`/api/v1/sessions/${session}/turns`, { message });
    return this.ended(turn);
  }

  /** Says something and does not wait. */
  async begin(session: string, message: string): Promise<string> {
    const { turn_id: turn } = await this.post<{ turn_id: string }>(`/api/v1/sessions/${session}/turns`, { message });
    return turn;
  }

  /** Answers what is left open: it would come up in the next test. */
  async denyAll(): Promise<void> {
    const { data } = await this.get<{ data: wire.ApprovalView[] }>("/api/v1/approvals");
    for (const { approval_id: id } of data) await this.post(`/api/v1/approvals/${id}`, { decision: "deny" });
  }

  /** A turn once it has ended or waits for somebody. */
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

  /** Takes a list of chat messages in as a session. */
  async take(messages: readonly { role: string; content: string }[], name: string): Promise<string> {
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

/** Asks until it is so; what was seen last is in the error. */
export async function until<T>(look: () => Promise<T>, isSo: (seen: T) => boolean, patienceMs = 45_000): Promise<T> {
  const deadline = Date.now() + patienceMs;
  for (;;) {
    const seen = await look();
    if (isSo(seen)) return seen;
    if (Date.now() > deadline) throw new Error(`it did not come to be; last seen: ${JSON.stringify(seen)}`);
    await pause(50);
  }
}
