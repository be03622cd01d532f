/** Listens to the keys that work everywhere. */
import { useEffect } from "preact/hooks";
import { go, place } from "../route.ts";
import { current, pinned, sessions } from "../store/sessions.ts";
import { stopRunning } from "../talk/composer.tsx";
import { findInConversation } from "../talk/find/open.ts";
import { openPalette } from "./open.ts";
import { isMacOf, type Shortcut, shortcutOf } from "./shortcuts.ts";

/** Whether the keyboard is a Mac's. */
// eslint-disable-next-line @typescript-eslint/no-deprecated -- its replacement is missing in Firefox and Safari.
export const isMac = isMacOf(navigator.platform);

/** Listens while the page is shown. */
export function useShortcuts(): void {
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.isComposing) return;
      const shortcut = shortcutOf(event, isMac) ?? (isQuestionMark(event) ? "keys" : undefined);
      if (shortcut !== undefined && act(shortcut)) event.preventDefault();
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, []);
}

/** The desktop has its own list of keys behind the same key. */
function isQuestionMark({ key, target, ctrlKey, metaKey, altKey }: KeyboardEvent): boolean {
  if (key !== "?" || ctrlKey || metaKey || altKey || place.peek().view === "desktop") return false;
  return !(target instanceof Element && target.closest("input, textarea, select, [contenteditable]"));
}

/** Does it; returns whether there was anything to do. */
function act(shortcut: Shortcut): boolean {
  if (shortcut === "palette" || shortcut === "keys") return toggle(shortcut === "palette" ? "commands" : "keys");
  // Open dialogs have their own keys.
  if (document.querySelector("dialog[open]")) return false;
  if (shortcut === "new") go({ view: "talk" });
  else if (shortcut === "find") return findInConversation();
  else if (shortcut === "stop") return stopRunning(current.peek());
  else return switchSession(shortcut === "next" ? 1 : -1);
  return true;
}

function toggle(what: "commands" | "keys"): boolean {
  const isOpen = openPalette.peek() !== undefined;
  // Below another dialog it could not be used.
  if (!isOpen && document.querySelector("dialog[open]")) return false;
  openPalette.value = openPalette.peek() === what ? undefined : what;
  return true;
}

/** Opens the session below or above in the list; from a new conversation, the first or the last. */
export function switchSession(by: 1 | -1): boolean {
  // As the list shows them: pinned ones first.
  const ids = [...new Set([...pinned.peek(), ...sessions.peek()].map(({ session_id: id }) => id))];
  const { view, session } = place.peek();
  const now = session === undefined ? -1 : ids.indexOf(session);
  const next = now < 0 ? (by > 0 ? ids[0] : ids.at(-1)) : ids[now + by];
  if (next === undefined) return false;
  // Views of everything show no session, so that switching one there would not be seen.
  const isOfSession = view === "talk" || view === "desktop" || view === "agents" || view === "journal";
  go({ view: isOfSession ? view : "talk", session: next });
  return true;
}
