//! Messages of the WebSocket.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    AgentRef, Alert, AlertList, AlertRef, AppReady, AppResponse, ApprovalAnswer, BackgroundList, Cancel, ChatSend,
    ConnectionId, DesktopView, DialogReply, Event, HomeChanged, Interrupt, LiveProgress, LiveText, MemoryCorrect,
    MemoryForget, MemoryGet, MemoryGraphQuery, MemoryImport, MemorySearch, MemorySet, MemorySnapshot,
    MemoryTitleUpdate, MonitorRef, OwnerId, Problem, PromptReply, ProviderSet, RenderFeedback, ScheduleCreate,
    ScheduleDo, ScheduleList, SchedulePreview, ScheduleRef, ScheduleUpdate, ServedCall, ServedCallCancel,
    ServedCallProgress, SessionDelete, SessionEnd, SessionExport, SessionFork, SessionId, SessionImport, SessionList,
    SessionRef, SessionRestore, SessionResume, SessionStart, Timestamp, ToastAction, ToolAnswer, ToolServe,
    ToolServing, TurnRef, TurnResume, Update, UserInteraction, VaultUpdate, WindowAction, WindowMessage,
};

/// The client's id of a request. The answer repeats it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum RequestId {
    /// A number.
    Number(i64),
    /// A text.
    Text(String),
}

/// A message from a client before its data is parsed. An error can thus be answered with its `id`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClientEnvelope<'a> {
    /// Name of the message.
    #[serde(rename = "type")]
    pub kind: String,
    /// The client's id of the request.
    #[serde(default)]
    pub id: Option<RequestId>,
    /// Data of the message.
    #[serde(default, borrow)]
    pub data: Option<&'a serde_json::value::RawValue>,
}

