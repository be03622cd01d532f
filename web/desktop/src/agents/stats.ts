/** Server statistics, polled while a view shows them. */
import type { wire } from "@dwell/client";
import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { api } from "../store/api.ts";

const LOOK_MS = 2_000;

/** The latest server statistics. */
export const serverStats = signal<wire.ServerStats | undefined>(undefined);
/** The error of the last failed request. */
export const statsProblem = signal<unknown>(undefined);

/** Polls the statistics while the component is mounted and the page is visible. */
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

/** The server's limits, by name. */
export function limitsOf(stats: wire.ServerStats): [string, number][] {
  return Object.entries(stats.limits ?? {}).filter((entry): entry is [string, number] => typeof entry[1] === "number");
}

/** The maximum number of concurrent turns. */
export function turnsMax(stats: wire.ServerStats): number | undefined {
  return limitsOf(stats).find(([name]) => name === "running_turns")?.[1];
}
