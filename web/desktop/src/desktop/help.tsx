/** What the keyboard can do on the desktop. */
import { Dialog } from "../kit/dialog.tsx";
import { type KeyLine, Keys } from "../kit/keys.tsx";

const KEYS: readonly KeyLine[] = [
  [["F6"], "Go to the next window (with Shift: the one before)"],
  [["Alt", "Shift", "← ↑ → ↓"], "Move the window"],
  [["Alt", "Shift", "+ or −"], "Make it larger or smaller"],
  [["Alt", "Shift", "M"], "Maximise it, or restore it"],
  [["Alt", "Shift", "N"], "Minimise it"],
  [["Alt", "Shift", "W"], "Close it"],
  [["Escape"], "Let a window go that is being moved, and leave it where it was"],
  [["?"], "This list"],
];

/** A list of keys. */
export function Help({ onClose }: { onClose: () => void }) {
  return (
    <Dialog title="Windows by keyboard" onClose={onClose}>
      <Keys lines={KEYS} />
      <p class="desk-soft">
        The menu of each window (⋯) has the same, with modes to move and resize by the arrow keys alone: Enter ends
        them, Escape gives up. A double click on the title maximises.
      </p>
    </Dialog>
  );
}
