/**
 * The page's one WebSocket. It reconnects by itself, and subscriptions resume where they stopped.
 */
import { connect as connectClient, type Dwell } from "@dwell/client";
import { signal } from "@preact/signals";
import { serverUrl } from "../kit/address.ts";

/** The state of the connection. */
export const connection = signal<"connecting" | "up" | "down">("connecting");

type Notice = { type: string; data: unknown };
const listeners = new Set<(notice: Notice) => void>();
let client: Promise<Dwell> | undefined;

/** The client. The first call connects and retries until the server answers. */
export function dwell(): Promise<Dwell> {
  client ??= open();
  return client;
}

/** Subscribes to messages that belong to no session; returns the unsubscribe function. */
export function onNotice(listener: (notice: Notice) => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

async function open(): Promise<Dwell> {
  for (let pause = 200; ; pause = Math.min(pause * 2, 5_000)) {
    try {
      return await connectClient(serverUrl(), {
        cookie: true,
        // A page may stay open all day, so it never gives up reconnecting.
        patience: { giveUpMs: Number.POSITIVE_INFINITY, retryMaxMs: 3_000 },
        onConnection: (state) => (connection.value = state),
        onNotice: (notice) => {
          for (const listener of listeners) listener(notice);
        },
      });
    } catch {
      connection.value = "down";
      await new Promise((resolve) => setTimeout(resolve, pause));
    }
  }
}
