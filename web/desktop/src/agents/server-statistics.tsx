/** Server statistics since startup. */
import type { wire } from "@dwell/client";
import { Chart } from "../kit/chart.tsx";
import { ago, compact, duration, money, plainNumber } from "../kit/format.ts";
import { EmptyState, Spinner, ErrorNotice } from "../kit/pieces.tsx";
import { ModelsPanel } from "../settings/models-panel.tsx";
import { toLabel } from "./figures.ts";
import { Counts, Panel, Tiles, ToolTable } from "./figure.tsx";
import { serverStats, statsProblem } from "./stats.ts";
import { texts } from "../languages/agents.ts";

/** The statistics of the whole server. */
export function ServerStatistics() {
  const stats = serverStats.value;
  if (stats) return <Figures stats={stats} />;
  return (
    <div class="empty">
      {statsProblem.value === undefined ? (
        <Spinner label={texts().loadingStatistics} />
      ) : (
        <ErrorNotice error={statsProblem.value} />
      )}
    </div>
  );
}

function Figures({ stats }: { stats: wire.ServerStats }) {
  const { totals, first_word: first, duration: whole, waits } = stats;
  if ((totals.turns ?? 0) === 0) {
    return (
      <EmptyState icon="chart" title={texts().noStatisticsYet}>
        <p>{texts().noTurnSince(ago(stats.since))}</p>
        <Maintenance stats={stats} />
        <ModelsPanel />
      </EmptyState>
    );
  }
  const rows = [
    { name: texts().firstToken, of: first },
    { name: texts().wholeTurn, of: whole },
    ...(waits && (waits.max_ms ?? 0) > 0 ? [{ name: texts().queueWait, of: waits }] : []),
  ];
  const models = Object.entries(stats.models).sort(([, one], [, other]) => (other.calls ?? 0) - (one.calls ?? 0));
  const ways = Object.entries(stats.ways ?? {}).sort(([, one], [, other]) => other - one);
  const tools = Object.entries(stats.tools)
    .map(([tool, { calls = 0, errors = 0, duration: took }]) => {
      const measured = took && (took.count ?? 0) > 0 ? took : undefined;
      return {
        tool,
        calls,
        errors,
        ...(measured?.p50_ms !== undefined && { p50: measured.p50_ms }),
        ...(measured?.p95_ms !== undefined && { p95: measured.p95_ms }),
        ...(measured?.max_ms !== undefined && { max: measured.max_ms }),
      };
    })
    .sort((one, other) => other.calls - one.calls);
  return (
    <>
      <Tiles
        tiles={[
          {
            label: texts().turns,
            value: plainNumber(totals.turns ?? 0),
            note: texts().completedCount(plainNumber(totals.completed ?? 0)),
          },
          {
            label: texts().firstTokenMedian,
            value: duration(first.p50_ms ?? 0),
            note: `p95 ${duration(first.p95_ms ?? 0)}`,
          },
          {
            label: texts().tokensSent,
            value: compact(totals.input_tokens ?? 0),
            note: texts().cachedTokensCachedOutput(
              compact(totals.cached_tokens ?? 0),
              compact(totals.output_tokens ?? 0),
            ),
          },
          { label: texts().toolCallsTitle, value: plainNumber(totals.tool_calls ?? 0) },
          { label: texts().cost, value: money(totals.cost_micros ?? 0) },
          {
            label: texts().errors,
            value: plainNumber(totals.errors ?? 0),
            note: texts().failedTurnsFailed(plainNumber(totals.failed ?? 0)),
          },
        ]}
      />
      <p class="agents-soft">
        {texts().allSessionsSinceServer} {ago(stats.since)}.
      </p>
      <Maintenance stats={stats} />
      <div class="agents-plots">
        <Panel title={texts().turnLatency} note={texts().fromTheMessage}>
          <Chart
            kind="bar"
            title={texts().turnLatency}
            labels={rows.map(({ name }) => name)}
            series={[
              { name: texts().median, values: rows.map(({ of }) => of.p50_ms ?? 0) },
              { name: "p95", values: rows.map(({ of }) => of.p95_ms ?? 0) },
              { name: texts().slowest, values: rows.map(({ of }) => of.max_ms ?? 0) },
            ]}
            format={duration}
          />
        </Panel>
        <Panel title={texts().strategies} note={texts().unitTurns}>
          <Chart
            kind="pie"
            title={texts().strategies}
            height={200}
            labels={ways.map(([way]) => toLabel(way))}
            series={[{ name: texts().turns, values: ways.map(([, count]) => count) }]}
          />
        </Panel>
        <Panel title={texts().tools} note={texts().sinceTheServerStarted} wide>
          <ToolTable tools={tools} />
        </Panel>
        <Panel title={texts().models} note={texts().sinceTheServerStarted}>
          <ModelTable models={models} />
        </Panel>
        <Panel title={texts().modelLimitsAndPrices} wide>
          <ModelsPanel />
        </Panel>
        <Panel title={texts().errorsOfFailedTurns}>
          <Counts
            counts={Object.entries(stats.errors).map(([code, count]) => [toLabel(code), count])}
            none={texts().noneSoFar}
          />
        </Panel>
      </div>
    </>
  );
}

/** Clock warnings and the state of backups. */
function Maintenance({ stats: { clock, backup } }: { stats: wire.ServerStats }) {
  return (
    <>
      {clock && (
        <p class="agents-soft bad">
          {texts().deletionByAgePaused} {clock.reason}.
        </p>
      )}
      {backup && (
        <p class={backup.failed_at ? "agents-soft bad" : "agents-soft"}>
          {backup.made_at ? texts().lastBackupMadeAt(ago(backup.made_at)) : texts().noBackupYet}
          {backup.failed_at && texts().theLastAttemptFailed(ago(backup.failed_at))}
        </p>
      )}
    </>
  );
}

function ModelTable({ models }: { models: readonly (readonly [string, wire.ModelStats])[] }) {
  if (models.length === 0) return <p class="agents-soft">{texts().noModelCalls}</p>;
  return (
    <div class="agents-table scroll" tabIndex={0} role="region" aria-label={texts().modelUsage}>
      <table>
        <thead>
          <tr>
            <th scope="col">{texts().model}</th>
            <th scope="col">{texts().calls}</th>
            <th scope="col">{texts().failed}</th>
            <th scope="col">{texts().sent}</th>
            <th scope="col">{texts().received}</th>
            <th scope="col">{texts().cost}</th>
          </tr>
        </thead>
        <tbody>
          {models.map(([model, { calls = 0, errors = 0, usage }]) => (
            <tr key={model}>
              <th scope="row">{model}</th>
              <td class="numbers">{plainNumber(calls)}</td>
              <td class={errors > 0 ? "numbers bad" : "numbers"}>{plainNumber(errors)}</td>
              <td class="numbers">{compact(usage?.input_tokens ?? 0)}</td>
              <td class="numbers">{compact(usage?.output_tokens ?? 0)}</td>
              <td class="numbers">{money(usage?.cost_micros ?? 0)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
