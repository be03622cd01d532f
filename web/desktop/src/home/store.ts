/** The state of the home, subscribed to while a view shows it. */
import { Refused, type wire } from "@dwell/client";
import { effect, signal } from "@preact/signals";
import { api, ApiError } from "../store/api.ts";
import { connection, dwell, onNotice } from "../store/connection.ts";
import { fold } from "./rooms.ts";

/** How long a changed entity is highlighted. */
const FRESH_MS = 4_000;
const AGAIN_MS = 5_000;

/** The home; undefined until it is loaded. */
export const home = signal<wire.HomeView | undefined>(undefined);
/** Whether the server has no home. */
export const hasNoHome = signal(false);
/** The error of the last failed request. */
export const homeProblem = signal<unknown>(undefined);
/** Ids of entities that have just changed. */
export const recentlyChanged = signal<ReadonlySet<string>>(new Set());

/** Subscribes to the home, again after each reconnection; returns the unsubscribe function. */
export function followHome(): () => void {
  let isOver = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const look = async () => {
    clearTimeout(timer);
    try {
      const view = await read();
      if (isOver) return;
      home.value = view;
      hasNoHome.value = false;
      homeProblem.value = undefined;
    } catch (problem) {
      if (isOver) return;
      hasNoHome.value = isMissing(problem);
      homeProblem.value = hasNoHome.value ? undefined : problem;
      timer = setTimeout(() => void look(), AGAIN_MS);
    }
  };
  const stopListening = onNotice(({ type, data }) => {
    if (type === "home.changed" && isChange(data)) take(data);
  });
  const stopWatching = effect(() => {
    if (connection.value === "up") void look();
  });
  return () => {
    isOver = true;
    clearTimeout(timer);
    stopListening();
    stopWatching();
    void dwell()
      .then((client) => client.request("home.unfollow", {}))
      .catch(() => undefined);
  };
}

async function read(): Promise<wire.HomeView> {
  try {
    return await (await dwell()).request("home.follow", {});
  } catch (problem) {
    if (!(problem instanceof Refused)) throw problem;
  }
  // The REST endpoint explains why the subscription was refused.
  return api<wire.HomeView>("GET", "/api/v1/home");
}

function isMissing(problem: unknown): boolean {
  return problem instanceof ApiError && problem.status === 404;
}

function isChange(value: unknown): value is wire.HomeChanged {
  return typeof value === "object" && value !== null && "entities" in value && Array.isArray(value.entities);
}

function take(change: wire.HomeChanged): void {
  const before = home.value;
  if (!before) return;
  const stood = new Map(before.entities.map(({ entity_id: id, state }) => [id, state]));
  home.value = fold(before, change);
  const changed = change.entities
    .filter(({ entity_id: id, state }) => stood.get(id) !== state)
    .map(({ entity_id: id }) => id);
  if (changed.length === 0) return;
  recentlyChanged.value = new Set([...recentlyChanged.value, ...changed]);
  setTimeout(() => {
    const rest = new Set(recentlyChanged.value);
    for (const id of changed) rest.delete(id);
    recentlyChanged.value = rest;
  }, FRESH_MS);
}
