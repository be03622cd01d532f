/** One-line descriptions of journal events. */
import type { wire } from "@dwell/client";
import { describeAlert, describeSchedule } from "./plans.ts";

/** The groups of event types. */
export const GROUPS = ["messages", "text", "tools", "memory", "desktop", "approvals", "planned", "status"] as const;
/** A group of event types. */
export type Group = (typeof GROUPS)[number];

/** The labels of the groups. */
export const GROUP_NAMES: Record<Group, string> = {
  messages: "Messages",
  text: "Text",
  tools: "Tools",
  memory: "Memory",
  desktop: "Desktop",
  approvals: "Approvals",
  planned: "Planned",
  status: "Status",
};

/** The group of an event. Unknown types belong to `status`. */
export function groupOf(event: wire.SessionEvent): Group {
  switch (event.type) {
    case "message.accepted":
    case "message.steered":
    case "message.queued":
    case "clarification_needed":
      return "messages";
    case "chat.token":
    case "chat.final":
    case "agent.thinking":
      return "text";
    case "turn.tools":
    case "research.started":
    case "research.chunk":
    case "research.done":
      return "tools";
    case "step":
      return event.data.type === "retrieval" || event.data.type === "summary"
        ? "memory"
        : event.data.type === "error"
          ? "status"
          : "tools";
    case "memory.used":
    case "memory.written":
    case "memory.summary_created":
    case "entities.base":
      return "memory";
    case "actions":
    case "user.interaction":
    case "window.agent":
    case "render.feedback":
    case "dialog.answered":
    case "toast.action":
    case "app.ready":
    case "app.request":
    case "app.answered":
      return "desktop";
    case "approval.request":
    case "approval.resolved":
      return "approvals";
    case "schedule":
    case "alert":
      return "planned";
    default:
      return "status";
  }
}

const STAGES: Record<wire.Stage, string> = {
  receive: "Received the message",
  understand: "Understood the request",
  plan: "Planned",
  execute: "Started working",
  complete: "Finished",
};

const DECISIONS: Record<wire.ApprovalDecision, string> = {
  once: "allowed once",
  always: "always allowed",
  deny: "denied",
  never: "never allowed",
};

const TRANSITIONS: Record<wire.Transition, string> = {
  resumed: "Resumed",
  waiting: "Waiting",
  interrupted: "Interrupted",
  pausing: "Pausing",
  paused: "Paused",
  completed: "Completed",
  failed: "Failed",
  cancelled: "Cancelled",
  expired: "Timed out",
};

/** Describes an event. `titles` maps window ids to titles. */
export function describeEvent(event: wire.SessionEvent, titles?: ReadonlyMap<string, string>): string {
  const title = (id: string) => titles?.get(id) ?? id;
  switch (event.type) {
    case "session.started":
      return event.data.forked_from ? "Session started as a fork" : "Session started";
    case "session.updated":
      return "Settings changed";
    case "session.reset":
      return `Conversation reset${because(event.data.reason)}`;
    case "session.ended":
      return `Session ended${because(event.data.reason)}`;
    case "session.restored":
      return "Continued from an earlier session";
    case "client.read":
      return `${event.data.client} read untrusted text (${event.data.what}): its calls need approval`;
    case "message.accepted": {
      const { window, calls } = event.data;
      if (window?.act) return `You clicked “${window.act.action}” in ${title(window.window_id)}`;
      if (calls && calls.length > 0)
        return `You called ${calls.map(({ tool }) => tool).join(", ")}: ${event.data.message}`;
      return `You: “${event.data.message}”${window ? ` to ${title(window.window_id)}` : ""}`;
    }
    case "message.steered":
      return `You added “${event.data.message}”`;
    case "message.queued":
      return `Queued at position ${event.data.position}`;
    case "clarification_needed":
      return `Asked for clarification: ${event.data.question}`;
    case "turn.stage":
      return stage(event.data);
    case "turn.tools":
      return `The client offers ${count(event.data.tools?.length ?? 0, "tool")}`;
    case "turn.status":
      return status(event.data);
    case "step":
      return step(event.data);
    case "memory.used": {
      const { items = [], tokens = 0 } = event.data;
      if (items.length === 0 && tokens === 0) return "Gave the model no context";
      return `Gave the model ${tokens} tokens of context, ${items.length === 0 ? "nothing" : count(items.length, "item")} from memory`;
    }
    case "memory.written":
      return event.data.value === null || event.data.value === undefined
        ? `Removed ${event.data.level} “${event.data.key}”`
        : `Remembered ${event.data.level} “${event.data.key}”: ${event.data.value}`;
    case "memory.summary_created":
      return `Summarised the conversation, version ${event.data.version}`;
    case "research.started":
      return research.began(event.data);
    case "research.chunk":
      return research.told(event.data);
    case "research.done":
      return research.ended(event.data);
    case "entities.base":
      return "Read the state of the home";
    case "approval.request":
      return `Asked for approval of ${event.data.tool}: ${event.data.reason}`;
    case "approval.resolved":
      return `Approval: ${DECISIONS[event.data.decision]}${event.data.by === "expiry" ? ", no answer in time" : event.data.by === "turn_end" ? ", the turn ended" : ""}`;
    case "schedule":
      return describeSchedule(event.data);
    case "alert":
      return describeAlert(event.data);
    case "agent.thinking":
      return `Thought “${event.data.delta.trim()}”`;
    case "chat.token":
      return `Wrote “${event.data.delta.trim()}”`;
    case "chat.final":
      return `Answered “${event.data.message}”`;
    default:
      return desktop(event, title);
  }
}

