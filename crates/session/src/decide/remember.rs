//! What a follower has derived from the conversation: recorded once, also after a repeated report.

use protocol::{Body, ClientRead, MemoryWritten, SummaryCreated};

use crate::{
    decision::{CommandDecision, CommandOutcome},
    state::State,
};

/// A fact or a summary derived from the conversation.
#[derive(Debug, Clone, PartialEq)]
pub enum MemoryUpdate {
    /// A fact, or a line of the profile.
    Written(MemoryWritten),
    /// A summary of the conversation.
    Summary(SummaryCreated),
}

pub(super) fn decide(state: &State, news: Vec<MemoryUpdate>) -> CommandDecision {
    let mut decision = CommandDecision::nothing(CommandOutcome::Done);
    for news in news {
        match news {
            MemoryUpdate::Written(written) if state.was_told_written(&written) => {}
            MemoryUpdate::Written(written) => decision.session_event(Body::MemoryWritten(written)),
            MemoryUpdate::Summary(summary) if state.was_told_summary(summary.id) => {}
            MemoryUpdate::Summary(summary) => decision.session_event(Body::SummaryCreated(summary)),
        }
    }
    decision
}

/// Records what a client reads, before the client receives it.
pub(super) fn client_read(read: ClientRead) -> CommandDecision {
    let mut decision = CommandDecision::nothing(CommandOutcome::Done);
    decision.session_event(Body::ClientRead(read));
    decision
}
