/**
 * Where windows stand. The desktop has 7,680 by 4,320 units, and the surface shows all of it, however large it is: an agent
 * that puts a window in the right half puts it in the right half of every screen. Pure.
 */
import type { wire } from "@dwell/client";

/** How large the desktop is, in its units. */
export const DESKTOP = { width: 7_680, height: 4_320 } as const;
/** The smallest window, in its units. */
const UNITS_MIN = { width: 120, height: 80 } as const;
/** The smallest window that can be read and gripped, in pixels. */
export const SHOWN_MIN = { width: 260, height: 150 } as const;

/** How large something is, in pixels. */
export type Size = { width: number; height: number };
/** A place on the surface, in pixels. */
export type Rect = { left: number; top: number; width: number; height: number };
/** The edges that are pulled: any of `n`, `s`, `e`, `w`. */
export type Edge = "n" | "s" | "e" | "w" | "ne" | "nw" | "se" | "sw";
export const EDGES: readonly Edge[] = ["n", "s", "e", "w", "ne", "nw", "se", "sw"];

const clamp = (value: number, min: number, max: number) => Math.max(min, Math.min(value, Math.max(min, max)));

/** Where a window is drawn. What would be too small is larger, what lies beyond the surface is moved into it. */
export function toShown(bounds: wire.Bounds, surface: Size): Rect {
  const across = surface.width / DESKTOP.width;
  const down = surface.height / DESKTOP.height;
  return within(
    { left: bounds.x * across, top: bounds.y * down, width: bounds.width * across, height: bounds.height * down },
    surface,
  );
}

/** The same rectangle, held inside the surface and at a size that can be used. */
export function within(rect: Rect, surface: Size): Rect {
  const width = clamp(rect.width, Math.min(SHOWN_MIN.width, surface.width), surface.width);
  const height = clamp(rect.height, Math.min(SHOWN_MIN.height, surface.height), surface.height);
  return {
    left: Math.round(clamp(rect.left, 0, surface.width - width)),
    top: Math.round(clamp(rect.top, 0, surface.height - height)),
    width: Math.round(width),
    height: Math.round(height),
  };
}

/** Bounds on the desktop, held at its edges. */
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

/** A window that was moved: its size on the desktop stays what it was, also where it is drawn larger. */
export function movedTo(bounds: wire.Bounds, rect: Rect, surface: Size): wire.Bounds {
  const { width, height } = bounds;
  const [shown, to] = [toShown(bounds, surface), toUnits(rect, surface)];
  // What was not moved stays as exact as it was: units are finer than pixels.
  const x = rect.left === shown.left ? bounds.x : to.x;
  const y = rect.top === shown.top ? bounds.y : to.y;
  return { x: clamp(x, 0, DESKTOP.width - width), y: clamp(y, 0, DESKTOP.height - height), width, height };
}

/** Moves a rectangle, held inside the surface. */
export function moveBy(rect: Rect, dx: number, dy: number, surface: Size): Rect {
  return within({ ...rect, left: rect.left + dx, top: rect.top + dy }, surface);
}

/** Pulls edges of a rectangle; the others stay where they are. */
export function resizeBy(rect: Rect, edge: Edge, dx: number, dy: number, surface: Size): Rect {
  let { left, top, width, height } = rect;
  const [right, bottom] = [left + width, top + height];
  const least = {
    width: Math.min(SHOWN_MIN.width, surface.width),
    height: Math.min(SHOWN_MIN.height, surface.height),
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
 * What to report so that a window gets from one place to another. The server holds each step inside the desktop, so a window
 * first becomes as small as it will be, then moves, then grows.
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

/** Whether two places are the same. */
export function isSameBounds(one: wire.Bounds, other: wire.Bounds): boolean {
  return one.x === other.x && one.y === other.y && one.width === other.width && one.height === other.height;
}
