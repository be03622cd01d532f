/** The home view: rooms, states, controls. */
import type { wire } from "@dwell/client";
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { controlOf, messageOf, outcomeOf, refusal } from "../src/home/controls.ts";
import { floorsOf, fold, summarize, matchesFilter, kindOf } from "../src/home/rooms.ts";
import { levelOf, stateLabel } from "../src/home/words.ts";

function entity(id: string, state: string, more: Partial<wire.EntityView> = {}): wire.EntityView {
  const domain = id.split(".")[0] ?? "";
  const name = (id.split(".")[1] ?? "").replaceAll("_", " ");
  const available = state !== "unavailable";
  return { entity_id: id, name, domain, state, changed_at: "2026-11-15T20:00:00.000Z", available, ...more };
}

const VIEW: wire.HomeView = {
  home: "simulated",
  connection: "connected",
  areas: [
    { area_id: "kitchen", name: "Kitchen", floor: "Ground floor" },
    { area_id: "bedroom", name: "Bedroom", floor: "Upstairs" },
    { area_id: "attic", name: "Attic", floor: "Upstairs" },
  ],
  entities: [
    entity("sensor.kitchen_temperature", "20.7", { area_id: "kitchen", unit: "°C", device_class: "temperature" }),
    entity("light.kitchen_ceiling", "on", { area_id: "kitchen", attributes: { brightness: 255 } }),
    entity("light.counter", "off", { area_id: "kitchen" }),
    entity("binary_sensor.window", "on", { area_id: "bedroom", device_class: "window" }),
    entity("sensor.lock_battery", "67", { area_id: "kitchen", unit: "%", device_class: "battery", auxiliary: true }),
    entity("scene.bright", "unknown"),
  ],
};

describe("a home", () => {
  it("has rooms by floor, without those that are empty, and what is in none at the end", () => {
    const floors = floorsOf(VIEW);
    assert.deepEqual(
      floors.map(({ name, rooms }) => [name, rooms.map((room) => room.name)]),
      [
        ["Ground floor", ["Kitchen"]],
        ["Upstairs", ["Bedroom"]],
        ["No room", ["Whole home"]],
      ],
    );
    const kitchen = floors[0]?.rooms[0];
    assert.ok(kitchen);
    assert.equal(kitchen.entities[0]?.entity_id, "light.counter");
    assert.equal(kitchen.auxiliary.length, 1);
    assert.deepEqual([kitchen.summary.lightsOn, kitchen.summary.lights], [1, 2]);
    assert.equal(kitchen.summary.temperature, "20.7 °C");
    assert.deepEqual(floors[1]?.rooms[0]?.summary.open, ["window"]);
  });

  it("is filtered by kind and by words", () => {
    assert.deepEqual(
      floorsOf(VIEW, "lights", "counter").flatMap(({ rooms }) => rooms.flatMap(({ entities }) => entities.length)),
      [1],
    );
    const ceiling = entity("light.kitchen_ceiling", "on");
    assert.ok(matchesFilter(ceiling, "Kitchen", "all", "ceil kitch"));
    assert.ok(!matchesFilter(ceiling, "Kitchen", "media", ""));
    assert.equal(kindOf(entity("binary_sensor.x", "on", { device_class: "door" })), "openings");
    assert.equal(kindOf(entity("sensor.x", "1", { device_class: "humidity" })), "climate");
  });

  it("takes what changed", () => {
    const changed = fold(VIEW, {
      entities: [entity("light.counter", "on", { area_id: "kitchen" })],
      removed: ["scene.bright"],
      connection: "reconnecting",
      why: "no route",
    });
    assert.equal(changed.entities.length, VIEW.entities.length - 1);
    assert.equal(changed.entities.find(({ entity_id: id }) => id === "light.counter")?.state, "on");
    assert.equal(changed.why, "no route");
    assert.equal(fold(changed, { entities: [], connection: "connected" }).why, undefined);
    assert.equal(fold(changed, { entities: [] }).why, "no route");
  });

  it("says what is open, plays, and is wet", () => {
    const gist = summarize([
      entity("lock.front_door", "unlocked"),
      entity("cover.garage", "opening"),
      entity("media_player.tv", "playing", { attributes: { media_title: "Evening film" } }),
      entity("binary_sensor.leak", "on", { device_class: "moisture" }),
      entity("binary_sensor.gone", "unavailable", { device_class: "door" }),
    ]);
    assert.deepEqual(gist.open, ["front door (unlocked)", "garage"]);
    assert.deepEqual(gist.playing, ["Evening film"]);
    assert.deepEqual(gist.alarms, ["leak"]);
  });
});

