//! A session as a file: the lines of its journal, followed by its artifacts.

use std::collections::{BTreeMap, BTreeSet};

use base64::{Engine, engine::general_purpose::STANDARD};
use journal::Artifact;
use protocol::{
    ArtifactId, ArtifactView, Body, Event, ImportOrigin, ImportedSession, Origin, OwnerId, PageRequest, SessionId,
    SessionManifest, SessionName, SessionRef, TurnId,
};
use serde_json::{Value, json};
use session::{AdoptedJournal, Adoption};
use tools::redaction::Redactor;

use super::{
    Hub,
    manifest::{LineDigests, damaged, difference},
};
use crate::Error;

/// Maximum number of events of an imported session.
const EVENTS_MAX: usize = 500_000;
/// Maximum number of artifacts, and bytes of each.
pub(super) const ARTIFACTS_MAX: usize = 1_000;
const ARTIFACT_BYTES_MAX: usize = 10 * 1024 * 1024;
/// The type of an artifact's line.
const ARTIFACT: &str = "artifact";

/// The purpose of the signature of a session file.
const KIND: &str = "session";

/// A session that was read from a file.
pub(super) struct JournalFile {
    events: Vec<Event>,
    artifacts: Vec<(ArtifactView, Vec<u8>)>,
    /// The damage found, if it is accepted.
    damage: Vec<String>,
    /// The manifest, if the file matches it.
    manifest: Option<SessionManifest>,
}

/// A line with its number in the file.
type NumberedLine<'a> = (usize, &'a str);

impl JournalFile {
    /// Reads the lines. The error names the invalid line. If damage is accepted, it is noted
    /// instead, and the line is left out.
    pub(super) fn read(text: &str, redactor: &Redactor, accepts_damage: bool) -> Result<Self, Error> {
        let lines = text.lines().enumerate().map(|(index, line)| (index + 1, line));
        let mut lines: Vec<NumberedLine<'_>> = lines.filter(|(_, line)| !line.trim().is_empty()).collect();
        let mut file = Self { events: Vec::new(), artifacts: Vec::new(), damage: Vec::new(), manifest: None };
        let manifest = lines.first().and_then(|(_, line)| read_manifest(line)).transpose()?;
        if let Some(manifest) = manifest {
            lines.remove(0);
            match wrong_lines(&manifest, &lines) {
                Some(what) if !accepts_damage => return Err(damaged(&what)),
                Some(what) => file.damage.push(what),
                None => file.manifest = Some(manifest),
            }
        }
        for (number, line) in lines {
            let (before, count) = (file.events.last().map_or(0, |event| event.seq), file.events.len());
            match file.take(line, redactor) {
                Ok(()) => {}
                Err(why) if accepts_damage => file.damage.push(format!("line {number}: {why}; it is left out")),
                Err(why) => return Err(Error::Invalid(format!("line {number}: {why}"))),
            }
            let new = file.events.get(count);
            if let Some(what) = new.and_then(|event| gap(before, event.seq)) {
                let what = format!("line {number}: {what}");
                match accepts_damage {
                    true => file.damage.push(what),
                    false => return Err(damaged(&what)),
                }
            }
            if file.events.len() > EVENTS_MAX || file.artifacts.len() > ARTIFACTS_MAX {
                let most = format!("at most {EVENTS_MAX} events and {ARTIFACTS_MAX} artifacts can be imported");
                return Err(Error::Invalid(most));
            }
        }
        match file.events.first().map(|event| &event.body) {
            Some(Body::SessionStarted(_)) => Ok(file),
            _ => Err(Error::Invalid("a journal begins with `session.started`".to_owned())),
        }
    }

    fn take(&mut self, line: &str, redactor: &Redactor) -> Result<(), String> {
        let value: Value = serde_json::from_str(line).map_err(|error| format!("it is not valid JSON: {error}"))?;
        if is_artifact(&value) {
            self.artifacts.push(read_artifact(&value)?);
        } else {
            let event = serde_json::from_value(redactor.redact_json(value));
            self.events.push(event.map_err(|error| format!("it is not an event: {error}"))?);
        }
        Ok(())
    }

    fn turn_ids(&self) -> BTreeSet<TurnId> {
        self.events.iter().filter_map(|event| event.turn_id).collect()
    }

