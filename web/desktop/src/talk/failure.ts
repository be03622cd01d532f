/** What to do about a turn that failed, where its message does not say so already. */
import type { wire } from "@dwell/client";
import { isRecord } from "../kit/value-words.ts";

const MAY_PASS = "That may pass by itself: try again.";
const LEFT_OUT = "Later answers do not take this question into account.";

/** A hint below the message of an error; undefined where the message says all of it. */
export function failureHint(error: wire.TurnError | undefined): string | undefined {
  if (!error) return MAY_PASS;
  const details = isRecord(error.details) ? error.details : {};
  switch (error.code) {
    case "model_context_exceeded":
      return "Make the message shorter, or choose a model that reads more.";
    case "model_filtered":
      return `Say it in other words, or choose another model. ${LEFT_OUT}`;
    case "model_declined":
      return LEFT_OUT;
    case "model_empty":
      return undefined;
    case "model_rate_limited":
      return rateHint(details["retry_after_ms"]);
    case "model_refused":
      if (details["status"] === 401 || details["status"] === 403)
        return "Once the key is right, retry; or choose another model above.";
      break;
    case "model_unconfigured":
    case "unknown_model":
      return "Choose another model above, then retry.";
  }
  if (error.recoverable) return MAY_PASS;
  return "The same again would fail the same way: change the message or the model, then retry.";
}

function rateHint(waitMs: unknown): string {
  if (typeof waitMs !== "number") return "Try again in a while, or choose another model above.";
  return `It can be asked again in ${waitWords(waitMs)}. Retry then, or choose another model above.`;
}

/** How long to wait, rounded up: `20 s`, `5 min`, `2 h`. */
export function waitWords(ms: number): string {
  const seconds = Math.max(1, Math.ceil(ms / 1_000));
  if (seconds < 120) return `${seconds} s`;
  const minutes = Math.ceil(seconds / 60);
  return minutes < 120 ? `${minutes} min` : `${Math.ceil(minutes / 60)} h`;
}
