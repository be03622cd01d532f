//! The cost of an answer.

use protocol::Usage;

use crate::Price;

/// The usage with its cost, where the price is known.
pub(super) fn priced(count: Usage, price: Option<Price>) -> Usage {
    Usage { cost_micros: price.map(|price| price.cost(count)), ..count }
}
