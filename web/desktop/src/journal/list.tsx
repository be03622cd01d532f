/** A virtualised list: only the visible rows are rendered, the rest is empty space. */
import type { ComponentChildren } from "preact";
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { type Heights, offsetsOf, type Row, rowAt, rowOf, visibleRows } from "./rows.ts";

/** How near to an end more rows are loaded, in pixels. */
const NEAR = 600;
/** Within this many pixels of the end the list sticks to it as events arrive. */
const AT_END = 40;

/** The scroll target: an event number, or the end. A new object scrolls again. */
export type Target = { seq: number } | "end";

const WIDE: Heights = { turn: 48, event: 34, open: 300 };
const NARROW: Heights = { turn: 60, event: 58, open: 320 };

/** The heights of rows, by the width of the page. */
export function useHeights(): Heights {
  const [isNarrow, setNarrow] = useState(matchMedia("(max-width: 720px)").matches);
  useEffect(() => {
    const query = matchMedia("(max-width: 720px)");
    const told = () => setNarrow(query.matches);
    query.addEventListener("change", told);
    return () => query.removeEventListener("change", told);
  }, []);
  return isNarrow ? NARROW : WIDE;
}

/**
 * The list. It sticks to its end as events arrive, and keeps its place when older rows are added.
 */
export function RowList(props: {
  rows: readonly Row[];
  heights: Heights;
  target: Target | undefined;
  label: string;
  onTop: () => void;
  onBottom: () => void;
  onEnd: (isAtEnd: boolean) => void;
  children: (row: Row) => ComponentChildren;
}) {
  const { rows, heights, target, label, onTop, onBottom, onEnd, children } = props;
  const box = useRef<HTMLDivElement>(null);
  const [view, setView] = useState({ top: 0, height: 800 });
  const offsets = offsetsOf(rows, heights);
  const whole = offsets[rows.length] ?? 0;
  const anchor = useRef<{ seq: number; delta: number } | undefined>(undefined);
  const isAtEnd = useRef(true);
  const going = useRef<Target | undefined>("end");

  const look = useCallback(() => {
    const element = box.current;
    if (!element) return;
    const { scrollTop: top, clientHeight: height, scrollHeight } = element;
    setView({ top, height });
    isAtEnd.current = scrollHeight - top - height < AT_END;
    onEnd(isAtEnd.current);
    const index = rowAt(offsets, top);
    const row = rows[index];
    if (row) {
      const seq = row.type === "event" ? row.event.seq : row.turn.first;
      anchor.current = { seq, delta: top - (offsets[index] ?? 0) };
    }
    if (top < NEAR) onTop();
    if (scrollHeight - top - height < NEAR) onBottom();
  }, [rows, heights, onTop, onBottom]);

  // Runs before the next effect, which scrolls there.
  useLayoutEffect(() => {
    going.current = target;
  }, [target]);

  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return;
    const to = target !== undefined && going.current !== undefined ? going.current : undefined;
    if (to !== undefined && to !== "end") {
      const index = rowOf(rows, to.seq);
      if (index >= 0) {
        element.scrollTop = Math.max(0, (offsets[index] ?? 0) - element.clientHeight / 3);
        going.current = undefined;
      }
    } else if (to === "end" || isAtEnd.current) {
      element.scrollTop = whole;
      if (rows.length > 0) going.current = undefined;
    } else if (anchor.current) {
      const index = rowOf(rows, anchor.current.seq);
      if (index >= 0) {
        const isHead = rows[index - 1]?.type === "turn" && anchor.current.delta > heights.event;
        element.scrollTop = (offsets[isHead ? index - 1 : index] ?? 0) + anchor.current.delta;
      }
    }
    look();
  }, [rows, target, heights]);

  useEffect(() => {
    const element = box.current;
    if (!element) return;
    const observer = new ResizeObserver(() => {
      if (isAtEnd.current) element.scrollTop = element.scrollHeight;
      setView({ top: element.scrollTop, height: element.clientHeight });
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, []);

  const { from, to } = visibleRows(offsets, view.top, view.height);
  return (
    <div ref={box} class="scroll journal-list" tabIndex={0} role="region" aria-label={label} onScroll={look}>
      <ol class="journal-rows" style={{ height: `${whole}px` }}>
        {rows.slice(from, to).map((row, index) => (
          <li
            key={row.key}
            style={{ transform: `translateY(${offsets[from + index] ?? 0}px)` }}
            aria-setsize={rows.length}
            aria-posinset={from + index + 1}
          >
            {children(row)}
          </li>
        ))}
      </ol>
    </div>
  );
}
