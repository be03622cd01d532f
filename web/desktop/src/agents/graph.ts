/** The agents of a session as a graph: a lane for each monitor, its agents, and their parents. */
import type { wire } from "@dwell/client";
import { texts } from "../languages/agents.ts";

/** The parts of an open turn that the graph needs. */
export type OpenTurn = { id: string; agentId: string; status: wire.TurnStatus };

/** An agent with its current turn and its queue. */
export type AgentWork = {
  id: string;
  kind: wire.AgentKind;
  monitorId: string;
  name: string;
  windows: { id: string; title: string }[];
  /** The turn it is running. */
  turnId?: string | undefined;
  /** Its queued turns, in order. */
  queue: string[];
  /** The agent it belongs to. */
  parentId?: string | undefined;
};

/** A monitor with its agents. */
export type Lane = { monitorId: string; name: string; main: AgentWork; others: AgentWork[] };

const PRIMARY = "main";

/** Parses an agent's id, which the server builds by the same rules. */
export function readAgent(id: string): { kind: wire.AgentKind; monitorId: string; group?: string | undefined } {
  const [name = "", monitorId = PRIMARY] = id.split("@");
  if (name.startsWith("ephemeral-")) return { kind: "ephemeral", monitorId };
  if (!name.startsWith("window-")) return { kind: "main", monitorId };
  const [group, turn] = name.slice("window-".length).split("/");
  return { kind: turn === undefined ? "window" : "parallel", monitorId, group };
}

/** The id of a monitor's main agent. */
export function mainOf(monitorId: string): string {
  return monitorId === PRIMARY ? "main" : `main@${monitorId}`;
}

/**
 * The lanes of a session. `view` may be slightly old: `open` is newer, and `isKnown` tells which
 * turns would be in it if they were still open.
 */
export function lanesOf(
  view: wire.DesktopView | undefined,
  open: readonly OpenTurn[],
  isKnown: (turnId: string) => boolean = () => false,
): Lane[] {
  const titles = new Map((view?.windows ?? []).map((window) => [window.window_id, window.title]));
  const told = new Map((view?.agents ?? []).map((agent) => [agent.agent_id, agent]));
  const monitors = new Set([PRIMARY, ...(view?.monitors ?? []).map(({ monitor_id: id }) => id)]);
  const ids = new Set([...told.keys(), ...open.map(({ agentId }) => agentId)]);
  for (const id of ids) monitors.add(told.get(id)?.monitor_id ?? readAgent(id).monitorId);
  const work = (id: string): AgentWork => {
    const { kind, monitorId, group } = readAgent(id);
    const agent = told.get(id);
    const windows = (agent?.windows ?? (group === undefined ? [] : [group]))
      .filter((window) => titles.has(window) || kind === "parallel")
      .map((window) => ({ id: window, title: titles.get(window) ?? window }));
    const { turnId, queue } = share(id, agent, open, isKnown);
    const parentId = kind === "main" ? undefined : parentOf(kind, monitorId, group, ids);
    const name = nameOf(agent?.kind ?? kind, monitorId, windows[0]?.title ?? group);
    return {
      id,
      kind: agent?.kind ?? kind,
      monitorId: agent?.monitor_id ?? monitorId,
      name,
      windows,
      turnId,
      queue,
      parentId,
    };
  };
  return [...monitors].map((monitorId) => {
    const main = work(mainOf(monitorId));
    const others = [...ids]
      .filter((id) => id !== main.id)
      .map(work)
      .filter((agent) => agent.monitorId === monitorId && isThere(agent));
    others.sort((one, other) => rank(one) - rank(other) || place(one).localeCompare(place(other)));
    return {
      monitorId,
      name: monitorId === PRIMARY ? texts().mainMonitor : texts().monitorName(monitorId),
      main,
      others,
    };
  });
}

/** Whether an agent still exists: one for a single turn ends with it. */
function isThere(agent: AgentWork): boolean {
  const isPassing = agent.kind === "ephemeral" || agent.kind === "parallel";
  return !isPassing || agent.turnId !== undefined || agent.queue.length > 0;
}

/** Sort rank: agents of a single turn come first. */
function rank({ kind }: AgentWork): number {
  return kind === "ephemeral" ? 0 : 1;
}

function place({ kind, windows, id }: AgentWork): string {
  return `${windows[0]?.title ?? id} ${kind === "window" ? 0 : 1}`;
}

function parentOf(
  kind: wire.AgentKind,
  monitorId: string,
  group: string | undefined,
  ids: ReadonlySet<string>,
): string {
  const ofWindow = `window-${group ?? ""}${monitorId === PRIMARY ? "" : `@${monitorId}`}`;
  return kind === "parallel" && ids.has(ofWindow) ? ofWindow : mainOf(monitorId);
}

function nameOf(kind: wire.AgentKind, monitorId: string, window: string | undefined): string {
  if (kind === "main") return monitorId === PRIMARY ? texts().mainAgent : texts().mainAgentOf(monitorId);
  if (kind === "ephemeral") return texts().additionalAgent;
  return kind === "window"
    ? texts().agentOfTitle(window ?? texts().aWindow)
    : texts().secondAgentOf(window ?? texts().aWindow);
}

/** The running turn and the queue of an agent. */
function share(
  id: string,
  agent: wire.AgentView | undefined,
  open: readonly OpenTurn[],
  isKnown: (turnId: string) => boolean,
): { turnId: string | undefined; queue: string[] } {
  const mine = open.filter(({ agentId }) => agentId === id);
  // Turns that are not loaded here are known only from the desktop view.
  const further = (turnId: string) => !isKnown(turnId) && !mine.some((turn) => turn.id === turnId);
  const working = mine.find(({ status }) => status !== "pending");
  const waiting = mine.filter((turn) => turn !== working).map((turn) => turn.id);
  const queue = [...(agent?.queue ?? []).filter(further), ...waiting];
  const elsewhere = agent?.turn_id && further(agent.turn_id) ? agent.turn_id : undefined;
  // With nothing running, the first queued turn is about to start.
  const turnId = working?.id ?? elsewhere ?? queue.shift();
  return { turnId, queue };
}

/** A rectangle in the page. */
export type Box = { left: number; top: number; width: number; height: number };

/** The path from an agent to its child: to the right if the child is beside it, else downwards. */
export function connector(from: Box, to: Box): string {
  const y = Math.round(to.top + Math.min(28, to.height / 2));
  if (to.left >= from.left + from.width) {
    const x1 = Math.round(from.left + from.width);
    const y1 = Math.round(from.top + Math.min(28, from.height / 2));
    const x2 = Math.round(to.left);
    const bend = Math.round((x2 - x1) / 2);
    return `M${x1} ${y1}C${x1 + bend} ${y1} ${x2 - bend} ${y} ${x2} ${y}`;
  }
  const x = Math.round(from.left + 14);
  return `M${x} ${Math.round(from.top + from.height)}V${y - 8}Q${x} ${y} ${x + 8} ${y}H${Math.round(to.left)}`;
}
