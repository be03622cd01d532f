/**
 * The scroll model of a long virtualised list. At the end it sticks to the end; further up it keeps
 * the first visible line in place, whatever changes above and below.
 */
import { Heights } from "./heights.ts";

/** Within this many pixels the view counts as being at the end. */
const NEAR = 24;

/** A range of rendered items: `from` inclusive, `to` exclusive. */
export type Range = { from: number; to: number };

/**
 * The scroll model. It works on numbers only; `Scroller` feeds it measurements and applies results.
 */
export class ScrollModel {
  readonly heights: Heights;
  /** Whether the view sticks to the end. */
  isAtEnd = true;
  #anchor: { key: string; offset: number } | undefined;
  #view = 800;
  #lead = 0;
  #tail = 0;
  #lastTop = 0;

  constructor(guess: (key: string) => number) {
    this.heights = new Heights(guess);
  }

  /** Sets the heights of the view, and of what is above and below the list. */
  measureAround(view: number, lead: number, tail: number): void {
    this.#view = view;
    this.#lead = lead;
    this.#tail = tail;
  }

  /** The maximum scroll position. */
  get max(): number {
    return Math.max(0, this.#lead + this.heights.total + this.#tail - this.#view);
  }

  /** The target scroll position. */
  get top(): number {
    if (this.isAtEnd) return this.max;
    const index = this.#anchor && this.heights.indexOf(this.#anchor.key);
    if (!this.#anchor || index === undefined) return Math.min(this.#lastTop, this.max);
    return Math.max(0, Math.min(this.#lead + this.heights.topOf(index) - this.#anchor.offset, this.max));
  }

  /** The target position was applied. */
  placed(top: number): void {
    this.#lastTop = top;
  }

  /** The view was scrolled; `max` is the maximum position. */
  moved(top: number, max: number): void {
    const left = max - top;
    // Only scrolling down reaches the end: a position set by the page says nothing about the
    // reader.
    if (top < this.#lastTop - 0.5 && left > 1) this.isAtEnd = false;
    else if (top > this.#lastTop + 0.5 && left <= NEAR) this.isAtEnd = true;
    this.#lastTop = top;
    this.#hold(top);
  }

  /** The reader scrolls up: new text must not pull the view back. */
  leaveEnd(): void {
    if (this.isAtEnd && this.max > 0) this.stay();
  }

  /** Keeps the current view in place, even if everything is visible. */
  stay(): void {
    this.#hold(this.#lastTop);
    this.isAtEnd = false;
  }

  /** The reader scrolls down at the end. */
  pushEnd(): void {
    if (this.max - this.#lastTop <= NEAR) this.isAtEnd = true;
  }

  /** Moves to the end and sticks to it. */
  toEnd(): void {
    this.isAtEnd = true;
  }

  /** Moves to an item, slightly below the top of the view. */
  toItem(key: string, offset: number): void {
    this.isAtEnd = false;
    this.#anchor = { key, offset };
  }

  /** The items to render, with a margin above and below. */
  range(more: number): Range {
    if (this.heights.count === 0) return { from: 0, to: 0 };
    const top = this.top - this.#lead;
    return {
      from: this.heights.indexAt(top - more),
      to: this.heights.indexAt(top + this.#view + more) + 1,
    };
  }

  /** Anchors the first visible line. */
  #hold(top: number): void {
    const index = this.heights.indexAt(top - this.#lead);
    const key = this.heights.keyAt(index);
    this.#anchor = key === undefined ? undefined : { key, offset: this.#lead + this.heights.topOf(index) - top };
  }
}
