/**
 * The arithmetic of charts: scales, ticks, label thinning, sampling, slices. Nothing here draws.
 */

/** A data point; null or undefined is a gap. */
export type Value = number | null | undefined;

/** An axis: its range and its ticks. */
export type Scale = { min: number; max: number; ticks: readonly number[] };

/** A slice of a pie, in fractions of a turn, clockwise from the top. */
export type Slice = { index: number; from: number; to: number; share: number };

/** Whether a value can be drawn. */
export function isDrawable(value: Value): value is number {
  return typeof value === "number" && Number.isFinite(value);
}

/** The smallest and largest value; undefined if there is none. */
export function extent(rows: readonly (readonly Value[])[]): [number, number] | undefined {
  let min = Number.POSITIVE_INFINITY;
  let max = Number.NEGATIVE_INFINITY;
  for (const row of rows) {
    for (const value of row) {
      if (!isDrawable(value)) continue;
      min = Math.min(min, value);
      max = Math.max(max, value);
    }
  }
  return min <= max ? [min, max] : undefined;
}

/** The smallest step of 1, 2 or 5 times a power of ten that is at least `rough`. */
export function niceStep(rough: number): number {
  if (!(rough > 0) || !Number.isFinite(rough)) return 1;
  const power = 10 ** Math.floor(Math.log10(rough));
  const lead = rough / power;
  // Some tolerance for floats: 0.3 / 3 is not quite 0.1.
  const nice = [1, 2, 5, 10].find((step) => lead <= step * (1 + 1e-9)) ?? 10;
  return nice * power;
}

/** A scale around a range with about `count` ticks. `withZero` includes zero, as bars need. */
export function niceScale(range: [number, number], count = 5, withZero = true): Scale {
  let [low, high] = range;
  if (withZero) {
    low = Math.min(0, low);
    high = Math.max(0, high);
  }
  if (low === high) {
    // A single value is centred; a single zero is at the bottom.
    const margin = low === 0 ? 1 : Math.abs(low) / 2;
    if (low !== 0 && !withZero) low -= margin;
    high += margin;
  }
  const step = niceStep((high - low) / Math.max(1, count));
  const first = Math.floor(low / step + 1e-9);
  const last = Math.ceil(high / step - 1e-9);
  const ticks: number[] = [];
  for (let at = first; at <= last; at += 1) ticks.push(clean(at * step, step));
  return { min: ticks[0] ?? low, max: ticks.at(-1) ?? high, ticks };
}

/** Rounds off floating-point noise: 0.30000000000000004 is 0.3. */
function clean(value: number, step: number): number {
  const digits = Math.max(0, Math.min(20, 2 - Math.floor(Math.log10(step))));
  const rounded = Number(value.toFixed(digits));
  return rounded === 0 ? 0 : rounded;
}

/** Maps a value from a scale to the range between `from` and `to`. */
export function place(value: number, scale: Pick<Scale, "min" | "max">, from: number, to: number): number {
  const span = scale.max - scale.min;
  return span === 0 ? (from + to) / 2 : from + ((value - scale.min) / span) * (to - from);
}

/**
 * The indexes of the labels to draw when only `capacity` of them fit: evenly spaced from the first.
 */
export function thin(count: number, capacity: number): number[] {
  if (count <= 0) return [];
  const every = Math.max(1, Math.ceil(count / Math.max(1, Math.floor(capacity))));
  const kept: number[] = [];
  for (let index = 0; index < count; index += every) kept.push(index);
  return kept;
}

/**
 * The indexes of the points to draw of a long series: the minimum and maximum of each chunk, so
 * that no peak is lost. A gap stays a gap. A series that fits is drawn whole.
 */
