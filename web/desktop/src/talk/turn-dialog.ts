/** Which dialog about a turn is open. Apart, so that its code is loaded when it is needed. */
import { signal } from "@preact/signals";
import type { Conversation } from "../store/conversation.ts";
import type { Turn } from "../store/turn.ts";

/** A dialog, and the turn it is about. */
export type TurnDialog = { wish: "model" | "delete"; conversation: Conversation; turn: Turn };

/** The open dialog, if any. */
export const turnDialog = signal<TurnDialog | undefined>(undefined);
