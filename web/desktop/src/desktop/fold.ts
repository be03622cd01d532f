/**
 * Folds events into a desktop snapshot, as the server does. Pure; an action that does not apply
 * changes nothing.
 */
import type { FeedEvent, wire } from "@dwell/client";
import { applyTurnEvent } from "./agents.ts";

/** The maximum number of toasts; the oldest are dropped. */
const TOASTS_MAX = 8;
/** The maximum number of notifications; the oldest are dropped. */
const NOTIFICATIONS_MAX = 32;
/** The monitor that every session has. */
export const PRIMARY = "main";

/** The next state, and whether it must be reloaded from the server. */
export type FoldResult = { view: wire.DesktopView; isStale: boolean };

/** Applies an event. Known and unrelated events return the same object. */
export function fold(view: wire.DesktopView, event: FeedEvent): FoldResult {
  if (event.seq === undefined || event.seq <= view.as_of) return { view, isStale: false };
  const next = applyTurnEvent(applyEvent(view, event), event);
  // A session that was reset, restored or ended has changes that only the server knows.
  const isStale = ["session.reset", "session.restored", "session.ended"].includes(event.type) || isInDoubt(view, event);
  return { view: next === view ? view : { ...derive(next), as_of: event.seq }, isStale };
}

function applyEvent(view: wire.DesktopView, event: FeedEvent): wire.DesktopView {
  switch (event.type) {
    case "actions": {
      const { monitor_id: monitorId = PRIMARY, actions } = event.data;
      const doer = { agentId: event.agent_id ?? undefined, monitorId, at: event.at };
      return actions.reduce((now, action) => applyAction(now, action, doer), view);
    }
    case "dialog.answered": {
      const { dialog_id: id } = event.data;
      return { ...view, dialogs: view.dialogs.filter((dialog) => dialog.dialog_id !== id) };
    }
    case "toast.action":
      return dismissToast(view, event.data.toast_id);
    case "approval.request":
      return { ...view, approvals: [...view.approvals, event.data] };
    case "approval.resolved": {
      const { approval_id: id } = event.data;
      return { ...view, approvals: view.approvals.filter((approval) => approval.approval_id !== id) };
    }
    case "app.ready": {
      const { window_id: id, manifest } = event.data;
      return updateWindow(view, id, (window) =>
        window.app ? { ...window, app: { ...window.app, manifest } } : window,
      );
    }
    case "app.request":
      if (view.app_requests.some((asked) => asked.request_id === event.data.request_id)) return view;
      return { ...view, app_requests: [...view.app_requests, event.data] };
    case "app.answered": {
      const { request_id: id } = event.data;
      return { ...view, app_requests: view.app_requests.filter((asked) => asked.request_id !== id) };
    }
    default:
      return view;
  }
}

/** Who performs an action, where and when. */
export type Actor = { agentId?: string | undefined; monitorId: string; at: string };

/** Applies one action. */
function applyAction(view: wire.DesktopView, action: wire.Action, doer: Actor): wire.DesktopView {
  switch (action.type) {
    case "window.create":
      return createWindow(view, action, doer);
    case "window.close":
      return closeWindows(view, (window) => window.window_id === action.window_id);
    case "window.focus":
      return raiseWindow(view, action.window_id, (state) => (state === "minimized" ? "normal" : state));
    case "window.maximize":
      return raiseWindow(view, action.window_id, () => "maximized");
    case "window.restore":
      return raiseWindow(view, action.window_id, () => "normal");
    case "window.minimize":
      return updateWindow(view, action.window_id, (window) => ({ ...window, state: "minimized" }));
    case "window.move":
      return updateWindow(view, action.window_id, (window) => {
        const { x, y } = action;
        return { ...window, bounds: { ...window.bounds, x, y } };
      });
    case "window.resize":
      return updateWindow(view, action.window_id, (window) => {
        const { width, height } = action;
        return { ...window, bounds: { ...window.bounds, width, height } };
      });
    case "window.title":
      return updateWindow(view, action.window_id, (window) => {
        const { title, origin } = action;
        return { ...window, title, origin: worse(window.origin, origin), updated_at: doer.at };
      });
    case "window.content":
      return replaceContent(view, action, doer.at);
    case "window.lock":
      return updateWindow(view, action.window_id, (window) => ({ ...window, locked_by: action.holder }));
    case "window.unlock":
      return updateWindow(view, action.window_id, ({ locked_by: _, ...window }) => window);
    default:
      return applyOther(view, action);
  }
}

