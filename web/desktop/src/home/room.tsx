/** The card of a room: name, summary, entities. */
import { Icon, type IconName } from "../kit/icon.tsx";
import { Badge } from "../kit/pieces.tsx";
import { runAction } from "./actions.ts";
import { EntityRow, ActionNote } from "./entity.tsx";
import type { RoomSummary, Room } from "./rooms.ts";
import { isOn } from "./words.ts";
import { texts } from "../languages/home.ts";

/** The card of a room. */
export function RoomCard({ room }: { room: Room }) {
  const { summary: gist, entities, auxiliary } = room;
  const lit = entities.filter((entity) => entity.domain === "light" && isOn(entity));
  const to = `room:${room.id}`;
  return (
    <section class={`home-room card ${gist.lightsOn > 0 ? "lit" : ""}`} aria-label={room.name}>
      <header class="home-room-head">
        <h3>{room.name}</h3>
        {gist.temperature && <Measure icon="thermometer" label={texts().temperature} value={gist.temperature} />}
        {gist.humidity && <Measure label={texts().humidity} value={gist.humidity} />}
      </header>
      <SummaryBadges gist={gist} />
      {lit.length > 1 && (
        <button
          class="button small home-all-off"
          type="button"
          onClick={() =>
            void runAction(
              to,
              { domain: "light", service: "turn_off", words: texts().turnOffLights(room.name) },
              lit.map(({ entity_id: id }) => id),
            )
          }
        >
          <Icon name="light" small />
          {texts().turnOffCount(lit.length)}
        </button>
      )}
      <ActionNote to={to} />
      <ul class="home-rows">
        {entities.map((entity) => (
          <EntityRow key={entity.entity_id} entity={entity} />
        ))}
      </ul>
      {auxiliary.length > 0 && (
        <details class="home-more">
          <summary>{texts().moreDetailCount(auxiliary.length)}</summary>
          <ul class="home-rows">
            {auxiliary.map((entity) => (
              <EntityRow key={entity.entity_id} entity={entity} />
            ))}
          </ul>
        </details>
      )}
    </section>
  );
}

function Measure({ icon, label, value }: { icon?: IconName; label: string; value: string }) {
  return (
    <span class="home-measure numbers">
      {icon && <Icon name={icon} small />}
      <span class="unseen">{label} </span>
      {value}
    </span>
  );
}

/** A summary as badges. */
export function SummaryBadges({ gist }: { gist: RoomSummary }) {
  const { lightsOn, open, playing, alarms } = gist;
  if (lightsOn === 0 && open.length === 0 && playing.length === 0 && alarms.length === 0) return null;
  return (
    <p class="home-gist">
      {alarms.map((name) => (
        <Badge key={name} tone="danger">
          {name}
        </Badge>
      ))}
      {lightsOn > 0 && <Badge tone="warning">{texts().lightOnCount(lightsOn)}</Badge>}
      {open.slice(0, 3).map((name) => (
        <Badge key={name} tone="info">
          {name.includes("(") ? name : texts().nameOpen(name)}
        </Badge>
      ))}
      {open.length > 3 && <Badge tone="info">{texts().moreOpenCount(open.length - 3)}</Badge>}
      {playing.map((name) => (
        <Badge key={name} tone="accent">
          ▶ {name}
        </Badge>
      ))}
    </p>
  );
}
