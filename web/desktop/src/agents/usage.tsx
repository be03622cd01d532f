/** Usage and limits as tables. */
import type { wire } from "@dwell/client";
import { libraryRows, usageRows, type UsageRow } from "./usage.ts";
import { texts } from "../languages/agents.ts";

/** The current owner's usage; for the operator also that of the other owners and the library. */
export function Usage({ usage }: { usage: wire.ServerUsage }) {
  const others = (usage.owners ?? []).filter((one) => one.owner !== usage.own.owner);
  return (
    <>
      <details class="agents-fold" open>
        <summary>{texts().usage}</summary>
        <Table label={texts().usageOfOwner(usage.own.owner)} rows={usageRows(usage.own)} />
      </details>
      {others.map((one) => (
        <details class="agents-fold" key={one.owner}>
          <summary>
            {texts().usageOf} {one.owner}
          </summary>
          <Table label={texts().usageOfOwner(one.owner)} rows={usageRows(one)} />
        </details>
      ))}
      {usage.library && (
        <details class="agents-fold">
          <summary>{texts().library}</summary>
          <Table label={texts().usageOfTheLibrary} rows={libraryRows(usage.library)} />
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
            <th scope="col">{texts().resource}</th>
            <th scope="col">{texts().used}</th>
            <th scope="col">{texts().limit}</th>
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
