/** A test's stay: a house with what it needs, browsers' contexts that are its own, and an account of what went wrong. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { after, before, test, type TestContext } from "node:test";
import type { Browser, BrowserContext, BrowserContextOptions, Page } from "playwright-core";
import { launch, skip, Watch } from "./browser.ts";
import { type Furnishing, House } from "./house.ts";
import { ScriptedModel } from "./model.ts";
import { Outside } from "./outside.ts";

/** Sizes that stand for many. */
export const WIDE = { width: 1440, height: 900 };
export const TABLET = { width: 1024, height: 768 };
export const PHONE = { width: 390, height: 844 };

/** Where pictures of what failed go; nowhere unless it is said. */
const PICTURES = process.env["DWELL_E2E_PICTURES"];

/** How a page is opened. */
export type Opening = {
  at?: string;
  size?: { width: number; height: number };
  isDark?: boolean;
  context?: BrowserContext;
};

/** What a test has. */
export class Visit {
  readonly watch: Watch;
  readonly #contexts: BrowserContext[] = [];

  constructor(
    readonly browser: Browser,
    readonly house: House,
    readonly model: ScriptedModel,
    readonly outside: Outside,
  ) {
    this.watch = new Watch(house.url);
  }

  /** A browser that was never here. */
  async stranger(options: BrowserContextOptions = {}): Promise<BrowserContext> {
    const context = await this.browser.newContext({
      viewport: WIDE,
      locale: "en-GB",
      reducedMotion: "reduce",
      ...options,
    });
    context.setDefaultTimeout(45_000);
    this.watch.over(context);
    this.#contexts.push(context);
    return context;
  }

  /** A browser that is in. */
  async guest(options: BrowserContextOptions = {}): Promise<BrowserContext> {
    const context = await this.stranger(options);
    const headers = { origin: this.house.url };
    const data = { token: this.house.token };
    const answer = await context.request.post(`${this.house.url}/api/v1/entry`, { data, headers });
    if (!answer.ok()) throw new Error(`not let in: ${answer.status()} ${await answer.text()}`);
    return context;
  }

  /** The page, in a browser that is in: a new one, or another tab of one. */
  async open({ at = "", size = WIDE, isDark = false, context }: Opening = {}): Promise<Page> {
    const isPhone = size.width < 720;
    const page = await (
      context ??
      (await this.guest({
        viewport: size,
        colorScheme: isDark ? "dark" : "light",
        ...(isPhone && { hasTouch: true, isMobile: true, deviceScaleFactor: 2 }),
      }))
    ).newPage();
    await page.goto(`${this.house.url}/${at}`);
    await page.getByRole("navigation", { name: "Views" }).waitFor();
    return page;
  }

  /** What the browser shows in the end, for whoever looks for what went wrong. */
  async photograph(name: string): Promise<void> {
    if (!PICTURES) return;
    mkdirSync(PICTURES, { recursive: true });
    const pages = this.#contexts.flatMap((context) => context.pages());
    for (const [index, page] of pages.entries()) {
      const path = join(PICTURES, `${name.replaceAll(/\W+/g, "-").slice(0, 80)}-${index}.png`);
      await page.screenshot({ path, timeout: 5_000 }).catch(() => undefined);
    }
  }

  async leave(): Promise<void> {
    for (const context of this.#contexts) await context.close();
  }
}

/** How often a failed test is tried again: never, unless the environment says so, as continuous integration does. */
const RETRIES = Number(process.env["E2E_RETRIES"] ?? 0);

/** Runs a test, and again where it failed and retries are left. Each failure is printed, so that a flaky test is seen. */
async function retried(context: TestContext, attempt: (context: TestContext) => Promise<void>): Promise<void> {
  for (let left = RETRIES; ; left--) {
    try {
      await attempt(context);
      return;
    } catch (error) {
      if (left <= 0) throw error;
      context.diagnostic(`FLAKY, tried again: ${String(error)}`);
    }
  }
}

/** What the tests of a file stand on: one browser, and one house unless a test wants its own. */
export function stage(furnishing: Omit<Furnishing, "model" | "outside"> & { isOffline?: boolean } = {}) {
  let browser: Browser;
  let model: ScriptedModel;
  let outside: Outside;
  let house: House | undefined;
  const furnish = () => new House({ ...furnishing, model: furnishing.isOffline ? undefined : model, outside }).start();
  before(async () => {
    if (skip) return;
    [browser, model, outside] = await Promise.all([launch(), ScriptedModel.start(), Outside.start()]);
  });
  after(async () => {
    if (skip) return;
    await browser.close();
    await house?.end();
    model.stop();
    outside.stop();
  });
  const run = async (context: TestContext, own: House, body: (visit: Visit) => Promise<void>) => {
    const visit = new Visit(browser, own, model, outside);
    outside.deeds.length = 0;
    outside.isSilent = false;
    try {
      await body(visit);
      if (visit.watch.unexpected.length > 0) throw new Error(`in the browser:\n${visit.watch.unexpected.join("\n")}`);
    } catch (error) {
      await visit.photograph(context.name);
      if (visit.watch.unexpected.length > 0)
        context.diagnostic(`in the browser:\n${visit.watch.unexpected.join("\n")}`);
      throw error;
    } finally {
      await visit.leave();
    }
  };
  const declare = (name: string, attempt: (context: TestContext) => Promise<void>) =>
    void test(name, { skip, timeout: 120_000 * (1 + RETRIES) }, (context) => retried(context, attempt));
  /** A test in the file's house. */
  const scene = (name: string, body: (visit: Visit) => Promise<void>) =>
    declare(name, async (context) => {
      house ??= await furnish();
      try {
        await run(context, house, body);
      } finally {
        await house.rest.denyAll();
      }
    });
  /** A test in a house of its own, which it may kill. */
  const alone = (name: string, body: (visit: Visit) => Promise<void>) =>
    declare(name, async (context) => {
      const own = await furnish();
      try {
        await run(context, own, body);
      } finally {
        await own.end();
      }
    });
  return { scene, alone };
}
