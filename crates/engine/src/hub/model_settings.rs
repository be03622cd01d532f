//! Checks whether the chosen models support the chosen settings, while the client is still there to
//! correct them.

use model::AnswerSchema;
use protocol::{
    AgentId, ChatSend, ModelSettings, OwnerId, Request, ResponseSchema, SessionId, SessionRef, SessionStart, Settings,
    Update,
};

use super::Hub;
use crate::{Error, turn::asked_settings};

impl Hub {
    /// Refuses a session with settings that its model does not support.
    pub(super) fn check_started_settings(&self, asked: &SessionStart) -> Result<(), Error> {
        let settings = Settings {
            model: asked.model.clone(),
            model_settings: asked.model_settings.clone().unwrap_or_default(),
            agent_settings: asked.agent_settings.clone().unwrap_or_default(),
            ..Settings::default()
        };
        self.check_settings(&settings)
    }

    /// Refuses a change after which a session's model would not support its settings.
    pub(super) async fn check_changed_settings(
        &self,
        owner: &OwnerId,
        session: &SessionRef,
        change: &Update,
    ) -> Result<(), Error> {
        let is_about = change.model.is_some() || change.model_settings.is_some() || change.agent_settings.is_some();
        if !is_about {
            return Ok(());
        }
        let mut settings = self.session(owner, session).await?.settings;
        settings.model = change.model.clone().or(settings.model);
        settings.model_settings = change.model_settings.clone().unwrap_or(settings.model_settings);
        settings.agent_settings = change.agent_settings.clone().unwrap_or(settings.agent_settings);
        self.check_settings(&settings)
    }

    /// Refuses a message with settings that its model does not support.
    pub(super) async fn check_sent_settings(
        &self,
        owner: &OwnerId,
        session_id: SessionId,
        send: &ChatSend,
    ) -> Result<(), Error> {
        if send.model.is_none() && send.model_settings.is_empty() {
            return Ok(());
        }
        let settings = self.view(owner, session_id).await?.settings;
        // The agent is not known yet; the turn itself checks again.
        let asked = asked_settings(&settings, &AgentId::main(), &send.request());
        self.check_with(send.model.as_deref().or(settings.model.as_deref()), &asked)
    }

    /// Refuses a schema that cannot be used, or that the model cannot answer in.
    pub(super) async fn check_response_schema(
        &self,
        owner: &OwnerId,
        session_id: SessionId,
        schema: Option<&ResponseSchema>,
        model: Option<&str>,
    ) -> Result<(), Error> {
        let Some(schema) = schema else { return Ok(()) };
        AnswerSchema::new(schema).map_err(|why| Error::Invalid(format!("the `response_schema` {why}")))?;
        let settings = self.view(owner, session_id).await?.settings;
        let asked = model.or(settings.model.as_deref());
        let Ok(chain) = self.services().models.find(asked) else { return Ok(()) };
        match chain.first().filter(|model| !model.traits().understands) {
            Some(model) => Err(Error::Invalid(format!(
                "the model `{}` cannot answer in a `response_schema`; choose a language model",
                model.name()
            ))),
            None => Ok(()),
        }
    }

    fn check_settings(&self, settings: &Settings) -> Result<(), Error> {
        let model = settings.model.as_deref();
        self.check_with(model, &asked_settings(settings, &AgentId::main(), &Request::text("")))?;
        for own in settings.agent_settings.values() {
            self.check_with(model, &own.clone().or(&settings.model_settings))?;
        }
        Ok(())
    }

    fn check_with(&self, model: Option<&str>, settings: &ModelSettings) -> Result<(), Error> {
        // Invalid values are refused elsewhere, with their own message.
        if settings.is_empty() || settings.check().is_err() {
            return Ok(());
        }
        let chain = self.services().models.find(model).map_err(|error| Error::UnknownModel(error.to_string()))?;
        let first = chain.first().map_or(Ok(()), |model| model.check(settings));
        first.map_err(|error| Error::Invalid(error.to_string()))
    }
}
