/** Icons of home entities, on the same grid as the others. Loaded with this view only. */
import type { wire } from "@dwell/client";

const PATHS = {
  light: "M9 18h6M10 21h4M12 3a6 6 0 0 0-3.500 10.900c.6.5 1 1.200 1 2.100h5c0-.9.4-1.600 1-2.100A6 6 0 0 0 12 3z",
  power: "M12 3.500v8M7 6.500a7.500 7.500 0 1 0 10 0",
  thermometer: "M10 13.500V5a2 2 0 1 1 4 0v8.500a4 4 0 1 1-4 0zM12 9v7",
  drop: "M12 3.500c3.500 4.300 6 7.300 6 10.500a6 6 0 1 1-12 0c0-3.200 2.500-6.200 6-10.500z",
  door: "M6 20.500V4h12v16.500M4 20.500h16M14.500 12.500h.01",
  window: "M5 4h14v16H5zM12 4v16M5 12h14",
  blinds: "M4 4h16M6 4v13h12V4M6 8.500h12M6 12.700h12M12 17v3.500",
  lock: "M6 11h12v9H6zM8.500 11V8a3.500 3.500 0 0 1 7 0v3",
  unlock: "M6 11h12v9H6zM8.500 11V8a3.500 3.500 0 0 1 6.800-1.200",
  speaker: "M7 3.500h10v17H7zM12 17a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM12 7.500h.01",
  screen: "M3.500 5h17v11h-17zM8.500 20h7",
  fan: "M12 13.500a1.500 1.500 0 1 0 0-3 1.500 1.500 0 0 0 0 3zM12 10.500c-2-3-1-7 1.500-7s3 4-1.500 7M13.500 12c3-2 7-1 7 1.500s-4 3-7-1.500M12 13.500c2 3 1 7-1.500 7s-3-4 1.500-7M10.500 12c-3 2-7 1-7-1.500s4-3 7 1.500",
  motion:
    "M13 5.500a1.500 1.500 0 1 0 0-3 1.500 1.500 0 0 0 0 3zM13 8l-2 6 4 2.500V21M11 14l-2 3-3 1M13 8l3.500 3H19M13 8l-4 1.500-1.500 3",
  smoke: "M6 20.500h12M7 16.500c0-3 3-3 3-6s-2-3-2-5M12 16.500c0-3 3-3 3-6s-2-3-2-5",
  battery: "M4 8h14v8H4zM18 10.500h2.500v3H18M7 11v2M10 11v2",
  bolt: "M13 3 5.500 13.500H11L10 21l8-11h-5.500z",
  gauge: "M4.500 17.500a8.500 8.500 0 1 1 15 0zM12 14l3.500-4.500",
  person: "M12 11.500a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM5 20.500c.5-4 3.300-6 7-6s6.500 2 7 6",
  scene:
    "M4 4h7v7H4zM16.500 4l3.500 7h-7zM7.500 20a3.500 3.500 0 1 0 0-7 3.500 3.500 0 0 0 0 7zM13.500 16.500h6.500M16.700 13.300v6.500",
  robot: "M12 20.500a8.500 8.500 0 1 0 0-17 8.500 8.500 0 0 0 0 17zM8 12h8M12 7.500h.01",
  weather: "M7 18.500a4 4 0 0 1 .5-8 5 5 0 0 1 9.500 1.500 3.300 3.300 0 0 1 0 6.500z",
  list: "M8.500 6h11M8.500 12h11M8.500 18h11M4.500 6h.01M4.500 12h.01M4.500 18h.01",
  clock: "M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18zM12 7v5.300l3.500 2",
  camera: "M4 7.500h4L9.500 5h5L16 7.500h4V19H4zM12 16.500a3.500 3.500 0 1 0 0-7 3.500 3.500 0 0 0 0 7z",
  net: "M3.500 9.500a12 12 0 0 1 17 0M6.500 13a8 8 0 0 1 11 0M9.500 16.300a4 4 0 0 1 5 0M12 19.500h.01",
  other: "M12 20.500a8.500 8.500 0 1 0 0-17 8.500 8.500 0 0 0 0 17zM12 12h.01",
} as const;

type Name = keyof typeof PATHS;

const DOMAINS: Record<string, Name> = {
  light: "light",
  switch: "power",
  input_boolean: "power",
  climate: "thermometer",
  water_heater: "thermometer",
  cover: "blinds",
  media_player: "speaker",
  remote: "screen",
  fan: "fan",
  scene: "scene",
  script: "scene",
  automation: "scene",
  person: "person",
  device_tracker: "person",
  vacuum: "robot",
  lawn_mower: "robot",
  valve: "drop",
  humidifier: "drop",
  weather: "weather",
  sun: "weather",
  todo: "list",
  calendar: "clock",
  timer: "clock",
  camera: "camera",
  update: "net",
};

const CLASSES: Record<string, Name> = {
  temperature: "thermometer",
  humidity: "drop",
  moisture: "drop",
  battery: "battery",
  power: "bolt",
  energy: "bolt",
  voltage: "bolt",
  current: "bolt",
  door: "door",
  garage: "door",
  garage_door: "door",
  gate: "door",
  opening: "door",
  window: "window",
  motion: "motion",
  occupancy: "motion",
  presence: "person",
  smoke: "smoke",
  gas: "smoke",
  connectivity: "net",
  timestamp: "clock",
  tv: "screen",
  outlet: "power",
};

/** The icon of an entity. */
export function EntityIcon({ entity }: { entity: wire.EntityView }) {
  const { domain, device_class: deviceClass, state } = entity;
  const name: Name =
    domain === "lock"
      ? state === "locked"
        ? "lock"
        : "unlock"
      : (CLASSES[deviceClass ?? ""] ?? DOMAINS[domain] ?? (domain === "sensor" ? "gauge" : "other"));
  return (
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
      <path d={PATHS[name]} />
    </svg>
  );
}
