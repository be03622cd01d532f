/** The keyboard shortcuts of the desktop. */
import { Dialog } from "../kit/dialog.tsx";
import { type KeyLine, Keys } from "../kit/keys.tsx";

/** The keys of the desktop. */
export const DESKTOP_KEYS: readonly KeyLine[] = [
  [["F6"], "Focus the next window (with Shift: the previous one)"],
  [["Alt", "Shift", "← ↑ → ↓"], "Move the window"],
  [["Alt", "Shift", "+ or −"], "Resize the window"],
  [["Alt", "Shift", "M"], "Maximise or restore"],
  [["Alt", "Shift", "N"], "Minimise"],
  [["Alt", "Shift", "W"], "Close"],
  [["Escape"], "Cancel moving or resizing"],
  [["?"], "Show this list"],
];

/** The shortcuts dialog. */
export function Help({ onClose }: { onClose: () => void }) {
  return (
    <Dialog title="Keyboard shortcuts" onClose={onClose}>
      <Keys lines={DESKTOP_KEYS} />
      <p class="desktop-soft">
        Each window's menu (⋯) has the same commands, and modes to move and resize with the arrow keys: Enter finishes,
        Escape cancels. Double-click the title to maximise.
      </p>
    </Dialog>
  );
}
