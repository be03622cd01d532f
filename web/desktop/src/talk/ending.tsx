/** How a turn stands where it did not simply answer: what was wrong, and what to do. */
import type { Conversation } from "../house/conversation.ts";
import { isMoving, type Turn } from "../house/turn.ts";
import { Button } from "../kit/button.tsx";
import { Notice } from "../kit/pieces.tsx";
import { attempt } from "./attempt.ts";
import { failureHint } from "./failure.ts";
import { Line, noticesOf } from "./notices.tsx";
import { reasonWords } from "./work.ts";

type Props = { conversation: Conversation; turn: Turn; isLast: boolean };

/** What there is to say of how the turn stands; nothing where all is well. */
export function Ending({ conversation, turn, isLast }: Props) {
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
          <p>{error?.message ?? "It failed."}</p>
          {hint && <p class="hint">{hint}</p>}
          <div class="talk-choices">{retry}</div>
        </Notice>
      );
    }
    case "expired":
      return (
        <Notice tone="warning">
          <p>{error?.message ?? reasonWords(reason) ?? "It ran out of time."}</p>
          <p class="hint">Ask for less at once, or let it try again.</p>
          <div class="talk-choices">{retry}</div>
        </Notice>
      );
    case "interrupted":
      return (
        <Notice tone="warning">
          <p>Dwell was stopped while it worked on this. Nothing that was said is lost.</p>
          <div class="talk-choices">
            <Button small kind="primary" icon="play" onPress={() => void attempt(() => conversation.resume(turn.id))}>
              Resume
            </Button>
            {retry}
          </div>
        </Notice>
      );
    case "cancelled":
      return <p class="talk-note">{turn.text.value === "" ? "Stopped before it answered." : "Stopped here."}</p>;
    case "waiting": {
      if (question && question.calls.length > 0) return null;
      if (approvals.length > 0 || reason === "dialog")
        return <p class="talk-note">It goes on once you have answered.</p>;
      return (
        <Notice tone="warning">
          <p>{question?.text ?? "It waits to be told to go on."}</p>
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
