/** Charts as SVG, with a table of the numbers for screen readers. */
import type { wire } from "@dwell/client";
import { useEffect, useId, useRef, useState } from "preact/hooks";
import { announce } from "./announce.ts";
import { Hatches, hatchOf, seriesClass, Swatch } from "./chart-marks.tsx";
import { layOut, type Plot, PlotBody, type PlotKind, type Row, yOf } from "./chart-plot.tsx";
import { isDrawable, nearest, ring, slices, type Value } from "./chart-scale.ts";
import { inLocale } from "./format.ts";
import { texts } from "../languages/kit.ts";
import "./chart.css";

/** The data of a chart, as in a window's content of type `chart`. A gap is `null`. */
export type ChartData = {
  kind: wire.ChartKind;
  labels: readonly string[];
  series: readonly { name: string; values: readonly (number | null)[] }[];
};

type Look = { title: string; height?: number; format?: (value: number) => string };

/** The maximum number of rows in the table for screen readers. */
const TABLE_MAX = 500;
const numbers = inLocale((locale) => new Intl.NumberFormat(locale, { maximumFractionDigits: 2 }));

/** A chart that fills the available width. `format` formats its values. */
export function Chart({ kind, labels, series, title, height = 240, format = plain }: ChartData & Look) {
  const isEmpty = labels.length === 0 || !series.some(({ values }) => values.some(isDrawable));
  const named = kind === "pie" ? labels.map((name) => ({ name })) : series;
  const swatch = kind === "line" || kind === "area" ? "line" : kind === "scatter" ? "point" : "shape";
  return (
    <figure class="chart" aria-label={title}>
      {isEmpty ? (
        <p class="chart-empty" style={{ height: `${height}px` }}>
          {texts().noDataYet}
        </p>
      ) : kind === "pie" ? (
        <Pie labels={labels} values={series[0]?.values ?? []} title={title} height={height} format={format} />
      ) : (
        <Axes kind={kind} labels={labels} series={series} title={title} height={height} format={format} />
      )}
      {!isEmpty && named.length > 1 && kind !== "pie" && (
        <ul class="chart-legend">
          {named.map(({ name }, index) => (
            <li key={`${index}-${name}`}>
              <Swatch index={index} kind={swatch} />
              <span>{name}</span>
            </li>
          ))}
        </ul>
      )}
      {!isEmpty && <Numbers labels={labels} series={series} title={title} format={format} />}
    </figure>
  );
}

function plain(value: number): string {
  return numbers().format(value);
}

function formatValue(value: Value, format: (value: number) => string): string {
  return isDrawable(value) ? format(value) : texts().none;
}

