/**
 * Performance of the page under load: scrolling through and streaming into a conversation of 5,000
 * messages (by default), and an answer that streams for minutes. Numbers are printed; only what
 * must hold on any machine is asserted.
 */
import assert from "node:assert/strict";
import { setTimeout as pause } from "node:timers/promises";
import type { CDPSession, Page } from "playwright-core";
import { launch, skip } from "./support/browser.ts";
import { TestServer } from "./support/server.ts";
import { ScriptedModel } from "./support/model.ts";
import { ToolServer } from "./support/tool-server.ts";
import { countsUp, message, numbersIn, say, waitForStatus, turnOf } from "./support/chat.ts";
import { Visit } from "./support/visit.ts";

const MESSAGES = Number(process.env["DWELL_MEASURE_MESSAGES"] ?? 5_000);
/** Above this the list is not virtualised properly. */
const NODES_MAX = 12_000;
const minutes = Number(process.env["DWELL_MEASURE_MINUTES"] ?? 0.25);

type Frames = { times: number[]; long: number[] };

/** Records frame times and long tasks until the returned function is called. */
async function watchFrames(page: Page): Promise<() => Promise<Frames>> {
  await page.evaluate(() => {
    const state = { times: [] as number[], long: [] as number[], isOn: true };
    Object.assign(globalThis, { frames: state });
    const observer = new PerformanceObserver((list) =>
      state.long.push(...list.getEntries().map((entry) => entry.duration)),
    );
    observer.observe({ entryTypes: ["longtask"] });
    let last = performance.now();
    const tick = (now: number) => {
      state.times.push(now - last);
      last = now;
      if (state.isOn) requestAnimationFrame(tick);
      else observer.disconnect();
    };
    requestAnimationFrame(tick);
  });
  return () =>
    page.evaluate(() => {
      const state = (globalThis as unknown as { frames: Frames & { isOn: boolean } }).frames;
      state.isOn = false;
      return { times: state.times, long: state.long };
    });
}

function report(name: string, { times, long }: Frames): void {
  const sorted = times.slice(1).sort((a, b) => a - b);
  const at = (share: number) =>
    (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0).toFixed(1);
  const tasks = `${long.length} long tasks, the longest ${Math.max(0, ...long).toFixed(0)} ms`;
  const frames = `p50 ${at(0.5)} ms, p95 ${at(0.95)} ms, p99 ${at(0.99)} ms, max ${at(1)} ms`;
  console.log(`${name}: ${sorted.length} frames, ${frames}; ${tasks}`);
}

async function weight(cdp: CDPSession): Promise<{ nodes: number; heap: number }> {
  await cdp.send("HeapProfiler.collectGarbage");
  const { metrics } = await cdp.send("Performance.getMetrics");
  const of = (name: string) => metrics.find((metric) => metric.name === name)?.value ?? 0;
  return { nodes: of("Nodes"), heap: of("JSHeapUsedSize") };
}

async function inDocument(page: Page): Promise<number> {
  return page.evaluate(() => document.querySelectorAll("*").length);
}

/** A long conversation: short questions, answers of a few sentences, some lists and code. */
function conversation(): { role: string; content: string }[] {
  return Array.from({ length: MESSAGES }, (_, index) => {
    const number = Math.floor(index / 2) + 1;
    if (index % 2 === 0) return { role: "user", content: `Question ${number}: what about thing ${number}?` };
    const words = `Answer ${number}. ${"It depends on the weather and on who is asked. ".repeat((number % 7) + 1)}`;
    const more =
      number % 5 === 0
        ? "\n\n- one\n- two\n- three"
        : number % 11 === 0
          ? "\n\n```js\nconst a = 1;\nconst b = 2;\n```"
          : "";
    return { role: "assistant", content: words + more };
  });
}

