//! Budgets: what a turn may use up, and which of it has run out.

use model::Price;
use protocol::{Budgets, PlannerHints, Request, Usage};

/// What is left unspent so that an answer can still be given.
const ANSWER_TOKENS_MIN: u64 = 256;
/// Providers are told of a limit below this only: above it, some would refuse it as more than their model can say.
const LIMIT_TOLD_MAX: u64 = 4_096;
/// Millionths of a US dollar in one.
const MICROS: f64 = 1_000_000.0;
/// Prices are per so many tokens.
const TOKENS_PRICED: u64 = 1_000_000;

/// What a turn may use up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Budget {
    steps_max: u32,
    tool_calls_max: u32,
    tokens_max: u64,
    cost: Option<CostLimit>,
}

/// What a turn may cost, and what tokens cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct CostLimit {
    micros_max: u64,
    price: Price,
}

/// A budget that has run out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Spent {
    Steps,
    ToolCalls,
    Tokens,
    Cost,
}

impl Spent {
    /// The reason in the turn's status.
    pub(super) const fn reason(self) -> &'static str {
        match self {
            Self::Steps => "step_budget",
            Self::ToolCalls => "tool_call_budget",
            Self::Tokens => "token_budget",
            Self::Cost => "cost_budget",
        }
    }

    /// The same in words.
    pub(super) const fn in_words(self) -> &'static str {
        match self {
            Self::Steps => "the budget of steps",
            Self::ToolCalls => "the budget of tool calls",
            Self::Tokens => "the budget of tokens",
            Self::Cost => "the budget of cost",
        }
    }
}

impl Budget {
    /// The budget of a turn whose model has that price. Where no price is known, cost cannot be kept to.
    pub(super) fn of(session: &Budgets, request: &Request, hints: &PlannerHints, price: Option<Price>) -> Self {
        let steps = [Some(session.max_steps), request.max_steps, hints.max_depth];
        let cost = session.max_cost.zip(price).map(|(dollars, price)| CostLimit { micros_max: micros(dollars), price });
        Self {
            // A turn asks at least once.
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

    /// What has run out before another round is asked for; none means that tools may still be called.
    pub(super) fn spent(&self, rounds: u32, calls: u32, used: Usage, prompt: u64) -> Option<Spent> {
        if used.tokens() + prompt + ANSWER_TOKENS_MIN > self.tokens_max {
            Some(Spent::Tokens)
        } else if self.cost.is_some_and(|cost| cost.room(used, prompt) < ANSWER_TOKENS_MIN) {
            Some(Spent::Cost)
        } else if calls >= self.tool_calls_max && rounds > 0 {
            Some(Spent::ToolCalls)
        } else if rounds >= self.steps_max {
            Some(Spent::Steps)
        } else {
            None
        }
    }

    /// Tokens that the budget leaves for an answer; none if there is no room for one.
    pub(super) fn room(&self, used: Usage, prompt: u64) -> Option<u64> {
        let left = self.tokens_left(used, prompt);
        let left = self.cost.map_or(left, |cost| left.min(cost.room(used, prompt)));
        (left > 0).then_some(left)
    }

    /// Which budget an answer has used up that had all the room there was.
    pub(super) fn ended_by(&self, used: Usage, prompt: u64) -> Spent {
        let is_cost = self.cost.is_some_and(|cost| cost.room(used, prompt) < self.tokens_left(used, prompt));
        if is_cost { Spent::Cost } else { Spent::Tokens }
    }

    const fn tokens_left(&self, used: Usage, prompt: u64) -> u64 {
        self.tokens_max.saturating_sub(used.tokens() + prompt)
    }
}

impl CostLimit {
    /// Tokens that an answer may have for what is left once the prompt is paid for. What the provider has in its cache may
    /// make it cheaper than that.
    fn room(self, used: Usage, prompt: u64) -> u64 {
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
    // As many as fit: a budget beyond that is none.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked when it was set; saturates")]
    let micros = (dollars * MICROS).round() as u64;
    micros
}

/// The limit that a provider is told, given the room that is left.
pub(super) fn told(room: u64) -> Option<u64> {
    (room < LIMIT_TOLD_MAX).then_some(room)
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
        assert_eq!(budget.spent(3, 1, used(5_000), 1_000), Some(Spent::Steps));
        assert_eq!(budget.spent(1, 2, used(5_000), 1_000), Some(Spent::ToolCalls));
        assert_eq!(budget.spent(1, 1, used(9_000), 1_000), Some(Spent::Tokens));
        assert_eq!(budget.room(used(9_000), 400), Some(600));
        assert_eq!(budget.room(used(9_000), 1_000), None);
        assert_eq!((told(600), told(50_000)), (Some(600), None));
    }

    #[test]
    fn the_smallest_number_of_steps_counts() {
        let request = Request { max_steps: Some(5), ..Request::text("x") };
        let hints = PlannerHints { max_depth: Some(2), ..PlannerHints::default() };
        let budget = Budget::of(&Budgets::default(), &request, &hints, None);
        assert_eq!(budget.spent(2, 0, used(0), 0), Some(Spent::Steps));
    }

    #[test]
    fn cost_runs_out_by_the_price_of_the_model() {
        let session = Budgets { max_cost: Some(0.02), ..Budgets::default() };
        let of = |price| Budget::of(&session, &Request::text("x"), &PlannerHints::default(), price);
        // A prompt of 1,000 tokens costs 3,000 millionths, an answer of 1,000 tokens 15,000.
        let budget = of(Some(Price::flat(3_000_000, 15_000_000)));
        assert_eq!(budget.spent(0, 0, used(0), 1_000), None);
        assert_eq!(budget.room(used(0), 1_000), Some(1_133));
        assert_eq!(budget.ended_by(used(0), 1_000), Spent::Cost);
        let before = Usage { cost_micros: Some(15_000), ..used(2_000) };
        assert_eq!(budget.spent(1, 0, before, 1_000), Some(Spent::Cost));
        let free = of(Some(Price::flat(0, 0)));
        assert_eq!(free.room(used(0), 1_000), of(None).room(used(0), 1_000), "what costs nothing is not bounded by it");
        assert_eq!(free.ended_by(used(0), 1_000), Spent::Tokens);
    }
}
