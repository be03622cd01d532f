/** Components of the statistics: number tiles, chart panels, counts as bars, the tool table. */
import type { ComponentChildren } from "preact";
import { duration, plainNumber } from "../kit/format.ts";
import type { ToolFigures } from "./figures.ts";
import { texts } from "../languages/agents.ts";

/** Tiles with the key numbers. */
export function Tiles({
  tiles,
}: {
  tiles: readonly { label: string; value: string; note?: string | number | undefined }[];
}) {
  return (
    <dl class="agents-tiles">
      {tiles.map(({ label, value, note }) => (
        <div key={label} class="card">
          <dt>{label}</dt>
          <dd class="numbers">
            <b>{value}</b>
            {note !== undefined && <small>{note}</small>}
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** A panel with a title and a note. */
export function Panel(props: { title: string; note?: string; wide?: boolean; children: ComponentChildren }) {
  const { title, note, wide = false, children } = props;
  return (
    <section class={wide ? "agents-plot card wide" : "agents-plot card"} aria-label={title}>
      <header>
        <h2>{title}</h2>
        {note && <p>{note}</p>}
      </header>
      {children}
    </section>
  );
}

/** Counts as horizontal bars. */
export function Counts({ counts, none }: { counts: readonly (readonly [string, number])[]; none: string }) {
  const most = Math.max(1, ...counts.map(([, count]) => count));
  if (counts.length === 0) return <p class="agents-soft">{none}</p>;
  return (
    <ul class="agents-counts">
      {counts.map(([name, count]) => (
        <li key={name}>
          <span>{name}</span>
          <b class="numbers">{plainNumber(count)}</b>
          <span class="agents-count-bar" aria-hidden="true">
            <span style={{ width: `${(count / most) * 100}%` }} />
          </span>
        </li>
      ))}
    </ul>
  );
}

/** Tools by number of calls, with latencies. */
export function ToolTable({ tools }: { tools: readonly ToolFigures[] }) {
  const most = Math.max(1, ...tools.map(({ calls }) => calls));
  const took = (ms: number | undefined) => (ms === undefined ? "–" : ms < 1 ? "< 1 ms" : duration(ms));
  if (tools.length === 0) return <p class="agents-soft">{texts().noToolCalls}</p>;
  return (
    <div class="agents-table scroll" tabIndex={0} role="region" aria-label={texts().tools}>
      <table>
        <thead>
          <tr>
            <th scope="col">{texts().tool}</th>
            <th scope="col">{texts().calls}</th>
            <th scope="col">{texts().failed}</th>
            <th scope="col">{texts().median}</th>
            <th scope="col">95 %</th>
            <th scope="col">{texts().slowest}</th>
          </tr>
        </thead>
        <tbody>
          {tools.map(({ tool, calls, errors, p50, p95, max }) => (
            <tr key={tool}>
              <th scope="row">
                {tool}
                <span class="agents-count-bar" aria-hidden="true">
                  <span style={{ width: `${(calls / most) * 100}%` }} />
                </span>
              </th>
              <td class="numbers">{plainNumber(calls)}</td>
              <td class={errors > 0 ? "numbers bad" : "numbers"}>{plainNumber(errors)}</td>
              <td class="numbers">{took(p50)}</td>
              <td class="numbers">{took(p95)}</td>
              <td class="numbers">{took(max)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
