/** The home that the server controls. */
import type { HomeView } from "../wire.js";
import type { Port } from "./port.js";

/** `client.home`. */
export class Home {
  readonly #port: Port;

  constructor(port: Port) {
    this.#port = port;
  }

  /** The current state of the home, as far as agents may see it. */
  get(): Promise<HomeView> {
    return this.#port.rest.json("GET", "/api/v1/home");
  }

  /**
   * Reads the home and follows it: `home.changed` notices (`onNotice`) report later changes. Follow
   * again after a reconnection.
   */
  follow(): Promise<HomeView> {
    return this.#port.request("home.follow", {});
  }

  /** Stops the notices. */
  async unfollow(): Promise<void> {
    await this.#port.request("home.unfollow", {});
  }
}
