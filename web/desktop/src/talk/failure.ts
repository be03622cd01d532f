/** Hints on what to do about a failed turn, where its message does not say so. */
import type { wire } from "@dwell/client";
import { isRecord } from "../kit/value-words.ts";
import { texts } from "../languages/talk.ts";

function mayPass() {
  return texts().thisMayBeTemporary;
}
function leftOut() {
  return texts().laterAnswersWillIgnore;
}

/** The hint below an error message; undefined if the message says it all. */
export function failureHint(error: wire.TurnError | undefined): string | undefined {
  if (!error) return mayPass();
  const details = isRecord(error.details) ? error.details : {};
  switch (error.code) {
    case "model_context_exceeded":
      return texts().shortenMessageOrChoose;
    case "model_filtered":
      return texts().rephraseMessageOrChoose(leftOut());
    case "model_declined":
      return leftOut();
    case "model_empty":
      return undefined;
    case "model_rate_limited":
      return rateHint(details["retry_after_ms"]);
    case "model_refused":
      if (details["status"] === 401 || details["status"] === 403) return texts().fixApiKeyAnd;
      break;
    case "model_unconfigured":
    case "unknown_model":
      return texts().chooseAnotherModelAbove;
  }
  if (error.recoverable) return mayPass();
  return texts().retryingAsWouldFail;
}

function rateHint(waitMs: unknown): string {
  if (typeof waitMs !== "number") return texts().tryAgainLaterOr;
  return texts().retryOrChooseAnother(waitWords(waitMs));
}

/** A waiting time, rounded up: `20 s`, `5 min`, `2 h`. */
export function waitWords(ms: number): string {
  const seconds = Math.max(1, Math.ceil(ms / 1_000));
  if (seconds < 120) return `${seconds} s`;
  const minutes = Math.ceil(seconds / 60);
  return minutes < 120 ? texts().minutesMin(minutes) : `${Math.ceil(minutes / 60)} h`;
}
