/** Citations of an answer: numbers in its text and chips below it. Both open the source. */
import type { wire } from "@dwell/client";
import type { Turn } from "../store/turn.ts";
import type { RenderOptions } from "../kit/markdown-nodes.tsx";
import { citationsOf, markOf, placeOf } from "./marks.ts";
import { showSource } from "./sources.tsx";
import { texts } from "../languages/sources.ts";

/** How the citation marks of a turn's text are rendered; undefined if it has none. */
export function citationOptions(turn: Turn, text: string): RenderOptions["cite"] {
  const citations = citationsOf(turn.state.value, text);
  if (citations.length === 0) return undefined;
  return {
    marks: citations.map(markOf),
    titles: citations.map(titleOf),
    onOpen: (index) => {
      const citation = citations[index];
      if (citation) showSource(citation, turn);
    },
  };
}

function titleOf({ title, source }: wire.Citation): string {
  return title || placeOf(source);
}

/** Chips for the cited sources, in the order of the text. */
export function Citations({ turn }: { turn: Turn }) {
  const { response } = turn.state.value;
  const citations = response ? citationsOf(turn.state.value, response.message) : [];
  if (citations.length === 0) return null;
  return (
    <ul class="talk-chips" aria-label={texts().sources}>
      {citations.map((citation, index) => {
        const where = placeOf(citation.source);
        return (
          <li key={markOf(citation)}>
            <button type="button" class="talk-chip" title={citation.source} onClick={() => showSource(citation, turn)}>
              <span class="talk-chip-number">{index + 1}</span>
              {titleOf(citation)}
              {citation.passage_id && where !== titleOf(citation) && <span class="talk-chip-about">{where}</span>}
            </button>
          </li>
        );
      })}
    </ul>
  );
}
