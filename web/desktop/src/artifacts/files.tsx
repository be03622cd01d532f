/** Files: what a conversation has kept beside it. One is looked at, saved or removed; all are listed, newest first. */
import type { wire } from "@dwell/client";
import { signal } from "@preact/signals";
import { useEffect, useState } from "preact/hooks";
import { announce } from "../kit/announce.ts";
import { Button } from "../kit/button.tsx";
import { Dialog } from "../kit/dialog.tsx";
import { ago, bytes, exactTime } from "../kit/format.ts";
import { Icon, type IconName } from "../kit/icon.tsx";
import { Badge, Empty, Spinner, Trouble } from "../kit/pieces.tsx";
import { ArtifactBody, Download } from "./body.tsx";
import { kindWords, type Shape, shapeOf } from "./kinds.ts";
import { artifacts, gone, learnOf, readArtifacts, removeArtifact } from "./store.ts";

const shown = signal<{ session: string; id?: string | undefined } | undefined>(undefined);

/** Shows one of a conversation's files, or the list of all. */
export function showFiles(session: string, id?: string): void {
  shown.value = { session, id };
}

/** What each looks like in a list. */
const ICONS: Record<Shape, IconName> = {
  markdown: "journal",
  html: "journal",
  table: "grid",
  picture: "chart",
  text: "file",
  none: "file",
};

/** The sign of a kind of file. */
export function fileIcon(mediaType: string | undefined): IconName {
  return mediaType === undefined ? "file" : ICONS[shapeOf(mediaType)];
}

/** The dialog; nothing as long as nobody asks. */
export function Files() {
  if (!shown.value) return null;
  const { session, id } = shown.value;
  const close = () => (shown.value = undefined);
  if (id === undefined) {
    return (
      <Dialog title="Files of this conversation" onClose={close} class="files">
        <List session={session} />
      </Dialog>
    );
  }
  return <OneFile key={id} session={session} id={id} onClose={close} />;
}

function List({ session }: { session: string }) {
  const [found, setFound] = useState<readonly wire.ArtifactView[]>();
  const [problem, setProblem] = useState<unknown>();
  useEffect(() => {
    let isHere = true;
    readArtifacts(session).then(
      (all) => isHere && setFound(all),
      (error: unknown) => isHere && setProblem(error),
    );
    return () => {
      isHere = false;
    };
  }, [session]);
  if (problem !== undefined) return <Trouble error={problem} />;
  if (!found) return <Spinner label="Reading the list of files" />;
  const kept = found.filter(({ artifact_id: id }) => !gone.value.has(id));
  if (kept.length === 0) {
    return (
      <Empty icon="file" title="No files yet">
        Reports, tables and drawings that are made here are kept here. Ask for one.
      </Empty>
    );
  }
  return (
    <ul class="files-list" aria-label="Files">
      {kept.map((artifact) => (
        <li key={artifact.artifact_id}>
          <button type="button" onClick={() => showFiles(session, artifact.artifact_id)}>
            <Icon name={fileIcon(artifact.media_type)} />
            <span>
              <b>{artifact.name}</b>
              <About artifact={artifact} />
            </span>
            <Icon name="right" small />
          </button>
        </li>
      ))}
    </ul>
  );
}

function About({ artifact }: { artifact: wire.ArtifactView }) {
  const { media_type: kind, bytes: size, created_at: at } = artifact;
  return (
    <small class="numbers">
      {kindWords(kind)} · {bytes(size)} ·{" "}
      <time dateTime={at} title={exactTime(at)}>
        {ago(at)}
      </time>
    </small>
  );
}

function OneFile({ session, id, onClose }: { session: string; id: string; onClose: () => void }) {
  const artifact = artifacts.value.get(id);
  const isGone = gone.value.has(id);
  useEffect(() => void learnOf(session, [id]), [id]);
  return (
    <Dialog title={artifact?.name ?? "File"} onClose={onClose} class="files is-one">
      <div class="files-bar">
        <Button small kind="plain" icon="left" onPress={() => showFiles(session)}>
          All files
        </Button>
        {artifact && <About artifact={artifact} />}
        {artifact?.origin === "untrusted" && <Badge tone="warning">made of words of others</Badge>}
        {artifact && !isGone && <Remove artifact={artifact} onGone={() => showFiles(session)} />}
      </div>
      <div class="files-body scroll" tabIndex={0} role="region" aria-label="What is in it">
        {artifact || isGone ? (
          <ArtifactBody artifact={artifact ?? { artifact_id: id, name: "", media_type: "" }} />
        ) : (
          <Spinner label="Looking for the file" />
        )}
      </div>
    </Dialog>
  );
}

/** Saving it, and removing it: that is asked once more. */
function Remove({ artifact, onGone }: { artifact: wire.ArtifactView; onGone: () => void }) {
  const [isAsked, setAsked] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<unknown>();
  const remove = async () => {
    setBusy(true);
    setProblem(undefined);
    try {
      await removeArtifact(artifact.artifact_id);
      announce(`${artifact.name} is removed`);
      onGone();
    } catch (error) {
      setProblem(error);
      setBusy(false);
    }
  };
  if (!isAsked) {
    return (
      <div class="files-deeds">
        <Download artifact={artifact}>Download</Download>
        <Button icon="trash" onPress={() => setAsked(true)}>
          Remove
        </Button>
      </div>
    );
  }
  return (
    <div class="files-deeds" role="group" aria-label="Remove the file">
      {problem !== undefined && <Trouble error={problem} />}
      <p>Remove it for good? Answers that name it stay.</p>
      <Button kind="danger" autofocus disabled={isBusy} onPress={() => void remove()}>
        Remove it
      </Button>
      <Button onPress={() => setAsked(false)}>Keep it</Button>
    </div>
  );
}
