/**
 * The transcript. Of thousands of turns only those near the view are in the page; the rest is empty space of the right height.
 * What keeps the reader's line in place is in `scrolling.ts`.
 */
import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Conversation } from "../house/conversation.ts";
import type { Turn } from "../house/turn.ts";
import { Button } from "../kit/button.tsx";
import { Icon } from "../kit/icon.tsx";
import { Spinner, Trouble } from "../kit/pieces.tsx";
import { place } from "../route.ts";
import { OutgoingMessages } from "./outgoing.tsx";
import { Scroller } from "./scroller.ts";
import { TurnItem } from "./turn-item.tsx";

/** The turns of a session, and what is on its way. */
export function Transcript({ conversation }: { conversation: Conversation }) {
  const [, draw] = useState(0);
  const scroller = useMemo(() => new Scroller(conversation, () => draw((count) => count + 1)), [conversation]);
  const turns = conversation.turns.value;
  const view = useRef<HTMLElement>(null);
  const list = useRef<HTMLOListElement>(null);
  const tail = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    if (view.current && list.current && tail.current) return scroller.watch(view.current, list.current, tail.current);
    return undefined;
  }, [scroller]);
  const shown = scroller.shown(turns);
  // After each drawing the view is where it is to be, before anybody sees it.
  useLayoutEffect(() => scroller.settle());
  useFind(conversation, scroller);
  return (
    <div class="talk-transcript">
      <section class="talk-scroll scroll" ref={view} aria-label="Conversation" tabIndex={0}>
        <Lead conversation={conversation} />
        <ol class="talk-list" ref={list} role="list">
          {items(shown, turns, scroller, conversation)}
        </ol>
        <div class="talk-tail" ref={tail}>
          <OutgoingMessages conversation={conversation} />
        </div>
      </section>
      <ToTheEnd scroller={scroller} />
    </div>
  );
}

/** The turns that are shown, and space for those between. */
function items(shown: readonly number[], turns: readonly Turn[], scroller: Scroller, conversation: Conversation) {
  const { heights } = scroller.scrolling;
  const nodes: ComponentChildren[] = [];
  let next = 0;
  const space = (to: number) => {
    const height = heights.topOf(to) - heights.topOf(next);
    if (to > next)
      nodes.push(<li key={`space-${next}`} role="presentation" aria-hidden="true" style={{ height: `${height}px` }} />);
  };
  const size = conversation.hasOlder.value ? -1 : turns.length;
  for (const index of shown) {
    const turn = turns[index];
    if (!turn) continue;
    space(index);
    next = index + 1;
    const isLast = index === turns.length - 1;
    nodes.push(<Row key={turn.id} {...{ conversation, turn, scroller, isLast, position: index + 1, size }} />);
  }
  space(turns.length);
  return nodes;
}

type RowProps = {
  conversation: Conversation;
  turn: Turn;
  scroller: Scroller;
  isLast: boolean;
  position: number;
  size: number;
};

function Row({ conversation, turn, scroller, isLast, position, size }: RowProps) {
  const row = useRef<HTMLLIElement>(null);
  useLayoutEffect(() => (row.current ? scroller.measure(row.current, turn.id) : undefined), [turn.id, scroller]);
  return (
    <li
      ref={row}
      class={scroller.found.value === turn.id ? "talk-turn is-found" : "talk-turn"}
      data-turn-id={turn.id}
      data-turn-status={turn.state.value.status}
      aria-posinset={position}
      aria-setsize={size}
    >
      <TurnItem conversation={conversation} turn={turn} isLast={isLast} />
    </li>
  );
}

/** What stands above the first turn: more to come, or the beginning. */
function Lead({ conversation }: { conversation: Conversation }) {
  const [problem, setProblem] = useState<unknown>();
  const load = () => {
    setProblem(undefined);
    conversation.loadOlder().catch((error: unknown) => setProblem(error));
  };
  if (problem !== undefined) {
    return (
      <div class="talk-lead">
        <Trouble error={problem}>
          <Button small icon="retry" onPress={load}>
            Load what came before
          </Button>
        </Trouble>
      </div>
    );
  }
  return <div class="talk-lead">{conversation.hasOlder.value && <Spinner label="Loading what came before" />}</div>;
}

/** The way back to the end, for whoever has scrolled up. */
function ToTheEnd({ scroller }: { scroller: Scroller }) {
  if (!scroller.isAway.value) return null;
  const hasNew = scroller.hasNew.value;
  return (
    <button type="button" class={hasNew ? "talk-end has-new" : "talk-end"} onClick={() => scroller.toEnd()}>
      <Icon name="down" small />
      {hasNew ? "New words below" : "To the end"}
    </button>
  );
}

/** Goes to the turn that the address names. */
function useFind(conversation: Conversation, scroller: Scroller): void {
  const { session, detail } = place.value;
  useEffect(() => {
    if (detail !== undefined && session === conversation.id) void scroller.find(detail);
  }, [conversation, session, detail]);
}
