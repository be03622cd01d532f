/** The errors that the client throws. */
import type { Code, Problem } from "./wire.js";

/** The base class of all errors of this library and of the server. */
export class DwellError extends Error {
  override name = "DwellError";
}

/**
 * The connection broke, and it is unknown whether the request took effect. Thrown for requests that
 * are not safe to repeat, and for everything that is open when the client gives up or is closed.
 */
export class ConnectionLost extends DwellError {
  override name = "ConnectionLost";
}

/** The first connection could not be made. */
export class CannotConnect extends DwellError {
  override name = "CannotConnect";
}

/**
 * An error response of the server: `code` is for programs, `message` says what is wrong, `hint`
 * what to do.
 */
export class Refused extends DwellError {
  override name = "Refused";
  /** One of the server's codes; a newer server may have more. */
  readonly code: Code | (string & {});
  readonly hint: string;
  readonly turnId: string | undefined;
  readonly retryAfterMs: number | undefined;

  constructor(problem: Partial<Problem> | undefined) {
    super(problem?.message ?? "the server gave no reason");
    this.code = problem?.code ?? "internal";
    this.hint = problem?.hint ?? "";
    this.turnId = problem?.turn_id ?? undefined;
    this.retryAfterMs = problem?.retry_after_ms ?? undefined;
  }

  /** Whether the token is missing, wrong or not allowed: retrying does not help. */
  get isUnauthorized(): boolean {
    return this.code === "unauthorized" || this.code === "forbidden";
  }
}

/** A turn ended without an answer. `text` is the text until then. */
export class TurnError extends DwellError {
  override name = "TurnError";

  constructor(
    message: string,
    /** `failed`, `expired`, `cancelled` or `waiting`. */
    readonly status: string,
    readonly turnId: string,
    readonly text: string,
    readonly code?: string,
    readonly reason?: string,
    readonly recoverable = false,
  ) {
    super(message);
  }
}
