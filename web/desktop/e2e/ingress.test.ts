/** The page in Home Assistant's frame, below a path. */
import assert from "node:assert/strict";
import { INGRESS_PATH, IngressProxy } from "./support/ingress-proxy.ts";
import { browserTests } from "./support/visit.ts";

const { isolatedTest } = browserTests({ isOffline: true, environment: { DWELL_SERVER_INGRESS: "127.0.0.1" } });

isolatedTest("in Home Assistant's frame the page is signed in, connected and answers", async (visit) => {
  const proxy = await IngressProxy.start(visit.server.port);
  try {
    const context = await visit.newContext();
    visit.watch.expect(new RegExp(`^request to ${proxy.url}/`));
    const page = await context.newPage();
    const sockets: string[] = [];
    page.on("websocket", (socket) => sockets.push(socket.url()));
    await page.goto(proxy.url);
    const frame = page.frameLocator("iframe[title=Dwell]");
    const box = frame.getByRole("textbox", { name: "Message", exact: true });
    await box.waitFor();
    await box.fill("what is 6 * 7?");
    await box.press("Enter");
    await frame.getByRole("region", { name: "Conversation" }).getByText("42").first().waitFor();
    assert.ok(
      sockets.every((url) => url.endsWith(`${INGRESS_PATH}/ws`)) && sockets.length > 0,
      `WebSockets: ${sockets.join(" ")}`,
    );
    // Views are loaded when they are opened, with files of their own.
    for (const view of ["#/memory", "#/journal", "#/home"]) {
      await page.evaluate((hash) => {
        const inner = document.querySelector("iframe")?.contentWindow;
        if (inner) inner.location.hash = hash;
      }, view);
      await frame.getByRole("main").waitFor();
    }
    await frame.getByRole("button", { name: "Settings" }).click();
    await frame.getByRole("link", { name: "Third-party licences" }).waitFor();
    const licences = await frame.getByRole("link", { name: "Third-party licences" }).getAttribute("href");
    assert.equal(licences, `${INGRESS_PATH}/assets/licences.txt`);
    const failed = [...proxy.answers].filter(([, status]) => status >= 400);
    assert.deepEqual(failed, [], "everything is asked for below the path, and is there");
    assert.ok([...proxy.answers.keys()].some((path) => path.startsWith("/assets/")));
    assert.deepEqual(await context.cookies(), [], "no cookie is set on Home Assistant's host");
  } finally {
    proxy.stop();
  }
});
