/** The one WebSocket of the page. It comes back by itself; what is followed goes on where it was. */
import { connect as connectClient, type Dwell } from "@dwell/client";
import { signal } from "@preact/signals";

/** How the connection stands; `lost` has a moment since when. */
export const connection = signal<"connecting" | "up" | "down">("connecting");

type Notice = { type: string; data: unknown };
const listeners = new Set<(notice: Notice) => void>();
let client: Promise<Dwell> | undefined;

/** The client; the first call connects, and goes on trying until there is a server. */
export function dwell(): Promise<Dwell> {
  client ??= open();
  return client;
}

/** Listens to what belongs to no session; gives what ends the listening. */
export function onNotice(listener: (notice: Notice) => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

async function open(): Promise<Dwell> {
  for (let pause = 200; ; pause = Math.min(pause * 2, 5_000)) {
    try {
      return await connectClient(location.origin, {
        cookie: true,
        // A page that is left open all day waits for its server as long as it takes.
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
