//! Limits on what clients may request, and how long they may take.

use std::{num::NonZeroU32, time::Duration};

use crate::AllowedPeers;

/// Most bytes of an imported conversation or archive, which may be larger than other messages.
pub(crate) const ARCHIVE_BYTES_MAX: usize = 64 * 1024 * 1024;

/// Limits on what clients may request, and how long they may take.
#[derive(Debug, Clone)]
pub struct Limits {
    /// Bytes of a request's body or of a WebSocket message.
    pub frame_bytes_max: usize,
    /// How deep JSON may be nested.
    pub json_depth_max: usize,
    /// Open TCP connections; more are refused.
    pub connections_max: usize,
    /// Open connections that have not presented a valid credential; beyond that an old one is
    /// closed for a new one. At most half of `connections_max`.
    pub anonymous_connections_max: usize,
    /// Connections of one peer address; more are refused.
    pub peer_connections_max: usize,
    /// Connections of one owner; more are refused.
    pub owner_connections_max: usize,
    /// Reverse proxies, whose connections stand for many peers and owners: the two limits above do
    /// not apply to them.
    pub proxies: AllowedPeers,
    /// Open WebSockets and event streams; more are refused.
    pub streams_max: usize,
    /// Open WebSockets and event streams of one owner; more are refused.
    pub owner_streams_max: usize,
    /// MCP sessions; for one more, another ends.
    pub mcp_sessions_max: usize,
    /// MCP sessions of one owner; for one more, the one that was idle for longest ends.
    pub owner_mcp_sessions_max: usize,
    /// An MCP session that is not used for this long ends.
    pub mcp_idle: Duration,
    /// Sessions one WebSocket may follow.
    pub follows_max: usize,
    /// Requests and messages of one owner per second.
    pub requests_per_second_max: NonZeroU32,
    /// How many of them may arrive at once.
    pub requests_burst_max: NonZeroU32,
    /// Wrong tokens, tickets, invitations, keys and cookies of one peer address per minute; more
    /// are not checked.
    pub failed_entries_peer_max: NonZeroU32,
    /// The same for all peers together; beyond that, peers that have failed lately have to wait.
    pub failed_entries_all_max: NonZeroU32,
    /// How long the head of a request may take to arrive.
    pub header: Duration,
    /// How long a body may stop arriving.
    pub body: Duration,
    /// Bytes of a body that have to arrive per second on average, once it has taken three times
    /// `body`.
    pub body_bytes_per_second_min: NonZeroU32,
    /// How long a connection may be idle between two requests.
    pub idle: Duration,
    /// A client that reads nothing for this long is disconnected.
    pub slow_reader: Duration,
    /// How often a WebSocket is pinged; a client that does not answer twice in a row is
    /// disconnected.
    pub ping: Duration,
    /// After how long without traffic the system probes whether the other side is still there.
    pub keep_alive: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        // These constants are not zero.
        let number = |value| NonZeroU32::new(value).unwrap_or(NonZeroU32::MIN);
        Self {
            frame_bytes_max: 1024 * 1024,
            json_depth_max: 32,
            connections_max: 16_384,
            anonymous_connections_max: 2_048,
            peer_connections_max: 512,
            owner_connections_max: 4_096,
            proxies: AllowedPeers::default(),
            streams_max: 10_000,
            owner_streams_max: 2_048,
            mcp_sessions_max: 1_024,
            owner_mcp_sessions_max: 64,
            mcp_idle: Duration::from_secs(15 * 60),
            follows_max: 64,
            requests_per_second_max: number(500),
            requests_burst_max: number(2_000),
            failed_entries_peer_max: number(60),
            failed_entries_all_max: number(600),
            header: Duration::from_secs(10),
            body: Duration::from_secs(10),
            body_bytes_per_second_min: number(1_024),
            idle: Duration::from_secs(75),
            slow_reader: Duration::from_secs(10),
            ping: Duration::from_secs(20),
            keep_alive: Duration::from_secs(20),
        }
    }
}
