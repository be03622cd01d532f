//! What the next turn of a session would be told of its conversation.

use protocol::{OwnerId, SessionRef, WindowView};

use super::Hub;
use crate::{Error, live::Mail, turn};

impl Hub {
    /// The context window of a session, for the model that would answer next.
    pub async fn window(&self, owner: &OwnerId, session: &SessionRef) -> Result<WindowView, Error> {
        let id = self.find(owner, session, false).await?;
        let conversation = self.ask(id, |reply| Mail::Conversation { owner: owner.clone(), reply }).await?;
        let chain = self.house().models.find(conversation.settings.model.as_deref());
        let chain = chain.map_err(|error| Error::UnknownModel(error.to_string()))?;
        let first = chain.first().ok_or_else(|| Error::UnknownModel("there is no model to ask".to_owned()))?;
        Ok(turn::window(self.house(), &conversation, first.as_ref()))
    }
}
