//! The REST API.

mod body;
pub(crate) mod desktop;
pub(crate) mod entry;
mod extract;
pub(crate) mod interchange;
pub(crate) mod library;
pub(crate) mod logs;
pub(crate) mod memory;
pub(crate) mod meta;
pub(crate) mod model_setup;
mod named_fields;
pub(crate) mod nodes;
pub(crate) mod plans;
pub(crate) mod push;
pub(crate) mod sessions;
pub(crate) mod tokens;
pub(crate) mod tools;
pub(crate) mod turns;
pub(crate) mod values;
pub(crate) mod vaults;

pub(crate) use body::{BodyMax, declared, refuse, too_large};
pub(crate) use extract::{
    ClientPeer, JsonBody, Params, PathId, check_depth, check_object, idempotency_key, invalid, parse,
};
