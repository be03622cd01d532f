/** Labels and texts of the memory view: levels, dates, scores, prompt sections, findings. */
import type { wire } from "@dwell/client";

/** A memory item, whatever request it came from. */
export type MemoryItem = {
  id: string;
  level: wire.Level;
  text: string;
  key?: string | undefined;
  value?: string | undefined;
  role?: string | undefined;
  speaker?: string | undefined;
  /** When it happened. */
  at: string;
  storedAt?: string | undefined;
  from?: string | undefined;
  until?: string | undefined;
  supersededBy?: string | undefined;
  confidence?: number | undefined;
  priority?: number | undefined;
  expiresAt?: string | undefined;
  source?: wire.ItemSource | undefined;
  isUntrusted: boolean;
};

/** An item from a fact or a profile entry. */
export function fromFact(fact: wire.Fact): MemoryItem {
  return {
    id: fact.fact_id,
    level: fact.level,
    text: fact.text,
    key: fact.key,
    value: fact.value,
    at: fact.valid_from,
    storedAt: fact.stored_at,
    from: fact.valid_from,
    until: fact.valid_until ?? undefined,
    supersededBy: fact.superseded_by ?? undefined,
    confidence: fact.confidence,
    priority: fact.priority,
    expiresAt: fact.expires_at ?? undefined,
    source: fact.source,
    isUntrusted: fact.origin === "untrusted",
  };
}

/** An item from a search result or a list. */
export function fromFound(found: Omit<wire.MemoryHit, "score">): MemoryItem {
  return {
    id: found.id,
    level: found.level,
    text: found.text,
    key: found.key ?? undefined,
    value: found.value ?? undefined,
    role: found.role ?? undefined,
    speaker: found.speaker ?? undefined,
    at: found.at,
    storedAt: found.stored_at,
    from: found.valid_from ?? undefined,
    until: found.valid_until ?? undefined,
    supersededBy: found.superseded_by ?? undefined,
    confidence: found.confidence ?? undefined,
    priority: found.priority ?? undefined,
    expiresAt: found.expires_at ?? undefined,
    source: found.source,
    isUntrusted: found.origin === "untrusted",
  };
}

/** An item from the context of a turn. */
export function fromUsed(used: wire.UsedItem): MemoryItem {
  return {
    id: used.id ?? "",
    level: used.level,
    text: used.text,
    key: used.key ?? undefined,
    value: used.level === "profile" || used.level === "fact" ? used.text : undefined,
    at: used.at ?? "",
    until: used.valid_until ?? undefined,
    source: { session_id: used.session_id, turn_id: used.source },
    isUntrusted: false,
  };
}

/** The labels of the levels. */
export const LEVELS: Record<wire.Level, string> = {
  profile: "Profile",
  fact: "Fact",
  entry: "Entry",
  context: "Summary",
  pin: "Pin",
};

const dates = new Intl.DateTimeFormat(undefined, { dateStyle: "medium" });
const times = new Intl.DateTimeFormat(undefined, { timeStyle: "short" });

/** The text of a statement, if it says more than its key and value. */
export function ownWords({ text, key, value }: MemoryItem): string | undefined {
  return value === undefined || text === value || text === `${key ?? ""}: ${value}` ? undefined : text;
}

/** A date. */
export function dayOf(at: string): string {
  return dates.format(new Date(at));
}

/** The period in which an item is valid. */
export function validity(from: string | undefined, until: string | undefined): string {
  if (until === undefined) return from === undefined ? "" : `since ${dayOf(from)}`;
  if (from === undefined) return `until ${dayOf(until)}`;
  if (dayOf(from) !== dayOf(until)) return `${dayOf(from)} – ${dayOf(until)}`;
  return `${dayOf(from)}, until ${times.format(new Date(until))}`;
}

/** Whether the time of storing differs noticeably from the time of the event. */
export function isStoredApart(at: string, storedAt: string | undefined): boolean {
  return storedAt !== undefined && Math.abs(Date.parse(storedAt) - Date.parse(at)) > 120_000;
}

