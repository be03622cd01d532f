//! The hub, one actor per live session, and the turns they run.
//!
//! A command comes in through the [`Hub`], which finds or loads the session's actor (`live`). The actor asks the
//! heart, commits what it decides, and only then tells anybody and runs the effects. A turn (`turn`) is a task of its
//! own that reports back to the actor. Whoever follows a session holds a [`Subscription`]. Nothing here knows a
//! transport, a database or a provider.

/// What the memory agent is told to do, in words that other agents can use too.
pub mod prompts {
    pub use memory::agent::words::{CONTEXT, ENTRY_CAPTURE, SUMMARY};
}

mod clock;
mod counters;
mod error;
mod ids;
mod large;
mod options;
mod quota;
mod world;

mod pool;

mod follower;
mod hub;
mod live;
mod subscription;

mod intent;
mod turn;

pub use error::Error;
pub use hub::{CallAnswer, Exchange, ExportKey, Handed, Hub, MemoryParts, Parts, Recognised, client_name};
pub use options::{AfterExpiry, Options, Retention};
pub use quota::{Exceeded, Limit, Quota};
pub use session::Refusal;
pub use subscription::{Delivery, Subscription, Watched};
pub use tools::HomeNews;
pub use world::{SystemWorld, World};
