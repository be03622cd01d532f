/**
 * Where the reader is in a long list of which only a part is in the page. Whoever is at the end stays there; whoever reads
 * further up keeps the line they read, whatever changes above and below.
 */
import { Heights } from "./heights.ts";

/** How near the end counts as being there. */
const NEAR = 24;

/** The part of the list that is in the page: from, up to but not with. */
export type Range = { from: number; to: number };

/** The scrolling of a list. It knows numbers only; the page tells it what it measured and does what it says. */
export class Scrolling {
  readonly heights: Heights;
  /** Whether the reader is at the end and stays there. */
  isAtEnd = true;
  #anchor: { key: string; offset: number } | undefined;
  #view = 800;
  #lead = 0;
  #tail = 0;
  #lastTop = 0;

  constructor(guess: (key: string) => number) {
    this.heights = new Heights(guess);
  }

  /** How high the view is, and what stands above and below the list. */
  measureAround(view: number, lead: number, tail: number): void {
    this.#view = view;
    this.#lead = lead;
    this.#tail = tail;
  }

  /** How far one can scroll. */
  get max(): number {
    return Math.max(0, this.#lead + this.heights.total + this.#tail - this.#view);
  }

  /** Where the view is to be. */
  get top(): number {
    if (this.isAtEnd) return this.max;
    const index = this.#anchor && this.heights.indexOf(this.#anchor.key);
    if (!this.#anchor || index === undefined) return Math.min(this.#lastTop, this.max);
    return Math.max(0, Math.min(this.#lead + this.heights.topOf(index) - this.#anchor.offset, this.max));
  }

  /** The view was put where it is to be. */
  placed(top: number): void {
    this.#lastTop = top;
  }

  /** The view has moved; `max` is how far it could. */
  moved(top: number, max: number): void {
    const left = max - top;
    // Only whoever goes down comes to the end: that the view was put there a moment ago says nothing of the reader.
    if (top < this.#lastTop - 0.5 && left > 1) this.isAtEnd = false;
    else if (top > this.#lastTop + 0.5 && left <= NEAR) this.isAtEnd = true;
    this.#lastTop = top;
    this.#hold(top);
  }

  /** The reader goes up: words that come must not pull them back. */
  leaveEnd(): void {
    if (this.isAtEnd && this.max > 0) this.stay();
  }

  /** What is seen now stays where it is, also if all of it is seen. */
  stay(): void {
    this.#hold(this.#lastTop);
    this.isAtEnd = false;
  }

  /** The reader goes down, and there is nothing more. */
  pushEnd(): void {
    if (this.max - this.#lastTop <= NEAR) this.isAtEnd = true;
  }

  /** To the end, and stay there. */
  toEnd(): void {
    this.isAtEnd = true;
  }

  /** To an item, a little below the top of the view. */
  toItem(key: string, offset: number): void {
    this.isAtEnd = false;
    this.#anchor = { key, offset };
  }

  /** What has to be in the page, with so much more above and below. */
  range(more: number): Range {
    if (this.heights.count === 0) return { from: 0, to: 0 };
    const top = this.top - this.#lead;
    return {
      from: this.heights.indexAt(top - more),
      to: this.heights.indexAt(top + this.#view + more) + 1,
    };
  }

  /** The first line of the view is what is kept in place. */
  #hold(top: number): void {
    const index = this.heights.indexAt(top - this.#lead);
    const key = this.heights.keyAt(index);
    this.#anchor = key === undefined ? undefined : { key, offset: this.#lead + this.heights.topOf(index) - top };
  }
}
