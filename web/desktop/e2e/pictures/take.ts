/** Takes screenshots of the main views at three sizes, light and dark, with seeded data. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { launch, skip } from "../support/browser.ts";
import { TestServer } from "../support/server.ts";
import { ScriptedModel } from "../support/model.ts";
import { ToolServer } from "../support/tool-server.ts";
import { PHONE, TABLET, Visit, WIDE } from "../support/visit.ts";
import { DEMO } from "./script.ts";
import { seedEvening, seedPast, seedQuestion, seedWork } from "./seed.ts";

/** WebP is small; some programs want PNG. */
const FORMAT = process.env["DWELL_PICTURE_FORMAT"] === "png" ? "png" : "webp";
const SIZES = { wide: WIDE, tablet: TABLET, phone: PHONE };

/** A screenshot: its route, and what must be visible first. */
type Shot = { name: string; at: string; ready: (page: Page) => Promise<unknown> };

function shots(session: string): Shot[] {
  const text = (words: RegExp | string) => (page: Page) => page.getByText(words).first().waitFor();
  return [
    { name: "talk", at: `#/talk/${session}`, ready: text("Darjeeling") },
    { name: "new", at: "#/talk", ready: (page) => page.getByRole("textbox", { name: "Message" }).waitFor() },
    { name: "desktop", at: `#/desktop/${session}`, ready: text(/^Tea$/) },
    { name: "memory", at: "#/memory", ready: text("vegan") },
    { name: "journal", at: `#/journal/${session}`, ready: text(/energy/i) },
    { name: "home", at: "#/home", ready: text(/living room/i) },
  ];
}

async function photograph(page: Page, file: string): Promise<number> {
  const cdp = await page.context().newCDPSession(page);
  const { data } = await cdp.send("Page.captureScreenshot", {
    format: FORMAT,
    ...(FORMAT === "webp" && { quality: 82 }),
  });
  const bytes = Buffer.from(data, "base64");
  writeFileSync(file, bytes);
  return bytes.length;
}

async function main(folder: string, only: readonly string[]): Promise<void> {
  if (skip) throw new Error(skip);
  mkdirSync(folder, { recursive: true });
  const [browser, model, toolServer] = await Promise.all([launch(), ScriptedModel.start(DEMO), ToolServer.start()]);
  const server = await new TestServer({ model, environment: { DWELL_TOOLS_APPROVAL_MS: "600000" } }).start();
  const visit = new Visit(browser, server, model, toolServer);
  try {
    await seedPast(server.rest);
    const session = await seedEvening(server.rest);
    const take = async ({ name, at, ready }: Shot) => {
      for (const [sizeName, size] of Object.entries(SIZES)) {
        for (const look of ["light", "dark"]) {
          const file = `${name}-${sizeName}-${look}.${FORMAT}`;
          if (only.length > 0 && !only.some((word) => file.startsWith(word))) continue;
          const page = await visit.open({ at, size, isDark: look === "dark" });
          await ready(page);
          // Fonts, charts and apps render a moment after the text.
          await page.evaluate(() => document.fonts.ready);
          await page.waitForTimeout(700);
          const bytes = await photograph(page, join(folder, file));
          console.log(`${file} ${(bytes / 1000).toFixed(0)} KB`);
          await page.context().close();
        }
      }
    };
    for (const motif of shots(session)) await take(motif);
    const work = await seedWork(server.rest);
    await take({
      name: "agents",
      at: `#/agents/${work}`,
      ready: (page) =>
        page
          .getByText(/what does one cost/)
          .first()
          .waitFor(),
    });
    await seedQuestion(server.rest, session);
    await take({ name: "approval", at: `#/talk/${session}`, ready: (page) => page.getByRole("alertdialog").waitFor() });
    for (const trouble of visit.watch.unexpected) console.error(trouble);
  } finally {
    await visit.close();
    await browser.close();
    await server.end();
    model.stop();
    toolServer.stop();
  }
}

const [folder = "pictures", ...only] = process.argv.slice(2);
await main(folder, only);
