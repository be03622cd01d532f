/** Texts about research runs. Pure. */
import type { wire } from "@dwell/client";
import { countsOf, type ResearchRun } from "../../store/research.ts";
import type { TurnState } from "../../store/turn.ts";
import type { IconName } from "../../kit/icon.tsx";
import { citationsOf, passageFor } from "../marks.ts";
import { texts } from "../../languages/sources.ts";

/** The icon and label of each kind of source. */
export function sourceKinds(): Record<wire.SourceKind, { icon: IconName; words: string }> {
  return {
    library: { icon: "book", words: texts().library },
    search: { icon: "globe", words: texts().webSearch },
    page: { icon: "link", words: texts().givenPage },
  };
}

/** The progress of a run: `7 of 12 sources read · round 2`. */
export function progressText(study: ResearchRun): string {
  const { found, read } = countsOf(study);
  const round = study.round > 1 ? texts().roundCount(study.round) : "";
  return found === 0 ? texts().noSourcesYet : texts().readFoundReadRound(read, counted(found, "source"), round);
}

/** The result of a run: `12 sources, 3 passages cited`. */
export function resultText(study: ResearchRun, state: TurnState): string {
  if (study.places.length === 0 && study.sources.length === 0) return texts().noSourceConfigured;
  const { found } = countsOf(study);
  if (found === 0) return study.done ? texts().noSourcesFound : texts().stoppedBeforeAnySource;
  if (!study.done) return texts().stoppedBeforeTheEnd(counted(found, "source"));
  const parts = [counted(found, "source"), passageWords(study.done, state)];
  if (study.done.rounds > 1) parts.push(texts().roundsCount(study.done.rounds));
  return parts.join(", ");
}

/** How many passages the answer cites, or before the answer, how many were kept. */
function passageWords({ passages = [] }: wire.ResearchDone, state: TurnState): string {
  if (!state.response) return texts().passagesKept(counted(passages.length, "passage"));
  const cited = citationsOf(state, state.response.message).map((citation) => passageFor(citation, passages));
  return texts().sizeCited(counted(new Set(cited.flatMap((passage) => passage?.passage_id ?? [])).size, "passage"));
}

/** The state of a source. */
export function sourceText({ status, passages, cached }: wire.ResearchChunk): string {
  if (status === "found") return texts().found;
  if (status === "failed") return texts().couldNotBeRead;
  const much = passages == null ? texts().read : counted(passages, "passage");
  return cached ? texts().muchCached(much) : much;
}

/** `1 source`, `2 sources`. */
export function counted(count: number, what: keyof ReturnType<typeof texts>["counted"]): string {
  return texts().counted[what](count);
}

/** The tools that do research. */
const RESEARCH_TOOLS = new Set(["research", "library_search"]);

/** Whether a turn did research whose events are not loaded yet. */
export function lacksResearch({ research, steps, response }: TurnState): boolean {
  if (research.length > 0) return false;
  if (response?.citations?.some(({ passage_id: id }) => id != null)) return true;
  return steps.some((step) => step.type === "tool_call" && RESEARCH_TOOLS.has(step.detail.tool));
}
