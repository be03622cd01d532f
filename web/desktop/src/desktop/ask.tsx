/** Words to a window's agent, and what it last said there. */
import type { wire } from "@dwell/client";
import { useEffect, useRef, useState } from "preact/hooks";
import { newKey } from "../house/key.ts";
import { isMoving, type Turn } from "../house/turn.ts";
import { IconButton } from "../kit/button.tsx";
import { Icon } from "../kit/icon.tsx";
import { Markdown } from "../kit/markdown.tsx";
import { Spinner, Trouble } from "../kit/pieces.tsx";
import { useDesk, useOpen } from "./context.ts";

/** A box at the foot of a window. What cannot be sent stays in it. */
export function Ask({ window, onDone }: { window: wire.Window; onDone: () => void }) {
  const desk = useDesk();
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
      await desk.say(window.window_id, content, key.current);
      setWords("");
      key.current = newKey();
    } catch (error) {
      setProblem(error);
    } finally {
      setSending(false);
    }
  };
  return (
    <div class="desk-ask">
      <LastWords window={window} />
      {problem !== undefined && <Trouble error={problem} />}
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void send();
        }}
      >
        <input
          ref={input}
          class="input"
          aria-label={`Ask the agent of ${window.title}`}
          placeholder="Ask this window…"
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
        <button class="icon-button desk-send" type="submit" aria-label="Send" disabled={isSending || !words.trim()}>
          <Icon name="send" />
        </button>
      </form>
    </div>
  );
}

/** The last turn of this window's agent, in its own words. */
function LastWords({ window }: { window: wire.Window }) {
  const { turns } = useOpen();
  const last = turns.value.findLast((turn) => turn.state.value.asked.window?.window_id === window.window_id);
  return last ? <Reply turn={last} /> : null;
}

/** What an agent answers, as it comes. */
export function Reply({ turn, onDismiss }: { turn: Turn; onDismiss?: () => void }) {
  const { status, error } = turn.state.value;
  const text = turn.text.value;
  const isUnderWay = isMoving(status);
  return (
    <div class="desk-reply scroll" role="region" aria-label="Answer" tabIndex={0}>
      {onDismiss && <IconButton icon="close" label="Put the answer away" small onPress={onDismiss} />}
      {text !== "" && <Markdown text={text} isStreaming={isUnderWay} />}
      {text === "" && isUnderWay && (
        <p class="desk-working">
          <Spinner label="" /> {status === "pending" ? "Waiting for its turn…" : "Working on it…"}
        </p>
      )}
      {status === "waiting" && <p class="desk-working">It waits for an answer of yours.</p>}
      {error && <Trouble error={new Error(error.message)} />}
      {status === "cancelled" && text === "" && <p>Stopped.</p>}
    </div>
  );
}