/** Observes the width of an element. */
function useWidth() {
  const ref = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(0);
  useEffect(() => {
    const element = ref.current;
    if (!element) return;
    const observer = new ResizeObserver(([entry]) => {
      if (entry) setWidth(Math.floor(entry.contentRect.width));
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return { ref, width };
}

/** Moves the cursor with the arrow keys and announces the data point it reaches. */
function keys(
  count: number,
  at: number | undefined,
  move: (to: number | undefined) => void,
  say: (at: number) => string,
) {
  return (event: KeyboardEvent) => {
    const last = count - 1;
    const now = at ?? (event.key === "ArrowLeft" ? last + 1 : -1);
    const steps: Record<string, number> = {
      ArrowRight: Math.min(last, now + 1),
      ArrowLeft: Math.max(0, now - 1),
      Home: 0,
      End: last,
    };
    const to = steps[event.key];
    if (event.key === "Escape" && at !== undefined) move(undefined);
    else if (to !== undefined) {
      move(to);
      announce(say(to));
    } else return;
    event.preventDefault();
    event.stopPropagation();
  };
}

type PartProps = { labels: readonly string[]; title: string; height: number; format: (value: number) => string };

function Axes({ kind, labels, series, title, height, format }: PartProps & { kind: PlotKind; series: readonly Row[] }) {
  const { ref, width } = useWidth();
  const hatches = useId();
  const [at, setAt] = useState<number | undefined>();
  const shown = at !== undefined && at < labels.length ? at : undefined;
  const plot = width > 0 ? layOut({ kind, labels, series, width, height, format }) : undefined;
  const say = (place: number) =>
    `${labels[place] ?? ""}: ${series.map((row) => `${row.name} ${formatValue(row.values[place], format)}`).join(", ")}`;
  return (
    <div
      ref={ref}
      class="chart-plot"
      role="group"
      aria-roledescription={texts().chart}
      aria-label={texts().useArrowKeysMove(title)}
      tabIndex={0}
      style={{ height: `${height}px` }}
      onKeyDown={keys(labels.length, shown, setAt, say)}
      onBlur={() => setAt(undefined)}
      onPointerLeave={() => setAt(undefined)}
      onPointerMove={(event) => {
        if (!plot) return;
        const box = event.currentTarget.getBoundingClientRect();
        setAt(nearest(plot.xs, event.clientX - box.left));
      }}
    >
      {plot && (
        <svg width={width} height={height} aria-hidden="true">
          <Hatches id={hatches} />
          <PlotBody plot={plot} kind={kind} series={series} format={format} at={shown} hatches={hatches} />
        </svg>
      )}
      {plot && shown !== undefined && (
        <Tip plot={plot} at={shown} label={labels[shown] ?? ""} kind={kind} series={series} format={format} />
      )}
    </div>
  );
}

function Tip(props: {
  plot: Plot;
  at: number;
  label: string;
  kind: PlotKind;
  series: readonly Row[];
  format: (value: number) => string;
}) {
  const { plot, at, label, kind, series, format } = props;
  const x = plot.xs[at] ?? 0;
  const tops = series.map(({ values }) => values[at]).filter(isDrawable);
  const y = tops.length > 0 ? Math.min(...tops.map((value) => yOf(plot, value))) : plot.top;
  // On the side with more space.
  const isLeft = x > plot.width / 2;
  const side = isLeft ? { right: `${plot.width - x + 12}px` } : { left: `${x + 12}px` };
  const kindOf = kind === "bar" ? "shape" : kind === "scatter" ? "point" : "line";
  return (
    <div
      class="chart-tip"
      aria-hidden="true"
      style={{ ...side, top: `${Math.max(0, Math.min(y - 12, plot.height - 70))}px` }}
    >
      {label !== "" && <p class="chart-tip-label">{label}</p>}
      {series.map((row, index) => (
        <p key={`${index}-${row.name}`}>
          <Swatch index={index} kind={kindOf} />
          <span>{row.name}</span>
          <b class="numbers">{formatValue(row.values[at], format)}</b>
        </p>
      ))}
    </div>
  );
}

function Pie({ labels, values, title, height, format }: PartProps & { values: readonly Value[] }) {
  const hatches = useId();
  const [at, setAt] = useState<number | undefined>();
  const all = slices(values);
  const sum = all.reduce((total, { index }) => total + (values[index] ?? 0), 0);
  const chosen = at === undefined ? undefined : all[at];
  const size = Math.min(height, 240);
  const words = (slice: (typeof all)[number]) => `${labels[slice.index] ?? ""}: ${format(values[slice.index] ?? 0)}`;
  const percent = (share: number) => `${Math.round(share * 100)} %`;
  return (
    <div class="chart-pie">
      <div
        class="chart-plot"
        role="group"
        aria-roledescription={texts().chart}
        aria-label={texts().useArrowKeysMove(title)}
        tabIndex={0}
        style={{ width: `${size}px`, height: `${size}px` }}
        onKeyDown={keys(all.length, at, setAt, (place) => {
          const slice = all[place];
          return slice ? `${words(slice)}, ${percent(slice.share)}` : "";
        })}
        onBlur={() => setAt(undefined)}
        onPointerLeave={() => setAt(undefined)}
      >
        <svg width={size} height={size} viewBox="-100 -100 200 200" aria-hidden="true">
          <Hatches id={hatches} />
          {all.map((slice, order) => {
            const hatch = hatchOf(hatches, slice.index);
            const path = ring(slice, at === order ? 98 : 94, 60);
            return (
              <g
                key={slice.index}
                class={`${seriesClass(slice.index)} ${at === undefined || at === order ? "" : "chart-aside"}`}
                onPointerEnter={() => setAt(order)}
              >
                <path class="chart-fill chart-slice" d={path} />
                {hatch && <path class="chart-slice" d={path} fill={hatch} />}
              </g>
            );
          })}
          <text class="chart-sum" text-anchor="middle" y="2">
            {chosen ? percent(chosen.share) : format(sum)}
          </text>
          <text class="chart-tick" text-anchor="middle" y="20">
            {chosen ? (labels[chosen.index] ?? "").slice(0, 18) : texts().total}
          </text>
        </svg>
      </div>
      <ul class="chart-legend chart-legend-rows" aria-hidden="true">
        {all.map((slice) => (
          <li key={slice.index}>
            <Swatch index={slice.index} kind="shape" />
            <span>{labels[slice.index]}</span>
            <b class="numbers">{format(values[slice.index] ?? 0)}</b>
            <span class="numbers chart-share">{percent(slice.share)}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}

function Numbers(props: {
  labels: readonly string[];
  series: readonly Row[];
  title: string;
  format: (value: number) => string;
}) {
  const { labels, series, title, format } = props;
  const first = Math.max(0, labels.length - TABLE_MAX);
  return (
    // Firefox neither clips the caption of a table nor shrinks the table: its wrapper is hidden.
    <div class="unseen">
      <table>
        <caption>{first > 0 ? texts().theLastOf(title, TABLE_MAX, labels.length) : title}</caption>
        <thead>
          <tr>
            <th scope="col">{texts().label}</th>
            {series.map(({ name }, index) => (
              <th key={index} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {labels.slice(first).map((label, row) => (
            <tr key={row}>
              <th scope="row">{label}</th>
              {series.map(({ values }, index) => (
                <td key={index}>{formatValue(values[first + row], format)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
