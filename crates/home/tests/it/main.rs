//! A home as agents use it.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "tests")]

mod acting;
mod connection;
mod fake;
mod large;
mod obliging;
mod outlook;
mod pack;
mod real;
mod reflexes;
mod requests;
mod simulated;
mod size;
mod small;

use std::sync::Arc;

use async_trait::async_trait;
use protocol::{Origin, SessionId, Timestamp, TurnId};
use tools::{Context, Failure, Keeper, Keeping, NoDesktop};

struct Nowhere;

#[async_trait]
impl Keeper for Nowhere {
    async fn pins(&self) -> Result<Vec<(String, String)>, Failure> {
        Ok(Vec::new())
    }

    async fn keep(&self, _: Keeping) -> Result<(), Failure> {
        Ok(())
    }
}

/// What a call is given beside its arguments.
fn context() -> Context {
    Context {
        owner: "me".parse().unwrap(),
        session_id: SessionId::from_bytes([1; 16]),
        turn_id: TurnId::from_bytes([2; 16]),
        call_id: "c1".to_owned(),
        place: 0,
        key: "k".to_owned(),
        now: Timestamp::from_millis(1_700_000_000_000),
        origin: Origin::Trusted,
        keeper: Arc::new(Nowhere),
        desktop: Arc::new(NoDesktop::default()),
        study: Arc::new(tools::NoStudy),
        progress: tokio::sync::mpsc::unbounded_channel().0,
    }
}
