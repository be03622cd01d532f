// The words on the wire, generated from docs/openapi.json by `npm run generate`. Do not edit.
// A newer server may send fields, words and events that are not here: leave alone what you do not know.

/** The answer to `chat.send`, `turn.resume` and `turn.retry`: it is durable. */
export type Accepted = {
  /** The session, also when it was named by `conversation_id`. */
  session_id: SessionId;
  /** The turn. */
  turn_id: TurnId;
  /** Who runs it. */
  agent_id: AgentId;
  /** The number of its `message.accepted`. */
  seq: number;
  /** Its place in the queue, when it has to wait. */
  position?: number | null | undefined;
  /** Whether the key was known and this is the turn of the first time. */
  duplicate: boolean;
  /** With `early_wait_ms`: the turn as it stands when the first words are there, or the patience is over. */
  early?: Early | null | undefined;
};

/** Something that is done to a desktop, by name. */
export type Action = {
  type: "window.create";
  /** Its name. */
  window_id: WindowId;
  /** The group it joins; none begins one of its own. */
  group?: WindowId | null | undefined;
  /** What stands above it. */
  title: string;
  /** Where it is. */
  bounds: Bounds;
  /** What it shows. */
  content: Content;
  /** Whose words it may be. */
  origin?: Origin | undefined;
  /** With an app: what its messages have to carry, so that no other frame can speak for it. */
  token?: string | null | undefined;
} | {
  type: "window.close";
  /** Which. */
  window_id: WindowId;
} | {
  type: "window.focus";
  /** Which. */
  window_id: WindowId;
} | {
  type: "window.move";
  /** Which. */
  window_id: WindowId;
  /** From the left. */
  x: number;
  /** From the top. */
  y: number;
} | {
  type: "window.resize";
  /** Which. */
  window_id: WindowId;
  /** How wide. */
  width: number;
  /** How high. */
  height: number;
} | {
  type: "window.minimize";
  /** Which. */
  window_id: WindowId;
} | {
  type: "window.maximize";
  /** Which. */
  window_id: WindowId;
} | {
  type: "window.restore";
  /** Which. */
  window_id: WindowId;
} | {
  type: "window.title";
  /** Which. */
  window_id: WindowId;
  /** What stands above it. */
  title: string;
  /** Whose words it may be. */
  origin?: Origin | undefined;
} | {
  type: "window.content";
  /** Which. */
  window_id: WindowId;
  /** What it shows. */
  content: Content;
  /** Whose words it may be. */
  origin?: Origin | undefined;
  /** With an app that was not in it before: what its messages have to carry. */
  token?: string | null | undefined;
} | {
  type: "window.lock";
  /** Which. */
  window_id: WindowId;
  /** Who. */
  holder: Holder;
} | {
  type: "window.unlock";
  /** Which. */
  window_id: WindowId;
} | (Toast & {
  type: "toast.show";
}) | (Notification & {
  type: "notification.show";
}) | (Dialog & {
  type: "dialog.show";
}) | (Dialog & {
  type: "prompt.show";
}) | {
  type: "monitor.add";
  /** Which. */
  monitor_id: MonitorId;
} | {
  type: "monitor.remove";
  /** Which. */
  monitor_id: MonitorId;
};

/** What was done to a desktop, in order. With a turn, its agent did it; without one, the user. */
export type Actions = {
  /** The monitor it was done on. */
  monitor_id?: MonitorId | undefined;
  /** What was done. */
  actions: Action[];
  /** The key that makes doing it again harmless. */
  key?: string | null | undefined;
  /** The turn whose actions these are once more. */
  replay_of?: TurnId | null | undefined;
};

/** A folder to be added to the library. */
export type AddFolder = {
  /** Where it is on the server's machine, from the root on. */
  path: string;
  /** Whether every owner may look into it. */
  shared?: boolean | undefined;
};

/** Who runs a turn. */
export type AgentId = string;

/** What an agent is. */
export type AgentKind = "main" | "ephemeral" | "window" | "parallel";

/** What bounds the agents of a server. */
export type AgentLimits = {
  /** Turns at work at once, over all sessions; the others wait. */
  running_turns?: number | undefined;
  /** Turns at work at once, of one owner. */
  running_turns_of_owner?: number | undefined;
  /** Turns at work at once, of one session. */
  running_turns_of_session?: number | undefined;
  /** Turns at work at once on monitors that nobody looks at, per session. */
  background_turns?: number | undefined;
  /** What agents may do a minute on a monitor that nobody looks at. */
  background_actions_per_minute?: number | undefined;
  /** Bytes of text that agents may say a minute on a monitor that nobody looks at. */
  background_bytes_per_minute?: number | undefined;
  /** Turns that may wait in line for an agent. */
  queued_turns?: number | undefined;
  /** Agents of a session that work beside the main ones. */
  ephemeral_agents?: number | undefined;
  /** Actions in a session's windows that run beside the windows' own agents. */
  parallel_actions?: number | undefined;
  /** Monitors of a session. */
  monitors?: number | undefined;
  /** Windows of a session. */
  windows?: number | undefined;
  /** Messages that may go into a running turn. */
  steers?: number | undefined;
  /** Times a turn is begun before a restart leaves it to somebody to decide. */
  attempts?: number | undefined;
  /** Milliseconds that a question whether a call may run stays open. */
  approval_wait_ms?: number | undefined;
  /** Milliseconds that a client is waited for that is to run a tool of its own. */
  client_wait_ms?: number | undefined;
};

/** An agent of a session. */
export type AgentView = {
  /** Who. */
  agent_id: AgentId;
  /** What it is. */
  kind: AgentKind;
  /** The monitor it works on. */
  monitor_id: MonitorId;
  /** Its windows. */
  windows?: WindowId[] | undefined;
  /** The turn it works on. */
  turn_id?: TurnId | null | undefined;
  /** The turns that wait for it, in order. */
  queue?: TurnId[] | undefined;
};

/** An app has answered, or has not. */
export type AppAnswered = {
  /** Which request. */
  request_id: AppRequestId;
  /** The app's window. */
  window_id: WindowId;
  /** What came of it. */
  outcome: AppOutcome;
};

/** A command with its arguments. */
export type AppCommand = {
  /** Its name. */
  name: string;
  /** Its arguments. */
  arguments?: unknown | undefined;
};

/** An app has said what it can do. */
export type AppManifest = {
  /** Its window. */
  window_id: WindowId;
  /** What it says of itself. */
  manifest: Manifest;
};

/** What came of asking an app. */
export type AppOutcome = {
  ok: unknown;
} | {
  error: string;
} | "timed_out" | "gone";

/** The app in a window. */
export type AppRegistered = {
  /** What its messages have to carry. */
  token: string;
  /** What it says of itself, once it is ready. */
  manifest?: Manifest | null | undefined;
  /** What brings it back to where it was after it was loaded anew. */
  restore?: AppCommand[] | undefined;
};

/** What an app is asked. */
export type AppRequest = {
  type: "query";
  /** What of its state. */
  key: string;
} | (AppCommand & {
  type: "command";
});

/** Something an app in a window is asked. */
export type AppRequestId = string;

/** An app is asked something. */
export type AppRequested = {
  /** The id that the answer has to carry. */
  request_id: AppRequestId;
  /** The app's window. */
  window_id: WindowId;
  /** What it is asked. */
  request: AppRequest;
  /** How long an answer is waited for. */
  expires_at: Timestamp;
};

/** A question whether a call may run. */
export type ApprovalId = string;

/** Open questions, oldest first. */
export type ApprovalPage = {
  /** The questions. */
  data: ApprovalView[];
};

/** A call that a person has to allow. It stands for exactly this call: tool and arguments are what the digest is of. */
export type ApprovalRequest = {
  /** Its id. */
  approval_id: ApprovalId;
  /** The turn that asks. */
  turn_id: TurnId;
  /** The call within the turn. */
  call_id: string;
  /** The tool. */
  tool: string;
  /** The exact arguments, whole. */
  arguments: unknown;
  /** SHA-256 of tool and arguments in canonical form. */
  digest: string;
  /** What it touches. */
  safety: Safety;
  /** What running it again would do. */
  effect: Effect;
  /** Why it needs asking. */
  reason: string;
  /** When silence becomes a no. */
  expires_at: Timestamp;
};

/** The answer to a question. */
export type ApprovalResolved = {
  /** The question. */
  approval_id: ApprovalId;
  /** The answer. */
  decision: Decision;
  /** Who settled it. */
  by: SettledBy;
};

/** An open question as clients see it. */
export type ApprovalView = {
  /** The session it came up in. */
  session_id: SessionId;
  /** Its id. */
  approval_id: ApprovalId;
  /** The turn that asks. */
  turn_id: TurnId;
  /** The call within the turn. */
  call_id: string;
  /** The tool. */
  tool: string;
  /** The exact arguments, whole. */
  arguments: unknown;
  /** SHA-256 of tool and arguments in canonical form. */
  digest: string;
  /** What it touches. */
  safety: Safety;
  /** What running it again would do. */
  effect: Effect;
  /** Why it needs asking. */
  reason: string;
  /** When silence becomes a no. */
  expires_at: Timestamp;
};

/** What an archive says of itself. */
export type ArchiveManifest = {
  /** How many of each kind there are: `vaults`, `memories`, `entries`, `contexts`, `facts`. */
  counts: Record<string, number>;
  /**
   * The first eight hexadecimal digits of the SHA-256 of each of them, one after the other: by them the one that is wrong is
   * named.
   */
  marks: string;
  /** The SHA-256 of all of them, each written without spaces and ended by a line feed. */
  digest: string;
  /**
   * What only the server that wrote the archive can make of owner and digest. Without it, or elsewhere, all words of the
   * archive are untrusted.
   */
  signature?: string | null | undefined;
};

/** A room of a home. */
export type AreaView = {
  /** Its id, as the home writes it. */
  area_id: string;
  /** What it is called. */
  name: string;
  /** What the floor is called that it is on. */
  floor?: string | null | undefined;
};

/** Something too large for the conversation, kept beside it. */
export type ArtifactId = string;

/** A page of artifacts, newest first. */
export type ArtifactPage = {
  /** The artifacts. */
  data: ArtifactView[];
  /** Where the next page begins; absent on the last. */
  next_cursor?: string | null | undefined;
};

/** An artifact: something too large for the conversation, kept beside it. */
export type ArtifactView = {
  /** Its id. */
  artifact_id: ArtifactId;
  /** The session it belongs to. */
  session_id: SessionId;
  /** The turn that made it. */
  turn_id?: TurnId | null | undefined;
  /** What it is called. */
  name: string;
  /** Its kind, as in `text/plain`. */
  media_type: string;
  /** How large it is. */
  bytes: number;
  /** Whose words it is made of. */
  origin: Origin;
  /** When it was made. */
  created_at: Timestamp;
};

/** What looking memory through found. */
export type Audit = {
  /** How much there is, by level. */
  counts?: Record<string, number> | undefined;
  /** Items with the same words as another. */
  duplicates?: Finding | undefined;
  /** Items that say the same as another in nearly the same words. */
  near_duplicates?: Finding | undefined;
  /** Facts that hold and contradict each other. */
  contradictions?: Finding | undefined;
  /** Facts that hold on paper and are hardly believed any more. */
  stale?: Finding | undefined;
  /** Items with something that looks like a secret. */
  secrets?: Finding | undefined;
  /** Items that cannot be found by meaning yet. */
  unsearchable?: Finding | undefined;
};

/** How the scheduled backups stand. */
export type BackupStatus = {
  /** When the newest complete one was made; absent if there is none. */
  made_at?: Timestamp | null | undefined;
  /** Its bytes. */
  bytes?: number | undefined;
  /** How many there are of the schedule's own. */
  kept?: number | undefined;
  /** When one failed last, if none was made since; the log says why. */
  failed_at?: Timestamp | null | undefined;
};

/** Where a window is and how large, in units of a desktop that is 7,680 wide and 4,320 high. */
export type Bounds = {
  /** From the left. */
  x: number;
  /** From the top. */
  y: number;
  /** How wide. */
  width: number;
  /** How high. */
  height: number;
};

/** What one turn may use up. */
export type Budgets = {
  /** Rounds of thinking and acting. */
  max_steps?: number | undefined;
  /** Tool calls. */
  max_tool_calls?: number | undefined;
  /** Milliseconds from the turn's start to its end. */
  max_duration_ms?: number | undefined;
  /** Tokens sent and received. */
  max_tokens?: number | undefined;
  /** Tokens of context at most; none means the model's share. */
  context_tokens?: number | null | undefined;
  /** US dollars, where the model's price is known. */
  max_cost?: number | null | undefined;
};

