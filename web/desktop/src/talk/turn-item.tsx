/** One turn in the transcript: what was asked, what was done, what was answered. */
import { memo } from "./memo.ts";
import { useEffect } from "preact/hooks";
import type { Conversation } from "../house/conversation.ts";
import { isFinal, isMoving, type Turn, type TurnState } from "../house/turn.ts";
import { Button } from "../kit/button.tsx";
import { exactTime, shortTime } from "../kit/format.ts";
import { Icon } from "../kit/icon.tsx";
import { Markdown } from "../kit/markdown.tsx";
import { plainText } from "../kit/markdown-safe.ts";
import { AskedMessage } from "./asked.tsx";
import { attempt } from "./attempt.ts";
import { Doubt } from "./doubt.tsx";
import { Ending } from "./ending.tsx";
import { Citations, citing } from "./citations.tsx";
import { Actions, Artifacts, Suggestions } from "./extras.tsx";
import { Research } from "./research/block.tsx";
import { placeInLine } from "./work.ts";
import { Working } from "./working.tsx";
import { WindowTurn } from "./window-turn.tsx";

type Props = { conversation: Conversation; turn: Turn; isLast: boolean };

/** A turn. */
export const TurnItem = memo(function TurnItem({ conversation, turn, isLast }: Props) {
  const state = turn.state.value;
  useSteers(conversation, turn, state);
  if (state.asked.window) return <WindowTurn conversation={conversation} turn={turn} />;
  return (
    <>
      <h2 class="unseen">{headingOf(state)}</h2>
      <AskedMessage asked={state.asked}>
        <About state={state} />
      </AskedMessage>
      {state.status === "pending" ? (
        <Pending conversation={conversation} turn={turn} />
      ) : (
        <div class="talk-answer">
          <Working conversation={conversation} turn={turn} />
          <Research conversation={conversation} turn={turn} />
          {state.steers.map((steer, index) => (
            <div key={index} class="talk-steer">
              <Icon name="right" small />
              <div>
                <span>You added</span>
                <p>{steer.message}</p>
              </div>
            </div>
          ))}
          <Answer turn={turn} />
          <Doubt conversation={conversation} turn={turn} />
          <Artifacts conversation={conversation} ids={state.response?.artifacts ?? []} />
          <Citations turn={turn} />
          <Ending conversation={conversation} turn={turn} isLast={isLast} />
          {isFinal(state.status) && <Actions conversation={conversation} turn={turn} />}
          {isLast && <Suggestions conversation={conversation} turn={turn} />}
        </div>
      )}
    </>
  );
});

/** Messages that went into an earlier turn are in the journal only; that there are some is known. */
function useSteers(conversation: Conversation, turn: Turn, state: TurnState): void {
  const isLacking =
    state.steers.length === 0 && state.steps.some((step) => step.type === "plan" && (step.detail.steers ?? 0) > 0);
  useEffect(() => {
    if (isLacking) void conversation.recall(turn).catch(() => undefined);
  }, [isLacking]);
}

function headingOf({ asked }: TurnState): string {
  const words = plainText(asked.message);
  return `You: ${words.length > 80 ? `${words.slice(0, 80)}…` : words || "a picture"}`;
}

/** When, and what is special about it. */
function About({ state }: { state: TurnState }) {
  const notes = [
    state.retryOf ? "asked again" : undefined,
    state.agentId.startsWith("main@") ? `on ${state.agentId.slice(5)}` : undefined,
    state.agentId.startsWith("ephemeral") ? "answered beside" : undefined,
    state.asked.model ? `by ${state.asked.model}` : undefined,
  ].filter(Boolean);
  return (
    <p class="talk-when">
      {notes.map((note) => `${note} · `)}
      <time dateTime={state.createdAt} title={exactTime(state.createdAt)}>
        {shortTime(state.createdAt)}
      </time>
    </p>
  );
}

/** The words of the answer. This is what is drawn with every word; nothing else of the turn is. */
function Answer({ turn }: { turn: Turn }) {
  const text = turn.text.value;
  const state = turn.state.value;
  if (text === "") return null;
  const isStreaming = isMoving(state.status);
  return (
    <div class={isStreaming ? "talk-words is-streaming" : "talk-words"} aria-busy={isStreaming}>
      <Markdown text={text} isStreaming={isStreaming} cite={citing(turn, text)} />
    </div>
  );
}

/** It waits: its place in the line, and a way out of it. */
function Pending({ conversation, turn }: { conversation: Conversation; turn: Turn }) {
  const { agentId } = turn.state.value;
  const line = conversation.open.value.filter(({ state }) => state.value.agentId === agentId);
  const waiting = line.filter(({ state }) => state.value.status === "pending");
  const isHeldUp = waiting.length < line.length || waiting[0] !== turn;
  return (
    <div class="talk-pending">
      <Icon name="clock" small />
      <span>{isHeldUp ? placeInLine(waiting.indexOf(turn) + 1) : "Starting…"}</span>
      <Button kind="plain" small onPress={() => void attempt(() => conversation.cancel(turn.id))}>
        Cancel
      </Button>
    </div>
  );
}
