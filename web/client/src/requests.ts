/** Every message a client can send, with its data, its answer, and whether sending it twice does harm. */
import type {
  Accepted,
  AppCommand,
  Cancelled,
  ChatSend,
  Deleted,
  DesktopView,
  Fact,
  Forgotten,
  Found,
  HomeView,
  Imported,
  Interaction,
  MemoryArchive,
  MemoryForget,
  MemoryImport,
  MemorySearch,
  MemorySnapshot,
  SessionEvent,
  SessionPage,
  SessionView,
  Start,
  TurnView,
  Update,
  WindowView,
} from "./wire.js";

/** Which session is meant: Dwell's id, or a name of one's own choice. */
export type SessionRef = { session_id: string } | { conversation_id: string };
/** The same where it may be left out. */
export type MaybeSession = { session_id?: string | undefined; conversation_id?: string | undefined };

type TurnRef = { turn_id: string };
type Loose = Record<string, unknown>;
type Reason = { reason?: string | undefined; version?: number | undefined };
type Level = Found["level"];
type Done = Record<string, never>;
type Format = "ndjson" | "openai" | "langchain" | "langgraph";

/** By name: what goes with a message, and what it is answered. */
export type Requests = {
  "session.start": [Partial<Start>, SessionView];
  "session.resume": [SessionRef & { after?: number; monitors?: readonly string[] }, SessionView];
  "session.get": [SessionRef, SessionView];
  "session.window": [SessionRef & { agent_id?: string }, WindowView];
  "session.list": [
    {
      cursor?: string | undefined;
      limit?: number | undefined;
      query?: string | undefined;
      status?: SessionView["status"] | undefined;
    },
    SessionPage,
  ];
  "session.update": [SessionRef & Update, SessionView];
  "session.reset": [SessionRef & Reason, SessionView];
  "session.end": [SessionRef & Reason, SessionView];
  "session.delete": [SessionRef & { memories?: boolean | undefined; version?: number | undefined }, Deleted];
  "session.fork": [SessionRef & TurnRef & { key?: string }, SessionView];
  /** The journal; other forms of a session are exported over REST. */
  "session.export": [SessionRef, { events: SessionEvent[] }];
  "session.import": [
    { format?: Format; text: string; conversation_id?: string; idempotency_key?: string },
    SessionView,
  ];
  "session.restore": [SessionRef & { windows?: "whole" | "summarized"; key?: string }, SessionView];
  "chat.send": [SessionRef & ChatSend, Accepted];
  "agent.cancel": [SessionRef & { turn_id?: string | undefined; reason?: string | undefined }, Cancelled];
  "agent.interrupt": [SessionRef & { agent_id?: string }, Cancelled];
  "turn.get": [TurnRef, TurnView];
  "tool.answer": [
    TurnRef & { results: { call_id: string; content: string; is_error?: boolean }[]; offer?: Loose },
    Loose & { calls_waiting: string[]; duplicate: boolean },
  ];
  "turn.resume": [
    TurnRef & { outcome?: "happened" | "did_not_happen" | undefined; call_id?: string | undefined },
    Accepted,
  ];
  "turn.retry": [TurnRef, Accepted];
  "approval.answer": [
    { approval_id: string; decision: Decision; digest?: string | undefined },
    { approval_id: string; decision: Decision },
  ];
  "provider.set": [SessionRef & { model: string }, SessionView];
  "memory.set": [
    {
      key: string;
      value: string;
      priority?: number | undefined;
      ttl_s?: number | undefined;
      idempotency_key?: string | undefined;
    },
    Fact,
  ];
  "memory.get": [
    MaybeSession & {
      query?: string | undefined;
      scope?: Scope | undefined;
      levels?: Level[] | undefined;
      key?: string | undefined;
      history?: boolean | undefined;
      cursor?: string | undefined;
      limit?: number | undefined;
    },
    MemorySnapshot,
  ];
  "memory.search": [MemorySearch, MemorySnapshot];
  "memory.correct": [{ id: string; text: string; idempotency_key?: string | undefined }, Fact | Found];
  "memory.forget": [MemoryForget, Forgotten];
  "memory.export": [Done, MemoryArchive];
  "memory.import": [MemoryImport & { idempotency_key?: string | undefined }, Imported];
  "desktop.get": [SessionRef, DesktopView];
  "window.message": [SessionRef & { window_id: string; content: string; idempotency_key?: string }, Accepted];
  "window.action": [
    SessionRef & {
      window_id: string;
      action: string;
      action_id?: string;
      form_data?: Loose;
      component_path?: string;
      parallel?: boolean;
      idempotency_key?: string;
    },
    Accepted,
  ];
  "user.interaction": [SessionRef & { interactions: Interaction[] }, Done];
  "render.feedback": [SessionRef & { window_id: string; ok: boolean; error?: string }, Done];
  "dialog.answer": [SessionRef & { dialog_id: string; choice?: string }, Done];
  "prompt.answer": [SessionRef & { dialog_id: string; values?: Loose }, Done];
  "toast.action": [SessionRef & { toast_id: string; action: string }, Done];
  "app.ready": [SessionRef & Loose, { restore?: AppCommand[] } & Loose];
  "app.response": [SessionRef & Loose, Done];
  "monitor.subscribe": [SessionRef & { monitor_id: string }, DesktopView];
  "monitor.remove": [SessionRef & { monitor_id: string }, DesktopView];
  "home.follow": [Done, HomeView];
  "home.unfollow": [Done, Done];
  ping: [Done, Done];
};

