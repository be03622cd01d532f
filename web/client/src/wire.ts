// The types of the wire protocol, generated from docs/openapi.json by `npm run generate`. Do not edit.
// A newer server may send fields, values and events that are not listed here: ignore what you do
// not know.

/** A change of a desktop. */
export type Action = {
  type: "window.create";
  /** Name of the window. */
  window_id: WindowId;
  /** The group that the window joins. Default: a new group. */
  group?: WindowId | null | undefined;
  /** Title of the window. */
  title: string;
  /** Position and size. */
  bounds: Bounds;
  /** Content of the window. */
  content: WindowContent;
  /** Whether title and content are trusted. */
  origin?: Origin | undefined;
  /**
   * With an app: the token that the app's messages must carry, so that no other frame can
   * act as the app.
   */
  token?: string | null | undefined;
} | {
  type: "window.close";
  /** The window. */
  window_id: WindowId;
} | {
  type: "window.focus";
  /** The window. */
  window_id: WindowId;
} | {
  type: "window.move";
  /** The window. */
  window_id: WindowId;
  /** Distance from the left edge, in desktop units. */
  x: number;
  /** Distance from the top edge, in desktop units. */
  y: number;
} | {
  type: "window.resize";
  /** The window. */
  window_id: WindowId;
  /** Width in desktop units. */
  width: number;
  /** Height in desktop units. */
  height: number;
} | {
  type: "window.minimize";
  /** The window. */
  window_id: WindowId;
} | {
  type: "window.maximize";
  /** The window. */
  window_id: WindowId;
} | {
  type: "window.restore";
  /** The window. */
  window_id: WindowId;
} | {
  type: "window.title";
  /** The window. */
  window_id: WindowId;
  /** The new title. */
  title: string;
  /** Whether the title is trusted. */
  origin?: Origin | undefined;
} | {
  type: "window.content";
  /** The window. */
  window_id: WindowId;
  /** The new content. */
  content: WindowContent;
  /** Whether the content is trusted. */
  origin?: Origin | undefined;
  /** With a new app: the token that the app's messages must carry. */
  token?: string | null | undefined;
} | {
  type: "window.lock";
  /** The window. */
  window_id: WindowId;
  /** The holder of the lock. */
  holder: LockHolder;
} | {
  type: "window.unlock";
  /** The window. */
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
  /** The monitor. */
  monitor_id: MonitorId;
} | {
  type: "monitor.remove";
  /** The monitor. */
  monitor_id: MonitorId;
};

/**
 * Changes of a desktop, in order. If the event has a turn, its agent made them, otherwise the
 * user.
 */
export type Actions = {
  /** The monitor. Default: `main`. */
  monitor_id?: MonitorId | undefined;
  /** The changes. */
  actions: Action[];
  /** Idempotency key of the changes. */
  key?: string | null | undefined;
  /** The turn whose actions are replayed. */
  replay_of?: TurnId | null | undefined;
};

/** An entry to add. */
export type AddEntry = {
  /** The text, at most 256 KiB. */
  raw_entry: string;
  /** A short form of the text. Default: made from the text. */
  summary?: string | null | undefined;
  /** Role of the speaker. Default: `user`. */
  role?: string | null | undefined;
  /** The speaker's name. */
  speaker?: string | null | undefined;
  /** Labels, with any keys and values. */
  tags?: Record<string, string> | undefined;
  /** When it happened. Default: now. */
  conversation_time?: Timestamp | null | undefined;
  /** Time to live in seconds, after which the entry is deleted. Default: unlimited. */
  ttl_s?: number | null | undefined;
  /**
   * Whether the text is the owner's own, or vouched for by the owner. Text that is not `trusted`
   * is stored and found, but nothing in it becomes a fact. Default: `untrusted`.
   */
  origin?: Origin | null | undefined;
  /** Idempotency key. For 24 hours a repeated request with the same key returns the same entry. */
  idempotency_key?: string | null | undefined;
};

/** A folder to add to the library. */
export type AddFolder = {
  /** Absolute path on the server's machine. */
  path: string;
  /** Whether all owners can search the folder. Default: false. */
  shared?: boolean | undefined;
};

/**
 * Id of an agent, for example `main` or `window-settings@work`. 1 to 128 characters without
 * control characters.
 */
export type AgentId = string;

/** Kind of an agent. */
export type AgentKind = "main" | "ephemeral" | "background" | "window" | "parallel";

/** Limits of the server's agents. */
export type AgentLimits = {
  /** Maximum number of turns that run at the same time. Others wait. */
  running_turns?: number | undefined;
  /** Maximum number of turns of one owner that run at the same time. */
  running_turns_of_owner?: number | undefined;
  /** Maximum number of turns of one session that run at the same time. */
  running_turns_of_session?: number | undefined;
  /**
   * Maximum number of turns of one session that run at the same time on monitors that no client
   * shows.
   */
  background_turns?: number | undefined;
  /** Maximum number of desktop actions per minute on a monitor that no client shows. */
  background_actions_per_minute?: number | undefined;
  /** Maximum number of bytes of text per minute on a monitor that no client shows. */
  background_bytes_per_minute?: number | undefined;
  /** Maximum number of turns in the queue of an agent. */
  queued_turns?: number | undefined;
  /** Maximum number of ephemeral agents of a session. */
  ephemeral_agents?: number | undefined;
  /** Maximum number of actions in a session's windows that run beside the windows' own agents. */
  parallel_actions?: number | undefined;
  /** Maximum number of monitors of a session. */
  monitors?: number | undefined;
  /** Maximum number of windows of a session. */
  windows?: number | undefined;
  /** Maximum number of messages that can be added to a running turn. */
  steers?: number | undefined;
  /** Maximum number of attempts of a turn. After that a restart leaves the turn `interrupted`. */
  attempts?: number | undefined;
  /** Milliseconds until a request for approval expires. */
  approval_wait_ms?: number | undefined;
  /** Milliseconds that a turn waits for a client that runs a tool itself. */
  client_wait_ms?: number | undefined;
};

/** The tools of the memory agent. */
export type AgentTool = "get_context" | "list_entries" | "add_entry" | "await_consistency" | "put_context";

/** An agent of a session. */
export type AgentView = {
  /** Id of the agent. */
  agent_id: AgentId;
  /** Kind of the agent. */
  kind: AgentKind;
  /** The monitor of the agent. */
  monitor_id: MonitorId;
  /** The windows of the agent. */
  windows?: WindowId[] | undefined;
  /** The turn that the agent runs. */
  turn_id?: TurnId | null | undefined;
  /** The queued turns of the agent, in order. */
  queue?: TurnId[] | undefined;
};

/** Something that needs a person. */
export type Alert = {
  /** Its id. The receiver of a webhook can recognise a repetition by it. */
  alert_id: AlertId;
  /** The session that it comes from. */
  session_id: SessionId;
  /** When it was raised. */
  at: Timestamp;
  /** Why. */
  kind: AlertKind;
  /** A line that says what it is. */
  title: string;
  /** More; may be empty. */
  text?: string | undefined;
  /** The turn that it is about. */
  turn_id?: TurnId | null | undefined;
  /** The approval that it is about. */
  approval_id?: ApprovalId | null | undefined;
  /** The schedule that it is about. */
  schedule_id?: ScheduleId | null | undefined;
  /** The voice satellite that the order came from. */
  satellite?: string | null | undefined;
  /** The language of its session, in which it is spoken. */
  language?: string | null | undefined;
};

/** What happened to an alert. */
export type AlertEvent = {
  event: "raised";
  /** The alert. */
  alert: Alert;
} | {
  event: "sending";
  /** The alert. */
  alert_id: AlertId;
  /** The channel. */
  channel: string;
  /** The number of the attempt; the first is 1. */
  attempt: number;
} | {
  event: "delivered";
  /** The alert. */
  alert_id: AlertId;
  /** The channel. */
  channel: string;
} | {
  event: "failed";
  /** The alert. */
  alert_id: AlertId;
  /** The channel. */
  channel: string;
  /** Why. */
  message: string;
  /** When it is tried again; `None` if that is given up. */
  retry_at?: Timestamp | null | undefined;
} | {
  event: "delayed";
  /** The alert. */
  alert_id: AlertId;
  /** The channel. */
  channel: string;
  /** Until when. */
  until: Timestamp;
} | {
  event: "seen";
  /** The alert. */
  alert_id: AlertId;
} | {
  event: "closed";
  /** The alert. */
  alert_id: AlertId;
};

/** Id of an alert. A ULID. */
export type AlertId = string;

/** Why there is an alert. */
export type AlertKind = "reminder" | "timer" | "answer" | "turn_failed" | "turn_waiting" | "turn_ended" | "approval_waiting" | "schedule_waiting" | "schedule_fired" | "schedule_failed";

/** The owner's alerts, newest first. */
export type AlertPage = {
  /** The alerts. */
  data: AlertView[];
};

/** An alert with what became of it. */
export type AlertView = {
  /** Its id. The receiver of a webhook can recognise a repetition by it. */
  alert_id: AlertId;
  /** The session that it comes from. */
  session_id: SessionId;
  /** When it was raised. */
  at: Timestamp;
  /** Why. */
  kind: AlertKind;
  /** A line that says what it is. */
  title: string;
  /** More; may be empty. */
  text?: string | undefined;
  /** The turn that it is about. */
  turn_id?: TurnId | null | undefined;
  /** The approval that it is about. */
  approval_id?: ApprovalId | null | undefined;
  /** The schedule that it is about. */
  schedule_id?: ScheduleId | null | undefined;
  /** The voice satellite that the order came from. */
  satellite?: string | null | undefined;
  /** The language of its session, in which it is spoken. */
  language?: string | null | undefined;
  /** Whether a person has seen it. */
  seen: boolean;
  /** What each channel has done. */
  deliveries: Record<string, DeliveryView>;
};

/** The outcome of a request to an app. */
export type AppAnswered = {
  /** Id of the request. */
  request_id: AppRequestId;
  /** The app's window. */
  window_id: WindowId;
  /** The outcome. */
  outcome: AppOutcome;
};

/** A command with its arguments. */
export type AppCommand = {
  /** Name of the command. */
  name: string;
  /** Arguments of the command. */
  arguments?: unknown | undefined;
};

/** Capabilities that an app declared. */
export type AppManifest = {
  /** The app's window. */
  window_id: WindowId;
  /** Capabilities of the app. */
  manifest: Manifest;
};

/** Outcome of a request to an app. */
export type AppOutcome = {
  ok: unknown;
} | {
  error: string;
} | "timed_out" | "gone";

/** The app in a window. */
export type AppRegistered = {
  /** The token that the app's messages must carry. */
  token: string;
  /** Capabilities of the app, once it has declared them. */
  manifest?: Manifest | null | undefined;
  /** Commands that restore the app's state after it was loaded again. */
  restore?: AppCommand[] | undefined;
};

/** A request to an app. */
export type AppRequest = {
  type: "query";
  /** Name of the part. */
  key: string;
} | (AppCommand & {
  type: "command";
});

/** Id of a request to an app in a window. A ULID. */
export type AppRequestId = string;

/** A request to an app in a window. */
export type AppRequested = {
  /** Id of the request. The answer repeats it. */
  request_id: AppRequestId;
  /** The app's window. */
  window_id: WindowId;
  /** The request. */
  request: AppRequest;
  /** Deadline for the answer. */
  expires_at: Timestamp;
};

/** The answer to a request for approval. */
export type ApprovalDecision = "once" | "always" | "deny" | "never";

/** Id of a request for approval. A ULID. */
export type ApprovalId = string;

/** Open requests for approval, oldest first. */
export type ApprovalPage = {
  /** The requests. */
  data: ApprovalView[];
};

/**
 * A call that needs approval. The approval covers exactly this call: the digest is computed from
 * the tool and its arguments.
 */
export type ApprovalRequest = {
  /** Id of the approval. */
  approval_id: ApprovalId;
  /** The turn that requested the call. */
  turn_id: TurnId;
  /** Id of the call within the turn. */
  call_id: string;
  /** Name of the tool. */
  tool: string;
  /** The complete arguments of the call. */
  arguments: unknown;
  /** SHA-256 of tool and arguments in canonical form, in hexadecimal. */
  digest: string;
  /** What the call accesses or changes. */
  safety: Safety;
  /** What happens if the call runs more than once. */
  effect: Effect;
  /** Why the call needs approval. */
  reason: string;
  /**
   * The question in plain words, in the user's language, such as "Shall I unlock the front
   * door?". Absent if the tool has none for such arguments.
   */
  question?: string | null | undefined;
  /** When the request expires. A request without an answer is denied at this time. */
  expires_at: Timestamp;
};

/** A request for approval was settled. */
export type ApprovalResolved = {
  /** Id of the approval. */
  approval_id: ApprovalId;
  /** The decision. */
  decision: ApprovalDecision;
  /** How the request was settled. */
  by: SettledBy;
};

/** The accepted decision. */
export type ApprovalResult = {
  /** The approval. */
  approval_id: ApprovalId;
  /** The answer. */
  decision: ApprovalDecision;
};

/** An open request for approval. */
export type ApprovalView = {
  /** The session of the turn that requested the call. */
  session_id: SessionId;
  /** Id of the approval. */
  approval_id: ApprovalId;
  /** The turn that requested the call. */
  turn_id: TurnId;
  /** Id of the call within the turn. */
  call_id: string;
  /** Name of the tool. */
  tool: string;
  /** The complete arguments of the call. */
  arguments: unknown;
  /** SHA-256 of tool and arguments in canonical form, in hexadecimal. */
  digest: string;
  /** What the call accesses or changes. */
  safety: Safety;
  /** What happens if the call runs more than once. */
  effect: Effect;
  /** Why the call needs approval. */
  reason: string;
  /**
   * The question in plain words, in the user's language, such as "Shall I unlock the front
   * door?". Absent if the tool has none for such arguments.
   */
  question?: string | null | undefined;
  /** When the request expires. A request without an answer is denied at this time. */
  expires_at: Timestamp;
};

/** Counts and checksums of an archive. */
export type ArchiveManifest = {
  /**
   * Number of items of each kind. The keys are `vaults`, `memories`, `entries`, `contexts` and
   * `facts`.
   */
  counts: Record<string, number>;
  /**
   * The first eight hexadecimal digits of each item's SHA-256, concatenated. They identify the
   * damaged item.
   */
  marks: string;
  /** SHA-256 of all items. Each item is serialized without spaces and followed by a line feed. */
  digest: string;
  /**
   * Signature over owner and digest, made with a key of the server that wrote the archive. If it
   * is missing or from another server, the import treats all text of the archive as untrusted.
   */
  signature?: string | null | undefined;
};

/** An area of a home, for example a room. */
export type AreaView = {
  /** Id of the area in the home. */
  area_id: string;
  /** Name of the area. */
  name: string;
  /** Name of the floor. */
  floor?: string | null | undefined;
};

/** Id of an artifact: data that is too large for the conversation. A ULID. */
export type ArtifactId = string;

/** A page of artifacts, newest first. */
export type ArtifactPage = {
  /** The artifacts. */
  data: ArtifactView[];
  /** Cursor of the next page. Absent on the last page. */
  next_cursor?: string | null | undefined;
};

/** An artifact: data that is too large for the conversation. */
export type ArtifactView = {
  /** Id of the artifact. */
  artifact_id: ArtifactId;
  /** The session it belongs to. */
  session_id: SessionId;
  /** The turn that created it. */
  turn_id?: TurnId | null | undefined;
  /** Name of the artifact. */
  name: string;
  /** Media type, for example `text/plain`. */
  media_type: string;
  /** Size in bytes. */
  bytes: number;
  /** Whether the content is trusted. */
  origin: Origin;
  /** When the artifact was created. */
  created_at: Timestamp;
};

/** The result of an audit of memory. */
export type Audit = {
  /** Number of items by level. */
  counts?: Record<string, number> | undefined;
  /** Items with the same text as another. */
  duplicates?: Finding | undefined;
  /** Items with nearly the same text as another. */
  near_duplicates?: Finding | undefined;
  /** Facts that hold and contradict each other. */
  contradictions?: Finding | undefined;
  /** Facts that hold and whose confidence has become low. */
  stale?: Finding | undefined;
  /** Items that seem to contain a secret. */
  secrets?: Finding | undefined;
  /** Items that have no embedding yet. */
  unsearchable?: Finding | undefined;
};

/** Limits for one turn in the background, in place of those for a turn in the conversation. */
export type BackgroundBudgets = {
  /** Maximum number of rounds. */
  max_steps?: number | null | undefined;
  /** Maximum number of tool calls. */
  max_tool_calls?: number | null | undefined;
  /**
   * Maximum duration in milliseconds, without the time in which it is paused or waits for a
   * person. It starts again when the turn is resumed.
   */
  max_duration_ms?: number | null | undefined;
  /** Maximum number of input and output tokens together. */
  max_tokens?: number | null | undefined;
  /** Maximum cost in US dollars. Default: as for other turns. */
  max_cost?: number | null | undefined;
};

/** The turns in the background, newest first. */
export type BackgroundPage = {
  /** The turns. */
  data: BackgroundView[];
};

/** A turn in the background, in short. */
export type BackgroundView = {
  /** Id of the turn. */
  turn_id: TurnId;
  /** The session of the turn. */
  session_id: SessionId;
  /** Status of the turn. */
  status: TurnStatus;
  /** Reason of the status. */
  reason?: string | null | undefined;
  /** The beginning of its message. */
  message: string;
  /** The beginning of its answer, or the end of what it has written so far. */
  text: string;
  /** What it did last: a tool that it called. */
  tool?: string | null | undefined;
  /** Number of rounds so far. */
  rounds: number;
  /** Number of tool calls so far. */
  tool_calls: number;
  /** Tokens so far. */
  usage?: Usage | null | undefined;
  /** Number of attempts. */
  attempts: number;
  /** When it was accepted. */
  created_at: Timestamp;
  /** Time of its newest event. */
  updated_at: Timestamp;
  /** When it last showed that it is at work. Absent unless it is running. */
  heartbeat_at?: Timestamp | null | undefined;
};

/** Status of the scheduled backups. */
export type BackupStatus = {
  /** When the newest complete backup was made. Absent if there is none. */
  made_at?: Timestamp | null | undefined;
  /** Size of that backup in bytes. */
  bytes?: number | undefined;
  /** Number of scheduled backups that are kept. */
  kept?: number | undefined;
  /** When a backup last failed. Absent if one has succeeded since. The log has the reason. */
  failed_at?: Timestamp | null | undefined;
};

