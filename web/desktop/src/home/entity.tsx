/** One thing of a home: what it is, how it stands, and what can be done to it. */
import type { wire } from "@dwell/client";
import { IconButton } from "../kit/button.tsx";
import { ago, exactTime } from "../kit/format.ts";
import { Spinner } from "../kit/pieces.tsx";
import { type Control, controlOf, verbOf } from "./act.ts";
import { putAway, tell, told } from "./deeds.ts";
import { EntityIcon } from "./icons.tsx";
import { fresh } from "./store.ts";
import { isLively, levelOf, numberOf, stateInWords } from "./words.ts";

/** A row. */
export function EntityRow({ entity }: { entity: wire.EntityView }) {
  const { entity_id: id, name, available } = entity;
  const control = controlOf(entity);
  const words = stateInWords(entity);
  const names = ["home-row", isLively(entity) && "on", !available && "away", fresh.value.has(id) && "fresh"];
  return (
    <li class={names.filter(Boolean).join(" ")}>
      <span class="home-icon">
        <EntityIcon entity={entity} />
      </span>
      <span class="home-what">
        <span class="home-name">{name}</span>
        {words !== "" && (
          <span class="home-state numbers" title={`Since ${exactTime(entity.changed_at)} (${ago(entity.changed_at)})`}>
            {words}
          </span>
        )}
      </span>
      <Visual entity={entity} />
      {control && <Controls entity={entity} control={control} />}
      <ToldNote to={id} />
    </li>
  );
}

/** How bright, how far open, how warm: a small picture. What it shows is also said in words. */
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

/** From frost to a hot day. */
function warmth(celsius: number): number {
  return Math.max(0, Math.min(100, ((celsius + 5) / 40) * 100));
}

function Controls({ entity, control }: { entity: wire.EntityView; control: Control }) {
  const { entity_id: id } = entity;
  const now = told.value[id];
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
        onClick={() => void tell(id, control.deed, [id])}
      >
        <span />
      </button>
    );
  }
  return (
    <span class="home-buttons">
      {control.deeds.map((deed) => (
        <button
          key={deed.service}
          class="button small"
          type="button"
          aria-label={deed.words}
          disabled={isBusy}
          onClick={() => void tell(id, deed, [id])}
        >
          {verbOf(deed)}
        </button>
      ))}
    </span>
  );
}

/** What was told to it, and what came of that. */
export function ToldNote({ to }: { to: string }) {
  const now = told.value[to];
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
      {isOver && tone === "bad" && <IconButton icon="close" label="Put away" small onPress={() => putAway(to)} />}
    </div>
  );
}

function lower(words: string): string {
  return words.charAt(0).toLowerCase() + words.slice(1).replace(/\.$/, "");
}
