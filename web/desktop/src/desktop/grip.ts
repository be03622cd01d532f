/** Moving and resizing: by pointer, and by arrow keys. What is being moved is drawn here; it is told when it is let go. */
import type { wire } from "@dwell/client";
import { signal } from "@preact/signals";
import { announce } from "../kit/announce.ts";
import type { Desk } from "./desk.ts";
import { type Edge, movedTo, moveBy, type Rect, resizeBy, type Size, toShown, toUnits } from "./geometry.ts";

/** The window that is being moved or resized, and where it is drawn meanwhile. */
export type Held = { id: string; rect: Rect; by: "pointer" | "keys"; edge: Edge | undefined };
export const held = signal<Held | undefined>(undefined);

/** How far an arrow key moves, in pixels. */
export const STEP = 24;
/** The pointer has to go this far before something moves: a press is not a drag. */
const SLACK = 3;

/** Puts a window where it is drawn. */
function put(desk: Desk, window: wire.Window, rect: Rect, edge: Edge | undefined, surface: Size): void {
  const to = edge === undefined ? movedTo(window.bounds, rect, surface) : toUnits(rect, surface);
  desk.place(window.window_id, to);
}

/** The pointer grips a window by its title, or by an edge, until it lets go. */
export function grip(event: PointerEvent, desk: Desk, window: wire.Window, surface: Size, edge?: Edge): void {
  const element = event.currentTarget;
  if (event.button !== 0 || !(element instanceof HTMLElement) || window.state === "maximized") return;
  const { pointerId, clientX, clientY } = event;
  const { window_id: id } = window;
  const start = toShown(window.bounds, surface);
  let rect = start;
  let isMoving = false;
  // There is nothing to press on an edge; an app beside it would swallow the first moves.
  if (edge !== undefined) element.setPointerCapture(pointerId);
  // What is under the pointer goes on getting its clicks; only moving is taken over.
  const move = (now: PointerEvent) => {
    if (now.pointerId !== pointerId) return;
    const [dx, dy] = [now.clientX - clientX, now.clientY - clientY];
    if (!isMoving && Math.hypot(dx, dy) < SLACK) return;
    if (!isMoving) element.setPointerCapture(pointerId);
    isMoving = true;
    rect = edge === undefined ? moveBy(start, dx, dy, surface) : resizeBy(start, edge, dx, dy, surface);
    held.value = { id, rect, by: "pointer", edge };
  };
  const end = (isKept: boolean) => {
    removeEventListener("pointermove", move);
    removeEventListener("pointerup", up);
    removeEventListener("pointercancel", cancel);
    removeEventListener("keydown", escape, true);
    if (isMoving && isKept) put(desk, window, rect, edge, surface);
    if (isMoving) held.value = undefined;
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
  // On the page: a quick pull has left the edge before its first move is told.
  addEventListener("pointermove", move);
  addEventListener("pointerup", up);
  addEventListener("pointercancel", cancel);
  addEventListener("keydown", escape, true);
}

/** Moves or resizes a window at once by a step of the arrow keys. */
export function nudge(desk: Desk, window: wire.Window, surface: Size, key: string, edge?: Edge): void {
  const by = stepOf(key);
  if (by === undefined || window.state === "maximized") return;
  const rect = toShown(window.bounds, surface);
  const next = edge === undefined ? moveBy(rect, ...by, surface) : resizeBy(rect, edge, ...by, surface);
  put(desk, window, next, edge, surface);
}

/** A window is moved, or resized, by the arrow keys until Enter or Escape. */
export function holdByKeys(window: wire.Window, surface: Size, edge?: Edge): void {
  held.value = { id: window.window_id, rect: toShown(window.bounds, surface), by: "keys", edge };
  const what = edge === undefined ? "Moving" : "Resizing";
  announce(`${what} ${window.title}. Arrow keys, then Enter; Escape gives up.`);
}

/** Takes a key while a window is held by keys; says whether it was one. */
export function keyWhileHeld(event: KeyboardEvent, desk: Desk, window: wire.Window, surface: Size): boolean {
  const now = held.value;
  if (now?.by !== "keys" || now.id !== window.window_id) return false;
  const by = stepOf(event.key, event.shiftKey);
  if (by) {
    const next =
      now.edge === undefined ? moveBy(now.rect, ...by, surface) : resizeBy(now.rect, now.edge, ...by, surface);
    held.value = { ...now, rect: next };
  } else if (event.key === "Enter") {
    put(desk, window, now.rect, now.edge, surface);
    held.value = undefined;
    announce("Done");
  } else if (event.key === "Escape" || event.key === "Tab") {
    held.value = undefined;
    announce("Left as it was");
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
