/** The server itself: its models, tools, settings and health. */
import type {
  ConfigPage,
  EntryView,
  Health,
  Invitation,
  ModelPage,
  ServerStats,
  SweepResult,
  Ticket,
  ToolPage,
} from "../wire.js";
import type { Port } from "./port.js";

/** `client.server`. */
export class ServerCalls {
  readonly #port: Port;

  constructor(port: Port) {
    this.#port = port;
  }

  /** Whether the server runs. */
  health(): Promise<Health> {
    return this.#port.rest.json("GET", "/healthz");
  }

  /** Whether the server can write. */
  ready(): Promise<Health> {
    return this.#port.rest.json("GET", "/readyz");
  }

  /** Checks the connection: resolves when the server has answered over the WebSocket. */
  async ping(): Promise<void> {
    await this.#port.request("ping", {});
  }

  /** The OpenAPI description of the REST API. */
  openapi(): Promise<Record<string, unknown>> {
    return this.#port.rest.json("GET", "/openapi.json");
  }

  /** The models, with their figures and where each comes from. */
  models(): Promise<ModelPage> {
    return this.#port.rest.json("GET", "/api/v1/models");
  }

  /** Asks every provider for its models again. For the operator only. */
  refreshModels(): Promise<ModelPage> {
    return this.#port.rest.json("POST", "/api/v1/models/refresh");
  }

  /** The tools, and which of them the policy allows. */
  tools(): Promise<ToolPage> {
    return this.#port.rest.json("GET", "/api/v1/tools");
  }

  /** Statistics since the start, and limits. */
  stats(): Promise<ServerStats> {
    return this.#port.rest.json("GET", "/api/v1/stats");
  }

  /** The settings and where each comes from, without secrets. For the operator only. */
  config(): Promise<ConfigPage> {
    return this.#port.rest.json("GET", "/api/v1/config");
  }

  /** Removes expired artifacts, memories and sessions now. For the operator only. */
  sweep(options: { trustClock?: boolean } = {}): Promise<SweepResult> {
    return this.#port.rest.json("POST", "/api/v1/sweep", { query: { trust_clock: options.trustClock } });
  }

  /** A ticket for one WebSocket or event stream, for a page that must not hold the token. */
  ticket(): Promise<Ticket> {
    return this.#port.rest.json("POST", "/api/v1/tickets");
  }

  /** An invitation that lets one browser in, within ten minutes. */
  invitation(): Promise<Invitation> {
    return this.#port.rest.json("POST", "/api/v1/invitations");
  }

  /** The owner that this client speaks for. */
  owner(): Promise<EntryView> {
    return this.#port.rest.json("GET", "/api/v1/entry");
  }
}
