/** Everything a turn did: its reasoning, its calls, what it was told from memory and why, and what it took. */
import type { wire } from "@dwell/client";
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import type { Turn } from "../house/turn.ts";
import { compact, duration, exactTime, money, plainNumber } from "../kit/format.ts";
import { Badge, Spinner, Trouble } from "../kit/pieces.tsx";
import { toolInWords } from "../kit/value-words.ts";
import { Values } from "../kit/values.tsx";
import { CallSign } from "./call-sign.tsx";
import { Recalled } from "./recalled.tsx";
import { argumentsInShort, type Call, contentOf, tookMs, usageOf } from "./work.ts";

/** Longer results are cut until somebody wants all of it. */
const CUT = 700;

const STATUS: Record<Call["status"], string> = {
  asked: "not run yet",
  running: "running",
  ok: "done",
  assumed: "taken as done",
  error: "failed",
  denied: "not allowed",
  cancelled: "stopped",
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
      {isReading && <Spinner label="Reading what it did" />}
      {problem !== undefined && <Trouble error={problem} />}
      <Thinking turn={turn} />
      {calls.length > 0 && (
        <Part title={calls.length === 1 ? "One call" : `${calls.length} calls`}>
          {calls.map((call) => (
            <CallDetails key={call.id} call={call} />
          ))}
        </Part>
      )}
      {looked.length > 0 && (
        <Part title="Looked up">
          {looked.map((one, index) => (
            <Values key={index} value={one} />
          ))}
        </Part>
      )}
      {memory && <Recalled memory={memory} told={response?.notices} />}
      {kept.length > 0 && (
        <Part title="Kept for later">
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
        <Part title="Went wrong on the way">
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
      <Long text={text} class="talk-thinking" />
    </Part>
  );
}

function CallDetails({ call }: { call: Call }) {
  const { result } = call;
  const took = result?.duration_ms;
  return (
    <details class="talk-call">
      <summary>
        <CallSign status={call.status} />
        <b>{toolInWords(call.tool)}</b>
        <span class="talk-call-short">{argumentsInShort(call.arguments, 60)}</span>
        <span class="numbers">
          {call.status === "ok" ? "" : `${STATUS[call.status]} `}
          {took != null ? duration(took) : ""}
        </span>
      </summary>
      <div class="talk-call-body">
        <h4>It was given</h4>
        <Values value={call.arguments ?? {}} />
        {result && (
          <>
            <h4>{call.status === "ok" ? "It answered" : `It was ${STATUS[call.status]}`}</h4>
            <Result content={result.content} />
          </>
        )}
        {result?.origin === "untrusted" && <Badge tone="warning">words of others, not trusted</Badge>}
        {result?.artifact_id && (
          <a href={`/api/v1/artifacts/${result.artifact_id}`} download>
            The whole answer, as a file
          </a>
        )}
      </div>
    </details>
  );
}

function Result({ content }: { content: string }) {
  const value = contentOf(content);
  const [isWhole, setWhole] = useState(content.length <= CUT);
  if (typeof value === "string") return <Long text={value} />;
  return (
    <div class={isWhole ? undefined : "talk-cut"}>
      <Values value={value} />
      {!isWhole && <ShowAll onPress={() => setWhole(true)} />}
    </div>
  );
}

/** A text that is cut until somebody wants all of it. */
export function Long({ text, class: name = "" }: { text: string; class?: string }) {
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
    ["First word", stats?.first_word_ms != null ? `after ${duration(stats.first_word_ms)}` : undefined],
    ["Took", took === undefined ? undefined : duration(took)],
    ["Understood as", response?.intent?.replaceAll("_", " ")],
    ["Attempts", attempts > 1 ? String(attempts) : undefined],
    ["Asked", exactTime(createdAt)],
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
  if (error.fallback) return `${who}${what} — ${error.fallback} was asked instead.`;
  if (error.retry_in_ms != null) return `${who}${what} — tried again after ${duration(error.retry_in_ms)}.`;
  return `${who}${what}`;
}
