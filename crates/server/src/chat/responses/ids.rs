//! The ids of responses and of their items. They contain the turn, so nothing has to be stored to
//! find what an id names.

use std::fmt;

use protocol::{SessionId, TurnId};

/// A response: a turn, or the part of a turn after results of the client's calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ResponseId {
    pub(super) turn_id: TurnId,
    /// How many calls of the turn earlier responses returned; 0 for the first part.
    pub(super) part: usize,
}

/// An item of a response, or of its input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ItemId {
    /// The text of a response.
    Message(ResponseId),
    /// A message of its input, by its index.
    Input(ResponseId, usize),
    /// A call of one of the client's functions, by its index among the turn's calls.
    Call(TurnId, usize),
    /// The output of such a call.
    CallOutput(TurnId, usize),
}

impl ResponseId {
    /// Reads the id of a response.
    pub(super) fn read(text: &str) -> Option<Self> {
        Self::read_place(text.strip_prefix("resp_")?)
    }

    fn read_place(text: &str) -> Option<Self> {
        let (turn_id, part) = text.split_once('_').unwrap_or((text, "0"));
        Some(Self { turn_id: turn_id.parse().ok()?, part: part.parse().ok()? })
    }
}

impl fmt::Display for ResponseId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.part {
            0 => write!(f, "resp_{}", self.turn_id),
            part => write!(f, "resp_{}_{part}", self.turn_id),
        }
    }
}

impl ItemId {
    /// Reads the id of an item.
    pub(super) fn read(text: &str) -> Option<Self> {
        let (kind, place) = text.split_once('_')?;
        let call = || {
            let (turn_id, place) = place.split_once('_')?;
            Some((turn_id.parse().ok()?, place.parse().ok()?))
        };
        match kind {
            "msg" => ResponseId::read_place(place).map(Self::Message),
            "in" => {
                let (response, index) = place.rsplit_once('_')?;
                Some(Self::Input(ResponseId::read_place(response)?, index.parse().ok()?))
            }
            "fc" => call().map(|(turn_id, place)| Self::Call(turn_id, place)),
            "fco" => call().map(|(turn_id, place)| Self::CallOutput(turn_id, place)),
            _ => None,
        }
    }

    /// The id of a call's item, by the call's own id.
    pub(super) fn of_call(call_id: &str) -> String {
        format!("fc_{}", call_id.trim_start_matches("call_"))
    }

    /// The turn that the item belongs to.
    pub(super) const fn turn_id(self) -> TurnId {
        match self {
            Self::Message(response) | Self::Input(response, _) => response.turn_id,
            Self::Call(turn_id, _) | Self::CallOutput(turn_id, _) => turn_id,
        }
    }
}

impl fmt::Display for ItemId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Message(ResponseId { turn_id, part }) => write!(f, "msg_{turn_id}_{part}"),
            Self::Input(ResponseId { turn_id, part }, index) => write!(f, "in_{turn_id}_{part}_{index}"),
            Self::Call(turn_id, place) => write!(f, "fc_{turn_id}_{place}"),
            Self::CallOutput(turn_id, place) => write!(f, "fco_{turn_id}_{place}"),
        }
    }
}

/// The id of a conversation: its session.
pub(super) fn conversation_id(session_id: SessionId) -> String {
    format!("conv_{session_id}")
}

/// The session's name in the id of a conversation; other names are the client's own.
pub(super) fn session_name(conversation: &str) -> &str {
    match conversation.strip_prefix("conv_") {
        Some(id) if id.parse::<SessionId>().is_ok() => id,
        _ => conversation,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_id_says_what_it_names() {
        let turn_id: TurnId = "01HF7YAT00TESTTVRNAAAAAAAA".parse().unwrap();
        for part in [0, 3] {
            let response = ResponseId { turn_id, part };
            assert_eq!(ResponseId::read(&response.to_string()), Some(response));
            for item in [
                ItemId::Message(response),
                ItemId::Input(response, 2),
                ItemId::Call(turn_id, part),
                ItemId::CallOutput(turn_id, part),
            ] {
                assert_eq!(ItemId::read(&item.to_string()), Some(item));
            }
        }
        assert_eq!(ItemId::read(&ItemId::of_call(&format!("call_{turn_id}_7"))), Some(ItemId::Call(turn_id, 7)));
        for other in ["", "resp_", "resp_1", "resp_01HF7YAT00TESTTVRNAAAAAAAA_x", "msg_01HF7YAT00TESTTVRNAAAAAAAA"] {
            assert_eq!(ResponseId::read(other), None, "{other}");
        }
        assert_eq!(ItemId::read("rs_01HF7YAT00TESTTVRNAAAAAAAA"), None);
    }

    #[test]
    fn a_conversation_is_named_by_its_session_or_by_the_client() {
        let session_id: SessionId = "01HF7YAT00TESTTVRNAAAAAAAA".parse().unwrap();
        assert_eq!(session_name(&conversation_id(session_id)), session_id.to_string());
        for own in ["kitchen", "conv_kitchen", "01HF7YAT00TESTTVRNAAAAAAAA"] {
            assert_eq!(session_name(own), own);
        }
    }
}
