//! How much of a model's context window a conversation may take.

use model::Traits;
use protocol::{Budgets, Request};

/// Models with at least this context window get a larger budget.
const HIGH_CONTEXT_MIN: u64 = 100_000;
/// Default tokens of context, for most models and for those with a large window: more would cost
/// more than it is worth.
const SHARE: u64 = 32_000;
const HIGH_SHARE: u64 = 64_000;
/// Tokens that are reserved for the answer, or one part in this many of a small window.
const ANSWER_TOKENS: u64 = 4_096;
const ANSWER_PARTS: u64 = 4;
/// Other tokenizers split words differently: one part in this many of a window that is not large is
/// reserved for that.
const LEEWAY_PARTS: u64 = 16;
/// Tokens of the rolling summary in a large context.
const SUMMARY_TOKENS_MAX: u64 = 2_000;
/// In a small context it is a fortieth of the context, between these.
const SUMMARY_SMALL: (u64, u64) = (120, 400);
/// Above this, a context is large.
const SUMMARY_LARGE_MIN: u64 = 16_000;

/// The token budget of a conversation with a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ContextBudget {
    /// Tokens of the whole prompt.
    pub(super) tokens_max: u64,
    /// Tokens of the rolling summary.
    pub(super) summary_max: u64,
}

impl ContextBudget {
    /// A session's limit may raise or lower the default, within the model's window; a turn may ask
    /// for another limit within the session's.
    pub(super) fn of(traits: Traits, budgets: &Budgets, request: &Request) -> Self {
        let model_max = traits.context_tokens_max;
        let is_high = model_max >= HIGH_CONTEXT_MIN;
        let answer = traits.output_tokens_max.map_or(ANSWER_TOKENS, |most| most.min(ANSWER_TOKENS));
        let leeway = if is_high { 0 } else { model_max / LEEWAY_PARTS };
        let sendable = model_max.saturating_sub(answer.min(model_max / ANSWER_PARTS)).saturating_sub(leeway);
        let limit = budgets.context_tokens;
        let usual = if is_high { HIGH_SHARE } else { SHARE };
        let asked = request.context_window.or(limit).unwrap_or(usual);
        let tokens_max = asked.min(limit.unwrap_or(u64::MAX)).min(sendable);
        let (least, most) = SUMMARY_SMALL;
        let is_large = tokens_max > SUMMARY_LARGE_MIN;
        let summary_max = if is_large { SUMMARY_TOKENS_MAX } else { (tokens_max / 40).clamp(least, most) };
        Self { tokens_max, summary_max }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn share(model: u64, session: Option<u64>, asked: Option<u64>) -> u64 {
        let budgets = Budgets { context_tokens: session, ..Budgets::default() };
        let request = Request { context_window: asked, ..Request::text("") };
        ContextBudget::of(Traits::of_context(model), &budgets, &request).tokens_max
    }

    #[test]
    fn a_model_is_sent_what_it_takes_and_room_is_left_for_the_answer() {
        assert_eq!((share(4_096, None, None), share(8_192, None, None)), (2_816, 5_632));
        assert_eq!((share(32_768, None, None), share(65_536, None, None)), (26_624, 32_000));
        assert_eq!(share(200_000, None, None), 64_000);
    }

    #[test]
    fn a_limit_raises_and_lowers_within_what_the_model_takes() {
        assert_eq!((share(200_000, None, Some(90_000)), share(200_000, Some(150_000), None)), (90_000, 150_000));
        assert_eq!((share(200_000, Some(5_000), None), share(200_000, Some(5_000), Some(90_000))), (5_000, 5_000));
        assert_eq!(share(200_000, Some(5_000), Some(1_000)), 1_000);
        assert_eq!(share(40_960, Some(1_000_000), None), 34_304);
    }

    #[test]
    fn a_model_that_answers_briefly_can_be_told_more() {
        let brief = Traits { output_tokens_max: Some(512), ..Traits::of_context(8_192) };
        assert_eq!(ContextBudget::of(brief, &Budgets::default(), &Request::text("")).tokens_max, 7_168);
    }

    #[test]
    fn a_summary_is_short_where_the_context_is_small() {
        let summary = |model: u64| {
            ContextBudget::of(Traits::of_context(model), &Budgets::default(), &Request::text("")).summary_max
        };
        assert_eq!((summary(4_000), summary(20_000), summary(200_000)), (120, 366, 2_000));
    }
}
