/** The library: folders of documents on the server's machine that research looks in. */
import type { wire } from "@dwell/client";
import { useEffect, useState } from "preact/hooks";
import { api } from "../house/api.ts";
import { Button } from "../kit/button.tsx";
import { Dialog } from "../kit/dialog.tsx";
import { plainNumber } from "../kit/format.ts";
import { Icon } from "../kit/icon.tsx";
import { Badge, Empty, Notice, Spinner, Trouble } from "../kit/pieces.tsx";
import { changes, done } from "./change.ts";
import { LibrarySearch } from "./library-search.tsx";
import { useLoaded } from "./load.ts";
import { When } from "./pieces.tsx";
import { count } from "./words.ts";
import "./library.css";

/** While documents are still being read, it is looked again after this long. */
const LOOK_MS = 3_000;

/** The tab. */
export function LibraryTab() {
  const [asked, setAsked] = useState<"add" | wire.FolderView>();
  const { value, problem } = useLoaded("library", () => api<wire.LibraryView>("GET", "/api/v1/library"));
  useLookAgain(value);
  const close = () => setAsked(undefined);
  if (problem !== undefined) return <Trouble error={problem} />;
  if (!value) {
    return (
      <div class="memory-wait">
        <Spinner label="Reading the library" />
      </div>
    );
  }
  const { folders, without_meaning: why } = value;
  return (
    <>
      <div class="memory-lead">
        <p>Documents that answers may rest on: markdown, text, pages and PDFs, read anew when they change.</p>
        <div class="library-deeds">
          {folders.length > 0 && <Rescan />}
          <Button icon="plus" onPress={() => setAsked("add")}>
            Add a folder
          </Button>
        </div>
      </div>
      {why && <Notice>{why}</Notice>}
      {folders.length === 0 ? (
        <Empty icon="book" title="An empty library">
          Add a folder of the server's machine here, or by <code>dwell library add FOLDER</code>.
        </Empty>
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
      {asked === "add" && <Add onClose={close} />}
      {typeof asked === "object" && <Remove folder={asked} onClose={close} />}
    </>
  );
}

/** Looks again as long as something is still being read. */
function useLookAgain(library: wire.LibraryView | undefined): void {
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
        {shared && <Badge>for everybody</Badge>}
        <Button small kind="plain" icon="trash" label={`Remove ${path}`} onPress={onRemove}>
          Remove
        </Button>
      </div>
      <p class="memory-note numbers">
        {count(documents, "document")}, {count(passages, "passage")}
        {waiting > 0 && ` · ${plainNumber(waiting)} can be found by their words only, for now`}
        {" · "}
        {at ? <When at={at} label="looked through" /> : "being looked through"}
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

/** Something to do once; what went wrong is kept. */
function useDeed(deed: () => Promise<void>) {
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
  const { isBusy, problem, run } = useDeed(async () => {
    await api("POST", "/api/v1/library/rescan");
    done("The folders are looked through again.");
  });
  return (
    <>
      {problem !== undefined && <Trouble error={problem} />}
      <Button icon="retry" kind="plain" disabled={isBusy} onPress={run}>
        Look through again
      </Button>
    </>
  );
}

function Add({ onClose }: { onClose: () => void }) {
  const [path, setPath] = useState("");
  const [shared, setShared] = useState(false);
  const { isBusy, problem, run } = useDeed(async () => {
    await api("POST", "/api/v1/library/folders", { path: path.trim(), shared } satisfies wire.AddFolder);
    onClose();
    done(`Added: ${path.trim()}. Its documents are being read.`);
  });
  return (
    <Dialog
      title="Add a folder"
      onClose={onClose}
      foot={
        <>
          <Button onPress={onClose}>Cancel</Button>
          <Button kind="primary" disabled={isBusy || path.trim() === ""} onPress={run}>
            Add it
          </Button>
        </>
      }
    >
      <label class="field">
        Where it is on the server's machine, from the root on
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
        Everybody who uses this server may look into it
      </label>
      {problem !== undefined && <Trouble error={problem} />}
    </Dialog>
  );
}

function Remove({ folder, onClose }: { folder: wire.FolderView; onClose: () => void }) {
  const { isBusy, problem, run } = useDeed(async () => {
    await api("DELETE", `/api/v1/library/folders/${folder.folder_id}`);
    onClose();
    done(`Removed: ${folder.path}. Its documents are where they were.`);
  });
  return (
    <Dialog
      title="Remove this folder from the library?"
      kind="alertdialog"
      onClose={onClose}
      foot={
        <>
          <Button onPress={onClose} autofocus>
            Keep it
          </Button>
          <Button kind="danger" disabled={isBusy} onPress={run}>
            Remove
          </Button>
        </>
      }
    >
      <p>
        <b>{folder.path}</b> is no longer looked in. The documents themselves stay where they are.
      </p>
      {problem !== undefined && <Trouble error={problem} />}
    </Dialog>
  );
}
