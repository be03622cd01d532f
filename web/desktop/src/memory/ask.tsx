/** Correcting and forgetting, from wherever something remembered is shown. */
import type { wire } from "@dwell/client";
import { signal } from "@preact/signals";
import { useState } from "preact/hooks";
import { dwell } from "../house/connection.ts";
import { newKey } from "../house/key.ts";
import { Button } from "../kit/button.tsx";
import { Dialog } from "../kit/dialog.tsx";
import { Trouble } from "../kit/pieces.tsx";
import { done } from "./change.ts";
import { forgottenInWords, type Remembered } from "./words.ts";

type Asked = { what: "correct"; item: Remembered } | ({ what: "forget" } & ToForget);

/** `shown` is what the person sees of it, `note` what goes with it; `onGone` is told when it is gone. */
type ToForget = {
  request: wire.MemoryForget;
  shown: string;
  note?: string | undefined;
  onGone?: (() => void) | undefined;
};

const asked = signal<Asked | undefined>(undefined);

/** Asks for what is right. */
export function askCorrect(item: Remembered): void {
  asked.value = { what: "correct", item };
}

/** Asks whether it is really to be gone. */
export function askForget(request: wire.MemoryForget, shown: string, note?: string, onGone?: () => void): void {
  asked.value = { what: "forget", request, shown, note, onGone };
}

/** The dialog for what is asked; it stands at the end of the view. */
export function Asking() {
  const now = asked.value;
  const close = () => (asked.value = undefined);
  if (now?.what === "correct") return <Correct key={now.item.id} item={now.item} onClose={close} />;
  if (now?.what === "forget") return <Forget {...now} onClose={close} />;
  return null;
}

function Correct({ item, onClose }: { item: Remembered; onClose: () => void }) {
  const isFact = item.value !== undefined;
  const [text, setText] = useState(item.value ?? item.text);
  const [problem, setProblem] = useState<unknown>();
  const [isBusy, setIsBusy] = useState(false);
  const save = async () => {
    setIsBusy(true);
    setProblem(undefined);
    try {
      const client = await dwell();
      await client.request("memory.correct", { id: item.id, text: text.trim(), idempotency_key: newKey() });
      onClose();
      done(
        isFact
          ? `Put right: ${item.key ?? "it"} is “${text.trim()}” now.`
          : "Put right. The old words stay as history.",
      );
    } catch (error) {
      setProblem(error);
      setIsBusy(false);
    }
  };
  const isSame = text.trim() === "" || text.trim() === (item.value ?? item.text);
  return (
    <Dialog
      title="Put it right"
      onClose={onClose}
      foot={
        <>
          <Button onPress={onClose}>Cancel</Button>
          <Button kind="primary" disabled={isBusy || isSame} onPress={() => void save()}>
            Save
          </Button>
        </>
      }
    >
      <p class="memory-note">
        {isFact
          ? "What was believed until now stays as history, and says what took its place."
          : "The old words stay readable; what was read off them no longer holds."}
      </p>
      <label class="field">
        {isFact ? `What is right for “${item.key ?? "this"}”` : "What is right"}
        <textarea
          class="input"
          rows={isFact ? 2 : 5}
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && !isSame) void save();
          }}
          autofocus
        />
      </label>
      {problem !== undefined && <Trouble error={problem} />}
    </Dialog>
  );
}

function Forget({ request, shown, note, onGone, onClose }: ToForget & { onClose: () => void }) {
  const [problem, setProblem] = useState<unknown>();
  const [isBusy, setIsBusy] = useState(false);
  const forget = async () => {
    setIsBusy(true);
    setProblem(undefined);
    try {
      const client = await dwell();
      const gone = await client.request("memory.forget", request);
      onClose();
      onGone?.();
      // A memory may be empty and is gone all the same.
      const isEmpty = request.memory_id !== undefined && !gone.items?.length;
      done(isEmpty ? `“${shown}” is gone.` : forgottenInWords(gone));
    } catch (error) {
      setProblem(error);
      setIsBusy(false);
    }
  };
  return (
    <Dialog
      title="Forget this for good?"
      kind="alertdialog"
      onClose={onClose}
      foot={
        <>
          <Button onPress={onClose} autofocus>
            Keep it
          </Button>
          <Button kind="danger" disabled={isBusy} onPress={() => void forget()}>
            {isBusy ? "Forgetting…" : "Forget"}
          </Button>
        </>
      }
    >
      <blockquote class="memory-quote">{shown}</blockquote>
      <p>
        {note ?? "It goes with the words it comes from: in the conversations where it was said, these are struck out."}
      </p>
      <p class="memory-note">
        It is removed from the disk and cannot be brought back. Copies that you have exported are yours to remove.
      </p>
      {problem !== undefined && <Trouble error={problem} />}
    </Dialog>
  );
}
