/** What is in the box one writes in, per session: it is still there after one has looked at another, and after a reload. */
import { effect, signal, type Signal } from "@preact/signals";
import type { Attached } from "./files.ts";

/** A box. */
export type Box = { text: Signal<string>; files: Signal<readonly Attached[]> };

const KEY = "dwell.draft.";
const boxes = new Map<string, Box>();

/** The box of a session; without one, that of the conversation that is about to begin. */
export function boxOf(session: string | undefined): Box {
  const id = session ?? "new";
  let box = boxes.get(id);
  if (!box) {
    const text = signal(read(id));
    box = { text, files: signal([]) };
    boxes.set(id, box);
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
    // There is no room, or none is allowed: the words stay in the box all the same.
  }
}
