/** A line to ask for something without leaving the desktop, and the answer above it. */
import { useEffect, useRef, useState } from "preact/hooks";
import type { Conversation } from "../house/conversation.ts";
import { startSession } from "../house/sessions.ts";
import { isFinal, isMoving } from "../house/turn.ts";
import { Icon } from "../kit/icon.tsx";
import { Trouble } from "../kit/pieces.tsx";
import { Reply } from "./ask.tsx";

/** How long an answer that is complete stands above the line, unless somebody is at it. Talk keeps it. */
const READ_MS = 20_000;

/** Says something in the session; without one, begins it. */
export async function askFor(conversation: Conversation | undefined, words: string): Promise<void> {
  const open = conversation ?? (await startSession());
  await open.send(words);
}

/** The line. What cannot be sent stays in it. */
export function Composer({ conversation }: { conversation: Conversation | undefined }) {
  const [words, setWords] = useState("");
  const [problem, setProblem] = useState<unknown>();
  const [isSending, setSending] = useState(false);
  const isEnded = conversation?.session.value.status === "ended";
  const running = conversation?.open.value.find((turn) => {
    const { status, agentId } = turn.state.value;
    return isMoving(status) && agentId === mainOf(conversation);
  });
  const send = async () => {
    const message = words.trim();
    if (message === "" || isSending) return;
    setSending(true);
    setProblem(undefined);
    setWords("");
    try {
      await askFor(conversation, message);
    } catch (error) {
      // It is not lost: it stands in the line again, unless something else was begun there.
      setWords((now) => (now === "" ? message : now));
      const failed = conversation?.outgoing.value.filter((sent) => sent.problem && sent.message === message) ?? [];
      for (const { key } of failed) conversation?.discard(key);
      setProblem(error);
    } finally {
      setSending(false);
    }
  };
  return (
    <div class="desk-composer">
      {conversation && <Answer conversation={conversation} />}
      {problem !== undefined && <Trouble error={problem} />}
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void send();
        }}
      >
        <input
          class="input"
          aria-label="Ask for something"
          placeholder={isEnded ? "This session has ended" : "Ask for a window, or anything…"}
          autocomplete="off"
          disabled={isEnded}
          value={words}
          onInput={(event) => setWords(event.currentTarget.value)}
        />
        {running && words.trim() === "" ? (
          <button
            class="icon-button desk-send"
            type="button"
            aria-label="Stop"
            title="Stop"
            onClick={() => void conversation?.cancel(running.id).catch(setProblem)}
          >
            <Icon name="stop" />
          </button>
        ) : (
          <button class="icon-button desk-send" type="submit" aria-label="Send" disabled={isSending || !words.trim()}>
            <Icon name="send" />
          </button>
        )}
      </form>
    </div>
  );
}

/** The main agent of the monitor that is looked at. */
function mainOf(conversation: Conversation): string {
  const id = conversation.desk.monitor.value;
  return id === "main" ? "main" : `main@${id}`;
}

/** What the main agent answers to what was asked since the desktop is looked at; earlier words are in Talk. */
function Answer({ conversation }: { conversation: Conversation }) {
  const main = mainOf(conversation);
  const [away, setAway] = useState<string | undefined>();
  const last = conversation.turns.value.findLast((turn) => turn.state.value.agentId === main);
  const known = useRef<string | undefined>(undefined);
  const isFirst = useRef(true);
  if (isFirst.current) {
    isFirst.current = false;
    // What is over when one comes here is no news.
    if (last && isFinal(last.state.value.status)) known.current = last.id;
  }
  const [isHeld, setHeld] = useState(false);
  const isOver = last !== undefined && last.state.value.status === "completed";
  useEffect(() => {
    if (!isOver || isHeld) return;
    const timer = setTimeout(() => setAway(last.id), READ_MS);
    return () => clearTimeout(timer);
  }, [last?.id, isOver, isHeld]);
  if (!last || last.id === known.current || last.id === away) return null;
  return (
    <div
      class="desk-answer"
      onPointerEnter={() => setHeld(true)}
      onPointerLeave={() => setHeld(false)}
      onFocusIn={() => setHeld(true)}
      onFocusOut={() => setHeld(false)}
    >
      <Reply turn={last} onDismiss={() => setAway(last.id)} />
    </div>
  );
}
