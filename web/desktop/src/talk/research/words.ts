/** Looking for sources, in words. Pure. */
import type { wire } from "@dwell/client";
import { countsOf, type Study } from "../../house/research.ts";
import type { TurnState } from "../../house/turn.ts";
import type { IconName } from "../../kit/icon.tsx";
import { citationsOf, passageFor } from "../marks.ts";

/** What each kind of source looks like, and is called. */
export const KINDS: Record<wire.SourceKind, { icon: IconName; words: string }> = {
  library: { icon: "book", words: "Library" },
  search: { icon: "globe", words: "Found on the web" },
  page: { icon: "link", words: "A page that was named" },
};

/** How far it is: `7 of 12 sources read · round 2`. */
export function goingWords(study: Study): string {
  const { found, read } = countsOf(study);
  const round = study.round > 1 ? ` · round ${study.round}` : "";
  return found === 0 ? "Nothing found yet" : `${read} of ${counted(found, "source")} read${round}`;
}

/** What came of it: `12 sources, 3 passages cited`. */
export function doneWords(study: Study, state: TurnState): string {
  if (study.places.length === 0 && study.sources.length === 0) return "There was no source to look in";
  const { found } = countsOf(study);
  if (found === 0) return study.done ? "No source was found" : "Stopped before a source was found";
  if (!study.done) return `${counted(found, "source")}, stopped before the end`;
  const parts = [counted(found, "source"), passageWords(study.done, state)];
  if (study.done.rounds > 1) parts.push(`${study.done.rounds} rounds`);
  return parts.join(", ");
}

/** How many passages the answer cites; before there is one, how many were kept. */
function passageWords({ passages = [] }: wire.ResearchDone, state: TurnState): string {
  if (!state.response) return `${counted(passages.length, "passage")} kept`;
  const cited = citationsOf(state, state.response.message).map((citation) => passageFor(citation, passages));
  return `${counted(new Set(cited.flatMap((passage) => passage?.passage_id ?? [])).size, "passage")} cited`;
}

/** How a source stands. */
export function sourceWords({ status, passages, cached }: wire.ResearchChunk): string {
  if (status === "found") return "found";
  if (status === "failed") return "could not be read";
  const much = passages == null ? "read" : counted(passages, "passage");
  return cached ? `${much}, read before` : much;
}

/** `1 source`, `2 sources`. */
export function counted(count: number, what: string): string {
  return count === 1 ? `1 ${what}` : `${count} ${what}s`;
}

/** The tools that tell of it. */
const LOOKING = new Set(["research", "library_search"]);

/** Whether a turn looked for sources and its events are not here: of an earlier turn they are in the journal only. */
export function lacksResearch({ research, steps, response }: TurnState): boolean {
  if (research.length > 0) return false;
  if (response?.citations?.some(({ passage_id: id }) => id != null)) return true;
  return steps.some((step) => step.type === "tool_call" && LOOKING.has(step.detail.tool));
}
