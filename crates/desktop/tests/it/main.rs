//! The desktop tools, window content and the apps.

#![allow(clippy::unwrap_used, reason = "tests")]

mod apps;
mod ask_user;
mod desktop_look;
mod recording_desktop;
mod sanitizing;
mod schemas;
mod windows;
