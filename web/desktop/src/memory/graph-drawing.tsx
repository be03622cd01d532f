/** The drawing of people, places and things. Arrow keys move between them; Enter chooses one. */
import type { wire } from "@dwell/client";
import { useMemo, useRef, useState } from "preact/hooks";
import { draw, HEIGHT, type Line, neighbour, type Placed, WIDTH } from "./graph-layout.ts";
import { describeNode, edgeStates, titleOfNode } from "./graph-words.ts";
import { count } from "./words.ts";
import { texts } from "../languages/memory.ts";

const LABEL_CHARS_MAX = 16;
const SIZES: Record<wire.NodeKind, number> = { user: 26, person: 22, animal: 18, place: 18, thing: 18 };

/** The drawing; the chosen node stands in the middle. */
export function GraphDrawing(props: {
  graph: wire.MemoryGraph;
  chosen: string | undefined;
  onChoose: (id: string | undefined) => void;
}) {
  const { graph, chosen, onChoose } = props;
  const { placed, lines, hidden } = useMemo(() => draw(graph, chosen), [graph, chosen]);
  const [focused, setFocused] = useState<string>();
  const group = useRef<SVGSVGElement>(null);
  // One node takes part in the order of the Tab key.
  const stop = placed.some(({ node }) => node.id === focused) ? focused : placed[0]?.node.id;
  const focus = (id: string) => {
    setFocused(id);
    for (const mark of group.current?.querySelectorAll<SVGGElement>(".graph-node") ?? []) {
      if (mark.dataset["id"] === id) mark.focus();
    }
  };
  const onKey = (event: KeyboardEvent, id: string) => {
    const next = neighbour(placed, id, event.key);
    if (event.key === "Enter" || event.key === " ") onChoose(id);
    else if (event.key === "Escape" && chosen !== undefined) onChoose(undefined);
    else if (next !== undefined) focus(next);
    else return;
    event.preventDefault();
  };
  return (
    <figure class="card graph-drawing">
      <svg ref={group} viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="group" aria-label={texts().drawingPeopleAndThings}>
        {lines.map((line) => (
          <LineMark key={line.key} line={line} />
        ))}
        {placed.map((one) => (
          <NodeMark
            key={one.node.id}
            placed={one}
            isChosen={one.node.id === chosen}
            isStop={one.node.id === stop}
            onChoose={onChoose}
            onKey={onKey}
          />
        ))}
      </svg>
      {hidden > 0 && <figcaption class="memory-note">{texts().moreInList(hidden)}</figcaption>}
    </figure>
  );
}

function LineMark({ line: { from, to, label, state } }: { line: Line }) {
  const [across, down] = [to.x - from.x, to.y - from.y];
  // Names stand below their nodes, so the label of a steep line is moved away from them.
  const part = 0.52 + (0.12 * down) / Math.max(1, Math.hypot(across, down));
  const [x, y] = [from.x + across * part, from.y + down * part];
  return (
    <g class={`graph-line ${state}`} aria-hidden="true">
      <title>{`${titleOfNode(from.node)} – ${label} – ${titleOfNode(to.node)}: ${edgeStates()[state]}`}</title>
      <line x1={from.x} y1={from.y} x2={to.x} y2={to.y} />
      <text x={x} y={y - 4} text-anchor="middle">
        {short(label)}
      </text>
    </g>
  );
}

function NodeMark(props: {
  placed: Placed;
  isChosen: boolean;
  isStop: boolean;
  onChoose: (id: string) => void;
  onKey: (event: KeyboardEvent, id: string) => void;
}) {
  const { placed, isChosen, isStop, onChoose, onKey } = props;
  const { node, x, y } = placed;
  const size = SIZES[node.kind];
  const name = titleOfNode(node);
  const about = [name, describeNode(node), count(node.facts, "fact")].filter((part) => part !== "").join(", ");
  return (
    <g
      class={`graph-node ${node.kind}`}
      role="button"
      aria-label={about}
      aria-pressed={isChosen}
      // In SVG the name of this attribute is in small letters.
      tabindex={isStop ? 0 : -1}
      data-id={node.id}
      onClick={() => onChoose(node.id)}
      onKeyDown={(event) => onKey(event, node.id)}
    >
      {node.kind === "place" || node.kind === "thing" ? (
        <rect
          x={x - size}
          y={y - size * 0.8}
          width={size * 2}
          height={size * 1.6}
          rx={node.kind === "place" ? 5 : 12}
        />
      ) : (
        <circle cx={x} cy={y} r={size} />
      )}
      <text class="graph-letter" x={x} y={y + 5} text-anchor="middle" aria-hidden="true">
        {letters(node.label)[0]?.toUpperCase()}
      </text>
      <text class="graph-name" x={x} y={y + size + 15} text-anchor="middle" aria-hidden="true">
        {short(name)}
      </text>
    </g>
  );
}

function short(words: string): string {
  const all = letters(words);
  return all.length > LABEL_CHARS_MAX ? `${all.slice(0, LABEL_CHARS_MAX - 1).join("")}…` : words;
}

const segmenter = new Intl.Segmenter();

/** The letters as people count them. */
function letters(words: string): string[] {
  return Array.from(segmenter.segment(words), ({ segment }) => segment);
}
