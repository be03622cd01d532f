/** Reads answers aloud with the browser's own voices. */
import { signal } from "@preact/signals";
import { spokenPieces, spokenText } from "./words.ts";

/** What is being read: an id of the reader's choice; undefined while it is quiet. */
export const reading = signal<string | undefined>(undefined);

/** Whether this browser has voices. */
export const canReadAloud = "speechSynthesis" in globalThis && "SpeechSynthesisUtterance" in globalThis;

/** Reads a text, or stops if it is the one being read. */
export function readAloud(id: string, markdown: string): void {
  const isSame = reading.peek() === id;
  stopReading();
  if (isSame) return;
  const pieces = spokenPieces(spokenText(markdown));
  if (pieces.length === 0) return;
  reading.value = id;
  const last = pieces.length - 1;
  for (const [index, piece] of pieces.entries()) {
    const spoken = new SpeechSynthesisUtterance(piece);
    const end = () => {
      if (reading.peek() === id) reading.value = undefined;
    };
    if (index === last) spoken.onend = end;
    spoken.onerror = end;
    speechSynthesis.speak(spoken);
  }
}

/** Stops reading. */
export function stopReading(): void {
  if (reading.peek() === undefined) return;
  reading.value = undefined;
  speechSynthesis.cancel();
}
