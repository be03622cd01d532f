//! The session as tools access it: pins for later turns, and its desktop.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use async_trait::async_trait;
use ports::{DesktopPort, PinChange, PinStore, ToolFailure, UserQuestion};
use protocol::{
    Action, AgentId, AppOutcome, AppRequest, AppRequestId, AppRequested, DesktopView, Dialog, DialogAnswer, DialogId,
    Level, MemoryWritten, MonitorId, Origin, OwnerId, Request, Settings, Timestamp, TurnId, WindowContent, WindowId,
};
use secrecy::ExposeSecret;
use secret::Secret;
use session::{ReplayCache, TurnReport};
use tokio::sync::watch;
use ulid::Ulid;

use super::{Inbox, TurnInput, replay::may_do, slot::TurnSlot};
use crate::{
    hub::Services,
    live::{Reporter, TurnEnded},
};

/// How long a call waits for an app.
const APP_PATIENCE: Duration = Duration::from_secs(5);
/// The error for a tool whose turn has ended.
const TURN_OVER: &str = "the turn has ended, so nothing was done";

/// Records what tools ask for in the session's journal.
pub(super) struct SessionPort {
    services: Arc<Services>,
    reporter: Reporter,
    slot: Arc<TurnSlot>,
    owner: OwnerId,
    agent_id: AgentId,
    turn_id: TurnId,
    accepted_at: Timestamp,
    inbox: watch::Receiver<Inbox>,
    pins: Mutex<BTreeMap<String, String>>,
    origin: Mutex<Origin>,
    /// Earlier turns that can be replayed.
    before: ReplayCache,
    /// The session's settings.
    settings: Settings,
    request: Request,
}

impl SessionPort {
    pub(super) fn new(services: &Arc<Services>, input: &TurnInput, reporter: Reporter, slot: Arc<TurnSlot>) -> Self {
        let pins = input.pins.iter().map(|(key, pin)| (key.clone(), pin.text.clone())).collect();
        Self {
            services: services.clone(),
            reporter,
            slot,
            owner: input.owner.clone(),
            agent_id: input.turn.agent_id.clone(),
            turn_id: input.turn.id,
            accepted_at: input.turn.accepted_at,
            inbox: input.inbox.clone(),
            pins: Mutex::new(pins),
            origin: Mutex::new(Origin::Trusted),
            before: input.reload.clone(),
            settings: input.settings.clone(),
            request: input.turn.request.clone(),
        }
    }

    /// Sets the origin of everything that is recorded from now on.
    pub(super) fn set_origin(&self, origin: Origin) {
        *self.origin.lock().unwrap_or_else(PoisonError::into_inner) = origin;
    }

    fn origin(&self) -> Origin {
        *self.origin.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn pins(&self) -> MutexGuard<'_, BTreeMap<String, String>> {
        self.pins.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// An id that is the same each time the call runs.
    fn id(&self, key: &str) -> Ulid {
        let stamp = u64::try_from(self.accepted_at.as_millis()).unwrap_or(0);
        Ulid::from_parts(stamp, memory::long_term::digest(&key))
    }

    /// Performs desktop actions under a key.
    pub(super) async fn commit(
        &self,
        key: &str,
        actions: Vec<Action>,
        replay_of: Option<TurnId>,
    ) -> Result<(), ToolFailure> {
        self.slot.spend_actions(actions.len()).await;
        let actions = actions.into_iter().map(|action| self.signed(action)).collect::<Result<_, _>>()?;
        self.attempt(TurnReport::Act { key: key.to_owned(), actions, replay_of }).await
    }

    async fn attempt(&self, report: TurnReport) -> Result<(), ToolFailure> {
        match self.reporter.attempt(report).await {
            Ok(Ok(_)) => Ok(()),
            Ok(Err(refusal)) => Err(ToolFailure::Failed(refusal.to_string())),
            Err(TurnEnded) => Err(ToolFailure::Failed(TURN_OVER.to_owned())),
        }
    }

    /// The action with its origin, and with a token if it opens an app.
    fn signed(&self, mut action: Action) -> Result<Action, ToolFailure> {
        let own = self.origin();
        match &mut action {
            Action::Create { content, origin, token, .. } | Action::Content { content, origin, token, .. } => {
                *origin = own;
                *token = matches!(content, WindowContent::App { .. }).then(app_token).transpose()?;
            }
            Action::Title { origin, .. } => *origin = own,
            _ => {}
        }
        Ok(action)
    }
}

/// The token that the messages of an app's window have to carry. It is part of the window, since
/// every page that shows the window has to pass it on to the app's frame.
fn app_token() -> Result<String, ToolFailure> {
    let secret = Secret::generate().map_err(|error| ToolFailure::Failed(error.to_string()))?;
    Ok(secret.text().expose_secret().to_owned())
}

#[async_trait]
impl PinStore for SessionPort {
    async fn pins(&self) -> Result<Vec<(String, String)>, ToolFailure> {
        Ok(Self::pins(self).clone().into_iter().collect())
    }

