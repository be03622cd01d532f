/** Announcements for screen readers, made without moving the focus. */
import { signal } from "@preact/signals";

/** The current announcement. */
export const announced = signal("");

/** Announces a text. The same text again is announced again. */
export function announce(words: string): void {
  // A live region speaks only when it changes; a trailing space is a silent change.
  announced.value = announced.value === words ? `${words}\u00a0` : words;
}
