/** What an answer rests on: numbers in its text, and the list below it. Both open the source. */
import type { wire } from "@dwell/client";
import type { Turn } from "../house/turn.ts";
import type { Setting } from "../kit/markdown-nodes.tsx";
import { citationsOf, markOf, placeOf } from "./marks.ts";
import { showSource } from "./sources.tsx";

/** How the marks of a turn's words are shown; nothing where it rests on nothing. */
export function citing(turn: Turn, text: string): Setting["cite"] {
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

/** Chips that open what the answer rests on, in the order of its words. */
export function Citations({ turn }: { turn: Turn }) {
  const { response } = turn.state.value;
  const citations = response ? citationsOf(turn.state.value, response.message) : [];
  if (citations.length === 0) return null;
  return (
    <ul class="talk-chips" aria-label="Sources">
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
