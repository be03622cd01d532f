/** The details of a turn: reasoning, calls, context from memory, errors, statistics. */
import type { wire } from "@dwell/client";
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import type { Turn } from "../store/turn.ts";
import { addressOf } from "../kit/address.ts";
import { compact, duration, exactTime, money, plainNumber } from "../kit/format.ts";
import { Badge, Spinner, ErrorNotice } from "../kit/pieces.tsx";
import { toolInWords } from "../kit/value-words.ts";
import { Values } from "../kit/values.tsx";
import { CallIcon } from "./call-icon.tsx";
import { UsedMemories } from "./used-memories.tsx";
import { shortArguments, type Call, contentOf, tookMs, usageOf } from "./work.ts";
import { texts } from "../languages/talk.ts";

/** Longer results are collapsed. */
const CUT = 700;

function statusTexts(): Record<Call["status"], string> {
  return {
    asked: texts().pending,
    running: texts().running,
    ok: texts().done,
    assumed: texts().assumedDone,
    error: texts().failed,
    denied: texts().denied,
    cancelled: texts().cancelled,
  };
}

type Props = { turn: Turn; calls: readonly Call[]; isReading: boolean; problem: unknown };

/** The details of a turn. */
export function Details({ turn, calls, isReading, problem }: Props) {
  const { memory, written, steps, response } = turn.state.value;
  const kept = written.filter(({ value }) => value != null);
  const errors = steps.flatMap((step) => (step.type === "error" ? [step.detail] : []));
  const looked = steps.flatMap((step) => (step.type === "retrieval" ? [step.detail] : []));
  return (
    <div class="talk-details">
      {isReading && <Spinner label={texts().loadingDetails} />}
      {problem !== undefined && <ErrorNotice error={problem} />}
      <Thinking turn={turn} />
      {calls.length > 0 && (
        <Part title={texts().toolCallCount(calls.length)}>
          {calls.map((call) => (
            <CallDetails key={call.id} call={call} />
          ))}
        </Part>
      )}
      {looked.length > 0 && (
        <Part title={texts().retrieved}>
          {looked.map((one, index) => (
            <Values key={index} value={one} />
          ))}
        </Part>
      )}
      {memory && <UsedMemories memory={memory} told={response?.notices} />}
      {kept.length > 0 && (
        <Part title={texts().savedToMemory}>
          <ul class="talk-kept">
            {kept.map((one, index) => (
              <li key={index}>
                <b>{one.key.replaceAll("_", " ")}</b> {one.value}
              </li>
            ))}
          </ul>
        </Part>
      )}
      {errors.length > 0 && (
        <Part title={texts().errors}>
          <ul class="talk-kept">
            {errors.map((error, index) => (
              <li key={index}>{errorWords(error)}</li>
            ))}
          </ul>
        </Part>
      )}
      <Numbers turn={turn} />
    </div>
  );
}

function Part({ title, children }: { title: string; children: ComponentChildren }) {
  return (
    <section class="talk-part">
      <h3>{title}</h3>
      {children}
    </section>
  );
}

function Thinking({ turn }: { turn: Turn }) {
  const text = turn.thinking.value || turn.state.value.response?.reasoning_summary || "";
  if (text === "") return null;
  return (
    <Part title={texts().thinking}>
      <LongText text={text} class="talk-thinking" />
    </Part>
  );
}

function CallDetails({ call }: { call: Call }) {
  const { result } = call;
  const took = result?.duration_ms;
  return (
    <details class="talk-call">
      <summary>
        <CallIcon status={call.status} />
        <b>{toolInWords(call.tool)}</b>
        <span class="talk-call-short">{shortArguments(call.arguments, 60)}</span>
        <span class="numbers">
          {call.status === "ok" ? "" : `${statusTexts()[call.status]} `}
          {took != null ? duration(took) : ""}
        </span>
      </summary>
      <div class="talk-call-body">
        <h4>{texts().arguments}</h4>
        <Values value={call.arguments ?? {}} />
        {result && (
          <>
            <h4>{call.status === "ok" ? texts().result : texts().resultStatus(statusTexts()[call.status])}</h4>
            <Result content={result.content} />
          </>
        )}
        {result?.origin === "untrusted" && <Badge tone="warning">{texts().untrustedSource}</Badge>}
        {result?.artifact_id && (
          <a href={addressOf(`/api/v1/artifacts/${result.artifact_id}`)} download>
            {texts().downloadTheFullResult}
          </a>
        )}
      </div>
    </details>
  );
}

function Result({ content }: { content: string }) {
  const value = contentOf(content);
  const [isWhole, setWhole] = useState(content.length <= CUT);
  if (typeof value === "string") return <LongText text={value} />;
  return (
    <div class={isWhole ? undefined : "talk-cut"}>
      <Values value={value} />
      {!isWhole && <ShowAll onPress={() => setWhole(true)} />}
    </div>
  );
}

/** A text that is collapsed if it is long. */
export function LongText({ text, class: name = "" }: { text: string; class?: string }) {
  const [isWhole, setWhole] = useState(false);
  const isCut = !isWhole && text.length > CUT;
  return (
    <div class={name}>
      <p class="talk-long">{isCut ? `${text.slice(0, CUT)}…` : text}</p>
      {isCut && <ShowAll onPress={() => setWhole(true)} />}
    </div>
  );
}

function ShowAll({ onPress }: { onPress: () => void }) {
  return (
    <button type="button" class="talk-show-all" onClick={onPress}>
      {texts().showAll}
    </button>
  );
}

function Numbers({ turn }: { turn: Turn }) {
  const { response, stats, attempts, createdAt, status } = turn.state.value;
  const usage = usageOf(turn.state.value);
  const took = tookMs(turn.state.value);
  const rows: [string, string | undefined][] = [
    [texts().model, response?.model],
    [
      texts().tokens,
      usage && texts().inputTokensOutputTokens(compact(usage.input_tokens), plainNumber(usage.output_tokens)),
    ],
    [texts().cost, usage?.cost_micros ? money(usage.cost_micros) : undefined],
    [
      texts().firstToken,
      stats?.first_word_ms != null ? texts().afterFirstWordMs(duration(stats.first_word_ms)) : undefined,
    ],
    [texts().duration, took === undefined ? undefined : duration(took)],
    [texts().intent, response?.intent?.replaceAll("_", " ")],
    [texts().attempts, attempts > 1 ? String(attempts) : undefined],
    [texts().sent, exactTime(createdAt)],
    [texts().status, status === "completed" ? undefined : status],
  ];
  return (
    <dl class="talk-numbers">
      {rows.map(([name, value]) =>
        value === undefined ? null : (
          <div key={name}>
            <dt>{name}</dt>
            <dd class="numbers">{value}</dd>
          </div>
        ),
      )}
    </dl>
  );
}

function errorWords(error: wire.StepError): string {
  const what = error.message || error.code;
  const who = error.model ? `${error.model}: ` : "";
  if (error.fallback) return texts().fellBackTo(who, what, error.fallback);
  if (error.retry_in_ms != null) return texts().whoWhatRetriedAfter(who, what, duration(error.retry_in_ms));
  return `${who}${what}`;
}
