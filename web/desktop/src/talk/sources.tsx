/** The source panel: what a citation refers to. On phones it is a sheet. */
import type { wire } from "@dwell/client";
import { signal } from "@preact/signals";
import { useEffect, useId, useRef } from "preact/hooks";
import type { Turn } from "../store/turn.ts";
import { addressOf } from "../kit/address.ts";
import { IconButton } from "../kit/button.tsx";
import { Icon, type IconName } from "../kit/icon.tsx";
import { toolInWords } from "../kit/value-words.ts";
import { JsonFold, Values } from "../kit/values.tsx";
import { hrefOf } from "../route.ts";
import { markOf } from "./marks.ts";
import { SourceById } from "./sources/by-id.tsx";
import { CitedPassage, hasPassage } from "./sources/passage.tsx";
import { passageOf, readSource, type SourceOrigin, originOf, type SourceRef } from "./sources/read.ts";
import { texts } from "../languages/sources.ts";
import "./sources.css";

const shown = signal<{ citation: wire.Citation; turn: Turn; from: Element | null } | undefined>(undefined);

/** Opens the source of a citation. */
export function showSource(citation: wire.Citation, turn: Turn): void {
  shown.value = { citation, turn, from: document.activeElement };
}

/** The source panel; renders nothing while it is closed. */
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

function originKinds(): Record<SourceRef["kind"], { icon: IconName; words: string }> {
  return {
    web: { icon: "globe", words: texts().webPage },
    library: { icon: "book", words: texts().libraryDocument },
    home: { icon: "home", words: texts().home },
    id: { icon: "memory", words: texts().storedInDwell },
    other: { icon: "tool", words: texts().toolResult },
  };
}

function Panel({ citation, turn }: { citation: wire.Citation; turn: Turn }) {
  const panel = useRef<HTMLElement>(null);
  const heading = useId();
  useEffect(() => panel.current?.focus({ preventScroll: true }), []);
  const source = readSource(citation.source);
  const isPassage = hasPassage(citation, turn);
  const rests = isPassage ? undefined : originOf(turn.state.value.steps, citation.source);
  const { icon, words } = originKinds()[source.kind];
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
        <IconButton icon="close" label={texts().closeSource} onPress={close} />
      </header>
      <div class="sources-body scroll" tabIndex={0} role="region" aria-label={texts().source}>
        {source.kind === "web" && <WebAddress url={source.url} />}
        {source.kind === "library" && <p class="sources-path">{source.path}</p>}
        {isPassage && <CitedPassage citation={citation} turn={turn} />}
        {source.kind === "home" && source.entityId && <HomeLink entityId={source.entityId} what={source.what} />}
        {source.kind === "id" && <SourceById id={source.id} of={source.of} turn={turn} />}
        {rests && <ToolAnswer rests={rests} source={citation.source} />}
        {!rests && !isPassage && source.kind !== "web" && source.kind !== "id" && (
          <p class="sources-none">{texts().theOriginalTextNo}</p>
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
      <span>{texts().opensNewTabOutside}</span>
    </p>
  );
}

function homeTexts(): Record<string, string> {
  return {
    state: texts().stateAtTimeAnswer,
    history: texts().history,
    logbook: texts().logbook,
    log: texts().systemLogHome,
    trace: texts().executionTrace,
    related: texts().relatedItems,
  };
}

function HomeLink({ entityId, what }: { entityId: string; what: string }) {
  return (
    <p class="sources-home">
      <span>{homeTexts()[what] ?? texts().home}</span>
      <a href={hrefOf({ view: "home", detail: entityId })}>{texts().showInHome}</a>
    </p>
  );
}

/** The part of the tool result that is about the source. */
function ToolAnswer({ rests: { result, call }, source }: { rests: SourceOrigin; source: string }) {
  const passage = passageOf(result.content, source);
  return (
    <section class="sources-passage" aria-label={texts().result}>
      <h3>
        <Icon name="tool" small /> {toolInWords(result.tool)} {texts().returned}
      </h3>
      <div class="sources-quote">
        <Values value={passage} />
      </div>
      {result.origin === "untrusted" && <p class="sources-none">{texts().untrustedSourceDwellHas}</p>}
      {call && <JsonFold value={call.arguments} label={texts().arguments} />}
      {result.artifact_id && (
        <a href={addressOf(`/api/v1/artifacts/${result.artifact_id}`)} download>
          {texts().downloadTheFullResult}
        </a>
      )}
    </section>
  );
}
