//! Changes of timers that were set at a voice satellite, as satellites show them.
//!
//! They are told once they are written, and not repeated: what matters of a timer, its end, is an
//! alert.

use std::sync::Arc;

use protocol::{Body, Event, OwnerId, ScheduleEvent, ScheduleId, ScheduleSpec, ScheduledAction, Timestamp};
use session::State;
use tokio::sync::broadcast;

/// Changes that a follower may be behind.
const FEED_MAX: usize = 64;

/// A change of a timer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TimerNotice {
    /// Whose it is.
    pub owner: OwnerId,
    /// The satellite that it was set at.
    pub satellite: String,
    /// The timer.
    pub schedule_id: ScheduleId,
    /// What has changed.
    pub change: TimerChange,
}

/// What has changed about a timer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TimerChange {
    /// It is set.
    Started {
        /// Its name.
        name: Option<String>,
        /// For how long.
        seconds: u64,
    },
    /// It stops, goes on, or ends at another time.
    Updated {
        /// Whether it runs.
        is_active: bool,
        /// How much is left.
        seconds: u64,
    },
    /// It is taken back.
    Cancelled,
}

/// The followers of timers.
pub(crate) struct TimerFeed {
    notices: broadcast::Sender<Arc<TimerNotice>>,
}

impl Default for TimerFeed {
    fn default() -> Self {
        Self { notices: broadcast::channel(FEED_MAX).0 }
    }
}

impl TimerFeed {
    pub(crate) fn follow(&self) -> broadcast::Receiver<Arc<TimerNotice>> {
        self.notices.subscribe()
    }

    /// Tells followers what an event has changed; `state` is the state after it.
    pub(crate) fn tell(&self, state: &State, event: &Event) {
        let Body::Schedule(happened) = &event.body else { return };
        if self.notices.receiver_count() > 0
            && let Some(notice) = notice(state, event.at, happened)
        {
            // A follower may have left meanwhile.
            let _ = self.notices.send(Arc::new(notice));
        }
    }
}

fn notice(state: &State, at: Timestamp, happened: &ScheduleEvent) -> Option<TimerNotice> {
    let schedule_id = happened.schedule_id();
    let known = || state.schedules.get(schedule_id).map(|schedule| &schedule.spec);
    let left = |next: Timestamp| seconds(next.as_millis() - at.as_millis());
    let (spec, change) = match happened {
        ScheduleEvent::Created { spec, next_at, .. } => {
            (spec, TimerChange::Started { name: name(spec), seconds: left((*next_at)?) })
        }
        ScheduleEvent::Changed { spec, next_at, .. } => {
            (spec, TimerChange::Updated { is_active: true, seconds: left((*next_at)?) })
        }
        ScheduleEvent::Paused { left_ms, .. } => {
            let seconds = seconds(i64::try_from((*left_ms)?).unwrap_or(i64::MAX));
            (known()?, TimerChange::Updated { is_active: false, seconds })
        }
        ScheduleEvent::Resumed { next_at, .. } => {
            (known()?, TimerChange::Updated { is_active: true, seconds: left((*next_at)?) })
        }
        ScheduleEvent::Cancelled { .. } => (known()?, TimerChange::Cancelled),
        _ => return None,
    };
    let is_timer = matches!(spec.action, ScheduledAction::Remind { timer: true, .. });
    let satellite = spec.satellite.clone().filter(|_| is_timer)?;
    Some(TimerNotice { owner: state.owner.clone(), satellite, schedule_id, change })
}

fn name(spec: &ScheduleSpec) -> Option<String> {
    let text = match &spec.action {
        ScheduledAction::Remind { text, .. } => Some(text.clone()).filter(|text| !text.is_empty()),
        _ => None,
    };
    spec.name.clone().or(text)
}

/// Whole seconds, rounded.
fn seconds(millis: i64) -> u64 {
    u64::try_from(millis.max(0)).unwrap_or_default().saturating_add(500) / 1_000
}
