//! Automations by words: an agent lists, explains, proposes, pauses and removes Home Assistant's
//! automations. A new one is checked by the home and shown as YAML; the user approves exactly this
//! text before it is created.

mod change;
mod config;
mod create;
mod list;
mod yaml;

use std::sync::Arc;

pub use config::{AutomationCheck, AutomationConfig};
use tools::{Error, Registry};

use crate::{acting::Permission, index::EntitySnapshot, port::HomePort};

/// Adds the tools for automations.
pub fn add_automations(registry: &mut Registry, home: Arc<dyn HomePort>, permission: Permission) -> Result<(), Error> {
    registry.add(list::ListAutomations { home: home.clone() })?;
    registry.add(create::CreateAutomation { home: home.clone(), permission: permission.clone() })?;
    registry.add(change::ChangeAutomation { home, permission })
}

/// The automations of a home, by name.
fn all(home: &dyn HomePort) -> Vec<EntitySnapshot> {
    let mut all = home.index().matching(|entity| entity.id.domain() == "automation");
    all.sort_by(|one, two| one.entity.name.cmp(&two.entity.name));
    all
}

/// The automation that a name or an id means. The error names those that there are.
fn named(home: &dyn HomePort, name: &str) -> Result<EntitySnapshot, ports::ToolFailure> {
    let all = all(home);
    let wanted = crate::plain(name.trim().strip_prefix("automation.").unwrap_or(name.trim()));
    let is_it = |it: &&EntitySnapshot| {
        let entity = &it.entity;
        crate::plain(entity.id.object()) == wanted
            || std::iter::once(&entity.name).chain(&entity.aliases).any(|known| crate::plain(known) == wanted)
    };
    let found: Vec<&EntitySnapshot> = all.iter().filter(is_it).collect();
    match found.as_slice() {
        [one] => Ok((*one).clone()),
        _ => {
            let ids: Vec<&str> = all.iter().map(|it| it.entity.id.as_str()).collect();
            let there = if ids.is_empty() { "the home has none".to_owned() } else { ids.join(", ") };
            Err(ports::ToolFailure::Invalid(format!("`{name}` does not name one automation; there are: {there}")))
        }
    }
}

/// The id under which the home stores an automation; `None` if it stands in a file of the home.
fn stored_id(snapshot: &EntitySnapshot) -> Option<String> {
    snapshot.state.as_ref()?.text("id").map(str::to_owned)
}
