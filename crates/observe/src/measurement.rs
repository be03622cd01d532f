//! Measurements. Their labels are bounded: no ids of sessions, no names that clients choose.

use std::time::Duration;

/// Takes measurements as they happen, on the thread where they happen: it must not block.
pub trait Meter: Send + Sync + 'static {
    /// Takes one measurement.
    fn measure(&self, measurement: Measurement<'_>);
}

/// The usage of a model call.
#[derive(Debug, Clone, Copy, Default)]
pub struct TokenUsage {
    /// Tokens sent.
    pub input: u64,
    /// Tokens received.
    pub output: u64,
    /// Tokens sent that the provider had in its cache.
    pub cached: u64,
    /// Millionths of a dollar, if the price is known.
    pub cost_micros: u64,
}

/// Something that happened.
#[derive(Debug, Clone, Copy)]
pub enum Measurement<'a> {
    /// A message became a turn.
    TurnAccepted,
    /// A turn has chosen its way.
    TurnPlanned {
        /// The turn.
        turn_id: u128,
        /// The way, such as `tool_loop`.
        way: &'a str,
    },
    /// The first text of a turn is there.
    FirstText {
        /// The time since the message was accepted.
        after: Duration,
    },
    /// A turn has ended.
    TurnEnded {
        /// The turn.
        turn_id: u128,
        /// How: `completed`, `cancelled`, `expired` or `failed`.
        outcome: &'a str,
        /// The code of its error, if it has one.
        error: Option<&'a str>,
        /// The time since the message was accepted.
        took: Duration,
    },
    /// A model call has ended.
    ModelCall {
        /// The name of the configured provider.
        provider: &'a str,
        /// What for: `turn`, `research`, or a purpose of memory.
        purpose: &'a str,
        /// The code of its error; none if it was answered.
        error: Option<&'a str>,
        /// Its usage.
        usage: TokenUsage,
    },
    /// How long a model call of a turn took.
    ModelTime {
        /// The name of the configured provider.
        provider: &'a str,
        /// The time.
        took: Duration,
    },
    /// A tool call has its result.
    ToolCall {
        /// The tool's name, if it is registered; else `other`.
        tool: &'a str,
        /// What kind of tool: `built_in`, `http`, `mcp` or `client`.
        kind: &'a str,
        /// How it ended.
        outcome: &'a str,
        /// How long it took, if it ran.
        took: Option<Duration>,
    },
    /// A call waits for approval.
    ApprovalAsked,
    /// A request for approval is settled.
    ApprovalAnswered {
        /// The decision.
        decision: &'a str,
    },
    /// A schedule has fired.
    ScheduleFired,
    /// The journal has flushed to the disk.
    Commit {
        /// What: its `log` or its `database`.
        target: &'a str,
        /// How long the disk took.
        flush: Duration,
    },
    /// The journal has made a batch of writes durable, with one flush.
    Batch {
        /// The writes in it.
        writes: usize,
        /// The events in it.
        events: usize,
    },
    /// Sessions that are held by a lease.
    Leases(usize),
    /// Memory has read a committed event.
    FollowerRead {
        /// The time since the event.
        lag: Duration,
    },
}

/// What is counted when it is asked for.
#[derive(Debug, Clone, Copy, Default)]
pub struct Gauges {
    /// Sessions in memory.
    pub live_sessions: u64,
    /// Turns at work.
    pub running_turns: u64,
    /// Turns that wait for a place among them.
    pub waiting_turns: u64,
    /// Turns that may work at once.
    pub turns_max: u64,
    /// Turns at work in the background.
    pub background_running: u64,
    /// Turns that wait for a place among them.
    pub background_waiting: u64,
    /// Sessions with events that memory has not read.
    pub unread_sessions: u64,
    /// Documents in the search indexes in memory.
    pub index_documents: u64,
    /// Sessions that were found damaged.
    pub damaged_sessions: u64,
    /// TCP connections.
    pub connections: u64,
    /// WebSockets and event streams.
    pub streams: u64,
    /// MCP sessions.
    pub mcp_sessions: u64,
}
