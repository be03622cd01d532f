/** What is asked before a session is taken out, taken in, ended or deleted. */
import type { wire } from "@dwell/client";
import { useState } from "preact/hooks";
import { ApiError, pathWith } from "../../house/api.ts";
import { changed, deleteSession, endSession, titleOf } from "../../house/sessions.ts";
import { newKey } from "../../house/key.ts";
import { announce } from "../../kit/announce.ts";
import { Button } from "../../kit/button.tsx";
import { Dialog } from "../../kit/dialog.tsx";
import { Icon } from "../../kit/icon.tsx";
import { Trouble } from "../../kit/pieces.tsx";
import { go } from "../../route.ts";
import { fileName, FORMATS, guessFormat } from "./formats.ts";

/** The forms a session can be taken out in. */
export function ExportDialog({ session, onClose }: { session: wire.SessionView; onClose: () => void }) {
  const title = titleOf(session);
  return (
    <Dialog title="Export" onClose={onClose}>
      <p class="sessions-about">“{title}” to take elsewhere, as a file:</p>
      <ul class="sessions-formats">
        {FORMATS.map(({ id, name, about, ending }) => (
          <li key={id}>
            <a
              href={pathWith(`/api/v1/sessions/${session.session_id}/export`, { format: id })}
              download={fileName(title, ending)}
              onClick={() => announce(`${name}: the download begins`)}
            >
              <Icon name="download" />
              <span>
                <strong>{name}</strong>
                <small>{about}</small>
              </span>
            </a>
          </li>
        ))}
      </ul>
    </Dialog>
  );
}

/** A session from a file. */
export function ImportDialog({ onClose }: { onClose: () => void }) {
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
      changed();
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
      title="Import a session"
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
        A conversation from a file: Dwell's journal, or messages of OpenAI, LangChain or LangGraph. Nothing in it is
        run.
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
        What it is
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
      {problem !== undefined && <Trouble error={problem} />}
    </Dialog>
  );
}

/** The text goes as it is: a journal is lines, not one JSON value. */
async function importSession(text: string, format: wire.ExportFormat): Promise<wire.SessionView> {
  const path = pathWith("/api/v1/sessions/import", { format });
  const headers = { "content-type": "application/json", "idempotency-key": `page-${newKey()}` };
  const answer = await fetch(path, { method: "POST", credentials: "same-origin", headers, body: text });
  if (!answer.ok) {
    throw new ApiError(answer.status, (await answer.json().catch(() => ({}))) as Partial<wire.Problem>);
  }
  return (await answer.json()) as wire.SessionView;
}

/** Whether it is to end. */
export function EndDialog({ session, onClose }: { session: wire.SessionView; onClose: () => void }) {
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
            Keep it
          </Button>
          <Button kind="danger" onPress={() => void end()}>
            End it
          </Button>
        </>
      }
    >
      <p>
        “{title}” takes no more messages, and what is under way in it stops. What was said stays readable, and you can
        fork it.
      </p>
      {problem !== undefined && <Trouble error={problem} />}
    </Dialog>
  );
}

/** Whether it is to be gone, and what was remembered of it too. */
export function DeleteDialog({ session, onClose }: { session: wire.SessionView; onClose: () => void }) {
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
      title="Delete this session for good?"
      kind="alertdialog"
      onClose={onClose}
      foot={
        <>
          <Button onPress={onClose} autofocus>
            Keep it
          </Button>
          <Button kind="danger" disabled={isBusy} onPress={() => void remove()}>
            {isBusy ? "Deleting…" : "Delete it"}
          </Button>
        </>
      }
    >
      <p>
        All that was said in “{title}” goes, with its windows and files, and what is under way in it stops. It is
        removed from the disk and cannot be brought back. Copies that you have exported are yours to remove.
      </p>
      <label class="sessions-choice">
        <input type="checkbox" checked={memories} onChange={(event) => setMemories(event.currentTarget.checked)} />
        <span>
          Forget what was remembered of it too
          <small>Otherwise that stays, and says that its conversation is gone.</small>
        </span>
      </label>
      {problem !== undefined && <Trouble error={problem} />}
    </Dialog>
  );
}
