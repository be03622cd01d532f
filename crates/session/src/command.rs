//! What can be asked of a session that exists.

use protocol::{
    Action, AgentId, AppOutcome, AppRequestId, AppRequested, ApprovalAnswer, ApprovalRequest, CallOutcome, ChatSend,
    Clarification, ClientRead, Dialog, DialogAnswer, DialogId, EntityBase, Interaction, Manifest, MemoryUsed,
    MemoryWritten, MonitorId, Offer, Request, Research, Response, Stage, Step, Timestamp, ToastId, ToolCall,
    ToolResult, TurnError, TurnId, Update, Usage, WindowAct, WindowId,
};

use crate::decide::Remembered;

/// What can be asked of a session that exists. Ids of new turns come with it, drawn by the caller.
#[derive(Debug, Clone, PartialEq)]
pub enum Command {
    /// A user says something.
    Send {
        /// The id the turn gets if it is accepted.
        turn_id: TurnId,
        /// What is said.
        send: ChatSend,
    },
    /// Ask the same again in a new turn.
    Retry {
        /// The id of the new turn.
        turn_id: TurnId,
        /// The ended turn.
        of: TurnId,
        /// What it was asked.
        request: Request,
        /// The key that makes asking for the retry again harmless.
        idempotency_key: Option<String>,
    },
    /// Let an interrupted or waiting turn go on.
    Resume {
        /// Which.
        turn_id: TurnId,
        /// What became of the calls in doubt.
        outcome: Option<CallOutcome>,
        /// Which of them; none means all.
        call_id: Option<String>,
    },
    /// Stop a turn, or all open ones.
    Cancel {
        /// Which; the caller has found it in this session's journal.
        turn_id: Option<TurnId>,
        /// Why.
        reason: Option<String>,
    },
    /// Stop what an agent works on, or every agent; what waits in line comes next.
    Interrupt {
        /// Which agent.
        agent_id: Option<AgentId>,
    },
    /// Answer a question whether a call may run.
    Answer(ApprovalAnswer),
    /// The client tells what came of calls of its own tools.
    AnswerCalls {
        /// Which turn.
        turn_id: TurnId,
        /// What came of them.
        results: Vec<ToolResult>,
        /// What the client offers from now on, if that is told.
        offer: Option<Offer>,
    },
    /// Some questions, to the user, to an app or to a client, may have been open for too long.
    Expire,
    /// Something is said, or pressed, in a window.
    SendToWindow {
        /// The id the turn gets if it is accepted.
        turn_id: TurnId,
        /// Which window.
        window_id: WindowId,
        /// What.
        input: WindowInput,
        /// The key that makes sending it again harmless.
        idempotency_key: Option<String>,
    },
    /// The user did something on the desktop.
    Interact(Vec<Interaction>),
    /// The user answers a dialog or a prompt.
    AnswerDialog {
        /// Which.
        dialog_id: DialogId,
        /// How.
        answer: DialogAnswer,
    },
    /// The user does something with a toast or a notification.
    ActOnToast {
        /// Which.
        toast_id: ToastId,
        /// What.
        action: String,
    },
    /// A client could not show a window.
    RenderFailed {
        /// Which.
        window_id: WindowId,
        /// Why.
        error: String,
    },
    /// An app says what it can do.
    RegisterApp {
        /// Its window.
        window_id: WindowId,
        /// What proves that it is the app of that window.
        token: String,
        /// What it says of itself.
        manifest: Manifest,
    },
    /// An app answers.
    AnswerFromApp {
        /// Its window.
        window_id: WindowId,
        /// What proves that it is the app of that window.
        token: String,
        /// Which request.
        request_id: AppRequestId,
        /// What it answers.
        outcome: AppOutcome,
    },
    /// A monitor is wanted; nothing happens if it is there.
    AddMonitor(MonitorId),
    /// A monitor is not wanted any more, nor anything on it.
    RemoveMonitor(MonitorId),
    /// Something a turn at work reports.
    Report {
        /// Which turn.
        turn_id: TurnId,
        /// What.
        report: Report,
    },
    /// The session was loaded: nobody works on what was running.
    Recover,
    /// A follower has made something of the conversation.
    Remember(Vec<Remembered>),
    /// A client has read words that may be anybody's, by a call of its own.
    ClientRead(ClientRead),
    /// Change the settings.
    Update(Update),
    /// Start the conversation over.
    Reset {
        /// Why.
        reason: Option<String>,
        /// The version the caller has seen.
        version: Option<u64>,
    },
    /// End the session.
    End {
        /// Why.
        reason: Option<String>,
        /// The version the caller has seen.
        version: Option<u64>,
    },
    /// Let the session expire, if nothing has happened in it since a moment.
    ExpireIdle {
        /// The moment.
        before: Timestamp,
    },
}

impl Command {
    /// Whether it may come with an idempotency key, and the time is asked for that key's age alone.
    pub fn is_keyed(&self) -> bool {
        matches!(self, Self::Send { .. } | Self::Retry { .. } | Self::SendToWindow { .. })
    }
}

/// What is said or pressed in a window.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WindowInput {
    /// Words to its agent.
    Message(String),
    /// Something was pressed.
    Act(WindowAct),
}

/// What a turn at work reports. From any other turn it comes too late.
#[derive(Debug, Clone, PartialEq)]
pub enum Report {
    /// It entered a stage.
    Stage(Stage, Option<serde_json::Value>),
    /// What the model is told.
    Used(MemoryUsed),
    /// What every turn is told of the entities around from now on.
    Entities(EntityBase),
    /// Something happened.
    Step(Step),
    /// More text.
    Text(String),
    /// More reasoning.
    Thinking(String),
    /// Sources are looked for.
    Research(Research),
    /// Something is kept for later turns.
    Keep(MemoryWritten),
    /// Something is done on the desktop. It may be refused.
    Act {
        /// The key that makes doing it again harmless.
        key: String,
        /// What.
        actions: Vec<Action>,
        /// The turn whose actions these are once more.
        replay_of: Option<TurnId>,
    },
    /// The user is asked something on the desktop. It may be refused.
    AskUser(Dialog),
    /// An app is asked something. It may be refused.
    AskApp(AppRequested),
    /// A person has to say whether a call may run.
    Ask(ApprovalRequest),
    /// The client is to run these calls.
    HandOut(Vec<ToolCall>),
    /// Nobody knows whether these calls happened.
    Doubt {
        /// Which.
        call_ids: Vec<String>,
        /// What is known of them, in words.
        why: String,
    },
    /// The message is not clear: the answer is a question.
    Clarify(Clarification, Response),
    /// The answer.
    Done {
        /// What is answered.
        response: Response,
        /// The budget that ran out before it, if one did.
        reason: Option<String>,
        /// How many of the messages that came in between it knows of.
        steers: u32,
    },
    /// It cannot go on.
    Failed {
        /// Why.
        error: TurnError,
        /// What it took all the same.
        usage: Option<Usage>,
    },
    /// Its time is up.
    Expired {
        /// Which time.
        reason: String,
        /// What was found so far, if anything was.
        found: Option<Response>,
        /// What it took, where nothing was found.
        usage: Option<Usage>,
    },
}
