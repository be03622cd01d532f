/** The content of an artifact, in the files dialog and in desktop windows. */
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { ComponentChildren } from "preact";
import { ApiError, apiText } from "../store/api.ts";
import { addressOf } from "../kit/address.ts";
import { plainNumber } from "../kit/format.ts";
import { Icon } from "../kit/icon.tsx";
import { Markdown } from "../kit/markdown.tsx";
import { Notice, Spinner, ErrorNotice } from "../kit/pieces.tsx";
import { Table } from "../kit/table.tsx";
import { asNumbers, readCsv } from "./csv.ts";
import { shapeOf } from "./kinds.ts";
import { artifactPath, missingArtifacts } from "./store.ts";
import { texts } from "../languages/artifacts.ts";
import "./artifacts.css";

/** The metadata needed to show an artifact. */
export type ArtifactInfo = { artifact_id: string; name: string; media_type: string; bytes?: number | undefined };

/** The maximum number of characters shown of a text. */
const TEXT_MAX = 200_000;

/** An artifact's content. */
export function ArtifactBody({ artifact }: { artifact: ArtifactInfo }) {
  const { artifact_id: id, media_type: mediaType, bytes } = artifact;
  if (missingArtifacts.value.has(id)) return <MissingFile />;
  switch (shapeOf(mediaType, bytes)) {
    case "none":
      return <OnlyDownload artifact={artifact} />;
    case "picture":
      return <ImageFile key={id} artifact={artifact} />;
    default:
      return <TextFile key={id} artifact={artifact} />;
  }
}

/** A download link. */
export function Download({ artifact, children }: { artifact: ArtifactInfo; children: ComponentChildren }) {
  return (
    <a class="button" href={addressOf(artifactPath(artifact.artifact_id))} download={artifact.name || true}>
      <Icon name="download" small />
      {children}
    </a>
  );
}

function MissingFile() {
  return (
    <div class="artifact-pad">
      <Notice tone="warning" role="status">
        <p>{texts().thisFileNoLonger}</p>
        <p class="hint">{texts().itWasDeletedOr}</p>
      </Notice>
    </div>
  );
}

function OnlyDownload({ artifact }: { artifact: ArtifactInfo }) {
  return (
    <div class="artifact-pad artifact-none">
      <p>{texts().noPreviewFileType}</p>
      <Download artifact={artifact}>{texts().download}</Download>
    </div>
  );
}

/** A loading error; a missing file has its own message. */
function LoadError({ problem }: { problem: unknown }) {
  if (problem instanceof ApiError && problem.status === 404) return <MissingFile />;
  return (
    <div class="artifact-pad">
      <ErrorNotice error={problem} />
    </div>
  );
}

function ImageFile({ artifact }: { artifact: ArtifactInfo }) {
  const [problem, setProblem] = useState<unknown>();
  const { artifact_id: id, name } = artifact;
  const path = artifactPath(id);
  // An `img` gives no reason for a failure, but a request to the server does.
  const ask = () => apiText(path).then(() => setProblem(new Error(texts().theBrowserCannotShow)), setProblem);
  if (problem !== undefined) return <LoadError problem={problem} />;
  return (
    <div class="artifact-picture">
      <img src={addressOf(path)} alt={name} onError={() => void ask()} />
    </div>
  );
}

/** A text artifact, loaded and shown by its type. */
function TextFile({ artifact }: { artifact: ArtifactInfo }) {
  const [text, setText] = useState<string>();
  const [problem, setProblem] = useState<unknown>();
  const { artifact_id: id, name, media_type: mediaType } = artifact;
  useEffect(() => {
    let isHere = true;
    apiText(artifactPath(id)).then(
      (read) => isHere && setText(read),
      (error: unknown) => isHere && setProblem(error),
    );
    return () => {
      isHere = false;
    };
  }, [id]);
  if (problem !== undefined) return <LoadError problem={problem} />;
  if (text === undefined) {
    return (
      <div class="artifact-pad">
        <Spinner label={texts().loadingFile} />
      </div>
    );
  }
  const shape = shapeOf(mediaType);
  if (shape === "html") return <HtmlFile html={text} title={name} />;
  if (shape === "table") return <CsvTable text={text} title={name} />;
  const shown = text.slice(0, TEXT_MAX);
  return (
    <div class="artifact-pad">
      {shape === "markdown" ? <Markdown text={shown} /> : <pre class="artifact-text">{shown}</pre>}
      {text.length > TEXT_MAX && <p class="artifact-note">{texts().onlyBeginningShownDownload}</p>}
    </div>
  );
}

/** A CSV file as a table, with a limited number of rows. */
function CsvTable({ text, title }: { text: string; title: string }) {
  const table = useMemo(() => {
    const { head, rows, isCut } = readCsv(text);
    return { head, rows: asNumbers(rows, head.length), isCut };
  }, [text]);
  return (
    <>
      <Table columns={table.head} rows={table.rows} title={title} />
      {table.isCut && <p class="artifact-pad artifact-note">{texts().firstRows(plainNumber(table.rows.length))}</p>}
    </>
  );
}

/** An HTML file in a sandboxed frame: no scripts, no loading; links open in a new tab. */
function HtmlFile({ html, title }: { html: string; title: string }) {
  const frame = useRef<HTMLIFrameElement>(null);
  const [problem, setProblem] = useState<unknown>();
  useEffect(() => {
    let isHere = true;
    import("./page.ts").then(
      ({ documentOf }) => {
        if (isHere && frame.current) frame.current.srcdoc = documentOf(html);
      },
      (error: unknown) => isHere && setProblem(error),
    );
    return () => {
      isHere = false;
    };
  }, [html]);
  if (problem !== undefined) return <LoadError problem={problem} />;
  return (
    <iframe
      ref={frame}
      class="artifact-page"
      title={title}
      sandbox="allow-popups allow-popups-to-escape-sandbox"
      referrerpolicy="no-referrer"
    />
  );
}
