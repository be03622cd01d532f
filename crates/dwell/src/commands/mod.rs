//! The commands that talk to a running server, and `config`.

pub(crate) mod ask;
pub(crate) mod chat;
pub(crate) mod config;
pub(crate) mod sessions;

mod listen;
