/** What a person should know of how an answer was made, in quiet lines below it. */
import type { wire } from "@dwell/client";

/** Why an answer is not whole, for answers that do not say so themselves. */
const STOPPED: Partial<Record<wire.StopReason, string>> = {
  length: "The answer was cut at the longest length allowed.",
  content_filter: "The model's provider held the rest of the answer back.",
  refusal: "The model declined to answer.",
  empty: "The model ended without a word.",
};

/** The lines below an answer, each said once. */
export function noticesOf(response: wire.Response | undefined): string[] {
  if (!response) return [];
  const notices = new Set((response.notices ?? []).map(sentence).filter(Boolean));
  const stopped = STOPPED[response.stop_reason ?? "complete"];
  if (notices.size === 0 && stopped !== undefined) return [stopped];
  return [...notices];
}

/** A notice as a sentence; some of them are written to follow a colon. */
export function sentence(text: string): string {
  const words = text.trim();
  if (words === "") return "";
  const begun = words.charAt(0).toUpperCase() + words.slice(1);
  return /[.!?…]$/.test(begun) ? begun : `${begun}.`;
}

/** A line in which names of settings and models stand out. */
export function Line({ text }: { text: string }) {
  // Every second part was between backticks.
  const parts = text.split(/`([^`]+)`/);
  return <p>{parts.map((part, index) => (index % 2 === 1 ? <code key={index}>{part}</code> : part))}</p>;
}
