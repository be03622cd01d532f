/** The formats for exporting and importing sessions. */
import type { wire } from "@dwell/client";
import { isRecord } from "../../kit/value-words.ts";
import { texts } from "../../languages/dialogs.ts";

/** The formats, in display order. */
export function fileFormats(): readonly { id: wire.ExportFormat; name: string; about: string; ending: string }[] {
  return [
    { id: "ndjson", name: texts().journal, about: texts().everyEventOnePer, ending: "ndjson" },
    { id: "openai", name: "OpenAI", about: texts().chatMessagesAsOpenais, ending: "openai.json" },
    { id: "langchain", name: "LangChain", about: texts().messagesInLangchainsFormat, ending: "langchain.json" },
    { id: "langgraph", name: "LangGraph", about: texts().graphStateWithMessages, ending: "langgraph.json" },
  ];
}

/** A file name that is valid on every system. */
export function fileName(title: string, ending: string): string {
  const name = title
    .normalize("NFKD")
    .replace(/[^\p{L}\p{N}]+/gu, "-")
    .replace(/^-+|-+$/g, "")
    .slice(0, 60)
    .replace(/-+$/, "");
  return `${name === "" ? "session" : name.toLowerCase()}.${ending}`;
}

/** Detects the format of a file; undefined if it is not supported. */
export function guessFormat(text: string): wire.ExportFormat | undefined {
  const start = text.trimStart();
  const firstLine = parse(start.split("\n", 1)[0] ?? "");
  if (isRecord(firstLine) && "type" in firstLine && ("seq" in firstLine || firstLine["type"] === "manifest"))
    return "ndjson";
  const value = parse(start);
  if (isRecord(value)) return "messages" in value || "values" in value ? "langgraph" : undefined;
  const first: unknown = Array.isArray(value) ? value[0] : undefined;
  if (!isRecord(first)) return undefined;
  if ("role" in first) return "openai";
  return "data" in first || "lc" in first ? "langchain" : undefined;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
