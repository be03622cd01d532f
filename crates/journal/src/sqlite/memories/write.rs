//! SQL statements that change records of memory, each within a transaction of the writer.

use protocol::{ItemId, Memory, MemoryId, OwnerId, Timestamp, Vault, VaultId};
use rusqlite::{Connection, OptionalExtension, Params, params};

use super::super::write::{WriteFailure, number};
use crate::{Bookmark, Change, Error, Record, WriteKey, encoding::item_sums};

/// Applies the changes in order. The caller rolls all of them back if one is refused.
pub(in super::super) fn change(
    connection: &Connection,
    owner: &OwnerId,
    changes: &[Change],
) -> Result<(), WriteFailure> {
    for change in changes {
        match change {
            Change::Vault(vault) => add_vault(connection, owner, vault)?,
            Change::Memory(memory) => add_memory(connection, owner, memory)?,
            Change::UpdateVault(vault) => update_vault(connection, owner, vault)?,
            Change::UpdateMemory(memory) => update_memory(connection, owner, memory)?,
            Change::Put(record) => put(connection, owner, record)?,
            Change::Remove(id) => remove(connection, owner, *id)?,
            Change::RemoveMemory(id) => remove_memory(connection, owner, *id)?,
            Change::RemoveVault(id) => remove_vault(connection, owner, *id)?,
            Change::Key(key) => add_key(connection, owner, key)?,
            Change::RemoveKeys { texts } => remove_keys(connection, owner, texts)?,
            Change::Bookmark { from, bookmark } => move_bookmark(connection, owner, *from, bookmark)?,
            Change::Vector { item_id, model, bytes } => put_vector(connection, owner, *item_id, model, bytes)?,
        }
    }
    Ok(())
}

pub(in super::super) fn expire_keys(connection: &Connection, before: Timestamp) -> Result<(), WriteFailure> {
    connection.prepare_cached("DELETE FROM write_keys WHERE at < ?1")?.execute([before.as_millis()])?;
    Ok(())
}

/// The answers are JSON, so the texts are searched for in their escaped form.
fn remove_keys(connection: &Connection, owner: &OwnerId, texts: &[String]) -> Result<(), WriteFailure> {
    for text in texts.iter().filter(|text| !text.is_empty()) {
        let quoted = serde_json::to_string(text)?;
        let escaped = &quoted[1..quoted.len() - 1];
        connection
            .prepare_cached("DELETE FROM write_keys WHERE owner = ?1 AND instr(answer, ?2)")?
            .execute(params![owner.as_str(), escaped])?;
    }
    Ok(())
}

fn add_vault(connection: &Connection, owner: &OwnerId, vault: &Vault) -> Result<(), WriteFailure> {
    let id = vault.vault_id;
    check_unused(connection, "SELECT owner FROM vaults WHERE id = ?1", owner, id.to_bytes(), &id)?;
    if exists(connection, "SELECT 1 FROM vaults WHERE owner = ?1 AND title = ?2", params![owner.as_str(), vault.title])?
    {
        return Err(WriteFailure::Refused(Error::TitleTaken(vault.title.clone())));
    }
    connection
        .prepare_cached("INSERT INTO vaults (id, owner, title, created_at, body) VALUES (?1, ?2, ?3, ?4, ?5)")?
        .execute(params![
        id.to_bytes(),
        owner.as_str(),
        vault.title,
        vault.created_at.as_millis(),
        serde_json::to_string(vault)?,
    ])?;
    Ok(())
}

fn add_memory(connection: &Connection, owner: &OwnerId, memory: &Memory) -> Result<(), WriteFailure> {
    let (id, vault) = (memory.memory_id, memory.vault_id.to_bytes());
    if !exists(connection, "SELECT 1 FROM vaults WHERE id = ?1 AND owner = ?2", params![vault, owner.as_str()])? {
        return Err(WriteFailure::Refused(Error::NotFound));
    }
    check_unused(connection, "SELECT owner FROM memories WHERE id = ?1", owner, id.to_bytes(), &id)?;
    let same_title = "SELECT 1 FROM memories WHERE vault = ?1 AND title = ?2 AND owner = ?3";
    if exists(connection, same_title, params![vault, memory.title, owner.as_str()])? {
        return Err(WriteFailure::Refused(Error::TitleTaken(memory.title.clone())));
    }
    let session = memory.session_id.map(protocol::SessionId::to_bytes);
    let of_session: Option<[u8; 16]> = connection
        .prepare_cached("SELECT id FROM memories WHERE owner = ?1 AND session = ?2")?
        .query_row(params![owner.as_str(), session], |row| row.get(0))
        .optional()?;
    if let Some(other) = of_session {
        return Err(WriteFailure::Refused(Error::SessionTaken(MemoryId::from_bytes(other))));
    }
    connection
        .prepare_cached(
            "INSERT INTO memories (id, owner, vault, title, session, created_at, body)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
        )?
        .execute(params![
            id.to_bytes(),
            owner.as_str(),
            vault,
            memory.title,
            session,
            memory.created_at.as_millis(),
            serde_json::to_string(memory)?,
        ])?;
    Ok(())
}

