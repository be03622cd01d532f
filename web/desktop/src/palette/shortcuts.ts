/** The keys that work everywhere: what they do, and how they are written. Pure. */
import { texts } from "../languages/kit.ts";

/** What a key does. */
export type Shortcut = "palette" | "keys" | "new" | "stop" | "next" | "previous" | "find";

/** A key press, as the browser describes it. */
export type KeyPress = Pick<KeyboardEvent, "key" | "ctrlKey" | "metaKey" | "altKey" | "shiftKey">;

/** What a press means. On a Mac, Command takes the place of Ctrl. */
export function shortcutOf(press: KeyPress, isMac: boolean): Shortcut | undefined {
  const { key, ctrlKey, metaKey, altKey, shiftKey } = press;
  const isMain = isMac ? metaKey && !ctrlKey : ctrlKey && !metaKey;
  const isAlone = !ctrlKey && !metaKey;
  if (isMain && !altKey) {
    // With Shift, layouts write other characters for `/` and `.`, but letters stay.
    const letter = key.toLowerCase();
    if (letter === "k" && !shiftKey) return "palette";
    if (letter === "o" && shiftKey) return "new";
    if (letter === "f" && !shiftKey) return "find";
    if (key === ".") return "stop";
    if (key === "/") return "keys";
  }
  if (isAlone && altKey && !shiftKey && key === "PageDown") return "next";
  if (isAlone && altKey && !shiftKey && key === "PageUp") return "previous";
  return undefined;
}

/** The keys as they are printed on the keyboard. */
export function keysOf(shortcut: Shortcut, isMac: boolean): string[] {
  const main = isMac ? "⌘" : texts().ctrl;
  const lists: Record<Shortcut, string[]> = {
    palette: [main, "K"],
    keys: [main, "/"],
    new: [main, texts().shift, "O"],
    stop: [main, "."],
    next: [texts().alt, texts().pageDown],
    previous: [texts().alt, texts().pageUp],
    find: [main, "F"],
  };
  return lists[shortcut];
}

/** Whether the keyboard is a Mac's. */
export function isMacOf(platform: string): boolean {
  return /^(Mac|iP(hone|ad|od))/.test(platform);
}
