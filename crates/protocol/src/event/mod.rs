//! Events: what happened in a session, numbered without gaps.
//!
//! The same value is written to the journal and sent to clients. A released name on the wire keeps
//! its meaning, and later additions are optional, so every old journal can be loaded.

mod catalog;
mod status;

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    Actions, AgentId, AlertEvent, AppAnswered, AppManifest, AppRequested, ApprovalRequest, ApprovalResolved,
    ClientToolOffer, DialogAnswered, ImportOrigin, Interactions, ItemId, Level, MemoryId, Origin, OwnerId,
    RenderFailure, Request, ResearchChunk, ResearchDone, ResearchStarted, Response, ScheduleEvent, Score, SessionId,
    SessionName, SessionRestored, Settings, Stage, Step, Timestamp, ToastActed, TurnId, WindowAgent,
};

pub use status::{DoubtfulCall, OutcomeQuestion, StatusChanged, Transition};

/// The version of the event format that this program writes. It reads all versions up to this one.
pub const CURRENT_FORMAT: u32 = 1;

/// An event of a session.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Event {
    /// Sequence number within the session. The first event has 1, and there are no gaps.
    pub seq: u64,
    /// The session.
    pub session_id: SessionId,
    /// The turn that the event belongs to, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn_id: Option<TurnId>,
    /// The agent that runs the turn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent_id: Option<AgentId>,
    /// When the event was decided.
    pub at: Timestamp,
    /// The kind of the event and its data.
    #[serde(flatten)]
    pub body: Body,
}

/// Kind of an event and its data.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", content = "data")]
pub enum Body {
    /// The session started. Always the first event.
    #[serde(rename = "session.started")]
    SessionStarted(SessionStarted),
    /// The session's settings changed.
    #[serde(rename = "session.updated")]
    SessionUpdated(SettingsChanged),
    /// The conversation was reset. Earlier messages are no longer in the context.
    #[serde(rename = "session.reset")]
    SessionReset(SessionReset),
    /// The session ended. It accepts no more messages.
    #[serde(rename = "session.ended")]
    SessionEnded(SessionEnded),
    /// A message was accepted and is durable.
    #[serde(rename = "message.accepted")]
    MessageAccepted(MessageAccepted),
    /// A message was added to the running turn.
    #[serde(rename = "message.steered")]
    MessageSteered(MessageSteered),
    /// The turn waits in the queue of its agent.
    #[serde(rename = "message.queued")]
    MessageQueued(MessageQueued),
    /// The turn entered a stage. The first one is `receive`.
    #[serde(rename = "turn.stage")]
    TurnStage(StageEntered),
    /// What the prompt contains beside the message, with the tokens of each part.
    #[serde(rename = "memory.used")]
    MemoryUsed(MemoryUsed),
    /// The list of entities of the home that every later prompt contains. Later turns add only what
    /// has changed since.
    #[serde(rename = "entities.base")]
    EntityBase(EntityBase),
    /// The message is ambiguous. The next message answers the question.
    #[serde(rename = "clarification_needed")]
    Clarification(Clarification),
    /// A step of the turn.
    #[serde(rename = "step")]
    Step(Step),
    /// A call needs approval.
    #[serde(rename = "approval.request")]
    ApprovalRequested(ApprovalRequest),
    /// A request for approval was settled.
    #[serde(rename = "approval.resolved")]
    ApprovalResolved(ApprovalResolved),
    /// Something was stored for later turns, or removed.
    #[serde(rename = "memory.written")]
    MemoryWritten(MemoryWritten),
    /// A new summary of the conversation was written.
    #[serde(rename = "memory.summary_created")]
    SummaryCreated(SummaryCreated),
    /// An agent or the user changed the desktop.
    #[serde(rename = "actions")]
    Actions(Actions),
    /// The user did something on the desktop. Its effects follow as `actions`.
    #[serde(rename = "user.interaction")]
    Interacted(Interactions),
    /// The agent of a window changed.
    #[serde(rename = "window.agent")]
    WindowAgent(WindowAgent),
    /// A client could not render a window.
    #[serde(rename = "render.feedback")]
    RenderFailed(RenderFailure),
    /// A dialog or a prompt was answered. It disappears from all clients.
    #[serde(rename = "dialog.answered")]
    DialogAnswered(DialogAnswered),
    /// A toast was dismissed or its action was chosen. It disappears from all clients.
    #[serde(rename = "toast.action")]
    ToastActed(ToastActed),
    /// An app declared its capabilities.
    #[serde(rename = "app.ready")]
    AppReady(AppManifest),
    /// An app received a request.
    #[serde(rename = "app.request")]
    AppRequested(AppRequested),
    /// An app answered a request, or failed to answer in time.
    #[serde(rename = "app.answered")]
    AppAnswered(AppAnswered),
    /// An earlier session was restored into this one.
    #[serde(rename = "session.restored")]
    SessionRestored(SessionRestored),
    /// Research started.
    #[serde(rename = "research.started")]
    ResearchStarted(ResearchStarted),
    /// A source was found, read or skipped.
    #[serde(rename = "research.chunk")]
    ResearchChunk(ResearchChunk),
    /// Research ended.
    #[serde(rename = "research.done")]
    ResearchDone(ResearchDone),
    /// A client has read untrusted text. Its later calls need approval.
    #[serde(rename = "client.read")]
    ClientRead(ClientRead),
    /// A range of the model's reasoning. The live message has the same name and no number.
    #[serde(rename = "agent.thinking")]
    Thinking(TextDelta),
    /// A range of the answer's text. The live message has the same name and no number.
    #[serde(rename = "chat.token")]
    Text(TextDelta),
    /// The complete answer.
    #[serde(rename = "chat.final")]
    Final(Response),
    /// The client replaced the tools that it offers to the turn.
    #[serde(rename = "turn.tools")]
    ToolsChanged(ClientToolOffer),
    /// The turn's status changed.
    #[serde(rename = "turn.status")]
    TurnStatus(StatusChanged),
    /// Something happened to a schedule.
    #[serde(rename = "schedule")]
    Schedule(ScheduleEvent),
    /// Something happened to an alert.
    #[serde(rename = "alert")]
    Alert(AlertEvent),
}

