/** Text for a voice, and what was heard. Pure. */
import { plainText } from "../kit/markdown-safe.ts";

/** Some browsers stop in the middle of longer pieces. */
const PIECE_MAX = 220;

/** An answer without what cannot be spoken: code, formulas, signs of Markdown. */
export function spokenText(markdown: string): string {
  const readable = markdown
    .replace(/^[ \t]*(```|~~~)[\s\S]*?^[ \t]*\1[^\S\n]*$/gm, "")
    .replace(/\$\$[\s\S]*?\$\$/g, "")
    .replace(/\[\^?\d+\](?!\()/g, "")
    .replace(/^\|(.*)\|\s*$/gm, (_, cells: string) =>
      /^[\s:|-]+$/.test(cells)
        ? ""
        : cells
            .split("|")
            .map((cell) => cell.trim())
            .join(", "),
    )
    // A line is a sentence to the listener.
    .replace(/([^\s.,:;!?])[ \t]*\n\s*(?=\S)/g, "$1.\n");
  return plainText(readable);
}

/** Cuts a text into pieces between sentences, or between words where a sentence is too long. */
export function spokenPieces(text: string, max = PIECE_MAX): string[] {
  const pieces: string[] = [];
  let piece = "";
  for (const part of text.split(/(?<=[.!?…。！？])\s+/).flatMap((sentence) => cut(sentence, max))) {
    if (piece !== "" && piece.length + part.length + 1 > max) {
      pieces.push(piece);
      piece = "";
    }
    piece = piece === "" ? part : `${piece} ${part}`;
  }
  return piece === "" ? pieces : [...pieces, piece];
}

function cut(sentence: string, max: number): string[] {
  if (sentence.length <= max) return sentence === "" ? [] : [sentence];
  const space = sentence.lastIndexOf(" ", max);
  const at = space > 0 ? space : max;
  return [sentence.slice(0, at), ...cut(sentence.slice(at).trimStart(), max)];
}

/** A draft with what was heard after it. */
export function withHeard(before: string, heard: string): string {
  const words = heard.trim();
  if (words === "") return before;
  return before === "" || /\s$/.test(before) ? before + words : `${before} ${words}`;
}
