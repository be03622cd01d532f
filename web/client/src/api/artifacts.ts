/** Artifacts: files that turns have stored. */
import { path } from "../rest.js";
import type { Session } from "../session-ref.js";
import type { ArtifactPage } from "../wire.js";
import { idOf, type PageOptions, type Port } from "./port.js";

/** `client.artifacts`. */
export class Artifacts {
  readonly #port: Port;

  constructor(port: Port) {
    this.#port = port;
  }

  /** The artifacts of a session, or all of the owner, newest first. */
  async list(options: PageOptions & { session?: Session } = {}): Promise<ArtifactPage> {
    const { session, ...query } = options;
    if (session === undefined) return this.#port.rest.json("GET", "/api/v1/artifacts", { query });
    const id = await idOf(this.#port, session);
    return this.#port.rest.json("GET", path`/api/v1/sessions/${id}/artifacts`, { query });
  }

  /** An artifact's bytes. */
  bytes(artifactId: string): Promise<Uint8Array> {
    return this.#port.rest.bytes("GET", path`/api/v1/artifacts/${artifactId}`);
  }

  /** An artifact as text. */
  text(artifactId: string): Promise<string> {
    return this.#port.rest.text("GET", path`/api/v1/artifacts/${artifactId}`);
  }

  /** Removes an artifact. */
  async remove(artifactId: string): Promise<void> {
    await this.#port.rest.text("DELETE", path`/api/v1/artifacts/${artifactId}`);
  }
}
