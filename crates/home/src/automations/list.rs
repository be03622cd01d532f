//! `list_automations`: the automations of the home, or the configuration and last runs of one.

use std::sync::Arc;

use async_trait::async_trait;
use ports::ToolFailure;
use protocol::{Effect, Origin, Safety};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tools::{CallContext, Declaration, Tool};

use super::{all, named, stored_id, yaml::yaml};
use crate::{
    index::EntitySnapshot,
    port::{EntityId, HomePort},
    reachable::check_known,
};

/// The number of automations listed.
const LIMIT: usize = 60;

/// The tool `list_automations`.
pub(super) struct ListAutomations {
    pub(super) home: Arc<dyn HomePort>,
}

#[derive(Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(super) struct ListInput {
    /// Only this automation, with its configuration; by its id or its name.
    automation: Option<String>,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct AutomationList {
    automations: Vec<AutomationEntry>,
    /// How many more there are.
    #[serde(skip_serializing_if = "Option::is_none")]
    more: Option<usize>,
}

#[derive(Serialize, JsonSchema)]
struct AutomationEntry {
    entity_id: EntityId,
    name: String,
    /// `on`, or `paused`.
    state: String,
    /// When it last ran.
    #[serde(skip_serializing_if = "Option::is_none")]
    last_triggered: Option<String>,
    /// Whether it can be removed here: others stand in a file of the home.
    removable: bool,
    /// Its configuration.
    #[serde(skip_serializing_if = "Option::is_none")]
    yaml: Option<String>,
    /// What it acts on, where the home does not show its configuration.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    acts_on: Vec<EntityId>,
    /// Why the configuration is missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
}

fn entry(snapshot: &EntitySnapshot) -> AutomationEntry {
    let state = snapshot.state.as_ref();
    AutomationEntry {
        entity_id: snapshot.entity.id.clone(),
        name: snapshot.entity.name.clone(),
        state: if snapshot.word() == "off" { "paused".to_owned() } else { snapshot.word().to_owned() },
        last_triggered: state.and_then(|state| state.text("last_triggered")).map(str::to_owned),
        removable: stored_id(snapshot).is_some(),
        yaml: None,
        acts_on: Vec::new(),
        note: None,
    }
}

#[async_trait]
impl Tool for ListAutomations {
    type Input = ListInput;
    type Output = AutomationList;

    fn declaration(&self) -> Declaration {
        let about =
            "Lists the home's automations with their states; with `automation`: its configuration, to explain it.";
        Declaration {
            effect: Effect::Pure,
            safety: Safety::Observes,
            parallel: true,
            origin: if self.home.about().simulated { Origin::Trusted } else { Origin::Untrusted },
            ..Declaration::new("list_automations", about)
        }
        .about(&["automation", "automations", "automate"])
    }

    async fn call(&self, input: ListInput, context: &CallContext) -> Result<AutomationList, ToolFailure> {
        let home = self.home.as_ref();
        check_known(home)?;
        let Some(name) = input.automation.filter(|name| !name.trim().is_empty()) else {
            context.say("Listing the automations");
            let all = all(home);
            let more = all.len().checked_sub(LIMIT).filter(|more| *more > 0);
            return Ok(AutomationList { automations: all.iter().take(LIMIT).map(entry).collect(), more });
        };
        let snapshot = named(home, &name)?;
        context.say(format!("Reading the automation “{}”", snapshot.entity.name));
        let mut entry = entry(&snapshot);
        match home.automation(&snapshot.entity.id).await {
            Ok(config) => entry.yaml = yaml(&config),
            Err(error) => {
                entry.note = Some(error.to_string());
                entry.acts_on = home.related(&snapshot.entity.id).await.map(|it| it.made_of).unwrap_or_default();
            }
        }
        Ok(AutomationList { automations: vec![entry], more: None })
    }
}
