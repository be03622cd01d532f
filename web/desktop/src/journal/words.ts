/** One-line descriptions of journal events. */
import type { wire } from "@dwell/client";
import { describeAlert, describeSchedule } from "./plans.ts";
import { texts } from "../languages/journal.ts";

/** The groups of event types. */
export const GROUPS = ["messages", "text", "tools", "memory", "desktop", "approvals", "planned", "status"] as const;
/** A group of event types. */
export type Group = (typeof GROUPS)[number];

/** The labels of the groups. */
export function groupNames(): Record<Group, string> {
  return {
    messages: texts().messages,
    text: texts().text,
    tools: texts().tools,
    memory: texts().memory,
    desktop: texts().desktop,
    approvals: texts().approvals,
    planned: texts().planned,
    status: texts().status,
  };
}

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

function stageTexts(): Record<wire.Stage, string> {
  return {
    receive: texts().receivedTheMessage,
    understand: texts().understoodTheRequest,
    plan: texts().planned,
    execute: texts().startedWorking,
    complete: texts().finished,
  };
}

function decisionTexts(): Record<wire.ApprovalDecision, string> {
  return {
    once: texts().allowedOnce,
    always: texts().alwaysAllowed,
    deny: texts().denied,
    never: texts().neverAllowed,
  };
}

function transitionTexts(): Record<wire.Transition, string> {
  return {
    resumed: texts().resumed,
    waiting: texts().waiting,
    interrupted: texts().interrupted,
    pausing: texts().pausing,
    paused: texts().paused,
    completed: texts().completed,
    failed: texts().failed,
    cancelled: texts().cancelled,
    expired: texts().timedOut,
  };
}

/** Describes an event. `titles` maps window ids to titles. */
export function describeEvent(event: wire.SessionEvent, titles?: ReadonlyMap<string, string>): string {
  const title = (id: string) => titles?.get(id) ?? id;
  switch (event.type) {
    case "session.started":
      return event.data.forked_from ? texts().sessionStartedAsFork : texts().sessionStarted;
    case "session.updated":
      return texts().settingsChanged;
    case "session.reset":
      return texts().conversationResetReason(because(event.data.reason));
    case "session.ended":
      return texts().sessionEndedReason(because(event.data.reason));
    case "session.restored":
      return texts().continuedFromEarlierSession;
    case "client.read":
      return texts().readUntrustedTextIts(event.data.client, event.data.what);
    case "message.accepted": {
      const { window, calls } = event.data;
      if (window?.act) return texts().youClickedIn(window.act.action, title(window.window_id));
      if (calls && calls.length > 0)
        return texts().youCalledCallsMessage(calls.map(({ tool }) => tool).join(", "), event.data.message);
      return texts().youMessagePart(event.data.message, window ? texts().toWindowId(title(window.window_id)) : "");
    }
    case "message.steered":
      return texts().youAddedMessage(event.data.message);
    case "message.queued":
      return texts().queuedAtPosition(event.data.position);
    case "clarification_needed":
      return texts().askedForClarification(event.data.question);
    case "turn.stage":
      return stage(event.data);
    case "turn.tools":
      return texts().theClientOffers(count(event.data.tools?.length ?? 0, "tool"));
    case "turn.status":
      return status(event.data);
    case "step":
      return step(event.data);
    case "memory.used": {
      const { items = [], tokens = 0 } = event.data;
      if (items.length === 0 && tokens === 0) return texts().gaveModelNoContext;
      return texts().gaveContext(tokens, items.length === 0 ? texts().nothing : count(items.length, "item"));
    }
    case "memory.written":
      return event.data.value === null || event.data.value === undefined
        ? texts().removedLevelKey(event.data.level, event.data.key)
        : texts().rememberedLevelKeyData(event.data.level, event.data.key, event.data.value);
    case "memory.summary_created":
      return texts().summarisedTheConversationVersion(event.data.version);
    case "research.started":
      return research.began(event.data);
    case "research.chunk":
      return research.told(event.data);
    case "research.done":
      return research.ended(event.data);
    case "entities.base":
      return texts().readStateHome;
    case "approval.request":
      return texts().askedForApprovalOf(event.data.tool, event.data.reason);
    case "approval.resolved":
      return texts().approvalDecisionsPart(
        decisionTexts()[event.data.decision],
        event.data.by === "expiry" ? texts().noAnswerInTime : event.data.by === "turn_end" ? texts().theTurnEnded : "",
      );
    case "schedule":
      return describeSchedule(event.data);
    case "alert":
      return describeAlert(event.data);
    case "agent.thinking":
      return texts().thoughtDelta(event.data.delta.trim());
    case "chat.token":
      return texts().wroteDelta(event.data.delta.trim());
    case "chat.final":
      return texts().answeredMessage(event.data.message);
    default:
      return desktop(event, title);
  }
}

