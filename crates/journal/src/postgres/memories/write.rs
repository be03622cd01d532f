//! Changes of memory. What a check has found is locked, so that it still holds at the commit.

use async_trait::async_trait;
use protocol::{ItemId, Memory, MemoryId, OwnerId, Timestamp, Vault, VaultId};

use super::super::{
    database::{Database, Write},
    failure::Failure,
    node::Node,
    owners,
    params::{Param, params},
    pool::Connection,
    rows::{id, unsigned},
};
use crate::{Bookmark, Change, Error, Record, WriteKey, encoding::item_sums};

/// Changes of an owner's memory, all or none.
pub(super) struct ChangeMemory<'a> {
    pub(super) owner: &'a OwnerId,
    pub(super) changes: &'a [Change],
    pub(super) node: &'a Node,
}

#[async_trait]
impl Write for ChangeMemory<'_> {
    type Answer = ();

    async fn run(&self, on: &Connection) -> Result<(), Failure> {
        let owner = self.owner.as_str();
        owners::fence(on, self.owner, self.node).await?;
        for change in self.changes {
            match change {
                Change::Vault(vault) => add_vault(on, owner, vault).await?,
                Change::Memory(memory) => add_memory(on, owner, memory).await?,
                Change::UpdateVault(vault) => update_vault(on, owner, vault).await?,
                Change::UpdateMemory(memory) => update_memory(on, owner, memory).await?,
                Change::Put(record) => put(on, owner, record).await?,
                Change::Remove(id) => remove(on, owner, *id).await?,
                Change::RemoveMemory(id) => remove_memory(on, owner, *id).await?,
                Change::RemoveVault(id) => remove_vault(on, owner, *id).await?,
                Change::Key(key) => add_key(on, owner, key).await?,
                Change::RemoveKeys { texts } => remove_keys(on, owner, texts).await?,
                Change::Bookmark { from, bookmark } => move_bookmark(on, owner, *from, bookmark).await?,
                Change::Vector { item_id, model, bytes } => put_vector(on, owner, *item_id, model, bytes).await?,
            }
        }
        Ok(())
    }
}

pub(super) async fn expire_keys(database: &Database, before: Timestamp) -> Result<(), Error> {
    let sql = "DELETE FROM dwell.write_keys WHERE at < $1";
    database.query("remove old keys", sql, &params![before.as_millis()]).await.map(drop)
}

/// The answers are JSON, so the texts are searched for in their escaped form.
async fn remove_keys(on: &Connection, owner: &str, texts: &[String]) -> Result<(), Failure> {
    for text in texts.iter().filter(|text| !text.is_empty()) {
        let quoted = serde_json::to_string(text)?;
        let escaped = &quoted[1..quoted.len() - 1];
        let sql = "DELETE FROM dwell.write_keys WHERE owner = $1 AND position($2 IN answer) > 0";
        on.execute(sql, &params![owner, escaped]).await?;
    }
    Ok(())
}

async fn add_vault(on: &Connection, owner: &str, vault: &Vault) -> Result<(), Failure> {
    let id = vault.vault_id;
    check_unused(on, "SELECT owner FROM dwell.vaults WHERE id = $1", owner, id.to_bytes(), &id).await?;
    let same_title = "SELECT 1 FROM dwell.vaults WHERE owner = $1 AND title = $2";
    if exists(on, same_title, &params![owner, &vault.title]).await? {
        return Err(Error::TitleTaken(vault.title.clone()).into());
    }
    let body = serde_json::to_string(vault)?;
    let sql = "INSERT INTO dwell.vaults (id, owner, title, created_at, body) VALUES ($1, $2, $3, $4, $5)";
    let params = params![id.to_bytes(), owner, &vault.title, vault.created_at.as_millis(), &body];
    on.execute(sql, &params).await.map(drop)
}

