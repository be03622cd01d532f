/** The keyboard shortcuts of the desktop. */
import { Dialog } from "../kit/dialog.tsx";
import { type KeyLine, Keys } from "../kit/keys.tsx";
import { texts } from "../languages/desktop.ts";

/** The keys of the desktop. */
export function desktopKeys(): readonly KeyLine[] {
  return [
    [["F6"], texts().focusNextWindowWith],
    [[texts().alt, texts().shift, "← ↑ → ↓"], texts().moveTheWindow],
    [[texts().alt, texts().shift, texts().or], texts().resizeTheWindow],
    [[texts().alt, texts().shift, "M"], texts().maximiseOrRestore],
    [[texts().alt, texts().shift, "N"], texts().minimise],
    [[texts().alt, texts().shift, "W"], texts().close],
    [[texts().escape], texts().cancelMovingOrResizing],
    [["?"], texts().showThisList],
  ];
}

/** The shortcuts dialog. */
export function Help({ onClose }: { onClose: () => void }) {
  return (
    <Dialog title={texts().keyboardShortcuts} onClose={onClose}>
      <Keys lines={desktopKeys()} />
      <p class="desktop-soft">{texts().eachWindowsMenuHas}</p>
    </Dialog>
  );
}
