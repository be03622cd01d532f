/** The box one writes in: grows with the words, takes files, and says what sending means while something runs. */
import type { wire } from "@dwell/client";
import { signal } from "@preact/signals";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Conversation } from "../house/conversation.ts";
import { startSession } from "../house/sessions.ts";
import { isMoving } from "../house/turn.ts";
import { IconButton } from "../kit/button.tsx";
import { Icon } from "../kit/icon.tsx";
import { Notice, Trouble } from "../kit/pieces.tsx";
import { attempt, mishap } from "./attempt.ts";
import { Attachments, useFiles } from "./attachments.tsx";
import { boxOf } from "./box.ts";
import { Ended } from "./ended.tsx";
import { withFiles } from "./files.ts";
import { modelForNew } from "./models.ts";

type WhenBusy = Extract<wire.OnBusy, "queue" | "steer" | "interrupt">;

const CHOICES: readonly { id: WhenBusy; label: string; about: string }[] = [
  { id: "queue", label: "Queue", about: "It waits in line until the answer is there." },
  { id: "steer", label: "Steer", about: "It goes into the answer that is being worked on." },
  { id: "interrupt", label: "Interrupt", about: "The answer is stopped, and this comes next." },
];

/** What sending means while something runs; it stays as it was chosen. */
const whenBusy = signal<WhenBusy>("queue");

/** Says something in a conversation; without one, in a new one. */
export async function say(
  conversation: Conversation | undefined,
  words: string,
  images: wire.Image[] = [],
): Promise<void> {
  const model = modelForNew.value;
  const where = conversation ?? (await startSession(model === undefined ? {} : { model }));
  const isBusy = where.isBusy.peek();
  // What cannot be sent stays in the list, with what to do.
  void where.send(words, { images, ...(isBusy && { onBusy: whenBusy.value }) }).catch(() => undefined);
}

/** The turn that Stop stops: what the main agent is at, else whatever runs. */
function runningIn(conversation: Conversation | undefined) {
  const open = conversation?.open.value ?? [];
  const working = open.filter(({ state }) => ["running", "streaming", "waiting"].includes(state.value.status));
  return working.find(({ state }) => state.value.agentId.startsWith("main")) ?? working[0];
}

/** Stops what runs; says whether there was anything. */
export function stopRunning(conversation: Conversation | undefined): boolean {
  const turn = runningIn(conversation);
  if (!conversation || !turn) return false;
  void attempt(() => conversation.cancel(turn.id));
  return true;
}

/** The composer. */
export function Composer({
  conversation,
  autofocus = true,
}: {
  conversation: Conversation | undefined;
  autofocus?: boolean;
}) {
  const box = boxOf(conversation?.id);
  const area = useRef<HTMLTextAreaElement>(null);
  const [isStarting, setStarting] = useState(false);
  const files = useFiles(box);
  const text = box.text.value;
  const running = runningIn(conversation);
  // A window's agent at work holds up nothing that is said here.
  const isBusy =
    running !== undefined && running.state.value.agentId.startsWith("main") && isMoving(running.state.value.status);
  const isEnded = conversation !== undefined && conversation.session.value.status !== "active";
  useLayoutEffect(() => grow(area.current), [text]);
  useEffect(() => {
    // On a phone the keyboard would cover half of what one came to read.
    if (autofocus && matchMedia("(min-width: 721px)").matches) area.current?.focus();
  }, [conversation?.id]);
  const hasTexts = box.files.value.some(({ kind }) => kind === "text");
  const canSend = (text.trim() !== "" || hasTexts) && !isStarting && !files.isReading;
  const send = async () => {
    if (!canSend) return;
    const message = withFiles(text, box.files.value);
    const images = box.files.value.flatMap((file) => (file.kind === "picture" ? [file.image] : []));
    setStarting(true);
    const isSent = await attempt(() => say(conversation, message, images));
    setStarting(false);
    if (!isSent) return;
    box.text.value = "";
    box.files.value = [];
    files.forgetProblems();
    area.current?.focus();
  };
  if (isEnded) return <Ended conversation={conversation} />;
  return (
    <form
      class="talk-composer"
      aria-label="Write"
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => files.onDrop(event)}
    >
      {mishap.value !== undefined && (
        <div class="talk-mishap">
          <Trouble error={mishap.value} />
          <IconButton icon="close" label="Dismiss" small onPress={() => (mishap.value = undefined)} />
        </div>
      )}
      {files.problems.map((problem) => (
        <Notice key={problem} tone="warning" role="alert">
          {problem}
        </Notice>
      ))}
      {isBusy && <BusyChoice />}
      <div class="talk-box">
        <Attachments box={box} isReading={files.isReading} />
        <textarea
          ref={area}
          aria-label="Message"
          placeholder={isBusy ? "Add something…" : "Ask or tell something…"}
          rows={1}
          value={text}
          enterkeyhint="send"
          onInput={(event) => (box.text.value = event.currentTarget.value)}
          onPaste={(event) => files.onPaste(event)}
          onKeyDown={(event) => {
            if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
            event.preventDefault();
            void send();
          }}
        />
        <div class="talk-box-row">
          {files.button}
          <span class={isBusy ? "talk-hint is-keys" : "talk-hint"}>
            {hintFor(isBusy, text, box.files.value.length > 0 && !hasTexts)}
          </span>
          {running && <IconButton icon="stop" label="Stop" onPress={() => void stopRunning(conversation)} />}
          <button class="talk-send" type="submit" aria-label="Send" title="Send" disabled={!canSend}>
            <Icon name="send" />
          </button>
        </div>
      </div>
    </form>
  );
}

function hintFor(isBusy: boolean, text: string, hasOnlyPictures: boolean): string {
  if (hasOnlyPictures && text.trim() === "") return "Add a few words to it.";
  if (isBusy) return "Esc stops it";
  return text.includes("\n") || text === "" ? "" : "Shift + Enter for a new line";
}

/** What sending means while something runs. */
function BusyChoice() {
  const chosen = CHOICES.find(({ id }) => id === whenBusy.value);
  return (
    <fieldset class="talk-busy">
      <legend class="unseen">What sending does while it works</legend>
      <div class="talk-busy-row">
        {CHOICES.map(({ id, label }) => (
          <label key={id}>
            <input
              type="radio"
              name="when-busy"
              value={id}
              checked={whenBusy.value === id}
              onChange={() => (whenBusy.value = id)}
            />
            <span>{label}</span>
          </label>
        ))}
      </div>
      <span class="talk-busy-about">{chosen?.about}</span>
    </fieldset>
  );
}

/** As high as the words, up to a part of the screen. */
function grow(area: HTMLTextAreaElement | null): void {
  if (!area) return;
  area.style.height = "auto";
  area.style.height = `${area.scrollHeight}px`;
}
