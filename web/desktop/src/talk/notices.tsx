/** Notices about how an answer was produced, shown below it. */
import type { wire } from "@dwell/client";
import { texts } from "../languages/talk.ts";

/** Why an answer is incomplete, for answers without notices. */
function stopTexts(): Partial<Record<wire.StopReason, string>> {
  return {
    length: texts().theAnswerWasCut,
    content_filter: texts().theModelsProviderWithheld,
    refusal: texts().theModelDeclinedAnswer,
    empty: texts().theModelReturnedNo,
  };
}

/** The distinct notices of an answer. */
export function noticesOf(response: wire.Response | undefined): string[] {
  if (!response) return [];
  const notices = new Set((response.notices ?? []).map(sentence).filter(Boolean));
  const stopped = stopTexts()[response.stop_reason ?? "complete"];
  if (notices.size === 0 && stopped !== undefined) return [stopped];
  return [...notices];
}

/** A notice as a sentence; some are written to follow a colon. */
export function sentence(text: string): string {
  const words = text.trim();
  if (words === "") return "";
  const begun = words.charAt(0).toUpperCase() + words.slice(1);
  return /[.!?…]$/.test(begun) ? begun : `${begun}.`;
}

/** A notice; names between backticks are shown as code. */
export function Line({ text }: { text: string }) {
  // Every second part was between backticks.
  const parts = text.split(/`([^`]+)`/);
  return <p>{parts.map((part, index) => (index % 2 === 1 ? <code key={index}>{part}</code> : part))}</p>;
}
