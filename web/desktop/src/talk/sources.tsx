/** What a citation rests on, in a panel at the side; on the phone a sheet. */
import type { wire } from "@dwell/client";
import { signal } from "@preact/signals";
import { useEffect, useId, useRef } from "preact/hooks";
import type { Turn } from "../house/turn.ts";
import { IconButton } from "../kit/button.tsx";
import { Icon, type IconName } from "../kit/icon.tsx";
import { toolInWords } from "../kit/value-words.ts";
import { JsonFold, Values } from "../kit/values.tsx";
import { hrefOf } from "../route.ts";
import { markOf } from "./marks.ts";
import { SourceById } from "./sources/by-id.tsx";
import { CitedPassage, hasPassage } from "./sources/passage.tsx";
import { passageOf, readSource, type Rests, restsOn, type SourceRef } from "./sources/read.ts";
import "./sources.css";

const shown = signal<{ citation: wire.Citation; turn: Turn; from: Element | null } | undefined>(undefined);

/** Shows what a citation rests on. */
export function showSource(citation: wire.Citation, turn: Turn): void {
  shown.value = { citation, turn, from: document.activeElement };
}

/** The panel; nothing as long as nobody asks. */
export function SourcePanel() {
  if (!shown.value) return null;
  const { citation, turn } = shown.value;
  return <Panel key={`${turn.id} ${markOf(citation)}`} citation={citation} turn={turn} />;
}

function close(): void {
  const from = shown.value?.from;
  shown.value = undefined;
  if (from instanceof HTMLElement && from.isConnected) from.focus();
}

const KINDS: Record<SourceRef["kind"], { icon: IconName; words: string }> = {
  web: { icon: "globe", words: "A page of the web" },
  library: { icon: "book", words: "A document of the library" },
  home: { icon: "home", words: "The home" },
  id: { icon: "memory", words: "Kept in Dwell" },
  other: { icon: "tool", words: "What a tool answered" },
};

function Panel({ citation, turn }: { citation: wire.Citation; turn: Turn }) {
  const panel = useRef<HTMLElement>(null);
  const heading = useId();
  useEffect(() => panel.current?.focus({ preventScroll: true }), []);
  const source = readSource(citation.source);
  const isPassage = hasPassage(citation, turn);
  const rests = isPassage ? undefined : restsOn(turn.state.value.steps, citation.source);
  const { icon, words } = KINDS[source.kind];
  return (
    <aside
      ref={panel}
      class="sources"
      tabIndex={-1}
      aria-labelledby={heading}
      onKeyDown={(event) => {
        if (event.key !== "Escape") return;
        event.stopPropagation();
        close();
      }}
    >
      <header class="sources-head">
        <Icon name={icon} />
        <div>
          <p class="sources-kind">{words}</p>
          <h2 id={heading}>{citation.title || citation.source}</h2>
        </div>
        <IconButton icon="close" label="Close the source" onPress={close} />
      </header>
      <div class="sources-body scroll" tabIndex={0} role="region" aria-label="Source">
        {source.kind === "web" && <WebAddress url={source.url} />}
        {source.kind === "library" && <p class="sources-path">{source.path}</p>}
        {isPassage && <CitedPassage citation={citation} turn={turn} />}
        {source.kind === "home" && source.entityId && <HomeLink entityId={source.entityId} what={source.what} />}
        {source.kind === "id" && <SourceById id={source.id} of={source.of} turn={turn} />}
        {rests && <Answered rests={rests} source={citation.source} />}
        {!rests && !isPassage && source.kind !== "web" && source.kind !== "id" && (
          <p class="sources-none">The turn no longer has the answer this was read from.</p>
        )}
      </div>
    </aside>
  );
}

function WebAddress({ url }: { url: string }) {
  return (
    <p class="sources-web">
      <a href={url} target="_blank" rel="noreferrer noopener">
        {url}
      </a>
      <span>Opens in a new tab, outside Dwell.</span>
    </p>
  );
}

const HOME_WORDS: Record<string, string> = {
  state: "How it stood when it was asked",
  history: "How it stood over time",
  logbook: "What happened to it",
  log: "The home's system log",
  trace: "What it did when it ran",
  related: "What it has to do with",
};

function HomeLink({ entityId, what }: { entityId: string; what: string }) {
  return (
    <p class="sources-home">
      <span>{HOME_WORDS[what] ?? "Something of the home"}</span>
      <a href={hrefOf({ view: "home", detail: entityId })}>See it in the home</a>
    </p>
  );
}

/** What the tool answered, as far as it is about the source. */
function Answered({ rests: { result, call }, source }: { rests: Rests; source: string }) {
  const passage = passageOf(result.content, source);
  return (
    <section class="sources-passage" aria-label="What was found">
      <h3>
        <Icon name="tool" small /> {toolInWords(result.tool)} answered
      </h3>
      <div class="sources-quote">
        <Values value={passage} />
      </div>
      {result.origin === "untrusted" && (
        <p class="sources-none">These are words from outside; nobody here has checked them.</p>
      )}
      {call && <JsonFold value={call.arguments} label="What it was asked" />}
      {result.artifact_id && (
        <a href={`/api/v1/artifacts/${result.artifact_id}`} download>
          The whole answer, as a file
        </a>
      )}
    </section>
  );
}
