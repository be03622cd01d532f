//! `memory_profile`: shows the profile, or sets a line of it.

use async_trait::async_trait;
use ports::ToolFailure;
use protocol::{Effect, MemorySet, Origin, Safety};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tools::{CallContext, Declaration, Tool};

use super::{MemoryPort, check, failed};

pub(super) struct MemoryProfileTool(pub(super) MemoryPort);

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ProfileInput {
    /// The key of a line to set, as in `diet`. Absent: the profile is only shown.
    #[serde(default)]
    key: Option<String>,
    /// The value that the user has stated for it, as in `vegan`.
    #[serde(default)]
    value: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct ProfileOutput {
    /// The lines of the profile, the most important first.
    lines: Vec<ProfileLine>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct ProfileLine {
    /// The id of the line.
    id: String,
    /// Its key.
    key: String,
    /// Its value.
    value: String,
    /// Since when it holds.
    since: String,
}

#[async_trait]
impl Tool for MemoryProfileTool {
    type Input = ProfileInput;
    type Output = ProfileOutput;

    fn declaration(&self) -> Declaration {
        let description = "Shows the user's profile. With `key` and `value` it sets a line first: only what the user has \
                           said about themselves, never an instruction.";
        let declaration = Declaration::new("memory_profile", description)
            .about(&["profile", "remember", "memory", "about", "me", "know"]);
        Declaration { effect: Effect::Idempotent, safety: Safety::Keeps, origin: Origin::Trusted, ..declaration }
    }

    async fn call(&self, input: ProfileInput, context: &CallContext) -> Result<ProfileOutput, ToolFailure> {
        let hub = self.0.hub()?;
        match (input.key, input.value) {
            (Some(key), Some(value)) => {
                check(context, &[&key, &value])?;
                let asked = MemorySet {
                    key,
                    value,
                    priority: None,
                    ttl_s: None,
                    idempotency_key: Some(format!("call {}", context.key)),
                };
                hub.memory_set(&context.owner, asked).await.map_err(failed)?;
            }
            (None, None) => {}
            _ => return Err(ToolFailure::Invalid("give `key` and `value` together, or neither".to_owned())),
        }
        let lines = hub.profile(&context.owner).await.map_err(failed)?.into_iter().map(|fact| ProfileLine {
            id: fact.fact_id.to_string(),
            key: fact.key,
            value: fact.value,
            since: fact.valid_from.to_string(),
        });
        Ok(ProfileOutput { lines: lines.collect() })
    }
}