async fn add_memory(on: &Connection, owner: &str, memory: &Memory) -> Result<(), Failure> {
    let (new, vault) = (memory.memory_id, memory.vault_id.to_bytes());
    let own_vault = "SELECT 1 FROM dwell.vaults WHERE id = $1 AND owner = $2 FOR KEY SHARE";
    if !exists(on, own_vault, &params![vault, owner]).await? {
        return Err(Error::NotFound.into());
    }
    check_unused(on, "SELECT owner FROM dwell.memories WHERE id = $1", owner, new.to_bytes(), &new).await?;
    let same_title = "SELECT 1 FROM dwell.memories WHERE vault = $1 AND title = $2 AND owner = $3";
    if exists(on, same_title, &params![vault, &memory.title, owner]).await? {
        return Err(Error::TitleTaken(memory.title.clone()).into());
    }
    let session = memory.session_id.map(protocol::SessionId::to_bytes);
    let of_session = "SELECT id FROM dwell.memories WHERE owner = $1 AND session = $2";
    if let Some(row) = on.first(of_session, &params![owner, session]).await? {
        return Err(Error::SessionTaken(MemoryId::from_bytes(id(&row, 0)?)).into());
    }
    let body = serde_json::to_string(memory)?;
    let sql = "INSERT INTO dwell.memories (id, owner, vault, title, session, created_at, body)
         VALUES ($1, $2, $3, $4, $5, $6, $7)";
    let at = memory.created_at.as_millis();
    on.execute(sql, &params![new.to_bytes(), owner, vault, &memory.title, session, at, &body]).await.map(drop)
}

async fn update_vault(on: &Connection, owner: &str, vault: &Vault) -> Result<(), Failure> {
    let id = vault.vault_id.to_bytes();
    let same_title = "SELECT 1 FROM dwell.vaults WHERE owner = $1 AND title = $2 AND id <> $3";
    if exists(on, same_title, &params![owner, &vault.title, id]).await? {
        return Err(Error::TitleTaken(vault.title.clone()).into());
    }
    let body = serde_json::to_string(vault)?;
    let sql = "UPDATE dwell.vaults SET title = $3, body = $4 WHERE id = $1 AND owner = $2";
    found(on.execute(sql, &params![id, owner, &vault.title, &body]).await?)
}

async fn update_memory(on: &Connection, owner: &str, memory: &Memory) -> Result<(), Failure> {
    let (id, vault) = (memory.memory_id.to_bytes(), memory.vault_id.to_bytes());
    let same_title = "SELECT 1 FROM dwell.memories WHERE vault = $1 AND title = $2 AND owner = $3 AND id <> $4";
    if exists(on, same_title, &params![vault, &memory.title, owner, id]).await? {
        return Err(Error::TitleTaken(memory.title.clone()).into());
    }
    let body = serde_json::to_string(memory)?;
    let sql = "UPDATE dwell.memories SET title = $4, body = $5 WHERE id = $1 AND owner = $2 AND vault = $3";
    found(on.execute(sql, &params![id, owner, vault, &memory.title, &body]).await?)
}

async fn put(on: &Connection, owner: &str, record: &Record) -> Result<(), Failure> {
    let memory = record.memory_id().map(MemoryId::to_bytes);
    let own_memory = "SELECT 1 FROM dwell.memories WHERE id = $1 AND owner = $2 FOR KEY SHARE";
    if memory.is_some() && !exists(on, own_memory, &params![memory, owner]).await? {
        return Err(Error::NotFound.into());
    }
    let (stored_at, body) = match record {
        Record::Entry(entry) => (entry.stored_at, serde_json::to_string(entry)?),
        Record::Context(context) => (context.stored_at, serde_json::to_string(context)?),
        Record::Fact(fact) => (fact.stored_at, serde_json::to_string(fact)?),
    };
    let sql = "INSERT INTO dwell.records AS r (id, owner, level, memory, at, stored_at, body, sum)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
         ON CONFLICT (id) DO UPDATE SET level = excluded.level, memory = excluded.memory, at = excluded.at,
             stored_at = excluded.stored_at, body = excluded.body, sum = excluded.sum
         WHERE r.owner = excluded.owner";
    let new = record.id().to_bytes();
    let sum = item_sums::of_record(&new, owner, &body);
    let params = params![
        new,
        owner,
        record.level().as_str(),
        memory,
        record.at().as_millis(),
        stored_at.as_millis(),
        &body,
        sum.as_bytes(),
    ];
    found(on.execute(sql, &params).await?)
}

async fn remove(on: &Connection, owner: &str, id: ItemId) -> Result<(), Failure> {
    let params = params![id.to_bytes(), owner];
    on.execute("DELETE FROM dwell.vectors WHERE item = $1 AND owner = $2", &params).await?;
    on.execute("DELETE FROM dwell.records WHERE id = $1 AND owner = $2", &params).await.map(drop)
}

async fn remove_memory(on: &Connection, owner: &str, id: MemoryId) -> Result<(), Failure> {
    let params = params![id.to_bytes(), owner];
    // The memory's row goes first: a record that is being added has locked it, and is waited for.
    found(on.execute("DELETE FROM dwell.memories WHERE id = $1 AND owner = $2", &params).await?)?;
    let vectors = "DELETE FROM dwell.vectors
         WHERE owner = $2 AND item IN (SELECT id FROM dwell.records WHERE memory = $1 AND owner = $2)";
    on.execute(vectors, &params).await?;
    on.execute("DELETE FROM dwell.records WHERE memory = $1 AND owner = $2", &params).await.map(drop)
}

