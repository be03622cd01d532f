/**
 * Incremental Markdown parsing. While text is streaming, only its end is parsed again: a block that
 * is followed by another cannot change any more, so its result is kept.
 */
import { Marked, type Token, type TokenizerExtension } from "marked";
import { extras } from "./markdown-extras.ts";
import { marksWithin } from "./markdown-safe.ts";

/** A top-level block: paragraph, list, table… Its `id` is stable while the text grows. */
export type Block = { id: number; raw: string; token: Token };

/** A citation mark in the text for one or more sources: `[1]` or `[1, 2]`. */
export type CitationToken = { type: "citation"; raw: string; marks: readonly string[] };

/**
 * The citation marks of the text being parsed. Parsing is synchronous, so a module variable is
 * safe.
 */
let marks: ReadonlySet<string> = new Set();

const citation: TokenizerExtension = {
  name: "citation",
  level: "inline",
  start: (text) => (marks.size === 0 ? undefined : text.indexOf("[")),
  tokenizer(text) {
    if (marks.size === 0) return undefined;
    const found = /^\[([^\]\n]+)\](?!\()/.exec(text);
    if (!found?.[1]) return undefined;
    const named = marks.has(found[1]) ? [found[1]] : marksWithin(found[1]);
    if (!named.every((mark) => marks.has(mark))) return undefined;
    return { type: "citation", raw: found[0], marks: named };
  },
};

const marked = new Marked({ gfm: true, breaks: true }, { extensions: [citation, ...extras] });

/** A link definition. It may come after its references, so such a text is parsed as a whole. */
const DEFINITION = /^ {0,3}\[[^\]\n]+\]:\s*\S/m;

/** Parses a whole text. */
export function readMarkdown(text: string, cited: Iterable<string> = []): Token[] {
  marks = new Set(cited);
  try {
    return marked.lexer(text);
  } finally {
    marks = new Set();
  }
}

/**
 * Copies a string. A slice keeps its whole parent string in memory, and every frame has a new
 * parent: cached blocks would retain all the texts they were ever parsed from.
 */
function ownCopy(part: string): string {
  return ` ${part}`.slice(1);
}

/** Parses a growing text into blocks. */
export class GrowingMarkdown {
  #blocks: Block[] = [];
  /** How many blocks are final, and the text they cover. */
  #settled = 0;
  #settledText = "";
  #nextId = 0;
  #cited: readonly string[] = [];

  /** Parses a text; unchanged blocks are the same objects as before. */
  read(text: string, isGrowing: boolean, cited: readonly string[] = []): readonly Block[] {
    const isSame = cited.length === this.#cited.length && cited.every((mark, index) => mark === this.#cited[index]);
    if (!isSame || !text.startsWith(this.#settledText)) this.#forget(isSame);
    this.#cited = cited;
    if (!isGrowing && DEFINITION.test(text)) this.#forget(false);
    const tail = readMarkdown(ownCopy(text.slice(this.#settledText.length)), cited);
    const before = this.#blocks.slice(this.#settled);
    const fresh = tail.map((token, index) => this.#block(token, before[index]));
    this.#blocks = [...this.#blocks.slice(0, this.#settled), ...fresh];
    this.#settle(tail);
    return this.#blocks;
  }

  /** Parses everything again next time. With `mayKeep`, blocks that turn out the same are kept. */
  #forget(mayKeep: boolean): void {
    if (!mayKeep) this.#blocks = [];
    this.#settled = 0;
    this.#settledText = "";
  }

  #block(token: Token, before: Block | undefined): Block {
    if (before?.raw === token.raw && before.token.type === token.type) return before;
    // A block that grew keeps its id, so that its element is updated instead of replaced.
    if (before?.token.type === token.type) return { id: before.id, raw: token.raw, token };
    this.#nextId += 1;
    return { id: this.#nextId, raw: token.raw, token };
  }

  /**
   * Marks all but the last non-blank block as final. The last may still change: a list continues
   * after blank lines, a paragraph becomes a heading.
   */
  #settle(tail: readonly Token[]): void {
    let last = tail.length - 1;
    while (last > 0 && tail[last]?.type === "space") last -= 1;
    for (const token of tail.slice(0, Math.max(0, last))) this.#settledText += token.raw;
    this.#settled += Math.max(0, last);
  }
}
