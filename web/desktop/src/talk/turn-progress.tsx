/** The progress of a running turn; once it is done, a summary line that expands to the details. */
import { useComputed } from "@preact/signals";
import { useEffect, useId, useState } from "preact/hooks";
import type { Conversation } from "../store/conversation.ts";
import { isFinal, isMoving, type Turn } from "../store/turn.ts";
import { Icon } from "../kit/icon.tsx";
import { toolInWords } from "../kit/value-words.ts";
import { CallIcon } from "./call-icon.tsx";
import { Details } from "./details.tsx";
import { shortArguments, type Call, callsOf, summaryLine, progressWords, stageWords } from "./work.ts";
import { texts } from "../languages/talk.ts";

/** The summary line, and below it the live progress or the details. */
export function TurnProgress({ conversation, turn }: { conversation: Conversation; turn: Turn }) {
  const [isOpen, setOpen] = useState(false);
  const region = useId();
  const state = turn.state.value;
  // Reasoning streams many times a second; here only its existence matters.
  const isThinking = useComputed(() => turn.thinking.value !== "").value;
  // Of an earlier turn the answer has a summary until its events are loaded.
  const hasThought = isThinking || Boolean(state.response?.reasoning_summary);
  const calls = callsOf(state.steps);
  const isLive = isMoving(state.status) || state.status === "waiting";
  const line = isLive ? stageWords(state, calls, isThinking) : summaryLine(state, calls, hasThought);
  return (
    <div class="talk-work">
      <button
        type="button"
        class={isLive ? "talk-work-line is-live" : "talk-work-line"}
        aria-expanded={isOpen}
        aria-controls={region}
        onClick={() => setOpen(!isOpen)}
      >
        {isLive && <span class="talk-pulse" aria-hidden="true" />}
        <span>{line}</span>
        {isLive && <Elapsed since={state.createdAt} />}
        <Icon name={isOpen ? "up" : "down"} small />
      </button>
      {isLive && !isOpen && <LiveRows turn={turn} calls={calls} />}
      <div id={region} hidden={!isOpen}>
        {isOpen && <LoadedDetails conversation={conversation} turn={turn} calls={calls} />}
      </div>
    </div>
  );
}

/** Loads the events of an earlier turn when its details are opened. */
function LoadedDetails({
  conversation,
  turn,
  calls,
}: {
  conversation: Conversation;
  turn: Turn;
  calls: readonly Call[];
}) {
  const [problem, setProblem] = useState<unknown>();
  const [isReading, setReading] = useState(turn.state.value.memory === undefined && isFinal(turn.state.value.status));
  useEffect(() => {
    if (!isReading) return;
    conversation
      .loadDetails(turn)
      .catch((error: unknown) => setProblem(error))
      .finally(() => setReading(false));
  }, []);
  return <Details turn={turn} calls={calls} isReading={isReading} problem={problem} />;
}

/** The live progress of a turn. */
function LiveRows({ turn, calls }: { turn: Turn; calls: readonly Call[] }) {
  const { memory, progress, research } = turn.state.value;
  const recalled = memory?.items?.length ?? 0;
  // Research has its own block.
  const others = calls.filter(({ id }) => !research.some(({ callId }) => callId === id));
  return (
    <ul class="talk-live">
      {recalled > 0 && (
        <li>
          <Icon name="memory" small />
          <span>{texts().recalledNow(texts().memoryCount(recalled))}</span>
        </li>
      )}
      <LiveThought turn={turn} />
      {others.map((call) => (
        <li key={call.id} data-call-status={call.status}>
          <CallIcon status={call.status} />
          <span>
            <b>{toolInWords(call.tool)}</b> {shortArguments(call.arguments)}
            {call.status === "running" && progress[call.id] && (
              <span class="talk-progress"> · {progressWords(progress[call.id])}</span>
            )}
          </span>
        </li>
      ))}
    </ul>
  );
}

/** The latest line of the reasoning. */
function LiveThought({ turn }: { turn: Turn }) {
  const text = turn.thinking.value;
  if (text === "" || turn.state.value.status === "streaming") return null;
  const last = text.slice(-400).trimEnd().split("\n").at(-1) ?? "";
  return (
    <li class="talk-thought">
      <Icon name="thought" small />
      <span>{last.slice(-160)}</span>
    </li>
  );
}

/** The elapsed time; shown after a few seconds. */
function Elapsed({ since }: { since: string }) {
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, []);
  const seconds = Math.floor((now - Date.parse(since)) / 1_000);
  if (!(seconds >= 3)) return null;
  return <span class="numbers talk-elapsed">{seconds} s</span>;
}
