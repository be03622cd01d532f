//! What can be asked of a session that exists.

use protocol::{ChatSend, Request, Response, Stage, Step, TurnError, TurnId, Update};

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
    /// Let an interrupted turn go on.
    Resume {
        /// Which.
        turn_id: TurnId,
    },
    /// Stop a turn, or all open ones.
    Cancel {
        /// Which; the caller has found it in this session's journal.
        turn_id: Option<TurnId>,
        /// Why.
        reason: Option<String>,
    },
    /// The running turn entered a stage.
    Enter {
        /// Which turn.
        turn_id: TurnId,
        /// Which stage.
        stage: Stage,
    },
    /// Something happened inside the running turn.
    Step {
        /// Which turn.
        turn_id: TurnId,
        /// What.
        step: Step,
    },
    /// The running turn's text went on.
    Text {
        /// Which turn.
        turn_id: TurnId,
        /// What follows the text so far.
        delta: String,
    },
    /// The running turn has its answer.
    Finish {
        /// Which turn.
        turn_id: TurnId,
        /// The answer.
        response: Response,
    },
    /// The running turn cannot go on.
    Fail {
        /// Which turn.
        turn_id: TurnId,
        /// Why.
        error: TurnError,
    },
    /// The running turn's time is up.
    Expire {
        /// Which turn.
        turn_id: TurnId,
        /// Which budget ran out.
        reason: String,
    },
    /// The session was loaded: nobody works on what was running.
    Recover,
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