/** What became of a call. */
export type CallStatus = "ok" | "error" | "denied" | "cancelled" | "assumed";

/** What a cancel came to. */
export type CancelOutcome = "cancelled" | "not_found" | "already_final";

/** The answer to `agent.cancel`. */
export type Cancelled = {
  /** What it came to. */
  status: CancelOutcome;
  /** The turns that were cancelled by it. */
  turn_ids: TurnId[];
};

/** How numbers are drawn. */
export type ChartKind = "bar" | "line" | "area" | "pie" | "scatter";

/** The message of `chat.send`, and the body of `POST /sessions/{id}/turns`. */
export type ChatSend = {
  /** The user's words. They may be left out where there are calls. */
  message?: string | undefined;
  /** A model for this turn only. */
  model?: string | null | undefined;
  /** How the model is asked in this turn; what is not set is the agent's, the session's or the server's. */
  model_settings?: ModelSettings | undefined;
  /** Whether tools may be called; true unless told. */
  allow_tools?: boolean | undefined;
  /** Rounds of thinking and acting. */
  max_steps?: number | null | undefined;
  /** Milliseconds the turn may take. */
  time_budget_ms?: number | null | undefined;
  /** Hints for the planner. */
  planner_hints?: PlannerHints | null | undefined;
  /** Tools that the client runs itself: the turn waits for their results, which come by `tool.answer`. */
  tools?: ClientTool[] | undefined;
  /** What the model is to do with the client's tools. */
  tool_choice?: ToolChoice | undefined;
  /** Whether one round may call several tools; true unless told. */
  parallel_tool_calls?: boolean | null | undefined;
  /** Pictures that go with the words. */
  images?: Image[] | undefined;
  /** Whether the web may, or must not, be searched for it. */
  use_web_search?: boolean | null | undefined;
  /** Tokens of context at most. */
  context_window?: number | null | undefined;
  /** Tags of the message and of what comes of it: `important` stays in context longest, `ephemeral` leaves it first. */
  tags?: Tag[] | undefined;
  /** Of what was said before, only what has one of these tags is told; none means all. */
  context_tags?: Tag[] | undefined;
  /** How long to wait for the first words; past it, the answer to this message is a handle and the words come later. */
  early_wait_ms?: number | null | undefined;
  /** Sending again with the same key gives the same turn for 24 hours. */
  idempotency_key?: string | null | undefined;
  /** What to do while another turn runs. */
  on_busy?: OnBusy | undefined;
  /** The monitor it is asked on. */
  monitor_id?: MonitorId | undefined;
  /** Refuse if the session has another version by now. */
  version?: number | null | undefined;
  /** Calls to make as they are: there is nothing to understand, and no model is asked. */
  calls?: DirectCall[] | undefined;
};

/** Something that can be chosen. */
export type Choice = {
  /** What the choice is called. */
  value: string;
  /** What stands there. */
  label: string;
};

/** How far a source is. */
export type ChunkStatus = "found" | "read" | "failed";

/** Something an answer rests on. */
export type Citation = {
  /** What it is called. */
  title: string;
  /** Where it is. */
  source: string;
  /** What stands for it in square brackets, where that is not `source`. */
  mark?: string | null | undefined;
  /** The passage it rests on, which the turn has kept. */
  passage_id?: PassageId | null | undefined;
};

/** A question back to the user. */
export type Clarification = {
  /** The question. */
  question: string;
  /** How surely the message was understood. */
  confidence: number;
  /** What it was taken for. */
  intent: string;
};

/** A client that has read text which may be anybody's. */
export type ClientRead = {
  /** The client, by the name it gives itself. */
  client: string;
  /** What it has read, as the name of a tool or of a resource. */
  what: string;
};

/** A tool that the client runs itself. */
export type ClientTool = {
  /** Its name: 1 to 64 letters, digits, `_` and `-`. */
  name: string;
  /** What it does and when to use it. */
  description?: string | undefined;
  /** JSON Schema of its arguments. */
  input_schema?: unknown | undefined;
};

/** Why nothing is deleted by age at present: the wall clock does not agree with what else is known of the time. */
export type ClockDoubt = {
  /** What is wrong, and what to do about it. */
  reason: string;
  /** The time by the wall clock. */
  wall: Timestamp;
  /** The latest time that is not in doubt: the last agreed one and the time that the server has run since. */
  agreed: Timestamp;
  /** Seconds that the server has still to run with a steady clock until it believes it. */
  settles_in_s: number;
};

/** A word for programs, the same on every door. */
export type Code = "invalid_request" | "unauthorized" | "forbidden" | "not_found" | "method_not_allowed" | "idempotency_conflict" | "version_conflict" | "name_conflict" | "session_ended" | "session_expired" | "busy" | "queue_full" | "already_final" | "turn_open" | "not_resumable" | "outcome_needed" | "approval_settled" | "locked" | "policy_denied" | "unknown_model" | "too_large" | "too_deep" | "request_timeout" | "rate_limited" | "too_many_connections" | "quota_exceeded" | "unavailable" | "damaged" | "internal";

/** Something an app can be told to do. */
export type CommandSpec = {
  /** Its name. */
  name: string;
  /** What it does. */
  description?: string | undefined;
  /** JSON Schema of its arguments. */
  input?: unknown | undefined;
  /** What it leaves behind. */
  keep?: Keep | undefined;
  /** The argument that tells one thing it is about from another, as in the id of a note. */
  slot?: string | null | undefined;
};

/** One of the things a layout is made of. */
export type Component = {
  type: "text";
  /** The words. */
  text: string;
} | {
  type: "button";
  /** What stands on it. */
  label: string;
  /** What pressing it is called. */
  action: string;
  /** Whether it may be pressed while the window's agent is at work. */
  parallel?: boolean | undefined;
  /** How it is meant. */
  tone?: Tone | undefined;
} | {
  type: "input";
  /** The name under which it is sent along. */
  name: string;
  /** What stands before it. */
  label?: string | undefined;
  /** What is in it. */
  value?: string | undefined;
  /** What stands in it as long as it is empty. */
  placeholder?: string | undefined;
  /** Whether it has several lines. */
  multiline?: boolean | undefined;
} | {
  type: "select";
  /** The name under which it is sent along. */
  name: string;
  /** What stands before it. */
  label?: string | undefined;
  /** What can be chosen. */
  options: SelectOption[];
  /** What is chosen. */
  value?: string | null | undefined;
} | {
  type: "checkbox";
  /** The name under which it is sent along. */
  name: string;
  /** What stands beside it. */
  label: string;
  /** Whether it is a yes. */
  checked?: boolean | undefined;
} | {
  type: "badge";
  /** The word. */
  text: string;
  /** How it is meant. */
  tone?: Tone | undefined;
} | {
  type: "progress";
  /** What. */
  label?: string | undefined;
  /** In percent. */
  percent: number;
} | {
  type: "image";
  /** An artifact of the session, as `artifact:ID`, or the picture itself as a `data:` address. */
  source: string;
  /** What it shows, in words. */
  alt?: string | undefined;
} | {
  type: "form";
  /** What it is called. */
  name: string;
  /** The components, in order. */
  components: Component[];
} | {
  type: "columns";
  /** The columns, from left to right. */
  columns: Component[][];
};

/** The settings of the server. */
export type ConfigPage = {
  /** The settings, by name. */
  data: SettingView[];
};

/** What bounds connections, streams and MCP sessions. */
export type ConnectionLimits = {
  /** TCP connections at once. */
  connections?: number | undefined;
  /** Connections at once that have not presented a valid credential. */
  anonymous_connections?: number | undefined;
  /** Connections at once from one peer address. */
  peer_connections?: number | undefined;
  /** Connections at once of one owner. */
  owner_connections?: number | undefined;
  /** WebSockets and event streams at once. */
  streams?: number | undefined;
  /** WebSockets and event streams at once of one owner. */
  owner_streams?: number | undefined;
  /** MCP sessions at once. */
  mcp_sessions?: number | undefined;
  /** MCP sessions at once of one owner. */
  owner_mcp_sessions?: number | undefined;
};

/** How many connections, streams and MCP sessions there are, and what bounds them. */
export type ConnectionStats = {
  /** TCP connections that are open. */
  open?: number | undefined;
  /** Those of them that have not presented a valid credential. */
  anonymous?: number | undefined;
  /** Connections refused since the start, because a limit was reached. */
  refused?: number | undefined;
  /** Connections without a credential that were closed since the start to make room for newer ones. */
  displaced?: number | undefined;
  /** Connections closed since the start because nothing came in time. */
  timed_out?: number | undefined;
  /** WebSockets and event streams that are open. */
  streams?: number | undefined;
  /** MCP sessions that are open. */
  mcp_sessions?: number | undefined;
  /** What bounds all that. */
  limits?: ConnectionLimits | undefined;
  /** The share of each owner. The operator sees all of them, any other owner sees its own. */
  owners?: Record<string, OwnerConnections> | undefined;
};

/** How it stands with what was written before. */
export type Consistency = {
  /** Whether every earlier write is on the disk and can be found, in every way there is. */
  consistent: boolean;
  /** Whether every earlier write is on the disk. */
  durable: boolean;
  /** Whether every earlier write can be found: by words, and by meaning where meaning is looked at. */
  searchable: boolean;
  /** What cannot be found yet, and why; at most 20 are named. */
  missing?: Missing[] | undefined;
  /** What whoever waits should know: as that meaning is not looked at here. */
  notices?: string[] | undefined;
};

/** What a window shows. */
export type Content = {
  type: "markdown";
  /** The text. */
  text: string;
} | {
  type: "html";
  /** The markup. */
  html: string;
} | {
  type: "text";
  /** The text. */
  text: string;
} | {
  type: "table";
  /** The heads of the columns. */
  columns: string[];
  /** The rows: a text, a number, a yes or no, or nothing for each column. */
  rows: unknown[][];
} | {
  type: "chart";
  /** How they are drawn. */
  kind: ChartKind;
  /** What stands below each place. */
  labels: string[];
  /** The rows of numbers, one number for each label. */
  series: Series[];
} | {
  type: "components";
  /** In how many columns they stand, 1 to 4. */
  columns?: number | undefined;
  /** The components, in order. */
  components: Component[];
} | {
  type: "artifact";
  /** Which. */
  artifact_id: ArtifactId;
  /** What it is called. */
  name: string;
  /** Its kind, as in `text/csv`. */
  media_type: string;
} | {
  type: "app";
  /** One of the apps that the server offers, by name. */
  app: string;
  /** What the app is begun with. */
  params?: unknown | undefined;
};

/** What a memory comes to, one version of it. Earlier versions stay readable. */
export type Context = {
  /** Its id. */
  context_id: ItemId;
  /** The memory it sums up. */
  memory_id: MemoryId;
  /** 1 for the first, then without gaps. */
  version: number;
  /** The text. */
  content: string;
  /** When it was stored. */
  stored_at: Timestamp;
  /** When the newest thing it knows of happened. */
  conversation_time: Timestamp;
  /** Who wrote it: a model's name, `extract`, or `client`. */
  written_by: string;
  /** Whose words it may hold. */
  origin?: Origin | undefined;
};

/** The versions of a context document. */
export type ContextPage = {
  /** The versions, oldest first. */
  data: Context[];
};

/** Sources that do not agree. */
export type Contradiction = {
  /** What they do not agree about, in words. */
  about: string;
  /** The passages, by their marks. */
  marks: string[];
};

/** What a call costs, roughly. */
export type Cost = "free" | "low" | "high";

/** What a person says. */
export type Decision = "once" | "always" | "deny" | "never";

/** What deleting a session took away: counts, and no words. */
export type Deleted = {
  /** The session that is gone. */
  session_id: SessionId;
  /** Its events. */
  events: number;
  /** Its artifacts. */
  artifacts: number;
  /** Items of memory that are gone with it. */
  memories: number;
  /** Other sessions in which words that came from those items were redacted. */
  redacted_sessions: number;
};

