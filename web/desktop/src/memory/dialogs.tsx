/** The dialogs that correct and forget memory items. */
import type { wire } from "@dwell/client";
import { signal } from "@preact/signals";
import { useState } from "preact/hooks";
import { dwell } from "../store/connection.ts";
import { newKey } from "../store/key.ts";
import { Button } from "../kit/button.tsx";
import { Dialog } from "../kit/dialog.tsx";
import { ErrorNotice } from "../kit/pieces.tsx";
import { reportChange } from "./change.ts";
import { describeForgotten, type MemoryItem } from "./words.ts";
import { texts } from "../languages/memory.ts";

type OpenDialog = { what: "correct"; item: MemoryItem } | ({ what: "forget" } & ForgetRequest);

/**
 * `shown` is the displayed text, `note` explains what is deleted; `onGone` is called afterwards.
 */
type ForgetRequest = {
  request: wire.MemoryForget;
  shown: string;
  note?: string | undefined;
  onGone?: (() => void) | undefined;
};

const openDialog = signal<OpenDialog | undefined>(undefined);

/** Opens the dialog that corrects an item. */
export function askCorrect(item: MemoryItem): void {
  openDialog.value = { what: "correct", item };
}

/** Opens the dialog that confirms forgetting. */
export function askForget(request: wire.MemoryForget, shown: string, note?: string, onGone?: () => void): void {
  openDialog.value = { what: "forget", request, shown, note, onGone };
}

/** Renders the open dialog, if any. */
export function MemoryDialogs() {
  const now = openDialog.value;
  const close = () => (openDialog.value = undefined);
  if (now?.what === "correct") return <Correct key={now.item.id} item={now.item} onClose={close} />;
  if (now?.what === "forget") return <Forget {...now} onClose={close} />;
  return null;
}

function Correct({ item, onClose }: { item: MemoryItem; onClose: () => void }) {
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
      reportChange(
        isFact ? texts().correctedIsNow(item.key ?? texts().it, text.trim()) : texts().correctedOldTextStays,
      );
    } catch (error) {
      setProblem(error);
      setIsBusy(false);
    }
  };
  const isSame = text.trim() === "" || text.trim() === (item.value ?? item.text);
  return (
    <Dialog
      title={texts().correct}
      onClose={onClose}
      foot={
        <>
          <Button onPress={onClose}>{texts().cancel}</Button>
          <Button kind="primary" disabled={isBusy || isSame} onPress={() => void save()}>
            {texts().save}
          </Button>
        </>
      }
    >
      <p class="memory-note">{isFact ? texts().theOldValueStays : texts().theOldTextStays}</p>
      <label class="field">
        {isFact ? texts().correctValueOf(item.key ?? texts().this) : texts().correctText}
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
      {problem !== undefined && <ErrorNotice error={problem} />}
    </Dialog>
  );
}

function Forget({ request, shown, note, onGone, onClose }: ForgetRequest & { onClose: () => void }) {
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
      // An empty memory is deleted too.
      const isEmpty = request.memory_id !== undefined && !gone.items?.length;
      reportChange(isEmpty ? texts().shownWasDeleted(shown) : describeForgotten(gone));
    } catch (error) {
      setProblem(error);
      setIsBusy(false);
    }
  };
  return (
    <Dialog
      title={texts().forgetPermanently}
      kind="alertdialog"
      onClose={onClose}
      foot={
        <>
          <Button onPress={onClose} autofocus>
            {texts().cancel}
          </Button>
          <Button kind="danger" disabled={isBusy} onPress={() => void forget()}>
            {isBusy ? texts().forgetting : texts().forget}
          </Button>
        </>
      }
    >
      <blockquote class="memory-quote">{shown}</blockquote>
      <p>{note ?? texts().itsSourceTextYour}</p>
      <p class="memory-note">{texts().itDeletedFromDisk}</p>
      {problem !== undefined && <ErrorNotice error={problem} />}
    </Dialog>
  );
}