fn update_vault(connection: &Connection, owner: &OwnerId, vault: &Vault) -> Result<(), WriteFailure> {
    let id = vault.vault_id.to_bytes();
    let same_title = "SELECT 1 FROM vaults WHERE owner = ?1 AND title = ?2 AND id <> ?3";
    if exists(connection, same_title, params![owner.as_str(), vault.title, id])? {
        return Err(WriteFailure::Refused(Error::TitleTaken(vault.title.clone())));
    }
    let written = connection
        .prepare_cached("UPDATE vaults SET title = ?3, body = ?4 WHERE id = ?1 AND owner = ?2")?
        .execute(params![id, owner.as_str(), vault.title, serde_json::to_string(vault)?])?;
    if written == 0 { Err(WriteFailure::Refused(Error::NotFound)) } else { Ok(()) }
}

fn update_memory(connection: &Connection, owner: &OwnerId, memory: &Memory) -> Result<(), WriteFailure> {
    let (id, vault) = (memory.memory_id.to_bytes(), memory.vault_id.to_bytes());
    let same_title = "SELECT 1 FROM memories WHERE vault = ?1 AND title = ?2 AND owner = ?3 AND id <> ?4";
    if exists(connection, same_title, params![vault, memory.title, owner.as_str(), id])? {
        return Err(WriteFailure::Refused(Error::TitleTaken(memory.title.clone())));
    }
    let written = connection
        .prepare_cached("UPDATE memories SET title = ?4, body = ?5 WHERE id = ?1 AND owner = ?2 AND vault = ?3")?
        .execute(params![id, owner.as_str(), vault, memory.title, serde_json::to_string(memory)?])?;
    if written == 0 { Err(WriteFailure::Refused(Error::NotFound)) } else { Ok(()) }
}

fn put(connection: &Connection, owner: &OwnerId, record: &Record) -> Result<(), WriteFailure> {
    let memory = record.memory_id().map(MemoryId::to_bytes);
    if memory.is_some()
        && !exists(connection, "SELECT 1 FROM memories WHERE id = ?1 AND owner = ?2", params![memory, owner.as_str()])?
    {
        return Err(WriteFailure::Refused(Error::NotFound));
    }
    let (stored_at, body) = match record {
        Record::Entry(entry) => (entry.stored_at, serde_json::to_string(entry)?),
        Record::Context(context) => (context.stored_at, serde_json::to_string(context)?),
        Record::Fact(fact) => (fact.stored_at, serde_json::to_string(fact)?),
    };
    let written = connection
        .prepare_cached(
            "INSERT INTO records (id, owner, level, memory, at, stored_at, body, sum)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
             ON CONFLICT (id) DO UPDATE SET level = excluded.level, memory = excluded.memory, at = excluded.at,
                 stored_at = excluded.stored_at, body = excluded.body, sum = excluded.sum
             WHERE owner = excluded.owner",
        )?
        .execute(params![
            record.id().to_bytes(),
            owner.as_str(),
            record.level().as_str(),
            memory,
            record.at().as_millis(),
            stored_at.as_millis(),
            body,
            item_sums::of_record(&record.id().to_bytes(), owner.as_str(), &body).as_bytes(),
        ])?;
    if written == 0 { Err(WriteFailure::Refused(Error::NotFound)) } else { Ok(()) }
}

/// The plus before the owner, here and below, excludes the index of all the owner's vectors.
fn remove(connection: &Connection, owner: &OwnerId, id: ItemId) -> Result<(), WriteFailure> {
    execute_all(
        connection,
        &["DELETE FROM vectors WHERE item = ?1 AND +owner = ?2", "DELETE FROM records WHERE id = ?1 AND owner = ?2"],
        id.to_bytes(),
        owner,
    )?;
    Ok(())
}

fn remove_memory(connection: &Connection, owner: &OwnerId, id: MemoryId) -> Result<(), WriteFailure> {
    let removed = execute_all(
        connection,
        &[
            "DELETE FROM vectors WHERE +owner = ?2
             AND item IN (SELECT id FROM records WHERE memory = ?1 AND owner = ?2)",
            "DELETE FROM records WHERE memory = ?1 AND owner = ?2",
            "DELETE FROM memories WHERE id = ?1 AND owner = ?2",
        ],
        id.to_bytes(),
        owner,
    )?;
    if removed == 0 { Err(WriteFailure::Refused(Error::NotFound)) } else { Ok(()) }
}