/** A session's desktop as it stands. */
export type DesktopView = {
  /** Whose. */
  session_id: SessionId;
  /** The number of the newest event that is in it: later ones come on top. */
  as_of: number;
  /** The monitors. */
  monitors: MonitorView[];
  /** The windows, from the back to the front. */
  windows: Window[];
  /** What is said in passing. */
  toasts: Toast[];
  /** What stays until it is dismissed. */
  notifications: Notification[];
  /** What the user is asked. */
  dialogs: Dialog[];
  /** The calls that wait for a yes or a no. */
  approvals: ApprovalRequest[];
  /** What apps are asked. */
  app_requests: AppRequested[];
  /** Who works here. */
  agents: AgentView[];
  /** What the main agents have not been told yet, in words. */
  timeline: string[];
};

/** A question to the user. The turn that asks waits for the answer. */
export type Dialog = {
  /** Its id. */
  dialog_id: DialogId;
  /** The turn that asks. */
  turn_id: TurnId;
  /** The monitor it is on. */
  monitor_id?: MonitorId | undefined;
  /** The window it is about. */
  window_id?: WindowId | null | undefined;
  /** What stands above it. */
  title: string;
  /** The question. */
  text?: string | undefined;
  /** How it is answered. */
  form: DialogForm;
  /** When silence becomes an answer. */
  expires_at: Timestamp;
};

/** What the user answered. */
export type DialogAnswer = {
  chosen: string;
} | {
  filled: Record<string, string>;
} | "dismissed" | "unanswered";

/** A question is answered. */
export type DialogAnswered = {
  /** Which. */
  dialog_id: DialogId;
  /** How. */
  answer: DialogAnswer;
  /** By whom. */
  by: SettledBy;
};

/** How an answer is given. */
export type DialogForm = {
  choices: Choice[];
} | {
  fields: Component[];
};

/** A dialog or a prompt on the desktop. */
export type DialogId = string;

/** A call that a client makes itself. It runs under the same policy as an agent's. */
export type DirectCall = {
  /** The tool. */
  tool: string;
  /** Its arguments. */
  arguments?: Record<string, unknown> | undefined;
};

/** A call whose outcome nobody knows. */
export type DoubtfulCall = {
  /** The call. */
  call_id: string;
  /** The tool. */
  tool: string;
  /** The exact arguments. */
  arguments: unknown;
};

/** What an early wait came to. */
export type Early = {
  /** Whether the first words were late: then this is a handle, and the answer is told when it is there. */
  late: boolean;
  /** Where the turn stands. */
  status: TurnStatus;
  /** The words so far. */
  text: string;
};

/** What running a call again would do; it decides what happens to a call that a crash cut off. */
export type Effect = "pure" | "idempotent" | "verifiable" | "at_most_once";

/** The end of a session. */
export type Ended = {
  /** Why, in the caller's words. */
  reason?: string | null | undefined;
  /** Whether it was idle for too long. Then it is `expired` from now on, otherwise `ended`. */
  expired?: boolean | undefined;
};

/** The entities around, as every turn is told of them. */
export type EntityBase = {
  /** The list, in words. */
  text: string;
  /** How those stood that are listed one by one, so that what has changed can be told. */
  states?: Record<string, string> | undefined;
};

/** A thing of a home that has a state. */
export type EntityView = {
  /** Its id, as `light.kitchen`. */
  entity_id: string;
  /** What it is called. */
  name: string;
  /** The room it is in. */
  area_id?: string | null | undefined;
  /** What kind of thing it is, as `light`. */
  domain: string;
  /** How it stands, in one word, as `on` or `21.5`. */
  state: string;
  /** The unit of a state that is a number, as `°C`. */
  unit?: string | null | undefined;
  /** What kind of thing within its domain, as `battery` or `garage`. */
  device_class?: string | null | undefined;
  /** What else a person would look at, as `brightness` or `media_title`. */
  attributes?: Record<string, unknown> | undefined;
  /** Since when it stands like this. */
  changed_at: Timestamp;
  /** Whether it can be reached. */
  available: boolean;
  /** Whether it tells about a device rather than being what the device is for, as a battery's charge. */
  auxiliary?: boolean | undefined;
};

/** A message or a note, word for word. It never changes: a correction is an entry of its own. */
export type Entry = {
  /** Its id. */
  entry_id: ItemId;
  /** The memory it belongs to. */
  memory_id: MemoryId;
  /** The words. */
  raw_entry: string;
  /** What they come to. */
  summary: string;
  /** Who said it: `user`, `assistant`, or another role. */
  role: string;
  /** The speaker's name. */
  speaker?: string | null | undefined;
  /** Free labels. */
  tags?: Record<string, string> | undefined;
  /** When it happened. */
  conversation_time: Timestamp;
  /** When it was stored. */
  stored_at: Timestamp;
  /** Where it comes from. */
  source?: Source | undefined;
  /** Whose words it is. */
  origin?: Origin | undefined;
  /** The entry it corrects. */
  corrects?: ItemId | null | undefined;
  /** The entry that corrects it. */
  corrected_by?: ItemId | null | undefined;
  /** When it is forgotten by itself. */
  expires_at?: Timestamp | null | undefined;
};

/** A page of entries. */
export type EntryPage = {
  /** The entries, newest first unless told. */
  data: Entry[];
  /** Where the next page begins. */
  next_cursor?: string | null | undefined;
};

/** Who has come in. */
export type EntryView = {
  /** Whose sessions and memories are shown. */
  owner: OwnerId;
  /** The program's version. */
  version: string;
  /** Until when the cookie is good, if it is by a cookie. */
  expires_at?: Timestamp | null | undefined;
};

/** One numbered record of a session. */
export type SessionEvent = ({
  /** Its number: 1 for the first of a session, then without gaps. */
  seq: number;
  /** Whose record it is. */
  session_id: SessionId;
  /** The turn it belongs to. */
  turn_id?: TurnId | null | undefined;
  /** The agent that runs the turn. */
  agent_id?: AgentId | null | undefined;
  /** When it was decided. */
  at: Timestamp;
}) & ({
  type: "session.started";
  data: Started;
} | {
  type: "session.updated";
  data: SettingsChanged;
} | {
  type: "session.reset";
  data: Reset;
} | {
  type: "session.ended";
  data: Ended;
} | {
  type: "message.accepted";
  data: MessageAccepted;
} | {
  type: "message.steered";
  data: MessageSteered;
} | {
  type: "message.queued";
  data: MessageQueued;
} | {
  type: "turn.stage";
  data: StageEntered;
} | {
  type: "memory.used";
  data: MemoryUsed;
} | {
  type: "entities.base";
  data: EntityBase;
} | {
  type: "clarification_needed";
  data: Clarification;
} | {
  type: "step";
  data: Step;
} | {
  type: "approval.request";
  data: ApprovalRequest;
} | {
  type: "approval.resolved";
  data: ApprovalResolved;
} | {
  type: "memory.written";
  data: MemoryWritten;
} | {
  type: "memory.summary_created";
  data: SummaryCreated;
} | {
  type: "actions";
  data: Actions;
} | {
  type: "user.interaction";
  data: Interactions;
} | {
  type: "window.agent";
  data: WindowAgent;
} | {
  type: "render.feedback";
  data: Rendered;
} | {
  type: "dialog.answered";
  data: DialogAnswered;
} | {
  type: "toast.action";
  data: ToastActed;
} | {
  type: "app.ready";
  data: AppManifest;
} | {
  type: "app.request";
  data: AppRequested;
} | {
  type: "app.answered";
  data: AppAnswered;
} | {
  type: "session.restored";
  data: Restored;
} | {
  type: "research.started";
  data: ResearchStarted;
} | {
  type: "research.chunk";
  data: ResearchChunk;
} | {
  type: "research.done";
  data: ResearchDone;
} | {
  type: "client.read";
  data: ClientRead;
} | {
  type: "agent.thinking";
  data: TextRange;
} | {
  type: "chat.token";
  data: TextRange;
} | {
  type: "chat.final";
  data: Response;
} | {
  type: "turn.tools";
  data: Offer;
} | {
  type: "turn.status";
  data: StatusChanged;
});

/** A page of the events of a session or of one of its turns, in order. */
export type EventPage = {
  /** The events. */
  data: SessionEvent[];
  /** The number of the newest event of the session, or of the turn. */
  last_seq: number;
  /** The number to pass as `after` for the next page; absent on the last. */
  next_cursor?: string | null | undefined;
};

/** An example of a finding. The words are not repeated here: they may be what should not be seen. */
export type Example = {
  /** The items it is about. */
  ids: ItemId[];
  /** What kind they are. */
  level: Level;
  /** What it is about, where there is a key. */
  key?: string | null | undefined;
};

/** What a session is written as when it is taken out. */
export type ExportFormat = "ndjson" | "openai" | "langchain" | "langgraph";

/** A statement with the time in which it holds. With level `profile` it is told to every turn. */
export type Fact = {
  /** Its id. */
  fact_id: ItemId;
  /** `profile` or `fact`. */
  level: Level;
  /** What it is about, as in `diet` or `5k time`. A newer fact of the same key ends the older one. */
  key: string;
  /** What is stated of that. */
  value: string;
  /** The statement in words, as it was made. */
  text: string;
  /** 0 to 100; what is more important is told first. */
  priority: number;
  /** How surely it was understood, 0 to 1. */
  confidence: number;
  /** Since when it holds. */
  valid_from: Timestamp;
  /** Until when it held; none means that it still holds. */
  valid_until?: Timestamp | null | undefined;
  /** The fact that ended it. */
  superseded_by?: ItemId | null | undefined;
  /** When it was stored. */
  stored_at: Timestamp;
  /** Where it comes from. */
  source?: Source | undefined;
  /** Whose words it is. */
  origin?: Origin | undefined;
  /** When it is forgotten by itself. */
  expires_at?: Timestamp | null | undefined;
};

/** Lines of the profile, or all that was stated under one key. */
export type FactPage = {
  /** The facts. */
  data: Fact[];
};

/** Where a figure comes from. The first of these that has one counts. */
export type FigureSource = "set" | "asked" | "table" | "assumed";

/** A figure's value: tokens, US dollars for a million tokens, or whether a model can do something. */
export type FigureValue = boolean | number;

/** One kind of thing that was found. */
export type Finding = {
  /** How many. */
  count?: number | undefined;
  /** Some of them, each with those it belongs with. */
  examples?: Example[] | undefined;
};

/** A folder of the library. */
export type FolderId = string;

/** A folder of the library. */
export type FolderView = {
  /** Its id. */
  folder_id: FolderId;
  /** Where it is on the server's machine. */
  path: string;
  /** Whether every owner may look into it. */
  shared?: boolean | undefined;
  /** When it was added. */
  added_at: Timestamp;
  /** How many documents are in it. */
  documents: number;
  /** How many passages they have. */
  passages: number;
  /** How many of them can be found by their words and not yet by their meaning. */
  waiting: number;
  /** When it was looked through last. */
  scanned_at?: Timestamp | null | undefined;
  /** Documents that cannot be read, and why; the first of them. */
  troubles?: Trouble[] | undefined;
  /** How many cannot be read. */
  troubled?: number | undefined;
};

/** What forgetting took away. */
export type Forgotten = {
  /** Items that are gone. */
  items?: ItemId[] | undefined;
  /** Sessions in which words were struck out. */
  sessions?: SessionId[] | undefined;
  /** Records that keep their number and have lost words. */
  records?: number | undefined;
  /** Artifacts that are gone. */
  artifacts?: number | undefined;
};

/** Where a fork left its origin. */
export type ForkOrigin = {
  /** The session. */
  session_id: SessionId;
  /** The last turn that both have in common, by its id in the origin. */
  turn_id: TurnId;
};

/** Something that was found. */
export type Found = {
  /** Its id. */
  id: ItemId;
  /** What kind it is. */
  level: Level;
  /** The words. */
  text: string;
  /** What it is about, where it has a key. */
  key?: string | null | undefined;
  /** What is stated of that. */
  value?: string | null | undefined;
  /** Who said it. */
  role?: string | null | undefined;
  /** The speaker's name. */
  speaker?: string | null | undefined;
  /** When it happened. */
  at: Timestamp;
  /** When it was stored. */
  stored_at: Timestamp;
  /** Since when it holds, where that is known. */
  valid_from?: Timestamp | null | undefined;
  /** Until when it held; none means that it still holds as far as is known. */
  valid_until?: Timestamp | null | undefined;
  /** What took its place: a newer fact, a correction, a newer version. */
  superseded_by?: ItemId | null | undefined;
  /** The memory it belongs to. */
  memory_id?: MemoryId | null | undefined;
  /** The vault it stands in. */
  vault_id?: VaultId | null | undefined;
  /** How surely it was understood. */
  confidence?: number | null | undefined;
  /** How important it is, 0 to 100. */
  priority?: number | null | undefined;
  /** When it is forgotten by itself. */
  expires_at?: Timestamp | null | undefined;
  /** Where it comes from. */
  source?: Source | undefined;
  /** Whose words it is. */
  origin?: Origin | undefined;
  /** Why. */
  score: Score;
};

