//! Ports for calls outside of a session: there is no desktop, and nothing can be stored.

use async_trait::async_trait;
use protocol::{
    Action, AgentId, AppOutcome, AppRequest, DesktopView, DialogAnswer, MonitorId, ResearchEvent, TurnId, Usage,
    WindowId,
};

use crate::{
    desktop::{DesktopPort, UserQuestion},
    pins::{PinChange, PinStore},
    research::{CompletionRequest, ResearchPort},
    tool_failure::ToolFailure,
};

/// A desktop port without a desktop.
#[derive(Debug)]
pub struct NoDesktop(AgentId);

impl Default for NoDesktop {
    fn default() -> Self {
        Self(AgentId::main())
    }
}

fn nowhere<T>() -> Result<T, ToolFailure> {
    Err(ToolFailure::Failed("there is no desktop here: the tool was called outside of a session".to_owned()))
}

#[async_trait]
impl DesktopPort for NoDesktop {
    fn agent_id(&self) -> &AgentId {
        &self.0
    }

    fn monitor_id(&self) -> MonitorId {
        MonitorId::primary()
    }

    async fn view(&self) -> Result<DesktopView, ToolFailure> {
        nowhere()
    }

    async fn act(&self, _: &str, _: Vec<Action>) -> Result<(), ToolFailure> {
        nowhere()
    }

    async fn replay(&self, _: &str, _: TurnId) -> Result<Vec<Action>, ToolFailure> {
        nowhere()
    }

    async fn ask(&self, _: &str, _: UserQuestion) -> Result<DialogAnswer, ToolFailure> {
        nowhere()
    }

    async fn ask_app(&self, _: &str, _: WindowId, _: AppRequest) -> Result<AppOutcome, ToolFailure> {
        nowhere()
    }
}

/// The pin store outside of a session: it is empty and accepts no change.
#[derive(Debug, Default)]
pub struct NoPinStore;

#[async_trait]
impl PinStore for NoPinStore {
    async fn pins(&self) -> Result<Vec<(String, String)>, ToolFailure> {
        Ok(Vec::new())
    }

    async fn change(&self, _: PinChange) -> Result<(), ToolFailure> {
        Err(ToolFailure::Failed("nothing can be stored here: the tool was called outside of a session".to_owned()))
    }
}

/// A research port without a turn: reports are dropped, and there is no model.
#[derive(Debug, Default)]
pub struct NoResearch;

#[async_trait]
impl ResearchPort for NoResearch {
    async fn report(&self, _: ResearchEvent) {}

    fn has_model(&self) -> bool {
        false
    }

    async fn complete(&self, _: CompletionRequest) -> Result<String, ToolFailure> {
        Err(ToolFailure::Failed("there is no language model here: the tool was called outside of a session".to_owned()))
    }

    fn usage(&self) -> Usage {
        Usage::default()
    }
}
