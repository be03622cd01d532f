//! Vaults and the memories in them.

use journal::{Change, RecordCursor};
use protocol::{Memory, MemoryId, Origin, OwnerId, SessionId, TitleUpdate, Vault, VaultId};

use super::{CONVERSATIONS, Error, IdempotencyKey, LongTermMemory, owner_writer::Admission};

/// The longest title, in characters.
const TITLE_CHARS_MAX: usize = 200;
/// The longest description, in characters.
const DESCRIPTION_CHARS_MAX: usize = 4_000;

impl LongTermMemory {
    /// Creates a vault.
    pub async fn create_vault(
        &self,
        owner: &OwnerId,
        title: String,
        description: String,
        origin: Origin,
        idempotency_key: IdempotencyKey,
    ) -> Result<Vault, Error> {
        check(&title, &description)?;
        let (vault_id, created_at) = (VaultId::new(self.inner.world.ulid()), self.now());
        let vault = Vault { vault_id, title, description, created_at, origin };
        self.write_keyed(owner, idempotency_key, move |owner_records| {
            if owner_records.vault_titled(&vault.title).is_some() {
                return Err(Error::TitleTaken(vault.title));
            }
            Ok((vec![Change::Vault(vault.clone())], vault))
        })
        .await
    }

    /// The owner's vaults, oldest first.
    pub async fn vaults(
        &self,
        owner: &OwnerId,
        after: Option<RecordCursor>,
        limit: usize,
    ) -> Result<Vec<Vault>, Error> {
        Ok(self.inner.store.vaults(owner, after, limit).await?)
    }

    /// One vault.
    pub async fn vault(&self, owner: &OwnerId, id: VaultId) -> Result<Vault, Error> {
        self.read(owner, |owner_records| owner_records.vault(id).cloned()).await?.ok_or(Error::NoVault(id))
    }

    /// Changes the title or the description of a vault.
    pub async fn update_vault(
        &self,
        owner: &OwnerId,
        id: VaultId,
        update: TitleUpdate,
        origin: Origin,
    ) -> Result<Vault, Error> {
        let owner_writer = self.owner_writer(owner).await?;
        owner_writer
            .write(move |owner_records| {
                let known = owner_records.vault(id).ok_or(Error::NoVault(id))?.clone();
                let is_renamed = update.title.as_ref().is_some_and(|title| *title != known.title);
                let (title, description) = updated(update, &known.title, &known.description)?;
                // Conversations are found by it, and what belongs to a vault is told apart by it.
                if is_renamed && [known.title.as_str(), title.as_str()].contains(&CONVERSATIONS) {
                    let why = format!("the title `{CONVERSATIONS}` belongs to the vault of the conversations");
                    return Err(Error::Unfit(why));
                }
                if owner_records.vault_titled(&title).is_some_and(|other| other.vault_id != id) {
                    return Err(Error::TitleTaken(title));
                }
                let vault = Vault { title, description, origin, ..known };
                Ok((vec![Change::UpdateVault(vault.clone())], vault))
            })
            .await
    }

    /// Changes the title or the description of a memory.
    pub async fn update_memory(
        &self,
        owner: &OwnerId,
        id: MemoryId,
        update: TitleUpdate,
        origin: Origin,
    ) -> Result<Memory, Error> {
        let owner_writer = self.owner_writer(owner).await?;
        owner_writer
            .write(move |owner_records| {
                let known = owner_records.memory(id).ok_or(Error::NoMemory(id))?.clone();
                let (title, description) = updated(update, &known.title, &known.description)?;
                if owner_records.memory_titled(known.vault_id, &title).is_some_and(|other| other.memory_id != id) {
                    return Err(Error::TitleTaken(title));
                }
                let memory = Memory { title, description, origin, ..known };
                Ok((vec![Change::UpdateMemory(memory.clone())], memory))
            })
            .await
    }

    /// Creates a memory in a vault.
    pub async fn create_memory(
        &self,
        owner: &OwnerId,
        vault_id: VaultId,
        title: String,
        description: String,
        origin: Origin,
        idempotency_key: IdempotencyKey,
    ) -> Result<Memory, Error> {
        check(&title, &description)?;
        let memory = Memory {
            memory_id: MemoryId::new(self.inner.world.ulid()),
            vault_id,
            title,
            description,
            session_id: None,
            created_at: self.now(),
            origin,
        };
        self.write_keyed(owner, idempotency_key, move |owner_records| {
            if owner_records.vault(vault_id).is_none() {
                return Err(Error::NoVault(vault_id));
            }
            if owner_records.memory_titled(vault_id, &memory.title).is_some() {
                return Err(Error::TitleTaken(memory.title));
            }
            Ok((vec![Change::Memory(memory.clone())], memory))
        })
        .await
    }

