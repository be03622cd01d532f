//! The commands that a session accepts.

use protocol::{
    Action, AgentId, AlertEvent, AppOutcome, AppRequestId, AppRequested, ApprovalAnswer, ApprovalRequest, CallOutcome,
    ChatSend, Clarification, ClientRead, ClientToolOffer, Dialog, DialogAnswer, DialogId, EntityBase, Interaction,
    Manifest, MemoryUsed, MemoryWritten, MonitorId, Request, ResearchEvent, Response, ServedTool, Stage, Step,
    Timestamp, ToastId, ToolCall, ToolResult, TurnError, TurnId, Update, Usage, WindowId, WindowPress,
};

use schedule::ScheduleCommand;

use crate::decide::MemoryUpdate;

/// A command to an existing session. The caller generates the ids of new turns.
#[derive(Debug, Clone, PartialEq)]
pub enum Command {
    /// A user sends a message.
    Send {
        /// The id the turn gets if it is accepted.
        turn_id: TurnId,
        /// The message.
        send: ChatSend,
    },
    /// Runs the same request again in a new turn.
    Retry {
        /// The id of the new turn.
        turn_id: TurnId,
        /// The ended turn.
        of: TurnId,
        /// The request of that turn.
        request: Request,
        /// Idempotency key of the retry.
        idempotency_key: Option<String>,
    },
    /// Continues an interrupted or waiting turn.
    Resume {
        /// The turn.
        turn_id: TurnId,
        /// The outcome of the calls in doubt.
        outcome: Option<CallOutcome>,
        /// The call that the outcome is about; `None` means all calls in doubt.
        call_id: Option<String>,
    },
    /// Pauses a turn until it is resumed.
    Pause(TurnId),
    /// Cancels a turn, or all open ones.
    Cancel {
        /// The turn; the caller has found it in this session's journal.
        turn_id: Option<TurnId>,
        /// The reason.
        reason: Option<String>,
    },
    /// Cancels the turn that an agent is running, or that every agent is running. Queued turns run
    /// next.
    Interrupt {
        /// The agent; `None` means every agent.
        agent_id: Option<AgentId>,
    },
    /// Answers an approval request.
    Answer(ApprovalAnswer),
    /// The client reports the results of calls of its own tools.
    AnswerCalls {
        /// The turn.
        turn_id: TurnId,
        /// The results.
        results: Vec<ToolResult>,
        /// The tools that the client offers from now on, if it says so.
        offer: Option<ClientToolOffer>,
    },
    /// Settles questions to the user, to an app or to a client whose deadline has passed.
    Expire,
    /// A message or an act in a window.
    SendToWindow {
        /// The id the turn gets if it is accepted.
        turn_id: TurnId,
        /// The window.
        window_id: WindowId,
        /// The message or the act.
        input: WindowInput,
        /// The tools of the owner's tool workers.
        served: Vec<ServedTool>,
        /// Idempotency key.
        idempotency_key: Option<String>,
    },
    /// The user did something on the desktop.
    Interact(Vec<Interaction>),
    /// The user answers a dialog or a prompt.
    AnswerDialog {
        /// The dialog.
        dialog_id: DialogId,
        /// The answer.
        answer: DialogAnswer,
    },
    /// The user acts on a toast or a notification.
    ActOnToast {
        /// The toast.
        toast_id: ToastId,
        /// The action.
        action: String,
    },
    /// A client could not show a window.
    RenderFailed {
        /// The window.
        window_id: WindowId,
        /// The reason.
        error: String,
    },
    /// An app registers its manifest.
    RegisterApp {
        /// Its window.
        window_id: WindowId,
        /// Proves that the sender is the app of that window.
        token: String,
        /// The manifest.
        manifest: Manifest,
    },
    /// An app answers a request.
    AnswerFromApp {
        /// Its window.
        window_id: WindowId,
        /// Proves that the sender is the app of that window.
        token: String,
        /// The request.
        request_id: AppRequestId,
        /// The answer.
        outcome: AppOutcome,
    },
    /// Adds a monitor; does nothing if it exists.
    AddMonitor(MonitorId),
    /// Removes a monitor and everything on it.
    RemoveMonitor(MonitorId),
    /// A running turn reports something.
    Report {
        /// The turn.
        turn_id: TurnId,
        /// The report.
        report: TurnReport,
    },
    /// The session was loaded: no worker runs the turns that were running.
    Recover,
    /// A follower has derived facts or a summary from the conversation.
    Remember(Vec<MemoryUpdate>),
    /// A client has read text of unknown origin with a call of its own.
    ClientRead(ClientRead),
    /// Changes the settings.
    Update(Update),
    /// Starts the conversation over.
    Reset {
        /// The reason.
        reason: Option<String>,
        /// The version the caller has seen.
        version: Option<u64>,
    },
    /// Ends the session.
    End {
        /// The reason.
        reason: Option<String>,
        /// The version the caller has seen.
        version: Option<u64>,
    },
    /// Something about schedules.
    Schedule(ScheduleCommand),
    /// Schedules are due.
    WakeSchedules,
    /// Something happened to an alert.
    Alert(AlertEvent),
    /// Expires the session if nothing has happened in it since a given time.
    ExpireIdle {
        /// The time.
        before: Timestamp,
    },
}

