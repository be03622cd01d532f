//! How everybody else asks the task that owns the connection.

use std::time::Duration;

use serde::de::DeserializeOwned;
use serde_json::value::RawValue;
use tokio::{
    sync::{mpsc, oneshot},
    time::Instant,
};

use super::{settings::Patience, wire::Command};
use crate::house::HouseError;

/// Why nothing can be asked any more.
pub(super) const CLOSED: &str = "the connection was closed here";

/// What comes back; none where Home Assistant says nothing but that it is done.
pub(super) type Answer = Option<Box<RawValue>>;

/// What an answer is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wanted {
    /// The result.
    Result,
    /// The first event of a subscription, which is then given up.
    FirstEvent,
}

/// Something to be asked or told.
#[derive(Debug)]
pub(super) struct Request {
    pub(super) command: Command,
    pub(super) wanted: Wanted,
    pub(super) deadline: Instant,
    /// How often it went out and the connection broke.
    pub(super) sent: u8,
    reply: oneshot::Sender<Result<Answer, HouseError>>,
}

impl Request {
    /// Whether nobody waits for it any more.
    pub(super) fn is_forsaken(&self) -> bool {
        self.reply.is_closed()
    }

    /// Gives the answer.
    pub(super) fn answer(self, answer: Result<Answer, HouseError>) {
        let _ = self.reply.send(answer);
    }

    /// Its time is up.
    pub(super) fn expire(self) {
        let why = "it did not answer in time".to_owned();
        let error = match self.command.acts() && self.sent > 0 {
            true => HouseError::Lost(why),
            false => HouseError::Unreachable(why),
        };
        self.answer(Err(error));
    }

    /// It went out, and the connection broke. Gives it back if it may be asked again.
    pub(super) fn broken(self, why: &str) -> Option<Self> {
        if self.command.acts() {
            self.answer(Err(HouseError::Lost(why.to_owned())));
            return None;
        }
        // An answer that breaks the connection by itself would break every further one, too.
        if self.sent > 1 {
            self.answer(Err(HouseError::Unreachable(why.to_owned())));
            return None;
        }
        Some(self)
    }
}

/// Asks the task that owns the connection.
#[derive(Debug, Clone)]
pub(super) struct Link {
    requests: mpsc::Sender<Request>,
    answer: Duration,
    call: Duration,
}

impl Link {
    /// A link, and where its requests come out.
    pub(super) fn new(patience: &Patience) -> (Self, mpsc::Receiver<Request>) {
        let (requests, receiver) = mpsc::channel(64);
        (Self { requests, answer: patience.answer, call: patience.call }, receiver)
    }

    /// Asks for the result of a command.
    pub(super) async fn ask(&self, command: Command) -> Result<Answer, HouseError> {
        self.request(command, Wanted::Result).await
    }

    /// Asks for the result of a command, as what it is.
    pub(super) async fn ask_for<T: DeserializeOwned>(&self, command: Command) -> Result<T, HouseError> {
        read(self.ask(command).await?.as_deref())
    }

    /// Asks for what a subscription begins with.
    pub(super) async fn first_event(&self, command: Command) -> Result<Answer, HouseError> {
        self.request(command, Wanted::FirstEvent).await
    }

    async fn request(&self, command: Command, wanted: Wanted) -> Result<Answer, HouseError> {
        let gone = || HouseError::Unreachable(CLOSED.to_owned());
        let acts = command.acts();
        let (reply, answer) = oneshot::channel();
        let patience = if acts { self.call } else { self.answer };
        let request = Request { command, wanted, deadline: Instant::now() + patience, sent: 0, reply };
        self.requests.send(request).await.map_err(|_| gone())?;
        // Whoever lets go of a request answers it; if that failed, nobody knows how far it went.
        answer.await.unwrap_or_else(|_| Err(if acts { HouseError::Lost(CLOSED.to_owned()) } else { gone() }))
    }
}

/// Reads an answer as what it is.
pub(super) fn read<T: DeserializeOwned>(answer: Option<&RawValue>) -> Result<T, HouseError> {
    let text = answer.map_or("null", RawValue::get);
    serde_json::from_str(text)
        .map_err(|error| HouseError::Failed(format!("it answers what is not understood here: {error}")))
}
