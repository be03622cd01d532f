/** Attachments of a message: images are sent beside the text, text files inside it. */
import type { wire } from "@dwell/client";
import { texts } from "../languages/talk.ts";

/** The server's limits: a message of 256 KiB, 8 images, and a request of 1 MiB. */
export const PICTURES_MAX = 8;
export const TEXT_BYTES_MAX = 240 * 1024;
export const REQUEST_BYTES_MAX = 980 * 1024;
export const PICTURE_KINDS = ["image/png", "image/jpeg", "image/webp", "image/gif"];

/** An attachment. */
export type Attachment =
  | { kind: "picture"; id: string; name: string; image: Extract<wire.Image, { data: string }> }
  | { kind: "text"; id: string; name: string; text: string };

/** A text file inside a message. */
export type FileInside = { name: string; language: string; text: string };

/** The size of a text in UTF-8 bytes. */
export function bytesOf(text: string): number {
  return new TextEncoder().encode(text).length;
}

/** The message with its text files, each in a fenced block with its name. */
export function withFiles(words: string, files: readonly Attachment[]): string {
  const fences = files.flatMap((file) => (file.kind === "text" ? [fenced(file.name, file.text)] : []));
  return [words.trim(), ...fences].filter(Boolean).join("\n\n");
}

function fenced(name: string, text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = "`".repeat(longest + 1);
  const language = /\.([\w+-]{1,12})$/.exec(name)?.[1]?.toLowerCase() ?? "";
  return `File \`${name.replaceAll("`", "'")}\`:\n${fence}${language}\n${text.replace(/\n$/, "")}\n${fence}`;
}

/** Splits a message into its text and its files; the inverse of `withFiles`. */
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

/** Why a text file cannot be attached; undefined if it can. */
export function refuseText(name: string, text: string, size: number): string | undefined {
  if (text.includes("\u0000") || text.includes("\ufffd")) {
    return texts().isNeitherImagePng(name);
  }
  if (size > TEXT_BYTES_MAX) return texts().isTooLargeFor(name);
  return undefined;
}
