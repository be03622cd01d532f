/** The citations of an answer, by the marks in its text. Pure. */
import type { wire } from "@dwell/client";
import { passagesOf } from "../store/research.ts";
import type { TurnState } from "../store/turn.ts";
import { marksWithin } from "../kit/markdown-safe.ts";
import { readSource } from "./sources/read.ts";

/** The mark of a citation in the text. */
export function markOf({ mark, source }: wire.Citation): string {
  return mark ?? source;
}

/**
 * The citations of a turn: first those in the text, in order, then the rest. They come from the
 * answer, or from tool results before there is one. The mark of any passage counts, so that every
 * mark resolves.
 */
export function citationsOf(state: TurnState, text: string): readonly wire.Citation[] {
  const known = new Map<string, wire.Citation>();
  for (const citation of state.response ? (state.response.citations ?? []) : toolSources(state.steps)) {
    if (!known.has(markOf(citation))) known.set(markOf(citation), citation);
  }
  const passages = new Map(passagesOf(state.research).map((passage) => [passage.mark, passage]));
  if (known.size === 0 && passages.size === 0) return [];
  const named: wire.Citation[] = [];
  for (const mark of marksIn(text)) {
    const citation = known.get(mark) ?? citationTo(passages.get(mark));
    known.delete(mark);
    passages.delete(mark);
    if (citation) named.push(citation);
  }
  return [...named, ...known.values()];
}

/** The citation of a passage. */
export function citationTo(passage: wire.Passage | undefined): wire.Citation | undefined {
  if (!passage) return undefined;
  const { title, source, mark, passage_id } = passage;
  return { title, source, mark, passage_id };
}

function toolSources(steps: readonly wire.Step[]): wire.Citation[] {
  return steps.flatMap((step) => (step.type === "tool_result" ? (step.detail.sources ?? []) : []));
}

/** The distinct marks in square brackets outside code, in order; `[1, 2]` are two. */
export function marksIn(text: string): string[] {
  const prose = text.replace(/^ {0,3}(```|~~~)[\s\S]*?(^ {0,3}\1|$(?![\s\S]))/gm, "").replace(/`[^`\n]*`/g, "");
  const found = [...prose.matchAll(/\[([^\]\n]+)\](?!\()/g)];
  return [...new Set(found.flatMap(([, inside = ""]) => [inside, ...marksWithin(inside)]))];
}

/** A short location of a source: `example.org/kilns`, `notes/kiln.md`. */
export function placeOf(source: string): string {
  const read = readSource(source);
  if (read.kind === "library") return read.path;
  if (read.kind !== "web") return source;
  try {
    const { host, pathname } = new URL(read.url);
    return `${host.replace(/^www\./, "")}${pathname === "/" ? "" : pathname}`;
  } catch {
    return read.url;
  }
}

/** The passage of a citation among the known ones. */
export function passageFor(citation: wire.Citation, passages: readonly wire.Passage[]): wire.Passage | undefined {
  const { passage_id: id, mark, source } = citation;
  if (id) return passages.find((passage) => passage.passage_id === id);
  return mark ? passages.find((passage) => passage.mark === mark && passage.source === source) : undefined;
}
