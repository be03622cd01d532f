/**
 * Tries the app in a window of Dwell's own page, in a headless Chromium and without building Dwell:
 * the browser gets this folder's `index.html` in place of the app `notes`, with the same headers.
 */
import { readFileSync } from "node:fs";
import { chromium } from "playwright-core";

const { DWELL_URL = "http://127.0.0.1:7437", DWELL_TOKEN, DWELL_CHROMIUM = "/usr/bin/chromium" } = process.env;
const html = readFileSync(new URL("index.html", import.meta.url));

/** A request to the REST API. */
async function rest(method, path, body) {
  const headers = { authorization: `Bearer ${DWELL_TOKEN}`, "content-type": "application/json" };
  const response = await fetch(`${DWELL_URL}${path}`, { method, headers, body: body && JSON.stringify(body) });
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
  return response.json();
}

/** Calls a tool as an agent would, in a turn of its own, and gives its result. */
async function call(session, tool, args) {
  const sent = { message: tool, calls: [{ tool, arguments: args }] };
  const { turn_id: id } = await rest("POST", `/api/v1/sessions/${session}/turns`, sent);
  for (;;) {
    const turn = await rest("GET", `/api/v1/turns/${id}`);
    const result = turn.steps.find((step) => step.type === "tool_result");
    if (result) return result.detail.content;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

const { session_id: session } = await rest("POST", "/api/v1/sessions", {});
const content = { type: "app", app: "notes", params: { count: 2 } };
await call(session, "window_open", { window_id: "counter", title: "Counter", content });

// The feature would keep the replaced file from loading `bridge.js` from this machine.
const args = ["--no-sandbox", "--disable-dev-shm-usage", "--disable-features=LocalNetworkAccessChecks"];
const browser = await chromium.launch({ executablePath: DWELL_CHROMIUM, args });
try {
  const context = await browser.newContext();
  await context.route("**/apps/notes/index.html", async (route) => {
    await route.fulfill({ response: await route.fetch(), body: html });
  });
  // The token is exchanged for a cookie, as the page's own sign-in does.
  const signIn = { data: { token: DWELL_TOKEN }, headers: { origin: DWELL_URL } };
  await context.request.post(`${DWELL_URL}/api/v1/entry`, signIn);
  const page = await context.newPage();
  await page.goto(`${DWELL_URL}/#/desktop/${session}`);
  const app = page.frameLocator("iframe");
  await app.getByText("2", { exact: true }).waitFor();
  console.log("the window opened with", await app.locator("#count").textContent());

  await app.getByRole("button", { name: "One more" }).click();
  console.log("an agent reads", await call(session, "app_query", { window_id: "counter", key: "count" }));

  await call(session, "app_command", { window_id: "counter", command: "set", arguments: { count: 40 } });
  console.log("an agent set it to", await app.locator("#count").textContent());

  await page.reload();
  await app.getByText("40", { exact: true }).waitFor();
  console.log("after a reload it is", await app.locator("#count").textContent());
} finally {
  await browser.close();
}
