/** Who works here, as far as events tell it: turns come to agents, wait in their lines, and end. Pure. */
import type { Told, wire } from "@dwell/client";

const FINAL = new Set<wire.Transition>(["completed", "failed", "cancelled", "expired"]);

/** Takes in what an event means for the agents, and for what a turn that ended had asked. */
export function takeTurn(view: wire.DesktopView, event: Told): wire.DesktopView {
  switch (event.type) {
    case "message.accepted":
      return accepted(view, event.data.agent_id, event.data.turn_id);
    case "message.queued":
      return event.turn_id ? queued(view, event.turn_id) : view;
    case "turn.stage":
      return event.turn_id && event.agent_id ? takenUp(view, event.agent_id, event.turn_id) : view;
    case "window.agent": {
      const { agent_id: id, status } = event.data;
      if (status === "released") return { ...view, agents: view.agents.filter((agent) => agent.agent_id !== id) };
      return withAgent(view, id);
    }
    case "turn.status":
      return event.turn_id ? changedStatus(view, event.turn_id, event.agent_id ?? undefined, event.data) : view;
    default:
      return view;
  }
}

/** What an agent is, by its name. */
export function kindOf(agentId: string): wire.AgentKind {
  const name = agentId.split("@")[0] ?? agentId;
  if (name === "main") return "main";
  if (name.startsWith("window-")) return name.includes("/") ? "parallel" : "window";
  return "ephemeral";
}

function withAgent(view: wire.DesktopView, id: string): wire.DesktopView {
  if (view.agents.some((agent) => agent.agent_id === id)) return view;
  const monitorId = id.split("@")[1] ?? "main";
  const agent: wire.AgentView = { agent_id: id, kind: kindOf(id), monitor_id: monitorId, windows: [], queue: [] };
  return { ...view, agents: [...view.agents, agent] };
}

function changedAgent(
  view: wire.DesktopView,
  id: string,
  change: (agent: wire.AgentView) => wire.AgentView,
): wire.DesktopView {
  return { ...view, agents: view.agents.map((agent) => (agent.agent_id === id ? change(agent) : agent)) };
}

function accepted(view: wire.DesktopView, agentId: string, turnId: string): wire.DesktopView {
  return changedAgent(withAgent(view, agentId), agentId, (agent) => {
    if (!agent.turn_id) return { ...agent, turn_id: turnId };
    return { ...agent, queue: [...(agent.queue ?? []), turnId] };
  });
}

/** It waits after all, as when there is no room for one more agent. */
function queued(view: wire.DesktopView, turnId: string): wire.DesktopView {
  const agent = view.agents.find((one) => one.turn_id === turnId);
  if (agent === undefined) return view;
  return changedAgent(view, agent.agent_id, ({ turn_id: _, ...rest }) => ({
    ...rest,
    queue: [...(rest.queue ?? []), turnId],
  }));
}

function takenUp(view: wire.DesktopView, agentId: string, turnId: string): wire.DesktopView {
  const known = view.agents.find((agent) => agent.agent_id === agentId);
  if (known?.turn_id === turnId) return view;
  return changedAgent(withAgent(view, agentId), agentId, (agent) => ({
    ...agent,
    turn_id: turnId,
    queue: (agent.queue ?? []).filter((waiting) => waiting !== turnId),
  }));
}

function changedStatus(
  view: wire.DesktopView,
  turnId: string,
  agentId: string | undefined,
  { status, question }: wire.StatusChanged,
): wire.DesktopView {
  if (status === "resumed") return agentId === undefined ? view : takenUp(view, agentId, turnId);
  // An agent that waits for a person waits with its turn. One in doubt about a call lets it go.
  if (status === "waiting" && !question) return view;
  const isOver = FINAL.has(status);
  const agents = view.agents
    .map((agent) => {
      const { turn_id: at, ...rest } = agent;
      const queue = (agent.queue ?? []).filter((waiting) => waiting !== turnId);
      return at === turnId ? { ...rest, queue } : { ...agent, queue };
    })
    // Whoever came for one turn goes with it.
    .filter(({ kind, turn_id: at }) => !isOver || at || kind === "main" || kind === "window");
  if (!isOver) return { ...view, agents };
  return {
    ...view,
    agents,
    approvals: view.approvals.filter((approval) => approval.turn_id !== turnId),
    dialogs: view.dialogs.filter((dialog) => dialog.turn_id !== turnId),
  };
}

/** What the agent of a window is at. */
export type AtWork = "idle" | "works" | "waits" | "asks";

/** What the agents of a window are at: one that asks wins over one that works, that over one whose turn has to wait. */
export function atWork(view: wire.DesktopView, windowId: string): AtWork {
  const own = view.agents.filter((agent) => agent.windows?.includes(windowId));
  const turns = new Set(own.map((agent) => agent.turn_id).filter(Boolean));
  const asks = [...view.dialogs, ...view.approvals].some(({ turn_id: id }) => turns.has(id));
  if (asks) return "asks";
  if (turns.size > 0) return "works";
  return own.some((agent) => (agent.queue?.length ?? 0) > 0) ? "waits" : "idle";
}
