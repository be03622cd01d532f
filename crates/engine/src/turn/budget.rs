//! Budgets: the limits of a turn, and which of them is exhausted.

use model::Price;
use protocol::{Budgets, PlannerHints, Request, Usage};

/// Tokens that are reserved for an answer.
const ANSWER_TOKENS_MIN: u64 = 256;
/// Providers get only a limit below this: some refuse one above their model's maximum.
const LIMIT_TOLD_MAX: u64 = 4_096;
/// Millionths of a US dollar in one dollar.
const MICROS: f64 = 1_000_000.0;
/// Prices are per this many tokens.
const TOKENS_PRICED: u64 = 1_000_000;

/// The limits of a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Budget {
    steps_max: u32,
    tool_calls_max: u32,
    tokens_max: u64,
    cost: Option<CostLimit>,
}

/// The cost limit of a turn, and the price of tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct CostLimit {
    micros_max: u64,
    price: Price,
}

/// A budget that is exhausted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ExhaustedBudget {
    Steps,
    ToolCalls,
    Tokens,
    Cost,
}

impl ExhaustedBudget {
    /// The reason in the turn's status.
    pub(super) const fn reason(self) -> &'static str {
        match self {
            Self::Steps => "step_budget",
            Self::ToolCalls => "tool_call_budget",
            Self::Tokens => "token_budget",
            Self::Cost => "cost_budget",
        }
    }

    /// The same as text.
    pub(super) const fn in_words(self) -> &'static str {
        match self {
            Self::Steps => "the step budget",
            Self::ToolCalls => "the tool call budget",
            Self::Tokens => "the token budget",
            Self::Cost => "the cost budget",
        }
    }
}

impl Budget {
    /// The budget of a turn whose model has this price. Without a known price the cost limit cannot
    /// be enforced.
    pub(super) fn of(session: &Budgets, request: &Request, hints: &PlannerHints, price: Option<Price>) -> Self {
        let steps = [Some(session.max_steps), request.max_steps, hints.max_depth];
        let cost = session.max_cost.zip(price).map(|(dollars, price)| CostLimit { micros_max: micros(dollars), price });
        Self {
            // A turn calls the model at least once.
            steps_max: steps.into_iter().flatten().min().unwrap_or(1).max(1),
            tool_calls_max: session.max_tool_calls,
            tokens_max: session.max_tokens,
            cost,
        }
    }

    /// How many more calls may run.
    pub(super) const fn calls_left(&self, begun: u32) -> u32 {
        self.tool_calls_max.saturating_sub(begun)
    }

    /// The exhausted budget before another round; `None` means that tools may still be called.
    pub(super) fn spent(&self, rounds: u32, calls: u32, used: Usage, prompt: u64) -> Option<ExhaustedBudget> {
        if used.tokens() + prompt + ANSWER_TOKENS_MIN > self.tokens_max {
            Some(ExhaustedBudget::Tokens)
        } else if self.cost.is_some_and(|cost| cost.space(used, prompt) < ANSWER_TOKENS_MIN) {
            Some(ExhaustedBudget::Cost)
        } else if calls >= self.tool_calls_max && rounds > 0 {
            Some(ExhaustedBudget::ToolCalls)
        } else if rounds >= self.steps_max {
            Some(ExhaustedBudget::Steps)
        } else {
            None
        }
    }

    /// Tokens that the budget leaves for an answer; `None` if too few are left.
    pub(super) fn answer_tokens(&self, used: Usage, prompt: u64) -> Option<u64> {
        let left = self.tokens_left(used, prompt);
        let left = self.cost.map_or(left, |cost| left.min(cost.space(used, prompt)));
        (left > 0).then_some(left)
    }

    /// The budget that an answer has exhausted that used all tokens it was given.
    pub(super) fn ended_by(&self, used: Usage, prompt: u64) -> ExhaustedBudget {
        let is_cost = self.cost.is_some_and(|cost| cost.space(used, prompt) < self.tokens_left(used, prompt));
        if is_cost { ExhaustedBudget::Cost } else { ExhaustedBudget::Tokens }
    }

