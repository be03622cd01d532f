//! A session as a file: the lines of its journal, and after them what it has kept beside the conversation.

use std::collections::{BTreeMap, BTreeSet};

use base64::{Engine, engine::general_purpose::STANDARD};
use journal::Artifact;
use protocol::{
    ArtifactId, ArtifactView, Body, Event, ImportOrigin, List, Origin, OwnerId, SessionId, SessionName, SessionRef,
    SessionView, TurnId,
};
use serde_json::{Value, json};
use session::Adoption;
use tools::redaction::Redactor;

use super::Hub;
use crate::Error;

/// Events of a session that is taken in.
const EVENTS_MAX: usize = 500_000;
/// Artifacts of one, and bytes of each.
const ARTIFACTS_MAX: usize = 1_000;
const ARTIFACT_BYTES_MAX: usize = 10 * 1024 * 1024;
/// What the line of an artifact is called.
const ARTIFACT: &str = "artifact";

/// A session that was read from a file.
pub(super) struct JournalFile {
    events: Vec<Event>,
    artifacts: Vec<(ArtifactView, Vec<u8>)>,
}

impl JournalFile {
    /// Reads the lines. The error names the one that is wrong.
    pub(super) fn read(text: &str, redactor: &Redactor) -> Result<Self, Error> {
        let mut file = Self { events: Vec::new(), artifacts: Vec::new() };
        for (index, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            let wrong = |why: String| Error::Invalid(format!("line {}: {why}", index + 1));
            let value: Value = serde_json::from_str(line).map_err(|error| wrong(format!("it is no JSON: {error}")))?;
            if value["type"] == ARTIFACT {
                file.artifacts.push(read_artifact(&value).map_err(wrong)?);
            } else {
                let event = serde_json::from_value(redactor.redact_json(value));
                file.events.push(event.map_err(|error| wrong(format!("it is no event: {error}")))?);
            }
            if file.events.len() > EVENTS_MAX || file.artifacts.len() > ARTIFACTS_MAX {
                let most = format!("at most {EVENTS_MAX} events and {ARTIFACTS_MAX} artifacts are taken in");
                return Err(Error::Invalid(most));
            }
        }
        match file.events.first().map(|event| &event.body) {
            Some(Body::SessionStarted(_)) => Ok(file),
            _ => Err(Error::Invalid("a journal begins with `session.started`".to_owned())),
        }
    }

    fn turn_ids(&self) -> BTreeSet<TurnId> {
        self.events.iter().filter_map(|event| event.turn_id).collect()
    }

    /// The artifacts under other ids, also where they are spoken of.
    fn rename_artifacts(&mut self, mut new_id: impl FnMut() -> ArtifactId) {
        let names: BTreeMap<String, ArtifactId> =
            self.artifacts.iter().map(|(view, _)| (view.artifact_id.to_string(), new_id())).collect();
        for event in &mut self.events {
            let Ok(text) = serde_json::to_string(event) else { continue };
            // An id is 26 characters that are nobody else's, so it can be put in place of another wherever it stands.
            let renamed = names.iter().filter(|(old, _)| text.contains(*old));
            let renamed = renamed.fold(text.clone(), |text, (old, new)| text.replace(old, &new.to_string()));
            if renamed != text
                && let Ok(changed) = serde_json::from_str(&renamed)
            {
                *event = changed;
            }
        }
        for (view, _) in &mut self.artifacts {
            view.artifact_id = names.get(&view.artifact_id.to_string()).copied().unwrap_or(view.artifact_id);
        }
    }
}