/// A message from a client.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", content = "data")]
pub enum ClientBody {
    /// Starts a session and follows it. The answer is the session.
    #[serde(rename = "session.start")]
    SessionStart(SessionStart),
    /// Follows a session from a given event on. The answer is the session.
    #[serde(rename = "session.resume")]
    SessionResume(SessionResume),
    /// Reads a session. The answer is the session.
    #[serde(rename = "session.get")]
    SessionGet(SessionRef),
    /// Reads the context window of an agent. The answer is the window.
    #[serde(rename = "session.window")]
    SessionWindow(AgentRef),
    /// Lists the owner's sessions, with optional filters. The answer has `data` and `next_cursor`.
    #[serde(rename = "session.list")]
    SessionList(SessionList),
    /// Changes a session's settings. The answer is the session.
    #[serde(rename = "session.update")]
    SessionUpdate(SessionUpdate),
    /// Resets the conversation. The answer is the session.
    #[serde(rename = "session.reset")]
    SessionReset(SessionEnd),
    /// Ends a session. The answer is the session.
    #[serde(rename = "session.end")]
    SessionEnd(SessionEnd),
    /// Deletes a session with all its events and artifacts. The answer follows after the deletion
    /// and has the numbers of deleted items.
    #[serde(rename = "session.delete")]
    SessionDelete(SessionDelete),
    /// Starts a new session with a copy of the conversation up to a turn. The answer is the new
    /// session.
    #[serde(rename = "session.fork")]
    SessionFork(SessionFork),
    /// Exports a session. The answer has `events`, or `data` in another format.
    #[serde(rename = "session.export")]
    SessionExport(SessionExport),
    /// Imports a conversation as a new session. The answer is the new session.
    #[serde(rename = "session.import")]
    SessionImport(SessionImport),
    /// Sends a message and follows the session from here on. The answer follows when the message is
    /// durable and has the turn's id and sequence number.
    #[serde(rename = "chat.send")]
    ChatSend(Box<SessionSend>),
    /// Cancels one turn or all. The answer has `cancelled`, `not_found` or `already_final`, and the
    /// cancelled turns.
    #[serde(rename = "agent.cancel")]
    AgentCancel(Cancel),
    /// Reads a turn. The answer is the turn.
    #[serde(rename = "turn.get")]
    TurnGet(TurnRef),
    /// Interrupts the running turn of one agent or of all. Queued turns follow. The answer is like
    /// that of `agent.cancel`.
    #[serde(rename = "agent.interrupt")]
    AgentInterrupt(Interrupt),
    /// Answers a request for approval. The answer has `approval_id` and `decision`.
    #[serde(rename = "approval.answer")]
    ApprovalAnswer(ApprovalAnswer),
    /// Changes the model of a session. The answer is the session.
    #[serde(rename = "provider.set")]
    ProviderSet(ProviderSet),
    /// Continues an interrupted or waiting turn. The answer is like that of `chat.send`.
    #[serde(rename = "turn.resume")]
    TurnResume(TurnResume),
    /// Pauses a turn until `turn.resume`. Calls that run get their results first. The answer has
    /// the turn's `status`.
    #[serde(rename = "turn.pause")]
    TurnPause(TurnRef),
    /// Lists the turns in the background of all sessions. The answer has `data`.
    #[serde(rename = "background.list")]
    BackgroundList(BackgroundList),
    /// Sends the results of calls that the client has run. The answer follows when the results are
    /// durable and lists the calls that still wait.
    #[serde(rename = "tool.answer")]
    ToolAnswer(ToolAnswer),
    /// Serves tools to every session of the owner. The answer is a `tool.serving`; each call
    /// follows as `tool.call`, also those that still wait from before.
    #[serde(rename = "tool.serve")]
    ToolServe(ToolServe),
    /// Reports progress of a call that this connection runs as a tool worker. The answer says
    /// whether it was shown.
    #[serde(rename = "tool.progress")]
    ToolProgress(ServedCallProgress),
    /// Sends the same request again in a new turn. The answer is like that of `chat.send`.
    #[serde(rename = "turn.retry")]
    TurnRetry(TurnRef),
    /// Sets a line of the profile. The answer is the line.
    #[serde(rename = "memory.set")]
    MemorySet(MemorySet),
    /// Lists the items of memory, newest first. The answer is a `memory.snapshot`.
    #[serde(rename = "memory.get")]
    MemoryGet(MemoryGet),
    /// Searches memory, best match first. The answer is a `memory.snapshot`.
    #[serde(rename = "memory.search")]
    MemorySearch(MemorySearch),
    /// People, places and things with their facts over time. The answer is a graph.
    #[serde(rename = "memory.graph")]
    MemoryGraph(MemoryGraphQuery),
    /// Corrects an item of memory. The answer is the corrected item.
    #[serde(rename = "memory.correct")]
    MemoryCorrect(MemoryCorrect),
    /// Forgets items of memory everywhere. The answer follows after the deletion and lists what was
    /// deleted.
    #[serde(rename = "memory.forget")]
    MemoryForget(MemoryForget),
    /// Changes the title or the description of a memory. The answer is the memory.
    #[serde(rename = "memory.update")]
    MemoryUpdate(MemoryTitleUpdate),
    /// Changes the title or the description of a vault. The answer is the vault.
    #[serde(rename = "vault.update")]
    VaultUpdate(VaultUpdate),
    /// Exports the whole memory. The answer is an archive.
    #[serde(rename = "memory.export")]
    MemoryExport(NoData),
    /// Imports an archive or a file of another program. The answer has the numbers of new items.
    #[serde(rename = "memory.import")]
    MemoryImport(MemoryImport),
    /// Reads the desktop of a session. The answer is the desktop.
    #[serde(rename = "desktop.get")]
    DesktopGet(SessionRef),
    /// Restores an earlier session into a new one. The answer is the new session.
    #[serde(rename = "session.restore")]
    SessionRestore(SessionRestore),
    /// Sends a message to the agent of a window. The answer is like that of `chat.send`.
    #[serde(rename = "window.message")]
    WindowMessage(WindowMessage),
    /// Reports that the user chose an action in a window. The answer is like that of `chat.send`.
    #[serde(rename = "window.action")]
    WindowAction(WindowAction),
    /// Reports what the user did on the desktop. The answer follows when it is durable.
    #[serde(rename = "user.interaction")]
    UserInteraction(UserInteraction),
    /// Reports whether a window could be rendered.
    #[serde(rename = "render.feedback")]
    RenderFeedback(RenderFeedback),
    /// Answers a dialog.
    #[serde(rename = "dialog.answer")]
    DialogAnswer(DialogReply),
    /// Answers a prompt.
    #[serde(rename = "prompt.answer")]
    PromptAnswer(PromptReply),
    /// Dismisses a toast or a notification, or chooses its action.
    #[serde(rename = "toast.action")]
    ToastAction(ToastAction),
    /// Declares that an app is loaded, and its capabilities. The answer restores the app's earlier
    /// state.
    #[serde(rename = "app.ready")]
    AppReady(AppReady),
    /// Sends an app's answer to a request.
    #[serde(rename = "app.response")]
    AppResponse(AppResponse),
    /// Follows a monitor and adds it if it does not exist. After the first such message the
    /// connection receives only the monitors it has named. The answer is the desktop.
    #[serde(rename = "monitor.subscribe")]
    MonitorSubscribe(MonitorRef),
    /// Removes a monitor and everything on it. The answer is the desktop.
    #[serde(rename = "monitor.remove")]
    MonitorRemove(MonitorRef),
    /// Reads the home and follows it: `home.changed` reports later changes. The answer is the home.
    #[serde(rename = "home.follow")]
    HomeFollow(NoData),
    /// Stops `home.changed`.
    #[serde(rename = "home.unfollow")]
    HomeUnfollow(NoData),
    /// Makes a schedule. The answer is the schedule.
    #[serde(rename = "schedule.create")]
    ScheduleCreate(ScheduleCreate),
    /// Lists schedules, the next run first. The answer has `data` and the owner's `zone`.
    #[serde(rename = "schedule.list")]
    ScheduleList(ScheduleList),
    /// Reads a schedule. The answer is the schedule.
    #[serde(rename = "schedule.get")]
    ScheduleGet(ScheduleRef),
    /// Changes a schedule. The answer is the schedule.
    #[serde(rename = "schedule.update")]
    ScheduleUpdate(ScheduleUpdate),
    /// Pauses, resumes, cancels, runs, approves or snoozes a schedule. The answer is the schedule;
    /// for `snooze`, the new one.
    #[serde(rename = "schedule.do")]
    ScheduleDo(ScheduleDo),
    /// Calculates when a schedule would run. The answer has `runs` and `zone`.
    #[serde(rename = "schedule.preview")]
    SchedulePreview(SchedulePreview),
    /// Lists alerts, newest first. The answer has `data`.
    #[serde(rename = "alert.list")]
    AlertList(AlertList),
    /// A person has seen an alert. The answer is the alert.
    #[serde(rename = "alert.seen")]
    AlertSeen(AlertRef),
    /// Lists alerts and follows them: `alert.raised` reports later ones. The answer has `data`.
    #[serde(rename = "alert.follow")]
    AlertFollow(NoData),
    /// Checks the connection. A `pong` is sent in addition to the answer.
    #[serde(rename = "ping")]
    Ping(NoData),
}

