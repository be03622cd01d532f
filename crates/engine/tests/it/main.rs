//! The engine, as its followers see it: a hub over a real journal, and a model that the test drives word by word.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "helpers of tests panic like tests")]

mod driven_model;
mod failing_store;
mod follower;
mod house;
mod instincts;
mod steps;
mod test_tools;

mod approvals;
mod artifacts;
mod ask;
mod budgets;
mod builtins;
mod called;
mod clarify;
mod client_tools;
mod clock;
mod disconnecting;
mod doubt;
mod early;
mod first_end;
mod guests;
mod idle;
mod kept;
mod lagging;
mod live_text;
mod memory;
mod model_failures;
mod owners;
mod pages;
mod panics;
mod permits;
mod prompt;
mod recovery;
mod redaction;
mod reflexes;
mod resuming;
mod slow_store;
mod snapshots;
mod stages;
mod stats;
mod steering;
mod stop;
mod store_failures;
mod switching;
mod taint;
mod time_budget;
mod tool_loop;
mod unloading_race;
mod window;
