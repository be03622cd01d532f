/** What a session is written as, when it goes elsewhere and when it comes from there. */
import type { wire } from "@dwell/client";
import { isRecord } from "../../kit/value-words.ts";

/** The forms, in the order in which they are offered. */
export const FORMATS: readonly { id: wire.ExportFormat; name: string; about: string; ending: string }[] = [
  { id: "ndjson", name: "Journal", about: "Every event, one a line. Nothing is lost.", ending: "ndjson" },
  { id: "openai", name: "OpenAI", about: "The list of chat messages, as its API takes it.", ending: "openai.json" },
  { id: "langchain", name: "LangChain", about: "Messages as LangChain reads them.", ending: "langchain.json" },
  { id: "langgraph", name: "LangGraph", about: "The state of a graph, with the messages.", ending: "langgraph.json" },
];

/** A name for a file: what every system takes. */
export function fileName(title: string, ending: string): string {
  const name = title
    .normalize("NFKD")
    .replace(/[^\p{L}\p{N}]+/gu, "-")
    .replace(/^-+|-+$/g, "")
    .slice(0, 60)
    .replace(/-+$/, "");
  return `${name === "" ? "session" : name.toLowerCase()}.${ending}`;
}

/** What a file seems to be; undefined where it looks like nothing that can be taken in. */
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
