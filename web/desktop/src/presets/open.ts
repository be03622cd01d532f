/** Whether the dialog of prompts and personas is open, and at which part. */
import { signal } from "@preact/signals";

/** The open part; undefined while it is closed. */
export const openPresets = signal<"prompts" | "personas" | undefined>(undefined);
