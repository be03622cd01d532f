//! The envelopes of the WebSocket.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    AgentRef, AppReady, AppResponse, ApprovalAnswer, Cancel, ChatSend, ConnectionId, Delete, DesktopView, DialogReply,
    End, Event, Fork, HomeChanged, Interrupt, LiveProgress, LiveText, MemoryCorrect, MemoryForget, MemoryGet,
    MemoryImport, MemorySearch, MemorySet, MemorySnapshot, MonitorRef, OwnerId, Problem, PromptReply, ProviderSet,
    RenderFeedback, Restore, Resume, SessionExport, SessionId, SessionImport, SessionList, SessionRef, Start,
    Timestamp, ToastAction, ToolAnswer, TurnRef, TurnResume, Update, UserInteraction, WindowAction, WindowMessage,
};

/// A client's own number or word for a request, given back in the answer.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum RequestId {
    /// A number.
    Number(i64),
    /// A word.
    Text(String),
}

/// A message from a client before its data is read, so that an error can be answered to its `id`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClientEnvelope<'a> {
    /// The message's name.
    #[serde(rename = "type")]
    pub kind: String,
    /// The client's id for it.
    #[serde(default)]
    pub id: Option<RequestId>,
    /// Its data.
    #[serde(default, borrow)]
    pub data: Option<&'a serde_json::value::RawValue>,
}

/// A message from a client, by name.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", content = "data")]
pub enum ClientBody {
    /// Begin a session and follow it. Answered by the session.
    #[serde(rename = "session.start")]
    SessionStart(Start),
    /// Follow a session from a number on. Answered by the session.
    #[serde(rename = "session.resume")]
    SessionResume(Resume),
    /// A session as it stands. Answered by the session.
    #[serde(rename = "session.get")]
    SessionGet(SessionRef),
    /// The context window of an agent. Answered by the window.
    #[serde(rename = "session.window")]
    SessionWindow(AgentRef),
    /// The owner's sessions, all or those that are looked for. Answered by `data` and `next_cursor`.
    #[serde(rename = "session.list")]
    SessionList(SessionList),
    /// Change a session's settings. Answered by the session.
    #[serde(rename = "session.update")]
    SessionUpdate(SessionUpdate),
    /// Start the conversation over. Answered by the session.
    #[serde(rename = "session.reset")]
    SessionReset(End),
    /// End a session. Answered by the session.
    #[serde(rename = "session.end")]
    SessionEnd(End),
    /// Delete a session with all that was said in it, for good. Answered once it is gone, by how much that was.
    #[serde(rename = "session.delete")]
    SessionDelete(Delete),
    /// A new session that shares the past up to a turn. Answered by the new session.
    #[serde(rename = "session.fork")]
    SessionFork(Fork),
    /// A session to take elsewhere. Answered by `events`, or in another format by `data`.
    #[serde(rename = "session.export")]
    SessionExport(SessionExport),
    /// Make a session of a conversation from elsewhere. Answered by the new session.
    #[serde(rename = "session.import")]
    SessionImport(SessionImport),
    /// Say something, and follow the session from here on. Answered by the turn's id and number once it is durable.
    #[serde(rename = "chat.send")]
    ChatSend(Box<SessionSend>),
    /// Stop a turn, or all. Answered by `cancelled`, `not_found` or `already_final` and the turns it stopped.
    #[serde(rename = "agent.cancel")]
    AgentCancel(Cancel),
    /// A turn as it stands. Answered by the turn.
    #[serde(rename = "turn.get")]
    TurnGet(TurnRef),
    /// Stop what an agent, or every agent, works on; what waits in line comes next. Answered like `agent.cancel`.
    #[serde(rename = "agent.interrupt")]
    AgentInterrupt(Interrupt),
    /// Answer a question whether a call may run. Answered by `approval_id` and `decision`.
    #[serde(rename = "approval.answer")]
    ApprovalAnswer(ApprovalAnswer),
    /// Change the model of a session. Answered by the session.
    #[serde(rename = "provider.set")]
    ProviderSet(ProviderSet),
    /// Let an interrupted or waiting turn go on. Answered like `chat.send`.
    #[serde(rename = "turn.resume")]
    TurnResume(TurnResume),
    /// What came of calls that a turn waits for its client to run. Answered once the results are durable, by the calls that
    /// still wait.
    #[serde(rename = "tool.answer")]
    ToolAnswer(ToolAnswer),
    /// Ask the same again in a new turn. Answered like `chat.send`.
    #[serde(rename = "turn.retry")]
    TurnRetry(TurnRef),
    /// Set a line of the profile. Answered by the line.
    #[serde(rename = "memory.set")]
    MemorySet(MemorySet),
    /// What memory holds, newest first. Answered by a `memory.snapshot` and its data.
    #[serde(rename = "memory.get")]
    MemoryGet(MemoryGet),
    /// What fits a question, best first. Answered by a `memory.snapshot` and its data.
    #[serde(rename = "memory.search")]
    MemorySearch(MemorySearch),
    /// Put right what is wrong. Answered by the item that is right.
    #[serde(rename = "memory.correct")]
    MemoryCorrect(MemoryCorrect),
    /// Forget, everywhere. Answered once it is gone, by what is gone.
    #[serde(rename = "memory.forget")]
    MemoryForget(MemoryForget),
    /// All that memory holds. Answered by an archive.
    #[serde(rename = "memory.export")]
    MemoryExport(Empty),
    /// Take in an archive, or what another program wrote. Answered by how much of it is new.
    #[serde(rename = "memory.import")]
    MemoryImport(MemoryImport),
    /// A session's desktop as it stands. Answered by the desktop.
    #[serde(rename = "desktop.get")]
    DesktopGet(SessionRef),
    /// An earlier session goes on in a new one. Answered by the new session.
    #[serde(rename = "session.restore")]
    SessionRestore(Restore),
    /// Words to the agent of a window. Answered like `chat.send`.
    #[serde(rename = "window.message")]
    WindowMessage(WindowMessage),
    /// Something was pressed in a window. Answered like `chat.send`.
    #[serde(rename = "window.action")]
    WindowAction(WindowAction),
    /// The user did something on the desktop. Answered once it is durable.
    #[serde(rename = "user.interaction")]
    UserInteraction(UserInteraction),
    /// Whether a window could be shown.
    #[serde(rename = "render.feedback")]
    RenderFeedback(RenderFeedback),
    /// Answer a dialog.
    #[serde(rename = "dialog.answer")]
    DialogAnswer(DialogReply),
    /// Answer a prompt.
    #[serde(rename = "prompt.answer")]
    PromptAnswer(PromptReply),
    /// Do something with a toast or a notification.
    #[serde(rename = "toast.action")]
    ToastAction(ToastAction),
    /// An app is loaded and says what it can do. Answered by what brings it back to where it was.
    #[serde(rename = "app.ready")]
    AppReady(AppReady),
    /// What an app answers.
    #[serde(rename = "app.response")]
    AppResponse(AppResponse),
    /// Look at a monitor, which is added if there is none of that name; from the first one on, only at those that were
    /// asked for. Answered by the desktop.
    #[serde(rename = "monitor.subscribe")]
    MonitorSubscribe(MonitorRef),
    /// Remove a monitor with all that is on it. Answered by the desktop.
    #[serde(rename = "monitor.remove")]
    MonitorRemove(MonitorRef),
    /// The home as it stands, and from then on `home.changed` as it changes. Answered by the home.
    #[serde(rename = "home.follow")]
    HomeFollow(Empty),
    /// No more `home.changed`.
    #[serde(rename = "home.unfollow")]
    HomeUnfollow(Empty),
    /// Are you there? A `pong` comes beside the answer.
    #[serde(rename = "ping")]
    Ping(Empty),
}

