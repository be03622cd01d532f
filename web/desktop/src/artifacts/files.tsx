/**
 * The files dialog: lists a session's artifacts, newest first; shows, downloads and deletes one.
 */
import type { wire } from "@dwell/client";
import { signal } from "@preact/signals";
import { useEffect, useState } from "preact/hooks";
import { announce } from "../kit/announce.ts";
import { Button } from "../kit/button.tsx";
import { Dialog } from "../kit/dialog.tsx";
import { ago, bytes, exactTime } from "../kit/format.ts";
import { Icon, type IconName } from "../kit/icon.tsx";
import { Badge, EmptyState, Spinner, ErrorNotice } from "../kit/pieces.tsx";
import { ArtifactBody, Download } from "./body.tsx";
import { kindWords, type Shape, shapeOf } from "./kinds.ts";
import { artifacts, missingArtifacts, loadArtifacts, readArtifacts, removeArtifact } from "./store.ts";
import { texts } from "../languages/artifacts.ts";

const shown = signal<{ session: string; id?: string | undefined } | undefined>(undefined);

/** Shows one of a session's files, or the list of all. */
export function showFiles(session: string, id?: string): void {
  shown.value = { session, id };
}

/** The icons of file types. */
const ICONS: Record<Shape, IconName> = {
  markdown: "journal",
  html: "journal",
  table: "grid",
  picture: "chart",
  text: "file",
  none: "file",
};

/** The icon of a media type. */
export function fileIcon(mediaType: string | undefined): IconName {
  return mediaType === undefined ? "file" : ICONS[shapeOf(mediaType)];
}

/** The files dialog; renders nothing while it is closed. */
export function Files() {
  if (!shown.value) return null;
  const { session, id } = shown.value;
  const close = () => (shown.value = undefined);
  if (id === undefined) {
    return (
      <Dialog title={texts().filesInThisConversation} onClose={close} class="files">
        <List session={session} />
      </Dialog>
    );
  }
  return <FileDialog key={id} session={session} id={id} onClose={close} />;
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
  if (problem !== undefined) return <ErrorNotice error={problem} />;
  if (!found) return <Spinner label={texts().loadingFiles} />;
  const kept = found.filter(({ artifact_id: id }) => !missingArtifacts.value.has(id));
  if (kept.length === 0) {
    return (
      <EmptyState icon="file" title={texts().noFilesYet}>
        {texts().reportsTablesAndDrawings}
      </EmptyState>
    );
  }
  return (
    <ul class="files-list" aria-label={texts().files}>
      {kept.map((artifact) => (
        <li key={artifact.artifact_id}>
          <button type="button" onClick={() => showFiles(session, artifact.artifact_id)}>
            <Icon name={fileIcon(artifact.media_type)} />
            <span>
              <b>{artifact.name}</b>
              <FileInfo artifact={artifact} />
            </span>
            <Icon name="right" small />
          </button>
        </li>
      ))}
    </ul>
  );
}

function FileInfo({ artifact }: { artifact: wire.ArtifactView }) {
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

function FileDialog({ session, id, onClose }: { session: string; id: string; onClose: () => void }) {
  const artifact = artifacts.value.get(id);
  const isGone = missingArtifacts.value.has(id);
  useEffect(() => void loadArtifacts(session, [id]), [id]);
  return (
    <Dialog title={artifact?.name ?? texts().file} onClose={onClose} class="files is-one">
      <div class="files-bar">
        <Button small kind="plain" icon="left" onPress={() => showFiles(session)}>
          {texts().allFiles}
        </Button>
        {artifact && <FileInfo artifact={artifact} />}
        {artifact?.origin === "untrusted" && <Badge tone="warning">{texts().fromUntrustedSources}</Badge>}
        {artifact && !isGone && <FileActions artifact={artifact} onGone={() => showFiles(session)} />}
      </div>
      <div class="files-body scroll" tabIndex={0} role="region" aria-label={texts().fileContent}>
        {artifact || isGone ? (
          <ArtifactBody artifact={artifact ?? { artifact_id: id, name: "", media_type: "" }} />
        ) : (
          <Spinner label={texts().loadingFile} />
        )}
      </div>
    </Dialog>
  );
}

/** Download and delete buttons; deleting asks for confirmation. */
function FileActions({ artifact, onGone }: { artifact: wire.ArtifactView; onGone: () => void }) {
  const [isAsked, setAsked] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<unknown>();
  const remove = async () => {
    setBusy(true);
    setProblem(undefined);
    try {
      await removeArtifact(artifact.artifact_id);
      announce(texts().nameDeleted(artifact.name));
      onGone();
    } catch (error) {
      setProblem(error);
      setBusy(false);
    }
  };
  if (!isAsked) {
    return (
      <div class="files-deeds">
        <Download artifact={artifact}>{texts().download}</Download>
        <Button icon="trash" onPress={() => setAsked(true)}>
          {texts().delete}
        </Button>
      </div>
    );
  }
  return (
    <div class="files-deeds" role="group" aria-label={texts().deleteFile}>
      {problem !== undefined && <ErrorNotice error={problem} />}
      <p>{texts().deletePermanentlyAnswersThat}</p>
      <Button kind="danger" autofocus disabled={isBusy} onPress={() => void remove()}>
        {texts().delete}
      </Button>
      <Button onPress={() => setAsked(false)}>{texts().cancel}</Button>
    </div>
  );
}
