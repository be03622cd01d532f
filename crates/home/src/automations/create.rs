//! `create_automation`: creates an automation that the home has checked and the user has approved.

use std::{sync::Arc, time::Duration};

use async_trait::async_trait;
use ports::ToolFailure;
use protocol::{Effect, Origin, Safety};
use schemars::JsonSchema;
use serde::Serialize;
use tools::{CallContext, Declaration, QuestionContext, Tool};

use super::{AutomationCheck, AutomationConfig, all, stored_id};
use crate::{
    acting::Permission,
    pack::failed,
    port::{EntityId, HomePort},
    reachable::check_known,
};

/// How long to wait until the home has loaded the new automation.
const PATIENCE: Duration = Duration::from_secs(5);

/// The home says yes, and yet there is no such automation.
const NOT_LOADED: &str = "It is stored but does not run: the home has not loaded it. Most often its `configuration.yaml` \
                          has automations of its own; with the line `automation ui: !include automations.yaml` there it \
                          loads these, too, after a restart.";

/// The tool `create_automation`.
pub(super) struct CreateAutomation {
    pub(super) home: Arc<dyn HomePort>,
    pub(super) permission: Permission,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct CreatedAutomation {
    /// The id under which the home stores it.
    id: String,
    /// Its entity, if the home has loaded it.
    #[serde(skip_serializing_if = "Option::is_none")]
    entity_id: Option<EntityId>,
    /// As it was created.
    yaml: String,
    /// Why it does not run yet.
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<&'static str>,
}

impl CreateAutomation {
    /// Fails unless the operator's rules and the home take the automation.
    async fn check(&self, config: &AutomationConfig) -> Result<(), ToolFailure> {
        check_known(self.home.as_ref())?;
        if let Some(objection) = config.objection(self.home.index(), &self.permission) {
            return Err(ToolFailure::Invalid(objection));
        }
        match self.home.check_automation(config).await.map_err(failed)? {
            AutomationCheck::Valid => Ok(()),
            AutomationCheck::Invalid(reasons) => {
                let why = reasons.join("; ");
                Err(ToolFailure::Invalid(format!("the home does not take this automation: {why}")))
            }
        }
    }
}

#[async_trait]
impl Tool for CreateAutomation {
    type Input = AutomationConfig;
    type Output = CreatedAutomation;

    fn declaration(&self) -> Declaration {
        let about = "Creates an automation in the home. The home checks it, and the user sees it as YAML and approves \
                     it before it is created. Find the entities first.";
        let is_simulated = self.home.about().simulated;
        Declaration {
            effect: Effect::Idempotent,
            safety: if is_simulated { Safety::Keeps } else { Safety::Acts },
            origin: Origin::Trusted,
            is_simulated,
            calls_per_minute_max: Some(10),
            ..Declaration::new("create_automation", about)
        }
        .about(&["automation", "automate", "automatically", "whenever", "every", "when", "sunset", "schedule"])
    }

    async fn call(&self, config: AutomationConfig, context: &CallContext) -> Result<CreatedAutomation, ToolFailure> {
        self.check(&config).await?;
        // The same call after an interruption writes the same automation.
        let key = context.key.chars().map(|char| if char.is_ascii_alphanumeric() { char } else { '_' });
        let id = format!("dwell_{}", key.collect::<String>().to_ascii_lowercase());
        context.say(format!("Creating the automation “{}”", config.alias.trim()));
        self.home.save_automation(&id, &config).await.map_err(failed)?;
        let find = |home: &dyn HomePort| {
            let found = all(home).into_iter().find(|it| stored_id(it).as_deref() == Some(id.as_str()));
            found.map(|it| it.entity.id.clone())
        };
        self.home.index().wait_until(PATIENCE, |_| find(self.home.as_ref()).is_some()).await;
        let entity_id = find(self.home.as_ref());
        let note = entity_id.is_none().then_some(NOT_LOADED);
        Ok(CreatedAutomation { id, entity_id, yaml: config.yaml(), note })
    }

    fn scope(&self, _config: &AutomationConfig) -> Option<String> {
        Some("automation.create".to_owned())
    }

    async fn confirm(&self, config: &AutomationConfig) -> Option<String> {
        // What the home does not take fails without a question.
        self.check(config).await.ok()?;
        let sensitive: Vec<String> =
            config.sensitive(&self.home.index().sensitive()).iter().map(ToString::to_string).collect();
        let warning =
            if sensitive.is_empty() { String::new() } else { format!(" It acts on {}.", sensitive.join(", ")) };
        let alias = config.alias.trim();
        Some(format!("the home will run this automation “{alias}” by itself from now on.{warning}\n{}", config.yaml()))
    }

    async fn question(&self, _config: &AutomationConfig, _context: &QuestionContext<'_>) -> Option<String> {
        // The text has to be read, so words alone are no question.
        None
    }
}
