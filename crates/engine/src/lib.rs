//! The hub, one actor per live session, and the turns they run.
//!
//! A command comes in through the [`Hub`], which finds or loads the session's actor (`live`). The
//! actor asks the session core for a decision, commits its events, and only then publishes them and
//! runs the effects. A turn (`turn`) is a task of its own that reports back to the actor. Clients
//! follow a session through a [`Subscription`]. Nothing here knows a transport, a database or a
//! provider.

/// The instructions of the memory agent, for use by other agents too.
pub mod prompts {
    pub use memory::{
        agent::summarizer::{CONTEXT, ENTRY_CAPTURE, SUMMARY},
        extraction::EXTRACTION,
    };
}

mod clock;
mod counters;
mod error;
mod ids;
mod large_results;
mod observation;
mod options;
mod quota;
mod world;

mod pool;

mod extraction;
mod follower;
mod hub;
mod live;
mod memory_tools;
mod plans;
mod schedule_tools;
mod subscription;
mod tool_workers;

mod intent;
mod turn;

pub use error::Error;
pub use extraction::{ExtractionModel, ExtractionOptions};
pub use hub::{
    CallAnswer, ClientCalls, ConversationMatch, CountedMessage, CountedPrompt, Exchange, ExportKey, Hub, HubParts,
    MemoryParts, ScheduleMaker, client_name,
};
pub use journal::{NodeEntry, OtherNode, OwnerHold, OwnerPlace};
pub use memory::{
    language::instructions::is_instruction,
    long_term::{EmbeddedTexts, EmbeddingModel},
};
pub use options::{AfterExpiry, BackgroundOptions, Options, Retention};
pub use plans::{TimerChange, TimerNotice};
pub use ports::HomeChanges;
pub use quota::{Quota, QuotaExceeded, QuotaKind};
pub use session::Refusal;
pub use subscription::{Delivery, Subscription, WatchedMonitors};
pub use tool_workers::{WorkerFeed, WorkerMessage};
pub use world::{SystemWorld, World};
