/** A worker: serves tools to all sessions of the owner, across reconnections and restarts. */
import type { Call, CallOptions, CallRecords, CallRunner } from "./calls.js";
import { ConnectionLost, DwellError, Refused } from "./errors.js";
import type { Requests } from "./requests.js";
import { newKey } from "./session-ref.js";
import { byName, type Tool } from "./tool.js";

/** Options of `serve`. */
export type ServeOptions = {
  /**
   * The worker's name. A call that must not run twice comes back only to a worker of the same name,
   * so give one that stays the same when the program is restarted. One connection at a time can
   * have a name. Default: a random one.
   */
  worker?: string;
  /** The maximum number of calls that run at once; more wait for their turn. Default: 16. */
  concurrency?: number;
  /** Results of earlier processes, so that a restarted worker answers with them. */
  records?: CallRecords;
  /** Told of what went wrong beside the calls, such as a record that could not be written. */
  onError?: (error: unknown) => void;
};

/** What a worker needs of the connection. */
export type WorkerPort = {
  isUp(): boolean;
  serve(data: Requests["tool.serve"][0]): Promise<unknown>;
  /** Called once the worker has stopped. */
  release(): void;
};

/** The data of `tool.call`. */
type CallData = {
  session_id: string;
  turn_id: string;
  agent_id?: string;
  call_id: string;
  tool: string;
  arguments: unknown;
  until?: string;
  key?: string;
  redelivered?: boolean;
};
/** The data of `tool.cancel`. */
type CancelData = { turn_id: string; call_id: string; reason?: string };

const CONCURRENCY = 16;
/** Error codes after which the tools are announced again. */
const TRANSIENT = new Set(["rate_limited", "unavailable", "internal"]);
const RETRY_MS = 500;

/** Serves tools until it is stopped, or until the client is closed. Made by `serve`. */
export class ToolWorker {
  /** The worker's name. */
  readonly name: string;
  /**
   * Resolves when the worker was stopped; rejects when it cannot go on, for example because the
   * client gave up the connection.
   */
  readonly closed: Promise<void>;
  readonly #tools: Map<string, Tool>;
  readonly #runner: CallRunner;
  readonly #port: WorkerPort;
  readonly #options: CallOptions;
  readonly #onError: (error: unknown) => void;
  readonly #running = new Set<Promise<void>>();
  #close: (error?: Error) => void = () => {};
  #isStarted = false;
  #isStopped = false;
  #isAnnouncing = false;
  #isWanted = false;

  constructor(tools: readonly Tool[], options: ServeOptions, runner: CallRunner, port: WorkerPort) {
    this.name = options.worker ?? `worker-${newKey().slice(0, 8)}`;
    this.#tools = byName(tools);
    if (this.#tools.size === 0) throw new TypeError("pass at least one tool to serve");
    this.#runner = runner;
    this.#port = port;
    this.#onError = options.onError ?? (() => {});
    const { records, concurrency = CONCURRENCY } = options;
    if (!(concurrency >= 1)) throw new TypeError("concurrency must be 1 or more");
    const gate = new Gate(concurrency);
    this.#options = { records, onError: this.#onError, enter: () => gate.enter() };
    this.closed = new Promise((resolve, reject) => {
      this.#close = (error) => (error === undefined ? resolve() : reject(error));
    });
    // The caller need not wait for it.
    this.closed.catch(() => {});
  }

  /** The names of the tools. */
  get tools(): string[] {
    return [...this.#tools.keys()];
  }

  /** Announces the tools for the first time; a refusal is thrown. */
  async start(): Promise<void> {
    for (;;) {
      try {
        await this.#announce();
        this.#isStarted = true;
        return;
      } catch (error) {
        // The next connection announces them, unless the client has ended.
        if (!(error instanceof ConnectionLost) || this.#isStopped) throw error;
      }
    }
  }

  /** Takes no further calls; resolves when those that run are answered. */
  async stop(): Promise<void> {
    if (this.#isStopped) return this.closed;
    this.#isStopped = true;
    try {
      await this.#port.serve({ tools: [], worker: this.name });
    } catch (error) {
      // Without a connection the server knows that the worker is gone.
      if (!(error instanceof ConnectionLost)) this.#onError(error);
    }
    await Promise.all(this.#running);
    this.#end();
  }

  /** Connected again: the server gives the calls that wait to those that announce their tools. */
  up(): void {
    if (this.#isStopped || !this.#isStarted) return;
    this.#isWanted = true;
    if (!this.#isAnnouncing) void this.#announceAgain();
  }

  /** The client was closed or has given up. */
  end(error: Error): void {
    this.#isStopped = true;
    this.#end(error);
  }

  /** Handles `tool.call`, `tool.cancel` and `tool.serving`. */
  take(type: string, data: unknown): void {
    if (type === "tool.serving") {
      // It also confirms what this worker announced; none at all means that it was displaced.
      if (this.#isStopped || (data as { tools: string[] }).tools.length > 0) return;
      this.end(new DwellError(`another connection serves as the worker ${this.name} now`));
      return;
    }
    if (type === "tool.cancel") {
      const { turn_id, call_id, reason } = data as CancelData;
      this.#runner.cancel(turn_id, call_id, reason ?? "no reason given");
      return;
    }
    const call = readCall(data as CallData);
    const taken = this.#runner.take(call, this.#tools.get(call.tool), this.#options).catch((error: unknown) => {
      // The end of the client is told by `closed`.
      if (!(error instanceof ConnectionLost)) this.#onError(error);
    });
    this.#running.add(taken);
    void taken.finally(() => this.#running.delete(taken));
  }

  #announce(): Promise<unknown> {
    const tools = [...this.#tools.values()].map(({ name, description, input_schema, effect }) => {
      return { name, description, input_schema, effect };
    });
    return this.#port.serve({ tools, worker: this.name });
  }

  async #announceAgain(): Promise<void> {
    this.#isAnnouncing = true;
    while (this.#isWanted && this.#port.isUp()) {
      this.#isWanted = false;
      try {
        await this.#announce();
      } catch (error) {
        if (error instanceof ConnectionLost) continue;
        if (!(error instanceof Refused) || !TRANSIENT.has(error.code)) {
          this.end(error instanceof Error ? error : new Error(String(error)));
          break;
        }
        await new Promise((resolve) => setTimeout(resolve, (error.retryAfterMs ?? 0) + RETRY_MS));
        this.#isWanted = true;
      }
    }
    this.#isAnnouncing = false;
  }

  #end(error?: Error): void {
    this.#close(error);
    this.#port.release();
  }
}

function readCall(data: CallData): Call {
  const { session_id, turn_id, agent_id, call_id, tool, until, key, redelivered } = data;
  return {
    sessionId: session_id,
    turnId: turn_id,
    agentId: agent_id,
    callId: call_id,
    tool,
    arguments: data.arguments,
    until,
    key: key ?? `${turn_id}-${call_id}`,
    redelivered: redelivered ?? false,
  };
}

/** Lets a limited number of calls run at once, in the order in which they came. */
class Gate {
  readonly #waiting: (() => void)[] = [];
  #free: number;

  constructor(size: number) {
    this.#free = size;
  }

  async enter(): Promise<() => void> {
    if (this.#free > 0) this.#free -= 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    let hasLeft = false;
    return () => {
      if (hasLeft) return;
      hasLeft = true;
      const next = this.#waiting.shift();
      if (next === undefined) this.#free += 1;
      else next();
    };
  }
}