/** What is counted as one result. */
export type Grouping = "item" | "memory";

/** Who holds a lock: as long as it is held, no other agent changes the window. */
export type Holder = "user" | {
  agent: AgentId;
};

/** What has changed in a home since it was told last. */
export type HomeChanged = {
  /** What stands otherwise, or is new, as it stands now. */
  entities: EntityView[];
  /** What is there no more. */
  removed?: string[] | undefined;
  /** All rooms, when one has changed. */
  areas?: AreaView[] | null | undefined;
  /** Whether it can be reached, when that has changed. */
  connection?: HomeConnection | null | undefined;
  /** Why it cannot be reached, with `connection`. */
  why?: string | null | undefined;
};

/** Whether a home can be reached. */
export type HomeConnection = "connected" | "connecting" | "reconnecting" | "refused";

/** Which home it is. */
export type HomeKind = "simulated" | "home_assistant";

/** A home as it stands, as far as agents may see it. */
export type HomeView = {
  /** Which home it is. */
  home: HomeKind;
  /** Whether it can be reached. */
  connection: HomeConnection;
  /** Why it cannot be reached, and what to do. */
  why?: string | null | undefined;
  /** What it is called. */
  name?: string | null | undefined;
  /** Its rooms that something is in, by floor and name. */
  areas: AreaView[];
  /** What is in it, by id. */
  entities: EntityView[];
};

/** A picture: its bytes, or where they are. */
export type Image = {
  /** Its kind, as in `image/png`. */
  media_type: string;
  /** The bytes in base64. */
  data: string;
} | {
  /** Where it is. */
  url: string;
};

/** Where a session was taken in from. */
export type ImportOrigin = {
  /** What it was written as. */
  format: ExportFormat;
  /** What stands for all of it, so that the same is taken in once. */
  digest: string;
  /** Its id where it came from, if that was a Dwell. */
  session_id?: SessionId | null | undefined;
};

/** What taking an archive in came to: how much of each kind is new. */
export type Imported = {
  /** Vaults that are new. */
  vaults?: number | undefined;
  /** Memories that are new. */
  memories?: number | undefined;
  /** Entries that are new. */
  entries?: number | undefined;
  /** Versions of context documents that are new. */
  contexts?: number | undefined;
  /** Facts that are new. */
  facts?: number | undefined;
  /** Things that were there already. */
  known?: number | undefined;
  /** What the importer should know: as that a memory got another title. */
  notices?: string[] | undefined;
  /** What is wrong with the archive, where it was taken in all the same. */
  damage?: string[] | undefined;
  /** Whether its words are trusted as they were: the archive is unchanged, and this server wrote it for this owner. */
  origins_kept?: boolean | undefined;
};

/** Something the user did, by name. */
export type Interaction = {
  type: "window.close";
  /** Which. */
  window_id: WindowId;
} | {
  type: "window.focus";
  /** Which. */
  window_id: WindowId;
} | {
  type: "window.move";
  /** Which. */
  window_id: WindowId;
  /** From the left; past the edge is at the edge. */
  x: number;
  /** From the top, in the same way. */
  y: number;
} | {
  type: "window.resize";
  /** Which. */
  window_id: WindowId;
  /** How wide. */
  width: number;
  /** How high. */
  height: number;
} | {
  type: "window.minimize";
  /** Which. */
  window_id: WindowId;
} | {
  type: "window.maximize";
  /** Which. */
  window_id: WindowId;
} | {
  type: "window.restore";
  /** Which. */
  window_id: WindowId;
} | {
  type: "window.lock";
  /** Which. */
  window_id: WindowId;
} | {
  type: "window.unlock";
  /** Which. */
  window_id: WindowId;
} | {
  type: "window.draw";
  /** Which. */
  window_id: WindowId;
  /** What, in words. */
  text: string;
} | {
  type: "app.interaction";
  /** The app's window. */
  window_id: WindowId;
  /** The window's token; it is not kept. */
  token?: string | null | undefined;
  /** What, in words. */
  text?: string | undefined;
  /** The command that would have done the same: it is kept like one that an agent has sent. */
  did?: AppCommand | null | undefined;
};

/** What the user did, in order. */
export type Interactions = {
  /** The monitor it was done on. */
  monitor_id?: MonitorId | undefined;
  /** What was done. */
  interactions: Interaction[];
};

/** By what a browser comes in: the page is opened with it in the address, behind `#invitation=`. */
export type Invitation = {
  /** The invitation. */
  invitation: string;
  /** Until when it is good, if nobody uses it before. */
  expires_at: Timestamp;
};

/** Something memory holds that can be found, corrected and forgotten: a fact, an entry, a context document. */
export type ItemId = string;

/** What checking the journal has found since the server started. */
export type JournalStats = {
  /** Sessions that were checked in the background. */
  verified_sessions?: number | undefined;
  /** Events of them that are whole. */
  verified_events?: number | undefined;
  /** How often all sessions were gone through. */
  passes?: number | undefined;
  /** Sessions that were found damaged, in whatever way. */
  damaged_sessions?: number | undefined;
};

/** What a command leaves behind, so that it can be done again when the app is loaded anew. */
export type Keep = "nothing" | "last" | "all" | "clear" | "clear_slot";

/** A tool of an external server that is not used. */
export type LeftOutTool = {
  /** Its name there. */
  tool: string;
  /** Why not. */
  because: string;
};

/** What kind of memory something is. */
export type Level = "pin" | "profile" | "fact" | "entry" | "context";

/** A passage of the library that fits a question. */
export type LibraryHit = {
  /** What the document is called. */
  title: string;
  /** Where it is: `library:` and a path. */
  source: string;
  /** The words. */
  text: string;
  /** How well it fits, from 0 to 1. */
  score: number;
};

/** Passages of the library that fit a question. */
export type LibraryHits = {
  /** The passages, best first. */
  data: LibraryHit[];
};

/** What the documents of the library take. */
export type LibraryUsage = {
  /** Documents of all folders. */
  documents: Share;
  /** Bytes of their files. */
  bytes: Share;
};

/** The library. */
export type LibraryView = {
  /** Its folders, oldest first. */
  folders: FolderView[];
  /** Why it is searched by words alone, where that is so. */
  without_meaning?: string | null | undefined;
};

/** What an app says of itself. */
export type Manifest = {
  /** What it is called. */
  name?: string | undefined;
  /** What it is for. */
  description?: string | undefined;
  /** What can be asked of its state. */
  state?: StateKey[] | undefined;
  /** What it can be told to do. */
  commands?: CommandSpec[] | undefined;
};

/** A memory: entries and context documents that belong together, as those of one conversation. */
export type Memory = {
  /** Its id. */
  memory_id: MemoryId;
  /** The vault it stands in. */
  vault_id: VaultId;
  /** Its title, unique in its vault. */
  title: string;
  /** What it is about. */
  description?: string | undefined;
  /** The session it follows. */
  session_id?: SessionId | null | undefined;
  /** Since when it exists. */
  created_at: Timestamp;
  /** Whose words its title and its description are. */
  origin?: Origin | undefined;
};

/** All that memory holds of one owner, as `memory.export` gives and `memory.import` takes it. What was forgotten is not in it. */
export type MemoryArchive = {
  /** [`MemoryArchive::FORMAT`]. */
  format: string;
  /** [`MemoryArchive::VERSION`]. */
  version: number;
  /** When it was taken out. */
  exported_at: Timestamp;
  /** Vaults, oldest first. */
  vaults?: Vault[] | undefined;
  /** Memories, oldest first. The vault of each is among the vaults. */
  memories?: Memory[] | undefined;
  /** Entries by when they happened. The memory of each is among the memories. */
  entries?: Entry[] | undefined;
  /** All versions of all context documents. */
  contexts?: Context[] | undefined;
  /** Facts and lines of the profile, also those that no longer hold. */
  facts?: Fact[] | undefined;
  /** What it says of itself, so that damage is noticed. */
  manifest?: ArchiveManifest | null | undefined;
};

/** `memory.forget`: what is to be gone, from everywhere. At least one way of saying what. */
export type MemoryForget = {
  /** These items, with the words they come from. */
  ids?: ItemId[] | undefined;
  /** All that is kept under this key, with its history. */
  key?: string | null | undefined;
  /** These words, wherever they stand. */
  text?: string | null | undefined;
  /** This whole memory. */
  memory_id?: MemoryId | null | undefined;
};

/** A memory: entries and context documents that belong together. */
export type MemoryId = string;

/** `memory.import`: an archive, or what another program wrote. */
export type MemoryImport = {
  /** An archive as `memory.export` gives it. */
  archive?: MemoryArchive | null | undefined;
  /** Or the text of a file: an archive, or what another program wrote. */
  text?: string | null | undefined;
  /** What the text is: `dwell.memory`, `mem0`, `langchain`, `langgraph`, `openai` or `ingest`; found out unless told. */
  format?: string | null | undefined;
  /** The vault that conversations and notes of other programs go to, `imported` unless told. */
  vault?: string | null | undefined;
  /** The title of the memory that the one conversation of another program goes to; what the file says unless told. */
  title?: string | null | undefined;
  /** Where it comes from, as each new thing will say; the format unless told. */
  imported_from?: string | null | undefined;
  /** Sending again with the same key changes nothing. */
  idempotency_key?: string | null | undefined;
  /** Takes what there is of an archive that is damaged. What is wrong with it is told in the answer. */
  accept_damage?: boolean | undefined;
};

/** A page of memories. */
export type MemoryPage = {
  /** The memories, oldest first. */
  data: Memory[];
  /** Where the next page begins. */
  next_cursor?: string | null | undefined;
};

/** `memory.search` */
export type MemorySearch = {
  /** What is looked for, in plain words. */
  query?: string | undefined;
  /** Dwell's id. */
  session_id?: SessionId | null | undefined;
  /** The client's own name, unique per owner; `chat.send` and `session.resume` create it on first use. */
  conversation_id?: SessionName | null | undefined;
  /** Where to look. */
  scope?: Scope | undefined;
  /** Only in this vault. */
  vault_id?: VaultId | null | undefined;
  /** Only in this memory. */
  memory_id?: MemoryId | null | undefined;
  /** Only these levels; none means all. */
  levels?: Level[] | undefined;
  /** Only what has all of these tags. */
  tags?: Record<string, string> | undefined;
  /** Words, meaning, or both. */
  mode?: SearchMode | undefined;
  /** What counts as one result. */
  group?: Grouping | undefined;
  /** At most this many, 8 unless told, 100 at most. */
  limit?: number | null | undefined;
};

/** The answer to `memory.get` and `memory.search`: `memory.snapshot`. */
export type MemorySnapshot = {
  /** What was found, best first. */
  items?: Found[] | undefined;
  /** How it was looked for: `hybrid`, `lexical` or `semantic`. */
  mode?: SearchMode | undefined;
  /** What the asker should know: as that meaning could not be looked at, and what to do about it. */
  notices?: string[] | undefined;
  /** Where the next page of a list begins. */
  next_cursor?: string | null | undefined;
};

/** What the model is told beside the message. */
export type MemoryUsed = {
  /** What was taken from memory. */
  items?: UsedItem[] | undefined;
  /** The parts of the prompt, in order. */
  sections?: Section[] | undefined;
  /** Tokens of all parts together. */
  tokens?: number | undefined;
  /** Tokens the context may have. */
  tokens_max?: number | undefined;
  /** Whether some of it may be anybody's words. */
  tainted?: boolean | undefined;
  /** Whether that is so by something that is told this once: then what is answered carries it on. */
  tainted_once?: boolean | undefined;
  /** What stands for all of it but the conversation: where it is the same, the same was known. */
  digest?: string | null | undefined;
  /** What has changed around since `entities.base`, as the model was told it. */
  entities?: string | undefined;
  /** What the asker should know of how it was looked for. */
  notices?: string[] | undefined;
};

/** Something kept for later turns. */
export type MemoryWritten = {
  /** What kind: `pin` is text that every later turn of the session is told. */
  level: Level;
  /** Its name. */
  key: string;
  /** The text; none means that it was given up. */
  value?: string | null | undefined;
  /** Whose words it is. */
  origin?: Origin | undefined;
  /** Its id in memory. */
  id?: ItemId | null | undefined;
  /** The turn in which it was said. */
  source?: TurnId | null | undefined;
};