async function scrolling(visit: Visit): Promise<void> {
  const session = await visit.server.rest.importMessages(conversation(), "five-thousand");
  const began = performance.now();
  const page = await visit.open({ at: `#/talk/${session}` });
  await turnOf(page, `Question ${MESSAGES / 2}:`).waitFor();
  console.log(`${MESSAGES} messages: the newest are shown after ${(performance.now() - began).toFixed(0)} ms`);
  const region = page.getByRole("region", { name: "Conversation" });
  const box = await region.boundingBox();
  assert.ok(box);
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  const cdp = await page.context().newCDPSession(page);
  await cdp.send("Performance.enable");
  const up = await watchFrames(page);
  let most = 0;
  const deadline = Date.now() + 120_000;
  const first = turnOf(page, "Question 1:");
  let steps = 0;
  while (!(await first.isVisible())) {
    assert.ok(Date.now() < deadline, "the beginning is not reached");
    for (let step = 0; step < 20; step += 1) await page.mouse.wheel(0, -900);
    steps += 20;
    most = Math.max(most, await inDocument(page));
  }
  report(`scrolled up through all of it (${steps} turns of the wheel)`, await up());
  const down = await watchFrames(page);
  for (let step = 0; step < 200; step += 1) await page.mouse.wheel(0, 900);
  report("scrolled down again", await down());
  most = Math.max(most, await inDocument(page));
  // A short conversation is already at its end.
  const toTheEnd = page.getByRole("button", { name: /New messages|Jump to end/ }).first();
  if (await toTheEnd.isVisible()) await toTheEnd.click();
  const streaming = await watchFrames(page);
  await say(page, "count to 600 every 5 ms");
  const turn = turnOf(page, "count to 600");
  await waitForStatus(turn);
  report("streamed into it", await streaming());
  const numbers = numbersIn(await turn.innerText());
  assert.ok(numbers.length === 600 && countsUp(numbers));
  const { heap } = await weight(cdp);
  console.log(`elements in the page: at most ${most}; heap ${(heap / 1e6).toFixed(1)} MB`);
  assert.ok(most < NODES_MAX, `${most} elements are in the page`);
}

async function longStream(visit: Visit): Promise<void> {
  const budgets = { max_duration_ms: 3_600_000, max_tokens: 10_000_000 };
  const session = await visit.server.rest.session({ budgets });
  const page = await visit.open({ at: `#/talk/${session}` });
  await message(page).waitFor();
  const cdp = await page.context().newCDPSession(page);
  await cdp.send("Performance.enable");
  const count = Math.round(minutes * 60 * 25);
  await say(page, `stream ${count} words every 40 ms`);
  const turn = turnOf(page, `stream ${count} words`);
  await turn.getByText(/\bw20\b/).waitFor();
  const frames = await watchFrames(page);
  const began = Date.now();
  const every = Math.max(2_500, (minutes * 60_000) / 20);
  const first = await weight(cdp);
  let last = first;
  console.log("seconds  words  heap MB  nodes");
  const look = async () => {
    last = await weight(cdp);
    const words = numbersIn((await turn.textContent()) ?? "").length;
    const seconds = Math.round((Date.now() - began) / 1000);
    console.log(
      `${seconds}`.padStart(7),
      `${words}`.padStart(6),
      (last.heap / 1e6).toFixed(2).padStart(8),
      `${last.nodes}`.padStart(6),
    );
  };
  while ((await turn.getAttribute("data-turn-status")) === "streaming") {
    await pause(every);
    await look();
  }
  await waitForStatus(turn);
  report(`a stream of ${minutes} minutes`, await frames());
  const text = (await visit.server.rest.turns(session))[0]?.response?.message ?? "";
  const numbers = numbersIn((await turn.textContent()) ?? "");
  assert.ok(numbers.length === count && countsUp(numbers), `${numbers.length} of ${count} words are there`);
  // The text exists a few times (received, parsed, rendered); a leak would grow with every token.
  const bound = first.heap + 8e6 + 60 * text.length;
  assert.ok(last.heap < bound, `the heap grew from ${first.heap} to ${last.heap}`);
}

async function main(): Promise<void> {
  if (skip) {
    console.log(`not measured: ${skip}`);
    return;
  }
  const [browser, model, toolServer] = await Promise.all([launch(), ScriptedModel.start(), ToolServer.start()]);
  const server = await new TestServer({ model, environment: { DWELL_MEMORY_FOLLOW_SESSIONS: "false" } }).start();
  const visit = new Visit(browser, server, model, toolServer);
  try {
    await scrolling(visit);
    await longStream(visit);
    assert.deepEqual(visit.watch.unexpected, []);
  } finally {
    await visit.close();
    await browser.close();
    await server.end();
    model.stop();
    toolServer.stop();
  }
}

await main();
