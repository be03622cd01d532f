/** The branches of the open conversation: finds them, makes them, and switches between them. */
import type { wire } from "@dwell/client";
import { effect, signal } from "@preact/signals";
import { go, place } from "../../route.ts";
import { api, ApiError } from "../../store/api.ts";
import { dwell } from "../../store/connection.ts";
import { Conversation, type SendOptions } from "../../store/conversation.ts";
import { newKey } from "../../store/key.ts";
import { current, sessionsChanged } from "../../store/sessions.ts";
import { isFinal, type Turn } from "../../store/turn.ts";
import { type BranchNode, listPreference, nodeOf, originPreference, type Versions, versionsOf } from "./lines.ts";

/** Branches of branches deeper than this show no arrows to the first ones. */
const DEPTH_MAX = 20;
/** Older turns are loaded up to this many pages to find a turn. */
const PAGES_MAX = 100;
/** How often a list of branches is written again that another browser changed meanwhile. */
const TRIES_MAX = 4;

/** The ancestors of the open session, root first. */
const ancestors = signal<{ of: string; nodes: readonly BranchNode[] }>({ of: "", nodes: [] });
/** Branches that were deleted. */
const gone = signal<ReadonlySet<string>>(new Set());

/** Reads the ancestors of the open session whenever another one is opened. */
export function followBranches(): () => void {
  return effect(() => {
    const view = current.value?.session.value;
    if (view && ancestors.peek().of !== view.session_id) void readAncestors(view);
  });
}

async function readAncestors(view: wire.SessionView): Promise<void> {
  const id = view.session_id;
  ancestors.value = { of: id, nodes: [] };
  const nodes: BranchNode[] = [];
  let next = nodeOf(view).origin?.parent;
  for (let depth = 0; depth < DEPTH_MAX && next !== undefined; depth += 1) {
    const parent = await readNode(next);
    // Without the session that it leaves, a branch is a conversation like any other.
    if (!parent) break;
    nodes.unshift(parent);
    next = parent.origin?.parent;
  }
  if (ancestors.peek().of !== id) return;
  ancestors.value = { of: id, nodes };
  const listed = [nodeOf(view), ...nodes].flatMap(({ branches }) => branches.map(({ session }) => session));
  await Promise.all([...new Set(listed)].map(readNode));
}

async function readNode(id: string): Promise<BranchNode | undefined> {
  try {
    return nodeOf(await api<wire.SessionView>("GET", `/api/v1/sessions/${encodeURIComponent(id)}`));
  } catch (problem) {
    if (problem instanceof ApiError && problem.status === 404) gone.value = new Set(gone.value).add(id);
    return undefined;
  }
}

function lineageOf(conversation: Conversation): readonly BranchNode[] {
  const { of, nodes } = ancestors.value;
  return [...(of === conversation.id ? nodes : []), nodeOf(conversation.session.value)];
}

/** The turn before another one; undefined for the first one. */
function turnBefore(conversation: Conversation, turn: Turn): Turn | undefined {
  const turns = conversation.turns.value;
  return turns[turns.indexOf(turn) - 1];
}

/** The versions of a turn's message, without deleted ones. */
export function versionsIn(conversation: Conversation, turn: Turn): Versions {
  const { createdAt } = turn.state.peek();
  // The first of the loaded turns has others before it, which says nothing about branches.
  const before =
    turnBefore(conversation, turn)?.state.peek().createdAt ?? (conversation.hasOlder.value ? createdAt : undefined);
  const versions = versionsOf(createdAt, before, lineageOf(conversation));
  const shown = versions.sessions[versions.index];
  const sessions = versions.sessions.filter((id) => !gone.value.has(id));
  return { ...versions, sessions, index: sessions.findIndex((id) => id === shown) };
}

/**
 * Sends another message in place of a turn's, in a branch, and opens it. The original stays as it
 * is. The same message with another model is a branch too.
 */
export async function branchAt(
  conversation: Conversation,
  turn: Turn,
  message: string,
  options: SendOptions = {},
): Promise<void> {
  const index = conversation.turns.value.indexOf(turn);
  if (index <= 0 && conversation.hasOlder.value) await conversation.loadOlder();
  const { parent, at } = versionsIn(conversation, turn);
  const root = lineageOf(conversation)[0]?.id ?? conversation.id;
  const branch = await copyBefore(conversation, turn);
  const id = branch.session_id;
  try {
    await prefer(id, () => ({ branch: originPreference(id, { root, parent, at }), branches: null }));
    await prefer(parent, (node) => ({ branches: listPreference(node, { session: id, at }) }));
  } catch (problem) {
    // A branch that no arrow leads to would only be in the way.
    await dwell()
      .then((client) => client.deleteSession(id))
      .catch(() => undefined);
    throw problem;
  }
  const opened = await Conversation.open(id);
  show(opened, undefined);
  sessionsChanged();
  // A message that cannot be sent stays in the list with its options.
  void opened.send(message, options).catch(() => undefined);
}

/** A new session with what was said before a turn, and with the same settings. */
async function copyBefore(conversation: Conversation, turn: Turn): Promise<wire.SessionView> {
  const client = await dwell();
  const turns = conversation.turns.value;
  const before = turns.slice(0, turns.indexOf(turn)).findLast(({ state }) => isFinal(state.value.status));
  const key = `page-${newKey()}`;
  if (before) return client.forkSession(conversation.id, before.id, { key });
  const { model, model_settings, agent_settings, model_overrides, pinned_tools, budgets, policy, preferences } =
    conversation.session.value.settings;
  const settings = { model, model_settings, agent_settings, model_overrides, pinned_tools, budgets, policy };
  return client.startSession({ key, ...settings, preferences: { ...preferences } });
}

/** Changes preferences of a session, by what they are at that moment. */
async function prefer(id: string, change: (node: BranchNode) => Record<string, unknown>): Promise<void> {
  const client = await dwell();
  for (let tries = 1; ; tries += 1) {
    const view = await client.session(id);
    try {
      const changed = await client.updateSession(id, { version: view.version, preferences: change(nodeOf(view)) });
      const open = current.peek();
      if (open?.id === id) open.session.value = changed;
      return;
    } catch (problem) {
      const isStale = problem instanceof Error && "code" in problem && problem.code === "version_conflict";
      if (!isStale || tries >= TRIES_MAX) throw problem;
    }
  }
}

/** Opens the version of a message that is so many steps further, at that message. */
export async function switchVersion({ sessions, index, at, parent }: Versions, by: 1 | -1): Promise<void> {
  const id = sessions[index + by];
  if (id === undefined) return;
  const opened = await Conversation.open(id);
  // The original has the message of that time; a branch begins with its own first message.
  const from = Date.parse(id === parent ? at : opened.session.value.created_at);
  const isBefore = (turn: Turn) => Date.parse(turn.state.peek().createdAt) < from;
  for (let page = 0; page < PAGES_MAX && opened.hasOlder.peek(); page += 1) {
    const [first] = opened.turns.peek();
    if (first && isBefore(first)) break;
    await opened.loadOlder();
  }
  show(
    opened,
    opened.turns.peek().find((turn) => !isBefore(turn)),
  );
}

/** Replaces the open conversation without an empty page in between. */
function show(opened: Conversation, turn: Turn | undefined): void {
  current.peek()?.close();
  current.value = opened;
  go({ ...place.peek(), session: opened.id, detail: turn?.id });
}
