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
import { texts } from "../languages/agents.ts";

type Scope = "session" | "server";
function scopes() {
  return [
    { id: "session", label: texts().thisSession },
    { id: "server", label: texts().server },
  ] as const;
}

/** The statistics tab. */
export function Statistics() {
  const conversation = current.value;
  const [scope, setScope] = useState<Scope>(conversation ? "session" : "server");
  useEffect(() => {
    if (!conversation) setScope("server");
  }, [conversation]);
  return (
    <div class="scroll agents-statistics" tabIndex={0} aria-label={texts().statistics}>
      {conversation && (
        <div class="agents-scope">
          <Tabs label={texts().scope} tabs={scopes()} value={scope} onChange={setScope} />
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
        <Spinner label={texts().loadingTurns} />
      </div>
    ) : (
      <EmptyState icon="chart" title={texts().noTurnsYet}>
        <p>{texts().latencyTokensToolsAnd}</p>
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
            label: texts().turns,
            value: plainNumber(count),
            note: totals.failed > 0 ? texts().failedCount(totals.failed) : undefined,
          },
          { label: texts().firstTokenMedian, value: ms(first.p50), note: first.p95 && `p95 ${ms(first.p95)}` },
          { label: texts().wholeTurnMedian, value: ms(whole.p50), note: whole.p95 && `p95 ${ms(whole.p95)}` },
          {
            label: texts().tokensSent,
            value: compact(totals.sent),
            note: texts().receivedCount(compact(totals.received)),
          },
          { label: texts().toolCallsTitle, value: plainNumber(totals.toolCalls) },
          { label: texts().cost, value: money(totals.cost) },
        ]}
      />
      {count > TURNS_MAX && <p class="agents-soft">{texts().newestTurns(TURNS_MAX, plainNumber(count))}</p>}
      {isLoading && <Spinner label={texts().loadingMoreTurns} />}
      <div class="agents-plots">
        <Panel title={texts().timeToFirstToken} note={texts().byTurn} wide>
          <Chart
            kind="line"
            title={texts().timeFirstTokenBy}
            labels={labels}
            series={[
              { name: texts().firstToken, values: figures.firstWord },
              ...line(texts().median, first.p50),
              ...line(texts().percentile95, first.p95),
            ]}
            format={ms}
          />
        </Panel>
        <Panel title={texts().turnDuration} note={texts().byTurn}>
          <Chart
            kind="area"
            title={texts().turnDuration}
            labels={labels}
            series={[{ name: texts().wholeTurn, values: figures.duration }]}
            format={ms}
          />
        </Panel>
        <Panel title={texts().tokensSent} note={texts().byTurnAllRounds}>
          <Chart
            kind="bar"
            title={texts().tokensSentByTurn}
            labels={labels}
            series={[{ name: texts().sent, values: figures.sent }]}
            format={compact}
          />
        </Panel>
        <Panel title={texts().tokensReceived} note={texts().byTurnAllRounds}>
          <Chart
            kind="bar"
            title={texts().tokensReceivedByTurn}
            labels={labels}
            series={[{ name: texts().received, values: figures.received }]}
            format={compact}
          />
        </Panel>
        <Panel title={texts().toolCallsAndErrors} note={texts().byTurn}>
          <Chart
            kind="bar"
            title={texts().toolCallsAndErrorsBy}
            labels={labels}
            series={[
              { name: texts().calls, values: figures.toolCalls },
              { name: texts().errors, values: figures.errors },
            ]}
          />
        </Panel>
        <Panel title={texts().cost} note={texts().usDollarsCumulative}>
          <Chart
            kind="area"
            title={texts().cumulativeCostByTurn}
            labels={labels}
            series={[{ name: texts().cost, values: figures.cost }]}
            format={(dollars) => money(dollars * 1_000_000)}
          />
        </Panel>
        <Panel title={texts().tools} note={texts().inTheseTurns} wide>
          <ToolTable tools={toolsOf(turns)} />
        </Panel>
        <Panel title={texts().errorsOfFailedTurns}>
          <Counts counts={errorsOf(turns).map(([code, times]) => [toLabel(code), times])} none={texts().none} />
        </Panel>
      </div>
    </>
  );
}

function ms(value: number | undefined): string {
  return value === undefined ? "–" : duration(value);
}
