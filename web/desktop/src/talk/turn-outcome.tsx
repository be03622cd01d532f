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
import { texts } from "../languages/talk.ts";

type Props = { conversation: Conversation; turn: Turn; isLast: boolean };

/** The outcome of a turn; renders nothing if there is nothing to say. */
export function TurnOutcome({ conversation, turn, isLast }: Props) {
  const { status, error, reason, question, clarification, approvals, response } = turn.state.value;
  const retry = (
    <Button small icon="retry" onPress={() => void attempt(() => conversation.retry(turn.id))}>
      {texts().retryButton}
    </Button>
  );
  switch (status) {
    case "failed": {
      const hint = failureHint(error);
      return (
        <Notice tone="danger">
          <p>{error?.message ?? texts().theTurnFailed}</p>
          {hint && <p class="hint">{hint}</p>}
          <div class="talk-choices">{retry}</div>
        </Notice>
      );
    }
    case "expired":
      return (
        <Notice tone="warning">
          <p>{error?.message ?? reasonWords(reason) ?? texts().theTurnTimedOut}</p>
          <p class="hint">{texts().askForLessAt}</p>
          <div class="talk-choices">{retry}</div>
        </Notice>
      );
    case "interrupted":
      return (
        <Notice tone="warning">
          <p>{texts().dwellWasStoppedWhile}</p>
          <div class="talk-choices">
            <Button small kind="primary" icon="play" onPress={() => void attempt(() => conversation.resume(turn.id))}>
              {texts().resume}
            </Button>
            {retry}
          </div>
        </Notice>
      );
    case "paused":
      return (
        <Halt tone="info" conversation={conversation} turn={turn}>
          {texts().thisTurnPausedKeeps}
        </Halt>
      );
    case "cancelled":
      return (
        <p class="talk-note">{turn.text.value === "" ? texts().stoppedBeforeTheAnswer : texts().stoppedSentence}</p>
      );
    case "waiting": {
      if (question && question.calls.length > 0) return null;
      if (approvals.length > 0 || reason === "dialog") return <p class="talk-note">{texts().waitingForYourAnswer}</p>;
      return (
        <Halt tone="warning" conversation={conversation} turn={turn}>
          {question?.text ?? texts().theTurnIsPaused}
        </Halt>
      );
    }
    default: {
      if (isMoving(status)) return null;
      const stopped = reasonWords(reason);
      const asks = clarification && isLast ? texts().yourNextMessageAnswers : undefined;
      const lines = [stopped, ...noticesOf(response), asks].filter((line) => line !== undefined);
      if (lines.length === 0) return null;
      return (
        <div class="talk-note">
          {lines.map((line) => (
            <Line key={line} text={line} />
          ))}
          {response?.stop_reason === "length" && isLast && (
            <div class="talk-choices">
              <Button small icon="play" onPress={() => void attempt(() => conversation.send(texts().pleaseContinue))}>
                {texts().continue}
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
          {texts().resume}
        </Button>
        <Button small onPress={() => void attempt(() => conversation.cancel(turn.id))}>
          {texts().cancel}
        </Button>
      </div>
    </Notice>
  );
}
