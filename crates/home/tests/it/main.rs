//! Tests of the home tools.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "tests")]

mod acting;
mod alerts;
mod automations;
mod connection;
mod custom_sentences;
mod fake_home;
mod fake_home_assistant;
mod feed;
mod happenings;
mod home_lists;
mod hours;
mod languages;
mod large;
mod media_search;
mod named_areas;
mod pack;
mod real;
mod reflexes;
mod relay;
mod requests;
mod size;
mod small_home;

use std::sync::Arc;

use async_trait::async_trait;
use ports::{NoDesktop, PinChange, PinStore, ToolFailure};
use protocol::{Origin, SessionId, Timestamp, TurnId};
use tools::CallContext;

struct NoPins;

#[async_trait]
impl PinStore for NoPins {
    async fn pins(&self) -> Result<Vec<(String, String)>, ToolFailure> {
        Ok(Vec::new())
    }

    async fn change(&self, _: PinChange) -> Result<(), ToolFailure> {
        Ok(())
    }
}

/// The context of a call.
fn context() -> CallContext {
    CallContext {
        owner: "me".parse().unwrap(),
        session_id: SessionId::from_bytes([1; 16]),
        turn_id: TurnId::from_bytes([2; 16]),
        call_id: "c1".to_owned(),
        place: 0,
        key: "k".to_owned(),
        now: Timestamp::from_millis(1_700_000_000_000),
        origin: Origin::Trusted,
        schedule_id: None,
        satellite: None,
        pin_store: Arc::new(NoPins),
        desktop: Arc::new(NoDesktop::default()),
        research: Arc::new(ports::NoResearch),
        hold: Default::default(),
        progress: tokio::sync::mpsc::channel(1).0,
    }
}
