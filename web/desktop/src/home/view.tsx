/** The home view: rooms and the current state of their entities. */
import type { wire } from "@dwell/client";
import { useEffect, useState } from "preact/hooks";
import { Badge, EmptyState, Notice, Spinner, ErrorNotice } from "../kit/pieces.tsx";
import { SearchBox } from "../kit/search-box.tsx";
import { place } from "../route.ts";
import { RoomCard } from "./room.tsx";
import { floorsOf, summarize, type Kind, KINDS } from "./rooms.ts";
import { followHome, hasNoHome, home, homeProblem } from "./store.ts";
import "./home.css";

const NAMES: Record<Kind, string> = {
  all: "Everything",
  lights: "Lights",
  climate: "Climate",
  openings: "Doors and covers",
  media: "Media",
  switches: "Switches and scenes",
  sensors: "Sensors",
  other: "Other",
};

/** The home view. */
export function HomeView() {
  useEffect(followHome, []);
  const view = home.value;
  return (
    <div class="page">
      <header class="page-head">
        <h1>{view?.name ?? "Home"}</h1>
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
      {view.home === "simulated" && <Badge tone="info">Simulated</Badge>}
      {connection === "connected" && view.home !== "simulated" && <Badge tone="success">Connected</Badge>}
      {connection === "connecting" && <Badge>Connecting</Badge>}
      {connection === "reconnecting" && <Badge tone="warning">Unreachable</Badge>}
      {connection === "refused" && <Badge tone="danger">Refused</Badge>}
    </>
  );
}

function HomeLoading() {
  return homeProblem.value === undefined ? (
    <div class="empty">
      <Spinner label="Loading home" />
    </div>
  ) : (
    <div class="page-body">
      <ErrorNotice error={homeProblem.value} />
    </div>
  );
}

function NoHome() {
  return (
    <div class="scroll" tabIndex={0} aria-label="How to connect a home">
      <EmptyState icon="home" title="No home connected">
        <p class="home-how">
          Dwell connects to Home Assistant. Create a long-lived access token there (your profile, Security), then start
          Dwell with its address and the token:
        </p>
        <pre class="home-command">
          HOME_ASSISTANT_URL=http://homeassistant.local:8123 \{"\n"}HOME_ASSISTANT_TOKEN=… dwell serve
        </pre>
        <p class="home-how">
          A read-only user is a good start. Without an address Dwell uses a simulated home, unless{" "}
          <code>home.enabled = false</code> is set.
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
    <div class="scroll home-body" tabIndex={0} aria-label="Rooms">
      <HomeSummary view={view} />
      {view.connection !== "connected" && (
        <Notice tone="warning" role="status">
          <p>The home cannot be reached. Showing its last known state.</p>
          {view.why && <p class="hint">{view.why}</p>}
        </Notice>
      )}
      <div class="home-tools" role="search">
        <SearchBox
          class="home-search"
          label="Search the home"
          placeholder="Search rooms and devices"
          value={words}
          onChange={setWords}
        />
        <div class="chips" role="group" aria-label="Filter">
          {KINDS.map((name) => (
            <button key={name} type="button" class="chip" aria-pressed={kind === name} onClick={() => setKind(name)}>
              {NAMES[name]}
            </button>
          ))}
        </div>
      </div>
      <p class="unseen" role="status">
        {isSearching ? `${found} found` : ""}
      </p>
      {floors.length === 0 && (
        <EmptyState icon="search" title={view.entities.length === 0 ? "No devices yet" : "No matches"}>
          {isSearching && <p>Try another search or filter.</p>}
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
    { label: "Lights on", value: `${gist.lightsOn}`, of: `of ${gist.lights}` },
    { label: "Open or unlocked", value: `${gist.open.length}`, of: gist.open.slice(0, 2).join(", ") || "all closed" },
    { label: "Playing", value: `${gist.playing.length}`, of: gist.playing[0] ?? "nothing" },
    { label: "Unavailable", value: `${away}`, of: away === 0 ? "all available" : `of ${view.entities.length}` },
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
