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

/** Longer results are collapsed. */
const CUT = 700;

const STATUS: Record<Call["status"], string> = {
  asked: "pending",
  running: "running",
  ok: "done",
  assumed: "assumed done",
  error: "failed",
  denied: "denied",
  cancelled: "cancelled",
};

type Props = { turn: Turn; calls: readonly Call[]; isReading: boolean; problem: unknown };

/** The details of a turn. */
export function Details({ turn, calls, isReading, problem }: Props) {
  const { memory, written, steps, response } = turn.state.value;
  const kept = written.filter(({ value }) => value != null);
  const errors = steps.flatMap((step) => (step.type === "error" ? [step.detail] : []));
  const looked = steps.flatMap((step) => (step.type === "retrieval" ? [step.detail] : []));
  return (
    <div class="talk-details">
      {isReading && <Spinner label="Loading details" />}
      {problem !== undefined && <ErrorNotice error={problem} />}
      <Thinking turn={turn} />
      {calls.length > 0 && (
        <Part title={calls.length === 1 ? "1 tool call" : `${calls.length} tool calls`}>
          {calls.map((call) => (
            <CallDetails key={call.id} call={call} />
          ))}
        </Part>
      )}
      {looked.length > 0 && (
        <Part title="Retrieved">
          {looked.map((one, index) => (
            <Values key={index} value={one} />
          ))}
        </Part>
      )}
      {memory && <UsedMemories memory={memory} told={response?.notices} />}
      {kept.length > 0 && (
        <Part title="Saved to memory">
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
        <Part title="Errors">
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
    <Part title="Thinking">
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
          {call.status === "ok" ? "" : `${STATUS[call.status]} `}
          {took != null ? duration(took) : ""}
        </span>
      </summary>
      <div class="talk-call-body">
        <h4>Arguments</h4>
        <Values value={call.arguments ?? {}} />
        {result && (
          <>
            <h4>{call.status === "ok" ? "Result" : `Result (${STATUS[call.status]})`}</h4>
            <Result content={result.content} />
          </>
        )}
        {result?.origin === "untrusted" && <Badge tone="warning">untrusted source</Badge>}
        {result?.artifact_id && (
          <a href={addressOf(`/api/v1/artifacts/${result.artifact_id}`)} download>
            Download the full result
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
      Show all
    </button>
  );
}

function Numbers({ turn }: { turn: Turn }) {
  const { response, stats, attempts, createdAt, status } = turn.state.value;
  const usage = usageOf(turn.state.value);
  const took = tookMs(turn.state.value);
  const rows: [string, string | undefined][] = [
    ["Model", response?.model],
    ["Tokens", usage && `${compact(usage.input_tokens)} in, ${plainNumber(usage.output_tokens)} out`],
    ["Cost", usage?.cost_micros ? money(usage.cost_micros) : undefined],
    ["First token", stats?.first_word_ms != null ? `after ${duration(stats.first_word_ms)}` : undefined],
    ["Duration", took === undefined ? undefined : duration(took)],
    ["Intent", response?.intent?.replaceAll("_", " ")],
    ["Attempts", attempts > 1 ? String(attempts) : undefined],
    ["Sent", exactTime(createdAt)],
    ["Status", status === "completed" ? undefined : status],
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
  if (error.fallback) return `${who}${what} — fell back to ${error.fallback}.`;
  if (error.retry_in_ms != null) return `${who}${what} — retried after ${duration(error.retry_in_ms)}.`;
  return `${who}${what}`;
}
