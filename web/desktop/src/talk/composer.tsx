/**
 * The message box: grows with its text, takes files, and offers what sending does while a turn
 * runs.
 */
import type { wire } from "@dwell/client";
import { signal } from "@preact/signals";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Conversation } from "../store/conversation.ts";
import { startSession } from "../store/sessions.ts";
import { isMoving } from "../store/turn.ts";
import { IconButton } from "../kit/button.tsx";
import { Icon } from "../kit/icon.tsx";
import { Notice, ErrorNotice } from "../kit/pieces.tsx";
import { openPresets } from "../presets/open.ts";
import { Dictation } from "../speech/dictation.tsx";
import { attempt, lastError } from "./attempt.ts";
import { Attachments, useFiles } from "./attachments.tsx";
import { draftOf } from "./draft.ts";
import { SessionEnded } from "./session-ended.tsx";
import { withFiles } from "./files.ts";
import { modelForNew } from "./models.ts";
import { texts } from "../languages/talk.ts";

type WhenBusy = Extract<wire.OnBusy, "queue" | "steer" | "interrupt">;

function busyChoices(): readonly { id: WhenBusy; label: string; about: string }[] {
  return [
    { id: "queue", label: texts().queue, about: texts().sendAfterCurrentAnswer },
    { id: "steer", label: texts().steer, about: texts().addAnswerProgress },
    { id: "interrupt", label: texts().interrupt, about: texts().stopAnswerAndSend },
  ];
}

/** What sending does while a turn runs; the choice is kept. */
const whenBusy = signal<WhenBusy>("queue");

/** Sends a message; starts a conversation if none is open. */
export async function sendMessage(
  conversation: Conversation | undefined,
  words: string,
  images: wire.Image[] = [],
  background = false,
): Promise<void> {
  const model = modelForNew.value;
  const where = conversation ?? (await startSession(model === undefined ? {} : { model }));
  const isBusy = where.isBusy.peek();
  // A message that cannot be sent stays in the list with its options.
  void where.send(words, { images, background, ...(isBusy && { onBusy: whenBusy.value }) }).catch(() => undefined);
}

/** The turn that Stop cancels: the main agent's, else any running one. */
function runningIn(conversation: Conversation | undefined) {
  const open = conversation?.open.value ?? [];
  const working = open.filter(({ state }) => ["running", "streaming", "waiting"].includes(state.value.status));
  return working.find(({ state }) => state.value.agentId.startsWith("main")) ?? working[0];
}

/** Cancels the running turn; returns whether there was one. */
export function stopRunning(conversation: Conversation | undefined): boolean {
  const turn = runningIn(conversation);
  if (!conversation || !turn) return false;
  void attempt(() => conversation.cancel(turn.id));
  return true;
}

/** The message box. */
export function Composer({
  conversation,
  autofocus = true,
}: {
  conversation: Conversation | undefined;
  autofocus?: boolean;
}) {
  const box = draftOf(conversation?.id);
  const area = useRef<HTMLTextAreaElement>(null);
  const [isStarting, setStarting] = useState(false);
  const [voiceProblem, setVoiceProblem] = useState<string>();
  const files = useFiles(box);
  const text = box.text.value;
  const running = runningIn(conversation);
  // A window's agent does not delay messages sent here.
  const isBusy =
    running !== undefined && running.state.value.agentId.startsWith("main") && isMoving(running.state.value.status);
  const isEnded = conversation !== undefined && conversation.session.value.status !== "active";
  useLayoutEffect(() => grow(area.current), [text]);
  useEffect(() => {
    // On a phone the keyboard would cover half of the screen.
    if (autofocus && matchMedia("(min-width: 721px)").matches) area.current?.focus();
  }, [conversation?.id]);
  const hasTexts = box.files.value.some(({ kind }) => kind === "text");
  const canSend = (text.trim() !== "" || hasTexts) && !isStarting && !files.isReading;
  const send = async (inBackground = false) => {
    if (!canSend) return;
    const message = withFiles(text, box.files.value);
    const images = box.files.value.flatMap((file) => (file.kind === "picture" ? [file.image] : []));
    setStarting(true);
    const isSent = await attempt(() => sendMessage(conversation, message, images, inBackground));
    setStarting(false);
    if (!isSent) return;
    box.text.value = "";
    box.files.value = [];
    files.forgetProblems();
    area.current?.focus();
  };
  if (isEnded) return <SessionEnded conversation={conversation} />;
  return (
    <form
      class="talk-composer"
      aria-label={texts().compose}
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => files.onDrop(event)}
    >
      {lastError.value !== undefined && (
        <div class="talk-mishap">
          <ErrorNotice error={lastError.value} />
          <IconButton icon="close" label={texts().dismiss} small onPress={() => (lastError.value = undefined)} />
        </div>
      )}
      {files.problems.map((problem) => (
        <Notice key={problem} tone="warning" role="alert">
          {problem}
        </Notice>
      ))}
      {voiceProblem !== undefined && (
        <Notice tone="warning" role="alert">
          {voiceProblem}
        </Notice>
      )}
      {isBusy && <BusyChoice />}
      <div class="talk-box">
        <Attachments box={box} isReading={files.isReading} />
        <textarea
          ref={area}
          aria-label={texts().message}
          placeholder={isBusy ? texts().addAMessage : texts().sendAMessage}
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
          <IconButton icon="book" label={texts().promptsAndPersonas} onPress={() => (openPresets.value = "prompts")} />
          <Dictation text={text} onText={(heard) => (box.text.value = heard)} onProblem={setVoiceProblem} />
          <span class={isBusy ? "talk-hint is-keys" : "talk-hint"}>
            {hintFor(isBusy, text, box.files.value.length > 0 && !hasTexts)}
          </span>
          {canSend && <IconButton icon="moon" label={texts().sendInTheBackground} onPress={() => void send(true)} />}
          {running && <IconButton icon="stop" label={texts().stop} onPress={() => void stopRunning(conversation)} />}
          <button class="talk-send" type="submit" aria-label={texts().send} title={texts().send} disabled={!canSend}>
            <Icon name="send" />
          </button>
        </div>
      </div>
    </form>
  );
}

function hintFor(isBusy: boolean, text: string, hasOnlyPictures: boolean): string {
  if (hasOnlyPictures && text.trim() === "") return texts().addMessageImages;
  if (isBusy) return texts().escToStop;
  return text.includes("\n") || text === "" ? "" : texts().shiftEnterForNew;
}

/** The choice of what sending does while a turn runs. */
function BusyChoice() {
  const chosen = busyChoices().find(({ id }) => id === whenBusy.value);
  return (
    <fieldset class="talk-busy">
      <legend class="unseen">{texts().whenTurnRunning}</legend>
      <div class="talk-busy-row">
        {busyChoices().map(({ id, label }) => (
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

/** Fits the height to the text, up to a part of the screen. */
function grow(area: HTMLTextAreaElement | null): void {
  if (!area) return;
  area.style.height = "auto";
  area.style.height = `${area.scrollHeight}px`;
}
