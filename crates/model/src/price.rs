//! What tokens cost.

use protocol::Usage;

use crate::Price;

/// The number of tokens that prices are for.
const TOKENS: u128 = 1_000_000;

impl Price {
    /// A price without a discount for cached tokens.
    pub const fn flat(input: u64, output: u64) -> Self {
        Self { input, output, cached: input, cache_write: input }
    }

    /// The cost of this usage, in millionths of a US dollar. Cached tokens are among the input
    /// tokens.
    pub fn cost(self, count: Usage) -> u64 {
        let cached = count.cached_tokens.min(count.input_tokens);
        let written = count.cache_write_tokens.min(count.input_tokens - cached);
        let fresh = count.input_tokens - cached - written;
        let parts = [
            (fresh, self.input),
            (cached, self.cached),
            (written, self.cache_write),
            (count.output_tokens, self.output),
        ];
        let cost: u128 = parts.iter().map(|(tokens, price)| u128::from(*tokens) * u128::from(*price)).sum();
        u64::try_from((cost + TOKENS / 2) / TOKENS).unwrap_or(u64::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_million_tokens_cost_the_price_and_one_token_rounds() {
        let price = Price::flat(3_000_000, 15_000_000);
        assert_eq!(price.cost(Usage::of(1_000_000, 0)), 3_000_000);
        assert_eq!(price.cost(Usage::of(100, 20)), 600);
        assert_eq!(Price::flat(0, 400_000).cost(Usage::of(0, 1)), 0);
    }

    #[test]
    fn cached_tokens_are_among_the_sent_and_cost_their_own_price() {
        let price = Price { input: 3_000_000, output: 0, cached: 300_000, cache_write: 3_750_000 };
        let count = Usage { cached_tokens: 750, cache_write_tokens: 1_000, ..Usage::of(2_000, 0) };
        assert_eq!(price.cost(count), 250 * 3 + 225 + 3_750);
        let odd = Usage { cached_tokens: 9_000, cache_write_tokens: 9_000, ..Usage::of(1_000, 0) };
        assert_eq!(price.cost(odd), 300, "a provider cannot have cached more than was sent");
    }
}
