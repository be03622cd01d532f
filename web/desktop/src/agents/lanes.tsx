/** The agent graph: a lane for each monitor, with lines from each agent to its children. */
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Conversation } from "../store/conversation.ts";
import { AgentCard } from "./card.tsx";
import { type AgentWork, type Box, connector, type Lane, lanesOf } from "./graph.ts";

const TICK_MS = 1_000;

/** The current time, updated every second while a turn is open. */
function useNow(isMoving: boolean): number {
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    if (!isMoving) return;
    setNow(Date.now());
    const timer = setInterval(() => setNow(Date.now()), TICK_MS);
    return () => clearInterval(timer);
  }, [isMoving]);
  return now;
}

/** All lanes of a session. */
export function Lanes({ conversation }: { conversation: Conversation }) {
  const open = conversation.open.value.map((turn) => {
    const { agentId, status } = turn.state.value;
    return { id: turn.id, agentId, status };
  });
  const lanes = lanesOf(conversation.desktop.view.value, open, (id) => conversation.turn(id) !== undefined);
  const now = useNow(open.length > 0);
  return (
    <div class="agents-lanes">
      {lanes.map((lane) => (
        <LaneView key={lane.monitorId} lane={lane} conversation={conversation} now={now} isOnly={lanes.length === 1} />
      ))}
    </div>
  );
}

function LaneView(props: { lane: Lane; conversation: Conversation; now: number; isOnly: boolean }) {
  const { lane, conversation, now, isOnly } = props;
  const ref = useRef<HTMLDivElement>(null);
  return (
    <section class="agents-lane" aria-label={lane.name}>
      <h2 class={isOnly ? "unseen" : undefined}>{lane.name}</h2>
      <div class="agents-field" ref={ref}>
        <Lines lane={lane} field={ref} />
        <AgentCard agent={lane.main} conversation={conversation} now={now} />
        {lane.others.length > 0 && (
          <div class="agents-others">
            {lane.others.map((agent) => (
              <AgentCard key={agent.id} agent={agent} conversation={conversation} now={now} />
            ))}
          </div>
        )}
      </div>
    </section>
  );
}

type ConnectorLine = { id: string; path: string; isBusy: boolean };

/** The connecting lines, recomputed whenever a card moves or changes size. */
function Lines({ lane, field }: { lane: Lane; field: { current: HTMLDivElement | null } }) {
  const [lines, setLines] = useState<ConnectorLine[]>([]);
  const shape = lane.others.map(({ id, parentId, turnId }) => `${id} ${parentId ?? ""} ${turnId ?? ""}`).join();
  useLayoutEffect(() => {
    const element = field.current;
    if (!element) return;
    const draw = () => setLines(linesOf(element, lane.others));
    draw();
    const observer = new ResizeObserver(draw);
    for (const card of element.querySelectorAll("[data-agent]")) observer.observe(card);
    observer.observe(element);
    return () => observer.disconnect();
  }, [shape]);
  return (
    <svg class="agents-lines" aria-hidden="true">
      {lines.map(({ id, path, isBusy }) => (
        <path key={id} class={isBusy ? "busy" : undefined} d={path} />
      ))}
    </svg>
  );
}

function linesOf(field: HTMLElement, others: readonly AgentWork[]): ConnectorLine[] {
  const origin = field.getBoundingClientRect();
  const boxes = new Map<string, Box>();
  for (const card of field.querySelectorAll<HTMLElement>("[data-agent]")) {
    const { left, top, width, height } = card.getBoundingClientRect();
    boxes.set(card.dataset["agent"] ?? "", { left: left - origin.left, top: top - origin.top, width, height });
  }
  return others.flatMap(({ id, parentId, turnId }) => {
    const [from, to] = [boxes.get(parentId ?? ""), boxes.get(id)];
    return from && to ? [{ id, path: connector(from, to), isBusy: turnId !== undefined }] : [];
  });
}
