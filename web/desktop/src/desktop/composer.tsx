/** The message box of the desktop, with the latest answer above it. */
import { useEffect, useRef, useState } from "preact/hooks";
import type { Conversation } from "../store/conversation.ts";
import { startSession } from "../store/sessions.ts";
import { isFinal, isMoving } from "../store/turn.ts";
import { Icon } from "../kit/icon.tsx";
import { ErrorNotice } from "../kit/pieces.tsx";
import { Reply } from "./window-composer.tsx";
import { texts } from "../languages/desktop.ts";

/** How long a complete answer stays visible, unless it is hovered or focused. The chat keeps it. */
const READ_MS = 20_000;

/** Sends a message; starts a session if none is open. */
export async function sendMessage(conversation: Conversation | undefined, words: string): Promise<void> {
  const open = conversation ?? (await startSession());
  await open.send(words);
}

/** The message box. A message that cannot be sent stays in it. */
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
      await sendMessage(conversation, message);
    } catch (error) {
      // The message goes back into the box, unless the user has started another one.
      setWords((now) => (now === "" ? message : now));
      const failed = conversation?.outgoing.value.filter((sent) => sent.problem && sent.message === message) ?? [];
      for (const { key } of failed) conversation?.discard(key);
      setProblem(error);
    } finally {
      setSending(false);
    }
  };
  return (
    <div class="desktop-composer">
      {conversation && <Answer conversation={conversation} />}
      {problem !== undefined && <ErrorNotice error={problem} />}
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void send();
        }}
      >
        <input
          class="input"
          aria-label={texts().message}
          placeholder={isEnded ? texts().thisSessionHasEnded : texts().sendAMessage}
          autocomplete="off"
          disabled={isEnded}
          value={words}
          onInput={(event) => setWords(event.currentTarget.value)}
        />
        {running && words.trim() === "" ? (
          <button
            class="icon-button desktop-send"
            type="button"
            aria-label={texts().stop}
            title={texts().stop}
            onClick={() => void conversation?.cancel(running.id).catch(setProblem)}
          >
            <Icon name="stop" />
          </button>
        ) : (
          <button
            class="icon-button desktop-send"
            type="submit"
            aria-label={texts().send}
            disabled={isSending || !words.trim()}
          >
            <Icon name="send" />
          </button>
        )}
      </form>
    </div>
  );
}

/** The main agent of the selected monitor. */
function mainOf(conversation: Conversation): string {
  const id = conversation.desktop.monitor.value;
  return id === "main" ? "main" : `main@${id}`;
}

/** The main agent's latest answer since the desktop was opened; earlier ones are in the chat. */
function Answer({ conversation }: { conversation: Conversation }) {
  const main = mainOf(conversation);
  const [away, setAway] = useState<string | undefined>();
  const last = conversation.turns.value.findLast((turn) => turn.state.value.agentId === main);
  const known = useRef<string | undefined>(undefined);
  const isFirst = useRef(true);
  if (isFirst.current) {
    isFirst.current = false;
    // A turn that ended before the desktop was opened is not shown.
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
      class="desktop-answer"
      onPointerEnter={() => setHeld(true)}
      onPointerLeave={() => setHeld(false)}
      onFocusIn={() => setHeld(true)}
      onFocusOut={() => setHeld(false)}
    >
      <Reply turn={last} onDismiss={() => setAway(last.id)} />
    </div>
  );
}
