/** What begins by itself: planning it, its preview, timers that run down, runs, and alerts. */
import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import type { wire } from "@dwell/client";
import type { Locator, Page } from "playwright-core";
import { ask, sessionOf, turnOf } from "./support/chat.ts";
import { until } from "./support/rest.ts";
import { goTo } from "./support/views.ts";
import { browserTests, type Visit } from "./support/visit.ts";

const { sharedTest } = browserTests();

/** The row of a schedule. */
function row(page: Page, title: string): Locator {
  return page.getByRole("main").getByRole("listitem").filter({ hasText: title }).first();
}

/** The notice of an alert. */
function notice(page: Page, title: string): Locator {
  return page.getByRole("list", { name: "Alerts" }).getByRole("listitem").filter({ hasText: title });
}

/** The open form, in the Planned view. */
async function newForm(page: Page): Promise<Locator> {
  await page.getByRole("button", { name: "New", exact: true }).click();
  return page.getByRole("dialog", { name: "Plan something" });
}

function schedules(visit: Visit): Promise<readonly wire.ScheduleView[]> {
  return visit.server.rest.get<wire.SchedulePage>("/api/v1/schedules?ended=true").then(({ data }) => data);
}

sharedTest("a reminder is planned in the form, runs, and its alert stays until it is seen", async (visit) => {
  const page = await visit.open({ at: "#/planned" });
  await page.getByText("Nothing is planned").waitFor();
  const form = await newForm(page);
  await form.getByLabel("Remind me of").fill("take the pizza out");
  await form.getByLabel("When").selectOption("Again and again");
  const preview = form.getByRole("region", { name: "Next runs" });
  await until(
    () => preview.getByRole("listitem").count(),
    (count) => count === 5,
  );
  await preview.getByRole("heading", { name: "Every day at 07:00" }).waitFor();
  // What the server says about a rule is shown.
  visit.watch.expect(/status of 4\d\d/);
  await form.getByLabel("How often").selectOption("A cron expression");
  await form.getByLabel(/Cron expression/).fill("0 7 * *");
  await preview.getByText(/five fields|cron/i).waitFor();
  await form.getByLabel("When").selectOption("Once, after a while");
  await form.getByRole("spinbutton", { name: "After" }).fill("2");
  await form.getByLabel("Unit").selectOption("seconds");
  await until(
    () => preview.getByRole("listitem").count(),
    (count) => count === 1,
  );
  await form.getByRole("button", { name: "Plan it" }).click();
  await form.waitFor({ state: "detached" });
  const alert = notice(page, "take the pizza out");
  await alert.waitFor();
  await until(
    () => page.title(),
    (title) => title.startsWith("(1) "),
  );
  await alert.getByRole("button", { name: /^Close/ }).click();
  await alert.waitFor({ state: "detached" });
  // It is counted until it is seen, also after a reload.
  await page.reload();
  const rail = page.getByRole("navigation", { name: "Views" });
  await rail.getByRole("link", { name: /1 new\s*Alerts/ }).click();
  await row(page, "take the pizza out").getByRole("button", { name: "Mark as seen" }).click();
  await rail.getByRole("link", { name: /^Alerts/ }).waitFor();
  await until(
    () => page.title(),
    (title) => title.startsWith("Planned"),
  );
  await page.getByRole("tab", { name: "History" }).click();
  await row(page, "take the pizza out")
    .getByText(/Reminded/)
    .waitFor();
  await page.getByRole("button", { name: "Snooze take the pizza out for 10 minutes" }).click();
  await page.getByRole("tab", { name: "Planned" }).click();
  await row(page, "take the pizza out")
    .getByText(/in (10|9) minutes|in \d+ seconds/)
    .waitFor();
});

sharedTest("what is said in the chat is planned, can be changed, paused, resumed and cancelled", async (visit) => {
  const page = await visit.open();
  await ask(page, "remind me in 10 minutes to water the plants");
  const session = await visit.server.rest.get<wire.SessionView>(`/api/v1/sessions/${await sessionOf(page)}`);
  const zone = await page.evaluate(() => new Intl.DateTimeFormat().resolvedOptions().timeZone);
  assert.equal(session.settings.preferences?.["time_zone"], zone);
  await goTo(page, "Planned");
  const planned = row(page, "water the plants");
  await planned.getByText(/in (10|9) minutes/).waitFor();
  await planned.getByRole("button", { name: /^Pause/ }).click();
  await planned.getByText("Paused").waitFor();
  await planned.getByRole("button", { name: /^Resume/ }).click();
  await planned.getByText(/in (10|9) minutes/).waitFor();
  await planned.getByRole("button", { name: /^Edit/ }).click();
  const form = page.getByRole("dialog", { name: "Edit" });
  await form.getByLabel("Remind me of").fill("water the roses");
  await form.getByRole("spinbutton", { name: "After" }).fill("20");
  await form.getByRole("button", { name: "Save" }).click();
  const changed = row(page, "water the roses");
  await changed.getByText(/in (20|19) minutes/).waitFor();
  await changed.getByRole("button", { name: /now$/ }).click();
  await notice(page, "water the roses").getByRole("button", { name: "Mark as seen" }).click();
  await changed.getByRole("button", { name: /^Cancel/ }).click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Cancel it" }).click();
  await changed.waitFor({ state: "detached" });
  const found = (await schedules(visit)).find(({ action }) => action.do === "remind" && action.text.includes("roses"));
  assert.equal(found?.status, "cancelled");
});

