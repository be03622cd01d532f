/** One turn in the transcript: message, progress, answer. */
import { memo } from "./memo.ts";
import { useEffect, useState } from "preact/hooks";
import type { Conversation } from "../store/conversation.ts";
import { isDeleted, isFinal, isMoving, type Turn, type TurnState } from "../store/turn.ts";
import { Button, IconButton } from "../kit/button.tsx";
import { exactTime, shortTime } from "../kit/format.ts";
import { Icon } from "../kit/icon.tsx";
import { Markdown } from "../kit/markdown.tsx";
import { plainText } from "../kit/markdown-safe.ts";
import { VersionArrows } from "./branches/arrows.tsx";
import { EditMessage } from "./branches/edit.tsx";
import { UserMessage } from "./user-message.tsx";
import { attempt } from "./attempt.ts";
import { UncertainCalls } from "./uncertain-calls.tsx";
import { TurnOutcome } from "./turn-outcome.tsx";
import { Citations, citationOptions } from "./citations.tsx";
import { Actions, Artifacts, Suggestions } from "./extras.tsx";
import { Research } from "./research/block.tsx";
import { queuePosition } from "./work.ts";
import { TurnProgress } from "./turn-progress.tsx";
import { WindowTurn } from "./window-turn.tsx";
import { texts } from "../languages/talk.ts";

type Props = { conversation: Conversation; turn: Turn; isLast: boolean };

/** A turn. */
export const TurnItem = memo(function TurnItem({ conversation, turn, isLast }: Props) {
  const state = turn.state.value;
  useSteers(conversation, turn, state);
  if (isDeleted(state)) {
    return (
      <>
        <h2 class="unseen">{texts().deletedTitle}</h2>
        <p class="talk-note">{texts().thisMessageAndIts}</p>
      </>
    );
  }
  if (state.asked.window) return <WindowTurn conversation={conversation} turn={turn} />;
  return (
    <>
      <h2 class="unseen">{headingOf(state)}</h2>
      <Asked conversation={conversation} turn={turn} />
      {state.status === "pending" ? (
        <Pending conversation={conversation} turn={turn} />
      ) : (
        <div class="talk-answer">
          <TurnProgress conversation={conversation} turn={turn} />
          <Research conversation={conversation} turn={turn} />
          {state.steers.map((steer, index) => (
            <div key={index} class="talk-steer">
              <Icon name="right" small />
              <div>
                <span>{texts().youAdded}</span>
                <p>{steer.message}</p>
              </div>
            </div>
          ))}
          <Answer turn={turn} />
          <UncertainCalls conversation={conversation} turn={turn} />
          <Artifacts conversation={conversation} ids={state.response?.artifacts ?? []} />
          <Citations turn={turn} />
          <TurnOutcome conversation={conversation} turn={turn} isLast={isLast} />
          {isFinal(state.status) && <Actions conversation={conversation} turn={turn} />}
          {isLast && <Suggestions conversation={conversation} turn={turn} />}
        </div>
      )}
    </>
  );
});

/** The message, or the form that edits it. */
function Asked({ conversation, turn }: Omit<Props, "isLast">) {
  const [isEditing, setEditing] = useState(false);
  const state = turn.state.value;
  if (isEditing) {
    return (
      <div class="talk-asked">
        <EditMessage conversation={conversation} turn={turn} onClose={() => setEditing(false)} />
      </div>
    );
  }
  return (
    <UserMessage asked={state.asked}>
      <div class="talk-below-message">
        {isFinal(state.status) && state.asked.message !== "" && (
          <span class="talk-edit-button">
            <IconButton icon="edit" label={texts().editMessage} small onPress={() => setEditing(true)} />
          </span>
        )}
        <VersionArrows conversation={conversation} turn={turn} />
        <About state={state} />
      </div>
    </UserMessage>
  );
}

/** Loads the steering messages of an earlier turn, which only its journal events have. */
function useSteers(conversation: Conversation, turn: Turn, state: TurnState): void {
  const isLacking =
    state.steers.length === 0 && state.steps.some((step) => step.type === "plan" && (step.detail.steers ?? 0) > 0);
  useEffect(() => {
    if (isLacking) void conversation.loadDetails(turn).catch(() => undefined);
  }, [isLacking]);
}

function headingOf({ asked }: TurnState): string {
  const words = plainText(asked.message);
  return texts().youPart(words.length > 80 ? `${words.slice(0, 80)}…` : words || texts().anImage);
}

/** The time of a turn, and notes about it. */
function About({ state }: { state: TurnState }) {
  const notes = [
    state.retryOf ? texts().retry : undefined,
    state.agentId.startsWith("main@") ? texts().onAgentId(state.agentId.slice(5)) : undefined,
    state.agentId.startsWith("ephemeral") ? texts().additionalAgent : undefined,
    state.asked.model ? texts().byModel(state.asked.model) : undefined,
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

/** The text of the answer: the only part of a turn that renders with every token. */
function Answer({ turn }: { turn: Turn }) {
  const text = turn.text.value;
  const state = turn.state.value;
  if (text === "") return null;
  const isStreaming = isMoving(state.status);
  return (
    <div class={isStreaming ? "talk-words is-streaming" : "talk-words"} aria-busy={isStreaming}>
      <Markdown text={text} isStreaming={isStreaming} cite={citationOptions(turn, text)} />
    </div>
  );
}

/** A queued turn: its position, and a cancel button. */
function Pending({ conversation, turn }: { conversation: Conversation; turn: Turn }) {
  const { agentId } = turn.state.value;
  const line = conversation.open.value.filter(({ state }) => state.value.agentId === agentId);
  const waiting = line.filter(({ state }) => state.value.status === "pending");
  const isHeldUp = waiting.length < line.length || waiting[0] !== turn;
  return (
    <div class="talk-pending">
      <Icon name="clock" small />
      <span>{isHeldUp ? queuePosition(waiting.indexOf(turn) + 1) : texts().starting}</span>
      <Button kind="plain" small onPress={() => void attempt(() => conversation.cancel(turn.id))}>
        {texts().cancel}
      </Button>
    </div>
  );
}
