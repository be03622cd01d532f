/** Window geometry, and the interactions that are sent. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { wire } from "@dwell/client";
import {
  boundsAfterMove,
  moveBy,
  resizeBy,
  RECT_MIN,
  scrolledTo,
  steps,
  toRect,
  toUnits,
} from "../src/desktop/geometry.ts";
import { BATCH_MAX, Outbox } from "../src/desktop/outbox.ts";

const SURFACE = { width: 1_280, height: 720 };
const bounds = (x: number, y: number, width: number, height: number): wire.Bounds => ({ x, y, width, height });

describe("showing", () => {
  it("scales the whole desktop to the surface, and back", () => {
    const half = bounds(3_840, 0, 3_840, 4_320);
    const rect = toRect(half, SURFACE);
    assert.deepEqual(rect, { left: 640, top: 0, width: 640, height: 720 });
    assert.deepEqual(toUnits(rect, SURFACE), half);
  });

  it("keeps every window in view and large enough to grip", () => {
    const rect = toRect(bounds(7_500, 4_200, 120, 80), SURFACE);
    assert.deepEqual(rect, { left: 1_020, top: 570, ...RECT_MIN });
    assert.deepEqual(toRect(bounds(0, 0, 7_680, 4_320), { width: 200, height: 100 }), {
      left: 0,
      top: 0,
      width: 200,
      height: 100,
    });
  });

  it("does not change the size of what is only moved", () => {
    const small = bounds(0, 0, 400, 300);
    const rect = moveBy(toRect(small, SURFACE), 100, 50, SURFACE);
    assert.deepEqual(boundsAfterMove(small, rect, SURFACE), bounds(600, 300, 400, 300));
  });
});

describe("pulling", () => {
  const rect = { left: 100, top: 100, width: 400, height: 300 };

  it("moves the edges that are pulled and no others", () => {
    assert.deepEqual(resizeBy(rect, "se", 20, 30, SURFACE), { left: 100, top: 100, width: 420, height: 330 });
    assert.deepEqual(resizeBy(rect, "nw", 20, 30, SURFACE), { left: 120, top: 130, width: 380, height: 270 });
    assert.deepEqual(resizeBy(rect, "n", 99, -10, SURFACE), { left: 100, top: 90, width: 400, height: 310 });
  });

  it("stops at the edge of the surface and at the least size", () => {
    assert.deepEqual(resizeBy(rect, "w", -500, 0, SURFACE), { left: 0, top: 100, width: 500, height: 300 });
    assert.deepEqual(resizeBy(rect, "w", 500, 0, SURFACE), { left: 240, top: 100, width: 260, height: 300 });
    assert.deepEqual(resizeBy(rect, "s", 0, 5_000, SURFACE), { left: 100, top: 100, width: 400, height: 620 });
  });
});

describe("the least size", () => {
  it("holds for the user's hand as for agents, on every screen", () => {
    const wall = { width: 7_680, height: 4_320 };
    const pulled = resizeBy({ left: 0, top: 0, width: 900, height: 900 }, "se", -5_000, -5_000, wall);
    assert.deepEqual(toUnits(pulled, wall), bounds(0, 0, 400, 300));
    const corner = { left: 7_500, top: 4_200, width: 260, height: 150 };
    assert.deepEqual(toUnits(corner, wall), bounds(7_280, 4_020, 400, 300));
  });
});

describe("the taskbar", () => {
  it("scrolls only as far as the active window needs", () => {
    const bar = (scrollLeft: number) => ({ scrollLeft, clientWidth: 400 });
    assert.equal(scrolledTo(bar(0), 100, 120), 0, "it is visible");
    assert.equal(scrolledTo(bar(0), 600, 120), 360, "it is to the right");
    assert.equal(scrolledTo(bar(700), 300, 120), 260, "it is to the left");
    assert.equal(scrolledTo(bar(200), 0, 120), 0, "it is the first");
  });
});

describe("reporting", () => {
  const types = (list: wire.Interaction[]) => list.map(({ type }) => type.replace("window.", ""));

  /** As on the server: each step is clamped to the desktop. */
  function follow(from: wire.Bounds, list: wire.Interaction[]): wire.Bounds {
    return list.reduce((now, step) => {
      if (step.type === "window.move") {
        return { ...now, x: Math.min(step.x, 7_680 - now.width), y: Math.min(step.y, 4_320 - now.height) };
      }
      if (step.type !== "window.resize") return now;
      return { ...now, width: Math.min(step.width, 7_680 - now.x), height: Math.min(step.height, 4_320 - now.y) };
    }, from);
  }

  it("gets a window where it was put, whatever edge it stands at", () => {
    const places = [
      bounds(5_000, 2_000, 2_680, 2_320),
      bounds(6_000, 1_000, 1_680, 3_320),
      bounds(0, 0, 7_680, 400),
      bounds(7_000, 4_000, 680, 320),
    ];
    for (const from of places) {
      for (const to of places) assert.deepEqual(follow(from, steps("w", from, to)), to);
    }
    assert.deepEqual(types(steps("w", bounds(0, 0, 500, 500), bounds(1, 0, 500, 500))), ["move"]);
    assert.deepEqual(types(steps("w", bounds(0, 0, 500, 500), bounds(0, 0, 600, 500))), ["resize"]);
  });

  it("tells only the last place of each window, and focusing once", () => {
    const outbox = new Outbox();
    outbox.add({ type: "window.focus", window_id: "a" });
    outbox.place("a", bounds(0, 0, 500, 500), bounds(10, 0, 500, 500));
    outbox.add({ type: "window.focus", window_id: "a" });
    outbox.place("a", bounds(10, 0, 500, 500), bounds(20, 0, 500, 500));
    outbox.add({ type: "window.minimize", window_id: "b" });
    outbox.add({ type: "window.close", window_id: "b" });
    assert.deepEqual(outbox.drain(), [
      [
        { type: "window.focus", window_id: "a" },
        { type: "window.close", window_id: "b" },
        { type: "window.move", window_id: "a", x: 20, y: 0 },
      ],
    ]);
    assert.deepEqual(outbox.drain(), []);
  });

  it("sends no more at once than the server takes", () => {
    const outbox = new Outbox();
    for (let n = 0; n < BATCH_MAX + 1; n += 1) outbox.add({ type: "window.lock", window_id: `${n}` });
    assert.deepEqual(
      outbox.drain().map((batch) => batch.length),
      [BATCH_MAX, 1],
    );
    assert.equal(outbox.isEmpty, true);
  });
});
