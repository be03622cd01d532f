/** Calls that wait for the user's approval. */
import type { Decision } from "../requests.js";
import type { Session } from "../session-ref.js";
import type { ApprovalPage } from "../wire.js";
import { idOf, type Port } from "./port.js";

/** `client.approvals`. */
export class Approvals {
  readonly #port: Port;

  constructor(port: Port) {
    this.#port = port;
  }

  /** The calls that wait for approval, of a session or of all. */
  async list(options: { session?: Session } = {}): Promise<ApprovalPage> {
    const { session } = options;
    const query = session === undefined ? {} : { session_id: await idOf(this.#port, session) };
    return this.#port.rest.json("GET", "/api/v1/approvals", { query });
  }

  /** Approves or denies a call. `digest` ties the answer to exactly the call that was shown. */
  async answer(approvalId: string, decision: Decision = "once", digest?: string): Promise<void> {
    await this.#port.request("approval.answer", { approval_id: approvalId, decision, digest });
  }
}
