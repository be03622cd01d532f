/** Which dialog of the Planned view is open. */
import type { wire } from "@dwell/client";
import { signal } from "@preact/signals";

/** The form, the question before a schedule is cancelled, or the secret of a new webhook. */
export type OpenDialog = { what: "new" } | { what: "edit" | "cancel" | "hook"; schedule: wire.ScheduleView };

/** The open dialog, if any. */
export const openDialog = signal<OpenDialog | undefined>(undefined);
