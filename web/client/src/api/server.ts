/** The server itself: its models, tools, settings and health. */
import type {
  ConfigPage,
  DefaultModelPut,
  EntryView,
  Health,
  Invitation,
  ModelPage,
  ModelsChanged,
  NodePage,
  ProviderName,
  ProviderPut,
  ProviderTried,
  ProviderTry,
  ServerStats,
  SweepResult,
  Ticket,
  ToolPage,
} from "../wire.js";
import { path } from "../rest.js";
import type { Port } from "./port.js";

/** Which of several nodes answers, by its id. */
export type NodeOptions = { node?: string | undefined };

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

  /** Tries a provider out with a real request, and stores nothing. For the operator only. */
  tryProvider(asked: ProviderTry): Promise<ProviderTried> {
    return this.#port.rest.json("POST", "/api/v1/models/try", { body: asked });
  }

  /** Stores a provider with its key, which holds from the next turn on. For the operator only. */
  putProvider(provider: ProviderName, put: ProviderPut): Promise<ModelsChanged> {
    return this.#port.rest.json("PUT", path`/api/v1/models/providers/${provider}`, { body: put });
  }

  /** Forgets a stored provider and its key. For the operator only. */
  removeProvider(provider: ProviderName): Promise<ModelsChanged> {
    return this.#port.rest.json("DELETE", path`/api/v1/models/providers/${provider}`);
  }

  /** Stores the models that answer wherever none is named. For the operator only. */
  putDefaultModel(put: DefaultModelPut): Promise<ModelsChanged> {
    return this.#port.rest.json("PUT", "/api/v1/models/default", { body: put });
  }

  /** The tools, and which of them the policy allows. */
  tools(): Promise<ToolPage> {
    return this.#port.rest.json("GET", "/api/v1/tools");
  }

  /** Statistics since the start, and limits; of one of several nodes if it is named. */
  stats(options: NodeOptions = {}): Promise<ServerStats> {
    return this.#port.rest.json("GET", "/api/v1/stats", { query: options });
  }

  /** The settings and where each comes from, without secrets. For the operator only. */
  config(options: NodeOptions = {}): Promise<ConfigPage> {
    return this.#port.rest.json("GET", "/api/v1/config", { query: options });
  }

  /** The nodes that share the work. For the operator only. */
  nodes(): Promise<NodePage> {
    return this.#port.rest.json("GET", "/api/v1/nodes");
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
