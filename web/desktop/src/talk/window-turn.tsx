/** A turn of a window's agent: one line with the window's title, and its result. */
import { useState } from "preact/hooks";
import type { Conversation } from "../store/conversation.ts";
import { isMoving, type Turn } from "../store/turn.ts";
import { Icon } from "../kit/icon.tsx";
import { Markdown } from "../kit/markdown.tsx";
import { hrefOf } from "../route.ts";
import { citationOptions } from "./citations.tsx";
import { UncertainCalls } from "./uncertain-calls.tsx";
import { TurnOutcome } from "./turn-outcome.tsx";
import { Research } from "./research/block.tsx";
import { TurnProgress } from "./turn-progress.tsx";
import { texts } from "../languages/talk.ts";

/** A compact turn. */
export function WindowTurn({ conversation, turn }: { conversation: Conversation; turn: Turn }) {
  const [isOpen, setOpen] = useState(false);
  const state = turn.state.value;
  const { window } = state.asked;
  const id = window?.window_id ?? "";
  const title = conversation.desktop.view.value?.windows.find((one) => one.window_id === id)?.title;
  const act = window?.act?.action;
  const said = act ? texts().clickedAct(act.replace(/[_-]+/g, " ")) : state.asked.message;
  const isLive = isMoving(state.status);
  return (
    <div class="talk-window">
      <h2 class="unseen">
        {texts().window} {title ?? id}
      </h2>
      <div class="talk-window-line">
        {isLive ? <span class="talk-pulse" aria-hidden="true" /> : <Icon name="desktop" small />}
        <a href={hrefOf({ view: "desktop", session: conversation.id })}>{title ?? texts().closedWindow}</a>
        <span class="talk-window-said">{said}</span>
        <button type="button" class="talk-show-all" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {isOpen ? texts().less : texts().more}
        </button>
      </div>
      {isOpen ? <TurnProgress conversation={conversation} turn={turn} /> : null}
      {isOpen || isLive ? <Research conversation={conversation} turn={turn} /> : null}
      <WindowAnswer turn={turn} isWhole={isOpen} />
      <UncertainCalls conversation={conversation} turn={turn} />
      <TurnOutcome conversation={conversation} turn={turn} isLast={false} />
    </div>
  );
}

function WindowAnswer({ turn, isWhole }: { turn: Turn; isWhole: boolean }) {
  const text = turn.text.value;
  if (text === "") return null;
  return (
    <div class={isWhole ? "talk-window-words" : "talk-window-words is-short"}>
      <Markdown text={text} isStreaming={isMoving(turn.state.value.status)} cite={citationOptions(turn, text)} />
    </div>
  );
}
