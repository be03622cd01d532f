/** What can go wrong, said so that the reader knows what to do. */
import type { Code, Problem } from "./wire.js";

/** Any failure of this library or of the server it talks to. */
export class DwellError extends Error {
  override name = "DwellError";
}

/**
 * The connection broke, and nobody can tell whether what was asked has happened. Thrown for requests that are not safe to
 * repeat, and for everything that is open when the client gives up or is closed.
 */
export class ConnectionLost extends DwellError {
  override name = "ConnectionLost";
}

/** The first connection could not be made. */
export class CannotConnect extends DwellError {
  override name = "CannotConnect";
}

/** The server refused: `code` is a word for programs, `message` says what was wrong, `hint` what to do. */
export class Refused extends DwellError {
  override name = "Refused";
  /** One of the server's codes; a newer server may know more. */
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

  /** Whether the token is missing, wrong or of no use here: trying again does not help. */
  get isUnauthorized(): boolean {
    return this.code === "unauthorized" || this.code === "forbidden";
  }
}

/** A turn did not end with an answer. `text` is what was said until then. */
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
