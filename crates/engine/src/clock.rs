//! The clock that deleting by age goes by: the wall clock, as long as it agrees with what else is known of the time.
//!
//! Everything that is deleted because it is old asks [`SweepClock::look`] for the time. While the wall clock is in doubt
//! there is no answer, and nothing is deleted. [`watch`] holds the rules, which are pure; here they are given the clock and
//! the store, which remembers from one run to the next which time was agreed on last.

mod watch;

use std::sync::{Mutex, MutexGuard, PoisonError};

use journal::{ClockRecord, ClockRecords};
use protocol::{ClockDoubt, Timestamp};

pub(crate) use self::watch::Tolerance;
use self::watch::Watch;
use crate::{Error, World};

/// Milliseconds after which a time that was agreed on is written down anew.
const AGREED_EVERY_MS: i64 = 60 * 60 * 1000;
/// Milliseconds of steady running after which those of a clock in doubt are.
const STEADY_EVERY_MS: u64 = 10 * 60 * 1000;

/// The clock that deleting goes by.
pub(crate) struct SweepClock {
    limits: Tolerance,
    /// None until the store was first asked.
    state: Mutex<Option<State>>,
}

struct State {
    watch: Watch,
    /// What is written down.
    record: Option<ClockRecord>,
    /// Whether the log says that the clock is in doubt.
    is_logged: bool,
}

impl SweepClock {
    pub(crate) fn new(limits: Tolerance) -> Self {
        Self { limits, state: Mutex::new(None) }
    }

    /// The time by which things may be deleted, or why there is none.
    pub(crate) async fn look<S: ClockRecords + ?Sized>(
        &self,
        store: &S,
        world: &dyn World,
    ) -> Result<Result<Timestamp, ClockDoubt>, Error> {
        self.change(store, world, false).await
    }

    /// Takes the wall clock for right from now on: the operator says that it is.
    pub(crate) async fn trust<S: ClockRecords + ?Sized>(&self, store: &S, world: &dyn World) -> Result<(), Error> {
        self.change(store, world, true).await.map(drop)
    }

    /// Why nothing is deleted at present, as far as was seen at the last look.
    pub(crate) fn doubt(&self) -> Option<ClockDoubt> {
        self.lock().as_ref().and_then(|state| state.watch.doubt())
    }

    /// The present moment for what must not be forgotten early: not later than the time that is surely past.
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
            let begin = || Watch::begin(self.limits, record, newest, world.now(), world.running());
            self.lock().get_or_insert_with(|| State { watch: begin(), record, is_logged: false });
        }
        let (verdict, due) = {
            let mut guard = self.lock();
            // It was filled above and is never emptied.
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

    fn lock(&self) -> MutexGuard<'_, Option<State>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// What is to be written down, if it differs enough from what is.
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
        Ok(now) if *is_logged => tracing::info!(%now, "the clock is believed again; what is old enough is deleted"),
        _ => {}
    }
    *is_logged = verdict.is_err();
}
