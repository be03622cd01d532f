/** Markers, dashes and hatching that tell series apart without relying on colour. */

/** The number of colours; further series reuse them with another marker. */
const COLOURS = 6;
const DASHES = ["", "7 4", "2 4", "10 4 2 4", "4 3", "1 3"];
/** Marker shapes around the origin, in a square from -5 to 5. */
const MARKERS = [
  "M-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0z",
  "M-3.5-3.5h7v7h-7z",
  "M0-4.700 4.5 3.5h-9z",
  "M0-5 5 0 0 5-5 0z",
  "M0 4.700 4.5-3.5h-9z",
  "M-1.500-4.500h3v3h3v3h-3v3h-3v-3h-3v-3h3z",
];

/** The hatching patterns at the size of a legend swatch. */
const SMALL_HATCHES = [
  "",
  "M5 0 17 12M11 0l6 6M5 6l6 6",
  "M17 0 5 12M11 0 5 6M17 6l-6 6",
  "M5 4h12M5 8h12",
  "M9 0v12M13 0v12",
  "M5 0 17 12M17 0 5 12",
];

/** The class that gives a series its colour. */
export function seriesClass(index: number): string {
  return `chart-series-${(index % COLOURS) + 1}`;
}

/** The dash pattern of a series. */
export function dashOf(index: number): string {
  return DASHES[index % DASHES.length] ?? "";
}

/**
 * The marker of a series. Markers shift after each round of colours, so that no two series match.
 */
export function Marker({ index, x = 0, y = 0, scale = 1 }: { index: number; x?: number; y?: number; scale?: number }) {
  const shape = MARKERS[(index + Math.floor(index / COLOURS)) % MARKERS.length];
  return <path class="chart-marker" d={shape} transform={`translate(${x} ${y}) scale(${scale})`} />;
}

/** The hatching patterns for bars and slices; the first series has none. */
export function Hatches({ id }: { id: string }) {
  const lines = ["", "M0 0L8 8", "M8 0L0 8", "M0 4H8", "M4 0V8", "M0 0L8 8M8 0L0 8"];
  return (
    <defs>
      {lines.map(
        (line, index) =>
          line !== "" && (
            <pattern key={line} id={`${id}-${index}`} width="8" height="8" patternUnits="userSpaceOnUse">
              <path class="chart-hatch" d={line} />
            </pattern>
          ),
      )}
    </defs>
  );
}

/** The hatching of a series; undefined for the first. */
export function hatchOf(id: string, index: number): string | undefined {
  const which = index % COLOURS;
  return which === 0 ? undefined : `url(#${id}-${which})`;
}

/** The swatch of a series in the legend and the tooltip. */
export function Swatch({ index, kind }: { index: number; kind: "line" | "shape" | "point" }) {
  return (
    <svg class={`chart-swatch ${seriesClass(index)}`} width="22" height="12" viewBox="0 0 22 12" aria-hidden="true">
      {kind === "line" && <path class="chart-line" d="M0 6H22" stroke-dasharray={dashOf(index)} />}
      {kind === "shape" ? (
        <>
          <rect class="chart-fill" x="5" y="0" width="12" height="12" rx="3" />
          <path class="chart-hatch" d={SMALL_HATCHES[index % COLOURS]} />
        </>
      ) : (
        <Marker index={index} x={11} y={6} />
      )}
    </svg>
  );
}
