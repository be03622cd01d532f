//! `change_automation`: pauses, resumes or removes an automation.

use std::{sync::Arc, time::Duration};

use async_trait::async_trait;
use ports::ToolFailure;
use protocol::{Effect, Origin, Safety};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Map;
use tools::{CallContext, Declaration, Tool};

use super::{named, stored_id, yaml::yaml};
use crate::{
    acting::Permission,
    index::EntitySnapshot,
    pack::failed,
    port::{EntityId, HomePort, ServiceCall},
    reachable::check_known,
};

/// How long to wait for the home to report the change.
const PATIENCE: Duration = Duration::from_secs(3);

/// The tool `change_automation`.
pub(super) struct ChangeAutomation {
    pub(super) home: Arc<dyn HomePort>,
    pub(super) permission: Permission,
}

/// What is done to an automation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum AutomationChange {
    /// It does not run until it is resumed.
    Pause,
    /// It runs again.
    Resume,
    /// It is deleted.
    Remove,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ChangeInput {
    /// The automation, by its id or its name.
    automation: String,
    /// pause, resume or remove.
    change: AutomationChange,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct ChangedAutomation {
    entity_id: EntityId,
    name: String,
    change: AutomationChange,
    /// Whether the home reports it.
    done: bool,
}

impl ChangeAutomation {
    fn find(&self, input: &ChangeInput) -> Result<EntitySnapshot, ToolFailure> {
        check_known(self.home.as_ref())?;
        let snapshot = named(self.home.as_ref(), &input.automation)?;
        match self.permission.denial(self.home.index(), &snapshot) {
            Some(objection) => Err(ToolFailure::Invalid(objection)),
            None => Ok(snapshot),
        }
    }

    async fn switch(&self, id: &EntityId, service: &str, word: &str) -> Result<bool, ToolFailure> {
        let call = ServiceCall {
            domain: "automation".to_owned(),
            service: service.to_owned(),
            entities: vec![id.clone()],
            data: Map::new(),
            wants_response: false,
        };
        self.home.call(&call).await.map_err(failed)?;
        let is_so = |index: &crate::HomeIndex| index.get(id).is_some_and(|it| it.word() == word);
        Ok(self.home.index().wait_until(PATIENCE, is_so).await)
    }
}

#[async_trait]
impl Tool for ChangeAutomation {
    type Input = ChangeInput;
    type Output = ChangedAutomation;

    fn declaration(&self) -> Declaration {
        let is_simulated = self.home.about().simulated;
        Declaration {
            effect: Effect::Idempotent,
            safety: if is_simulated { Safety::Keeps } else { Safety::Acts },
            origin: Origin::Trusted,
            is_simulated,
            calls_per_minute_max: Some(30),
            ..Declaration::new("change_automation", "Pauses, resumes or removes an automation of the home.")
        }
        .about(&["automation", "automations", "automate"])
    }

    async fn call(&self, input: ChangeInput, context: &CallContext) -> Result<ChangedAutomation, ToolFailure> {
        let snapshot = self.find(&input)?;
        let (id, name) = (snapshot.entity.id.clone(), snapshot.entity.name.clone());
        context.say(format!("Changing the automation “{name}”"));
        let done = match input.change {
            AutomationChange::Pause => self.switch(&id, "turn_off", "off").await?,
            AutomationChange::Resume => self.switch(&id, "turn_on", "on").await?,
            AutomationChange::Remove => {
                let Some(stored) = stored_id(&snapshot) else {
                    let told = format!(
                        "`{id}` stands in a file of the home, not among the automations that can be edited: remove it \
                         there, or pause it"
                    );
                    return Err(ToolFailure::Invalid(told));
                };
                self.home.remove_automation(&stored).await.map_err(failed)?;
                let is_gone = |index: &crate::HomeIndex| {
                    index.get(&id).is_none_or(|it| matches!(it.word(), "unavailable" | "unknown"))
                };
                self.home.index().wait_until(PATIENCE, is_gone).await
            }
        };
        Ok(ChangedAutomation { entity_id: id, name, change: input.change, done })
    }

    fn scope(&self, input: &ChangeInput) -> Option<String> {
        Some(match input.change {
            AutomationChange::Pause => "automation.turn_off".to_owned(),
            AutomationChange::Resume => "automation.turn_on".to_owned(),
            AutomationChange::Remove => "automation.remove".to_owned(),
        })
    }

    async fn confirm(&self, input: &ChangeInput) -> Option<String> {
        let snapshot = self.find(input).ok()?;
        let name = &snapshot.entity.name;
        match input.change {
            AutomationChange::Remove => {
                // One that cannot be removed fails without a question.
                stored_id(&snapshot)?;
                let config = self.home.automation(&snapshot.entity.id).await.ok();
                let yaml = config.and_then(|config| yaml(&config)).unwrap_or_default();
                Some(format!("the automation “{name}” would be deleted from the home:\n{yaml}"))
            }
            AutomationChange::Pause | AutomationChange::Resume => None,
        }
    }
}
