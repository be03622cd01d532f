/** The newest turns of a session, loaded page by page and updated when a turn changes. */
import type { wire } from "@dwell/client";
import { useEffect, useState } from "preact/hooks";
import { api, pathWith } from "../store/api.ts";
import type { Conversation } from "../store/conversation.ts";

/** The maximum number of turns in the statistics. */
export const TURNS_MAX = 200;
const PAGE = 50;
const SETTLE_MS = 600;

type TurnsState = { turns: readonly wire.TurnView[]; isLoading: boolean; problem?: unknown };

/** The newest turns, up to `max`, oldest first; pages show as they arrive. */
export function useTurns(conversation: Conversation, max = TURNS_MAX): TurnsState {
  const [read, setRead] = useState<TurnsState>({ turns: [], isLoading: true });
  useEffect(() => {
    let isOver = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const page = (cursor?: string) => {
      const path = `/api/v1/sessions/${conversation.id}/turns`;
      return api<wire.TurnPage>("GET", pathWith(path, { order: "newest", limit: Math.min(PAGE, max), cursor }));
    };
    const readAll = async () => {
      try {
        const all: wire.TurnView[] = [];
        let cursor: string | undefined;
        do {
          const { data, next_cursor: next } = await page(cursor);
          if (isOver) return;
          all.push(...data);
          cursor = all.length < max ? (next ?? undefined) : undefined;
          const turns = all.slice(0, max).reverse();
          setRead({ turns, isLoading: cursor !== undefined });
        } while (cursor !== undefined);
      } catch (problem) {
        if (!isOver) setRead((before) => ({ ...before, isLoading: false, problem }));
      }
    };
    /** Reloads only the newest page. */
    const readNewest = async () => {
      try {
        const { data } = await page();
        if (isOver) return;
        const fresh = new Map(data.map((turn) => [turn.turn_id, turn]));
        setRead(({ turns, isLoading }) => {
          const known = new Set(turns.map(({ turn_id: id }) => id));
          const newer = data.filter(({ turn_id: id }) => !known.has(id)).reverse();
          const all = [...turns.map((turn) => fresh.get(turn.turn_id) ?? turn), ...newer];
          return { turns: all.slice(-max), isLoading };
        });
      } catch {
        // The next change tries again.
      }
    };
    void readAll();
    const stop = conversation.listen(({ type }) => {
      if (type !== "turn.status") return;
      clearTimeout(timer);
      timer = setTimeout(() => void readNewest(), SETTLE_MS);
    });
    return () => {
      isOver = true;
      clearTimeout(timer);
      stop();
    };
  }, [conversation]);
  return read;
}