/** Position and size of a window, in units of a desktop that is 7680 wide and 4320 high. */
export type Bounds = {
  /** Distance from the left edge. */
  x: number;
  /** Distance from the top edge. */
  y: number;
  /** Width. */
  width: number;
  /** Height. */
  height: number;
};

/** Limits for one turn. */
export type Budgets = {
  /** Maximum number of rounds, each a model call with its tool calls. Default: 8. */
  max_steps?: number | undefined;
  /** Maximum number of tool calls. Default: 16. */
  max_tool_calls?: number | undefined;
  /** Maximum duration in milliseconds. Default: 120000. */
  max_duration_ms?: number | undefined;
  /** Maximum number of input and output tokens together. Default: 100000. */
  max_tokens?: number | undefined;
  /** Maximum size of the context in tokens. Default: depends on the model. */
  context_tokens?: number | null | undefined;
  /**
   * Maximum cost in US dollars. It applies only if the model's price is known. Default: no
   * limit.
   */
  max_cost?: number | null | undefined;
  /** Limits for one turn in the background. A limit that is absent is the server's. */
  background?: BackgroundBudgets | undefined;
};

/** Status of a tool call. */
export type CallStatus = "ok" | "error" | "denied" | "cancelled" | "assumed";

/** Outcome of `agent.cancel`. */
export type CancelOutcome = "cancelled" | "not_found" | "already_final";

/** The answer to `agent.cancel`. */
export type CancelResult = {
  /** The outcome. */
  status: CancelOutcome;
  /** The cancelled turns. */
  turn_ids: TurnId[];
};

/** What happens to runs that could not start at their time, because the server was down. */
export type CatchUp = {
  policy: "run_late";
  /** Milliseconds. */
  window_ms: number;
} | {
  policy: "skip";
} | {
  policy: "once";
};

/** Kind of a chart. */
export type ChartKind = "bar" | "line" | "area" | "pie" | "scatter";

/** `chat.send`, and the body of `POST /sessions/{id}/turns`: a message of the user. */
export type ChatSend = {
  /** The user's text, at most 256 KiB. It may be empty if there are `calls`. */
  message?: string | undefined;
  /** The model for this turn only. */
  model?: string | null | undefined;
  /**
   * Settings for calls of the model in this turn. A setting that is absent comes from the agent,
   * the session or the server.
   */
  model_settings?: ModelSettings | undefined;
  /** Whether the model may call tools. Default: true. */
  allow_tools?: boolean | undefined;
  /**
   * Maximum number of rounds, each a model call with its tool calls. It cannot exceed the
   * session's budget.
   */
  max_steps?: number | null | undefined;
  /** Maximum duration of the turn in milliseconds, 1 to 86400000. Default: the session's budget. */
  time_budget_ms?: number | null | undefined;
  /** Hints that steer how the turn is planned. */
  planner_hints?: PlannerHints | null | undefined;
  /**
   * Tools that the client runs itself, at most 128. The turn waits for their results, which the
   * client sends with `tool.answer`.
   */
  tools?: ClientTool[] | undefined;
  /** How the model uses the client's tools. */
  tool_choice?: ToolChoice | undefined;
  /** Whether one round may call several tools. Default: true. */
  parallel_tool_calls?: boolean | null | undefined;
  /**
   * JSON Schema of the answer. The answer is then a JSON text that matches it, or the turn fails
   * with `model_schema_unmet`. Default: plain text.
   */
  response_schema?: ResponseSchema | null | undefined;
  /** Images that belong to the message, at most 8. */
  images?: Image[] | undefined;
  /**
   * `true` starts the turn with web research, `false` forbids to search the web. Default: the
   * model decides.
   */
  use_web_search?: boolean | null | undefined;
  /** Maximum size of the context in tokens, within the session's limit. */
  context_window?: number | null | undefined;
  /**
   * Tags of the message and of the answer, at most 8. `important` messages leave the context
   * last, `ephemeral` ones first.
   */
  tags?: Tag[] | undefined;
  /** Only earlier messages with one of these tags are part of the context. Default: all. */
  context_tags?: Tag[] | undefined;
  /**
   * How long the answer to this command waits for the first text of the turn: 1 to 60000
   * milliseconds. After that time it is sent without text, and the text follows in events.
   * Default: no wait.
   */
  early_wait_ms?: number | null | undefined;
  /**
   * Idempotency key, 1 to 200 characters. For 24 hours a repeated message with the same key
   * returns the same turn.
   */
  idempotency_key?: string | null | undefined;
  /** What happens if another turn runs. Default: `queue`. */
  on_busy?: OnBusy | undefined;
  /**
   * Whether the turn runs in the background: at once, beside the conversation, for hours if need
   * be, with the budgets for background turns (`budgets.background`). It can be paused, and its
   * end raises an alert. `on_busy` does not apply. Default: false.
   */
  background?: boolean | undefined;
  /** The monitor that the message belongs to. Default: `main`. */
  monitor_id?: MonitorId | undefined;
  /**
   * Version of the session that the caller saw. The server refuses the message if the session
   * has another version. Default: not checked.
   */
  version?: number | null | undefined;
  /** Tool calls to run as they are, without a call of the model. At most 8. */
  calls?: DirectCall[] | undefined;
};

/** Status of a source. */
export type ChunkStatus = "found" | "read" | "failed";

/** A source that an answer cites. */
export type Citation = {
  /** Title of the source. */
  title: string;
  /** URL or name of the source. */
  source: string;
  /** The text in square brackets that cites the source, if it is not `source`. */
  mark?: string | null | undefined;
  /** The cited passage, which the turn has stored. */
  passage_id?: PassageId | null | undefined;
};

/** A question to the user about an ambiguous message. */
export type Clarification = {
  /** The question. */
  question: string;
  /** Confidence that the message was understood, 0 to 1. */
  confidence: number;
  /** The most probable intent of the message. */
  intent: string;
};

/** A client that has read untrusted text. */
export type ClientRead = {
  /** Name of the client, as given by the client itself. */
  client: string;
  /** Name of the tool or resource that it read. */
  what: string;
};

/** The result of a call that the client has run. */
export type ClientResult = {
  /** Id of the call within the turn. */
  call_id: string;
  /** The result as the model reads it. */
  content: string;
  /** Whether the call failed. Default: false. */
  is_error?: boolean | undefined;
};

/** A tool that the client runs itself. */
export type ClientTool = {
  /** Name of the tool: 1 to 64 letters, digits, `_` and `-`. */
  name: string;
  /** What the tool does and when to use it. The model reads this. */
  description?: string | undefined;
  /** JSON Schema of the arguments. Default: an object without properties. */
  input_schema?: unknown | undefined;
};

/** The tools that a client offers, how the model uses them, and the schema of the answer. */
export type ClientToolOffer = {
  /** The client's tools. */
  tools?: ClientTool[] | undefined;
  /** How the model uses the tools. */
  tool_choice?: ToolChoice | undefined;
  /** Whether one round may call several tools. Default: true. */
  parallel_tool_calls?: boolean | null | undefined;
  /** JSON Schema of the answer. Default: plain text. */
  response_schema?: ResponseSchema | null | undefined;
};

/** Why nothing is deleted by age at present: the wall clock differs from the expected time. */
export type ClockDoubt = {
  /** What is wrong, and what to do about it. */
  reason: string;
  /** The time by the wall clock. */
  wall: Timestamp;
  /**
   * The latest time that is not in doubt: the last trusted time plus the time that the server
   * has run since.
   */
  agreed: Timestamp;
  /** Seconds for which the clock still has to run steadily until the server trusts it. */
  settles_in_s: number;
};

/** Error code, the same in all APIs. */
export type Code = "invalid_request" | "unauthorized" | "forbidden" | "not_found" | "method_not_allowed" | "idempotency_conflict" | "version_conflict" | "name_conflict" | "session_ended" | "session_expired" | "busy" | "queue_full" | "already_final" | "turn_open" | "not_resumable" | "outcome_needed" | "approval_settled" | "locked" | "policy_denied" | "unknown_model" | "too_large" | "too_deep" | "request_timeout" | "rate_limited" | "too_many_connections" | "quota_exceeded" | "unavailable" | "damaged" | "internal";

/** A command that an app supports. */
export type CommandSpec = {
  /** Name of the command. */
  name: string;
  /** What the command does. */
  description?: string | undefined;
  /** JSON Schema of the arguments. */
  input?: unknown | undefined;
  /** How the command is recorded. Default: `nothing`. */
  keep?: ReplayMode | undefined;
  /** The argument that identifies the object of the command, for example the id of a note. */
  slot?: string | null | undefined;
};

/** A component of a layout. */
export type Component = {
  type: "text";
  /** The text. */
  text: string;
} | {
  type: "button";
  /** Label of the button. */
  label: string;
  /** Name of the action. */
  action: string;
  /**
   * Whether the action can run beside the running turn of the window's agent. Default:
   * false.
   */
  parallel?: boolean | undefined;
  /** Tone of the button. Default: `plain`. */
  tone?: Tone | undefined;
} | {
  type: "input";
  /** Name of the field. */
  name: string;
  /** Label of the field. */
  label?: string | undefined;
  /** Current value. */
  value?: string | undefined;
  /** Text that is shown while the field is empty. */
  placeholder?: string | undefined;
  /** Whether the field has several lines. Default: false. */
  multiline?: boolean | undefined;
} | {
  type: "select";
  /** Name of the field. */
  name: string;
  /** Label of the field. */
  label?: string | undefined;
  /** The options. */
  options: SelectOption[];
  /** Value of the selected option. */
  value?: string | null | undefined;
} | {
  type: "checkbox";
  /** Name of the field. */
  name: string;
  /** Label of the checkbox. */
  label: string;
  /** Whether it is checked. Default: false. */
  checked?: boolean | undefined;
} | {
  type: "badge";
  /** The text. */
  text: string;
  /** Tone of the badge. Default: `plain`. */
  tone?: Tone | undefined;
} | {
  type: "progress";
  /** Label of the bar. */
  label?: string | undefined;
  /** Progress in percent. */
  percent: number;
} | {
  type: "image";
  /** An artifact of the session as `artifact:ID`, or a `data:` URL. */
  source: string;
  /** Description of the image. */
  alt?: string | undefined;
} | {
  type: "form";
  /** Name of the form. */
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
  /** The settings, ordered by name. */
  data: SettingView[];
};

/** Limits of connections, streams and MCP sessions. */
export type ConnectionLimits = {
  /** Maximum number of TCP connections. */
  connections?: number | undefined;
  /** Maximum number of connections that have not presented a valid credential. */
  anonymous_connections?: number | undefined;
  /** Maximum number of connections from one peer address. */
  peer_connections?: number | undefined;
  /** Maximum number of connections of one owner. */
  owner_connections?: number | undefined;
  /** Maximum number of WebSockets and event streams. */
  streams?: number | undefined;
  /** Maximum number of WebSockets and event streams of one owner. */
  owner_streams?: number | undefined;
  /** Maximum number of MCP sessions. */
  mcp_sessions?: number | undefined;
  /** Maximum number of MCP sessions of one owner. */
  owner_mcp_sessions?: number | undefined;
};

/** Numbers of connections, streams and MCP sessions, and their limits. */
export type ConnectionStats = {
  /** Open TCP connections. */
  open?: number | undefined;
  /** Open TCP connections that have not presented a valid credential. */
  anonymous?: number | undefined;
  /** Connections refused since the start because a limit was reached. */
  refused?: number | undefined;
  /** Connections without a credential that were closed since the start in favour of newer ones. */
  displaced?: number | undefined;
  /** Connections closed since the start because no data arrived in time. */
  timed_out?: number | undefined;
  /** Open WebSockets and event streams. */
  streams?: number | undefined;
  /** Open MCP sessions. */
  mcp_sessions?: number | undefined;
  /** The limits. */
  limits?: ConnectionLimits | undefined;
  /** Numbers per owner. The operator sees all owners, every other owner sees only its own. */
  owners?: Record<string, OwnerConnections> | undefined;
};

/** Whether earlier writes are durable and searchable. */
export type Consistency = {
  /** Whether all earlier writes are durable and searchable. */
  consistent: boolean;
  /** Whether all earlier writes are on disk. */
  durable: boolean;
  /**
   * Whether all earlier writes can be found: by words and, if there is an embedding model, by
   * embeddings.
   */
  searchable: boolean;
  /** What cannot be found yet, with the reason. At most 20. */
  missing?: MissingItem[] | undefined;
  /** Notices for the caller, for example that there is no embedding model. */
  notices?: string[] | undefined;
};

/** One version of a memory's summary. Earlier versions stay readable. */
export type ContextDocument = {
  /** Id of this version. */
  context_id: ItemId;
  /** The memory that it summarizes. */
  memory_id: MemoryId;
  /** Version, from 1 without gaps. */
  version: number;
  /** The text. */
  content: string;
  /** When it was stored. */
  stored_at: Timestamp;
  /** Time of the latest event that it covers. */
  conversation_time: Timestamp;
  /** Author of the text: name of a model, `extract` or `client`. */
  written_by: string;
  /** Whether the text is trusted. */
  origin?: Origin | undefined;
};

/** The versions of a context document. */
export type ContextPage = {
  /** The versions, oldest first. */
  data: ContextDocument[];
};

/**
 * The context window of an agent: what its next prompt contains of the conversation, without what
 * memory adds.
 */
export type ContextWindowView = {
  /**
   * Number of messages: the instructions, the pins, the conversation, and each round of calls
   * with its results.
   */
  messages: number;
  /** Tokens of these messages and of the tools that the model sees. */
  tokens: number;
  /** Maximum number of tokens with the session's model. */
  tokens_max: number;
  /** Used share of `tokens_max` in percent. */
  utilisation: number;
  /** Number of messages by tag. */
  tags: Record<string, number>;
  /** Messages of recent turns that are no longer in the window. */
  evicted: number;
  /** Warnings about the window, as text. */
  health: string[];
};

/** Sources that contradict each other. */
export type Contradiction = {
  /** What they disagree about. */
  about: string;
  /** Marks of the passages. */
  marks: string[];
};

/** A message that the memory agent processes. */
export type ControlMessage = {
  /** Role of the speaker: `user`, `assistant`, or another role. */
  role: string;
  /** The text, at most 256 KiB. */
  content: string;
  /** The speaker's name. */
  speaker?: string | null | undefined;
  /** When it was said. Default: now. */
  at?: Timestamp | null | undefined;
  /** Whether the text is the owner's own. Default: `untrusted`. */
  origin?: Origin | null | undefined;
};

/** Runs the memory agent in a control state. */
export type ControlRequest = {
  /**
   * The control state. Default: the message is processed, and flushed where that is due (after
   * six messages or 4000 tokens).
   */
  control?: ControlState | null | undefined;
  /** The message to process. Only the two states that process one take it. */
  message?: ControlMessage | null | undefined;
  /** Idempotency key. For 24 hours a repeated request with the same key stores nothing again. */
  idempotency_key?: string | null | undefined;
};

/** What an invocation of the memory agent did. */
export type ControlResult = {
  /** The control state that was run. */
  control: ControlState;
  /** The tools that were called, in order. */
  tools: AgentTool[];
  /** The entry that was stored. */
  entry?: Entry | null | undefined;
  /** Facts that the entry added or ended. */
  facts?: Fact[] | undefined;
  /** The context document: the existing one at the start, the new one after a flush. */
  context?: ContextDocument | null | undefined;
  /** The newest entries, at the start. */
  recent?: Entry[] | undefined;
};

/** A control state: what one invocation of the memory agent does. */
export type ControlState = "start_session" | "process_message" | "process_message_and_flush" | "end_session";

/** Approximate cost of a call. */
export type Cost = "free" | "low" | "high";

/** The models that answer wherever none is named, and how they are called. */
export type DefaultModelPut = {
  /** The full name of the default model. */
  model: string;
  /** The models that are tried after it, in order. Without them they stay as they are. */
  fallbacks?: string[] | null | undefined;
  /**
   * The settings of model calls that apply unless a session, an agent or a turn sets others.
   * Without them they stay as they are.
   */
  settings?: ModelSettings | null | undefined;
  /**
   * Facts about the default model that replace those of its provider, as its context window; an
   * empty object removes them. Without them they stay as they are.
   */
  overrides?: ModelOverrides | null | undefined;
};

/** Result of `session.delete`: what was deleted, as counts without content. */
export type DeletedSession = {
  /** The deleted session. */
  session_id: SessionId;
  /** Deleted events. */
  events: number;
  /** Deleted artifacts. */
  artifacts: number;
  /** Deleted memory items. */
  memories: number;
  /** Other sessions in which text of the deleted memory items was redacted. */
  redacted_sessions: number;
};

/** What a channel has done with an alert. */
export type DeliveryView = {
  state: "sending";
} | {
  state: "delivered";
} | {
  state: "later";
  /** When. */
  at: Timestamp;
  /** Why it was not delivered before. */
  message?: string | null | undefined;
} | {
  state: "failed";
  /** Why. */
  message: string;
};

/** The desktop of a session. */
export type DesktopView = {
  /** The session. */
  session_id: SessionId;
  /** Sequence number of the newest event that is included. Later events apply on top. */
  as_of: number;
  /** The monitors. */
  monitors: MonitorView[];
  /** The windows, from the back to the front. */
  windows: Window[];
  /** The visible toasts. */
  toasts: Toast[];
  /** The notifications that are not dismissed. */
  notifications: Notification[];
  /** The open dialogs and prompts. */
  dialogs: Dialog[];
  /** The open requests for approval. */
  approvals: ApprovalRequest[];
  /** The open requests to apps. */
  app_requests: AppRequested[];
  /** The agents. */
  agents: AgentView[];
  /** Descriptions of changes that the main agents' prompts do not contain yet. */
  timeline: string[];
};

/** A question to the user. The turn waits for the answer. */
export type Dialog = {
  /** Id of the dialog. */
  dialog_id: DialogId;
  /** The turn that asks. */
  turn_id: TurnId;
  /** The monitor of the dialog. Default: `main`. */
  monitor_id?: MonitorId | undefined;
  /** The window that the dialog is about. */
  window_id?: WindowId | null | undefined;
  /** The title. */
  title: string;
  /** The question. */
  text?: string | undefined;
  /** How the dialog is answered. */
  form: DialogForm;
  /** When the dialog expires. Without an answer it is `unanswered` then. */
  expires_at: Timestamp;
};

