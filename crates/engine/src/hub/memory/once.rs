//! Idempotent operations that consist of more than one write.
//!
//! The answer is stored after the operation. A client that was cut off in between repeats the
//! operation without effect: forgotten data is gone, and imported messages are recognized.

use protocol::{ForgetResult, Ingest, IngestResult, MemoryForget, MemoryImport, MemoryImportResult, OwnerId};

use super::super::Hub;
use crate::Error;

impl Hub {
    /// Forgets items; idempotent by the key.
    pub async fn memory_forget_once(
        &self,
        owner: &OwnerId,
        asked: &MemoryForget,
        key: Option<&str>,
    ) -> Result<ForgetResult, Error> {
        let keyed = self.keyed(key, &("forget", asked))?;
        if let Some(known) = self.long_term().answer_under(owner, &keyed).await? {
            return Ok(known);
        }
        let forgotten = self.memory_forget(owner, asked).await?;
        self.long_term().keep_answer(owner, keyed, &forgotten).await?;
        Ok(forgotten)
    }

    /// Imports a conversation from elsewhere; idempotent by the key.
    pub async fn ingest_once(&self, owner: &OwnerId, asked: Ingest, key: Option<&str>) -> Result<IngestResult, Error> {
        let keyed = self.keyed(key, &("ingest", &asked))?;
        if let Some(known) = self.long_term().answer_under(owner, &keyed).await? {
            return Ok(known);
        }
        let ingested = self.ingest(owner, asked).await?;
        self.long_term().keep_answer(owner, keyed, &ingested).await?;
        Ok(ingested)
    }

    /// Imports an archive or a file of another program; idempotent by its key.
    pub async fn memory_import(&self, owner: &OwnerId, asked: MemoryImport) -> Result<MemoryImportResult, Error> {
        let keyed = self.keyed(asked.idempotency_key.as_deref(), &("import", &asked))?;
        if let Some(known) = self.long_term().answer_under(owner, &keyed).await? {
            return Ok(known);
        }
        let imported = self.import(owner, asked).await?;
        self.long_term().keep_answer(owner, keyed, &imported).await?;
        Ok(imported)
    }
}
