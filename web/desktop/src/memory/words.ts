/** Labels and texts of the memory view: levels, dates, scores, prompt sections, findings. */
import type { wire } from "@dwell/client";
import { shortDate, timeOfDay } from "../kit/format.ts";
import { texts } from "../languages/memory.ts";

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
export function levelNames(): Record<wire.Level, string> {
  return {
    profile: texts().profile,
    fact: texts().fact,
    entry: texts().entry,
    context: texts().summary,
    pin: texts().pin,
  };
}

/** The text of a statement, if it says more than its key and value. */
export function ownWords({ text, key, value }: MemoryItem): string | undefined {
  return value === undefined || text === value || text === `${key ?? ""}: ${value}` ? undefined : text;
}

/** A date. */
export function dayOf(at: string): string {
  return shortDate(at);
}

/** The period in which an item is valid. */
export function validity(from: string | undefined, until: string | undefined): string {
  if (until === undefined) return from === undefined ? "" : texts().sinceFrom(dayOf(from));
  if (from === undefined) return texts().untilDate(dayOf(until));
  if (dayOf(from) !== dayOf(until)) return `${dayOf(from)} – ${dayOf(until)}`;
  return texts().fromUntilValue(dayOf(from), timeOfDay(until));
}

/** Whether the time of storing differs noticeably from the time of the event. */
export function isStoredApart(at: string, storedAt: string | undefined): boolean {
  return storedAt !== undefined && Math.abs(Date.parse(storedAt) - Date.parse(at)) > 120_000;
}

/** A confidence as a label. */
export function confidenceLabel(confidence: number): string {
  const percent = `${Math.round(confidence * 100)} %`;
  if (confidence >= 0.8) return texts().percentConfidence(percent);
  return confidence >= 0.5 ? texts().percentConfidenceMedium(percent) : texts().percentConfidenceLow(percent);
}

/** A part of a score. */
export type ScorePart = { name: string; about: string; value: number };

/** The parts whose sum is the total. */
export function scoreParts(score: wire.Score): ScorePart[] {
  return [
    { name: texts().relevance, about: texts().howWellKeywordsAnd, value: score.relevance ?? 0 },
    { name: texts().recency, about: texts().howNewItIs, value: score.recency ?? 0 },
    { name: texts().pinned, about: texts().pinnedOrProfile, value: score.pinned ?? 0 },
    { name: texts().conversation, about: texts().fromTheSameConversation, value: score.conversation ?? 0 },
    { name: texts().entity, about: texts().mentionsSamePeoplePlaces, value: score.entity ?? 0 },
    { name: texts().time, about: texts().matchesTimeQuestionNegative, value: score.time ?? 0 },
  ];
}

/** The parts of the relevance, each from 0 to 1. */
export function relevanceParts(score: wire.Score): ScorePart[] {
  return [
    { name: texts().keywords, about: texts().howWellKeywordsMatch, value: score.lexical ?? 0 },
    { name: texts().meaning, about: texts().howCloseMeaning, value: score.semantic ?? 0 },
  ];
}

function sectionNames(): Partial<Record<string, string>> {
  return {
    system: texts().dwellsInstructions,
    role: texts().agentRole,
    client: texts().yourInstructions,
    tools: texts().tools,
    entities: texts().home,
    profile: texts().profile,
    pins: texts().pins,
    summary: texts().summaryOfEarlierTurns,
    transfer: texts().transferredContext,
    facts: texts().factsAndEarlierMessages,
    hints: texts().hints,
    recent: texts().conversationSoFar,
    task: texts().message,
    rounds: texts().callsAndResults,
    wrap_up: texts().closingInstructions,
    clock: texts().dateAndTime,
  };
}

/** The label of a prompt section. */
export function sectionName(name: string): string {
  const words = name.replace(/_/g, " ");
  return sectionNames()[name] ?? words.charAt(0).toUpperCase() + words.slice(1);
}

/** Describes what forgetting deleted. */
export function describeForgotten({ items = [], sessions = [], artifacts = 0 }: wire.ForgetResult): string {
  const parts = [
    items.length > 0 && count(items.length, "item"),
    sessions.length > 0 && texts().textInSessions(count(sessions.length, "session")),
    artifacts > 0 && count(artifacts, "file"),
  ].filter((part) => part !== false);
  return parts.length === 0 ? texts().thereWasNothingForget : texts().deletedParts(parts.join(", "));
}

/** Describes the result of an import. */
export function describeImported(imported: wire.MemoryImportResult): string {
  const kinds = [
    [imported.facts, "fact"],
    [imported.entries, "entry"],
    [imported.memories, "memory"],
    [imported.contexts, "summary"],
    [imported.vaults, "vault"],
  ] as const;
  const parts = kinds.flatMap(([number, what]) => (number ? [count(number, what)] : []));
  const known = imported.known ? texts().knownAlreadyExisted(count(imported.known, "item")) : "";
  return `${parts.length === 0 ? texts().nothingNew : texts().newParts(parts.join(", "))}${known}`;
}

/** `1 fact`, `2 facts`. */
export function count(number: number, what: keyof ReturnType<typeof texts>["counted"]): string {
  return texts().counted[what](number);
}

/** The kinds of audit findings, most important first. */
export function findings() {
  return [
    { name: "secrets", title: texts().possibleSecrets, about: texts().keysPasswordsOrTokens },
    { name: "contradictions", title: texts().contradictions, about: texts().currentFactsThatCannot },
    { name: "duplicates", title: texts().duplicates, about: texts().theSameTextAs },
    { name: "near_duplicates", title: texts().nearDuplicates, about: texts().nearlySameTextAs },
    { name: "stale", title: texts().stale, about: texts().factsThatHaveNot },
    {
      name: "unsearchable",
      title: texts().notSearchableByMeaning,
      about: texts().keywordSearchFindsThese,
    },
  ] as const;
}
