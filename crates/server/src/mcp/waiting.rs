//! Waiting for a turn, as one request does: for as long as its client wants to, and no longer than its client is there.
//! Giving up the waiting leaves the turn alone.

use std::{collections::BTreeMap, time::Duration};

use engine::{Delivery, Error};
use protocol::{Accepted, Live, Origin, TurnId, TurnView};
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
    Mcp,
    asking::{self, Asked, Taken},
    continuation::{as_continuation, outcome},
    progress::{Gathered, Progress, in_words, remark},
    trouble::Trouble,
};

/// Rounds of questions that one request asks its client.
const ROUNDS_MAX: usize = 16;
/// How long a user may take for one question.
const ANSWER_MAX: Duration = Duration::from_secs(10 * 60);

/// How a client can be asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    /// By answering its request with what is needed; it comes again.
    ByAnswer,
    /// By a request of ours, while its own is open.
    ByRequest,
    /// Not at all.
    None,
}

impl Way {
    fn of(context: &RequestContext<RoleServer>) -> Self {
        let asks = context.client_capabilities().is_some_and(|capabilities| capabilities.elicitation.is_some());
        let is_new = context.protocol_version().is_some_and(|version| {
            // Versions are dates, which compare as texts.
            version.as_str() >= ProtocolVersion::V_2026_07_28.as_str()
        });
        match (asks, is_new) {
            (false, _) => Self::None,
            (true, true) => Self::ByAnswer,
            (true, false) => Self::ByRequest,
        }
    }
}

/// The form in which a request wants to have its turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// As a turn.
    Continuation,
    /// As the answer of the tool that was called directly.
    Answer,
}

/// A request that waits for a turn.
pub(super) struct Wait<'a> {
    pub(super) mcp: &'a Mcp,
    pub(super) context: &'a RequestContext<RoleServer>,
    /// The call, as the seal knows it.
    pub(super) call: &'a str,
    pub(super) progress: Progress,
    pub(super) patience: Duration,
    pub(super) form: Form,
}

impl Wait<'_> {
    /// Waits for a turn that the request has begun. Its progress is told from the beginning, however late that is looked at.
    pub(super) async fn outcome_of(&self, begun: &Accepted) -> Result<CallToolResponse, Trouble> {
        self.answered(begun.turn_id, Some(begun.seq)).await
    }

    /// Waits for a turn; its progress is told from now on.
    pub(super) async fn outcome(&self, turn_id: TurnId) -> Result<CallToolResponse, Trouble> {
        self.answered(turn_id, None).await
    }

    /// Waits, asks what has to be asked, and answers with what there is then. `told` is the newest number that was told.
    async fn answered(&self, turn_id: TurnId, mut told: Option<u64>) -> Result<CallToolResponse, Trouble> {
        let (hub, owner) = (&self.mcp.hub, &self.mcp.owner);
        let mut end = Instant::now() + self.patience;
        let way = Way::of(self.context);
        for _ in 0..ROUNDS_MAX {
            let turn = self.settled(turn_id, end, &mut told).await?;
            self.mcp.shows_turn(self.context, &turn).await?;
            let asked = asking::asked(hub, owner, &turn).await?;
            if asked.is_empty() || way == Way::None {
                return Ok(self.shown(&turn, &asked).into());
            }
            if way == Way::ByAnswer {
                let state = self.mcp.seal.close(turn_id, owner, self.call);
                return Ok(InputRequiredResult::new(Some(requests(&asked)), Some(state)).into());
            }
            if !self.ask(&turn, &asked).await? {
                return Ok(self.shown(&turn, &asked).into());
            }
            // The time that a person takes is not the turn's.
            end = Instant::now() + self.patience;
        }
        let turn = hub.turn(owner, turn_id).await?;
        self.mcp.shows_turn(self.context, &turn).await?;
        let asked = asking::asked(hub, owner, &turn).await?;
        Ok(self.shown(&turn, &asked).into())
    }

    fn shown(&self, turn: &TurnView, asked: &BTreeMap<String, Asked>) -> CallToolResult {
        match self.form {
            Form::Continuation => as_continuation(turn, asked.values()),
            Form::Answer => outcome(turn, asked.values()),
        }
    }

    /// Asks the client by requests of ours. Whether anything was settled by that.
    async fn ask(&self, turn: &TurnView, asked: &BTreeMap<String, Asked>) -> Result<bool, Error> {
        let mut is_settled = false;
        for question in asked.values() {
            let request = self.context.peer.create_elicitation_with_timeout(question.form(), Some(ANSWER_MAX));
            let said = tokio::select! {
                said = request => said,
                () = self.context.ct.cancelled() => return Ok(false),
            };
            let Ok(said) = said else { return Ok(is_settled) };
            let said = serde_json::to_value(said).unwrap_or_default();
            let taken = asking::answer(&self.mcp.hub, &self.mcp.owner, turn, question, &said).await?;
            is_settled |= taken == Taken::Settled;
        }
        Ok(is_settled)
    }

    /// The turn once it goes on no further by itself, or as it stands when the time is up or the client has gone.
    async fn settled(&self, turn_id: TurnId, end: Instant, told: &mut Option<u64>) -> Result<TurnView, Trouble> {
        let (hub, owner) = (&self.mcp.hub, &self.mcp.owner);
        let turn = hub.turn(owner, turn_id).await?;
        if !turn.status.is_moving() || self.patience.is_zero() {
            return Ok(turn);
        }
        let mut feed = hub.subscribe(owner, turn.session_id, told.unwrap_or(turn.last_seq)).await?;
        let mut gathered = Gathered::default();
        loop {
            let due = gathered.due().filter(|_| self.progress.is_heard()).unwrap_or(end).min(end);
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
                Delivery::Live(Live::Text(live)) if live.turn_id == turn_id => {
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

/// Takes in what a client says to the questions of a turn. What is no answer, or answers nothing, is left alone.
pub(super) async fn take(mcp: &Mcp, turn_id: TurnId, said: &BTreeMap<String, Value>) -> Result<(), Error> {
    let turn = mcp.hub.turn(&mcp.owner, turn_id).await?;
    let asked = asking::asked(&mcp.hub, &mcp.owner, &turn).await?;
    for (name, answer) in said {
        if let Some(question) = asked.get(name) {
            asking::answer(&mcp.hub, &mcp.owner, &turn, question, answer).await?;
        }
    }
    Ok(())
}

/// Questions as the requests that a client is to fulfil.
pub(super) fn requests(asked: &BTreeMap<String, Asked>) -> InputRequests {
    let request = |asked: &Asked| InputRequest::Elicitation(ElicitRequest::new(asked.form()));
    asked.iter().map(|(name, asked)| (name.clone(), request(asked))).collect()
}