/** Applies an action at once, before the server confirms it. */
export function applyLocally(view: wire.DesktopView, action: wire.Action, doer: Actor): wire.DesktopView {
  return derive(applyAction(view, action, doer));
}

/** Applies an action that concerns no window. */
function applyOther(view: wire.DesktopView, action: wire.Action): wire.DesktopView {
  switch (action.type) {
    case "toast.show": {
      const { type: _, ...toast } = action;
      const without = dismissToast(view, toast.toast_id);
      return { ...without, toasts: [...without.toasts, toast].slice(-TOASTS_MAX) };
    }
    case "notification.show": {
      const { type: _, ...notification } = action;
      const without = dismissToast(view, notification.toast_id);
      return { ...without, notifications: [...without.notifications, notification].slice(-NOTIFICATIONS_MAX) };
    }
    case "dialog.show":
    case "prompt.show": {
      const { type: _, ...dialog } = action;
      if (view.dialogs.some((open) => open.dialog_id === dialog.dialog_id)) return view;
      return { ...view, dialogs: [...view.dialogs, dialog] };
    }
    case "monitor.add": {
      const { monitor_id: id } = action;
      if (view.monitors.some((monitor) => monitor.monitor_id === id)) return view;
      const agentId = `main@${id}`;
      const agent: wire.AgentView = { agent_id: agentId, kind: "main", monitor_id: id, windows: [], queue: [] };
      return {
        ...view,
        monitors: [...view.monitors, { monitor_id: id, agent_id: agentId }],
        agents: [...view.agents, agent],
      };
    }
    case "monitor.remove": {
      const { monitor_id: id } = action;
      if (id === PRIMARY) return view;
      const left = closeWindows(view, (window) => window.monitor_id === id);
      return {
        ...left,
        monitors: left.monitors.filter((monitor) => monitor.monitor_id !== id),
        agents: left.agents.filter((agent) => agent.monitor_id !== id),
        dialogs: left.dialogs.filter((dialog) => (dialog.monitor_id ?? PRIMARY) !== id),
      };
    }
    default:
      // A newer server may have actions that are not known here.
      return view;
  }
}

type Create = Extract<wire.Action, { type: "window.create" }>;
type Rewrite = Extract<wire.Action, { type: "window.content" }>;

function createWindow(view: wire.DesktopView, action: Create, doer: Actor): wire.DesktopView {
  const { window_id: id, title, bounds, content, origin = "trusted", token } = action;
  const isThere = view.windows.some((window) => window.window_id === id);
  if (isThere || !view.monitors.some((monitor) => monitor.monitor_id === doer.monitorId)) return view;
  const app = newApp(content, token);
  const window: wire.Window = {
    window_id: id,
    monitor_id: doer.monitorId,
    group: action.group ?? id,
    title,
    bounds,
    state: "normal",
    content,
    origin,
    opened_at: doer.at,
    updated_at: doer.at,
    ...(doer.agentId !== undefined && { opened_by: doer.agentId }),
    ...(app && { app }),
  };
  return { ...view, windows: [...view.windows, window] };
}

function replaceContent(view: wire.DesktopView, action: Rewrite, at: string): wire.DesktopView {
  const { window_id: id, content, origin, token } = action;
  const before = view.windows.find((window) => window.window_id === id);
  if (before === undefined) return view;
  const isAnother = !isSameApp(before.content, content);
  const next = updateWindow(view, id, ({ app, ...window }) => {
    const now = isAnother ? newApp(content, token) : app;
    return { ...window, content, origin: worse(window.origin, origin), updated_at: at, ...(now && { app: now }) };
  });
  if (!isAnother) return next;
  return { ...next, app_requests: next.app_requests.filter((asked) => asked.window_id !== id) };
}

