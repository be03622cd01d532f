//! The desktop of a session as transports use it: interactions of users, messages of apps,
//! monitors.

use protocol::{
    AppOutcome, AppReady, AppReadyAnswer, AppResponse, DesktopView, DialogAnswer, DialogReply, Interaction, Manifest,
    MemoryHit, MonitorRef, OwnerId, PromptReply, RenderFeedback, SessionId, SessionRef, ToastAction, TurnAccepted,
    UserInteraction, WindowAction, WindowMessage,
};
use session::{Command, WindowInput};

use super::{Hub, turns::accepted};
use crate::{Error, live::Mail};

impl Hub {
    /// The current desktop of a session.
    pub async fn desktop(&self, owner: &OwnerId, session: &SessionRef) -> Result<DesktopView, Error> {
        let id = self.find(owner, session, false).await?;
        self.ask(id, |reply| Mail::Desktop { owner: owner.clone(), reply }).await
    }

    /// Those of the items that models may be given in a session, without words of closed windows.
    pub(crate) async fn told_items(
        &self,
        owner: &OwnerId,
        session_id: SessionId,
        items: Vec<MemoryHit>,
    ) -> Result<Vec<MemoryHit>, Error> {
        if items.iter().all(|hit| hit.item.source.window_id.is_none() && hit.item.doubt.is_none()) {
            return Ok(items);
        }
        let open = self.directory.open_windows(owner, session_id).await?;
        Ok(self.long_term().told_items(owner, items, session_id, &open).await?)
    }

    /// Sends a message to the agent of a window. The answer means that it is durable.
    pub async fn window_message(&self, owner: &OwnerId, asked: WindowMessage) -> Result<TurnAccepted, Error> {
        let input = WindowInput::Message(self.redact(asked.content));
        self.send_to_window(owner, &asked.session, asked.window_id, input, asked.idempotency_key).await
    }

    /// Sends an act in a window. The answer means that it is durable.
    pub async fn window_action(&self, owner: &OwnerId, asked: WindowAction) -> Result<TurnAccepted, Error> {
        let mut act = asked.act;
        act.action = self.redact(act.action);
        act.component_path = act.component_path.map(|path| self.redact(path));
        let filled = std::mem::take(&mut act.form_data).into_iter();
        act.form_data = filled.map(|(name, value)| (self.redact(name), self.redact(value))).collect();
        self.send_to_window(owner, &asked.session, asked.window_id, WindowInput::Act(act), asked.idempotency_key).await
    }

    async fn send_to_window(
        &self,
        owner: &OwnerId,
        session: &SessionRef,
        window_id: protocol::WindowId,
        input: WindowInput,
        idempotency_key: Option<String>,
    ) -> Result<TurnAccepted, Error> {
        self.check_key(idempotency_key.as_deref())?;
        let session_id = self.find(owner, session, false).await?;
        let (turn_id, served) = (self.new_turn_id(), self.served_tools(owner, 0));
        let command = Command::SendToWindow { turn_id, window_id, input, served, idempotency_key };
        accepted(session_id, self.command(owner, session_id, command).await?)
    }

    /// Records interactions of the user with the desktop.
    pub async fn interact(&self, owner: &OwnerId, asked: UserInteraction) -> Result<(), Error> {
        let mut interactions = asked.interactions;
        for interaction in &mut interactions {
            if let Interaction::Draw { text, .. } | Interaction::App { text, .. } = interaction {
                *text = self.redact(std::mem::take(text));
            }
            if let Interaction::App { did: Some(command), .. } = interaction {
                command.arguments = self.services().redactor.redact_json(std::mem::take(&mut command.arguments));
            }
        }
        self.on_desktop(owner, &asked.session, Command::Interact(interactions)).await
    }

    /// Records whether a window could be shown.
    pub async fn render_feedback(&self, owner: &OwnerId, asked: RenderFeedback) -> Result<(), Error> {
        if asked.ok {
            return Ok(());
        }
        let error = self.redact(asked.error.unwrap_or_else(|| "the client did not say why".to_owned()));
        self.on_desktop(owner, &asked.session, Command::RenderFailed { window_id: asked.window_id, error }).await
    }

