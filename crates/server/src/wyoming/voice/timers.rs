//! Tells satellites of the timers that were set there, so that they can show them.

use engine::{Hub, TimerChange, TimerNotice};
use serde_json::{Value, json};
use tokio::sync::broadcast::error::RecvError;
use tokio_util::sync::CancellationToken;

use super::{super::frame::WyomingEvent, SatelliteSpeakers};

/// Passes the changes of timers on until the server stops.
pub(in crate::wyoming) async fn tell_timers(hub: Hub, speakers: SatelliteSpeakers, stopping: CancellationToken) {
    let mut notices = hub.follow_timers();
    loop {
        let notice = tokio::select! {
            () = stopping.cancelled() => return,
            notice = notices.recv() => notice,
        };
        match notice {
            Ok(notice) => speakers.tell(&notice.satellite, event(&notice)),
            Err(RecvError::Lagged(count)) => tracing::warn!(count, "satellites were not told of changes of timers"),
            Err(RecvError::Closed) => return,
        }
    }
}

/// The event, with the names of the protocol.
fn event(notice: &TimerNotice) -> WyomingEvent {
    let id = notice.schedule_id;
    match &notice.change {
        TimerChange::Started { name, seconds } => {
            let mut data = json!({ "id": id, "total_seconds": seconds });
            if let Some(name) = name {
                data["name"] = Value::from(name.as_str());
            }
            WyomingEvent::new("timer-started", data)
        }
        TimerChange::Updated { is_active, seconds } => {
            let data = json!({ "id": id, "is_active": is_active, "total_seconds": seconds });
            WyomingEvent::new("timer-updated", data)
        }
        TimerChange::Cancelled => WyomingEvent::new("timer-cancelled", json!({ "id": id })),
    }
}
