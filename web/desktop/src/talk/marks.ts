/** What an answer rests on, by the marks in its text. Pure. */
import type { wire } from "@dwell/client";
import { passagesOf } from "../house/research.ts";
import type { TurnState } from "../house/turn.ts";
import { marksWithin } from "../kit/markdown-safe.ts";
import { readSource } from "./sources/read.ts";

/** What stands for a source in square brackets. */
export function markOf({ mark, source }: wire.Citation): string {
  return mark ?? source;
}

/**
 * What a turn rests on, in the order of its words: first what they name, then the rest. It is what the answer says; before
 * there is one, what its tools said. A mark of a passage counts wherever it stands, so that no mark stays a riddle.
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

/** A citation of a passage. */
export function citationTo(passage: wire.Passage | undefined): wire.Citation | undefined {
  if (!passage) return undefined;
  const { title, source, mark, passage_id } = passage;
  return { title, source, mark, passage_id };
}

function toolSources(steps: readonly wire.Step[]): wire.Citation[] {
  return steps.flatMap((step) => (step.type === "tool_result" ? (step.detail.sources ?? []) : []));
}

/** What stands in square brackets outside code, in order, each once; `[1, 2]` are two. */
export function marksIn(text: string): string[] {
  const prose = text.replace(/^ {0,3}(```|~~~)[\s\S]*?(^ {0,3}\1|$(?![\s\S]))/gm, "").replace(/`[^`\n]*`/g, "");
  const found = [...prose.matchAll(/\[([^\]\n]+)\](?!\()/g)];
  return [...new Set(found.flatMap(([, inside = ""]) => [inside, ...marksWithin(inside)]))];
}

/** Where a source is, in a few letters: `example.org/kilns`, `notes/kiln.md`. */
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

/** The passage a citation means, among those that are known. */
export function passageFor(citation: wire.Citation, passages: readonly wire.Passage[]): wire.Passage | undefined {
  const { passage_id: id, mark, source } = citation;
  if (id) return passages.find((passage) => passage.passage_id === id);
  return mark ? passages.find((passage) => passage.mark === mark && passage.source === source) : undefined;
}
