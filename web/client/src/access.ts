/** Addresses of a server, and how a client proves that it may use it. */
import { DwellError, Refused } from "./errors.js";
import type { Problem } from "./wire.js";

/** Authentication: a token, one-time tickets, or on Dwell's own page the browser's cookie. */
export type Access = { token: string } | { ticket: () => Promise<string> } | { cookie: true };

/** Throws the server's error if it rejects the token or cookie. */
export async function throwIfUnauthorized(
  url: string,
  access: { token: string } | { cookie: true },
  patienceMs: number,
): Promise<void> {
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

/** The error of an HTTP response. */
export async function problemOf(answer: globalThis.Response): Promise<Partial<Problem>> {
  try {
    return (await answer.json()) as Partial<Problem>;
  } catch {
    return { message: `HTTP ${answer.status}` };
  }
}

/** Gets a one-time ticket for a WebSocket, for programs that have the token. */
export async function ticketFrom(url: string, token: string): Promise<string> {
  const answer = await fetch(httpAddress(url, "/api/v1/tickets"), {
    method: "POST",
    headers: { authorization: `Bearer ${token}` },
  });
  if (!answer.ok) throw new Refused(await problemOf(answer));
  return ((await answer.json()) as { ticket: string }).ticket;
}

/** The WebSocket address of a server, from any of its addresses. */
export function socketAddress(url: string): string {
  return addressOf(url, /^http/, "ws", "/ws");
}

/** The HTTP address of a path of a server. */
export function httpAddress(url: string, path: string): string {
  return addressOf(url, /^ws/, "http", path);
}

function addressOf(url: string, from: RegExp, to: string, path: string): string {
  if (!/^(http|ws)s?:\/\/[^/]/.test(url)) {
    throw new DwellError(`"${url}" is not the address of a server: use one such as http://127.0.0.1:7437`);
  }
  const base = (url.split(/[?#]/)[0] ?? url).replace(/\/+$/, "").replace(/\/ws$/, "");
  return base.replace(from, to) + path;
}
