/** Hints on what to do about a failed turn, where its message does not say so. */
import type { wire } from "@dwell/client";
import { isRecord } from "../kit/value-words.ts";

const MAY_PASS = "This may be temporary. Try again.";
const LEFT_OUT = "Later answers will ignore this message.";

/** The hint below an error message; undefined if the message says it all. */
export function failureHint(error: wire.TurnError | undefined): string | undefined {
  if (!error) return MAY_PASS;
  const details = isRecord(error.details) ? error.details : {};
  switch (error.code) {
    case "model_context_exceeded":
      return "Shorten the message, or choose a model with a larger context window.";
    case "model_filtered":
      return `Rephrase the message, or choose another model. ${LEFT_OUT}`;
    case "model_declined":
      return LEFT_OUT;
    case "model_empty":
      return undefined;
    case "model_rate_limited":
      return rateHint(details["retry_after_ms"]);
    case "model_refused":
      if (details["status"] === 401 || details["status"] === 403)
        return "Fix the API key and retry, or choose another model above.";
      break;
    case "model_unconfigured":
    case "unknown_model":
      return "Choose another model above, then retry.";
  }
  if (error.recoverable) return MAY_PASS;
  return "Retrying as is would fail again. Change the message or the model first.";
}

function rateHint(waitMs: unknown): string {
  if (typeof waitMs !== "number") return "Try again later, or choose another model above.";
  return `Retry in ${waitWords(waitMs)}, or choose another model above.`;
}

/** A waiting time, rounded up: `20 s`, `5 min`, `2 h`. */
export function waitWords(ms: number): string {
  const seconds = Math.max(1, Math.ceil(ms / 1_000));
  if (seconds < 120) return `${seconds} s`;
  const minutes = Math.ceil(seconds / 60);
  return minutes < 120 ? `${minutes} min` : `${Math.ceil(minutes / 60)} h`;
}
