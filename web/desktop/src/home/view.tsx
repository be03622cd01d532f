/** Home: rooms and what is in them, as it stands now. */
import type { wire } from "@dwell/client";
import { useEffect, useState } from "preact/hooks";
import { Badge, Empty, Notice, Spinner, Trouble } from "../kit/pieces.tsx";
import { SearchBox } from "../kit/search-box.tsx";
import { place } from "../route.ts";
import { RoomCard } from "./room.tsx";
import { floorsOf, gistOf, type Kind, KINDS } from "./rooms.ts";
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

/** The view. */
export function HomeView() {
  useEffect(followHome, []);
  const view = home.value;
  return (
    <div class="page">
      <header class="page-head">
        <h1>{view?.name ?? "Home"}</h1>
        {view && <Standing view={view} />}
      </header>
      {view ? <Rooms view={view} /> : hasNoHome.value ? <NoHome /> : <NotYet />}
    </div>
  );
}

function Standing({ view }: { view: wire.HomeView }) {
  const { connection } = view;
  return (
    <>
      {view.home === "simulated" && <Badge tone="info">Simulated</Badge>}
      {connection === "connected" && view.home !== "simulated" && <Badge tone="success">Connected</Badge>}
      {connection === "connecting" && <Badge>Connecting</Badge>}
      {connection === "reconnecting" && <Badge tone="warning">Not reachable</Badge>}
      {connection === "refused" && <Badge tone="danger">Refused</Badge>}
    </>
  );
}

function NotYet() {
  return homeProblem.value === undefined ? (
    <div class="empty">
      <Spinner label="Looking at the home" />
    </div>
  ) : (
    <div class="page-body">
      <Trouble error={homeProblem.value} />
    </div>
  );
}

function NoHome() {
  return (
    <div class="scroll" tabIndex={0} aria-label="How to connect a home">
      <Empty icon="home" title="No home is connected">
        <p class="home-how">
          Dwell looks at a home through Home Assistant. Make a long-lived access token there (your profile, Security),
          then start Dwell with both:
        </p>
        <pre class="home-command">
          HOME_ASSISTANT_URL=http://homeassistant.local:8123 \{"\n"}HOME_ASSISTANT_TOKEN=… dwell serve
        </pre>
        <p class="home-how">
          A user who may only read is a good beginning. Without an address Dwell brings a simulated home to try things
          with, unless <code>home.enabled = false</code> takes it away.
        </p>
      </Empty>
    </div>
  );
}

function Rooms({ view }: { view: wire.HomeView }) {
  const [kind, setKind] = useState<Kind>("all");
  // An address may name one thing: `#/home//ENTITY`.
  const named = view.entities.find(({ entity_id: id }) => id === place.value.detail)?.name;
  const [words, setWords] = useState(named ?? "");
  const floors = floorsOf(view, kind, words);
  const found = floors.reduce((sum, { rooms }) => sum + rooms.reduce((all, room) => all + count(room), 0), 0);
  const isSearching = kind !== "all" || words.trim() !== "";
  return (
    <div class="scroll home-body" tabIndex={0} aria-label="Rooms">
      <Gists view={view} />
      {view.connection !== "connected" && (
        <Notice tone="warning" role="status">
          <p>What is shown is from before: the home cannot be reached.</p>
          {view.why && <p class="hint">{view.why}</p>}
        </Notice>
      )}
      <div class="home-tools" role="search">
        <SearchBox
          class="home-search"
          label="Search the home"
          placeholder="Search rooms and things"
          value={words}
          onChange={setWords}
        />
        <div class="chips" role="group" aria-label="Show">
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
        <Empty icon="search" title={view.entities.length === 0 ? "The home has nothing to show yet" : "Nothing found"}>
          {isSearching && <p>Try another word, or show everything.</p>}
        </Empty>
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

/** The home in four numbers. */
function Gists({ view }: { view: wire.HomeView }) {
  const gist = gistOf(view.entities);
  const away = view.entities.filter(({ available }) => !available).length;
  const tiles = [
    { label: "Lights on", value: `${gist.lightsOn}`, of: `of ${gist.lights}` },
    { label: "Open or unlocked", value: `${gist.open.length}`, of: gist.open.slice(0, 2).join(", ") || "all closed" },
    { label: "Playing", value: `${gist.playing.length}`, of: gist.playing[0] ?? "nothing" },
    { label: "Not reachable", value: `${away}`, of: away === 0 ? "all there" : `of ${view.entities.length}` },
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