/** The answer to a dialog. */
export type DialogAnswer = {
  chosen: string;
} | {
  filled: Record<string, string>;
} | "dismissed" | "unanswered";

/** An answered dialog. */
export type DialogAnswered = {
  /** Id of the dialog. */
  dialog_id: DialogId;
  /** The answer. */
  answer: DialogAnswer;
  /** How the dialog was settled. */
  by: SettledBy;
};

/** A choice of a dialog. */
export type DialogChoice = {
  /** Value of the choice in the answer. */
  value: string;
  /** Label of the choice. */
  label: string;
};

/** How a dialog is answered. */
export type DialogForm = {
  choices: DialogChoice[];
} | {
  fields: Component[];
};

/** Id of a dialog or a prompt on the desktop. A ULID. */
export type DialogId = string;

/** A tool call that a client makes itself. The same policy applies as to an agent's calls. */
export type DirectCall = {
  /** Name of the tool. */
  tool: string;
  /** Its arguments. */
  arguments?: Record<string, unknown> | undefined;
};

/** Something that was said later and may have ended a fact. */
export type Doubt = {
  /** What was said, word for word. */
  text: string;
  /** When it was said. */
  at: Timestamp;
  /** The entry in which it was said. */
  item_id?: ItemId | null | undefined;
};

/** A call whose outcome is unknown. */
export type DoubtfulCall = {
  /** Id of the call within the turn. */
  call_id: string;
  /** Name of the tool. */
  tool: string;
  /** The complete arguments of the call. */
  arguments: unknown;
};

/** State of a turn after `early_wait_ms`. */
export type EarlyAnswer = {
  /** Whether the first text did not arrive in time. Then the text follows in events. */
  late: boolean;
  /** Status of the turn. */
  status: TurnStatus;
  /** The text so far. */
  text: string;
};

/** The state of a fact at the time that is looked at. */
export type EdgeState = "holds" | "doubtful" | "ended" | "corrected";

/**
 * What happens if a call runs more than once. It decides what happens to a call that a crash
 * interrupted.
 */
export type Effect = "pure" | "idempotent" | "verifiable" | "at_most_once";

/** Why a schedule has ended by itself. */
export type EndReason = "done" | "runs_max";

/** The list of entities that every prompt contains. */
export type EntityBase = {
  /** The list as text. */
  text: string;
  /**
   * State of each entity that is listed individually, by entity id. Later turns report
   * differences from it.
   */
  states?: Record<string, string> | undefined;
};

/** An entity of a home. */
export type EntityView = {
  /** Id of the entity, for example `light.kitchen`. */
  entity_id: string;
  /** Name of the entity. */
  name: string;
  /** The area of the entity. */
  area_id?: string | null | undefined;
  /** Domain of the entity, for example `light`. */
  domain: string;
  /** Current state, for example `on` or `21.5`. */
  state: string;
  /** Unit of a numeric state, for example `°C`. */
  unit?: string | null | undefined;
  /** Device class within the domain, for example `battery` or `garage`. */
  device_class?: string | null | undefined;
  /** Further attributes of interest to people, for example `brightness` or `media_title`. */
  attributes?: Record<string, unknown> | undefined;
  /** When the state last changed. */
  changed_at: Timestamp;
  /** Whether the entity is available. */
  available: boolean;
  /**
   * Whether the entity is auxiliary: it describes a device rather than being its main function,
   * for example the charge of a battery.
   */
  auxiliary?: boolean | undefined;
};

/** A message or a note, verbatim. It never changes: a correction is a new entry. */
export type Entry = {
  /** Id of the entry. */
  entry_id: ItemId;
  /** The memory of the entry. */
  memory_id: MemoryId;
  /** The text. */
  raw_entry: string;
  /** A short form of the text. */
  summary: string;
  /** Role of the speaker: `user`, `assistant`, or another role. */
  role: string;
  /** The speaker's name. */
  speaker?: string | null | undefined;
  /** Labels, with any keys and values. */
  tags?: Record<string, string> | undefined;
  /** When it happened. */
  conversation_time: Timestamp;
  /** When it was stored. */
  stored_at: Timestamp;
  /** Source of the entry. */
  source?: ItemSource | undefined;
  /** Whether the text is trusted. */
  origin?: Origin | undefined;
  /** The entry that this one corrects. */
  corrects?: ItemId | null | undefined;
  /** The entry that corrects this one. */
  corrected_by?: ItemId | null | undefined;
  /** When the entry expires and is deleted. */
  expires_at?: Timestamp | null | undefined;
};

/** A page of entries. */
export type EntryPage = {
  /** The entries. Default order: newest first. */
  data: Entry[];
  /** Cursor of the next page. Absent on the last page. */
  next_cursor?: string | null | undefined;
};

/** The signed-in owner. */
export type EntryView = {
  /** The owner of the sessions and memories. */
  owner: OwnerId;
  /** What the token may do with which the owner has signed in. */
  scope: Scope;
  /** The program's version. */
  version: string;
  /** When the cookie expires, if the request has one. */
  expires_at?: Timestamp | null | undefined;
};

/** An event of a session. */
export type SessionEvent = ({
  /** Sequence number within the session. The first event has 1, and there are no gaps. */
  seq: number;
  /** The session. */
  session_id: SessionId;
  /** The turn that the event belongs to, if any. */
  turn_id?: TurnId | null | undefined;
  /** The agent that runs the turn. */
  agent_id?: AgentId | null | undefined;
  /** When the event was decided. */
  at: Timestamp;
}) & ({
  type: "session.started";
  data: SessionStarted;
} | {
  type: "session.updated";
  data: SettingsChanged;
} | {
  type: "session.reset";
  data: SessionReset;
} | {
  type: "session.ended";
  data: SessionEnded;
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
  data: RenderFailure;
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
  data: SessionRestored;
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
  data: TextDelta;
} | {
  type: "chat.token";
  data: TextDelta;
} | {
  type: "chat.final";
  data: Response;
} | {
  type: "turn.tools";
  data: ClientToolOffer;
} | {
  type: "turn.status";
  data: StatusChanged;
} | {
  type: "schedule";
  data: ScheduleEvent;
} | {
  type: "alert";
  data: AlertEvent;
});

/** A page of the events of a session or of a turn, in order. */
export type EventPage = {
  /** The events. */
  data: SessionEvent[];
  /** Sequence number of the newest event of the session or of the turn. */
  last_seq: number;
  /** Value of `after` for the next page. Absent on the last page. */
  next_cursor?: string | null | undefined;
};

/** An example of a finding. It does not repeat the text, which may be confidential. */
export type Example = {
  /** The items. */
  ids: ItemId[];
  /** Level of the items. */
  level: Level;
  /** Key of the items, if they have one. */
  key?: string | null | undefined;
};

/** Format of an exported session. */
export type ExportFormat = "ndjson" | "openai" | "langchain" | "langgraph";

/**
 * A statement with the time in which it holds. Every prompt contains the facts with level
 * `profile`.
 */
export type Fact = {
  /** Id of the fact. */
  fact_id: ItemId;
  /** `profile` or `fact`. */
  level: Level;
  /** Who or what it is about, if not the user, for example `sister` or `Mia`. */
  subject?: string | null | undefined;
  /** The vault that it belongs to. Absent if it was said in a conversation of the user's own. */
  vault_id?: VaultId | null | undefined;
  /**
   * What the fact is about, for example `diet` or `5k time`. A newer fact with the same key ends
   * the older one.
   */
  key: string;
  /** The stated value. */
  value: string;
  /** The statement as it was made. */
  text: string;
  /** Importance, 0 to 100. More important facts come first in the prompt. */
  priority: number;
  /** Confidence in the fact, 0 to 1. */
  confidence: number;
  /** Since when it holds. */
  valid_from: Timestamp;
  /** Until when it held. Absent if it still holds. */
  valid_until?: Timestamp | null | undefined;
  /** The fact that ended it. */
  superseded_by?: ItemId | null | undefined;
  /** When it was stored. */
  stored_at: Timestamp;
  /** Source of the fact. */
  source?: ItemSource | undefined;
  /** Whether the text is trusted. */
  origin?: Origin | undefined;
  /** When the fact expires and is deleted. */
  expires_at?: Timestamp | null | undefined;
  /** Why it may no longer hold. Absent if nothing speaks against it. */
  doubt?: Doubt | null | undefined;
};

/** Entries of the profile, or all values of one key. */
export type FactPage = {
  /** The facts. */
  data: Fact[];
};

/** Source of a fact about a model. If several sources have it, the first one in this order wins. */
export type FigureSource = "set" | "asked" | "table" | "assumed";

/** Value of a fact: tokens, US dollars per million tokens, or a capability. */
export type FigureValue = boolean | number;

/** One kind of finding of an audit. */
export type Finding = {
  /** Number of findings. */
  count?: number | undefined;
  /** Some examples, each with the items that belong together. */
  examples?: Example[] | undefined;
};

/** Id of a folder in the library. A ULID. */
export type FolderId = string;

/** A folder of the library. */
export type FolderView = {
  /** Id of the folder. */
  folder_id: FolderId;
  /** Path on the server's machine. */
  path: string;
  /** Whether all owners can search the folder. */
  shared?: boolean | undefined;
  /** When the folder was added. */
  added_at: Timestamp;
  /** Number of documents. */
  documents: number;
  /** Number of passages. */
  passages: number;
  /** Number of passages that have no embedding yet. They are found by words only. */
  waiting: number;
  /** When the folder was last scanned. */
  scanned_at?: Timestamp | null | undefined;
  /** The first documents that cannot be read, with the reason. */
  troubles?: UnreadableDocument[] | undefined;
  /** Number of documents that cannot be read. */
  troubled?: number | undefined;
};

/** The result of `memory.forget`. */
export type ForgetResult = {
  /** Deleted items. */
  items?: ItemId[] | undefined;
  /** Sessions in which text was redacted. */
  sessions?: SessionId[] | undefined;
  /** Number of redacted records. They keep their sequence numbers. */
  records?: number | undefined;
  /** Number of deleted artifacts. */
  artifacts?: number | undefined;
  /** Number of deleted values of programs. */
  values?: number | undefined;
};

/** The point at which a session was forked. */
export type ForkOrigin = {
  /** The original session. */
  session_id: SessionId;
  /** The last turn that was copied, by its id in the original session. */
  turn_id: TurnId;
};

/** A fact as an edge: from whom or what it is about to its value, with the two times of a fact. */
export type GraphEdge = {
  /** The fact. */
  fact_id: ItemId;
  /** Id of the node that it is about. */
  subject: string;
  /** The attribute, for example `lives in`. */
  relation: string;
  /** Id of the node that is its value, if the value is a person, a place or a thing. */
  object?: string | null | undefined;
  /** The stated value. */
  value: string;
  /** The statement as it was made. */
  text: string;
  /** Its state at the time that is looked at. */
  state: EdgeState;
  /** Since when it is true. */
  valid_from: Timestamp;
  /** Until when it was true, as far as was known. */
  valid_until?: Timestamp | null | undefined;
  /** When it was said. */
  said_at: Timestamp;
  /** Since when it is known. */
  known_from: Timestamp;
  /** When it became known that it is over or wrong. */
  known_until?: Timestamp | null | undefined;
  /** The fact that replaced it. */
  superseded_by?: ItemId | null | undefined;
  /** Why it may no longer hold. */
  doubt?: Doubt | null | undefined;
  /** `profile` or `fact`. */
  level: Level;
  /** Confidence in the fact, 0 to 1. */
  confidence: number;
  /** Where it was said. */
  source?: ItemSource | undefined;
  /** Whether the text is trusted. */
  origin?: Origin | undefined;
};

/** A person, a place or a thing. */
export type GraphNode = {
  /**
   * Id of the node, for example `person:maria`. It is made of the name, so it changes when a
   * name becomes known.
   */
  id: string;
  /** Kind of the node. */
  kind: NodeKind;
  /** The name to show. */
  label: string;
  /** Other names of the same: `sister` of Maria. */
  aliases?: string[] | undefined;
  /** What it is to the user, for example `sister` or `car`. */
  relation?: string | null | undefined;
  /** Number of facts about it in the whole graph. */
  facts: number;
};

/** What counts as one result. */
export type Grouping = "item" | "memory";

/** The state of the server. */
export type Health = {
  /** `ok`. */
  status: string;
  /** The program's version. */
  version: string;
  /** Sessions that were found damaged since the start; only in `/readyz`. */
  damaged_sessions?: number | null | undefined;
};

/** What changed in a home since the last message. */
export type HomeChanged = {
  /** Entities that changed or are new, with their current state. */
  entities: EntityView[];
  /** Ids of entities that no longer exist. */
  removed?: string[] | undefined;
  /** All areas, if one of them changed. */
  areas?: AreaView[] | null | undefined;
  /** State of the connection, if it changed. */
  connection?: HomeConnection | null | undefined;
  /** With `connection`: why the home is not connected. */
  why?: string | null | undefined;
};

/** State of the connection to a home. */
export type HomeConnection = "connected" | "connecting" | "reconnecting" | "refused";

/** Kind of home. */
export type HomeKind = "simulated" | "home_assistant";

/** A home, as far as agents may see it. */
export type HomeView = {
  /** Kind of home. */
  home: HomeKind;
  /** State of the connection. */
  connection: HomeConnection;
  /** Why the home is not connected, and what to do about it. */
  why?: string | null | undefined;
  /** What is wrong with the sentences that are understood without a model, with file and line. */
  notices?: string[] | undefined;
  /** Name of the home. */
  name?: string | null | undefined;
  /** The areas that have entities, ordered by floor and name. */
  areas: AreaView[];
  /** The entities, ordered by id. */
  entities: EntityView[];
};

/** An image: its bytes or its URL. */
export type Image = {
  /** Media type, for example `image/png`. */
  media_type: string;
  /** The bytes in base64. */
  data: string;
} | {
  /** URL of the image. */
  url: string;
};

/** Where a session was imported from. */
export type ImportOrigin = {
  /** Format of the file. */
  format: ExportFormat;
  /** Digest of the whole file. It prevents that the same file is imported twice. */
  digest: string;
  /** Original id of the session, if it was exported by Dwell. */
  session_id?: SessionId | null | undefined;
};

/** A conversation from another program. */
export type Ingest = {
  /** Title of the vault. It is created on first use. Default: `imported`. */
  vault?: string | null | undefined;
  /** Title of the memory. It is created on first use. */
  title: string;
  /** The messages, in order. Known messages are skipped. */
  messages: IngestMessage[];
  /**
   * Whether the text is the owner's own, or vouched for by the owner. Text that is not `trusted`
   * is stored and found, but nothing in it becomes a fact. Default: `untrusted`.
   */
  origin?: Origin | null | undefined;
  /** Whether the conversation has ended, so that all of it is summarized. Default: true. */
  end?: boolean | undefined;
};

/** A message of a conversation from another program. */
export type IngestMessage = {
  /** Role of the speaker: `user`, `assistant`, or another role. */
  role: string;
  /** The text. */
  content: string;
  /** The speaker's name. */
  speaker?: string | null | undefined;
  /** When it was said. Default: now. */
  at?: Timestamp | null | undefined;
};

/** The result of an ingested conversation. */
export type IngestResult = {
  /** The vault. */
  vault_id: VaultId;
  /** The memory. */
  memory_id: MemoryId;
  /** New entries. */
  entries: number;
  /** Messages that were known already. */
  known: number;
  /** New versions of the context document. */
  contexts: number;
  /** The context document as it was before, if there was one. */
  previous?: ContextDocument | null | undefined;
};

/** Something that the user did on a desktop. */
export type Interaction = {
  type: "window.close";
  /** The window. */
  window_id: WindowId;
} | {
  type: "window.focus";
  /** The window. */
  window_id: WindowId;
} | {
  type: "window.move";
  /** The window. */
  window_id: WindowId;
  /** Distance from the left edge, in desktop units. Clamped to the desktop. */
  x: number;
  /** Distance from the top edge, in desktop units. Clamped to the desktop. */
  y: number;
} | {
  type: "window.resize";
  /** The window. */
  window_id: WindowId;
  /** Width in desktop units. */
  width: number;
  /** Height in desktop units. */
  height: number;
} | {
  type: "window.minimize";
  /** The window. */
  window_id: WindowId;
} | {
  type: "window.maximize";
  /** The window. */
  window_id: WindowId;
} | {
  type: "window.restore";
  /** The window. */
  window_id: WindowId;
} | {
  type: "window.lock";
  /** The window. */
  window_id: WindowId;
} | {
  type: "window.unlock";
  /** The window. */
  window_id: WindowId;
} | {
  type: "window.draw";
  /** The window. */
  window_id: WindowId;
  /** Description of the drawing. */
  text: string;
} | {
  type: "app.interaction";
  /** The app's window. */
  window_id: WindowId;
  /** Token of the app. It is not stored. */
  token?: string | null | undefined;
  /** Description of what the user did. */
  text?: string | undefined;
  /** The command with the same effect. It is stored like a command of an agent. */
  did?: AppCommand | null | undefined;
};

/** What the user did, in order. */
export type Interactions = {
  /** The monitor. Default: `main`. */
  monitor_id?: MonitorId | undefined;
  /** The interactions. */
  interactions: Interaction[];
};

/**
 * An invitation for a browser: the page is opened with it in the URL's fragment, as
 * `#invitation=`.
 */
export type Invitation = {
  /** The invitation. */
  invitation: string;
  /** When it expires, if it is not used before. */
  expires_at: Timestamp;
};

/**
 * Id of a memory item that can be found, corrected and forgotten: a fact, an entry or a
 * context document. A ULID.
 */
export type ItemId = string;