    async fn change(&self, keeping: PinChange) -> Result<(), ToolFailure> {
        let (key, value) = match keeping {
            PinChange::Pin { key, text } => (key, Some(text)),
            PinChange::Unpin { key } => (key, None),
        };
        let written = MemoryWritten {
            level: Level::Pin,
            key: key.clone(),
            value: value.clone(),
            origin: self.origin(),
            id: None,
            source: None,
        };
        let kept = self.reporter.commit(TurnReport::Keep(written)).await;
        kept.map_err(|_| ToolFailure::Failed("the turn has ended, so nothing was stored".to_owned()))?;
        match value {
            Some(text) => drop(Self::pins(self).insert(key, text)),
            None => drop(Self::pins(self).remove(&key)),
        }
        Ok(())
    }
}

#[async_trait]
impl DesktopPort for SessionPort {
    fn agent_id(&self) -> &AgentId {
        &self.agent_id
    }

    fn monitor_id(&self) -> MonitorId {
        self.agent_id.monitor()
    }

    async fn view(&self) -> Result<DesktopView, ToolFailure> {
        self.reporter.desktop(&self.owner).await.map_err(|TurnEnded| ToolFailure::Failed(TURN_OVER.to_owned()))
    }

    async fn act(&self, key: &str, actions: Vec<Action>) -> Result<(), ToolFailure> {
        self.commit(key, actions, None).await
    }

    async fn replay(&self, key: &str, turn_id: TurnId) -> Result<Vec<Action>, ToolFailure> {
        let Some(before) = self.before.get(turn_id) else {
            return Err(ToolFailure::Invalid(format!("the actions of turn {turn_id} are not remembered")));
        };
        let standing = self.inbox.borrow().standing.clone();
        if !before.is_safe || !may_do(&self.services, &self.settings, &standing, &self.request, &before.actions) {
            let told = format!("the actions of turn {turn_id} cannot be replayed; do it step by step");
            return Err(ToolFailure::Invalid(told));
        }
        self.commit(key, before.actions.clone(), Some(turn_id)).await?;
        Ok(before.actions.clone())
    }

    async fn ask(&self, key: &str, asking: UserQuestion) -> Result<DialogAnswer, ToolFailure> {
        let dialog_id = DialogId::new(self.id(key));
        let dialog = Dialog {
            dialog_id,
            turn_id: self.turn_id,
            monitor_id: self.agent_id.monitor(),
            window_id: asking.window_id,
            title: asking.title,
            text: asking.text,
            form: asking.form,
            expires_at: self.services.world.now().plus(asking.timeout),
        };
        self.attempt(TurnReport::AskUser(dialog)).await?;
        let find =
            |inbox: &Inbox| inbox.answers.iter().find(|(id, _)| *id == dialog_id).map(|(_, answer)| answer.clone());
        let mut inbox = self.inbox.clone();
        let waiting = async { inbox.wait_for(|inbox| find(inbox).is_some()).await.ok().and_then(|inbox| find(&inbox)) };
        self.slot.while_paused(waiting).await.ok_or_else(|| ToolFailure::Failed(TURN_OVER.to_owned()))
    }

    async fn ask_app(&self, key: &str, window_id: WindowId, request: AppRequest) -> Result<AppOutcome, ToolFailure> {
        let request_id = AppRequestId::new(self.id(key));
        let expires_at = self.services.world.now().plus(APP_PATIENCE);
        self.attempt(TurnReport::AskApp(AppRequested { request_id, window_id, request, expires_at })).await?;
        let find =
            |inbox: &Inbox| inbox.outcomes.iter().find(|(id, _)| *id == request_id).map(|(_, outcome)| outcome.clone());
        let mut inbox = self.inbox.clone();
        let outcome = inbox.wait_for(|inbox| find(inbox).is_some()).await.ok().and_then(|inbox| find(&inbox));
        outcome.ok_or_else(|| ToolFailure::Failed(TURN_OVER.to_owned()))
    }
}
