/** The home as it stands now: followed for as long as somebody looks. */
import { Refused, type wire } from "@dwell/client";
import { effect, signal } from "@preact/signals";
import { api, ApiError } from "../house/api.ts";
import { connection, dwell, onNotice } from "../house/connection.ts";
import { fold } from "./rooms.ts";

/** How long something that changed is marked. */
const FRESH_MS = 4_000;
const AGAIN_MS = 5_000;

/** The home; undefined until it is known. */
export const home = signal<wire.HomeView | undefined>(undefined);
/** Whether the server has none. */
export const hasNoHome = signal(false);
/** What keeps it from being seen. */
export const homeProblem = signal<unknown>(undefined);
/** What changed just now, by id. */
export const fresh = signal<ReadonlySet<string>>(new Set());

/** Follows the home; gives what ends it. After each reconnection it is asked for again. */
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
  // What the server refuses there it explains here.
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
  fresh.value = new Set([...fresh.value, ...changed]);
  setTimeout(() => {
    const rest = new Set(fresh.value);
    for (const id of changed) rest.delete(id);
    fresh.value = rest;
  }, FRESH_MS);
}
