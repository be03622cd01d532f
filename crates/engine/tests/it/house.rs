//! A house for one test: a hub over a real journal in a folder of its own, and a model that the test drives.

use std::{sync::Arc, time::Duration};

use engine::{Error, Hub, Options, SystemWorld};
use journal::{Journal, sqlite::Sqlite};
use protocol::{ChatSend, Event, OwnerId, SessionId, SessionView, Start, TurnId, TurnView};
use tempfile::TempDir;

use crate::{driven_model::DrivenModel, failing_store::FailingStore, follower::Follower};

/// After this, what has not happened will not. Nothing that works comes near it.
const PATIENCE: Duration = Duration::from_secs(20);

/// Waits for something that is sure to happen.
pub(crate) async fn within_patience<T>(what: &str, future: impl Future<Output = T>) -> T {
    match tokio::time::timeout(PATIENCE, future).await {
        Ok(value) => value,
        Err(_) => panic!("waited in vain: {what}"),
    }
}

/// Options with short waits; sessions stay loaded unless a test wants otherwise.
pub(crate) fn options() -> Options {
    Options {
        recovery_interval: Duration::from_millis(20),
        model_backoff: vec![Duration::from_millis(2), Duration::from_millis(4)],
        ..Options::default()
    }
}

/// Options with which an idle session is unloaded at once.
pub(crate) fn restless() -> Options {
    Options { idle_unload: Duration::from_millis(1), ..options() }
}

/// A hub with all that is around it. Ada owns what is in it.
pub(crate) struct House {
    pub(crate) hub: Hub,
    pub(crate) model: Arc<DrivenModel>,
    pub(crate) store: Arc<FailingStore>,
    pub(crate) ada: OwnerId,
    options: Options,
    folder: TempDir,
}

impl House {
    pub(crate) fn new() -> Self {
        Self::with(options())
    }

    pub(crate) fn with(options: Options) -> Self {
        Self::over(TempDir::new().unwrap(), options)
    }

    /// A house over a folder that another one has left.
    pub(crate) fn over(folder: TempDir, options: Options) -> Self {
        let store = Arc::new(FailingStore::new(Sqlite::open(folder.path()).unwrap()));
        let model = Arc::new(DrivenModel::new());
        let hub = Hub::open(store.clone(), model.clone(), Arc::new(SystemWorld::default()), options.clone());
        Self { hub, model, store, ada: owner("ada"), options, folder }
    }

    /// Stops the hub and closes the journal. Whoever still follows keeps it open.
    pub(crate) async fn close(self) -> TempDir {
        self.hub.stop().await;
        let Self { hub, model, store, folder, .. } = self;
        let closed = Arc::downgrade(&store);
        drop((hub, model, store));
        let closing = async {
            while closed.strong_count() > 0 || Sqlite::open(folder.path()).is_err() {
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
        };
        within_patience("the journal is closed", closing).await;
        folder
    }

    /// Stops the hub and opens a new one over the same folder.
    pub(crate) async fn restart(self) -> Self {
        let options = self.options.clone();
        Self::over(self.close().await, options)
    }

    /// Starts a session.
    pub(crate) async fn start(&self) -> SessionId {
        self.start_with(Start::default()).await
    }

    pub(crate) async fn start_with(&self, asked: Start) -> SessionId {
        self.hub.start(&self.ada, asked).await.unwrap().session_id
    }

    /// Says something.
    pub(crate) async fn say(&self, session_id: SessionId, message: &str) -> TurnId {
        self.send(session_id, ChatSend::text(message)).await.unwrap()
    }

    pub(crate) async fn send(&self, session_id: SessionId, send: ChatSend) -> Result<TurnId, Error> {
        let session = session_id.into();
        let sent = self.hub.send(&self.ada, &session, send);
        within_patience("the message is answered for", sent).await.map(|accepted| accepted.turn_id)
    }

    /// Says something and has it answered.
    pub(crate) async fn exchange(&self, session_id: SessionId, message: &str, answer: &str) -> TurnView {
        let turn_id = self.say(session_id, message).await;
        self.model.call().await.answer(answer);
        self.ended(turn_id).await
    }

    /// The session as it stands.
    pub(crate) async fn view(&self, session_id: SessionId) -> SessionView {
        self.hub.session(&self.ada, &session_id.into()).await.unwrap()
    }

    /// The turn as it stands.
    pub(crate) async fn turn(&self, turn_id: TurnId) -> TurnView {
        self.hub.turn(&self.ada, turn_id).await.unwrap()
    }

    /// The turn once it has ended or waits for somebody.
    pub(crate) async fn settled(&self, turn_id: TurnId) -> TurnView {
        self.hub.wait(&self.ada, turn_id, PATIENCE).await.unwrap()
    }

    /// The turn once it has ended.
    pub(crate) async fn ended(&self, turn_id: TurnId) -> TurnView {
        let turn = self.settled(turn_id).await;
        assert!(turn.status.is_final(), "the turn has not ended: {turn:?}");
        turn
    }

    pub(crate) async fn follow(&self, session_id: SessionId) -> Follower {
        Follower::new(&self.hub, &self.ada, session_id).await
    }

    /// What the journal has of a session, its numbers checked.
    pub(crate) async fn journal(&self, session_id: SessionId) -> Vec<Event> {
        let events = self.store.read(session_id, 0, 100_000).await.unwrap();
        for (event, seq) in events.iter().zip(1..) {
            assert_eq!(event.seq, seq, "numbers come without gap and repeat");
        }
        events
    }
}

pub(crate) fn owner(name: &str) -> OwnerId {
    name.parse().unwrap()
}
