/** Charts with two axes: bar, line, area, scatter. */
import type { wire } from "@dwell/client";
import { dashOf, hatchOf, Marker, seriesClass } from "./chart-marks.tsx";
import {
  areaPath,
  asNumbers,
  extent,
  isDrawable,
  linePath,
  niceScale,
  place,
  round,
  sample,
  type Scale,
  shorten,
  thin,
  type Value,
} from "./chart-scale.ts";

/** A named series of values. */
export type Row = { name: string; values: readonly Value[] };
/** The chart kinds that have axes. */
export type PlotKind = Exclude<wire.ChartKind, "pie">;

/** The layout of a chart. */
export type Plot = {
  width: number;
  height: number;
  left: number;
  right: number;
  top: number;
  bottom: number;
  scale: Scale;
  /** The x position of each label's centre. */
  xs: readonly number[];
  /** The width of each label's slot. */
  band: number;
  /** The labels below the x axis and their positions. */
  below: readonly { x: number; text: string; anchor: "start" | "middle" | "end" }[];
};

/** The approximate width of a character; measuring each label would cost a layout. */
const LETTER = 6.4;
const LABEL_LETTERS = 14;
/** The maximum number of points with markers; more would blur together. */
const MARKED_MAX = 60;

/** Computes the layout of a chart for its size. */
export function layOut(options: {
  kind: PlotKind;
  labels: readonly string[];
  series: readonly Row[];
  width: number;
  height: number;
  format: (value: number) => string;
}): Plot {
  const { kind, labels, series, width, height, format } = options;
  const range = extent(series.map(({ values }) => values)) ?? [0, 1];
  const lines = Math.max(2, Math.min(6, Math.floor(height / 44)));
  const scale = niceScale(range, lines, kind !== "scatter" || range[0] >= 0);
  const widest = Math.max(...scale.ticks.map((tick) => format(tick).length));
  const left = Math.min(width / 3, Math.ceil(widest * LETTER) + 14);
  const right = width - 10;
  const top = 10;
  const bottom = height - 26;
  const count = Math.max(1, labels.length);
  const inner = Math.max(1, right - left);
  const numbers = kind === "scatter" ? asNumbers(labels) : undefined;
  if (numbers) {
    const across = niceScale(extent([numbers]) ?? [0, 1], Math.max(2, Math.floor(inner / 90)), false);
    const at = (value: number) => place(value, across, left + 8, right - 8);
    const below = across.ticks.map((tick) => ({ x: at(tick), text: String(tick), anchor: "middle" as const }));
    return { width, height, left, right, top, bottom, scale, xs: numbers.map(at), band: inner / count, below };
  }
  const isLine = kind === "line" || kind === "area";
  const spread = isLine && count > 1;
  const band = spread ? inner / (count - 1) : inner / count;
  const xs = Array.from({ length: count }, (_, index) => left + (spread ? index * band : (index + 0.5) * band));
  const longest = Math.max(1, ...labels.map((label) => Math.min(LABEL_LETTERS, label.length)));
  const below = thin(labels.length, inner / (longest * LETTER + 14)).map((index) => {
    const x = xs[index] ?? left;
    const text = shorten(labels[index] ?? "", LABEL_LETTERS);
    const half = (text.length * LETTER) / 2;
    const anchor = x + half > width ? ("end" as const) : x - half < 0 ? ("start" as const) : ("middle" as const);
    return { x, text, anchor };
  });
  return { width, height, left, right, top, bottom, scale, xs, band, below };
}

/** The y position of a value. */
export function yOf(plot: Plot, value: number): number {
  return round(place(value, plot.scale, plot.bottom, plot.top));
}

