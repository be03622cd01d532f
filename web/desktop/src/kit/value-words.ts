/** Formats arguments and results for display without changing their meaning. */
import { texts } from "../languages/kit.ts";

/**
 * Escapes invisible characters: bidirectional controls, zero-width characters and terminal control
 * codes could make one argument look like another.
 */
export function escapeInvisible(text: string): string {
  return text.replace(
    /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u00ad\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** Whether a value is a plain object. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A scalar as text; undefined for lists and objects. */
export function plainValue(value: unknown): string | undefined {
  if (value === null || value === undefined) return texts().none;
  if (value === "") return texts().empty;
  if (typeof value === "string") return escapeInvisible(value);
  if (typeof value === "boolean") return value ? texts().yesWord : texts().noWord;
  if (typeof value === "number" || typeof value === "bigint") return String(value);
  return undefined;
}

/** A tool's name as a label: `call_service` is `Call service`. */
export function toolInWords(name: string): string {
  const words = name.replace(/[_-]+/g, " ").trim();
  return words === "" ? name : words.charAt(0).toUpperCase() + words.slice(1);
}

/** The first sentence of a description. */
export function firstSentence(text: string): string {
  return /^.*?[.!?](?=\s|$)/s.exec(text.trim())?.[0] ?? text.trim();
}