/** A message that became a turn. */
export type MessageAccepted = {
  /** The turn's id. */
  turn_id: TurnId;
  /** The agent that will run it. */
  agent_id: AgentId;
  /** The user's words. */
  message: string;
  /** A model for this turn only. */
  model?: string | null | undefined;
  /** How the model is asked in this turn. */
  model_settings?: ModelSettings | undefined;
  /** Whether tools may be called. */
  allow_tools?: boolean | undefined;
  /** Rounds of thinking and acting, if other than the session's budget. */
  max_steps?: number | null | undefined;
  /** Milliseconds this turn may take, if other than the session's budget. */
  time_budget_ms?: number | null | undefined;
  /** Hints for the planner. */
  planner_hints?: PlannerHints | null | undefined;
  /** Its tools. */
  tools?: ClientTool[] | undefined;
  /** What the model is to do with them. */
  tool_choice?: ToolChoice | undefined;
  /** Whether one round may call several tools; true unless told. */
  parallel_tool_calls?: boolean | null | undefined;
  /** Pictures that go with the words. */
  images?: Image[] | undefined;
  /** Whether the web may, or must not, be searched for it. */
  use_web_search?: boolean | null | undefined;
  /** Tokens of context at most, if other than the model's share. */
  context_window?: number | null | undefined;
  /** Tags of the message and of what comes of it: `important` stays in context longest, `ephemeral` leaves it first. */
  tags?: Tag[] | undefined;
  /** Of what was said before, only what has one of these tags is told; none means all. */
  context_tags?: Tag[] | undefined;
  /** How long the client waits for the first words. */
  early_wait_ms?: number | null | undefined;
  /** The monitor it is asked on. */
  monitor_id?: MonitorId | undefined;
  /** The window it is about, where it goes to a window's agent. */
  window?: WindowRequest | null | undefined;
  /** Calls to make as they are: there is nothing to understand, and no model is asked. */
  calls?: DirectCall[] | undefined;
  /**
   * Whose words all of it is made of. It is untrusted where it was taken in from a file, and where a client sent it that
   * had read untrusted text; the way in decides that, never the message.
   */
  origin?: Origin | undefined;
  /** By which way it came in. */
  via?: Via | undefined;
  /** The key that makes sending it again harmless. */
  idempotency_key?: string | null | undefined;
  /** The turn this one tries again. */
  retry_of?: TurnId | null | undefined;
  /** The turn whose clarifying question this message answers. */
  answers?: TurnId | null | undefined;
};

/** A turn that waits in the queue. */
export type MessageQueued = {
  /** The turn's id. */
  turn_id: TurnId;
  /** 1 is next. */
  position: number;
};

/** A message that went into a running turn. */
export type MessageSteered = {
  /** The running turn. */
  turn_id: TurnId;
  /** The user's words. */
  message: string;
  /** A model for this turn only. */
  model?: string | null | undefined;
  /** How the model is asked in this turn. */
  model_settings?: ModelSettings | undefined;
  /** Whether tools may be called. */
  allow_tools?: boolean | undefined;
  /** Rounds of thinking and acting, if other than the session's budget. */
  max_steps?: number | null | undefined;
  /** Milliseconds this turn may take, if other than the session's budget. */
  time_budget_ms?: number | null | undefined;
  /** Hints for the planner. */
  planner_hints?: PlannerHints | null | undefined;
  /** Its tools. */
  tools?: ClientTool[] | undefined;
  /** What the model is to do with them. */
  tool_choice?: ToolChoice | undefined;
  /** Whether one round may call several tools; true unless told. */
  parallel_tool_calls?: boolean | null | undefined;
  /** Pictures that go with the words. */
  images?: Image[] | undefined;
  /** Whether the web may, or must not, be searched for it. */
  use_web_search?: boolean | null | undefined;
  /** Tokens of context at most, if other than the model's share. */
  context_window?: number | null | undefined;
  /** Tags of the message and of what comes of it: `important` stays in context longest, `ephemeral` leaves it first. */
  tags?: Tag[] | undefined;
  /** Of what was said before, only what has one of these tags is told; none means all. */
  context_tags?: Tag[] | undefined;
  /** How long the client waits for the first words. */
  early_wait_ms?: number | null | undefined;
  /** The monitor it is asked on. */
  monitor_id?: MonitorId | undefined;
  /** The window it is about, where it goes to a window's agent. */
  window?: WindowRequest | null | undefined;
  /** Calls to make as they are: there is nothing to understand, and no model is asked. */
  calls?: DirectCall[] | undefined;
  /**
   * Whose words all of it is made of. It is untrusted where it was taken in from a file, and where a client sent it that
   * had read untrusted text; the way in decides that, never the message.
   */
  origin?: Origin | undefined;
  /** By which way it came in. */
  via?: Via | undefined;
  /** The key that makes sending it again harmless. */
  idempotency_key?: string | null | undefined;
};

/** Something that cannot be found yet. */
export type Missing = {
  /** Which item, or the session whose messages have not all been read. */
  id: string;
  /** Why. */
  why: string;
};

/** Something that is known of a model. */
export type ModelFigure = {
  /** What. */
  value: FigureValue;
  /** Where from. */
  source: FigureSource;
};

/** What the configuration or a session knows of a model better than its provider and Dwell's table do. */
export type ModelOverrides = {
  /** Tokens that question and answer may have together. */
  context_tokens?: number | null | undefined;
  /** Tokens that one answer may have. */
  output_tokens?: number | null | undefined;
  /** Whether it calls tools. */
  tools?: boolean | null | undefined;
  /** Whether it sees pictures. */
  images?: boolean | null | undefined;
  /** Whether it reasons before it answers. */
  thinking?: boolean | null | undefined;
  /** US dollars for a million tokens sent. */
  price_in?: number | null | undefined;
  /** US dollars for a million tokens received. */
  price_out?: number | null | undefined;
  /** US dollars for a million tokens sent that the provider had in its cache. */
  price_cached?: number | null | undefined;
};

/** The models there are. */
export type ModelPage = {
  /** The names of the models that can be named. */
  data: string[];
  /** The one that answers unless a session or a turn names another. */
  default: string;
  /** What is known of each. */
  models?: ModelView[] | undefined;
  /** The providers that are configured. */
  providers?: ProviderView[] | undefined;
};

/** The software or service that serves models, recognised by what it answers. */
export type ModelServerKind = "openai" | "anthropic" | "gemini" | "azure" | "openrouter" | "ollama" | "llama_cpp" | "vllm" | "lm_studio" | "other";

/**
 * How a model is asked. What is not set is taken from the next wider level (turn, agent, session, server), and what no
 * level sets is left to the provider.
 */
export type ModelSettings = {
  /** How freely it chooses its words: 0 to 2. */
  temperature?: number | null | undefined;
  /** Only the likeliest words that together have this probability: above 0, up to 1. */
  top_p?: number | null | undefined;
  /** Tokens of an answer at most. */
  max_output_tokens?: number | null | undefined;
  /** The answer ends before one of these texts. */
  stop?: string[] | null | undefined;
  /** The same seed and request lead to the same answer, as far as the provider can. */
  seed?: number | null | undefined;
  /** How much it reasons before it answers. */
  reasoning_effort?: ReasoningEffort | null | undefined;
  /** Whether it may call several tools at once. */
  parallel_tool_calls?: boolean | null | undefined;
};

/** What a model has done since the server started. */
export type ModelStats = {
  /** Times it was asked. */
  calls?: number | undefined;
  /** Times that failed. */
  errors?: number | undefined;
  /** Tokens and cost. */
  usage?: Usage | undefined;
};

/** A model, and what is known of it. */
export type ModelView = {
  /** Its whole name, `provider/model`. */
  name: string;
  /** Its provider's name. */
  provider: string;
  /** Whether it answers unless another one is named. */
  is_default?: boolean | undefined;
  /** Tokens that question and answer may have together. */
  context_tokens: ModelFigure;
  /** The most that the model itself takes, where that is known and more than its window here. */
  context_tokens_max?: number | null | undefined;
  /** Tokens that one answer may have, where that is known. */
  output_tokens?: ModelFigure | null | undefined;
  /** Whether it calls tools itself; otherwise Dwell describes them to it in words. */
  tools: ModelFigure;
  /** Whether it sees pictures. */
  images: ModelFigure;
  /** Whether it reasons before it answers. */
  thinking: ModelFigure;
  /** US dollars for a million tokens sent, where that is known. */
  price_in?: ModelFigure | null | undefined;
  /** US dollars for a million tokens received, where that is known. */
  price_out?: ModelFigure | null | undefined;
  /** US dollars for a million tokens sent that the provider had in its cache, where that is known. */
  price_cached?: ModelFigure | null | undefined;
  /** What a reader should know about these figures. */
  notices?: string[] | undefined;
};

/** A monitor: a desktop of its own in a session, with a main agent of its own. */
export type MonitorId = string;

/** A monitor. */
export type MonitorView = {
  /** Its name. */
  monitor_id: MonitorId;
  /** Its main agent. */
  agent_id: AgentId;
  /** The window in front. */
  focused?: WindowId | null | undefined;
};

/** Something said that stays until it is dismissed. */
export type Notification = {
  /** Its id. */
  toast_id: ToastId;
  /** What stands above it. */
  title: string;
  /** The words. */
  text?: string | undefined;
  /** How it is meant. */
  level?: Tone | undefined;
};

/** Something the agent took note of. */
export type Observed = {
  /** What kind of thing. */
  kind: ObservedKind;
  /** The call it is about. */
  call_id?: string | null | undefined;
  /** In words. */
  message?: string | undefined;
};

/** A kind of thing that an agent takes note of. */
export type ObservedKind = "call_did_not_happen" | "budget_spent";

/** All that a client offers. */
export type Offer = {
  /** Its tools. */
  tools?: ClientTool[] | undefined;
  /** What the model is to do with them. */
  tool_choice?: ToolChoice | undefined;
  /** Whether one round may call several tools; true unless told. */
  parallel_tool_calls?: boolean | null | undefined;
};

/** What happens to a message that comes while the agent is busy. */
export type OnBusy = "queue" | "reject" | "steer" | "fork" | "interrupt";

/** What happens to a turn that a restart interrupted. */
export type OnRestart = "resume" | "wait";

/** Whose words a text is made of. */
export type Origin = "trusted" | "untrusted";

/** What one owner has open. */
export type OwnerConnections = {
  /** TCP connections, apart from those through a trusted proxy. */
  connections?: number | undefined;
  /** WebSockets and event streams. */
  streams?: number | undefined;
  /** MCP sessions. */
  mcp_sessions?: number | undefined;
};

/** Whose sessions they are; it comes from the credential, never from a payload. */
export type OwnerId = string;

/** What an owner uses, and how much of it they may. */
export type OwnerUsage = {
  /** The owner. */
  owner: OwnerId;
  /** Turns at work. */
  running_turns: Share;
  /** Turns that have not ended, in sessions that are in memory: at work, in line, or waiting for a person. */
  open_turns: Share;
  /** Sessions, also those that have ended. */
  sessions: Share;
  /** Bytes of the events of all sessions. */
  journal_bytes: Share;
  /** Vaults, memories, entries, facts and context documents. */
  memory_records: Share;
  /** Bytes of those. */
  memory_bytes: Share;
  /** Bytes of all artifacts. */
  artifact_bytes: Share;
};

/** Words of a source that an answer may rest on, as they were read. */
export type Passage = {
  /** Its id: that of the same words in the same source. */
  passage_id: PassageId;
  /** What stands for it in square brackets. */
  mark: string;
  /** What the source is called. */
  title: string;
  /** Where the source is: an address, or `library:` and a path. */
  source: string;
  /** Where it was found. */
  kind: SourceKind;
  /** The words. */
  text: string;
  /** When the source says that it was written. */
  published?: string | null | undefined;
  /** When it was read. */
  read_at: Timestamp;
};

/** A passage of a source: the same words in the same source have the same one. */
export type PassageId = string;

/** Passages that a turn may rest on. */
export type PassagePage = {
  /** The passages, in the order they were found. */
  data: Passage[];
};

