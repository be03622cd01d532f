//! Export and import of sessions, as messages in other programs' formats or as the journal itself.

use std::collections::BTreeMap;

use protocol::{
    ExportFormat, ImportOrigin, ImportedSession, OwnerId, SessionId, SessionImport, SessionName, SessionRef,
    SessionView, TurnId,
};
use serde_json::Value;
use session::interchange::{Conversation, Import, read, write};

use super::{Hub, images, journal_file::JournalFile};
use crate::Error;

impl Hub {
    /// The conversation of a session in another program's format.
    pub async fn export_as(&self, owner: &OwnerId, session: &SessionRef, format: ExportFormat) -> Result<Value, Error> {
        let events = self.export(owner, session).await?;
        let conversation = Conversation::from_events(&events).ok_or(Error::NoSession)?;
        match write(format, &conversation) {
            Some(written) => Ok(written),
            None => Ok(Value::Array(events.iter().map(|event| serde_json::json!(event)).collect())),
        }
    }

    /// Makes a session of an imported conversation. The same conversation with the same name or key
    /// returns the session that was created before.
    pub async fn import_session(&self, owner: &OwnerId, asked: SessionImport) -> Result<ImportedSession, Error> {
        self.check_key(asked.idempotency_key.as_deref())?;
        let name = name(&asked)?;
        self.check_name(name.as_ref())?;
        let digest = format!("{:032x}", ::memory::long_term::digest(&(asked.format, &asked.text)));
        let origin = ImportOrigin { format: asked.format, digest, session_id: None };
        if let Some(name) = &name
            && let Some(existing) = self.services().store.named(owner, name).await?
        {
            return self.taken_in_before(owner, existing, &origin).await;
        }
        let created = match asked.format {
            ExportFormat::Ndjson => {
                let file = JournalFile::read(&asked.text, &self.services().redactor, asked.accept_damage)?;
                self.adopt(owner, file, name, origin.clone()).await
            }
            format => self.import_messages(owner, format, &asked.text, name, origin.clone()).await,
        };
        match created {
            // A concurrent request was faster, perhaps with the same conversation.
            Err(Error::Journal(journal::Error::NameTaken(existing))) => {
                self.taken_in_before(owner, existing, &origin).await
            }
            created => created,
        }
    }

    async fn taken_in_before(
        &self,
        owner: &OwnerId,
        existing: SessionId,
        origin: &ImportOrigin,
    ) -> Result<ImportedSession, Error> {
        let view = self.view(owner, existing).await?;
        let is_same = view.imported.as_ref().is_some_and(|imported| imported.digest == origin.digest);
        if is_same { Ok(plainly(view)) } else { Err(Error::NameConflict(existing)) }
    }

    async fn import_messages(
        &self,
        owner: &OwnerId,
        format: ExportFormat,
        text: &str,
        name: Option<SessionName>,
        origin: ImportOrigin,
    ) -> Result<ImportedSession, Error> {
        let written = serde_json::from_str(text)
            .map_err(|error| Error::Invalid(format!("the conversation is not valid JSON: {error}")))?;
        // Secrets never reach the journal or the model.
        let written = self.services().redactor.redact_json(written);
        let invalid = |error: session::interchange::ImportError| Error::Invalid(error.to_string());
        let conversation = read(format, written).map_err(invalid)?;
        for (index, message) in conversation.messages.iter().enumerate() {
            for image in &message.images {
                images::check_image(image).map_err(|error| Error::Invalid(format!("messages[{index}]: {error}")))?;
            }
        }
        let world = &self.services().world;
        let events = conversation.into_events(Import {
            session_id: SessionId::new(world.ulid()),
            owner: owner.clone(),
            name,
            origin,
            now: world.now(),
            new_turn_id: || TurnId::new(world.ulid()),
        });
        self.create(events.map_err(invalid)?).await.map(plainly)
    }
}

/// A session that was imported completely and is untrusted.
fn plainly(session: SessionView) -> ImportedSession {
    ImportedSession { session, left_out: BTreeMap::new(), damage: Vec::new(), origins_kept: false }
}

/// The name of the new session: given by the client, or derived from the key, so that the same
/// import happens once.
fn name(asked: &SessionImport) -> Result<Option<SessionName>, Error> {
    let Some(key) = &asked.idempotency_key else { return Ok(asked.conversation_id.clone()) };
    match &asked.conversation_id {
        Some(name) => Ok(Some(name.clone())),
        None => {
            let name = SessionName::try_from(format!("import:{key}"));
            name.map(Some).map_err(|error| Error::Invalid(format!("the idempotency key: {error}")))
        }
    }
}
