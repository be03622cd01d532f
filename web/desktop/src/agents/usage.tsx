/** Usage and limits as tables. */
import type { wire } from "@dwell/client";
import { libraryRows, usageRows, type UsageRow } from "./usage.ts";

/** The current owner's usage; for the operator also that of the other owners and the library. */
export function Usage({ usage }: { usage: wire.ServerUsage }) {
  const others = (usage.owners ?? []).filter((one) => one.owner !== usage.own.owner);
  return (
    <>
      <details class="agents-fold" open>
        <summary>Usage</summary>
        <Table label={`Usage of ${usage.own.owner}`} rows={usageRows(usage.own)} />
      </details>
      {others.map((one) => (
        <details class="agents-fold" key={one.owner}>
          <summary>Usage of {one.owner}</summary>
          <Table label={`Usage of ${one.owner}`} rows={usageRows(one)} />
        </details>
      ))}
      {usage.library && (
        <details class="agents-fold">
          <summary>Library</summary>
          <Table label="Usage of the library" rows={libraryRows(usage.library)} />
        </details>
      )}
    </>
  );
}

function Table({ label, rows }: { label: string; rows: UsageRow[] }) {
  return (
    <div class="agents-table">
      <table aria-label={label}>
        <thead>
          <tr>
            <th scope="col">Resource</th>
            <th scope="col">Used</th>
            <th scope="col">Limit</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ name, used, limit, share }) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td class={`numbers ${share !== undefined && share >= 0.9 ? "bad" : ""}`}>{used}</td>
              <td class="numbers">{limit}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
