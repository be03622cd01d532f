//! Keeps a connection to each satellite, which is a server itself.

use std::{sync::Arc, time::Duration};

use tokio::time::Instant;

use super::{
    super::{
        WyomingService,
        connection::{ConnectionEnd, serve_satellite},
    },
    Satellite,
    link::connect,
};

/// The first wait before connecting again, and the longest.
const FIRST_WAIT: Duration = Duration::from_millis(500);
const LONGEST_WAIT: Duration = Duration::from_secs(30);
/// After a connection that lasted this long, the waits start anew.
const STEADY: Duration = Duration::from_secs(10);

/// Stays connected to a satellite until the server stops.
pub(in crate::wyoming) async fn keep_connected(service: Arc<WyomingService>, satellite: Satellite) {
    let (name, address) = (&satellite.name, &satellite.address);
    let mut wait = FIRST_WAIT;
    // A satellite that is switched off is reported once, not with every attempt.
    let mut is_reported = false;
    loop {
        let begun_at = Instant::now();
        let opened = tokio::select! {
            () = service.stopping.cancelled() => return,
            opened = connect(address) => opened,
        };
        let why = match opened {
            Ok(stream) => {
                tracing::info!(satellite = name, %address, "a satellite is connected");
                is_reported = false;
                match serve_satellite(&service, stream, &satellite).await {
                    ConnectionEnd::Stopping => return,
                    end => end.to_string(),
                }
            }
            Err(error) => error.to_string(),
        };
        if begun_at.elapsed() >= STEADY {
            wait = FIRST_WAIT;
        }
        if !is_reported {
            is_reported = true;
            tracing::warn!(satellite = name, %address, why, "a satellite is not connected; Dwell keeps trying");
        }
        tokio::select! {
            () = service.stopping.cancelled() => return,
            () = tokio::time::sleep(wait) => {}
        }
        wait = (wait * 2).min(LONGEST_WAIT);
    }
}