sharedTest("a planned message leads to its answer", async (visit) => {
  const page = await visit.open({ at: "#/planned" });
  const form = await newForm(page);
  await form.getByRole("tab", { name: "Message" }).click();
  await form.getByLabel("Message to the agent").fill("count to 3");
  await form.getByRole("spinbutton", { name: "After" }).fill("1");
  await form.getByLabel("Unit").selectOption("seconds");
  await form.getByRole("button", { name: "Plan it" }).click();
  const alert = notice(page, "count to 3");
  await alert.getByText(/w1 w2 w3/).waitFor();
  await alert.getByRole("link", { name: "Open" }).click();
  await page.locator("[data-turn-status=completed]").filter({ hasText: "count to 3" }).waitFor();
});

sharedTest("a timer runs down in every view, is paused and cancelled", async (visit) => {
  const page = await visit.open();
  await ask(page, "set a timer for 5 minutes");
  const strip = page.getByRole("region", { name: "Timers" });
  const time = strip.getByRole("timer");
  const first = await time.innerText();
  assert.match(first, /^0[45]:\d\d$/);
  await until(
    () => time.innerText(),
    (text) => text < first,
  );
  await strip.getByRole("button", { name: /^Pause/ }).click();
  await strip.getByRole("button", { name: /^Resume/ }).waitFor();
  const stopped = strip.getByText(/^\d\d:\d\d$/);
  const left = await stopped.innerText();
  await page.waitForTimeout(1_100);
  assert.equal(await stopped.innerText(), left);
  // The server knows what is left, so a page that did not pause it shows it too.
  await page.reload();
  await strip.getByRole("img", { name: /paused, 4 minutes \d+ seconds? left|paused, 5 minutes left/ }).waitFor();
  assert.equal(await stopped.innerText(), left);
  await goTo(page, "Planned");
  await strip.getByRole("button", { name: /^Resume/ }).click();
  await time.waitFor();
  await strip.getByRole("button", { name: /^Cancel/ }).click();
  await strip.waitFor({ state: "detached" });
});

sharedTest(
  "a call is planned with exact arguments; what waits for approval shows it with its digest",
  async (visit) => {
    const page = await visit.open({ at: "#/planned" });
    const form = await newForm(page);
    await form.getByRole("tab", { name: "Call" }).click();
    await form.getByLabel("Tool").selectOption("send_letter");
    await form.getByLabel("Arguments (JSON)").fill('{"to": "Grandmother", "words": "Hello"}');
    await form.getByRole("spinbutton", { name: "After" }).fill("1");
    await form.getByLabel("Unit").selectOption("hours");
    await form.getByRole("button", { name: "Plan it" }).click();
    const planned = row(page, "Calls send_letter");
    await planned.getByRole("button", { name: /now$/ }).click();
    const deed = { tool: "send_letter", arguments: { to: "Grandmother", words: "Hello" } };
    await until(
      () => Promise.resolve(visit.toolServer.calls),
      (calls) => calls.length === 1,
    );
    assert.deepEqual(visit.toolServer.calls, [deed]);
    await planned.getByText(/Called/).waitFor();
    // A person's own plan needs no approval, so the status is changed on the way to the page.
    await page.route("**/api/v1/schedules?*", async (route) => {
      const answer = await route.fetch();
      const list = (await answer.json()) as wire.SchedulePage;
      const data = list.data.map((one) => (one.action.do === "call" ? { ...one, status: "waiting" } : one));
      await route.fulfill({ response: answer, json: { ...list, data } });
    });
    visit.watch.expect(/status of 4\d\d/);
    await page.reload();
    const approval = planned.getByRole("region", { name: /^Approval of/ });
    const shown = await approval.innerText();
    const [made] = (await schedules(visit)).filter(({ action }) => action.do === "call");
    const digest = made?.action.do === "call" ? made.action.digest : undefined;
    for (const part of ["send_letter", "Grandmother", "Hello", String(digest)]) assert.ok(shown.includes(part), part);
    const sent = page.waitForRequest(/\/do$/);
    await approval.getByRole("button", { name: "Approve" }).click();
    assert.deepEqual((await sent).postDataJSON(), { do: "approve", digest });
    await planned.getByText(/does not wait for an approval/).waitFor();
  },
);

