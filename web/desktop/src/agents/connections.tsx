/** Open connections of the server, in total and by owner, with their limits. */
import type { wire } from "@dwell/client";
import { plainNumber } from "../kit/format.ts";

type Row = readonly [name: string, count: number | undefined, max: number | undefined];

/** Connections, streams and MCP sessions. */
export function Connections({ stats }: { stats: wire.ServerStats }) {
  const has = stats.connections;
  if (!has) return null;
  const max = has.limits ?? {};
  const rows: Row[] = [
    ["Connections", has.open, max.connections],
    ["Without a token", has.anonymous, max.anonymous_connections],
    ["Streams", has.streams, max.streams],
    ["MCP sessions", has.mcp_sessions, max.mcp_sessions],
    ...Object.entries(has.owners ?? {}).flatMap(([owner, share]): Row[] => [
      [`Connections of ${owner}`, share.connections, max.owner_connections],
      [`Streams of ${owner}`, share.streams, max.owner_streams],
      [`MCP sessions of ${owner}`, share.mcp_sessions, max.owner_mcp_sessions],
    ]),
    ["Refused", has.refused, undefined],
    ["Replaced by newer ones", has.displaced, undefined],
    ["Timed out", has.timed_out, undefined],
  ];
  return (
    <details class="agents-fold">
      <summary>Connections</summary>
      <dl class="agents-limits">
        {rows.map(([name, count, most]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd class="numbers">
              {plainNumber(count ?? 0)}
              {most !== undefined && <small> of {plainNumber(most)}</small>}
            </dd>
          </div>
        ))}
      </dl>
    </details>
  );
}
