/** Web Push: subscribing this device, a pushed alert, a click on it, and the page while offline. */
import assert from "node:assert/strict";
import type { BrowserContext, Page, Worker } from "playwright-core";
import { GONE } from "./support/browser.ts";
import { PushService } from "./support/push-service.ts";
import { until } from "./support/rest.ts";
import { browserTests, type Visit } from "./support/visit.ts";

const { isolatedTest } = browserTests({
  isOffline: true,
  config: `[[alerts.channels]]
kind = "web_push"
key = "yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw"
contact = "mailto:ada@example.org"
allow_private = true
when = "always"
`,
});

/** A context whose browser subscribes at our push service; real ones are not reached by tests. */
async function subscribingContext(visit: Visit, service: PushService): Promise<BrowserContext> {
  const context = await visit.signedInContext({ serviceWorkers: "allow", permissions: ["notifications"] });
  await context.addInitScript((subscription) => {
    let isSubscribed = false;
    const made = {
      ...subscription,
      toJSON: () => subscription,
      unsubscribe: () => ((isSubscribed = false), Promise.resolve(true)),
    };
    PushManager.prototype.subscribe = () => {
      isSubscribed = true;
      return Promise.resolve(made as unknown as PushSubscription);
    };
    PushManager.prototype.getSubscription = () =>
      Promise.resolve(isSubscribed ? (made as unknown as PushSubscription) : null);
  }, service.subscription);
  return context;
}

async function workerOf(context: BrowserContext): Promise<Worker> {
  const [known] = context.serviceWorkers();
  return known ?? context.waitForEvent("serviceworker");
}

/** Notifications that are kept instead of shown: not every browser without windows can show them. */
async function keepNotifications(worker: Worker): Promise<void> {
  await worker.evaluate(() => {
    const { registration } = self as unknown as { registration: ServiceWorkerRegistration };
    const kept: Notification[] = [];
    registration.showNotification = (title, options) => {
      kept.push({ ...options, title, close: () => void kept.pop() } as unknown as Notification);
      return Promise.resolve();
    };
    registration.getNotifications = () => Promise.resolve([...kept]);
  });
}

/** Clicks the notification that was kept. */
async function clickNotification(worker: Worker): Promise<void> {
  await worker.evaluate(async () => {
    const { registration } = self as unknown as { registration: ServiceWorkerRegistration };
    const [notification] = await registration.getNotifications();
    // The DOM's types have no events of workers.
    const { ExtendableEvent } = self as unknown as { ExtendableEvent: new (name: string) => Event };
    self.dispatchEvent(Object.assign(new ExtendableEvent("notificationclick"), { notification }));
  });
}

async function openSettings(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Settings" }).click();
}

/** Hands a message to the page's service worker, as a push service would. */
async function deliver(page: Page, origin: string, data: string): Promise<void> {
  const devtools = await page.context().newCDPSession(page);
  const registered = new Promise<string>((resolve) => {
    devtools.on("ServiceWorker.workerRegistrationUpdated", ({ registrations }) => {
      const [first] = registrations;
      if (first) resolve(first.registrationId);
    });
  });
  await devtools.send("ServiceWorker.enable");
  await devtools.send("ServiceWorker.deliverPushMessage", { origin, registrationId: await registered, data });
}

isolatedTest("this device is subscribed, shows a pushed alert, leads to it, and is removed again", async (visit) => {
  const service = await PushService.start();
  try {
    const context = await subscribingContext(visit, service);
    const page = await visit.open({ context });
    const worker = await workerOf(context);
    await keepNotifications(worker);
    await openSettings(page);
    const devices = page.getByRole("group", { name: "Devices that are notified" });
    await devices.getByRole("button", { name: "Notify me on this device" }).click();
    await devices.getByText("this device", { exact: true }).waitFor();
    await devices.getByText(/Chrome on Linux/).waitFor();

    const action = { do: "remind", text: "take the pizza out" };
    await visit.server.rest.post("/api/v1/schedules", { when: { kind: "after", after_ms: 1 }, action });
    await until(
      () => Promise.resolve(service.messages.length),
      (count) => count > 0,
    );
    const [message] = service.messages;
    assert.ok(message && !message.includes("pizza"), "the push service cannot read it");
    const text = service.decrypt(message);
    await deliver(page, visit.server.url, text);
    const shown = await until(
      () =>
        worker.evaluate(async () => {
          const { registration } = self as unknown as { registration: ServiceWorkerRegistration };
          const all = await registration.getNotifications();
          return all.map(({ title, data }) => ({ title, href: (data as { href: string }).href }));
        }),
      (all) => all.length === 1,
    );
    const { schedule_id: id } = JSON.parse(text) as { schedule_id: string };
    assert.deepEqual(shown, [{ title: "take the pizza out", href: `#/planned//${id}` }]);

    await page.keyboard.press("Escape");
    await clickNotification(worker);
    await page.waitForURL(`**/#/planned//${id}`);

    await openSettings(page);
    await devices.getByRole("button", { name: /^Stop notifying Chrome/ }).click();
    await devices.getByRole("button", { name: "Notify me on this device" }).waitFor();
    const left = await visit.server.rest.get<{ devices: unknown[] }>("/api/v1/push");
    assert.deepEqual(left.devices, []);
  } finally {
    service.stop();
  }
});

isolatedTest("the page can be installed, and opens while the server is away", async (visit) => {
  const context = await visit.signedInContext({ serviceWorkers: "allow" });
  const page = await visit.open({ context });
  const manifest = await page.evaluate(async () => {
    const link = document.querySelector<HTMLLinkElement>("link[rel=manifest]");
    const read = (await (await fetch(link?.href ?? "")).json()) as { icons: { src: string; sizes: string }[] };
    const sizes = await Promise.all(
      read.icons.map(async ({ src }) => {
        const picture = new Image();
        picture.src = new URL(src, link?.href).href;
        await picture.decode();
        return `${picture.naturalWidth}x${picture.naturalHeight}`;
      }),
    );
    return { sizes, wanted: read.icons.map((icon) => icon.sizes) };
  });
  assert.deepEqual(manifest.sizes, manifest.wanted);
  await workerOf(context);
  await page.evaluate(async () => {
    await navigator.serviceWorker.ready;
    while ((await caches.keys()).length === 0) await new Promise((resolve) => setTimeout(resolve, 20));
  });
  visit.watch.expect(...GONE);
  await visit.server.kill();
  await page.reload();
  await page.getByRole("heading", { name: "Cannot reach the server" }).waitFor();
  await visit.server.start();
  await page.getByRole("button", { name: "Try again" }).click();
  await page.getByRole("navigation", { name: "Views" }).waitFor();
});
