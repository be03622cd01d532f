/** The library tab: folders of documents on the server that research searches. */
import type { wire } from "@dwell/client";
import { useEffect, useState } from "preact/hooks";
import { api } from "../store/api.ts";
import { Button } from "../kit/button.tsx";
import { Dialog } from "../kit/dialog.tsx";
import { plainNumber } from "../kit/format.ts";
import { Icon } from "../kit/icon.tsx";
import { Badge, EmptyState, Notice, Spinner, ErrorNotice } from "../kit/pieces.tsx";
import { changes, reportChange } from "./change.ts";
import { LibrarySearch } from "./library-search.tsx";
import { useLoad } from "./load.ts";
import { DateLabel } from "./pieces.tsx";
import { count } from "./words.ts";
import "./library.css";

/** The polling interval while documents are being indexed. */
const LOOK_MS = 3_000;

/** The library tab. */
export function LibraryTab() {
  const [asked, setAsked] = useState<"add" | wire.FolderView>();
  const { value, problem } = useLoad("library", () => api<wire.LibraryView>("GET", "/api/v1/library"));
  usePolling(value);
  const close = () => setAsked(undefined);
  if (problem !== undefined) return <ErrorNotice error={problem} />;
  if (!value) {
    return (
      <div class="memory-wait">
        <Spinner label="Loading library" />
      </div>
    );
  }
  const { folders, without_meaning: why } = value;
  return (
    <>
      <div class="memory-lead">
        <p>Documents that answers can cite: Markdown, text, HTML and PDF files, indexed again when they change.</p>
        <div class="library-deeds">
          {folders.length > 0 && <Rescan />}
          <Button icon="plus" onPress={() => setAsked("add")}>
            Add folder
          </Button>
        </div>
      </div>
      {why && <Notice>{why}</Notice>}
      {folders.length === 0 ? (
        <EmptyState icon="book" title="No folders yet">
          Add a folder on the server here, or with <code>dwell library add FOLDER</code>.
        </EmptyState>
      ) : (
        <>
          <LibrarySearch />
          <ul class="memory-list" aria-label="Folders">
            {folders.map((folder) => (
              <Folder key={folder.folder_id} folder={folder} onRemove={() => setAsked(folder)} />
            ))}
          </ul>
        </>
      )}
      {asked === "add" && <AddFolder onClose={close} />}
      {typeof asked === "object" && <RemoveFolder folder={asked} onClose={close} />}
    </>
  );
}

/** Polls while documents are being indexed. */
function usePolling(library: wire.LibraryView | undefined): void {
  const isUnderWay = library?.folders.some(({ waiting, scanned_at: at }) => waiting > 0 || at == null) ?? false;
  useEffect(() => {
    if (!isUnderWay) return;
    const timer = setInterval(() => (changes.value += 1), LOOK_MS);
    return () => clearInterval(timer);
  }, [isUnderWay]);
}

function Folder({ folder, onRemove }: { folder: wire.FolderView; onRemove: () => void }) {
  const { path, documents, passages, waiting, shared, scanned_at: at, troubles = [], troubled = 0 } = folder;
  return (
    <li class="card memory-card">
      <div class="library-head">
        <Icon name="book" />
        <h2>{path}</h2>
        {shared && <Badge>shared</Badge>}
        <Button small kind="plain" icon="trash" label={`Remove ${path}`} onPress={onRemove}>
          Remove
        </Button>
      </div>
      <p class="memory-note numbers">
        {count(documents, "document")}, {count(passages, "passage")}
        {waiting > 0 && ` · ${plainNumber(waiting)} not yet searchable by meaning`}
        {" · "}
        {at ? <DateLabel at={at} label="indexed" /> : "indexing…"}
      </p>
      {troubled > 0 && (
        <details class="library-troubles">
          <summary>{count(troubled, "document")} could not be read</summary>
          <ul>
            {troubles.map(({ path: which, reason }) => (
              <li key={which}>
                <b>{which}</b> {reason}
              </li>
            ))}
            {troubled > troubles.length && <li>and {plainNumber(troubled - troubles.length)} more</li>}
          </ul>
        </details>
      )}
    </li>
  );
}

/** An asynchronous action with its busy state and error. */
function useAction(deed: () => Promise<void>) {
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<unknown>();
  const run = async () => {
    setBusy(true);
    setProblem(undefined);
    try {
      await deed();
    } catch (error) {
      setProblem(error);
    }
    setBusy(false);
  };
  return { isBusy, problem, run: () => void run() };
}

function Rescan() {
  const { isBusy, problem, run } = useAction(async () => {
    await api("POST", "/api/v1/library/rescan");
    reportChange("The folders are being scanned again.");
  });
  return (
    <>
      {problem !== undefined && <ErrorNotice error={problem} />}
      <Button icon="retry" kind="plain" disabled={isBusy} onPress={run}>
        Rescan
      </Button>
    </>
  );
}

function AddFolder({ onClose }: { onClose: () => void }) {
  const [path, setPath] = useState("");
  const [shared, setShared] = useState(false);
  const { isBusy, problem, run } = useAction(async () => {
    await api("POST", "/api/v1/library/folders", { path: path.trim(), shared } satisfies wire.AddFolder);
    onClose();
    reportChange(`Added: ${path.trim()}. Its documents are being indexed.`);
  });
  return (
    <Dialog
      title="Add folder"
      onClose={onClose}
      foot={
        <>
          <Button onPress={onClose}>Cancel</Button>
          <Button kind="primary" disabled={isBusy || path.trim() === ""} onPress={run}>
            Add
          </Button>
        </>
      }
    >
      <label class="field">
        Absolute path on the server
        <input
          class="input"
          placeholder="/home/me/notes"
          value={path}
          onInput={(event) => setPath(event.currentTarget.value)}
          autofocus
        />
      </label>
      <label class="library-shared">
        <input type="checkbox" checked={shared} onChange={(event) => setShared(event.currentTarget.checked)} />
        Share with all users of this server
      </label>
      {problem !== undefined && <ErrorNotice error={problem} />}
    </Dialog>
  );
}

function RemoveFolder({ folder, onClose }: { folder: wire.FolderView; onClose: () => void }) {
  const { isBusy, problem, run } = useAction(async () => {
    await api("DELETE", `/api/v1/library/folders/${folder.folder_id}`);
    onClose();
    reportChange(`Removed: ${folder.path}. Its documents were not deleted.`);
  });
  return (
    <Dialog
      title="Remove this folder from the library?"
      kind="alertdialog"
      onClose={onClose}
      foot={
        <>
          <Button onPress={onClose} autofocus>
            Cancel
          </Button>
          <Button kind="danger" disabled={isBusy} onPress={run}>
            Remove
          </Button>
        </>
      }
    >
      <p>
        <b>{folder.path}</b> is no longer searched. The documents themselves are not deleted.
      </p>
      {problem !== undefined && <ErrorNotice error={problem} />}
    </Dialog>
  );
}
