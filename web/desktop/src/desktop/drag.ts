/** Moving and resizing windows by pointer or arrow keys. The result is sent when the drag ends. */
import type { wire } from "@dwell/client";
import { signal } from "@preact/signals";
import { announce } from "../kit/announce.ts";
import type { DesktopStore } from "./store.ts";
import { type Edge, boundsAfterMove, moveBy, type Rect, resizeBy, type Size, toRect, toUnits } from "./geometry.ts";
import { texts } from "../languages/desktop.ts";

/** The window being moved or resized, and its rectangle meanwhile. */
export type Drag = { id: string; rect: Rect; by: "pointer" | "keys"; edge: Edge | undefined };
export const drag = signal<Drag | undefined>(undefined);

/** How far an arrow key moves, in pixels. */
export const STEP = 24;
/** How far the pointer must move before a press becomes a drag. */
const SLACK = 3;

/** Moves a window to its dragged position. */
function put(desktop: DesktopStore, window: wire.Window, rect: Rect, edge: Edge | undefined, surface: Size): void {
  const to = edge === undefined ? boundsAfterMove(window.bounds, rect, surface) : toUnits(rect, surface);
  desktop.place(window.window_id, to);
}

/** Starts dragging a window by its title bar or an edge. */
export function startDrag(
  event: PointerEvent,
  desktop: DesktopStore,
  window: wire.Window,
  surface: Size,
  edge?: Edge,
): void {
  const element = event.currentTarget;
  if (event.button !== 0 || !(element instanceof HTMLElement) || window.state === "maximized") return;
  const { pointerId, clientX, clientY } = event;
  const { window_id: id } = window;
  const start = toRect(window.bounds, surface);
  let rect = start;
  let isMoving = false;
  // An edge has nothing to click, and an app frame beside it would swallow the first moves.
  if (edge !== undefined) element.setPointerCapture(pointerId);
  // Clicks still reach what is under the pointer; only moves are captured.
  const move = (now: PointerEvent) => {
    if (now.pointerId !== pointerId) return;
    const [dx, dy] = [now.clientX - clientX, now.clientY - clientY];
    if (!isMoving && Math.hypot(dx, dy) < SLACK) return;
    if (!isMoving) element.setPointerCapture(pointerId);
    isMoving = true;
    rect = edge === undefined ? moveBy(start, dx, dy, surface) : resizeBy(start, edge, dx, dy, surface);
    drag.value = { id, rect, by: "pointer", edge };
  };
  const end = (isKept: boolean) => {
    removeEventListener("pointermove", move);
    removeEventListener("pointerup", up);
    removeEventListener("pointercancel", cancel);
    removeEventListener("keydown", escape, true);
    if (isMoving && isKept) put(desktop, window, rect, edge, surface);
    if (isMoving) drag.value = undefined;
  };
  const up = (now: PointerEvent) => {
    if (now.pointerId === pointerId) end(true);
  };
  const cancel = (now: PointerEvent) => {
    if (now.pointerId === pointerId) end(false);
  };
  const escape = (key: KeyboardEvent) => {
    if (key.key !== "Escape" || !isMoving) return;
    key.preventDefault();
    end(false);
  };
  // On the page, since a fast pointer leaves the edge before its first move event.
  addEventListener("pointermove", move);
  addEventListener("pointerup", up);
  addEventListener("pointercancel", cancel);
  addEventListener("keydown", escape, true);
}

/** Moves or resizes a window by one arrow key step. */
export function nudge(desktop: DesktopStore, window: wire.Window, surface: Size, key: string, edge?: Edge): void {
  const by = stepOf(key);
  if (by === undefined || window.state === "maximized") return;
  const rect = toRect(window.bounds, surface);
  const next = edge === undefined ? moveBy(rect, ...by, surface) : resizeBy(rect, edge, ...by, surface);
  put(desktop, window, next, edge, surface);
}

/** Starts moving or resizing a window with the arrow keys, until Enter or Escape. */
export function startKeyDrag(window: wire.Window, surface: Size, edge?: Edge): void {
  drag.value = { id: window.window_id, rect: toRect(window.bounds, surface), by: "keys", edge };
  const what = edge === undefined ? texts().moving : texts().resizing;
  announce(texts().useArrowKeysEnter(what, window.title));
}

/** Handles a key during a keyboard drag; returns whether it was used. */
export function handleDragKey(
  event: KeyboardEvent,
  desktop: DesktopStore,
  window: wire.Window,
  surface: Size,
): boolean {
  const now = drag.value;
  if (now?.by !== "keys" || now.id !== window.window_id) return false;
  const by = stepOf(event.key, event.shiftKey);
  if (by) {
    const next =
      now.edge === undefined ? moveBy(now.rect, ...by, surface) : resizeBy(now.rect, now.edge, ...by, surface);
    drag.value = { ...now, rect: next };
  } else if (event.key === "Enter") {
    put(desktop, window, now.rect, now.edge, surface);
    drag.value = undefined;
    announce(texts().done);
  } else if (event.key === "Escape" || event.key === "Tab") {
    drag.value = undefined;
    announce(texts().cancelled);
    if (event.key === "Tab") return true;
  } else return false;
  event.preventDefault();
  event.stopPropagation();
  return true;
}

function stepOf(key: string, isSmall = false): [number, number] | undefined {
  const step = isSmall ? 4 : STEP;
  switch (key) {
    case "ArrowLeft":
      return [-step, 0];
    case "ArrowRight":
      return [step, 0];
    case "ArrowUp":
      return [0, -step];
    case "ArrowDown":
      return [0, step];
    default:
      return undefined;
  }
}