fn read_artifact(line: &Value) -> Result<(ArtifactView, Vec<u8>), String> {
    let mut view: ArtifactView =
        serde_json::from_value(line["artifact"].clone()).map_err(|error| format!("it is no artifact: {error}"))?;
    let data = line["data"].as_str().and_then(|data| STANDARD.decode(data).ok());
    let bytes = data.ok_or("an artifact's `data` is its bytes in base64")?;
    if bytes.len() > ARTIFACT_BYTES_MAX {
        return Err(format!("an artifact has at most {ARTIFACT_BYTES_MAX} bytes"));
    }
    let is_name = |text: &str| !text.is_empty() && text.len() <= 255 && !text.chars().any(char::is_control);
    if !is_name(&view.name) || !is_name(&view.media_type) || !view.media_type.is_ascii() {
        return Err("the name or the media type of an artifact cannot be taken".to_owned());
    }
    view.bytes = bytes.len() as u64;
    view.origin = Origin::Untrusted;
    Ok((view, bytes))
}

impl Hub {
    /// A session's artifacts with their bytes, as lines that follow those of its journal.
    pub async fn artifact_lines(&self, owner: &OwnerId, session: &SessionRef) -> Result<Vec<Value>, Error> {
        let (mut lines, mut cursor) = (Vec::new(), None);
        loop {
            let page = self.artifacts(owner, session, &List { cursor, limit: None }).await?;
            for view in page.data {
                let (view, bytes) = self.artifact(owner, view.artifact_id).await?;
                lines.push(json!({ "type": ARTIFACT, "artifact": view, "data": STANDARD.encode(bytes) }));
            }
            cursor = page.next_cursor;
            if cursor.is_none() {
                return Ok(lines);
            }
        }
    }

    /// Makes a session of a file. It keeps its ids where nobody has them, and else gets new ones.
    pub(super) async fn adopt(
        &self,
        owner: &OwnerId,
        mut file: JournalFile,
        name: Option<SessionName>,
        origin: ImportOrigin,
    ) -> Result<SessionView, Error> {
        let world = &self.house().world;
        let from = file.events.first().map(|event| event.session_id);
        let (kept, is_new) = match from {
            Some(id) if self.is_free(id, &file).await? => (id, false),
            _ => (SessionId::new(world.ulid()), true),
        };
        if is_new {
            file.rename_artifacts(|| ArtifactId::new(world.ulid()));
        }
        for event in &mut file.events {
            // A model that is not known here is not asked here.
            let settings = match &mut event.body {
                Body::SessionStarted(started) => &mut started.settings,
                Body::SessionUpdated(change) => &mut change.settings,
                _ => continue,
            };
            settings.model = settings.model.take().filter(|model| self.check_model(Some(model)).is_ok());
        }
        let adoption = Adoption {
            session_id: kept,
            owner: owner.clone(),
            name,
            origin: ImportOrigin { session_id: from, ..origin },
            now: world.now(),
        };
        let mut renamed = BTreeMap::new();
        let events = session::adopt(&file.events, adoption, |turn| {
            let id = if is_new { TurnId::new(world.ulid()) } else { turn };
            renamed.insert(turn, id);
            id
        });
        let events = events.ok_or_else(|| {
            Error::Invalid("no turn has ended in this session: there is nothing to take in".to_owned())
        })?;
        let view = self.create(events).await?;
        for (artifact, bytes) in file.artifacts {
            let turn_id = artifact.turn_id.and_then(|turn| renamed.get(&turn).copied());
            let artifact = ArtifactView { session_id: kept, turn_id, ..artifact };
            self.house().store.put(Artifact { view: artifact, owner: owner.clone(), bytes }).await?;
        }
        Ok(view)
    }

    async fn is_free(&self, session_id: SessionId, file: &JournalFile) -> Result<bool, Error> {
        let store = &self.house().store;
        match store.read(session_id, 0, 1).await {
            Err(journal::Error::NotFound) => {}
            Ok(events) if events.is_empty() => {}
            Ok(_) => return Ok(false),
            Err(error) => return Err(error.into()),
        }
        for turn in file.turn_ids() {
            if !store.turn(turn).await?.is_empty() {
                return Ok(false);
            }
        }
        Ok(true)
    }
}
