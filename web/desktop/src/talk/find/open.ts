/** Whether the bar that finds text in the open conversation is shown. */
import { signal } from "@preact/signals";
import { go, place } from "../../route.ts";
import { current } from "../../store/sessions.ts";

/** The session that is searched; undefined while the bar is closed. */
export const finding = signal<string | undefined>(undefined);

/**
 * Opens the bar; returns whether there is a conversation. A second press within it is the browser's
 * own search, which finds what is rendered only.
 */
export function findInConversation(): boolean {
  const open = current.peek();
  const { view } = place.peek();
  if (!open || open.turns.peek().length === 0) return false;
  const box = document.querySelector<HTMLInputElement>(".talk-find input");
  if (box && box === document.activeElement) return false;
  // The journal and other views have no transcript.
  if (view !== "talk" && view !== "desktop") go({ view: "talk", session: open.id });
  finding.value = open.id;
  box?.focus();
  box?.select();
  return true;
}
