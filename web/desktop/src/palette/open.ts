/** Whether the command palette or the list of keys is open. Apart, so that any view may open them. */
import { signal } from "@preact/signals";

/** What is open. */
export const openPalette = signal<"commands" | "keys" | undefined>(undefined);
