/** What the server says of itself, asked again and again while somebody looks. */
import type { wire } from "@dwell/client";
import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { api } from "../house/api.ts";

const LOOK_MS = 2_000;

/** The newest numbers of the server. */
export const serverStats = signal<wire.ServerStats | undefined>(undefined);
/** What keeps them from being read. */
export const statsProblem = signal<unknown>(undefined);

/** Reads them while this is shown and the page is seen. */
export function useServerStats(): void {
  useEffect(() => {
    let isOver = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const look = async () => {
      try {
        if (!document.hidden) {
          const stats = await api<wire.ServerStats>("GET", "/api/v1/stats");
          if (isOver) return;
          serverStats.value = stats;
          statsProblem.value = undefined;
        }
      } catch (problem) {
        statsProblem.value = problem;
      }
      if (!isOver) timer = setTimeout(() => void look(), LOOK_MS);
    };
    void look();
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, []);
}

/** The limits a server tells, by name. */
export function limitsOf(stats: wire.ServerStats): [string, number][] {
  return Object.entries(stats.limits ?? {}).filter((entry): entry is [string, number] => typeof entry[1] === "number");
}

/** How many turns may run at once. */
export function turnsMax(stats: wire.ServerStats): number | undefined {
  return limitsOf(stats).find(([name]) => name === "running_turns")?.[1];
}
