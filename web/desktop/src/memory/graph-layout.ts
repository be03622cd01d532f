/** Where the people, places and things of the drawing stand, and the lines between them. */
import type { wire } from "@dwell/client";

/** The size of the drawing, in its own units. */
export const WIDTH = 720;
export const HEIGHT = 420;

/** Most nodes that are drawn; the list shows the others. */
export const DRAWN_MAX = 24;

/** A node with its place. */
export type Placed = { node: wire.GraphNode; x: number; y: number };
/** A line between two nodes. */
export type Line = { key: string; from: Placed; to: Placed; label: string; state: wire.EdgeState };
/** The drawing. */
export type Drawing = { placed: readonly Placed[]; lines: readonly Line[]; hidden: number };

const RADIUS_X = [225, 312];
const RADIUS_Y = [118, 178];
/** Nodes on the inner ring; more are on the outer one. */
const INNER = 10;
const STATES = ["holds", "doubtful", "ended", "corrected"];

/**
 * Places the chosen node, else the user, in the middle, and the others on two rings around it:
 * those that are joined to the middle first, the best known first.
 */
export function draw(graph: wire.MemoryGraph, chosen: string | undefined): Drawing {
  const middle =
    graph.nodes.find(({ id }) => id === chosen) ?? graph.nodes.find(({ kind }) => kind === "user") ?? graph.nodes[0];
  if (!middle) return { placed: [], lines: [], hidden: 0 };
  const joined = new Set(
    graph.edges.flatMap(({ subject, object }) =>
      subject === middle.id && object ? [object] : object === middle.id ? [subject] : [],
    ),
  );
  const rank = (node: wire.GraphNode) => (joined.has(node.id) || (node.relation && middle.kind === "user") ? 0 : 1);
  const others = graph.nodes
    .filter(({ id }) => id !== middle.id)
    .sort((a, b) => rank(a) - rank(b) || b.facts - a.facts || a.id.localeCompare(b.id));
  const shown = others.slice(0, DRAWN_MAX - 1);
  const inner = shown.slice(0, INNER);
  const outer = shown.slice(INNER);
  const placed = [
    { node: middle, x: WIDTH / 2, y: HEIGHT / 2 },
    ...inner.map((node, index) => onRing(node, index, inner.length, 0)),
    ...outer.map((node, index) => onRing(node, index, outer.length, 1)),
  ];
  return { placed, lines: linesOf(graph, placed), hidden: others.length - shown.length };
}

function onRing(node: wire.GraphNode, index: number, count: number, ring: 0 | 1): Placed {
  // The outer ring is turned by half a step, so that lines pass between the inner nodes.
  const angle = ((index + (ring === 1 ? 0.5 : 0)) / count) * 2 * Math.PI - Math.PI / 2;
  const x = WIDTH / 2 + (RADIUS_X[ring] ?? 0) * Math.cos(angle);
  const y = HEIGHT / 2 + (RADIUS_Y[ring] ?? 0) * Math.sin(angle);
  return { node, x: Math.round(x), y: Math.round(y) };
}

function linesOf(graph: wire.MemoryGraph, placed: readonly Placed[]): Line[] {
  const places = new Map(placed.map((one) => [one.node.id, one]));
  const lines = new Map<string, Line>();
  for (const { subject, object, relation, state } of graph.edges) {
    const [from, to] = [places.get(subject), object ? places.get(object) : undefined];
    if (!from || !to || from === to) continue;
    const key = `${subject} ${relation} ${object ?? ""}`;
    const known = lines.get(key);
    // What holds is shown rather than what held.
    if (!known || STATES.indexOf(state) < STATES.indexOf(known.state))
      lines.set(key, { key, from, to, label: relation, state });
  }
  // "My sister" is the user's, also while no fact says her name.
  const user = placed.find(({ node }) => node.kind === "user");
  for (const to of user ? placed : []) {
    const isJoined = [...lines.values()].some((line) => line.from === user && line.to === to);
    if (!user || to === user || !to.node.relation || isJoined) continue;
    const key = `user ${to.node.relation} ${to.node.id}`;
    lines.set(key, { key, from: user, to, label: to.node.relation, state: "holds" });
  }
  return [...lines.values()];
}

/** The node that an arrow key leads to: the nearest one in its direction. */
export function neighbour(placed: readonly Placed[], from: string, key: string): string | undefined {
  const start = placed.find(({ node }) => node.id === from);
  const direction = DIRECTIONS[key];
  if (!start || !direction) return undefined;
  let best: { id: string; cost: number } | undefined;
  for (const { node, x, y } of placed) {
    const [along, across] = [
      (x - start.x) * direction[0] + (y - start.y) * direction[1],
      Math.abs((x - start.x) * direction[1]) + Math.abs((y - start.y) * direction[0]),
    ];
    const cost = along + 2 * across;
    if (along > 0 && (best === undefined || cost < best.cost)) best = { id: node.id, cost };
  }
  return best?.id;
}

const DIRECTIONS: Partial<Record<string, readonly [number, number]>> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};