export function sample(values: readonly Value[], capacity: number): number[] {
  const count = values.length;
  if (count <= capacity) return values.map((_, index) => index);
  const size = count / Math.max(1, Math.floor(capacity / 2));
  const kept = new Set<number>([0, count - 1]);
  for (let start = 0; start < count; start += size) {
    let low = -1;
    let high = -1;
    let gap = -1;
    for (let index = Math.floor(start); index < Math.min(count, Math.floor(start + size)); index += 1) {
      const value = values[index];
      if (!isDrawable(value)) gap = index;
      else {
        if (low < 0 || value < (values[low] ?? 0)) low = index;
        if (high < 0 || value > (values[high] ?? 0)) high = index;
      }
    }
    for (const index of [low, high, low < 0 ? gap : -1]) if (index >= 0) kept.add(index);
  }
  return [...kept].sort((one, other) => one - other);
}

/** The slices of a pie. Zero and negative values have none. */
export function slices(values: readonly Value[]): Slice[] {
  const positive = values.map((value) => (isDrawable(value) && value > 0 ? value : 0));
  const whole = positive.reduce((sum, value) => sum + value, 0);
  if (whole === 0) return [];
  let from = 0;
  const all: Slice[] = [];
  positive.forEach((value, index) => {
    if (value === 0) return;
    const share = value / whole;
    all.push({ index, from, to: from + share, share });
    from += share;
  });
  return all;
}

/**
 * The path of a ring slice. A whole ring is two halves, since an arc cannot end where it starts.
 */
export function ring(slice: Pick<Slice, "from" | "to">, radius: number, hole: number): string {
  if (slice.to - slice.from >= 1 - 1e-9) {
    return `${ring({ from: 0, to: 0.5 }, radius, hole)} ${ring({ from: 0.5, to: 1 - 1e-9 * 2 }, radius, hole)}`;
  }
  const large = slice.to - slice.from > 0.5 ? 1 : 0;
  const [a, b] = [onCircle(slice.from, radius), onCircle(slice.to, radius)];
  const [c, d] = [onCircle(slice.to, hole), onCircle(slice.from, hole)];
  return `M${a}A${radius} ${radius} 0 ${large} 1 ${b}L${c}A${hole} ${hole} 0 ${large} 0 ${d}Z`;
}

function onCircle(turns: number, radius: number): string {
  const angle = (turns - 0.25) * 2 * Math.PI;
  return `${round(Math.cos(angle) * radius)} ${round(Math.sin(angle) * radius)}`;
}

/** Rounds to two digits, which is finer than any screen. */
export function round(value: number): number {
  return Math.round(value * 100) / 100;
}

/** The path of a line through points, broken at gaps. */
export function linePath(points: readonly ({ x: number; y: number } | undefined)[]): string {
  let isOn = false;
  let path = "";
  for (const point of points) {
    if (point === undefined) isOn = false;
    else {
      path += `${isOn ? "L" : "M"}${round(point.x)} ${round(point.y)}`;
      isOn = true;
    }
  }
  return path;
}

/** The path of an area down to a base line, with one shape between gaps. */
export function areaPath(points: readonly ({ x: number; y: number } | undefined)[], base: number): string {
  let piece: { x: number; y: number }[] = [];
  let path = "";
  const close = () => {
    const [first, last] = [piece[0], piece.at(-1)];
    if (first && last) path += `${linePath(piece)}L${round(last.x)} ${round(base)}L${round(first.x)} ${round(base)}Z`;
    piece = [];
  };
  for (const point of points) {
    if (point === undefined) close();
    else piece.push(point);
  }
  close();
  return path;
}

/** The labels as numbers if all are numeric, for the x axis of a scatter plot. */
export function asNumbers(labels: readonly string[]): number[] | undefined {
  const numbers = labels.map((label) => (label.trim() === "" ? Number.NaN : Number(label)));
  return numbers.length > 0 && numbers.every(Number.isFinite) ? numbers : undefined;
}

/** Truncates a text to a number of characters. */
export function shorten(text: string, letters: number): string {
  const all = Array.from(text);
  return all.length <= letters ? text : `${all.slice(0, Math.max(1, letters - 1)).join("")}…`;
}

/** The index of the nearest position; -1 if there is none. */
export function nearest(places: readonly number[], to: number): number {
  let best = -1;
  let distance = Number.POSITIVE_INFINITY;
  places.forEach((at, index) => {
    const away = Math.abs(at - to);
    if (away < distance) [best, distance] = [index, away];
  });
  return best;
}
