//! Asking providers: at the start and when their answers grow old, when a model is used of which nothing is known, and on
//! demand.

use std::time::Duration;

use futures::future::join_all;
use protocol::Timestamp;

use super::{Asked, Models};
use crate::{Error, Kind, facts::asked};

/// How long a turn waits for a provider that was not asked yet.
const WAIT_MAX: Duration = Duration::from_secs(2);
/// A list that is younger is not asked for again because a name is not on it.
const FRESH: Duration = Duration::from_secs(3);

impl Models {
    /// Whether there is a provider that can be asked.
    pub fn has_providers(&self) -> bool {
        !self.connections.is_empty()
    }

    /// Asks the providers whose answers are missing or old, all at once.
    pub async fn ask_due(&self, now: Timestamp) {
        let due: Vec<&Asked> = self.connections.iter().filter(|of| self.is_due(of, now)).collect();
        self.ask_all(&due, now).await;
    }

    /// Asks every provider, now.
    pub async fn refresh(&self, now: Timestamp) {
        self.ask_all(&self.connections.iter().collect::<Vec<_>>(), now).await;
    }

    /// Makes sure that the provider of a model was asked, as far as that can be done in a moment: a provider that was
    /// never asked is waited for once, and one whose list lacks the name is asked whether it has it by now.
    pub async fn ready(&self, name: Option<&str>, now: Timestamp) {
        if self.single || self.connections.is_empty() {
            return;
        }
        let name = self.or_default(name);
        let concerned = self.concerned(name);
        self.wait_for(&concerned, now).await;
        if matches!(self.target(name, &self.overrides), Err(Error::UnknownModel { .. })) {
            let is_old = |of: &&Asked| self.said(of).is_some_and(|said| now.since(said.asked_at) >= FRESH);
            let old: Vec<&Asked> = concerned.into_iter().filter(is_old).collect();
            let _ = tokio::time::timeout(WAIT_MAX, self.ask_all(&old, now)).await;
        }
    }

    /// The same for all providers.
    pub async fn ready_all(&self, now: Timestamp) {
        self.wait_for(&self.connections.iter().collect::<Vec<_>>(), now).await;
    }

    /// Waits for those that were never asked, once and not for long.
    async fn wait_for(&self, providers: &[&Asked], now: Timestamp) {
        let is_untold = |of: &&Asked| {
            let standing = self.kept.of(&of.provider().name);
            standing.asked.is_none() && !standing.is_tried
        };
        let untold: Vec<&Asked> = providers.iter().copied().filter(is_untold).collect();
        if untold.is_empty() || tokio::time::timeout(WAIT_MAX, self.ask_all(&untold, now)).await.is_ok() {
            return;
        }
        for of in untold.iter().filter(|of| !self.kept.of(&of.provider().name).is_tried) {
            let slow = format!("{} did not answer in {} s", of.connection.shown(), WAIT_MAX.as_secs());
            self.kept.keep(&of.provider().name, Err(slow), now);
        }
    }

    /// The providers that may have a model of that name.
    fn concerned(&self, name: &str) -> Vec<&Asked> {
        let prefix = name.split('/').next().unwrap_or(name);
        match self.connection(prefix) {
            Some(of) => vec![of],
            None if name.is_empty() => self.default_connection().into_iter().collect(),
            None => self.connections.iter().collect(),
        }
    }

    fn is_due(&self, of: &Asked, now: Timestamp) -> bool {
        self.kept.is_due(&of.provider().name, of.provider().kind == Kind::Ollama, now)
    }

    async fn ask_all(&self, providers: &[&Asked], now: Timestamp) {
        let asked = join_all(providers.iter().map(|of| self.ask(of, now)).collect::<Vec<_>>()).await;
        if asked.contains(&true) {
            let kept = self.kept.clone();
            // Not waited for: what is asked counts from now on, whether it is on disk or not.
            tokio::task::spawn_blocking(move || kept.write());
        }
    }

    /// Asks a provider, unless another caller has just done so; whether something new is known.
    async fn ask(&self, of: &Asked, now: Timestamp) -> bool {
        let name = &of.provider().name;
        let before = self.kept.of(name).tries();
        let _turn = of.turn.lock().await;
        if self.kept.of(name).tries() != before {
            return false;
        }
        let answer = asked::ask(&of.connection, now).await;
        if let Err(error) = &answer
            && self.kept.of(name).error.as_ref() != Some(error)
        {
            tracing::info!(provider = name, error, "a provider could not be asked for its models");
        }
        let is_new = answer.is_ok();
        self.kept.keep(name, answer, now);
        is_new
    }
}
