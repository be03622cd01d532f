/** REST requests: for what the WebSocket has no message. They use the same token. */
import { type Access, httpAddress, problemOf } from "./access.js";
import type { Patience } from "./connection.js";
import { CannotConnect, DwellError, Refused } from "./errors.js";

type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** What a request carries. */
export type RestOptions = {
  query?: object | undefined;
  /** Sent as JSON. */
  body?: unknown;
  /** The idempotency key: with it a request is sent again when the connection broke. */
  key?: string | undefined;
};

/** Sends requests over HTTP. */
export class Rest {
  readonly #url: string;
  readonly #access: Access;
  readonly #patience: Patience;
  readonly #fetch: typeof fetch;

  constructor(url: string, access: Access, patience: Patience, fetchWith: typeof fetch = globalThis.fetch) {
    this.#url = url;
    this.#access = access;
    this.#patience = patience;
    // Browsers refuse a `fetch` that is called as a method of something else.
    this.#fetch = (...given) => fetchWith(...given);
  }

  /** Sends a request and reads the answer as JSON. */
  async json<T>(method: Method, path: string, options: RestOptions = {}): Promise<T> {
    return (await (await this.#send(method, path, options)).json()) as T;
  }

  /** Sends a request and reads the answer as text. */
  async text(method: Method, path: string, options: RestOptions = {}): Promise<string> {
    return (await this.#send(method, path, options)).text();
  }

  /** Sends a request and reads the answer as bytes. */
  async bytes(method: Method, path: string, options: RestOptions = {}): Promise<Uint8Array> {
    return new Uint8Array(await (await this.#send(method, path, options)).arrayBuffer());
  }

  async #send(method: Method, path: string, options: RestOptions): Promise<globalThis.Response> {
    const address = httpAddress(this.#url, path) + search(options.query);
    const request = { method, headers: this.#headers(options), ...bodyOf(options) };
    const isRepeatable = method === "GET" || options.key !== undefined;
    const { retryMinMs, retryMaxMs, giveUpMs } = this.#patience;
    const deadline = Date.now() + giveUpMs;
    for (let attempt = 0; ; attempt += 1) {
      let answer: globalThis.Response;
      try {
        answer = await this.#fetch(address, request);
      } catch (error) {
        const longest = Math.min(retryMaxMs, retryMinMs * 2 ** Math.min(attempt, 32));
        if (!isRepeatable || Date.now() + longest > deadline) throw new CannotConnect(reasonOf(address, error));
        await new Promise((resolve) => setTimeout(resolve, longest * (0.5 + Math.random() / 2)));
        continue;
      }
      if (!answer.ok) throw new Refused(await problemOf(answer));
      return answer;
    }
  }

  #headers({ body, key }: RestOptions): Record<string, string> {
    const headers: Record<string, string> = {};
    const access = this.#access;
    if ("token" in access) headers["authorization"] = `Bearer ${access.token}`;
    else if ("ticket" in access) {
      throw new DwellError("this call goes over REST, which takes no tickets: connect with a token, or use the cookie");
    }
    if (body !== undefined) headers["content-type"] = "application/json";
    if (key !== undefined) headers["idempotency-key"] = key;
    return headers;
  }
}

/** A path whose parts are escaped: `path\`/api/v1/turns/${id}\``. */
export function path(texts: TemplateStringsArray, ...parts: (string | number)[]): string {
  return texts.reduce((all, text, index) => all + encodeURIComponent(parts[index - 1] ?? "") + text);
}

function bodyOf({ body }: RestOptions): { body?: string } {
  return body === undefined ? {} : { body: JSON.stringify(body) };
}

function search(query: object | undefined): string {
  const fields = new URLSearchParams();
  for (const [name, value] of Object.entries(query ?? {})) {
    if (value === undefined || value === null) continue;
    fields.set(name, Array.isArray(value) ? value.join(",") : String(value as string | number | boolean));
  }
  const text = fields.toString();
  return text === "" ? "" : `?${text}`;
}

function reasonOf(address: string, error: unknown): string {
  const { message, cause } = error as { message?: string; cause?: { code?: string } };
  return `cannot reach ${new URL(address).origin}: ${cause?.code ?? message ?? String(error)}`;
}
