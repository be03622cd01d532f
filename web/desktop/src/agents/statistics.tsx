/** The statistics tab: this session's turns, or the whole server since startup. */
import { useEffect, useState } from "preact/hooks";
import type { Conversation } from "../store/conversation.ts";
import { current } from "../store/sessions.ts";
import { Chart } from "../kit/chart.tsx";
import { compact, duration, money, plainNumber } from "../kit/format.ts";
import { EmptyState, Spinner, Tabs, ErrorNotice } from "../kit/pieces.tsx";
import { errorsOf, figuresOf, toLabel, type TurnRecord, toolsOf } from "./figures.ts";
import { Counts, Panel, Tiles, ToolTable } from "./figure.tsx";
import { ServerStatistics } from "./server-statistics.tsx";
import { TURNS_MAX, useTurns } from "./turns.ts";

type Scope = "session" | "server";
const SCOPES = [
  { id: "session", label: "This session" },
  { id: "server", label: "Server" },
] as const;

/** The statistics tab. */
export function Statistics() {
  const conversation = current.value;
  const [scope, setScope] = useState<Scope>(conversation ? "session" : "server");
  useEffect(() => {
    if (!conversation) setScope("server");
  }, [conversation]);
  return (
    <div class="scroll agents-statistics" tabIndex={0} aria-label="Statistics">
      {conversation && (
        <div class="agents-scope">
          <Tabs label="Scope" tabs={SCOPES} value={scope} onChange={setScope} />
        </div>
      )}
      {scope === "session" && conversation ? <SessionStatistics conversation={conversation} /> : <ServerStatistics />}
    </div>
  );
}

function SessionStatistics({ conversation }: { conversation: Conversation }) {
  const { turns, isLoading, problem } = useTurns(conversation);
  if (problem !== undefined) return <ErrorNotice error={problem} />;
  if (turns.length === 0) {
    return isLoading ? (
      <div class="empty">
        <Spinner label="Loading turns" />
      </div>
    ) : (
      <EmptyState icon="chart" title="No turns yet">
        <p>Latency, tokens, tools and cost appear here after the first message.</p>
      </EmptyState>
    );
  }
  return <Figures turns={turns} count={conversation.session.value.stats.turns ?? turns.length} isLoading={isLoading} />;
}

function Figures({ turns, count, isLoading }: { turns: readonly TurnRecord[]; count: number; isLoading: boolean }) {
  const figures = figuresOf(turns, Math.max(count, turns.length));
  const { labels, totals, firstWordPercentiles: first, durationPercentiles: whole } = figures;
  const line = (name: string, value: number | undefined) =>
    value === undefined || turns.length < 3 ? [] : [{ name, values: labels.map(() => value) }];
  return (
    <>
      <Tiles
        tiles={[
          {
            label: "Turns",
            value: plainNumber(count),
            note: totals.failed > 0 ? `${totals.failed} failed` : undefined,
          },
          { label: "First token, median", value: ms(first.p50), note: first.p95 && `p95 ${ms(first.p95)}` },
          { label: "Whole turn, median", value: ms(whole.p50), note: whole.p95 && `p95 ${ms(whole.p95)}` },
          { label: "Tokens sent", value: compact(totals.sent), note: `${compact(totals.received)} received` },
          { label: "Tool calls", value: plainNumber(totals.toolCalls) },
          { label: "Cost", value: money(totals.cost) },
        ]}
      />
      {count > TURNS_MAX && (
        <p class="agents-soft">
          Showing the newest {TURNS_MAX} of {plainNumber(count)} turns.
        </p>
      )}
      {isLoading && <Spinner label="Loading more turns" />}
      <div class="agents-plots">
        <Panel title="Time to first token" note="by turn" wide>
          <Chart
            kind="line"
            title="Time to first token by turn"
            labels={labels}
            series={[
              { name: "First token", values: figures.firstWord },
              ...line("Median", first.p50),
              ...line("95th percentile", first.p95),
            ]}
            format={ms}
          />
        </Panel>
        <Panel title="Turn duration" note="by turn">
          <Chart
            kind="area"
            title="Turn duration"
            labels={labels}
            series={[{ name: "Whole turn", values: figures.duration }]}
            format={ms}
          />
        </Panel>
        <Panel title="Tokens sent" note="by turn, all rounds">
          <Chart
            kind="bar"
            title="Tokens sent by turn"
            labels={labels}
            series={[{ name: "Sent", values: figures.sent }]}
            format={compact}
          />
        </Panel>
        <Panel title="Tokens received" note="by turn, all rounds">
          <Chart
            kind="bar"
            title="Tokens received by turn"
            labels={labels}
            series={[{ name: "Received", values: figures.received }]}
            format={compact}
          />
        </Panel>
        <Panel title="Tool calls and errors" note="by turn">
          <Chart
            kind="bar"
            title="Tool calls and errors by turn"
            labels={labels}
            series={[
              { name: "Calls", values: figures.toolCalls },
              { name: "Errors", values: figures.errors },
            ]}
          />
        </Panel>
        <Panel title="Cost" note="US dollars, cumulative">
          <Chart
            kind="area"
            title="Cumulative cost by turn"
            labels={labels}
            series={[{ name: "Cost", values: figures.cost }]}
            format={(dollars) => money(dollars * 1_000_000)}
          />
        </Panel>
        <Panel title="Tools" note="in these turns" wide>
          <ToolTable tools={toolsOf(turns)} />
        </Panel>
        <Panel title="Errors of failed turns">
          <Counts counts={errorsOf(turns).map(([code, times]) => [toLabel(code), times])} none="None." />
        </Panel>
      </div>
    </>
  );
}

function ms(value: number | undefined): string {
  return value === undefined ? "–" : duration(value);
}
