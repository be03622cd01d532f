//! Budgets: what a turn may use up, and which of it has run out.

use protocol::{Budgets, PlannerHints, Request};

/// What is left unspent so that an answer can still be given.
const ANSWER_TOKENS_MIN: u64 = 256;
/// Providers are told of a limit below this only: above it, some would refuse it as more than their model can say.
const LIMIT_TOLD_MAX: u64 = 4_096;

/// What a turn may use up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Budget {
    steps_max: u32,
    tool_calls_max: u32,
    tokens_max: u64,
}

/// A budget that has run out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Spent {
    Steps,
    ToolCalls,
    Tokens,
}

impl Spent {
    /// The reason in the turn's status.
    pub(super) const fn reason(self) -> &'static str {
        match self {
            Self::Steps => "step_budget",
            Self::ToolCalls => "tool_call_budget",
            Self::Tokens => "token_budget",
        }
    }

    /// The same in words.
    pub(super) const fn in_words(self) -> &'static str {
        match self {
            Self::Steps => "the budget of steps",
            Self::ToolCalls => "the budget of tool calls",
            Self::Tokens => "the budget of tokens",
        }
    }
}

impl Budget {
    pub(super) fn of(session: &Budgets, request: &Request, hints: &PlannerHints) -> Self {
        let steps = [Some(session.max_steps), request.max_steps, hints.max_depth];
        Self {
            // A turn asks at least once.
            steps_max: steps.into_iter().flatten().min().unwrap_or(1).max(1),
            tool_calls_max: session.max_tool_calls,
            tokens_max: session.max_tokens,
        }
    }

    /// How many more calls may run.
    pub(super) const fn calls_left(&self, begun: u32) -> u32 {
        self.tool_calls_max.saturating_sub(begun)
    }

    /// What has run out before another round is asked for; none means that tools may still be called.
    pub(super) const fn spent(&self, rounds: u32, calls: u32, tokens: u64, prompt: u64) -> Option<Spent> {
        if tokens + prompt + ANSWER_TOKENS_MIN > self.tokens_max {
            Some(Spent::Tokens)
        } else if calls >= self.tool_calls_max && rounds > 0 {
            Some(Spent::ToolCalls)
        } else if rounds >= self.steps_max {
            Some(Spent::Steps)
        } else {
            None
        }
    }

    /// Tokens that the budget leaves for an answer; none if there is no room for one.
    pub(super) fn room(&self, tokens: u64, prompt: u64) -> Option<u64> {
        let left = self.tokens_max.saturating_sub(tokens + prompt);
        (left > 0).then_some(left)
    }
}

/// The limit that a provider is told, given the room that is left.
pub(super) fn told(room: u64) -> Option<u64> {
    (room < LIMIT_TOLD_MAX).then_some(room)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_budget_runs_out_by_its_own_count() {
        let session = Budgets { max_steps: 3, max_tool_calls: 2, max_tokens: 10_000, ..Budgets::default() };
        let budget = Budget::of(&session, &Request::text("x"), &PlannerHints::default());
        assert_eq!(budget.spent(2, 1, 5_000, 1_000), None);
        assert_eq!(budget.spent(3, 1, 5_000, 1_000), Some(Spent::Steps));
        assert_eq!(budget.spent(1, 2, 5_000, 1_000), Some(Spent::ToolCalls));
        assert_eq!(budget.spent(1, 1, 9_000, 1_000), Some(Spent::Tokens));
        assert_eq!(budget.room(9_000, 400), Some(600));
        assert_eq!(budget.room(9_000, 1_000), None);
        assert_eq!((told(600), told(50_000)), (Some(600), None));
    }

    #[test]
    fn the_smallest_number_of_steps_counts() {
        let request = Request { max_steps: Some(5), ..Request::text("x") };
        let hints = PlannerHints { max_depth: Some(2), ..PlannerHints::default() };
        let budget = Budget::of(&Budgets::default(), &request, &hints);
        assert_eq!(budget.spent(2, 0, 0, 0), Some(Spent::Steps));
    }
}
