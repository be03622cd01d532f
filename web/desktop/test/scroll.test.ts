/** The scroll model of a virtualised list: the reader's position stays in place. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Heights } from "../src/talk/heights.ts";
import { ScrollModel } from "../src/talk/scroll-model.ts";

const keys = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => `t${from + index}`);

function list(count: number, height = 100): ScrollModel {
  const scrolling = new ScrollModel(() => height);
  scrolling.heights.setKeys(keys(0, count));
  scrolling.measureAround(500, 20, 0);
  scrolling.placed(scrolling.top);
  return scrolling;
}

/** The offset of an item in the view. */
function seen(scrolling: ScrollModel, key: string): number {
  const index = scrolling.heights.indexOf(key) ?? Number.NaN;
  return 20 + scrolling.heights.topOf(index) - scrolling.top;
}

test("heights add up, guessed and measured", () => {
  const heights = new Heights(() => 100);
  heights.setKeys(keys(0, 10));
  assert.equal(heights.total, 1_000);
  assert.ok(heights.measure("t2", 50));
  assert.ok(!heights.measure("t2", 50.2));
  assert.equal(heights.total, 950);
  assert.equal(heights.topOf(3), 250);
  assert.equal(heights.indexAt(249), 2);
  assert.equal(heights.indexAt(250), 3);
  assert.equal(heights.indexAt(-5), 0);
  assert.equal(heights.indexAt(1e9), 9);
  assert.ok(!heights.measure("gone", 5));
});

test("heights stay with their items when others come before and after", () => {
  const heights = new Heights(() => 100);
  heights.setKeys(keys(10, 20));
  heights.measure("t12", 300);
  heights.setKeys(keys(0, 30));
  assert.equal(heights.total, 3_200);
  assert.equal(heights.indexOf("t12"), 12);
  assert.equal(heights.topOf(13), 1_500);
  heights.setKeys(keys(0, 12));
  assert.equal(heights.total, 1_200);
  assert.equal(heights.indexOf("t12"), undefined);
});

test("one begins at the end, and stays there while words come", () => {
  const scrolling = list(50);
  assert.equal(scrolling.top, 20 + 5_000 - 500);
  scrolling.heights.measure("t49", 260);
  assert.equal(scrolling.top, scrolling.max);
  scrolling.heights.setKeys(keys(0, 51));
  assert.equal(scrolling.top, 20 + 5_000 + 160 + 100 - 500);
});

test("only what is near the view is in the page", () => {
  const scrolling = list(5_000);
  const { from, to } = scrolling.range(600);
  assert.equal(to, 5_000);
  assert.ok(to - from < 14, `${to - from}`);
  scrolling.moved(100_000, scrolling.max);
  const middle = scrolling.range(600);
  assert.ok(middle.to - middle.from < 20);
  assert.ok(middle.from < 1_000 && middle.to > 1_003);
});

test("older pages that load move nothing that is seen", () => {
  const scrolling = new ScrollModel(() => 100);
  scrolling.heights.setKeys(keys(100, 200));
  scrolling.measureAround(500, 20, 0);
  scrolling.placed(scrolling.top);
  scrolling.moved(230, scrolling.max);
  const before = seen(scrolling, "t103");
  scrolling.heights.setKeys(keys(0, 200));
  assert.equal(seen(scrolling, "t103"), before);
  assert.equal(scrolling.top, 10_230);
});

test("heights that turn out otherwise above the view move nothing that is seen", () => {
  const scrolling = list(100);
  scrolling.moved(5_055, scrolling.max);
  const before = seen(scrolling, "t52");
  scrolling.heights.measure("t10", 700);
  scrolling.heights.measure("t90", 900);
  assert.equal(seen(scrolling, "t52"), before);
});

test("scrolling up leaves the end, and scrolling down sticks to it again", () => {
  const scrolling = list(50);
  scrolling.moved(scrolling.max - 200, scrolling.max);
  assert.ok(!scrolling.isAtEnd);
  const { top } = scrolling;
  scrolling.heights.measure("t49", 400);
  assert.equal(scrolling.top, top);
  scrolling.moved(scrolling.max - 10, scrolling.max);
  assert.ok(scrolling.isAtEnd);
});

test("a small step up is enough to leave the end while words come", () => {
  const scrolling = list(50);
  scrolling.leaveEnd();
  const { top } = scrolling;
  scrolling.heights.measure("t49", 140);
  assert.equal(scrolling.top, top);
  assert.ok(!scrolling.isAtEnd);
});

test("a scroll event from a set position does not undo leaving the end", () => {
  const scrolling = list(50);
  scrolling.leaveEnd();
  scrolling.moved(scrolling.max, scrolling.max);
  assert.ok(!scrolling.isAtEnd);
  scrolling.pushEnd();
  assert.ok(scrolling.isAtEnd);
});

test("a list that got shorter and cannot be scrolled so far is still at its end", () => {
  const scrolling = list(50);
  scrolling.heights.measure("t49", 20);
  scrolling.moved(scrolling.max, scrolling.max);
  assert.ok(scrolling.isAtEnd);
});

test("a list that fits cannot leave its end", () => {
  const scrolling = list(2);
  scrolling.leaveEnd();
  assert.ok(scrolling.isAtEnd);
  assert.equal(scrolling.top, 0);
});

test("what is unfolded in a list that fits grows downwards", () => {
  const scrolling = list(3);
  assert.equal(scrolling.top, 0);
  scrolling.stay();
  scrolling.heights.measure("t2", 900);
  assert.equal(scrolling.top, 0);
});

test("one can go to an item, and back to the end", () => {
  const scrolling = list(100);
  scrolling.toItem("t40", 60);
  assert.equal(seen(scrolling, "t40"), 60);
  const { from, to } = scrolling.range(0);
  assert.ok(from <= 40 && to > 40);
  scrolling.toEnd();
  assert.equal(scrolling.top, scrolling.max);
});

test("of five thousand turns only those near the view are shown, however they are measured", () => {
  const scrolling = list(5_000);
  scrolling.moved(200_000, scrolling.max);
  for (let index = 4_999; index >= 0; index -= 1) {
    scrolling.heights.measure(`t${index}`, 90 + (index % 30));
    const { from, to } = scrolling.range(800);
    assert.ok(to - from < 60, `${to - from} are shown`);
  }
});
