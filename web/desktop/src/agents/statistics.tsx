/** Statistics: of this session's turns, and of the server since it started. */
import { useEffect, useState } from "preact/hooks";
import type { Conversation } from "../house/conversation.ts";
import { current } from "../house/sessions.ts";
import { Chart } from "../kit/chart.tsx";
import { compact, duration, money, plainNumber } from "../kit/format.ts";
import { Empty, Spinner, Tabs, Trouble } from "../kit/pieces.tsx";
import { errorsOf, figuresOf, inWords, type Measured, toolsOf } from "./figures.ts";
import { Counts, Panel, Tiles, ToolTable } from "./figure.tsx";
import { ServerStatistics } from "./server-statistics.tsx";
import { TURNS_MAX, useTurns } from "./turns.ts";

type Scope = "session" | "server";
const SCOPES = [
  { id: "session", label: "This session" },
  { id: "server", label: "The server" },
] as const;

/** The tab. */
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
          <Tabs label="Whose numbers" tabs={SCOPES} value={scope} onChange={setScope} />
        </div>
      )}
      {scope === "session" && conversation ? <OfSession conversation={conversation} /> : <ServerStatistics />}
    </div>
  );
}

function OfSession({ conversation }: { conversation: Conversation }) {
  const { turns, isLoading, problem } = useTurns(conversation);
  if (problem !== undefined) return <Trouble error={problem} />;
  if (turns.length === 0) {
    return isLoading ? (
      <div class="empty">
        <Spinner label="Reading turns" />
      </div>
    ) : (
      <Empty icon="chart" title="No turns yet">
        <p>Once something was said, its latency, tokens, tools and cost stand here.</p>
      </Empty>
    );
  }
  return <Figures turns={turns} count={conversation.session.value.stats.turns ?? turns.length} isLoading={isLoading} />;
}

function Figures({ turns, count, isLoading }: { turns: readonly Measured[]; count: number; isLoading: boolean }) {
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
          { label: "First word, median", value: ms(first.p50), note: first.p95 && `95 % within ${ms(first.p95)}` },
          { label: "Whole turn, median", value: ms(whole.p50), note: whole.p95 && `95 % within ${ms(whole.p95)}` },
          { label: "Tokens sent", value: compact(totals.sent), note: `${compact(totals.received)} received` },
          { label: "Tool calls", value: plainNumber(totals.toolCalls) },
          { label: "Cost", value: money(totals.cost) },
        ]}
      />
      {count > TURNS_MAX && (
        <p class="agents-soft">
          Of {plainNumber(count)} turns the newest {TURNS_MAX} are plotted.
        </p>
      )}
      {isLoading && <Spinner label="Reading more turns" />}
      <div class="agents-plots">
        <Panel title="Time to the first word" note="by turn" wide>
          <Chart
            kind="line"
            title="Time to the first word by turn"
            labels={labels}
            series={[
              { name: "First word", values: figures.firstWord },
              ...line("Half are faster", first.p50),
              ...line("19 of 20 are faster", first.p95),
            ]}
            format={ms}
          />
        </Panel>
        <Panel title="Time of the whole turn" note="by turn">
          <Chart
            kind="area"
            title="Time of the whole turn"
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
        <Panel title="Cost" note="US dollars, added up">
          <Chart
            kind="area"
            title="Cost added up over turns"
            labels={labels}
            series={[{ name: "Cost", values: figures.cost }]}
            format={(dollars) => money(dollars * 1_000_000)}
          />
        </Panel>
        <Panel title="Tools" note="of these turns" wide>
          <ToolTable tools={toolsOf(turns)} />
        </Panel>
        <Panel title="Errors that ended turns">
          <Counts
            counts={errorsOf(turns).map(([code, times]) => [inWords(code), times])}
            none="None. Every turn was answered."
          />
        </Panel>
      </div>
    </>
  );
}

function ms(value: number | undefined): string {
  return value === undefined ? "–" : duration(value);
}
