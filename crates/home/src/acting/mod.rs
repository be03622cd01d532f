//! Actions in a home: permissions, target resolution, and verification.

mod call;
mod colour;
mod expectation;
mod media_search;
mod members;
mod permission;
mod question;
mod resolve_target;
mod sensitive;
mod sensitive_rules;
mod written_call;

use std::sync::Arc;

pub use call::{AffectedEntity, CallService, EntityOutcome, ServiceCallResult};
pub use permission::{Permission, PermissionRule, PermissionRuleError};
pub(crate) use sensitive::is_sensitive_entity;
pub use sensitive_rules::{SensitiveRuleError, sensitive_table};
use tools::{Error, Registry};

use crate::port::HomePort;

/// The name of the tool that calls services.
pub const CALL_SERVICE: &str = "call_service";

/// Adds the tool `call_service`.
pub fn add_call_service(registry: &mut Registry, home: Arc<dyn HomePort>, permission: Permission) -> Result<(), Error> {
    registry.add(CallService::new(home, permission))
}
