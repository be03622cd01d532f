//! REST: what the hub can do, as resources.

mod extract;
pub(crate) mod meta;
pub(crate) mod sessions;
pub(crate) mod turns;

pub(crate) use extract::{Id, Params, check_depth, invalid, parse};