impl Command {
    /// Whether the command may carry an idempotency key, so that the time is needed only for the
    /// age of that key.
    pub fn is_keyed(&self) -> bool {
        matches!(self, Self::Send { .. } | Self::Retry { .. } | Self::SendToWindow { .. })
    }
}

/// Input to a window.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WindowInput {
    /// A message to the window's agent.
    Message(String),
    /// An act, such as a pressed button.
    Act(WindowPress),
}

/// A report of a running turn. A report of a turn that is not running is too late and has no
/// effect.
#[derive(Debug, Clone, PartialEq)]
pub enum TurnReport {
    /// The turn entered a stage.
    Stage(Stage, Option<serde_json::Value>),
    /// The memory that goes into the prompt.
    Used(MemoryUsed),
    /// The entities that every turn is given from now on.
    Entities(EntityBase),
    /// A step of the turn.
    Step(Step),
    /// More text.
    Text(String),
    /// More reasoning.
    Thinking(String),
    /// Progress of research.
    Research(ResearchEvent),
    /// A memory is written for later turns.
    Keep(MemoryWritten),
    /// Actions on the desktop. They may be refused.
    Act {
        /// Idempotency key of the actions.
        key: String,
        /// The actions.
        actions: Vec<Action>,
        /// The turn whose actions are replayed.
        replay_of: Option<TurnId>,
    },
    /// A question to the user on the desktop. It may be refused.
    AskUser(Dialog),
    /// A request to an app. It may be refused.
    AskApp(AppRequested),
    /// A call needs the user's approval.
    Ask(ApprovalRequest),
    /// The client has to run these calls.
    HandOut(Vec<ToolCall>),
    /// It is unknown whether these calls took effect.
    Doubt {
        /// The calls.
        call_ids: Vec<String>,
        /// What is known about them, in prose.
        why: String,
    },
    /// The message is unclear: the answer is a clarifying question.
    Clarify(Clarification, Response),
    /// The answer.
    Done {
        /// The answer.
        response: Response,
        /// The budget that ran out, if one did.
        reason: Option<String>,
        /// How many steering messages the answer takes into account.
        steers: u32,
    },
    /// The turn cannot go on.
    Failed {
        /// The reason.
        error: TurnError,
        /// Tokens and cost until then.
        usage: Option<Usage>,
    },
    /// The turn's time is up.
    Expired {
        /// The time limit that was reached.
        reason: String,
        /// The partial answer, if there is one.
        found: Option<Response>,
        /// Tokens and cost, if there is no answer.
        usage: Option<Usage>,
    },
}
