/** The home view: rooms and the current state of their entities. */
import type { wire } from "@dwell/client";
import { useEffect, useState } from "preact/hooks";
import { Badge, EmptyState, Notice, Spinner, ErrorNotice } from "../kit/pieces.tsx";
import { SearchBox } from "../kit/search-box.tsx";
import { place } from "../route.ts";
import { RoomCard } from "./room.tsx";
import { floorsOf, summarize, type Kind, KINDS } from "./rooms.ts";
import { followHome, hasNoHome, home, homeProblem } from "./store.ts";
import { texts } from "../languages/home.ts";
import "./home.css";

function kindNames(): Record<Kind, string> {
  return {
    all: texts().everything,
    lights: texts().lightsKind,
    climate: texts().climate,
    openings: texts().doorsAndCovers,
    media: texts().media,
    switches: texts().switchesAndScenes,
    sensors: texts().sensors,
    other: texts().other,
  };
}

/** The home view. */
export function HomeView() {
  useEffect(followHome, []);
  const view = home.value;
  return (
    <div class="page">
      <header class="page-head">
        <h1>{view?.name ?? texts().home}</h1>
        {view && <ConnectionBadge view={view} />}
      </header>
      {view ? <Rooms view={view} /> : hasNoHome.value ? <NoHome /> : <HomeLoading />}
    </div>
  );
}

function ConnectionBadge({ view }: { view: wire.HomeView }) {
  const { connection } = view;
  return (
    <>
      {view.home === "simulated" && <Badge tone="info">{texts().simulated}</Badge>}
      {connection === "connected" && view.home !== "simulated" && <Badge tone="success">{texts().connected}</Badge>}
      {connection === "connecting" && <Badge>{texts().connecting}</Badge>}
      {connection === "reconnecting" && <Badge tone="warning">{texts().unreachable}</Badge>}
      {connection === "refused" && <Badge tone="danger">{texts().refused}</Badge>}
    </>
  );
}

function HomeLoading() {
  return homeProblem.value === undefined ? (
    <div class="empty">
      <Spinner label={texts().loadingHome} />
    </div>
  ) : (
    <div class="page-body">
      <ErrorNotice error={homeProblem.value} />
    </div>
  );
}

function NoHome() {
  return (
    <div class="scroll" tabIndex={0} aria-label={texts().howConnectHome}>
      <EmptyState icon="home" title={texts().noHomeConnected}>
        <p class="home-how">{texts().dwellConnectsHomeAssistant}</p>
        <pre class="home-command">
          HOME_ASSISTANT_URL=http://homeassistant.local:8123 \{"\n"}HOME_ASSISTANT_TOKEN=… dwell serve
        </pre>
        <p class="home-how">
          {texts().aReadOnlyUser} <code>home.enabled = false</code> {texts().isSet}
        </p>
      </EmptyState>
    </div>
  );
}

function Rooms({ view }: { view: wire.HomeView }) {
  const [kind, setKind] = useState<Kind>("all");
  // A link may name an entity: `#/home//ENTITY`.
  const named = view.entities.find(({ entity_id: id }) => id === place.value.detail)?.name;
  const [words, setWords] = useState(named ?? "");
  const floors = floorsOf(view, kind, words);
  const found = floors.reduce((sum, { rooms }) => sum + rooms.reduce((all, room) => all + count(room), 0), 0);
  const isSearching = kind !== "all" || words.trim() !== "";
  return (
    <div class="scroll home-body" tabIndex={0} aria-label={texts().rooms}>
      <HomeSummary view={view} />
      {view.connection !== "connected" && (
        <Notice tone="warning" role="status">
          <p>{texts().theHomeCannotBe}</p>
          {view.why && <p class="hint">{view.why}</p>}
        </Notice>
      )}
      <div class="home-tools" role="search">
        <SearchBox
          class="home-search"
          label={texts().searchTheHome}
          placeholder={texts().searchRoomsAndDevices}
          value={words}
          onChange={setWords}
        />
        <div class="chips" role="group" aria-label={texts().filter}>
          {KINDS.map((name) => (
            <button key={name} type="button" class="chip" aria-pressed={kind === name} onClick={() => setKind(name)}>
              {kindNames()[name]}
            </button>
          ))}
        </div>
      </div>
      <p class="unseen" role="status">
        {isSearching ? texts().foundCount(found) : ""}
      </p>
      {floors.length === 0 && (
        <EmptyState icon="search" title={view.entities.length === 0 ? texts().noDevicesYet : texts().noMatches}>
          {isSearching && <p>{texts().tryAnotherSearchOr}</p>}
        </EmptyState>
      )}
      {floors.map((floor) => (
        <section key={floor.name} class="home-floor" aria-label={floor.name}>
          <h2>{floor.name}</h2>
          <div class="home-rooms">
            {floor.rooms.map((room) => (
              <RoomCard key={room.id} room={room} />
            ))}
          </div>
        </section>
      ))}
    </div>
  );
}

function count(room: { entities: unknown[]; auxiliary: unknown[] }): number {
  return room.entities.length + room.auxiliary.length;
}

/** The summary of the home as four tiles. */
function HomeSummary({ view }: { view: wire.HomeView }) {
  const gist = summarize(view.entities);
  const away = view.entities.filter(({ available }) => !available).length;
  const tiles = [
    { label: texts().lightsOn, value: `${gist.lightsOn}`, of: texts().ofLights(gist.lights) },
    {
      label: texts().openOrUnlocked,
      value: `${gist.open.length}`,
      of: gist.open.slice(0, 2).join(", ") || texts().allClosed,
    },
    { label: texts().playing, value: `${gist.playing.length}`, of: gist.playing[0] ?? texts().nothing },
    {
      label: texts().unavailable,
      value: `${away}`,
      of: away === 0 ? texts().allAvailable : texts().ofEntities(view.entities.length),
    },
  ];
  return (
    <dl class="home-tiles">
      {tiles.map(({ label, value, of }) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd>
            <b class="numbers">{value}</b> <span>{of}</span>
          </dd>
        </div>
      ))}
    </dl>
  );
}
