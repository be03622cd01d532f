/** An owner's usage and limits as table rows. */
import type { wire } from "@dwell/client";
import { bytes, plainNumber } from "../kit/format.ts";

/** A row of the usage table. */
export type UsageRow = {
  name: string;
  used: string;
  limit: string;
  /** The used part of the limit, from 0 to 1; absent if there is no limit. */
  share?: number;
};

const ROWS: [keyof Omit<wire.OwnerUsage, "owner">, string, (count: number) => string][] = [
  ["running_turns", "Running turns", plainNumber],
  ["open_turns", "Open turns", plainNumber],
  ["sessions", "Sessions", plainNumber],
  ["journal_bytes", "Journal", bytes],
  ["memory_records", "Memory records", plainNumber],
  ["memory_bytes", "Memory", bytes],
  ["artifact_bytes", "Artifacts", bytes],
  ["value_bytes", "Stored values", bytes],
];

function row(name: string, { used, max }: wire.QuotaUsage, shown: (count: number) => string): UsageRow {
  if (max === undefined || max === null) return { name, used: shown(used), limit: "none" };
  return { name, used: shown(used), limit: shown(max), share: max > 0 ? Math.min(1, used / max) : 1 };
}

/** The rows of an owner. */
export function usageRows(owner: wire.OwnerUsage): UsageRow[] {
  return ROWS.map(([key, name, shown]) => row(name, owner[key], shown));
}

/** The rows of the library. */
export function libraryRows(library: wire.LibraryUsage): UsageRow[] {
  return [row("Documents", library.documents, plainNumber), row("Files", library.bytes, bytes)];
}
