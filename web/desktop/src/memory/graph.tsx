/** The tab "People and things": a drawing and a list of all that facts are about, over time. */
import type { wire } from "@dwell/client";
import { signal } from "@preact/signals";
import { dwell } from "../store/connection.ts";
import { announce } from "../kit/announce.ts";
import { Button } from "../kit/button.tsx";
import { EmptyState, ErrorNotice, Notice, Spinner } from "../kit/pieces.tsx";
import { GraphDrawing } from "./graph-drawing.tsx";
import { NodeCard } from "./graph-node.tsx";
import { dayField, endOfDay, joinPages, KIND_ORDER, titleOfNode } from "./graph-words.ts";
import { useLoad } from "./load.ts";
import { count } from "./words.ts";
import { texts } from "../languages/memory.ts";

type GraphState = { asOf: string; knownAt: string; withEnded: boolean; chosen: string | undefined };

const NOW: GraphState = { asOf: "", knownAt: "", withEnded: false, chosen: undefined };
/** Kept while other tabs are open. */
const graphState = signal<GraphState>(NOW);

const PAGE = 1_000;
/** More facts than this are too many to look at. */
const PAGES_MAX = 3;

/** The tab "People and things". */
export function GraphTab() {
  const { asOf, knownAt, withEnded, chosen } = graphState.value;
  const { value, problem } = useLoad(`${asOf} ${knownAt} ${String(withEnded)}`, () => readGraph(graphState.peek()));
  return (
    <>
      <div class="memory-lead">
        <p>{texts().whomAndWhatYour}</p>
      </div>
      <GraphControls />
      {problem !== undefined && <ErrorNotice error={problem} />}
      {!value && problem === undefined && (
        <div class="memory-wait">
          <Spinner label={texts().loadingPeopleAndThings} />
        </div>
      )}
      {value && <Graph graph={value} chosen={chosen} />}
    </>
  );
}

async function readGraph({ asOf, knownAt, withEnded }: GraphState): Promise<wire.MemoryGraph | undefined> {
  const client = await dwell();
  const pages: wire.MemoryGraph[] = [];
  do {
    const before = pages.at(-1);
    pages.push(
      await client.memory.graph({
        // The next page is about the same time as the first.
        as_of: before?.as_of ?? endOfDay(asOf),
        known_at: before?.known_at ?? endOfDay(knownAt),
        include_ended: withEnded,
        limit: PAGE,
        cursor: before?.next_cursor ?? undefined,
      }),
    );
  } while (pages.at(-1)?.next_cursor && pages.length < PAGES_MAX);
  return joinPages(pages);
}

function change(part: Partial<GraphState>): void {
  graphState.value = { ...graphState.value, ...part };
}

function GraphControls() {
  const { asOf, knownAt, withEnded } = graphState.value;
  const today = dayField(new Date());
  return (
    <form class="graph-controls" aria-label={texts().time} onSubmit={(event) => event.preventDefault()}>
      <label class="field">
        {texts().trueOn}
        <input
          class="input"
          type="date"
          max={today}
          value={asOf}
          onChange={({ currentTarget: { value } }) => change({ asOf: value })}
        />
      </label>
      <label class="field">
        {texts().asKnownOn}
        <input
          class="input"
          type="date"
          max={today}
          value={knownAt}
          onChange={({ currentTarget: { value } }) => change({ knownAt: value })}
        />
      </label>
      <label class="graph-check">
        <input
          type="checkbox"
          checked={withEnded}
          onChange={({ currentTarget: { checked } }) => change({ withEnded: checked })}
        />
        {texts().showWhatOverOr}
      </label>
      {(asOf !== "" || knownAt !== "") && (
        <Button icon="clock" kind="plain" onPress={() => change({ asOf: "", knownAt: "" })}>
          {texts().today}
        </Button>
      )}
    </form>
  );
}

function Graph({ graph, chosen }: { graph: wire.MemoryGraph; chosen: string | undefined }) {
  if (graph.edges.length === 0) {
    return (
      <EmptyState icon="agents" title={texts().nothingIsKnown}>
        {texts().atThisTimeNo}
      </EmptyState>
    );
  }
  const node = graph.nodes.find(({ id }) => id === chosen);
  const choose = (id: string | undefined) => {
    change({ chosen: id });
    const next = graph.nodes.find((one) => one.id === id);
    announce(next ? `${titleOfNode(next)}: ${count(next.facts, "fact")}` : texts().allPeopleAndThings);
  };
  const shown = node ? [node] : inOrder(graph.nodes);
  const titles = new Map(graph.nodes.map((one) => [one.id, titleOfNode(one)]));
  return (
    <>
      <GraphDrawing graph={graph} chosen={node?.id} onChoose={choose} />
      {graph.next_cursor && (
        <Notice>
          <p>{texts().thereAreMoreFacts}</p>
        </Notice>
      )}
      {node && (
        <div>
          <Button icon="left" kind="plain" onPress={() => choose(undefined)}>
            {texts().allPeopleAndThings}
          </Button>
        </div>
      )}
      <ul class="memory-list" aria-label={texts().peopleAndThings}>
        {shown.map((one) => (
          <NodeCard
            key={one.id}
            node={one}
            edges={graph.edges.filter(
              ({ subject, object }) => subject === one.id || (node !== undefined && object === one.id),
            )}
            titles={titles}
            onChoose={choose}
          />
        ))}
      </ul>
    </>
  );
}

/** The user first, then people, animals, places and things by name. */
function inOrder(nodes: readonly wire.GraphNode[]): wire.GraphNode[] {
  const rank = ({ kind }: wire.GraphNode) => KIND_ORDER.indexOf(kind);
  return [...nodes].sort((a, b) => rank(a) - rank(b) || a.label.localeCompare(b.label));
}
