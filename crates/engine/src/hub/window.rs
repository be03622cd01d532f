//! The context window of a session's next turn.

use protocol::{AgentId, AgentRef, ContextWindowView, OwnerId};

use super::Hub;
use crate::{Error, live::Mail, turn};

impl Hub {
    /// The context window of an agent, for the model that would answer next.
    pub async fn window(&self, owner: &OwnerId, asked: &AgentRef) -> Result<ContextWindowView, Error> {
        let id = self.find(owner, &asked.session, false).await?;
        let agent_id = asked.agent_id.clone().unwrap_or_else(AgentId::main);
        if agent_id.kind().is_none() {
            return Err(Error::Invalid(format!("there is no agent `{agent_id}`; the desktop lists the agents")));
        }
        let asked_by = owner.clone();
        let conversation = self.ask(id, |reply| Mail::Conversation { owner: asked_by, agent_id, reply }).await?;
        let services = self.services();
        let settings = &conversation.settings;
        services.models.ready(settings.model.as_deref(), services.world.now()).await;
        let (asked, limit) = (settings.model.as_deref(), settings.budgets.context_tokens);
        let chain = services.models.find_in(asked, &settings.model_overrides, limit);
        let chain = chain.map_err(|error| Error::UnknownModel(error.to_string()))?;
        let first = chain.first().ok_or_else(|| Error::UnknownModel("there is no model to ask".to_owned()))?;
        Ok(turn::window(self.services(), owner, &conversation, first.as_ref()))
    }
}
