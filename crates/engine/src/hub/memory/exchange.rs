//! Export, import and audit of memory.

use std::borrow::Cow;

use memory::exchange::{self, ExchangeError, ImportFormat, ingest::ImportPlan};
use protocol::{Audit, MemoryArchive, MemoryImport, MemoryImportResult, Origin, OwnerId, Timestamp};

use super::{super::Hub, archive_check::ArchiveCheck, vaults::IMPORTED};
use crate::Error;

impl Hub {
    /// Exports all of an owner's memory.
    pub async fn memory_export(&self, owner: &OwnerId) -> Result<MemoryArchive, Error> {
        Ok(self.with_manifest(owner, self.long_term().export(owner).await?))
    }

    /// Audits an owner's memory.
    pub async fn memory_audit(&self, owner: &OwnerId) -> Result<Audit, Error> {
        let redactor = &self.services().redactor;
        Ok(self.long_term().audit(owner, |text| matches!(redactor.redact(text), Cow::Owned(_))).await?)
    }

    /// Imports an archive, or a file of another program. Existing items are not changed.
    pub(super) async fn import(&self, owner: &OwnerId, asked: MemoryImport) -> Result<MemoryImportResult, Error> {
        let MemoryImport { archive, text, format, vault, title, imported_from, accept_damage, origin, .. } = asked;
        let origin = origin.unwrap_or_default();
        let format = format.map(|name| name.parse::<ImportFormat>()).transpose().map_err(unreadable)?;
        let text = match (archive, text) {
            (Some(archive), None) => {
                return self.import_archive(owner, *archive, imported_from, accept_damage, origin).await;
            }
            (None, Some(text)) => text,
            _ => return Err(Error::Invalid("give either `archive` or `text`".to_owned())),
        };
        let format = format.or_else(|| exchange::detect(&text)).ok_or_else(|| unreadable(ExchangeError::Unknown))?;
        if format == ImportFormat::Archive {
            let archive = serde_json::from_str(&text)
                .map_err(|error| Error::Invalid(format!("the archive cannot be read: {error}")))?;
            return self.import_archive(owner, archive, imported_from, accept_damage, origin).await;
        }
        let foreign = exchange::read(&self.redact_file(&text), Some(format)).map_err(unreadable)?;
        let from = imported_from.as_deref().unwrap_or(format.as_str());
        let mut intake = exchange::ingest::import_plan(foreign, format);
        match (title, intake.conversations.as_mut_slice()) {
            (None, _) => {}
            (Some(title), []) => intake.notes_title = title,
            (Some(title), [only]) => only.title = title,
            (Some(_), all) => {
                let why = format!("`title` names one conversation, but there are {}", all.len());
                return Err(Error::Invalid(why));
            }
        }
        self.import_foreign(owner, intake, vault, from, origin).await
    }

    async fn import_archive(
        &self,
        owner: &OwnerId,
        mut archive: MemoryArchive,
        imported_from: Option<String>,
        accepts_damage: bool,
        origin: Origin,
    ) -> Result<MemoryImportResult, Error> {
        let ArchiveCheck { damage, is_own } = self.check_archive(owner, &mut archive, accepts_damage)?;
        self.redact_archive(&mut archive);
        let from = imported_from.as_deref().unwrap_or(MemoryArchive::FORMAT);
        let keeps_origins = is_own || origin.is_trusted();
        let imported = self.long_term().import(owner, archive, from, keeps_origins).await?;
        Ok(MemoryImportResult { damage, origins_kept: keeps_origins, ..imported })
    }

    async fn import_foreign(
        &self,
        owner: &OwnerId,
        intake: ImportPlan,
        vault: Option<String>,
        from: &str,
        origin: Origin,
    ) -> Result<MemoryImportResult, Error> {
        let began = self.now();
        let mut imported = MemoryImportResult { notices: intake.notices, ..MemoryImportResult::default() };
        for mut conversation in intake.conversations {
            conversation.vault = vault.clone().or(conversation.vault);
            conversation.origin = Some(origin);
            let taken = self.ingest_from(owner, conversation, from).await?;
            let made = self.long_term().memory(owner, taken.memory_id).await?.created_at;
            imported.memories += u64::from(made >= began);
            imported.entries += taken.entries;
            imported.contexts += taken.contexts;
            imported.known += taken.known;
        }
        if !intake.notes.is_empty() {
            let vault = vault.as_deref().unwrap_or(IMPORTED);
            let memory = self.long_term().memory_titled(owner, vault, self.redact(intake.notes_title)).await?;
            let read = |note| exchange::ingest::entries(note, memory.memory_id, from, origin);
            let mut entries: Vec<_> = intake.notes.iter().flat_map(read).collect();
            for entry in &mut entries {
                self.redact_in(&mut entry.raw_entry);
                entry.tags.values_mut().for_each(|value| self.redact_in(value));
            }
            let count = entries.len();
            let new = self.long_term().add_entries(owner, memory.memory_id, entries, None).await?.count;
            imported.memories += u64::from(memory.created_at >= began);
            imported.entries += new as u64;
            imported.known += (count - new) as u64;
        }
        imported.vaults = self.vaults_since(owner, began).await?;
        Ok(imported)
    }

    /// Vaults that were created since then.
    async fn vaults_since(&self, owner: &OwnerId, began: Timestamp) -> Result<u64, Error> {
        let mut after = None;
        let mut count = 0;
        loop {
            let page = self.long_term().vaults(owner, after, PAGE).await?;
            count += page.iter().filter(|vault| vault.created_at >= began).count() as u64;
            match page.last() {
                Some(vault) if page.len() == PAGE => {
                    after = Some(journal::RecordCursor { at: vault.created_at, id: vault.vault_id.to_bytes() });
                }
                _ => return Ok(count),
            }
        }
    }

    /// Imported data is redacted like messages: secrets are removed.
    fn redact_archive(&self, archive: &mut MemoryArchive) {
        for vault in &mut archive.vaults {
            self.redact_in(&mut vault.title);
            self.redact_in(&mut vault.description);
        }
        for memory in &mut archive.memories {
            self.redact_in(&mut memory.title);
            self.redact_in(&mut memory.description);
        }
        for entry in &mut archive.entries {
            self.redact_in(&mut entry.raw_entry);
            self.redact_in(&mut entry.summary);
            entry.tags.values_mut().for_each(|value| self.redact_in(value));
        }
        for context in &mut archive.contexts {
            self.redact_in(&mut context.content);
        }
        for fact in &mut archive.facts {
            self.redact_in(&mut fact.value);
            self.redact_in(&mut fact.text);
        }
    }

    /// A file of another program, redacted before anything is derived from it: a title from the
    /// first words could contain half a secret.
    fn redact_file(&self, text: &str) -> String {
        let redacted = |text: &str| {
            let value = serde_json::from_str(text).ok()?;
            Some(self.services().redactor.redact_json(value).to_string())
        };
        let text = text.trim_start_matches('\u{feff}');
        redacted(text).unwrap_or_else(|| {
            let lines = text.lines().map(|line| redacted(line).unwrap_or_else(|| line.to_owned()));
            lines.collect::<Vec<_>>().join("\n")
        })
    }

    fn redact_in(&self, text: &mut String) {
        let redacted = match self.services().redactor.redact(text) {
            Cow::Owned(redacted) => redacted,
            Cow::Borrowed(_) => return,
        };
        *text = redacted;
    }
}

/// Vaults that are read at once.
const PAGE: usize = 200;

fn unreadable(error: ExchangeError) -> Error {
    Error::Invalid(error.to_string())
}