/** The axes and series. `at` is the index under the cursor. */
export function PlotBody(props: {
  plot: Plot;
  kind: PlotKind;
  series: readonly Row[];
  format: (value: number) => string;
  at: number | undefined;
  hatches: string;
}) {
  const { plot, kind, series, format, at, hatches } = props;
  const zero = yOf(plot, Math.max(plot.scale.min, Math.min(plot.scale.max, 0)));
  return (
    <>
      {plot.scale.ticks.map((tick) => (
        <g key={tick}>
          <path class={tick === 0 ? "chart-base" : "chart-grid"} d={`M${plot.left} ${yOf(plot, tick)}H${plot.right}`} />
          <text class="chart-tick" x={plot.left - 8} y={yOf(plot, tick)} text-anchor="end" dominant-baseline="middle">
            {format(tick)}
          </text>
        </g>
      ))}
      {plot.below.map(({ x, text, anchor }) => (
        <text key={x} class="chart-tick" x={round(x)} y={plot.height - 8} text-anchor={anchor}>
          {text}
        </text>
      ))}
      {at !== undefined && kind !== "scatter" && (
        <path class="chart-cursor" d={`M${round(plot.xs[at] ?? 0)} ${plot.top}V${plot.bottom}`} />
      )}
      {series.map((row, index) => (
        <g key={`${index}-${row.name}`} class={seriesClass(index)}>
          {kind === "bar" ? (
            <Bars plot={plot} row={row} index={index} of={series.length} zero={zero} at={at} hatches={hatches} />
          ) : (
            <Line plot={plot} row={row} index={index} kind={kind} zero={zero} at={at} />
          )}
        </g>
      ))}
    </>
  );
}

function Bars(props: {
  plot: Plot;
  row: Row;
  index: number;
  of: number;
  zero: number;
  at: number | undefined;
  hatches: string;
}) {
  const { plot, row, index, of, zero, at, hatches } = props;
  const group = Math.min(plot.band * 0.78, 56 * of);
  const width = Math.max(0.5, group / of - (group / of > 6 ? 2 : 0));
  const hatch = hatchOf(hatches, index);
  return (
    <>
      {sample(row.values, plot.width * 2).map((place) => {
        const value = row.values[place];
        if (!isDrawable(value)) return null;
        const y = yOf(plot, value);
        const shape = {
          x: round((plot.xs[place] ?? 0) - group / 2 + (group / of) * index),
          y: Math.min(y, zero),
          width: round(width),
          // A small value stays visible.
          height: Math.max(value === 0 ? 0 : 1, round(Math.abs(y - zero))),
          rx: Math.min(3, width / 3),
        };
        return (
          <g key={place} class={at === undefined || at === place ? undefined : "chart-aside"}>
            <rect class="chart-fill" {...shape} />
            {hatch && width > 4 && <rect {...shape} fill={hatch} />}
          </g>
        );
      })}
    </>
  );
}

function Line(props: { plot: Plot; row: Row; index: number; kind: PlotKind; zero: number; at: number | undefined }) {
  const { plot, row, index, kind, zero, at } = props;
  const kept = sample(row.values, kind === "scatter" ? Number.POSITIVE_INFINITY : plot.width);
  const points = kept.map((place) => {
    const value = row.values[place];
    return isDrawable(value) ? { x: plot.xs[place] ?? 0, y: yOf(plot, value), place } : undefined;
  });
  const isLevel = row.values.length > 2 && row.values.every((value) => value === row.values[0]);
  // A constant line is a reference for the others: markers would be clutter.
  const isMarked = kind === "scatter" || (!isLevel && row.values.length <= Math.min(MARKED_MAX, plot.width / 12));
  // A point between two gaps has no line, so it needs a marker to be visible.
  const alone = (order: number) => points[order - 1] === undefined && points[order + 1] === undefined;
  return (
    <>
      {kind === "area" && <path class="chart-area" d={areaPath(points, zero)} />}
      {kind !== "scatter" && <path class="chart-line" d={linePath(points)} stroke-dasharray={dashOf(index)} />}
      {points.map(
        (point, order) =>
          point &&
          (isMarked || point.place === at || alone(order)) && (
            <Marker
              key={point.place}
              index={index}
              x={round(point.x)}
              y={point.y}
              scale={point.place === at ? 1.4 : kind === "scatter" ? 1 : 0.75}
            />
          ),
      )}
    </>
  );
}