sharedTest("a schedule that waits for a webhook shows its secret once, and runs as often as it may", async (visit) => {
  const page = await visit.open({ at: "#/planned" });
  const form = await newForm(page);
  await form.getByLabel("Remind me of").fill("the parcel is here");
  await form.getByLabel("When").selectOption("When something happens");
  await form.getByLabel("What happens").selectOption("A webhook arrives");
  await form.getByRole("heading", { name: "Each time its webhook arrives" }).waitFor();
  await form.getByLabel("Seconds between two runs").fill("0");
  await form.getByText("Late runs and limits").click();
  await form.getByLabel("Largest number of runs (optional)").fill("1");
  await form.getByRole("button", { name: "Plan it" }).click();
  const dialog = page.getByRole("dialog", { name: "Its webhook" });
  const address = await dialog.getByLabel("Address", { exact: true }).inputValue();
  const secret = await dialog.getByLabel("Secret", { exact: true }).inputValue();
  assert.ok(address.startsWith(`${visit.server.url}/hooks/`), address);
  assert.match(secret, /^whsec_/);
  await dialog.getByRole("button", { name: "I have copied it" }).click();
  const planned = row(page, "the parcel is here");
  await planned.getByText(address).waitFor();
  await planned.getByText("0 of 1 runs").waitFor();
  assert.ok(!(await page.content()).includes(secret));
  const sent = await signedWebhook(address, secret);
  assert.equal(sent.status, 202);
  await notice(page, "the parcel is here").getByRole("button", { name: "Mark as seen" }).click();
  await page.getByRole("tab", { name: "History" }).click();
  await planned.getByText("1 of 1 runs").waitFor();
});

sharedTest("late runs and a change at home are chosen in the form and kept when it is edited", async (visit) => {
  const page = await visit.open({ at: "#/planned" });
  const form = await newForm(page);
  await form.getByLabel("Remind me of").fill("close the window");
  await form.getByLabel("When").selectOption("Again and again");
  await form.getByText("Late runs and limits").click();
  await form.getByLabel(/^Runs that are late/).selectOption("Run late, within a time");
  await form.getByLabel("At most this late").fill("2");
  await form.getByRole("button", { name: "Plan it" }).click();
  const planned = row(page, "close the window");
  await planned.getByText("Runs up to 2 hours late").waitFor();
  await planned.getByRole("button", { name: /^Edit/ }).click();
  const edit = page.getByRole("dialog", { name: "Edit" });
  await edit.getByText("Late runs and limits").click();
  assert.equal(await edit.getByLabel("At most this late").inputValue(), "2");
  await edit.getByLabel("When").selectOption("When something happens");
  await edit.getByLabel("Entity").fill("binary_sensor.window");
  await edit.getByLabel("To (optional)").fill("on");
  await edit.getByRole("button", { name: "Save" }).click();
  await planned.getByText("Each time binary_sensor.window changes to on").waitFor();
});

/** Sends a webhook as Standard Webhooks describes it. */
function signedWebhook(address: string, secret: string): Promise<Response> {
  const [id, at, body] = ["msg_1", String(Math.floor(Date.now() / 1_000)), "{}"];
  const key = Buffer.from(secret.replace("whsec_", ""), "base64");
  const signature = createHmac("sha256", key).update(`${id}.${at}.${body}`).digest("base64");
  const headers = { "webhook-id": id, "webhook-timestamp": at, "webhook-signature": `v1,${signature}` };
  return fetch(address, { method: "POST", headers, body });
}

sharedTest("work in the background is begun in the chat, paused, resumed, and tells its end", async (visit) => {
  const page = await visit.open();
  await page.getByRole("textbox", { name: "Message" }).fill("count to 200 every 50 ms");
  await page.getByRole("button", { name: "Send in the background" }).click();
  await turnOf(page, "count to 200")
    .getByText(/\bw3\b/)
    .waitFor();
  // The conversation goes on meanwhile.
  await ask(page, "hello there");
  await goTo(page, "Planned");
  const work = page.getByRole("region", { name: "In the background" }).getByRole("listitem");
  await work.getByText("At work").waitFor();
  await work.getByRole("button", { name: /^Pause/ }).click();
  await work.getByText("Paused").waitFor();
  await work.getByRole("link", { name: /count to 200/ }).click();
  await turnOf(page, "count to 200").getByText("This turn is paused.").waitFor();
  await goTo(page, "Planned");
  await work.getByRole("button", { name: /^Resume/ }).click();
  await work.getByText("At work").waitFor();
  await work.getByRole("button", { name: /^Cancel/ }).click();
  await work.waitFor({ state: "detached" });
  const session = await visit.server.rest.get<wire.SessionPage>("/api/v1/sessions").then(({ data }) => data[0]);
  await visit.server.rest.post(`/api/v1/sessions/${session?.session_id}/turns`, {
    message: "hello again",
    background: true,
  });
  await notice(page, "hello again").getByText("Answer").waitFor();
});
