/**
 * Window geometry. The desktop has 7,680 by 4,320 units, and the surface always shows all of it:
 * the right half of the desktop is the right half of every screen. Pure.
 */
import type { wire } from "@dwell/client";

/** The size of the desktop, in units. */
export const DESKTOP = { width: 7_680, height: 4_320 } as const;
/** The minimum window size, in units; the same for the user's hand as for agents. */
export const UNITS_MIN = { width: 400, height: 300 } as const;
/** The minimum window size that is readable and draggable, in pixels. */
export const RECT_MIN = { width: 260, height: 150 } as const;

/** A size in pixels. */
export type Size = { width: number; height: number };
/** A rectangle on the surface, in pixels. */
export type Rect = { left: number; top: number; width: number; height: number };
/** The edges being dragged: any of `n`, `s`, `e`, `w`. */
export type Edge = "n" | "s" | "e" | "w" | "ne" | "nw" | "se" | "sw";
export const EDGES: readonly Edge[] = ["n", "s", "e", "w", "ne", "nw", "se", "sw"];

const clamp = (value: number, min: number, max: number) => Math.max(min, Math.min(value, Math.max(min, max)));

/** The rectangle of a window on screen: at least the minimum size, and within the surface. */
export function toRect(bounds: wire.Bounds, surface: Size): Rect {
  const across = surface.width / DESKTOP.width;
  const down = surface.height / DESKTOP.height;
  return within(
    { left: bounds.x * across, top: bounds.y * down, width: bounds.width * across, height: bounds.height * down },
    surface,
  );
}

/** Clamps a rectangle to the surface and to the minimum size. */
export function within(rect: Rect, surface: Size): Rect {
  const width = clamp(rect.width, Math.min(RECT_MIN.width, surface.width), surface.width);
  const height = clamp(rect.height, Math.min(RECT_MIN.height, surface.height), surface.height);
  return {
    left: Math.round(clamp(rect.left, 0, surface.width - width)),
    top: Math.round(clamp(rect.top, 0, surface.height - height)),
    width: Math.round(width),
    height: Math.round(height),
  };
}

/** Converts a rectangle to desktop units, clamped to the desktop. */
export function toUnits(rect: Rect, surface: Size): wire.Bounds {
  const across = DESKTOP.width / Math.max(1, surface.width);
  const down = DESKTOP.height / Math.max(1, surface.height);
  const width = clamp(Math.round(rect.width * across), UNITS_MIN.width, DESKTOP.width);
  const height = clamp(Math.round(rect.height * down), UNITS_MIN.height, DESKTOP.height);
  return {
    x: clamp(Math.round(rect.left * across), 0, DESKTOP.width - width),
    y: clamp(Math.round(rect.top * down), 0, DESKTOP.height - height),
    width,
    height,
  };
}

/** The bounds of a moved window. Its size in units stays, even if it is drawn larger. */
export function boundsAfterMove(bounds: wire.Bounds, rect: Rect, surface: Size): wire.Bounds {
  const { width, height } = bounds;
  const [shown, to] = [toRect(bounds, surface), toUnits(rect, surface)];
  // An unchanged coordinate keeps its exact value, since units are finer than pixels.
  const x = rect.left === shown.left ? bounds.x : to.x;
  const y = rect.top === shown.top ? bounds.y : to.y;
  return { x: clamp(x, 0, DESKTOP.width - width), y: clamp(y, 0, DESKTOP.height - height), width, height };
}

/** Moves a rectangle within the surface. */
export function moveBy(rect: Rect, dx: number, dy: number, surface: Size): Rect {
  return within({ ...rect, left: rect.left + dx, top: rect.top + dy }, surface);
}

/** Drags edges of a rectangle; the other edges stay. */
export function resizeBy(rect: Rect, edge: Edge, dx: number, dy: number, surface: Size): Rect {
  let { left, top, width, height } = rect;
  const [right, bottom] = [left + width, top + height];
  const least = {
    width: Math.min(RECT_MIN.width, surface.width),
    height: Math.min(RECT_MIN.height, surface.height),
  };
  if (edge.includes("e")) width = clamp(width + dx, least.width, surface.width - left);
  if (edge.includes("s")) height = clamp(height + dy, least.height, surface.height - top);
  if (edge.includes("w")) {
    left = clamp(left + dx, 0, right - least.width);
    width = right - left;
  }
  if (edge.includes("n")) {
    top = clamp(top + dy, 0, bottom - least.height);
    height = bottom - top;
  }
  return { left, top, width, height };
}

/**
 * The interactions that take a window from one place to another. The server clamps each step to the
 * desktop, so a window first shrinks, then moves, then grows.
 */
export function steps(id: string, from: wire.Bounds, to: wire.Bounds): wire.Interaction[] {
  const least = { width: Math.min(from.width, to.width), height: Math.min(from.height, to.height) };
  const isSize = (one: Size, other: Size) => one.width === other.width && one.height === other.height;
  const isMoved = from.x !== to.x || from.y !== to.y;
  if (!isMoved) return isSize(from, to) ? [] : [resize(id, to)];
  return [
    ...(isSize(from, least) ? [] : [resize(id, least)]),
    { type: "window.move", window_id: id, x: to.x, y: to.y },
    ...(isSize(to, least) ? [] : [resize(id, to)]),
  ];
}

function resize(id: string, { width, height }: Size): wire.Interaction {
  return { type: "window.resize", window_id: id, width, height };
}

/** Whether two bounds are equal. */
export function isSameBounds(one: wire.Bounds, other: wire.Bounds): boolean {
  return one.x === other.x && one.y === other.y && one.width === other.width && one.height === other.height;
}

/** The scroll position at which a part of a row is wholly visible, with a part of its neighbour. */
export function scrolledTo(
  row: { scrollLeft: number; clientWidth: number },
  left: number,
  width: number,
  margin = 40,
): number {
  const least = left + width + margin - row.clientWidth;
  return Math.max(0, clamp(row.scrollLeft, least, left - margin));
}
