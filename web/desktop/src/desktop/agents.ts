/** Folds turn events into the desktop's agents: their current turns and queues. Pure. */
import type { FeedEvent, wire } from "@dwell/client";

const FINAL = new Set<wire.Transition>(["completed", "failed", "cancelled", "expired"]);

/** Applies an event to the agents, and removes the open questions of a turn that ended. */
export function applyTurnEvent(view: wire.DesktopView, event: FeedEvent): wire.DesktopView {
  switch (event.type) {
    case "message.accepted":
      return assignTurn(view, event.data.agent_id, event.data.turn_id);
    case "message.queued":
      return event.turn_id ? queueTurn(view, event.turn_id) : view;
    case "turn.stage":
      return event.turn_id && event.agent_id ? startTurn(view, event.agent_id, event.turn_id) : view;
    case "window.agent": {
      const { agent_id: id, status } = event.data;
      if (status === "released") return { ...view, agents: view.agents.filter((agent) => agent.agent_id !== id) };
      return withAgent(view, id);
    }
    case "turn.status":
      return event.turn_id ? updateStatus(view, event.turn_id, event.agent_id ?? undefined, event.data) : view;
    default:
      return view;
  }
}

/** The kind of an agent, by its id. */
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

function updateAgent(
  view: wire.DesktopView,
  id: string,
  change: (agent: wire.AgentView) => wire.AgentView,
): wire.DesktopView {
  return { ...view, agents: view.agents.map((agent) => (agent.agent_id === id ? change(agent) : agent)) };
}

function assignTurn(view: wire.DesktopView, agentId: string, turnId: string): wire.DesktopView {
  return updateAgent(withAgent(view, agentId), agentId, (agent) => {
    if (!agent.turn_id) return { ...agent, turn_id: turnId };
    return { ...agent, queue: [...(agent.queue ?? []), turnId] };
  });
}

/** Moves a turn back to the queue, as when no agent permit is free. */
function queueTurn(view: wire.DesktopView, turnId: string): wire.DesktopView {
  const agent = view.agents.find((one) => one.turn_id === turnId);
  if (agent === undefined) return view;
  return updateAgent(view, agent.agent_id, ({ turn_id: _, ...rest }) => ({
    ...rest,
    queue: [...(rest.queue ?? []), turnId],
  }));
}

function startTurn(view: wire.DesktopView, agentId: string, turnId: string): wire.DesktopView {
  const known = view.agents.find((agent) => agent.agent_id === agentId);
  if (known?.turn_id === turnId) return view;
  return updateAgent(withAgent(view, agentId), agentId, (agent) => ({
    ...agent,
    turn_id: turnId,
    queue: (agent.queue ?? []).filter((waiting) => waiting !== turnId),
  }));
}

function updateStatus(
  view: wire.DesktopView,
  turnId: string,
  agentId: string | undefined,
  { status, question }: wire.StatusChanged,
): wire.DesktopView {
  if (status === "resumed") return agentId === undefined ? view : startTurn(view, agentId, turnId);
  // An agent that waits for the user keeps its turn. One with an uncertain call releases it.
  if (status === "waiting" && !question) return view;
  const isOver = FINAL.has(status);
  const agents = view.agents
    .map((agent) => {
      const { turn_id: at, ...rest } = agent;
      const queue = (agent.queue ?? []).filter((waiting) => waiting !== turnId);
      return at === turnId ? { ...rest, queue } : { ...agent, queue };
    })
    // An agent for a single turn ends with it.
    .filter(({ kind, turn_id: at }) => !isOver || at || kind === "main" || kind === "window");
  if (!isOver) return { ...view, agents };
  return {
    ...view,
    agents,
    approvals: view.approvals.filter((approval) => approval.turn_id !== turnId),
    dialogs: view.dialogs.filter((dialog) => dialog.turn_id !== turnId),
  };
}

/** The activity of a window's agent. */
export type WindowActivity = "idle" | "works" | "waits" | "asks";

/** The activity of a window's agents: asking wins over working, and working over waiting. */
export function windowActivity(view: wire.DesktopView, windowId: string): WindowActivity {
  const own = view.agents.filter((agent) => agent.windows?.includes(windowId));
  const turns = new Set(own.map((agent) => agent.turn_id).filter(Boolean));
  const asks = [...view.dialogs, ...view.approvals].some(({ turn_id: id }) => turns.has(id));
  if (asks) return "asks";
  if (turns.size > 0) return "works";
  return own.some((agent) => (agent.queue?.length ?? 0) > 0) ? "waits" : "idle";
}
