/** Files that go along with a message: pictures beside the words, texts inside them. */
import type { wire } from "@dwell/client";

/** What the server takes: a message of 256 KiB, 8 pictures, and a whole request of 1 MiB. */
export const PICTURES_MAX = 8;
export const TEXT_BYTES_MAX = 240 * 1024;
export const REQUEST_BYTES_MAX = 980 * 1024;
export const PICTURE_KINDS = ["image/png", "image/jpeg", "image/webp", "image/gif"];

/** Something that was attached. */
export type Attached =
  | { kind: "picture"; id: string; name: string; image: Extract<wire.Image, { data: string }> }
  | { kind: "text"; id: string; name: string; text: string };

/** A text that came along in a message. */
export type FileInside = { name: string; language: string; text: string };

/** How many bytes a text has on the wire. */
export function bytesOf(text: string): number {
  return new TextEncoder().encode(text).length;
}

/** The words with the texts that go along, each in a fence with its name. */
export function withFiles(words: string, files: readonly Attached[]): string {
  const texts = files.flatMap((file) => (file.kind === "text" ? [fenced(file.name, file.text)] : []));
  return [words.trim(), ...texts].filter(Boolean).join("\n\n");
}

function fenced(name: string, text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = "`".repeat(longest + 1);
  const language = /\.([\w+-]{1,12})$/.exec(name)?.[1]?.toLowerCase() ?? "";
  return `File \`${name.replaceAll("`", "'")}\`:\n${fence}${language}\n${text.replace(/\n$/, "")}\n${fence}`;
}

/** The other way round: what was said, and the texts that came along. */
export function splitFiles(message: string): { words: string; files: FileInside[] } {
  const files: FileInside[] = [];
  const words = message.replace(
    /(?:^|\n\n)File `([^`\n]+)`:\n(`{3,})([\w+-]*)\n([\s\S]*?)\n\2(?=\n|$)/g,
    (_, name: string, _fence: string, language: string, text: string) => {
      files.push({ name, language, text });
      return "";
    },
  );
  return { words: words.trim(), files };
}

/** What is wrong with adding a text; undefined where nothing is. */
export function refuseText(name: string, text: string, size: number): string | undefined {
  if (text.includes("\u0000") || text.includes("\ufffd")) {
    return `${name} is neither a picture (PNG, JPEG, WebP, GIF) nor a text. Take the text out of it and paste that.`;
  }
  if (size > TEXT_BYTES_MAX) return `${name} is too long for one message (240 KB). Attach a part of it.`;
  return undefined;
}
