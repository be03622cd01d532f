/** Groups a home's entities by floor and room, applies changes, and summarizes rooms. */
import type { wire } from "@dwell/client";
import { isOn, isOpen, measure, numberOf } from "./words.ts";
import { texts } from "../languages/home.ts";

/** The kinds of entities to filter by. */
export const KINDS = ["all", "lights", "climate", "openings", "media", "switches", "sensors", "other"] as const;
/** A kind of entity. */
export type Kind = (typeof KINDS)[number];

/** The summary of a room. */
export type RoomSummary = {
  lightsOn: number;
  lights: number;
  temperature?: string | undefined;
  humidity?: string | undefined;
  /** Names of open doors, windows and covers, and of unlocked locks. */
  open: string[];
  /** Titles or names of what is playing. */
  playing: string[];
  /** Active alarms: leaks, smoke and the like. */
  alarms: string[];
};

/** A room with its entities. */
export type Room = {
  id: string;
  name: string;
  entities: wire.EntityView[];
  auxiliary: wire.EntityView[];
  summary: RoomSummary;
};
/** A floor with its rooms. */
export type Floor = { name: string; rooms: Room[] };

const OPENINGS = new Set(["door", "window", "garage_door", "opening"]);
const ALARMS = new Set(["smoke", "moisture", "gas", "carbon_monoxide", "problem", "safety", "tamper"]);
const ORDER = [
  "light",
  "climate",
  "cover",
  "lock",
  "media_player",
  "fan",
  "switch",
  "vacuum",
  "lawn_mower",
  "valve",
  "scene",
  "binary_sensor",
  "sensor",
];

/** Applies a change to the home. */
export function fold(view: wire.HomeView, change: wire.HomeChanged): wire.HomeView {
  const byId = new Map(view.entities.map((entity) => [entity.entity_id, entity]));
  for (const entity of change.entities) byId.set(entity.entity_id, entity);
  for (const id of change.removed ?? []) byId.delete(id);
  return {
    ...view,
    entities: [...byId.values()],
    areas: change.areas ?? view.areas,
    connection: change.connection ?? view.connection,
    // The reason belongs to the connection state and is replaced with it.
    why: change.connection ? (change.why ?? undefined) : view.why,
  };
}

/** The kind of an entity, for the filter. */
export function kindOf(entity: wire.EntityView): Kind {
  const { domain, device_class: deviceClass } = entity;
  if (domain === "light") return "lights";
  if (["climate", "fan", "humidifier", "water_heater", "weather"].includes(domain)) return "climate";
  if (domain === "sensor" && ["temperature", "humidity"].includes(deviceClass ?? "")) return "climate";
  if (["cover", "lock", "valve"].includes(domain) || isOpening(entity)) return "openings";
  if (domain === "media_player" || domain === "remote") return "media";
  if (["switch", "scene", "input_boolean", "script", "button", "automation"].includes(domain)) return "switches";
  if (domain === "sensor" || domain === "binary_sensor") return "sensors";
  return "other";
}

function isOpening({ domain, device_class: deviceClass }: wire.EntityView): boolean {
  return domain === "binary_sensor" && OPENINGS.has(deviceClass ?? "");
}

/** Whether an entity matches the filter: its kind, and all words in its name, room and kind. */
export function matchesFilter(entity: wire.EntityView, room: string, kind: Kind, words: string): boolean {
  if (kind !== "all" && kindOf(entity) !== kind) return false;
  const text =
    `${entity.name} ${room} ${entity.domain.replaceAll("_", " ")} ${entity.device_class ?? ""}`.toLowerCase();
  return words
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

/** The rooms by floor. Entities without a room come last. Empty rooms are left out. */
export function floorsOf(view: wire.HomeView, kind: Kind = "all", words = ""): Floor[] {
  const byArea = new Map<string, wire.EntityView[]>();
  const names = new Map(view.areas.map(({ area_id: id, name }) => [id, name]));
  for (const entity of view.entities) {
    const area = entity.area_id && names.has(entity.area_id) ? entity.area_id : "";
    if (!matchesFilter(entity, names.get(area) ?? "", kind, words.trim())) continue;
    const there = byArea.get(area);
    if (there) there.push(entity);
    else byArea.set(area, [entity]);
  }
  const areas: wire.AreaView[] = [...view.areas, { area_id: "", name: texts().wholeHome }];
  const floors = new Map<string, Room[]>();
  for (const area of areas) {
    const there = byArea.get(area.area_id);
    if (!there) continue;
    const floor = area.area_id === "" ? texts().noRoom : (area.floor ?? texts().rooms);
    const room = roomOf(area.area_id, area.name, there);
    const rooms = floors.get(floor);
    if (rooms) rooms.push(room);
    else floors.set(floor, [room]);
  }
  return [...floors].map(([name, rooms]) => ({ name, rooms }));
}

function roomOf(id: string, name: string, all: wire.EntityView[]): Room {
  const sorted = [...all].sort((one, other) => rank(one) - rank(other) || one.name.localeCompare(other.name));
  const auxiliary = sorted.filter((entity) => entity.auxiliary);
  return { id, name, entities: sorted.filter((entity) => !entity.auxiliary), auxiliary, summary: summarize(sorted) };
}

function rank({ domain }: wire.EntityView): number {
  const place = ORDER.indexOf(domain);
  return place < 0 ? ORDER.length : place;
}

/** Summarizes entities. */
export function summarize(entities: readonly wire.EntityView[]): RoomSummary {
  const there = entities.filter(({ available }) => available);
  const lights = there.filter(({ domain }) => domain === "light");
  const measured = (deviceClass: string) =>
    there.find((entity) => entity.domain === "sensor" && !entity.auxiliary && entity.device_class === deviceClass);
  const withUnit = (entity: wire.EntityView | undefined) => entity && measure(entity.state, entity.unit);
  const climate = there.find(({ domain }) => domain === "climate");
  const felt = climate && numberOf(climate.attributes?.["current_temperature"]);
  return {
    lights: lights.length,
    lightsOn: lights.filter(isOn).length,
    temperature: withUnit(measured("temperature")) ?? (felt === undefined ? undefined : measure(felt, "°C")),
    humidity: withUnit(measured("humidity")),
    open: there
      .filter((entity) => isOpen(entity) && (isOpening(entity) || ["lock", "cover", "valve"].includes(entity.domain)))
      .map(({ name, domain }) => (domain === "lock" ? texts().nameUnlocked(name) : name)),
    playing: there
      .filter(({ domain, state }) => domain === "media_player" && state === "playing")
      .map(({ name, attributes }) => {
        const title = attributes?.["media_title"];
        return typeof title === "string" && title !== "" ? title : name;
      }),
    alarms: there
      .filter((entity) => entity.domain === "binary_sensor" && ALARMS.has(entity.device_class ?? "") && isOn(entity))
      .map(({ name }) => name),
  };
}