/** Source of a memory item. */
export type ItemSource = {
  /** The session in which it was said. */
  session_id?: SessionId | null | undefined;
  /** The turn in which it was said. */
  turn_id?: TurnId | null | undefined;
  /** Sequence number of the event that contains the text. */
  seq?: number | null | undefined;
  /** The item that this one was extracted from. */
  item_id?: ItemId | null | undefined;
  /** Whether that session was deleted since. Then the text exists only here. */
  session_deleted?: boolean | undefined;
  /** The window in which it was said. */
  window_id?: WindowId | null | undefined;
  /** Whether that window was closed since. Then models are no longer given the text. */
  window_closed?: boolean | undefined;
  /** The file, program or client that it was imported from. */
  imported_from?: string | null | undefined;
  /** The model that extracted it from the text. Absent if rules did, or if it was set as it is. */
  extracted_by?: string | null | undefined;
};

/** Results of the journal's background check since the server started. */
export type JournalStats = {
  /** Sessions checked in the background. */
  verified_sessions?: number | undefined;
  /** Intact events of these sessions. */
  verified_events?: number | undefined;
  /** Complete passes over all sessions. */
  passes?: number | undefined;
  /** Sessions that were found damaged, by the background check or otherwise. */
  damaged_sessions?: number | undefined;
  /** Acknowledged writes that the database was found to have lost, for example in a failover. */
  lost_writes?: number | undefined;
};

/** A tool of an external server that is not in use. */
export type LeftOutTool = {
  /** Name of the tool on its server. */
  tool: string;
  /** Reason. */
  because: string;
};

/** Level of memory. */
export type Level = "pin" | "profile" | "fact" | "entry" | "context";

/** A passage of the library that matches a query. */
export type LibraryHit = {
  /** Title of the document. */
  title: string;
  /** `library:` and the path of the document. */
  source: string;
  /** Text of the passage. */
  text: string;
  /** How well the passage matches, 0 to 1. */
  score: number;
};

/** Passages of the library that match a query. */
export type LibraryHits = {
  /** The passages, best match first. */
  data: LibraryHit[];
};

/** Usage of the library. */
export type LibraryUsage = {
  /** Documents of all folders. */
  documents: QuotaUsage;
  /** Bytes of their files. */
  bytes: QuotaUsage;
};

/** The library. */
export type LibraryView = {
  /** The folders, oldest first. */
  folders: FolderView[];
  /** Why the library is searched by words only. Absent if embeddings are used. */
  without_meaning?: string | null | undefined;
};

/** A date and time on the clock of a place, without a time zone: `2026-11-18T07:00:00`. */
export type LocalTime = string;

/** Holder of a window's lock. While it is locked, no other agent can change the window. */
export type LockHolder = "user" | {
  agent: AgentId;
};

/** Capabilities of an app, as declared by the app. */
export type Manifest = {
  /** Name of the app. */
  name?: string | undefined;
  /** What the app is for. */
  description?: string | undefined;
  /** Parts of the state that can be queried. */
  state?: StateKey[] | undefined;
  /** The commands that the app supports. */
  commands?: CommandSpec[] | undefined;
};

/**
 * A memory: entries and context documents that belong together, for example those of one
 * conversation.
 */
export type Memory = {
  /** Id of the memory. */
  memory_id: MemoryId;
  /** The vault of the memory. */
  vault_id: VaultId;
  /** Title, unique in its vault. */
  title: string;
  /** What the memory is about. */
  description?: string | undefined;
  /** The session that the memory follows. */
  session_id?: SessionId | null | undefined;
  /** When the memory was created. */
  created_at: Timestamp;
  /** Whether title and description are trusted. */
  origin?: Origin | undefined;
};

/**
 * The whole memory of one owner. `memory.export` returns it and `memory.import` accepts it.
 * Forgotten items are not included.
 */
export type MemoryArchive = {
  /** Always `dwell.memory`. */
  format: string;
  /** Version of the archive format, currently 1. */
  version: number;
  /** When the archive was exported. */
  exported_at: Timestamp;
  /** Vaults, oldest first. */
  vaults?: Vault[] | undefined;
  /** Memories, oldest first. Each belongs to one of `vaults`. */
  memories?: Memory[] | undefined;
  /** Entries, ordered by the time they happened. Each belongs to one of `memories`. */
  entries?: Entry[] | undefined;
  /** All versions of all context documents. */
  contexts?: ContextDocument[] | undefined;
  /** Facts and profile lines, including those that no longer hold. */
  facts?: Fact[] | undefined;
  /** Counts and checksums, by which an import detects damage. */
  manifest?: ArchiveManifest | null | undefined;
};

/**
 * A condition on items of memory, as a tree: an object with one field. For example
 * `{"and": [{"level": "entry"}, {"not": {"role": "assistant"}}]}`.
 */
export type MemoryFilter = {
  and: MemoryFilter[];
} | {
  or: MemoryFilter[];
} | {
  not: MemoryFilter;
} | {
  level: Level;
} | {
  role: string;
} | {
  tag: TagCondition;
} | {
  vault_id: VaultId;
} | {
  memory_id: MemoryId;
} | {
  speaker: string;
} | {
  key: string;
} | {
  subject: string;
} | {
  after: Timestamp;
} | {
  before: Timestamp;
};

/**
 * `memory.forget`: deletes items and redacts their text everywhere. At least one field is
 * required.
 */
export type MemoryForget = {
  /** These items, and the text that they come from. */
  ids?: ItemId[] | undefined;
  /** All items with this key, including their history. */
  key?: string | null | undefined;
  /** This text, wherever it occurs. */
  text?: string | null | undefined;
  /** This memory with all its items. */
  memory_id?: MemoryId | null | undefined;
  /** This vault with all its memories and facts. */
  vault_id?: VaultId | null | undefined;
};

/** People, places and things, and the facts that join them. */
export type MemoryGraph = {
  /** The time at which the facts are true. */
  as_of: Timestamp;
  /** The time at which they are known. */
  known_at: Timestamp;
  /** The nodes of the edges on this page, the user first. */
  nodes: GraphNode[];
  /** The facts, those stored last first. */
  edges: GraphEdge[];
  /** Cursor of the next page. Absent on the last page. */
  next_cursor?: string | null | undefined;
};

/** A result of a search in memory. */
export type MemoryHit = {
  /** Id of the item. */
  id: ItemId;
  /** Level of the item. */
  level: Level;
  /** The text. */
  text: string;
  /** What the item is about, if it has a key. */
  key?: string | null | undefined;
  /** The stated value, if it has a key. */
  value?: string | null | undefined;
  /** Role of the speaker. */
  role?: string | null | undefined;
  /** The speaker's name. */
  speaker?: string | null | undefined;
  /** When it happened. */
  at: Timestamp;
  /** When it was stored. */
  stored_at: Timestamp;
  /** Since when it holds, where that is known. */
  valid_from?: Timestamp | null | undefined;
  /** Until when it held. Absent if it still holds. */
  valid_until?: Timestamp | null | undefined;
  /** The item that replaced this one: a newer fact, a correction or a newer version. */
  superseded_by?: ItemId | null | undefined;
  /** Why it may no longer hold. Absent if nothing speaks against it. */
  doubt?: Doubt | null | undefined;
  /** Who or what it is about, if not the user. */
  subject?: string | null | undefined;
  /** The memory of the item. */
  memory_id?: MemoryId | null | undefined;
  /** The vault of the item. */
  vault_id?: VaultId | null | undefined;
  /** Confidence in the item, 0 to 1. */
  confidence?: number | null | undefined;
  /** Importance, 0 to 100. */
  priority?: number | null | undefined;
  /** When the item expires and is deleted. */
  expires_at?: Timestamp | null | undefined;
  /** Source of the item. */
  source?: ItemSource | undefined;
  /** Whether the text is trusted. */
  origin?: Origin | undefined;
  /** Its score. */
  score: Score;
};

/** Id of a memory: entries and context documents that belong together. A ULID. */
export type MemoryId = string;

/** `memory.import`: an archive of Dwell, or a file of another program. */
export type MemoryImport = {
  /** An archive as `memory.export` returns it. Give either this or `text`. */
  archive?: MemoryArchive | null | undefined;
  /** The text of a file: an archive, or a file of another program. */
  text?: string | null | undefined;
  /**
   * Format of `text`: `dwell.memory`, `mem0`, `langchain`, `langgraph`, `openai` or `ingest`.
   * Default: detected from the text.
   */
  format?: string | null | undefined;
  /** The vault for conversations and notes of another program. Default: `imported`. */
  vault?: string | null | undefined;
  /**
   * The title of the new memory, if the file of another program holds one conversation. Default:
   * the title in the file.
   */
  title?: string | null | undefined;
  /** Where the items come from. Each new item records it. Default: the format. */
  imported_from?: string | null | undefined;
  /** Idempotency key. A repeated request with the same key changes nothing. */
  idempotency_key?: string | null | undefined;
  /**
   * `trusted` if the owner vouches for the file: then an archive keeps the origins in it, and a
   * file of another program is the owner's own words. Default: only an unchanged archive that
   * this server wrote for this owner keeps them.
   */
  origin?: Origin | null | undefined;
  /** Imports the intact part of a damaged archive. The answer lists the damage. Default: false. */
  accept_damage?: boolean | undefined;
};

/** Result of `memory.import`: how many items of each kind are new. */
export type MemoryImportResult = {
  /** New vaults. */
  vaults?: number | undefined;
  /** New memories. */
  memories?: number | undefined;
  /** New entries. */
  entries?: number | undefined;
  /** New versions of context documents. */
  contexts?: number | undefined;
  /** New facts. */
  facts?: number | undefined;
  /** Items that existed already. */
  known?: number | undefined;
  /** Notices for the caller, for example that a memory was given another title. */
  notices?: string[] | undefined;
  /** The damage that was found, if the archive was imported nevertheless. */
  damage?: string[] | undefined;
  /**
   * Whether the text keeps its level of trust. True if the archive is unchanged and this server
   * wrote it for this owner, or if the owner vouches for it.
   */
  origins_kept?: boolean | undefined;
};

/** An item of memory, of any level. */
export type MemoryItem = {
  /** Id of the item. */
  id: ItemId;
  /** Level of the item. */
  level: Level;
  /** The text. */
  text: string;
  /** What the item is about, if it has a key. */
  key?: string | null | undefined;
  /** The stated value, if it has a key. */
  value?: string | null | undefined;
  /** Role of the speaker. */
  role?: string | null | undefined;
  /** The speaker's name. */
  speaker?: string | null | undefined;
  /** When it happened. */
  at: Timestamp;
  /** When it was stored. */
  stored_at: Timestamp;
  /** Since when it holds, where that is known. */
  valid_from?: Timestamp | null | undefined;
  /** Until when it held. Absent if it still holds. */
  valid_until?: Timestamp | null | undefined;
  /** The item that replaced this one: a newer fact, a correction or a newer version. */
  superseded_by?: ItemId | null | undefined;
  /** Why it may no longer hold. Absent if nothing speaks against it. */
  doubt?: Doubt | null | undefined;
  /** Who or what it is about, if not the user. */
  subject?: string | null | undefined;
  /** The memory of the item. */
  memory_id?: MemoryId | null | undefined;
  /** The vault of the item. */
  vault_id?: VaultId | null | undefined;
  /** Confidence in the item, 0 to 1. */
  confidence?: number | null | undefined;
  /** Importance, 0 to 100. */
  priority?: number | null | undefined;
  /** When the item expires and is deleted. */
  expires_at?: Timestamp | null | undefined;
  /** Source of the item. */
  source?: ItemSource | undefined;
  /** Whether the text is trusted. */
  origin?: Origin | undefined;
};

/** Whether a model extracts facts at present. */
export type MemoryModelState = "off" | "ready" | "failing" | "out_of_budget";

/** The model that extracts facts from conversations, since the server started. */
export type MemoryModelStats = {
  /** Whether it works at present. */
  state?: MemoryModelState | undefined;
  /** The configured model. Absent if each session's own model is used. */
  model?: string | null | undefined;
  /** Calls of the model. One call reads all new messages of a session. */
  calls?: number | undefined;
  /** Messages that it has read. */
  messages?: number | undefined;
  /** Operations that were carried out, by kind: `add`, `change`, `end`, `contradict`. */
  applied?: Record<string, number> | undefined;
  /**
   * Operations that were refused, by reason, for example `no_quote`: its words are not in the
   * message.
   */
  refused?: Record<string, number> | undefined;
  /** Calls that failed, or whose answer did not match the schema. */
  failed?: number | undefined;
  /** Messages that were left to the rules because the model failed repeatedly. */
  given_up?: number | undefined;
  /** Sessions with messages that it has not read yet. */
  waiting?: number | undefined;
  /** Why the last call failed. Absent if one has succeeded since. */
  last_error?: string | null | undefined;
  /** When the last call failed. */
  failed_at?: Timestamp | null | undefined;
};

/** A page of memories. */
export type MemoryPage = {
  /** The memories, oldest first. */
  data: Memory[];
  /** Cursor of the next page. Absent on the last page. */
  next_cursor?: string | null | undefined;
};

/** `memory.search`: searches memory. */
export type MemorySearch = {
  /** The query, in natural language. */
  query: string;
  /** Id of the session, assigned by Dwell. */
  session_id?: SessionId | null | undefined;
  /**
   * The client's own name for the session, unique per owner. `chat.send` and `session.resume`
   * create the session on first use.
   */
  conversation_id?: SessionName | null | undefined;
  /** Where to search. Default: `both`. */
  scope?: SearchScope | undefined;
  /** Only items of this vault. */
  vault_id?: VaultId | null | undefined;
  /** Only items of this memory. */
  memory_id?: MemoryId | null | undefined;
  /** Only items of these levels. Default: all. */
  levels?: Level[] | undefined;
  /** Only items that have all of these tags. */
  tags?: Record<string, string> | undefined;
  /** Only items said in this role, for example `user` or `assistant`. */
  role?: string | null | undefined;
  /** Only items of this time or later. */
  after?: Timestamp | null | undefined;
  /** Only items before this time. */
  before?: Timestamp | null | undefined;
  /** Only items that fulfil this condition, beside those of the other fields. */
  filter?: MemoryFilter | null | undefined;
  /** How items are matched. Default: `hybrid`. */
  mode?: SearchMode | undefined;
  /** What counts as one result. Default: `item`. */
  group?: Grouping | undefined;
  /** Only results with at least this total score. Default: all. */
  min_score?: number | null | undefined;
  /** Maximum number of results: 1 to 100. Default: 8. */
  limit?: number | null | undefined;
  /** How many of the best results are left out: 0 to 900. Default: 0. */
  offset?: number | null | undefined;
  /** `next_cursor` of the previous page, instead of `offset`. */
  cursor?: string | null | undefined;
};

/** `memory.snapshot`: the answer to `memory.get` and `memory.search`. */
export type MemorySnapshot = {
  /** The results, best first. */
  items?: MemoryHit[] | undefined;
  /** How the items were matched. */
  mode?: SearchMode | undefined;
  /** Notices for the user, for example that there is no embedding model and how to install one. */
  notices?: string[] | undefined;
  /** Cursor of the next page. Absent on the last page. */
  next_cursor?: string | null | undefined;
};

/** What the prompt contains beside the message. */
export type MemoryUsed = {
  /** Items from memory. */
  items?: UsedItem[] | undefined;
  /** The parts of the prompt, in order. */
  sections?: Section[] | undefined;
  /** Tokens of all sections together. */
  tokens?: number | undefined;
  /** Maximum number of tokens of the context. */
  tokens_max?: number | undefined;
  /** Whether the prompt contains untrusted text. */
  tainted?: boolean | undefined;
  /**
   * Whether untrusted text is in this prompt only, beside what every prompt of the session
   * contains. Then the answer counts as untrusted too.
   */
  tainted_once?: boolean | undefined;
  /**
   * Digest of the lasting part of the prompt: model, pins, profile, facts and the client's
   * instructions. The same digest means the same knowledge.
   */
  digest?: string | null | undefined;
  /** Changes of entities since `entities.base`, as the prompt contains them. */
  entities?: string | undefined;
  /** Notices about the search in memory, for the user. */
  notices?: string[] | undefined;
};

/** Something stored for later turns, or removed. */
export type MemoryWritten = {
  /** Level of memory. A `pin` is text that every later prompt of the session contains. */
  level: Level;
  /** Key of the item. */
  key: string;
  /** The text. Absent if the item was removed. */
  value?: string | null | undefined;
  /** Whether the text is trusted. */
  origin?: Origin | undefined;
  /** Id of the item. */
  id?: ItemId | null | undefined;
  /** The turn in which it was said. */
  source?: TurnId | null | undefined;
};

/** A message that started a turn. */
export type MessageAccepted = {
  /** Id of the turn. */
  turn_id: TurnId;
  /** The agent that will run the turn. */
  agent_id: AgentId;
  /** The user's text. */
  message: string;
  /** The model for this turn only. */
  model?: string | null | undefined;
  /** Settings for calls of the model in this turn. */
  model_settings?: ModelSettings | undefined;
  /** Whether the model may call tools. Default: true. */
  allow_tools?: boolean | undefined;
  /** Maximum number of rounds, within the session's budget. */
  max_steps?: number | null | undefined;
  /** Maximum duration in milliseconds. Default: the session's budget. */
  time_budget_ms?: number | null | undefined;
  /** Hints that steer how the turn is planned. */
  planner_hints?: PlannerHints | null | undefined;
  /** The client's tools. */
  tools?: ClientTool[] | undefined;
  /** How the model uses the tools. */
  tool_choice?: ToolChoice | undefined;
  /** Whether one round may call several tools. Default: true. */
  parallel_tool_calls?: boolean | null | undefined;
  /** JSON Schema of the answer. Default: plain text. */
  response_schema?: ResponseSchema | null | undefined;
  /** The tools of the owner's tool workers when the message was accepted. */
  served?: ServedTool[] | undefined;
  /** Images that belong to the message. */
  images?: Image[] | undefined;
  /**
   * `true` starts the turn with web research, `false` forbids to search the web. Default: the
   * model decides.
   */
  use_web_search?: boolean | null | undefined;
  /** Maximum size of the context in tokens. Default: depends on the model. */
  context_window?: number | null | undefined;
  /**
   * Tags of the message and of the answer. `important` messages leave the context last,
   * `ephemeral` ones first.
   */
  tags?: Tag[] | undefined;
  /** Only earlier messages with one of these tags are part of the context. Default: all. */
  context_tags?: Tag[] | undefined;
  /** How long the client waits for the first text, in milliseconds. */
  early_wait_ms?: number | null | undefined;
  /** Whether it runs in the background: beside the conversation, with budgets of its own. */
  background?: boolean | undefined;
  /** The monitor that the message belongs to. Default: `main`. */
  monitor_id?: MonitorId | undefined;
  /** The window that the request is about, if a window's agent runs the turn. */
  window?: WindowRequest | null | undefined;
  /** Tool calls to run as they are, without a call of the model. */
  calls?: DirectCall[] | undefined;
  /**
   * Whether the request is trusted. It is untrusted if it was imported from a file, or if the
   * client that sent it had read untrusted text. The channel decides this, never the message.
   */
  origin?: Origin | undefined;
  /** The channel through which the message arrived. */
  via?: MessageChannel | undefined;
  /** Digests of calls that the owner approved when the schedule of this turn was made. */
  approved?: string[] | undefined;
  /**
   * Whether the turn may only use tools that read: its message was sent with a token of the
   * scope `talk`.
   */
  reads_only?: boolean | undefined;
  /** Idempotency key of the message. */
  idempotency_key?: string | null | undefined;
  /** The turn that this one retries. */
  retry_of?: TurnId | null | undefined;
  /** The turn whose clarifying question this message answers. */
  answers?: TurnId | null | undefined;
};