/** The middle and the end of what was measured, in milliseconds. */
export type Percentiles = {
  /** How many were measured. */
  count?: number | undefined;
  /** Half were faster. */
  p50_ms?: number | undefined;
  /** Nineteen of twenty were faster. */
  p95_ms?: number | undefined;
  /** The slowest. */
  max_ms?: number | undefined;
};

/** A round of the model: its words so far, and the calls it asks for. */
export type Plan = {
  /** Which round, from 1. */
  round?: number | undefined;
  /** The calls it asks for; none when it goes on after a message that came in between. */
  calls?: PlannedCall[] | undefined;
  /** How many of the messages that came in between the model had seen. */
  steers?: number | undefined;
  /** Who answered. */
  model?: string | null | undefined;
  /** What the round took. */
  usage?: Usage | null | undefined;
  /** Why its words ended; after `length` the model is asked to go on where it stopped. */
  stop_reason?: StopReason | undefined;
};

/** A call that the model asks for. */
export type PlannedCall = {
  /** Names the call within the turn. */
  call_id: string;
  /** The tool, as the model wrote it. */
  tool: string;
  /** The arguments, as the model wrote them. */
  arguments: unknown;
  /** What the provider wants to see again with the call. */
  signatures?: string[] | undefined;
  /** Whether the model had looked the tool up and called it by `use_tool`. */
  looked_up?: boolean | undefined;
};

/** Hints for the planner. */
export type PlannerHints = {
  /** What to look at first. */
  focus_areas?: string[] | undefined;
  /** Tools to prefer. */
  prefer_tools?: string[] | undefined;
  /** Tools to avoid. */
  avoid_tools?: string[] | undefined;
  /** How deep to dig. */
  max_depth?: number | null | undefined;
};

/**
 * What a session's turns may do without being asked. It can only be stricter than the server's own policy: what that
 * forbids stays forbidden.
 */
export type Policy = {
  /** After a restart: go on, or wait to be told. */
  on_restart?: OnRestart | undefined;
  /** Whether tools may change the world outside; none means as the server allows. */
  actuation?: boolean | null | undefined;
  /** The only tools that may be called, as `tool` or `tool:service` with `*`; none means all. */
  allow?: string[] | null | undefined;
  /** Tools that may not be called, as `tool` or `tool:service` with `*`. */
  deny?: string[] | undefined;
  /** Tools that need an approval each time, as `tool` or `tool:service` with `*`. */
  confirm?: string[] | undefined;
  /** Whether the session keeps the model it has. */
  fixed_model?: boolean | undefined;
};

/** An error as clients see it. */
export type Problem = {
  /** A word for programs. */
  code: Code;
  /** What was wrong. */
  message: string;
  /** What to do. */
  hint: string;
  /** The turn it is about. */
  turn_id?: TurnId | null | undefined;
  /** How long to wait before trying again. */
  retry_after_ms?: number | null | undefined;
};

/** A provider of models, and what came of asking it. */
export type ProviderView = {
  /** Its name, the first part of its models' names. */
  name: string;
  /** What serves the models there. */
  server: ModelServerKind;
  /** Its address. */
  address: string;
  /** The model that answers when only the provider is named. */
  default_model: string;
  /** Where that comes from: set, asked, or the table. */
  default_source: FigureSource;
  /** How many models it lists; none means that its list is not known, and any name is passed on. */
  models?: number | null | undefined;
  /** When it last told what it has. */
  asked_at?: Timestamp | null | undefined;
  /** Why it could not be asked the last time, and what to do. */
  error?: string | null | undefined;
};

/** Something only a person can know: did these calls happen? */
export type Question = {
  /** The question in words. */
  text: string;
  /** The calls it is about. */
  calls: DoubtfulCall[];
};

/** How much a model reasons before it answers. */
export type ReasoningEffort = "none" | "minimal" | "low" | "medium" | "high";

/** A window could not be shown. */
export type Rendered = {
  /** Which. */
  window_id: WindowId;
  /** The monitor it is on. */
  monitor_id?: MonitorId | undefined;
  /** Why. */
  error: string;
};

/** What a turn was asked: kept with it, so that it can be resumed and retried. */
export type Request = {
  /** The user's words. */
  message: string;
  /** A model for this turn only. */
  model?: string | null | undefined;
  /** How the model is asked in this turn. */
  model_settings?: ModelSettings | undefined;
  /** Whether tools may be called. */
  allow_tools?: boolean | undefined;
  /** Rounds of thinking and acting, if other than the session's budget. */
  max_steps?: number | null | undefined;
  /** Milliseconds this turn may take, if other than the session's budget. */
  time_budget_ms?: number | null | undefined;
  /** Hints for the planner. */
  planner_hints?: PlannerHints | null | undefined;
  /** Its tools. */
  tools?: ClientTool[] | undefined;
  /** What the model is to do with them. */
  tool_choice?: ToolChoice | undefined;
  /** Whether one round may call several tools; true unless told. */
  parallel_tool_calls?: boolean | null | undefined;
  /** Pictures that go with the words. */
  images?: Image[] | undefined;
  /** Whether the web may, or must not, be searched for it. */
  use_web_search?: boolean | null | undefined;
  /** Tokens of context at most, if other than the model's share. */
  context_window?: number | null | undefined;
  /** Tags of the message and of what comes of it: `important` stays in context longest, `ephemeral` leaves it first. */
  tags?: Tag[] | undefined;
  /** Of what was said before, only what has one of these tags is told; none means all. */
  context_tags?: Tag[] | undefined;
  /** How long the client waits for the first words. */
  early_wait_ms?: number | null | undefined;
  /** The monitor it is asked on. */
  monitor_id?: MonitorId | undefined;
  /** The window it is about, where it goes to a window's agent. */
  window?: WindowRequest | null | undefined;
  /** Calls to make as they are: there is nothing to understand, and no model is asked. */
  calls?: DirectCall[] | undefined;
  /**
   * Whose words all of it is made of. It is untrusted where it was taken in from a file, and where a client sent it that
   * had read untrusted text; the way in decides that, never the message.
   */
  origin?: Origin | undefined;
  /** By which way it came in. */
  via?: Via | undefined;
};

/** A source, as far as it is. */
export type ResearchChunk = {
  /** The call that looks. */
  call_id: string;
  /** How far the source is. */
  status: ChunkStatus;
  /** Its number among those that were found, from 1; the same when it is read. */
  number: number;
  /** Which round found it, from 1. */
  round: number;
  /** Where it was found. */
  kind: SourceKind;
  /** What it is called. */
  title: string;
  /** Where it is: an address, or `library:` and a path. */
  source: string;
  /** How many passages were read. */
  passages?: number | null | undefined;
  /** Whether it was read before and is remembered. */
  cached?: boolean | undefined;
  /** Why it could not be read. */
  reason?: string | null | undefined;
};

/** What came of looking for sources. */
export type ResearchDone = {
  /** The call that did it. */
  call_id: string;
  /** What was found, in at most 150 tokens, with marks in square brackets. */
  notes: string;
  /** The sources that the notes cite, in their order. */
  citations?: Citation[] | undefined;
  /** All passages that were kept: what marks and citations resolve to. */
  passages?: Passage[] | undefined;
  /** Where sources do not agree. */
  contradictions?: Contradiction[] | undefined;
  /** Questions that stay open. */
  open_questions?: string[] | undefined;
  /** How many sources were found. */
  found: number;
  /** How many were read. */
  read: number;
  /** How many could not be read. */
  failed: number;
  /** How many rounds it took. */
  rounds: number;
  /** What the asker should know of how it was looked for. */
  notices?: string[] | undefined;
  /** What asking a language model took. */
  usage?: Usage | null | undefined;
};

/** Sources are looked for. */
export type ResearchStarted = {
  /** The call that does it. */
  call_id: string;
  /** What is asked. */
  query: string;
  /** The questions it was divided into. */
  questions?: string[] | undefined;
  /** Where it is looked; nothing where there is no source at all. */
  sources?: string[] | undefined;
  /** How many sources are read at most. */
  sources_max: number;
};

/** A conversation that starts over. */
export type Reset = {
  /** Why, in the caller's words. */
  reason?: string | null | undefined;
};

/** What a turn answered. */
export type Response = {
  /** The whole answer. */
  message: string;
  /** Who answered. */
  model: string;
  /** Tokens, where the provider counted them. */
  usage?: Usage | null | undefined;
  /** Why the answer ended. */
  stop_reason?: StopReason | undefined;
  /** What the asker should know of how the answer was made. */
  notices?: string[] | undefined;
  /** The gist of the model's reasoning, where it showed it. */
  reasoning_summary?: string | null | undefined;
  /** What the answer rests on. */
  citations?: Citation[] | undefined;
  /** What might be asked next. */
  suggestions?: string[] | undefined;
  /** What the turn has kept beside the conversation. */
  artifacts?: ArtifactId[] | undefined;
  /** What was understood. */
  intent?: string | null | undefined;
  /** How surely. */
  confidence?: number | null | undefined;
  /** Whether the first words came later than the client wanted to wait. */
  late?: boolean | undefined;
};

/** What becomes of the windows of a session that is restored. */
export type RestoreMode = "whole" | "summarized";

/** An earlier session goes on in this one. */
export type Restored = {
  /** Which. */
  session_id: SessionId;
  /** What became of its windows. */
  windows: RestoreMode;
  /** The windows that were open, in words, where they are not open any more. */
  summary?: string | undefined;
  /** Whose words that may be. */
  origin?: Origin | undefined;
};

/** What became of whole sessions since the server started: counts, and no words. */
export type RetentionStats = {
  /** Sessions that have expired. */
  expired?: number | undefined;
  /** Sessions that were written to a file and removed. */
  archived?: number | undefined;
  /** Sessions that were deleted for good, by their owners or after they had expired. */
  deleted?: number | undefined;
  /** Events that are gone with those that were archived or deleted. */
  events?: number | undefined;
  /** Artifacts that are gone with them. */
  artifacts?: number | undefined;
  /** Items of memory that are gone with them. */
  memories?: number | undefined;
  /** When a session was last removed. */
  last_at?: Timestamp | null | undefined;
};

/** What a tool touches; it decides what a call needs before it runs. */
export type Safety = "observes" | "keeps" | "acts" | "sends";

/** Where to look. */
export type Scope = "user" | "conversation" | "both";

/**
 * Why something was found, part by part. `total` is the sum of `relevance`, `recency`, `pinned`, `conversation`,
 * `entity` and `time`; `lexical` and `semantic` are what `relevance` was made of.
 */
export type Score = {
  /** What it is ranked by. */
  total?: number | undefined;
  /** 0.6 times how well words and meaning fit, 0 to 0.6. */
  relevance?: number | undefined;
  /** 0.3 times exp(-age / 30 days). */
  recency?: number | undefined;
  /** 0.2 for what is pinned or in the profile. */
  pinned?: number | undefined;
  /** 0.1 for what is from the same conversation. */
  conversation?: number | undefined;
  /** 0.1 for what names the same people, places or things. */
  entity?: number | undefined;
  /** At most 0.1 for what happened in the time the question names; below zero for what no longer holds. */
  time?: number | undefined;
  /** How well the words fit, 0 to 1. */
  lexical?: number | undefined;
  /** How close the meaning is, 0 to 1; 0 where meaning was not looked at. */
  semantic?: number | undefined;
};

/** Which kind of likeness counts. */
export type SearchMode = "hybrid" | "lexical" | "semantic";

/** A part of the prompt. */
export type Section = {
  /** Which, as in `system` or `recent`. */
  name: string;
  /** How many tokens it takes. */
  tokens: number;
};

/** Something that can be chosen. */
export type SelectOption = {
  /** What is sent along. */
  value: string;
  /** What stands there. */
  label: string;
};

/** A row of numbers. */
export type Series = {
  /** What it is called. */
  name: string;
  /** The numbers. */
  values: number[];
};