/** Descriptions of research events. */
const research = {
  began: ({ query, questions = [], sources = [] }: wire.ResearchStarted) => {
    const where = sources.length === 0 ? ", with no source configured" : ` in ${sources.join(", ")}`;
    const divided = questions.length === 0 ? "" : `: ${count(questions.length, "question")}`;
    return `Searching for sources on “${query}”${where}${divided}`;
  },
  told: ({ status: became, number, title, source, passages, cached, reason }: wire.ResearchChunk) => {
    const name = `source ${number}, “${title || source}”`;
    if (became === "found") return `Found ${name}`;
    if (became === "failed") return `Could not read ${name}${because(reason)}`;
    const much = passages == null ? "" : `: ${count(passages, "passage")}`;
    return `Read ${name}${much}${cached ? ", from the cache" : ""}`;
  },
  ended: ({ found, read, failed, citations = [], contradictions = [] }: wire.ResearchDone) => {
    const parts = [`${read} of ${count(found, "source")} read`, `${count(citations.length, "passage")} cited`];
    if (failed > 0) parts.push(`${failed} could not be read`);
    if (contradictions.length > 0) parts.push(count(contradictions.length, "contradiction"));
    return `Research finished: ${parts.join(", ")}`;
  },
};

type DesktopEvent = Extract<
  wire.SessionEvent,
  {
    type:
      | "actions"
      | "user.interaction"
      | "window.agent"
      | "render.feedback"
      | "dialog.answered"
      | "toast.action"
      | "app.ready"
      | "app.request"
      | "app.answered";
  }
>;

function desktop(event: DesktopEvent, title: (id: string) => string): string {
  switch (event.type) {
    case "actions":
      return event.data.actions.map((action) => describeAction(action, title)).join("; ") || "No change on the desktop";
    case "user.interaction":
      return `You: ${event.data.interactions.map((done) => describeInteraction(done, title)).join("; ")}`;
    case "window.agent":
      return `Agent of ${title(event.data.window_id)} is ${event.data.status}`;
    case "render.feedback":
      return `${title(event.data.window_id)} could not be displayed: ${event.data.error}`;
    case "dialog.answered": {
      const { answer } = event.data;
      if (answer === "dismissed" || answer === "unanswered") return `Question ${answer}`;
      return "chosen" in answer ? `You chose “${answer.chosen}”` : "You filled in a form";
    }
    case "toast.action":
      return event.data.action === "dismiss"
        ? "You dismissed a toast"
        : `You clicked “${event.data.action}” in a toast`;
    case "app.ready":
      return `App in ${title(event.data.window_id)} is ready`;
    case "app.request":
      return `App in ${title(event.data.window_id)} received a request`;
    case "app.answered":
      return `App in ${title(event.data.window_id)} ${typeof event.data.outcome === "object" && "ok" in event.data.outcome ? "answered" : "did not answer"}`;
    default:
      // A newer server may send events that are not known here.
      return sentence((event as { type: string }).type);
  }
}

