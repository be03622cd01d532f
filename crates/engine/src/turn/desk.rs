//! The session as a tool reaches it: what it may keep there for later turns, and its desktop.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use async_trait::async_trait;
use protocol::{
    Action, AgentId, AppOutcome, AppRequest, AppRequestId, AppRequested, Content, DesktopView, Dialog, DialogAnswer,
    DialogId, Level, MemoryWritten, MonitorId, Origin, OwnerId, Request, Settings, Timestamp, TurnId, WindowId,
};
use secrecy::ExposeSecret;
use secret::Secret;
use session::{Reload, Report};
use tokio::sync::watch;
use tools::{Asking, Desktop, Failure, Keeper, Keeping};
use ulid::Ulid;

use super::{Heard, Job, replay::may_do, shift::Shift};
use crate::{
    hub::House,
    live::{Over, Reporter},
};

/// How long an app is waited for.
const APP_PATIENCE: Duration = Duration::from_secs(5);
/// What a tool is told whose turn is over.
const TURN_OVER: &str = "the turn has ended, so nothing was done";

/// Keeps what tools ask for in the session's journal.
pub(super) struct Desk {
    house: Arc<House>,
    reporter: Reporter,
    shift: Arc<Shift>,
    owner: OwnerId,
    agent_id: AgentId,
    turn_id: TurnId,
    accepted_at: Timestamp,
    heard: watch::Receiver<Heard>,
    pins: Mutex<BTreeMap<String, String>>,
    origin: Mutex<Origin>,
    /// What earlier turns did, as far as it is remembered.
    before: Reload,
    /// What the session allows, and the message.
    settings: Settings,
    request: Request,
}

impl Desk {
    pub(super) fn new(house: &Arc<House>, job: &Job, reporter: Reporter, shift: Arc<Shift>) -> Self {
        let pins = job.pins.iter().map(|(key, pin)| (key.clone(), pin.text.clone())).collect();
        Self {
            house: house.clone(),
            reporter,
            shift,
            owner: job.owner.clone(),
            agent_id: job.turn.agent_id.clone(),
            turn_id: job.turn.id,
            accepted_at: job.turn.accepted_at,
            heard: job.heard.clone(),
            pins: Mutex::new(pins),
            origin: Mutex::new(Origin::Trusted),
            before: job.reload.clone(),
            settings: job.settings.clone(),
            request: job.turn.request.clone(),
        }
    }

    /// From now on, what is kept may be made of anybody's words.
    pub(super) fn set_origin(&self, origin: Origin) {
        *self.origin.lock().unwrap_or_else(PoisonError::into_inner) = origin;
    }

    fn origin(&self) -> Origin {
        *self.origin.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn pins(&self) -> MutexGuard<'_, BTreeMap<String, String>> {
        self.pins.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// An id that is the same each time the call is run.
    fn id(&self, key: &str) -> Ulid {
        let stamp = u64::try_from(self.accepted_at.as_millis()).unwrap_or(0);
        Ulid::from_parts(stamp, memory::room::digest(&key))
    }

    /// Does something on the desktop under a key.
    pub(super) async fn commit(
        &self,
        key: &str,
        actions: Vec<Action>,
        replay_of: Option<TurnId>,
    ) -> Result<(), Failure> {
        self.shift.spend_actions(actions.len()).await;
        let actions = actions.into_iter().map(|action| self.signed(action)).collect::<Result<_, _>>()?;
        self.attempt(Report::Act { key: key.to_owned(), actions, replay_of }).await
    }

    async fn attempt(&self, report: Report) -> Result<(), Failure> {
        match self.reporter.attempt(report).await {
            Ok(Ok(_)) => Ok(()),
            Ok(Err(refusal)) => Err(Failure::Failed(refusal.to_string())),
            Err(Over) => Err(Failure::Failed(TURN_OVER.to_owned())),
        }
    }

    /// The action with whose words it is made of, and with what an app's messages have to carry.
    fn signed(&self, mut action: Action) -> Result<Action, Failure> {
        let own = self.origin();
        match &mut action {
            Action::Create { content, origin, token, .. } | Action::Content { content, origin, token, .. } => {
                *origin = own;
                *token = matches!(content, Content::App { .. }).then(app_token).transpose()?;
            }
            Action::Title { origin, .. } => *origin = own,
            _ => {}
        }
        Ok(action)
    }
}

/// What the messages of one app's window have to carry. It is part of the window, as every page that shows it has to pass
/// it on to the app's frame.
fn app_token() -> Result<String, Failure> {
    let secret = Secret::draw().map_err(|error| Failure::Failed(error.to_string()))?;
    Ok(secret.text().expose_secret().to_owned())
}

#[async_trait]
impl Keeper for Desk {
    async fn pins(&self) -> Result<Vec<(String, String)>, Failure> {
        Ok(Self::pins(self).clone().into_iter().collect())
    }

