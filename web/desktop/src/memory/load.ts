/** Hooks that load data and reload it whenever memory changes. */
import { useEffect, useRef, useState } from "preact/hooks";
import { changes } from "./change.ts";

/** The state of a request. The old value stays while the same key reloads. */
export type LoadState<T> = { value?: T | undefined; problem?: unknown };

/** Loads a value; a new key discards the old one. */
export function useLoad<T>(key: string, read: () => Promise<T>): LoadState<T> {
  const [state, setState] = useState<LoadState<T> & { key: string }>({ key });
  const asked = useRef(0);
  const version = changes.value;
  useEffect(() => {
    asked.current += 1;
    const mine = asked.current;
    const take = (loaded: LoadState<T>) => {
      if (mine === asked.current) setState({ ...loaded, key });
    };
    read().then(
      (value) => take({ value }),
      (problem: unknown) => take({ problem }),
    );
    return () => {
      asked.current += 1;
    };
  }, [key, version]);
  return state.key === key ? state : {};
}

/** A page of a list. */
export type Page<T> = { items: readonly T[]; next?: string | null | undefined };
/** A list that is loaded page by page. */
export type Pages<T> = {
  items?: readonly T[] | undefined;
  problem?: unknown;
  hasMore: boolean;
  more: () => void;
  isReading: boolean;
};

type PagesState<T> = { key: string; items?: readonly T[] | undefined; next?: string | undefined; problem?: unknown };

/** Loads a list page by page; when memory changes, it reloads as many items as were loaded. */
export function usePages<T>(key: string, read: (cursor: string | undefined) => Promise<Page<T>>): Pages<T> {
  const [state, setState] = useState<PagesState<T>>({ key });
  const [isReading, setIsReading] = useState(false);
  const asked = useRef(0);
  const version = changes.value;
  const mine = state.key === key ? state : { key };
  const load = async (before: readonly T[], cursor: string | undefined, wanted: number) => {
    asked.current += 1;
    const now = asked.current;
    setIsReading(true);
    let [items, next] = [before, cursor];
    try {
      do {
        const page = await read(next);
        items = [...items, ...page.items];
        next = page.next ?? undefined;
      } while (next !== undefined && items.length < wanted);
      if (now === asked.current) setState({ key, items, next });
    } catch (problem) {
      if (now === asked.current) setState({ key, items: before, next: cursor, problem });
    }
    if (now === asked.current) setIsReading(false);
  };
  useEffect(() => {
    void load([], undefined, mine.items?.length ?? 0);
    return () => {
      asked.current += 1;
    };
  }, [key, version]);
  return {
    items: mine.items,
    problem: mine.problem,
    hasMore: mine.next !== undefined,
    isReading,
    more: () => void load(mine.items ?? [], mine.next, 0),
  };
}