/** Turns a name into a label: `window.minimize` is `Window minimize`. */
function sentence(name: string): string {
  const text = name.replaceAll(/[._]/g, " ");
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function because(reason: string | null | undefined): string {
  return reason ? `: ${reason}` : "";
}

function count(number: number, what: string): string {
  return number === 1 ? `1 ${what}` : `${number} ${what}s`;
}

function stage({ stage: name, detail }: wire.StageEntered): string {
  const more = (key: string) => {
    const value = typeof detail === "object" && detail !== null ? (detail as Record<string, unknown>)[key] : undefined;
    return typeof value === "string" ? value.replaceAll("_", " ") : undefined;
  };
  const said = name === "understand" ? more("intent") : name === "plan" ? more("way") : undefined;
  return said === undefined ? STAGES[name] : `${STAGES[name]}: ${said}`;
}

function status(data: wire.StatusChanged): string {
  const said = TRANSITIONS[data.status];
  if (data.error) return `${said}: ${data.error.message}`;
  if (data.question) return `${said}: ${data.question.text}`;
  if (data.status === "waiting" && data.reason)
    return `Waiting for ${AWAITED[data.reason] ?? data.reason.replaceAll("_", " ")}`;
  return `${said}${because(data.reason)}`;
}

function step(data: wire.Step): string {
  switch (data.type) {
    case "plan": {
      const { calls = [], round, model } = data.detail;
      const what = calls.length === 0 ? "continues" : `calls ${calls.map(({ tool }) => tool).join(", ")}`;
      return `Round ${round ?? 1}: ${model ?? "the model"} ${what}`;
    }
    case "tool_call":
      return `Called ${data.detail.tool}${withArguments(data.detail.arguments)}`;
    case "tool_result": {
      const { tool, status: became = "ok", content, duration_ms: took } = data.detail;
      const time = took === null || took === undefined ? "" : ` in ${Math.round(took)} ms`;
      // JSON is shown in the expanded row only.
      if (became === "ok")
        return /^\s*[[{]/.test(content) ? `${tool} answered${time}` : `${tool} answered${time}: ${content}`;
      const words = {
        error: "failed",
        denied: "was denied",
        cancelled: "was cancelled",
        assumed: "is assumed to have run",
      };
      return `${tool} ${words[became]}${time}: ${content}`;
    }
    case "retrieval":
      return "Searched memory";
    case "observed_event":
      return data.detail.message ?? sentence(data.detail.kind);
    case "summary":
      return `Summary: ${data.detail.text}`;
    case "error":
      return `Error: ${data.detail.message ?? sentence(data.detail.code)}${data.detail.fallback ? `; falling back to ${data.detail.fallback}` : ""}`;
    default:
      return "Unknown step";
  }
}

function withArguments(given: unknown): string {
  if (typeof given !== "object" || given === null) return "";
  const parts = Object.entries(given).map(([name, value]) => {
    const text = typeof value === "string" ? `“${value}”` : JSON.stringify(value);
    return `${name.replaceAll("_", " ")} ${text}`;
  });
  return parts.length === 0 ? "" : ` with ${parts.join(", ")}`;
}

/** What a turn waits for, by the reason of its status. */
const AWAITED: Readonly<Record<string, string>> = { dialog: "your answer", approval: "approval" };

/** What was done to a window. */
const DONE = {
  "window.focus": "focused",
  "window.move": "moved",
  "window.resize": "resized",
  "window.minimize": "minimised",
  "window.maximize": "maximised",
  "window.restore": "restored",
  "window.lock": "locked",
  "window.unlock": "unlocked",
} as const;

function describeAction(action: wire.Action, title: (id: string) => string): string {
  switch (action.type) {
    case "window.create":
      return `Window “${action.title}” opened`;
    case "window.close":
      return `Window ${title(action.window_id)} closed`;
    case "window.content":
      return `Window ${title(action.window_id)} updated`;
    case "window.title":
      return `Window ${title(action.window_id)} renamed to “${action.title}”`;
    case "toast.show":
      return `Toast: ${action.text}`;
    case "notification.show":
      return `Notification: ${action.title}`;
    case "dialog.show":
    case "prompt.show":
      return `Asked you: ${action.title}`;
    case "monitor.add":
      return `Monitor ${action.monitor_id} added`;
    case "monitor.remove":
      return `Monitor ${action.monitor_id} removed`;
    default:
      return `Window ${title(action.window_id)} ${DONE[action.type]}`;
  }
}

function describeInteraction(done: wire.Interaction, title: (id: string) => string): string {
  if (done.type === "app.interaction") return `used ${title(done.window_id)}`;
  if (done.type === "window.draw") return `drew in ${title(done.window_id)}`;
  if (done.type === "window.close") return `closed ${title(done.window_id)}`;
  return `${DONE[done.type]} ${title(done.window_id)}`;
}

/** Describes a run of text or source events. */
export function describeRun({ events, text }: { events: readonly wire.SessionEvent[]; text: string }): string {
  const [first] = events;
  if (first?.type !== "research.chunk")
    return `${first?.type === "agent.thinking" ? "Thought" : "Wrote"} “${text.trim()}”`;
  if (events.length === 1) return describeEvent(first);
  const told = events.flatMap((event) => (event.type === "research.chunk" ? [event.data.status] : []));
  const of = (status: wire.ChunkStatus) => told.filter((one) => one === status).length;
  const parts = [`${of("found")} found`, `${of("read")} read`];
  if (of("failed") > 0) parts.push(`${of("failed")} could not be read`);
  return `Sources: ${parts.join(", ")}`;
}

/** The window titles in these events, by id. */
export function titlesOf(events: Iterable<wire.SessionEvent>, into = new Map<string, string>()): Map<string, string> {
  for (const event of events) {
    if (event.type !== "actions") continue;
    for (const action of event.data.actions) {
      if (action.type === "window.create" || action.type === "window.title")
        into.set(action.window_id, `“${action.title}”`);
    }
  }
  return into;
}