    /// The owner's memories, of one vault or of all, oldest first.
    pub async fn memories(
        &self,
        owner: &OwnerId,
        vault_id: Option<VaultId>,
        after: Option<RecordCursor>,
        limit: usize,
    ) -> Result<Vec<Memory>, Error> {
        if let Some(id) = vault_id {
            self.vault(owner, id).await?;
        }
        Ok(self.inner.store.memories(owner, vault_id, after, limit).await?)
    }

    /// One memory.
    pub async fn memory(&self, owner: &OwnerId, id: MemoryId) -> Result<Memory, Error> {
        self.read(owner, |owner_records| owner_records.memory(id).cloned()).await?.ok_or(Error::NoMemory(id))
    }

    /// The memory that follows a session, created on first use.
    pub async fn memory_of_session(
        &self,
        owner: &OwnerId,
        session_id: SessionId,
        name: Option<&str>,
    ) -> Result<Memory, Error> {
        if let Some(memory) = self.read(owner, |owner_records| owner_records.memory_of(session_id).cloned()).await? {
            return Ok(memory);
        }
        let named = name.map(str::to_owned);
        // The number of sessions limits these.
        self.memory_in(owner, CONVERSATIONS, Admission::Granted, Origin::Trusted, move |owner_records, vault_id| {
            if let Some(known) = owner_records.memory_of(session_id) {
                return Ok(known.clone());
            }
            // A deleted session may have used the name.
            let free = named.filter(|title| owner_records.memory_titled(vault_id, title).is_none());
            let title = free.unwrap_or_else(|| session_id.to_string());
            Err((title, Some(session_id)))
        })
        .await
    }

    /// The memory of that title in the vault of that title; both are created on first use. It is
    /// for imported items, so the titles are untrusted.
    pub async fn memory_titled(&self, owner: &OwnerId, vault: &str, title: String) -> Result<Memory, Error> {
        check(&title, "")?;
        check(vault, "")?;
        self.memory_in(owner, vault, Admission::Checked, Origin::Untrusted, move |owner_records, vault_id| {
            match owner_records.memory_titled(vault_id, &title) {
                Some(known) => Ok(known.clone()),
                None => Err((title, None)),
            }
        })
        .await
    }

    /// Finds a memory, or creates the one that `find` describes as missing.
    async fn memory_in(
        &self,
        owner: &OwnerId,
        vault: &str,
        admission: Admission,
        origin: Origin,
        find: impl FnOnce(&super::OwnerRecords, VaultId) -> Result<Memory, (String, Option<SessionId>)> + Send + 'static,
    ) -> Result<Memory, Error> {
        let (fresh_vault, fresh_memory) =
            (VaultId::new(self.inner.world.ulid()), MemoryId::new(self.inner.world.ulid()));
        let (now, vault_title) = (self.now(), vault.to_owned());
        let owner_writer = self.owner_writer(owner).await?;
        owner_writer
            .write_with(admission, move |owner_records| {
                let mut changes = Vec::new();
                let vault_id = owner_records.vault_titled(&vault_title).map_or(fresh_vault, |vault| vault.vault_id);
                if vault_id == fresh_vault {
                    changes.push(Change::Vault(Vault {
                        vault_id,
                        title: vault_title,
                        description: String::new(),
                        created_at: now,
                        origin,
                    }));
                }
                match find(owner_records, vault_id) {
                    Ok(known) => Ok((Vec::new(), known)),
                    Err((title, session_id)) => {
                        let description = String::new();
                        let memory = Memory {
                            memory_id: fresh_memory,
                            vault_id,
                            title,
                            description,
                            session_id,
                            created_at: now,
                            origin,
                        };
                        changes.push(Change::Memory(memory.clone()));
                        Ok((changes, memory))
                    }
                }
            })
            .await
    }
}

/// The title and the description after an update.
fn updated(update: TitleUpdate, title: &str, description: &str) -> Result<(String, String), Error> {
    if update.title.is_none() && update.description.is_none() {
        return Err(Error::Invalid("give a new `title`, a new `description`, or both".to_owned()));
    }
    let title = update.title.unwrap_or_else(|| title.to_owned());
    let description = update.description.unwrap_or_else(|| description.to_owned());
    check(&title, &description)?;
    Ok((title, description))
}

fn check(title: &str, description: &str) -> Result<(), Error> {
    let length = title.chars().count();
    if length == 0 || length > TITLE_CHARS_MAX || title.trim().is_empty() || title.chars().any(char::is_control) {
        return Err(Error::Invalid(format!("a title has 1 to {TITLE_CHARS_MAX} characters and no control characters")));
    }
    if description.chars().count() > DESCRIPTION_CHARS_MAX {
        return Err(Error::Invalid(format!("a description has at most {DESCRIPTION_CHARS_MAX} characters")));
    }
    Ok(())
}
