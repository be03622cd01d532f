/** The list of all keys. */
import { DESKTOP_KEYS } from "../desktop/help.tsx";
import { Dialog } from "../kit/dialog.tsx";
import { type KeyLine, Keys } from "../kit/keys.tsx";
import { isMac } from "./keys.ts";
import { keysOf, type Shortcut } from "./shortcuts.ts";

const EVERYWHERE: readonly [Shortcut, string][] = [
  ["palette", "Find a command, a session or a message"],
  ["new", "New chat"],
  ["next", "Next session in the list"],
  ["previous", "Previous session in the list"],
  ["stop", "Stop the answer"],
  ["find", "Find in this conversation"],
  ["keys", "Show this list"],
];

const IN_CHAT: readonly KeyLine[] = [
  [["Enter"], "Send the message"],
  [["Shift", "Enter"], "Insert a line break"],
  [["Escape"], "Stop the answer, or close a dialog"],
  [["Tab"], "Move to the next control"],
  [["↑", "↓"], "Move in lists and menus"],
];

/** The keys that work everywhere, as lines of a list. */
export function everywhereLines(): KeyLine[] {
  return EVERYWHERE.map(([shortcut, what]) => [keysOf(shortcut, isMac), what]);
}

/** The dialog. */
export function KeysDialog({ onClose }: { onClose: () => void }) {
  return (
    <Dialog title="Keyboard shortcuts" onClose={onClose} class="palette-help">
      <h3>Everywhere</h3>
      <Keys lines={everywhereLines()} />
      <h3>In the chat</h3>
      <Keys lines={IN_CHAT} />
      <h3>On the desktop</h3>
      <Keys lines={DESKTOP_KEYS} />
    </Dialog>
  );
}
