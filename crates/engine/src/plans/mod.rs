//! Work that begins by itself: waking sessions in time, starting the runs of schedules, and
//! delivering alerts.
//!
//! All of it follows from the journals of sessions. A session says when it wants to be woken
//! ([`Alarms`]); its actor then decides what is due, and what it decides is durable before anything
//! happens. A run (`runs`) and a delivery (`delivery`) that a crash interrupts are started again by
//! the actor that loads the session.

mod alarms;
mod alert_feed;
mod delivery;
mod home_triggers;
mod occasions;
mod runs;
mod timer_feed;
mod turn_triggers;
mod watch_key;
mod zone;

pub(crate) use alarms::{Alarms, spawn};
pub(crate) use alert_feed::AlertFeed;
pub(crate) use delivery::deliver;
pub(crate) use home_triggers::{EntityChange, HomeTriggers, load as load_triggers, spawn as follow_home};
pub(crate) use occasions::occasion;
pub(crate) use runs::{ScheduledRun, start};
pub(crate) use timer_feed::TimerFeed;
pub use timer_feed::{TimerChange, TimerNotice};
pub(crate) use turn_triggers::{EndedTurn, TOLD_WITHIN, tell_others, untold};
pub(crate) use watch_key::WatchKey;
pub(crate) use zone::{ZONE_PREFERENCE, zone_of};
