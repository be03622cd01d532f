/** The server around the agents: what runs, what waits, how full it is. */
import { sessions, titleOf } from "../house/sessions.ts";
import { ago, bytes, duration, plainNumber } from "../kit/format.ts";
import { Badge, Spinner, Trouble } from "../kit/pieces.tsx";
import { hrefOf } from "../route.ts";
import { Connections } from "./connections.tsx";
import { inWords } from "./figures.ts";
import { limitsOf, serverStats, statsProblem, turnsMax } from "./stats.ts";
import { Usage } from "./usage.tsx";

/** A bar that shows how much of something is taken. */
export function Meter(props: { label: string; value: number; max: number; words?: string }) {
  const { label, value, max, words } = props;
  const share = max > 0 ? Math.min(100, (value / max) * 100) : 0;
  const tone = share >= 90 ? "full" : share >= 70 ? "high" : "";
  return (
    <div
      class={`agents-meter ${tone}`}
      role="meter"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={max}
      aria-valuenow={Math.min(value, max)}
      aria-valuetext={words ?? `${value} of ${max}`}
    >
      <span style={{ width: `${share}%` }} />
    </div>
  );
}

/** The numbers of the server. */
export function ServerPanel() {
  const stats = serverStats.value;
  if (!stats) {
    return (
      <section class="agents-panel card" aria-label="Server">
        <h2>Server</h2>
        {statsProblem.value === undefined ? <Spinner /> : <Trouble error={statsProblem.value} />}
      </section>
    );
  }
  const max = turnsMax(stats);
  const waiting = stats.waiting_turns ?? 0;
  const limits = limitsOf(stats);
  return (
    <section class="agents-panel card" aria-label="Server">
      <h2>Server</h2>
      <dl class="agents-numbers">
        <div>
          <dt>Turns at work</dt>
          <dd class="numbers">
            {stats.running_turns}
            {max !== undefined && <small> of {max}</small>}
          </dd>
        </div>
        <div>
          <dt>Waiting for room</dt>
          <dd class="numbers">{waiting}</dd>
        </div>
        <div>
          <dt>Sessions live</dt>
          <dd class="numbers">{stats.live_sessions}</dd>
        </div>
        <div>
          <dt>Turns so far</dt>
          <dd class="numbers">{plainNumber(stats.totals.turns ?? 0)}</dd>
        </div>
      </dl>
      {max !== undefined && <Meter label="Turns at work" value={stats.running_turns} max={max} />}
      {waiting > 0 && stats.waits && (
        <p class="agents-soft">Turns have waited {duration(stats.waits.p50_ms ?? 0)} for room, half of them less.</p>
      )}
      {stats.usage && <Usage usage={stats.usage} />}
      {limits.length > 0 && (
        <details class="agents-fold">
          <summary>Limits</summary>
          <dl class="agents-limits">
            {limits.map(([name, value]) => (
              <div key={name}>
                <dt>{inWords(name.replace(/_ms$/, ""))}</dt>
                <dd class="numbers">{limit(name, value)}</dd>
              </div>
            ))}
          </dl>
        </details>
      )}
      <Connections stats={stats} />
      <p class="agents-soft">Counted since the server started, {ago(stats.since)}.</p>
    </section>
  );
}

/** A limit with its unit, which its name tells. */
function limit(name: string, value: number): string {
  if (name.endsWith("_ms")) return duration(value);
  return name.includes("bytes") ? bytes(value) : plainNumber(value);
}

/** Sessions in which something is open. */
export function BusySessions({ except }: { except?: string | undefined }) {
  const busy = sessions.value.filter((session) => session.open_turns.length > 0 && session.session_id !== except);
  return (
    <section class="agents-panel card" aria-label="Sessions at work">
      <h2>{except === undefined ? "Sessions at work" : "Other sessions at work"}</h2>
      {busy.length === 0 ? (
        <p class="agents-soft">{except === undefined ? "No session has an open turn." : "None."}</p>
      ) : (
        <ul class="agents-busy">
          {busy.map((session) => (
            <li key={session.session_id}>
              <a href={hrefOf({ view: "agents", session: session.session_id })}>{titleOf(session)}</a>
              <Badge tone="accent">
                {session.open_turns.length === 1 ? "1 open turn" : `${session.open_turns.length} open turns`}
              </Badge>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