/** What the server has done since it started. */
export type ServerStats = {
  /** Since when. */
  since: Timestamp;
  /** Sessions in memory. */
  live_sessions: number;
  /** Turns at work. */
  running_turns: number;
  /** Turns that wait until there is room for one more agent. */
  waiting_turns?: number | undefined;
  /** How long turns have waited for that. */
  waits?: Percentiles | undefined;
  /** What bounds that. */
  limits?: AgentLimits | undefined;
  /** Connections, streams and MCP sessions. */
  connections?: ConnectionStats | undefined;
  /** Totals of all turns that ended or began since then. */
  totals: Stats;
  /** From a turn's start to its first word. */
  first_word: Percentiles;
  /** From a turn's start to its end. */
  duration: Percentiles;
  /** Turns by the way they went, as `reflex` or `tool_loop`. */
  ways?: Record<string, number> | undefined;
  /** By model. */
  models: Record<string, ModelStats>;
  /**
   * By purpose, then by model: `turn` for what answers, `research` for what calls think about, `memory` for documents of
   * what a conversation comes to, `summary` for gists of long messages.
   */
  purposes?: Record<string, Record<string, ModelStats>> | undefined;
  /** By tool. */
  tools: Record<string, ToolStats>;
  /** Errors that ended turns, by code. */
  errors: Record<string, number>;
  /** What the asker uses and may use; the operator is told it of every owner. */
  usage?: ServerUsage | null | undefined;
  /** What checking the journal in the background has found. */
  journal?: JournalStats | undefined;
  /** Why nothing is deleted by age at present, where the clock is in doubt. */
  clock?: ClockDoubt | null | undefined;
  /** How the scheduled backups stand, where there are any. */
  backup?: BackupStatus | null | undefined;
  /** Sessions that have expired or were removed. */
  retention?: RetentionStats | undefined;
};

/** What is used of a server by those whom it concerns. */
export type ServerUsage = {
  /** What the asker uses. */
  own: OwnerUsage;
  /** What each owner uses; told to the operator alone. */
  owners?: OwnerUsage[] | undefined;
  /** What the library takes; told to the operator alone. */
  library?: LibraryUsage | null | undefined;
};

/** A session: the long-lived conversation of one owner. */
export type SessionId = string;

/** A client's own name for a session, unique per owner (`key`, `conversation_id`). */
export type SessionName = string;

/** A page of sessions, newest activity first. */
export type SessionPage = {
  /** The sessions. */
  data: SessionView[];
  /** Where the next page begins; absent on the last. */
  next_cursor?: string | null | undefined;
};

/** Whether a session still takes messages. */
export type SessionStatus = "active" | "ended" | "expired";

/** A session as it stands. */
export type SessionView = {
  /** Its id. */
  session_id: SessionId;
  /** Whose it is. */
  owner: OwnerId;
  /** The client's own name for it. */
  key?: SessionName | null | undefined;
  /** Whether it takes messages. */
  status: SessionStatus;
  /** Grows with every accepted message and every change of settings or status. */
  version: number;
  /** The number of its newest event. */
  last_seq: number;
  /** When it began. */
  created_at: Timestamp;
  /** When something last happened; for a session that has expired, the last thing before that. */
  updated_at: Timestamp;
  /** When it was ended, or has expired. */
  ended_at?: Timestamp | null | undefined;
  /** What it is set to. */
  settings: Settings;
  /** What it has used. */
  stats: Stats;
  /** Turns that have not ended, oldest first. */
  open_turns: TurnId[];
  /** What it is called: its preference `title`, else the beginning of its first message. */
  title?: string | null | undefined;
  /** Where it was forked from. */
  forked_from?: ForkOrigin | null | undefined;
  /** Where it was taken in from. */
  imported?: ImportOrigin | null | undefined;
  /** Whose words its title and its preferences are. */
  origin?: Origin | undefined;
  /** Whether some of what was ever said or read in it may be anybody's words. */
  tainted?: boolean | undefined;
  /** Clients that have read text which may be anybody's, and when they last did. Only the session of direct calls has them. */
  read_by?: Record<string, Timestamp> | undefined;
};

/** A setting of the server. */
export type SettingView = {
  /** Its name, as `agents.max`. */
  key: string;
  /** What it is set to; a secret is not shown. */
  value: unknown;
  /** Where that comes from: `default`, a file, the environment or a flag. */
  from: string;
};

/** All that is set for a session. */
export type Settings = {
  /** The model by name; none means the server's default. */
  model?: string | null | undefined;
  /** How the model is asked. */
  model_settings?: ModelSettings | undefined;
  /**
   * How the models of single agents are asked, by the agent's id; `*` stands for any letters. What is not set here is
   * taken from the session's.
   */
  agent_settings?: Record<string, ModelSettings> | undefined;
  /** What is known of models in this session, by `provider/model` or by the provider alone. */
  model_overrides?: Record<string, ModelOverrides> | undefined;
  /**
   * The tools that the model is always shown, by name with `*`; it can look up the others. Where there are none, Dwell
   * chooses for each turn.
   */
  pinned_tools?: string[] | undefined;
  /** Budgets of each turn. */
  budgets?: Budgets | undefined;
  /** Policy of the session. */
  policy?: Policy | undefined;
  /**
   * Free key-value preferences of the client. Two of them are told to every turn: `instructions`, what the client asks of
   * every answer, as text; and `earlier`, what was said in the conversation before it came here, as a list of messages
   * with `role` and `content`.
   */
  preferences?: Record<string, unknown> | undefined;
  /** The names of preferences that were taken in from a file and that nobody has set here since: their words are untrusted. */
  imported?: string[] | undefined;
};

/** New settings, whole. */
export type SettingsChanged = {
  /** What the session is set to from now on. */
  settings: Settings;
};

/** How a question was settled. */
export type SettledBy = "owner" | "expiry" | "turn_end";

/** How much of something is used, and how much may be. */
export type Share = {
  /** How much is used. */
  used: number;
  /** How much may be; absent if there is no limit. */
  max?: number | null | undefined;
};

/** Where something in memory comes from. */
export type Source = {
  /** The session in which it was said. */
  session_id?: SessionId | null | undefined;
  /** The turn in which it was said. */
  turn_id?: TurnId | null | undefined;
  /** The number of the event that holds the words. */
  seq?: number | null | undefined;
  /** The item it was read off. */
  item_id?: ItemId | null | undefined;
  /** Whether that session was deleted since, so that the words can be read here alone. */
  session_deleted?: boolean | undefined;
  /** The file, program or client it was taken over from. */
  imported_from?: string | null | undefined;
};

/** Where something was found. */
export type SourceKind = "library" | "search" | "page";

/** The five stages of a turn. */
export type Stage = "receive" | "understand" | "plan" | "execute" | "complete";

/** A stage that a turn entered. */
export type StageEntered = {
  /** Which. */
  stage: Stage;
  /** More, by stage. */
  detail?: unknown | undefined;
};

/** `session.start` */
export type Start = {
  /** The client's own name for the session. Starting again with the same key gives the same session. */
  key?: SessionName | null | undefined;
  /** The model, if not the server's default. */
  model?: string | null | undefined;
  /** How the model is asked. */
  model_settings?: ModelSettings | null | undefined;
  /** How the models of single agents are asked, by the agent's id; `*` stands for any letters. */
  agent_settings?: Record<string, ModelSettings> | null | undefined;
  /** What is known of models in this session, by `provider/model` or by the provider alone. */
  model_overrides?: Record<string, ModelOverrides> | null | undefined;
  /**
   * The tools that the model is always shown, by name with `*`; it can look up the others. An empty list lets Dwell
   * choose for each turn.
   */
  pinned_tools?: string[] | null | undefined;
  /** Budgets of each turn. */
  budgets?: Budgets | null | undefined;
  /** Policy of the session. */
  policy?: Policy | null | undefined;
  /** Free preferences. */
  preferences?: Record<string, unknown> | undefined;
  /**
   * Whether the session is removed, with all that was said in it, once it is ended or its turns have ended and nobody
   * looks at it.
   */
  temporary?: boolean | undefined;
};

/** How a session began. */
export type Started = {
  /** Whose it is. */
  owner: OwnerId;
  /** The client's own name for it. */
  key?: SessionName | null | undefined;
  /** What it is set to. */
  settings: Settings;
  /** The session it was forked from. */
  forked_from?: ForkOrigin | null | undefined;
  /** Where it was taken in from. */
  imported?: ImportOrigin | null | undefined;
  /** Whether it is removed once its turn has ended. */
  temporary?: boolean | undefined;
};

/** Something that can be asked of an app's state. */
export type StateKey = {
  /** Its name. */
  key: string;
  /** What it is. */
  description?: string | undefined;
};

/** What a session has used so far. */
export type Stats = {
  /** Turns accepted. */
  turns?: number | undefined;
  /** Turns answered. */
  completed?: number | undefined;
  /** Turns ended by an error or by running out of time. */
  failed?: number | undefined;
  /** Turns cancelled. */
  cancelled?: number | undefined;
  /** Steps taken. */
  steps?: number | undefined;
  /** Tools called. */
  tool_calls?: number | undefined;
  /** Tokens sent to models. */
  input_tokens?: number | undefined;
  /** Tokens received from models. */
  output_tokens?: number | undefined;
  /** Those of the sent that providers had in their caches. */
  cached_tokens?: number | undefined;
  /** Those of the sent that providers have put into their caches. */
  cache_write_tokens?: number | undefined;
  /** What they cost in millionths of a US dollar, as far as prices are known. */
  cost_micros?: number | undefined;
  /** Things that went wrong, whether or not they ended a turn. */
  errors?: number | undefined;
};

/** A turn's status changed. */
export type StatusChanged = {
  /** What it went over to. */
  status: Transition;
  /** Why. */
  reason?: string | null | undefined;
  /** What went wrong. */
  error?: TurnError | null | undefined;
  /** With `resumed`: which attempt this is. */
  attempt?: number | null | undefined;
  /** With `resumed`: text from this offset on is void and is streamed anew. */
  text_offset?: number | null | undefined;
  /** With `waiting`: what is asked. */
  question?: Question | null | undefined;
  /** With an end that has no answer: what the turn took all the same. */
  usage?: Usage | null | undefined;
};

/** One durable thing that happened inside a turn. */
export type Step = {
  type: "plan";
  detail: Plan;
} | {
  type: "tool_call";
  detail: ToolCall;
} | {
  type: "tool_result";
  detail: ToolResult;
} | {
  type: "retrieval";
  detail: unknown;
} | {
  type: "observed_event";
  detail: Observed;
} | {
  type: "summary";
  detail: Summary;
} | {
  type: "error";
  detail: StepError;
};

/** Something that went wrong and did not end the turn. */
export type StepError = {
  /** A word for programs. */
  code: string;
  /** A sentence for people. */
  message?: string | undefined;
  /** The model it happened with. */
  model?: string | null | undefined;
  /** How long until the same is tried again. */
  retry_in_ms?: number | null | undefined;
  /** The model that is asked instead. */
  fallback?: string | null | undefined;
};

/** Why an answer ended. */
export type StopReason = "complete" | "length" | "content_filter" | "refusal" | "empty" | "budget";

/** Something condensed. */
export type Summary = {
  /** What for, as in `transfer`. */
  kind: string;
  /** The condensed text. */
  text: string;
};

/** What a conversation comes to: a new version of its context document. */
export type SummaryCreated = {
  /** Its id in memory. */
  id: ItemId;
  /** Always `context`. */
  level: Level;
  /** The memory of the conversation. */
  memory_id: MemoryId;
  /** Which version. */
  version: number;
  /** The text. */
  value: string;
  /** Who wrote it: a model's name, or `extract`. */
  written_by: string;
  /** Whose words it may hold. */
  origin?: Origin | undefined;
};

/** What the sweeper has collected. */
export type Swept = {
  /** Artifacts that were kept long enough. */
  artifacts: number;
  /** Their bytes. */
  bytes: number;
  /** Memories that were to be kept for a while only. */
  memories: number;
  /** Why nothing was deleted, where the clock is in doubt. */
  clock?: ClockDoubt | null | undefined;
  /** Sessions that have expired, since they were idle for too long. */
  expired?: number | undefined;
  /** Expired sessions that were written to a file and removed. */
  archived?: number | undefined;
  /** Expired sessions that were deleted for good. */
  deleted?: number | undefined;
};

/** A free word on a message, as in `important` or `context:lights`. */
export type Tag = string;

/** A range of a turn's text. */
export type TextRange = {
  /** Where the range begins, in Unicode code points from the start of the turn's text. */
  offset: number;
  /** The text of the range. */
  delta: string;
};

/** A ticket for one WebSocket or event stream, passed as `?ticket=`. */
export type Ticket = {
  /** The ticket. */
  ticket: string;
  /** Until when it is good. */
  expires_at: Timestamp;
};

/** A moment in UTC with millisecond precision. */
export type Timestamp = string;

/** Something said in passing. */
export type Toast = {
  /** Its id. */
  toast_id: ToastId;
  /** The words. */
  text: string;
  /** How it is meant. */
  level?: Tone | undefined;
  /** What can be pressed on it. */
  button?: ToastButton | null | undefined;
  /** The turn that was done once more by rote, if that is what it tells. */
  replay_of?: TurnId | null | undefined;
};

