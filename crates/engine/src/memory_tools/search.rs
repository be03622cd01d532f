//! `memory_search`: looks into memory.

use async_trait::async_trait;
use ports::ToolFailure;
use protocol::{Effect, MemorySearch, Origin, Safety};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tools::{CallContext, Declaration, Tool};

use super::{KnownText, MemoryPort, failed};

/// Items of one answer.
const LIMIT: u32 = 12;

pub(super) struct MemorySearchTool(pub(super) MemoryPort);

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct SearchInput {
    /// What to look for, in a few words.
    query: String,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct SearchOutput {
    /// What was found, best first.
    items: Vec<KnownText>,
}

#[async_trait]
impl Tool for MemorySearchTool {
    type Input = SearchInput;
    type Output = SearchOutput;

    fn declaration(&self) -> Declaration {
        let description = "Searches what is known from earlier conversations, with the ids that `memory_correct` and \
                           `memory_forget` take. Use it before you say that you do not know something about the user.";
        let declaration = Declaration::new("memory_search", description)
            .about(&["remember", "memory", "forget", "know", "told", "said", "earlier", "wrong"]);
        Declaration {
            effect: Effect::Pure,
            safety: Safety::Observes,
            needs_session: true,
            parallel: true,
            ..declaration
        }
    }

    async fn call(&self, input: SearchInput, context: &CallContext) -> Result<SearchOutput, ToolFailure> {
        let asked = MemorySearch { query: input.query, limit: Some(LIMIT), ..MemorySearch::default() };
        let hub = self.0.hub()?;
        let found = hub.memory_search(&context.owner, &asked).await.map_err(failed)?.items;
        // Models are not given what was said in a window that is closed.
        let found = hub.told_items(&context.owner, context.session_id, found).await.map_err(failed)?;
        Ok(SearchOutput { items: found.into_iter().map(|found| found.item.into()).collect() })
    }

    fn origin(&self, output: &SearchOutput) -> Option<Origin> {
        Some(output.items.iter().map(|item| item.origin).fold(Origin::Trusted, Origin::and))
    }
}
