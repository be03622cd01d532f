/** The arithmetic of charts. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  areaPath,
  asNumbers,
  extent,
  linePath,
  nearest,
  niceScale,
  niceStep,
  place,
  ring,
  sample,
  shorten,
  slices,
  thin,
} from "../src/kit/chart-scale.ts";

describe("scales", () => {
  it("steps by 1, 2 and 5", () => {
    assert.equal(niceStep(0.7), 1);
    assert.equal(niceStep(13), 20);
    assert.equal(niceStep(0.3 / 3), 0.1);
    assert.equal(niceStep(0), 1);
    assert.equal(niceStep(Number.NaN), 1);
  });

  it("begins at nothing and ends at or above the largest", () => {
    const scale = niceScale([12, 97], 5);
    assert.deepEqual(scale.ticks, [0, 20, 40, 60, 80, 100]);
  });

  it("reaches below nothing", () => {
    const { min, max, ticks } = niceScale([-30, 45], 4);
    assert.ok(min <= -30 && max >= 45);
    assert.ok(ticks.includes(0));
  });

  it("has a height for one value, for nothing, and for small fractions", () => {
    assert.ok(niceScale([7, 7]).max > 7);
    assert.deepEqual(niceScale([0, 0]).ticks[0], 0);
    assert.ok(niceScale([0, 0]).max > 0);
    assert.deepEqual(niceScale([0, 0.3], 3).ticks, [0, 0.1, 0.2, 0.3]);
    const alone = niceScale([20, 20], 4, false);
    assert.ok(alone.min < 20 && alone.max > 20);
  });

  it("looks past what is not there", () => {
    assert.deepEqual(
      extent([
        [null, 3, undefined],
        [Number.NaN, -1],
      ]),
      [-1, 3],
    );
    assert.equal(extent([[null], []]), undefined);
  });

  it("places values between two ends, either way round", () => {
    assert.equal(place(5, { min: 0, max: 10 }, 0, 200), 100);
    assert.equal(place(10, { min: 0, max: 10 }, 200, 0), 0);
    assert.equal(place(3, { min: 3, max: 3 }, 0, 10), 5);
  });
});

describe("what fits", () => {
  it("draws every label if all fit, else evenly spaced ones", () => {
    assert.deepEqual(thin(4, 10), [0, 1, 2, 3]);
    assert.deepEqual(thin(10, 4), [0, 3, 6, 9]);
    assert.deepEqual(thin(0, 4), []);
    assert.deepEqual(thin(3, 0), [0]);
  });

  it("keeps the peaks of a long row", () => {
    const values = Array.from({ length: 10_000 }, () => 1);
    values[4_321] = 99;
    values[7_777] = -5;
    const kept = sample(values, 400);
    assert.ok(kept.length <= 402, `${kept.length}`);
    assert.ok(kept.includes(4_321) && kept.includes(7_777));
    assert.ok(kept.includes(0) && kept.includes(9_999));
    assert.deepEqual(sample([1, 2, 3], 10), [0, 1, 2]);
  });

  it("keeps a gap a gap", () => {
    const values = Array.from({ length: 1_000 }, (_, index) => (index >= 400 && index < 600 ? null : index));
    assert.ok(sample(values, 100).some((index) => values[index] === null));
  });

  it("shortens by letters, not by halves of them", () => {
    assert.equal(shorten("short", 10), "short");
    assert.equal(shorten("🏠🏠🏠🏠", 3), "🏠🏠…");
  });

  it("finds the nearest", () => {
    assert.equal(nearest([0, 10, 20], 14), 1);
    assert.equal(nearest([], 3), -1);
  });
});

describe("shapes", () => {
  it("makes slices of what is more than nothing", () => {
    const all = slices([1, 0, null, -4, 3]);
    assert.deepEqual(
      all.map(({ index, share }) => [index, share]),
      [
        [0, 0.25],
        [4, 0.75],
      ],
    );
    assert.equal(all.at(-1)?.to, 1);
    assert.deepEqual(slices([0, null]), []);
  });

  it("draws a whole ring as two halves", () => {
    assert.equal(ring({ from: 0, to: 1 }, 10, 5).match(/M/g)?.length, 2);
    assert.equal(ring({ from: 0, to: 0.25 }, 10, 5).match(/M/g)?.length, 1);
  });

  it("breaks lines and areas at gaps", () => {
    const points = [{ x: 0, y: 0 }, { x: 1, y: 1 }, undefined, { x: 3, y: 3 }];
    assert.equal(linePath(points), "M0 0L1 1M3 3");
    assert.equal(areaPath(points, 9), "M0 0L1 1L1 9L0 9ZM3 3L3 9L3 9Z");
    assert.equal(linePath([]), "");
  });

  it("takes labels for numbers only when all are", () => {
    assert.deepEqual(asNumbers(["1", "2.5"]), [1, 2.5]);
    assert.equal(asNumbers(["1", "two"]), undefined);
    assert.equal(asNumbers(["1", ""]), undefined);
    assert.equal(asNumbers([]), undefined);
  });
});
