/** The browsers that show alerts while no page is open, and whether this one is among them. */
import { signal } from "@preact/signals";
import { api } from "../store/api.ts";
import { deviceName } from "./name.ts";
import { registerWorker } from "./worker.ts";
import { texts } from "../languages/settings.ts";

/** A browser that is subscribed. */
export type PushDevice = { device_id: string; name?: string; service: string; added_at?: string };

/** The server's key, if it has one, and the browsers. */
export type PushView = { public_key?: string; devices: readonly PushDevice[] };

/** What the server has; undefined until it is loaded. */
export const push = signal<PushView | undefined>(undefined);
/** The id of this browser's subscription, if it has one. */
export const ownDevice = signal<string | undefined>(undefined);

/** What keeps this browser from being notified. */
export class PushError extends Error {
  override name = "PushError";

  constructor(
    message: string,
    readonly hint: string,
  ) {
    super(message);
  }
}

/** Loads what the server has, and looks for this browser's subscription. */
export async function loadPush(): Promise<void> {
  push.value = await api<PushView>("GET", "/api/v1/push");
  const subscription = await (await registerWorker())?.pushManager.getSubscription();
  ownDevice.value = subscription ? await idOf(subscription.endpoint) : undefined;
}

/** Subscribes this browser. Has to be called from a click, since the browser asks the user. */
export async function subscribeThisDevice(): Promise<void> {
  const key = push.peek()?.public_key;
  const worker = await registerWorker();
  if (key === undefined || !worker || !("PushManager" in globalThis)) {
    throw new PushError(texts().thisBrowserCannotBe, texts().itNeedsHttpsOr);
  }
  if ((await Notification.requestPermission()) !== "granted") {
    const hint = texts().allowThemBrowsersSettings;
    throw new PushError(texts().thisBrowserBlocksNotifications, hint);
  }
  const made = await subscribe(worker, key);
  const { endpoint, keys } = made.toJSON();
  const device = await api<PushDevice>("POST", "/api/v1/push/devices", { endpoint, keys, name: deviceName(navigator) });
  ownDevice.value = device.device_id;
  await loadDevices();
}

async function subscribe(worker: ServiceWorkerRegistration, key: string): Promise<PushSubscription> {
  const options = { userVisibleOnly: true, applicationServerKey: key };
  // A worker that has just been registered is not active yet, and only an active one can subscribe.
  await navigator.serviceWorker.ready;
  try {
    return await worker.pushManager.subscribe(options);
  } catch (problem) {
    const old = await worker.pushManager.getSubscription();
    if (!old) {
      const why = problem instanceof Error ? problem.message : String(problem);
      throw new PushError(texts().theBrowsersPushService(why), texts().tryAgainLaterOr);
    }
    // It belongs to another key of the server.
    await old.unsubscribe();
    return worker.pushManager.subscribe(options);
  }
}

/** Ends the subscription of a browser, which may be this one. */
export async function removeDevice(id: string): Promise<void> {
  await api<undefined>("DELETE", `/api/v1/push/devices/${encodeURIComponent(id)}`);
  if (id === ownDevice.peek()) {
    const subscription = await (await registerWorker())?.pushManager.getSubscription();
    await subscription?.unsubscribe();
    ownDevice.value = undefined;
  }
  await loadDevices();
}

async function loadDevices(): Promise<void> {
  push.value = await api<PushView>("GET", "/api/v1/push");
}

/** The id that the server gives a subscription: it does not hand out endpoints. */
async function idOf(endpoint: string): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(endpoint)));
  return [...digest.slice(0, 16)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
