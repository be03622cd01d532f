//! Events: what happened in a session, numbered without gaps.
//!
//! The same value is written to the journal and told to clients. Names on the wire are those of the manual;
//! a name, once released, keeps its meaning, and what is added later is optional, so old journals always load.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    Actions, AgentId, AppAnswered, AppManifest, AppRequested, ApprovalRequest, ApprovalResolved, DialogAnswered,
    ImportOrigin, Interactions, ItemId, Level, MemoryId, Offer, Origin, OwnerId, Rendered, Request, ResearchChunk,
    ResearchDone, ResearchStarted, Response, Restored, Score, SessionId, SessionName, Settings, Stage, Step, Timestamp,
    ToastActed, TurnError, TurnId, TurnStatus, Usage, WindowAgent,
};

/// The version of the event format that this program writes; it reads every version up to it.
pub const CURRENT_FORMAT: u32 = 1;

/// One numbered record of a session.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Event {
    /// Its number: 1 for the first of a session, then without gaps.
    pub seq: u64,
    /// Whose record it is.
    pub session_id: SessionId,
    /// The turn it belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn_id: Option<TurnId>,
    /// The agent that runs the turn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent_id: Option<AgentId>,
    /// When it was decided.
    pub at: Timestamp,
    /// What happened.
    #[serde(flatten)]
    pub body: Body,
}

/// What happened, by name.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", content = "data")]
pub enum Body {
    /// The session began; always number 1.
    #[serde(rename = "session.started")]
    SessionStarted(Started),
    /// The session's settings changed.
    #[serde(rename = "session.updated")]
    SessionUpdated(SettingsChanged),
    /// The conversation starts over: what was said before is no longer in context.
    #[serde(rename = "session.reset")]
    SessionReset(Reset),
    /// The session is over; nothing is accepted any more.
    #[serde(rename = "session.ended")]
    SessionEnded(Ended),
    /// A message was accepted and is durable.
    #[serde(rename = "message.accepted")]
    MessageAccepted(MessageAccepted),
    /// A message went into the running turn.
    #[serde(rename = "message.steered")]
    MessageSteered(MessageSteered),
    /// The turn waits for the agent.
    #[serde(rename = "message.queued")]
    MessageQueued(MessageQueued),
    /// The turn entered a stage; `receive` is its start.
    #[serde(rename = "turn.stage")]
    TurnStage(StageEntered),
    /// What the model is told beside the message, and how many tokens each part takes.
    #[serde(rename = "memory.used")]
    MemoryUsed(MemoryUsed),
    /// What every turn is told of the entities around from now on; later turns are told what has changed since.
    #[serde(rename = "entities.base")]
    EntityBase(EntityBase),
    /// The message is not clear; the next one answers the question.
    #[serde(rename = "clarification_needed")]
    Clarification(Clarification),
    /// Something happened inside the turn.
    #[serde(rename = "step")]
    Step(Step),
    /// A person is asked whether a call may run.
    #[serde(rename = "approval.request")]
    ApprovalRequested(ApprovalRequest),
    /// The question is settled.
    #[serde(rename = "approval.resolved")]
    ApprovalResolved(ApprovalResolved),
    /// Something was kept for later turns, or given up.
    #[serde(rename = "memory.written")]
    MemoryWritten(MemoryWritten),
    /// What the conversation comes to was written anew.
    #[serde(rename = "memory.summary_created")]
    SummaryCreated(SummaryCreated),
    /// Something was done on the desktop, by an agent or by the user.
    #[serde(rename = "actions")]
    Actions(Actions),
    /// The user did something on the desktop; what changed by it follows as `actions`.
    #[serde(rename = "user.interaction")]
    Interacted(Interactions),
    /// The agent of a window has changed.
    #[serde(rename = "window.agent")]
    WindowAgent(WindowAgent),
    /// A window could not be shown.
    #[serde(rename = "render.feedback")]
    RenderFailed(Rendered),
    /// A dialog or a prompt is answered; it is gone from every client.
    #[serde(rename = "dialog.answered")]
    DialogAnswered(DialogAnswered),
    /// Somebody did something with a toast; it is gone from every client.
    #[serde(rename = "toast.action")]
    ToastActed(ToastActed),
    /// An app has said what it can do.
    #[serde(rename = "app.ready")]
    AppReady(AppManifest),
    /// An app is asked something.
    #[serde(rename = "app.request")]
    AppRequested(AppRequested),
    /// An app has answered, or has not.
    #[serde(rename = "app.answered")]
    AppAnswered(AppAnswered),
    /// An earlier session goes on in this one.
    #[serde(rename = "session.restored")]
    SessionRestored(Restored),
    /// Sources are looked for.
    #[serde(rename = "research.started")]
    ResearchStarted(ResearchStarted),
    /// A source was found, read, or left aside.
    #[serde(rename = "research.chunk")]
    ResearchChunk(ResearchChunk),
    /// What came of looking for sources.
    #[serde(rename = "research.done")]
    ResearchDone(ResearchDone),
    /// A client has read text that may be anybody's: what it does from now on is asked about.
    #[serde(rename = "client.read")]
    ClientRead(ClientRead),
    /// A range of the model's reasoning. Live reasoning has the same name and no number.
    #[serde(rename = "agent.thinking")]
    Thinking(Text),
    /// A range of the answer's text. Live text has the same name and no number.
    #[serde(rename = "chat.token")]
    Text(Text),
    /// The whole answer.
    #[serde(rename = "chat.final")]
    Final(Response),
    /// The client offers the turn other tools from now on.
    #[serde(rename = "turn.tools")]
    ToolsChanged(Offer),
    /// The turn's status changed.
    #[serde(rename = "turn.status")]
    TurnStatus(StatusChanged),
}

