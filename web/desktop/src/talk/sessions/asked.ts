/** Which dialog about a session is open. Apart, so that the list and the palette may open it. */
import type { wire } from "@dwell/client";
import { signal } from "@preact/signals";

/** A dialog, and the session it is about. */
export type SessionDialog =
  { wish: "rename" | "folder" | "export" | "end" | "delete"; session: wire.SessionView } | { wish: "import" };

/** The open dialog, if any. */
export const sessionDialog = signal<SessionDialog | undefined>(undefined);
