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
import { download, printSession, READABLE } from "./download.ts";
import { fileName, FORMATS, guessFormat } from "./formats.ts";
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
      title="Rename session"
      onClose={onClose}
      foot={
        <>
          <Button onPress={onClose}>Cancel</Button>
          <Button kind="primary" disabled={isBusy} onPress={() => void save()}>
            Rename
          </Button>
        </>
      }
    >
      <label class="field">
        Title
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
    <Dialog title="Export" onClose={onClose}>
      <p class="sessions-about">Download “{title}” as:</p>
      <ul class="sessions-formats">
        <li>
          <button type="button" disabled={isBusy} onClick={() => void run(() => printSession(session)).then(closeIf)}>
            {about("PDF", "Through the print dialog of the browser.")}
          </button>
        </li>
        {READABLE.map(({ id, name, about: words }) => (
          <li key={id}>
            <button
              type="button"
              disabled={isBusy}
              onClick={() =>
                void run(() => download(session, id)).then((isDone) => isDone && announce(`${name}: saved`))
              }
            >
              {about(name, words)}
            </button>
          </li>
        ))}
        {FORMATS.map(({ id, name, about: words, ending }) => (
          <li key={id}>
            <a
              href={addressOf(pathWith(`/api/v1/sessions/${session.session_id}/export`, { format: id }))}
              download={fileName(title, ending)}
              onClick={() => announce(`${name}: download started`)}
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
      announce(`Imported as ${titleOf(session)}`);
      onClose();
      go({ view: "talk", session: session.session_id });
    } catch (error) {
      setProblem(error);
      setIsBusy(false);
    }
  };
  return (
    <Dialog
      title="Import session"
      onClose={onClose}
      foot={
        <>
          <Button onPress={onClose}>Cancel</Button>
          <Button kind="primary" disabled={!file || isBusy} onPress={() => void take()}>
            {isBusy ? "Importing…" : "Import"}
          </Button>
        </>
      }
    >
      <p class="sessions-about">
        Import a conversation from a file: a Dwell journal, or messages from OpenAI, LangChain or LangGraph. Nothing in
        it is executed.
      </p>
      <label class="field">
        File
        <input
          class="input"
          type="file"
          accept=".json,.ndjson,.jsonl,application/json"
          onChange={(event) => void choose(event.currentTarget.files?.[0])}
        />
      </label>
      <label class="field">
        Format
        <select
          class="input"
          value={format}
          onChange={({ currentTarget: { value } }) => {
            const known = FORMATS.find(({ id }) => id === value);
            if (known) setFormat(known.id);
          }}
        >
          {FORMATS.map(({ id, name }) => (
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
      announce(`Ended: ${title}`);
      onClose();
    } catch (error) {
      setProblem(error);
    }
  };
  return (
    <Dialog
      title="End this session?"
      kind="alertdialog"
      onClose={onClose}
      foot={
        <>
          <Button onPress={onClose} autofocus>
            Cancel
          </Button>
          <Button kind="danger" onPress={() => void end()}>
            End session
          </Button>
        </>
      }
    >
      <p>“{title}” takes no more messages, and its running turns stop. It stays readable, and you can fork it.</p>
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
      const forgotten = gone.memories > 0 ? `, with ${gone.memories} memories` : "";
      announce(`Deleted: ${title}${forgotten}`);
      onClose();
    } catch (error) {
      setProblem(error);
      setIsBusy(false);
    }
  };
  return (
    <Dialog
      title="Delete this session?"
      kind="alertdialog"
      onClose={onClose}
      foot={
        <>
          <Button onPress={onClose} autofocus>
            Cancel
          </Button>
          <Button kind="danger" disabled={isBusy} onPress={() => void remove()}>
            {isBusy ? "Deleting…" : "Delete"}
          </Button>
        </>
      }
    >
      <p>
        This deletes all messages, windows and files of “{title}” and stops its running turns. It is deleted from disk
        and cannot be restored. Exported copies are not affected.
      </p>
      {hasBranches(session) && <p>Other versions of its messages are sessions of their own, and stay.</p>}
      <label class="sessions-choice">
        <input type="checkbox" checked={memories} onChange={(event) => setMemories(event.currentTarget.checked)} />
        <span>
          Also forget its memories
          <small>Otherwise they stay, marked as from a deleted session.</small>
        </span>
      </label>
      {problem !== undefined && <ErrorNotice error={problem} />}
    </Dialog>
  );
}