/** The channel through which a message arrived, as determined by the server. */
export type MessageChannel = "token" | "page" | {
  client: string;
} | {
  schedule: ScheduleId;
};

/** A turn that waits in the queue. */
export type MessageQueued = {
  /** Id of the turn. */
  turn_id: TurnId;
  /** Position in the queue. 1 is next. */
  position: number;
};

/** A message that was added to a running turn. */
export type MessageSteered = {
  /** The running turn. */
  turn_id: TurnId;
  /** The user's text. */
  message: string;
  /** The model for this turn only. */
  model?: string | null | undefined;
  /** Settings for calls of the model in this turn. */
  model_settings?: ModelSettings | undefined;
  /** Whether the model may call tools. Default: true. */
  allow_tools?: boolean | undefined;
  /** Maximum number of rounds, within the session's budget. */
  max_steps?: number | null | undefined;
  /** Maximum duration in milliseconds. Default: the session's budget. */
  time_budget_ms?: number | null | undefined;
  /** Hints that steer how the turn is planned. */
  planner_hints?: PlannerHints | null | undefined;
  /** The client's tools. */
  tools?: ClientTool[] | undefined;
  /** How the model uses the tools. */
  tool_choice?: ToolChoice | undefined;
  /** Whether one round may call several tools. Default: true. */
  parallel_tool_calls?: boolean | null | undefined;
  /** JSON Schema of the answer. Default: plain text. */
  response_schema?: ResponseSchema | null | undefined;
  /** The tools of the owner's tool workers when the message was accepted. */
  served?: ServedTool[] | undefined;
  /** Images that belong to the message. */
  images?: Image[] | undefined;
  /**
   * `true` starts the turn with web research, `false` forbids to search the web. Default: the
   * model decides.
   */
  use_web_search?: boolean | null | undefined;
  /** Maximum size of the context in tokens. Default: depends on the model. */
  context_window?: number | null | undefined;
  /**
   * Tags of the message and of the answer. `important` messages leave the context last,
   * `ephemeral` ones first.
   */
  tags?: Tag[] | undefined;
  /** Only earlier messages with one of these tags are part of the context. Default: all. */
  context_tags?: Tag[] | undefined;
  /** How long the client waits for the first text, in milliseconds. */
  early_wait_ms?: number | null | undefined;
  /** Whether it runs in the background: beside the conversation, with budgets of its own. */
  background?: boolean | undefined;
  /** The monitor that the message belongs to. Default: `main`. */
  monitor_id?: MonitorId | undefined;
  /** The window that the request is about, if a window's agent runs the turn. */
  window?: WindowRequest | null | undefined;
  /** Tool calls to run as they are, without a call of the model. */
  calls?: DirectCall[] | undefined;
  /**
   * Whether the request is trusted. It is untrusted if it was imported from a file, or if the
   * client that sent it had read untrusted text. The channel decides this, never the message.
   */
  origin?: Origin | undefined;
  /** The channel through which the message arrived. */
  via?: MessageChannel | undefined;
  /** Digests of calls that the owner approved when the schedule of this turn was made. */
  approved?: string[] | undefined;
  /**
   * Whether the turn may only use tools that read: its message was sent with a token of the
   * scope `talk`.
   */
  reads_only?: boolean | undefined;
  /** Idempotency key of the message. */
  idempotency_key?: string | null | undefined;
};

/** Why runs were missed. */
export type MissReason = "late" | "not_approved";

/** An item that cannot be found yet. */
export type MissingItem = {
  /** Id of the item, or of the session whose messages have not all been processed. */
  id: string;
  /** Reason. */
  why: string;
};

/** A fact about a model and its source. */
export type ModelFigure = {
  /** The value. */
  value: FigureValue;
  /** The source of the value. */
  source: FigureSource;
};

/**
 * Facts about a model from the configuration or the session. They replace those of the provider
 * and of Dwell's table.
 */
export type ModelOverrides = {
  /** Context window of the model in tokens, at least 512. */
  context_tokens?: number | null | undefined;
  /** Maximum length of an answer in tokens, at least 1. */
  output_tokens?: number | null | undefined;
  /** Whether the model can call tools. */
  tools?: boolean | null | undefined;
  /** Whether the model accepts images. */
  images?: boolean | null | undefined;
  /** Whether the model reasons before it answers. */
  thinking?: boolean | null | undefined;
  /** Price of a million input tokens in US dollars. */
  price_in?: number | null | undefined;
  /** Price of a million output tokens in US dollars. */
  price_out?: number | null | undefined;
  /** Price of a million input tokens from the provider's cache in US dollars. */
  price_cached?: number | null | undefined;
};

/** The available models. */
export type ModelPage = {
  /** Names of the available models. */
  data: string[];
  /** The server's default model. */
  default: string;
  /** The models that are tried after the default one, in order. */
  fallbacks?: string[] | undefined;
  /** The settings of model calls that apply unless a session, an agent or a turn sets others. */
  settings?: ModelSettings | undefined;
  /** Facts about each model. */
  models?: ModelView[] | undefined;
  /** The configured providers. */
  providers?: ProviderView[] | undefined;
};

/** The software or service that serves models, recognised by its responses. */
export type ModelServerKind = "openai" | "anthropic" | "gemini" | "azure" | "openrouter" | "ollama" | "llama_cpp" | "vllm" | "lm_studio" | "other";

/**
 * Settings for calls of a model. A setting that is absent comes from the next wider level (turn,
 * agent, session, server). A setting that no level has is left to the provider.
 */
export type ModelSettings = {
  /** Sampling temperature, 0 to 2. A higher value gives more varied answers. */
  temperature?: number | null | undefined;
  /**
   * Nucleus sampling: only the most probable tokens with this total probability are considered.
   * Above 0, at most 1.
   */
  top_p?: number | null | undefined;
  /** Maximum length of an answer in tokens, at least 1. */
  max_output_tokens?: number | null | undefined;
  /**
   * Stop sequences. The answer ends before the first of them. At most 16, each of 1 to 256
   * bytes.
   */
  stop?: string[] | null | undefined;
  /**
   * Seed for sampling. The same seed and request give the same answer, if the provider supports
   * it.
   */
  seed?: number | null | undefined;
  /** How much the model reasons before it answers. */
  reasoning_effort?: ReasoningEffort | null | undefined;
  /** Whether the model may call several tools in one round. */
  parallel_tool_calls?: boolean | null | undefined;
};

/** Statistics of a model since the server started. */
export type ModelStats = {
  /** Calls. */
  calls?: number | undefined;
  /** Failed calls. */
  errors?: number | undefined;
  /** Tokens and cost. */
  usage?: Usage | undefined;
};

/** A model and the known facts about it. */
export type ModelView = {
  /** Full name, `provider/model`. */
  name: string;
  /** Name of the provider. */
  provider: string;
  /** Whether this is the server's default model. */
  is_default?: boolean | undefined;
  /** Context window in tokens. */
  context_tokens: ModelFigure;
  /**
   * The largest context window that the model supports, if it is known and larger than
   * `context_tokens`.
   */
  context_tokens_max?: number | null | undefined;
  /** Maximum length of an answer in tokens, if known. */
  output_tokens?: ModelFigure | null | undefined;
  /** Whether the model can call tools. If not, Dwell describes the tools in the prompt. */
  tools: ModelFigure;
  /** Whether the model accepts images. */
  images: ModelFigure;
  /** Whether the model reasons before it answers. */
  thinking: ModelFigure;
  /** Price of a million input tokens in US dollars, if known. */
  price_in?: ModelFigure | null | undefined;
  /** Price of a million output tokens in US dollars, if known. */
  price_out?: ModelFigure | null | undefined;
  /** Price of a million input tokens from the provider's cache in US dollars, if known. */
  price_cached?: ModelFigure | null | undefined;
  /** Notices about these facts. */
  notices?: string[] | undefined;
};

/** The models after a change. */
export type ModelsChanged = {
  /** The models. */
  page: ModelPage;
  /**
   * The settings that the configuration, the environment or the command line sets, so that the
   * change has no effect on them.
   */
  overridden: OverriddenSetting[];
};

/**
 * Name of a monitor: a desktop within a session that has its own main agent. 1 to 32 lowercase
 * letters, digits, `-` and `_`; the first is a letter or a digit.
 */
export type MonitorId = string;

/** A monitor. */
export type MonitorView = {
  /** Name of the monitor. */
  monitor_id: MonitorId;
  /** Its main agent. */
  agent_id: AgentId;
  /** The window in front. */
  focused?: WindowId | null | undefined;
};

/** A memory to create. */
export type NewMemory = {
  /** Title, unique in its vault. */
  title: string;
  /** What the memory is about. */
  description?: string | undefined;
};

/** A vault to create. */
export type NewVault = {
  /** Title, unique per owner. */
  title: string;
  /** Purpose of the vault. */
  description?: string | undefined;
};

/** The kind of a node. */
export type NodeKind = "user" | "person" | "animal" | "place" | "thing";

/** The nodes that use the same database; none if the journal is in a data folder. */
export type NodePage = {
  /** The nodes, by id. */
  data: NodeView[];
};

/** What a node does. */
export type NodeStatus = "serving" | "leaving" | "gone";

/** A node that uses the same database. */
export type NodeView = {
  /** Its id. */
  node_id: string;
  /** The version of its program. */
  version: string;
  /** Whether it answers this request. */
  is_this: boolean;
  /** Whether it serves owners, hands them over before it ends, or is gone. */
  status: NodeStatus;
  /** Where it takes requests of other nodes. */
  address?: string | null | undefined;
  /** When it was started. */
  started_at: Timestamp;
  /** Milliseconds until its lease ends unless it is renewed; 0 if it has ended. */
  lease_left_ms: number;
  /** The owners that it serves. */
  owners: number;
  /** The sessions that it has loaded. */
  sessions: number;
};

/** A notification: a message that stays until the user dismisses it. */
export type Notification = {
  /** Id of the notification. */
  toast_id: ToastId;
  /** The title. */
  title: string;
  /** The text. */
  text?: string | undefined;
  /** Tone of the message. Default: `plain`. */
  level?: Tone | undefined;
};

/** An observation of the agent. */
export type Observation = {
  /** Kind of the observation. */
  kind: ObservationKind;
  /** The call that it is about. */
  call_id?: string | null | undefined;
  /** Description. */
  message?: string | undefined;
  /** Name of the tool worker that it is about. Absent for a worker without a name of its own. */
  worker?: string | null | undefined;
};

/** Kind of an observation. */
export type ObservationKind = "call_did_not_happen" | "budget_spent" | "call_delivered";

/** What happens to a message that arrives while the agent is busy. */
export type OnBusy = "queue" | "reject" | "steer" | "fork" | "interrupt";

/** What happens to a turn that a restart interrupted. */
export type OnRestart = "resume" | "wait";

/** Whether a text is trusted, by its origin. */
export type Origin = "trusted" | "untrusted";

/** A question that only a person can answer: did these calls take effect? */
export type OutcomeQuestion = {
  /** The question as text. */
  text: string;
  /** The calls it is about. */
  calls: DoubtfulCall[];
};

/** A setting that takes precedence over a choice. */
export type OverriddenSetting = {
  /** Its key. */
  key: string;
  /** Where it is set. */
  from: string;
};

/** Open connections of one owner. */
export type OwnerConnections = {
  /** TCP connections, without those through a trusted proxy. */
  connections?: number | undefined;
  /** WebSockets and event streams. */
  streams?: number | undefined;
  /** MCP sessions. */
  mcp_sessions?: number | undefined;
};

/**
 * Owner of sessions and memory. It comes from the credential, never from a payload. 1 to 64
 * characters without control characters.
 */
export type OwnerId = string;

/** Usage and quotas of an owner. */
export type OwnerUsage = {
  /** The owner. */
  owner: OwnerId;
  /** Running turns. */
  running_turns: QuotaUsage;
  /**
   * Turns that have not ended: running, queued, or waiting for a person. Only loaded sessions
   * count.
   */
  open_turns: QuotaUsage;
  /** Sessions, including those that have ended. */
  sessions: QuotaUsage;
  /** Bytes of the events of all sessions. */
  journal_bytes: QuotaUsage;
  /** Vaults, memories, entries, facts and context documents. */
  memory_records: QuotaUsage;
  /** Bytes of these records. */
  memory_bytes: QuotaUsage;
  /** Bytes of all artifacts. */
  artifact_bytes: QuotaUsage;
  /** Bytes of the values of programs. */
  value_bytes: QuotaUsage;
};

/** A passage of a source, as it was read. An answer can cite it. */
export type Passage = {
  /** Id of the passage. The same text in the same source has the same id. */
  passage_id: PassageId;
  /** The text in square brackets that cites the passage. */
  mark: string;
  /** Title of the source. */
  title: string;
  /** URL of the source, or `library:` and a path. */
  source: string;
  /** Kind of the source. */
  kind: SourceKind;
  /** Text of the passage. */
  text: string;
  /** Date of publication, as stated by the source. */
  published?: string | null | undefined;
  /** When the source was read. */
  read_at: Timestamp;
};

/** Id of a passage of a source. The same text in the same source has the same id. A ULID. */
export type PassageId = string;

/** Passages that a turn can cite. */
export type PassagePage = {
  /** The passages, in the order in which they were found. */
  data: Passage[];
};

/** The answer to `turn.pause`. */
export type PauseResult = {
  /** The turn. */
  turn_id: TurnId;
  /** `paused`, or `running` until its running calls have their results. */
  status: TurnStatus;
};

/** Distribution of measured durations in milliseconds. */
export type Percentiles = {
  /** Number of measurements. */
  count?: number | undefined;
  /** Median. */
  p50_ms?: number | undefined;
  /** 95th percentile. */
  p95_ms?: number | undefined;
  /** Maximum. */
  max_ms?: number | undefined;
};

/** A round of the model: the calls that it requests after its text so far. */
export type Plan = {
  /** Number of the round, from 1. */
  round?: number | undefined;
  /**
   * The requested calls. Empty if the model continues after a message that was added to the
   * turn.
   */
  calls?: PlannedCall[] | undefined;
  /** How many messages added to the turn the model had seen. */
  steers?: number | undefined;
  /** The model that answered. */
  model?: string | null | undefined;
  /** Usage of the round. */
  usage?: Usage | null | undefined;
  /** Why the round's text ended. After `length` the model is asked to continue. */
  stop_reason?: StopReason | undefined;
};

/** A call that the model requests. */
export type PlannedCall = {
  /** Id of the call within the turn. */
  call_id: string;
  /** Name of the tool as the model wrote it. */
  tool: string;
  /** The arguments as the model wrote them. */
  arguments: unknown;
  /** Opaque data that the provider expects back with the call. */
  signatures?: string[] | undefined;
  /** Whether the model had looked up the tool and called it through `use_tool`. */
  looked_up?: boolean | undefined;
};

/** Hints that steer how a turn is planned. */
export type PlannerHints = {
  /** What the model should consider first. */
  focus_areas?: string[] | undefined;
  /** Names of tools to prefer. */
  prefer_tools?: string[] | undefined;
  /** Names of tools that the model does not see. */
  avoid_tools?: string[] | undefined;
  /** Maximum number of rounds, a further limit beside `max_steps`. */
  max_depth?: number | null | undefined;
};

/**
 * What a session's turns may do without approval. A session's policy can only be stricter than the
 * server's: it cannot permit what the server forbids.
 */
export type Policy = {
  /** What happens to a turn that a restart interrupted. Default: `resume`. */
  on_restart?: OnRestart | undefined;
  /** Whether tools may change the outside world. Default: as the server permits. */
  actuation?: boolean | null | undefined;
  /** The only tools that may be called, as `tool` or `tool:service` with `*`. Default: all. */
  allow?: string[] | null | undefined;
  /** Tools that may not be called, as `tool` or `tool:service` with `*`. */
  deny?: string[] | undefined;
  /** Tools that need an approval for each call, as `tool` or `tool:service` with `*`. */
  confirm?: string[] | undefined;
  /** Whether the session's model cannot be changed. Default: false. */
  fixed_model?: boolean | undefined;
};

/** An error. */
export type Problem = {
  /** Error code. */
  code: Code;
  /** Error message. */
  message: string;
  /** What to do about it. */
  hint: string;
  /** The turn that the error is about. */
  turn_id?: TurnId | null | undefined;
  /** Milliseconds to wait before a retry. */
  retry_after_ms?: number | null | undefined;
};

/** A provider's key. It is never shown. */
export type ProviderKey = string;

/** A provider that can be set up. */
export type ProviderName = "openai" | "anthropic" | "gemini" | "openrouter" | "ollama";

/** A provider as it is set up. */
export type ProviderPut = {
  /** The key. Without it a key that is stored stays, unless the address changes. */
  api_key?: ProviderKey | null | undefined;
  /** The address, where it is not the provider's usual one. */
  address?: string | null | undefined;
  /** The model that answers where only the provider is named. */
  model?: string | null | undefined;
  /** Whether it answers wherever no model is named. */
  is_default?: boolean | undefined;
};

/** A provider that answered. */
export type ProviderTried = {
  /** The provider's own names of its models, its default first. Empty if it lists none. */
  models: string[];
  /** The full name of the model that answered. */
  model: string;
  /** Milliseconds until it had answered. */
  answered_ms: number;
};

