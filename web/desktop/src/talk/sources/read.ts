/** Parses the source of a citation, and finds the part of a tool result it refers to. */
import type { wire } from "@dwell/client";
import { isRecord } from "../../kit/value-words.ts";

/** A parsed source. */
export type SourceRef =
  | { kind: "web"; url: string }
  /** A library document, by its path. */
  | { kind: "library"; path: string }
  /** Home data: `what` is its kind, such as `history`. */
  | { kind: "home"; what: string; entityId?: string | undefined }
  /** An artifact, turn or memory item; `of` if the source says which. */
  | { kind: "id"; id: string; of?: "artifact" | "turn" | "memory" | undefined }
  | { kind: "other" };

const ID = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/;
const HOME = new Set(["state", "history", "logbook", "log", "trace", "related"]);

/** Parses a source. */
export function readSource(source: string): SourceRef {
  if (/^https?:\/\//i.test(source)) return { kind: "web", url: source };
  if (source.startsWith("library:")) return { kind: "library", path: source.slice("library:".length) };
  if (ID.test(source)) return { kind: "id", id: source };
  const [head = "", ...rest] = source.split(":");
  const tail = rest.join(":");
  if (ID.test(tail) && (head === "artifact" || head === "turn" || head === "memory")) {
    return { kind: "id", id: tail, of: head };
  }
  if (HOME.has(head)) return { kind: "home", what: head, entityId: tail.includes(".") ? tail : undefined };
  return { kind: "other" };
}

/** The call whose result lists a source. */
export type SourceOrigin = { result: wire.ToolResult; call?: wire.ToolCall | undefined };

/** Finds the call of a turn that a source comes from. */
export function originOf(steps: readonly wire.Step[], source: string): SourceOrigin | undefined {
  for (const step of steps) {
    if (step.type !== "tool_result") continue;
    const result = step.detail;
    if (!result.sources?.some((cited) => cited.source === source)) continue;
    const call = steps.find((other) => other.type === "tool_call" && other.detail.call_id === result.call_id);
    return { result, call: call?.type === "tool_call" ? call.detail : undefined };
  }
  return undefined;
}

/**
 * The part of a tool result that a source refers to: the smallest JSON objects or the paragraphs
 * that name it. The whole result if nothing names it.
 */
export function passageOf(content: string, source: string): unknown {
  const about = source.split(":").slice(1).join(":") || source;
  let value: unknown;
  try {
    value = JSON.parse(content);
  } catch {
    const paragraphs = content.split(/\n{2,}/).filter((part) => part.includes(source) || part.includes(about));
    return paragraphs.length > 0 ? paragraphs.join("\n\n") : content;
  }
  const found: Record<string, unknown>[] = [];
  collect(value, new Set([source, about, `[${source}]`]), found);
  if (found.length === 0) return value;
  return found.length === 1 ? found[0] : found;
}

function collect(value: unknown, names: ReadonlySet<string>, found: Record<string, unknown>[]): boolean {
  if (Array.isArray(value)) return value.map((one: unknown) => collect(one, names, found)).some(Boolean);
  if (!isRecord(value)) return false;
  // The list of sources names all of them and tells nothing about any.
  const fields = Object.entries(value).filter(([name]) => name !== "sources");
  if (fields.map(([, one]) => collect(one, names, found)).some(Boolean)) return true;
  const isNamed = ([, one]: [string, unknown]) =>
    (typeof one === "string" && names.has(one)) || (Array.isArray(one) && one.some((text) => names.has(String(text))));
  if (!fields.some(isNamed)) return false;
  found.push(value);
  return true;
}
