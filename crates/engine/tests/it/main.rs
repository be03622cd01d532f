//! The engine as its clients see it: a hub over a real journal, and a model that the test controls.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "helpers of tests panic like tests")]

mod driven_model;
mod failing_store;
mod harness;
mod steps;
mod subscriber;
mod test_channel;
mod test_reflexes;
mod test_tools;

mod approvals;
mod artifacts;
mod ask;
mod budgets;
mod builtins;
mod clarify;
mod client_tools;
mod clock;
mod direct_calls;
mod disconnecting;
mod doubt;
mod early_handle;
mod first_end;
mod idle;
mod keeping_loaded;
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
mod schedules;
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
mod transient_tools;
mod unloading_race;
mod window;
