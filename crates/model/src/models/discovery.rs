//! Runs discovery: at the start, when answers grow old, when an unknown model is used, and on
//! demand.

use std::time::Duration;

use futures::future::join_all;
use protocol::Timestamp;

use super::{ModelSet, ProviderHandle};
use crate::{Error, ProviderKind, facts::discovery};

/// How long a turn waits for discovery at a provider that was never asked.
const WAIT_MAX: Duration = Duration::from_secs(2);
/// A younger list is not requested again when a name is missing from it.
const FRESH: Duration = Duration::from_secs(3);

impl ModelSet {
    /// Whether there is a provider that can be asked.
    pub(super) fn has_providers(&self) -> bool {
        !self.connections.is_empty()
    }

    /// Asks the providers whose answers are missing or old, all at once.
    pub(super) async fn ask_due(&self, now: Timestamp) {
        let due: Vec<&ProviderHandle> = self.connections.iter().filter(|of| self.is_due(of, now)).collect();
        self.ask_all(&due, now).await;
    }

    /// Asks every provider, now.
    pub(super) async fn refresh(&self, now: Timestamp) {
        self.ask_all(&self.connections.iter().collect::<Vec<_>>(), now).await;
    }

    /// Makes sure that the provider of a model was asked, within a moment: waits once for a
    /// provider that was never asked, and asks one again whose list lacks the name.
    pub(super) async fn ready(&self, name: Option<&str>, now: Timestamp) {
        if self.single || self.connections.is_empty() {
            return;
        }
        let name = self.or_default(name);
        let concerned = self.concerned(name);
        self.wait_for(&concerned, now).await;
        if matches!(self.target(name, &self.overrides), Err(Error::UnknownModel { .. })) {
            let is_old = |of: &&ProviderHandle| self.said(of).is_some_and(|said| now.since(said.asked_at) >= FRESH);
            let old: Vec<&ProviderHandle> = concerned.into_iter().filter(is_old).collect();
            let _ = tokio::time::timeout(WAIT_MAX, self.ask_all(&old, now)).await;
        }
    }

    /// The same for all providers.
    pub(super) async fn ready_all(&self, now: Timestamp) {
        self.wait_for(&self.connections.iter().collect::<Vec<_>>(), now).await;
    }

    /// Waits for those that were never asked, once and briefly.
    async fn wait_for(&self, providers: &[&ProviderHandle], now: Timestamp) {
        let is_untold = |of: &&ProviderHandle| {
            let standing = self.kept.of(&of.provider().name);
            standing.asked.is_none() && !standing.is_tried
        };
        let untold: Vec<&ProviderHandle> = providers.iter().copied().filter(is_untold).collect();
        if untold.is_empty() || tokio::time::timeout(WAIT_MAX, self.ask_all(&untold, now)).await.is_ok() {
            return;
        }
        for of in untold.iter().filter(|of| !self.kept.of(&of.provider().name).is_tried) {
            let slow = format!("{} did not answer in {} s", of.connection.shown(), WAIT_MAX.as_secs());
            self.kept.keep(&of.provider().name, Err(slow), now);
        }
    }

    /// The providers that may have a model of that name.
    fn concerned(&self, name: &str) -> Vec<&ProviderHandle> {
        let prefix = name.split('/').next().unwrap_or(name);
        match self.connection(prefix) {
            Some(of) => vec![of],
            None if name.is_empty() => self.default_connection().into_iter().collect(),
            None => self.connections.iter().collect(),
        }
    }

    fn is_due(&self, of: &ProviderHandle, now: Timestamp) -> bool {
        self.kept.is_due(&of.provider().name, of.provider().kind == ProviderKind::Ollama, now)
    }

    async fn ask_all(&self, providers: &[&ProviderHandle], now: Timestamp) {
        let asked = join_all(providers.iter().map(|of| self.ask(of, now)).collect::<Vec<_>>()).await;
        if asked.contains(&true) {
            let kept = self.kept.clone();
            // Not awaited: the answer is valid whether it is on disk or not.
            tokio::task::spawn_blocking(move || kept.write());
        }
    }

    /// Asks a provider, unless another caller has just done so; returns whether anything changed.
    async fn ask(&self, of: &ProviderHandle, now: Timestamp) -> bool {
        let name = &of.provider().name;
        let before = self.kept.of(name).tries();
        let _turn = of.lock.lock().await;
        if self.kept.of(name).tries() != before {
            return false;
        }
        let answer = discovery::ask(&of.connection, now).await;
        if let Err(error) = &answer
            && self.kept.of(name).error.as_ref() != Some(error)
        {
            tracing::info!(provider = name, error, "failed to ask a provider for its models");
        }
        let is_new = answer.is_ok();
        self.kept.keep(name, answer, now);
        is_new
    }
}