/** A provider that is tried out with a real request. Nothing is stored. */
export type ProviderTry = {
  /** The provider. */
  provider: ProviderName;
  /** The key. Without key and address the configured ones are tried. */
  api_key?: ProviderKey | null | undefined;
  /** The address, where it is not the provider's usual one. */
  address?: string | null | undefined;
  /** The model that has to answer; without it the provider's own default. */
  model?: string | null | undefined;
};

/** A configured provider of models and the result of the last request to it. */
export type ProviderView = {
  /** Name of the provider, the first part of its models' names. */
  name: string;
  /** The software or service behind the address. */
  server: ModelServerKind;
  /** URL of the provider's API. */
  address: string;
  /** The model that is used if only the provider is named. */
  default_model: string;
  /** Source of `default_model`: `set`, `asked` or `table`. */
  default_source: FigureSource;
  /**
   * Number of models that the provider lists. Absent if the list is unknown; then any model name
   * is accepted.
   */
  models?: number | null | undefined;
  /** When the provider last answered with its models. */
  asked_at?: Timestamp | null | undefined;
  /** Why the last request failed, and what to do about it. */
  error?: string | null | undefined;
};

/** A new version of a context document. */
export type PutContext = {
  /** The text, at most 64 KiB. */
  content: string;
  /**
   * Whether the text is the owner's own, or vouched for by the owner. Text that is not `trusted`
   * is stored and found, but nothing in it becomes a fact. Default: `untrusted`.
   */
  origin?: Origin | null | undefined;
};

/** A value to store. */
export type PutValue = {
  /** The key; an earlier value under it is replaced. */
  key: ValueKey;
  /** The bytes as Base64, at most 32 MiB of them. */
  value: string;
  /** Time to live in seconds, after which the value is deleted. Default: unlimited. */
  ttl_s?: number | null | undefined;
  /** Embeddings by which `near` finds it, all of the same length. */
  vectors?: number[][] | undefined;
  /** Leave a value that is there already as it is. */
  keep?: boolean | undefined;
};

/** Usage and its limit. */
export type QuotaUsage = {
  /** Current usage. */
  used: number;
  /** The limit. Absent if there is none. */
  max?: number | null | undefined;
};

/** How much a model reasons before it answers. */
export type ReasoningEffort = "none" | "minimal" | "low" | "medium" | "high";

/** A window that a client could not render. */
export type RenderFailure = {
  /** The window. */
  window_id: WindowId;
  /** The monitor of the window. Default: `main`. */
  monitor_id?: MonitorId | undefined;
  /** The client's error message. */
  error: string;
};

/** How a command is recorded. The recorded commands are replayed when the app is loaded again. */
export type ReplayMode = "nothing" | "last" | "all" | "clear" | "clear_slot";

/** The request of a turn. It is stored with the turn, so that the turn can be resumed and retried. */
export type Request = {
  /** The user's text. */
  message: string;
  /** The model for this turn only. */
  model?: string | null | undefined;
  /** Settings for calls of the model in this turn. */
  model_settings?: ModelSettings | undefined;
  /** Whether the model may call tools. Default: true. */
  allow_tools?: boolean | undefined;
  /** Maximum number of rounds, within the session's budget. */
  max_steps?: number | null | undefined;
  /** Maximum duration in milliseconds. Default: the session's budget. */
  time_budget_ms?: number | null | undefined;
  /** Hints that steer how the turn is planned. */
  planner_hints?: PlannerHints | null | undefined;
  /** The client's tools. */
  tools?: ClientTool[] | undefined;
  /** How the model uses the tools. */
  tool_choice?: ToolChoice | undefined;
  /** Whether one round may call several tools. Default: true. */
  parallel_tool_calls?: boolean | null | undefined;
  /** JSON Schema of the answer. Default: plain text. */
  response_schema?: ResponseSchema | null | undefined;
  /** The tools of the owner's tool workers when the message was accepted. */
  served?: ServedTool[] | undefined;
  /** Images that belong to the message. */
  images?: Image[] | undefined;
  /**
   * `true` starts the turn with web research, `false` forbids to search the web. Default: the
   * model decides.
   */
  use_web_search?: boolean | null | undefined;
  /** Maximum size of the context in tokens. Default: depends on the model. */
  context_window?: number | null | undefined;
  /**
   * Tags of the message and of the answer. `important` messages leave the context last,
   * `ephemeral` ones first.
   */
  tags?: Tag[] | undefined;
  /** Only earlier messages with one of these tags are part of the context. Default: all. */
  context_tags?: Tag[] | undefined;
  /** How long the client waits for the first text, in milliseconds. */
  early_wait_ms?: number | null | undefined;
  /** Whether it runs in the background: beside the conversation, with budgets of its own. */
  background?: boolean | undefined;
  /** The monitor that the message belongs to. Default: `main`. */
  monitor_id?: MonitorId | undefined;
  /** The window that the request is about, if a window's agent runs the turn. */
  window?: WindowRequest | null | undefined;
  /** Tool calls to run as they are, without a call of the model. */
  calls?: DirectCall[] | undefined;
  /**
   * Whether the request is trusted. It is untrusted if it was imported from a file, or if the
   * client that sent it had read untrusted text. The channel decides this, never the message.
   */
  origin?: Origin | undefined;
  /** The channel through which the message arrived. */
  via?: MessageChannel | undefined;
  /** Digests of calls that the owner approved when the schedule of this turn was made. */
  approved?: string[] | undefined;
  /**
   * Whether the turn may only use tools that read: its message was sent with a token of the
   * scope `talk`.
   */
  reads_only?: boolean | undefined;
};

/** A source and its status. */
export type ResearchChunk = {
  /** The call that runs the research. */
  call_id: string;
  /** Status of the source. */
  status: ChunkStatus;
  /** Number of the source, from 1. It stays the same when the status changes. */
  number: number;
  /** The round that found the source, from 1. */
  round: number;
  /** Kind of the source. */
  kind: SourceKind;
  /** Title of the source. */
  title: string;
  /** URL of the source, or `library:` and a path. */
  source: string;
  /** Number of passages that were read. */
  passages?: number | null | undefined;
  /** Whether the text came from the cache. */
  cached?: boolean | undefined;
  /** Why the source could not be read. */
  reason?: string | null | undefined;
};

/** The result of a research. */
export type ResearchDone = {
  /** The call that ran the research. */
  call_id: string;
  /** The findings in at most 150 tokens, with marks in square brackets. */
  notes: string;
  /** The sources that the notes cite, in their order. */
  citations?: Citation[] | undefined;
  /** All stored passages. Marks and citations refer to them. */
  passages?: Passage[] | undefined;
  /** Contradictions between sources. */
  contradictions?: Contradiction[] | undefined;
  /** Questions that remain open. */
  open_questions?: string[] | undefined;
  /** Number of sources that were found. */
  found: number;
  /** Number of sources that were read. */
  read: number;
  /** Number of sources that could not be read. */
  failed: number;
  /** Number of rounds. */
  rounds: number;
  /** Notices about the search, for the user. */
  notices?: string[] | undefined;
  /** Usage of language models. */
  usage?: Usage | null | undefined;
};

/** The start of a research. */
export type ResearchStarted = {
  /** The call that runs the research. */
  call_id: string;
  /** The question. */
  query: string;
  /** The questions that it was divided into. */
  questions?: string[] | undefined;
  /** Names of the searched sources. Empty if none is configured. */
  sources?: string[] | undefined;
  /** Maximum number of sources that are read. */
  sources_max: number;
};

/** The answer of a turn. */
export type Response = {
  /** The complete text. */
  message: string;
  /** The model that answered. */
  model: string;
  /** Usage, if the provider reported it. */
  usage?: Usage | null | undefined;
  /** Why the answer ended. */
  stop_reason?: StopReason | undefined;
  /** Notices about how the answer was made. */
  notices?: string[] | undefined;
  /** A summary of the model's reasoning, if the provider returned it. */
  reasoning_summary?: string | null | undefined;
  /** The sources that the answer cites. */
  citations?: Citation[] | undefined;
  /** Suggested next messages. */
  suggestions?: string[] | undefined;
  /** The artifacts that the turn stored. */
  artifacts?: ArtifactId[] | undefined;
  /** The intent of the message. */
  intent?: string | null | undefined;
  /** Confidence in the intent, 0 to 1. */
  confidence?: number | null | undefined;
  /** Whether the first text came after the client's `early_wait_ms`. */
  late?: boolean | undefined;
};

/** A JSON Schema that an answer matches. */
export type ResponseSchema = Record<string, unknown>;

/** How the windows of a session are restored. */
export type RestoreMode = "whole" | "summarized";

/** Sessions that expired or were deleted since the server started, as counts without content. */
export type RetentionStats = {
  /** Expired sessions. */
  expired?: number | undefined;
  /** Sessions that were archived to a file and deleted. */
  archived?: number | undefined;
  /** Sessions that were deleted, by their owners or after expiry. */
  deleted?: number | undefined;
  /** Events of the archived and deleted sessions. */
  events?: number | undefined;
  /** Artifacts of these sessions. */
  artifacts?: number | undefined;
  /** Memory items that were deleted with them. */
  memories?: number | undefined;
  /** When a session was last archived or deleted. */
  last_at?: Timestamp | null | undefined;
};

/** What started a run. */
export type RunCause = {
  /** Names what happened. The same name never starts a second run. */
  id: string;
  /** What is to be known about it; it becomes part of the message. */
  text?: string | undefined;
  /** Whether that text is trusted. */
  origin?: Origin | undefined;
};

/** Names one run of one schedule. A run with a key that is known never starts again. */
export type RunKey = {
  /** The schedule. */
  schedule_id: ScheduleId;
  /** The moment that the run was planned for. */
  planned_at: Timestamp;
};

/** How often a schedule runs that waits for something. */
export type RunLimits = {
  /**
   * At least this many milliseconds lie between two runs; what happens in between starts none.
   * Default: 1000.
   */
  gap_ms?: number | undefined;
  /** At most this many runs within an hour. Default: 60. */
  hourly_max?: number | undefined;
};

/** How a run went. */
export type RunOutcome = {
  status: "started";
  /** The turn. */
  turn_id: TurnId;
} | {
  status: "done";
} | {
  status: "failed";
  /** Why. */
  message: string;
};

/** A run of a schedule. */
export type RunView = {
  /** The moment that it was planned for. */
  planned_at: Timestamp;
  /** How it went, once that is known. */
  outcome?: RunOutcome | null | undefined;
};

/** What a tool accesses or changes. It decides what a call needs before it runs. */
export type Safety = "observes" | "keeps" | "acts" | "sends";

/** `schedule.update`: changes what is given. */
export type ScheduleChange = {
  /** What it is called. */
  name?: string | null | undefined;
  /** When it runs. */
  when?: When | null | undefined;
  /** Its time zone. */
  zone?: string | null | undefined;
  /** What it does. */
  action?: ScheduledAction | null | undefined;
  /** What happens to late runs. */
  catch_up?: CatchUp | null | undefined;
  /** It ends after this many runs. */
  runs_max?: number | null | undefined;
  /** How often it runs at most, if it waits for something. */
  limits?: RunLimits | null | undefined;
};

/** `schedule.create`: makes a schedule. */
export type ScheduleCreate = {
  /** Id of the session, assigned by Dwell. */
  session_id?: SessionId | null | undefined;
  /**
   * The client's own name for the session, unique per owner. `chat.send` and `session.resume`
   * create the session on first use.
   */
  conversation_id?: SessionName | null | undefined;
  /** What it is called. Default: nothing. */
  name?: string | null | undefined;
  /** When it runs. */
  when: When;
  /** Its time zone, as `Europe/Berlin`. Default: the owner's. */
  zone?: string | null | undefined;
  /** What it does. */
  action: ScheduledAction;
  /**
   * What happens to late runs. Default: `run_late` within an hour for what runs once, `once` for
   * reminders and turns that recur, `skip` for calls that recur.
   */
  catch_up?: CatchUp | null | undefined;
  /** It ends after this many runs. Default: no limit. */
  runs_max?: number | null | undefined;
  /** How often it runs at most, if it waits for something. */
  limits?: RunLimits | null | undefined;
  /** A repetition with the same key makes no second schedule. */
  idempotency_key?: string | null | undefined;
};

/** What happened to a schedule. `next_at` is always the run that is planned afterwards. */
export type ScheduleEvent = {
  event: "created";
  /** The schedule. */
  schedule_id: ScheduleId;
  /** What it is. */
  spec: ScheduleSpec;
  /** The owner's time zone, in which it is planned unless it has its own. */
  owner_zone: string;
  /** How many schedules lie between it and the owner's own word: 0 unless a run made it. */
  generation?: number | undefined;
  /** Whether it waits for the owner's approval. */
  needs_approval?: boolean | undefined;
  /** Its first run; none if it waits for something. */
  next_at?: Timestamp | null | undefined;
} | {
  event: "approved";
  /** The schedule. */
  schedule_id: ScheduleId;
  /** The digest of the call; empty if it makes none. */
  digest: string;
} | {
  event: "changed";
  /** The schedule. */
  schedule_id: ScheduleId;
  /** What it is now. */
  spec: ScheduleSpec;
  /** Whether it waits for the owner's approval again. */
  needs_approval?: boolean | undefined;
  /** Its next run. */
  next_at?: Timestamp | null | undefined;
} | {
  event: "rezoned";
  /** The schedule. */
  schedule_id: ScheduleId;
  /** The new zone of the owner. */
  owner_zone: string;
  /** Its next run. */
  next_at?: Timestamp | null | undefined;
} | {
  event: "paused";
  /** The schedule. */
  schedule_id: ScheduleId;
  /** For one that runs once after a while: how much of it is left, in milliseconds. */
  left_ms?: number | null | undefined;
} | {
  event: "resumed";
  /** The schedule. */
  schedule_id: ScheduleId;
  /** Its next run. */
  next_at?: Timestamp | null | undefined;
} | {
  event: "fired";
  /** Which one. */
  key: RunKey;
  /** How many milliseconds after its time. */
  late_ms: number;
  /** How many other late runs it stands for. */
  stands_for?: number | undefined;
  /** The next run. */
  next_at?: Timestamp | null | undefined;
  /** What started it, if it waited for something. */
  cause?: RunCause | null | undefined;
} | {
  event: "missed";
  /** The schedule. */
  schedule_id: ScheduleId;
  /** The first of them. */
  first_at: Timestamp;
  /** How many, counted up to a limit. */
  count: number;
  /** Why. */
  reason: MissReason;
  /** The next run. */
  next_at?: Timestamp | null | undefined;
} | {
  event: "settled";
  /** Which one. */
  key: RunKey;
  /** How it went. */
  outcome: RunOutcome;
} | {
  event: "cancelled";
  /** The schedule. */
  schedule_id: ScheduleId;
} | {
  event: "ended";
  /** The schedule. */
  schedule_id: ScheduleId;
  /** Why. */
  reason: EndReason;
};

/** Id of a schedule. A ULID. */
export type ScheduleId = string;

/** The owner's schedules, the next run first. */
export type SchedulePage = {
  /** The schedules. */
  data: ScheduleView[];
  /** The owner's time zone. */
  zone: string;
};

/** `schedule.preview`: when a schedule would run. */
export type SchedulePreview = {
  /** When it runs. */
  when: When;
  /** Its time zone. Default: the owner's. */
  zone?: string | null | undefined;
  /** How many runs, at most 50. Default: 5. */
  runs?: number | null | undefined;
};

/** What a schedule is, as its owner or an agent defines it. */
export type ScheduleSpec = {
  /** What it is called. Default: nothing. */
  name?: string | null | undefined;
  /** When it runs. */
  when: When;
  /**
   * Its time zone, as `Europe/Berlin`. Default: the owner's, also after the owner has changed
   * it.
   */
  zone?: string | null | undefined;
  /** What it does. */
  action: ScheduledAction;
  /** What happens to late runs. */
  catch_up: CatchUp;
  /** It ends after this many runs. Default: no limit. */
  runs_max?: number | null | undefined;
  /**
   * How often it runs at most, if it waits for something. Default: once a second and 60 times
   * an hour.
   */
  limits?: RunLimits | null | undefined;
  /** The voice satellite that it was ordered from, where its alerts ring. */
  satellite?: string | null | undefined;
  /** Whether its text is trusted. It is not if a turn made it that had read untrusted text. */
  origin?: Origin | undefined;
};

/** Whether a schedule runs. */
export type ScheduleStatus = "active" | "waiting" | "paused" | "cancelled" | "ended";

/** What is done with a schedule. */
export type ScheduleStep = {
  do: "pause";
} | {
  do: "resume";
} | {
  do: "cancel";
} | {
  do: "run";
} | {
  do: "approve";
  /** The digest of the call, as the schedule shows it; empty if it makes none. */
  digest?: string | undefined;
} | {
  do: "snooze";
  /** After how many milliseconds. */
  after_ms: number;
};

/** The next runs. */
export type ScheduleTimes = {
  /** The zone in which they were calculated. */
  zone: string;
  /** When it would run. */
  runs: Timestamp[];
};

/** A schedule. */
export type ScheduleView = {
  /** Its id. */
  schedule_id: ScheduleId;
  /** The session that it belongs to. */
  session_id: SessionId;
  /** What it is called. Default: nothing. */
  name?: string | null | undefined;
  /** When it runs. */
  when: When;
  /**
   * Its time zone, as `Europe/Berlin`. Default: the owner's, also after the owner has changed
   * it.
   */
  zone?: string | null | undefined;
  /** What it does. */
  action: ScheduledAction;
  /** What happens to late runs. */
  catch_up: CatchUp;
  /** It ends after this many runs. Default: no limit. */
  runs_max?: number | null | undefined;
  /**
   * How often it runs at most, if it waits for something. Default: once a second and 60 times
   * an hour.
   */
  limits?: RunLimits | null | undefined;
  /** The voice satellite that it was ordered from, where its alerts ring. */
  satellite?: string | null | undefined;
  /** Whether its text is trusted. It is not if a turn made it that had read untrusted text. */
  origin?: Origin | undefined;
  /** The zone in which it is planned. */
  planned_in: string;
  /** Whether it runs. */
  status: ScheduleStatus;
  /** Its next run. */
  next_at?: Timestamp | null | undefined;
  /**
   * While it is paused, if it runs once after a while: how much of that is left, in
   * milliseconds.
   */
  left_ms?: number | null | undefined;
  /** Its next runs, at most five. */
  upcoming?: Timestamp[] | undefined;
  /** When it was made. */
  created_at: Timestamp;
  /** How often it has run. */
  runs: number;
  /** How many of its runs were missed. */
  missed: number;
  /** Its last run. */
  last_run?: RunView | null | undefined;
};

