//! The clock for deletion by age: the wall clock, as long as it agrees with other evidence of the
//! time.
//!
//! Everything that is deleted because of its age asks [`SweepClock::look`] for the time. While the
//! wall clock is in doubt there is no answer, and nothing is deleted. [`watch`] contains the rules,
//! which are pure. This module gives them the clock and the store, which keeps the last agreed time
//! from one run to the next.

mod watch;

use std::sync::{Mutex, MutexGuard, PoisonError};

use journal::{ClockRecord, ClockRecords};
use protocol::{ClockDoubt, Timestamp};

use self::watch::ClockWatch;
pub(crate) use self::watch::Tolerance;
use crate::{Error, World};

/// Milliseconds after which an agreed time is stored again.
const AGREED_EVERY_MS: i64 = 60 * 60 * 1000;
/// Milliseconds of steady running after which the progress of a clock in doubt is stored again.
const STEADY_EVERY_MS: u64 = 10 * 60 * 1000;

/// The clock for deletion by age.
pub(crate) struct SweepClock {
    limits: Tolerance,
    /// `None` until the store was read for the first time.
    state: Mutex<Option<ClockState>>,
}

struct ClockState {
    watch: ClockWatch,
    /// The record in the store.
    record: Option<ClockRecord>,
    /// Whether the doubt has been logged.
    is_logged: bool,
}

impl SweepClock {
    pub(crate) fn new(limits: Tolerance) -> Self {
        Self { limits, state: Mutex::new(None) }
    }

    /// The time to use for deletion, or why there is none.
    pub(crate) async fn look<S: ClockRecords + ?Sized>(
        &self,
        store: &S,
        world: &dyn World,
    ) -> Result<Result<Timestamp, ClockDoubt>, Error> {
        self.change(store, world, false).await
    }

    /// Accepts the wall clock as correct from now on, on the operator's word.
    pub(crate) async fn trust<S: ClockRecords + ?Sized>(&self, store: &S, world: &dyn World) -> Result<(), Error> {
        self.change(store, world, true).await.map(drop)
    }

    /// Why nothing is deleted at present, as of the last check.
    pub(crate) fn doubt(&self) -> Option<ClockDoubt> {
        self.lock().as_ref().and_then(|state| state.watch.doubt())
    }

    /// The current time for data that must not expire early: not later than the time that has
    /// surely passed.
    pub(crate) fn cautious(&self, world: &dyn World) -> Timestamp {
        let (wall, running) = (world.now(), world.running());
        self.lock().as_ref().map_or(wall, |state| state.watch.cautious(wall, running))
    }

    async fn change<S: ClockRecords + ?Sized>(
        &self,
        store: &S,
        world: &dyn World,
        is_trusted: bool,
    ) -> Result<Result<Timestamp, ClockDoubt>, Error> {
        if self.lock().is_none() {
            let (record, newest) = (store.clock_record().await?, store.newest_at().await?);
            let begin = || ClockWatch::begin(self.limits, record, newest, world.now(), world.running());
            self.lock().get_or_insert_with(|| ClockState { watch: begin(), record, is_logged: false });
        }
        let (verdict, due) = {
            let mut guard = self.lock();
            // It was set above and is never cleared.
            let Some(state) = guard.as_mut() else { return Ok(Ok(world.now())) };
            let (wall, running) = (world.now(), world.running());
            if is_trusted {
                state.watch.trust(wall, running);
            } else {
                state.watch.look(wall, running);
            }
            let verdict = state.watch.doubt().map_or(Ok(wall), Err);
            log_change(&mut state.is_logged, &verdict);
            (verdict, state.due())
        };
        if let Some(record) = due {
            store.keep_clock_record(record).await?;
            if let Some(state) = self.lock().as_mut() {
                state.record = Some(record);
            }
        }
        Ok(verdict)
    }

    fn lock(&self) -> MutexGuard<'_, Option<ClockState>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ClockState {
    /// The record to store, if it differs enough from the stored one.
    fn due(&self) -> Option<ClockRecord> {
        let now = self.watch.record();
        let Some(before) = self.record else { return Some(now) };
        let has_moved = (now.agreed.as_millis() - before.agreed.as_millis()).abs() >= AGREED_EVERY_MS;
        let has_settled = now.steady_ms.abs_diff(before.steady_ms) >= STEADY_EVERY_MS;
        (has_moved || has_settled).then_some(now)
    }
}

fn log_change(is_logged: &mut bool, verdict: &Result<Timestamp, ClockDoubt>) {
    match verdict {
        Err(doubt) if !*is_logged => tracing::warn!(reason = doubt.reason, "nothing is deleted by age for now"),
        Ok(now) if *is_logged => tracing::info!(%now, "the clock is trusted again; deletion by age continues"),
        _ => {}
    }
    *is_logged = verdict.is_err();
}
