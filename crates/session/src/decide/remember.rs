//! What was made of the conversation by whoever follows it: told once, whatever happens in between.

use protocol::{Body, ClientRead, MemoryWritten, SummaryCreated};

use crate::{
    decision::{Decision, Outcome},
    state::State,
};

/// Something that is remembered of the session from now on.
#[derive(Debug, Clone, PartialEq)]
pub enum Remembered {
    /// A fact, or a line of the profile.
    Written(MemoryWritten),
    /// What the conversation comes to.
    Summary(SummaryCreated),
}

pub(super) fn decide(state: &State, news: Vec<Remembered>) -> Decision {
    let mut decision = Decision::nothing(Outcome::Done);
    for news in news {
        match news {
            Remembered::Written(written) if state.was_told_written(&written) => {}
            Remembered::Written(written) => decision.session_event(Body::MemoryWritten(written)),
            Remembered::Summary(summary) if state.was_told_summary(summary.id) => {}
            Remembered::Summary(summary) => decision.session_event(Body::SummaryCreated(summary)),
        }
    }
    decision
}

/// What a client has read is written down before it gets to see it.
pub(super) fn client_read(read: ClientRead) -> Decision {
    let mut decision = Decision::nothing(Outcome::Done);
    decision.session_event(Body::ClientRead(read));
    decision
}
