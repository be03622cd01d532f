/** Words for those who hear the page: said once, in order, without moving the focus. */
import { signal } from "@preact/signals";

/** What is being said. */
export const announced = signal("");

/** Says something. The same words again are said again. */
export function announce(words: string): void {
  // A change is needed for it to be said; a space nobody hears is one.
  announced.value = announced.value === words ? `${words}\u00a0` : words;
}
