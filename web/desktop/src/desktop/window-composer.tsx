/** The message box of a window's agent, with its latest reply. */
import type { wire } from "@dwell/client";
import { useEffect, useRef, useState } from "preact/hooks";
import { newKey } from "../store/key.ts";
import { isMoving, type Turn } from "../store/turn.ts";
import { IconButton } from "../kit/button.tsx";
import { Icon } from "../kit/icon.tsx";
import { Markdown } from "../kit/markdown.tsx";
import { Spinner, ErrorNotice } from "../kit/pieces.tsx";
import { useDesktop, useConversation } from "./context.ts";
import { texts } from "../languages/desktop.ts";

/** The message box at the bottom of a window. A message that cannot be sent stays in it. */
export function WindowComposer({ window, onDone }: { window: wire.Window; onDone: () => void }) {
  const desktop = useDesktop();
  const [words, setWords] = useState("");
  const [problem, setProblem] = useState<unknown>();
  const [isSending, setSending] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  const key = useRef(newKey());
  useEffect(() => input.current?.focus(), []);
  const send = async () => {
    const content = words.trim();
    if (content === "" || isSending) return;
    setSending(true);
    setProblem(undefined);
    try {
      await desktop.sendMessage(window.window_id, content, key.current);
      setWords("");
      key.current = newKey();
    } catch (error) {
      setProblem(error);
    } finally {
      setSending(false);
    }
  };
  return (
    <div class="desktop-ask">
      <LatestReply window={window} />
      {problem !== undefined && <ErrorNotice error={problem} />}
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void send();
        }}
      >
        <input
          ref={input}
          class="input"
          aria-label={texts().messageAgent(window.title)}
          placeholder={texts().messageThisWindow}
          autocomplete="off"
          value={words}
          onInput={(event) => {
            setWords(event.currentTarget.value);
            key.current = newKey();
          }}
          onKeyDown={(event) => {
            if (event.key === "Escape") {
              event.stopPropagation();
              onDone();
            }
          }}
        />
        <button
          class="icon-button desktop-send"
          type="submit"
          aria-label={texts().send}
          disabled={isSending || !words.trim()}
        >
          <Icon name="send" />
        </button>
      </form>
    </div>
  );
}

/** The reply of the last turn of this window's agent. */
function LatestReply({ window }: { window: wire.Window }) {
  const { turns } = useConversation();
  const last = turns.value.findLast((turn) => turn.state.value.asked.window?.window_id === window.window_id);
  return last ? <Reply turn={last} /> : null;
}

/** An agent's reply as it streams. */
export function Reply({ turn, onDismiss }: { turn: Turn; onDismiss?: () => void }) {
  const { status, error } = turn.state.value;
  const text = turn.text.value;
  const isUnderWay = isMoving(status);
  return (
    <div class="desktop-reply scroll" role="region" aria-label={texts().answer} tabIndex={0}>
      {onDismiss && <IconButton icon="close" label={texts().dismissTheAnswer} small onPress={onDismiss} />}
      {text !== "" && <Markdown text={text} isStreaming={isUnderWay} />}
      {text === "" && isUnderWay && (
        <p class="desktop-working">
          <Spinner label="" /> {status === "pending" ? texts().queued : texts().workingNow}
        </p>
      )}
      {status === "waiting" && <p class="desktop-working">{texts().waitingForYourAnswer}</p>}
      {error && <ErrorNotice error={new Error(error.message)} />}
      {status === "cancelled" && text === "" && <p>{texts().stopped}</p>}
    </div>
  );
}
