//! The commands: those that talk to a running server, and `backup`, `completions`, `config`,
//! `doctor`, `doors`, `man`, `migrate`, `owners`, `read-pdf`, `restore`, `setup` and `verify`,
//! which need none.

pub(crate) mod alerts;
pub(crate) mod approvals;
pub(crate) mod artifacts;
pub(crate) mod ask;
pub(crate) mod backup;
pub(crate) mod chat;
pub(crate) mod completions;
pub(crate) mod config;
pub(crate) mod confirm;
pub(crate) mod doctor;
pub(crate) mod doors;
pub(crate) mod export;
pub(crate) mod health;
pub(crate) mod import;
pub(crate) mod library;
pub(crate) mod logs;
pub(crate) mod man;
pub(crate) mod memory;
pub(crate) mod migrate;
pub(crate) mod models;
pub(crate) mod nodes;
pub(crate) mod open;
pub(crate) mod owners;
pub(crate) mod read_pdf;
pub(crate) mod schedules;
pub(crate) mod sessions;
pub(crate) mod setup;
pub(crate) mod stats;
pub(crate) mod sweep;
pub(crate) mod tokens;
pub(crate) mod tools;
pub(crate) mod turns;
pub(crate) mod verify;

mod local_time;
pub(crate) mod model_probe;
mod print_turn;
pub(crate) mod size;