fn remove_vault(connection: &Connection, owner: &OwnerId, id: VaultId) -> Result<(), WriteFailure> {
    let mut memories = connection.prepare_cached("SELECT id FROM memories WHERE vault = ?1 AND owner = ?2")?;
    let memories = memories
        .query_map(params![id.to_bytes(), owner.as_str()], |row| row.get(0).map(MemoryId::from_bytes))?
        .collect::<rusqlite::Result<Vec<_>>>()?;
    for memory in memories {
        remove_memory(connection, owner, memory)?;
    }
    let removed = execute_all(connection, &["DELETE FROM vaults WHERE id = ?1 AND owner = ?2"], id.to_bytes(), owner)?;
    if removed == 0 { Err(WriteFailure::Refused(Error::NotFound)) } else { Ok(()) }
}

fn add_key(connection: &Connection, owner: &OwnerId, key: &WriteKey) -> Result<(), WriteFailure> {
    let written = connection
        .prepare_cached(
            "INSERT INTO write_keys (owner, key, digest, answer, at) VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT DO NOTHING",
        )?
        .execute(params![owner.as_str(), key.key, key.digest, key.answer, key.at.as_millis()])?;
    if written == 0 { Err(WriteFailure::Refused(Error::KeyTaken(key.key.clone()))) } else { Ok(()) }
}

fn move_bookmark(connection: &Connection, owner: &OwnerId, from: u64, bookmark: &Bookmark) -> Result<(), WriteFailure> {
    let sid: Option<i64> = connection
        .prepare_cached("SELECT sid FROM sessions WHERE id = ?1 AND owner = ?2")?
        .query_row(params![bookmark.session_id.to_bytes(), owner.as_str()], |row| row.get(0))
        .optional()?;
    let sid = sid.ok_or(WriteFailure::Refused(Error::NotFound))?;
    let seq: Option<i64> = connection
        .prepare_cached("SELECT seq FROM bookmarks WHERE follower = ?1 AND sid = ?2")?
        .query_row(params![bookmark.follower, sid], |row| row.get(0))
        .optional()?;
    let actual = seq.and_then(|seq| u64::try_from(seq).ok()).unwrap_or(0);
    if actual != from {
        return Err(WriteFailure::Refused(Error::HeadMoved { expected: from, actual }));
    }
    connection
        .prepare_cached(
            // An update in place: replacing the row would rewrite its index entry each time.
            "INSERT INTO bookmarks (follower, sid, seq, state) VALUES (?1, ?2, ?3, ?4)
             ON CONFLICT (follower, sid) DO UPDATE SET seq = excluded.seq, state = excluded.state",
        )?
        .execute(params![bookmark.follower, sid, number(bookmark.seq), bookmark.state])?;
    Ok(())
}

fn put_vector(
    connection: &Connection,
    owner: &OwnerId,
    id: ItemId,
    model: &str,
    bytes: &[u8],
) -> Result<(), WriteFailure> {
    connection
        .prepare_cached(
            "INSERT INTO vectors (owner, item, model, bytes)
             SELECT owner, id, ?3, ?4 FROM records WHERE id = ?1 AND owner = ?2
             ON CONFLICT (item, model) DO UPDATE SET owner = excluded.owner, bytes = excluded.bytes",
        )?
        .execute(params![id.to_bytes(), owner.as_str(), model, bytes])?;
    Ok(())
}

/// A new item needs a new id. Whether another owner uses the id is not disclosed.
fn check_unused(
    connection: &Connection,
    sql: &str,
    owner: &OwnerId,
    id: [u8; 16],
    name: &impl ToString,
) -> Result<(), WriteFailure> {
    let holder: Option<String> = connection.prepare_cached(sql)?.query_row([id], |row| row.get(0)).optional()?;
    match holder {
        None => Ok(()),
        Some(holder) if holder == owner.as_str() => Err(WriteFailure::Refused(Error::KeyTaken(name.to_string()))),
        Some(_) => Err(WriteFailure::Refused(Error::NotFound)),
    }
}

fn exists(connection: &Connection, sql: &str, params: impl Params) -> rusqlite::Result<bool> {
    connection.prepare_cached(sql)?.exists(params)
}

/// Runs the statements on one item of an owner. Returns how many rows the last of them changed.
fn execute_all(connection: &Connection, all: &[&str], id: [u8; 16], owner: &OwnerId) -> rusqlite::Result<usize> {
    let mut changed = 0;
    for sql in all {
        changed = connection.prepare_cached(sql)?.execute(params![id, owner.as_str()])?;
    }
    Ok(changed)
}