/** Somebody did something with a toast; it is gone. */
export type ToastActed = {
  /** Which toast or notification. */
  toast_id: ToastId;
  /** What was done. */
  action: string;
  /** With `didnt_work`: the turn that is not done by rote any more. */
  replay_of?: TurnId | null | undefined;
};

/** What can be pressed on a toast. */
export type ToastButton = {
  /** What stands on it. */
  label: string;
  /** What pressing it is called: `didnt_work` says that a replay was wrong. */
  action: string;
};

/** A toast or a notification on the desktop. */
export type ToastId = string;

/** How something is meant. */
export type Tone = "plain" | "info" | "success" | "warning" | "danger";

/** A call that is about to run. It is in the journal before it runs. */
export type ToolCall = {
  /** The call. */
  call_id: string;
  /** The tool. */
  tool: string;
  /** The arguments. */
  arguments: unknown;
  /** What running it again would do. */
  effect?: Effect | undefined;
  /** The key that makes running it again harmless where the tool understands it. */
  key?: string | undefined;
  /** The approval it rests on. */
  approval_id?: ApprovalId | null | undefined;
  /** How long the client is waited for, where the tool is the client's own. */
  client_until?: Timestamp | null | undefined;
};

/** What a model is to do with the client's tools. */
export type ToolChoice = "auto" | "none" | "required" | {
  tool: string;
};

/** The tools there are. */
export type ToolPage = {
  /** All of them, by name. */
  data: ToolView[];
  /** The external servers that may bring some. */
  servers?: ToolServerView[] | undefined;
};

/** What came of a call. */
export type ToolResult = {
  /** The call. */
  call_id: string;
  /** The tool. */
  tool: string;
  /** What became of it. */
  status?: CallStatus | undefined;
  /** What the model is told. */
  content: string;
  /** Whose words that is. */
  origin?: Origin | undefined;
  /** Where the whole answer is, when it was too large. */
  artifact_id?: ArtifactId | null | undefined;
  /** What it rests on, to be cited by its source in square brackets. */
  sources?: Citation[] | undefined;
  /** How long it took. */
  duration_ms?: number | null | undefined;
};

/** An external server whose tools are used here. */
export type ToolServerView = {
  /** Its name in the configuration. */
  name: string;
  /** Why it cannot be used just now; none while it can. */
  away_because?: string | null | undefined;
  /** The version of the protocol that it speaks, once that is known. */
  protocol_version?: string | null | undefined;
  /** Its tools that are used, by their names here. */
  tools: string[];
  /** Its tools that are not. */
  left_out: LeftOutTool[];
};

/** What a tool has done since the server started. */
export type ToolStats = {
  /** Times it was called. */
  calls?: number | undefined;
  /** Times that failed or were refused. */
  errors?: number | undefined;
  /** How long it took. */
  duration?: Percentiles | undefined;
};

/** A tool as clients see it. */
export type ToolView = {
  /** Its name. */
  name: string;
  /** What it does and when to use it. */
  description: string;
  /** JSON Schema of its arguments. */
  input_schema: unknown;
  /** JSON Schema of its answer. */
  output_schema?: unknown | undefined;
  /** What running a call again would do. */
  effect: Effect;
  /** What it touches. */
  safety: Safety;
  /** What a call costs, roughly. */
  cost: Cost;
  /** Whether several calls may run at once. */
  parallel: boolean;
  /** How long a call may take. */
  timeout_ms: number;
  /** How many calls a minute are allowed. */
  calls_per_minute_max?: number | null | undefined;
  /** Whether the server's policy lets it be called at all. */
  enabled: boolean;
  /** Why not. */
  disabled_because?: string | null | undefined;
  /** The external server that it comes from. */
  server?: string | null | undefined;
  /** Why it cannot be called just now, as when its server is away. */
  away_because?: string | null | undefined;
};

/** What a turn went over to. */
export type Transition = "resumed" | "waiting" | "interrupted" | "completed" | "failed" | "cancelled" | "expired";

/** A document that cannot be read. */
export type Trouble = {
  /** Which, by its path in the folder. */
  path: string;
  /** Why. */
  reason: string;
};

/** Why a turn failed, and whether trying again can help. */
export type TurnError = {
  /** A word for programs. */
  code: string;
  /** A sentence for people. */
  message: string;
  /** Whether a retry may succeed without anybody changing anything. */
  recoverable: boolean;
  /** More, by code. */
  details?: unknown | undefined;
};

/** A turn: one message in, one response out. */
export type TurnId = string;

/** A page of a session's turns, from the oldest on or from the newest back. */
export type TurnPage = {
  /** The turns. */
  data: TurnView[];
  /** Where the next page begins; absent on the last. */
  next_cursor?: string | null | undefined;
};

/** What a turn took. */
export type TurnStats = {
  /** Milliseconds from being accepted to the first word that is in the journal. */
  first_word_ms?: number | null | undefined;
  /** Milliseconds from being accepted to the end. */
  duration_ms?: number | null | undefined;
  /** Rounds of the model that called tools. */
  rounds?: number | undefined;
  /** Tools called. */
  tool_calls?: number | undefined;
  /** Things that went wrong on the way. */
  errors?: number | undefined;
  /** Tokens and cost of all rounds. */
  usage?: Usage | undefined;
};

/** Where a turn stands. */
export type TurnStatus = "pending" | "running" | "streaming" | "waiting" | "completed" | "failed" | "cancelled" | "expired" | "interrupted";

/** A turn as it stands. */
export type TurnView = {
  /** Its id. */
  turn_id: TurnId;
  /** Its session. */
  session_id: SessionId;
  /** Where it stands. */
  status: TurnStatus;
  /** Who runs it. */
  agent_id: AgentId;
  /** What was asked. */
  request: Request;
  /** The text so far; once completed, the answer. */
  text: string;
  /** What was answered. */
  response?: Response | null | undefined;
  /** What went wrong. */
  error?: TurnError | null | undefined;
  /** Why it stands where it stands. */
  reason?: string | null | undefined;
  /** What it waits to be told. */
  question?: Question | null | undefined;
  /** The calls whose results it waits to be told by its client. */
  calls_waiting?: WaitingCall[] | undefined;
  /** What happened inside it. */
  steps: Step[];
  /** What it took. */
  stats?: TurnStats | undefined;
  /** Whether it was told or has read words that may be anybody's, beside its message. */
  tainted?: boolean | undefined;
  /** How many times it was begun. */
  attempts: number;
  /** The turn it tries again. */
  retry_of?: TurnId | null | undefined;
  /** When it was accepted. */
  created_at: Timestamp;
  /** When something last happened in it. */
  updated_at: Timestamp;
  /** The number of its newest event. */
  last_seq: number;
};

/** `session.update`: what is given is replaced, what is absent stays. */
export type Update = {
  /** Refuse if the session has another version by now. */
  version?: number | null | undefined;
  /** The model. */
  model?: string | null | undefined;
  /** How the model is asked. */
  model_settings?: ModelSettings | null | undefined;
  /** How the models of single agents are asked, by the agent's id; `*` stands for any letters. */
  agent_settings?: Record<string, ModelSettings> | null | undefined;
  /** What is known of models in this session, by `provider/model` or by the provider alone. */
  model_overrides?: Record<string, ModelOverrides> | null | undefined;
  /**
   * The tools that the model is always shown, by name with `*`; it can look up the others. An empty list lets Dwell
   * choose for each turn.
   */
  pinned_tools?: string[] | null | undefined;
  /** Budgets of each turn. */
  budgets?: Budgets | null | undefined;
  /** Policy of the session. */
  policy?: Policy | null | undefined;
  /** Preferences to add or replace; `null` removes one. */
  preferences?: Record<string, unknown> | undefined;
};

/** Tokens a model counted. */
export type Usage = {
  /** Tokens sent. */
  input_tokens: number;
  /** Tokens received. */
  output_tokens: number;
  /** Those of the sent that the provider had in its cache. */
  cached_tokens?: number | undefined;
  /** Those of the sent that the provider has put into its cache. */
  cache_write_tokens?: number | undefined;
  /** What they cost in millionths of a US dollar, where the price is known. */
  cost_micros?: number | null | undefined;
};

/** Something taken from memory. */
export type UsedItem = {
  /** What kind of memory it is. */
  level: Level;
  /** The words. */
  text: string;
  /** The turn it comes from. */
  source?: TurnId | null | undefined;
  /** The session it comes from. */
  session_id?: SessionId | null | undefined;
  /** Its id in memory. */
  id?: ItemId | null | undefined;
  /** The name under which it is kept. */
  key?: string | null | undefined;
  /** When it happened, or since when it holds. */
  at?: Timestamp | null | undefined;
  /** Until when it held; none means that it still holds as far as is known. */
  valid_until?: Timestamp | null | undefined;
  /** Why it was found. */
  score?: Score | null | undefined;
};

/** A vault: a shelf of memories. */
export type Vault = {
  /** Its id. */
  vault_id: VaultId;
  /** Its title, unique per owner. */
  title: string;
  /** What it is for. */
  description?: string | undefined;
  /** Since when it exists. */
  created_at: Timestamp;
  /** Whose words its title and its description are. */
  origin?: Origin | undefined;
};

/** A vault: a shelf of memories. */
export type VaultId = string;

/** A page of vaults. */
export type VaultPage = {
  /** The vaults, oldest first. */
  data: Vault[];
  /** Where the next page begins. */
  next_cursor?: string | null | undefined;
};

/** By which way a message came in, as the server has found out. */
export type Via = "token" | "page" | {
  client: string;
};

/** A call that waits for the client. */
export type WaitingCall = {
  /** Names the call within its turn. */
  call_id: string;
  /** The tool. */
  tool: string;
  /** The arguments, as the model wrote them. */
  arguments: unknown;
  /** How long the client is waited for. */
  until: Timestamp;
};

/** A window. */
export type Window = {
  /** Its name. */
  window_id: WindowId;
  /** The monitor it is on. */
  monitor_id: MonitorId;
  /** The window that its group began with: windows of a group share an agent. */
  group: WindowId;
  /** What stands above it. */
  title: string;
  /** Where it is. */
  bounds: Bounds;
  /** How it is shown. */
  state: WindowState;
  /** What it shows. */
  content: Content;
  /** Whose words its title and content may be. */
  origin: Origin;
  /** Who holds its lock. */
  locked_by?: Holder | null | undefined;
  /** The agent that opened it. */
  opened_by?: AgentId | null | undefined;
  /** When it was opened. */
  opened_at: Timestamp;
  /** When something last changed in it. */
  updated_at: Timestamp;
  /** The app in it. */
  app?: AppRegistered | null | undefined;
};

/** Something that was pressed. */
export type WindowAct = {
  /** What pressing it is called. */
  action: string;
  /** The client's own name for this time. */
  action_id?: string | null | undefined;
  /** What was filled in, by name. */
  form_data?: Record<string, string> | undefined;
  /** Where in the layout it stands. */
  component_path?: string | null | undefined;
  /** Whether it need not wait for what the window's agent is at. */
  parallel?: boolean | undefined;
};

/** The agent of a window, or of a group, has changed. */
export type WindowAgent = {
  /** The window. */
  window_id: WindowId;
  /** Its agent. */
  agent_id: AgentId;
  /** How it stands. */
  status: WindowAgentStatus;
};

/** How the agent of a window stands. */
export type WindowAgentStatus = "assigned" | "active" | "released";

/** A window on a desktop. */
export type WindowId = string;

/** The window a turn is about. */
export type WindowRequest = {
  /** Which. */
  window_id: WindowId;
  /** What was pressed; none means that something was said. */
  act?: WindowAct | null | undefined;
};

/** How a window is shown. */
export type WindowState = "normal" | "minimized" | "maximized";

/** The context window of a session: what its next turn is told of the conversation, beside what memory adds. */
export type WindowView = {
  /** Messages in it: the instructions, the pins, what was said, each round of calls with its results. */
  messages: number;
  /** Tokens they take, with the tools the model is shown. */
  tokens: number;
  /** Tokens it may have with the session's model. */
  tokens_max: number;
  /** How much of that is taken, in percent. */
  utilisation: number;
  /** How many messages have each tag. */
  tags: Record<string, number>;
  /** Messages of the last turns that have left it. */
  evicted: number;
  /** What somebody should know about it, in words. */
  health: string[];
};
