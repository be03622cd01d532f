/** The list of all keys. */
import { desktopKeys } from "../desktop/help.tsx";
import { Dialog } from "../kit/dialog.tsx";
import { type KeyLine, Keys } from "../kit/keys.tsx";
import { isMac } from "./keys.ts";
import { keysOf, type Shortcut } from "./shortcuts.ts";
import { texts } from "../languages/palette.ts";

function everywhereKeys(): readonly [Shortcut, string][] {
  return [
    ["palette", texts().findCommandSessionOr],
    ["new", texts().newChat],
    ["next", texts().nextSessionList],
    ["previous", texts().previousSessionList],
    ["stop", texts().stopTheAnswer],
    ["find", texts().findInThisConversation],
    ["keys", texts().showThisList],
  ];
}

function chatKeys(): readonly KeyLine[] {
  return [
    [[texts().enter], texts().sendTheMessage],
    [[texts().shift, texts().enter], texts().insertALineBreak],
    [[texts().escape], texts().stopAnswerOrClose],
    [[texts().tab], texts().moveNextControl],
    [["↑", "↓"], texts().moveListsAndMenus],
  ];
}

/** The keys that work everywhere, as lines of a list. */
export function everywhereLines(): KeyLine[] {
  return everywhereKeys().map(([shortcut, what]) => [keysOf(shortcut, isMac), what]);
}

/** The dialog. */
export function KeysDialog({ onClose }: { onClose: () => void }) {
  return (
    <Dialog title={texts().keyboardShortcuts} onClose={onClose} class="palette-help">
      <h3>{texts().everywhere}</h3>
      <Keys lines={everywhereLines()} />
      <h3>{texts().inTheChat}</h3>
      <Keys lines={chatKeys()} />
      <h3>{texts().onTheDesktop}</h3>
      <Keys lines={desktopKeys()} />
    </Dialog>
  );
}