/// `chat.send`: a message and its session.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SessionSend {
    /// The session.
    #[serde(flatten)]
    pub session: SessionRef,
    /// The message.
    #[serde(flatten)]
    pub send: ChatSend,
}

/// `session.update`: new settings and their session.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SessionUpdate {
    /// The session.
    #[serde(flatten)]
    pub session: SessionRef,
    /// The settings to change.
    #[serde(flatten)]
    pub update: Update,
}

/// No data.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NoData {}

/// A message from the server. Data for several connections is shared, not copied.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum ServerMessage {
    /// A numbered event.
    Event(Arc<Event>),
    /// Live text or progress.
    Live(LiveUpdate),
    /// A notice that is not part of the session's journal.
    Notice(Notice),
    /// The answer to a request.
    Answer(ServerAnswer),
}

/// A live message without a number.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type")]
pub enum LiveUpdate {
    /// Live text.
    #[serde(rename = "chat.token")]
    Text(Arc<LiveText>),
    /// Live reasoning.
    #[serde(rename = "agent.thinking")]
    Thinking(Arc<LiveText>),
    /// Progress of a tool.
    #[serde(rename = "tool.progress")]
    Progress(Arc<LiveProgress>),
}

/// A notice of the server to one connection. It has no number.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Notice {
    /// The session that the notice is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<SessionId>,
    /// When the notice was sent.
    pub at: Timestamp,
    /// Kind of the notice and its data.
    #[serde(flatten)]
    pub body: NoticeBody,
}

/// Kind of a notice and its data.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", content = "data")]
pub enum NoticeBody {
    /// The connection follows this session from now on.
    #[serde(rename = "session_info")]
    SessionInfo {
        /// The owner of the session.
        user_id: OwnerId,
        /// The session.
        session_id: SessionId,
        /// Id of this connection.
        connection_id: ConnectionId,
        /// Sequence number of the newest event.
        last_seq: u64,
        /// The model of the session.
        model: String,
    },
    /// Status of the connection.
    #[serde(rename = "connection.status")]
    ConnectionStatus {
        /// Always `connected`.
        status: String,
        /// The server's default model.
        model: String,
        /// Id of this connection.
        connection_id: ConnectionId,
    },
    /// The complete desktop of the session, sent when the connection starts to follow it.
    #[serde(rename = "desktop.snapshot")]
    Desktop(DesktopView),
    /// The session was deleted. The connection no longer follows it.
    #[serde(rename = "session.deleted")]
    SessionDeleted {},
    /// The requested items of memory.
    #[serde(rename = "memory.snapshot")]
    MemorySnapshot(MemorySnapshot),
    /// What changed in the home that this connection follows. Sent at most four times a second.
    #[serde(rename = "home.changed")]
    HomeChanged(HomeChanged),
    /// The tools that this connection serves.
    #[serde(rename = "tool.serving")]
    ToolServing(ToolServing),
    /// A call that this connection has to run as a tool worker.
    #[serde(rename = "tool.call")]
    ToolCall(ServedCall),
    /// A delivered call whose result is no longer needed.
    #[serde(rename = "tool.cancel")]
    ToolCancel(ServedCallCancel),
    /// Something needs a person. Sent to connections that follow alerts.
    #[serde(rename = "alert.raised")]
    AlertRaised(Alert),
    /// Reply to `ping`.
    #[serde(rename = "pong")]
    Pong {},
}

/// The answer to a request. Each request with an `id` gets exactly one; a request without an `id`
/// gets one only if it fails.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum ServerAnswer {
    /// The request succeeded.
    Ok {
        /// Id of the request.
        re: RequestId,
        /// The result.
        data: serde_json::Value,
    },
    /// The request failed.
    Error {
        /// Id of the request, if it had one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        re: Option<RequestId>,
        /// The error and what to do about it.
        data: Problem,
    },
}
