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
import { texts } from "../languages/memory.ts";
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
        <Spinner label={texts().loadingLibrary} />
      </div>
    );
  }
  const { folders, without_meaning: why } = value;
  return (
    <>
      <div class="memory-lead">
        <p>{texts().documentsThatAnswersCan}</p>
        <div class="library-deeds">
          {folders.length > 0 && <Rescan />}
          <Button icon="plus" onPress={() => setAsked("add")}>
            {texts().addFolder}
          </Button>
        </div>
      </div>
      {why && <Notice>{why}</Notice>}
      {folders.length === 0 ? (
        <EmptyState icon="book" title={texts().noFoldersYet}>
          {texts().addFolderServerHere} <code>dwell library add FOLDER</code>.
        </EmptyState>
      ) : (
        <>
          <LibrarySearch />
          <ul class="memory-list" aria-label={texts().folders}>
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
        {shared && <Badge>{texts().shared}</Badge>}
        <Button small kind="plain" icon="trash" label={texts().removePath(path)} onPress={onRemove}>
          {texts().remove}
        </Button>
      </div>
      <p class="memory-note numbers">
        {count(documents, "document")}, {count(passages, "passage")}
        {waiting > 0 && texts().notYetSearchableBy(plainNumber(waiting))}
        {" · "}
        {at ? <DateLabel at={at} label={texts().indexed} /> : texts().indexing}
      </p>
      {troubled > 0 && (
        <details class="library-troubles">
          <summary>{texts().unreadable(count(troubled, "document"))}</summary>
          <ul>
            {troubles.map(({ path: which, reason }) => (
              <li key={which}>
                <b>{which}</b> {reason}
              </li>
            ))}
            {troubled > troubles.length && <li>{texts().andMore(plainNumber(troubled - troubles.length))}</li>}
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
    reportChange(texts().theFoldersAreBeing);
  });
  return (
    <>
      {problem !== undefined && <ErrorNotice error={problem} />}
      <Button icon="retry" kind="plain" disabled={isBusy} onPress={run}>
        {texts().rescan}
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
    reportChange(texts().addedItsDocumentsAre(path.trim()));
  });
  return (
    <Dialog
      title={texts().addFolder}
      onClose={onClose}
      foot={
        <>
          <Button onPress={onClose}>{texts().cancel}</Button>
          <Button kind="primary" disabled={isBusy || path.trim() === ""} onPress={run}>
            {texts().add}
          </Button>
        </>
      }
    >
      <label class="field">
        {texts().absolutePathServer}
        <input
          class="input"
          placeholder={texts().homeMeNotes}
          value={path}
          onInput={(event) => setPath(event.currentTarget.value)}
          autofocus
        />
      </label>
      <label class="library-shared">
        <input type="checkbox" checked={shared} onChange={(event) => setShared(event.currentTarget.checked)} />
        {texts().shareWithAllUsers}
      </label>
      {problem !== undefined && <ErrorNotice error={problem} />}
    </Dialog>
  );
}

function RemoveFolder({ folder, onClose }: { folder: wire.FolderView; onClose: () => void }) {
  const { isBusy, problem, run } = useAction(async () => {
    await api("DELETE", `/api/v1/library/folders/${folder.folder_id}`);
    onClose();
    reportChange(texts().removedItsDocumentsWere(folder.path));
  });
  return (
    <Dialog
      title={texts().removeThisFolderFrom}
      kind="alertdialog"
      onClose={onClose}
      foot={
        <>
          <Button onPress={onClose} autofocus>
            {texts().cancel}
          </Button>
          <Button kind="danger" disabled={isBusy} onPress={run}>
            {texts().remove}
          </Button>
        </>
      }
    >
      <p>
        <b>{folder.path}</b> {texts().isNoLongerSearched}
      </p>
      {problem !== undefined && <ErrorNotice error={problem} />}
    </Dialog>
  );
}
