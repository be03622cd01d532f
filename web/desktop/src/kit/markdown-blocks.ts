/**
 * Markdown as a list of blocks. While words are still coming, only the end is read anew: a block that is followed by another
 * cannot change any more, so what was made of it can be kept.
 */
import { Marked, type Token, type TokenizerExtension } from "marked";
import { marksWithin } from "./markdown-safe.ts";

/** A paragraph, a list, a table … `id` stays the same for as long as the block does. */
export type Block = { id: number; raw: string; token: Token };

/** A mark in the text for one or more of the sources that the answer rests on, as `[1]` or `[1, 2]`. */
export type CitationToken = { type: "citation"; raw: string; marks: readonly string[] };

/** The marks that count in the text that is being read: reading is one step, nobody comes between. */
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

const marked = new Marked({ gfm: true, breaks: true }, { extensions: [citation] });

/** Words with a definition of links: it may stand below what refers to it, so all is read together. */
const DEFINITION = /^ {0,3}\[[^\]\n]+\]:\s*\S/m;

/** Reads all of a text. */
export function readMarkdown(text: string, cited: Iterable<string> = []): Token[] {
  marks = new Set(cited);
  try {
    return marked.lexer(text);
  } finally {
    marks = new Set();
  }
}

/**
 * A string that stands alone. A part of a string keeps the whole of it in memory, and every frame has another whole: blocks that are
 * kept would keep all the texts they were ever read from.
 */
function ownCopy(part: string): string {
  return ` ${part}`.slice(1);
}

/** The blocks of a text that grows. */
export class GrowingMarkdown {
  #blocks: Block[] = [];
  /** How many of the blocks cannot change any more, and how much of the text they are. */
  #settled = 0;
  #settledText = "";
  #nextId = 0;
  #cited: readonly string[] = [];

  /** The blocks of a text; those that are as they were are the same objects. */
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

  /** Everything is read anew. Where the words changed and not what they mean, blocks that are the same stay. */
  #forget(mayKeep: boolean): void {
    if (!mayKeep) this.#blocks = [];
    this.#settled = 0;
    this.#settledText = "";
  }

  #block(token: Token, before: Block | undefined): Block {
    if (before?.raw === token.raw && before.token.type === token.type) return before;
    // The same place with more words keeps its id, so that the page changes it and does not make it anew.
    if (before?.token.type === token.type) return { id: before.id, raw: token.raw, token };
    this.#nextId += 1;
    return { id: this.#nextId, raw: token.raw, token };
  }

  /** All but the last block that is no blank is settled: a list goes on after blank lines, a paragraph becomes a heading. */
  #settle(tail: readonly Token[]): void {
    let last = tail.length - 1;
    while (last > 0 && tail[last]?.type === "space") last -= 1;
    for (const token of tail.slice(0, Math.max(0, last))) this.#settledText += token.raw;
    this.#settled += Math.max(0, last);
  }
}
