/** Labels for the states of home entities, and the numbers behind their gauges. */
import type { wire } from "@dwell/client";

/** What `on` and `off` mean for binary sensors, by device class. */
const TWO: Record<string, [on: string, off: string]> = {
  battery: ["Low", "Charged"],
  carbon_monoxide: ["Carbon monoxide!", "Clear"],
  cold: ["Cold", "Normal"],
  connectivity: ["Connected", "Disconnected"],
  door: ["Open", "Closed"],
  garage_door: ["Open", "Closed"],
  gas: ["Gas!", "Clear"],
  heat: ["Hot", "Normal"],
  light: ["Light", "Dark"],
  lock: ["Unlocked", "Locked"],
  moisture: ["Wet!", "Dry"],
  motion: ["Motion", "Still"],
  moving: ["Moving", "Still"],
  occupancy: ["Occupied", "Empty"],
  opening: ["Open", "Closed"],
  plug: ["Plugged in", "Unplugged"],
  presence: ["Home", "Away"],
  problem: ["Problem", "Fine"],
  running: ["Running", "Stopped"],
  safety: ["Unsafe", "Safe"],
  smoke: ["Smoke!", "Clear"],
  sound: ["Sound", "Quiet"],
  tamper: ["Tampered with", "Fine"],
  update: ["Update available", "Up to date"],
  vibration: ["Vibration", "Still"],
  window: ["Open", "Closed"],
};

const OPEN = new Set(["open", "opening", "unlocked", "unlocking", "jammed"]);
const OFF = new Set([
  "off",
  "closed",
  "locked",
  "idle",
  "standby",
  "unavailable",
  "unknown",
  "docked",
  "paused",
  "not_home",
]);
const short = new Intl.NumberFormat(undefined, { maximumFractionDigits: 2 });

/** A value as a number, if it is one. */
export function numberOf(value: unknown): number | undefined {
  const number = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
  return typeof number === "number" && Number.isFinite(number) ? number : undefined;
}

/** Whether an entity is on. */
export function isOn(entity: wire.EntityView): boolean {
  return entity.available && !OFF.has(entity.state);
}

const MEASURED = new Set(["sensor", "weather", "sun", "todo", "calendar", "scene", "event", "number"]);

/** Whether a row is highlighted: not for sensors, nor for an idle thermostat. */
export function isActive(entity: wire.EntityView): boolean {
  if (MEASURED.has(entity.domain) || entity.device_class === "connectivity") return false;
  if (entity.domain === "climate" && entity.attributes?.["hvac_action"] === "idle") return false;
  return isOn(entity);
}

/** Whether an entity is open or opening. */
export function isOpen(entity: wire.EntityView): boolean {
  if (!entity.available) return false;
  return entity.domain === "binary_sensor" ? entity.state === "on" : OPEN.has(entity.state);
}

/** Turns a state into a label: `not_home` is `Not home`. */
export function sentence(word: string): string {
  const text = word.replaceAll("_", " ").trim();
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Brightness, position, speed or volume in percent. */
export function levelOf(entity: wire.EntityView): number | undefined {
  if (!entity.available) return undefined;
  const { attributes = {}, domain } = entity;
  if (domain === "light") {
    const brightness = numberOf(attributes["brightness"]);
    return brightness === undefined || !isOn(entity) ? undefined : Math.round((brightness / 255) * 100);
  }
  if (domain === "cover" || domain === "valve") return numberOf(attributes["current_position"]);
  if (domain === "fan") return isOn(entity) ? numberOf(attributes["percentage"]) : undefined;
  if (domain === "media_player") {
    const volume = numberOf(attributes["volume_level"]);
    return volume === undefined || !isOn(entity) ? undefined : Math.round(volume * 100);
  }
  if (entity.unit === "%") return numberOf(entity.state);
  return undefined;
}

/** The state of an entity as a label. */
export function stateLabel(entity: wire.EntityView): string {
  const { domain, state, unit, attributes = {} } = entity;
  if (!entity.available || state === "unavailable") return "Unavailable";
  if (domain === "scene" || domain === "button") return "";
  if (state === "unknown") return "Unknown";
  if (domain === "binary_sensor") {
    const [on, off] = TWO[entity.device_class ?? ""] ?? ["On", "Off"];
    return state === "on" ? on : off;
  }
  const number = numberOf(state);
  if (number !== undefined && (unit || domain === "sensor")) return `${short.format(number)} ${unit ?? ""}`.trim();
  const level = levelOf(entity);
  switch (domain) {
    case "light":
    case "fan":
      return level === undefined ? sentence(state) : `On, ${level} %`;
    case "cover":
      return level === undefined || level === 0 || level === 100 ? sentence(state) : `${sentence(state)}, ${level} %`;
    case "climate":
      return climateInWords(state, attributes);
    case "media_player":
      return mediaInWords(state, attributes);
    case "person":
    case "device_tracker":
      return state === "home" ? "At home" : state === "not_home" ? "Away" : sentence(state);
    case "todo":
      return number === undefined ? sentence(state) : number === 0 ? "No items" : `${number} to do`;
    case "sun":
      return state === "above_horizon" ? "Up" : "Down";
    case "update":
      return state === "on" ? "Update available" : "Up to date";
    default:
      return /^\d{4}-\d\d-\d\dT/.test(state) ? new Date(state).toLocaleString() : sentence(state);
  }
}

function climateInWords(state: string, attributes: Record<string, unknown>): string {
  if (state === "off") return "Off";
  const target = numberOf(attributes["temperature"]);
  const action = attributes["hvac_action"];
  const doing = typeof action === "string" && action !== "" ? sentence(action) : sentence(state);
  return target === undefined ? doing : `${doing}, set to ${short.format(target)}°`;
}

function mediaInWords(state: string, attributes: Record<string, unknown>): string {
  const title = attributes["media_title"];
  const artist = attributes["media_artist"];
  const what = [title, artist].filter((part) => typeof part === "string" && part !== "").join(" by ");
  return what === "" || state === "off" ? sentence(state) : `${sentence(state)}: ${what}`;
}
