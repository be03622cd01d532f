/** Edits a message in place. Sending it makes a branch; the original stays. */
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { useAttempt } from "../../kit/attempt.ts";
import { Button } from "../../kit/button.tsx";
import { ErrorNotice } from "../../kit/pieces.tsx";
import type { Conversation } from "../../store/conversation.ts";
import type { Turn } from "../../store/turn.ts";
import { type Attachment, splitFiles, withFiles } from "../files.ts";
import { branchAt } from "./store.ts";
import { texts } from "../../languages/sessions.ts";
import "./branches.css";

type Props = { conversation: Conversation; turn: Turn; onClose: () => void };

/** The form with the text of the message. Its files and images are sent along as they are. */
export function EditMessage({ conversation, turn, onClose }: Props) {
  const { asked } = turn.state.value;
  const { words, files } = splitFiles(asked.message);
  const [text, setText] = useState(words);
  const { isBusy, problem, run } = useAttempt();
  const area = useRef<HTMLTextAreaElement>(null);
  useLayoutEffect(() => {
    if (!area.current) return;
    area.current.style.height = "auto";
    area.current.style.height = `${area.current.scrollHeight}px`;
  }, [text]);
  useLayoutEffect(() => {
    area.current?.focus();
    area.current?.setSelectionRange(words.length, words.length);
  }, []);
  const canSend = !isBusy && (text.trim() !== "" || files.length > 0);
  const send = async () => {
    if (!canSend) return;
    const kept = files.map(({ name, text: inside }, index): Attachment => ({
      kind: "text",
      id: String(index),
      name,
      text: inside,
    }));
    const images = [...(asked.images ?? [])];
    const model = asked.model ?? undefined;
    const message = withFiles(text, kept);
    await run(() => branchAt(conversation, turn, message, { images, ...(model !== undefined && { model }) }));
  };
  return (
    <form
      class="talk-edit"
      aria-label={texts().editMessage}
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
    >
      <textarea
        ref={area}
        class="input"
        aria-label={texts().editedMessage}
        rows={1}
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.isComposing) return;
          if (event.key === "Escape") onClose();
          else if (event.key === "Enter" && !event.shiftKey) void send();
          else return;
          event.preventDefault();
          event.stopPropagation();
        }}
      />
      {problem !== undefined && <ErrorNotice error={problem} />}
      <div class="talk-edit-row">
        <span class="talk-hint">{texts().theOriginalStaysArrows}</span>
        <Button small onPress={onClose}>
          {texts().cancel}
        </Button>
        <Button small kind="primary" type="submit" disabled={!canSend}>
          {isBusy ? texts().sending : texts().send}
        </Button>
      </div>
    </form>
  );
}
