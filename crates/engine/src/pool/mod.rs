//! Limits on the number of running agents, and on those without viewers.

mod background;
mod limiter;

pub(crate) use background::{BackgroundLimiter, BackgroundPermit, ViewerGuard};
pub(crate) use limiter::{Limiter, Permit, PermitLimits};
