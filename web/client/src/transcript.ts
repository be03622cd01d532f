/** A turn's text, assembled by offsets: each character once, across reconnections. */

/** The number of code points of a string, the unit of the server's offsets. */
export function codePoints(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

/** A slice of a string by code points. */
export function sliceCodePoints(text: string, start: number, end = Number.POSITIVE_INFINITY): string {
  if (start <= 0 && end === Number.POSITIVE_INFINITY) return text;
  return Array.from(text).slice(start, end).join("");
}

/** The text so far. Offsets count code points. */
export class Transcript {
  #start = 0;
  #end = 0;
  #settled = 0;
  #text = "";

  /** The text from `start` on. */
  get text(): string {
    return this.#text;
  }

  /** The offset of the text's start: 0, unless the stream was joined in the middle. */
  get start(): number {
    return this.#start;
  }

  /** The offset of the next new character. */
  get end(): number {
    return this.#end;
  }

  /** The offset up to which the text is in the journal. */
  get settled(): number {
    return this.#settled;
  }

  /**
   * Adds a range and returns its new part; empty if nothing is new. Live text after a gap is
   * skipped: the journal's record of the same text fills it.
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

  /** Removes the text after an offset; returns whether there was any. */
  cut(offset: number): boolean {
    this.#settled = Math.min(this.#settled, offset);
    if (offset >= this.#end) return false;
    this.#text = offset <= this.#start ? "" : sliceCodePoints(this.#text, 0, offset - this.#start);
    this.#start = Math.min(this.#start, offset);
    this.#end = offset;
    return true;
  }
}
