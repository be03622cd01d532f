/** How the user wants to be alerted, kept in this browser. */
import { effect, signal } from "@preact/signals";

const NOTIFY_KEY = "dwell.alerts.notify";
const SOUND_KEY = "dwell.alerts.sound";

/** Whether browser notifications are shown, if the browser allows them. */
export const isNotifying = signal(localStorage.getItem(NOTIFY_KEY) === "on");
/** Whether a sound is played. */
export const isSounding = signal(localStorage.getItem(SOUND_KEY) === "on");

for (const [key, choice] of [
  [NOTIFY_KEY, isNotifying],
  [SOUND_KEY, isSounding],
] as const) {
  effect(() => {
    if (choice.value) localStorage.setItem(key, "on");
    else localStorage.removeItem(key);
  });
}

/** What the browser says about notifications. Without HTTPS or localhost there are none. */
export type Permission = NotificationPermission | "unsupported" | "insecure";

/** The permission as it is now. */
export function permission(): Permission {
  if (!globalThis.isSecureContext) return "insecure";
  return "Notification" in globalThis ? Notification.permission : "unsupported";
}

/** Turns notifications on. Has to be called from a click, since the browser asks the user. */
export async function allowNotifications(): Promise<Permission> {
  if (permission() === "default") await Notification.requestPermission();
  isNotifying.value = permission() === "granted";
  return permission();
}
