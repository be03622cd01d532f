/** Texts about research runs. Pure. */
import type { wire } from "@dwell/client";
import { countsOf, type ResearchRun } from "../../store/research.ts";
import type { TurnState } from "../../store/turn.ts";
import type { IconName } from "../../kit/icon.tsx";
import { citationsOf, passageFor } from "../marks.ts";

/** The icon and label of each kind of source. */
export const KINDS: Record<wire.SourceKind, { icon: IconName; words: string }> = {
  library: { icon: "book", words: "Library" },
  search: { icon: "globe", words: "Web search" },
  page: { icon: "link", words: "Given page" },
};

/** The progress of a run: `7 of 12 sources read · round 2`. */
export function progressText(study: ResearchRun): string {
  const { found, read } = countsOf(study);
  const round = study.round > 1 ? ` · round ${study.round}` : "";
  return found === 0 ? "No sources yet" : `${read} of ${counted(found, "source")} read${round}`;
}

/** The result of a run: `12 sources, 3 passages cited`. */
export function resultText(study: ResearchRun, state: TurnState): string {
  if (study.places.length === 0 && study.sources.length === 0) return "No source configured";
  const { found } = countsOf(study);
  if (found === 0) return study.done ? "No sources found" : "Stopped before any source was found";
  if (!study.done) return `${counted(found, "source")}, stopped before the end`;
  const parts = [counted(found, "source"), passageWords(study.done, state)];
  if (study.done.rounds > 1) parts.push(`${study.done.rounds} rounds`);
  return parts.join(", ");
}

/** How many passages the answer cites, or before the answer, how many were kept. */
function passageWords({ passages = [] }: wire.ResearchDone, state: TurnState): string {
  if (!state.response) return `${counted(passages.length, "passage")} kept`;
  const cited = citationsOf(state, state.response.message).map((citation) => passageFor(citation, passages));
  return `${counted(new Set(cited.flatMap((passage) => passage?.passage_id ?? [])).size, "passage")} cited`;
}

/** The state of a source. */
export function sourceText({ status, passages, cached }: wire.ResearchChunk): string {
  if (status === "found") return "found";
  if (status === "failed") return "could not be read";
  const much = passages == null ? "read" : counted(passages, "passage");
  return cached ? `${much}, cached` : much;
}

/** `1 source`, `2 sources`. */
export function counted(count: number, what: string): string {
  return count === 1 ? `1 ${what}` : `${count} ${what}s`;
}

/** The tools that do research. */
const RESEARCH_TOOLS = new Set(["research", "library_search"]);

/** Whether a turn did research whose events are not loaded yet. */
export function lacksResearch({ research, steps, response }: TurnState): boolean {
  if (research.length > 0) return false;
  if (response?.citations?.some(({ passage_id: id }) => id != null)) return true;
  return steps.some((step) => step.type === "tool_call" && RESEARCH_TOOLS.has(step.detail.tool));
}