impl Event {
    /// Whether it brings words into its session that may be anybody's.
    pub fn is_untrusted(&self) -> bool {
        match &self.body {
            Body::MessageAccepted(accepted) => !accepted.request.origin.is_trusted(),
            Body::MessageSteered(steered) => !steered.request.origin.is_trusted(),
            Body::MemoryUsed(used) => used.tainted,
            Body::MemoryWritten(written) => !written.origin.is_trusted(),
            Body::SummaryCreated(summary) => !summary.origin.is_trusted(),
            Body::SessionRestored(restored) => !restored.origin.is_trusted(),
            Body::Step(Step::ToolResult(result)) => !result.origin.is_trusted(),
            Body::SessionStarted(started) => !started.settings.imported.is_empty(),
            Body::SessionUpdated(change) => !change.settings.imported.is_empty(),
            _ => false,
        }
    }
}

/// A client that has read text which may be anybody's.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ClientRead {
    /// The client, by the name it gives itself.
    pub client: String,
    /// What it has read, as the name of a tool or of a resource.
    pub what: String,
}

/// How a session began.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Started {
    /// Whose it is.
    pub owner: OwnerId,
    /// The client's own name for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<SessionName>,
    /// What it is set to.
    pub settings: Settings,
    /// The session it was forked from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub forked_from: Option<ForkOrigin>,
    /// Where it was taken in from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub imported: Option<ImportOrigin>,
    /// Whether it is removed once its turn has ended.
    #[serde(default, skip_serializing_if = "crate::turn::is_no")]
    pub temporary: bool,
}

/// Where a fork left its origin.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ForkOrigin {
    /// The session.
    pub session_id: SessionId,
    /// The last turn that both have in common, by its id in the origin.
    pub turn_id: TurnId,
}

/// New settings, whole.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SettingsChanged {
    /// What the session is set to from now on.
    pub settings: Settings,
}

