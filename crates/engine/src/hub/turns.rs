//! Turns: send, cancel, resume, retry, get, wait.

use std::{borrow::Cow, time::Duration};

use model::workers;
use protocol::{
    Body, Cancel, CancelOutcome, CancelResult, ChatSend, EarlyAnswer, Interrupt, LiveUpdate, MessageTrust, OwnerId,
    Request, SessionId, SessionRef, TurnAccepted, TurnId, TurnResume, TurnStatus, TurnView,
};
use serde_json::Value;
use session::{Command, CommandOutcome, fold_turns};

use tokio::time::Instant;

use super::Hub;
use crate::{Delivery, Error, observation::number};

/// Characters of a direct call that are shown as the message.
const CALL_CHARS_MAX: usize = 400;

impl Hub {
    /// Sends a message to a session. The answer means that it is durable.
    pub async fn send(&self, owner: &OwnerId, session: &SessionRef, send: ChatSend) -> Result<TurnAccepted, Error> {
        self.check_model(send.model.as_deref(), None).await?;
        self.check_key(send.idempotency_key.as_deref())?;
        let send = self.with_images(send).await?;
        let send = workers::offload(send.message.len(), || self.without_secrets(send)).await;
        let session_id = self.find(owner, session, true).await?;
        self.check_offer(owner, session_id, &send.offer(), send.model.as_deref()).await?;
        self.check_sent_settings(owner, session_id, &send).await?;
        let (schema, model) = (send.response_schema.as_ref(), send.model.as_deref());
        self.check_response_schema(owner, session_id, schema, model).await?;
        let send = self.with_served_tools(owner, send);
        let (turn_id, early_wait) = (self.new_turn_id(), send.early_wait_ms.map(Duration::from_millis));
        let outcome = self.command(owner, session_id, Command::Send { turn_id, send }).await?;
        let mut accepted = accepted(session_id, outcome)?;
        if let Some(patience) = early_wait {
            // The message is accepted, whatever happens to the wait.
            accepted.early = self.wait_for_words(owner, accepted.turn_id, patience).await.ok();
        }
        Ok(accepted)
    }

    /// The message with the tools that the owner's workers serve now.
    fn with_served_tools(&self, owner: &OwnerId, send: ChatSend) -> ChatSend {
        // Direct calls run without a model. A worker may do anything, so a turn that may only read
        // has none.
        let is_needed = send.allow_tools && send.calls.is_empty() && !send.way.reads_only;
        let served = if is_needed { self.served_tools(owner, send.tools.len()) } else { Vec::new() };
        ChatSend { served, ..send }
    }

    /// Secrets never reach the journal or the model.
    fn without_secrets(&self, mut send: ChatSend) -> ChatSend {
        send.message = self.redact(send.message);
        for call in &mut send.calls {
            let arguments = Value::Object(std::mem::take(&mut call.arguments));
            if let Value::Object(arguments) = self.services().redactor.redact_json(arguments) {
                call.arguments = arguments;
            }
        }
        if send.message.is_empty() {
            // The text that lists of turns show.
            let shown =
                send.calls.iter().map(|call| format!("{} {}", call.tool, Value::Object(call.arguments.clone())));
            send.message = shown.map(|call| excerpt(&call)).collect::<Vec<_>>().join("\n");
        }
        if let Some(hints) = &mut send.planner_hints {
            for text in hints.focus_areas.iter_mut().chain(&mut hints.prefer_tools).chain(&mut hints.avoid_tools) {
                *text = self.redact(std::mem::take(text));
            }
        }
        send.tools = self.redact_tools(send.tools);
        send
    }

    /// A client's text, redacted.
    pub(super) fn redact(&self, text: String) -> String {
        match self.services().redactor.redact(&text) {
            Cow::Owned(redacted) => redacted,
            Cow::Borrowed(_) => text,
        }
    }

    /// Waits for a turn's first text or its end, at most as long as given.
    async fn wait_for_words(&self, owner: &OwnerId, turn_id: TurnId, patience: Duration) -> Result<EarlyAnswer, Error> {
        let is_enough = |delivery: &Delivery| match delivery {
            Delivery::Live(LiveUpdate::Text(live)) => live.turn_id == turn_id,
            Delivery::Live(_) => false,
            Delivery::Event(event) => event.turn_id == Some(turn_id) && matches!(&event.body, Body::Text(_)),
        };
        let turn = self.watch_turn(owner, turn_id, patience, |turn| !turn.text.is_empty(), is_enough).await?;
        let is_there = !turn.text.is_empty() || !turn.status.is_moving();
        Ok(EarlyAnswer { late: !is_there, status: turn.status, text: turn.text })
    }

