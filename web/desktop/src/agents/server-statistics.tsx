/** Server statistics since startup. */
import type { wire } from "@dwell/client";
import { Chart } from "../kit/chart.tsx";
import { ago, compact, duration, money, plainNumber } from "../kit/format.ts";
import { EmptyState, Spinner, ErrorNotice } from "../kit/pieces.tsx";
import { ModelsPanel } from "../settings/models-panel.tsx";
import { toLabel } from "./figures.ts";
import { Counts, Panel, Tiles, ToolTable } from "./figure.tsx";
import { serverStats, statsProblem } from "./stats.ts";

/** The statistics of the whole server. */
export function ServerStatistics() {
  const stats = serverStats.value;
  if (stats) return <Figures stats={stats} />;
  return (
    <div class="empty">
      {statsProblem.value === undefined ? (
        <Spinner label="Loading statistics" />
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
      <EmptyState icon="chart" title="No statistics yet">
        <p>The server started {ago(stats.since)}. No turn has run since.</p>
        <Maintenance stats={stats} />
        <ModelsPanel />
      </EmptyState>
    );
  }
  const rows = [
    { name: "First token", of: first },
    { name: "Whole turn", of: whole },
    ...(waits && (waits.max_ms ?? 0) > 0 ? [{ name: "Queue wait", of: waits }] : []),
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
            label: "Turns",
            value: plainNumber(totals.turns ?? 0),
            note: `${plainNumber(totals.completed ?? 0)} completed`,
          },
          {
            label: "First token, median",
            value: duration(first.p50_ms ?? 0),
            note: `p95 ${duration(first.p95_ms ?? 0)}`,
          },
          {
            label: "Tokens sent",
            value: compact(totals.input_tokens ?? 0),
            note: `${compact(totals.cached_tokens ?? 0)} cached, ${compact(totals.output_tokens ?? 0)} received`,
          },
          { label: "Tool calls", value: plainNumber(totals.tool_calls ?? 0) },
          { label: "Cost", value: money(totals.cost_micros ?? 0) },
          {
            label: "Errors",
            value: plainNumber(totals.errors ?? 0),
            note: `${plainNumber(totals.failed ?? 0)} turns failed`,
          },
        ]}
      />
      <p class="agents-soft">All sessions since the server started, {ago(stats.since)}.</p>
      <Maintenance stats={stats} />
      <div class="agents-plots">
        <Panel title="Turn latency" note="from the message">
          <Chart
            kind="bar"
            title="Turn latency"
            labels={rows.map(({ name }) => name)}
            series={[
              { name: "Median", values: rows.map(({ of }) => of.p50_ms ?? 0) },
              { name: "p95", values: rows.map(({ of }) => of.p95_ms ?? 0) },
              { name: "Slowest", values: rows.map(({ of }) => of.max_ms ?? 0) },
            ]}
            format={duration}
          />
        </Panel>
        <Panel title="Strategies" note="turns">
          <Chart
            kind="pie"
            title="Strategies"
            height={200}
            labels={ways.map(([way]) => toLabel(way))}
            series={[{ name: "Turns", values: ways.map(([, count]) => count) }]}
          />
        </Panel>
        <Panel title="Tools" note="since the server started" wide>
          <ToolTable tools={tools} />
        </Panel>
        <Panel title="Models" note="since the server started">
          <ModelTable models={models} />
        </Panel>
        <Panel title="Model limits and prices" wide>
          <ModelsPanel />
        </Panel>
        <Panel title="Errors of failed turns">
          <Counts
            counts={Object.entries(stats.errors).map(([code, count]) => [toLabel(code), count])}
            none="None so far."
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
      {clock && <p class="agents-soft bad">Deletion by age is paused: {clock.reason}.</p>}
      {backup && (
        <p class={backup.failed_at ? "agents-soft bad" : "agents-soft"}>
          {backup.made_at ? `Last backup: ${ago(backup.made_at)}.` : "No backup yet."}
          {backup.failed_at && ` The last attempt failed ${ago(backup.failed_at)}; see the server log.`}
        </p>
      )}
    </>
  );
}

function ModelTable({ models }: { models: readonly (readonly [string, wire.ModelStats])[] }) {
  if (models.length === 0) return <p class="agents-soft">No model calls.</p>;
  return (
    <div class="agents-table scroll" tabIndex={0} role="region" aria-label="Model usage">
      <table>
        <thead>
          <tr>
            <th scope="col">Model</th>
            <th scope="col">Calls</th>
            <th scope="col">Failed</th>
            <th scope="col">Sent</th>
            <th scope="col">Received</th>
            <th scope="col">Cost</th>
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