/// A conversation that starts over.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Reset {
    /// Why, in the caller's words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// The end of a session.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Ended {
    /// Why, in the caller's words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Whether it was idle for too long. Then it is `expired` from now on, otherwise `ended`.
    #[serde(default, skip_serializing_if = "crate::turn::is_no")]
    pub expired: bool,
}

/// A message that became a turn.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MessageAccepted {
    /// The turn's id.
    pub turn_id: TurnId,
    /// The agent that will run it.
    pub agent_id: AgentId,
    /// What was asked.
    #[serde(flatten)]
    pub request: Request,
    /// The key that makes sending it again harmless.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idempotency_key: Option<String>,
    /// The turn this one tries again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_of: Option<TurnId>,
    /// The turn whose clarifying question this message answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answers: Option<TurnId>,
}

/// A message that went into a running turn.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MessageSteered {
    /// The running turn.
    pub turn_id: TurnId,
    /// What was said.
    #[serde(flatten)]
    pub request: Request,
    /// The key that makes sending it again harmless.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idempotency_key: Option<String>,
}

/// What the model is told beside the message.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct MemoryUsed {
    /// What was taken from memory.
    pub items: Vec<UsedItem>,
    /// The parts of the prompt, in order.
    pub sections: Vec<Section>,
    /// Tokens of all parts together.
    pub tokens: u64,
    /// Tokens the context may have.
    pub tokens_max: u64,
    /// Whether some of it may be anybody's words.
    #[serde(skip_serializing_if = "crate::turn::is_no")]
    pub tainted: bool,
    /// Whether that is so by something that is told this once: then what is answered carries it on.
    #[serde(skip_serializing_if = "crate::turn::is_no")]
    pub tainted_once: bool,
    /// What stands for all of it but the conversation: where it is the same, the same was known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub digest: Option<String>,
    /// What has changed around since `entities.base`, as the model was told it.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub entities: String,
    /// What the asker should know of how it was looked for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notices: Vec<String>,
}

/// The entities around, as every turn is told of them.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct EntityBase {
    /// The list, in words.
    pub text: String,
    /// How those stood that are listed one by one, so that what has changed can be told.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub states: BTreeMap<String, String>,
}

/// Something taken from memory.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct UsedItem {
    /// What kind of memory it is.
    pub level: Level,
    /// The words.
    pub text: String,
    /// The turn it comes from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<TurnId>,
    /// The session it comes from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<SessionId>,
    /// Its id in memory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<ItemId>,
    /// The name under which it is kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// When it happened, or since when it holds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<Timestamp>,
    /// Until when it held; none means that it still holds as far as is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub valid_until: Option<Timestamp>,
    /// Why it was found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<Score>,
}

impl UsedItem {
    /// An item of which nothing more is known.
    pub fn text(level: Level, text: impl Into<String>) -> Self {
        Self {
            level,
            text: text.into(),
            source: None,
            session_id: None,
            id: None,
            key: None,
            at: None,
            valid_until: None,
            score: None,
        }
    }
}

/// A part of the prompt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Section {
    /// Which, as in `system` or `recent`.
    pub name: String,
    /// How many tokens it takes.
    pub tokens: u64,
}

/// A question back to the user.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Clarification {
    /// The question.
    pub question: String,
    /// How surely the message was understood.
    #[serde(serialize_with = "crate::turn::share")]
    pub confidence: f32,
    /// What it was taken for.
    pub intent: String,
}

/// Something kept for later turns.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MemoryWritten {
    /// What kind: `pin` is text that every later turn of the session is told.
    pub level: Level,
    /// Its name.
    pub key: String,
    /// The text; none means that it was given up.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    /// Whose words it is.
    #[serde(default)]
    pub origin: Origin,
    /// Its id in memory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<ItemId>,
    /// The turn in which it was said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<TurnId>,
}

