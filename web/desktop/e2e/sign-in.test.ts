/** Signing in, and the headers and files of the page. */
import assert from "node:assert/strict";
import type { Page, Request } from "playwright-core";
import { ask, message } from "./support/chat.ts";
import { browserTests } from "./support/visit.ts";

const { sharedTest, isolatedTest } = browserTests({ isOffline: true });

/** The browser logs the response to a request without a cookie. */
const NOT_IN = /status of 401/;

/** Asserts that no invitation and no token is left anywhere after signing in. */
async function assertNoSecret(page: Page, secrets: readonly string[]): Promise<void> {
  const places = await page.evaluate(() => [
    location.href,
    document.cookie,
    JSON.stringify(Object.entries(localStorage)),
    JSON.stringify(Object.entries(sessionStorage)),
    document.documentElement.outerHTML,
    ...performance.getEntriesByType("resource").map(({ name }) => name),
  ]);
  for (const place of places) {
    for (const secret of secrets) assert.ok(!place.includes(secret), `a secret is in ${place.slice(0, 200)}`);
  }
}

isolatedTest("from the link printed at startup to the first answer, and signed in after a reload", async (visit) => {
  const link = /http:\/\/\S+#invitation=(\S+)/.exec(visit.server.printed);
  assert.ok(link, `no link in: ${visit.server.printed}`);
  const context = await visit.newContext();
  const addresses: string[] = [];
  context.on("request", (request) => addresses.push(request.url()));
  const page = await context.newPage();
  await page.goto(link[0]);
  await message(page).waitFor();
  const secrets = ["invitation=", link[1] ?? "", visit.server.token];
  await assertNoSecret(page, secrets);
  const turn = await ask(page, "what is 6 * 7?");
  assert.match(await turn.innerText(), /42/);
  await assertNoSecret(page, secrets);
  await page.reload();
  await page.getByText("what is 6 * 7?").first().waitFor();
  assert.match(await page.getByRole("region", { name: "Conversation" }).innerText(), /42/);
  await page.goBack();
  await assertNoSecret(page, secrets);
  for (const address of addresses) {
    for (const secret of secrets) assert.ok(!address.includes(secret), `a secret went out in ${address}`);
  }
});

sharedTest("an invitation works once", async (visit) => {
  visit.watch.expect(NOT_IN);
  const link = await visit.server.invitation();
  const first = await (await visit.newContext()).newPage();
  await first.goto(link);
  await message(first).waitFor();
  const second = await (await visit.newContext()).newPage();
  await second.goto(link);
  await second.getByRole("heading", { name: "Welcome to Dwell" }).waitFor();
  assert.match(await second.getByRole("alert").innerText(), /dwell open/);
});

sharedTest("a wrong token is refused with a hint, the right one signs in, and signing out works", async (visit) => {
  visit.watch.expect(NOT_IN);
  const page = await (await visit.newContext()).newPage();
  await page.goto(visit.server.url);
  await page.getByRole("heading", { name: "Welcome to Dwell" }).waitFor();
  const token = page.getByLabel(/paste your token/);
  await token.fill("not-the-token");
  await page.getByRole("button", { name: "Sign in" }).click();
  const alert = page.getByRole("alert");
  await alert.waitFor();
  assert.match(await alert.innerText(), /dwell open|token/);
  await token.fill(visit.server.token);
  await token.press("Enter");
  await message(page).waitFor();
  await assertNoSecret(page, [visit.server.token]);
  await page.getByRole("button", { name: "Settings" }).click();
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.getByRole("heading", { name: "Welcome to Dwell" }).waitFor();
  await page.reload();
  await page.getByRole("heading", { name: "Welcome to Dwell" }).waitFor();
});

sharedTest("the policy is strict, and holds", async (visit) => {
  const context = await visit.signedInContext();
  const page = await context.newPage();
  const answer = await page.goto(visit.server.url);
  assert.ok(answer);
  const headers = answer.headers();
  const policy = new Map(
    (headers["content-security-policy"] ?? "").split(";").map((part) => {
      const [name = "", ...values] = part.trim().split(/\s+/);
      return [name, values] as const;
    }),
  );
  assert.deepEqual(policy.get("default-src"), ["'none'"]);
  assert.deepEqual(policy.get("script-src"), ["'self'"]);
  assert.deepEqual(policy.get("style-src"), ["'self'"]);
  assert.deepEqual(policy.get("connect-src"), ["'self'"]);
  assert.deepEqual(policy.get("frame-ancestors"), ["'none'"]);
  assert.deepEqual(policy.get("require-trusted-types-for"), ["'script'"]);
  for (const values of policy.values()) assert.ok(!values.some((value) => /unsafe|\*|https?:/.test(value)));
  assert.equal(headers["x-content-type-options"], "nosniff");
  assert.equal(headers["referrer-policy"], "no-referrer");
  await message(page).waitFor();
  visit.watch.expect(/Content Security Policy|Trusted(HTML|Script)|elsewhere\.invalid/);
  const got = await page.evaluate(async () => {
    const outcome: Record<string, string> = {};
    const attempt = async (name: string, body: () => unknown) => {
      try {
        await body();
        outcome[name] = "let through";
      } catch {
        outcome[name] = "refused";
      }
    };
    // Code run by the debugger itself may bypass the policy; code run a moment later may not.
    await new Promise((resolve) => setTimeout(resolve, 10));
    await attempt("markup", () => (document.createElement("div").innerHTML = "<b>x</b>"));
    await attempt("eval", () => globalThis.eval("1"));
    await attempt("elsewhere", () => fetch("https://elsewhere.invalid/"));
    const script = document.createElement("script");
    await attempt("inline", () => {
      script.text = "globalThis.wasRun = true";
      document.body.append(script);
      if (!("wasRun" in globalThis)) throw new Error("not run");
    });
    await attempt("style", () => {
      const style = document.createElement("style");
      style.textContent = "body { outline: 7px solid }";
      document.head.append(style);
      if (getComputedStyle(document.body).outlineWidth !== "7px") throw new Error("not applied");
    });
    return outcome;
  });
  assert.deepEqual(got, {
    markup: "refused",
    eval: "refused",
    elsewhere: "refused",
    inline: "refused",
    style: "refused",
  });
});

sharedTest(
  "what is hashed is kept by the browser, the page itself is asked for each time, and all of it is small",
  async (visit) => {
    const context = await visit.signedInContext();
    const page = await context.newPage();
    const finished: Request[] = [];
    page.on("requestfinished", (request) => finished.push(request));
    await page.goto(visit.server.url);
    await message(page).waitFor();
    await page.evaluate(() => document.fonts.ready);
    const loaded = [];
    for (const request of finished) {
      const { pathname: url } = new URL(request.url());
      const answer = await request.response();
      if (!answer || !(url === "/" || url.startsWith("/assets/"))) continue;
      const headers = answer.headers();
      const { responseBodySize: bytes } = await request.sizes();
      loaded.push({ url, bytes, cache: headers["cache-control"] ?? "", encoding: headers["content-encoding"] ?? "" });
    }
    for (const { url, cache } of loaded) assert.match(cache, url === "/" ? /no-cache/ : /immutable/, url);
    const scripts = loaded.filter(({ url }) => url.endsWith(".js"));
    assert.ok(scripts.length > 0 && scripts.every(({ encoding }) => encoding === "br" || encoding === "gzip"));
    const total = loaded.reduce((sum, { bytes }) => sum + bytes, 0);
    assert.ok(total > 20_000 && total < 200_000, `the first visit loads ${total} bytes`);
  },
);
