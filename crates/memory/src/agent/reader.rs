//! What a session's events have to say to the memory agent.

use protocol::{BY_CALL, Body, Event, Origin, Source, StopReason, Timestamp};

use crate::room::NewEntry;

/// What an event means for memory.
#[derive(Debug, Clone, PartialEq)]
pub enum Heard {
    /// The session began. What happened before that moment was said in the session it was forked from.
    Began {
        /// When.
        at: Timestamp,
        /// The client's own name for it.
        name: Option<String>,
        /// Whether it is removed with all that was said in it.
        is_temporary: bool,
    },
    /// Somebody said something.
    Said(Box<NewEntry>),
    /// What was told to the turn may be anybody's words, so its answer is too.
    Tainted,
    /// The conversation is over, or starts over: what was said so far is summed up.
    Over,
    /// Nothing that memory keeps.
    Nothing,
}

/// What an event means. Words keep where they come from, so that they can be forgotten there too.
pub fn hear(event: &Event) -> Heard {
    let source = Source {
        session_id: Some(event.session_id),
        turn_id: event.turn_id,
        seq: Some(event.seq),
        ..Source::default()
    };
    let said = |role: &str, words: &str, origin: Origin| {
        if words.trim().is_empty() {
            return Heard::Nothing;
        }
        let entry = NewEntry {
            conversation_time: Some(event.at),
            source: source.clone(),
            origin,
            ..NewEntry::said(role, words)
        };
        Heard::Said(Box::new(entry))
    };
    match &event.body {
        Body::SessionStarted(started) => Heard::Began {
            at: event.at,
            name: started.key.as_ref().map(|name| name.as_str().to_owned()),
            is_temporary: started.temporary,
        },
        // The same words, asked again: they are there already.
        Body::MessageAccepted(accepted) if accepted.retry_of.is_some() => Heard::Nothing,
        // Something was pressed, not said.
        Body::MessageAccepted(accepted) if accepted.request.window.as_ref().is_some_and(|it| it.act.is_some()) => {
            Heard::Nothing
        }
        // A client has called a tool; nobody has said anything.
        Body::MessageAccepted(accepted) if !accepted.request.calls.is_empty() => Heard::Nothing,
        Body::Final(response) if response.model == BY_CALL => Heard::Nothing,
        Body::MessageAccepted(accepted) => said("user", &accepted.request.message, accepted.request.origin),
        Body::MessageSteered(steered) => said("user", &steered.request.message, steered.request.origin),
        // What was declined, held back or cut off is not what the assistant has to say.
        Body::Final(response) if !matches!(response.stop_reason, StopReason::Complete | StopReason::Budget) => {
            Heard::Nothing
        }
        Body::Final(response) => said("assistant", &response.message, Origin::Trusted),
        Body::MemoryUsed(used) if used.tainted => Heard::Tainted,
        Body::Step(protocol::Step::ToolResult(result)) if result.origin == Origin::Untrusted => Heard::Tainted,
        Body::SessionEnded(_) | Body::SessionReset(_) => Heard::Over,
        _ => Heard::Nothing,
    }
}