/** What a schedule does when it runs. */
export type ScheduledAction = {
  do: "remind";
  /** Of what; empty for a timer without a name. */
  text: string;
  /** Whether it counts down as a timer. */
  timer?: boolean | undefined;
} | {
  do: "turn";
  /** The message. */
  message: string;
} | {
  do: "call";
  /** The tool. */
  tool: string;
  /** Exactly these arguments. */
  arguments: unknown;
  /** The digest of tool and arguments, which an approval is bound to. Dwell calculates it. */
  digest?: string | undefined;
};

/** What a token may do. Each scope includes the ones before it. */
export type Scope = "read" | "talk" | "act" | "admin";

/**
 * Score of a result, part by part. `total` is the sum of `relevance`, `recency`, `pinned`,
 * `conversation`, `entity` and `time`. `relevance` is computed from `lexical` and `semantic`.
 */
export type Score = {
  /** The score by which results are ranked. */
  total?: number | undefined;
  /** 0.6 times the match of words and embeddings: 0 to 0.6. */
  relevance?: number | undefined;
  /**
   * 0.05 times exp(-age / 30 days), or 0.3 times that where the query asks for what is new. The
   * first factor is the setting `memory.recency`.
   */
  recency?: number | undefined;
  /** 0.2 for pins and profile lines. */
  pinned?: number | undefined;
  /** 0.1 for items of the same conversation. */
  conversation?: number | undefined;
  /**
   * 0.1 for items that name the same people, places or things, and 0.05 for items that name them
   * by another name: `sister` where the query says `Maria`.
   */
  entity?: number | undefined;
  /**
   * At most 0.1 for items from the time that the query names. Negative for items that no longer
   * hold.
   */
  time?: number | undefined;
  /** Match of words, 0 to 1. */
  lexical?: number | undefined;
  /** Similarity of embeddings, 0 to 1. 0 if embeddings were not used. */
  semantic?: number | undefined;
};

/** How items are matched. */
export type SearchMode = "hybrid" | "lexical" | "semantic";

/** Where to search. */
export type SearchScope = "user" | "conversation" | "both";

/** A section of the prompt. */
export type Section = {
  /** Name of the section, for example `system` or `recent`. */
  name: string;
  /** Number of tokens. */
  tokens: number;
};

/** An option of a choice. */
export type SelectOption = {
  /** Value of the option. */
  value: string;
  /** Label of the option. */
  label: string;
};

/** A series of numbers. */
export type Series = {
  /** Name of the series. */
  name: string;
  /** The numbers. */
  values: number[];
};

/** What happens if a call of a worker's tool runs more than once. */
export type ServedEffect = "at_most_once" | "idempotent";

/** A tool that a worker serves. */
export type ServedTool = {
  /** Name of the tool: 1 to 64 letters, digits, `_` and `-`. */
  name: string;
  /** What the tool does and when to use it. The model reads this. */
  description?: string | undefined;
  /** JSON Schema of the arguments. Default: an object without properties. */
  input_schema?: unknown | undefined;
  /** What happens if a call runs more than once. Default: `at_most_once`. */
  effect?: ServedEffect | undefined;
};

/** Statistics since the server started. */
export type ServerStats = {
  /** When the server started. */
  since: Timestamp;
  /** Sessions loaded in RAM. */
  live_sessions: number;
  /** Running turns. */
  running_turns: number;
  /** Turns that wait for a permit to run. */
  waiting_turns?: number | undefined;
  /** Durations of these waits. */
  waits?: Percentiles | undefined;
  /** The limits. */
  limits?: AgentLimits | undefined;
  /** Connections, streams and MCP sessions. */
  connections?: ConnectionStats | undefined;
  /** Totals of all turns that started or ended since then. */
  totals: Stats;
  /** Durations from a turn's start to its first text. */
  first_word: Percentiles;
  /** Durations from a turn's start to its end. */
  duration: Percentiles;
  /** Number of turns by route, for example `reflex` or `tool_loop`. */
  ways?: Record<string, number> | undefined;
  /** Statistics by model. */
  models: Record<string, ModelStats>;
  /**
   * Statistics by purpose and model. `turn` answers messages, `research` evaluates sources,
   * `memory` writes context documents, `summary` shortens long messages, `extraction` finds
   * facts in messages.
   */
  purposes?: Record<string, Record<string, ModelStats>> | undefined;
  /** Statistics by tool. */
  tools: Record<string, ToolStats>;
  /** Number of errors that ended turns, by code. */
  errors: Record<string, number>;
  /** Usage and quota of the caller. The operator sees all owners. */
  usage?: ServerUsage | null | undefined;
  /** Results of the background check of the journal. */
  journal?: JournalStats | undefined;
  /** Why nothing is deleted by age at present, if the clock is in doubt. */
  clock?: ClockDoubt | null | undefined;
  /** Status of the scheduled backups, if they are configured. */
  backup?: BackupStatus | null | undefined;
  /** Sessions that expired or were deleted. */
  retention?: RetentionStats | undefined;
  /** The model that extracts facts from conversations. */
  memory_model?: MemoryModelStats | undefined;
};

/** Usage of the server. */
export type ServerUsage = {
  /** Usage of the caller. */
  own: OwnerUsage;
  /** Usage of each owner. Only the operator sees it. */
  owners?: OwnerUsage[] | undefined;
  /** Usage of the library. Only the operator sees it. */
  library?: LibraryUsage | null | undefined;
};

/** The end of a session. */
export type SessionEnded = {
  /** The caller's reason, as free text. */
  reason?: string | null | undefined;
  /**
   * Whether the session ended because it was idle for too long. Then its status is `expired`,
   * otherwise `ended`.
   */
  expired?: boolean | undefined;
};

/** Id of a session: the long-lived conversation of one owner. A ULID. */
export type SessionId = string;

/**
 * The client's own name for a session, unique per owner (`key`, `conversation_id`). 1 to 200
 * characters without control characters.
 */
export type SessionName = string;

/** A page of sessions, latest activity first. */
export type SessionPage = {
  /** The sessions. */
  data: SessionView[];
  /** Cursor of the next page. Absent on the last page. */
  next_cursor?: string | null | undefined;
};

/** A reset of the conversation. */
export type SessionReset = {
  /** The caller's reason, as free text. */
  reason?: string | null | undefined;
};

/** An earlier session that was restored into this one. */
export type SessionRestored = {
  /** The earlier session. */
  session_id: SessionId;
  /** How its windows were restored. */
  windows: RestoreMode;
  /** Description of the windows that were open, if they were not opened again. */
  summary?: string | undefined;
  /** Whether that description is trusted. */
  origin?: Origin | undefined;
};

/** `session.start`: starts a session. */
export type SessionStart = {
  /**
   * The client's own name for the session, unique per owner. A start with a known key returns
   * the existing session.
   */
  key?: SessionName | null | undefined;
  /** The model. Default: the server's default model. */
  model?: string | null | undefined;
  /** Settings for calls of the model. */
  model_settings?: ModelSettings | null | undefined;
  /** Settings for calls of the model by single agents, by agent id. `*` matches any characters. */
  agent_settings?: Record<string, ModelSettings> | null | undefined;
  /**
   * Facts about models that replace the known ones in this session, by `provider/model` or by
   * provider.
   */
  model_overrides?: Record<string, ModelOverrides> | null | undefined;
  /**
   * The tools that the model always sees, by name; `*` matches any characters. The model can
   * look up the other tools. With an empty list, Dwell chooses the tools for each turn.
   */
  pinned_tools?: string[] | null | undefined;
  /** Budgets of each turn. */
  budgets?: Budgets | null | undefined;
  /** Policy of the session. It can only be stricter than the server's policy. */
  policy?: Policy | null | undefined;
  /** Preferences of the client, with any keys and values. */
  preferences?: Record<string, unknown> | undefined;
  /**
   * Whether the session is temporary. The server deletes a temporary session and its text when
   * the session is ended, or when its turns have ended and no client follows it. Default: false.
   */
  temporary?: boolean | undefined;
};

/** How a session started. */
export type SessionStarted = {
  /** The owner of the session. */
  owner: OwnerId;
  /** The client's own name for the session. */
  key?: SessionName | null | undefined;
  /** Settings of the session. */
  settings: Settings;
  /** The session that this one was forked from. */
  forked_from?: ForkOrigin | null | undefined;
  /** Where the session was imported from. */
  imported?: ImportOrigin | null | undefined;
  /** Whether the session is temporary: it is deleted when its turns have ended. */
  temporary?: boolean | undefined;
};

/** Status of a session. */
export type SessionStatus = "active" | "ended" | "expired";

/** A session. */
export type SessionView = {
  /** Id of the session. */
  session_id: SessionId;
  /** The owner of the session. */
  owner: OwnerId;
  /** The client's own name for the session. */
  key?: SessionName | null | undefined;
  /** Status of the session. */
  status: SessionStatus;
  /**
   * Version of the session. It grows with every accepted message and every change of settings or
   * status.
   */
  version: number;
  /** Sequence number of the newest event. */
  last_seq: number;
  /** When the session started. */
  created_at: Timestamp;
  /** Time of the last activity. Expiry does not count as activity. */
  updated_at: Timestamp;
  /** When the session ended or expired. */
  ended_at?: Timestamp | null | undefined;
  /** Settings of the session. */
  settings: Settings;
  /** Totals of the session. */
  stats: Stats;
  /** Turns that have not ended, oldest first. */
  open_turns: TurnId[];
  /** Title of the session: its preference `title`, or else the beginning of its first message. */
  title?: string | null | undefined;
  /** The session that this one was forked from. */
  forked_from?: ForkOrigin | null | undefined;
  /** Where the session was imported from. */
  imported?: ImportOrigin | null | undefined;
  /** Whether title and preferences are trusted. */
  origin?: Origin | undefined;
  /** Whether the session has ever contained untrusted text. */
  tainted?: boolean | undefined;
  /**
   * Clients that have read untrusted text, and when they last did. Only the session of direct
   * calls has them.
   */
  read_by?: Record<string, Timestamp> | undefined;
};

/** A setting of the server. */
export type SettingView = {
  /** Name of the setting, for example `agents.max`. */
  key: string;
  /** The value. Secrets are not shown. */
  value: unknown;
  /** Source of the value: `default`, a file, the environment or a flag. */
  from: string;
};

/** Settings of a session. */
export type Settings = {
  /** Name of the model. Default: the server's default model. */
  model?: string | null | undefined;
  /** Settings for calls of the model. */
  model_settings?: ModelSettings | undefined;
  /**
   * Settings for calls of the model by single agents, by agent id. `*` matches any characters. A
   * setting that is absent comes from `model_settings`.
   */
  agent_settings?: Record<string, ModelSettings> | undefined;
  /**
   * Facts about models that replace the known ones in this session, by `provider/model` or by
   * provider.
   */
  model_overrides?: Record<string, ModelOverrides> | undefined;
  /**
   * The tools that the model always sees, by name; `*` matches any characters. The model can
   * look up the other tools. If the list is empty, Dwell chooses the tools for each turn.
   */
  pinned_tools?: string[] | undefined;
  /** Budgets of each turn. */
  budgets?: Budgets | undefined;
  /** Policy of the session. */
  policy?: Policy | undefined;
  /**
   * Preferences of the client, with any keys and values. Two of them are part of every prompt:
   * `instructions`, the client's instructions as text, and `earlier`, a list of messages with
   * `role` and `content` that precede the conversation.
   */
  preferences?: Record<string, unknown> | undefined;
  /**
   * Names of preferences that were imported from a file and not set since. Their text is
   * untrusted.
   */
  imported?: string[] | undefined;
};

/** The new settings of a session. */
export type SettingsChanged = {
  /** The complete settings from now on. */
  settings: Settings;
};

/** How a request was settled. */
export type SettledBy = "owner" | "expiry" | "turn_end";

/** Kind of a source. */
export type SourceKind = "library" | "search" | "page";

/** Stages of a turn. */
export type Stage = "receive" | "understand" | "plan" | "execute" | "complete";

/** A stage that a turn entered. */
export type StageEntered = {
  /** The stage. */
  stage: Stage;
  /** Details, depending on the stage. */
  detail?: unknown | undefined;
};

/** A part of an app's state that can be queried. */
export type StateKey = {
  /** Name of the part. */
  key: string;
  /** What it holds. */
  description?: string | undefined;
};

/** Totals of a session. */
export type Stats = {
  /** Accepted turns. */
  turns?: number | undefined;
  /** Answered turns. */
  completed?: number | undefined;
  /** Turns that failed or exceeded their time. */
  failed?: number | undefined;
  /** Cancelled turns. */
  cancelled?: number | undefined;
  /** Steps. */
  steps?: number | undefined;
  /** Tool calls. */
  tool_calls?: number | undefined;
  /** Input tokens. */
  input_tokens?: number | undefined;
  /** Output tokens. */
  output_tokens?: number | undefined;
  /** Input tokens that providers read from their caches. */
  cached_tokens?: number | undefined;
  /** Input tokens that providers wrote to their caches. */
  cache_write_tokens?: number | undefined;
  /** Cost in millionths of a US dollar, as far as prices are known. */
  cost_micros?: number | undefined;
  /** Errors, whether or not they ended a turn. */
  errors?: number | undefined;
};

/** A change of a turn's status. */
export type StatusChanged = {
  /** The change. */
  status: Transition;
  /** Reason of the change. */
  reason?: string | null | undefined;
  /** The error, with `failed`. */
  error?: TurnError | null | undefined;
  /** With `resumed`: number of the attempt. */
  attempt?: number | null | undefined;
  /** With `resumed`: text from this offset on is void and is sent again. */
  text_offset?: number | null | undefined;
  /** With `waiting`: the question. */
  question?: OutcomeQuestion | null | undefined;
  /** Usage of a turn that ended without an answer. */
  usage?: Usage | null | undefined;
};

/** A step of a turn. */
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
  detail: Observation;
} | {
  type: "summary";
  detail: Summary;
} | {
  type: "error";
  detail: StepError;
};

/** An error that did not end the turn. */
export type StepError = {
  /** Error code. */
  code: string;
  /** Error message. */
  message?: string | undefined;
  /** The model that caused the error. */
  model?: string | null | undefined;
  /** Milliseconds until the same model is tried again. */
  retry_in_ms?: number | null | undefined;
  /** The model that is used instead. */
  fallback?: string | null | undefined;
};

/** Why an answer ended. */
export type StopReason = "complete" | "length" | "content_filter" | "refusal" | "empty" | "budget";

/** A value. */
export type StoredValue = {
  /** Its key. */
  key: ValueKey;
  /** The bytes as Base64; absent if only keys were asked for. */
  value?: string | null | undefined;
  /** Number of the bytes. */
  size: number;
  /** When there first was a value under the key. */
  created_at: Timestamp;
  /** When the value was stored. */
  updated_at: Timestamp;
  /** When it will be deleted. */
  expires_at?: Timestamp | null | undefined;
  /** With `near`: the similarity, from -1 to 1. */
  score?: number | null | undefined;
};

/** A summary of a text. */
export type Summary = {
  /** Purpose of the summary, for example `transfer`. */
  kind: string;
  /** The summary. */
  text: string;
};

/** A summary of a conversation: a new version of its context document. */
export type SummaryCreated = {
  /** Id of the document. */
  id: ItemId;
  /** Always `context`. */
  level: Level;
  /** The memory that holds the conversation. */
  memory_id: MemoryId;
  /** Version of the document, from 1. */
  version: number;
  /** The text. */
  value: string;
  /** Author of the text: name of a model, or `extract`. */
  written_by: string;
  /** Whether the text is trusted. */
  origin?: Origin | undefined;
};

/** The result of a sweep: what was deleted, archived or expired. */
export type SweepResult = {
  /** Deleted artifacts. */
  artifacts: number;
  /** Bytes of the deleted artifacts. */
  bytes: number;
  /** Deleted memory items whose time to live had passed. */
  memories: number;
  /** Why nothing was deleted, if the clock is in doubt. */
  clock?: ClockDoubt | null | undefined;
  /** Sessions that expired because they were idle for too long. */
  expired?: number | undefined;
  /** Expired sessions that were archived to a file and deleted. */
  archived?: number | undefined;
  /** Expired sessions that were deleted. */
  deleted?: number | undefined;
};

/**
 * A tag of a message, for example `important` or `context:lights`. 1 to 64 characters without
 * spaces and control characters.
 */
export type Tag = string;

/** A tag that an item has to have. */
export type TagCondition = {
  /** Name of the tag. */
  name: string;
  /** Its value. Default: any. */
  value?: string | null | undefined;
};

/** A range of a turn's text. */
export type TextDelta = {
  /** Start of the range, in Unicode code points from the beginning of the turn's text. */
  offset: number;
  /** The text of the range. */
  delta: string;
};

/** A ticket for one WebSocket or event stream, passed as `?ticket=`. */
export type Ticket = {
  /** The ticket. */
  ticket: string;
  /** When it expires. */
  expires_at: Timestamp;
};

/** A time in UTC with millisecond precision, as RFC 3339. */
export type Timestamp = string;

/** A new title or description of a vault or a memory. */
export type TitleUpdate = {
  /** The new title. Default: unchanged. */
  title?: string | null | undefined;
  /** The new description. Default: unchanged. */
  description?: string | null | undefined;
};

/** A toast: a short message that disappears by itself. */
export type Toast = {
  /** Id of the toast. */
  toast_id: ToastId;
  /** The text. */
  text: string;
  /** Tone of the message. Default: `plain`. */
  level?: Tone | undefined;
  /** A button on the toast. */
  button?: ToastButton | null | undefined;
  /** The turn whose actions were replayed from the cache, if the toast reports this. */
  replay_of?: TurnId | null | undefined;
};

/** What the user did with a toast or a notification. It is no longer shown. */
export type ToastActed = {
  /** Id of the toast or notification. */
  toast_id: ToastId;
  /** `dismiss`, or the action of its button. */
  action: string;
  /** With `didnt_work`: the turn whose actions are no longer replayed from the cache. */
  replay_of?: TurnId | null | undefined;
};

