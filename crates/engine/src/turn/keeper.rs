//! The session as a tool reaches it: what it may keep there for later turns.

use std::{
    collections::BTreeMap,
    sync::{Mutex, MutexGuard, PoisonError},
};

use async_trait::async_trait;
use protocol::{Level, MemoryWritten, Origin};
use session::Report;
use tools::{Failure, Keeper, Keeping};

use super::Job;
use crate::live::Reporter;

/// Keeps what tools ask for in the session's journal.
pub(super) struct Desk {
    reporter: Reporter,
    pins: Mutex<BTreeMap<String, String>>,
    origin: Mutex<Origin>,
}

impl Desk {
    pub(super) fn new(job: &Job, reporter: Reporter) -> Self {
        let pins = job.pins.iter().map(|(key, pin)| (key.clone(), pin.text.clone())).collect();
        Self { reporter, pins: Mutex::new(pins), origin: Mutex::new(Origin::Trusted) }
    }

    /// From now on, what is kept may be made of anybody's words.
    pub(super) fn set_origin(&self, origin: Origin) {
        *self.origin.lock().unwrap_or_else(PoisonError::into_inner) = origin;
    }

    fn pins(&self) -> MutexGuard<'_, BTreeMap<String, String>> {
        self.pins.lock().unwrap_or_else(PoisonError::into_inner)
    }
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
        let origin = *self.origin.lock().unwrap_or_else(PoisonError::into_inner);
        let written =
            MemoryWritten { level: Level::Pin, key: key.clone(), value: value.clone(), origin, id: None, source: None };
        let kept = self.reporter.commit(Report::Keep(written)).await;
        kept.map_err(|_| Failure::Failed("the turn has ended, so nothing was kept".to_owned()))?;
        match value {
            Some(text) => drop(Self::pins(self).insert(key, text)),
            None => drop(Self::pins(self).remove(&key)),
        }
        Ok(())
    }
}
