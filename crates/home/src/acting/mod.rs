//! Doing something in a home: what may be touched, what exactly is meant, and whether it really happened.

mod call;
mod colour;
mod dear;
mod expected;
mod meant;
mod members;
mod permission;

use std::sync::Arc;

pub use call::{CallService, Called, Outcome, Touched};
pub use dear::is_sensitive;
pub use permission::{BadRule, Permission, Rule};
use tools::{Error, Registry};

use crate::house::House;

/// The tool by which a home is told to do something.
pub const CALL_SERVICE: &str = "call_service";

/// Adds the tool by which a home is told to do something.
pub fn add_acting(registry: &mut Registry, house: Arc<dyn House>, permission: Permission) -> Result<(), Error> {
    registry.add(CallService::new(house, permission))
}