/** Whether both are the same app, whatever its parameters. */
function isSameApp(one: wire.WindowContent, other: wire.WindowContent): boolean {
  return one.type === "app" && other.type === "app" && one.app === other.app;
}

function newApp(content: wire.WindowContent, token: string | null | undefined): wire.AppRegistered | undefined {
  return content.type === "app" && token ? { token, restore: [] } : undefined;
}

/**
 * Title and content each have an origin, which only the server tracks; until then the worse holds.
 */
function worse(before: wire.Origin, after: wire.Origin | undefined): wire.Origin {
  return before === "untrusted" ? before : (after ?? "trusted");
}

/** Whether this may have made a window trusted, which only the server can tell. */
function isInDoubt(view: wire.DesktopView, event: FeedEvent): boolean {
  if (event.type !== "actions") return false;
  return event.data.actions.some((action) => {
    if (action.type !== "window.title" && action.type !== "window.content") return false;
    const before = view.windows.find((window) => window.window_id === action.window_id);
    return before?.origin === "untrusted" && action.origin !== "untrusted";
  });
}

function updateWindow(
  view: wire.DesktopView,
  id: string,
  change: (window: wire.Window) => wire.Window,
): wire.DesktopView {
  if (!view.windows.some((window) => window.window_id === id)) return view;
  return { ...view, windows: view.windows.map((window) => (window.window_id === id ? change(window) : window)) };
}

/** Brings a window to the front. */
function raiseWindow(
  view: wire.DesktopView,
  id: string,
  state: (before: wire.WindowState) => wire.WindowState,
): wire.DesktopView {
  const window = view.windows.find((one) => one.window_id === id);
  if (window === undefined) return view;
  const others = view.windows.filter((one) => one !== window);
  return { ...view, windows: [...others, { ...window, state: state(window.state) }] };
}

function closeWindows(view: wire.DesktopView, isMeant: (window: wire.Window) => boolean): wire.DesktopView {
  const gone = new Set(view.windows.filter(isMeant).map((window) => window.window_id));
  if (gone.size === 0) return view;
  return {
    ...view,
    windows: view.windows.filter((window) => !gone.has(window.window_id)),
    app_requests: view.app_requests.filter((asked) => !gone.has(asked.window_id)),
  };
}

function dismissToast(view: wire.DesktopView, id: string): wire.DesktopView {
  return {
    ...view,
    toasts: view.toasts.filter((toast) => toast.toast_id !== id),
    notifications: view.notifications.filter((notification) => notification.toast_id !== id),
  };
}

/** Derives the frontmost window of each monitor and the windows of each agent. */
function derive(view: wire.DesktopView): wire.DesktopView {
  const monitors = view.monitors.map(({ focused: _, ...monitor }) => {
    const front = view.windows.findLast(
      (window) => window.monitor_id === monitor.monitor_id && window.state !== "minimized",
    );
    return front ? { ...monitor, focused: front.window_id } : monitor;
  });
  const byAge = [...view.windows].sort((one, other) => one.opened_at.localeCompare(other.opened_at));
  const agents = view.agents.map((agent) => {
    const group = groupOf(agent.agent_id);
    if (group === undefined) return agent;
    return { ...agent, windows: byAge.filter((window) => window.group === group).map((window) => window.window_id) };
  });
  return { ...view, monitors, agents };
}

/** The window group of an agent, if it is a window agent. */
export function groupOf(agentId: string): string | undefined {
  return /^window-([^/@]+)/.exec(agentId)?.[1];
}

/** The action that an interaction becomes; undefined if it changes nothing by itself. */
export function asAction(interaction: wire.Interaction): wire.Action | undefined {
  switch (interaction.type) {
    case "window.lock":
      return { ...interaction, holder: "user" };
    case "window.draw":
    case "app.interaction":
      return undefined;
    default:
      return interaction;
  }
}
