//! What can be asked of a session that exists.

use protocol::{
    AgentId, ApprovalAnswer, ApprovalRequest, CallOutcome, ChatSend, Clarification, MemoryUsed, MemoryWritten, Request,
    Response, Stage, Step, TurnError, TurnId, Update,
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
    /// Some questions may have been open for too long.
    ExpireApprovals,
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
}

/// What a turn at work reports. From any other turn it comes too late.
#[derive(Debug, Clone, PartialEq)]
pub enum Report {
    /// It entered a stage.
    Stage(Stage, Option<serde_json::Value>),
    /// What the model is told.
    Used(MemoryUsed),
    /// Something happened.
    Step(Step),
    /// More text.
    Text(String),
    /// More reasoning.
    Thinking(String),
    /// Something is kept for later turns.
    Keep(MemoryWritten),
    /// A person has to say whether a call may run.
    Ask(ApprovalRequest),
    /// Nobody knows whether these calls happened.
    Doubt(Vec<String>),
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
    Failed(TurnError),
    /// Its time is up; what was found so far, if anything was.
    Expired(String, Option<Response>),
}
