/** Server load: running and queued turns, usage, limits, connections. */
import { sessions, titleOf } from "../store/sessions.ts";
import { ago, bytes, duration, plainNumber } from "../kit/format.ts";
import { Badge, Spinner, ErrorNotice } from "../kit/pieces.tsx";
import { hrefOf } from "../route.ts";
import { Connections } from "./connections.tsx";
import { toLabel } from "./figures.ts";
import { limitsOf, serverStats, statsProblem, turnsMax } from "./stats.ts";
import { Usage } from "./usage.tsx";

/** A bar that shows how much of a maximum is used. */
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

/** The server panel. */
export function ServerPanel() {
  const stats = serverStats.value;
  if (!stats) {
    return (
      <section class="agents-panel card" aria-label="Server">
        <h2>Server</h2>
        {statsProblem.value === undefined ? <Spinner /> : <ErrorNotice error={statsProblem.value} />}
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
          <dt>Running turns</dt>
          <dd class="numbers">
            {stats.running_turns}
            {max !== undefined && <small> of {max}</small>}
          </dd>
        </div>
        <div>
          <dt>Queued turns</dt>
          <dd class="numbers">{waiting}</dd>
        </div>
        <div>
          <dt>Live sessions</dt>
          <dd class="numbers">{stats.live_sessions}</dd>
        </div>
        <div>
          <dt>Total turns</dt>
          <dd class="numbers">{plainNumber(stats.totals.turns ?? 0)}</dd>
        </div>
      </dl>
      {max !== undefined && <Meter label="Running turns" value={stats.running_turns} max={max} />}
      {waiting > 0 && stats.waits && <p class="agents-soft">Median queue wait: {duration(stats.waits.p50_ms ?? 0)}.</p>}
      {stats.usage && <Usage usage={stats.usage} />}
      {limits.length > 0 && (
        <details class="agents-fold">
          <summary>Limits</summary>
          <dl class="agents-limits">
            {limits.map(([name, value]) => (
              <div key={name}>
                <dt>{toLabel(name.replace(/_ms$/, ""))}</dt>
                <dd class="numbers">{limit(name, value)}</dd>
              </div>
            ))}
          </dl>
        </details>
      )}
      <Connections stats={stats} />
      <p class="agents-soft">Since the server started, {ago(stats.since)}.</p>
    </section>
  );
}

/** A limit with the unit that its name implies. */
function limit(name: string, value: number): string {
  if (name.endsWith("_ms")) return duration(value);
  return name.includes("bytes") ? bytes(value) : plainNumber(value);
}

/** Sessions with open turns. */
export function BusySessions({ except }: { except?: string | undefined }) {
  const busy = sessions.value.filter((session) => session.open_turns.length > 0 && session.session_id !== except);
  return (
    <section class="agents-panel card" aria-label="Active sessions">
      <h2>{except === undefined ? "Active sessions" : "Other active sessions"}</h2>
      {busy.length === 0 ? (
        <p class="agents-soft">{except === undefined ? "No active sessions." : "None."}</p>
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
