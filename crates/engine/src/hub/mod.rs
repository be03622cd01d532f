//! The hub: where every door comes in.
//!
//! It knows no state of its own beyond which sessions are live. A command is mail to the session's actor; what can be
//! read without it (lists, turns, pages) is read from the journal.

mod directory;
mod recovery;
mod sessions;
mod turns;

use std::sync::Arc;

pub(crate) use directory::Directory;
use journal::Store;
use model::Model;
use protocol::{Event, OwnerId, SessionId, SessionRef, SessionView, Timestamp};
use session::{Command, Outcome};
use tokio::sync::{Semaphore, oneshot};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use crate::{
    Error, Options, World,
    live::Mail,
    subscription::{Joined, Subscription},
};

/// What every part of the engine shares.
pub(crate) struct House {
    pub(crate) store: Arc<dyn Store>,
    pub(crate) model: Arc<dyn Model>,
    pub(crate) world: Arc<dyn World>,
    pub(crate) options: Options,
    pub(crate) turn_permits: Semaphore,
    pub(crate) stopping: CancellationToken,
    pub(crate) tasks: TaskTracker,
}

/// Where every door comes in. Cheap to clone.
#[derive(Clone)]
pub struct Hub {
    directory: Arc<Directory>,
}

impl Hub {
    /// Opens the hub over a store and a model. What was interrupted goes on from now on.
    pub fn open(store: Arc<dyn Store>, model: Arc<dyn Model>, world: Arc<dyn World>, options: Options) -> Self {
        let house = Arc::new(House {
            store,
            model,
            world,
            turn_permits: Semaphore::new(options.turns_max),
            options,
            stopping: CancellationToken::new(),
            tasks: TaskTracker::new(),
        });
        let directory = Arc::new(Directory::new(house));
        recovery::spawn(directory.clone());
        Self { directory }
    }

    /// Stops: no more mail is taken, text that is out is written down, turns are put aside until the next start.
    pub async fn stop(&self) {
        let house = self.house();
        house.stopping.cancel();
        house.tasks.close();
        house.tasks.wait().await;
    }

    /// The present moment.
    pub fn now(&self) -> Timestamp {
        self.house().world.now()
    }

    /// A new id.
    pub fn ulid(&self) -> ulid::Ulid {
        self.house().world.ulid()
    }

    /// The name of the model that answers in a session with this setting.
    pub fn model_name(&self, setting: Option<&str>) -> String {
        self.house().model.name(setting)
    }

    /// Whether the store can be read: what readiness means.
    pub async fn check(&self) -> Result<(), Error> {
        self.house().store.moving().await?;
        Ok(())
    }

    /// Follows a session: every event after that number, then live.
    pub async fn subscribe(&self, owner: &OwnerId, session_id: SessionId, after: u64) -> Result<Subscription, Error> {
        let joined = self.join(owner, session_id).await?;
        if after > joined.head {
            return Err(Error::Invalid(format!("the session has no event {after} yet; its newest is {}", joined.head)));
        }
        Ok(Subscription::new(self.clone(), owner.clone(), session_id, after, joined))
    }

    pub(crate) async fn join(&self, owner: &OwnerId, session_id: SessionId) -> Result<Joined, Error> {
        self.ask(session_id, |reply| Mail::Join { owner: owner.clone(), reply }).await
    }

    pub(crate) async fn page(&self, session_id: SessionId, after: u64, limit: usize) -> Result<Vec<Event>, Error> {
        Ok(self.house().store.read(session_id, after, limit).await?)
    }

    fn house(&self) -> &House {
        &self.directory.house
    }

    /// The session that is meant. A name that nobody has used yet makes one where `create` says so.
    async fn find(&self, owner: &OwnerId, session: &SessionRef, create: bool) -> Result<SessionId, Error> {
        match (&session.session_id, &session.conversation_id) {
            (Some(id), None) => Ok(*id),
            (None, Some(name)) => {
                if let Some(id) = self.house().store.named(owner, name).await? {
                    return Ok(id);
                }
                if !create {
                    return Err(Error::NoSession);
                }
                let asked = protocol::Start { key: Some(name.clone()), ..protocol::Start::default() };
                Ok(self.start(owner, asked).await?.session_id)
            }
            _ => Err(Error::Invalid("give either `session_id` or `conversation_id`".to_owned())),
        }
    }

    async fn view(&self, owner: &OwnerId, session_id: SessionId) -> Result<SessionView, Error> {
        self.ask(session_id, |reply| Mail::View { owner: owner.clone(), reply }).await
    }

    async fn command(&self, owner: &OwnerId, session_id: SessionId, command: Command) -> Result<Outcome, Error> {
        self.ask(session_id, |reply| Mail::Command { owner: owner.clone(), command, reply }).await
    }

    async fn ask<T>(
        &self,
        session_id: SessionId,
        mail: impl FnOnce(oneshot::Sender<Result<T, Error>>) -> Mail,
    ) -> Result<T, Error> {
        let (reply, answer) = oneshot::channel();
        self.directory.post(session_id, mail(reply)).await?;
        // An actor that ends answers its commands and passes on its other mail; what is left has to be asked again.
        let unanswered = || if self.house().stopping.is_cancelled() { Error::Stopping } else { Error::Unanswered };
        answer.await.unwrap_or_else(|_| Err(unanswered()))
    }
}
