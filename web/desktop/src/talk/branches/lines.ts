/**
 * Branches of a conversation. Pure.
 *
 * A branch is a session that was forked before a message, to send another one in its place. The
 * session with the original message lists its branches, and each branch names that session; both are
 * preferences, so that every browser knows them. Copied turns have new ids but keep their times, so a
 * turn is recognized by its time.
 */
import type { wire } from "@dwell/client";

/** Where a branch leaves: the session with the original message, and the time of that message. */
export type BranchOrigin = { root: string; parent: string; at: string };
/** A branch in the list of the session that it leaves. */
export type BranchEntry = { session: string; at: string };
/** What a session says about its place among the branches. */
export type BranchNode = {
  id: string;
  createdAt: string;
  origin?: BranchOrigin | undefined;
  branches: readonly BranchEntry[];
};
/** The versions of a message: the sessions that have them, oldest first, and which one is shown. */
export type Versions = { parent: string; at: string; sessions: readonly string[]; index: number };

/** More branches of one session are not listed. */
export const BRANCHES_MAX = 100;

type SessionLike = Pick<wire.SessionView, "session_id" | "created_at" | "settings">;

/** Reads the preferences of a session. Forks copy preferences, so each names the session it is of. */
export function nodeOf({ session_id: id, created_at: createdAt, settings }: SessionLike): BranchNode {
  const origin = settings.preferences?.["branch"];
  const list = settings.preferences?.["branches"];
  return {
    id,
    createdAt,
    origin: isOf(origin, id) ? readOrigin(origin) : undefined,
    branches: isOf(list, id) && Array.isArray(list["list"]) ? list["list"].flatMap(readEntry) : [],
  };
}

/** The preference of a branch. */
export function originPreference(id: string, origin: BranchOrigin): Record<string, unknown> {
  return { of: id, ...origin };
}

/** The preference of a session that has branches, with one more. */
export function listPreference(node: BranchNode, entry: BranchEntry): Record<string, unknown> {
  return { of: node.id, list: [...node.branches, entry].slice(-BRANCHES_MAX) };
}

function isOf(value: unknown, id: string): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && "of" in value && value.of === id;
}

function readOrigin({ root, parent, at }: Record<string, unknown>): BranchOrigin | undefined {
  const isWhole = typeof root === "string" && typeof parent === "string" && typeof at === "string";
  return isWhole ? { root, parent, at } : undefined;
}

function readEntry(value: unknown): BranchEntry[] {
  if (typeof value !== "object" || value === null || !("session" in value) || !("at" in value)) return [];
  const { session, at } = value;
  return typeof session === "string" && typeof at === "string" ? [{ session, at }] : [];
}

/** The first session of a conversation with branches: all of them have the same. */
export function rootOf(session: SessionLike): string {
  return nodeOf(session).origin?.root ?? session.session_id;
}

/** Whether a session is a branch, or has any. */
export function hasBranches(session: SessionLike): boolean {
  const { origin, branches } = nodeOf(session);
  return origin !== undefined || branches.length > 0;
}

/** The one of a session and its ancestors in which a turn was made, by its place; root first. */
function ownerOf(turnAt: string, lineage: readonly BranchNode[]): number {
  const at = Date.parse(turnAt);
  return Math.max(
    0,
    lineage.findLastIndex(({ createdAt }) => Date.parse(createdAt) <= at),
  );
}

/**
 * The versions of a turn's message. `before` is the time of the turn before it, if there is one;
 * `lineage` is the session with its ancestors, root first. One version means that it has no branch.
 */
export function versionsOf(turnAt: string, before: string | undefined, lineage: readonly BranchNode[]): Versions {
  const at = ownerOf(turnAt, lineage);
  const [node, above] = [lineage[at], lineage[at - 1]];
  const isFirst = before === undefined || ownerOf(before, lineage) < at;
  if (node?.origin && above && isFirst) return versionsAt(above, node.origin.at, node.id);
  return node ? versionsAt(node, turnAt, node.id) : { parent: "", at: turnAt, sessions: [], index: 0 };
}

function versionsAt(parent: BranchNode, at: string, shown: string): Versions {
  const sessions = [parent.id, ...parent.branches.filter((entry) => entry.at === at).map(({ session }) => session)];
  // A branch whose entry was dropped is still one of the versions.
  if (!sessions.includes(shown)) sessions.push(shown);
  return { parent: parent.id, at, sessions, index: sessions.indexOf(shown) };
}

/** Keeps one session of each conversation with branches: the open one, or the latest. */
export function foldBranches(
  sessions: readonly wire.SessionView[],
  openId: string | undefined,
): readonly wire.SessionView[] {
  const open = sessions.find(({ session_id: id }) => id === openId);
  const openRoot = open && rootOf(open);
  const seen = new Set<string>();
  return sessions.flatMap((session) => {
    const root = rootOf(session);
    if (seen.has(root)) return [];
    seen.add(root);
    return [open && root === openRoot ? open : session];
  });
}
