//! Reads a session's events for the memory agent.

use protocol::{BY_CALL, Body, Event, ItemSource, Origin, StopReason, Timestamp};

use crate::long_term::NewEntry;

/// The tag of what was said in a turn that needed no language model, such as a command to a device.
/// It is found by its words, and is not embedded: there are many such messages, and what they mean
/// is in the words.
pub const ANSWERED_BY: &str = "answered_by";
/// `model` of an answer to a message that was understood and carried out without a language model,
/// and the value of the tag.
pub const BY_REFLEX: &str = "reflex";

/// What an event means for memory.
#[derive(Debug, Clone, PartialEq)]
pub enum ConversationEvent {
    /// The session began. Earlier events belong to the session it was forked from.
    Began {
        /// When it began.
        at: Timestamp,
        /// The client's own name for it.
        name: Option<String>,
        /// Whether the session is temporary: it is deleted when it ends.
        is_temporary: bool,
    },
    /// A user or the assistant said something.
    Said(Box<NewEntry>),
    /// The turn's context contains untrusted text, so its answer is untrusted too.
    Tainted,
    /// The conversation is over, or starts over: it is summarized up to here.
    Over,
    /// Nothing that memory keeps.
    Nothing,
}

/// What an event means for memory. Entries keep their source, so that their text can be redacted
/// there too.
pub fn read_event(event: &Event) -> ConversationEvent {
    let source = ItemSource {
        session_id: Some(event.session_id),
        turn_id: event.turn_id,
        seq: Some(event.seq),
        ..ItemSource::default()
    };
    let window_id = match &event.body {
        Body::MessageAccepted(accepted) => accepted.request.window.as_ref(),
        Body::MessageSteered(steered) => steered.request.window.as_ref(),
        _ => None,
    }
    .map(|window| window.window_id.clone());
    let source = ItemSource { window_id, ..source };
    let said = |role: &str, words: &str, origin: Origin| {
        if words.trim().is_empty() {
            return ConversationEvent::Nothing;
        }
        let entry = NewEntry {
            conversation_time: Some(event.at),
            source: source.clone(),
            origin,
            ..NewEntry::said(role, words)
        };
        ConversationEvent::Said(Box::new(entry))
    };
    match &event.body {
        Body::SessionStarted(started) => ConversationEvent::Began {
            at: event.at,
            name: started.key.as_ref().map(|name| name.as_str().to_owned()),
            is_temporary: started.temporary,
        },
        // A retry repeats a message that is stored already.
        Body::MessageAccepted(accepted) if accepted.retry_of.is_some() => ConversationEvent::Nothing,
        // The user pressed a control in a window; it is not a message.
        Body::MessageAccepted(accepted) if accepted.request.window.as_ref().is_some_and(|it| it.act.is_some()) => {
            ConversationEvent::Nothing
        }
        // A client called a tool directly; there is no message.
        Body::MessageAccepted(accepted) if !accepted.request.calls.is_empty() => ConversationEvent::Nothing,
        Body::Final(response) if response.model == BY_CALL => ConversationEvent::Nothing,
        Body::MessageAccepted(accepted) => said("user", &accepted.request.message, accepted.request.origin),
        Body::MessageSteered(steered) => said("user", &steered.request.message, steered.request.origin),
        // An answer that was refused, filtered or cut off is not stored.
        Body::Final(response) if !matches!(response.stop_reason, StopReason::Complete | StopReason::Budget) => {
            ConversationEvent::Nothing
        }
        Body::Final(response) => said("assistant", &response.message, Origin::Trusted),
        Body::MemoryUsed(used) if used.tainted => ConversationEvent::Tainted,
        Body::Step(protocol::Step::ToolResult(result)) if result.origin == Origin::Untrusted => {
            ConversationEvent::Tainted
        }
        Body::SessionEnded(_) | Body::SessionReset(_) => ConversationEvent::Over,
        _ => ConversationEvent::Nothing,
    }
}