    const fn tokens_left(&self, used: Usage, prompt: u64) -> u64 {
        self.tokens_max.saturating_sub(used.tokens() + prompt)
    }
}

impl CostLimit {
    /// Tokens that an answer may have after the prompt is paid for. Cached parts of the prompt may
    /// make it cheaper than that.
    fn space(self, used: Usage, prompt: u64) -> u64 {
        let spent = used.cost_micros.unwrap_or(0) + self.price.cost(Usage::of(prompt, 0));
        let left = self.micros_max.saturating_sub(spent);
        match self.price.output {
            0 if left == 0 => 0,
            0 => u64::MAX,
            output => left.saturating_mul(TOKENS_PRICED) / output,
        }
    }
}

fn micros(dollars: f64) -> u64 {
    // Saturates: a budget beyond that is unlimited.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked when it was set; saturates")]
    let micros = (dollars * MICROS).round() as u64;
    micros
}

/// The limit that is sent to a provider, given the tokens that are left.
pub(super) fn provider_limit(space: u64) -> Option<u64> {
    (space < LIMIT_TOLD_MAX).then_some(space)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn used(tokens: u64) -> Usage {
        Usage::of(tokens, 0)
    }

    #[test]
    fn each_budget_runs_out_by_its_own_count() {
        let session = Budgets { max_steps: 3, max_tool_calls: 2, max_tokens: 10_000, ..Budgets::default() };
        let budget = Budget::of(&session, &Request::text("x"), &PlannerHints::default(), None);
        assert_eq!(budget.spent(2, 1, used(5_000), 1_000), None);
        assert_eq!(budget.spent(3, 1, used(5_000), 1_000), Some(ExhaustedBudget::Steps));
        assert_eq!(budget.spent(1, 2, used(5_000), 1_000), Some(ExhaustedBudget::ToolCalls));
        assert_eq!(budget.spent(1, 1, used(9_000), 1_000), Some(ExhaustedBudget::Tokens));
        assert_eq!(budget.answer_tokens(used(9_000), 400), Some(600));
        assert_eq!(budget.answer_tokens(used(9_000), 1_000), None);
        assert_eq!((provider_limit(600), provider_limit(50_000)), (Some(600), None));
    }

    #[test]
    fn the_smallest_number_of_steps_counts() {
        let request = Request { max_steps: Some(5), ..Request::text("x") };
        let hints = PlannerHints { max_depth: Some(2), ..PlannerHints::default() };
        let budget = Budget::of(&Budgets::default(), &request, &hints, None);
        assert_eq!(budget.spent(2, 0, used(0), 0), Some(ExhaustedBudget::Steps));
    }

    #[test]
    fn cost_runs_out_by_the_price_of_the_model() {
        let session = Budgets { max_cost: Some(0.02), ..Budgets::default() };
        let of = |price| Budget::of(&session, &Request::text("x"), &PlannerHints::default(), price);
        // A prompt of 1,000 tokens costs 3,000 millionths, an answer of 1,000 tokens 15,000.
        let budget = of(Some(Price::flat(3_000_000, 15_000_000)));
        assert_eq!(budget.spent(0, 0, used(0), 1_000), None);
        assert_eq!(budget.answer_tokens(used(0), 1_000), Some(1_133));
        assert_eq!(budget.ended_by(used(0), 1_000), ExhaustedBudget::Cost);
        let before = Usage { cost_micros: Some(15_000), ..used(2_000) };
        assert_eq!(budget.spent(1, 0, before, 1_000), Some(ExhaustedBudget::Cost));
        let free = of(Some(Price::flat(0, 0)));
        assert_eq!(
            free.answer_tokens(used(0), 1_000),
            of(None).answer_tokens(used(0), 1_000),
            "what costs nothing is not bounded by it"
        );
        assert_eq!(free.ended_by(used(0), 1_000), ExhaustedBudget::Tokens);
    }
}
