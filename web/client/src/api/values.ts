/** Values: bytes that programs store under keys of their own. */
import { newKey } from "../session-ref.js";
import type { StoredValue, ValueList, ValuePage, ValueWrite, ValueWriteResult } from "../wire.js";
import type { Port } from "./port.js";

/**
 * `client.values`. Bytes are Base64 in both directions. The same write again has the same effect, so
 * a broken connection does no harm.
 */
export class Values {
  readonly #port: Port;

  constructor(port: Port) {
    this.#port = port;
  }

  /** Deletes and stores values, all or none; answered once that is on the server's disk. */
  write(changes: Partial<ValueWrite>): Promise<ValueWriteResult> {
    return this.#port.rest.json("POST", "/api/v1/values/write", { body: changes, key: newKey() });
  }

  /** The values under these keys; keys without a value are left out. */
  async read(keys: string[][]): Promise<StoredValue[]> {
    const body = { keys };
    return (await this.#port.rest.json<ValuePage>("POST", "/api/v1/values/read", { body, key: newKey() })).data;
  }

  /** A page of the values below some parts of a key; with `near`, the most similar first. */
  list(options: Partial<ValueList> = {}): Promise<ValuePage> {
    return this.#port.rest.json("POST", "/api/v1/values/list", { body: options, key: newKey() });
  }
}
