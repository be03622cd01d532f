/** The conversation that is being printed. Apart, so that the code of the sheet is loaded on demand. */
import type { wire } from "@dwell/client";
import { signal } from "@preact/signals";

/** A title and all turns. */
export type Printed = { title: string; turns: readonly wire.TurnView[] };

/** What is on the sheet; undefined while nothing is printed. */
export const printed = signal<Printed | undefined>(undefined);