    /// Gives the artifacts other ids, also where the text mentions them.
    fn rename_artifacts(&mut self, mut new_id: impl FnMut() -> ArtifactId) {
        let names: BTreeMap<String, ArtifactId> =
            self.artifacts.iter().map(|(view, _)| (view.artifact_id.to_string(), new_id())).collect();
        for event in &mut self.events {
            let Ok(text) = serde_json::to_string(event) else { continue };
            // An id has 26 unique characters, so it can be replaced wherever it occurs.
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

/// An artifact as a line of the file.
pub(super) fn artifact_line(view: &ArtifactView, bytes: &[u8]) -> Value {
    json!({ "type": ARTIFACT, "artifact": view, "data": STANDARD.encode(bytes) })
}

/// Whether a line is an artifact.
pub(super) fn is_artifact(line: &Value) -> bool {
    line["type"] == ARTIFACT
}

/// The manifest in the first line, if there is one.
fn read_manifest(line: &str) -> Option<Result<SessionManifest, Error>> {
    let value: Value = serde_json::from_str(line).ok()?;
    if value["type"] != SessionManifest::TYPE {
        return None;
    }
    let read =
        serde_json::from_value(value).map_err(|error| Error::Invalid(format!("line 1: it is not a manifest: {error}")));
    Some(read.and_then(|manifest: SessionManifest| {
        if manifest.version == SessionManifest::VERSION {
            return Ok(manifest);
        }
        let (version, known) = (manifest.version, SessionManifest::VERSION);
        Err(Error::Invalid(format!("line 1: the manifest has version {version}, and this Dwell reads version {known}")))
    }))
}

/// What differs between the lines and the manifest.
fn wrong_lines(manifest: &SessionManifest, lines: &[NumberedLine<'_>]) -> Option<String> {
    let told = LineDigests { each: manifest.lines.clone(), digest: manifest.digest.clone() };
    let found = LineDigests::of(lines.iter().map(|(_, line)| *line));
    difference(&told, &found, |at| {
        let number = lines.get(at).map_or_else(|| lines.last().map_or(1, |(last, _)| *last) + 1, |(number, _)| *number);
        format!("line {number}")
    })
}

/// What is missing between an event and the next one.
fn gap(before: u64, next: u64) -> Option<String> {
    match next {
        _ if next == before + 1 => None,
        _ if next == before => Some(format!("event {next} is there twice")),
        _ if next < before => Some(format!("event {next} follows event {before}: they are out of order")),
        _ if next == before + 2 => {
            Some(format!("event {next} follows event {before}: event {} is missing", before + 1))
        }
        _ => Some(format!("event {next} follows event {before}: events {} to {} are missing", before + 1, next - 1)),
    }
}

fn read_artifact(line: &Value) -> Result<(ArtifactView, Vec<u8>), String> {
    let mut view: ArtifactView =
        serde_json::from_value(line["artifact"].clone()).map_err(|error| format!("it is not an artifact: {error}"))?;
    let data = line["data"].as_str().and_then(|data| STANDARD.decode(data).ok());
    let bytes = data.ok_or("an artifact's `data` is its bytes in base64")?;
    if bytes.len() > ARTIFACT_BYTES_MAX {
        return Err(format!("an artifact has at most {ARTIFACT_BYTES_MAX} bytes"));
    }
    let is_name = |text: &str| !text.is_empty() && text.len() <= 255 && !text.chars().any(char::is_control);
    if !is_name(&view.name) || !is_name(&view.media_type) || !view.media_type.is_ascii() {
        return Err("the name or the media type of an artifact is not allowed".to_owned());
    }
    view.bytes = bytes.len() as u64;
    Ok((view, bytes))
}

impl Hub {
    /// A session's file: the manifest, and the lines after it, without line feeds.
    pub async fn export_file(
        &self,
        owner: &OwnerId,
        session: &SessionRef,
        artifacts: bool,
    ) -> Result<(SessionManifest, Vec<String>), Error> {
        let events = self.export(owner, session).await?;
        let beside = if artifacts { self.artifact_lines(owner, session).await? } else { Vec::new() };
        Ok(self.file_of(owner, events, beside))
    }

    /// The same for the events before the first damaged one, without artifacts: these are reached
    /// through the session, which is refused while it is damaged.
    pub async fn export_sound_file(
        &self,
        owner: &OwnerId,
        session_id: SessionId,
    ) -> Result<(SessionManifest, Vec<String>), Error> {
        Ok(self.file_of(owner, self.export_sound(owner, session_id).await?, Vec::new()))
    }

    fn file_of(&self, owner: &OwnerId, events: Vec<Event>, beside: Vec<Value>) -> (SessionManifest, Vec<String>) {
        let (events_count, artifacts_count) = (events.len() as u64, beside.len() as u64);
        let lines: Vec<String> =
            events.into_iter().map(|event| json!(event)).chain(beside).map(|line| line.to_string()).collect();
        let LineDigests { each, digest } = LineDigests::of(lines.iter().map(String::as_str));
        let key = self.services().options.export_key.as_ref();
        let manifest = SessionManifest {
            version: SessionManifest::VERSION,
            events: events_count,
            artifacts: artifacts_count,
            lines: each,
            signature: key.and_then(|key| key.sign(KIND, owner, &digest)),
            digest,
        };
        (manifest, lines)
    }

    /// A session's artifacts with their bytes, as lines after those of its journal.
    async fn artifact_lines(&self, owner: &OwnerId, session: &SessionRef) -> Result<Vec<Value>, Error> {
        let (mut lines, mut cursor) = (Vec::new(), None);
        loop {
            let page = self.artifacts(owner, session, &PageRequest { cursor, limit: None }).await?;
            for view in page.data {
                let (view, bytes) = self.artifact(owner, view.artifact_id).await?;
                lines.push(artifact_line(&view, &bytes));
            }
            cursor = page.next_cursor;
            if cursor.is_none() {
                return Ok(lines);
            }
        }
    }

    /// Makes a session of a file. It keeps its ids if they are free, and gets new ones otherwise.
    pub(super) async fn adopt(
        &self,
        owner: &OwnerId,
        mut file: JournalFile,
        name: Option<SessionName>,
        origin: ImportOrigin,
    ) -> Result<ImportedSession, Error> {
        // All or nothing: if the artifacts exceed the owner's quota, the session is not imported
        // without them.
        let bytes = file.artifacts.iter().map(|(_, bytes)| bytes.len() as u64).sum();
        let _reservation = self.room_for_artifacts(owner, bytes).await?;
        let keeps_origins = file.manifest.as_ref().is_some_and(|manifest| self.is_own_export(owner, manifest));
        let world = &self.services().world;
        let from = file.events.first().map(|event| event.session_id);
        let (kept, is_new) = match from {
            Some(id) if self.is_free(id, &file).await? => (id, false),
            _ => (SessionId::new(world.ulid()), true),
        };
        if is_new {
            file.rename_artifacts(|| ArtifactId::new(world.ulid()));
        }
        for event in &mut file.events {
            // A model that is unknown here is not kept.
            let settings = match &mut event.body {
                Body::SessionStarted(started) => &mut started.settings,
                Body::SessionUpdated(change) => &mut change.settings,
                _ => continue,
            };
            if self.check_model(settings.model.as_deref(), None).await.is_err() {
                settings.model = None;
            }
            if self.check_model(None, Some(&settings.model_overrides)).await.is_err() {
                settings.model_overrides.clear();
            }
        }
        let adoption = Adoption {
            session_id: kept,
            owner: owner.clone(),
            name,
            origin: ImportOrigin { session_id: from, ..origin },
            keeps_origins,
            now: world.now(),
        };
        let mut renamed = BTreeMap::new();
        let adopted = session::adopt(&file.events, adoption, |turn| {
            let id = if is_new { TurnId::new(world.ulid()) } else { turn };
            renamed.insert(turn, id);
            id
        });
        let AdoptedJournal { events, left_out } = adopted.ok_or_else(|| {
            Error::Invalid("no turn has ended in this session: there is nothing to import".to_owned())
        })?;
        let session = self.create(events).await?;
        for (artifact, bytes) in file.artifacts {
            let turn_id = artifact.turn_id.and_then(|turn| renamed.get(&turn).copied());
            let origin = if keeps_origins { artifact.origin } else { Origin::Untrusted };
            // The retention time of an artifact starts now at the latest.
            let created_at = artifact.created_at.min(world.now());
            let artifact = ArtifactView { session_id: kept, turn_id, origin, created_at, ..artifact };
            self.services().store.put(Artifact { view: artifact, owner: owner.clone(), bytes }).await?;
        }
        Ok(ImportedSession { session, left_out, damage: file.damage, origins_kept: keeps_origins })
    }

    /// Whether this server wrote the file for this owner, and it was not changed since.
    fn is_own_export(&self, owner: &OwnerId, manifest: &SessionManifest) -> bool {
        let key = self.services().options.export_key.as_ref();
        key.zip(manifest.signature.as_ref())
            .is_some_and(|(key, signature)| key.verifies(KIND, owner, &manifest.digest, signature))
    }

    async fn is_free(&self, session_id: SessionId, file: &JournalFile) -> Result<bool, Error> {
        let store = &self.services().store;
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
