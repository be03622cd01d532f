//! Waiting for a turn within one request, until its timeout or until the client disconnects. The
//! turn continues in any case.

use std::{collections::BTreeMap, time::Duration};

use engine::{Delivery, Error};
use protocol::{LiveUpdate, Origin, Scope, TurnAccepted, TurnId, TurnView};
use rmcp::{
    RoleServer,
    model::{
        CallToolResponse, CallToolResult, ElicitRequest, InputRequest, InputRequests, InputRequiredResult,
        ProtocolVersion,
    },
    service::RequestContext,
};
use serde_json::Value;
use tokio::time::Instant;

use super::{
    McpHandler,
    continuation::{as_continuation, outcome},
    error::McpError,
    progress::{ProgressReporter, TextBuffer, in_words, remark},
    questions::{self, AnswerOutcome, TurnQuestion},
    taint::scope,
};

/// Most rounds of questions of one request.
const ROUNDS_MAX: usize = 16;
/// How long a user may take to answer one question.
const ANSWER_MAX: Duration = Duration::from_secs(10 * 60);

/// How a client supports elicitation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ElicitationMode {
    /// Its request is answered with the questions; the client sends it again with the answers.
    ByAnswer,
    /// The server sends requests while the client's own request is open.
    ByRequest,
    /// Not at all.
    None,
}

/// Whether the request is of 2026-07-28 or later, where every request stands alone.
pub(super) fn is_stateless(context: &RequestContext<RoleServer>) -> bool {
    // Versions are dates, so they compare as strings.
    context.protocol_version().is_some_and(|version| version.as_str() >= ProtocolVersion::V_2026_07_28.as_str())
}

impl ElicitationMode {
    fn of(context: &RequestContext<RoleServer>) -> Self {
        let asks = context.client_capabilities().is_some_and(|capabilities| capabilities.elicitation.is_some());
        // An answer may approve a call, so a client that may not act is told of the question only.
        let asks = asks && scope(context) >= Scope::Act;
        match (asks, is_stateless(context)) {
            (false, _) => Self::None,
            (true, true) => Self::ByAnswer,
            (true, false) => Self::ByRequest,
        }
    }
}

/// The form of a request's result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ResultForm {
    /// The continuation of the turn.
    Continuation,
    /// The result of the tool that was called directly.
    Answer,
}

/// A request that waits for a turn.
pub(super) struct TurnWait<'a> {
    pub(super) mcp: &'a McpHandler,
    pub(super) context: &'a RequestContext<RoleServer>,
    /// The call, as identified in the seal.
    pub(super) call: &'a str,
    pub(super) progress: ProgressReporter,
    pub(super) patience: Duration,
    pub(super) form: ResultForm,
}