    /// Cancels a turn, or all open turns of a session.
    pub async fn cancel(&self, owner: &OwnerId, asked: Cancel) -> Result<CancelResult, Error> {
        let session_id = self.find(owner, &asked.session, false).await?;
        if let Some(turn_id) = asked.turn_id {
            let found = self.services().store.turn_place(turn_id).await?;
            if found.is_none_or(|place| place.session_id != session_id) {
                return Ok(CancelResult { status: CancelOutcome::NotFound, turn_ids: Vec::new() });
            }
        }
        let command =
            Command::Cancel { turn_id: asked.turn_id, reason: asked.reason.map(|reason| self.redact(reason)) };
        Ok(match self.command(owner, session_id, command).await? {
            CommandOutcome::Cancelled(turn_ids) => CancelResult { status: CancelOutcome::Cancelled, turn_ids },
            _ => CancelResult { status: CancelOutcome::AlreadyFinal, turn_ids: Vec::new() },
        })
    }

    /// Cancels a turn by its id alone.
    pub async fn cancel_turn(
        &self,
        owner: &OwnerId,
        turn_id: TurnId,
        reason: Option<String>,
    ) -> Result<CancelResult, Error> {
        match self.turn(owner, turn_id).await {
            Ok(turn) => {
                self.cancel(owner, Cancel { session: turn.session_id.into(), turn_id: Some(turn_id), reason }).await
            }
            Err(Error::NoTurn) => Ok(CancelResult { status: CancelOutcome::NotFound, turn_ids: Vec::new() }),
            Err(error) => Err(error),
        }
    }

    /// Cancels the turn that an agent of a session is running, or that every agent is running.
    pub async fn interrupt(&self, owner: &OwnerId, asked: Interrupt) -> Result<CancelResult, Error> {
        let session_id = self.find(owner, &asked.session, false).await?;
        let command = Command::Interrupt { agent_id: asked.agent_id };
        let turn_ids = match self.command(owner, session_id, command).await? {
            CommandOutcome::Cancelled(turn_ids) => turn_ids,
            _ => Vec::new(),
        };
        let status = if turn_ids.is_empty() { CancelOutcome::NotFound } else { CancelOutcome::Cancelled };
        Ok(CancelResult { status, turn_ids })
    }

    /// Continues an interrupted or waiting turn.
    pub async fn resume_turn(&self, owner: &OwnerId, asked: TurnResume) -> Result<TurnAccepted, Error> {
        let TurnResume { turn_id, outcome, call_id } = asked;
        let turn = self.turn(owner, turn_id).await?;
        let outcome = self.command(owner, turn.session_id, Command::Resume { turn_id, outcome, call_id }).await?;
        accepted(turn.session_id, outcome)
    }

    /// Runs the same request again in a new turn.
    pub async fn retry_turn(
        &self,
        owner: &OwnerId,
        turn_id: TurnId,
        idempotency_key: Option<String>,
        way: MessageTrust,
    ) -> Result<TurnAccepted, Error> {
        self.check_key(idempotency_key.as_deref())?;
        let turn = self.turn(owner, turn_id).await?;
        // Text does not become trusted by being sent again.
        let reads_only = turn.request.reads_only || way.reads_only;
        let served = if reads_only { Vec::new() } else { self.served_tools(owner, turn.request.offer.tools.len()) };
        let origin = turn.request.origin.and(way.origin);
        let request = Request { origin, via: way.via, served, reads_only, ..turn.request };
        let command = Command::Retry { turn_id: self.new_turn_id(), of: turn_id, request, idempotency_key };
        let outcome = self.command(owner, turn.session_id, command).await?;
        accepted(turn.session_id, outcome)
    }

    /// The current state of a turn.
    pub async fn turn(&self, owner: &OwnerId, turn_id: TurnId) -> Result<TurnView, Error> {
        self.check_turn(owner, turn_id).await?;
        let events = self.services().store.turn(turn_id).await?;
        fold_turns(&events).pop().map(|turn| self.with_heartbeat(turn)).ok_or(Error::NoTurn)
    }

    /// Refuses a turn of another owner.
    pub(super) async fn check_turn(&self, owner: &OwnerId, turn_id: TurnId) -> Result<(), Error> {
        let place = self.services().store.turn_place(turn_id).await?.ok_or(Error::NoTurn)?;
        // A turn of another owner is reported as missing. Viewing the session also loads it, so
        // that a turn that a restart has interrupted is read after its recovery.
        match self.view(owner, place.session_id).await {
            Ok(_) => Ok(()),
            Err(Error::NoSession) => Err(Error::NoTurn),
            Err(error) => Err(error),
        }
    }

