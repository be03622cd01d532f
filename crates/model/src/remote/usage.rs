//! What an answer took.

use protocol::Usage;

use crate::Price;

/// Prices are per so many tokens.
const TOKENS: u128 = 1_000_000;

/// The count with what it cost, where the price is known.
pub(super) fn counted(input_tokens: u64, output_tokens: u64, price: Option<Price>) -> Usage {
    let cost_micros = price.map(|price| {
        let cost =
            u128::from(input_tokens) * u128::from(price.input) + u128::from(output_tokens) * u128::from(price.output);
        u64::try_from((cost + TOKENS / 2) / TOKENS).unwrap_or(u64::MAX)
    });
    Usage { input_tokens, output_tokens, cost_micros }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_million_tokens_cost_the_price_and_one_token_rounds() {
        let price = Some(Price { input: 3_000_000, output: 15_000_000 });
        assert_eq!(counted(1_000_000, 0, price).cost_micros, Some(3_000_000));
        assert_eq!(counted(100, 20, price).cost_micros, Some(600));
        assert_eq!(counted(0, 1, Some(Price { input: 0, output: 400_000 })).cost_micros, Some(0));
        assert_eq!(counted(7, 9, None).cost_micros, None);
    }
}
