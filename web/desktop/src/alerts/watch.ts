/**
 * Alerts the user when an approval or a question waits, or something planned needs a person:
 * notification, sound, document title.
 */
import { computed, effect } from "@preact/signals";
import { current } from "../store/sessions.ts";
import { go, place } from "../route.ts";
import { openApprovals } from "../talk/approvals/open.ts";
import { isNotifying, isSounding, permission } from "./settings.ts";
import { playSound } from "./sound.ts";
import { arrived, unseen } from "./store.ts";
import { changes, type Waiting, waitingAlerts, waitingOf } from "./waiting.ts";

/** Everything that waits for the user. */
export const waiting = computed<readonly Waiting[]>(() => [
  ...waitingOf(openApprovals.value, current.value?.desktop.view.value?.dialogs ?? [], current.value?.id),
  ...waitingAlerts(unseen.value, arrived.value),
]);

/** How many things wait; the document's title shows it. */
export const waitingCount = computed(() => waiting.value.length);

/** Alerts from now on; returns the function that stops it. */
export function watchWaiting(): () => void {
  let known: ReadonlySet<string> = new Set();
  const shown = new Map<string, Notification>();
  const stop = effect(() => {
    const now = waiting.value;
    const { fresh: come, over } = changes(known, now);
    const fresh = come.filter(({ isQuiet }) => !isQuiet);
    known = new Set(now.map(({ id }) => id));
    for (const id of over) {
      shown.get(id)?.close();
      shown.delete(id);
    }
    if (fresh.length === 0) return;
    // Without a sound the other alerts remain.
    if (isSounding.peek()) void playSound().catch(() => undefined);
    // A page in front shows it itself.
    if (document.hasFocus() || !isNotifying.peek() || permission() !== "granted") return;
    for (const one of fresh) {
      const notification = notify(one);
      if (notification) shown.set(one.id, notification);
    }
  });
  return () => {
    stop();
    for (const notification of shown.values()) notification.close();
  };
}

/** Shows a notification; a click on it leads to what it is about. */
function notify({ id, session, title, body, to }: Waiting): Notification | undefined {
  try {
    // The same tag in another tab replaces this one instead of showing it twice.
    const notification = new Notification(title, { body, tag: id });
    notification.onclick = () => {
      focus();
      if (to) go(to.view === "planned" ? { ...to, session: place.peek().session } : to);
      else if (session !== "" && current.peek()?.id !== session) go({ view: "talk", session });
      notification.close();
    };
    return notification;
  } catch {
    // Some phones allow notifications by service workers only.
    return undefined;
  }
}
