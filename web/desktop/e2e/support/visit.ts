/** Fixtures of the browser tests: server, browser contexts, and a record of problems. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { after, before, test, type TestContext } from "node:test";
import type { Browser, BrowserContext, BrowserContextOptions, Page } from "playwright-core";
import { launch, skip, Watch } from "./browser.ts";
import { type ServerOptions, TestServer } from "./server.ts";
import { ScriptedModel } from "./model.ts";
import { ToolServer } from "./tool-server.ts";

/** Representative screen sizes. */
export const WIDE = { width: 1440, height: 900 };
export const TABLET = { width: 1024, height: 768 };
export const PHONE = { width: 390, height: 844 };

/** The folder for screenshots of failed tests; none by default. */
const PICTURES = process.env["DWELL_E2E_PICTURES"];

/** Options for opening a page. */
export type OpenOptions = {
  at?: string;
  size?: { width: number; height: number };
  isDark?: boolean;
  context?: BrowserContext;
};

/** The fixtures of one test. */
export class Visit {
  readonly watch: Watch;
  readonly #contexts: BrowserContext[] = [];

  constructor(
    readonly browser: Browser,
    readonly server: TestServer,
    readonly model: ScriptedModel,
    readonly toolServer: ToolServer,
  ) {
    this.watch = new Watch(server.url);
  }

  /** A browser context that is not signed in. */
  async newContext(options: BrowserContextOptions = {}): Promise<BrowserContext> {
    const context = await this.browser.newContext({
      viewport: WIDE,
      locale: "en-GB",
      reducedMotion: "reduce",
      // Requests that pass a service worker cannot be intercepted; its own tests allow it.
      serviceWorkers: "block",
      ...options,
    });
    context.setDefaultTimeout(45_000);
    this.watch.over(context);
    this.#contexts.push(context);
    return context;
  }

  /** A browser context that is signed in. */
  async signedInContext(options: BrowserContextOptions = {}): Promise<BrowserContext> {
    const context = await this.newContext(options);
    const headers = { origin: this.server.url };
    const data = { token: this.server.token };
    const answer = await context.request.post(`${this.server.url}/api/v1/entry`, { data, headers });
    if (!answer.ok()) throw new Error(`cannot sign in: ${answer.status()} ${await answer.text()}`);
    return context;
  }

  /** Opens the page signed in: in a new context, or as another tab of a given one. */
  async open({ at = "", size = WIDE, isDark = false, context }: OpenOptions = {}): Promise<Page> {
    const isPhone = size.width < 720;
    const page = await (
      context ??
      (await this.signedInContext({
        viewport: size,
        colorScheme: isDark ? "dark" : "light",
        ...(isPhone && { hasTouch: true, isMobile: true, deviceScaleFactor: 2 }),
      }))
    ).newPage();
    await page.goto(`${this.server.url}/${at}`);
    await page.getByRole("navigation", { name: "Views" }).waitFor();
    return page;
  }

  /** Saves screenshots of all pages, to help find out why a test failed. */
  async saveScreenshots(name: string): Promise<void> {
    if (!PICTURES) return;
    mkdirSync(PICTURES, { recursive: true });
    const pages = this.#contexts.flatMap((context) => context.pages());
    for (const [index, page] of pages.entries()) {
      const path = join(PICTURES, `${name.replaceAll(/\W+/g, "-").slice(0, 80)}-${index}.png`);
      await page.screenshot({ path, timeout: 5_000 }).catch(() => undefined);
    }
  }

  async close(): Promise<void> {
    for (const context of this.#contexts) await context.close();
  }
}

/** How often a failed test is retried: never by default; continuous integration sets it. */
const RETRIES = Number(process.env["E2E_RETRIES"] ?? 0);

/** Runs a test with retries. Each failure is printed, so that flaky tests are noticed. */
async function withRetries(context: TestContext, attempt: (context: TestContext) => Promise<void>): Promise<void> {
  for (let left = RETRIES; ; left--) {
    try {
      await attempt(context);
      return;
    } catch (error) {
      if (left <= 0) throw error;
      context.diagnostic(`FLAKY, retried: ${String(error)}`);
    }
  }
}

/** The fixtures of a test file: one browser, and one server unless a test needs its own. */
export function browserTests(options: Omit<ServerOptions, "model" | "toolServer"> & { isOffline?: boolean } = {}) {
  let browser: Browser;
  let model: ScriptedModel;
  let toolServer: ToolServer;
  let server: TestServer | undefined;
  const startServer = () =>
    new TestServer({ ...options, model: options.isOffline ? undefined : model, toolServer }).start();
  before(async () => {
    if (skip) return;
    [browser, model, toolServer] = await Promise.all([launch(), ScriptedModel.start(), ToolServer.start()]);
  });
  after(async () => {
    if (skip) return;
    await browser.close();
    await server?.end();
    model.stop();
    toolServer.stop();
  });
  const run = async (context: TestContext, own: TestServer, body: (visit: Visit) => Promise<void>) => {
    const visit = new Visit(browser, own, model, toolServer);
    toolServer.calls.length = 0;
    toolServer.isSilent = false;
    try {
      await body(visit);
      if (visit.watch.unexpected.length > 0) throw new Error(`in the browser:\n${visit.watch.unexpected.join("\n")}`);
    } catch (error) {
      await visit.saveScreenshots(context.name);
      if (visit.watch.unexpected.length > 0)
        context.diagnostic(`in the browser:\n${visit.watch.unexpected.join("\n")}`);
      throw error;
    } finally {
      await visit.close();
    }
  };
  const declare = (name: string, attempt: (context: TestContext) => Promise<void>) =>
    void test(name, { skip, timeout: 120_000 * (1 + RETRIES) }, (context) => withRetries(context, attempt));
  /** A test on the file's shared server. */
  const sharedTest = (name: string, body: (visit: Visit) => Promise<void>) =>
    declare(name, async (context) => {
      server ??= await startServer();
      try {
        await run(context, server, body);
      } finally {
        await server.rest.denyAll();
      }
    });
  /** A test on its own server, which it may kill. */
  const isolatedTest = (name: string, body: (visit: Visit) => Promise<void>) =>
    declare(name, async (context) => {
      const own = await startServer();
      try {
        await run(context, own, body);
      } finally {
        await own.end();
      }
    });
  return { sharedTest, isolatedTest };
}