    /// A turn once it has ended or waits for input, or its current state when the time is up.
    pub async fn wait(&self, owner: &OwnerId, turn_id: TurnId, patience: Duration) -> Result<TurnView, Error> {
        self.watch_turn(owner, turn_id, patience, |_| false, |_| false).await
    }

    /// A turn once it has ended, or its current state when the time is up; waits for turns that
    /// wait for a person too. A turn that a restart has interrupted does not continue by itself,
    /// and is returned as it is.
    pub async fn wait_for_end(&self, owner: &OwnerId, turn_id: TurnId, patience: Duration) -> Result<TurnView, Error> {
        let until = Instant::now() + patience;
        loop {
            let left = until.saturating_duration_since(Instant::now());
            let turn = self.wait(owner, turn_id, left).await?;
            if turn.status != TurnStatus::Waiting || left.is_zero() {
                return Ok(turn);
            }
            let mut feed = self.subscribe(owner, turn.session_id, turn.last_seq).await?;
            let goes_on = async {
                loop {
                    match feed.next().await? {
                        Delivery::Event(event) if event.turn_id == Some(turn_id) => return Ok::<_, Error>(()),
                        _ => {}
                    }
                }
            };
            let left = until.saturating_duration_since(Instant::now());
            match tokio::time::timeout(left, goes_on).await {
                Ok(happened) => happened?,
                Err(_) => return self.turn(owner, turn_id).await,
            }
        }
    }

    /// A turn once it has ended, waits for input, or something has happened that satisfies the
    /// caller.
    async fn watch_turn(
        &self,
        owner: &OwnerId,
        turn_id: TurnId,
        patience: Duration,
        is_enough_now: impl Fn(&TurnView) -> bool,
        is_enough: impl Fn(&Delivery) -> bool,
    ) -> Result<TurnView, Error> {
        let turn = self.turn(owner, turn_id).await?;
        // What has happened already is not delivered again.
        if !turn.status.is_moving() || patience.is_zero() || is_enough_now(&turn) {
            return Ok(turn);
        }
        let mut feed = self.subscribe(owner, turn.session_id, turn.last_seq).await?;
        // Text that was published but is not in the journal yet.
        let mut live = String::new();
        let rest = async {
            loop {
                let delivery = feed.next().await?;
                if let Delivery::Live(LiveUpdate::Text(text)) = &delivery
                    && text.turn_id == turn_id
                {
                    live.push_str(&text.data.delta);
                }
                if is_enough(&delivery) || is_settled(&delivery, turn_id) {
                    return Ok(());
                }
            }
        };
        match tokio::time::timeout(patience, rest).await {
            Ok(Err(error)) => Err(error),
            Ok(Ok(())) | Err(_) => {
                let mut turn = self.turn(owner, turn_id).await?;
                if turn.text.is_empty() {
                    turn.text = live;
                }
                Ok(turn)
            }
        }
    }

    /// The id of a new turn, which belongs to the trace of the request at work.
    pub(super) fn new_turn_id(&self) -> TurnId {
        let turn_id = TurnId::new(self.services().world.ulid());
        if let Some(tracer) = &self.services().options.observers.tracer {
            tracer.adopt(number(turn_id));
        }
        turn_id
    }
}

fn excerpt(text: &str) -> String {
    let mut shown: String = text.chars().take(CALL_CHARS_MAX).collect();
    if shown.len() < text.len() {
        shown.push('…');
    }
    shown
}

fn is_settled(delivery: &Delivery, turn_id: TurnId) -> bool {
    let Delivery::Event(event) = delivery else { return false };
    event.turn_id == Some(turn_id)
        && matches!(&event.body, Body::TurnStatus(change) if !change.status.status().is_moving())
}

pub(super) fn accepted(session_id: SessionId, outcome: CommandOutcome) -> Result<TurnAccepted, Error> {
    match outcome {
        CommandOutcome::Accepted { turn_id, agent_id, seq, position, duplicate } => {
            Ok(TurnAccepted { session_id, turn_id, agent_id, seq, position, duplicate, early: None })
        }
        // The session core answers a send, a resume and a retry with an acceptance or a refusal and
        // nothing else.
        _ => Err(Error::Invalid("the turn was not accepted".to_owned())),
    }
}
