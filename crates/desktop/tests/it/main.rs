//! The desktop tools, what windows may show, and the apps.

#![allow(clippy::unwrap_used, reason = "tests")]

mod apps;
mod asking;
mod desk;
mod harmless;
mod looking;
mod schemas;
mod windows;
