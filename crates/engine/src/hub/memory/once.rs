//! What is done once under a key, although it is more than one write.
//!
//! The answer is kept after the deed. Whoever was cut off in between does it again, and nothing is done twice: what is
//! forgotten is gone, and a message that was taken in is known.

use protocol::{Forgotten, Imported, Ingest, Ingested, MemoryForget, MemoryImport, OwnerId};

use super::super::Hub;
use crate::Error;

impl Hub {
    /// Forgets, once under a key.
    pub async fn memory_forget_once(
        &self,
        owner: &OwnerId,
        asked: &MemoryForget,
        key: Option<&str>,
    ) -> Result<Forgotten, Error> {
        let keyed = self.keyed(key, &("forget", asked))?;
        if let Some(known) = self.room().answer_under(owner, &keyed).await? {
            return Ok(known);
        }
        let forgotten = self.memory_forget(owner, asked).await?;
        self.room().keep_answer(owner, keyed, &forgotten).await?;
        Ok(forgotten)
    }

    /// Takes in a conversation that happened elsewhere, once under a key.
    pub async fn ingest_once(&self, owner: &OwnerId, asked: Ingest, key: Option<&str>) -> Result<Ingested, Error> {
        let keyed = self.keyed(key, &("ingest", &asked))?;
        if let Some(known) = self.room().answer_under(owner, &keyed).await? {
            return Ok(known);
        }
        let ingested = self.ingest(owner, asked).await?;
        self.room().keep_answer(owner, keyed, &ingested).await?;
        Ok(ingested)
    }

    /// Takes in an archive or what another program wrote, once under its key.
    pub async fn memory_import(&self, owner: &OwnerId, asked: MemoryImport) -> Result<Imported, Error> {
        let keyed = self.keyed(asked.idempotency_key.as_deref(), &("import", &asked))?;
        if let Some(known) = self.room().answer_under(owner, &keyed).await? {
            return Ok(known);
        }
        let imported = self.import(owner, asked).await?;
        self.room().keep_answer(owner, keyed, &imported).await?;
        Ok(imported)
    }
}
