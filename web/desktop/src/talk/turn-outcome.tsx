/** The outcome of a turn that did not simply complete: errors, waiting, notices, and what to do. */
import type { ComponentChildren } from "preact";
import type { Conversation } from "../store/conversation.ts";
import { isMoving, type Turn } from "../store/turn.ts";
import { Button } from "../kit/button.tsx";
import { Notice } from "../kit/pieces.tsx";
import { attempt } from "./attempt.ts";
import { failureHint } from "./failure.ts";
import { Line, noticesOf } from "./notices.tsx";
import { reasonWords } from "./work.ts";

type Props = { conversation: Conversation; turn: Turn; isLast: boolean };

/** The outcome of a turn; renders nothing if there is nothing to say. */
export function TurnOutcome({ conversation, turn, isLast }: Props) {
  const { status, error, reason, question, clarification, approvals, response } = turn.state.value;
  const retry = (
    <Button small icon="retry" onPress={() => void attempt(() => conversation.retry(turn.id))}>
      Retry
    </Button>
  );
  switch (status) {
    case "failed": {
      const hint = failureHint(error);
      return (
        <Notice tone="danger">
          <p>{error?.message ?? "The turn failed."}</p>
          {hint && <p class="hint">{hint}</p>}
          <div class="talk-choices">{retry}</div>
        </Notice>
      );
    }
    case "expired":
      return (
        <Notice tone="warning">
          <p>{error?.message ?? reasonWords(reason) ?? "The turn timed out."}</p>
          <p class="hint">Ask for less at once, or retry.</p>
          <div class="talk-choices">{retry}</div>
        </Notice>
      );
    case "interrupted":
      return (
        <Notice tone="warning">
          <p>Dwell was stopped while this turn was running. Nothing is lost.</p>
          <div class="talk-choices">
            <Button small kind="primary" icon="play" onPress={() => void attempt(() => conversation.resume(turn.id))}>
              Resume
            </Button>
            {retry}
          </div>
        </Notice>
      );
    case "paused":
      return (
        <Halt tone="info" conversation={conversation} turn={turn}>
          This turn is paused. It keeps what it has done.
        </Halt>
      );
    case "cancelled":
      return <p class="talk-note">{turn.text.value === "" ? "Stopped before the answer." : "Stopped."}</p>;
    case "waiting": {
      if (question && question.calls.length > 0) return null;
      if (approvals.length > 0 || reason === "dialog") return <p class="talk-note">Waiting for your answer.</p>;
      return (
        <Halt tone="warning" conversation={conversation} turn={turn}>
          {question?.text ?? "The turn is paused."}
        </Halt>
      );
    }
    default: {
      if (isMoving(status)) return null;
      const stopped = reasonWords(reason);
      const asks = clarification && isLast ? "Your next message answers this question." : undefined;
      const lines = [stopped, ...noticesOf(response), asks].filter((line) => line !== undefined);
      if (lines.length === 0) return null;
      return (
        <div class="talk-note">
          {lines.map((line) => (
            <Line key={line} text={line} />
          ))}
          {response?.stop_reason === "length" && isLast && (
            <div class="talk-choices">
              <Button small icon="play" onPress={() => void attempt(() => conversation.send("Please continue."))}>
                Continue
              </Button>
            </div>
          )}
        </div>
      );
    }
  }
}

type HaltProps = { tone: "info" | "warning"; conversation: Conversation; turn: Turn; children: ComponentChildren };

/** A turn that goes on only when the user says so. */
function Halt({ tone, conversation, turn, children }: HaltProps) {
  return (
    <Notice tone={tone}>
      <p>{children}</p>
      <div class="talk-choices">
        <Button small kind="primary" icon="play" onPress={() => void attempt(() => conversation.resume(turn.id))}>
          Resume
        </Button>
        <Button small onPress={() => void attempt(() => conversation.cancel(turn.id))}>
          Cancel
        </Button>
      </div>
    </Notice>
  );
}