    async fn keep(&self, keeping: Keeping) -> Result<(), Failure> {
        let (key, value) = match keeping {
            Keeping::Pin { key, text } => (key, Some(text)),
            Keeping::Unpin { key } => (key, None),
        };
        let written = MemoryWritten {
            level: Level::Pin,
            key: key.clone(),
            value: value.clone(),
            origin: self.origin(),
            id: None,
            source: None,
        };
        let kept = self.reporter.commit(Report::Keep(written)).await;
        kept.map_err(|_| Failure::Failed("the turn has ended, so nothing was kept".to_owned()))?;
        match value {
            Some(text) => drop(Self::pins(self).insert(key, text)),
            None => drop(Self::pins(self).remove(&key)),
        }
        Ok(())
    }
}

#[async_trait]
impl Desktop for Desk {
    fn agent_id(&self) -> &AgentId {
        &self.agent_id
    }

    fn monitor_id(&self) -> MonitorId {
        self.agent_id.monitor()
    }

    async fn view(&self) -> Result<DesktopView, Failure> {
        self.reporter.desktop(&self.owner).await.map_err(|Over| Failure::Failed(TURN_OVER.to_owned()))
    }

    async fn act(&self, key: &str, actions: Vec<Action>) -> Result<(), Failure> {
        self.commit(key, actions, None).await
    }

    async fn replay(&self, key: &str, turn_id: TurnId) -> Result<Vec<Action>, Failure> {
        let Some(before) = self.before.get(turn_id) else {
            return Err(Failure::Invalid(format!("what turn {turn_id} did is not remembered")));
        };
        let standing = self.heard.borrow().standing.clone();
        if !before.is_safe || !may_do(&self.house, &self.settings, &standing, &self.request, &before.actions) {
            let told = format!("what turn {turn_id} did cannot simply be done again; do it step by step");
            return Err(Failure::Invalid(told));
        }
        self.commit(key, before.actions.clone(), Some(turn_id)).await?;
        Ok(before.actions.clone())
    }

    async fn ask(&self, key: &str, asking: Asking) -> Result<DialogAnswer, Failure> {
        let dialog_id = DialogId::new(self.id(key));
        let dialog = Dialog {
            dialog_id,
            turn_id: self.turn_id,
            monitor_id: self.agent_id.monitor(),
            window_id: asking.window_id,
            title: asking.title,
            text: asking.text,
            form: asking.form,
            expires_at: self.house.world.now().plus(asking.patience),
        };
        self.attempt(Report::AskUser(dialog)).await?;
        let find =
            |heard: &Heard| heard.answers.iter().find(|(id, _)| *id == dialog_id).map(|(_, answer)| answer.clone());
        let mut heard = self.heard.clone();
        let waiting = async { heard.wait_for(|heard| find(heard).is_some()).await.ok().and_then(|heard| find(&heard)) };
        self.shift.aside(waiting).await.ok_or_else(|| Failure::Failed(TURN_OVER.to_owned()))
    }

    async fn ask_app(&self, key: &str, window_id: WindowId, request: AppRequest) -> Result<AppOutcome, Failure> {
        let request_id = AppRequestId::new(self.id(key));
        let expires_at = self.house.world.now().plus(APP_PATIENCE);
        self.attempt(Report::AskApp(AppRequested { request_id, window_id, request, expires_at })).await?;
        let find =
            |heard: &Heard| heard.outcomes.iter().find(|(id, _)| *id == request_id).map(|(_, outcome)| outcome.clone());
        let mut heard = self.heard.clone();
        let outcome = heard.wait_for(|heard| find(heard).is_some()).await.ok().and_then(|heard| find(&heard));
        outcome.ok_or_else(|| Failure::Failed(TURN_OVER.to_owned()))
    }
}
