/** An owner's usage and limits as table rows. */
import type { wire } from "@dwell/client";
import { bytes, plainNumber } from "../kit/format.ts";
import { texts } from "../languages/agents.ts";

/** A row of the usage table. */
export type UsageRow = {
  name: string;
  used: string;
  limit: string;
  /** The used part of the limit, from 0 to 1; absent if there is no limit. */
  share?: number;
};

function resources(): [keyof Omit<wire.OwnerUsage, "owner">, string, (count: number) => string][] {
  return [
    ["running_turns", texts().runningTurns, plainNumber],
    ["open_turns", texts().openTurns, plainNumber],
    ["sessions", texts().sessions, plainNumber],
    ["journal_bytes", texts().journal, bytes],
    ["memory_records", texts().memoryRecords, plainNumber],
    ["memory_bytes", texts().memory, bytes],
    ["artifact_bytes", texts().artifacts, bytes],
    ["value_bytes", texts().storedValues, bytes],
  ];
}

function row(name: string, { used, max }: wire.QuotaUsage, shown: (count: number) => string): UsageRow {
  if (max === undefined || max === null) return { name, used: shown(used), limit: texts().noLimit };
  return { name, used: shown(used), limit: shown(max), share: max > 0 ? Math.min(1, used / max) : 1 };
}

/** The rows of an owner. */
export function usageRows(owner: wire.OwnerUsage): UsageRow[] {
  return resources().map(([key, name, shown]) => row(name, owner[key], shown));
}

/** The rows of the library. */
export function libraryRows(library: wire.LibraryUsage): UsageRow[] {
  return [row(texts().documents, library.documents, plainNumber), row(texts().files, library.bytes, bytes)];
}
