/** What an artifact looks like: in the dialog of files, and in a window of the desktop. */
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { ComponentChildren } from "preact";
import { ApiError, apiText } from "../house/api.ts";
import { plainNumber } from "../kit/format.ts";
import { Icon } from "../kit/icon.tsx";
import { Markdown } from "../kit/markdown.tsx";
import { Notice, Spinner, Trouble } from "../kit/pieces.tsx";
import { Table } from "../kit/table.tsx";
import { asNumbers, readCsv } from "./csv.ts";
import { shapeOf } from "./kinds.ts";
import { artifactPath, gone } from "./store.ts";
import "./artifacts.css";

/** What has to be known of an artifact to show it. */
export type Shown = { artifact_id: string; name: string; media_type: string; bytes?: number | undefined };

/** Of a long text this much is shown; the rest is in the file. */
const TEXT_MAX = 200_000;

/** The artifact. */
export function ArtifactBody({ artifact }: { artifact: Shown }) {
  const { artifact_id: id, media_type: mediaType, bytes } = artifact;
  if (gone.value.has(id)) return <Gone />;
  switch (shapeOf(mediaType, bytes)) {
    case "none":
      return <OnlyDownload artifact={artifact} />;
    case "picture":
      return <Picture key={id} artifact={artifact} />;
    default:
      return <Read key={id} artifact={artifact} />;
  }
}

/** A link that saves it. */
export function Download({ artifact, children }: { artifact: Shown; children: ComponentChildren }) {
  return (
    <a class="button" href={artifactPath(artifact.artifact_id)} download={artifact.name || true}>
      <Icon name="download" small />
      {children}
    </a>
  );
}

function Gone() {
  return (
    <div class="artifact-pad">
      <Notice tone="warning" role="status">
        <p>This file is not there any more.</p>
        <p class="hint">It was removed, or collected after its time. Ask for it to be made again.</p>
      </Notice>
    </div>
  );
}

function OnlyDownload({ artifact }: { artifact: Shown }) {
  return (
    <div class="artifact-pad artifact-none">
      <p>This cannot be shown here: its kind is not known, or it is too large.</p>
      <Download artifact={artifact}>Download</Download>
    </div>
  );
}

/** What kept it from being read: that it is gone is said plainly. */
function Failed({ problem }: { problem: unknown }) {
  if (problem instanceof ApiError && problem.status === 404) return <Gone />;
  return (
    <div class="artifact-pad">
      <Trouble error={problem} />
    </div>
  );
}

function Picture({ artifact }: { artifact: Shown }) {
  const [problem, setProblem] = useState<unknown>();
  const { artifact_id: id, name } = artifact;
  const path = artifactPath(id);
  // A picture does not say why it cannot be shown; the server does.
  const ask = () =>
    apiText(path).then(
      () => setProblem(new Error("This is no picture that the browser can show. Download it instead.")),
      setProblem,
    );
  if (problem !== undefined) return <Failed problem={problem} />;
  return (
    <div class="artifact-picture">
      <img src={path} alt={name} onError={() => void ask()} />
    </div>
  );
}

/** What is text, read and then shown as what it is. */
function Read({ artifact }: { artifact: Shown }) {
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
  if (problem !== undefined) return <Failed problem={problem} />;
  if (text === undefined) {
    return (
      <div class="artifact-pad">
        <Spinner label="Reading the file" />
      </div>
    );
  }
  const shape = shapeOf(mediaType);
  if (shape === "html") return <Page html={text} title={name} />;
  if (shape === "table") return <Rows text={text} title={name} />;
  const shown = text.slice(0, TEXT_MAX);
  return (
    <div class="artifact-pad">
      {shape === "markdown" ? <Markdown text={shown} /> : <pre class="artifact-text">{shown}</pre>}
      {text.length > TEXT_MAX && <p class="artifact-note">This is the beginning of it; the file has it all.</p>}
    </div>
  );
}

/** A table, as far as a page can bear. */
function Rows({ text, title }: { text: string; title: string }) {
  const table = useMemo(() => {
    const { head, rows, isCut } = readCsv(text);
    return { head, rows: asNumbers(rows, head.length), isCut };
  }, [text]);
  return (
    <>
      <Table columns={table.head} rows={table.rows} title={title} />
      {table.isCut && (
        <p class="artifact-pad artifact-note">
          These are the first {plainNumber(table.rows.length)} rows; the file has them all.
        </p>
      )}
    </>
  );
}

/** A page in a frame that has no origin, runs nothing and loads nothing; its links open outside of it. */
function Page({ html, title }: { html: string; title: string }) {
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
  if (problem !== undefined) return <Failed problem={problem} />;
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