/// `chat.send`: a message and where it goes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SessionSend {
    /// Which session.
    #[serde(flatten)]
    pub session: SessionRef,
    /// What is said.
    #[serde(flatten)]
    pub send: ChatSend,
}

/// `session.update`: a change and where it goes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SessionUpdate {
    /// Which session.
    #[serde(flatten)]
    pub session: SessionRef,
    /// What changes.
    #[serde(flatten)]
    pub update: Update,
}

/// No data.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Empty {}

/// A message from the server. What many connections are told is shared, not copied.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum ServerMessage {
    /// A numbered event.
    Event(Arc<Event>),
    /// Text on its way.
    Live(Live),
    /// Something about the connection rather than the session's journal.
    Notice(Notice),
    /// The answer to a request.
    Answer(Answer),
}

/// Live text under its wire name.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type")]
pub enum Live {
    /// Text on its way.
    #[serde(rename = "chat.token")]
    Text(Arc<LiveText>),
    /// Reasoning on its way.
    #[serde(rename = "agent.thinking")]
    Thinking(Arc<LiveText>),
    /// How far a tool is.
    #[serde(rename = "tool.progress")]
    Progress(Arc<LiveProgress>),
}

/// Something unnumbered that the server tells a connection.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Notice {
    /// The session it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<SessionId>,
    /// When.
    pub at: Timestamp,
    /// What.
    #[serde(flatten)]
    pub body: NoticeBody,
}

/// What a notice says, by name.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", content = "data")]
pub enum NoticeBody {
    /// The connection follows this session from now on.
    #[serde(rename = "session_info")]
    SessionInfo {
        /// Whose.
        user_id: OwnerId,
        /// Which.
        session_id: SessionId,
        /// This connection.
        connection_id: ConnectionId,
        /// The number of the newest event.
        last_seq: u64,
        /// The model that answers.
        model: String,
    },
    /// How the connection stands.
    #[serde(rename = "connection.status")]
    ConnectionStatus {
        /// `connected`.
        status: String,
        /// The server's default model.
        model: String,
        /// This connection.
        connection_id: ConnectionId,
    },
    /// The session's desktop, whole, when the connection begins to follow it.
    #[serde(rename = "desktop.snapshot")]
    Desktop(DesktopView),
    /// The session was deleted: it is no longer followed, and nothing more comes of it.
    #[serde(rename = "session.deleted")]
    SessionDeleted {},
    /// What memory holds, as it was asked for.
    #[serde(rename = "memory.snapshot")]
    MemorySnapshot(MemorySnapshot),
    /// What has changed in the home that this connection follows, at most four times a second.
    #[serde(rename = "home.changed")]
    HomeChanged(HomeChanged),
    /// Here.
    #[serde(rename = "pong")]
    Pong {},
}

/// The one answer to a request that has an `id`; an error without one is answered too.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Answer {
    /// It was done.
    Ok {
        /// The request's id.
        re: RequestId,
        /// What came of it.
        data: serde_json::Value,
    },
    /// It was not done.
    Error {
        /// The request's id.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        re: Option<RequestId>,
        /// Why, and what to do.
        data: Problem,
    },
}