/** A button on a toast. */
export type ToastButton = {
  /** Label of the button. */
  label: string;
  /** Name of the action. `didnt_work` reports that a replay was wrong. */
  action: string;
};

/** Id of a toast or a notification on the desktop. A ULID. */
export type ToastId = string;

/** Tone of a component or message. */
export type Tone = "plain" | "info" | "success" | "warning" | "danger";

/** The answer to `tool.answer`. The results are durable when it arrives. */
export type ToolAnswered = {
  /** The session of the turn. */
  session_id: SessionId;
  /** The turn. */
  turn_id: TurnId;
  /** The agent that runs the turn. */
  agent_id: AgentId;
  /**
   * Sequence number of the event with the last of these results. Events that follow from the
   * results have higher numbers.
   */
  seq: number;
  /** Ids of the calls that still wait. The turn continues when the list is empty. */
  calls_waiting: string[];
  /** Whether all results were known already, so that nothing changed. */
  duplicate: boolean;
};

/** A call that is about to run. It is in the journal before it runs. */
export type ToolCall = {
  /** Id of the call within the turn. */
  call_id: string;
  /** Name of the tool. */
  tool: string;
  /** The arguments. */
  arguments: unknown;
  /** What happens if the call runs more than once. */
  effect?: Effect | undefined;
  /** Idempotency key for a tool that supports one. */
  key?: string | undefined;
  /** The approval under which the call runs. */
  approval_id?: ApprovalId | null | undefined;
  /** Deadline for the result, if the client or a tool worker runs the tool. */
  client_until?: Timestamp | null | undefined;
  /** Whether a tool worker runs the tool. */
  served?: boolean | undefined;
};

/** How the model uses the client's tools. */
export type ToolChoice = "auto" | "none" | "required" | {
  tool: string;
};

/** The available tools. */
export type ToolPage = {
  /** The tools, ordered by name. */
  data: ToolView[];
  /** The configured external servers. */
  servers?: ToolServerView[] | undefined;
};

/** The result of a tool call. */
export type ToolResult = {
  /** Id of the call within the turn. */
  call_id: string;
  /** Name of the tool. */
  tool: string;
  /** Status of the call. */
  status?: CallStatus | undefined;
  /** The result as the model reads it. */
  content: string;
  /** Whether the result is trusted. */
  origin?: Origin | undefined;
  /** The artifact with the complete result, if it was too large for the conversation. */
  artifact_id?: ArtifactId | null | undefined;
  /** Sources of the result. An answer cites them in square brackets. */
  sources?: Citation[] | undefined;
  /** Duration of the call in milliseconds. */
  duration_ms?: number | null | undefined;
};

/** An external MCP server that provides tools. */
export type ToolServerView = {
  /** Name of the server in the configuration. */
  name: string;
  /** Why the server is not available at present. Absent if it is available. */
  away_because?: string | null | undefined;
  /** Version of the protocol that the server speaks, if known. */
  protocol_version?: string | null | undefined;
  /** Tools of the server that are in use, by their names here. */
  tools: string[];
  /** Tools of the server that are not in use. */
  left_out: LeftOutTool[];
};

/** Statistics of a tool since the server started. */
export type ToolStats = {
  /** Calls. */
  calls?: number | undefined;
  /** Calls that failed or were denied. */
  errors?: number | undefined;
  /** Durations of the calls. */
  duration?: Percentiles | undefined;
};

/** A tool. */
export type ToolView = {
  /** Name of the tool. */
  name: string;
  /** What the tool does and when to use it. */
  description: string;
  /** JSON Schema of the arguments. */
  input_schema: unknown;
  /** JSON Schema of the result. */
  output_schema?: unknown | undefined;
  /** What happens if a call runs more than once. */
  effect: Effect;
  /** What the tool accesses or changes. */
  safety: Safety;
  /** Approximate cost of a call. */
  cost: Cost;
  /** Whether several calls may run at the same time. */
  parallel: boolean;
  /** Maximum duration of a call in milliseconds. */
  timeout_ms: number;
  /** Maximum number of calls per minute. Absent if there is no limit. */
  calls_per_minute_max?: number | null | undefined;
  /** Whether the server's policy permits the tool. */
  enabled: boolean;
  /** Why the policy does not permit it. */
  disabled_because?: string | null | undefined;
  /** Name of the external MCP server that provides the tool. */
  server?: string | null | undefined;
  /** Why the tool is not available at present, for example because its server is not connected. */
  away_because?: string | null | undefined;
  /** Name of the tool worker that serves the tool to the owner's sessions. */
  worker?: string | null | undefined;
};

/** A change of a turn's status. */
export type Transition = "resumed" | "waiting" | "interrupted" | "pausing" | "paused" | "completed" | "failed" | "cancelled" | "expired";

/** What a schedule waits for that runs each time something happens. */
export type Trigger = {
  on: "home";
  /** The entity, as `binary_sensor.washing_machine`. */
  entity_id: string;
  /** Only if this is the new state. */
  to?: string | null | undefined;
  /** Only if this was the state before. */
  from?: string | null | undefined;
} | {
  on: "hook";
} | {
  on: "home_event";
  /** The type of the event. */
  event_type: string;
  /** Only if its data has these fields with these values. */
  data?: Record<string, unknown> | undefined;
} | {
  on: "turn_ended";
  /** Turns of this session of the same owner. */
  session_id?: SessionId | null | undefined;
  /** Turns of any session of the same owner. */
  any_session?: boolean | undefined;
};

/**
 * The answer to `chat.send`, `turn.resume` and `turn.retry`. The command is durable when it
 * arrives.
 */
export type TurnAccepted = {
  /** The session, also if the client named it by `conversation_id`. */
  session_id: SessionId;
  /** The turn. */
  turn_id: TurnId;
  /** The agent that runs the turn. */
  agent_id: AgentId;
  /** Sequence number of the turn's `message.accepted` event. */
  seq: number;
  /** Position in the queue, if the turn has to wait. */
  position?: number | null | undefined;
  /**
   * Whether the idempotency key was known. Then this is the turn of the first message with that
   * key.
   */
  duplicate: boolean;
  /** With `early_wait_ms`: state of the turn when its first text arrived or the wait ended. */
  early?: EarlyAnswer | null | undefined;
};

/** Why a turn failed, and whether a retry can succeed. */
export type TurnError = {
  /** Error code. */
  code: string;
  /** Error message. */
  message: string;
  /** Whether a retry can succeed without any change. */
  recoverable: boolean;
  /** Details, depending on the code. */
  details?: unknown | undefined;
};

/** Id of a turn: one message and its answer. A ULID. */
export type TurnId = string;

/** A page of a session's turns, oldest or newest first. */
export type TurnPage = {
  /** The turns. */
  data: TurnView[];
  /** Cursor of the next page. Absent on the last page. */
  next_cursor?: string | null | undefined;
};

/** Statistics of a turn. */
export type TurnStats = {
  /** Milliseconds from acceptance to the first text in the journal. */
  first_word_ms?: number | null | undefined;
  /** Milliseconds from acceptance to the end. */
  duration_ms?: number | null | undefined;
  /** Rounds in which the model called tools. */
  rounds?: number | undefined;
  /** Tool calls. */
  tool_calls?: number | undefined;
  /** Errors, whether or not they ended the turn. */
  errors?: number | undefined;
  /** Tokens and cost of all rounds. */
  usage?: Usage | undefined;
};

/** Status of a turn. */
export type TurnStatus = "pending" | "running" | "streaming" | "waiting" | "completed" | "failed" | "cancelled" | "expired" | "interrupted" | "paused";

/** A turn. */
export type TurnView = {
  /** Id of the turn. */
  turn_id: TurnId;
  /** The session of the turn. */
  session_id: SessionId;
  /** Status of the turn. */
  status: TurnStatus;
  /** The agent that runs the turn. */
  agent_id: AgentId;
  /** The request. */
  request: Request;
  /** The text so far. Once the turn is completed, the answer. */
  text: string;
  /** The answer. */
  response?: Response | null | undefined;
  /** The error, if the turn failed. */
  error?: TurnError | null | undefined;
  /** Reason of the current status. */
  reason?: string | null | undefined;
  /** The question that the turn waits for, about calls whose outcome is unknown. */
  question?: OutcomeQuestion | null | undefined;
  /**
   * The calls that the client has to run before the turn continues, and those that wait for a
   * tool worker (`served`).
   */
  calls_waiting?: WaitingCall[] | undefined;
  /** The steps of the turn. */
  steps: Step[];
  /** Statistics of the turn. */
  stats?: TurnStats | undefined;
  /** Whether the turn has read untrusted text, or its prompt contained some beside the message. */
  tainted?: boolean | undefined;
  /** When a running turn in the background last showed that it is at work. */
  heartbeat_at?: Timestamp | null | undefined;
  /** Number of attempts. */
  attempts: number;
  /** The turn that this one retries. */
  retry_of?: TurnId | null | undefined;
  /** When the turn was accepted. */
  created_at: Timestamp;
  /** Time of the last change. */
  updated_at: Timestamp;
  /** Sequence number of the turn's newest event. */
  last_seq: number;
};

/** A document that cannot be read. */
export type UnreadableDocument = {
  /** Path within the folder. */
  path: string;
  /** Reason. */
  reason: string;
};

/** `session.update`: replaces the given settings. Absent ones stay as they are. */
export type Update = {
  /**
   * Version of the session that the caller saw. The server refuses the update if the session has
   * another version. Default: not checked.
   */
  version?: number | null | undefined;
  /** The model. */
  model?: string | null | undefined;
  /** Settings for calls of the model. */
  model_settings?: ModelSettings | null | undefined;
  /** Settings for calls of the model by single agents, by agent id. `*` matches any characters. */
  agent_settings?: Record<string, ModelSettings> | null | undefined;
  /**
   * Facts about models that replace the known ones in this session, by `provider/model` or by
   * provider.
   */
  model_overrides?: Record<string, ModelOverrides> | null | undefined;
  /**
   * The tools that the model always sees, by name; `*` matches any characters. The model can
   * look up the other tools. With an empty list, Dwell chooses the tools for each turn.
   */
  pinned_tools?: string[] | null | undefined;
  /** Budgets of each turn. */
  budgets?: Budgets | null | undefined;
  /** Policy of the session. It can only be stricter than the server's policy. */
  policy?: Policy | null | undefined;
  /** Preferences to add or replace. `null` removes a preference. */
  preferences?: Record<string, unknown> | undefined;
};

/** Tokens as counted by the provider, and their cost. */
export type Usage = {
  /** Input tokens. */
  input_tokens: number;
  /** Output tokens. */
  output_tokens: number;
  /** Input tokens that the provider read from its cache. */
  cached_tokens?: number | undefined;
  /** Input tokens that the provider wrote to its cache. */
  cache_write_tokens?: number | undefined;
  /** Cost in millionths of a US dollar, if the price is known. */
  cost_micros?: number | null | undefined;
};

/** An item from memory in a prompt. */
export type UsedItem = {
  /** Level of memory that the item comes from. */
  level: Level;
  /** The text. A long text is shortened; the item with this `id` has all of it. */
  text: string;
  /** The turn that the item comes from. */
  source?: TurnId | null | undefined;
  /** The session that the item comes from. */
  session_id?: SessionId | null | undefined;
  /** Id of the item. */
  id?: ItemId | null | undefined;
  /** Key of the item, if it has one. */
  key?: string | null | undefined;
  /** When it happened, or since when it holds. */
  at?: Timestamp | null | undefined;
  /** Until when it held. Absent if it still holds. */
  valid_until?: Timestamp | null | undefined;
  /** How well the item matched. */
  score?: Score | null | undefined;
};

/**
 * The key of a value: its parts, from the general to the particular. A part may be any text, also
 * an empty one.
 */
export type ValueKey = string[];

/** Values to list. */
export type ValueList = {
  /** Only values whose keys begin with these parts and have further ones. Default: all. */
  below?: string[] | undefined;
  /** The order. */
  order?: ValueOrder | undefined;
  /** Only values whose keys come before this one. */
  before?: ValueKey | null | undefined;
  /**
   * The most similar values first, by the cosine of this embedding and theirs; those without an
   * embedding of the same length come last.
   */
  near?: number[] | null | undefined;
  /** Leave the bytes out. */
  keys_only?: boolean | undefined;
  /** Maximum number of values: 100 by default, up to 1000. A page with many bytes ends earlier. */
  limit?: number | null | undefined;
  /** Continue from this `next_cursor`. */
  cursor?: string | null | undefined;
};

/** The order of a list of values. */
export type ValueOrder = "key" | "key_descending" | "newest";

/** A page of values. */
export type ValuePage = {
  /** The values. */
  data: StoredValue[];
  /** Cursor of the next page. */
  next_cursor?: string | null | undefined;
};

/** Changes of values, made together or not at all. Deletions come first. */
export type ValueWrite = {
  /** Keys whose values are deleted. Keys without a value are ignored. */
  deletes?: ValueKey[] | undefined;
  /** All values are deleted whose keys begin with one of these and have further parts. */
  deletes_below?: ValueKey[] | undefined;
  /** Values to store. */
  puts?: PutValue[] | undefined;
  /** Keys whose time to live starts again. */
  refreshes?: ValueKey[] | undefined;
};

/** The result of a write of values. */
export type ValueWriteResult = {
  /** Number of values that were stored. */
  written: number;
  /** Number of values that were deleted. */
  deleted: number;
};

/** A vault: a collection of memories. */
export type Vault = {
  /** Id of the vault. */
  vault_id: VaultId;
  /** Title, unique per owner. */
  title: string;
  /** Purpose of the vault. */
  description?: string | undefined;
  /** When the vault was created. */
  created_at: Timestamp;
  /** Whether title and description are trusted. */
  origin?: Origin | undefined;
};

/** Id of a vault: a collection of memories. A ULID. */
export type VaultId = string;

/** A page of vaults. */
export type VaultPage = {
  /** The vaults, oldest first. */
  data: Vault[];
  /** Cursor of the next page. Absent on the last page. */
  next_cursor?: string | null | undefined;
};

/** A call that waits for the client or for a tool worker. */
export type WaitingCall = {
  /** Id of the call within the turn. */
  call_id: string;
  /** Name of the tool. */
  tool: string;
  /** The arguments as the model wrote them. */
  arguments: unknown;
  /** Deadline for the client's result. */
  until: Timestamp;
  /**
   * Whether a tool worker runs the call. The client that sent the message has nothing to do
   * then.
   */
  served?: boolean | undefined;
};

/** When a schedule runs. */
export type When = {
  kind: "at";
  /** The moment. */
  at: Timestamp;
} | {
  kind: "after";
  /** Milliseconds. */
  after_ms: number;
} | {
  kind: "local";
  /** The date and time there. */
  at: LocalTime;
} | {
  kind: "cron";
  /** As `0 7 * * 1-5`. */
  expression: string;
} | {
  kind: "rrule";
  /** As `FREQ=MONTHLY;BYMONTHDAY=-1`. */
  rule: string;
  /** From when on; also the time of day, unless the rule names one. */
  start: LocalTime;
} | {
  kind: "event";
  /** What. */
  trigger: Trigger;
};

/** A window. */
export type Window = {
  /** Name of the window. */
  window_id: WindowId;
  /** The monitor of the window. */
  monitor_id: MonitorId;
  /** The first window of its group. Windows of a group share an agent. */
  group: WindowId;
  /** Title of the window. */
  title: string;
  /** Position and size. */
  bounds: Bounds;
  /** Display state. */
  state: WindowState;
  /** Content of the window. */
  content: WindowContent;
  /** Whether title and content are trusted. */
  origin: Origin;
  /** The holder of its lock. Absent if it is not locked. */
  locked_by?: LockHolder | null | undefined;
  /** The agent that opened it. */
  opened_by?: AgentId | null | undefined;
  /** When it was opened. */
  opened_at: Timestamp;
  /** Time of the last change. */
  updated_at: Timestamp;
  /** The app in the window. */
  app?: AppRegistered | null | undefined;
};

/** A change of the agent of a window or of a group of windows. */
export type WindowAgent = {
  /** The window. */
  window_id: WindowId;
  /** Its agent. */
  agent_id: AgentId;
  /** The new status. */
  status: WindowAgentStatus;
};

/** Status of a window's agent. */
export type WindowAgentStatus = "assigned" | "active" | "released";

/** Content of a window. */
export type WindowContent = {
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
  /** Headers of the columns. */
  columns: string[];
  /** The rows. Each cell is a text, a number, a boolean or null. */
  rows: unknown[][];
} | {
  type: "chart";
  /** Kind of the chart. */
  kind: ChartKind;
  /** Labels of the horizontal axis. */
  labels: string[];
  /** The series, each with one number per label. */
  series: Series[];
} | {
  type: "components";
  /** Number of columns, 1 to 4. Default: 1. */
  columns?: number | undefined;
  /** The components, in order. */
  components: Component[];
} | {
  type: "artifact";
  /** Id of the artifact. */
  artifact_id: ArtifactId;
  /** Name of the artifact. */
  name: string;
  /** Media type, for example `text/csv`. */
  media_type: string;
} | {
  type: "app";
  /** Name of the app, one of those that the server offers. */
  app: string;
  /** Parameters of the app. */
  params?: unknown | undefined;
};

/**
 * Name of a window on a desktop. 1 to 48 lowercase letters, digits, `-` and `_`; the first is
 * a letter or a digit.
 */
export type WindowId = string;

/** An action that the user chose in a window. */
export type WindowPress = {
  /** Name of the action. */
  action: string;
  /** The client's own id of this action. */
  action_id?: string | null | undefined;
  /** Values of the form's fields, by name. */
  form_data?: Record<string, string> | undefined;
  /** Path of the component in the layout. */
  component_path?: string | null | undefined;
  /** Whether the action runs beside the running turn of the window's agent. Default: false. */
  parallel?: boolean | undefined;
};

/** The window that a turn is about. */
export type WindowRequest = {
  /** The window. */
  window_id: WindowId;
  /** The action. Absent if the user sent a message. */
  act?: WindowPress | null | undefined;
};

/** Display state of a window. */
export type WindowState = "normal" | "minimized" | "maximized";
