/** Server load: running and queued turns, usage, limits, connections. */
import { sessions, titleOf } from "../store/sessions.ts";
import { ago, bytes, duration, plainNumber } from "../kit/format.ts";
import { Badge, Spinner, ErrorNotice } from "../kit/pieces.tsx";
import { hrefOf } from "../route.ts";
import { Connections } from "./connections.tsx";
import { toLabel } from "./figures.ts";
import { limitsOf, serverStats, statsProblem, turnsMax } from "./stats.ts";
import { Usage } from "./usage.tsx";
import { texts } from "../languages/agents.ts";

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
      aria-valuetext={words ?? texts().valueOfMax(value, max)}
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
      <section class="agents-panel card" aria-label={texts().server}>
        <h2>{texts().server}</h2>
        {statsProblem.value === undefined ? <Spinner /> : <ErrorNotice error={statsProblem.value} />}
      </section>
    );
  }
  const max = turnsMax(stats);
  const waiting = stats.waiting_turns ?? 0;
  const limits = limitsOf(stats);
  return (
    <section class="agents-panel card" aria-label={texts().server}>
      <h2>{texts().server}</h2>
      <dl class="agents-numbers">
        <div>
          <dt>{texts().runningTurns}</dt>
          <dd class="numbers">
            {stats.running_turns}
            {max !== undefined && (
              <small>
                {" "}
                {texts().of} {max}
              </small>
            )}
          </dd>
        </div>
        <div>
          <dt>{texts().queuedTurns}</dt>
          <dd class="numbers">{waiting}</dd>
        </div>
        <div>
          <dt>{texts().liveSessions}</dt>
          <dd class="numbers">{stats.live_sessions}</dd>
        </div>
        <div>
          <dt>{texts().totalTurns}</dt>
          <dd class="numbers">{plainNumber(stats.totals.turns ?? 0)}</dd>
        </div>
      </dl>
      {max !== undefined && <Meter label={texts().runningTurns} value={stats.running_turns} max={max} />}
      {waiting > 0 && stats.waits && (
        <p class="agents-soft">
          {texts().medianQueueWait} {duration(stats.waits.p50_ms ?? 0)}.
        </p>
      )}
      {stats.usage && <Usage usage={stats.usage} />}
      {limits.length > 0 && (
        <details class="agents-fold">
          <summary>{texts().limits}</summary>
          <dl class="agents-limits">
            {limits.map(([name, value]) => (
              <div key={name}>
                <dt>{limitName(name)}</dt>
                <dd class="numbers">{limit(name, value)}</dd>
              </div>
            ))}
          </dl>
        </details>
      )}
      <Connections stats={stats} />
      <p class="agents-soft">
        {texts().sinceStart} {ago(stats.since)}.
      </p>
    </section>
  );
}

/** The name of a limit, which may be new to this page. */
function limitName(name: string): string {
  return (texts().limitNames as Partial<Record<string, string>>)[name] ?? toLabel(name.replace(/_ms$/, ""));
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
    <section class="agents-panel card" aria-label={texts().activeSessions}>
      <h2>{except === undefined ? texts().activeSessions : texts().otherActiveSessions}</h2>
      {busy.length === 0 ? (
        <p class="agents-soft">{except === undefined ? texts().noActiveSessions : texts().none}</p>
      ) : (
        <ul class="agents-busy">
          {busy.map((session) => (
            <li key={session.session_id}>
              <a href={hrefOf({ view: "agents", session: session.session_id })}>{titleOf(session)}</a>
              <Badge tone="accent">{texts().openTurnCount(session.open_turns.length)}</Badge>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