/** The name of a message. */
export type RequestName = keyof Requests;
/** What a person says to a call. */
export type Decision = "once" | "always" | "deny" | "never";
/** Where to look. */
export type Scope = "user" | "conversation" | "both";

/**
 * Whether a message may be sent again when the connection broke before its answer came: `always` where it changes nothing,
 * or nothing more the second time; otherwise with this field, which makes the second time the first; else `never`.
 */
export const REPEATABLE: Record<RequestName, "always" | "never" | "key" | "idempotency_key" | "turn_id"> = {
  "session.start": "key",
  "session.resume": "always",
  "session.get": "always",
  "session.window": "always",
  "session.list": "always",
  "session.update": "never",
  "session.reset": "never",
  "session.end": "never",
  // The second time it is not found, which would be told as a failure.
  "session.delete": "never",
  "session.fork": "key",
  "session.export": "always",
  "session.import": "idempotency_key",
  "session.restore": "key",
  "chat.send": "idempotency_key",
  // A turn that is cancelled twice is cancelled; "all" may be others the second time.
  "agent.cancel": "turn_id",
  "agent.interrupt": "never",
  "turn.get": "always",
  // What was told before counts once.
  "tool.answer": "always",
  "turn.resume": "never",
  "turn.retry": "never",
  "approval.answer": "never",
  "provider.set": "never",
  "memory.set": "idempotency_key",
  "memory.get": "always",
  "memory.search": "always",
  "memory.correct": "idempotency_key",
  "memory.forget": "never",
  "memory.export": "always",
  // What is there already is left alone.
  "memory.import": "always",
  "desktop.get": "always",
  "window.message": "idempotency_key",
  "window.action": "idempotency_key",
  "user.interaction": "never",
  "render.feedback": "never",
  "dialog.answer": "never",
  "prompt.answer": "never",
  "toast.action": "never",
  "app.ready": "never",
  "app.response": "never",
  "monitor.subscribe": "always",
  "monitor.remove": "never",
  // Whoever follows again is told the whole home.
  "home.follow": "always",
  "home.unfollow": "always",
  ping: "never",
};

/** Whether this message with this data may be sent again. */
export function isRepeatable(kind: string, data: object): boolean {
  const rule = (REPEATABLE as Record<string, string>)[kind] ?? "never";
  if (rule === "always" || rule === "never") return rule === "always";
  return (data as Loose)[rule] !== undefined;
}
