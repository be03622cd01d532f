/** Registers the service worker, and follows the notifications that the user clicks. */
import { workerAddress } from "../kit/trusted.ts";

/** Whether the browser can have a service worker here: not without HTTPS, and not in a frame. */
export function canHaveWorker(): boolean {
  return globalThis.isSecureContext && "serviceWorker" in navigator && window.parent === window;
}

let registered: Promise<ServiceWorkerRegistration | undefined> | undefined;

/** Registers it once; undefined where there can be none. */
export function registerWorker(): Promise<ServiceWorkerRegistration | undefined> {
  registered ??= canHaveWorker() ? register() : Promise.resolve(undefined);
  return registered;
}

async function register(): Promise<ServiceWorkerRegistration | undefined> {
  const { serviceWorker } = navigator;
  serviceWorker.addEventListener("message", ({ data }: MessageEvent<unknown>) => {
    const { dwell, type, href } = (data ?? {}) as { dwell?: unknown; type?: unknown; href?: unknown };
    if (dwell === 1 && type === "open" && typeof href === "string" && href.startsWith("#/")) location.hash = href;
  });
  try {
    return await serviceWorker.register(workerAddress(), { updateViaCache: "none" });
  } catch {
    // The page works without it; the settings say that this device cannot be notified.
    return undefined;
  }
}