/// What a conversation comes to: a new version of its context document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SummaryCreated {
    /// Its id in memory.
    pub id: ItemId,
    /// Always `context`.
    pub level: Level,
    /// The memory of the conversation.
    pub memory_id: MemoryId,
    /// Which version.
    pub version: u32,
    /// The text.
    pub value: String,
    /// Who wrote it: a model's name, or `extract`.
    pub written_by: String,
    /// Whose words it may hold.
    #[serde(default)]
    pub origin: Origin,
}

/// A turn that waits in the queue.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MessageQueued {
    /// The turn's id.
    pub turn_id: TurnId,
    /// 1 is next.
    pub position: u32,
}

/// A stage that a turn entered.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StageEntered {
    /// Which.
    pub stage: Stage,
    /// More, by stage.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<serde_json::Value>,
}

/// A range of a turn's text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Text {
    /// Where the range begins, in Unicode code points from the start of the turn's text.
    pub offset: u64,
    /// The text of the range.
    pub delta: String,
}

/// What a turn went over to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Transition {
    /// It goes on after an interruption; text from `text_offset` on comes anew.
    Resumed,
    /// It needs an answer from somebody.
    Waiting,
    /// The server stopped while it ran.
    Interrupted,
    /// Answered.
    Completed,
    /// Ended by an error.
    Failed,
    /// Ended by a cancel.
    Cancelled,
    /// Its time ran out.
    Expired,
}

impl Transition {
    /// The status a turn has after it.
    pub const fn status(self) -> TurnStatus {
        match self {
            Self::Resumed => TurnStatus::Running,
            Self::Waiting => TurnStatus::Waiting,
            Self::Interrupted => TurnStatus::Interrupted,
            Self::Completed => TurnStatus::Completed,
            Self::Failed => TurnStatus::Failed,
            Self::Cancelled => TurnStatus::Cancelled,
            Self::Expired => TurnStatus::Expired,
        }
    }
}

/// A turn's status changed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StatusChanged {
    /// What it went over to.
    pub status: Transition,
    /// Why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// What went wrong.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<TurnError>,
    /// With `resumed`: which attempt this is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attempt: Option<u32>,
    /// With `resumed`: text from this offset on is void and is streamed anew.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text_offset: Option<u64>,
    /// With `waiting`: what is asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub question: Option<Question>,
    /// With an end that has no answer: what the turn took all the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
}

/// Something only a person can know: did these calls happen?
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Question {
    /// The question in words.
    pub text: String,
    /// The calls it is about.
    pub calls: Vec<DoubtfulCall>,
}

/// A call whose outcome nobody knows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DoubtfulCall {
    /// The call.
    pub call_id: String,
    /// The tool.
    pub tool: String,
    /// The exact arguments.
    pub arguments: serde_json::Value,
}

impl StatusChanged {
    /// A change with nothing more to say.
    pub const fn to(status: Transition) -> Self {
        Self { status, reason: None, error: None, attempt: None, text_offset: None, question: None, usage: None }
    }

    /// The same, with a reason.
    #[must_use]
    pub fn because(mut self, reason: impl Into<String>) -> Self {
        self.reason = Some(reason.into());
        self
    }
}

/// Text on its way: told at once, numbered later as part of a [`Body::Text`] record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LiveText {
    /// Whose session.
    pub session_id: SessionId,
    /// Whose turn.
    pub turn_id: TurnId,
    /// Which agent.
    pub agent_id: AgentId,
    /// When.
    pub at: Timestamp,
    /// The range.
    pub data: Text,
}

/// How far a tool is: told at once, and not kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LiveProgress {
    /// Whose session.
    pub session_id: SessionId,
    /// Whose turn.
    pub turn_id: TurnId,
    /// Which agent.
    pub agent_id: AgentId,
    /// When.
    pub at: Timestamp,
    /// What.
    pub data: Progress,
}

/// How far a tool is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Progress {
    /// The call.
    pub call_id: String,
    /// The tool.
    pub tool: String,
    /// `running` while it runs.
    pub status: String,
    /// In the tool's words.
    pub message: String,
}
