//! The impact of a problem: what uses the entity, directly and indirectly.

use std::collections::BTreeSet;

use ports::ToolFailure;
use schemars::JsonSchema;
use serde::Serialize;

use super::investigation::Investigation;
use crate::{DependentKind, EntityId};

/// How deep uses are followed.
const DEPTH_MAX: usize = 3;
/// The number of entries.
const IMPACT_MAX: usize = 10;

/// Something that depends on the entity.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(super) struct Impact {
    entity_id: EntityId,
    kind: &'static str,
    name: String,
    /// The entity between, if it is indirect.
    #[serde(skip_serializing_if = "Option::is_none")]
    through: Option<EntityId>,
}

/// The dependents of the investigated entity.
pub(super) async fn impact(investigation: &mut Investigation<'_>) -> Result<Vec<Impact>, ToolFailure> {
    let subject = investigation.subject.entity.id.clone();
    let mut seen: BTreeSet<EntityId> = BTreeSet::from([subject.clone()]);
    let (mut found, mut next) = (Vec::new(), vec![subject.clone()]);
    for _ in 0..DEPTH_MAX {
        let mut deeper = Vec::new();
        for id in next {
            for user in investigation.related(&id).await?.used_by {
                let is_hidden =
                    investigation.home.index().get(&user.entity_id).is_some_and(|snapshot| !snapshot.entity.exposed);
                if is_hidden || found.len() >= IMPACT_MAX || !seen.insert(user.entity_id.clone()) {
                    continue;
                }
                let kind = match user.kind {
                    DependentKind::Automation => "automation",
                    DependentKind::Script => "script",
                    DependentKind::Scene => "scene",
                    DependentKind::Entity => "entity",
                };
                // What uses an automation is not affected by what the automation does.
                if user.kind == DependentKind::Entity {
                    deeper.push(user.entity_id.clone());
                }
                let through = (id != subject).then(|| id.clone());
                found.push(Impact { entity_id: user.entity_id, kind, name: user.name, through });
            }
        }
        next = deeper;
    }
    if !found.is_empty() {
        let subject = investigation.subject.clone();
        investigation.sources.related(&subject);
    }
    Ok(found)
}
