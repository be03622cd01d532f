//! How many agents work at once, and how much those do whom nobody looks at.

mod background;
mod limiter;

pub(crate) use background::{Background, BackgroundPermit, Look};
pub(crate) use limiter::{Limiter, Limits, Permit};
