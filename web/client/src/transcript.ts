/** A turn's text, put together by offsets: each character once, whatever happens to the connection. */

/** How many code points a string has: what the server counts in. */
export function codePoints(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

/** A string from a code point on, and up to another. */
export function sliceCodePoints(text: string, start: number, end = Number.POSITIVE_INFINITY): string {
  if (start <= 0 && end === Number.POSITIVE_INFINITY) return text;
  return Array.from(text).slice(start, end).join("");
}

/** What was said so far. Offsets count code points. */
export class Transcript {
  #start = 0;
  #end = 0;
  #settled = 0;
  #text = "";

  /** The text from `start` on. */
  get text(): string {
    return this.#text;
  }

  /** Where the text begins: 0, unless the stream was joined in the middle. */
  get start(): number {
    return this.#start;
  }

  /** The offset of the next new character. */
  get end(): number {
    return this.#end;
  }

  /** How far the text is in the journal. */
  get settled(): number {
    return this.#settled;
  }

  /**
   * Gives what is new in a range; empty if nothing is. Live text beyond a hole is left out: the journal's record of the same
   * words fills it.
   */
  take(offset: number, delta: string, isNumbered: boolean): string {
    if (offset > this.#end) {
      if (!isNumbered) return "";
      this.#text = "";
      this.#start = offset;
      this.#end = offset;
    }
    const length = codePoints(delta);
    if (isNumbered) this.#settled = Math.max(this.#settled, offset + length);
    const fresh = length - (this.#end - offset);
    if (fresh <= 0) return "";
    const added = sliceCodePoints(delta, this.#end - offset);
    this.#text += added;
    this.#end += fresh;
    return added;
  }

  /** Gives up the text from an offset on; says whether there was any. */
  cut(offset: number): boolean {
    this.#settled = Math.min(this.#settled, offset);
    if (offset >= this.#end) return false;
    this.#text = offset <= this.#start ? "" : sliceCodePoints(this.#text, 0, offset - this.#start);
    this.#start = Math.min(this.#start, offset);
    this.#end = offset;
    return true;
  }
}