/** Descriptions of research events. */
const research = {
  began: ({ query, questions = [], sources = [] }: wire.ResearchStarted) => {
    const where = sources.length === 0 ? texts().withNoSourceConfigured : texts().inSources(sources.join(", "));
    const divided = questions.length === 0 ? "" : `: ${count(questions.length, "question")}`;
    return texts().searchingForSourcesOn(query, where, divided);
  },
  told: ({ status: became, number, title, source, passages, cached, reason }: wire.ResearchChunk) => {
    const name = texts().sourceNumberTitle(number, title || source);
    if (became === "found") return texts().foundName(name);
    if (became === "failed") return texts().couldNotRead(name, because(reason));
    const much = passages == null ? "" : `: ${count(passages, "passage")}`;
    return texts().readNameMuchPart(name, much, cached ? texts().fromTheCache : "");
  },
  ended: ({ found, read, failed, citations = [], contradictions = [] }: wire.ResearchDone) => {
    const parts = [
      texts().readOfFoundRead(read, count(found, "source")),
      texts().citationsCited(count(citations.length, "passage")),
    ];
    if (failed > 0) parts.push(texts().couldNotBeRead(failed));
    if (contradictions.length > 0) parts.push(count(contradictions.length, "contradiction"));
    return texts().researchFinishedParts(parts.join(", "));
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
      return event.data.actions.map((action) => describeAction(action, title)).join("; ") || texts().noChangeDesktop;
    case "user.interaction":
      return texts().youInteractions(
        event.data.interactions.map((done) => describeInteraction(done, title)).join("; "),
      );
    case "window.agent":
      return texts().agentOfIs(title(event.data.window_id), event.data.status);
    case "render.feedback":
      return texts().couldNotBeDisplayed(title(event.data.window_id), event.data.error);
    case "dialog.answered": {
      const { answer } = event.data;
      if (answer === "dismissed" || answer === "unanswered") return texts().questionAnswer(answer);
      return "chosen" in answer ? texts().youChoseChosen(answer.chosen) : texts().youFilledForm;
    }
    case "toast.action":
      return event.data.action === "dismiss" ? texts().youDismissedAToast : texts().youClickedToast(event.data.action);
    case "app.ready":
      return texts().appInIsReady(title(event.data.window_id));
    case "app.request":
      return texts().appReceivedRequest(title(event.data.window_id));
    case "app.answered":
      return typeof event.data.outcome === "object" && "ok" in event.data.outcome
        ? texts().appAnswered(title(event.data.window_id))
        : texts().appDidNotAnswer(title(event.data.window_id));
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

function count(number: number, what: keyof ReturnType<typeof texts>["counted"]): string {
  return texts().counted[what](number);
}

function stage({ stage: name, detail }: wire.StageEntered): string {
  const more = (key: string) => {
    const value = typeof detail === "object" && detail !== null ? (detail as Record<string, unknown>)[key] : undefined;
    return typeof value === "string" ? value.replaceAll("_", " ") : undefined;
  };
  const said = name === "understand" ? more("intent") : name === "plan" ? more("way") : undefined;
  return said === undefined ? stageTexts()[name] : `${stageTexts()[name]}: ${said}`;
}

function status(data: wire.StatusChanged): string {
  const said = transitionTexts()[data.status];
  if (data.error) return `${said}: ${data.error.message}`;
  if (data.question) return `${said}: ${data.question.text}`;
  if (data.status === "waiting" && data.reason)
    return texts().waitingForAwaited(awaitedTexts()[data.reason] ?? data.reason.replaceAll("_", " "));
  return `${said}${because(data.reason)}`;
}

function step(data: wire.Step): string {
  switch (data.type) {
    case "plan": {
      const { calls = [], round, model } = data.detail;
      const what =
        calls.length === 0 ? texts().continues : texts().callsTools(calls.map(({ tool }) => tool).join(", "));
      return texts().roundModelWhat(round ?? 1, model ?? texts().theModel, what);
    }
    case "tool_call":
      return texts().calledToolArguments(data.detail.tool, withArguments(data.detail.arguments));
    case "tool_result": {
      const { tool, status: became = "ok", content, duration_ms: took } = data.detail;
      const time = took === null || took === undefined ? "" : texts().inTookMs(Math.round(took));
      // JSON is shown in the expanded row only.
      if (became === "ok")
        return /^\s*[[{]/.test(content)
          ? texts().toolAnsweredTime(tool, time)
          : texts().toolAnsweredTimeContent(tool, time, content);
      const words = {
        error: texts().hasFailed,
        denied: texts().wasDenied,
        cancelled: texts().wasCancelled,
        assumed: texts().isAssumedHaveRun,
      };
      return `${tool} ${words[became]}${time}: ${content}`;
    }
    case "retrieval":
      return texts().searchedMemory;
    case "observed_event":
      return data.detail.message ?? sentence(data.detail.kind);
    case "summary":
      return texts().summaryText(data.detail.text);
    case "error":
      return texts().errorMessagePart(
        data.detail.message ?? sentence(data.detail.code),
        data.detail.fallback ? texts().fallingBackTo(data.detail.fallback) : "",
      );
    default:
      return texts().unknownStep;
  }
}

function withArguments(given: unknown): string {
  if (typeof given !== "object" || given === null) return "";
  const parts = Object.entries(given).map(([name, value]) => {
    const text = typeof value === "string" ? texts().quoted(value) : JSON.stringify(value);
    return `${name.replaceAll("_", " ")} ${text}`;
  });
  return parts.length === 0 ? "" : texts().withParts(parts.join(", "));
}

/** What a turn waits for, by the reason of its status. */
function awaitedTexts(): Readonly<Record<string, string>> {
  return { dialog: texts().yourAnswer, approval: texts().approval };
}

/** What was done to a window. */
function doneTexts() {
  return {
    "window.focus": texts().focused,
    "window.move": texts().moved,
    "window.resize": texts().resized,
    "window.minimize": texts().minimised,
    "window.maximize": texts().maximised,
    "window.restore": texts().restored,
    "window.lock": texts().locked,
    "window.unlock": texts().unlocked,
  } as const;
}

function describeAction(action: wire.Action, title: (id: string) => string): string {
  switch (action.type) {
    case "window.create":
      return texts().windowTitleOpened(action.title);
    case "window.close":
      return texts().windowClosed(title(action.window_id));
    case "window.content":
      return texts().windowUpdated(title(action.window_id));
    case "window.title":
      return texts().windowRenamedTo(title(action.window_id), action.title);
    case "toast.show":
      return texts().toastText(action.text);
    case "notification.show":
      return texts().notificationTitle(action.title);
    case "dialog.show":
    case "prompt.show":
      return texts().askedYouTitle(action.title);
    case "monitor.add":
      return texts().monitorAdded(action.monitor_id);
    case "monitor.remove":
      return texts().monitorRemoved(action.monitor_id);
    default:
      return texts().windowDone(title(action.window_id), doneTexts()[action.type]);
  }
}

function describeInteraction(done: wire.Interaction, title: (id: string) => string): string {
  if (done.type === "app.interaction") return texts().usedWindowId(title(done.window_id));
  if (done.type === "window.draw") return texts().drewInWindowId(title(done.window_id));
  if (done.type === "window.close") return texts().closedWindowId(title(done.window_id));
  return texts().interaction(doneTexts()[done.type], title(done.window_id));
}

/** Describes a run of text or source events. */
export function describeRun({ events, text }: { events: readonly wire.SessionEvent[]; text: string }): string {
  const [first] = events;
  if (first?.type !== "research.chunk")
    return first?.type === "agent.thinking" ? texts().thoughtDelta(text.trim()) : texts().wroteDelta(text.trim());
  if (events.length === 1) return describeEvent(first);
  const told = events.flatMap((event) => (event.type === "research.chunk" ? [event.data.status] : []));
  const of = (status: wire.ChunkStatus) => told.filter((one) => one === status).length;
  const parts = [texts().ofFound(of("found")), texts().ofRead(of("read"))];
  if (of("failed") > 0) parts.push(texts().couldNotBeRead(of("failed")));
  return texts().sourcesParts(parts.join(", "));
}

/** The window titles in these events, by id. */
export function titlesOf(events: Iterable<wire.SessionEvent>, into = new Map<string, string>()): Map<string, string> {
  for (const event of events) {
    if (event.type !== "actions") continue;
    for (const action of event.data.actions) {
      if (action.type === "window.create" || action.type === "window.title")
        into.set(action.window_id, texts().quoted(action.title));
    }
  }
  return into;
}