async fn remove_vault(on: &Connection, owner: &str, vault: VaultId) -> Result<(), Failure> {
    let params = params![vault.to_bytes(), owner];
    found(on.execute("DELETE FROM dwell.vaults WHERE id = $1 AND owner = $2", &params).await?)?;
    for row in on.query("SELECT id FROM dwell.memories WHERE vault = $1 AND owner = $2", &params).await? {
        remove_memory(on, owner, MemoryId::from_bytes(id(&row, 0)?)).await?;
    }
    Ok(())
}

async fn add_key(on: &Connection, owner: &str, key: &WriteKey) -> Result<(), Failure> {
    let sql = "INSERT INTO dwell.write_keys (owner, key, digest, answer, at) VALUES ($1, $2, $3, $4, $5)
         ON CONFLICT DO NOTHING";
    let params = params![owner, &key.key, &key.digest, &key.answer, key.at.as_millis()];
    let written = on.execute(sql, &params).await?;
    if written == 0 { Err(Error::KeyTaken(key.key.clone()).into()) } else { Ok(()) }
}

async fn move_bookmark(on: &Connection, owner: &str, from: u64, bookmark: &Bookmark) -> Result<(), Failure> {
    let own = "SELECT sid FROM dwell.sessions WHERE id = $1 AND owner = $2 FOR KEY SHARE";
    let row = on.first(own, &params![bookmark.session_id.to_bytes(), owner]).await?.ok_or(Error::NotFound)?;
    let sid: i64 = row.try_get(0)?;
    let at = "SELECT seq FROM dwell.bookmarks WHERE follower = $1 AND sid = $2 FOR UPDATE";
    let actual = on.first(at, &params![&bookmark.follower, sid]).await?;
    let actual = actual.map(|row| row.try_get(0)).transpose()?.map_or(0, unsigned);
    if actual != from {
        return Err(Error::HeadMoved { expected: from, actual }.into());
    }
    // There may be no row to lock yet; then the condition decides between two that add the first.
    let sql = "INSERT INTO dwell.bookmarks AS b (follower, sid, seq, state) VALUES ($1, $2, $3, $4)
         ON CONFLICT (follower, sid) DO UPDATE SET seq = excluded.seq, state = excluded.state WHERE b.seq = $5";
    let params = params![&bookmark.follower, sid, bookmark.seq, &bookmark.state, from];
    if on.execute(sql, &params).await? == 0 {
        let row = on.first(at, &params![&bookmark.follower, sid]).await?;
        let actual = row.map(|row| row.try_get(0)).transpose()?.map_or(0, unsigned);
        return Err(Error::HeadMoved { expected: from, actual }.into());
    }
    Ok(())
}

async fn put_vector(on: &Connection, owner: &str, id: ItemId, model: &str, bytes: &[u8]) -> Result<(), Failure> {
    let sql = "WITH r AS (SELECT owner, id FROM dwell.records WHERE id = $1 AND owner = $2 FOR KEY SHARE)
         INSERT INTO dwell.vectors (owner, item, model, bytes) SELECT r.owner, r.id, $3, $4 FROM r
         ON CONFLICT (item, model) DO UPDATE SET owner = excluded.owner, bytes = excluded.bytes";
    on.execute(sql, &params![id.to_bytes(), owner, model, bytes]).await.map(drop)
}

/// A new item needs a new id. Whether another owner uses the id is not disclosed.
async fn check_unused(
    on: &Connection,
    sql: &str,
    owner: &str,
    id: [u8; 16],
    name: &(impl ToString + Sync),
) -> Result<(), Failure> {
    let Some(row) = on.first(sql, &params![id]).await? else { return Ok(()) };
    let holder: &str = row.try_get(0)?;
    Err(if holder == owner { Error::KeyTaken(name.to_string()) } else { Error::NotFound }.into())
}

async fn exists(on: &Connection, sql: &str, params: &[Param<'_>]) -> Result<bool, Failure> {
    Ok(on.first(sql, params).await?.is_some())
}

/// A statement that changed no row has not found its item.
fn found(changed: u64) -> Result<(), Failure> {
    if changed == 0 { Err(Error::NotFound.into()) } else { Ok(()) }
}
