/** HTTP requests to the server, authenticated by the browser's cookie. */
import type { wire } from "@dwell/client";
import { addressOf } from "../kit/address.ts";
import { texts } from "../languages/shell.ts";

/** An error response of the server: its message, code, and hint on what to do. */
export class ApiError extends Error {
  readonly status: number;
  readonly code: string;
  readonly hint: string;

  constructor(status: number, problem: Partial<wire.Problem>) {
    super(problem.message ?? texts().theServerAnswered(status));
    this.name = "ApiError";
    this.status = status;
    this.code = problem.code ?? "internal";
    this.hint = problem.hint ?? texts().tryAgainHint;
  }
}

/** Callbacks for when the server no longer accepts the cookie. */
export const onUnauthorized = new Set<() => void>();

let skewMs = 0;

/**
 * The current time by the server's clock, estimated from its `Date` headers. Used for countdowns.
 */
export function serverNow(): number {
  return Date.now() + skewMs;
}

type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** Sends a JSON request. A response other than a success is thrown as an `ApiError`. */
export async function api<T>(method: Method, path: string, body?: unknown, signal?: AbortSignal): Promise<T> {
  const answer = await ask(method, path, body, signal);
  if (answer.status === 204) return undefined as T;
  return (await answer.json()) as T;
}

/** Reads a response that is plain text. */
export async function apiText(path: string): Promise<string> {
  return (await ask("GET", path)).text();
}

async function ask(method: Method, path: string, body?: unknown, signal?: AbortSignal): Promise<globalThis.Response> {
  const init: RequestInit = { method, credentials: "same-origin", signal: signal ?? null };
  if (body !== undefined) {
    init.headers = { "content-type": "application/json" };
    init.body = JSON.stringify(body);
  }
  const answer = await fetch(addressOf(path), init);
  const told = Date.parse(answer.headers.get("date") ?? "") + 500;
  // The header has whole seconds, so a small difference means nothing.
  if (!Number.isNaN(told)) skewMs = Math.abs(told - Date.now()) > 2_000 ? told - Date.now() : 0;
  if (answer.ok) return answer;
  const problem: unknown = await answer.json().catch(() => ({}));
  const error = new ApiError(answer.status, problem as Partial<wire.Problem>);
  if (answer.status === 401 && path !== "/api/v1/entry") for (const told of onUnauthorized) told();
  throw error;
}

/** A path with query parameters; undefined ones are left out. */
export function pathWith(path: string, parameters: Record<string, string | number | boolean | undefined>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== undefined) query.set(name, String(value));
  }
  const text = query.toString();
  return text === "" ? path : `${path}?${text}`;
}

/** An error as shown to the user: the message, and a hint on what to do where there is one. */
export function describeError(error: unknown): { message: string; hint?: string | undefined } {
  if (error instanceof Error) {
    const { hint } = error as { hint?: unknown };
    return { message: error.message, hint: typeof hint === "string" ? hint : undefined };
  }
  return { message: String(error) };
}
