//! `memory_correct`: corrects an item of memory.

use async_trait::async_trait;
use ports::ToolFailure;
use protocol::{Effect, ItemId, MemoryCorrect, Origin, Safety};
use schemars::JsonSchema;
use serde::Deserialize;
use tools::{CallContext, Declaration, Tool};

use super::{KnownText, MemoryPort, check, failed};

pub(super) struct MemoryCorrectTool(pub(super) MemoryPort);

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct CorrectInput {
    /// The id of the item, as `memory_search` gave it.
    id: String,
    /// The right value of a fact, or the right text of an entry, in the user's words.
    text: String,
}

#[async_trait]
impl Tool for MemoryCorrectTool {
    type Input = CorrectInput;
    type Output = KnownText;

    fn declaration(&self) -> Declaration {
        let description = "Corrects something that is known, when the user says that it is wrong. The old value stays as \
                           history.";
        let declaration = Declaration::new("memory_correct", description)
            .about(&["wrong", "correct", "memory", "not", "right", "actually"]);
        Declaration { effect: Effect::Idempotent, safety: Safety::Keeps, origin: Origin::Trusted, ..declaration }
    }

    async fn call(&self, input: CorrectInput, context: &CallContext) -> Result<KnownText, ToolFailure> {
        check(context, &[&input.text])?;
        let id = id(&input.id)?;
        let key = format!("call {}", context.key);
        let asked = MemoryCorrect { id, text: input.text, idempotency_key: Some(key) };
        Ok(self.0.hub()?.memory_correct(&context.owner, asked).await.map_err(failed)?.into())
    }
}

/// Reads the id of an item.
pub(super) fn id(text: &str) -> Result<ItemId, ToolFailure> {
    let wrong = || ToolFailure::Invalid(format!("`{text}` is no id: take it from `memory_search`"));
    text.trim().parse().map_err(|_| wrong())
}