impl Event {
    /// Whether the event brings untrusted text into its session.
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

/// A client that has read untrusted text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ClientRead {
    /// Name of the client, as given by the client itself.
    pub client: String,
    /// Name of the tool or resource that it read.
    pub what: String,
}

/// How a session started.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SessionStarted {
    /// The owner of the session.
    pub owner: OwnerId,
    /// The client's own name for the session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<SessionName>,
    /// Settings of the session.
    pub settings: Settings,
    /// The session that this one was forked from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub forked_from: Option<ForkOrigin>,
    /// Where the session was imported from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub imported: Option<ImportOrigin>,
    /// Whether the session is temporary: it is deleted when its turns have ended.
    #[serde(default, skip_serializing_if = "crate::turn::is_no")]
    pub temporary: bool,
}

/// The point at which a session was forked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ForkOrigin {
    /// The original session.
    pub session_id: SessionId,
    /// The last turn that was copied, by its id in the original session.
    pub turn_id: TurnId,
}

/// The new settings of a session.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SettingsChanged {
    /// The complete settings from now on.
    pub settings: Settings,
}

/// A reset of the conversation.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct SessionReset {
    /// The caller's reason, as free text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// The end of a session.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct SessionEnded {
    /// The caller's reason, as free text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Whether the session ended because it was idle for too long. Then its status is `expired`,
    /// otherwise `ended`.
    #[serde(default, skip_serializing_if = "crate::turn::is_no")]
    pub expired: bool,
}

/// A message that started a turn.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MessageAccepted {
    /// Id of the turn.
    pub turn_id: TurnId,
    /// The agent that will run the turn.
    pub agent_id: AgentId,
    /// The request.
    #[serde(flatten)]
    pub request: Request,
    /// Idempotency key of the message.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idempotency_key: Option<String>,
    /// The turn that this one retries.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_of: Option<TurnId>,
    /// The turn whose clarifying question this message answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answers: Option<TurnId>,
}

/// A message that was added to a running turn.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MessageSteered {
    /// The running turn.
    pub turn_id: TurnId,
    /// The request.
    #[serde(flatten)]
    pub request: Request,
    /// Idempotency key of the message.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idempotency_key: Option<String>,
}

/// What the prompt contains beside the message.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct MemoryUsed {
    /// Items from memory.
    pub items: Vec<UsedItem>,
    /// The parts of the prompt, in order.
    pub sections: Vec<Section>,
    /// Tokens of all sections together.
    pub tokens: u64,
    /// Maximum number of tokens of the context.
    pub tokens_max: u64,
    /// Whether the prompt contains untrusted text.
    #[serde(skip_serializing_if = "crate::turn::is_no")]
    pub tainted: bool,
    /// Whether untrusted text is in this prompt only, beside what every prompt of the session
    /// contains. Then the answer counts as untrusted too.
    #[serde(skip_serializing_if = "crate::turn::is_no")]
    pub tainted_once: bool,
    /// Digest of the lasting part of the prompt: model, pins, profile, facts and the client's
    /// instructions. The same digest means the same knowledge.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub digest: Option<String>,
    /// Changes of entities since `entities.base`, as the prompt contains them.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub entities: String,
    /// Notices about the search in memory, for the user.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notices: Vec<String>,
}

