/** A home put in order: what changed is folded in, rooms by floor, and of each room the few things that matter. */
import type { wire } from "@dwell/client";
import { isOn, isOpen, numberOf } from "./words.ts";

/** The kinds one can look for. */
export const KINDS = ["all", "lights", "climate", "openings", "media", "switches", "sensors", "other"] as const;
/** One of them. */
export type Kind = (typeof KINDS)[number];

/** What matters of a room at a glance. */
export type Gist = {
  lightsOn: number;
  lights: number;
  temperature?: string | undefined;
  humidity?: string | undefined;
  /** Doors, windows, covers and locks that stand open, by name. */
  open: string[];
  /** What plays, in words. */
  playing: string[];
  /** Leaks, smoke and the like. */
  alarms: string[];
};

/** A room with what is in it. */
export type Room = { id: string; name: string; entities: wire.EntityView[]; auxiliary: wire.EntityView[]; gist: Gist };
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

/** The home with a change in it. */
export function fold(view: wire.HomeView, change: wire.HomeChanged): wire.HomeView {
  const byId = new Map(view.entities.map((entity) => [entity.entity_id, entity]));
  for (const entity of change.entities) byId.set(entity.entity_id, entity);
  for (const id of change.removed ?? []) byId.delete(id);
  return {
    ...view,
    entities: [...byId.values()],
    areas: change.areas ?? view.areas,
    connection: change.connection ?? view.connection,
    // Why it cannot be reached comes with the connection, and goes with it.
    why: change.connection ? (change.why ?? undefined) : view.why,
  };
}

/** What kind of thing it is, for those who look for one. */
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

/** Whether it is looked for: by kind, and by all words in its name, its room and its kind. */
export function isSought(entity: wire.EntityView, room: string, kind: Kind, words: string): boolean {
  if (kind !== "all" && kindOf(entity) !== kind) return false;
  const text =
    `${entity.name} ${room} ${entity.domain.replaceAll("_", " ")} ${entity.device_class ?? ""}`.toLowerCase();
  return words
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

/** The rooms by floor. What is in no room stands last. Empty rooms are left out. */
export function floorsOf(view: wire.HomeView, kind: Kind = "all", words = ""): Floor[] {
  const byArea = new Map<string, wire.EntityView[]>();
  const names = new Map(view.areas.map(({ area_id: id, name }) => [id, name]));
  for (const entity of view.entities) {
    const area = entity.area_id && names.has(entity.area_id) ? entity.area_id : "";
    if (!isSought(entity, names.get(area) ?? "", kind, words.trim())) continue;
    const there = byArea.get(area);
    if (there) there.push(entity);
    else byArea.set(area, [entity]);
  }
  const areas: wire.AreaView[] = [...view.areas, { area_id: "", name: "The whole home" }];
  const floors = new Map<string, Room[]>();
  for (const area of areas) {
    const there = byArea.get(area.area_id);
    if (!there) continue;
    const floor = area.area_id === "" ? "Everywhere" : (area.floor ?? "Rooms");
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
  return { id, name, entities: sorted.filter((entity) => !entity.auxiliary), auxiliary, gist: gistOf(sorted) };
}

function rank({ domain }: wire.EntityView): number {
  const place = ORDER.indexOf(domain);
  return place < 0 ? ORDER.length : place;
}

/** What matters of some things. */
export function gistOf(entities: readonly wire.EntityView[]): Gist {
  const there = entities.filter(({ available }) => available);
  const lights = there.filter(({ domain }) => domain === "light");
  const measured = (deviceClass: string) =>
    there.find((entity) => entity.domain === "sensor" && !entity.auxiliary && entity.device_class === deviceClass);
  const withUnit = (entity: wire.EntityView | undefined) => entity && `${entity.state} ${entity.unit ?? ""}`.trim();
  const climate = there.find(({ domain }) => domain === "climate");
  const felt = climate && numberOf(climate.attributes?.["current_temperature"]);
  return {
    lights: lights.length,
    lightsOn: lights.filter(isOn).length,
    temperature: withUnit(measured("temperature")) ?? (felt === undefined ? undefined : `${felt} °C`),
    humidity: withUnit(measured("humidity")),
    open: there
      .filter((entity) => isOpen(entity) && (isOpening(entity) || ["lock", "cover", "valve"].includes(entity.domain)))
      .map(({ name, domain }) => (domain === "lock" ? `${name} (unlocked)` : name)),
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
