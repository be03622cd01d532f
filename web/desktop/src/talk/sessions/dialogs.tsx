/** The dialogs that rename, export, import, end and delete a session. */
import type { wire } from "@dwell/client";
import { useState } from "preact/hooks";
import { ApiError, pathWith } from "../../store/api.ts";
import { sessionsChanged, deleteSession, endSession, rename, titleOf } from "../../store/sessions.ts";
import { newKey } from "../../store/key.ts";
import { addressOf } from "../../kit/address.ts";
import { announce } from "../../kit/announce.ts";
import { useAttempt } from "../../kit/attempt.ts";
import { Button } from "../../kit/button.tsx";
import { Dialog } from "../../kit/dialog.tsx";
import { Icon } from "../../kit/icon.tsx";
import { ErrorNotice } from "../../kit/pieces.tsx";
import { go } from "../../route.ts";
import { hasBranches } from "../branches/lines.ts";
import { FolderDialog } from "./folder-dialog.tsx";
import { sessionDialog } from "./asked.ts";
import { download, printSession, readableFormats } from "./download.ts";
import { fileName, fileFormats, guessFormat } from "./formats.ts";
import { texts } from "../../languages/dialogs.ts";
import "./sessions.css";

/** The open dialog. */
export function SessionDialogs() {
  const asked = sessionDialog.value;
  const close = () => (sessionDialog.value = undefined);
  if (!asked) return null;
  if (asked.wish === "import") return <ImportDialog onClose={close} />;
  const { session, wish } = asked;
  if (wish === "rename") return <RenameDialog session={session} onClose={close} />;
  if (wish === "folder") return <FolderDialog session={session} onClose={close} />;
  if (wish === "export") return <ExportDialog session={session} onClose={close} />;
  return wish === "end" ? (
    <EndDialog session={session} onClose={close} />
  ) : (
    <DeleteDialog session={session} onClose={close} />
  );
}

/** Renames a session; in the list it is renamed in place. */
function RenameDialog({ session, onClose }: { session: wire.SessionView; onClose: () => void }) {
  const [title, setTitle] = useState(titleOf(session));
  const { isBusy, problem, run } = useAttempt();
  const save = async () => {
    if (await run(() => rename(session.session_id, title))) onClose();
  };
  return (
    <Dialog
      title={texts().renameSession}
      onClose={onClose}
      foot={
        <>
          <Button onPress={onClose}>{texts().cancel}</Button>
          <Button kind="primary" disabled={isBusy} onPress={() => void save()}>
            {texts().rename}
          </Button>
        </>
      }
    >
      <label class="field">
        {texts().title}
        <input
          class="input"
          maxLength={120}
          value={title}
          onInput={(event) => setTitle(event.currentTarget.value)}
          onKeyDown={(event) => event.key === "Enter" && !event.isComposing && void save()}
        />
      </label>
      {problem !== undefined && <ErrorNotice error={problem} />}
    </Dialog>
  );
}

/** Exports a session in one of several formats. */
function ExportDialog({ session, onClose }: { session: wire.SessionView; onClose: () => void }) {
  const title = titleOf(session);
  const { isBusy, problem, run } = useAttempt();
  const closeIf = (isDone: boolean) => isDone && onClose();
  const about = (name: string, words: string) => (
    <>
      <Icon name="download" />
      <span>
        <strong>{name}</strong>
        <small>{words}</small>
      </span>
    </>
  );
  return (
    <Dialog title={texts().export} onClose={onClose}>
      <p class="sessions-about">{texts().downloadAs(title)}</p>
      <ul class="sessions-formats">
        <li>
          <button type="button" disabled={isBusy} onClick={() => void run(() => printSession(session)).then(closeIf)}>
            {about("PDF", texts().throughPrintDialogBrowser)}
          </button>
        </li>
        {readableFormats().map(({ id, name, about: words }) => (
          <li key={id}>
            <button
              type="button"
              disabled={isBusy}
              onClick={() =>
                void run(() => download(session, id)).then((isDone) => isDone && announce(texts().nameSaved(name)))
              }
            >
              {about(name, words)}
            </button>
          </li>
        ))}
        {fileFormats().map(({ id, name, about: words, ending }) => (
          <li key={id}>
            <a
              href={addressOf(pathWith(`/api/v1/sessions/${session.session_id}/export`, { format: id }))}
              download={fileName(title, ending)}
              onClick={() => announce(texts().nameDownloadStarted(name))}
            >
              {about(name, words)}
            </a>
          </li>
        ))}
      </ul>
      {problem !== undefined && <ErrorNotice error={problem} />}
    </Dialog>
  );
}