/// The list of entities that every prompt contains.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct EntityBase {
    /// The list as text.
    pub text: String,
    /// State of each entity that is listed individually, by entity id. Later turns report
    /// differences from it.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub states: BTreeMap<String, String>,
}

/// An item from memory in a prompt.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct UsedItem {
    /// Level of memory that the item comes from.
    pub level: Level,
    /// The text. A long text is shortened; the item with this `id` has all of it.
    pub text: String,
    /// The turn that the item comes from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<TurnId>,
    /// The session that the item comes from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<SessionId>,
    /// Id of the item.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<ItemId>,
    /// Key of the item, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// When it happened, or since when it holds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<Timestamp>,
    /// Until when it held. Absent if it still holds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub valid_until: Option<Timestamp>,
    /// How well the item matched.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<Score>,
}

impl UsedItem {
    /// An item with a level and a text only.
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

/// A section of the prompt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Section {
    /// Name of the section, for example `system` or `recent`.
    pub name: String,
    /// Number of tokens.
    pub tokens: u64,
}

/// A question to the user about an ambiguous message.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Clarification {
    /// The question.
    pub question: String,
    /// Confidence that the message was understood, 0 to 1.
    #[serde(serialize_with = "crate::turn::share")]
    pub confidence: f32,
    /// The most probable intent of the message.
    pub intent: String,
}

/// Something stored for later turns, or removed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MemoryWritten {
    /// Level of memory. A `pin` is text that every later prompt of the session contains.
    pub level: Level,
    /// Key of the item.
    pub key: String,
    /// The text. Absent if the item was removed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    /// Whether the text is trusted.
    #[serde(default)]
    pub origin: Origin,
    /// Id of the item.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<ItemId>,
    /// The turn in which it was said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<TurnId>,
}

/// A summary of a conversation: a new version of its context document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SummaryCreated {
    /// Id of the document.
    pub id: ItemId,
    /// Always `context`.
    pub level: Level,
    /// The memory that holds the conversation.
    pub memory_id: MemoryId,
    /// Version of the document, from 1.
    pub version: u32,
    /// The text.
    pub value: String,
    /// Author of the text: name of a model, or `extract`.
    pub written_by: String,
    /// Whether the text is trusted.
    #[serde(default)]
    pub origin: Origin,
}

/// A turn that waits in the queue.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MessageQueued {
    /// Id of the turn.
    pub turn_id: TurnId,
    /// Position in the queue. 1 is next.
    pub position: u32,
}

/// A stage that a turn entered.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StageEntered {
    /// The stage.
    pub stage: Stage,
    /// Details, depending on the stage.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<serde_json::Value>,
}

/// A range of a turn's text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TextDelta {
    /// Start of the range, in Unicode code points from the beginning of the turn's text.
    pub offset: u64,
    /// The text of the range.
    pub delta: String,
}

/// Live text. It is sent at once and has no number. The journal stores it later as part of a
/// [`Body::Text`] event.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LiveText {
    /// The session.
    pub session_id: SessionId,
    /// The turn.
    pub turn_id: TurnId,
    /// The agent that runs the turn.
    pub agent_id: AgentId,
    /// When it was produced.
    pub at: Timestamp,
    /// The range.
    pub data: TextDelta,
}

/// Live progress of a tool. It is sent at once and is not stored.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LiveProgress {
    /// The session.
    pub session_id: SessionId,
    /// The turn.
    pub turn_id: TurnId,
    /// The agent that runs the turn.
    pub agent_id: AgentId,
    /// When it was reported.
    pub at: Timestamp,
    /// The progress.
    pub data: Progress,
}

/// Progress of a tool.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Progress {
    /// Id of the call within the turn.
    pub call_id: String,
    /// Name of the tool.
    pub tool: String,
    /// `running` while the tool runs.
    pub status: String,
    /// The tool's own description of its progress.
    pub message: String,
    /// Part of the work that is done, 0 to 1, if the tool reports it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub progress: Option<f64>,
}
