/** What an owner uses of the server, and how much of it they may, in the order in which it is shown. */
import type { wire } from "@dwell/client";
import { bytes, plainNumber } from "../kit/format.ts";

/** One line of it. */
export type UsageRow = {
  name: string;
  used: string;
  limit: string;
  /** How much of the limit is used, from 0 to 1; absent if there is none. */
  share?: number;
};

const ROWS: [keyof Omit<wire.OwnerUsage, "owner">, string, (count: number) => string][] = [
  ["running_turns", "Turns at work", plainNumber],
  ["open_turns", "Open turns", plainNumber],
  ["sessions", "Sessions", plainNumber],
  ["journal_bytes", "Journal", bytes],
  ["memory_records", "Memory records", plainNumber],
  ["memory_bytes", "Memory", bytes],
  ["artifact_bytes", "Artifacts", bytes],
];

function row(name: string, { used, max }: wire.Share, shown: (count: number) => string): UsageRow {
  if (max === undefined || max === null) return { name, used: shown(used), limit: "none" };
  return { name, used: shown(used), limit: shown(max), share: max > 0 ? Math.min(1, used / max) : 1 };
}

/** The lines of an owner. */
export function usageRows(owner: wire.OwnerUsage): UsageRow[] {
  return ROWS.map(([key, name, shown]) => row(name, owner[key], shown));
}

/** The lines of the library. */
export function libraryRows(library: wire.LibraryUsage): UsageRow[] {
  return [row("Documents", library.documents, plainNumber), row("Files", library.bytes, bytes)];
}
