//! The handle by which other tasks send commands to the connection task.

use std::time::Duration;

use serde::de::DeserializeOwned;
use serde_json::value::RawValue;
use tokio::{
    sync::{mpsc, oneshot},
    time::Instant,
};

use super::{settings::Timeouts, wire::HassCommand};
use crate::port::HomeError;

/// The reason once the connection is closed.
pub(super) const CLOSED: &str = "the connection was closed here";

/// The result; `None` if Home Assistant only confirms.
pub(super) type CommandResult = Option<Box<RawValue>>;

/// The kind of reply that a command gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ReplyKind {
    /// The result.
    Result,
    /// The first event of a subscription, which is then cancelled.
    FirstEvent,
}

/// A command to send.
#[derive(Debug)]
pub(super) struct CommandRequest {
    pub(super) command: HassCommand,
    pub(super) wanted: ReplyKind,
    pub(super) deadline: Instant,
    /// How often it was sent and the connection broke.
    pub(super) sent: u8,
    reply: oneshot::Sender<Result<CommandResult, HomeError>>,
}

impl CommandRequest {
    /// Whether the caller no longer waits for it.
    pub(super) fn is_abandoned(&self) -> bool {
        self.reply.is_closed()
    }

    /// Sends the result to the caller.
    pub(super) fn answer(self, answer: Result<CommandResult, HomeError>) {
        let _ = self.reply.send(answer);
    }

    /// Reports a timeout.
    pub(super) fn expire(self) {
        let why = "it did not answer in time".to_owned();
        let error = match self.command.acts() && self.sent > 0 {
            true => HomeError::Lost(why),
            false => HomeError::Unreachable(why),
        };
        self.answer(Err(error));
    }

    /// Handles a broken connection. Returns the request if it may be sent again.
    pub(super) fn broken(self, why: &str) -> Option<Self> {
        if self.command.acts() {
            self.answer(Err(HomeError::Lost(why.to_owned())));
            return None;
        }
        // A reply that breaks the connection would break every further one, too.
        if self.sent > 1 {
            self.answer(Err(HomeError::Unreachable(why.to_owned())));
            return None;
        }
        Some(self)
    }
}

/// Sends commands to the connection task.
#[derive(Debug, Clone)]
pub(super) struct CommandSender {
    requests: mpsc::Sender<CommandRequest>,
    answer: Duration,
    call: Duration,
}

impl CommandSender {
    /// A sender with its receiver.
    pub(super) fn new(patience: &Timeouts) -> (Self, mpsc::Receiver<CommandRequest>) {
        let (requests, receiver) = mpsc::channel(64);
        (Self { requests, answer: patience.answer, call: patience.call }, receiver)
    }

    /// Sends a command and returns its result.
    pub(super) async fn ask(&self, command: HassCommand) -> Result<CommandResult, HomeError> {
        self.request(command, ReplyKind::Result).await
    }

    /// Sends a command and parses its result.
    pub(super) async fn ask_for<T: DeserializeOwned>(&self, command: HassCommand) -> Result<T, HomeError> {
        read(self.ask(command).await?.as_deref())
    }

    /// Subscribes and returns the first event.
    pub(super) async fn first_event(&self, command: HassCommand) -> Result<CommandResult, HomeError> {
        self.request(command, ReplyKind::FirstEvent).await
    }

    async fn request(&self, command: HassCommand, wanted: ReplyKind) -> Result<CommandResult, HomeError> {
        let gone = || HomeError::Unreachable(CLOSED.to_owned());
        let acts = command.acts();
        let (reply, answer) = oneshot::channel();
        let patience = if acts { self.call } else { self.answer };
        let request = CommandRequest { command, wanted, deadline: Instant::now() + patience, sent: 0, reply };
        self.requests.send(request).await.map_err(|_| gone())?;
        // The connection task answers every request. If it failed, it is not known how far the
        // request went.
        answer.await.unwrap_or_else(|_| Err(if acts { HomeError::Lost(CLOSED.to_owned()) } else { gone() }))
    }
}

/// Parses a result.
pub(super) fn read<T: DeserializeOwned>(answer: Option<&RawValue>) -> Result<T, HomeError> {
    let text = answer.map_or("null", RawValue::get);
    serde_json::from_str(text).map_err(|error| HomeError::Failed(format!("its answer cannot be parsed: {error}")))
}
