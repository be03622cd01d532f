/** Alerts: what needs a person, listed or followed. */
import { ConnectionLost } from "../errors.js";
import type { Alert, AlertPage, AlertView } from "../wire.js";
import type { Port } from "./port.js";

/** How many alerts a follower remembers to recognise a repetition; the server lists at most 200. */
const KNOWN_MAX = 400;
/** How many alerts wait for a slow reader; the oldest are dropped, and `list` still has them. */
const WAITING_MAX = 1024;

/** `client.alerts`. */
export class Alerts {
  readonly #port: Port;
  readonly #followers = new Set<Follower>();

  constructor(port: Port) {
    this.#port = port;
  }

  /** The alerts, newest first. */
  list(options: { limit?: number } = {}): Promise<AlertPage> {
    return this.#port.request("alert.list", options);
  }

  /** Notes that a person has seen an alert. */
  seen(alertId: string): Promise<AlertView> {
    return this.#port.request("alert.seen", { alert_id: alertId });
  }

  /**
   * Yields alerts as they are raised, each once, across reconnections and restarts of the server,
   * until the loop ends.
   */
  async *follow(): AsyncGenerator<Alert, void, undefined> {
    const follower = new Follower();
    this.#followers.add(follower);
    try {
      await this.#join(follower);
      for (;;) yield await follower.next();
    } finally {
      this.#followers.delete(follower);
    }
  }

  /** Handles a notice of the server. */
  take(alert: Alert): void {
    for (const follower of this.#followers) follower.put(alert);
  }

  /** Follows again on a new connection; its list has what was raised in between. */
  up(): void {
    for (const follower of this.#followers) if (follower.hasBegun) void this.#join(follower);
  }

  /** The client has ended. */
  end(error: Error): void {
    for (const follower of this.#followers) follower.fail(error);
  }

  async #join(follower: Follower): Promise<void> {
    try {
      follower.begin(await this.#port.request("alert.follow", {}));
    } catch (error) {
      // A lost connection is replaced, and `up` follows again; a client that has ended says so.
      if (!(error instanceof ConnectionLost) || !follower.hasBegun) follower.fail(error as Error);
    }
  }
}

/** A reader of alerts: it gets each once, though a new connection lists them again. */
class Follower {
  hasBegun = false;
  readonly #known = new Set<string>();
  readonly #waiting: Alert[] = [];
  #failure: Error | undefined;
  #wake: () => void = () => {};

  /** A connection follows alerts; what its list has beyond the first one is new. */
  begin(page: AlertPage): void {
    const isLater = this.hasBegun;
    this.hasBegun = true;
    for (const { seen: _, deliveries: __, ...alert } of page.data.toReversed()) {
      if (isLater) this.put(alert);
      else this.#isNew(alert.alert_id);
    }
  }

  put(alert: Alert): void {
    if (!this.#isNew(alert.alert_id)) return;
    this.#waiting.push(alert);
    if (this.#waiting.length > WAITING_MAX) this.#waiting.shift();
    this.#wake();
  }

  fail(error: Error): void {
    this.#failure ??= error;
    this.#wake();
  }

  async next(): Promise<Alert> {
    for (;;) {
      const alert = this.#waiting.shift();
      if (alert !== undefined) return alert;
      if (this.#failure !== undefined) throw this.#failure;
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }

  #isNew(id: string): boolean {
    if (this.#known.has(id)) return false;
    this.#known.add(id);
    const [oldest] = this.#known;
    if (this.#known.size > KNOWN_MAX && oldest !== undefined) this.#known.delete(oldest);
    return true;
  }
}