    /// Answers a dialog.
    pub async fn answer_dialog(&self, owner: &OwnerId, asked: DialogReply) -> Result<(), Error> {
        let answer = asked.choice.map_or(DialogAnswer::Dismissed, DialogAnswer::Chosen);
        self.on_desktop(owner, &asked.session, Command::AnswerDialog { dialog_id: asked.dialog_id, answer }).await
    }

    /// Answers a prompt.
    pub async fn answer_prompt(&self, owner: &OwnerId, asked: PromptReply) -> Result<(), Error> {
        let redacted = |values: std::collections::BTreeMap<String, String>| {
            DialogAnswer::Filled(values.into_iter().map(|(name, value)| (name, self.redact(value))).collect())
        };
        let answer = asked.values.map_or(DialogAnswer::Dismissed, redacted);
        self.on_desktop(owner, &asked.session, Command::AnswerDialog { dialog_id: asked.dialog_id, answer }).await
    }

    /// Acts on a toast or a notification.
    pub async fn act_on_toast(&self, owner: &OwnerId, asked: ToastAction) -> Result<(), Error> {
        let command = Command::ActOnToast { toast_id: asked.toast_id, action: asked.action };
        self.on_desktop(owner, &asked.session, command).await
    }

    /// An app has been loaded: returns the commands that restore it and its open requests.
    pub async fn app_ready(&self, owner: &OwnerId, asked: AppReady) -> Result<AppReadyAnswer, Error> {
        let AppReady { session, window_id, token, manifest } = asked;
        let manifest = self.without_secrets_in(manifest)?;
        let command = Command::RegisterApp { window_id: window_id.clone(), token, manifest };
        self.on_desktop(owner, &session, command).await?;
        let desktop = self.desktop(owner, &session).await?;
        let window = desktop.windows.into_iter().find(|window| window.window_id == window_id);
        let restore = window.and_then(|window| window.app).map(|app| app.restore).unwrap_or_default();
        let requests = desktop.app_requests.into_iter().filter(|request| request.window_id == window_id).collect();
        Ok(AppReadyAnswer { restore, requests })
    }

    /// Takes the answer of an app.
    pub async fn app_response(&self, owner: &OwnerId, asked: AppResponse) -> Result<(), Error> {
        let AppResponse { session, window_id, token, request_id, value, error } = asked;
        let outcome = match error {
            Some(error) => AppOutcome::Error(self.redact(error)),
            None => AppOutcome::Ok(self.services().redactor.redact_json(value)),
        };
        self.on_desktop(owner, &session, Command::AnswerFromApp { window_id, token, request_id, outcome }).await
    }

    /// Adds a monitor, if it does not exist.
    pub async fn add_monitor(&self, owner: &OwnerId, asked: &MonitorRef) -> Result<(), Error> {
        self.on_desktop(owner, &asked.session, Command::AddMonitor(asked.monitor_id.clone())).await
    }

    /// Removes a monitor and everything on it.
    pub async fn remove_monitor(&self, owner: &OwnerId, asked: &MonitorRef) -> Result<DesktopView, Error> {
        self.on_desktop(owner, &asked.session, Command::RemoveMonitor(asked.monitor_id.clone())).await?;
        self.desktop(owner, &asked.session).await
    }

    /// The manifest of an app, redacted.
    fn without_secrets_in(&self, manifest: Manifest) -> Result<Manifest, Error> {
        let told = serde_json::to_value(manifest).map(|value| self.services().redactor.redact_json(value));
        told.and_then(serde_json::from_value)
            .map_err(|error| Error::Invalid(format!("the manifest cannot be read: {error}")))
    }

    async fn on_desktop(&self, owner: &OwnerId, session: &SessionRef, command: Command) -> Result<(), Error> {
        let id = self.find(owner, session, false).await?;
        self.command(owner, id, command).await?;
        Ok(())
    }
}
