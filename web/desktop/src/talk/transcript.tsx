/**
 * The transcript, virtualised: only turns near the view are rendered, the rest is empty space of
 * the right height. `scroll-model.ts` keeps the reader's position.
 */
import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Conversation } from "../store/conversation.ts";
import type { Turn } from "../store/turn.ts";
import { Button } from "../kit/button.tsx";
import { Icon } from "../kit/icon.tsx";
import { Spinner, ErrorNotice } from "../kit/pieces.tsx";
import { place } from "../route.ts";
import { FindBar } from "./find/bar.tsx";
import { OutgoingMessages } from "./outgoing.tsx";
import { Scroller } from "./scroller.ts";
import { TurnItem } from "./turn-item.tsx";
import { texts } from "../languages/talk.ts";

/** The turns of a session and its outgoing messages. */
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
  // Sets the scroll position after each render, before the browser paints.
  useLayoutEffect(() => scroller.settle());
  useFind(conversation, scroller);
  return (
    <div class="talk-transcript">
      <section class="talk-scroll scroll" ref={view} aria-label={texts().conversation} tabIndex={0}>
        <Lead conversation={conversation} />
        <ol class="talk-list" ref={list} role="list">
          {items(shown, turns, scroller, conversation)}
        </ol>
        <div class="talk-tail" ref={tail}>
          <OutgoingMessages conversation={conversation} />
        </div>
      </section>
      <JumpToEnd scroller={scroller} />
      <FindBar conversation={conversation} view={view} onFind={(turn) => void scroller.find(turn)} />
    </div>
  );
}

/** The rendered turns, and spacers for the others. */
function items(shown: readonly number[], turns: readonly Turn[], scroller: Scroller, conversation: Conversation) {
  const { heights } = scroller.model;
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

/** The loading indicator above the first turn. */
function Lead({ conversation }: { conversation: Conversation }) {
  const [problem, setProblem] = useState<unknown>();
  const load = () => {
    setProblem(undefined);
    conversation.loadOlder().catch((error: unknown) => setProblem(error));
  };
  if (problem !== undefined) {
    return (
      <div class="talk-lead">
        <ErrorNotice error={problem}>
          <Button small icon="retry" onPress={load}>
            {texts().loadOlderMessages}
          </Button>
        </ErrorNotice>
      </div>
    );
  }
  return <div class="talk-lead">{conversation.hasOlder.value && <Spinner label={texts().loadingOlderMessages} />}</div>;
}

/** The button that scrolls back to the end. */
function JumpToEnd({ scroller }: { scroller: Scroller }) {
  if (!scroller.isAway.value) return null;
  const hasNew = scroller.hasNew.value;
  return (
    <button type="button" class={hasNew ? "talk-end has-new" : "talk-end"} onClick={() => scroller.toEnd()}>
      <Icon name="down" small />
      {hasNew ? texts().newMessages : texts().jumpToEnd}
    </button>
  );
}

/** Scrolls to the turn in the route. */
function useFind(conversation: Conversation, scroller: Scroller): void {
  const { session, detail } = place.value;
  useEffect(() => {
    if (detail !== undefined && session === conversation.id) void scroller.find(detail);
  }, [conversation, session, detail]);
}