describe("states in words", () => {
  const words = (id: string, state: string, more: Partial<wire.EntityView> = {}) => stateLabel(entity(id, state, more));

  it("are those a person would use", () => {
    assert.equal(words("light.a", "on", { attributes: { brightness: 128 } }), "On, 50 %");
    assert.equal(words("light.a", "off", { attributes: { brightness: 128 } }), "Off");
    assert.equal(words("binary_sensor.a", "on", { device_class: "window" }), "Open");
    assert.equal(words("binary_sensor.a", "off"), "Off");
    assert.equal(words("sensor.a", "21.567", { unit: "°C" }), `${new Intl.NumberFormat().format(21.57)} °C`);
    assert.equal(words("sensor.a", "unavailable"), "Unavailable");
    assert.equal(words("cover.a", "open", { attributes: { current_position: 40 } }), "Open, 40 %");
    assert.equal(
      words("climate.a", "heat", { attributes: { temperature: 21, hvac_action: "idle" } }),
      "Idle, set to 21°",
    );
    const film = { attributes: { media_title: "Evening film" } };
    assert.equal(words("media_player.tv", "playing", film), "Playing: Evening film");
    assert.equal(words("person.a", "not_home"), "Away");
    assert.equal(words("todo.list", "3"), "3 to do");
    assert.equal(words("vacuum.a", "returning_home"), "Returning home");
  });

  it("have a level where there is one", () => {
    assert.equal(levelOf(entity("light.a", "on", { attributes: { brightness: 255 } })), 100);
    assert.equal(levelOf(entity("light.a", "on")), undefined);
    assert.equal(levelOf(entity("sensor.a", "67", { unit: "%" })), 67);
    assert.equal(levelOf(entity("sensor.a", "unavailable", { unit: "%" })), undefined);
  });
});

describe("switching", () => {
  it("knows what can be done", () => {
    const light = controlOf(entity("light.hall", "on"));
    assert.ok(light?.type === "switch" && light.isOn && light.deed.service === "turn_off");
    const cover = controlOf(entity("cover.blinds", "closed"));
    assert.ok(cover?.type === "buttons");
    assert.deepEqual(
      cover.actions.map(({ service }) => service),
      ["open_cover"],
    );
    assert.equal(controlOf(entity("sensor.a", "1")), undefined);
    assert.equal(controlOf(entity("light.a", "unavailable")), undefined);
  });

  it("is a call in a conversation, with words", () => {
    const deed = { domain: "light", service: "turn_off", words: "Turn off hall" };
    assert.deepEqual(messageOf(deed, ["light.hall"]), {
      message: "Turn off hall",
      calls: [
        {
          tool: "call_service",
          arguments: { domain: "light", service: "turn_off", target: { entity_id: ["light.hall"] } },
        },
      ],
    });
  });

  it("says what came of it", () => {
    const result = (content: string, status: "ok" | "denied" = "ok") =>
      outcomeOf({
        status: "completed",
        steps: [{ type: "tool_result", detail: { call_id: "1", tool: "call_service", status, content } }],
      });
    assert.equal(outcomeOf({ status: "running", steps: [] }), undefined);
    assert.equal(outcomeOf({ status: "waiting", reason: "approval", steps: [] })?.tone, "wait");
    assert.deepEqual(result('{"entities":[{"outcome":"done"}]}'), { tone: "good", words: "Done" });
    assert.equal(result('{"entities":[{"outcome":"done"},{"outcome":"unchanged"}]}')?.tone, "bad");
    assert.equal(result("not allowed by the policy", "denied")?.tone, "bad");
    assert.match(refusal("tools.actuation is off").hint ?? "", /tools\.actuation = true/);
  });
});
