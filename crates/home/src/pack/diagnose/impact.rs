//! What suffers from trouble with an entity: what uses it, and what uses that.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::Serialize;
use tools::Failure;

use super::case::Case;
use crate::{EntityId, UserKind};

/// How deep uses are followed.
const DEPTH_MAX: usize = 3;
/// How many are told.
const IMPACT_MAX: usize = 10;

/// Something that depends on the entity.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(super) struct Impact {
    entity_id: EntityId,
    kind: &'static str,
    name: String,
    /// What lies between, if it does not use it itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    through: Option<EntityId>,
}

/// What depends on the subject of a case.
pub(super) async fn impact(case: &mut Case<'_>) -> Result<Vec<Impact>, Failure> {
    let subject = case.subject.entity.id.clone();
    let mut seen: BTreeSet<EntityId> = BTreeSet::from([subject.clone()]);
    let (mut found, mut next) = (Vec::new(), vec![subject.clone()]);
    for _ in 0..DEPTH_MAX {
        let mut deeper = Vec::new();
        for id in next {
            for user in case.related(&id).await?.used_by {
                let is_hidden = case.home.index().get(&user.entity_id).is_some_and(|standing| !standing.entity.exposed);
                if is_hidden || found.len() >= IMPACT_MAX || !seen.insert(user.entity_id.clone()) {
                    continue;
                }
                let kind = match user.kind {
                    UserKind::Automation => "automation",
                    UserKind::Script => "script",
                    UserKind::Scene => "scene",
                    UserKind::Entity => "entity",
                };
                // What an automation does has no bearing on what uses the automation.
                if user.kind == UserKind::Entity {
                    deeper.push(user.entity_id.clone());
                }
                let through = (id != subject).then(|| id.clone());
                found.push(Impact { entity_id: user.entity_id, kind, name: user.name, through });
            }
        }
        next = deeper;
    }
    if !found.is_empty() {
        let subject = case.subject.clone();
        case.sources.related(&subject);
    }
    Ok(found)
}
