//! Calls that are made outside of a session: there is no desktop there, and nothing is kept.

use async_trait::async_trait;
use protocol::{
    Action, AgentId, AppOutcome, AppRequest, DesktopView, DialogAnswer, MonitorId, Research, TurnId, Usage, WindowId,
};

use crate::{
    study::{Study, Thought},
    tool::{Asking, Desktop, Failure, Keeper, Keeping},
};

/// A desktop that is not there.
#[derive(Debug)]
pub struct NoDesktop(AgentId);

impl Default for NoDesktop {
    fn default() -> Self {
        Self(AgentId::main())
    }
}

fn nowhere<T>() -> Result<T, Failure> {
    Err(Failure::Failed("there is no desktop here: the tool was called outside of a session".to_owned()))
}

#[async_trait]
impl Desktop for NoDesktop {
    fn agent_id(&self) -> &AgentId {
        &self.0
    }

    fn monitor_id(&self) -> MonitorId {
        MonitorId::primary()
    }

    async fn view(&self) -> Result<DesktopView, Failure> {
        nowhere()
    }

    async fn act(&self, _: &str, _: Vec<Action>) -> Result<(), Failure> {
        nowhere()
    }

    async fn replay(&self, _: &str, _: TurnId) -> Result<Vec<Action>, Failure> {
        nowhere()
    }

    async fn ask(&self, _: &str, _: Asking) -> Result<DialogAnswer, Failure> {
        nowhere()
    }

    async fn ask_app(&self, _: &str, _: WindowId, _: AppRequest) -> Result<AppOutcome, Failure> {
        nowhere()
    }
}

/// Nothing is kept where there is no session.
#[derive(Debug, Default)]
pub struct NoKeeper;

#[async_trait]
impl Keeper for NoKeeper {
    async fn pins(&self) -> Result<Vec<(String, String)>, Failure> {
        Ok(Vec::new())
    }

    async fn keep(&self, _: Keeping) -> Result<(), Failure> {
        Err(Failure::Failed("nothing can be kept here: the tool was called outside of a session".to_owned()))
    }
}

/// Nobody listens and nobody thinks where there is no turn.
#[derive(Debug, Default)]
pub struct NoStudy;

#[async_trait]
impl Study for NoStudy {
    async fn tell(&self, _: Research) {}

    fn can_think(&self) -> bool {
        false
    }

    async fn think(&self, _: Thought) -> Result<String, Failure> {
        Err(Failure::Failed("there is no language model here: the tool was called outside of a session".to_owned()))
    }

    fn spent(&self) -> Usage {
        Usage::default()
    }
}
