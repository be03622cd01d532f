/** The research runs of a turn: live progress, then a summary line. */
import type { wire } from "@dwell/client";
import { useEffect, useId, useState } from "preact/hooks";
import type { Conversation } from "../../store/conversation.ts";
import type { ResearchRun } from "../../store/research.ts";
import { isFinal, type Turn } from "../../store/turn.ts";
import { Icon } from "../../kit/icon.tsx";
import { linkOf } from "../../kit/markdown-safe.ts";
import { citationsOf, citationTo, markOf, placeOf } from "../marks.ts";
import { showSource } from "../sources.tsx";
import { resultText, progressText, sourceKinds, lacksResearch, sourceText } from "./words.ts";
import { texts } from "../../languages/sources.ts";
import "./research.css";

/** The research runs of a turn. */
export function Research({ conversation, turn }: { conversation: Conversation; turn: Turn }) {
  const state = turn.state.value;
  const isLacking = lacksResearch(state);
  useEffect(() => {
    if (isLacking) void conversation.loadDetails(turn).catch(() => undefined);
  }, [isLacking]);
  return (
    <>
      {state.research.map((study) => (
        <RunView key={study.callId} study={study} turn={turn} />
      ))}
    </>
  );
}

function RunView({ study, turn }: { study: ResearchRun; turn: Turn }) {
  const [chosen, setChosen] = useState<boolean>();
  const region = useId();
  const state = turn.state.value;
  const isLive = !study.done && !isFinal(state.status);
  const isOpen = chosen ?? isLive;
  return (
    <div class="research" role="group" aria-label={texts().research} data-research={isLive ? "going" : "done"}>
      <button
        type="button"
        class="research-line"
        aria-expanded={isOpen}
        aria-controls={region}
        onClick={() => setChosen(!isOpen)}
      >
        <Icon name="search" small />
        <span class="numbers">{isLive ? progressText(study) : resultText(study, state)}</span>
        <Icon name={isOpen ? "up" : "down"} small />
      </button>
      <div id={region} class="research-body" hidden={!isOpen}>
        {isOpen && (
          <>
            <Questions study={study} />
            <Sources sources={study.sources} isLive={isLive} />
          </>
        )}
      </div>
      {study.done && <Remarks done={study.done} turn={turn} />}
    </div>
  );
}

function Questions({ study: { query, questions } }: { study: ResearchRun }) {
  return (
    <div class="research-asked">
      <p>{query}</p>
      {questions.length > 0 && (
        <ul aria-label={texts().subQuestions}>
          {questions.map((question, index) => (
            <li key={index}>{question}</li>
          ))}
        </ul>
      )}
    </div>
  );
}

function Sources({ sources, isLive }: { sources: readonly wire.ResearchChunk[]; isLive: boolean }) {
  if (sources.length === 0) return null;
  return (
    <ol class="research-sources" aria-label={texts().sourcesFound}>
      {sources.map((source) => (
        <SourceRow key={source.number} source={source} isLive={isLive} />
      ))}
    </ol>
  );
}

function SourceRow({ source, isLive }: { source: wire.ResearchChunk; isLive: boolean }) {
  const { status, kind, title, source: at, reason, round } = source;
  const { icon, words } = sourceKinds()[kind];
  const where = placeOf(at);
  const to = kind === "library" ? undefined : linkOf(at);
  const isWaiting = status === "found" && isLive;
  return (
    <li class={`research-source ${status}`} data-source-status={status}>
      <span title={words}>
        <Icon name={icon} small />
        <span class="unseen">{words}: </span>
      </span>
      <span class="research-name">
        {to === undefined ? (
          <b>{title || where}</b>
        ) : (
          <a href={to} target="_blank" rel="noreferrer noopener">
            {title || where}
          </a>
        )}
        {title && where !== title && <small> {where}</small>}
      </span>
      {round > 1 && (
        <small class="research-round">
          {texts().round} {round}
        </small>
      )}
      {isWaiting && <span class="spinner research-spin" aria-hidden="true" />}
      {status === "failed" && reason ? (
        <details class="research-state">
          <summary>{sourceText(source)}</summary>
          <p>{reason}</p>
        </details>
      ) : (
        <span class="research-state">{isWaiting ? texts().reading : sourceText(source)}</span>
      )}
    </li>
  );
}

/** Contradictions, open questions and notices; visible even when the sources are collapsed. */
function Remarks({ done, turn }: { done: wire.ResearchDone; turn: Turn }) {
  const { contradictions = [], open_questions: open = [], notices = [] } = done;
  if (contradictions.length + open.length + notices.length === 0) return null;
  return (
    <ul class="research-remarks" aria-label={texts().aboutTheSources}>
      {contradictions.map(({ about, marks }, index) => (
        <li key={`contradiction ${index}`}>
          <Icon name="warning" small />
          <span>
            {texts().sourcesDisagree} {about} <Marks marks={marks} done={done} turn={turn} />
          </span>
        </li>
      ))}
      {open.map((question, index) => (
        <li key={`open ${index}`}>
          <Icon name="search" small />
          <span>
            {texts().openQuestion} {question}
          </span>
        </li>
      ))}
      {notices.map((notice, index) => (
        <li key={`notice ${index}`}>
          <Icon name="info" small />
          <span>{notice}</span>
        </li>
      ))}
    </ul>
  );
}

/** The sources of a remark, by their numbers in the answer, or by name if it does not cite them. */
function Marks({ marks, done, turn }: { marks: readonly string[]; done: wire.ResearchDone; turn: Turn }) {
  const { response } = turn.state.value;
  const numbered = response ? citationsOf(turn.state.value, response.message).map(markOf) : [];
  return (
    <span class="prose-mark">
      {marks.map((mark) => {
        const passage = done.passages?.find((one) => one.mark === mark);
        const citation = citationTo(passage);
        if (!passage || !citation) return null;
        const number = numbered.indexOf(mark) + 1;
        const title = passage.title || placeOf(passage.source);
        return (
          <button
            key={mark}
            type="button"
            title={title}
            aria-label={texts().sourceTitle(title)}
            onClick={() => showSource(citation, turn)}
          >
            {number > 0 ? number : placeOf(passage.source).split("/").at(-1)}
          </button>
        );
      })}
    </span>
  );
}