/** A confidence as a label. */
export function confidenceLabel(confidence: number): string {
  const percent = `${Math.round(confidence * 100)} %`;
  if (confidence >= 0.8) return `${percent} confidence`;
  return confidence >= 0.5 ? `${percent} confidence (medium)` : `${percent} confidence (low)`;
}

/** A part of a score. */
export type ScorePart = { name: string; about: string; value: number };

/** The parts whose sum is the total. */
export function scoreParts(score: wire.Score): ScorePart[] {
  return [
    { name: "Relevance", about: "how well keywords and meaning match", value: score.relevance ?? 0 },
    { name: "Recency", about: "how new it is", value: score.recency ?? 0 },
    { name: "Pinned", about: "pinned, or in the profile", value: score.pinned ?? 0 },
    { name: "Conversation", about: "from the same conversation", value: score.conversation ?? 0 },
    { name: "Entity", about: "mentions the same people, places or things", value: score.entity ?? 0 },
    { name: "Time", about: "matches the time in the question; negative if no longer valid", value: score.time ?? 0 },
  ];
}

/** The parts of the relevance, each from 0 to 1. */
export function relevanceParts(score: wire.Score): ScorePart[] {
  return [
    { name: "Keywords", about: "how well the keywords match", value: score.lexical ?? 0 },
    { name: "Meaning", about: "how close the meaning is", value: score.semantic ?? 0 },
  ];
}

const SECTIONS: Partial<Record<string, string>> = {
  system: "Dwell's instructions",
  role: "Agent role",
  client: "Your instructions",
  tools: "Tools",
  entities: "Home",
  profile: "Profile",
  pins: "Pins",
  summary: "Summary of earlier turns",
  transfer: "Transferred context",
  facts: "Facts and earlier messages",
  hints: "Hints",
  recent: "Conversation so far",
  task: "Message",
  rounds: "Calls and results",
  wrap_up: "Closing instructions",
  clock: "Date and time",
};

/** The label of a prompt section. */
export function sectionName(name: string): string {
  const words = name.replace(/_/g, " ");
  return SECTIONS[name] ?? words.charAt(0).toUpperCase() + words.slice(1);
}

/** Describes what forgetting deleted. */
export function describeForgotten({ items = [], sessions = [], artifacts = 0 }: wire.ForgetResult): string {
  const parts = [
    items.length > 0 && count(items.length, "item"),
    sessions.length > 0 && `text in ${count(sessions.length, "session")}`,
    artifacts > 0 && count(artifacts, "file"),
  ].filter((part) => part !== false);
  return parts.length === 0 ? "There was nothing to forget." : `Deleted: ${parts.join(", ")}.`;
}

/** Describes the result of an import. */
export function describeImported(imported: wire.MemoryImportResult): string {
  const kinds = [
    [imported.facts, "fact"],
    [imported.entries, "entry", "entries"],
    [imported.memories, "memory", "memories"],
    [imported.contexts, "summary", "summaries"],
    [imported.vaults, "vault"],
  ] as const;
  const parts = kinds.flatMap(([number, one, many]) => (number ? [count(number, one, many)] : []));
  const known = imported.known ? ` ${count(imported.known, "item")} already existed.` : "";
  return `${parts.length === 0 ? "Nothing new." : `New: ${parts.join(", ")}.`}${known}`;
}

/** `1 fact`, `2 facts`. */
export function count(number: number, one: string, many = `${one}s`): string {
  return `${number} ${number === 1 ? one : many}`;
}

/** The kinds of audit findings, most important first. */
export const FINDINGS = [
  { name: "secrets", title: "Possible secrets", about: "Keys, passwords or tokens do not belong in memory." },
  { name: "contradictions", title: "Contradictions", about: "Current facts that cannot both be true." },
  { name: "duplicates", title: "Duplicates", about: "The same text as another item." },
  { name: "near_duplicates", title: "Near duplicates", about: "Nearly the same text as another item." },
  { name: "stale", title: "Stale", about: "Facts that have not been repeated for a long time." },
  {
    name: "unsearchable",
    title: "Not searchable by meaning yet",
    about: "Keyword search finds these already; semantic search does once the embedding model has processed them.",
  },
] as const;
