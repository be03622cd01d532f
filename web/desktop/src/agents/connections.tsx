/** Open connections of the server, in total and by owner, with their limits. */
import type { wire } from "@dwell/client";
import { plainNumber } from "../kit/format.ts";
import { texts } from "../languages/agents.ts";

type Row = readonly [name: string, count: number | undefined, max: number | undefined];

/** Connections, streams and MCP sessions. */
export function Connections({ stats }: { stats: wire.ServerStats }) {
  const has = stats.connections;
  if (!has) return null;
  const max = has.limits ?? {};
  const rows: Row[] = [
    [texts().connections, has.open, max.connections],
    [texts().withoutAToken, has.anonymous, max.anonymous_connections],
    [texts().streams, has.streams, max.streams],
    [texts().mcpSessions, has.mcp_sessions, max.mcp_sessions],
    ...Object.entries(has.owners ?? {}).flatMap(([owner, share]): Row[] => [
      [texts().connectionsOfOwner(owner), share.connections, max.owner_connections],
      [texts().streamsOfOwner(owner), share.streams, max.owner_streams],
      [texts().mcpSessionsOf(owner), share.mcp_sessions, max.owner_mcp_sessions],
    ]),
    [texts().refused, has.refused, undefined],
    [texts().replacedByNewerOnes, has.displaced, undefined],
    [texts().timedOut, has.timed_out, undefined],
  ];
  return (
    <details class="agents-fold">
      <summary>{texts().connections}</summary>
      <dl class="agents-limits">
        {rows.map(([name, count, most]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd class="numbers">
              {plainNumber(count ?? 0)}
              {most !== undefined && (
                <small>
                  {" "}
                  {texts().of} {plainNumber(most)}
                </small>
              )}
            </dd>
          </div>
        ))}
      </dl>
    </details>
  );
}
