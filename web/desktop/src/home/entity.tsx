/** The row of a home entity: icon, name, state, controls. */
import type { wire } from "@dwell/client";
import { IconButton } from "../kit/button.tsx";
import { ago, exactTime } from "../kit/format.ts";
import { Spinner } from "../kit/pieces.tsx";
import { type Control, controlOf, verbOf } from "./controls.ts";
import { dismissStatus, runAction, actionStatus } from "./actions.ts";
import { EntityIcon } from "./icons.tsx";
import { recentlyChanged } from "./store.ts";
import { isActive, levelOf, numberOf, stateLabel } from "./words.ts";
import { texts } from "../languages/home.ts";

/** The row of an entity. */
export function EntityRow({ entity }: { entity: wire.EntityView }) {
  const { entity_id: id, name, available } = entity;
  const control = controlOf(entity);
  const words = stateLabel(entity);
  const names = ["home-row", isActive(entity) && "on", !available && "away", recentlyChanged.value.has(id) && "fresh"];
  return (
    <li class={names.filter(Boolean).join(" ")}>
      <span class="home-icon">
        <EntityIcon entity={entity} />
      </span>
      <span class="home-what">
        <span class="home-name">{name}</span>
        {words !== "" && (
          <span
            class="home-state numbers"
            title={texts().sinceChangedAtChanged(exactTime(entity.changed_at), ago(entity.changed_at))}
          >
            {words}
          </span>
        )}
      </span>
      <Visual entity={entity} />
      {control && <Controls entity={entity} control={control} />}
      <ActionNote to={id} />
    </li>
  );
}

/** A small gauge for brightness, position or temperature. The state text has the same value. */
function Visual({ entity }: { entity: wire.EntityView }) {
  const { domain, device_class: deviceClass, unit, attributes } = entity;
  if (!entity.available) return null;
  const isWarmth = domain === "sensor" && deviceClass === "temperature" && unit === "°C";
  if (isWarmth || domain === "climate") {
    const value = numberOf(isWarmth ? entity.state : attributes?.["current_temperature"]);
    const target = domain === "climate" && entity.state !== "off" ? numberOf(attributes?.["temperature"]) : undefined;
    if (value === undefined) return null;
    return (
      <span class="home-warmth" aria-hidden="true">
        {target !== undefined && <span class="home-target" style={{ left: `${warmth(target)}%` }} />}
        <span class="home-now" style={{ left: `${warmth(value)}%` }} />
      </span>
    );
  }
  const level = levelOf(entity);
  if (level === undefined) return null;
  return (
    <span class={`home-level ${domain}`} aria-hidden="true">
      <span style={{ width: `${Math.max(0, Math.min(100, level))}%` }} />
    </span>
  );
}

/** A temperature from -5 to 35 °C in percent. */
function warmth(celsius: number): number {
  return Math.max(0, Math.min(100, ((celsius + 5) / 40) * 100));
}

function Controls({ entity, control }: { entity: wire.EntityView; control: Control }) {
  const { entity_id: id } = entity;
  const now = actionStatus.value[id];
  const isBusy = now !== undefined && !now.isOver;
  if (control.type === "switch") {
    return (
      <button
        class="home-switch"
        type="button"
        role="switch"
        aria-checked={control.isOn}
        aria-label={entity.name}
        aria-busy={isBusy}
        onClick={() => void runAction(id, control.deed, [id])}
      >
        <span />
      </button>
    );
  }
  return (
    <span class="home-buttons">
      {control.actions.map((deed) => (
        <button
          key={deed.service}
          class="button small"
          type="button"
          aria-label={deed.words}
          disabled={isBusy}
          onClick={() => void runAction(id, deed, [id])}
        >
          {verbOf(deed)}
        </button>
      ))}
    </span>
  );
}

/** The status of the latest action on a target. */
export function ActionNote({ to }: { to: string }) {
  const now = actionStatus.value[to];
  if (!now) return null;
  const { outcome, isOver } = now;
  const tone = outcome?.tone ?? "wait";
  return (
    <div class={`home-told ${tone}`}>
      {!isOver && <Spinner label={now.words} />}
      <div>
        <p>{outcome ? `${now.words}: ${lower(outcome.words)}.` : `${now.words} …`}</p>
        {outcome?.hint && <p class="hint">{outcome.hint}</p>}
      </div>
      {isOver && tone === "bad" && (
        <IconButton icon="close" label={texts().dismiss} small onPress={() => dismissStatus(to)} />
      )}
    </div>
  );
}

function lower(words: string): string {
  return words.charAt(0).toLowerCase() + words.slice(1).replace(/\.$/, "");
}
