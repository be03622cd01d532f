//! Which events change the entry of a session in the catalog.

use super::Body;

impl Body {
    /// Whether this event can change the session's entry in the catalog (title, settings, open
    /// turn, waiting approvals). Progress of a turn or of a desktop does not change it. The match
    /// lists every kind, so that a new kind has to decide.
    pub const fn changes_catalog(&self) -> bool {
        match self {
            Self::SessionStarted(_)
            | Self::SessionUpdated(_)
            | Self::SessionReset(_)
            | Self::SessionEnded(_)
            | Self::SessionRestored(_)
            | Self::MessageAccepted(_)
            | Self::MessageSteered(_)
            | Self::Clarification(_)
            | Self::ApprovalRequested(_)
            | Self::ApprovalResolved(_)
            | Self::ClientRead(_)
            | Self::ToolsChanged(_)
            | Self::TurnStatus(_)
            | Self::Schedule(_)
            | Self::Alert(_) => true,
            Self::MessageQueued(_)
            | Self::TurnStage(_)
            | Self::MemoryUsed(_)
            | Self::EntityBase(_)
            | Self::Step(_)
            | Self::MemoryWritten(_)
            | Self::SummaryCreated(_)
            | Self::Actions(_)
            | Self::Interacted(_)
            | Self::WindowAgent(_)
            | Self::RenderFailed(_)
            | Self::DialogAnswered(_)
            | Self::ToastActed(_)
            | Self::AppReady(_)
            | Self::AppRequested(_)
            | Self::AppAnswered(_)
            | Self::ResearchStarted(_)
            | Self::ResearchChunk(_)
            | Self::ResearchDone(_)
            | Self::Thinking(_)
            | Self::Text(_)
            | Self::Final(_) => false,
        }
    }
}
