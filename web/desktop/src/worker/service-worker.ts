/**
 * The page's service worker: shows pushed alerts, and keeps the page's own files, so that it opens
 * while the server is away. It keeps nothing of the server's data.
 */
import { filesOf, isHashed, noticeOf } from "./alerts.ts";

declare const self: ServiceWorkerGlobalScope;

/** What the names of our caches start with; the rest is the version of the page. */
const CACHE = "dwell-page-";

/** The address of the page, also if it is served below a path. */
const home = () => self.registration.scope;

self.addEventListener("install", (event) => {
  event.waitUntil(
    fetch(home(), { cache: "no-cache" })
      .then(keepPage)
      // Without a copy there is no page offline, but notifications work.
      .catch(() => undefined)
      .then(() => self.skipWaiting()),
  );
});

self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));

self.addEventListener("fetch", (event) => {
  const { request } = event;
  if (request.method !== "GET" || !request.url.startsWith(home())) return;
  const path = request.url.slice(home().length).replace(/[?#].*$/, "");
  if (request.mode === "navigate" && path === "") event.respondWith(page(event));
  else if (isHashed(path)) event.respondWith(file(request));
});

/** The page from the server, or the kept copy while it cannot be reached. */
async function page(event: FetchEvent): Promise<Response> {
  try {
    const answer = await fetch(event.request);
    if (answer.ok) event.waitUntil(keepPage(answer.clone()).catch(() => undefined));
    return answer;
  } catch (problem) {
    const kept = await caches.match(home());
    if (kept) return kept;
    throw problem;
  }
}

/** A file that never changes: the kept copy first. */
async function file(request: Request): Promise<Response> {
  const kept = await caches.match(request.url);
  if (kept) return kept;
  const answer = await fetch(request);
  const [name] = (await caches.keys()).filter((one) => one.startsWith(CACHE));
  if (answer.ok && name !== undefined) {
    const copy = answer.clone();
    const cache = await caches.open(name);
    // A full disk must not keep the file from the page.
    await cache.put(request.url, copy).catch(() => undefined);
  }
  return answer;
}

/** Keeps a version of the page with the files it names, and drops the other versions. */
async function keepPage(answer: Response): Promise<void> {
  if (!answer.ok) return;
  const html = await answer.clone().text();
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(html)));
  const name = CACHE + [...digest.slice(0, 8)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  if (await caches.has(name)) return;
  const cache = await caches.open(name);
  try {
    await cache.addAll(filesOf(html).map((path) => new URL(path, home()).href));
    await cache.put(home(), answer);
  } catch (problem) {
    // Half a page is none.
    await caches.delete(name);
    throw problem;
  }
  const others = (await caches.keys()).filter((other) => other.startsWith(CACHE) && other !== name);
  await Promise.all(others.map((other) => caches.delete(other)));
}

self.addEventListener("push", (event) => {
  const { title, body, tag, href } = noticeOf(event.data?.text(), navigator.languages);
  const icon = new URL("assets/icon-192.png", home()).href;
  event.waitUntil(self.registration.showNotification(title, { body, tag, icon, data: { href } }));
});

self.addEventListener("notificationclick", (event) => {
  event.notification.close();
  const { href } = (event.notification.data ?? {}) as { href?: string };
  event.waitUntil(open(href ?? ""));
});

/** Leads an open page there, or opens one. */
async function open(href: string): Promise<void> {
  const windows = await self.clients.matchAll({ type: "window", includeUncontrolled: true });
  const found = windows.find(({ url }) => url.startsWith(home()));
  if (!found) {
    await self.clients.openWindow(home() + href);
    return;
  }
  found.postMessage({ dwell: 1, type: "open", href });
  // The browser may refuse it; the page has moved on anyway.
  await found.focus().catch(() => undefined);
}

/** A push service may replace a subscription; the server has to know the new one. */
self.addEventListener("pushsubscriptionchange", (event) => {
  const { oldSubscription: old } = event as ExtendableEvent & { oldSubscription?: PushSubscription | null };
  if (!old) return;
  (event as ExtendableEvent).waitUntil(
    self.registration.pushManager.subscribe(old.options).then(async (made) => {
      const { endpoint, keys } = made.toJSON();
      await fetch(new URL("api/v1/push/devices", home()), {
        method: "POST",
        credentials: "same-origin",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ endpoint, keys }),
      });
    }),
  );
});
