/** What a citation's source is, and which part of a tool's answer it stands for. */
import type { wire } from "@dwell/client";
import { isRecord } from "../../kit/value-words.ts";

/** A source, read. */
export type SourceRef =
  | { kind: "web"; url: string }
  /** A document of the library, by its path. */
  | { kind: "library"; path: string }
  /** Something of the home: `what` says which of it, as `history`. */
  | { kind: "home"; what: string; entityId?: string | undefined }
  /** Something kept, said or remembered; `of` where the source says which. */
  | { kind: "id"; id: string; of?: "artifact" | "turn" | "memory" | undefined }
  | { kind: "other" };

const ID = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/;
const HOME = new Set(["state", "history", "logbook", "log", "trace", "related"]);

/** Reads a source. */
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

/** The call whose answer lists a source, with what it answered. */
export type Rests = { result: wire.ToolResult; call?: wire.ToolCall | undefined };

/** Finds the call of a turn that a source comes from. */
export function restsOn(steps: readonly wire.Step[], source: string): Rests | undefined {
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
 * The part of a tool's answer that a source stands for: of JSON the smallest objects that name it or what it is about, of
 * text the paragraphs that do. The whole answer, where nothing names it.
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
  // The list of sources names all of them and says nothing of any.
  const fields = Object.entries(value).filter(([name]) => name !== "sources");
  if (fields.map(([, one]) => collect(one, names, found)).some(Boolean)) return true;
  const isNamed = ([, one]: [string, unknown]) =>
    (typeof one === "string" && names.has(one)) || (Array.isArray(one) && one.some((text) => names.has(String(text))));
  if (!fields.some(isNamed)) return false;
  found.push(value);
  return true;
}
