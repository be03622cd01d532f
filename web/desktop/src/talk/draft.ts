/**
 * The draft message of each session. Its text survives switching sessions and reloading the page.
 */
import { effect, signal, type Signal } from "@preact/signals";
import type { Attachment } from "./files.ts";

/** A draft: text and attachments. */
export type Draft = { text: Signal<string>; files: Signal<readonly Attachment[]> };

const KEY = "dwell.draft.";
const drafts = new Map<string, Draft>();

/** The draft of a session; without one, that of the next new conversation. */
export function draftOf(session: string | undefined): Draft {
  const id = session ?? "new";
  let box = drafts.get(id);
  if (!box) {
    const text = signal(read(id));
    box = { text, files: signal([]) };
    drafts.set(id, box);
    effect(() => keep(id, text.value));
  }
  return box;
}

function read(id: string): string {
  try {
    return sessionStorage.getItem(KEY + id) ?? "";
  } catch {
    return "";
  }
}

function keep(id: string, text: string): void {
  try {
    if (text === "") sessionStorage.removeItem(KEY + id);
    else sessionStorage.setItem(KEY + id, text);
  } catch {
    // Storage is full or disabled: the draft still lives in memory.
  }
}
