//! `memory_forget`: forgets items for good, after the user has seen what goes.

use async_trait::async_trait;
use ports::ToolFailure;
use protocol::{Effect, ItemId, MemoryForget, MemoryItem, Origin, OwnerId, PlannedCall, Safety};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tools::{CallContext, Declaration, Tool};

use super::{KnownText, MemoryPort, correct::id, failed};
use crate::{Error, hub::Services};

/// The name of the tool.
const NAME: &str = "memory_forget";
/// Items that one call forgets.
const ITEMS_MAX: usize = 40;

pub(super) struct MemoryForgetTool(pub(super) MemoryPort);

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ForgetInput {
    /// The ids of the items, as `memory_search` gave them; at most 40.
    ids: Vec<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct ForgetOutput {
    /// How many items are gone, with what was extracted from them.
    forgotten: usize,
}

#[async_trait]
impl Tool for MemoryForgetTool {
    type Input = ForgetInput;
    type Output = ForgetOutput;

    fn declaration(&self) -> Declaration {
        let description = "Forgets items of memory for good, everywhere, when the user asks for it. The user is shown what \
                           goes and has to agree. Do not repeat afterwards what was forgotten.";
        let declaration = Declaration::new(NAME, description).about(&["forget", "delete", "erase", "memory", "remove"]);
        Declaration { effect: Effect::Idempotent, safety: Safety::Keeps, origin: Origin::Trusted, ..declaration }
    }

    async fn call(&self, input: ForgetInput, context: &CallContext) -> Result<ForgetOutput, ToolFailure> {
        let ids = ids(&input.ids)?;
        let hub = self.0.hub()?;
        let mut left = Vec::new();
        for id in ids {
            match hub.memory_item(&context.owner, id).await {
                Ok(_) => left.push(id),
                // It went with another one, or before an interruption.
                Err(Error::Memory(memory::long_term::Error::NoItem(_))) => {}
                Err(error) => return Err(failed(error)),
            }
        }
        if left.is_empty() {
            return Ok(ForgetOutput { forgotten: 0 });
        }
        let asked = MemoryForget { ids: left, ..MemoryForget::default() };
        let gone = hub.memory_forget_by_turn(&context.owner, &asked, context.session_id, context.turn_id).await;
        Ok(ForgetOutput { forgotten: gone.map_err(failed)?.items.len() })
    }
}

fn ids(texts: &[String]) -> Result<Vec<ItemId>, ToolFailure> {
    if texts.is_empty() || texts.len() > ITEMS_MAX {
        return Err(ToolFailure::Invalid(format!("give 1 to {ITEMS_MAX} `ids`")));
    }
    texts.iter().map(|text| id(text)).collect()
}

/// Why the user has to confirm a call, if it forgets something: what would go.
pub(crate) async fn confirmation(services: &Services, owner: &OwnerId, call: &PlannedCall) -> Option<String> {
    if call.tool != NAME {
        return None;
    }
    let input: ForgetInput = serde_json::from_value(call.arguments.clone()).ok()?;
    let ids = ids(&input.ids).ok()?;
    let items = services
        .long_term
        .read(owner, |records| ids.iter().filter_map(|id| records.item(*id)).collect::<Vec<MemoryItem>>());
    let lines = items.await.ok()?.into_iter().map(|item| {
        let known = KnownText::from(item);
        let day: String = known.since.chars().take(10).collect();
        let from = if known.origin == Origin::Trusted { "" } else { ", of unknown origin" };
        format!("\n- {} ({day}{from})", known.text)
    });
    Some(format!("this would be forgotten for good:{}", lines.collect::<String>()))
}