/** Imports a session from a file. */
function ImportDialog({ onClose }: { onClose: () => void }) {
  const [file, setFile] = useState<{ name: string; text: string }>();
  const [format, setFormat] = useState<wire.ExportFormat>("ndjson");
  const [problem, setProblem] = useState<unknown>();
  const [isBusy, setIsBusy] = useState(false);
  const choose = async (chosen: File | undefined) => {
    setProblem(undefined);
    if (!chosen) return;
    const text = await chosen.text();
    setFile({ name: chosen.name, text });
    setFormat(guessFormat(text) ?? "openai");
  };
  const take = async () => {
    if (!file) return;
    setIsBusy(true);
    setProblem(undefined);
    try {
      const session = await importSession(file.text, format);
      sessionsChanged();
      announce(texts().importedAsSession(titleOf(session)));
      onClose();
      go({ view: "talk", session: session.session_id });
    } catch (error) {
      setProblem(error);
      setIsBusy(false);
    }
  };
  return (
    <Dialog
      title={texts().importSession}
      onClose={onClose}
      foot={
        <>
          <Button onPress={onClose}>{texts().cancel}</Button>
          <Button kind="primary" disabled={!file || isBusy} onPress={() => void take()}>
            {isBusy ? texts().importing : texts().import}
          </Button>
        </>
      }
    >
      <p class="sessions-about">{texts().importConversationFromFile}</p>
      <label class="field">
        {texts().fileField}
        <input
          class="input"
          type="file"
          accept=".json,.ndjson,.jsonl,application/json"
          onChange={(event) => void choose(event.currentTarget.files?.[0])}
        />
      </label>
      <label class="field">
        {texts().format}
        <select
          class="input"
          value={format}
          onChange={({ currentTarget: { value } }) => {
            const known = fileFormats().find(({ id }) => id === value);
            if (known) setFormat(known.id);
          }}
        >
          {fileFormats().map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </select>
      </label>
      {problem !== undefined && <ErrorNotice error={problem} />}
    </Dialog>
  );
}

/** Sends the text unchanged: a journal is NDJSON, not one JSON value. */
async function importSession(text: string, format: wire.ExportFormat): Promise<wire.SessionView> {
  const path = pathWith("/api/v1/sessions/import", { format });
  const headers = { "content-type": "application/json", "idempotency-key": `page-${newKey()}` };
  const answer = await fetch(addressOf(path), { method: "POST", credentials: "same-origin", headers, body: text });
  if (!answer.ok) {
    throw new ApiError(answer.status, (await answer.json().catch(() => ({}))) as Partial<wire.Problem>);
  }
  return (await answer.json()) as wire.SessionView;
}

/** Confirms that a session is to end. */
function EndDialog({ session, onClose }: { session: wire.SessionView; onClose: () => void }) {
  const [problem, setProblem] = useState<unknown>();
  const title = titleOf(session);
  const end = async () => {
    try {
      await endSession(session.session_id);
      announce(texts().endedTitle(title));
      onClose();
    } catch (error) {
      setProblem(error);
    }
  };
  return (
    <Dialog
      title={texts().endThisSession}
      kind="alertdialog"
      onClose={onClose}
      foot={
        <>
          <Button onPress={onClose} autofocus>
            {texts().cancel}
          </Button>
          <Button kind="danger" onPress={() => void end()}>
            {texts().endSession}
          </Button>
        </>
      }
    >
      <p>{texts().endEffects(title)}</p>
      {problem !== undefined && <ErrorNotice error={problem} />}
    </Dialog>
  );
}

/** Confirms that a session is to be deleted, optionally with its memories. */
function DeleteDialog({ session, onClose }: { session: wire.SessionView; onClose: () => void }) {
  const [memories, setMemories] = useState(false);
  const [problem, setProblem] = useState<unknown>();
  const [isBusy, setIsBusy] = useState(false);
  const title = titleOf(session);
  const remove = async () => {
    setIsBusy(true);
    setProblem(undefined);
    try {
      const gone = await deleteSession(session.session_id, memories);
      const forgotten = gone.memories > 0 ? texts().withMemories(gone.memories) : "";
      announce(texts().deletedTitleForgotten(title, forgotten));
      onClose();
    } catch (error) {
      setProblem(error);
      setIsBusy(false);
    }
  };
  return (
    <Dialog
      title={texts().deleteThisSession}
      kind="alertdialog"
      onClose={onClose}
      foot={
        <>
          <Button onPress={onClose} autofocus>
            {texts().cancel}
          </Button>
          <Button kind="danger" disabled={isBusy} onPress={() => void remove()}>
            {isBusy ? texts().deleting : texts().delete}
          </Button>
        </>
      }
    >
      <p>{texts().deleteEffects(title)}</p>
      {hasBranches(session) && <p>{texts().otherVersionsItsMessages}</p>}
      <label class="sessions-choice">
        <input type="checkbox" checked={memories} onChange={(event) => setMemories(event.currentTarget.checked)} />
        <span>
          {texts().alsoForgetItsMemories}
          <small>{texts().otherwiseTheyStayMarked}</small>
        </span>
      </label>
      {problem !== undefined && <ErrorNotice error={problem} />}
    </Dialog>
  );
}
