//! The port to the pins of a session.

use async_trait::async_trait;

use crate::tool_failure::ToolFailure;

/// A change to the session's pins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PinChange {
    /// Adds text that every later turn sees.
    Pin {
        /// Its name.
        key: String,
        /// The text.
        text: String,
    },
    /// Removes it.
    Unpin {
        /// Its name.
        key: String,
    },
}

/// The pins of the session.
#[async_trait]
pub trait PinStore: Send + Sync + 'static {
    /// The session's pins, as name and text.
    async fn pins(&self) -> Result<Vec<(String, String)>, ToolFailure>;

    /// Applies a change; it is durable when this returns.
    async fn change(&self, keeping: PinChange) -> Result<(), ToolFailure>;
}
