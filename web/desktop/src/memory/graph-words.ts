/** Texts of the tab "People and things". */
import type { wire } from "@dwell/client";
import { dayOf, validity } from "./words.ts";
import { texts } from "../languages/memory.ts";

/** The labels of the kinds. */
export function nodeKinds(): Record<wire.NodeKind, string> {
  return {
    user: texts().youTitle,
    person: texts().person,
    animal: texts().animal,
    place: texts().place,
    thing: texts().thing,
  };
}

/** The order of the kinds in the list. */
export const KIND_ORDER = ["user", "person", "animal", "place", "thing"] as const;

/** The labels of the states, where one is shown. */
export function edgeStates(): Record<wire.EdgeState, string> {
  return {
    holds: texts().currentState,
    doubtful: texts().mayBeOutdated,
    ended: texts().noLongerSo,
    corrected: texts().corrected,
  };
}

/** A name as a title: "Maria", "Your sister", "You". */
export function titleOfNode({ kind, label, relation }: wire.GraphNode): string {
  if (kind === "user") return label === "You" ? texts().youTitle : texts().labelYou(label);
  return relation === label ? texts().yourLabel(label) : label;
}

/** What a node is beside its title: "Person · your sister". */
export function describeNode({ kind, label, aliases = [], relation }: wire.GraphNode): string {
  const names = new Set([...(relation && relation !== label ? [texts().yourRelation(relation)] : [])]);
  for (const alias of aliases) if (alias !== label && alias !== relation) names.add(alias);
  return [kind === "user" ? undefined : nodeKinds()[kind], ...names].filter((part) => part !== undefined).join(" · ");
}

/** When a fact was true. */
export function whenTrue({ valid_from, valid_until, state }: wire.GraphEdge): string {
  return state === "corrected" ? texts().neverTrue : validity(valid_from, valid_until ?? undefined);
}

/** When a fact was said, and when Dwell learned it if that differs. */
export function whenSaid({ said_at, known_from, known_until }: wire.GraphEdge): string {
  const said = texts().saidAt(dayOf(said_at));
  const stored = dayOf(known_from) === dayOf(said_at) ? "" : texts().storedKnownFrom(dayOf(known_from));
  const over = known_until ? texts().itsEndKnownSince(dayOf(known_until)) : "";
  return `${said}${stored}${over}`;
}

/** The end of a day as a time on the wire; undefined without a day. */
export function endOfDay(day: string): string | undefined {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(day)) return undefined;
  const at = new Date(`${day}T23:59:59.999`);
  return Number.isNaN(at.getTime()) ? undefined : at.toISOString();
}

/** The day of a time, as a date field takes it. */
export function dayField(at: Date): string {
  const two = (number: number) => String(number).padStart(2, "0");
  return `${String(at.getFullYear()).padStart(4, "0")}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
}

/** Pages of a graph as one graph. */
export function joinPages(pages: readonly wire.MemoryGraph[]): wire.MemoryGraph | undefined {
  const last = pages.at(-1);
  if (!last) return undefined;
  const nodes = new Map(pages.flatMap((page) => page.nodes).map((node) => [node.id, node]));
  return { ...last, nodes: [...nodes.values()], edges: pages.flatMap((page) => page.edges) };
}
