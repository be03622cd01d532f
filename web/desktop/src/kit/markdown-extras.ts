/** What answers contain beyond Markdown: formulas and footnotes. Tokenizers for `marked`. */
import type { Token, TokenizerExtension } from "marked";

/** A formula in TeX, within a line or on lines of its own. */
export type MathToken = { type: "math"; raw: string; tex: string; isBlock: boolean };
/** A reference to a footnote. */
export type FootnoteRefToken = { type: "footnote_ref"; raw: string; label: string };
/** The text of a footnote. */
export type FootnoteToken = { type: "footnote"; raw: string; label: string; tokens: Token[] };

/** The longest formula; longer ones are rather text between two dollar signs. */
const TEX_MAX = 4_000;

/**
 * A formula within a line: `$x$`, `\(x\)`, or `$$x$$`. A dollar sign before a space or after one is
 * money, and so is one that a digit follows.
 */
const inlineMath: TokenizerExtension = {
  name: "math",
  level: "inline",
  start: (text) => firstOf(text, ["$", "\\("]),
  tokenizer(text) {
    const found =
      /^\$\$([^$\n]+?)\$\$/.exec(text) ??
      /^\$(?![\s$])((?:\\.|[^\\$\n])*?(?:\\.|[^\\$\s]))\$(?!\d)/.exec(text) ??
      /^\\\(([\s\S]+?)\\\)/.exec(text);
    return mathOf(found, found?.[0].startsWith("$$") ?? false);
  },
};

/** A formula on lines of its own: between `$$` and `$$`, or `\[` and `\]`. */
const blockMath: TokenizerExtension = {
  name: "math_block",
  level: "block",
  start: (text) => lineStart(text, /\n {0,3}(?:\$\$|\\\[)/),
  tokenizer(text) {
    const found =
      /^ {0,3}\$\$[ \t]*\n?([\s\S]+?)\n?[ \t]*\$\$[ \t]*(?=\n|$)/.exec(text) ??
      /^ {0,3}\\\[[ \t]*\n?([\s\S]+?)\n?[ \t]*\\\][ \t]*(?=\n|$)/.exec(text);
    // A blank line ends a paragraph, and so the search for the end of a formula.
    return found?.[1]?.includes("\n\n") ? undefined : mathOf(found, true);
  },
};

function mathOf(found: RegExpExecArray | null, isBlock: boolean): MathToken | undefined {
  const tex = found?.[1]?.trim();
  if (!found || !tex || tex.length > TEX_MAX) return undefined;
  return { type: "math", raw: found[0], tex, isBlock };
}

const footnoteRef: TokenizerExtension = {
  name: "footnote_ref",
  level: "inline",
  start: (text) => firstOf(text, ["[^"]),
  tokenizer(text) {
    const found = /^\[\^([^\]\s^]{1,40})\](?!:)/.exec(text);
    return found?.[1] ? { type: "footnote_ref", raw: found[0], label: found[1] } : undefined;
  },
};

/** A footnote's text goes on in the lines that are indented. */
const footnote: TokenizerExtension = {
  name: "footnote",
  level: "block",
  start: (text) => lineStart(text, /\n {0,3}\[\^[^\]\s^]+\]:/),
  tokenizer(text) {
    const found = /^ {0,3}\[\^([^\]\s^]{1,40})\]:[ \t]*([^\n]*(?:\n(?: {2,}|\t)[^\n]+)*)(?=\n|$)/.exec(text);
    if (!found?.[1]) return undefined;
    const words = (found[2] ?? "").replace(/\n(?: {1,4}|\t)/g, "\n");
    const token: FootnoteToken = { type: "footnote", raw: found[0], label: found[1], tokens: [] };
    this.lexer.inline(words, token.tokens);
    return token;
  },
};

/** The next place where one of these may begin. */
function firstOf(text: string, starts: readonly string[]): number | undefined {
  const places = starts.map((start) => text.indexOf(start)).filter((at) => at >= 0);
  return places.length === 0 ? undefined : Math.min(...places);
}

/** The next line that may begin a block: a paragraph ends there, and nowhere else. */
function lineStart(text: string, pattern: RegExp): number | undefined {
  const at = text.search(pattern);
  return at < 0 ? undefined : at;
}

/** The tokenizers. */
export const extras: TokenizerExtension[] = [inlineMath, blockMath, footnoteRef, footnote];

/** Whether a token is a formula. */
export function isMath(token: { type: string }): token is MathToken {
  return token.type === "math";
}

/** Whether a token is a reference to a footnote. */
export function isFootnoteRef(token: { type: string }): token is FootnoteRefToken {
  return token.type === "footnote_ref";
}

/** Whether a token is a footnote. */
export function isFootnote(token: { type: string }): token is FootnoteToken {
  return token.type === "footnote";
}
