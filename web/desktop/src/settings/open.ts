/** Whether the settings are open, and at which part. A module of its own, so that any view may. */
import { signal } from "@preact/signals";

/** The open part of the settings; undefined while they are closed. */
export const openSettings = signal<"general" | "models" | undefined>(undefined);
