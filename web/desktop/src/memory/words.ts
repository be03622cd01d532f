/** What memory holds, in words: levels, times, scores, the parts of a prompt, findings. */
import type { wire } from "@dwell/client";

/** Something remembered, whichever way it was asked for. */
export type Remembered = {
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
  source?: wire.Source | undefined;
  isForeign: boolean;
};

/** A fact or a line of the profile. */
export function fromFact(fact: wire.Fact): Remembered {
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
    isForeign: fact.origin === "untrusted",
  };
}

/** Something that was found or listed. */
export function fromFound(found: Omit<wire.Found, "score">): Remembered {
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
    isForeign: found.origin === "untrusted",
  };
}

/** Something a turn was told. */
export function fromUsed(used: wire.UsedItem): Remembered {
  return {
    id: used.id ?? "",
    level: used.level,
    text: used.text,
    key: used.key ?? undefined,
    value: used.level === "profile" || used.level === "fact" ? used.text : undefined,
    at: used.at ?? "",
    until: used.valid_until ?? undefined,
    source: { session_id: used.session_id, turn_id: used.source },
    isForeign: false,
  };
}

/** What a level is called, one of it. */
export const LEVELS: Record<wire.Level, string> = {
  profile: "Profile",
  fact: "Fact",
  entry: "Entry",
  context: "Summary",
  pin: "Pin",
};

const dates = new Intl.DateTimeFormat(undefined, { dateStyle: "medium" });
const times = new Intl.DateTimeFormat(undefined, { timeStyle: "short" });

/** The words of a statement, where they say more than its key and its value. */
export function ownWords({ text, key, value }: Remembered): string | undefined {
  return value === undefined || text === value || text === `${key ?? ""}: ${value}` ? undefined : text;
}

/** A day. */
export function dayOf(at: string): string {
  return dates.format(new Date(at));
}

/** In which time something holds. */
export function validity(from: string | undefined, until: string | undefined): string {
  if (until === undefined) return from === undefined ? "" : `since ${dayOf(from)}`;
  if (from === undefined) return `until ${dayOf(until)}`;
  if (dayOf(from) !== dayOf(until)) return `${dayOf(from)} – ${dayOf(until)}`;
  return `${dayOf(from)}, until ${times.format(new Date(until))}`;
}

/** Whether what was stored was stored noticeably later, or earlier, than it happened. */
export function isStoredApart(at: string, storedAt: string | undefined): boolean {
  return storedAt !== undefined && Math.abs(Date.parse(storedAt) - Date.parse(at)) > 120_000;
}

/** How sure, in words of a person. */
export function sureness(confidence: number): string {
  const percent = `${Math.round(confidence * 100)} %`;
  if (confidence >= 0.8) return `${percent} sure`;
  return confidence >= 0.5 ? `${percent}, fairly sure` : `${percent}, hardly sure`;
}

/** A part of a score. */
export type ScorePart = { name: string; about: string; value: number };

/** The parts whose sum is the total. */
export function scoreParts(score: wire.Score): ScorePart[] {
  return [
    { name: "Relevance", about: "how well words and meaning fit", value: score.relevance ?? 0 },
    { name: "Recency", about: "how new it is", value: score.recency ?? 0 },
    { name: "Pinned", about: "pinned, or in the profile", value: score.pinned ?? 0 },
    { name: "Conversation", about: "from the same conversation", value: score.conversation ?? 0 },
    { name: "Entity", about: "names the same people, places or things", value: score.entity ?? 0 },
    { name: "Time", about: "happened when the question says; below zero: no longer holds", value: score.time ?? 0 },
  ];
}

/** What the relevance is made of, 0 to 1 each. */
export function likeness(score: wire.Score): ScorePart[] {
  return [
    { name: "Words", about: "how well the words fit", value: score.lexical ?? 0 },
    { name: "Meaning", about: "how close the meaning is", value: score.semantic ?? 0 },
  ];
}

const SECTIONS: Partial<Record<string, string>> = {
  system: "Dwell's instructions",
  role: "The agent's role",
  client: "Your instructions",
  tools: "Tools",
  entities: "The home",
  profile: "Profile",
  pins: "Pins",
  summary: "Earlier, summed up",
  transfer: "Handed over",
  facts: "Facts and earlier words",
  hints: "Hints",
  recent: "Conversation so far",
  task: "The message",
  rounds: "Calls and results",
  wrap_up: "What remains to be said",
  clock: "Date and time",
};

/** What a part of the prompt is called. */
export function sectionName(name: string): string {
  const words = name.replace(/_/g, " ");
  return SECTIONS[name] ?? words.charAt(0).toUpperCase() + words.slice(1);
}

/** What forgetting took away. */
export function forgottenInWords({ items = [], sessions = [], artifacts = 0 }: wire.Forgotten): string {
  const parts = [
    items.length > 0 && count(items.length, "item"),
    sessions.length > 0 && `its words in ${count(sessions.length, "session")}`,
    artifacts > 0 && count(artifacts, "file"),
  ].filter((part) => part !== false);
  return parts.length === 0 ? "There was nothing left to forget." : `Forgotten for good: ${parts.join(", ")}.`;
}

/** What taking an archive in came to. */
export function importedInWords(imported: wire.Imported): string {
  const kinds = [
    [imported.facts, "fact"],
    [imported.entries, "entry", "entries"],
    [imported.memories, "memory", "memories"],
    [imported.contexts, "summary", "summaries"],
    [imported.vaults, "vault"],
  ] as const;
  const parts = kinds.flatMap(([number, one, many]) => (number ? [count(number, one, many)] : []));
  const known = imported.known
    ? ` ${count(imported.known, "thing")} ${imported.known === 1 ? "was" : "were"} here already.`
    : "";
  return `${parts.length === 0 ? "Nothing new." : `New: ${parts.join(", ")}.`}${known}`;
}

/** `1 fact`, `2 facts`. */
export function count(number: number, one: string, many = `${one}s`): string {
  return `${number} ${number === 1 ? one : many}`;
}

/** The kinds of findings, in the order of how much they matter. */
export const FINDINGS = [
  { name: "secrets", title: "Looks like a secret", about: "Keys, passwords or tokens do not belong in memory." },
  { name: "contradictions", title: "Contradicts something", about: "Facts that hold and cannot both be true." },
  { name: "duplicates", title: "Said twice", about: "The same words as another." },
  { name: "near_duplicates", title: "Nearly the same", about: "Says the same in nearly the same words." },
  { name: "stale", title: "Hardly believed any more", about: "Facts that nobody has repeated for long." },
  {
    name: "unsearchable",
    title: "Not found by meaning yet",
    about: "Found by its words already; by its meaning as soon as the model of meaning has read it.",
  },
] as const;
