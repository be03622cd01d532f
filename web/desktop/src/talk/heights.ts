/** The heights of list items: measured if they were rendered, else estimated. */

/** The heights of a list, and the position of each item. */
export class Heights {
  #keys: readonly string[] = [];
  #indexes = new Map<string, number>();
  /** Estimates are kept until the real height is known: changing them would make the list jump. */
  readonly #known = new Map<string, number>();
  readonly #guess: (key: string) => number;
  /** The same by index, to avoid lookups while summing up. Negative means unknown. */
  #sizes: Float64Array = new Float64Array(1);
  /** The top of each item, then the bottom of the last; valid up to `#good`. */
  #tops: Float64Array = new Float64Array(1);
  #good = 0;

  constructor(guess: (key: string) => number) {
    this.#guess = guess;
  }

  get count(): number {
    return this.#keys.length;
  }

  get total(): number {
    return this.topOf(this.count);
  }

  keyAt(index: number): string | undefined {
    return this.#keys[index];
  }

  indexOf(key: string): number | undefined {
    return this.#indexes.get(key);
  }

  /** Sets the list. Heights stay with their keys. */
  setKeys(keys: readonly string[]): void {
    const shared = Math.min(keys.length, this.#keys.length);
    let same = 0;
    while (same < shared && keys[same] === this.#keys[same]) same += 1;
    if (same === keys.length && keys.length === this.#keys.length) return;
    if (same < this.#keys.length) this.#indexes = new Map(keys.map((key, index) => [key, index]));
    else for (let index = same; index < keys.length; index += 1) this.#indexes.set(keys[index] ?? "", index);
    this.#keys = keys;
    this.#tops = longEnough(this.#tops, keys.length + 1);
    this.#sizes = longEnough(this.#sizes, keys.length + 1);
    for (let index = same; index < keys.length; index += 1) {
      this.#sizes[index] = this.#known.get(keys[index] ?? "") ?? -1;
    }
    this.#good = Math.min(this.#good, same);
  }

  /** Records a measured height; returns whether it differs from the known one. */
  measure(key: string, height: number): boolean {
    const index = this.#indexes.get(key);
    if (index === undefined || Math.abs(this.#heightAt(index) - height) < 0.5) return false;
    this.#known.set(key, height);
    this.#sizes[index] = height;
    this.#good = Math.min(this.#good, index);
    return true;
  }

  /** The top of an item. */
  topOf(index: number): number {
    for (; this.#good < index; this.#good += 1) {
      const top = this.#tops[this.#good] ?? 0;
      this.#tops[this.#good + 1] = top + this.#heightAt(this.#good);
    }
    return this.#tops[index] ?? 0;
  }

  /** The item at an offset; past the ends the first or last. */
  indexAt(y: number): number {
    let low = 0;
    let high = this.count - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.topOf(middle) <= y) low = middle;
      else high = middle - 1;
    }
    return Math.max(0, low);
  }

  #heightAt(index: number): number {
    const size = this.#sizes[index] ?? -1;
    if (size >= 0) return size;
    const key = this.#keys[index] ?? "";
    const height = this.#guess(key);
    this.#known.set(key, height);
    this.#sizes[index] = height;
    return height;
  }
}

function longEnough(numbers: Float64Array, length: number): Float64Array {
  if (numbers.length >= length) return numbers;
  const longer = new Float64Array(Math.ceil(length * 1.5));
  longer.set(numbers);
  return longer;
}
