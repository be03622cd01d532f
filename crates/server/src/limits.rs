//! How much anybody may ask for.

use std::{num::NonZeroU32, time::Duration};

/// Bytes of a conversation or an archive that is taken in at once: a whole life may be more than one message.
pub(crate) const ARCHIVE_BYTES_MAX: usize = 64 * 1024 * 1024;

/// How much anybody may ask for.
#[derive(Debug, Clone)]
pub struct Limits {
    /// Bytes of a request's body or of a WebSocket message.
    pub frame_bytes_max: usize,
    /// How deep JSON may be nested.
    pub json_depth_max: usize,
    /// TCP connections at once; more wait to be accepted.
    pub connections_max: usize,
    /// WebSockets and event streams at once; more are refused.
    pub streams_max: usize,
    /// Sessions one WebSocket may follow.
    pub follows_max: usize,
    /// Requests and messages of one owner per second.
    pub requests_per_second_max: NonZeroU32,
    /// And how many may come at once.
    pub requests_burst_max: NonZeroU32,
    /// A client that takes nothing for this long is cut off.
    pub slow_reader: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        // Constants that are plainly not zero.
        let number = |value| NonZeroU32::new(value).unwrap_or(NonZeroU32::MIN);
        Self {
            frame_bytes_max: 1024 * 1024,
            json_depth_max: 32,
            connections_max: 1024,
            streams_max: 512,
            follows_max: 64,
            requests_per_second_max: number(500),
            requests_burst_max: number(2_000),
            slow_reader: Duration::from_secs(10),
        }
    }
}