impl TurnWait<'_> {
    /// Waits for a turn that the request has started, and reports its progress from the start.
    pub(super) async fn outcome_of(&self, begun: &TurnAccepted) -> Result<CallToolResponse, McpError> {
        self.logged(begun.turn_id, Some(begun.seq)).await
    }

    /// Waits for a turn, and reports its progress from now on.
    pub(super) async fn outcome(&self, turn_id: TurnId) -> Result<CallToolResponse, McpError> {
        self.logged(turn_id, None).await
    }

    /// Waits, and logs the turn to a client that asked for that.
    async fn logged(&self, turn_id: TurnId, begun: Option<u64>) -> Result<CallToolResponse, McpError> {
        let log = self.mcp.log_turn(self.context, turn_id, begun).await;
        let response = self.answered(turn_id, begun).await;
        let last = async { self.mcp.hub.turn(&self.mcp.owner, turn_id).await.ok().map(|turn| turn.last_seq) };
        log.flush(last).await;
        response
    }

    /// Waits, asks the open questions, and answers with the turn's state. `told` is the number of
    /// the last reported event.
    async fn answered(&self, turn_id: TurnId, mut told: Option<u64>) -> Result<CallToolResponse, McpError> {
        let (hub, owner) = (&self.mcp.hub, &self.mcp.owner);
        let mut end = Instant::now() + self.patience;
        let way = ElicitationMode::of(self.context);
        for _ in 0..ROUNDS_MAX {
            let turn = self.settled(turn_id, end, &mut told).await?;
            self.mcp.shows_turn(self.context, &turn).await?;
            let asked = questions::questions(hub, owner, &turn).await?;
            if asked.is_empty() || way == ElicitationMode::None {
                return Ok(self.shown(&turn, &asked).into());
            }
            if way == ElicitationMode::ByAnswer {
                let state = self.mcp.seal.close(turn_id, owner, self.call);
                return Ok(InputRequiredResult::new(Some(requests(&asked)), Some(state)).into());
            }
            if !self.ask(&turn, &asked).await? {
                return Ok(self.shown(&turn, &asked).into());
            }
            // The user's time to answer does not count.
            end = Instant::now() + self.patience;
        }
        let turn = hub.turn(owner, turn_id).await?;
        self.mcp.shows_turn(self.context, &turn).await?;
        let asked = questions::questions(hub, owner, &turn).await?;
        Ok(self.shown(&turn, &asked).into())
    }

    fn shown(&self, turn: &TurnView, asked: &BTreeMap<String, TurnQuestion>) -> CallToolResult {
        match self.form {
            ResultForm::Continuation => as_continuation(turn, asked.values()),
            ResultForm::Answer => outcome(turn, asked.values()),
        }
    }

    /// Asks the client with elicitation requests. Returns whether a question was settled.
    async fn ask(&self, turn: &TurnView, asked: &BTreeMap<String, TurnQuestion>) -> Result<bool, Error> {
        let mut is_settled = false;
        for question in asked.values() {
            let request = self.context.peer.create_elicitation_with_timeout(question.form(), Some(ANSWER_MAX));
            let said = tokio::select! {
                said = request => said,
                () = self.context.ct.cancelled() => return Ok(false),
            };
            let Ok(said) = said else { return Ok(is_settled) };
            let said = serde_json::to_value(said).unwrap_or_default();
            let taken = questions::answer(&self.mcp.hub, &self.mcp.owner, turn, question, &said).await?;
            is_settled |= taken == AnswerOutcome::Settled;
        }
        Ok(is_settled)
    }

    /// The turn once it has ended or waits, or its current state at the timeout or when the client
    /// disconnects.
    async fn settled(&self, turn_id: TurnId, end: Instant, told: &mut Option<u64>) -> Result<TurnView, McpError> {
        let (hub, owner) = (&self.mcp.hub, &self.mcp.owner);
        let turn = hub.turn(owner, turn_id).await?;
        if !turn.status.is_moving() || self.patience.is_zero() {
            return Ok(turn);
        }
        let mut feed = hub.subscribe(owner, turn.session_id, told.unwrap_or(turn.last_seq)).await?;
        let mut gathered = TextBuffer::default();
        loop {
            let due = gathered.due().filter(|_| self.progress.has_listener()).unwrap_or(end).min(end);
            let delivery = tokio::select! {
                delivery = feed.next() => delivery?,
                () = tokio::time::sleep_until(due) => {
                    if Instant::now() >= end {
                        return Ok(hub.turn(owner, turn_id).await?);
                    }
                    if let Some(words) = gathered.take() {
                        self.progress.say(words).await;
                    }
                    continue;
                }
                () = self.context.ct.cancelled() => return Ok(hub.turn(owner, turn_id).await?),
            };
            match delivery {
                Delivery::Live(LiveUpdate::Text(live)) if live.turn_id == turn_id => {
                    gathered.add(live.data.offset, &live.data.delta);
                }
                Delivery::Live(live) => {
                    if let Some(words) = remark(&live, turn_id) {
                        self.progress.say(words).await;
                    }
                }
                Delivery::Event(event) if event.turn_id == Some(turn_id) => {
                    *told = Some(event.seq);
                    if event.is_untrusted() {
                        self.mcp.shows(self.context, Origin::Untrusted, "a turn").await?;
                    }
                    if let protocol::Body::Text(range) = &event.body {
                        gathered.add(range.offset, &range.delta);
                    }
                    if let Some(words) = in_words(&event) {
                        self.progress.say(words).await;
                    }
                    if let protocol::Body::TurnStatus(_) = &event.body {
                        let turn = hub.turn(owner, turn_id).await?;
                        if !turn.status.is_moving() {
                            return Ok(turn);
                        }
                    }
                }
                Delivery::Event(_) => {}
            }
        }
    }
}

/// Applies a client's answers to the questions of a turn. Invalid and unknown answers are ignored.
pub(super) async fn take(mcp: &McpHandler, turn_id: TurnId, said: &BTreeMap<String, Value>) -> Result<(), Error> {
    let turn = mcp.hub.turn(&mcp.owner, turn_id).await?;
    let asked = questions::questions(&mcp.hub, &mcp.owner, &turn).await?;
    for (name, answer) in said {
        if let Some(question) = asked.get(name) {
            questions::answer(&mcp.hub, &mcp.owner, &turn, question, answer).await?;
        }
    }
    Ok(())
}

/// The questions as elicitation requests.
pub(super) fn requests(asked: &BTreeMap<String, TurnQuestion>) -> InputRequests {
    let request = |asked: &TurnQuestion| InputRequest::Elicitation(ElicitRequest::new(asked.form()));
    asked.iter().map(|(name, asked)| (name.clone(), request(asked))).collect()
}
