//! How a turn ended, and what later turns read about it. Decided once, here.

use std::borrow::Cow;

use protocol::{Response, StatusChanged, StopReason, Transition};
use serde::{Deserialize, Serialize};

/// Error codes with which a provider or its model declines a request. Every later prompt that
/// contains the request would be declined as well.
const DECLINED: [&str; 2] = ["model_filtered", "model_declined"];
/// Error code for a request that does not fit into the model's context window.
const TOO_LARGE: &str = "model_context_exceeded";

/// How a turn ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TurnEnding {
    /// Answered completely.
    #[default]
    Answered,
    /// The answer reached the maximum length.
    Length,
    /// The provider withheld the rest of the answer.
    Filtered,
    /// The provider or the model declined it: it is left out of later prompts.
    Declined,
    /// It exceeded the model's context window: it is left out of later prompts.
    TooLarge,
    /// It failed.
    Failed,
    /// It was cancelled.
    Cancelled,
    /// Its time ran out.
    Expired,
}

impl TurnEnding {
    /// The ending of a turn, from its last status and its answer.
    pub(crate) fn of(change: &StatusChanged, response: Option<&Response>) -> Self {
        let code = change.error.as_ref().map(|error| error.code.as_str());
        match (response.map(|response| response.stop_reason), change.status) {
            (Some(StopReason::Length), _) => Self::Length,
            (Some(StopReason::ContentFilter), _) => Self::Filtered,
            (Some(StopReason::Refusal), _) => Self::Declined,
            (Some(_), _) | (None, Transition::Completed) => Self::Answered,
            (None, Transition::Cancelled) => Self::Cancelled,
            (None, Transition::Expired) => Self::Expired,
            (None, _) if code.is_some_and(|code| DECLINED.contains(&code)) => Self::Declined,
            (None, _) if code == Some(TOO_LARGE) => Self::TooLarge,
            (None, _) => Self::Failed,
        }
    }

    /// Whether the turn is left out of later prompts, question and answer.
    pub const fn is_left_out(self) -> bool {
        matches!(self, Self::Declined | Self::TooLarge)
    }

    /// Why there is no answer, or only a part of it.
    const fn why(self) -> Option<&'static str> {
        match self {
            Self::Answered => None,
            Self::Length => Some("the answer reached the maximum length"),
            Self::Filtered | Self::Declined => Some("the model's provider withheld the rest"),
            Self::TooLarge => Some("it exceeded the model's context window"),
            Self::Failed => Some("the turn failed"),
            Self::Cancelled => Some("the turn was cancelled"),
            Self::Expired => Some("the turn's time ran out"),
        }
    }

    /// The answer as later prompts contain it. A missing or incomplete answer says so: otherwise
    /// two questions would follow each other without an answer in between.
    pub(crate) fn mark<'a>(self, answer: &'a str) -> Cow<'a, str> {
        match (answer.is_empty(), self.why()) {
            (false, None) => Cow::Borrowed(answer),
            (false, Some(why)) => Cow::Owned(format!("{} [Cut off here: {why}.]", answer.trim_end())),
            (true, None) => Cow::Borrowed("[No answer.]"),
            (true, Some(why)) => Cow::Owned(format!("[No answer: {why}.]")),
        }
    }
}

#[cfg(test)]
mod tests {
    use protocol::TurnError;

    use super::*;

    fn failed(code: &str) -> StatusChanged {
        let error = TurnError { code: code.to_owned(), message: String::new(), recoverable: false, details: None };
        StatusChanged { error: Some(error), ..StatusChanged::to(Transition::Failed) }
    }

    fn answered(stop_reason: StopReason) -> Response {
        Response { stop_reason, ..Response::text("One two", "m") }
    }

    #[test]
    fn each_end_is_told_in_its_own_words() {
        let to = StatusChanged::to;
        for (change, response, answer, expected) in [
            (to(Transition::Completed), Some(answered(StopReason::Complete)), "One two", "One two"),
            (to(Transition::Completed), Some(answered(StopReason::Budget)), "One two", "One two"),
            (to(Transition::Completed), Some(answered(StopReason::Empty)), "", "[No answer.]"),
            (
                to(Transition::Completed),
                Some(answered(StopReason::Length)),
                "One two",
                "One two [Cut off here: the answer reached the maximum length.]",
            ),
            (
                to(Transition::Completed),
                Some(answered(StopReason::ContentFilter)),
                "One",
                "One [Cut off here: the model's provider withheld the rest.]",
            ),
            (failed("model_failed"), None, "", "[No answer: the turn failed.]"),
            (failed("model_cut_off"), None, "One", "One [Cut off here: the turn failed.]"),
            (to(Transition::Cancelled), None, "", "[No answer: the turn was cancelled.]"),
            (to(Transition::Expired), None, "", "[No answer: the turn's time ran out.]"),
        ] {
            let ending = TurnEnding::of(&change, response.as_ref());
            assert_eq!((ending.mark(answer).as_ref(), ending.is_left_out()), (expected, false), "{ending:?}");
        }
    }

    #[test]
    fn what_was_declined_or_is_too_large_is_left_out() {
        for code in ["model_filtered", "model_declined", "model_context_exceeded"] {
            assert!(TurnEnding::of(&failed(code), None).is_left_out(), "{code}");
        }
        let refused = answered(StopReason::Refusal);
        assert!(TurnEnding::of(&StatusChanged::to(Transition::Completed), Some(&refused)).is_left_out());
    }
}
