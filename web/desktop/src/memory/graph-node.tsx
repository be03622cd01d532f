/** A person, a place or a thing with its facts, in the list. */
import type { wire } from "@dwell/client";
import { Badge } from "../kit/pieces.tsx";
import { exactTime } from "../kit/format.ts";
import { describeNode, edgeStates, titleOfNode, whenSaid, whenTrue } from "./graph-words.ts";
import { SourceLine } from "./pieces.tsx";
import { count } from "./words.ts";
import { texts } from "../languages/memory.ts";

type Choose = (id: string) => void;

const TONES = { holds: "success", doubtful: "warning", ended: undefined, corrected: undefined } as const;

/** A card with the facts of a node; `titles` are those of all nodes. */
export function NodeCard(props: {
  node: wire.GraphNode;
  edges: readonly wire.GraphEdge[];
  titles: ReadonlyMap<string, string>;
  onChoose: Choose;
}) {
  const { node, edges, titles, onChoose } = props;
  const about = describeNode(node);
  return (
    <li class="card memory-card">
      <div>
        <h2>
          <button class="graph-title" type="button" onClick={() => onChoose(node.id)}>
            {titleOfNode(node)}
          </button>
        </h2>
        <p class="memory-note">
          {about}
          {about !== "" && " · "}
          {count(node.facts, "fact")}
        </p>
      </div>
      {edges.length > 0 && (
        <ul class="graph-facts" aria-label={texts().factsAboutNode(titleOfNode(node))}>
          {edges.map((edge) => (
            <EdgeRow
              key={`${edge.fact_id} ${edge.object ?? ""}`}
              node={node}
              edge={edge}
              titles={titles}
              onChoose={onChoose}
            />
          ))}
        </ul>
      )}
    </li>
  );
}

function EdgeRow(props: {
  node: wire.GraphNode;
  edge: wire.GraphEdge;
  titles: ReadonlyMap<string, string>;
  onChoose: Choose;
}) {
  const { node, edge, titles, onChoose } = props;
  const { subject, object, relation, value, state, doubt, source } = edge;
  const isOver = state === "ended" || state === "corrected";
  return (
    <li class={isOver ? "past" : undefined}>
      <p class="graph-fact">
        {subject !== node.id && <NodeLink id={subject} text={titles.get(subject) ?? subject} onChoose={onChoose} />}
        <span class="memory-key">{relation}</span>
        {object && object !== node.id ? (
          <NodeLink id={object} text={value} onChoose={onChoose} />
        ) : (
          <span class="graph-value">{value}</span>
        )}
        {state !== "holds" && <Badge tone={TONES[state]}>{edgeStates()[state]}</Badge>}
        {edge.origin === "untrusted" && <Badge tone="warning">{texts().untrusted}</Badge>}
      </p>
      {doubt && state === "doubtful" && (
        <p class="memory-words">
          {texts().laterSaid(doubt.text)} <time dateTime={doubt.at}>({exactTime(doubt.at)})</time>
        </p>
      )}
      <p class="memory-meta">
        <span>
          {texts().true} {whenTrue(edge)}
        </span>
        <span>{capital(whenSaid(edge))}</span>
        <SourceLine source={source} />
      </p>
    </li>
  );
}

function NodeLink({ id, text, onChoose }: { id: string; text: string; onChoose: Choose }) {
  return (
    <button class="graph-link" type="button" onClick={() => onChoose(id)}>
      {text}
    </button>
  );
}

function capital(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1);
}
