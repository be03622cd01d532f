/** Labels for the states of home entities, and the numbers behind their gauges. */
import type { wire } from "@dwell/client";
import { inLocale } from "../kit/format.ts";
import { locale } from "../languages/current.ts";
import { texts } from "../languages/home.ts";

/** What `on` and `off` mean for binary sensors, by device class. */
function twoStates(): Record<string, [on: string, off: string]> {
  return {
    battery: [texts().low, texts().charged],
    carbon_monoxide: [texts().carbonMonoxide, texts().clear],
    cold: [texts().cold, texts().normal],
    connectivity: [texts().connected, texts().disconnected],
    door: [texts().open, texts().closed],
    garage_door: [texts().open, texts().closed],
    gas: [texts().gas, texts().clear],
    heat: [texts().hot, texts().normal],
    light: [texts().light, texts().dark],
    lock: [texts().unlocked, texts().locked],
    moisture: [texts().wet, texts().dry],
    motion: [texts().motion, texts().still],
    moving: [texts().moving, texts().still],
    occupancy: [texts().occupied, texts().empty],
    opening: [texts().open, texts().closed],
    plug: [texts().pluggedIn, texts().unplugged],
    presence: [texts().home, texts().away],
    problem: [texts().problem, texts().fine],
    running: [texts().running, texts().stopped],
    safety: [texts().unsafe, texts().safe],
    smoke: [texts().smoke, texts().clear],
    sound: [texts().sound, texts().quiet],
    tamper: [texts().tamperedWith, texts().fine],
    update: [texts().updateAvailable, texts().upToDate],
    vibration: [texts().vibration, texts().still],
    window: [texts().open, texts().closed],
  };
}

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
const short = inLocale((locale) => new Intl.NumberFormat(locale, { maximumFractionDigits: 2 }));

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

/** A state that Home Assistant names, in the page's language if it is a usual one. */
function stateWord(state: string): string {
  return (texts().states as Partial<Record<string, string>>)[state] ?? sentence(state);
}

/** A measured value with its unit: `21.5 °C`. */
export function measure(value: string | number, unit: string | null | undefined): string {
  const number = numberOf(value);
  return `${number === undefined ? value : short().format(number)} ${unit ?? ""}`.trim();
}

/** The state of an entity as a label. */
export function stateLabel(entity: wire.EntityView): string {
  const { domain, state, unit, attributes = {} } = entity;
  if (!entity.available || state === "unavailable") return texts().unavailable;
  if (domain === "scene" || domain === "button") return "";
  if (state === "unknown") return texts().unknown;
  if (domain === "binary_sensor") {
    const [on, off] = twoStates()[entity.device_class ?? ""] ?? [texts().isOn, texts().isOff];
    return state === "on" ? on : off;
  }
  const number = numberOf(state);
  if (number !== undefined && (unit || domain === "sensor")) return measure(number, unit);
  const level = levelOf(entity);
  switch (domain) {
    case "light":
    case "fan":
      return level === undefined ? stateWord(state) : texts().onLevel(level);
    case "cover":
      return level === undefined || level === 0 || level === 100 ? stateWord(state) : `${stateWord(state)}, ${level} %`;
    case "climate":
      return climateInWords(state, attributes);
    case "media_player":
      return mediaInWords(state, attributes);
    case "person":
    case "device_tracker":
      return state === "home" ? texts().atHome : state === "not_home" ? texts().away : stateWord(state);
    case "todo":
      return number === undefined ? stateWord(state) : number === 0 ? texts().noItems : texts().numberToDo(number);
    case "sun":
      return state === "above_horizon" ? texts().up : texts().down;
    case "update":
      return state === "on" ? texts().updateAvailable : texts().upToDate;
    default:
      return /^\d{4}-\d\d-\d\dT/.test(state) ? new Date(state).toLocaleString(locale.value) : stateWord(state);
  }
}

function climateInWords(state: string, attributes: Record<string, unknown>): string {
  if (state === "off") return texts().isOff;
  const target = numberOf(attributes["temperature"]);
  const action = attributes["hvac_action"];
  const doing = typeof action === "string" && action !== "" ? stateWord(action) : stateWord(state);
  return target === undefined ? doing : texts().doingSetToTarget(doing, short().format(target));
}

function mediaInWords(state: string, attributes: Record<string, unknown>): string {
  const title = attributes["media_title"];
  const artist = attributes["media_artist"];
  const [named, by] = [title, artist].map((part) => (typeof part === "string" ? part : ""));
  const what = named && by ? texts().mediaBy(named, by) : named || by || "";
  return what === "" || state === "off" ? stateWord(state) : `${stateWord(state)}: ${what}`;
}
